/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_CONFIG_H
#define LOOM_CONFIG_H

/* Folders in configfs that devices are made of. */

#include "loom_selftest.h"

#include <sys/stat.h>

#define ROOT		"/sys/kernel/config/loom"

static inline int config_write(const char *name, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), ROOT "/%s/%s", name, file);
	return loom_write_file(path, text);
}

static inline int config_set(const char *name, const char *file, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	return config_write(name, file, text);
}

/* Without the end of the line. Return: its length or -errno. */
static inline int config_read(const char *name, const char *file, char *text, size_t size)
{
	char path[200];
	int fd, length;

	snprintf(path, sizeof(path), ROOT "/%s/%s", name, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	if (length < 0)
		length = -errno;
	close(fd);
	text[length > 0 ? length : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return length < 0 ? length : (int)strlen(text);
}

static inline int config_make(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), ROOT "/%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

static inline int config_remove(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), ROOT "/%s", name);
	return rmdir(path) ? -errno : 0;
}

/* A file of its node, or -errno. */
static inline int config_open(const char *name)
{
	char node[32], path[64];
	int64_t end = loom_soon();
	int fd, ret;

	/* devtmpfs makes it on another thread; in a storm it may be gone again */
	do {
		ret = config_read(name, "node", node, sizeof(node));
		if (ret <= 0)
			return ret ?: -ENXIO;
		snprintf(path, sizeof(path), "/dev/accel/%s", node);
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && errno == ENOENT && loom_now_ns() < end);
	return fd < 0 ? -errno : fd;
}

#endif /* LOOM_CONFIG_H */
