/* SPDX-License-Identifier: MIT */
/**
 * DOC: Rules for all headers
 *
 * Every function returns 0 or a negative errno and leaves errno alone, unless
 * its comment says otherwise. Pointers must not be NULL unless it says so. Only some
 * NULL pointers are refused with -EINVAL, the others are not checked.
 * Functions that can fail for a reason a person can
 * mend take a struct loom_error and leave one clear line in it.
 */
#ifndef LOOM_H
#define LOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/loom_accel_chip.h>

#include "loom_error.h"
#include "loom_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOM_GRAPH_RANK - most dimensions a tensor of a graph may have
 */
#define LOOM_GRAPH_RANK	8

/**
 * struct loom_array - a dense, row-major array in host memory
 * @name: name of the tensor, or NULL
 * @dtype: enum drm_loom_dtype
 * @rank: number of dimensions, 0 for a scalar
 * @dims: the dimensions, outermost first
 * @data: @size_bytes bytes, little endian, BOOL as one byte 0 or 1
 * @size_bytes: product of @dims times the size of an element
 */
struct loom_array {
	char *name;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	void *data;
	size_t size_bytes;
};

/**
 * loom_array_alloc() - makes an array of zeroes
 * @array: [out] release with loom_array_clear(); its name is NULL
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions
 *
 * Return: 0, -EINVAL for an unknown type or rank, -EOVERFLOW, -ENOMEM.
 */
int loom_array_alloc(struct loom_array *array, uint32_t dtype, uint32_t rank,
		     const int64_t *dims);

/**
 * loom_array_clear() - frees what an array holds, and zeroes it
 * @array: the array; its name and data are from malloc. A zeroed one is fine
 */
void loom_array_clear(struct loom_array *array);

/**
 * loom_array_element() - an element as a double
 * @array: the array
 * @index: of the element, in the order of their bytes; below their number
 *
 * Return: its value; of a 64-bit integer the nearest double.
 */
double loom_array_element(const struct loom_array *array, uint64_t index);

/**
 * loom_array_set_element() - stores a number as an element
 * @array: the array
 * @index: of the element, in the order of their bytes; below their number
 * @number: its value: rounded to the type; integers saturate
 */
void loom_array_set_element(struct loom_array *array, uint64_t index, double number);

/**
 * struct loom_array_figures - figures of the elements of an array
 * @numbers: elements that are numbers
 * @nans: elements that are not
 * @min: the smallest number; NaN if there are none
 * @max: the largest
 * @mean: their sum, in double precision and in their order, by @numbers
 */
struct loom_array_figures {
	uint64_t numbers;
	uint64_t nans;
	double min;
	double max;
	double mean;
};

/**
 * loom_array_figures() - computes the figures of an array of any type
 * @array: the array
 * @figures: [out] the figures
 */
void loom_array_figures(const struct loom_array *array, struct loom_array_figures *figures);

/**
 * loom_array_randomize() - fills an array, to try a network without data
 * @array: from loom_array_alloc()
 * @seed: the same seed gives the same elements on every machine
 *
 * Floats are evenly distributed in [-1, 1), elements of a byte over all values, bools over both;
 * larger integers, which may be indices, over 0 to 9.
 */
void loom_array_randomize(struct loom_array *array, uint64_t seed);

/**
 * loom_tensor_load_pb() - reads a file that holds one ONNX TensorProto
 * @path: the file, as in the ONNX backend tests' test_data_set_0/input_0.pb
 * @array: [out] the tensor; release with loom_array_clear()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_tensor_load_pb(const char *path, struct loom_array *array, struct loom_error *err);

/**
 * loom_dtype_size() - how large an element is
 * @dtype: an &enum drm_loom_dtype
 *
 * Return: bytes of one element, 0 for an unknown type.
 */
size_t loom_dtype_size(uint32_t dtype);

/**
 * loom_dtype_name() - name of a type of elements
 * @dtype: an &enum drm_loom_dtype
 *
 * Return: "f32", "i8", ... or "?"; the library's.
 */
