/* SPDX-License-Identifier: MIT */
/*
 * A graph as a list of operations, and the accesses of operations to values.
 *
 * Lowering passes each kernel, copy and fill to the list (list.c) instead of writing commands. An
 * operand *accesses* a value. The access is plain if each axis of the operand runs along one axis
 * of the value; slices can only follow plain accesses. A *unit* is a node of the graph with its
 * operations; a group is a run of units. At the cut before each unit some values are *live*: made
 * before it and read after it. They may stay in SRAM as a whole, and are called *residents* then
 * (resident.c).
 */
#ifndef LOOM_GROUP_LIST_H
#define LOOM_GROUP_LIST_H

#include "group/model/repeat.h"
#include "lower/lower.h"

struct loom_group_memo;

/*
 * Limits on the live values of a cut that may stay in SRAM, and on the sets of them that are tried.
 */
#define LOOM_GROUP_LIVE		63
#define LOOM_GROUP_CHOICES	8
/* No index of a unit, part, root or item. */
#define LOOM_GROUP_NONE		U32_MAX
/* Groups of at most so many units have equal costs where units repeat. */
#define LOOM_GROUP_WINDOW	64
/* Graphs of more units have few and short groups to choose from. */
#define LOOM_GROUP_MANY_UNITS	16384

/**
 * struct loom_group_box - a part of a value or of an operand
 * @lo: first index per axis
 * @hi: first index behind
 */
struct loom_group_box {
	u64 lo[DRM_LOOM_MAX_RANK];
	u64 hi[DRM_LOOM_MAX_RANK];
};

/**
 * struct loom_group_access - mapping of an operand to the value that it lies in
 *
 * Index i on the operand's axis k is index @start + i * @step of axis @axis of the value.
 *
 * @value: id of the value that owns the bytes
 * @plain: the operand is such a view; else the value must be in DRAM
 * @axis: by axis of the operand: the value's axis, or -1 if it has one element or repeats one
 * @step: by axis of the operand
 * @start: by axis of the value: index of the first element
 * @lanes: bit per axis of the value: it can be distributed over the lanes
 */
struct loom_group_access {
	u32 value;
	bool plain;
	s8 axis[DRM_LOOM_MAX_RANK];
	s64 step[DRM_LOOM_MAX_RANK];
	u64 start[DRM_LOOM_MAX_RANK];
	u32 lanes;
};

/**
 * enum loom_group_kind - kind of an operation
 * @LOOM_GROUP_COMPUTE: a kernel
 * @LOOM_GROUP_COPY: operand 1 becomes operand 0
 * @LOOM_GROUP_FILL: operand 0 becomes its bits
 */
enum loom_group_kind {
	LOOM_GROUP_COMPUTE,
	LOOM_GROUP_COPY,
	LOOM_GROUP_FILL,
};

/**
 * struct loom_group_op - an operation: a kernel, a copy or a fill
 * @kind: its kind
 * @unit: its unit
 * @kernel: its operands and stages; those of DRAM name values, not tensors
 * @access: by operand, STORE and LOAD; allocated with the op, as the kernel's arrays are
 */
struct loom_group_op {
	enum loom_group_kind kind;
	u32 unit;
	struct loom_kernel kernel;
	struct loom_group_access *access;
};

/**
 * struct loom_group_cost - cost of a group
 * @price: the objective, see &struct loom_group_aim; for a group by the rules of text.c its DRAM
 *	bytes, or its cycles once they are known
 * @tie: compared if prices are equal
 * @peak_bytes: peak of the SRAM per lane that is alive
 */
struct loom_group_cost {
	u64 price;
	u64 tie;
	u64 peak_bytes;
};

/* The lower price first (DRAM bytes or cycles, see &struct loom_group_aim), then the tie. */
static inline bool loom_group_cheaper(const struct loom_group_cost *a,
				      const struct loom_group_cost *b)
{
	return a->price != b->price ? a->price < b->price : a->tie < b->tie;
}

