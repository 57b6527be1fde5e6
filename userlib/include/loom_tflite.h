/* SPDX-License-Identifier: MIT */
/**
 * DOC: Models of TensorFlow Lite
 *
 * A model file is ONNX or TensorFlow Lite; its first bytes tell. loom_graph_import() takes either.
 *
 * A file of TensorFlow Lite may carry a plan of its memory for TensorFlow Lite Micro, the runtime
 * of microcontrollers: where each tensor is in the arena. It is in the metadata
 * ``OfflineMemoryAllocation``, whose buffer is a list of integers of 32 bits: a version, the number
 * of subgraphs, the number n of tensors, and n offsets, of which -1 leaves the tensor to the
 * runtime. loom_tflite_memory_load() gives the problem, loom_place() an answer, and
 * loom_tflite_memory_write() the file with it.
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
 * @path: an ONNX or a TensorFlow Lite file; FILE.tflite#SIGNATURE for the subgraph of a signature,
 *	with the names that the signature gives its inputs and outputs
 * @options: open parts of the model, may be NULL
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
 * @options: open parts of the model, may be NULL
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
 * @path: an ONNX or a TensorFlow Lite file, as for loom_graph_import()
 * @graph: [out] to be asked for its open parts, then given to loom_graph_finish(); destroy
 *	with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_open(const char *path, struct loom_graph **graph, struct loom_error *err);

/**
 * loom_graph_open_within() - loom_graph_open() with a callback and limits
 * @path: an ONNX or a TensorFlow Lite file
 * @options: its callback and its limits; all else is for loom_graph_finish(). May be NULL
 * @graph: [out] as for loom_graph_open()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_graph_import() does; -ECANCELED, -ETIME.
 */
int loom_graph_open_within(const char *path, const struct loom_graph_options *options,
			   struct loom_graph **graph, struct loom_error *err);

/**
 * loom_tflite_file_is() - a file is one of TensorFlow Lite
 * @path: the file
 *
 * Return: true if it begins like one.
 */
bool loom_tflite_file_is(const char *path);

/**
 * struct loom_tflite_memory - the tensors of a file that need a place in the arena
 *
 * Lifetimes are those of the runtime: at moment 0 it is called, at moment i operator i - 1 runs.
 * Inputs are alive from moment 0 to the last operator that reads them, results from the operator
 * that computes them, outputs to the end. Constants and variables are not in the arena.
 *
 * @name: of the file, without its directories
 * @problem: the tensors; sizes and offsets are multiples of 16
 * @ids: by item: name of the tensor
 * @tensors: by item: number of the tensor
 * @num_tensors: of the file
 * @num_operators: of the file
 * @num_moved: operators that loom_tflite_memory_reorder() has moved
 * @has_record: the file has a memory plan
 * @offsets: by tensor: the plan's offset; -1: left to the runtime. NULL without @has_record
 */
struct loom_tflite_memory {
	const char *name;
	struct loom_place_problem problem;
	const char *const *ids;
	const uint32_t *tensors;
	uint32_t num_tensors;
	uint32_t num_operators;
	uint32_t num_moved;
	bool has_record;
	const int32_t *offsets;
};

/**
 * struct loom_tflite_verdict - judgement of a memory plan in a file
 * @arena_bytes: its top
 * @bound_bytes: no plan of all tensors has a lower top
 * @num_placed: tensors that it places
 * @num_left: tensors that it leaves to the runtime
 * @num_shared: results of a reshape that lie where their operand does, of the placed ones
 */
struct loom_tflite_verdict {
	uint64_t arena_bytes;
	uint64_t bound_bytes;
	uint32_t num_placed;
	uint32_t num_left;
	uint32_t num_shared;
};

/**
 * loom_tflite_memory_load() - the placement problem of a file
 * @path: the file
 * @memory: [out] destroy with loom_tflite_memory_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -errno of reading; -EINVAL for a broken file; -EOPNOTSUPP for one with several
 * subgraphs; -ENOMEM.
 */