const char *loom_dtype_name(uint32_t dtype);

/**
 * loom_region_name() - name of a region
 * @region: an &enum drm_loom_region
 *
 * Return: "dram", "sram", "rom" or "?"; the library's.
 */
const char *loom_region_name(uint32_t region);

/* Calls that may take long or much */

/**
 * enum loom_progress_stage - phases of importing and planning; most of them come several times
 * @LOOM_STAGE_READ: the file is parsed
 * @LOOM_STAGE_IMPORT: its operators are converted, and constants are folded
 * @LOOM_STAGE_SIMPLIFY: passes over the graph, also for operations that the chip has not
 * @LOOM_STAGE_ORDER: orders of the nodes
 * @LOOM_STAGE_GROUP: groups of nodes are searched for
 * @LOOM_STAGE_PLACE: tensors get addresses
 * @LOOM_STAGE_EMIT: commands are written
 * @LOOM_STAGE_RETIME: transfers are moved to other steps
 * @LOOM_STAGE_BOUND: lower bounds
 * @LOOM_STAGE_EXPLAIN: other groups are compared with those of the plan
 */
enum loom_progress_stage {
	LOOM_STAGE_READ,
	LOOM_STAGE_IMPORT,
	LOOM_STAGE_SIMPLIFY,
	LOOM_STAGE_ORDER,
	LOOM_STAGE_GROUP,
	LOOM_STAGE_PLACE,
	LOOM_STAGE_EMIT,
	LOOM_STAGE_RETIME,
	LOOM_STAGE_BOUND,
	LOOM_STAGE_EXPLAIN,
};

/**
 * loom_stage_name() - name of a stage
 * @stage: an &enum loom_progress_stage
 *
 * Return: one word, which is the library's; NULL past the last.
 */
const char *loom_stage_name(unsigned int stage);

/**
 * loom_stage_text() - a stage in words, as in "stopped while choosing groups"
 * @stage: an &enum loom_progress_stage
 *
 * Return: some words, which are the library's; NULL past the last.
 */
const char *loom_stage_text(unsigned int stage);

/**
 * struct loom_progress - how far a call is
 * @stage: an &enum loom_progress_stage
 * @fraction: of the whole call, from 0 to 1: an estimate that never falls
 * @work: units of work that were done
 * @memory_bytes: memory that the call has now
 */
struct loom_progress {
	uint32_t stage;
	double fraction;
	uint64_t work;
	uint64_t memory_bytes;
};

/**
 * enum loom_progress_answer - what a &loom_planning_fn returns
 * @LOOM_PROGRESS_GO_ON: nothing changes
 * @LOOM_PROGRESS_STOP: the call returns -ECANCELED; so does any other value
 * @LOOM_PROGRESS_FINISH: the call returns the best result so far as soon as it has one. A model
 *	that is imported has none before the end
 */
enum loom_progress_answer {
	LOOM_PROGRESS_GO_ON,
	LOOM_PROGRESS_STOP,
	LOOM_PROGRESS_FINISH,
};

/**
 * typedef loom_planning_fn - is told how far a call is
 * @data: as given in the options
 * @progress: how far
 *
 * It is called about every 20 ms in the thread of the call. It may call the library, but must not
 * touch the objects of the call, and must not leave by longjmp() or an exception.
 *
 * Return: an &enum loom_progress_answer.
 */
typedef int (*loom_planning_fn)(void *data, const struct loom_progress *progress);

/* Graphs */

struct loom_graph;
struct loom_native_set;

/**
 * enum loom_graph_flags - how far a graph is transformed
 * @LOOM_GRAPH_KEEP_ALL: neither fold BatchNormalization into Conv nor fuse activations, nor compute
 *	equal integers once, so that every tensor of the model can be seen under its own name
 * @LOOM_GRAPH_OUTPUT_ALL: every tensor that the finished graph still computes becomes an output
 * @LOOM_GRAPH_BIND_VALUES: every input that &loom_graph_options.values has a value for becomes a
 *	constant, whether a shape depends on it or not
 */
