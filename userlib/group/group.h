/* SPDX-License-Identifier: MIT */
/*
 * DOC: Groups
 *
 * Layer by layer, every neuron goes to DRAM and comes back. A *group* is a run of nodes whose
 * neurons stay in SRAM: DRAM sees the weights, what comes in and what goes out.
 *
 * What does not fit as a whole is cut into *slices*: rows of an axis that all operators of the
 * group follow (H of a picture, as a rule; whichever axis it is of each value). The operators
 * run one after the other on a slice, then on the next.
 *
 * What a value has in SRAM during a slice is its *strip*: the rows that are new and those before
 * them that windows still look at, the *halo*. There are two ways to get a halo: compute (and
 * load) it again for each slice, or keep it. Here it is kept: after their last use, the rows that
 * the next slice needs are copied to a *line buffer* in SRAM, and from there to the top of the next
 * strip. So no row is loaded, computed or stored twice, whatever the depth of the group; what it
 * costs is the room of the line buffers. Slices run forward for that: in slice s each operator
 * makes all the rows that its operands allow for, and one with a large window lags behind.
 *
 * The other way, &loom_group.recompute, is there, too (halo.c): slices are even cuts of what
 * the group makes for others, walked back to what it reads, and each slice loads and computes all
 * that it needs. Strips then have the halos of all layers behind them in them, however thin the
 * slices are, but nothing is kept. That is what the planners of text.c and dp.c use,
 * and where it moves less (recompute.c), the default.
 *
 * *Residency* of weights: what an operator needs besides strips is *held* (loaded once, there to
 * the end) or *streamed* (loaded for each slice). Streaming takes an operator in *chunks* of its
 * output channels, if need be, so that weights larger than the SRAM pass through it. In a group
 * of one slice everything is streamed, and read once.
 *
 * Time inside a group is counted in *positions*: one operator, or one chunk, computes at one.
 * What it needs is loaded at the position before, what it made is stored at the one after, while
 * neighbours compute; or loads have positions of their own (no overlap), which needs less room. The
 * positions of one slice are a period: an item alive over its end meets its successor of the next
 * slice, and the placement (placement.c) is that of one period.
 *
 *	lower_*.c -> list of ops -> strip.c -> schedule.c -> placement.c -> emit.c
 *	(op.c)    |              rows            positions        offsets         commands
 *	                +-- divide.c: which nodes make a group, by its cost (cost.c)
 *	                +-- recompute.c: the same once more, with halos computed again
 *	                +-- text.c, dp.c: by other rules, to compare with
 */
#ifndef LOOM_GROUP_H
#define LOOM_GROUP_H

#include "lower/lower.h"

#define LOOM_GROUP_OPS		192
#define LOOM_GROUP_ROOTS	384
#define LOOM_GROUP_SLICES	256
#define LOOM_GROUP_ENTRIES	2048
/* From so many slices on, slices are added at the end for those that lag behind. */
#define LOOM_GROUP_DRAIN	8
/* Numbers of slices that are tried, at most. */
#define LOOM_GROUP_SLICE_COUNTS 40
#define LOOM_GROUP_RESIDENTS	64
/* What may stay at a cut: values that are looked at, choices of them. */
#define LOOM_GROUP_LIVE		63
#define LOOM_GROUP_CHOICES 8
#define LOOM_GROUP_NONE		0xffffU

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
 * struct loom_group_access - how an operand sees the value that it lies in
 *
 * Index i on the operand's axis k is index @start + i * @step of axis @axis of the value.
 *
 * @value: id of the value that owns the bytes
 * @plain: it can be said like this; else the value has to be in DRAM
 * @axis: by axis of the operand: the value's axis, or -1 where it has one element or repeats one
 * @step: by axis of the operand
 * @start: by axis of the value: where the first element is
 * @lanes: bit per axis of the value: it can be dealt over the lanes
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
 * enum loom_group_kind - what an op is
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
 * struct loom_group_op - a kernel or a move
 * @kind: what it is
 * @unit: unit it belongs to
 * @kernel: its operands and stages; those of DRAM name values, not tensors
 * @access: by operand, STORE and LOAD
 */
