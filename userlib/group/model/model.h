/* SPDX-License-Identifier: MIT */
/*
 * DOC: The model of a group: its operations, values and rows
 *
 * All code here works on &struct loom_group: units are appended to it (model.c), which determines
 * its operations (parts) and values (roots), and the cut axis of each. Then rows are computed by
 * slice: strip.c runs forward through the slices and keeps halos in line buffers, halo.c propagates
 * needs back from stored values and recomputes halos. rows.c answers queries about the result. The
 * layers above fill the rest: sizes by measure.c, lifetimes of items by schedule.c, offsets by a
 * placement, @locations by chain.c.
 */
#ifndef LOOM_GROUP_MODEL_H
#define LOOM_GROUP_MODEL_H

#include "base/seen.h"
#include "base/watch.h"
#include "group/model/list.h"

/* Limit on the slices of a group, and on values that may be resident before it and after it. */
#define LOOM_GROUP_SLICES	256
#define LOOM_GROUP_RESIDENTS	(2 * LOOM_GROUP_LIVE)
/* Number of slices from which slices are added at the end for operations that lag behind. */
#define LOOM_GROUP_DRAIN	8
/* &loom_group.need: no slice from here on reads the root. */
#define LOOM_GROUP_UNREAD	U32_MAX

/**
 * enum loom_group_root_kind - origin of the rows of a strip
 * @LOOM_GROUP_INSIDE: the group computes them
 * @LOOM_GROUP_INPUT: they are loaded from DRAM
 */
enum loom_group_root_kind {
	LOOM_GROUP_INSIDE,
	LOOM_GROUP_INPUT,
};

/**
 * struct loom_group_root - a value of the graph that is in SRAM in strips while the group runs
 * @value: its id
 * @kind: origin of its rows
 * @partial: earlier groups have made the rest of it; it is only stored, not read here
 * @axis: axis that is cut, or -1
 * @lane: axis that is distributed over the lanes
 * @lanes: bit per axis: it can be distributed over the lanes
 * @hull: range of strips on the axes that are not cut
 * @first_writer: first part that writes it
 * @last_writer: last part that writes it
 * @first_reader: first part that reads it
 * @last_reader: last part that reads it
 * @read: there are readers
 * @stored: it goes to DRAM
 * @rows: maximum number of rows of a strip
 * @kept: maximum number of rows in the line buffer; 0: there is none
 * @made_lo: recomputed: first row that the group makes
 * @made_hi: recomputed: first row behind
 * @measured: @rows, @kept and the next three are up to date
 * @long_line: the line buffer must outlive slices in which the value is not touched
 * @strip_bytes: SRAM of a strip, per lane
 * @line_bytes: SRAM of the line buffer, per lane
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
	u32 first_writer;
	u32 last_writer;
	u32 first_reader;
	u32 last_reader;
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
	u32 strip;
	u32 line;
};

/**
 * struct loom_group_part - an operation in a group
 * @op: the op
 * @axis: axis of its result that is cut, or -1
 * @root: by operand: index of its value; NONE: it has SRAM of its own
 * @varies: bit per operand without root: the part needed differs between slices
 * @held: bit per operand without root: loaded once
 * @direct: bit per operand without root: read in place, and not loaded
 * @chunk_axis: axis of the result that chunks cut
 * @chunk: elements of a chunk along it; 0: it is not cut into chunks
 * @lead: by operand without root: number of positions by which it is loaded early
 * @kept_chunks: of a streamed operand in chunks, number of leading chunks that are loaded once
 * @measured: the next four are up to date
 * @active: slices in which it makes rows
 * @bytes: by operand without root: SRAM per lane, of a chunk
 * @held_bytes: by operand without root: SRAM per lane, if it is held
 * @loaded_bytes: by operand without root: DRAM bytes of all chunks, in one slice; in all slices if
 *	it varies
 * @first_entry: number of its first entry: an entry has a position: a part or a chunk
 * @entries: number of its entries
 * @item: by operand without root: index of its first item; one for each chunk if streamed
 */
