// SPDX-License-Identifier: MIT
/* TensorProto, inside models and in files of its own. */
#include "proto.h"

#include "loom_core.h"
#include "base/array.h"
#include "base/error.h"
#include "base/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *take_memory(void *unused, size_t size_bytes)
{
	(void)unused;
	return malloc(size_bytes);
}

static void give_memory(void *unused, void *memory)
{
	(void)unused;
	free(memory);
}

ProtobufCAllocator loom_onnx_memory = { .alloc = take_memory, .free = give_memory };

#define FILE_BYTES_MAX	((size_t)2 << 30)

/*
 * Types of which a plan has no elements. Numbers of 4 bits and float8 are those of constants only.
 * BFLOAT16 is F32 everywhere, which has all of its values.
 */
enum packed_type {
	BFLOAT16 = 16,
	FLOAT8E4M3FN,
	FLOAT8E4M3FNUZ,
	FLOAT8E5M2,
	FLOAT8E5M2FNUZ,
	UINT4,
	INT4,
};

static const struct {
	const char *name;
	uint32_t dtype;
} data_types[] = {
	[0] = { "UNDEFINED", 0 },
	[1] = { "FLOAT", DRM_LOOM_DTYPE_F32 },
	[2] = { "UINT8", DRM_LOOM_DTYPE_U8 },
	[3] = { "INT8", DRM_LOOM_DTYPE_I8 },
	[4] = { "UINT16", DRM_LOOM_DTYPE_U16 },
	[5] = { "INT16", DRM_LOOM_DTYPE_I16 },
	[6] = { "INT32", DRM_LOOM_DTYPE_I32 },
	[7] = { "INT64", DRM_LOOM_DTYPE_I64 },
	[8] = { "STRING", 0 },
	[9] = { "BOOL", DRM_LOOM_DTYPE_BOOL },
	[10] = { "FLOAT16", DRM_LOOM_DTYPE_F16 },
	[11] = { "DOUBLE", DRM_LOOM_DTYPE_F64 },
	[12] = { "UINT32", DRM_LOOM_DTYPE_U32 },
	[13] = { "UINT64", DRM_LOOM_DTYPE_U64 },
	[14] = { "COMPLEX64", 0 },
	[15] = { "COMPLEX128", 0 },
	[BFLOAT16] = { "BFLOAT16", DRM_LOOM_DTYPE_F32 },
	[FLOAT8E4M3FN] = { "FLOAT8E4M3FN", 0 },
	[FLOAT8E4M3FNUZ] = { "FLOAT8E4M3FNUZ", 0 },
	[FLOAT8E5M2] = { "FLOAT8E5M2", 0 },
	[FLOAT8E5M2FNUZ] = { "FLOAT8E5M2FNUZ", 0 },
	[UINT4] = { "UINT4", 0 },
	[INT4] = { "INT4", 0 },
};

static bool data_type_known(int64_t data_type)
{
	return data_type >= 0 && data_type < (int64_t)ARRAY_SIZE(data_types);
}

uint32_t loom_onnx_dtype(int64_t data_type)
{
	return data_type_known(data_type) ? data_types[data_type].dtype : 0;
}

const char *loom_onnx_dtype_name(int64_t data_type)
{
	return data_type_known(data_type) ? data_types[data_type].name : "?";
}

uint32_t loom_onnx_bits(int64_t data_type)
{
	return data_type == UINT4 || data_type == INT4 ? 4 : 0;
}

/**
 * struct typed_data - the field of a TensorProto that holds elements of a type
 * @elems: the field
 * @count: its length
 * @elem_bytes: size of each element in the field
 */
struct typed_data {
	const void *elems;
	size_t count;
	size_t elem_bytes;
};

