/* SPDX-License-Identifier: MIT */
/*
 * DOC: Lowering
 *
 * Each node becomes a *kernel*: operands with a place in DRAM, stages that compute on slices of
 * them in SRAM, and for each axis of each operand a map that says which part of it a box of the
 * result needs. From there on nothing depends on the operator any more: slice.c cuts the result
 * into boxes that fit, emit.c writes the loads, stages and stores of each box.
 *
 *	node -> OPERATOR.c -> struct loom_kernel -> slice.c -> struct loom_tiling -> emit.c -> plan
 *
 * Nodes that only move elements never become kernels. RESHAPE, TRANSPOSE, SLICE and EXPAND cost
 * nothing: their result is a view of their operand's bytes (storage.c), and whoever reads
 * it loads through that view. CONCAT, PAD and views that somebody outside wants to see are
 * copied from DRAM to DRAM (move.c).
 *
 * Functions that the device does not have are chains of stages on the same slice: their
 * intermediates never leave SRAM.
 */
#ifndef LOOM_LOWER_H
#define LOOM_LOWER_H

#include "graph/graph.h"
#include "loom.h"
#include "loom_program.h"
#include "loom_topology.h"
#include "plan/build.h"
#include "sink.h"

/**
 * struct loom_ref - a value's elements in DRAM
 * @tensor: tensor of the plan
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of axes, from 1
 * @offset: bytes from the tensor's first byte to the first element
 * @dims: elements per axis
 * @strides: bytes per axis; 0 repeats an element, negative runs backwards
 */
struct loom_ref {
	u32 tensor;
	u32 dtype;
	u32 rank;
	s64 offset;
	u64 dims[LOOM_GRAPH_RANK];
	s64 strides[LOOM_GRAPH_RANK];
};

/** loom_ref_insert() - a new axis of one element in front of @axis */
void loom_ref_insert(struct loom_ref *ref, u32 axis);
/** loom_ref_at() - the part of @ref at @index of its first axis, without that axis */
struct loom_ref loom_ref_at(const struct loom_ref *ref, u64 index);
/** loom_ref_reshape() - the same elements under other dims, if strides can say that */
bool loom_ref_reshape(struct loom_ref *ref, u32 rank, const u64 *dims);
/** loom_ref_dense() - row-major without gaps */
bool loom_ref_dense(const struct loom_ref *ref);

#define LOOM_KERNEL_OPERANDS	20
#define LOOM_KERNEL_STAGES	16

/**
 * enum loom_role - what an operand of a kernel is
 * @LOOM_ROLE_STORE: the result: operand 0, and no other
 * @LOOM_ROLE_LOAD: read from DRAM
 * @LOOM_ROLE_TEMP: between two stages, in SRAM only
 * @LOOM_ROLE_FILL: one element, in SRAM only, the same for all slices
 * @LOOM_ROLE_DIRECT: read from DRAM by the stage itself: an image
 */
enum loom_role {
	LOOM_ROLE_STORE,
	LOOM_ROLE_LOAD,
	LOOM_ROLE_TEMP,
	LOOM_ROLE_FILL,
	LOOM_ROLE_DIRECT,
};

/**
 * enum loom_map_kind - which part of an operand's axis a range [lo, hi) of the result needs
 * @LOOM_MAP_FULL: all of it, whatever the range
 * @LOOM_MAP_SAME: the same range
 * @LOOM_MAP_WINDOW: what windows read: o * stride - pad + k * dilation
 * @LOOM_MAP_SCATTER: what adds to it: i * stride - pad + k * dilation in range
 * @LOOM_MAP_GROUP: the input channels of the range's groups
 * @LOOM_MAP_GROUP_PART: the range inside its group
 * @LOOM_MAP_RESIZE: what is interpolated between
 */
enum loom_map_kind {
	LOOM_MAP_FULL,
	LOOM_MAP_SAME,
	LOOM_MAP_WINDOW,
	LOOM_MAP_SCATTER,
	LOOM_MAP_GROUP,
	LOOM_MAP_GROUP_PART,
	LOOM_MAP_RESIZE,
};

/**
 * struct loom_map - see enum loom_map_kind
 * @kind: how
 * @axis: axis of the result that it follows
 * @spatial: 0 to 2: which of the kernel's windows
 */
