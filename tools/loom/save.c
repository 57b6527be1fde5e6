// SPDX-License-Identifier: MIT
#include "tool.h"

#include <string.h>

#include "loom_file.h"

/*
 * loom_file_stage() writes a file under another name, and it is renamed when all else has
 * succeeded, so that a failure leaves the old file, or none. Standard output is written to last.
 */

static int tool_save_failed(const struct loom_error *err)
{
	return tool_fail("%s", err->text);
}

int tool_save_begin(struct tool_save *save, const char *path, const void *bytes, size_t size_bytes)
{
	struct loom_error err;

	*save = (struct tool_save){ .bytes = bytes, .size_bytes = size_bytes };
	if (!strcmp(path, "-"))
		return 0;
	return loom_file_stage(path, bytes, size_bytes, &save->saving, &err) ?
	       tool_save_failed(&err) : 0;
}

int tool_save_commit(struct tool_save *save)
{
	struct loom_saving *saving = save->saving;
	struct loom_error err;
	int ret;

	save->saving = NULL;
	if (saving)
		return loom_file_commit(saving, &err) ? tool_save_failed(&err) : 0;
	ret = tool_stream_raw(stdout, save->bytes, save->size_bytes);
	return ret ? tool_fail("standard output cannot be written: %s", strerror(-ret)) : 0;
}

void tool_save_clear(struct tool_save *save)
{
	loom_file_discard(save->saving);
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
