// SPDX-License-Identifier: MIT
/*
 * DRM's own ioctls on an accel node, without the driver's filter:
 *
 *	core_ioctls get-magic|get-unique|syncobj-count|sweep
 *
 * The first three are faults of the core; each prints the result of the ioctl, and the exit status
 * is 0 if that is the expected error. The last calls each of the core's numbers with zeroes and
 * with random bytes; the caller must look at the kernel's log afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm.h>

#define NODE "/dev/accel/accel0"

static int report(const char *what, int ret, int expected)
{
	int error = ret ? errno : 0;

	printf("%s: %s, expected %s\n", what, strerror(error), strerror(expected));
	return error == expected ? 0 : 1;
}

static int get_magic(int fd)
{
	struct drm_auth auth = {};

	return report("GET_MAGIC", ioctl(fd, DRM_IOCTL_GET_MAGIC, &auth), EINVAL);
}

static int get_unique(int fd)
{
	struct drm_unique unique = {};

	return report("GET_UNIQUE", ioctl(fd, DRM_IOCTL_GET_UNIQUE, &unique), EINVAL);
}

/* The first count is too many for the copy of the handles, the second for what they refer to. */
static int syncobj_count(int fd)
{
	struct drm_syncobj_array array = { .count_handles = INT32_MAX };
	uint32_t *handles = calloc(1 << 20, sizeof(*handles));
	int failed;

	if (!handles)
		return 2;
	array.handles = (uintptr_t)handles;
	failed = report("SYNCOBJ_RESET", ioctl(fd, DRM_IOCTL_SYNCOBJ_RESET, &array), ENOMEM);
	array.count_handles = 1 << 20;
	failed |= report("SYNCOBJ_RESET", ioctl(fd, DRM_IOCTL_SYNCOBJ_RESET, &array), ENOMEM);
	free(handles);
	return failed;
}

static int sweep(int fd)
{
	unsigned int calls = 0, nr, round, i;
	uint8_t bytes[256];

	srandom(1);
	for (round = 0; round < 20; round++) {
		for (nr = 0; nr < 256; nr++) {
			if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
				continue;
			/* small numbers: no pointers into this program */
			for (i = 0; i < sizeof(bytes); i++)
				bytes[i] = !round || i % 4 > 1 ? 0 : random();
			ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, sizeof(bytes)),
			      bytes);
			calls++;
		}
	}
	printf("%u calls as user %d\n", calls, (int)getuid());
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int fd);
	} tests[] = {
		{ "get-magic", get_magic },
		{ "get-unique", get_unique },
		{ "syncobj-count", syncobj_count },
		{ "sweep", sweep },
		{ NULL, NULL },
	}, *test = tests;
	int fd;

	/* as anyone who may open the node */
	if (argc == 3 && (setgid(atoi(argv[2])) || setuid(atoi(argv[2]))))
		return 2;
	fd = open(NODE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(NODE);
		return 2;
	}
	while (argc > 1 && test->name && strcmp(argv[1], test->name))
		test++;
	if (argc > 1 && test->name)
		return test->run(fd);
	fprintf(stderr, "usage: core_ioctls get-magic|get-unique|syncobj-count|sweep [UID]\n");
	return 2;
}
