/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder: positions, jobs, tensors. */
#ifndef LOOM_RETIME_GRID_H
#define LOOM_RETIME_GRID_H

#include "retime.h"

#define RETIME_NONE	U32_MAX
/* The scratch as a space; other spaces are slots. */
#define RETIME_SCRATCH	U32_MAX
/* Positions in a block of the index of lifetimes. */
#define RETIME_BLOCK	64
/* Parts of jobs whose cycles are kept. */
#define RETIME_PARTS	1024
/* Limit on the tensors moved to make room for another. */
#define RETIME_PUSHED	8

/**
 * struct retime_tensor - a tensor
 * @space: slot that it lies in, or RETIME_SCRATCH
 * @start: its first byte in that space
 * @bytes: its size
 * @read: some command reads it
 * @alone: in a slot, and no other tensor has bytes of it
 * @first: position at which its lifetime begins; RETIME_NONE: it is not used
 * @last: position at which it ends
 * @compute_first: position of the first computation that touches it, or RETIME_NONE
 * @compute_last: position of the last one
 * @first_use: number of uses, by jobs, of all tensors before it
 * @num_uses: number of its own
 * @at: next and previous one with the same @first, and with the same @last, or RETIME_NONE
 */
struct retime_tensor {
	u32 space;
	u64 start;
	u64 bytes;
	bool read;
	bool alone;
	u32 first;
	u32 last;
	u32 compute_first;
	u32 compute_last;
	u32 first_use;
	u32 num_uses;
	struct retime_link {
		u32 next;
		u32 prev;
	} at[2];
};

/**
 * struct retime_job - a command of the DMA stream
 * @command: its number in the sequence
 * @tensor: its result and its operand; RETIME_NONE if there is none
 * @use: its number among the uses of each
 * @axis: axis along which it can be cut; RETIME_NONE: none
 * @units: elements on that axis, else 1
 * @low: first position that computations allow
 * @high: the last
 * @first_before: first of its predecessors, in &retime.before
 * @num_before: number of them
 * @first_after: first of its successors, in &retime.after
 * @num_after: number of them
 * @pieces: the first of its pieces
 * @min_at: position of the earliest piece
 * @max_at: position of the latest
 */
struct retime_job {
	u32 command;
	u32 tensor[2];
	u32 use[2];
	u32 axis;
	u32 units;
	u32 low;
	u32 high;
	u32 first_before;
	u32 num_before;
	u32 first_after;
	u32 num_after;
	u32 pieces;
	u32 min_at;
	u32 max_at;
};

/**
 * struct retime_piece - a part of a job
 * @job: its job
 * @at: position
 * @units: number of its units
 * @cycles: its cycles
 * @next_of_job: next piece of the job, or RETIME_NONE
 * @next: next piece at the same position, or RETIME_NONE
 * @prev: the one before
 */
struct retime_piece {
	u32 job;
	u32 at;
	u32 units;
	u64 cycles;
	u32 next_of_job;
	u32 next;
	u32 prev;
};

/**
 * struct retime_part - the cycles of a part of a job, once computed
 * @command: its number in the sequence
 * @units: of the part; 0: none is known
 * @cycles: its cycles
 */
struct retime_part {
	u32 command;
	u32 units;
	u64 cycles;
};

/**
 * struct retime_position - a step with at most one computation
 * @step: of the original plan
 * @group: number of the fences up to it
 * @compute: number of its command in the sequence, or RETIME_NONE
 * @work: cycles of that
 * @moved: cycles of its pieces
 * @pieces: the first of them, or RETIME_NONE
 * @num_pieces: number of them
 * @begins: the first of the tensors whose life begins here
 * @ends: the first of those whose life ends here
 * @run: number of the resulting step
 */
struct retime_position {
	u32 step;
	u32 group;
	u32 compute;
	u64 work;
	u64 moved;
	u32 pieces;
	u32 num_pieces;
	u32 begins;
	u32 ends;
	u32 run;
};

/**
 * struct retime_extent - positions
 * @first: the first
 * @last: the last
 */
