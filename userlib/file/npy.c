// SPDX-License-Identifier: MIT
#include "loom_core.h"
#include "loom_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/**
 * DOC: Arrays in files
 *
 * A .npy file is a magic, a header that is a line of Python, and the elements. The
 * line is read with a scanner for exactly the three keys that every writer
 * puts there; it is not a Python parser, and what it does not know it refuses.
 *
 * Files are written beside their final name and renamed, so a run that fails leaves no
 * half of an output behind.
 */

#define LOOM_NPY_MAGIC		"\x93NUMPY"
#define LOOM_NPY_MAGIC_BYTES	6
#define LOOM_NPY_MAX_HEADER	65536

static const struct {
	const char *descr;
	uint32_t dtype;
} loom_npy_types[] = {
	{ "<f4", DRM_LOOM_DTYPE_F32 }, { "<f2", DRM_LOOM_DTYPE_F16 },
	{ "<f8", DRM_LOOM_DTYPE_F64 }, { "|i1", DRM_LOOM_DTYPE_I8 },
	{ "|u1", DRM_LOOM_DTYPE_U8 },  { "<i2", DRM_LOOM_DTYPE_I16 },
	{ "<u2", DRM_LOOM_DTYPE_U16 }, { "<i4", DRM_LOOM_DTYPE_I32 },
	{ "<u4", DRM_LOOM_DTYPE_U32 }, { "<i8", DRM_LOOM_DTYPE_I64 },
	{ "<u8", DRM_LOOM_DTYPE_U64 }, { "|b1", DRM_LOOM_DTYPE_BOOL },
};

static int loom_file_fail(struct loom_error *err, int code, const char *path, const char *format,
			  ...) __attribute__((format(printf, 4, 5)));

static int loom_file_fail(struct loom_error *err, int code, const char *path, const char *format,
			  ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (err)
		snprintf(err->text, sizeof(err->text), "%s: %s", path, text);
	return code;
}

