/* SPDX-License-Identifier: MIT */
/**
 * DOC: Native kernels
 *
 * A chip with instructions of its own runs operators as native commands (DRM_LOOM_OP_NATIVE), whose
 * payload only its back end understands. A *native kernel* tells the planner about such an
 * operator: the shape of the result, which axes may be cut and with which halo, temporaries, the
 * cycles of a slice, and its payload. The planner then places, groups, slices and times it like its
 * own operators, in every strategy.
 *
 * A set (&struct loom_native_set) holds the kernels of one payload format. It takes part in two
 * calls: &loom_graph_options.natives makes nodes of a model native, and loom_target_set_natives()
 * lets the host run their commands by a callback. A device node needs no callback.
 *
 * A kernel stands for one operator of any domain, ONNX's own included, or for a run of operators
 * that it fuses. A run is a chain: each operator reads the only result of the one before, which
 * nothing else reads. Longer runs are preferred to shorter ones, then kernels that were added
 * first. A node has one result; other results of an operator must not be used.
 *
 * Callbacks must return the same for the same arguments, because plans must not depend on the
 * machine or on the number of threads. They may be called by several threads at once, must not call
 * the library with the same graph, and must not keep pointers.
 */
#ifndef LOOM_KERNELS_H
#define LOOM_KERNELS_H

#include <drm/loom_accel_plan.h>

#include "loom.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOM_NATIVE_INPUTS - most inputs of a native kernel
 */
#define LOOM_NATIVE_INPUTS	12
/**
 * define LOOM_NATIVE_TEMPORARIES - most temporaries of a native kernel
 */
#define LOOM_NATIVE_TEMPORARIES	3
/**
 * define LOOM_NATIVE_OPS - most operators of a run
 */
#define LOOM_NATIVE_OPS	8

/**
 * struct loom_native_tensor - an input or the result of a node
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions, outermost first
 * @data: elements of a constant, row-major; NULL if they are not known
 */
struct loom_native_tensor {
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	const void *data;
};

/**
 * struct loom_native_node - the node, or the run of nodes, that a kernel stands for
 * @name: of the node, of the last one of a run
 * @ops: the nodes of the model, with their attributes, in the order of the run
 * @num_ops: number of @ops
 * @inputs: of the nodes, in their order, without those that the run makes itself
 * @num_inputs: number of @inputs
 * @result: of the last node
 */
struct loom_native_node {
	const char *name;
	const struct loom_node_desc *const *ops;
	uint32_t num_ops;
	const struct loom_native_tensor *inputs;
	uint32_t num_inputs;
	struct loom_native_tensor result;
};

/**
 * enum loom_native_follow - elements of an operand's axis that a range of the result's axis needs
 * @LOOM_NATIVE_WHOLE: all, for any range
 * @LOOM_NATIVE_SAME: the same range
 * @LOOM_NATIVE_WINDOW: index o of the result needs [o * stride - pad, o * stride - pad + extent),
 *	as far as the operand has them
 */
enum loom_native_follow {
	LOOM_NATIVE_WHOLE,
	LOOM_NATIVE_SAME,
	LOOM_NATIVE_WINDOW,
};

/**
 * struct loom_native_axis - how an axis of an operand follows the result
 * @follow: an &enum loom_native_follow
 * @axis: axis of the result
 * @stride: LOOM_NATIVE_WINDOW: distance of windows, at least 1
 * @extent: LOOM_NATIVE_WINDOW: elements from the first to the last of a window, at least 1
 * @pad: LOOM_NATIVE_WINDOW: elements of the first window that lie before the operand
 */
struct loom_native_axis {
	uint32_t follow;
	uint32_t axis;
	int64_t stride;
	int64_t extent;
	int64_t pad;
};

/**
 * struct loom_native_operand - how an input or a temporary follows the result
 * @lane_axis: axis whose elements are dealt over the lanes
 * @axes: by axis
 */
struct loom_native_operand {
	uint32_t lane_axis;
	struct loom_native_axis axes[DRM_LOOM_MAX_RANK];
};

/**
 * struct loom_native_temporary - memory that a command needs while it runs
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions, for the whole result
 * @operand: how it follows a slice
 */
struct loom_native_temporary {
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[DRM_LOOM_MAX_RANK];
	struct loom_native_operand operand;
};

/**
 * struct loom_native_cut - how a kernel may be cut
 * @lanes: SRAM banks of the chip; set by the library
 * @axes: bit per axis of the result: it may be cut
 * @alone: operands must be dense boxes in SRAM tensors of their own, so that the kernel shares no
 *	values with others there
 * @lane_axis: axis of the result whose elements are dealt over the lanes
 * @inputs: by input
 * @num_temporaries: number of @temporaries
 * @temporaries: the temporaries
 *
 * The library sets fields for a kernel that is not cut: all zero but for lane axes, which are the
 * longest.
 */
struct loom_native_cut {
	uint32_t lanes;
	uint32_t axes;
	bool alone;
	uint32_t lane_axis;
	struct loom_native_operand inputs[LOOM_NATIVE_INPUTS];
	uint32_t num_temporaries;
	struct loom_native_temporary temporaries[LOOM_NATIVE_TEMPORARIES];
};

/**
 * struct loom_native_view - an operand of a command
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of axes; a scalar has one
 * @dims: elements per axis
 * @strides: bytes per axis; of the lane axis bytes from a row of lanes to the next
 * @lane_axis: axis that runs over the lanes
 * @lane_start: lane of the first element; @lanes or more: in later rows
 * @first: by axis: index of its first element in the whole operand; zero when a command is run
 * @bytes: its first element, without the lane axis, in lane 0; NULL in planning
 * @lane_bytes: bytes from a lane to the next; 0 in planning
 * @lanes: number of lanes
 */