struct loom_group_op {
	enum loom_group_kind kind;
	u32 unit;
	struct loom_kernel kernel;
	struct loom_group_access access[LOOM_KERNEL_OPERANDS];
};

/**
 * struct loom_group_unit - a node with its ops
 * @node: place of the node in the order in which nodes run
 * @first_op: first of its ops
 * @num_ops: number of them
 * @ungroupable: its ops cannot be in a group
 * @layerwise_bytes: DRAM bytes of the node lowered as without groups; U64_MAX: it does not fit
 * @layerwise_cycles: cycles of that
 */
struct loom_group_unit {
	u32 node;
	u32 first_op;
	u32 num_ops;
	bool ungroupable;
	u64 layerwise_bytes;
	u64 layerwise_cycles;
};

/**
 * struct loom_group_use - who touches a value
 * @rank: its axes, 0: it has too many
 * @dims: elements per axis
 * @elem_bytes: of one
 * @first_writer: first op that writes it; U32_MAX: none, it comes from outside
 * @last_writer: last op that does
 * @last_reader: last op that reads it; 0 if there is none
 * @read: there is one
 * @output: it is an output of the graph: it is stored, whoever reads it
 * @lanes: bit per axis: all ops can see it dealt over the lanes
 * @lane: the axis that makes it smallest
 * @whole_bytes: what it takes then, per lane
 */
struct loom_group_use {
	u32 rank;
	u64 dims[DRM_LOOM_MAX_RANK];
	u32 elem_bytes;
	u32 first_writer;
	u32 last_writer;
	u32 last_reader;
	bool read;
	bool output;
	u32 lanes;
	u8 lane;
	u64 whole_bytes;
};

/**
 * struct loom_group_choices - what may stay in SRAM at a cut
 * @count: number of choices; the first is that nothing stays
 * @masks: by choice: bit per value that is live there
 */
struct loom_group_choices {
	u32 count;
	u64 masks[LOOM_GROUP_CHOICES];
};

/**
 * struct loom_group_list - a graph as ops
 * @lower: the lowering that it came from
 * @ops: in order
 * @num_ops: number of @ops
 * @cap_ops: room in @ops
 * @units: in order; nodes without ops have none
 * @num_units: number of @units
 * @uses: by value id
 * @live_first: by cut: first of its entries in @live. Cut u is before unit u
 * @live: values that are there and still wanted, and may stay in SRAM
 * @choices: by cut: which of them do
 * @asymmetric: rows and columns are not the same to some op
 * @no_cut: there may be none before this unit; 0: there may be everywhere
 */
struct loom_group_list {
	struct loom_lower *lower;
	struct loom_group_op **ops;
	u32 num_ops;
	u32 cap_ops;
	struct loom_group_unit *units;
	u32 num_units;
	struct loom_group_use *uses;
	u32 *live_first;
	u32 *live;
	struct loom_group_choices *choices;
	bool asymmetric;
	u32 no_cut;
};

/** loom_group_list_make() - lowers all nodes into a list; their storage is decided, not placed */
int loom_group_list_make(struct loom_group_list *list, struct loom_lower *lower);
/** loom_group_list_clear() - frees what @list holds */
void loom_group_list_clear(struct loom_group_list *list);

/** loom_group_access_box() - the part of a value that a part of an operand lies in */
void loom_group_access_box(const struct loom_group_access *access, u32 value_rank, u32 rank,
			   const struct loom_group_box *operand, struct loom_group_box *box);

/**
 * enum loom_group_root_kind - why a value has a strip
 * @LOOM_GROUP_INSIDE: the group makes it
 * @LOOM_GROUP_INPUT: it is loaded
 */
enum loom_group_root_kind {
	LOOM_GROUP_INSIDE,
	LOOM_GROUP_INPUT,
};

