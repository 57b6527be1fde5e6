/* SPDX-License-Identifier: MIT */
/* Interface to protobuf: types, tensors and files as protobuf-c represents them. */
#ifndef LOOM_ONNX_PROTO_H
#define LOOM_ONNX_PROTO_H

#include "loom.h"

#include "onnx.pb-c.h"

/** loom_onnx_memory - what protobuf-c allocates is counted as the rest */
extern ProtobufCAllocator loom_onnx_memory;

struct loom_pool;

/** loom_onnx_dtype() - element type for TensorProto.DataType, 0 for what Loom does not have */
uint32_t loom_onnx_dtype(int64_t data_type);
/** loom_onnx_dtype_name() - ONNX's name of a data type, for messages */
const char *loom_onnx_dtype_name(int64_t data_type);

/**
 * struct loom_onnx_span - where raw data of a tensor are in the file
 * @offset: of the first byte
 * @length: number of bytes
 */
struct loom_onnx_span {
	uint64_t offset;
	uint64_t length;
};

/**
 * struct loom_onnx_file - a file that was scanned, with what tensors of it refer to
 * @bytes: the file
 * @size_bytes: number of @bytes
 * @folder: where files with data may be, or NULL
 * @pool: maps these
 */
struct loom_onnx_file {
	const uint8_t *bytes;
	size_t size_bytes;
	const char *folder;
	struct loom_pool *pool;
};

/**
 * loom_onnx_scan() - checks that unpacking these bytes is safe, and makes less of them
 * @descriptor: the claimed type
 * @bytes: the file
 * @size_bytes: its length
 * @thin: [out] the same message, to be unpacked, where raw_data of every TensorProto is a struct
 *	loom_onnx_span instead; free() it
 * @thin_bytes: [out] its length
 *
 * Return: 0, -EBADMSG for no message of that kind, -EMLINK for one that is nested too deep or
 * has too many parts, -ENOMEM.
 */
int loom_onnx_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
		   size_t size_bytes, void **thin, size_t *thin_bytes);

/**
 * loom_onnx_tensor() - reads a TensorProto
 * @proto: the tensor
 * @file: that it is from, or NULL where its raw data are in it
 * @array: [out] name and data may point into @proto, @file, and files that are mapped
 * @owned: [out] what to free() when @array is no longer used, or NULL
 * @err: [out] what is wrong with it, to be said after its name
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM, or as loom_onnx_external().
 */
int loom_onnx_tensor(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		     struct loom_array *array, void **owned, struct loom_error *err);

/** loom_onnx_bits() - of elements of a type that are packed, and unpacked to bytes; else 0 */
uint32_t loom_onnx_bits(int64_t data_type);

/**
 * loom_onnx_external() - finds the data of a tensor that are in a file of their own
 * @proto: the tensor, whose data_location says so
 * @file: that it is from, or NULL
 * @size_bytes: the size by its shape
 * @data: [out] as many bytes, which live as long as the pool of @file
 * @err: [out] as loom_onnx_tensor() has it
 *
 * Return: 0; -EINVAL; -EOPNOTSUPP without a folder; -EACCES for a file outside of it; -ENOMEM;
 * -ENOENT and the like for the file.
 */
int loom_onnx_external(const Onnx__TensorProto *proto, const struct loom_onnx_file *file,
		       size_t size_bytes, const void **data, struct loom_error *err);

/**
 * loom_onnx_read_file() - a whole file
 * @path: its name
 * @pool: maps it, if it can be mapped; NULL: it is read
 * @bytes: [out] the file
 * @size_bytes: [out] number of @bytes
 * @owned: [out] what to free() when @bytes are no longer used, or NULL
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_onnx_read_file(const char *path, struct loom_pool *pool, const void **bytes,
			size_t *size_bytes, void **owned, struct loom_error *err);

#endif /* LOOM_ONNX_PROTO_H */
