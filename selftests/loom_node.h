/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_NODE_H
#define LOOM_NODE_H

/*
 * The node: finding and opening it, QUERY, and what every test needs besides (time, files, child
 * processes). Includes the harness and the UAPI headers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm/loom_accel.h>

#include "../kselftest_harness.h"

/*
 * An emulated machine with an instrumented kernel is a hundred times slower than a real one, and
 * on a host that is busy with other work several times slower again. These limits end what hangs.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	2000
#undef TEST_F_TIMEOUT
#define TEST_F_TIMEOUT(fixture_name, test_name, timeout) \
	__TEST_F_IMPL(fixture_name, test_name, -1, 20 * (timeout))

#define LOOM_SECOND_NS	1000000000LL
#define LOOM_MSEC_NS	1000000LL
/* Enough for an emulated machine that is busy with other work as well. */
#define LOOM_SOON_NS	(600 * LOOM_SECOND_NS)
#define LOOM_PAGE	4096
/* Of the tensors in most tests: rows of F32, one in each lane. */
#define LOOM_COLUMNS	1024
#define LOOM_ROW_BYTES	(LOOM_COLUMNS * sizeof(float))

#define LOOM_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * fork() of a child that ends with its parent: otherwise a test that fails could leave a process
 * behind that keeps buffers, or the pipe to the runner, open.
 */
static inline pid_t loom_fork(void)
{
	pid_t parent = getpid(), child = fork();

	if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(KSFT_FAIL);
	return child;
}

/* Gives up all capabilities for good, which only a child should do. Return: 0 or not. */
static inline int loom_become_nobody(void)
{
	return setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	       setresuid(65534, 65534, 65534);
}

/*
 * Makes @uid the user of all files that this process opens from here on. It keeps its capabilities.
 * Return: 0 or -errno.
 */
static inline int loom_be_user(uid_t uid)
{
	if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) || setresuid(uid, uid, uid))
		return -errno;
	/* as loom_fork() has it, which the kernel has undone */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}

/* From here on this process is any user's; @on gives it back. */
static inline int loom_set_nice(bool on)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	if (on)
		data[0].effective |= 1u << CAP_SYS_NICE;
	else
		data[0].effective &= ~(1u << CAP_SYS_NICE);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/*
 * How many rounds a repeated or random test does: LOOM_EFFORT percent of @rounds, all of them if it
 * is not in the environment. For kernels on which each round takes ten times as long.
 */
static inline uint32_t loom_effort(uint32_t rounds)
{
	const char *text = getenv("LOOM_EFFORT");
	uint64_t percent = text ? strtoul(text, NULL, 10) : 100;

	if (percent >= 100)
		return rounds;
	return rounds * percent / 100 ? rounds * percent / 100 : 1;
}

/* SplitMix64 (Steele, Lea, Flood, 2014): the same numbers from the same @state. */
static inline uint64_t loom_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline uint32_t loom_random_below(uint64_t *state, uint32_t n)
{
	return loom_random(state) % n;
}

