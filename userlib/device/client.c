// SPDX-License-Identifier: MIT
#include "loom_client.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loom_core.h"
#include "loom_device.h"

/**
 * DOC: Clients
 *
 * There is no ioctl that lists the users of a device: access to that information is a policy of the
 * kernel, and fdinfo already follows it (the same user, or root). So the list is made by walking
 * /proc for files that lead to the device's node, and reading their fdinfo. A file that several
 * processes have open (after fork(), or sent through a socket) is one client with one number of the
 * driver, and is shown with the lowest pid.
 *
 * A process that ends during the walk is omitted.
 */

/* An fdinfo has some hundred bytes, more with many ranges of banks. */
#define LOOM_FDINFO_BYTES	16384

/**
 * struct loom_client_key - a key of fdinfo and its destination
 * @name: the key
 * @offset: of a u64 in &struct loom_client
 */
struct loom_client_key {
	const char *name;
	size_t offset;
};

#define LOOM_CLIENT_MEMORY(region, field)	offsetof(struct loom_client, memory[region].field)

static const struct loom_client_key loom_client_keys[] = {
	{ "drm-client-id", offsetof(struct loom_client, id) },
	{ "drm-engine-loom", offsetof(struct loom_client, engine_ns) },
	{ "loom-jobs", offsetof(struct loom_client, jobs) },
	{ "drm-total-dram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_DRAM, total_bytes) },
	{ "drm-shared-dram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_DRAM, shared_bytes) },
	{ "drm-resident-dram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_DRAM, resident_bytes) },
	{ "drm-active-dram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_DRAM, active_bytes) },
	{ "drm-total-sram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_SRAM, total_bytes) },
	{ "drm-shared-sram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_SRAM, shared_bytes) },
	{ "drm-resident-sram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_SRAM, resident_bytes) },
	{ "drm-active-sram", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_SRAM, active_bytes) },
	{ "drm-total-rom", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_ROM, total_bytes) },
	{ "drm-shared-rom", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_ROM, shared_bytes) },
	{ "drm-resident-rom", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_ROM, resident_bytes) },
	{ "drm-active-rom", LOOM_CLIENT_MEMORY(DRM_LOOM_REGION_ROM, active_bytes) },
};

/* The begin of the value of @key, or NULL. Keys must be at the begin of a line. */
static const char *loom_client_find(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text) {
		if (!strncmp(text, key, length) && text[length] == ':') {
			text += length + 1;
			return text + strspn(text, " \t");
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

/* Parses a number of bytes. The kernel prints large multiples in KiB or MiB. */
static uint64_t loom_client_number(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	end += strspn(end, " \t");
	if (!strncmp(end, "KiB", 3))
		number <<= 10;
	else if (!strncmp(end, "MiB", 3))
		number <<= 20;
	return number;
}

/*
 * Parses "0-3 4096 4-15 8192" (first bank, last bank, bytes), up to the first word that does not
 * match.
 */
static void loom_client_parse_ranges(const char *text, struct loom_client_memory *memory)
{
	struct loom_client_range range;
	unsigned long long bytes;
	int length;

	while (memory->num_ranges < LOOM_CLIENT_RANGES &&
	       sscanf(text, "%u-%u %llu%n", &range.first, &range.last, &bytes, &length) == 3) {
		range.bytes = bytes;
		memory->ranges[memory->num_ranges++] = range;
		text += length;
		text += strspn(text, " \t");
		if (!isdigit((unsigned char)*text))
			return;
	}
}

bool loom_client_parse(const char *text, struct loom_client *client)
{
	static const char *const ranges[DRM_LOOM_REGION_COUNT] = {
		"loom-banks-dram", "loom-banks-sram", "loom-banks-rom",
	};
	const char *value = loom_client_find(text, "drm-driver");
	size_t i;

	if (!value || strncmp(value, "loom\n", 5))
		return false;
	for (i = 0; i < ARRAY_SIZE(loom_client_keys); i++) {
		value = loom_client_find(text, loom_client_keys[i].name);
		*(uint64_t *)((char *)client + loom_client_keys[i].offset) =
			value ? loom_client_number(value) : 0;
	}
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		client->memory[i].num_ranges = 0;
		value = loom_client_find(text, ranges[i]);
		if (value)
			loom_client_parse_ranges(value, &client->memory[i]);
	}
	return true;
}

uint64_t loom_client_bank_bytes(const struct loom_client_memory *memory, uint32_t bank)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < memory->num_ranges; i++)
		if (bank >= memory->ranges[i].first && bank <= memory->ranges[i].last)
			bytes += memory->ranges[i].bytes;
	return bytes;
}

/*
 * Reads a small file of /proc into @text, terminated by a zero. Returns false if nothing was read.
 */
static bool loom_client_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	while (at < size - 1 && (got = read(fd, text + at, size - 1 - at)) > 0)
		at += got;
	close(fd);
	text[at] = '\0';
	return at;
}

/**
 * struct loom_client_walk - a walk over /proc
 * @rdev: the node
 * @list: the clients found
 * @count: number of @list
 */
struct loom_client_walk {
	dev_t rdev;
	struct loom_client *list;
	size_t count;
};

static int loom_client_add(struct loom_client_walk *walk, const struct loom_client *client)
{
	struct loom_client *grown;
	size_t i;

	for (i = 0; i < walk->count; i++) {
		if (walk->list[i].id != client->id)
			continue;
		if (client->pid < walk->list[i].pid)
			walk->list[i] = *client;
		return 0;
	}
	grown = realloc(walk->list, (walk->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	walk->list = grown;
	walk->list[walk->count++] = *client;
	return 0;
}

static int loom_client_visit_file(struct loom_client_walk *walk, pid_t pid, const char *fd)
{
	struct loom_client client = { .pid = pid };
	char path[320], text[LOOM_FDINFO_BYTES];
	struct timespec now;
	struct stat node;

	snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, fd);
	if (stat(path, &node) || !S_ISCHR(node.st_mode) || node.st_rdev != walk->rdev)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", (int)pid, fd);
	if (!loom_client_read(path, text, sizeof(text)) || !loom_client_parse(text, &client))
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	client.seen_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (!loom_client_read(path, client.command, sizeof(client.command)))
		return 0;
	client.command[strcspn(client.command, "\n")] = '\0';
	return loom_client_add(walk, &client);
}

static int loom_client_visit_process(struct loom_client_walk *walk, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = loom_client_visit_file(walk, pid, entry->d_name);
	closedir(dir);
	return ret;
}

static int loom_client_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct loom_client *)a)->id;
	uint64_t y = ((const struct loom_client *)b)->id;

	return (x > y) - (x < y);
}

static int loom_client_walk_proc(struct loom_client_walk *walk)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			ret = loom_client_visit_process(walk, atoi(entry->d_name));
	closedir(dir);
	if (walk->count)
		qsort(walk->list, walk->count, sizeof(*walk->list), loom_client_compare);
	return ret;
}

int loom_client_list(const struct loom_device *device, struct loom_client **list, size_t *count)
{
	struct loom_client_walk walk = { 0 };
	int saved = errno, ret;
	struct stat node;

	*list = NULL;
	*count = 0;
	if (fstat(loom_device_fd(device), &node)) {
		ret = -errno;
	} else {
		walk.rdev = node.st_rdev;
		ret = loom_client_walk_proc(&walk);
	}
	errno = saved;
	if (ret) {
		free(walk.list);
		return ret;
	}
	*list = walk.list;
	*count = walk.count;
	return 0;
}
