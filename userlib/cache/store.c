// SPDX-License-Identifier: MIT
/* The folder of the cache. See cache.h for how processes share it. */
#include "cache.h"

#include "base/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* All entries together. */
#define MOST_BYTES	((uint64_t)4 * CACHE_ENTRY_BYTES)
/* Temporary files of crashed processes are removed after a day. */
#define STALE_SECONDS	86400

/* Only this user may own it and write to it: programs in it are trusted with the device. */
static int open_own(int folder, const char *name, int flags, mode_t type)
{
	/* must not block on a pipe */
	int fd = openat(folder, name, flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;

	if (fd < 0 || (!fstat(fd, &stat) && (stat.st_mode & S_IFMT) == type &&
		       stat.st_uid == geteuid() && !(stat.st_mode & 0022)))
		return fd;
	close(fd);
	return -1;
}

int cache_open(void)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	char path[PATH_MAX];
	int length;

	/* a path that is not absolute is to be ignored, by the specification */
	if (cache && *cache == '/')
		length = snprintf(path, sizeof(path), "%s", cache);
	else if (home && *home == '/')
		length = snprintf(path, sizeof(path), "%s/.cache", home);
	else
		return -1;
	if (length >= (int)sizeof(path) - (int)sizeof("/loom"))
		return -1;
	mkdir(path, 0700);
	memcpy(path + length, "/loom", sizeof("/loom"));
	mkdir(path, 0700);
	return open_own(AT_FDCWD, path, O_DIRECTORY, S_IFDIR);
}

int cache_find(int folder, const char *name)
{
	int fd = open_own(folder, name, 0, S_IFREG);

	/* notes that it was used */
	if (fd >= 0)
		futimens(fd, NULL);
	return fd;
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
static void make_room(int folder, uint64_t size_bytes)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct entry *entries;
	uint64_t sum = size_bytes;
	struct timespec now;
	size_t count, i;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return;
	}
	entries = list(dir, &count);
	clock_gettime(CLOCK_REALTIME, &now);
	if (count)
		qsort(entries, count, sizeof(*entries), compare);
	for (i = 0; i < count; i++)
		sum += entries[i].size_bytes;
	for (i = 0; i < count; i++) {
		bool stale = strstr(entries[i].name, ".part") &&
			     now.tv_sec - entries[i].used.tv_sec > STALE_SECONDS;

		if ((sum <= MOST_BYTES || strstr(entries[i].name, ".part")) && !stale)
			continue;
		unlinkat(folder, entries[i].name, 0);
		sum -= entries[i].size_bytes;
	}
	free(entries);
	closedir(dir);
}

static bool write_all(int fd, const char *bytes, size_t size_bytes)
{
	size_t part;
	ssize_t got;

	for (; size_bytes; bytes += got, size_bytes -= (size_t)got) {
		part = size_bytes < CACHE_STEP_BYTES ? size_bytes : CACHE_STEP_BYTES;
		if (loom_watch_spend(part / 16))
			return false;
		got = write(fd, bytes, part);
		if (got < 0 && errno != EINTR)
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

void cache_put(int folder, const char *name, const void *bytes, size_t size_bytes)
{
	char partial[CACHE_NAME_BYTES + 32];
	bool whole;
	int fd;

	make_room(folder, size_bytes);
	/* of threads that store the same, the first one does */
	snprintf(partial, sizeof(partial), "%s.%d.part", name, (int)getpid());
	fd = openat(folder, partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	whole = write_all(fd, bytes, size_bytes);
	/* some file systems report a full disk here */
	whole &= !close(fd);
	if (!whole || renameat(folder, partial, folder, name))
		unlinkat(folder, partial, 0);
}
