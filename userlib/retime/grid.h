/* SPDX-License-Identifier: MIT */
/* What the files of this room share: positions, jobs, tensors. */
#ifndef LOOM_RETIME_GRID_H
#define LOOM_RETIME_GRID_H

#include "retime.h"

#define RETIME_NONE	U32_MAX
/* The scratch, as a space; others are slots. */
#define RETIME_SCRATCH	U32_MAX
/* Positions in a block of the index of lifetimes. */
#define RETIME_BLOCK	64
/* Tensors that make way for another at most. */
#define RETIME_PUSHED	8

/**
 * struct retime_tensor - a tensor
 * @space: slot that it lies in, or RETIME_SCRATCH
 * @start: first byte there
 * @bytes: its size
 * @read: some command reads it
 * @first: position at which its life begins; RETIME_NONE: it is not used
 * @last: position at which it ends
 * @compute_first: the first at which it is computed with, or RETIME_NONE
 * @compute_last: the last
 * @first_use: number of uses, by jobs, of all tensors before it
 * @num_uses: number of its own
 * @next_first: next one with the same @first, or RETIME_NONE
 * @prev_first: the one before
 * @next_last: the same for @last
 * @prev_last: the one before
 */
struct retime_tensor {
	u32 space;
	u64 start;
	u64 bytes;
	bool read;
	u32 first;
	u32 last;
	u32 compute_first;
	u32 compute_last;
	u32 first_use;
	u32 num_uses;
	u32 next_first;
	u32 prev_first;
	u32 next_last;
	u32 prev_last;
};

/**
 * struct retime_job - a command of the DMA stream
 * @command: its number in the sequence
 * @tensor: what it writes, what it reads; RETIME_NONE for nothing
 * @use: its number among the uses of each
 * @axis: it can be cut along this axis; RETIME_NONE: it cannot
 * @units: elements on that axis, else 1
 * @low: first position at which computations allow it
 * @high: the last
 * @first_before: first of the jobs that have to come before, in &retime.before
 * @num_before: number of them
 * @first_after: first of those that have to come after, in &retime.after
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
 * @job: which
 * @at: position
 * @units: how much of it
 * @cycles: how long it takes
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
 * struct retime_position - a step that computes one command at most
 * @step: of the plan as it was
 * @group: number of the fences up to it
 * @compute: number of its command in the sequence, or RETIME_NONE
 * @work: cycles of that
 * @moved: cycles of its pieces
 * @pieces: the first of them, or RETIME_NONE
 * @num_pieces: number of them
 * @begins: the first of the tensors whose life begins here
 * @ends: the first of those whose life ends here
 * @run: number of the step that it becomes a part of
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
 * @items: they
 * @count: number of @items
 * @cap: room in @items
 */
struct retime_list {
	u32 *items;
	u32 count;
	u32 cap;
};

struct retime_walk;

/**
 * struct retime - a plan that is taken apart
 * @build: the plan
 * @options: what it may use
 * @room_bytes: of the scratch, how much may be alive
 * @anywhere: it does not matter yet where tensors lie in the scratch: they are placed anew at the
 *	end
 * @sequence: its commands in the order in which they run
 * @at: by number in the sequence: position as the plan was
 * @cycles: by number in the sequence
 * @positions: the positions
 * @num_positions: number of @positions
 * @idle: a bit for each position at which the arithmetic outlasts what moves
 * @group_alive: by group: positions of it at which there is something
 * @tensors: the tensors
 * @jobs: the jobs, in sequence
 * @num_jobs: number of @jobs
 * @extents: by tensor: a tree over its uses, see extent.c
 * @before: by job: those that have to come before
 * @after: by job: those that have to come after
 * @pieces: the pieces
 * @num_pieces: number of @pieces
 * @cap_pieces: room in @pieces
 * @blocks: by block of positions: tensors whose life began before it and goes on in it
 * @num_blocks: number of @blocks
 * @alive: by position: bytes of the scratch that are alive
 * @spare: room for spans, for tensors that make way
 * @work: spans that were looked at, to make way
 * @looks: spans that were looked at, to find holes
 * @old_cycles: of the plan as it was
 * @num_steps: steps that positions have become
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
	struct retime_extent *extents;
	u32 *before;
	u32 *after;
	struct retime_piece *pieces;
	u32 num_pieces;
	u32 cap_pieces;
	struct retime_list *blocks;
	u32 num_blocks;
	u64 *alive;
	struct retime_walk *spare;
	u64 work;
	u64 looks;
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

/** retime_open() - takes a plan apart. 0 or -ENOMEM */
int retime_open(struct retime *r);
/** retime_close() - frees what it holds */
void retime_close(struct retime *r);
/** retime_part_cycles() - how long @units of a job take */
u64 retime_part_cycles(const struct retime *r, const struct retime_job *job, u32 units);
/** retime_cut() - the views of @units of a command from unit @from on */
void retime_cut(const struct retime *r, const struct retime_job *job, u32 from, u32 units,
		struct drm_loom_plan_view *views);