struct loom_native_view {
	uint32_t dtype;
	uint32_t rank;
	uint32_t dims[DRM_LOOM_MAX_RANK];
	int64_t strides[DRM_LOOM_MAX_RANK];
	uint32_t lane_axis;
	uint32_t lane_start;
	int64_t first[DRM_LOOM_MAX_RANK];
	uint8_t *bytes;
	uint64_t lane_bytes;
	uint32_t lanes;
};

/**
 * loom_native_at() - the address of an element
 * @view: an operand of a command that is run
 * @index: by axis, below &loom_native_view.dims
 *
 * Return: its first byte.
 */
uint8_t *loom_native_at(const struct loom_native_view *view, const uint32_t *index);

/**
 * struct loom_native_slice - a command to be planned
 * @node: the node
 * @operands: as in the command: the result, the temporaries, the inputs
 * @num_operands: number of @operands
 */
struct loom_native_slice {
	const struct loom_native_node *node;
	const struct loom_native_view *operands;
	uint32_t num_operands;
};

/**
 * typedef loom_native_infer_fn - sets dtype, rank and dims of a node's result
 * @data: of the kernel
 * @node: the node; its result has at most DRM_LOOM_MAX_RANK axes
 *
 * Return: 0; -EOPNOTSUPP: the library's own operators compute the node, or the nodes of the run;
 * another negative errno: the import fails.
 */
typedef int (*loom_native_infer_fn)(void *data, struct loom_native_node *node);

/**
 * typedef loom_native_cut_fn - tells how a node may be cut
 * @data: of the kernel
 * @node: the node
 * @cut: [in, out] starts as that of a node that is not cut
 *
 * Return: 0 or a negative errno, with which planning fails.
 */
typedef int (*loom_native_cut_fn)(void *data, const struct loom_native_node *node,
				  struct loom_native_cut *cut);

/**
 * typedef loom_native_cycles_fn - declares the cycles of a command
 * @data: of the kernel
 * @slice: the command; also the whole node, to estimate those of slices
 *
 * Return: cycles, the command's start included, which plan and run reports show.
 */
typedef uint64_t (*loom_native_cycles_fn)(void *data, const struct loom_native_slice *slice);

/**
 * typedef loom_native_write_fn - writes the payload of a command
 * @data: of the kernel
 * @slice: the command
 * @payload: [out] the payload, eight-byte aligned
 * @payload_bytes: [in, out] room, then the size of the payload
 *
 * Return: 0 or a negative errno, with which planning fails.
 */
typedef int (*loom_native_write_fn)(void *data, const struct loom_native_slice *slice,
				    void *payload, uint32_t *payload_bytes);

/**
 * struct loom_native_kernel - a kernel for an operator or for a run of operators
 * @ops: operators, from the first to the last; one of another domain than ONNX's is DOMAIN.NAME
 * @num_ops: number of @ops, 1 to LOOM_NATIVE_OPS
 * @data: for the callbacks
 * @infer: infers the result
 * @cut: tells how it may be cut; NULL: not at all
 * @cycles: declares the cycles of a command
 * @write: writes the payload of a command
 */
struct loom_native_kernel {
	const char *const *ops;
	uint32_t num_ops;
	void *data;
	loom_native_infer_fn infer;
	loom_native_cut_fn cut;
	loom_native_cycles_fn cycles;
	loom_native_write_fn write;
};

/**
 * struct loom_native_run - a command to be run
 * @payload: its payload, eight-byte aligned
 * @payload_bytes: bytes of @payload
 * @outputs: number of outputs, which are zero
 * @temporaries: number of temporaries
 * @inouts: number of in-outs
 * @operands: outputs, temporaries, in-outs, inputs
 * @num_operands: number of @operands
 */
struct loom_native_run {
	const void *payload;
	uint32_t payload_bytes;
	uint32_t outputs;
	uint32_t temporaries;
	uint32_t inouts;
	const struct loom_native_view *operands;
	uint32_t num_operands;
};

/**
 * typedef loom_native_fn - runs a command as the chip does
 * @data: as given to loom_native_create()
 * @run: the command
 *
 * It must touch only operands of the command. A plan from elsewhere may have any payload, so the
 * callback must check it.
 *
 * Return: 0, or a negative errno, which ends the run.
 */
typedef int (*loom_native_fn)(void *data, const struct loom_native_run *run);

struct loom_native_set;

/**
 * loom_native_create() - an empty set of kernels
 * @format: format of their payloads; its id must not be 0
 * @run: runs commands on the host; NULL: only devices can
 * @data: for @run
 * @set: [out] destroy with loom_native_destroy()
 *
 * Return: 0; -EINVAL for a format without an id, or whose pad is not 0; -ENOMEM.
 */
int loom_native_create(const struct drm_loom_format *format, loom_native_fn run, void *data,
		       struct loom_native_set **set);

/**
 * loom_native_add() - adds a kernel to a set that no graph uses yet
 * @set: the set
 * @kernel: the kernel, which is copied; its strings and data must outlive the set
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -EINVAL for a kernel without operators, or without a callback other than
 * &loom_native_kernel.cut; -ENOMEM.
 */
int loom_native_add(struct loom_native_set *set, const struct loom_native_kernel *kernel,
		    struct loom_error *err);

/**
 * loom_native_destroy() - destroys a set
 * @set: the set, which graphs and targets must not use any more; NULL is fine
 */
void loom_native_destroy(struct loom_native_set *set);

/**
 * loom_native_attr() - an attribute of a node
 * @node: the node
 * @op: index in &loom_native_node.ops
 * @name: of the attribute
 *
 * Return: the attribute, or NULL.
 */
const struct loom_attr *loom_native_attr(const struct loom_native_node *node, uint32_t op,
					 const char *name);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_KERNELS_H */
