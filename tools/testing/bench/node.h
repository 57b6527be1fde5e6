/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_NODE_H
#define LOOM_BENCH_NODE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/loom_accel.h>

static inline void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

/*
 * LOOM_NODE, or the first Loom node, or -1. Not loom_device_open(), which would become part of the
 * figures.
 */
static inline int node_find(void)
{
	const char *node = getenv("LOOM_NODE");
	struct dirent *entry;
	int found = -1;
	DIR *dir;

	if (node)
		return open(node, O_RDWR | O_CLOEXEC);
	dir = opendir("/sys/class/accel");
	if (!dir)
		return -1;
	while (found < 0 && (entry = readdir(dir))) {
		char path[300], name[8] = { 0 };
		struct drm_version version = { .name = name, .name_len = sizeof(name) };
		int fd;

		snprintf(path, sizeof(path), "/dev/accel/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "loom"))
			found = fd;
		else
			close(fd);
	}
	closedir(dir);
	return found;
}

static inline struct drm_loom_region_info node_region(int fd, uint32_t region)
{
	struct drm_loom_region_info info = { 0 };
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_REGION,
		.index = region,
		.ptr = (uintptr_t)&info,
		.size = sizeof(info),
	};

	if (ioctl(fd, DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY");
	return info;
}

#endif /* LOOM_BENCH_NODE_H */
