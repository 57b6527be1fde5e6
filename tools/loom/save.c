// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A file is written under another name and renamed when all else has succeeded, so that a failure
 * leaves the old file, or none. Standard output, a device or a pipe cannot be replaced, and is
 * written to last.
 */

static bool tool_save_is_stream(const char *path)
{
	struct stat stat_of;

	return !strcmp(path, "-") || (!stat(path, &stat_of) && !S_ISREG(stat_of.st_mode));
}

static int tool_save_write(FILE *file, const struct tool_save *save)
{
	int ret = 0;

	if (fwrite(save->bytes, 1, save->size_bytes, file) != save->size_bytes || fflush(file))
		ret = errno ? -errno : -EIO;
	return ret;
}

static int tool_save_failed(const struct tool_save *save, int code)
{
	return tool_fail("%s cannot be written: %s",
			 strcmp(save->path, "-") ? save->path : "standard output", strerror(-code));
}

int tool_save_begin(struct tool_save *save, const char *path, const void *bytes, size_t size_bytes)
{
	FILE *file;
	int ret;

	*save = (struct tool_save){ .path = path, .bytes = bytes, .size_bytes = size_bytes };
	if (tool_save_is_stream(path))
		return 0;
	/* replaces the file that a link points to, not the link */
	save->target = realpath(path, NULL);
	if (!save->target)
		save->target = strdup(path);
	if (!save->target || asprintf(&save->partial, "%s.part", save->target) < 0) {
		save->partial = NULL;
		return tool_save_failed(save, -ENOMEM);
	}
	file = fopen(save->partial, "wb");
	if (!file) {
		ret = -errno;
		free(save->partial);
		save->partial = NULL;
		return tool_save_failed(save, ret);
	}
	ret = tool_save_write(file, save);
	if (fclose(file) && !ret)
		ret = -errno;
	return ret ? tool_save_failed(save, ret) : 0;
}

int tool_save_commit(struct tool_save *save)
{
	FILE *file;
	int ret;

	if (save->partial) {
		if (rename(save->partial, save->target))
			return tool_save_failed(save, -errno);
		free(save->partial);
		save->partial = NULL;
		return 0;
	}
	if (!strcmp(save->path, "-")) {
		ret = tool_stream_raw(stdout, save->bytes, save->size_bytes);
		return ret ? tool_save_failed(save, ret) : 0;
	}
	file = fopen(save->path, "wb");
	if (!file)
		return tool_save_failed(save, -errno);
	ret = tool_save_write(file, save);
	if (fclose(file) && !ret)
		ret = -errno;
	return ret ? tool_save_failed(save, ret) : 0;
}

void tool_save_clear(struct tool_save *save)
{
	if (save->partial)
		remove(save->partial);
	free(save->partial);
	free(save->target);
	*save = (struct tool_save){ 0 };
}

int tool_save(const char *path, const void *bytes, size_t size_bytes)
{
	struct tool_save save;
	int ret;

	ret = tool_save_begin(&save, path, bytes, size_bytes);
	if (!ret)
		ret = tool_save_commit(&save);
	tool_save_clear(&save);
	return ret;
}