struct retime_extent {
	u32 first;
	u32 last;
};

/**
 * struct retime_list - a list of tensors
 * @items: the tensors
 * @count: number of @items
 * @cap: capacity of @items
 */
struct retime_list {
	u32 *items;
	u32 count;
	u32 cap;
};

struct retime_walk;

/**
 * struct retime - a decomposed plan
 * @build: the plan
 * @options: its limits
 * @room_bytes: limit on the bytes of the scratch that are alive
 * @anywhere: offsets in the scratch do not matter yet, because tensors are placed again at the
 *	end
 * @sequence: its commands in the order in which they run
 * @at: by number in the sequence: position in the original plan
 * @cycles: by number in the sequence
 * @positions: the positions
 * @num_positions: number of @positions
 * @idle: bit per position at which the arithmetic outlasts the transfers
 * @group_alive: by group: positions of it at which there is something
 * @tensors: the tensors
 * @jobs: the jobs, in sequence
 * @num_jobs: number of @jobs
 * @parts: cycles of RETIME_PARTS parts of jobs, by a hash of the part
 * @extents: by tensor: a tree over its uses, see extent.c
 * @before: by job: its predecessors
 * @after: by job: its successors
 * @pieces: the pieces
 * @num_pieces: number of @pieces
 * @cap_pieces: capacity of @pieces
 * @blocks: by block of positions: tensors alive across its begin
 * @num_blocks: number of @blocks
 * @alive: by position: bytes of the scratch that are alive
 * @peaks: by block: most of @alive
 * @spare: scratch memory for spans of tensors that make room
 * @work: spans visited to make room
 * @visits: spans visited to find holes
 * @old_cycles: of the original plan
 * @num_steps: number of resulting steps
 * @error: 0 or -ENOMEM
 */
struct retime {
	struct loom_build *build;
	const struct loom_retime_options *options;
	u64 room_bytes;
	bool anywhere;
	size_t *sequence;
	u32 *at;
	u64 *cycles;
	struct retime_position *positions;
	u32 num_positions;
	u64 *idle;
	u32 *group_alive;
	struct retime_tensor *tensors;
	struct retime_job *jobs;
	u32 num_jobs;
	struct retime_part *parts;
	struct retime_extent *extents;
	u32 *before;
	u32 *after;
	struct retime_piece *pieces;
	u32 num_pieces;
	u32 cap_pieces;
	struct retime_list *blocks;
	u32 num_blocks;
	u64 *alive;
	u64 *peaks;
	struct retime_walk *spare;
	u64 work;
	u64 visits;
	u64 old_cycles;
	u32 num_steps;
	int error;
};

/* The command with number @number of the sequence. */
static inline const struct loom_build_command *retime_command(const struct retime *r, u32 number)
{
	return &r->build->commands[r->sequence[number]];
}

/* Its operands. */
static inline const struct drm_loom_plan_view *retime_views(const struct retime *r, u32 number)
{
	return &r->build->views[retime_command(r, number)->first_view];
}

static inline u64 retime_position_cycles(const struct retime_position *p)
{
	return max(p->work, p->moved);
}

/* grid.c */

/** retime_open() - decomposes a plan. 0 or -ENOMEM */
int retime_open(struct retime *r);
/** retime_close() - frees its memory */
void retime_close(struct retime *r);
/** retime_part_cycles() - cycles of @units of a job */
u64 retime_part_cycles(const struct retime *r, const struct retime_job *job, u32 units);
/** retime_cut() - the views of @units of a command from unit @from on */
void retime_cut(const struct retime *r, const struct retime_job *job, u32 from, u32 units,
		struct drm_loom_plan_view *views);
/** retime_shift() - moves @units of a piece to position @to */
void retime_shift(struct retime *r, u32 piece, u32 to, u32 units);

/** retime_idle() - the nearest idle position from @at to @end, without @at; RETIME_NONE: none */
u32 retime_idle(const struct retime *r, u32 at, u32 end);

/* extent.c */