enum loom_graph_flags {
	LOOM_GRAPH_KEEP_ALL	= 1 << 0,
	LOOM_GRAPH_OUTPUT_ALL	= 1 << 1,
	LOOM_GRAPH_BIND_VALUES	= 1 << 2,
};

/**
 * struct loom_dim_binding - a size for a symbolic dimension
 * @name: the model's name of the dimension, or "input:axis" for one that has none
 * @value: its size
 */
struct loom_dim_binding {
	const char *name;
	int64_t value;
};

/**
 * struct loom_shape_binding - the whole shape of one input
 * @input: name of the graph input
 * @rank: number of dimensions
 * @dims: the dimensions; they must agree with those that the model fixes
 */
struct loom_shape_binding {
	const char *input;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
};

/**
 * struct loom_state_binding - an output that is an input of the next run
 *
 * For a model that is run again and again and takes what it gave the last time: the state of a
 * recurrent network, the keys and values of a decoder. Both have the same type and dimensions. A
 * session keeps the value in the memory of the device from run to run, see loom_run.h.
 *
 * @output: name of the output
 * @input: name of the input
 */
struct loom_state_binding {
	const char *output;
	const char *input;
};

/**
 * struct loom_graph_options - bindings of the open parts of a model
 * @flags: enum loom_graph_flags
 * @dims: sizes of symbolic dimensions
 * @num_dims: number of @dims
 * @shapes: shapes of inputs
 * @num_shapes: number of @shapes
 * @outputs: names of tensors to be outputs besides the model's own
 * @num_outputs: number of @outputs
 * @values: values of inputs, by &loom_array.name, or in the model's order without one. Only those
 *	that a shape depends on (Reshape's shape, Pad's pads, ...) are taken from here: they become
 *	constants and stop being inputs.
 * @num_values: number of @values
 * @constants: inputs that become constants, by &loom_array.name
 * @num_constants: number of @constants
 * @states: outputs that are inputs of the next run; each output and each input once
 * @num_states: number of @states
 * @progress: is told how far the call is, and may stop it; NULL: nobody
 * @progress_data: for @progress
 * @max_memory_bytes: memory that the call may have,
 *	the file that it reads and the graph included; mapped files do not count. 0: no limit.
 *	Past it the call returns -ENOMEM, and the error names the limit, the stage and the node
 * @max_work: work that the call may do, in units of about 50 ns, which are counted and not
 *	measured: the same call does the same work on every machine. 0: no limit. Past it the call
 *	returns -ETIME, with such an error
 * @natives: kernels for operators that only the device understands (loom_kernels.h), which must
 *	outlive the graph and what is made from it; NULL: none
 */
struct loom_graph_options {
	uint32_t flags;
	const struct loom_dim_binding *dims;
	uint32_t num_dims;
	const struct loom_shape_binding *shapes;
	uint32_t num_shapes;
	const char *const *outputs;
	uint32_t num_outputs;
	const struct loom_array *values;
	uint32_t num_values;
	const struct loom_array *constants;
	uint32_t num_constants;
	const struct loom_state_binding *states;
	uint32_t num_states;
	loom_planning_fn progress;
	void *progress_data;
	uint64_t max_memory_bytes;
	uint64_t max_work;
	const struct loom_native_set *natives;
};

/**
 * struct loom_tensor_info - name, type and shape of a tensor of a graph
 * @name: its name in the model; lives as long as the graph
 * @dtype: enum drm_loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions
 * @size_bytes: bytes of the whole tensor
 */
struct loom_tensor_info {
	const char *name;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	size_t size_bytes;
};