/**
 * struct loom_group_root - a value with strips
 * @value: its id
 * @kind: why
 * @partial: the group makes parts of it only, and nobody in it reads them
 * @axis: axis that is cut, or -1
 * @lane: axis that is dealt over the lanes
 * @lanes: bit per axis: it could be
 * @hull: the part that strips have of the other axes
 * @first_writer: first part that writes it
 * @last_writer: last that does
 * @first_reader: first part that reads it
 * @last_reader: last part that reads it
 * @read: there are readers
 * @stored: it goes to DRAM
 * @rows: most rows of a strip
 * @kept: most rows in the line buffer; 0: there is none
 * @made_lo: recomputed: first row that the group makes
 * @made_hi: recomputed: first row behind
 * @measured: @rows and @kept are right, and the next three
 * @long_line: the line buffer has to outlive slices in which nothing happens
 * @strip_bytes: what a strip takes, per lane
 * @line_bytes: what the line buffer takes, per lane
 * @strip: index of the item of its strips
 * @line: index of the item of its line buffer
 */
struct loom_group_root {
	u32 value;
	enum loom_group_root_kind kind;
	bool partial;
	s8 axis;
	u8 lane;
	u32 lanes;
	struct loom_group_box hull;
	u16 first_writer;
	u16 last_writer;
	u16 first_reader;
	u16 last_reader;
	bool read;
	bool stored;
	u64 rows;
	u64 kept;
	u64 made_lo;
	u64 made_hi;
	bool measured;
	bool long_line;
	u64 strip_bytes;
	u64 line_bytes;
	u16 strip;
	u16 line;
};

/**
 * struct loom_group_part - an op in a group
 * @op: the op
 * @axis: axis of its result that is cut, or -1
 * @root: by operand: index of its root; NONE: it has SRAM of its own
 * @varies: bit per operand without root: what it needs differs between slices
 * @held: bit per operand without root: loaded once
 * @chunk_axis: axis of the result that chunks cut
 * @chunk: elements of a chunk along it; 0: there is one
 * @lead: by operand without root: positions by which it is loaded earlier than it has to be
 * @kept_chunks: of what follows chunks and is streamed, so many are loaded once all the same
 * @measured: the next four are right
 * @active: slices in which it has something to do
 * @bytes: by operand without root: SRAM per lane, of a chunk
 * @held_bytes: by operand without root: SRAM per lane, if it is held
 * @loaded_bytes: by operand without root: DRAM bytes of all chunks, in one slice; in all slices if
 *	it varies
 * @first_entry: its first entry
 * @entries: number of entries: chunks
 * @item: by operand without root: index of its first item; one for each chunk if streamed
 */
struct loom_group_part {
	const struct loom_group_op *op;
	s8 axis;
	u16 root[LOOM_KERNEL_OPERANDS];
	u32 varies;
	u32 held;
	u8 chunk_axis;
	u64 chunk;
	s16 lead[LOOM_KERNEL_OPERANDS];
	u32 kept_chunks;
	bool measured;
	u32 active;
	u64 bytes[LOOM_KERNEL_OPERANDS];
	u64 held_bytes[LOOM_KERNEL_OPERANDS];
	u64 loaded_bytes[LOOM_KERNEL_OPERANDS];
	u16 first_entry;
	u16 entries;
	u16 item[LOOM_KERNEL_OPERANDS];
};

/**
 * struct loom_group_item - something that needs room in SRAM
 * @bytes: how much, per lane
 * @from: first position; may be before the period, and is the slice before's then
 * @to: last position; may be behind the period
 * @whole: all the time
 * @buffers: how many of it are there at once
 * @fixed: @offset is given
 * @offset: by buffer: where
 */
struct loom_group_item {
	u64 bytes;
	s32 from;
	s32 to;
	bool whole;
	u32 buffers;
	bool fixed;
	u64 offset[3];
};

/**
 * struct loom_group_cost - what a group costs
 * @bytes: DRAM bytes
 * @cycles: see cost.c
 * @peak_bytes: SRAM per lane that is alive at once at most
 */
