// SPDX-License-Identifier: MIT
/* The folder of the cache. See cache.h for how processes share it. */
#include "cache.h"

#include "loom_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* All entries together; one of more than a quarter of that is not stored. */
#define MOST_BYTES	((uint64_t)1 << 30)
/* Temporary files of crashed processes are removed after a day. */
#define STALE_SECONDS	86400

char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base = NULL, *folder = NULL;
	int ret = -1;

	/* a path that is not absolute is to be ignored, by the specification */
	if (cache && *cache == '/')
		ret = asprintf(&base, "%s", cache);
	else if (home && *home == '/')
		ret = asprintf(&base, "%s/.cache", home);
	if (ret < 0)
		return NULL;
	mkdir(base, 0700);
	if (asprintf(&folder, "%s/loom", base) >= 0)
		mkdir(folder, 0700);
	else
		folder = NULL;
	free(base);
	return folder;
}

char *cache_path(const char *folder, const char *key)
{
	char *path;

	return asprintf(&path, "%s/%s.loom", folder, key) < 0 ? NULL : path;
}

void cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

struct entry {
	char name[NAME_MAX + 1];
	struct timespec used;
	uint64_t size_bytes;
};

/* The one used longest ago first. */
static int compare(const void *a, const void *b)
{
	const struct entry *first = a, *second = b;

	if (first->used.tv_sec != second->used.tv_sec)
		return first->used.tv_sec < second->used.tv_sec ? -1 : 1;
	return (first->used.tv_nsec > second->used.tv_nsec) -
	       (first->used.tv_nsec < second->used.tv_nsec);
}

/* Entries and temporary files of the folder. Other files are not the cache's, and do not count. */
static struct entry *list(DIR *dir, size_t *count)
{
	struct entry *entries = NULL, *grown;
	size_t cap = 0;
	struct dirent *found;
	struct stat stat;

	*count = 0;
	while ((found = readdir(dir))) {
		if ((!strstr(found->d_name, ".loom") && !strstr(found->d_name, ".part")) ||
		    fstatat(dirfd(dir), found->d_name, &stat, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(stat.st_mode))
			continue;
		if (*count == cap) {
			cap = cap ? 2 * cap : 64;
			grown = realloc(entries, cap * sizeof(*entries));
			if (!grown)
				break;
			entries = grown;
		}
		memcpy(entries[*count].name, found->d_name, strlen(found->d_name) + 1);
		entries[*count].used = stat.st_mtim;
		entries[(*count)++].size_bytes = (uint64_t)stat.st_size;
	}
	return entries;
}

/* Removes what was used longest ago, until there is room. */
static void make_room(const char *folder, uint64_t size_bytes)
{
	DIR *dir = opendir(folder);
	struct entry *entries;
	uint64_t sum = size_bytes;
	struct timespec now;
	size_t count, i;

	if (!dir)
		return;
	entries = list(dir, &count);
	clock_gettime(CLOCK_REALTIME, &now);
	if (count)
		qsort(entries, count, sizeof(*entries), compare);
	for (i = 0; i < count; i++)
		sum += entries[i].size_bytes;
	for (i = 0; i < count; i++) {
		bool stale = strstr(entries[i].name, ".part") &&
			     now.tv_sec - entries[i].used.tv_sec > STALE_SECONDS;

		if ((sum <= MOST_BYTES || !strstr(entries[i].name, ".loom")) && !stale)
			continue;
		unlinkat(dirfd(dir), entries[i].name, 0);
		sum -= entries[i].size_bytes;
	}
	free(entries);
	closedir(dir);
}

void cache_put(const char *folder, const char *path, const void *bytes, size_t size_bytes)
{
	if (size_bytes > MOST_BYTES / 4)
		return;
	make_room(folder, size_bytes);
	/* it is renamed when it is complete, and nothing is left of it otherwise */
	loom_file_save(path, bytes, size_bytes, NULL);
}
