// SPDX-License-Identifier: MIT
/* NumPy's .npy: a magic, a header that is a Python literal, the elements. And bare elements. */
#include "file.h"

#include "base/array.h"
#include "base/error.h"
#include "loom_core.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NPY_MAGIC		"\x93NUMPY"
#define NPY_MAGIC_BYTES		6
#define NPY_MAX_HEADER		65536

static const struct {
	const char *descr;
	uint32_t dtype;
} npy_types[] = {
	{ "<f4", DRM_LOOM_DTYPE_F32 }, { "<f2", DRM_LOOM_DTYPE_F16 },
	{ "<f8", DRM_LOOM_DTYPE_F64 }, { "|i1", DRM_LOOM_DTYPE_I8 },
	{ "|u1", DRM_LOOM_DTYPE_U8 },  { "<i2", DRM_LOOM_DTYPE_I16 },
	{ "<u2", DRM_LOOM_DTYPE_U16 }, { "<i4", DRM_LOOM_DTYPE_I32 },
	{ "<u4", DRM_LOOM_DTYPE_U32 }, { "<i8", DRM_LOOM_DTYPE_I64 },
	{ "<u8", DRM_LOOM_DTYPE_U64 }, { "|b1", DRM_LOOM_DTYPE_BOOL },
};

/* The text behind 'key': in the header, or NULL. */
static const char *npy_find(const char *header, const char *key)
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