struct loom_group_cost {
	u64 bytes;
	u64 cycles;
	u64 peak_bytes;
};

/* &loom_group.residency: it is there as a whole before the group, after it; it is let go */
#define LOOM_GROUP_RESIDENT_IN (1 << 0)
#define LOOM_GROUP_RESIDENT_OUT (1 << 1)
#define LOOM_GROUP_RESIDENT_FLUSH (1 << 2)

/**
 * struct loom_group_location - a value that stays in SRAM across cuts
 * @pinned: @offset is where a group that reads it wants it
 * @offset: where
 * @tensor: tensor of the plan, while it is written
 */
struct loom_group_location {
	bool pinned;
	u64 offset;
	u32 tensor;
};

/**
 * enum loom_group_manner - by whose rules weights and places are chosen
 * @LOOM_GROUP_OWN: schedule.c, placement.c
 * @LOOM_GROUP_TEXT: text.c, as the text has it
 * @LOOM_GROUP_LATER: text.c, as planners after the text do
 */
enum loom_group_manner {
	LOOM_GROUP_OWN,
	LOOM_GROUP_TEXT,
	LOOM_GROUP_LATER,
};

/* &loom_group.faults: what is wrong with recomputed slices, in the eyes of some */
/** LOOM_GROUP_FAULT_EMPTY - a slice has no rows of a value */
#define LOOM_GROUP_FAULT_EMPTY	(1 << 0)
/** LOOM_GROUP_FAULT_STALLED - a slice begins or ends no later than the one before */
#define LOOM_GROUP_FAULT_STALLED (1 << 1)
/** LOOM_GROUP_FAULT_DISJOINT - two readers of a value want rows with others between them */
#define LOOM_GROUP_FAULT_DISJOINT (1 << 2)
/** LOOM_GROUP_FAULT_OVERLAP - more than half of a value's rows are there twice */
#define LOOM_GROUP_FAULT_OVERLAP (1 << 3)

/**
 * struct loom_group - nodes that run together
 * @list: where they are from
 * @first_unit: first unit
 * @num_units: number of units
 * @slices: number of slices
 * @input_slices: slices in which something comes in; in those after them what lags behind is done
 * @overlap: loads share positions with the op before
 * @recompute: halos are loaded and computed again; else line buffers keep them
 * @batches: recomputed: pieces of axis 0, each of which is cut into @slices / @batches. 1: it is
 *	not cut besides
 * @batch_dim: elements of axis 0 of all values, if it is
 * @manner: by whose rules weights and places are chosen
 * @rows_known: recomputed: the rows are known
 * @faults: recomputed: LOOM_GROUP_FAULT_*
 * @cut_axis: axis to cut of a result that follows from nothing
 * @parts: ops in order
 * @num_parts: number of @parts
 * @roots: values with strips
 * @num_roots: number of @roots
 * @first: by part and slice: recomputed: first row of its result that the slice makes
 * @done: by part and slice: rows of its result that are there after the slice
 * @loaded: by root and slice: INPUT: rows that are there after the slice. Recomputed: end of the
 *	strip
 * @need: by root and slice: first row that the slice or a later one reads. Recomputed: begin of
 *	the strip
 * @active: by root and slice: it is written or read then
 * @local: by value id: index of the root, plus one; 0: none
 * @residency: by value id: LOOM_GROUP_STAYS_*
 * @residents: values that have such flags
 * @resident_items: by resident: its item
 * @num_residents: number of @residents
 * @locations: by value id: where what stays is
 * @unpinned: what stays may be anywhere: it is not known yet where groups before have put it
 * @quick_only: a place that is not found quickly is none
 * @items: what needs room
 * @num_items: number of @items
 * @num_shared: the first so many of them are no part's own
 * @cap_items: room in @items
 * @num_entries: positions at which something computes
 * @period: positions of a slice
 * @cost: what it costs
 * @budget: work that may be done to find groups
 * @work: work that was done with this group
 */
