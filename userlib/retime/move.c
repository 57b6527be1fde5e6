// SPDX-License-Identifier: MIT
/* Moves pieces of jobs from positions where transfers outlast arithmetic to idle ones. */
#include "grid.h"

#include <stdlib.h>

/* Limit on the passes over all positions, first those that exceed no idle time. */
#define EXACT_ROUNDS	4
#define ROUNDS		8
/* Maximum distance of a move. */
#define FURTHEST	8192

/**
 * struct mover - the state of moving
 * @r: the plan
 * @walks: for the result and the operand of a piece
 * @saved: cycles saved so far
 * @exceed: a piece may exceed the idle time of a position by a part of a unit
 */
struct mover {
	struct retime *r;
	struct retime_walk walks[2];
	u64 saved;
	bool exceed;
};

static u32 first_allowed(const struct retime *r, const struct retime_job *job)
{
	u32 low = job->low, i;

	for (i = 0; i < job->num_before; i++)
		low = max(low, r->jobs[r->before[job->first_before + i]].max_at);
	return low;
}

static u32 last_allowed(const struct retime *r, const struct retime_job *job)
{
	u32 high = job->high, i;

	for (i = 0; i < job->num_after; i++)
		high = min(high, r->jobs[r->after[job->first_after + i]].min_at);
	return high;
}

/* Cycles saved if @units of a piece move to @to. */
static s64 gain(const struct retime *r, const struct retime_piece *piece, u32 to, u32 units)
{
	const struct retime_job *job = &r->jobs[piece->job];
	const struct retime_position *a = &r->positions[piece->at], *b = &r->positions[to];
	u64 removed = piece->cycles, rest = 0;

	if (units < piece->units) {
		removed = retime_part_cycles(r, job, units);
		rest = retime_part_cycles(r, job, piece->units - units);
	}
	return (s64)(retime_position_cycles(a) + retime_position_cycles(b)) -
	       (s64)(max(a->work, a->moved - piece->cycles + rest) +
		     max(b->work, b->moved + removed));
}

/*
 * Number of units of a piece to move to @to; 0: no gain. *@saved: the gain. If it may @exceed the
 * idle time there, it may have one unit more. Idle times that are shorter than a unit are of no use
 * otherwise, but filled first they are lost to pieces that fit better.
 */
static u32 choose_units(const struct retime *r, const struct retime_piece *piece, u32 to,
			bool exceed, s64 *saved)
{
	const struct retime_job *job = &r->jobs[piece->job];
	const struct retime_position *a = &r->positions[piece->at], *b = &r->positions[to];
	u64 most, each;
	s64 more;
	u32 units;

	most = min(a->moved - a->work, b->work - b->moved);
	if (piece->cycles > most && job->axis != RETIME_NONE) {
		/* rounded up, so that no remainder is left behind */
		each = piece->cycles / piece->units + !!(piece->cycles % piece->units);
		units = min(piece->units, (u32)(most / max(each, 1ULL)));
		*saved = units ? gain(r, piece, to, units) : 0;
		more = exceed && units < piece->units ? gain(r, piece, to, units + 1) : 0;
		if (more > *saved) {
			*saved = more;
			units++;
		}
		if (*saved > 0)
			return units;
	}
	*saved = gain(r, piece, to, piece->units);
	return *saved > 0 ? piece->units : 0;
}

/* The group of a position must keep at least one. */
static bool is_last_of_group(const struct retime *r, const struct retime_piece *piece, u32 units)
{
	const struct retime_position *p = &r->positions[piece->at];

	return p->compute == RETIME_NONE && p->num_pieces == 1 && units == piece->units &&
	       r->group_alive[p->group] == 1;
}

/* Whether both tensors of a job, which are alive together, would get the same bytes. */
static bool is_clash(const struct retime *r, const struct retime_job *job,
		     const struct retime_walk *walks)
{
	const struct retime_tensor *a, *b;

	if (job->tensor[1] == RETIME_NONE || job->tensor[0] == job->tensor[1])
		return false;
	a = &r->tensors[job->tensor[0]];
	b = &r->tensors[job->tensor[1]];
	if (r->anywhere && a->space == RETIME_SCRATCH)
		return false;
	return a->space == b->space && walks[0].start < walks[1].start + b->bytes &&
	       walks[1].start < walks[0].start + a->bytes;
}

