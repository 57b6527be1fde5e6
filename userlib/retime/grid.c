// SPDX-License-Identifier: MIT
/* Decomposition of a plan into positions, jobs and tensors. */
#include "grid.h"

#include "base/watch.h"
#include "plan/time.h"

#include <errno.h>
#include <stdlib.h>

/* Number of elements from which an axis is cut in preference to inner ones. */
#define ENOUGH_UNITS	16

void retime_cut(const struct retime *r, const struct retime_job *job, u32 from, u32 units,
		struct drm_loom_plan_view *views)
{
	const struct loom_build_command *command = retime_command(r, job->command);
	u32 i;

	memcpy(views, retime_views(r, job->command), command->operands * sizeof(*views));
	if (job->axis == RETIME_NONE)
		return;
	for (i = 0; i < command->operands; i++) {
		struct drm_loom_plan_view *view = &views[i];
		const struct drm_loom_plan_tensor *tensor = &r->build->tensors[view->tensor];

		view->dims[job->axis] = units;
		if (tensor->region == DRM_LOOM_REGION_SRAM && view->lane_axis == job->axis)
			view->lane_start += from;
		else
			view->offset += (u64)from * (u64)view->strides[job->axis];
	}
}

u64 retime_part_cycles(const struct retime *r, const struct retime_job *job, u32 units)
{
	const struct loom_build_command *command = retime_command(r, job->command);
	struct retime_part *memo = &r->parts[(job->command * 61 + units) % RETIME_PARTS];
	struct drm_loom_plan_view views[DRM_LOOM_MAX_OPERANDS];
	struct loom_clock_cost cost;

	if (units == job->units)
		return r->cycles[job->command];
	if (memo->command != job->command || memo->units != units) {
		retime_cut(r, job, 0, units, views);
		loom_plan_time(r->options->chip, r->build->tensors, command->opcode,
			       r->build->attrs + command->attr_offset, views, command->operands,
			       &cost);
		*memo = (struct retime_part){ job->command, units, cost.cycles };
	}
	return memo->cycles;
}

/* The axis of @tensor with unit steps of @stride, besides that over the lanes; or rank. */
static u32 axis_of(const struct drm_loom_plan_tensor *tensor, u64 stride)
{
	bool sram = tensor->region == DRM_LOOM_REGION_SRAM;
	u32 i;

	for (i = 0; i < tensor->rank; i++)
		if (tensor->strides[i] == stride && tensor->dims[i] > 1 &&
		    !(sram && i == tensor->lane_axis))
			break;
	return i;
}

/* The bytes from an index of an axis to the next, in either direction. */
static u64 step_of(const struct drm_loom_plan_view *view, u32 axis)
{
	s64 stride = view->strides[axis];

	return stride < 0 ? 0 - (u64)stride : (u64)stride;
}

/*
 * Whether indices of a view along its lane axis are indices of the tensor along its own, in boxes.
 * A flat tensor may be seen as rows whose lane axis is inside of them: then a part of a lane is
 * some elements of each row.
 */
static bool is_lane_box(const struct retime *r, const struct drm_loom_plan_tensor *tensor,
			const struct drm_loom_plan_view *view)
{
	u64 stride = tensor->strides[tensor->lane_axis], one;
	u64 each = loom_div_round_up(tensor->dims[tensor->lane_axis], r->build->lanes);
	u32 i;

	if (each == 1)
		return true;
	for (i = 0; i < view->rank; i++) {
		one = step_of(view, i);
		if (i == view->lane_axis ? one != stride :
		    view->dims[i] > 1 && one >= stride && one < each * stride)
			return false;
	}
	return true;
}

/*
 * Whether a part along @axis of a command's result is a box of its tensor, like the whole. The
 * verifier tracks written boxes, but not, for example, every eighth element of a row, which a part
 * of a transposing copy may be. A tensor without readers need not be tracked.
 */
