/* SPDX-License-Identifier: MIT */
/*
 * DOC: Kernels
 *
 * A kernel is the lowered form of a node: operands with a place in DRAM, stages that compute on
 * slices of them in SRAM, and for each axis of each operand a map to the part that a range of the
 * result needs. Slicing, emission and grouping depend on kernels only: they know no operators.
 *
 * A function that the device lacks is a chain of stages on the same slice; values between them
 * (TEMP) must not leave SRAM.
 */
#ifndef LOOM_LOWER_KERNEL_H
#define LOOM_LOWER_KERNEL_H

#include "ref.h"

struct loom_native_call;

#define LOOM_KERNEL_OPERANDS	20
#define LOOM_KERNEL_STAGES	16

/* The summed axis of a kernel, and &loom_kernel.sums of one that has none. */
#define LOOM_SUM_AXIS		4
#define LOOM_KERNEL_NO_SUMS	U32_MAX

/**
 * enum loom_role - role of an operand of a kernel
 * @LOOM_ROLE_STORE: the result: operand 0, and no other
 * @LOOM_ROLE_LOAD: read from DRAM
 * @LOOM_ROLE_TEMP: between two stages, in SRAM only
 * @LOOM_ROLE_FILL: one element, in SRAM only, the same for all slices
 * @LOOM_ROLE_DIRECT: read in place by the stage itself: an image, a constant, or what GATHER reads
 *	(in_place.c)
 */
enum loom_role {
	LOOM_ROLE_STORE,
	LOOM_ROLE_LOAD,
	LOOM_ROLE_TEMP,
	LOOM_ROLE_FILL,
	LOOM_ROLE_DIRECT,
};

/**
 * enum loom_map_kind - the part of an operand's axis that a range [lo, hi) of the result needs
 * @LOOM_MAP_FULL: all of it, for any range
 * @LOOM_MAP_SAME: the same range
 * @LOOM_MAP_WINDOW: the elements that windows read: o * stride - pad + k * dilation
 * @LOOM_MAP_SCATTER: the elements that add to it: i * stride - pad + k * dilation in range
 * @LOOM_MAP_GROUP: the input channels of the range's groups
 * @LOOM_MAP_GROUP_PART: the range inside its group
 * @LOOM_MAP_RESIZE: the elements that are interpolated
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
 * struct loom_map - how an axis of an operand follows the result
 * @kind: an &enum loom_map_kind
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
 * @role: its role
 * @ref: dims and type; for STORE and LOAD also its address
 * @map: per axis
 * @lane_axis: axis that is distributed over the lanes
 * @in_place: LOAD: a stage may read it in place instead
 * @bits: FILL: the element
 */
struct loom_operand {
	enum loom_role role;
	struct loom_ref ref;
	struct loom_map map[DRM_LOOM_MAX_RANK];
	u32 lane_axis;
	bool in_place;
	u64 bits;
};

/**
 * struct loom_stage - a compute command of a kernel
 * @opcode: one of DRM_LOOM_OP_*
 * @operands: number of @operand
 * @operand: the result, then the operands
 * @attr_bytes: size of the member of the union in use; 0: none
 * @conv: CONV, DECONV
 * @pool: POOL
 * @matmul: MATMUL
 * @binary: BINARY
 * @unary: UNARY
 * @reduce: REDUCE
 * @softmax: SOFTMAX
 * @topk: TOPK
 * @gather: GATHER
 * @resize: RESIZE
 */