struct loom_map {
	u8 kind;
	u8 axis;
	u8 spatial;
};

/**
 * struct loom_operand - an operand of a kernel
 * @role: what it is
 * @ref: dims and type; for STORE and LOAD also where it is
 * @map: per axis
 * @lane_axis: axis that is dealt over the lanes
 * @bits: FILL: the element
 */
struct loom_operand {
	enum loom_role role;
	struct loom_ref ref;
	struct loom_map map[DRM_LOOM_MAX_RANK];
	u32 lane_axis;
	u64 bits;
};

/**
 * struct loom_stage - a compute command of a kernel
 * @opcode: an &enum drm_loom_opcode
 * @operands: number of @operand
 * @operand: what it writes, then what it reads
 * @attr_bytes: size of the member of the union that is meant
 * @conv: CONV, DECONV
 * @pool: POOL
 * @matmul: MATMUL
 * @binary: BINARY
 * @unary: UNARY
 * @reduce: REDUCE
 * @softmax: SOFTMAX
 * @resize: RESIZE
 */
struct loom_stage {
	u32 opcode;
	u32 operands;
	u32 operand[DRM_LOOM_MAX_OPERANDS];
	u32 attr_bytes;
	union {
		struct drm_loom_attr_conv conv;
		struct drm_loom_attr_pool pool;
		struct drm_loom_attr_matmul matmul;
		struct drm_loom_attr_binary binary;
		struct drm_loom_attr_unary unary;
		struct drm_loom_attr_reduce reduce;
		struct drm_loom_attr_softmax softmax;
		struct drm_loom_attr_resize resize;
	};
};

/**
 * struct loom_window - a spatial axis of a kernel
 * @stride: between outputs (WINDOW) or inputs (SCATTER)
 * @extent: of the window, dilation included
 * @pad: before the first element
 * @in: elements of the input
 */
struct loom_window {
	s64 stride;
	s64 extent;
	s64 pad;
	s64 in;
};

/**
 * struct loom_kernel - a node as the device sees it
 *
 * The axes of the kernel are those of operand 0.
 *
 * @operands: the operands
 * @num_operands: number of @operands
 * @stages: run in this order on each slice
 * @num_stages: number of @stages
 * @whole: bit per axis: may not be cut
 * @last_resort: bit per axis: cut only if nothing fits otherwise
 * @group: result channels (axis 1) of a group: cuts keep to groups or stay in one; 0: no groups
 * @group_in: input channels of a group
 * @unit_cost: work for one element of the result, in element operations
 * @direct: the result is an image, and the only stage writes it where it is
 * @window: spatial axes
 * @resize: for LOOM_MAP_RESIZE: the attributes of the whole
 */
struct loom_kernel {
	struct loom_operand operands[LOOM_KERNEL_OPERANDS];
	u32 num_operands;
	struct loom_stage stages[LOOM_KERNEL_STAGES];
	u32 num_stages;
	u32 whole;
	u32 last_resort;
	u64 group;
	u64 group_in;
	u64 unit_cost;
	bool direct;
	struct loom_window window[3];
	const struct drm_loom_attr_resize *resize;
};

/**
 * loom_kernel_range() - the part of an operand's axis that a range of the result needs
 * @kernel: the kernel
 * @operand: the operand
 * @axis: its axis
 * @lo: first index on the result's axis
 * @hi: first index behind
 * @in_lo: [out] first index, at least one is in the range
 * @in_hi: [out] first index behind
 */
void loom_kernel_range(const struct loom_kernel *kernel, const struct loom_operand *operand,
		       u32 axis, u64 lo, u64 hi, u64 *in_lo, u64 *in_hi);

/**
 * struct loom_tiling - how a kernel is cut
 * @chunk: elements per axis of the result; the last piece may be shorter
 * @order: axes from the outermost loop to the innermost
 * @overlap: double buffers: the next slice is loaded while one is computed
 * @bytes: SRAM per lane, by operand: of one buffer
 * @buffers: number of buffers, by operand
 * @scratch_bytes: SRAM per lane in all
 * @dram_bytes: bytes that are loaded and stored, at most
 * @slices: number of slices
 */
struct loom_tiling {
	u64 chunk[DRM_LOOM_MAX_RANK];
	u32 order[DRM_LOOM_MAX_RANK];
	bool overlap;
	u64 bytes[LOOM_KERNEL_OPERANDS];
	u32 buffers[LOOM_KERNEL_OPERANDS];
	u64 scratch_bytes;
	u64 dram_bytes;
	u64 slices;
};