static bool writes_boxes(const struct retime *r, const struct drm_loom_plan_view *view, u32 axis)
{
	const struct drm_loom_plan_tensor *tensor = &r->build->tensors[view->tensor];
	bool sram = tensor->region == DRM_LOOM_REGION_SRAM;
	u64 stride = view->strides[axis], inside = 0, first = view->offset, outside, one;
	u32 i, at = axis_of(tensor, stride);

	if (!r->tensors[view->tensor].read)
		return true;
	if (sram && view->lane_axis == axis)
		return is_lane_box(r, tensor, view);
	if (at == tensor->rank)
		return false;
	outside = stride * tensor->dims[at];
	for (i = 0; i < view->rank; i++) {
		if (i == axis || view->dims[i] == 1 || (sram && i == view->lane_axis))
			continue;
		one = step_of(view, i);
		if (view->strides[i] < 0)
			first -= (view->dims[i] - 1) * one;
		if (one < stride)
			inside += (view->dims[i] - 1) * one;
		else if (one < outside || axis_of(tensor, one) == tensor->rank)
			return false;
	}
	/* past the end of an axis only in whole rows */
	if (first % outside + (view->dims[axis] - 1) * stride + inside >= outside)
		return inside + loom_dtype_stride(view->dtype) == stride;
	return first % stride + inside < stride;
}

/* The outermost axis that is long enough, or the longest. */
static void choose_axis(const struct retime *r, struct retime_job *job)
{
	const struct loom_build_command *command = retime_command(r, job->command);
	const struct drm_loom_plan_view *views = retime_views(r, job->command);
	u32 i;

	job->axis = RETIME_NONE;
	job->units = 1;
	/* the attributes of a command exist once */
	if (command->operands != 2 || command->attr_bytes || views[0].rank != views[1].rank)
		return;
	for (i = 0; i < views[0].rank; i++)
		if (views[0].dims[i] != views[1].dims[i])
			return;
	for (i = 0; i < views[0].rank && job->units < ENOUGH_UNITS; i++) {
		if (views[0].dims[i] > job->units && writes_boxes(r, &views[0], i)) {
			job->units = views[0].dims[i];
			job->axis = i;
		}
	}
}

/* Adds @cycles to the transfers at a position. */
static void add_moved(struct retime *r, u32 at, u64 cycles)
{
	struct retime_position *p = &r->positions[at];

	p->moved += cycles;
	if (p->moved < p->work)
		r->idle[at / 64] |= 1ULL << (at % 64);
	else
		r->idle[at / 64] &= ~(1ULL << (at % 64));
}

static void link_piece(struct retime *r, u32 index, u32 at)
{
	struct retime_piece *piece = &r->pieces[index];
	struct retime_position *p = &r->positions[at];

	if (!p->num_pieces++ && p->compute == RETIME_NONE)
		r->group_alive[p->group]++;
	piece->at = at;
	piece->prev = RETIME_NONE;
	piece->next = p->pieces;
	if (p->pieces != RETIME_NONE)
		r->pieces[p->pieces].prev = index;
	p->pieces = index;
	add_moved(r, at, piece->cycles);
}

static void unlink_piece(struct retime *r, u32 index)
{
	struct retime_piece *piece = &r->pieces[index];
	struct retime_position *p = &r->positions[piece->at];

	if (!--p->num_pieces && p->compute == RETIME_NONE)
		r->group_alive[p->group]--;
	if (piece->prev == RETIME_NONE)
		p->pieces = piece->next;
	else
		r->pieces[piece->prev].next = piece->next;
	if (piece->next != RETIME_NONE)
		r->pieces[piece->next].prev = piece->prev;
	add_moved(r, piece->at, 0 - piece->cycles);
}

/* Makes a piece; RETIME_NONE on failure. */
static u32 make_piece(struct retime *r, u32 job, u32 units)
{
	struct retime_piece *larger;

	larger = loom_memory_grow(r->pieces, r->num_pieces, &r->cap_pieces, sizeof(*larger));
	if (!larger) {
		r->error = -ENOMEM;
		return RETIME_NONE;
	}
	r->pieces = larger;
	r->pieces[r->num_pieces] = (struct retime_piece){
		.job = job,
		.units = units,
		.cycles = retime_part_cycles(r, &r->jobs[job], units),
		.next_of_job = r->jobs[job].pieces,
	};
	r->jobs[job].pieces = r->num_pieces;
	return r->num_pieces++;
}

static void set_units(struct retime *r, u32 index, u32 units)
{
	struct retime_piece *piece = &r->pieces[index];
	u64 before = piece->cycles;

	piece->units = units;
	piece->cycles = retime_part_cycles(r, &r->jobs[piece->job], units);
	add_moved(r, piece->at, piece->cycles - before);
}

