// SPDX-License-Identifier: MIT
/*
 * Data of tensors in files next to the model: large models are one file of nodes and one of
 * weights.
 *
 * The name of that file is untrusted. It is relative to the model's folder, and the file must be
 * inside of it after symbolic links are resolved; a model must not give access to any other file.
 * If the model is a link itself, its folder is that of the link. A model may read every other file
 * of the folder, and a hard link is a file of the folder: the ability to create one there implies
 * access to the file.
 */
#include "proto.h"

#include "base/error.h"
#include "base/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/**
 * struct external - what a TensorProto says of its data
 * @location: name of the file, from the model's folder on
 * @offset: of the first byte
 * @length: number of bytes, or -1: as many as the shape takes
 */
struct external {
	const char *location;
	int64_t offset;
	int64_t length;
};

static int read_number(const Onnx__StringStringEntryProto *entry, int64_t *number,
		       struct loom_error *err)
{
	const char *text = entry->value ? entry->value : "";
	size_t digits = strspn(text, "0123456789");

	/* 18 digits suffice for any file */
	*number = strtoll(text, NULL, 10);
	if (!digits || digits > 18 || text[digits])
		return loom_error_set(err, -EINVAL, "its %s \"%.40s\" is no number", entry->key,
				      text);
	return 0;
}

static int read_entries(const Onnx__TensorProto *proto, struct external *external,
			struct loom_error *err)
{
	size_t i;
	int code = 0;

	*external = (struct external){ .length = -1 };
	for (i = 0; i < proto->n_external_data && !code; i++) {
		const Onnx__StringStringEntryProto *entry = proto->external_data[i];
		const char *key = entry->key ? entry->key : "";

		if (!strcmp(key, "location"))
			external->location = entry->value;
		else if (!strcmp(key, "offset"))
			code = read_number(entry, &external->offset, err);
		else if (!strcmp(key, "length"))
			code = read_number(entry, &external->length, err);
	}
	if (!code && (!external->location || !*external->location))
		code = loom_error_set(err, -EINVAL,
				      "its data are in another file that has no name");
	return code;
}

/* Whether one of its components is "..". */
static bool goes_up(const char *path)
{
	const char *at;

	for (at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2]))
			return true;
	}
	return false;
}

/* @path is in @folder, both without links. */
static bool is_in(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (length && folder[length - 1] == '/')
		length--;
	return !strncmp(path, folder, length) && path[length] == '/';
}

static int fail_errno(struct loom_error *err, const char *location, int code)
{
	const char *why = strerrordesc_np(-code);

	return loom_error_set(err, code, "file \"%.100s\": %s", location,
			      why ? why : "cannot be read");
}

/* The current path of an open file, without links, from the kernel. */
static int path_of(int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX);
	if (length < 0)
		return -errno;
	if (length == PATH_MAX)
		return -ENAMETOOLONG;
	path[length] = '\0';
	return 0;
}

/* Opens the file of @handle for reading, independent of its current name. */
static int open_handle(int handle)
{
	char link[40];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
	/* opening a pipe would block */
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/*
 * A handle (O_PATH) is taken first and its path compared: the file that is opened is the one that
 * was checked, even if links and folders are exchanged meanwhile, and a device elsewhere is not
 * touched. openat2() with RESOLVE_BENEATH refuses links by whole paths that stay inside.
 *
 * Return: a file, -EXDEV if it is not in the folder, or another -errno.
 */
static int open_beneath(int base, const char *location)
{
	char folder[PATH_MAX], path[PATH_MAX];
	int handle = openat(base, location, O_PATH | O_CLOEXEC), ret;

	if (handle < 0)
		return -errno;
	ret = path_of(base, folder);
	if (!ret)
		ret = path_of(handle, path);
	if (!ret)
		ret = is_in(path, folder) ? open_handle(handle) : -EXDEV;
	close(handle);
	return ret;
}

/* Return: a file, or -errno. */
static int open_in(const char *folder, const char *location, struct loom_error *err)
{
	int base, ret = -EXDEV;

	if (*location != '/' && !goes_up(location)) {
		base = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		ret = base < 0 ? -errno : open_beneath(base, location);
		if (base >= 0)
			close(base);
	}
	if (ret == -EXDEV)
		return loom_error_set(err, -EACCES, "file \"%.100s\" is not in the model's folder",
				      location);
	return ret < 0 ? fail_errno(err, location, ret) : ret;
}

static int map_data(int fd, struct loom_pool *pool, const struct external *external,
		    size_t size_bytes, const void **data, struct loom_error *err)
{
	const void *bytes = "";
	size_t file_bytes = 0;
	struct stat file;
	int code = 0;

	if (fstat(fd, &file))
		return fail_errno(err, external->location, -errno);
	if (!S_ISREG(file.st_mode))
		return loom_error_set(err, -EINVAL, "\"%.100s\" is not a file",
				      external->location);
	if (file.st_size)
		code = loom_pool_map(pool, fd, &bytes, &file_bytes);
	if (code)
		return fail_errno(err, external->location, code);
	if ((uint64_t)external->offset > file_bytes || size_bytes > file_bytes - external->offset)
		return loom_error_set(err, -EINVAL,
				      "its %zu bytes are at %lld of file \"%.100s\", which has %zu",
				      size_bytes, (long long)external->offset, external->location,
				      file_bytes);
	*data = (const char *)bytes + external->offset;
	return 0;
}

int loom_onnx_external(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		       size_t size_bytes, const void **data, struct loom_error *err)
{
	int saved_errno = errno, code, fd;
	struct external external;

	*data = NULL;
	if (!file || !file->folder)
		return loom_error_set(err, -EOPNOTSUPP,
				      "its data are in another file, and there is no folder for it");
	code = read_entries(proto, &external, err);
	if (code)
		return code;
	if (external.length >= 0 && (uint64_t)external.length != size_bytes)
		return loom_error_set(err, -EINVAL, "its data do not fit its shape");
	fd = open_in(file->folder, external.location, err);
	if (fd >= 0) {
		code = map_data(fd, file->pool, &external, size_bytes, data, err);
		close(fd);
	}
	errno = saved_errno;
	return fd < 0 ? fd : code;
}