/**
 * struct loom_group_unit - a node of the graph with its operations
 * @node: place of the node in the order in which nodes run
 * @first_op: first of its ops
 * @num_ops: number of them
 * @ungroupable: its ops cannot be in a group
 * @layerwise: estimated cost of the node lowered without groups; with DRAM bytes as the price, ties
 *	are broken by slices, one for each op that is not sliced
 * @least_compute: lower bound on its compute cycles, if time is the price
 */
struct loom_group_unit {
	u32 node;
	u32 first_op;
	u32 num_ops;
	bool ungroupable;
	struct loom_group_cost layerwise;
	u64 least_compute;
};

/**
 * struct loom_group_use - a value and its uses by operations
 * @rank: its axes; 0: more than a view supports
 * @dims: elements per axis
 * @strides: bytes per step, per axis; of a value in an image at a provisional pitch
 * @dtype: element type
 * @bytes: its bytes in DRAM
 * @first_writer: first op that writes it; U32_MAX: none, it comes from outside
 * @last_writer: last op that writes it
 * @last_reader: last op that reads it; 0 if there is none
 * @read: there is a reader
 * @output: it is an output of the graph: it is always stored
 * @lanes: bit per axis: all operations can use it distributed over the lanes along this axis
 * @lane: the one of them that minimizes its size
 * @whole_bytes: SRAM of the whole value with that axis, per lane
 * @over: value whose place it may overwrite, U32_MAX: none
 */
struct loom_group_use {
	u32 rank;
	u64 dims[DRM_LOOM_MAX_RANK];
	u64 strides[DRM_LOOM_MAX_RANK];
	u32 dtype;
	u64 bytes;
	u32 first_writer;
	u32 last_writer;
	u32 last_reader;
	bool read;
	bool output;
	u32 lanes;
	u8 lane;
	u64 whole_bytes;
	u32 over;
};

/**
 * struct loom_group_choices - sets of values that may be resident at a cut
 * @count: number of choices; the first is the empty set
 * @masks: by choice: bit per value that is live there
 */
struct loom_group_choices {
	u32 count;
	u64 masks[LOOM_GROUP_CHOICES];
};

/**
 * struct loom_group_aim - the objective
 * @time: cycles, weighted as below, then DRAM bytes; else DRAM bytes, then positions
 * @dma: weight of cycles of the DMA stream
 * @compute: weight of cycles of the compute stream
 * @steps: weight of cycles of the longer stream, position by position
 * @after_bytes: the search by time begins with the groups of a search by bytes, which takes less
 */
struct loom_group_aim {
	bool time;
	u32 dma;
	u32 compute;
	u32 steps;
	bool after_bytes;
};

static inline bool loom_group_is_same_aim(const struct loom_group_aim *a,
					  const struct loom_group_aim *b)
{
	return a->time == b->time && a->dma == b->dma && a->compute == b->compute &&
	       a->steps == b->steps && a->after_bytes == b->after_bytes;
}

/**
 * struct loom_group_list - a graph as ops
 * @lower: the lowering that it came from
 * @aim: the objective
 * @ops: in order
 * @num_ops: number of @ops
 * @cap_ops: capacity of @ops
 * @units: in order; nodes without ops have none
 * @num_units: number of @units
 * @uses: by value id
 * @live_first: by cut: first of its entries in @live. Cut u is before unit u
 * @live: values made before the cut and read after it that fit into SRAM
 * @choices: by cut: sets of them that may be resident
 * @repeat: by unit: other units that begin an equal run of LOOM_GROUP_WINDOW units
 * @memo: estimates of other searches; NULL: none are kept
 * @asymmetric: rows and columns differ for some operation
 * @no_cut: no group may begin with this unit; 0: any may
 */
