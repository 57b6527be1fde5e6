// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "file.h"

/**
 * struct loom_saving - a file that is being written
 * @path: as the caller gave it, for messages
 * @target: the file to replace, behind all links; opened in place without @partial
 * @partial: the temporary file next to @target, or NULL if it is written in place
 * @parts: its bytes, the caller's
 * @num_parts: number of @parts
 */
struct loom_saving {
	char *path;
	char *target;
	char *partial;
	struct iovec parts[LOOM_SAVE_PARTS];
	size_t num_parts;
};

#define MAX_LINKS	40
#define MAX_NAMES	10000
#define MAX_TRIES	1000

static int write_all(int fd, const struct loom_saving *saving)
{
	size_t i, done;
	ssize_t got;

	for (i = 0; i < saving->num_parts; i++) {
		for (done = 0; done < saving->parts[i].iov_len; done += got) {
			got = write(fd, (const char *)saving->parts[i].iov_base + done,
				    saving->parts[i].iov_len - done);
			if (got < 0 && errno != EINTR)
				return -errno;
			if (got < 0)
				got = 0;
		}
	}
	return 0;
}

static int write_and_close(int fd, const struct loom_saving *saving)
{
	int ret = write_all(fd, saving);

	/* some file systems report a full disk here */
	if (close(fd) && !ret && errno != EINTR)
		ret = -errno;
	return ret;
}