struct loom_group_part {
	const struct loom_group_op *op;
	s8 axis;
	u32 root[LOOM_KERNEL_OPERANDS];
	u32 varies;
	u32 held;
	u32 direct;
	u8 chunk_axis;
	u64 chunk;
	s16 lead[LOOM_KERNEL_OPERANDS];
	u32 kept_chunks;
	bool measured;
	u32 active;
	u64 bytes[LOOM_KERNEL_OPERANDS];
	u64 held_bytes[LOOM_KERNEL_OPERANDS];
	u64 loaded_bytes[LOOM_KERNEL_OPERANDS];
	u32 first_entry;
	u32 entries;
	u32 item[LOOM_KERNEL_OPERANDS];
};

/**
 * struct loom_group_item - an object that needs SRAM
 * @bytes: its size, per lane
 * @from: first position at which it is alive; below 0: in the period of the slice before
 * @to: last position; may be in the period of the next slice
 * @whole: it is alive all the time
 * @buffers: number of its buffers, alive at once
 * @fixed: @offset was decided before this group is placed
 * @offset: by buffer: SRAM offset, bytes per lane
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

/* &loom_group.residency: it is in SRAM as a whole before the group, after it; it is stored first */
#define LOOM_GROUP_RESIDENT_IN		(1 << 0)
#define LOOM_GROUP_RESIDENT_OUT		(1 << 1)
#define LOOM_GROUP_RESIDENT_FLUSH	(1 << 2)

/**
 * struct loom_group_location - place of a resident in SRAM
 * @pinned: @offset was decided before the group that makes it is placed
 * @offset: bytes per lane
 * @tensor: tensor of the plan, while commands are written
 */
struct loom_group_location {
	bool pinned;
	u64 offset;
	u32 tensor;
};

/* &loom_group.faults: reasons to refuse recomputed slices, though they could be run */
/** LOOM_GROUP_FAULT_EMPTY - a slice has no rows of a value */
#define LOOM_GROUP_FAULT_EMPTY		(1 << 0)
/** LOOM_GROUP_FAULT_STALLED - a slice begins or ends no later than the one before */
#define LOOM_GROUP_FAULT_STALLED	(1 << 1)
/** LOOM_GROUP_FAULT_DISJOINT - two readers of a value need rows with others between them */
#define LOOM_GROUP_FAULT_DISJOINT	(1 << 2)
/** LOOM_GROUP_FAULT_OVERLAP - more than half of a value's rows are in more than one slice */
#define LOOM_GROUP_FAULT_OVERLAP	(1 << 3)

struct loom_group_rules;