struct loom_group_list {
	struct loom_lower *lower;
	struct loom_group_aim aim;
	struct loom_group_op **ops;
	u32 num_ops;
	u32 cap_ops;
	struct loom_group_unit *units;
	u32 num_units;
	struct loom_group_use *uses;
	u32 *live_first;
	u32 *live;
	struct loom_group_choices *choices;
	struct loom_group_repeat repeat;
	struct loom_group_memo *memo;
	bool asymmetric;
	u32 no_cut;
};

/* list.c: operations, in order */

/** loom_group_list_make() - lowers all nodes into a list; storage must be decided, not placed */
int loom_group_list_make(struct loom_group_list *list, struct loom_lower *lower);
/** loom_group_list_place() - after placement of storage: sets the pitch of operands in images */
void loom_group_list_place(struct loom_group_list *list);
/** loom_group_list_clear() - frees what @list holds */
void loom_group_list_clear(struct loom_group_list *list);

/* resident.c: values that may stay in SRAM across a cut */

/** loom_group_over() - the value whose place @value may overwrite, or U32_MAX */
u32 loom_group_over(const struct loom_group_list *list, u32 value);

/** loom_group_live_make() - live values of each cut, and choices of them. 0 or -ENOMEM */
int loom_group_live_make(struct loom_group_list *list);
/** loom_group_live_at() - the first live value at cut @at in a set; @mask must not be 0 */
static inline u32 loom_group_live_at(const struct loom_group_list *list, u32 at, u64 mask)
{
	return list->live[list->live_first[at] + (u32)__builtin_ctzll(mask)];
}

/** loom_group_is_resident() - a value that is live at cut @at is in set @choice there */
bool loom_group_is_resident(const struct loom_group_list *list, u32 value, u32 at, u8 choice);

/* box.c: parts of operands and values */

/** loom_group_whole_box() - all of an operand */
static inline void loom_group_whole_box(const struct loom_ref *ref, struct loom_group_box *box)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		box->lo[i] = 0;
		box->hi[i] = i < ref->rank ? ref->dims[i] : 0;
	}
}

/** loom_group_access_box() - the part of a value that a part of an operand lies in */
void loom_group_access_box(const struct loom_group_access *access, u32 value_rank, u32 rank,
			   const struct loom_group_box *operand, struct loom_group_box *box);
/** loom_group_operand_box() - the part of an operand that a part of the result needs */
void loom_group_operand_box(const struct loom_kernel *kernel, u32 operand,
			    const struct loom_group_box *out, struct loom_group_box *box);
/** loom_group_operand_axis() - the one axis of an operand that steps along @axis of its value */
bool loom_group_operand_axis(const struct loom_group_access *access, u32 rank, s8 axis, u32 *found);
/** loom_group_is_own_axis() - no other axis of the result lies along the value's axis of @axis */
static inline bool loom_group_is_own_axis(const struct loom_group_op *op, u32 axis)
{
	const struct loom_group_access *access = &op->access[0];
	u32 found;

	return access->axis[axis] < 0 ||
	       loom_group_operand_axis(access, op->kernel.operands[0].ref.rank, access->axis[axis],
				       &found);
}

/** loom_group_follower() - the one axis of an operand that follows axis @cut of the result */
bool loom_group_follower(const struct loom_operand *operand, s8 cut, u32 *found);
/** loom_group_box_elems() - elements of a box of @rank axes */
u64 loom_group_box_elems(const struct loom_group_box *box, u32 rank);
/** loom_group_box_bytes() - bytes of a box of an operand */
u64 loom_group_box_bytes(const struct loom_group_box *box, const struct loom_ref *ref);
/** loom_group_ref_bytes() - bytes of a whole operand */
u64 loom_group_ref_bytes(const struct loom_ref *ref);
/** loom_group_part_bytes() - bytes of a box of it */
u64 loom_group_part_bytes(const struct loom_group_use *use, const struct loom_group_box *box);

#endif /* LOOM_GROUP_LIST_H */
