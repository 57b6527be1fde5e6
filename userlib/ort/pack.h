/* SPDX-License-Identifier: MIT */
/* Nodes and tensors of ONNX Runtime as messages of protobuf-c. */
#ifndef LOOM_ORT_PACK_H
#define LOOM_ORT_PACK_H

#include "ort.h"

#include "onnx.pb-c.h"

/**
 * loom_ort_pack_node() - pack a node with its attributes and its subgraphs
 * @pool: owner of the messages
 * @graph: its graph
 * @node: the node
 * @proto: [out] the node
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_pack_node(struct loom_pool *pool, const struct loom_ort_graph *graph,
			      const struct loom_ort_node *node, Onnx__NodeProto **proto);

/**
 * loom_ort_pack_tensor() - pack a tensor, whose data are not copied
 * @pool: owner of the messages
 * @value: the tensor
 * @name: its name
 * @proto: [out] the tensor
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_pack_tensor(struct loom_pool *pool, const OrtValue *value, const char *name,
				Onnx__TensorProto **proto);

#endif /* LOOM_ORT_PACK_H */
