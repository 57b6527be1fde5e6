// SPDX-License-Identifier: MIT
#include "file.h"

#include "loom_tflite.h"

#include "base/error.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* some offsets of a flatbuffer are signed */
#define MAX_BYTES	((size_t)1 << 31)

bool loom_tflite_file_is(const char *path)
{
	const int saved = errno;
	FILE *file = NULL;
	struct stat stat_of;
	char head[8];
	bool is;

	/* peeking at a pipe would block, and take data from its reader */
	if (!stat(path, &stat_of) && S_ISREG(stat_of.st_mode))
		file = fopen(path, "rb");
	is = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
	     !memcmp(head + 4, LOOM_TFLITE_IDENTIFIER, 4);
	if (file)
		fclose(file);
	errno = saved;
	return is;
}

static int read_all(FILE *file, void **bytes, size_t *size_bytes)
{
	size_t room = 1 << 16, size = 0, got;
	char *text = malloc(room), *grown;

	while (text) {
		got = fread(text + size, 1, room - size, file);
		size += got;
		if (!got || size > MAX_BYTES)
			break;
		if (size < room)
			continue;
		room *= 2;
		grown = realloc(text, room);
		if (!grown)
			free(text);
		text = grown;
	}
	*bytes = text;
	*size_bytes = size;
	if (!text)
		return -ENOMEM;
	if (ferror(file))
		return -EIO;
	return size > MAX_BYTES ? -EFBIG : 0;
}

int loom_tflite_file_read(const char *path, void **bytes, size_t *size_bytes,
			  struct loom_error *err)
{
	const int saved = errno;
	FILE *file = fopen(path, "rb");
	int code;

	*bytes = NULL;
	code = file ? read_all(file, bytes, size_bytes) : -errno;
	if (file)
		fclose(file);
	if (code) {
		free(*bytes);
		*bytes = NULL;
		loom_error_set(err, code, "%s: %s", path, strerror(-code));
	}
	errno = saved;
	return code;
}