static void measure_job(struct retime *r, struct retime_job *job)
{
	u32 i;

	job->min_at = RETIME_NONE;
	job->max_at = 0;
	for (i = job->pieces; i != RETIME_NONE; i = r->pieces[i].next_of_job) {
		if (!r->pieces[i].units)
			continue;
		job->min_at = min(job->min_at, r->pieces[i].at);
		job->max_at = max(job->max_at, r->pieces[i].at);
	}
}

static void measure_tensor(struct retime *r, u32 index)
{
	const struct retime_tensor *tensor = &r->tensors[index];
	const struct retime_extent extent = retime_extent(r, index);

	retime_room_live(r, index, min(tensor->compute_first, extent.first),
			 max(tensor->compute_last, extent.last));
}

void retime_shift(struct retime *r, u32 index, u32 to, u32 units)
{
	u32 number = r->pieces[index].job, other, i;
	struct retime_job *job = &r->jobs[number];

	/* an existing piece takes it, or an empty one */
	for (other = job->pieces; other != RETIME_NONE; other = r->pieces[other].next_of_job)
		if (r->pieces[other].units && r->pieces[other].at == to)
			break;
	if (units == r->pieces[index].units) {
		unlink_piece(r, index);
		if (other == RETIME_NONE)
			link_piece(r, index, to);
		else
			r->pieces[index].units = 0;
	} else {
		set_units(r, index, r->pieces[index].units - units);
		if (other == RETIME_NONE) {
			i = make_piece(r, number, units);
			if (i == RETIME_NONE)
				return;
			link_piece(r, i, to);
		}
	}
	if (other != RETIME_NONE)
		set_units(r, other, r->pieces[other].units + units);
	measure_job(r, job);
	retime_extent_update(r, job);
	for (i = 0; i < 2; i++)
		if (job->tensor[i] != RETIME_NONE)
			measure_tensor(r, job->tensor[i]);
}

u32 retime_idle(const struct retime *r, u32 at, u32 end)
{
	bool earlier = end < at;
	u32 low = earlier ? end : at + 1, high = earlier ? at : end + 1, word;
	u64 bits;

	while (low < high) {
		word = (earlier ? high - 1 : low) / 64;
		bits = r->idle[word];
		if (low > word * 64)
			bits &= ~0ULL << (low % 64);
		if (high < (word + 1) * 64)
			bits &= ~(~0ULL << (high % 64));
		if (bits)
			return word * 64 + (earlier ? 63 - (u32)__builtin_clzll(bits) :
					    (u32)__builtin_ctzll(bits));
		if (earlier)
			high = word * 64;
		else
			low = (word + 1) * 64;
	}
	return RETIME_NONE;
}

/* Makes a position for each command that computes, and for each step that only moves. */
static int make_positions(struct retime *r)
{
	const struct loom_build *build = r->build;
	const struct loom_retime_options *o = r->options;
	u32 i, fence = 0, now = RETIME_NONE;
	u64 dma = 0, compute = 0;

	r->positions = calloc(build->num_commands + build->num_steps + 1, sizeof(*r->positions));
	if (!r->positions)
		return -ENOMEM;
	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *command = retime_command(r, i);
		bool fresh = command->step != now;
		struct retime_position *p;

		if (fresh && now != RETIME_NONE)
			r->old_cycles += loom_clock_step(true, dma, compute);
		if (fresh) {
			dma = 0;
			compute = 0;
		}
		now = command->step;
		*(command->stream ? &compute : &dma) += r->cycles[i];
		if (fresh || (command->stream &&
			      r->positions[r->num_positions - 1].compute != RETIME_NONE)) {
			while (fence < o->num_fences && o->fences[fence] <= now)
				fence++;
			r->positions[r->num_positions++] = (struct retime_position){
				.step = now, .group = fence, .compute = RETIME_NONE,
				.pieces = RETIME_NONE, .begins = RETIME_NONE, .ends = RETIME_NONE,
			};
		}
		p = &r->positions[r->num_positions - 1];
		r->at[i] = r->num_positions - 1;
		if (!command->stream)
			continue;
		p->compute = i;
		p->work = r->cycles[i];
		r->group_alive[p->group]++;
	}
	if (now != RETIME_NONE)
		r->old_cycles += loom_clock_step(true, dma, compute);
	r->idle = calloc(r->num_positions / 64 + 1, sizeof(*r->idle));
	if (!r->idle)
		return -ENOMEM;
	for (i = 0; i < r->num_positions; i++)
		add_moved(r, i, 0);
	return 0;
}