static inline int loom_call(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

/* The first node in /sys/class/accel that says it is loom. Return: a file, or -errno. */
static inline int loom_open(void)
{
	DIR *dir = opendir("/sys/class/accel");
	struct dirent *entry;
	int found = -ENODEV;

	if (!dir)
		return -ENODEV;
	while (found < 0 && (entry = readdir(dir))) {
		char path[300], name[16] = {};
		struct drm_version version = { .name = name, .name_len = sizeof(name) };
		int fd;

		if (strncmp(entry->d_name, "accel", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!loom_call(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
		    !memcmp(name, "loom", 4))
			found = fd;
		else
			close(fd);
	}
	closedir(dir);
	return found;
}

/* The node of the device whose folder accel in sysfs is @nodes. Return: a file, or -errno. */
static inline int loom_open_in(const char *nodes)
{
	DIR *dir = opendir(nodes);
	struct dirent *entry;
	int found = -ENODEV;
	char path[300];

	if (!dir)
		return -ENODEV;
	while (found < 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "accel", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/%s", entry->d_name);
		found = open(path, O_RDWR | O_CLOEXEC);
		if (found < 0)
			found = -errno;
	}
	closedir(dir);
	return found;
}

static inline int64_t loom_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * LOOM_SECOND_NS + now.tv_nsec;
}

/* A deadline for what has to happen sooner or later. */
static inline int64_t loom_soon(void)
{
	return loom_now_ns() + LOOM_SOON_NS;
}

static inline int loom_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* All of a small file, with a zero behind it. Return: 0 or -errno; -EIO if it is empty. */
static inline int loom_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t count = 0;
	ssize_t got = 0;

	*text = 0;
	if (fd < 0)
		return -errno;
	/* some come in pieces */
	while (count < size - 1 && (got = read(fd, text + count, size - 1 - count)) > 0)
		count += got;
	close(fd);
	text[count] = 0;
	return got < 0 || !count ? -EIO : 0;
}

/* MemAvailable, or 0. */
static inline uint64_t loom_available_bytes(void)
{
	char text[256];
	const char *at;

	if (loom_read_file("/proc/meminfo", text, sizeof(text)))
		return 0;
	at = strstr(text, "MemAvailable:");
	return at ? strtoull(at + 13, NULL, 10) * 1024 : 0;
}

/* Reads fdinfo of an open file from /proc. Return: 0 or -errno. */
static inline int loom_read_fdinfo(int fd, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return loom_read_file(path, text, size);
}

/* The number behind a key of that, in bytes where it has a unit; -1: no such key. */
static inline int64_t loom_fdinfo(int fd, const char *key)
{
	char text[16384], unit[8] = "", want[64], *at;
	long long value = -1;

	if (loom_read_fdinfo(fd, text, sizeof(text)))
		return -1;
	snprintf(want, sizeof(want), "\n%s:\t", key);
	at = strstr(text, want);
	if (at && sscanf(at + strlen(want), "%lld %7s", &value, unit) == 2) {
		if (!strcmp(unit, "KiB"))
			value <<= 10;
		else if (!strcmp(unit, "MiB"))
			value <<= 20;
	}
	return value;
}

/* Time that the engine worked on jobs of the client so far, on one that runs as well. */
static inline int64_t loom_engine_ns(int fd)
{
	return loom_fdinfo(fd, "drm-engine-loom");
}

/* An address at which nothing is mapped; the page below it can be written. */
static inline char *loom_unmapped(void)
{
	char *page = mmap(NULL, 2 * LOOM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		exit(KSFT_FAIL);
	munmap(page + LOOM_PAGE, LOOM_PAGE);
	return page + LOOM_PAGE;
}

/* ------------------------------------------------------------- the bus driver */

/* Of the device that loom_open() opens, found before a test takes it away. */
struct loom_bus {
	char driver[PATH_MAX];
	char device[NAME_MAX + 1];
};

/* @file of the driver. Return: 0 or -errno. */
static inline int loom_bus_tell(const struct loom_bus *bus, const char *file)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", bus->driver, file);
	return loom_write_file(path, bus->device);
}

/* Keeps what it finds: without the node there is nothing to be found. */
static inline const struct loom_bus *loom_bus(void)
{
	static struct loom_bus bus;
	char path[64], real[PATH_MAX];
	struct stat node;
	int fd;

	if (bus.device[0])
		return &bus;
	fd = loom_open();
	if (fd < 0)
		return &bus;
	if (!fstat(fd, &node)) {
		snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(node.st_rdev),
			 minor(node.st_rdev));
		if (realpath(path, real))
			snprintf(bus.device, sizeof(bus.device), "%s", strrchr(real, '/') + 1);
		strcat(path, "/driver");
		if (!realpath(path, bus.driver))
			bus.device[0] = 0;
	}
	close(fd);
	return &bus;
}

/* Whether we have the right to take the device away from its driver. */
static inline bool loom_can_unbind(void)
{
	const struct loom_bus *bus = loom_bus();
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/unbind", bus->driver);
	return bus->device[0] && !access(path, W_OK);
}