static int npy_parse_type(const char *header, uint32_t *dtype, char *found)
{
	const char *at = npy_find(header, "'descr'");
	size_t i;

	found[0] = '\0';
	if (!at || *at++ != '\'')
		return -EINVAL;
	for (i = 0; i < 7 && at[i] && at[i] != '\''; i++)
		found[i] = at[i];
	found[i] = '\0';
	for (i = 0; i < ARRAY_SIZE(npy_types); i++) {
		if (!strcmp(found, npy_types[i].descr)) {
			*dtype = npy_types[i].dtype;
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

static int npy_parse_shape(const char *header, uint32_t *rank, int64_t *dims)
{
	const char *at = npy_find(header, "'shape'");
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

static int npy_read_header(FILE *file, const char *path, char *header,
			   struct loom_error *err)
{
	unsigned char start[12];
	size_t length;

	if (fread(start, 1, 10, file) != 10 || memcmp(start, NPY_MAGIC, NPY_MAGIC_BYTES))
		return loom_error_set(err, -EINVAL, "%s: not a .npy file", path);
	length = start[8] | start[9] << 8;
	if (start[6] > 1) {
		if (fread(start + 10, 1, 2, file) != 2)
			return loom_error_set(err, -EINVAL, "%s: the .npy header is cut off", path);
		length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
	}
	if (length >= NPY_MAX_HEADER)
		return loom_error_set(err, -EINVAL, "%s: the .npy header is too long", path);
	if (fread(header, 1, length, file) != length)
		return loom_error_set(err, -EINVAL, "%s: the .npy header is cut off", path);
	header[length] = '\0';
	return 0;
}

/*
 * Whether a file ends before the array in its header, which may claim any size: this must be
 * checked before memory is allocated. Not for a pipe, whose end is found by reading.
 */
static bool npy_is_short(FILE *file, uint32_t dtype, uint32_t rank, const int64_t *dims)
{
	struct stat found;
	off_t at = ftello(file);
	int64_t count;

	if (at < 0 || fstat(fileno(file), &found) || !S_ISREG(found.st_mode) ||
	    loom_dims_count(rank, dims, &count))
		return false;
	return found.st_size < at ||
	       (found.st_size - at) / (off_t)loom_dtype_size(dtype) < count;
}

static int npy_read(FILE *file, const char *path, char *header, struct loom_array *array,
		    struct loom_error *err)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t dtype, rank;
	const char *order;
	char found[8];
	int ret;

	ret = npy_read_header(file, path, header, err);
	if (ret)
		return ret;
	ret = npy_parse_type(header, &dtype, found);
	if (ret)
		return loom_error_set(err, ret, "%s: elements of type '%s' are not supported", path,
				      found);
	order = npy_find(header, "'fortran_order'");
	if (!order || strncmp(order, "False", 5))
		return loom_error_set(err, -EOPNOTSUPP, "%s: the array is not in C order", path);
	if (npy_parse_shape(header, &rank, dims))
		return loom_error_set(err, -EINVAL, "%s: invalid shape in the header",
				      path);
	if (npy_is_short(file, dtype, rank, dims))
		return loom_error_set(err, -EINVAL, "%s: the file ends before the array does",
				      path);
	ret = loom_array_alloc(array, dtype, rank, dims);
	if (ret)
		return loom_error_set(err, ret, ret == -ENOMEM ? "%s: out of memory" :
				      "%s: the array is too large", path);
	if (fread(array->data, 1, array->size_bytes, file) != array->size_bytes)
		return loom_error_set(err, -EINVAL, "%s: the file ends before the array does",
				      path);
	if (fgetc(file) != EOF)
		return loom_error_set(err, -EINVAL, "%s: the file goes on behind the array", path);
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
		ret = loom_error_set(err, -errno, "%s: %s", path, strerror(errno));
		goto out;
	}
	header = malloc(NPY_MAX_HEADER);
	ret = header ? npy_read(file, path, header, array, err) :
		       loom_error_set(err, -ENOMEM, "%s: no memory", path);
	if (ret)
		loom_array_clear(array);
	free(header);
	fclose(file);
out:
	errno = saved;
	return ret;
}

#define NPY_MOST_HEADER	512

/* Returns the size of the header. */
static size_t npy_make_header(char *text, const struct loom_array *array)
{
	const char *descr = "|V1";
	size_t length = 10, i;

	for (i = 0; i < ARRAY_SIZE(npy_types); i++)
		if (npy_types[i].dtype == array->dtype)
			descr = npy_types[i].descr;
	length += snprintf(text + length, NPY_MOST_HEADER - length,
			   "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
	for (i = 0; i < array->rank; i++)
		length += snprintf(text + length, NPY_MOST_HEADER - length, "%lld,%s",
				   (long long)array->dims[i], i + 1 < array->rank ? " " : "");
	length += snprintf(text + length, NPY_MOST_HEADER - length, "), }");
	/* Elements start on 64 bytes; the header ends in a newline. */
	while ((length + 1) % 64)
		text[length++] = ' ';
	text[length++] = '\n';
	memcpy(text, NPY_MAGIC "\x01\x00", 8);
	text[8] = (length - 10) & 0xff;
	text[9] = (length - 10) >> 8;
	return length;
}

int loom_npy_save(const char *path, const struct loom_array *array, struct loom_error *err)
{
	char header[NPY_MOST_HEADER];
	struct iovec parts[] = {
		{ header, npy_make_header(header, array) },
		{ array->data, array->size_bytes },
	};

	return loom_file_save_parts(path, parts, ARRAY_SIZE(parts), err);
}

int loom_raw_save(const char *path, const struct loom_array *array, struct loom_error *err)
{
	return loom_file_save(path, array->data, array->size_bytes, err);
}

int loom_raw_load(const char *path, struct loom_array *array, struct loom_error *err)
{
	int saved = errno;
	FILE *file;
	size_t got;
	int ret = 0;

	file = fopen(path, "rb");
	if (!file) {
		ret = loom_error_set(err, -errno, "%s: %s", path, strerror(errno));
		goto out;
	}
	got = fread(array->data, 1, array->size_bytes, file);
	if (got != array->size_bytes || fgetc(file) != EOF)
		ret = loom_error_set(err, -EINVAL, "%s: the tensor takes %zu bytes, not %s", path,
				     array->size_bytes, got < array->size_bytes ? "fewer" : "more");
	fclose(file);
out:
	errno = saved;
	return ret;
}
