/* SPDX-License-Identifier: MIT */
/*
 * DOC: Lower bounds
 *
 * A lower bound on the cycles of a graph on a chip, over all plans. The input is nodes whose
 * lowering is decided (struct loom_lower) and their kernels, the output is &struct
 * loom_program_least. Neither plans nor groups are considered.
 *
 * A bound holds for every plan that computes the nodes of the graph unchanged: each element that
 * some output needs, at least once, by a command of its node's operation, on its whole window. The
 * plan may compute elements in any order and in any pieces, distribute any axis over the lanes, and
 * keep, reload or recompute values. It may not merge nodes or use another algorithm for one.
 *
 *	live.c		elements of each value that some output needs
 *	edge.c		dependences between operations
 *	work.c		cycles of arithmetic, at least
 *	traffic.c	cycles of memory, at least
 *	held.c		LB2: prefetched weights must be held
 *	relaxed.c	values larger than the SRAM are loaded twice
 *	least.c		the driver: LB0, LB1
 *
 * Documentation/planner-reference.rst has the proofs.
 *
 * Rejected: the cycles of a plan without groups on a chip without limits. Such a plan has chosen an
 * axis for the lanes and loads all of an input that is read in part, so it is no lower bound.
 */
#ifndef LOOM_LEAST_H
#define LOOM_LEAST_H

#include "base/pool.h"
#include "group/model/list.h"
#include "loom_program.h"

/**
 * struct least_axes - a set of elements: the product of a set of indices for each axis
 * @rank: number of axes
 * @dims: indices of each axis
 * @has: by axis and index: it is in the set
 * @counts: by axis: indices in the set
 */
struct least_axes {
	u32 rank;
	u64 dims[DRM_LOOM_MAX_RANK];
	u8 *has[DRM_LOOM_MAX_RANK];
	u64 counts[DRM_LOOM_MAX_RANK];
};

/** enum least_place - origin of a value */
enum least_place {
	LEAST_COMPUTED,		/* from an operation */
	LEAST_DRAM,		/* an input or a constant in DRAM */
	LEAST_ROM,		/* a constant in ROM */
	LEAST_SRAM,		/* an input or a constant in a slot in the SRAM */
};

#define LEAST_NONE	U32_MAX

/**
 * struct least_value - a value that owns bytes
 * @place: its origin
 * @slot: of a value from outside: a unique number of its slot
 * @dtype: element type
 * @elems: its elements
 * @stored_bytes: bytes that must be stored of it; 0: it is not visible outside
 * @live: elements that some output needs
 * @loaded: those of them that an operation computes with
 * @first_writer: the first op that writes it, or LEAST_NONE
 * @stamp: the last pass that has seen it
 * @bytes: bytes counted in that pass
 * @reloaded: relaxed.c: loading it again has been counted
 * @moved_again: relaxed.c: cost of reloading in DMA cycles, if it is too large for the SRAM
 * @computed_again: relaxed.c: cost of recomputing in compute cycles
 */
struct least_value {
	enum least_place place;
	u32 slot;
	u32 dtype;
	u64 elems;
	u64 stored_bytes;
	struct least_axes live;
	struct least_axes loaded;
	u32 first_writer;
	u32 stamp;
	u64 bytes;
	bool reloaded;
	u64 moved_again;
	u64 computed_again;
};

/**
 * struct least_op - an operation of the list
 * @op: the operation
 * @live: some output needs it
 * @early: some element of it may depend on nothing computed
 * @result: the part of its result that some output needs
 * @loads: by operand: the part that this needs of it; of DRAM operands
 * @ones: by operand and axis: lower bound on the elements that a command needs for one index of
 *	the result
 * @cycles: lower bound on the cycles of its compute commands
 * @next_writer: of the same value, or LEAST_NONE
 * @first_in: first edge to it; edges to an op follow each other
 * @num_in: number of them
 * @mask: held.c: axes of the result that are needed in full
 * @stamp: held.c: the last pass that has reached it
 */
struct least_op {
	const struct loom_group_op *op;
	bool live;
	bool early;
	struct least_axes result;
	struct least_axes loads[LOOM_KERNEL_OPERANDS];
	u64 ones[LOOM_KERNEL_OPERANDS][DRM_LOOM_MAX_RANK];
	u64 cycles;
	u32 next_writer;
	u32 first_in;
	u32 num_in;
	u32 mask;
	u32 stamp;
};