static inline int loom_unbind(void)
{
	return loom_bus_tell(loom_bus(), "unbind");
}

static inline int loom_bind(void)
{
	return loom_bus_tell(loom_bus(), "bind");
}

/* ----------------------------------------------------------------- queries */

static inline int loom_query(int fd, uint32_t type, uint32_t index, void *ptr, uint32_t *size)
{
	struct drm_loom_query args = {
		.type = type,
		.index = index,
		.ptr = (uintptr_t)ptr,
		.size = *size,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_QUERY, &args);

	*size = args.size;
	return ret;
}

static inline int loom_query_device(int fd, struct drm_loom_device_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return loom_query(fd, DRM_LOOM_QUERY_DEVICE, 0, info, &size);
}

static inline int loom_query_region(int fd, uint32_t region, struct drm_loom_region_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return loom_query(fd, DRM_LOOM_QUERY_REGION, region, info, &size);
}

/* Whether jobs of different contexts take turns. Without, one waits for the end of the other. */
static inline bool loom_takes_turns(int fd)
{
	struct drm_loom_device_info info;

	return !loom_query_device(fd, &info) && info.flags & DRM_LOOM_DEVICE_TURNS;
}

/* Whether a region is memory of the device's own, which the driver maps or copies for clients. */
static inline bool loom_is_own(int fd, uint32_t region)
{
	struct drm_loom_region_info info;

	return !loom_query_region(fd, region, &info) && info.flags & DRM_LOOM_REGION_OWN;
}

/* The first byte of the banks that a buffer in pages of @page_bytes can have. */
static inline uint64_t loom_first_byte(const struct drm_loom_region_info *info, uint64_t page_bytes)
{
	uint64_t first = info->bank_bytes - info->total_bytes;

	/* a buffer that is mapped in place begins with a page of the processor's */
	if (info->map_bytes && !(page_bytes % info->map_bytes))
		first = (first + info->map_bytes - 1) / info->map_bytes * info->map_bytes;
	return first;
}

/* Goes to the next region that the chip has, from UINT32_MAX to the first. Return: if there is. */
static inline bool loom_next_region(int fd, uint32_t *region)
{
	struct drm_loom_region_info info;

	while (++*region < DRM_LOOM_REGION_COUNT)
		if (loom_query_region(fd, *region, &info) || info.banks)
			return true;
	return false;
}

/* How a region is when all that closed files had of it is freed, or too late for that. */
static inline int loom_region_settle(uint32_t region, struct drm_loom_region_info *after)
{
	int64_t end = loom_soon();
	int fd = loom_open(), ret;

	if (fd < 0)
		return fd;
	do {
		ret = loom_query_region(fd, region, after);
	} while (!ret && (after->blocks || after->scratch_bytes) && loom_now_ns() < end);
	close(fd);
	return ret;
}

static inline int loom_sram_settle(struct drm_loom_region_info *after)
{
	return loom_region_settle(DRM_LOOM_REGION_SRAM, after);
}

#ifdef _LOOM_ACCEL_REPORT_H_
/* All blocks, to be freed by the caller. */
static inline struct drm_loom_block *loom_query_blocks(int fd, uint32_t region, uint32_t *count)
{
	struct drm_loom_block *blocks = NULL;
	struct drm_loom_query args = {
		.type = DRM_LOOM_QUERY_BLOCKS, .index = region, .stride = sizeof(*blocks),
	};
	uint32_t room;

	do {
		room = args.size;
		free(blocks);
		blocks = malloc(room + 1);
		args.ptr = room ? (uintptr_t)blocks : 0;
		if (loom_call(fd, DRM_IOCTL_LOOM_QUERY, &args)) {
			free(blocks);
			return NULL;
		}
	} while (args.size > room);
	*count = args.size / sizeof(*blocks);
	return blocks;
}
#endif

#endif /* LOOM_NODE_H */
