// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loom_file.h"

/* Whether a file can be created at @path. */
static int tool_output_check_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash == path ? strdup("/") :
		       slash ? strndup(path, slash - path) : strdup(".");
	int ret = 0;

	if (!parent)
		return tool_fail("no memory");
	if (access(parent, W_OK | X_OK))
		ret = tool_fail("%s: %s: %s", path, parent, strerror(errno));
	free(parent);
	return ret;
}

int tool_output_check(const char *path)
{
	struct stat there;

	if (!path || !strcmp(path, "-"))
		return 0;
	if (stat(path, &there))
		return tool_output_check_parent(path);
	if (S_ISDIR(there.st_mode) || access(path, W_OK))
		return tool_fail("%s: %s", path,
				 strerror(S_ISDIR(there.st_mode) ? EISDIR : errno));
	return 0;
}

int tool_output_check_dir(const char *dir)
{
	struct stat there;

	if (!dir)
		return 0;
	if (stat(dir, &there))
		return tool_output_check_parent(dir);
	if (!S_ISDIR(there.st_mode) || access(dir, W_OK | X_OK))
		return tool_fail("%s: %s", dir,
				 strerror(S_ISDIR(there.st_mode) ? errno : ENOTDIR));
	return 0;
}

int tool_output_save(const struct loom_array *array, const char *path)
{
	const char *suffix = strrchr(path, '.');
	struct loom_error err;
	int ret;

	if (suffix && !strcmp(suffix, ".npy"))
		ret = loom_npy_save(path, array, &err);
	else
		ret = loom_raw_save(path, array, &err);
	return ret ? tool_fail("%s", err.text) : 0;
}

/* Most file systems take names of 255 bytes; some exporters make longer tensor names. */
#define TOOL_OUTPUT_LONG_NAME	200

/*
 * Slashes of a tensor name become percent signs. A name that is too long is cut, and a hash of the
 * whole name (FNV-1a) keeps it different from others.
 */
static void tool_output_file_name(char *text, size_t size, const char *dir, const char *name)
{
	size_t length = strlen(name);
	uint32_t hash = 2166136261u;
	char tail[16] = "";
	size_t at, i;

	if (length > TOOL_OUTPUT_LONG_NAME) {
		for (i = 0; i < length; i++)
			hash = (hash ^ (unsigned char)name[i]) * 16777619u;
		snprintf(tail, sizeof(tail), "~%08x", hash);
		length = TOOL_OUTPUT_LONG_NAME;
	}
	at = snprintf(text, size, "%s/%.*s%s.npy", dir, (int)length, name, tail);
	for (i = strlen(dir) + 1; i < at && i < size - 1; i++)
		if (text[i] == '/')
			text[i] = '%';
}

int tool_output_save_in(const char *dir, const struct loom_array *array)
{
	char path[4096];

	if (mkdir(dir, 0777) && errno != EEXIST)
		return tool_fail("%s: %s", dir, strerror(errno));
	tool_output_file_name(path, sizeof(path), dir, array->name);
	return tool_output_save(array, path);
}

int tool_output_save_all(const char *dir, const struct loom_array *arrays, uint32_t count)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; dir && !ret && i < count; i++)
		ret = tool_output_save_in(dir, &arrays[i]);
	return ret;
}