static struct typed_data tensor_field(const Onnx__TensorProto *proto, uint32_t dtype)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_F32:
		return (struct typed_data){ proto->float_data, proto->n_float_data, 4 };
	case DRM_LOOM_DTYPE_F64:
		return (struct typed_data){ proto->double_data, proto->n_double_data, 8 };
	case DRM_LOOM_DTYPE_I64:
		return (struct typed_data){ proto->int64_data, proto->n_int64_data, 8 };
	case DRM_LOOM_DTYPE_U32:
	case DRM_LOOM_DTYPE_U64:
		return (struct typed_data){ proto->uint64_data, proto->n_uint64_data, 8 };
	default:
		/* f16 as its bits, and the small integers */
		return (struct typed_data){ proto->int32_data, proto->n_int32_data, 4 };
	}
}

/* little endian on both sides: narrowing keeps the first bytes */
static void *tensor_narrow(const struct typed_data *field, size_t elem_bytes)
{
	char *elems = malloc(field->count * elem_bytes + 1);
	size_t i;

	for (i = 0; elems && i < field->count; i++)
		memcpy(elems + i * elem_bytes, (const char *)field->elems + i * field->elem_bytes,
		       elem_bytes);
	return elems;
}

static void *tensor_bools(const void *data, size_t count)
{
	uint8_t *bools = malloc(count + 1);
	size_t i;

	for (i = 0; bools && i < count; i++)
		bools[i] = ((const uint8_t *)data)[i] != 0;
	return bools;
}

/* Raw data, or nothing where there are none; false for a reference that no scan has written. */
static bool tensor_raw_data(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
			    ProtobufCBinaryData *raw)
{
	struct loom_onnx_span span;

	*raw = (ProtobufCBinaryData){ 0 };
	if (proto->has_raw_data)
		*raw = proto->raw_data;
	if (!file || !raw->len)
		return true;
	if (raw->len != sizeof(span))
		return false;
	memcpy(&span, raw->data, sizeof(span));
	if (span.offset > file->size_bytes || span.length > file->size_bytes - span.offset)
		return false;
	*raw = (ProtobufCBinaryData){ span.length, (uint8_t *)file->bytes + span.offset };
	return true;
}

/* The data as they are in the file, or narrowed. */
static int tensor_own_data(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
			   struct loom_array *array, void **owned, struct loom_error *err)
{
	size_t elem_bytes = loom_dtype_size(array->dtype);
	struct typed_data field = tensor_field(proto, array->dtype);
	ProtobufCBinaryData raw;

	if (!tensor_raw_data(proto, file, &raw) ||
	    (raw.len ? raw.len : field.count * elem_bytes) != array->size_bytes)
		return loom_error_set(err, -EINVAL, "its data do not fit its shape");
	if (raw.len) {
		array->data = raw.data;
	} else if (field.elem_bytes == elem_bytes) {
		array->data = (void *)field.elems;
	} else {
		array->data = tensor_narrow(&field, elem_bytes);
		*owned = array->data;
	}
	return 0;
}

