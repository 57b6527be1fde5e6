/* SPDX-License-Identifier: MIT */
/* What knows protobuf: types, tensors and files as protobuf-c gives them. */
#ifndef LOOM_ONNX_PROTO_H
#define LOOM_ONNX_PROTO_H

#include "loom.h"

#include "onnx.pb-c.h"

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
 * @array: [out] name and data may point into @proto
 * @owned: [out] what to free() when @array is no longer used, or NULL
 * @why: [out] what is wrong with it
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOMEM.
 */
int loom_onnx_tensor(const Onnx__TensorProto *proto, struct loom_array *array, void **owned,
		     const char **why);

/** loom_onnx_read_file() - a whole file into memory from malloc; an error leaves a line in @err */
int loom_onnx_read_file(const char *path, void **bytes, size_t *size_bytes, struct loom_error *err);

#endif /* LOOM_ONNX_PROTO_H */