/**
 * struct loom_group - nodes that run together
 * @list: the graph as operations
 * @first_unit: first unit
 * @num_units: number of units
 * @slices: number of slices
 * @input_slices: slices that load data; in later ones operations that lag behind finish
 * @overlap: loads share positions with the operation before
 * @recompute: halos are loaded and computed again; else line buffers keep them
 * @batches: recomputed: pieces of axis 0, each of which is cut into @slices / @batches. 1: axis 0
 *	is not cut in addition
 * @batch_dim: elements of axis 0 of all values, if it is cut
 * @rules: fitting and placement rules of the current strategy
 * @rows_known: recomputed: the rows are known
 * @faults: recomputed: LOOM_GROUP_FAULT_*
 * @cut_axis: axis to cut of a result whose operands determine none
 * @parts: operations in order
 * @unfitted: the operations before a fit
 * @num_parts: number of @parts
 * @cap_parts: capacity of @parts, @unfitted, @first and @done
 * @roots: values with strips
 * @num_roots: number of @roots
 * @cap_roots: capacity of @roots, @loaded, @need and @active
 * @first: by part and slice: recomputed: first row of its result that the slice makes
 * @done: by part and slice: rows of its result that exist after the slice
 * @loaded: by root and slice: INPUT: rows that exist after the slice. Recomputed: end of the
 *	strip
 * @need: by root and slice: first row that the slice or a later one reads. Recomputed: begin of
 *	the strip
 * @active: by root and slice: it is written or read then
 * @local: by value id: index of the root, plus one; 0: none
 * @residency: by value id: LOOM_GROUP_RESIDENT_*
 * @residents: ids of values that have such flags
 * @resident_items: by resident: its item
 * @num_residents: number of @residents
 * @locations: by value id: places of residents
 * @unpinned: residents may be at any offset, because other groups have not decided it yet
 * @keep_halos: where a strategy may choose: recomputation is forbidden
 * @quick_only: placement stops if quick strategies find none
 * @misfits: digests of failed placements
 * @items: objects that need SRAM
 * @num_items: number of @items
 * @num_shared: number of leading items that are strips, line buffers and residents
 * @cap_items: capacity of @items
 * @num_entries: number of entries, see &struct loom_group_part
 * @period: positions of a slice
 * @change: by position: change of the bytes alive, for loom_group_peak()
 * @alive: by position: bytes alive there, but not throughout the period (weights.c)
 * @cap_period: capacity of @change and @alive
 * @cost: its cost
 * @budget: limit on the work of finding groups, in units of about 50 ns
 * @work: work spent with this group, in the same unit
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
	const struct loom_group_rules *rules;
	bool rows_known;
	u32 faults;
	u32 cut_axis;
	struct loom_group_part *parts;
	struct loom_group_part *unfitted;
	u32 num_parts;
	u32 cap_parts;
	struct loom_group_root *roots;
	u32 num_roots;
	u32 cap_roots;
	u32 *first;
	u32 *done;
	u32 *loaded;
	u32 *need;
	u8 *active;
	u32 *local;
	u8 *residency;
	u32 residents[LOOM_GROUP_RESIDENTS];
	u32 resident_items[LOOM_GROUP_RESIDENTS];
	u32 num_residents;
	struct loom_group_location *locations;
	bool unpinned;
	bool keep_halos;
	bool quick_only;
	struct loom_seen misfits;
	struct loom_group_item *items;
	u32 num_items;
	u32 num_shared;
	u32 cap_items;
	u32 num_entries;
	s32 period;
	s64 *change;
	u64 *alive;
	u32 cap_period;
	struct loom_group_cost cost;
	u64 budget;
	u64 work;
};

/* model.c: contents of a group */

/** loom_group_make() - room for a group of ops of @list; NULL: no memory */
struct loom_group *loom_group_make(const struct loom_group_list *list,
				   const struct loom_group_rules *rules);
/** loom_group_free() - frees a group; NULL is fine */
void loom_group_free(struct loom_group *group);

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

/* resident.c */

/**
 * loom_group_takes_place() - whether a resident that the group makes overwrites another one
 * @group: its rows must be known
 * @value: the resident
 * @over: [out] the other one
 *
 * Return: true if it does.
 */
bool loom_group_takes_place(const struct loom_group *group, u32 value, u32 *over);
/** loom_group_set_residents() - sets the choices at both cuts; returns false if impossible */
bool loom_group_set_residents(struct loom_group *group, u8 in, u8 out);

/* box.c */

/** loom_group_value_box() - the part of its value that part @of of an operand covers */
void loom_group_value_box(const struct loom_group *group, u32 index, u32 operand,
			  const struct loom_group_box *of, struct loom_group_box *box);
/** loom_group_seen_box() - the part of its value that an operand of part @index reads or writes */
void loom_group_seen_box(const struct loom_group *group, u32 index, u32 operand,
			 struct loom_group_box *box);

/* strip.c: rows of slices, with line buffers */