static int tensor_data(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		       struct loom_array *array, void **owned, struct loom_error *err)
{
	const void *external;
	int code;

	if (proto->has_data_location && proto->data_location) {
		code = loom_onnx_external(proto, file, array->size_bytes, &external, err);
		array->data = (void *)external;
	} else {
		code = tensor_own_data(proto, file, array, owned, err);
	}
	if (code)
		return code;
	if (array->dtype == DRM_LOOM_DTYPE_BOOL && array->data) {
		array->data = tensor_bools(array->data, array->size_bytes);
		free(*owned);
		*owned = array->data;
	}
	if (array->size_bytes && !array->data)
		return loom_error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Two elements of 4 bits to a byte, the first one in the lower half. */
static int tensor_unpack(struct loom_array *array, bool is_signed, size_t num_elems, void **owned,
			 struct loom_error *err)
{
	const uint8_t *bytes = array->data;
	uint8_t *elems = malloc(num_elems + 1);
	size_t i;

	for (i = 0; elems && i < num_elems; i++) {
		elems[i] = bytes[i / 2] >> (i % 2 * 4) & 15;
		if (is_signed && elems[i] > 7)
			elems[i] |= 0xf0;
	}
	free(*owned);
	*owned = elems;
	array->data = elems;
	array->size_bytes = num_elems;
	return elems ? 0 : loom_error_set(err, -ENOMEM, "out of memory");
}

static float float8_value(uint8_t bits, int32_t type)
{
	bool wide = type == FLOAT8E5M2 || type == FLOAT8E5M2FNUZ;
	bool one_zero = type == FLOAT8E4M3FNUZ || type == FLOAT8E5M2FNUZ;
	int fraction_bits = wide ? 2 : 3, bias = (wide ? 15 : 7) + one_zero;
	int exponent = (bits & 127) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
	float value;

	if (one_zero ? bits == 128 : wide ? exponent == 31 && fraction : (bits & 127) == 127)
		return NAN;
	if (type == FLOAT8E5M2 && exponent == 31)
		value = INFINITY;
	else if (exponent)
		value = ldexpf((float)(fraction + (1 << fraction_bits)),
			       exponent - bias - fraction_bits);
	else
		value = ldexpf((float)fraction, 1 - bias - fraction_bits);
	return bits & 128 ? -value : value;
}

/* BFLOAT16 and float8 become F32. */
static int tensor_widen(struct loom_array *array, int32_t type, size_t num_elems, void **owned,
			struct loom_error *err)
{
	float *elems = malloc(num_elems * sizeof(*elems) + 1);
	size_t i;

	for (i = 0; elems && i < num_elems; i++) {
		uint16_t half;
		uint32_t bits;

		if (type != BFLOAT16) {
			elems[i] = float8_value(((const uint8_t *)array->data)[i], type);
			continue;
		}
		memcpy(&half, (const char *)array->data + i * sizeof(half), sizeof(half));
		bits = (uint32_t)half << 16;
		memcpy(&elems[i], &bits, sizeof(bits));
	}
	free(*owned);
	*owned = elems;
	array->data = elems;
	array->dtype = DRM_LOOM_DTYPE_F32;
	array->size_bytes = num_elems * sizeof(*elems);
	return elems ? 0 : loom_error_set(err, -ENOMEM, "out of memory");
}

/* The type in which elements of a constant are read; 0: it is not supported. */
static uint32_t stored_dtype(int32_t type)
{
	switch (type) {
	case BFLOAT16:
		return DRM_LOOM_DTYPE_U16;
	case INT4:
		return DRM_LOOM_DTYPE_I8;
	case FLOAT8E4M3FN:
	case FLOAT8E4M3FNUZ:
	case FLOAT8E5M2:
	case FLOAT8E5M2FNUZ:
	case UINT4:
		return DRM_LOOM_DTYPE_U8;
	default:
		return loom_onnx_dtype(type);
	}
}

int loom_onnx_tensor(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		     struct loom_array *array, void **owned, struct loom_error *err)
{
	int64_t num_elems;
	int code;

	memset(array, 0, sizeof(*array));
	*owned = NULL;
	if (proto->segment)
		return loom_error_set(err, -EOPNOTSUPP,
				      "it is in segments, which is not supported");
	array->dtype = stored_dtype(proto->data_type);
	if (!array->dtype)
		return loom_error_set(err, -EOPNOTSUPP, "its type is not supported");
	if (proto->n_dims > LOOM_GRAPH_RANK)
		return loom_error_set(err, -EOPNOTSUPP, "it has more than 8 dimensions");
	array->name = proto->name;
	array->rank = (uint32_t)proto->n_dims;
	if (array->rank)
		memcpy(array->dims, proto->dims, array->rank * sizeof(array->dims[0]));
	if (loom_dims_count(array->rank, array->dims, &num_elems))
		return loom_error_set(err, -EINVAL, "its shape is impossible");
	array->size_bytes = (size_t)num_elems * loom_dtype_size(array->dtype);
	if (proto->data_type >= BFLOAT16 && proto->data_type <= FLOAT8E5M2FNUZ) {
		code = tensor_data(proto, file, array, owned, err);
		return code ? code : tensor_widen(array, proto->data_type, (size_t)num_elems,
						  owned, err);
	}
	if (!loom_onnx_bits(proto->data_type))
		return tensor_data(proto, file, array, owned, err);
	array->size_bytes = (array->size_bytes + 1) / 2;
	code = tensor_data(proto, file, array, owned, err);
	return code ? code : tensor_unpack(array, proto->data_type == INT4, (size_t)num_elems,
					   owned, err);
}

static int file_error(struct loom_error *err, const char *path, int code)
{
	const char *why = strerrordesc_np(-code);

	return loom_error_set(err, code, "%s: %s", path, why ? why : "cannot be read");
}

static int read_all(int fd, void **bytes, size_t *size_bytes)
{
	size_t room = 0, used = 0;
	char *buffer = NULL, *larger;
	ssize_t got;
	int code = 0;

	do {
		if (used == room) {
			room = room ? room * 2 : (size_t)64 << 10;
			larger = room <= FILE_BYTES_MAX ? realloc(buffer, room) : NULL;
			if (!larger) {
				code = room <= FILE_BYTES_MAX ? -ENOMEM : -EFBIG;
				break;
			}
			buffer = larger;
		}
		got = read(fd, buffer + used, room - used);
		if (got > 0)
			used += (size_t)got;
		else if (got < 0 && errno != EINTR)
			code = -errno;
	} while (got && !code);
	if (code) {
		free(buffer);
		buffer = NULL;
	}
	*bytes = buffer;
	*size_bytes = used;
	return code;
}

/* Pipes and the like cannot be mapped. */
static int map_or_read(int fd, struct loom_pool *pool, const void **bytes, size_t *size_bytes,
		       void **owned)
{
	int code;

	if (pool && !loom_pool_map(pool, fd, bytes, size_bytes))
		return *size_bytes > FILE_BYTES_MAX ? -EFBIG : 0;
	code = read_all(fd, owned, size_bytes);
	*bytes = *owned;
	return code;
}

int loom_onnx_read_file(const char *path, struct loom_pool *pool, const void **bytes,
			size_t *size_bytes, void **owned, struct loom_error *err)
{
	int saved_errno = errno, code, fd;

	*bytes = NULL;
	*owned = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		code = -errno;
	} else {
		code = map_or_read(fd, pool, bytes, size_bytes, owned);
		close(fd);
	}
	errno = saved_errno;
	return code ? file_error(err, path, code) : 0;
}