/**
 * struct loom_sram - what a kernel may use
 * @lanes: banks
 * @bytes: per lane
 * @align_bytes: of each buffer
 * @sub_bank_bytes: of its conflict sub-banks, 0: there is one only
 * @overlap: double buffers are allowed
 */
struct loom_sram {
	u32 lanes;
	u64 bytes;
	u64 align_bytes;
	u64 sub_bank_bytes;
	bool overlap;
};

/**
 * loom_slice_choose() - cut a kernel so that it fits and moves little
 * @kernel: the kernel
 * @sram: what it may use
 * @tiling: [out] the cut
 * @need_bytes: [out] with -ENOSPC: what the smallest slices would take per lane
 *
 * Return: 0; -ENOSPC; -EOVERFLOW when even one element is too much work for a unit; -ENOMEM.
 */
int loom_slice_choose(const struct loom_kernel *kernel, const struct loom_sram *sram,
		      struct loom_tiling *tiling, u64 *need_bytes);

/**
 * loom_kernel_tune() - attributes that speak of the whole become those of a slice
 * @kernel: the kernel
 * @stage: one of its stages, changed
 * @out_lo: by axis of the result: first index of the slice
 * @in_lo: by axis of what the stage reads first: first index of what the slice needs
 * @in_hi: likewise: first index behind
 */
void loom_kernel_tune(const struct loom_kernel *kernel, struct loom_stage *stage,
		      const u64 *out_lo, const u64 *in_lo, const u64 *in_hi);

struct loom_storage;

/**
 * struct loom_lower - the state of lowering
 * @graph: what is planned
 * @build: where commands go
 * @storage: where values are
 * @sram: what kernels may use
 * @load_images: CONV and POOL do not use images where they are
 * @node: the node at work, for errors
 * @step: next free step
 * @scratch_bytes: SRAM used so far, per lane
 * @sliced_nodes: kernels of more than one slice
 * @probe: nothing is written any more: a kernel did not fit, and it is asked whether others do
 * @need_bytes: SRAM per lane that the largest of those that do not fit takes
 * @kernels: how each kernel was cut, from malloc
 * @num_kernels: number of @kernels
 * @cap_kernels: room in @kernels
 * @groups: what ran together, from malloc
 * @num_groups: number of @groups
 * @cap_groups: room in @groups
 * @cuts: between @groups, from malloc, as far as something is known of them; or NULL
 * @macs_once: multiply-accumulates of all kernels, if no slice does what another has done
 * @sink: where kernels, copies and fills go
 * @err: where errors go, or NULL
 */
struct loom_lower {
	const struct loom_graph *graph;
	struct loom_build *build;
	struct loom_storage *storage;
	struct loom_sram sram;
	bool load_images;
	const struct loom_node *node;
	u32 step;
	u64 scratch_bytes;
	u64 sliced_nodes;
	bool probe;
	u64 need_bytes;
	struct loom_program_kernel *kernels;
	u32 num_kernels;
	u32 cap_kernels;
	struct loom_program_group *groups;
	u32 num_groups;
	u32 cap_groups;
	struct loom_program_cut *cuts;
	u64 macs_once;
	struct loom_sink sink;
	struct loom_error *err;
};