/* Both tensors are in the scratch: making room for one ignores the other. */
static bool both_in_scratch(const struct retime *r, const struct retime_job *job)
{
	return job->tensor[1] != RETIME_NONE &&
	       r->tensors[job->tensor[0]].space == RETIME_SCRATCH &&
	       r->tensors[job->tensor[1]].space == RETIME_SCRATCH;
}

/* Whether the lifetime of a tensor, if any, can be extended without a look at other tensors. */
static bool is_free(const struct retime *r, u32 tensor)
{
	return tensor == RETIME_NONE || r->tensors[tensor].alone ||
	       (r->anywhere && r->tensors[tensor].space == RETIME_SCRATCH);
}

static bool try_piece(struct mover *m, u32 index, bool earlier)
{
	struct retime *r = m->r;
	const struct retime_piece *piece = &r->pieces[index];
	const struct retime_job *job = &r->jobs[piece->job];
	u32 end = earlier ? first_allowed(r, job) : last_allowed(r, job);
	bool jumps = is_free(r, job->tensor[0]) && is_free(r, job->tensor[1]);
	u32 at = piece->at, idle, units, k;
	s64 saved;

	if (earlier ? at <= end : at >= end)
		return false;
	if (earlier)
		end = max(end, at - min(at, (u32)FURTHEST));
	else
		end = min(end, at + FURTHEST);
	for (k = 0; k < 2; k++) {
		if (job->tensor[k] == RETIME_NONE)
			continue;
		retime_walk_begin(r, &m->walks[k], job->tensor[k]);
		m->walks[k].pushes = !both_in_scratch(r, job);
	}
	/* an idle position is searched first: walking there is more expensive */
	while ((idle = retime_idle(r, at, end)) != RETIME_NONE) {
		at = jumps ? idle : earlier ? at - 1 : at + 1;
		for (k = 0; k < 2; k++)
			if (job->tensor[k] != RETIME_NONE && !retime_walk_to(r, &m->walks[k], at))
				return false;
		if (is_clash(r, job, m->walks))
			return false;
		if (at != idle)
			continue;
		units = choose_units(r, piece, at, m->exceed, &saved);
		if (!units || is_last_of_group(r, piece, units))
			continue;
		m->saved += saved;
		for (k = 0; k < 2; k++)
			if (job->tensor[k] != RETIME_NONE)
				r->tensors[job->tensor[k]].start = m->walks[k].start;
		retime_shift(r, index, at, units);
		return true;
	}
	return false;
}

/* Moves a part of a piece to the nearest position with a gain. */
static bool move_piece(struct mover *m, u32 index, bool earlier)
{
	m->walks[0].num_pushed = 0;
	m->walks[1].num_pushed = 0;
	if (try_piece(m, index, earlier))
		return true;
	retime_walk_undo(m->r, &m->walks[0]);
	retime_walk_undo(m->r, &m->walks[1]);
	return false;
}

/* Moves the transfers of a position that outlast its arithmetic, as far as possible. */
static void relieve(struct mover *m, u32 at, bool earlier)
{
	struct retime *r = m->r;
	struct retime_position *p = &r->positions[at];
	u32 i, next;

	for (i = p->pieces; i != RETIME_NONE && p->moved > p->work && !r->error; i = next) {
		next = r->pieces[i].next;
		while (p->moved > p->work && r->pieces[i].units && r->pieces[i].at == at)
			if (!move_piece(m, i, earlier))
				break;
	}
}

int retime_move(struct retime *r)
{
	struct mover m = { .r = r };
	u32 round, i;
	u64 before;

	for (round = 0; round < ROUNDS && !r->error; round++) {
		before = m.saved;
		for (i = 0; i < r->num_positions; i++)
			relieve(&m, i, true);
		for (i = r->num_positions; i-- > 0;)
			relieve(&m, i, false);
		if (round + 1 < EXACT_ROUNDS && m.saved != before)
			continue;
		/* not in small graphs, whose divisions are compared by estimates */
		if (r->options->anew || (m.saved == before && m.exceed))
			break;
		m.exceed = true;
	}
	retime_walk_free(&m.walks[0]);
	retime_walk_free(&m.walks[1]);
	return r->error;
}