int loom_tflite_memory_load(const char *path, struct loom_tflite_memory **memory,
			    struct loom_error *err);

/**
 * loom_tflite_memory_parse() - loom_tflite_memory_load() from memory
 * @bytes: those of the file; not needed after the call
 * @size_bytes: number of @bytes
 * @name: stands for the file in errors
 * @memory: [out] destroy with loom_tflite_memory_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_tflite_memory_load().
 */
int loom_tflite_memory_parse(const void *bytes, size_t size_bytes, const char *name,
			     struct loom_tflite_memory **memory, struct loom_error *err);

/**
 * loom_tflite_memory_destroy() - frees a problem
 * @memory: NULL is fine
 */
void loom_tflite_memory_destroy(struct loom_tflite_memory *memory);

/**
 * loom_tflite_memory_reorder() - puts operators in an order that needs less memory
 * @memory: its lifetimes change, if that lowers the peak of live bytes
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, also if the order stays; -EOPNOTSUPP for a file whose operators do more than compute
 * results (variables, custom ones); -ENOMEM.
 */
int loom_tflite_memory_reorder(struct loom_tflite_memory *memory, struct loom_error *err);

/**
 * loom_tflite_memory_check() - judges the memory plan of a file, whoever made it
 * @memory: the file
 * @verdict: [out] the judgement
 * @err: [out] one line on failure with the names of the tensors at fault, may be NULL
 *
 * A tensor that is only reshaped may lie where its operand does. Tensors left to the runtime are
 * placed around the others by it.
 *
 * Return: 0; -ENODATA for a file without one; -EBADMSG for one that is wrong; -ENOMEM.
 */
int loom_tflite_memory_check(const struct loom_tflite_memory *memory,
			     struct loom_tflite_verdict *verdict, struct loom_error *err);

/**
 * struct loom_tflite_runtime - the arena of TensorFlow Lite Micro, with its own structures
 *
 * Sizes are those of a processor with 32 bits, without memory of kernels that only prepare.
 *
 * @persistent_bytes: structures at the end of the arena
 * @scratch_bytes: the largest scratch buffer of an operator
 * @head_bytes: top of tensors and scratch buffers
 * @start_bytes: memory of the planner while the runtime starts, before there are tensors
 * @arena_bytes: size of the whole arena; a lower bound if operators are unknown
 * @num_unknown: operators whose kernel is not known
 * @unknown: name of the first of them, valid until the memory is destroyed; or NULL
 */
struct loom_tflite_runtime {
	uint64_t persistent_bytes;
	uint64_t scratch_bytes;
	uint64_t head_bytes;
	uint64_t start_bytes;
	uint64_t arena_bytes;
	uint32_t num_unknown;
	const char *unknown;
};

/**
 * loom_tflite_memory_runtime() - size of the whole arena
 * @memory: the file
 * @offsets: by item of @memory's problem, as loom_place() gives them
 * @library: library of the kernels: "reference", or "cmsis-nn" for processors with DSP instructions
 * @runtime: [out] the sizes
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -ENOENT for another library.
 */
int loom_tflite_memory_runtime(const struct loom_tflite_memory *memory, const uint64_t *offsets,
			       const char *library, struct loom_tflite_runtime *runtime,
			       struct loom_error *err);

/**
 * loom_tflite_memory_write() - the file with a memory plan
 * @memory: the file
 * @offsets: by item of @memory's problem, as loom_place() gives them
 * @bytes: [out] the file, from malloc
 * @size_bytes: [out] its size
 * @err: [out] one line on failure, may be NULL
 *
 * The rest of the file is unchanged, byte by byte; the new tables come in front of it. A plan
 * that was there is replaced.
 *
 * Return: 0; -EBADMSG for offsets that are no placement; -EOPNOTSUPP for a file of a newer schema;
 * -ENOMEM.
 */
int loom_tflite_memory_write(const struct loom_tflite_memory *memory, const uint64_t *offsets,
			     void **bytes, size_t *size_bytes, struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_TFLITE_H */