/** retime_shift() - moves @units of a piece to position @to */
void retime_shift(struct retime *r, u32 piece, u32 to, u32 units);

/** retime_idle() - the nearest idle position from @at to @end, without @at; RETIME_NONE: none */
u32 retime_idle(const struct retime *r, u32 at, u32 end);

/* extent.c */

/** retime_extent_open() - where tensors are used, by all jobs. 0 or -ENOMEM */
int retime_extent_open(struct retime *r);
/** retime_extent_update() - a job has moved */
void retime_extent_update(struct retime *r, const struct retime_job *job);
/** retime_extent() - where a tensor is used; &retime_extent.first is RETIME_NONE if by no job */
struct retime_extent retime_extent(const struct retime *r, u32 tensor);

/* depend.c */

/** retime_depend() - windows of jobs, and which have to come before which. 0 or -ENOMEM */
int retime_depend(struct retime *r);

/* room.c */

/**
 * struct retime_walk - how far a tensor's life can reach
 * @tensor: which
 * @first: where it begins, with what was added
 * @last: where it ends
 * @start: where it lies then
 * @spans: what it must not overlap there, once that was looked for
 * @merged: room for as many, to sort them
 * @ends: likewise, to sort them by their ends
 * @num_spans: number of @spans
 * @num_sorted: how many of them, the first ones, are in order
 * @cap_spans: room in @spans
 * @costs: by place that is worth a try: bytes that are in the way there
 * @taken: room for a bit for each unit of the scratch, to find holes
 * @gathered: it was looked for
 * @pushes: others may make way for it
 * @pushed: tensors that have made way
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
	struct retime_span *merged, *ends;
	u32 num_spans;
	u32 num_sorted;
	u32 cap_spans;
	u64 *costs;
	u64 *taken;
	bool gathered;
	bool pushes;
	struct retime_pushed {
		u32 tensor;
		u64 start;
	} pushed[RETIME_PUSHED];
	u32 num_pushed;
};

/** retime_room_open() - an index of lifetimes. 0 or -ENOMEM */
int retime_room_open(struct retime *r);
/** retime_room_close() - frees it */
void retime_room_close(struct retime *r);
/** retime_room_live() - says how long a tensor lives */
void retime_room_live(struct retime *r, u32 tensor, u32 first, u32 last);
/** retime_walk_begin() - a tensor as it is */
void retime_walk_begin(const struct retime *r, struct retime_walk *walk, u32 tensor);
/** retime_walk_free() - frees what it holds */
void retime_walk_free(struct retime_walk *walk);
/** retime_walk_undo() - what made way for it goes back to where it was */
void retime_walk_undo(struct retime *r, struct retime_walk *walk);
/** retime_walk_to() - its life reaches one position further, to @at. False: there is no room */
bool retime_walk_to(struct retime *r, struct retime_walk *walk, u32 at);

/* hole.c */

/** retime_find_hole() - the tightest hole for a tensor among its spans. False: there is none */
bool retime_find_hole(struct retime *r, struct retime_walk *walk);
/** retime_sort_spans() - puts spans in order */
void retime_sort_spans(struct retime_walk *walk);
/** retime_merge_spans() - sorts spans; the result is in @spans, and @room has as many */
void retime_merge_spans(struct retime_span **spans, struct retime_span **room, u32 count);

/* anew.c */

/** retime_anew() - places anew what is in the scratch. 0, -ENOSPC: found no placement; -ENOMEM */
int retime_anew(struct retime *r);

/* move.c */

/** retime_move() - moves jobs to where there is time. 0 or -ENOMEM */
int retime_move(struct retime *r);

/* merge.c */

/** retime_merge() - positions become steps; returns the cycles of all, 0: no memory */
u64 retime_merge(struct retime *r);

/* write.c */

/** retime_write() - writes the tables of the plan. 0 or -ENOMEM */
int retime_write(struct retime *r, u64 *scratch_bytes, u32 *steps);

#endif /* LOOM_RETIME_GRID_H */