static void make_tensors(struct retime *r)
{
	const struct loom_build *build = r->build;
	u32 i, k;

	for (i = 0; i < build->num_tensors; i++) {
		const struct drm_loom_plan_tensor *from = &build->tensors[i];

		r->tensors[i] = (struct retime_tensor){
			.space = loom_build_in_slot(from) ? from->slot : RETIME_SCRATCH,
			.start = from->offset,
			.bytes = from->size,
			.first = RETIME_NONE,
			.compute_first = RETIME_NONE,
		};
	}
	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *command = retime_command(r, i);

		for (k = 0; k < command->operands; k++) {
			struct retime_tensor *tensor =
				&r->tensors[retime_views(r, i)[k].tensor];

			tensor->read |= k > 0;
			if (!command->stream)
				continue;
			tensor->compute_first = min(tensor->compute_first, r->at[i]);
			tensor->compute_last = max(tensor->compute_last, r->at[i]);
		}
	}
}

static int make_jobs(struct retime *r)
{
	u32 i, piece;

	for (i = 0; i < r->build->num_commands; i++) {
		const struct loom_build_command *command = retime_command(r, i);
		struct retime_job *job = &r->jobs[r->num_jobs];

		if (command->stream)
			continue;
		*job = (struct retime_job){
			.command = i,
			.tensor = { retime_views(r, i)[0].tensor, RETIME_NONE },
			.high = r->num_positions - 1,
			.pieces = RETIME_NONE,
		};
		if (command->operands > 1)
			job->tensor[1] = retime_views(r, i)[1].tensor;
		choose_axis(r, job);
		piece = make_piece(r, r->num_jobs++, job->units);
		if (piece == RETIME_NONE)
			return -ENOMEM;
		link_piece(r, piece, r->at[i]);
		job->min_at = r->at[i];
		job->max_at = r->at[i];
	}
	return 0;
}

int retime_open(struct retime *r)
{
	struct loom_build *build = r->build;
	struct loom_clock_cost cost;
	u32 i;
	int ret;

	r->sequence = loom_build_order(build);
	r->at = calloc(build->num_commands + 1, sizeof(*r->at));
	r->cycles = calloc(build->num_commands + 1, sizeof(*r->cycles));
	r->group_alive = calloc((size_t)r->options->num_fences + 2, sizeof(*r->group_alive));
	r->tensors = calloc(build->num_tensors + 1, sizeof(*r->tensors));
	r->jobs = calloc(build->num_commands + 1, sizeof(*r->jobs));
	r->parts = calloc(RETIME_PARTS, sizeof(*r->parts));
	if (!r->sequence || !r->at || !r->cycles || !r->group_alive || !r->tensors || !r->jobs ||
	    !r->parts)
		return -ENOMEM;
	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *command = retime_command(r, i);

		loom_plan_time(r->options->chip, build->tensors, command->opcode,
			       build->attrs + command->attr_offset, retime_views(r, i),
			       command->operands, &cost);
		r->cycles[i] = cost.cycles;
	}
	ret = make_positions(r);
	if (ret)
		return ret;
	make_tensors(r);
	ret = loom_watch_spend(build->num_tensors + build->num_commands) ? -ENOMEM : make_jobs(r);
	if (ret)
		return ret;
	ret = retime_extent_open(r);
	if (!ret)
		ret = retime_depend(r);
	if (!ret)
		ret = retime_room_open(r);
	for (i = 0; i < build->num_tensors && !ret; i++)
		measure_tensor(r, i);
	return ret ? ret : r->error;
}

void retime_close(struct retime *r)
{
	retime_room_close(r);
	free(r->sequence);
	free(r->at);
	free(r->cycles);
	free(r->positions);
	free(r->idle);
	free(r->group_alive);
	free(r->tensors);
	free(r->jobs);
	free(r->parts);
	free(r->extents);
	free(r->before);
	free(r->after);
	free(r->pieces);
}