struct loom_group {
	const struct loom_group_list *list;
	u32 first_unit;
	u32 num_units;
	u32 slices;
	u32 input_slices;
	bool overlap;
	bool recompute;
	u32 batches;
	u64 batch_dim;
	enum loom_group_manner manner;
	bool rows_known;
	u32 faults;
	u32 cut_axis;
	struct loom_group_part parts[LOOM_GROUP_OPS];
	u32 num_parts;
	struct loom_group_root roots[LOOM_GROUP_ROOTS];
	u32 num_roots;
	u32 *first;
	u32 *done;
	u32 *loaded;
	u32 *need;
	u8 *active;
	u16 *local;
	u8 *residency;
	u32 residents[LOOM_GROUP_RESIDENTS];
	u16 resident_items[LOOM_GROUP_RESIDENTS];
	u32 num_residents;
	struct loom_group_location *locations;
	bool unpinned;
	bool quick_only;
	struct loom_group_item *items;
	u32 num_items;
	u32 num_shared;
	u32 cap_items;
	u32 num_entries;
	s32 period;
	struct loom_group_cost cost;
	u64 budget;
	u64 work;
};

/** loom_group_make() - room for a group of ops of @list; NULL: no memory */
struct loom_group *loom_group_make(const struct loom_group_list *list);
/** loom_group_free() - frees a group; NULL is fine */
void loom_group_free(struct loom_group *group);

/* strip.c: which rows when */

/**
 * loom_group_begin() - an empty group
 * @group: the group
 * @first_unit: first unit that it will have
 * @slices: number of slices
 * @cut_axis: axis of the first result to cut
 */
void loom_group_begin(struct loom_group *group, u32 first_unit, u32 slices, u32 cut_axis);
/** loom_group_begin_recompute() - with halos recomputed; @slices / @batches per batch */
void loom_group_begin_recompute(struct loom_group *group, u32 first_unit, u32 slices, u32 batches,
				u32 cut_axis);
/** loom_group_append() - adds the next unit; false: it cannot be in this group */
bool loom_group_append(struct loom_group *group);
/** loom_group_value_box() - a part of a result in its value */
void loom_group_value_box(const struct loom_group *group, u32 index, u32 operand,
			  const struct loom_group_box *of, struct loom_group_box *box);
/** loom_group_operand_box() - what an operand needs for a part of the result */
void loom_group_operand_box(const struct loom_kernel *kernel, u32 operand,
			    const struct loom_group_box *out, struct loom_group_box *box);

/** loom_group_operand_axis() - the one axis of an operand that steps along @axis of its value */
bool loom_group_operand_axis(const struct loom_group_access *access, u32 rank, s8 axis, u32 *found);
/** loom_group_follower() - the one axis of an operand that follows axis @cut of the result */
bool loom_group_follower(const struct loom_operand *operand, s8 cut, u32 *found);

/** loom_group_is_own() - operand @i of a part has SRAM of its own: no strip, nothing that stays */
bool loom_group_is_own(const struct loom_group *group, const struct loom_group_part *part, u32 i);

/* rows.c: what is there, slice by slice */

/* what is needed of a root that nobody looks at again */
#define LOOM_GROUP_UNREAD U32_MAX

/** loom_group_row() - in an array of the group: the row of part or root @index after a slice */
static inline u32 *loom_group_row(u32 *rows, u32 index, u32 slice)
{
	return &rows[(size_t)index * LOOM_GROUP_SLICES + slice];
}

