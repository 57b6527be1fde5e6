/* SPDX-License-Identifier: MIT */
/* What knows protobuf: types, tensors and files as protobuf-c gives them. */
#ifndef LOOM_ONNX_PROTO_H
#define LOOM_ONNX_PROTO_H

#include "loom.h"

#include "onnx.pb-c.h"

/** loom_onnx_memory - what protobuf-c allocates is counted as the rest */
extern ProtobufCAllocator loom_onnx_memory;

/** loom_onnx_dtype() - element type for TensorProto.DataType, 0 for what Loom does not have */
uint32_t loom_onnx_dtype(int64_t data_type);
/** loom_onnx_dtype_name() - ONNX's name of a data type, for messages */
const char *loom_onnx_dtype_name(int64_t data_type);

/**
 * loom_onnx_scan() - whether unpacking these bytes is safe
 * @descriptor: what they claim to be
 * @bytes: the file
 * @size_bytes: its length
 *
 * Return: 0, -EBADMSG for no message of that kind, -EMLINK for one that is nested too deep or
 * has too many parts.
 */
int loom_onnx_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
		   size_t size_bytes);

/**
 * loom_onnx_tensor() - reads a TensorProto
 * @proto: the tensor
 * @folder: where files with data may be, or NULL
 * @array: [out] name and data may point into @proto
 * @owned: [out] what to free() when @array is no longer used, or NULL
 * @err: [out] what is wrong with it, to be said after its name
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM, or as loom_onnx_external().
 */
int loom_onnx_tensor(const Onnx__TensorProto *proto, const char *folder, struct loom_array *array,
		     void **owned, struct loom_error *err);

/**
 * loom_onnx_external() - reads the data of a tensor that are in a file of their own
 * @proto: the tensor, whose data_location says so
 * @folder: that of the model, or NULL where there is none
 * @size_bytes: what its shape takes
 * @data: [out] as many bytes, from malloc
 * @err: [out] as loom_onnx_tensor() has it
 *
 * Return: 0; -EINVAL; -EOPNOTSUPP without a folder; -EACCES for a file outside of it; -ENOMEM;
 * -ENOENT and the like for the file.
 */
int loom_onnx_external(const Onnx__TensorProto *proto, const char *folder, size_t size_bytes,
		       void **data, struct loom_error *err);

/** loom_onnx_read_file() - a whole file into memory from malloc; an error leaves a line in @err */
int loom_onnx_read_file(const char *path, void **bytes, size_t *size_bytes, struct loom_error *err);

#endif /* LOOM_ONNX_PROTO_H */