/* Returns the length of the part of @path before its last name, with the slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Follows dangling links of a path to the name that open() would create. */
static int follow_to_nothing(const char *path, char **target)
{
	char link[PATH_MAX], *at = strdup(path), *next;
	ssize_t length;
	int links;

	for (links = 0; at && links <= MAX_LINKS; links++) {
		length = readlink(at, link, sizeof(link) - 1);
		if (length < 0) {
			*target = at;
			return 0;
		}
		link[length] = '\0';
		if (asprintf(&next, "%.*s%s", *link == '/' ? 0 : (int)folder_length(at), at,
			     link) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	free(at);
	return at ? -ELOOP : -ENOMEM;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

/*
 * Finds the name of a regular file behind all links. Links of /proc may lead to files without a
 * name, or whose name belongs to another file now.
 * @old: its status, from an open descriptor, so its inode number is not reused meanwhile
 * Return: 0, 1 if it has no name, -EAGAIN if another writer has replaced it, or -errno.
 */
static int find_name(const char *path, const struct stat *old, char **target)
{
	struct stat again;

	*target = realpath(path, NULL);
	if (*target && !stat(*target, &again) && is_same(&again, old))
		return faccessat(AT_FDCWD, *target, W_OK, AT_EACCESS) ? -errno : 0;
	free(*target);
	*target = NULL;
	return !stat(path, &again) && is_same(&again, old) ? 1 : -EAGAIN;
}

/* As find_target(), or -EAGAIN. */
static int try_target(const char *path, char **target, struct stat *old)
{
	int handle = open(path, O_PATH | O_CLOEXEC), ret = 1;

	*target = NULL;
	if (handle < 0 && errno == ENOENT && *path) {
		old->st_nlink = 0;
		return path[strlen(path) - 1] == '/' ? -EISDIR : follow_to_nothing(path, target);
	}
	if (handle < 0)
		return -errno;
	if (fstat(handle, old))
		ret = -errno;
	else if (S_ISDIR(old->st_mode))
		ret = -EISDIR;
	else if (S_ISREG(old->st_mode))
		ret = find_name(path, old, target);
	close(handle);
	if (ret == 1)
		*target = strdup(path);
	return ret == 1 && !*target ? -ENOMEM : ret;
}

/*
 * Finds the file of a path.
 * @old: [out] its status; st_nlink is 0 if it does not exist
 * Return: 1 if it must be written in place, 0 if it is replaced, or -errno.
 */
static int find_target(const char *path, char **target, struct stat *old)
{
	int ret, i = 0;

	do
		ret = try_target(path, target, old);
	while (ret == -EAGAIN && ++i < MAX_TRIES);
	return ret;
}

/* Creates a temporary file next to the target under a name that no other writer uses. */
static int open_partial(struct loom_saving *saving, mode_t mode)
{
	int fd, i;

	for (i = 0; i < MAX_NAMES; i++) {
		if (asprintf(&saving->partial, "%.*sloom-%d-%d.part",
			     (int)folder_length(saving->target), saving->target, (int)getpid(),
			     i) < 0) {
			saving->partial = NULL;
			return -ENOMEM;
		}
		fd = open(saving->partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			  mode);
		if (fd >= 0)
			return fd;
		fd = -errno;
		free(saving->partial);
		saving->partial = NULL;
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

/* The new file gets the mode of the old one, and its owner if the process may set it. */
static int keep_owner_and_mode(int fd, const struct stat *old)
{
	struct stat made;

	if (fstat(fd, &made))
		return -errno;
	if ((made.st_uid != old->st_uid || made.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) && fchown(fd, -1, old->st_gid))
		errno = 0;
	return fchmod(fd, old->st_mode & 0777) ? -errno : 0;
}

static int write_partial(struct loom_saving *saving, const struct stat *old)
{
	int fd = open_partial(saving, old->st_nlink ? old->st_mode & 0600 : 0666), ret = 0;

	if (fd < 0)
		return fd;
	if (old->st_nlink)
		ret = keep_owner_and_mode(fd, old);
	if (ret) {
		close(fd);
		return ret;
	}
	return write_and_close(fd, saving);
}

static int write_in_place(const struct loom_saving *saving)
{
	int fd;

	do
		fd = open(saving->target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : write_and_close(fd, saving);
}

static int fail(struct loom_error *err, int code, const char *path)
{
	return loom_error_set(err, code, "%s: cannot be written: %s", path, strerror(-code));
}

static int stage(const char *path, const struct iovec *parts, size_t num_parts,
		 struct loom_saving *saving)
{
	struct stat old;
	int ret;

	memcpy(saving->parts, parts, num_parts * sizeof(*parts));
	saving->num_parts = num_parts;
	saving->path = strdup(path);
	if (!saving->path)
		return -ENOMEM;
	ret = find_target(path, &saving->target, &old);
	if (ret < 0)
		return ret;
	return ret ? 0 : write_partial(saving, &old);
}

int loom_file_stage_parts(const char *path, const struct iovec *parts, size_t num_parts,
			  struct loom_saving **out, struct loom_error *err)
{
	struct loom_saving *saving = calloc(1, sizeof(*saving));
	int saved = errno, ret;

	*out = NULL;
	if (!saving)
		return fail(err, -ENOMEM, path);
	ret = stage(path, parts, num_parts, saving);
	if (ret) {
		fail(err, ret, path);
		loom_file_discard(saving);
	} else {
		*out = saving;
	}
	errno = saved;
	return ret;
}

int loom_file_stage(const char *path, const void *bytes, size_t size_bytes,
		    struct loom_saving **out, struct loom_error *err)
{
	struct iovec part = { (void *)bytes, size_bytes };

	return loom_file_stage_parts(path, &part, 1, out, err);
}

int loom_file_commit(struct loom_saving *saving, struct loom_error *err)
{
	int saved = errno, ret = 0;

	if (!saving->partial)
		ret = write_in_place(saving);
	else if (rename(saving->partial, saving->target))
		ret = -errno;
	if (ret) {
		fail(err, ret, saving->path);
	} else {
		free(saving->partial);
		saving->partial = NULL;
	}
	loom_file_discard(saving);
	errno = saved;
	return ret;
}

void loom_file_discard(struct loom_saving *saving)
{
	int saved = errno;

	if (!saving)
		return;
	if (saving->partial)
		unlink(saving->partial);
	free(saving->partial);
	free(saving->target);
	free(saving->path);
	free(saving);
	errno = saved;
}

int loom_file_save_parts(const char *path, const struct iovec *parts, size_t num_parts,
			 struct loom_error *err)
{
	struct loom_saving *saving;
	int ret = loom_file_stage_parts(path, parts, num_parts, &saving, err);

	return ret ? ret : loom_file_commit(saving, err);
}

int loom_file_save(const char *path, const void *bytes, size_t size_bytes, struct loom_error *err)
{
	struct iovec part = { (void *)bytes, size_bytes };

	return loom_file_save_parts(path, &part, 1, err);
}