/** loom_group_part_start() - where in its value the result of a part begins, along the axis cut */
u64 loom_group_part_start(const struct loom_group_part *part);
/** loom_group_whole_box() - all of an operand */
void loom_group_whole_box(const struct loom_ref *ref, struct loom_group_box *box);
/** loom_group_rows() - rows [@lo, @hi) of the result that part @index makes in a slice */
void loom_group_rows(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi);
/** loom_group_strip() - rows of a root that are in SRAM during a slice; false: none */
bool loom_group_strip(const struct loom_group *group, u32 root, u32 slice, u64 *lo, u64 *hi);
/** loom_group_fresh() - rows of a root from outside that a slice loads */
void loom_group_fresh(const struct loom_group *group, u32 root, u32 slice, u64 *lo, u64 *hi);
/** loom_group_batch() - cuts axis 0 of a box to what a slice has of it */
void loom_group_batch(const struct loom_group *group, u32 slice, struct loom_group_box *box);
/** loom_group_kept() - rows that part @index made before a slice and that it still needs */
bool loom_group_kept(const struct loom_group *group, u32 root, u32 index, u32 slice, u64 *lo,
		     u64 *hi);
/** loom_group_part_box() - what a chunk of a part makes in a slice; false: nothing */
bool loom_group_part_box(const struct loom_group *group, u32 index, u32 slice, u32 chunk,
			 struct loom_group_box *box);

/* halo.c: which rows when, if halos are computed again */

/** loom_group_halos() - rows of all parts and roots, from the end to the begin; sets @faults */
void loom_group_halos(struct loom_group *group);
/** loom_group_can_batch() - axis 0 of all that part @index has to do with can be cut */
bool loom_group_can_batch(struct loom_group *group, u32 index);
/** loom_group_stored() - rows [@lo, @hi) of the result of part @index that a slice stores */
void loom_group_stored(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi);

/* resident.c: what stays in SRAM from group to group */

/** loom_group_live_make() - what could stay at each cut. 0 or -ENOMEM */
int loom_group_live_make(struct loom_group_list *list);
/** loom_group_is_resident() - a value that is live at cut @at stays in SRAM there */
bool loom_group_is_resident(const struct loom_group_list *list, u32 value, u32 at, u8 choice);
/** loom_group_set_residents() - sets what stays before and after a group; false: that cannot be */
bool loom_group_set_residents(struct loom_group *group, u8 in, u8 out);

/* measure.c: sizes */

/** loom_group_measure() - sizes of all that has changed since the last time */
void loom_group_measure(struct loom_group *group);
/** loom_group_follows_chunks() - chunks need different parts of an operand */
bool loom_group_follows_chunks(const struct loom_group_part *part, u32 operand);

/** loom_group_keeps_chunk() - a chunk of a streamed operand is loaded once and stays */
bool loom_group_keeps_chunk(const struct loom_group_part *part, u32 operand, u32 chunk);

/* schedule.c: positions and lifetimes */

/** loom_group_box_bytes() - bytes per lane of a box */
u64 loom_group_box_bytes(const struct loom_group *group, const struct loom_group_box *box,
			 u32 rank, u32 lane, u32 elem_bytes);
/** loom_group_compute_at() - position at which entry @entry computes */
s32 loom_group_compute_at(const struct loom_group *group, u32 entry);
/** loom_group_load_at() - position at which what it needs is loaded */
s32 loom_group_load_at(const struct loom_group *group, u32 entry);
/** loom_group_store_at() - position at which what it made is stored */
s32 loom_group_store_at(const struct loom_group *group, u32 entry);
/** loom_group_schedule() - positions, items and their lifetimes; the cost, too. 0 or -ENOMEM */
int loom_group_schedule(struct loom_group *group);
/** loom_group_mark_stored() - which values somebody else wants to see */
void loom_group_mark_stored(struct loom_group *group);
/** loom_group_peak() - SRAM per lane that is alive at once at most */
u64 loom_group_peak(const struct loom_group *group, s32 *position);
/**
 * loom_group_fit() - hold, stream and chunk so that a group fits
 * @group: the group
 * @budget_bytes: SRAM per lane
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int loom_group_fit(struct loom_group *group, u64 budget_bytes);

/* cost.c */