/**
 * loom_graph_import_onnx() - reads a model and makes it ready for planning
 * @path: an ONNX file, opset 1 to 26
 * @options: open parts of the model, may be NULL
 * @graph: [out] the finished graph, destroy with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Constants may be in other files (external data), which must be in the folder of @path. Large ones
 * are not copied: graph and programs read them where the files are mapped, so that these must not
 * be written to as long as the graph lives. A new file of that name is fine.
 *
 * Return: 0, -ENOENT and the like for a file, -EACCES for one outside of that folder, -EINVAL for a
 * model that is broken, -EOPNOTSUPP for one that asks for something that Loom does not do,
 * -EDESTADDRREQ for a dimension that must be bound, -ENODATA for an input whose value must be
 * known.
 */
int loom_graph_import_onnx(const char *path, const struct loom_graph_options *options,
			   struct loom_graph **graph, struct loom_error *err);

/**
 * loom_graph_import_onnx_bytes() - loom_graph_import_onnx() from memory
 * @bytes: those of an ONNX file; not needed after the call
 * @size_bytes: number of @bytes
 * @name: stands for the file in errors
 * @options: open parts of the model, may be NULL
 * @graph: [out] the finished graph, destroy with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_import_onnx_bytes(const void *bytes, size_t size_bytes, const char *name,
				 const struct loom_graph_options *options,
				 struct loom_graph **graph, struct loom_error *err);

/**
 * loom_graph_open_onnx() - the first half of loom_graph_import_onnx(): reads a model
 * @path: an ONNX file
 * @graph: [out] to be asked for its open parts, then given to loom_graph_finish(); destroy
 *	with loom_graph_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Where loom_graph_finish() fails, for a dimension that is not bound, say, its error sticks: to try
 * other options the file is opened again.
 *
 * Return: 0 or -errno, see loom_graph_import_onnx().
 */
int loom_graph_open_onnx(const char *path, struct loom_graph **graph, struct loom_error *err);

/**
 * loom_graph_num_declared() - number of inputs that the model declares, bound or not
 * @graph: finished or not
 *
 * Return: the number.
 */
uint32_t loom_graph_num_declared(const struct loom_graph *graph);

/**
 * loom_graph_declared() - describes a declared input
 * @graph: finished or not
 * @index: from 0
 * @info: [out] dimensions are -1 where they are open; the size is 0
 * @dim_names: [out] LOOM_GRAPH_RANK names of open dimensions, NULL where there is none
 * @has_shape: [out] false: not even the rank is known
 *
 * Return: 0, -ENOENT past the end.
 */
int loom_graph_declared(const struct loom_graph *graph, uint32_t index,
			struct loom_tensor_info *info, const char **dim_names, bool *has_shape);

/**
 * struct loom_operator_info - an operator of a model
 * @name: as the model calls it; lives as long as the graph
 * @nodes: how many nodes have it, those of branches and loop bodies among them
 * @supported: there is an importer for it. A node may still be refused for its attributes
 */
struct loom_operator_info {
	const char *name;
	uint32_t nodes;
	bool supported;
};

/**
 * loom_graph_operators() - which operators a model has, before any is refused
 * @graph: finished or not, with an error or not
 * @operators: [out] in the order of their names, from malloc
 * @count: [out] number of @operators
 *
 * Return: 0, -ENOMEM.
 */
int loom_graph_operators(const struct loom_graph *graph, struct loom_operator_info **operators,
			 uint32_t *count);

/**
 * loom_graph_destroy() - frees a graph and all that belongs to it
 * @graph: the graph; NULL is fine. Programs that were made of it are destroyed before
 */
void loom_graph_destroy(struct loom_graph *graph);

/**
 * loom_graph_num_inputs() - number of inputs that must be fed
 * @graph: finished
 *
 * Return: the number.
 */
uint32_t loom_graph_num_inputs(const struct loom_graph *graph);

/**
 * loom_graph_num_outputs() - number of outputs
 * @graph: finished
 *
 * Return: the number; the model's own come first.
 */
uint32_t loom_graph_num_outputs(const struct loom_graph *graph);

/**
 * loom_graph_input() - describes an input
 * @graph: finished
 * @index: from 0
 * @info: [out] its name lives as long as the graph
 *
 * Return: 0, -ENOENT past the last input, -EINVAL for a graph that is not finished.
 */