/* The text behind 'key': in the header, or NULL. */
static const char *loom_npy_find(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	if (!at)
		return NULL;
	at += strlen(key);
	while (isspace((unsigned char)*at))
		at++;
	if (*at++ != ':')
		return NULL;
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static int loom_npy_parse_type(const char *header, uint32_t *dtype, char *found)
{
	const char *at = loom_npy_find(header, "'descr'");
	size_t i;

	found[0] = '\0';
	if (!at || *at++ != '\'')
		return -EINVAL;
	for (i = 0; i < 7 && at[i] && at[i] != '\''; i++)
		found[i] = at[i];
	found[i] = '\0';
	for (i = 0; i < ARRAY_SIZE(loom_npy_types); i++) {
		if (!strcmp(found, loom_npy_types[i].descr)) {
			*dtype = loom_npy_types[i].dtype;
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

static int loom_npy_parse_shape(const char *header, uint32_t *rank, int64_t *dims)
{
	const char *at = loom_npy_find(header, "'shape'");
	char *end;

	*rank = 0;
	if (!at || *at++ != '(')
		return -EINVAL;
	for (;;) {
		while (isspace((unsigned char)*at) || *at == ',')
			at++;
		if (*at == ')')
			return 0;
		if (!isdigit((unsigned char)*at) || *rank == LOOM_GRAPH_RANK)
			return -EINVAL;
		errno = 0;
		dims[*rank] = strtoll(at, &end, 10);
		if (errno)
			return -EINVAL;
		at = end;
		++*rank;
	}
}

static int loom_npy_read_header(FILE *file, const char *path, char *header,
				struct loom_error *err)
{
	unsigned char start[12];
	size_t length;

	if (fread(start, 1, 10, file) != 10 || memcmp(start, LOOM_NPY_MAGIC, LOOM_NPY_MAGIC_BYTES))
		return loom_file_fail(err, -EINVAL, path, "not a .npy file");
	length = start[8] | start[9] << 8;
	if (start[6] > 1) {
		if (fread(start + 10, 1, 2, file) != 2)
			return loom_file_fail(err, -EINVAL, path, "the .npy header is cut off");
		length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
	}
	if (length >= LOOM_NPY_MAX_HEADER)
		return loom_file_fail(err, -EINVAL, path, "the .npy header is too long");
	if (fread(header, 1, length, file) != length)
		return loom_file_fail(err, -EINVAL, path, "the .npy header is cut off");
	header[length] = '\0';
	return 0;
}

static int loom_npy_read(FILE *file, const char *path, char *header, struct loom_array *array,
			 struct loom_error *err)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t dtype, rank;
	const char *order;
	char found[8];
	int ret;

	ret = loom_npy_read_header(file, path, header, err);
	if (ret)
		return ret;
	ret = loom_npy_parse_type(header, &dtype, found);
	if (ret)
		return loom_file_fail(err, ret, path, "elements of type '%s' are not supported",
				      found);
	order = loom_npy_find(header, "'fortran_order'");
	if (!order || strncmp(order, "False", 5))
		return loom_file_fail(err, -EOPNOTSUPP, path, "the array is not in C order");
	if (loom_npy_parse_shape(header, &rank, dims))
		return loom_file_fail(err, -EINVAL, path, "the shape in the header makes no sense");
	ret = loom_array_alloc(array, dtype, rank, dims);
	if (ret)
		return loom_file_fail(err, ret, path, "the array is too large");
	if (fread(array->data, 1, array->size_bytes, file) != array->size_bytes)
		return loom_file_fail(err, -EINVAL, path, "the file ends before the array does");
	if (fgetc(file) != EOF)
		return loom_file_fail(err, -EINVAL, path, "the file goes on behind the array");
	return 0;
}

int loom_npy_load(const char *path, struct loom_array *array, struct loom_error *err)
{
	int saved = errno;
	char *header = NULL;
	FILE *file;
	int ret;

	memset(array, 0, sizeof(*array));
	file = fopen(path, "rb");
	if (!file) {
		ret = loom_file_fail(err, -errno, path, "%s", strerror(errno));
		goto out;
	}
	header = malloc(LOOM_NPY_MAX_HEADER);
	ret = header ? loom_npy_read(file, path, header, array, err) :
		       loom_file_fail(err, -ENOMEM, path, "no memory");
	if (ret)
		loom_array_clear(array);
	free(header);
	fclose(file);
out:
	errno = saved;
	return ret;
}

static void loom_npy_write_header(FILE *file, const struct loom_array *array)
{
	const char *descr = "|V1";
	char text[512];
	size_t length, i;

	for (i = 0; i < ARRAY_SIZE(loom_npy_types); i++)
		if (loom_npy_types[i].dtype == array->dtype)
			descr = loom_npy_types[i].descr;
	length = snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': (",
			  descr);
	for (i = 0; i < array->rank; i++)
		length += snprintf(text + length, sizeof(text) - length, "%lld,%s",
				   (long long)array->dims[i], i + 1 < array->rank ? " " : "");
	length += snprintf(text + length, sizeof(text) - length, "), }");
	/* Elements start on 64 bytes; the header ends in a newline. */
	while ((10 + length + 1) % 64)
		text[length++] = ' ';
	text[length++] = '\n';
	fwrite(LOOM_NPY_MAGIC "\x01\x00", 1, 8, file);
	fputc(length & 0xff, file);
	fputc(length >> 8, file);
	fwrite(text, 1, length, file);
}

static int loom_array_save(const char *path, const struct loom_array *array, bool npy,
			   struct loom_error *err)
{
	int saved = errno;
	struct stat found;
	bool replace;
	char *partial;
	FILE *file;
	int ret = 0;

	/* a device or a pipe is written to; root would replace even /dev/null */
	replace = stat(path, &found) || S_ISREG(found.st_mode);
	if (asprintf(&partial, "%s%s", path, replace ? ".part" : "") < 0)
		return loom_file_fail(err, -ENOMEM, path, "no memory");
	file = fopen(partial, "wb");
	if (!file) {
		ret = -errno;
		goto out;
	}
	if (npy)
		loom_npy_write_header(file, array);
	fwrite(array->data, 1, array->size_bytes, file);
	if (ferror(file))
		ret = -EIO;
	if (fclose(file) && !ret)
		ret = -errno;
	if (!ret && replace && rename(partial, path))
		ret = -errno;
	if (ret && replace)
		remove(partial);
out:
	if (ret)
		loom_file_fail(err, ret, path, "cannot be written: %s", strerror(-ret));
	free(partial);
	errno = saved;
	return ret;
}

int loom_npy_save(const char *path, const struct loom_array *array, struct loom_error *err)
{
	return loom_array_save(path, array, true, err);
}

int loom_raw_save(const char *path, const struct loom_array *array, struct loom_error *err)
{
	return loom_array_save(path, array, false, err);
}

int loom_raw_load(const char *path, struct loom_array *array, struct loom_error *err)
{
	int saved = errno;
	FILE *file;
	size_t got;
	int ret = 0;

	file = fopen(path, "rb");
	if (!file) {
		ret = loom_file_fail(err, -errno, path, "%s", strerror(errno));
		goto out;
	}
	got = fread(array->data, 1, array->size_bytes, file);
	if (got != array->size_bytes || fgetc(file) != EOF)
		ret = loom_file_fail(err, -EINVAL, path, "the tensor takes %zu bytes, not %s",
				     array->size_bytes, got < array->size_bytes ? "fewer" : "more");
	fclose(file);
out:
	errno = saved;
	return ret;
}