/** loom_group_cost_count() - DRAM bytes and cycles of a group whose steps are known */
void loom_group_cost_count(struct loom_group *group);
/** loom_group_cost_floor() - DRAM bytes of a group if all that it loads could be held */
u64 loom_group_cost_floor(struct loom_group *group);
/** loom_group_least_bytes() - what a unit has to move in any case: weights and outputs, once */
u64 loom_group_least_bytes(const struct loom_group_list *list, u32 unit);

/* estimate.c */

struct loom_group_estimate;

/** loom_group_slice_counts() - numbers of slices to try for an axis of @dim elements; how many */
u32 loom_group_slice_counts(u64 dim, u32 *counts);
/** loom_group_estimate_make() - room for estimates; NULL: no memory */
struct loom_group_estimate *loom_group_estimate_make(const struct loom_group_list *list);
/** loom_group_estimate_free() - frees it; NULL is fine */
void loom_group_estimate_free(struct loom_group_estimate *est);
/**
 * loom_group_estimate_begin() - an empty group
 * @est: room
 * @first_unit: first unit that it will have
 * @in: what stays before it
 * @cut_axis: axis of the first result to cut
 * @counts: numbers of slices; 1 must be alone
 * @num_counts: number of @counts
 */
void loom_group_estimate_begin(struct loom_group_estimate *est, u32 first_unit, u8 in, u32 cut_axis,
			       const u32 *counts, u32 num_counts);
/** loom_group_estimate_append() - adds the next unit; false: it cannot be in this group */
bool loom_group_estimate_append(struct loom_group_estimate *est, u32 num_units);
/**
 * loom_group_estimate_take() - what the group costs as it is
 * @est: the group
 * @num_units: units that it has
 * @in: what stays before it
 * @out: what stays after it
 * @costs: [out] by slice count; U64_MAX bytes: it does not fit
 *
 * Return: number of slice counts that fit.
 */
u32 loom_group_estimate_take(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out,
			     struct loom_group_cost *costs);

/* conflict.c */

struct loom_place_pair;

/**
 * loom_group_conflicts() - items that both streams touch at the same position
 * @group: a group whose steps are known
 * @places: by item: number of its first buffer
 * @pairs: [out] buffers that should not share a conflict sub-bank, from malloc
 * @num_pairs: [out] number of @pairs
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_conflicts(const struct loom_group *group, const u32 *places,
			 struct loom_place_pair **pairs, u32 *num_pairs);

/* placement.c */

/** loom_group_place() - offsets for all items. 0, -ENOSPC or -ENOMEM */
int loom_group_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes);

/* divide.c */

/**
 * struct loom_group_cut - a group that was chosen
 * @first_unit: first unit
 * @num_units: number of units
 * @layerwise: one node, lowered as without groups
 * @slices: number of slices
 * @cut_axis: see &struct loom_group
 * @overlap: see &struct loom_group
 * @recompute: see &struct loom_group
 * @batches: see &struct loom_group; 0 is as good as 1
 * @manner: see &struct loom_group
 * @in: what stays before it
 * @out: what stays after it
 * @budget_bytes: what it was fitted into
 * @cost: what it costs
 */
struct loom_group_cut {
	u32 first_unit;
	u32 num_units;
	bool layerwise;
	u32 slices;
	u32 cut_axis;
	bool overlap;
	bool recompute;
	u32 batches;
	enum loom_group_manner manner;
	u8 in;
	u8 out;
	u64 budget_bytes;
	struct loom_group_cost cost;
};

/** loom_group_divide() - the cheapest division; @group is room to try in, @cuts from malloc */
int loom_group_divide(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts);
/** loom_group_remake() - a group as it was chosen, not yet fitted; -EINVAL: that cannot be */
int loom_group_remake(struct loom_group *group, const struct loom_group_cut *cut);

/* explain.c */

/** loom_group_explain() - takes notes of why a division by cost has its cuts. 0 or -ENOMEM */
int loom_group_explain(struct loom_group_list *list, u64 budget, const struct loom_group_cut *cuts,
		       u32 num_cuts);

/* text.c: the text's planner */