int loom_graph_input(const struct loom_graph *graph, uint32_t index, struct loom_tensor_info *info);

/**
 * loom_graph_output() - describes an output
 * @graph: finished
 * @index: from 0
 * @info: [out] its name lives as long as the graph
 *
 * Return: 0, -ENOENT past the last output, -EINVAL for a graph that is not finished.
 */
int loom_graph_output(const struct loom_graph *graph, uint32_t index,
		      struct loom_tensor_info *info);

/**
 * struct loom_node_info - a node of a finished graph, after simplification
 * @name: in the model, or that of its first result where it has none; lives as long as the graph
 * @op: the operator of the model that it comes from, likewise
 * @computes: its operation, one of the few that all operators are put into; the library's
 * @output: its result
 * @const_bytes: constants that it reads
 * @macs: multiply-accumulates
 */
struct loom_node_info {
	const char *name;
	const char *op;
	const char *computes;
	struct loom_tensor_info output;
	uint64_t const_bytes;
	uint64_t macs;
};

/**
 * loom_graph_num_nodes() - number of nodes that are left to be computed
 * @graph: finished
 *
 * Return: the number; 0 of a graph that is not finished.
 */
uint32_t loom_graph_num_nodes(const struct loom_graph *graph);

/**
 * loom_graph_node() - describes a node
 * @graph: finished
 * @index: from 0, in the order of the model wherever that is one in which they can run
 * @info: [out] its names live as long as the graph
 *
 * Return: 0, -ENOENT past the last node, -EINVAL for a graph that is not finished.
 */
int loom_graph_node(const struct loom_graph *graph, uint32_t index, struct loom_node_info *info);

/**
 * enum loom_scope - kind of storage of a value
 * @LOOM_SCOPE_GLOBAL: bytes
 * @LOOM_SCOPE_TEXTURE: an image: all axes but the last two are rows
 * @LOOM_SCOPE_TEXTURE_WEIGHT: an image: the first axis is rows
 * @LOOM_SCOPE_TEXTURE_NHWC: an image: the first two axes are rows, of up to three axes only one
 */
enum loom_scope {
	LOOM_SCOPE_GLOBAL,
	LOOM_SCOPE_TEXTURE,
	LOOM_SCOPE_TEXTURE_WEIGHT,
	LOOM_SCOPE_TEXTURE_NHWC,
};

/**
 * loom_graph_set_scope() - sets the kind of storage of a value
 * @graph: finished
 * @name: of the value, or NULL for all that nodes compute
 * @scope: the kind
 *
 * This is a hint: inputs, outputs, constants and observed values are stored as bytes whatever their
 * scope, and so are values that are too large for an image.
 *
 * Return: 0; -ENOENT if there is no such value; -EINVAL for another scope, and for a graph that is
 * not finished.
 */
int loom_graph_set_scope(struct loom_graph *graph, const char *name, enum loom_scope scope);

/**
 * loom_graph_dump() - a graph as text, the same bytes for the same graph
 * @graph: finished or not
 * @text: [out] from malloc
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_dump(const struct loom_graph *graph, char **text);

/**
 * DOC: Building a graph by calls
 *
 * Operators, attributes and operand order are those of ONNX at the opset given; the importer goes
 * through the same calls. Names tie everything together, nodes may come in any order. The first
 * error sticks: later calls return it again, and loom_graph_finish() reports it. Nothing can be
 * added to a graph that is finished: -EINVAL. Which operators there are, and what of each, is in
 * Documentation/operators.rst.
 */

/**
 * enum loom_attr_type - type of a struct loom_attr
 * @LOOM_ATTR_INT: one integer in @ints
 * @LOOM_ATTR_FLOAT: one float in @floats
 * @LOOM_ATTR_STRING: @string
 * @LOOM_ATTR_INTS: @count integers
 * @LOOM_ATTR_FLOATS: @count floats
 * @LOOM_ATTR_TENSOR: @tensor
 * @LOOM_ATTR_OTHER: of a type that no supported operator takes
 * @LOOM_ATTR_STRINGS: @count strings
 */
