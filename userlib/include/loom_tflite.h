/* SPDX-License-Identifier: MIT */
/**
 * DOC: Models of TensorFlow Lite
 *
 * A model file is ONNX or TensorFlow Lite; its first bytes tell. loom_graph_import() takes either.
 */
#ifndef LOOM_TFLITE_H
#define LOOM_TFLITE_H

#include "loom.h"
#include "loom_error.h"
#include "loom_place.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * loom_graph_import() - reads a model of either format and makes it ready for planning
 * @path: an ONNX or a TensorFlow Lite file
 * @options: what the model leaves open, may be NULL
 * @graph: [out] the finished graph, destroy with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_import(const char *path, const struct loom_graph_options *options,
		      struct loom_graph **graph, struct loom_error *err);

/**
 * loom_graph_import_bytes() - loom_graph_import() from memory
 * @bytes: those of the file; not needed after the call
 * @size_bytes: number of @bytes
 * @name: stands for the file in errors
 * @options: what the model leaves open, may be NULL
 * @graph: [out] the finished graph, destroy with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_import_bytes(const void *bytes, size_t size_bytes, const char *name,
			    const struct loom_graph_options *options, struct loom_graph **graph,
			    struct loom_error *err);

/**
 * loom_graph_open() - the first half of loom_graph_import(): reads a model
 * @path: an ONNX or a TensorFlow Lite file
 * @graph: [out] to be asked for what it leaves open, then given to loom_graph_finish(); destroy
 *	with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_open(const char *path, struct loom_graph **graph, struct loom_error *err);

/**
 * loom_tflite_file_is() - a file is one of TensorFlow Lite
 * @path: the file
 *
 * Return: true if it begins like one.
 */
bool loom_tflite_file_is(const char *path);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_TFLITE_H */