/** loom_lower_fail() - says what is wrong with the node at work; returns @code */
int loom_lower_fail(struct loom_lower *lower, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * loom_lower_zero_point() - a zero point as an attribute
 * @lower: for errors
 * @value: one constant, or many that are the same; NULL is 0
 * @zero: [out] the number
 *
 * Return: 0, or -EOPNOTSUPP for what an attribute cannot say.
 */
int loom_lower_zero_point(struct loom_lower *lower, const struct loom_value *value, s32 *zero);

/** loom_lower_node() - writes the commands of a node, if it needs any */
int loom_lower_node(struct loom_lower *lower, const struct loom_node *node);

/** loom_kernel_note() - takes note of how a kernel was cut, for people */
int loom_kernel_note(struct loom_lower *lower, const struct loom_program_kernel *note);
/** loom_group_alone() - writes the commands of a node, by its place in the order, and a note */
int loom_group_alone(struct loom_lower *lower, u32 node);
/** loom_group_note() - takes note of nodes that ran together, for people */
int loom_group_note(struct loom_lower *lower, const struct loom_program_group *note);
/** loom_kernel_macs() - multiply-accumulates of a whole kernel */
u64 loom_kernel_macs(const struct loom_kernel *kernel);

/*
 * Building kernels. What is past the end overwrites the last, and loom_sink_kernel() refuses a
 * kernel that is full: the tables are larger than what any node needs.
 */
u32 loom_kernel_operand(struct loom_kernel *kernel, enum loom_role role,
			const struct loom_ref *ref);
/** loom_kernel_temp() - a TEMP that follows the result as operand @like does, of type @dtype */
u32 loom_kernel_temp(struct loom_kernel *kernel, u32 like, u32 dtype);
/** loom_kernel_const() - a FILL with the value @number in the type and rank of operand @like */
u32 loom_kernel_const(struct loom_kernel *kernel, u32 like, double number);
struct loom_stage *loom_kernel_stage(struct loom_kernel *kernel, u32 opcode, u32 operands,
				     const u32 *operand);
void loom_kernel_unary(struct loom_kernel *kernel, u32 y, u32 x, u32 kind, float p0, float p1);
void loom_kernel_binary(struct loom_kernel *kernel, u32 y, u32 a, u32 b, u32 kind);

/**
 * loom_kernel_function() - stages for y = f(x)
 * @lower: for errors
 * @kernel: the kernel
 * @y: operand that is written
 * @x: operand that is read; may be @y
 * @act: the function
 *
 * Return: 0, or -EOPNOTSUPP for what neither the device nor a chain can do.
 */
int loom_kernel_function(struct loom_lower *lower, struct loom_kernel *kernel, u32 y, u32 x,
			 const struct loom_gact *act);

/**
 * loom_kernel_activation() - the part of a fused activation that a command's attributes can say
 * @act: the activation
 * @dtype: type of the result
 * @kind: [out] an &enum drm_loom_act
 * @p0: [out] bits of its first parameter
 * @p1: [out] bits of its second
 *
 * Return: true if it is said; false if it needs a stage of its own.
 */
bool loom_kernel_activation(const struct loom_gact *act, u32 dtype, u32 *kind, u32 *p0, u32 *p1);

/** loom_lane_pick() - the first of @prefer (most wanted first) that spreads well over lanes */
u32 loom_lane_pick(const u64 *dims, u32 lanes, const u8 *prefer, u32 count);

/** loom_float_bits() - the bits of a binary32 */
u32 loom_float_bits(float number);

/* What is in lower_*.c, by operator. */
int loom_lower_conv(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_pool(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_matmul(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_elementwise(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_reduce(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_softmax(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_resize(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_concat(struct loom_lower *lower, const struct loom_node *node);
int loom_lower_pad(struct loom_lower *lower, const struct loom_node *node);

/* Storage: where values are. See storage.c. */

/** loom_storage_read() - where an operand's elements are; its tensor is made if need be */
int loom_storage_read(struct loom_lower *lower, const struct loom_value *value,
		      struct loom_ref *ref);
/** loom_storage_write() - where a node's result goes: row-major; dense but for rows of images */
int loom_storage_write(struct loom_lower *lower, const struct loom_value *value,
		       struct loom_ref *ref);
/** loom_storage_tensor() - the tensor of the value that owns bytes; it is made if need be */
u32 loom_storage_tensor(struct loom_lower *lower, u32 value);
/** loom_storage_in_image() - what @ref shows lies in an image */
bool loom_storage_in_image(const struct loom_lower *lower, const struct loom_ref *ref);
/** loom_storage_is_view() - no command is needed for this value: it is a view of another */
bool loom_storage_is_view(const struct loom_lower *lower, const struct loom_value *value);
/** loom_storage_is_joined() - an operand of a CONCAT is computed in its place in the result */
bool loom_storage_is_joined(const struct loom_lower *lower, const struct loom_value *value,
			    const struct loom_value *concat);
/** loom_storage_view() - RESHAPE, TRANSPOSE, SLICE, EXPAND: the operand as the result is seen */
bool loom_storage_view(const struct loom_node *node, const struct loom_ref *operand,
		       struct loom_ref *ref);

#endif /* LOOM_LOWER_H */