enum loom_attr_type {
	LOOM_ATTR_INT,
	LOOM_ATTR_FLOAT,
	LOOM_ATTR_STRING,
	LOOM_ATTR_INTS,
	LOOM_ATTR_FLOATS,
	LOOM_ATTR_TENSOR,
	LOOM_ATTR_OTHER,
	LOOM_ATTR_STRINGS,
};

/**
 * struct loom_attr - a named attribute of a node
 * @name: ONNX name of the attribute
 * @type: which of the following is set
 * @count: number of @ints, @floats or @strings
 * @ints: integers
 * @floats: floats
 * @string: zero-terminated text
 * @tensor: a constant
 * @strings: several of them
 */
struct loom_attr {
	const char *name;
	enum loom_attr_type type;
	size_t count;
	const int64_t *ints;
	const float *floats;
	const char *string;
	const struct loom_array *tensor;
	const char *const *strings;
};

/**
 * struct loom_node_desc - a node to be added
 * @name: for error messages, may be NULL
 * @op_type: an ONNX operator
 * @inputs: names of the operands, "" for one left out
 * @num_inputs: number of @inputs
 * @outputs: names of the results, "" for one not wanted
 * @num_outputs: number of @outputs
 * @attrs: attributes
 * @num_attrs: number of @attrs
 */
struct loom_node_desc {
	const char *name;
	const char *op_type;
	const char *const *inputs;
	uint32_t num_inputs;
	const char *const *outputs;
	uint32_t num_outputs;
	const struct loom_attr *attrs;
	uint32_t num_attrs;
};

/**
 * loom_graph_create() - an empty graph, to be built by calls
 * @name: of the graph, which is copied
 * @opset: version of ONNX operators that nodes are of, 1 to 26
 * @graph: [out] destroy with loom_graph_destroy()
 *
 * Another opset is the first error of the graph, which loom_graph_finish() reports.
 *
 * Return: 0; -ENOMEM; -EINVAL without a name.
 */
int loom_graph_create(const char *name, int opset, struct loom_graph **graph);

/**
 * loom_graph_add_input() - declares an input
 * @graph: not finished
 * @info: name, which is copied, type and dimensions; its size is not read
 *
 * Return: 0 or -errno, as the first call on this graph that failed.
 */
int loom_graph_add_input(struct loom_graph *graph, const struct loom_tensor_info *info);

/**
 * loom_graph_add_const() - adds a constant
 * @graph: not finished
 * @array: its name is that of the constant; its data are copied
 *
 * Return: 0 or -errno, as the first call on this graph that failed.
 */
int loom_graph_add_const(struct loom_graph *graph, const struct loom_array *array);

/**
 * loom_graph_add_node() - adds a node
 * @graph: not finished
 * @desc: the node; all of it is copied
 *
 * Return: 0 or -errno, as the first call on this graph that failed.
 */
int loom_graph_add_node(struct loom_graph *graph, const struct loom_node_desc *desc);

/**
 * loom_graph_add_output() - makes a tensor an output
 * @graph: not finished
 * @name: of the tensor, which may be computed by a node that is added later
 *
 * Return: 0 or -errno, as the first call on this graph that failed.
 */
int loom_graph_add_output(struct loom_graph *graph, const char *name);

/**
 * loom_graph_finish() - shape inference, folding, canonicalisation, fusion
 * @graph: built so far
 * @options: open parts of the graph, may be NULL. Errors of loom_graph_import_onnx() are
 *	finished: states and the like of a file go into the options given to that
 * @err: [out] one line on failure, may be NULL
 *
 * A graph is finished once. One that could not be is of no use any more, not even with other
 * options: later calls return the same error.
 *
 * Return: 0; -EINVAL for one that is finished; else -errno, see loom_graph_import_onnx().
 */
int loom_graph_finish(struct loom_graph *graph, const struct loom_graph_options *options,
		      struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_H */
