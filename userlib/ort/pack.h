/* SPDX-License-Identifier: MIT */
/* Nodes and tensors of ONNX Runtime's as protobuf-c has them. */
#ifndef LOOM_ORT_PACK_H
#define LOOM_ORT_PACK_H

#include "ort.h"

#include "onnx.pb-c.h"

/**
 * loom_ort_pack_node() - a node with its attributes, and with the graphs inside of it
 * @pool: where all of it lives
 * @graph: whose it is
 * @node: the node
 * @proto: [out] the node
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_pack_node(struct loom_pool *pool, const struct loom_ort_graph *graph,
			      const struct loom_ort_node *node, Onnx__NodeProto **proto);

/**
 * loom_ort_pack_tensor() - a tensor; its data stay where they are
 * @pool: where all but the data lives
 * @value: the tensor
 * @name: its name
 * @proto: [out] the tensor
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_pack_tensor(struct loom_pool *pool, const OrtValue *value, const char *name,
				Onnx__TensorProto **proto);

#endif /* LOOM_ORT_PACK_H */