struct loom_stage {
	u32 opcode;
	u32 operands;
	u32 operand[DRM_LOOM_MAX_NATIVE_OPERANDS];
	u32 attr_bytes;
	union {
		struct drm_loom_attr_conv conv;
		struct drm_loom_attr_pool pool;
		struct drm_loom_attr_matmul matmul;
		struct drm_loom_attr_binary binary;
		struct drm_loom_attr_unary unary;
		struct drm_loom_attr_reduce reduce;
		struct drm_loom_attr_softmax softmax;
		struct drm_loom_attr_topk topk;
		struct drm_loom_attr_gather gather;
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
 * struct loom_kernel - operands and stages of a node
 *
 * The axes of the kernel are those of operand 0. If a MATMUL can go on from the sums of another,
 * there is one more: the summed axis, LOOM_SUM_AXIS, which FULL maps of the kernel have as their
 * axis, and of which operand 0 has the number of elements in its dims, beyond its rank. A slice
 * adds its range of terms to the sums, the first slice begins them, and the last one runs the
 * stages behind the product.
 *
 * @operands: the operands, in a &struct loom_kernel_room while the kernel is built
 * @num_operands: number of @operands
 * @stages: run in this order on each slice; in the same room
 * @num_stages: number of @stages
 * @whole: bit per axis: may not be cut
 * @last_resort: bit per axis: cut only if nothing else fits
 * @group: result channels (axis 1) of a group: cuts keep to groups or stay in one; 0: no groups
 * @group_in: input channels of a group
 * @unit_cost: work for one element of the result, in element operations
 * @direct: the result is an image, and the only stage writes it in place
 * @window: spatial axes
 * @resize: for LOOM_MAP_RESIZE: the attributes of the whole
 * @native: NATIVE: the kernel that computes it, else NULL
 * @native_cycles: NATIVE: cycles of the whole in one command
 * @native_rounds: NATIVE: elements of the whole result per lane
 * @alone: shares no values in SRAM with other kernels
 * @sums: operand that holds sums between slices: the result or a TEMP; NONE: they cannot be cut
 * @sum_stage: the stage that sums
 */
struct loom_kernel {
	struct loom_operand *operands;
	u32 num_operands;
	struct loom_stage *stages;
	u32 num_stages;
	u32 whole;
	u32 last_resort;
	u64 group;
	u64 group_in;
	u64 unit_cost;
	bool direct;
	struct loom_window window[3];
	const struct drm_loom_attr_resize *resize;
	const struct loom_native_call *native;
	u64 native_cycles;
	u64 native_rounds;
	bool alone;
	u32 sums;
	u32 sum_stage;
};

/**
 * struct loom_kernel_room - room for the operands and stages of a kernel that is built
 * @operands: its operands
 * @stages: its stages
 */
struct loom_kernel_room {
	struct loom_operand operands[LOOM_KERNEL_OPERANDS];
	struct loom_stage stages[LOOM_KERNEL_STAGES];
};

/** loom_kernel_in() - a kernel without operands and stages, to be built in @room */
static inline struct loom_kernel loom_kernel_in(struct loom_kernel_room *room)
{
	return (struct loom_kernel){
		.operands = room->operands, .stages = room->stages, .sums = LOOM_KERNEL_NO_SUMS,
	};
}

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
 * loom_kernel_tune() - changes the attributes of the whole kernel to those of a slice
 * @kernel: the kernel
 * @stage: one of its stages, changed
 * @out_lo: by axis of the result: first index of the slice
 * @in_lo: by axis of the stage's first input: first index that the slice needs
 * @in_hi: likewise: first index behind
 */
void loom_kernel_tune(const struct loom_kernel *kernel, struct loom_stage *stage,
		      const u64 *out_lo, const u64 *in_lo, const u64 *in_hi);

/** loom_kernel_axes() - number of axes, with the summed one */
static inline u32 loom_kernel_axes(const struct loom_kernel *kernel)
{
	return kernel->operands[0].ref.rank + (kernel->sums != LOOM_KERNEL_NO_SUMS);
}

/** loom_kernel_keeps_sums() - operand @i is a TEMP for sums, only there if their axis is cut */
static inline bool loom_kernel_keeps_sums(const struct loom_kernel *kernel, u32 i)
{
	return i && i == kernel->sums && i != LOOM_KERNEL_NO_SUMS;
}

/** loom_kernel_is_summed() - the axis of an operand is the summed one */
static inline bool loom_kernel_is_summed(const struct loom_kernel *kernel,
					 const struct loom_map *map)
{
	return map->kind == LOOM_MAP_FULL && map->axis == LOOM_SUM_AXIS &&
	       kernel->sums != LOOM_KERNEL_NO_SUMS;
}

/**
 * loom_kernel_part_stage() - a stage for a part of the summed axis
 * @kernel: the kernel
 * @index: which stage
 * @lo: first term; 0 without sums
 * @hi: first term behind; 0: there are no parts
 * @stage: [out] the stage
 *
 * Return: false if it runs in another part.
 */
bool loom_kernel_part_stage(const struct loom_kernel *kernel, u32 index, u64 lo, u64 hi,
			    struct loom_stage *stage);

/** loom_kernel_is_table() - operand @index is the one of which GATHER reads some elements */
static inline bool loom_kernel_is_table(const struct loom_kernel *kernel, u32 index)
{
	return kernel->num_stages && kernel->stages[0].opcode == DRM_LOOM_OP_GATHER &&
	       kernel->stages[0].operand[1] == index;
}

/** loom_kernel_macs() - multiply-accumulates of a whole kernel */
u64 loom_kernel_macs(const struct loom_kernel *kernel);

/*
 * Building kernels. The tables are larger than any node needs. An addition to a full table
 * overwrites its last entry, and loom_sink_kernel() refuses a kernel whose table is full.
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

/** loom_lane_pick() - the first of @prefer, by preference, that spreads well over lanes */
u32 loom_lane_pick(const u64 *dims, u32 lanes, const u8 *prefer, u32 count);

/** loom_float_bits() - the bits of a binary32 */
u32 loom_float_bits(float number);

#endif /* LOOM_LOWER_KERNEL_H */