/** loom_group_text_divide() - groups from the tail to the head, see there */
int loom_group_text_divide(struct loom_group_list *list, struct loom_group *group,
			   struct loom_group_cut **cuts, u32 *num_cuts);
/**
 * loom_group_text_search() - N, then H: the first way to slice a group that fits
 * @group: room to try in
 * @cut: units and manner; the rest is filled in
 * @limit: a group that takes so many cycles is of no use, and not placed. U64_MAX: there is none,
 *	and nobody counts
 *
 * Return: 0; -EINVAL: these cannot be together; -ENOSPC; -ERANGE: it would be past @limit; -ENOMEM.
 */
int loom_group_text_search(struct loom_group *group, struct loom_group_cut *cut, u64 limit);

/* recompute.c */

/** loom_group_recompute() - makes a division cheaper by groups that compute halos again */
int loom_group_recompute(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut **cuts, u32 *num_cuts);

/* text_placement.c: its weights and its places */

/** loom_group_text_fit() - as loom_group_fit(): weights are held, or loaded as early as can be */
int loom_group_text_fit(struct loom_group *group, u64 budget_bytes);
/** loom_group_text_place() - as loom_group_place(), one after the other */
int loom_group_text_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes);

/* dp.c: planners after the text */

/** loom_group_dp_divide() - the division with the fewest cycles, see there */
int loom_group_dp_divide(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut **cuts, u32 *num_cuts);

/* cycles.c */

/**
 * struct loom_group_streams - what both streams of a group do when
 * @dma: by position of all slices: cycles
 * @compute: likewise
 * @count: number of positions
 */
struct loom_group_streams {
	u64 *dma;
	u64 *compute;
	size_t count;
};

/** loom_group_streams() - of a group whose steps are known. 0, else there is no memory */
int loom_group_streams(const struct loom_group *group, struct loom_group_streams *streams);
/** loom_group_stream_index() - where a position of the first slice is in the tables */
size_t loom_group_stream_index(const struct loom_group *group, s32 position);
/** loom_group_streams_clear() - frees what @streams holds */
void loom_group_streams_clear(struct loom_group_streams *streams);
/** loom_group_cycles() - cycles of a group whose steps are known; 0: no memory */
u64 loom_group_cycles(const struct loom_group *group);
/** loom_group_layerwise_cycles() - cycles of a node, lowered as without groups */
u64 loom_group_layerwise_cycles(const struct loom_group_list *list, u32 unit);
/** loom_group_least_cycles() - adds what a node takes in any group: work, and weights once */
void loom_group_least_cycles(const struct loom_group_list *list, u32 unit, u64 *compute,
			     u64 *weights);

/* emit.c */

/** loom_group_emit() - writes the commands of a group, from lower->step on */
int loom_group_emit(struct loom_lower *lower, struct loom_group *group);

/* group.c */

/**
 * struct loom_group_strategy - a way to make groups
 * @name: what it is called
 * @text: one line about it
 * @divide: which nodes make a group, and how
 * @frugal: it is to move as few DRAM bytes as can be
 */
struct loom_group_strategy {
	const char *name;
	const char *text;
	int (*divide)(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts);
	bool frugal;
};

/** loom_group_strategy_get() - strategies one by one from 0; NULL past the last */
const struct loom_group_strategy *loom_group_strategy_get(u32 index);

struct loom_storage_options;

/**
 * struct loom_group_options - how to plan in groups
 * @strategy: which groups
 * @budget_ms: how long groups are searched for, about in milliseconds; 0: the default
 * @explain: notes of each cut what the division would cost without it
 * @storage: how the arena is placed
 */
struct loom_group_options {
	const struct loom_group_strategy *strategy;
	u64 budget_ms;
	bool explain;
	const struct loom_storage_options *storage;
};

/** loom_group_plan() - lowers a whole graph in groups; its storage is decided, not placed */
int loom_group_plan(struct loom_lower *lower, const struct loom_group_options *options);

#endif /* LOOM_GROUP_H */