static int tensor_keep(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		       struct loom_array *array, struct loom_error *err)
{
	struct loom_array view;
	void *owned;
	int code;

	code = loom_onnx_tensor(proto, file, &view, &owned, err);
	if (code)
		goto out;
	*array = view;
	array->name = view.name ? strdup(view.name) : NULL;
	array->data = malloc(view.size_bytes + 1);
	if (!array->data || (view.name && !array->name)) {
		loom_array_clear(array);
		code = loom_error_set(err, -ENOMEM, "out of memory");
	} else if (view.size_bytes) {
		memcpy(array->data, view.data, view.size_bytes);
	}
out:
	free(owned);
	return code;
}

int loom_tensor_load_pb(const char *path, struct loom_array *array, struct loom_error *err)
{
	struct loom_error why = { .text = "is not an ONNX tensor, or is truncated" };
	struct loom_onnx_file file = { 0 };
	Onnx__TensorProto *proto = NULL;
	void *owned, *thin = NULL;
	size_t thin_bytes;
	int code;

	memset(array, 0, sizeof(*array));
	code = loom_onnx_read_file(path, NULL, (const void **)&file.bytes, &file.size_bytes,
				   &owned, err);
	if (code)
		return code;
	code = loom_onnx_scan(&onnx__tensor_proto__descriptor, file.bytes, file.size_bytes,
			      &thin, &thin_bytes);
	if (!code)
		proto = onnx__tensor_proto__unpack(&loom_onnx_memory, thin_bytes, thin);
	free(thin);
	if (code == -ENOMEM)
		snprintf(why.text, sizeof(why.text), "out of memory");
	else
		code = proto && proto->has_data_type ? tensor_keep(proto, &file, array, &why) :
						       -EINVAL;
	if (code)
		loom_error_set(err, code, "%s: %s", path, why.text);
	if (proto)
		onnx__tensor_proto__free_unpacked(proto, &loom_onnx_memory);
	free(owned);
	return code;
}