/** loom_group_run_part() - computes the rows of part @index by slice; false: some are missing */
bool loom_group_run_part(struct loom_group *group, u32 index);
/** loom_group_even_rows() - rows of @rows that are loaded up to a slice */
u64 loom_group_even_rows(const struct loom_group *group, u64 rows, u32 slice);
/** loom_group_note_reads() - records the rows of an operand that part @index reads, by slice */
void loom_group_note_reads(struct loom_group *group, u32 index, u32 operand);
/** loom_group_note_writes() - records the slices in which part @index writes; aligns writers */
void loom_group_note_writes(struct loom_group *group, u32 index);

/* halo.c: rows of slices, with recomputed halos */

/** loom_group_halos() - rows of all parts and roots, from the end to the begin; sets @faults */
void loom_group_halos(struct loom_group *group);
/** loom_group_can_batch() - axis 0 of all values of part @index can be cut in addition */
bool loom_group_can_batch(struct loom_group *group, u32 index);
/** loom_group_stored() - rows [@lo, @hi) of the result of part @index that a slice stores */
void loom_group_stored(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi);

/* rows.c: rows that exist, slice by slice */

/** loom_group_row() - in an array of the group: the row of part or root @index after a slice */
static inline u32 *loom_group_row(u32 *rows, u32 index, u32 slice)
{
	return &rows[(size_t)index * LOOM_GROUP_SLICES + slice];
}

/** loom_group_root_use() - the value of root @root */
static inline const struct loom_group_use *loom_group_root_use(const struct loom_group *group,
							       u32 root)
{
	return &group->list->uses[group->roots[root].value];
}

/** loom_group_part_rows() - rows of the result of a part that is cut, in all */
static inline u64 loom_group_part_rows(const struct loom_group_part *part)
{
	return part->op->kernel.operands[0].ref.dims[part->axis];
}

/** loom_group_is_own() - operand @i of a part has SRAM of its own: no strip, resident, in place */
bool loom_group_is_own(const struct loom_group *group, const struct loom_group_part *part, u32 i);
/** loom_group_sums_chunks() - chunks cut the summed axis: each adds to all of the result */
static inline bool loom_group_sums_chunks(const struct loom_group_part *part)
{
	return part->chunk && part->op->kernel.sums != LOOM_KERNEL_NO_SUMS &&
	       part->chunk_axis == LOOM_SUM_AXIS;
}

/** loom_group_part_start() - begin of a part's result in its value, along the cut axis */
u64 loom_group_part_start(const struct loom_group_part *part);
/** loom_group_rows() - rows [@lo, @hi) of the result that part @index makes in a slice */
void loom_group_rows(const struct loom_group *group, u32 index, u32 slice, u64 *lo, u64 *hi);
/** loom_group_strip() - rows of a root that are in SRAM during a slice; false: none */
bool loom_group_strip(const struct loom_group *group, u32 root, u32 slice, u64 *lo, u64 *hi);
/** loom_group_fresh() - rows [@lo, @hi) of an INPUT root that a slice loads */
void loom_group_fresh(const struct loom_group *group, u32 root, u32 slice, u64 *lo, u64 *hi);
/** loom_group_batch() - restricts axis 0 of a box to a slice's part of it */
void loom_group_batch(const struct loom_group *group, u32 slice, struct loom_group_box *box);
/** loom_group_kept() - rows that part @index made before a slice and that the slice needs */
bool loom_group_kept(const struct loom_group *group, u32 root, u32 index, u32 slice, u64 *lo,
		     u64 *hi);
/** loom_group_part_box() - the box that a chunk of a part makes in a slice; false: none */
bool loom_group_part_box(const struct loom_group *group, u32 index, u32 slice, u32 chunk,
			 struct loom_group_box *box);

/** loom_group_spend() - counts work for a group */
static inline void loom_group_spend(struct loom_group *group, u64 work)
{
	group->work += work;
	loom_watch_spend(work);
}

#endif /* LOOM_GROUP_MODEL_H */