/**
 * struct least_edge - a dependence: an operation reads elements that another writes
 * @from: op that writes
 * @to: op that reads
 * @operand: of @to
 * @covers: bit per axis of the value: all live elements that @from writes are read
 * @spans: bit per axis of the value: all elements that are read are written by @from
 * @whole: bit per axis of the value: each element of the result needs all that is read
 * @sure: each element of the result needs some of the elements read
 */
struct least_edge {
	u32 from;
	u32 to;
	u32 operand;
	u32 covers;
	u32 spans;
	u32 whole;
	bool sure;
};

/**
 * struct least - the graph and the facts derived from it
 * @list: its operations
 * @chip: the chip
 * @sram_bytes: SRAM of all lanes that plans may use
 * @lanes: lanes
 * @images: values may be computed in DRAM
 * @pool: all memory
 * @values: by value id
 * @num_values: number of @values
 * @ops: by op of the list
 * @edges: by op that reads
 * @num_edges: number of @edges
 * @cap_edges: capacity of @edges
 * @pass: number of the last pass of held.c
 * @first_load: cycles before the first compute command
 * @last_store: cycles behind the last one
 */
struct least {
	const struct loom_group_list *list;
	const struct drm_loom_chip *chip;
	u64 sram_bytes;
	u32 lanes;
	bool images;
	struct loom_pool *pool;
	struct least_value *values;
	u32 num_values;
	struct least_op *ops;
	struct least_edge *edges;
	u32 num_edges;
	u32 cap_edges;
	u32 pass;
	u64 first_load;
	u64 last_store;
};

/** All axes of a mask, whatever the rank. */
#define LEAST_ALL	((1U << DRM_LOOM_MAX_RANK) - 1)

/* live.c */

/** least_elems() - elements of a set */
u64 least_elems(const struct least_axes *axes);
/** least_live() - finds the elements that some output needs. 0 or -ENOMEM */
int least_live(struct least *least);
/** least_on_value() - maps part of an operand to its value's axes; false if no product set */
bool least_on_value(struct least *least, const struct least_op *op, u32 operand,
		    const struct least_axes *part, struct least_axes *axes);
/** least_is_plain() - an operand runs along the axes of its value */
bool least_is_plain(const struct least_op *op, u32 operand);
/** least_follower() - the result's axis that an axis of an operand follows, or LEAST_NONE */
u32 least_follower(const struct least_op *op, u32 operand, u32 axis);

/* edge.c */

/** least_edges() - all edges. 0 or -ENOMEM */
int least_edges(struct least *least);

/* work.c */

/** least_work() - cycles of the compute commands of an op for the part @counts of its result */
u64 least_work(const struct least *least, const struct least_op *op, const u64 *counts);

/* traffic.c */

/**
 * struct least_bytes - bytes that DMA moves
 * @dram_read: read from DRAM
 * @dram_write: written to DRAM
 * @rom_read: read from ROM
 */
struct least_bytes {
	u64 dram_read;
	u64 dram_write;
	u64 rom_read;
};

/** least_is_fixed() - the DMA stream must move a value before an operation can read it */
bool least_is_fixed(const struct least *least, const struct least_value *value);
/** least_add_read() - counts bytes that are read of a value */
void least_add_read(const struct least *least, const struct least_value *value, u64 bytes,
		    struct least_bytes *sum);
/** least_cycles_of() - DMA cycles of bytes, without starts */
u64 least_cycles_of(const struct least *least, const struct least_bytes *bytes);
/** least_streams() - traffic and both streams; sets LB0. @in_place: cycles of either stream */
void least_streams(struct least *least, struct loom_program_least *out);
/** least_ends() - the first load and the last store */
void least_ends(struct least *least);

/* held.c */

/** least_held() - LB2, at least @floor */
u64 least_held(struct least *least, u64 floor);

/* relaxed.c */

/** least_relaxed() - the bound of the relaxed program, at least that of LB2 in @out */
u64 least_relaxed(struct least *least, const struct loom_program_least *out);

/* least.c */

/**
 * loom_least_find() - compute lower bounds over all plans of a graph
 * @lower: the graph, its storage, the SRAM; the storage's own order of nodes is used
 * @out: [out] the figures; zero past a limit of 256 MiB on the memory for them
 *
 * Return: 0; -ENOMEM; the error of lowering for a node that cannot be lowered.
 */
int loom_least_find(struct loom_lower *lower, struct loom_program_least *out);

#endif /* LOOM_LEAST_H */