/** retime_extent_open() - finds the uses of tensors by all jobs. 0 or -ENOMEM */
int retime_extent_open(struct retime *r);
/** retime_extent_update() - updates the ranges after a move of a job */
void retime_extent_update(struct retime *r, const struct retime_job *job);
/** retime_extent() - the range of a tensor's uses; &retime_extent.first is RETIME_NONE if none */
struct retime_extent retime_extent(const struct retime *r, u32 tensor);

/* depend.c */

/** retime_depend() - windows of jobs, and their predecessors. 0 or -ENOMEM */
int retime_depend(struct retime *r);

/* room.c */

/**
 * struct retime_walk - extension of a tensor's lifetime
 * @tensor: the tensor
 * @first: begin of its lifetime, as extended
 * @last: end of its lifetime, as extended
 * @start: its offset then
 * @spans: spans it must not overlap there, once gathered
 * @ends: scratch memory, to sort them by their ends; the allocation of the next two as well
 * @num_spans: number of @spans
 * @cap_spans: capacity of @spans
 * @sums: by span: bytes of it and of those before it
 * @places: candidate offsets with few tensors in the way, and the bytes of those
 * @num_places: number of @places
 * @taken: bitmap of the units of the scratch, to find holes
 * @num_marked: number of @spans that are marked in it
 * @gathered: @spans is valid
 * @pushes: other tensors may be moved to make room
 * @pushed: tensors that were moved
 * @num_pushed: number of @pushed
 */
struct retime_walk {
	u32 tensor;
	u32 first;
	u32 last;
	u64 start;
	struct retime_span {
		u64 start;
		u64 end;
		u32 tensor;
	} *spans;
	struct retime_span *ends;
	u32 num_spans;
	u32 cap_spans;
	u64 *sums;
	struct retime_place {
		u64 cost;
		u32 which;
	} *places;
	u32 num_places;
	u64 *taken;
	u32 num_marked;
	bool gathered;
	bool pushes;
	struct retime_pushed {
		u32 tensor;
		u64 start;
	} pushed[RETIME_PUSHED];
	u32 num_pushed;
};

/** retime_room_open() - makes the index of lifetimes. 0 or -ENOMEM */
int retime_room_open(struct retime *r);
/** retime_room_close() - frees it */
void retime_room_close(struct retime *r);
/** retime_room_live() - sets the lifetime of a tensor */
void retime_room_live(struct retime *r, u32 tensor, u32 first, u32 last);
/** retime_walk_begin() - begins with the current state of a tensor */
void retime_walk_begin(const struct retime *r, struct retime_walk *walk, u32 tensor);
/** retime_walk_free() - frees its memory */
void retime_walk_free(struct retime_walk *walk);
/** retime_walk_undo() - moves back the tensors that made room */
void retime_walk_undo(struct retime *r, struct retime_walk *walk);
/**
 * retime_walk_to() - extends a lifetime
 * @r: the plan
 * @walk: the extension
 * @to: position; the next one, unless the tensor is alone or its offset does not matter
 *
 * Return: false without room.
 */
bool retime_walk_to(struct retime *r, struct retime_walk *walk, u32 to);

/* hole.c */

/** retime_find_hole() - the tightest hole for a tensor among its spans. Returns false if none */
bool retime_find_hole(struct retime *r, struct retime_walk *walk);

/* anew.c */

/** retime_place_again() - places the scratch again. 0, -ENOSPC: found no placement; -ENOMEM */
int retime_place_again(struct retime *r);

/* move.c */

/** retime_move() - moves jobs to positions with idle time. 0 or -ENOMEM */
int retime_move(struct retime *r);

/* merge.c */

/** retime_merge() - merges positions into steps; returns the total cycles, 0: no memory */
u64 retime_merge(struct retime *r);

/* write.c */

/** retime_write() - writes the tables of the plan. 0 or -ENOMEM */
int retime_write(struct retime *r, u64 *scratch_bytes, u32 *steps);

#endif /* LOOM_RETIME_GRID_H */
