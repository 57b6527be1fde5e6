// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv_f32.h"

/**
 * DOC: Convolution
 *
 * Direct, without im2col: there is no memory to unfold the input into. A block of outputs, one or
 * four channels of up to 32 positions, is kept in registers over the loop on inputs and taps. Four
 * channels share what is read of x.
 *
 * The terms of an output and their order depend on the output's position in the convolution only:
 * for each input channel, for each kd and kh whose row of taps meets x, for each kw, x * w, where x
 * is 0 outside of its rows. The bits do not depend on which outputs share a block, how many
 * there are in the command, or how the units are cut; so a slice of a convolution that has all
 * inputs of its windows has the bits of the whole. There are three methods:
 *
 * - fp_conv_wide.c: blocks of binary32, binary16 and bytes. Rows whose elements are side by side
 *   are read in place, with zeroes shifted in at the ends. Others are staged: copied with their
 *   zeroes, sorted by phase of the stride, so that the taps of any stride read them side by side.
 *   Several short rows share a block if the same taps meet x: a vector each, or staged one behind
 *   the other;
 * - fp_conv_packed.c: blocks of 16 channels of bytes, where the processor adds four products at
 *   once;
 * - fp_conv_plain.c: any type in any layout, one tap at a time.
 *
 * In a row 0 * w is not left out even where that would be cheaper, because w may be infinite.
 *
 * Rejected: for strips a few columns wide, a table of the addresses of each position, with blocks
 * that span any rows.
 *
 * Units of F32 are numbered so that those of four channels for the same positions follow each
 * other. A call can stop between two input channels of a tile of up to 64 positions of one or four
 * output channels. Where the taps of one input channel are too many for that, the tile is narrower,
 * and where even eight positions are too many, fp_conv_plain.c is used, which can stop between two
 * taps.
 *
 * In a process, elements of x that are apart in their rows are first copied to a box in which they
 * are not, once for many output channels (fp_conv_box.c), and fp_conv_wide.c reads the box. For
 * strips a few columns wide x is transposed on the way, with zeroes where W has none, and outputs
 * along H are a row. Rows of outputs of which some taps on H do not meet x are computed from x
 * itself.
 *
 * The lanes of x and y may run over any axis: over channels they are walked, over D and H a row has
 * its own bank, and over W a row is staged from its banks. (When all but channels went to
 * fp_conv_plain.c, a network whose groups were cut to strips by the height took up to twelve times
 * as long as layer by layer.) The lanes of weights run over channels.
 *
 * F16 is summed in binary32: its rows are staged, and widened on the way.
 *
 * Of bytes, sums are integers that wrap, so their order is free: fp_conv_wide.c adds two input
 * channels at once (fp_conv_bytes.h). Units are numbered for the blocks of fp_conv_packed.c where
 * those are used; a part of a block, or one that a call cannot pay for, is left to fp_conv_wide.c.
 * This file chooses.
 */

/* @nb output channels from @o, and the input channels from @from to @end. */
static void conv_channels_begin(struct loom_conv_channels *ch, const struct loom_conv_f32 *f,
				u32 n, u32 o, u32 nb, u32 from, u32 end)
{
	const struct loom_conv *c = &f->c;
	u8 *y = f->y_origin + loom_view_step(&c->y, c->memory, 0, n);
	u32 i;

	ch->n = n;
	ch->o = o;
	ch->nb = nb;
	ch->x = loom_row_along(&c->x, c->memory,
			       c->x_origin + loom_view_step(&c->x, c->memory, 0, n), 1,
			       o / c->outputs * c->inputs + from);
	ch->w = loom_row_along(c->w, c->memory, c->w_origin, 1, from);
	ch->inputs = end - from;
	ch->more = from;
	ch->last = end == c->inputs;
	for (i = 0; i < nb; i++) {
		ch->wo[i] = loom_view_step(c->w, c->memory, 0, o + i);
		ch->y[i] = y + loom_view_step(&c->y, c->memory, 1, o + i);
		ch->bias[i] = 0.0f;
		if (c->bias && !f->bytes)
			ch->bias[i] = loom_get_f32(loom_conv_channel(c, c->bias, o + i));
	}
}

/* Position of a unit's first output; behind the last unit of a plane, of its end. */
static u64 conv_unit_position(const struct loom_view *y, u64 unit)
{
	u32 tiles = loom_tile_per_row(y->dims[4]);

	return unit / tiles * y->dims[4] + unit % tiles * LOOM_TILE;
}

/* Whether indices on the lane axis of an operand choose a bank. */
static bool conv_has_lanes(const struct loom_view *view, const struct loom_memory *memory)
{
	return view->region == DRM_LOOM_REGION_SRAM && view->dims[view->lane_axis] > 1 &&
	       memory->lanes > 1;
}

/* A lane axis that does not leave its bank is made one like the others. Return: the first byte. */
static u8 *conv_origin(struct loom_view *view, const struct loom_memory *memory)
{
	u8 *origin = loom_view_origin(view, memory);

	if (conv_has_lanes(view, memory))
		return origin;
	if (view->region == DRM_LOOM_REGION_SRAM)
		origin += loom_view_step(view, memory, view->lane_axis, 0);
	view->lane_axis = DRM_LOOM_MAX_RANK;
	return origin;
}

static void conv_f32_begin(struct loom_conv_f32 *f, const struct loom_command *command,
			   const struct loom_memory *memory)
{
	u32 i;

	loom_conv_begin(&f->c, command, memory);
	f->y_origin = conv_origin(&f->c.y, memory);
	f->c.x_origin = conv_origin(&f->c.x, memory);
	/* if it runs over taps it stays in its bank, see conv_is_plain() */
	if (f->c.w->region == DRM_LOOM_REGION_SRAM && f->c.w->lane_axis > 1)
		f->c.w_origin += loom_view_step(f->c.w, memory, f->c.w->lane_axis, 0);
	loom_conv_flatten(&f->c);
	for (i = 0; i < 3; i++)
		f->w_step[i] = f->c.w->strides[2 + i];
	f->bytes = f->c.x.elem_bytes == 1;
	f->half = f->c.x.dtype == DRM_LOOM_DTYPE_F16;
	f->contiguous = f->c.x.lane_axis != 4 && f->c.x.strides[4] == f->c.x.elem_bytes;
	f->stage.lanes = 0;
}

/* Most element operations that cannot be divided, and positions below which a tile is not cut. */
#define CONV_ATOM	(1U << 14)
#define CONV_LEAST	8

/**
 * struct conv_job - what a call computes of a convolution in binary32
 * @f: the convolution
 * @ch: the channels that are computed
 * @box: holds what is read of x, or NULL: that is read where it is
 * @y: the output as it was before its axes were merged
 * @part: pays for it; @sums are those of one tile, @at is its first position that is not complete,
 *	@index the next input channel of those behind it
 * @plane: units of an output channel
 * @fours: units of a group, of those channels that are computed by four
 * @n: batch
 * @o: first output channel
 * @tile: tile of the plane
 * @cost: of a tap for a position of an output channel
 * @kernel: taps of an input channel
 * @tile_cost: of a tile of an output channel
 * @lead: channels of a group; with groups of one channel, groups
 */
struct conv_job {
	struct loom_conv_f32 f;
	struct loom_conv_channels ch;
	struct loom_conv_box *box;
	const struct loom_view *y;
	struct loom_part *part;
	u64 plane;
	u64 fours;
	u32 n;
	u32 o;
	u64 tile;
	u32 cost;
	u64 kernel;
	u64 tile_cost;
	u32 lead;
};

/* Of @positions of @nb channels, by a tap of each input channel. */
static u64 conv_cost(const struct conv_job *job, u64 positions, u32 nb)
{
	return ((positions + 3) & ~3ULL) * nb * job->cost;
}

/*
 * Finds a unit. Return: whether the units behind it are of four channels in turn; if not, they are
 * of the plane.
 */
static bool conv_seek(struct conv_job *job, u64 unit)
{
	const struct loom_conv *c = &job->f.c;
	u64 group = div64_u64_rem(unit, job->plane * c->outputs, &unit), four;
	u32 groups = c->attr->groups;

	job->n = group / groups;
	job->o = group % groups * c->outputs;
	if (unit >= job->fours) {
		four = div64_u64_rem(unit - job->fours, job->plane, &job->tile);
		job->o += (c->outputs & ~3U) + four;
		return false;
	}
	four = div64_u64_rem(unit, 4 * job->plane, &unit);
	job->o += 4 * four + unit % 4;
	job->tile = unit / 4;
	return true;
}

/*
 * Finds the unit behind @tiles tiles of a channel that is a group. Return: whether it is one.
 * A depthwise convolution has little to do for a channel, and conv_seek() has divisions.
 */
static bool conv_next(struct conv_job *job, u64 tiles)
{
	if (job->f.c.outputs > 1)
		return false;
	job->tile += tiles;
	if (job->tile == job->plane) {
		job->tile = 0;
		if (++job->o == job->f.c.attr->groups) {
			job->o = 0;
			job->n++;
		}
	}
	return true;
}

/* How many channels are computed together, at most @count units. */
static u32 conv_together(const struct conv_job *job, bool fours, u64 count)
{
	u32 in_group = job->o % job->f.c.outputs;

	return fours && !(in_group % 4) && count >= 4 &&
	       conv_cost(job, CONV_LEAST, 4) * job->kernel <= CONV_ATOM ? 4 : 1;
}

#ifndef __KERNEL__
/*
 * Outputs from position @p to @end of whole rows, by columns; where some taps on H do not meet x,
 * or there are too few of them, by rows of x as it is.
 */
static void conv_turned(struct conv_job *job, u32 nb, u64 p, u64 end)
{
	struct loom_conv_f32 *from = &job->box->from;
	struct loom_conv_channels edge = { .out = job->ch.out };
	u32 width = from->c.y.dims[4], rows[2], first, behind;

	rows[0] = div64_u64(p, width);
	rows[1] = div64_u64(end, width);
	loom_conv_box_inside(from, &first, &behind);
	first = max(first, rows[0]);
	behind = min(behind, rows[1]);
	if (behind < first + LOOM_CONV_TURNED / 2)
		first = rows[1];
	behind = max(first, behind);
	if (first > rows[0] || behind < rows[1])
		conv_channels_begin(&edge, from, job->n, job->o, nb, 0, from->c.inputs);
	if (first > rows[0])
		loom_conv_wide_run(from, &edge, p, (u64)first * width);
	if (first < behind)
		loom_conv_turned_run(&job->f, &job->ch, job->box->pitch, first, behind);
	if (behind < rows[1])
		loom_conv_wide_run(from, &edge, (u64)behind * width, end);
}

/* How many of @tiles have a box that holds their inputs, if @cost can be paid besides. */
static u64 conv_box_tiles(struct conv_job *job, u64 tiles, u64 units, u64 cost)
{
	const struct loom_conv *c = &job->f.c;
	u64 groups = c->outputs > 1 ? 1 : max(div64_u64(units, job->plane), 1ULL), rows;

	rows = loom_conv_box_hold(job->box, &job->f, job->part, cost, job->n, job->o,
				  groups * c->inputs, conv_unit_position(job->y, job->tile),
				  conv_unit_position(job->y, job->tile + tiles));
	/* the whole plane, whose rows may be one */
	if (job->box->whole || !rows)
		return rows ? tiles : 0;
	rows += div64_u64(job->tile, loom_tile_per_row(job->y->dims[4]));
	return min(tiles, rows * loom_tile_per_row(job->y->dims[4]) - job->tile);
}
#else
static void conv_turned(struct conv_job *job, u32 nb, u64 p, u64 end)
{
}

static u64 conv_box_tiles(struct conv_job *job, u64 tiles, u64 units, u64 cost)
{
	return tiles;
}
#endif

/*
 * Whole tiles of @nb channels, as many of @tiles as @part pays for. @units are to be done in all.
 * Return: how many.
 */
static u64 conv_tiles(struct conv_job *job, u32 nb, u64 tiles, u64 units)
{
	u64 cost = nb * job->tile_cost, p, end;

	if (job->box)
		tiles = conv_box_tiles(job, tiles, units, cost);
	if (!tiles || job->part->left < (s64)cost)
		return 0;
	/* the division is worth to be avoided for a channel of few tiles */
	if (tiles > U32_MAX || job->part->left < (s64)(tiles * cost))
		tiles = min(tiles, div64_u64(job->part->left, cost));
	loom_part_charge(job->part, tiles * cost);
	conv_channels_begin(&job->ch, &job->f, job->n, job->o, nb, 0, job->f.c.inputs);
	p = conv_unit_position(job->y, job->tile);
	end = conv_unit_position(job->y, job->tile + tiles);
	if (job->box && job->box->turned)
		conv_turned(job, nb, p, end);
	else
		loom_conv_wide_run(&job->f, &job->ch, p, end);
	return tiles;
}

/* Positions that are computed together: as many as have few enough taps of one input channel. */
static u32 conv_width(const struct conv_job *job, u32 nb)
{
	u32 width = LOOM_TILE;

	while (width > CONV_LEAST && conv_cost(job, width, nb) * job->kernel > CONV_ATOM)
		width /= 2;
	return width;
}

/* A tile of @nb channels, input channel by input channel, to the end. */
static void conv_tile_parts(struct conv_job *job, u32 nb)
{
	struct loom_part *part = job->part;
	u64 p = conv_unit_position(job->y, job->tile);
	u64 end = conv_unit_position(job->y, job->tile + 1);
	u32 width = conv_width(job, nb), *from = part->index;
	u32 inputs = job->f.c.inputs;
	u64 to, cost, paid;

	do {
		to = min(end, p + part->at + width);
		cost = conv_cost(job, to - p - part->at, nb) * job->kernel +
		       nb * LOOM_TAP_COST;
		paid = loom_part_pay(part, inputs - *from, cost);
		conv_channels_begin(&job->ch, &job->f, job->n, job->o, nb, *from,
				    *from + paid);
		loom_conv_wide_run(&job->f, &job->ch, p + part->at, to);
		*from += paid;
		if (*from == inputs) {
			*from = 0;
			part->at = to - p;
		}
		part->begun = p + part->at < end;
	} while (part->begun && loom_part_ready(part));
}

static void conv_job_begin(struct conv_job *job, const struct loom_command *command,
			   const struct loom_memory *memory, struct loom_part *part)
{
	const struct loom_view *y = &command->views[0], *w = &command->views[2];

	conv_f32_begin(&job->f, command, memory);
	job->ch.out = part->sums.f32;
	job->box = NULL;
	job->part = part;
	job->y = y;
	job->plane = (u64)y->dims[2] * y->dims[3] * loom_tile_per_row(y->dims[4]);
	job->fours = job->plane * (job->f.c.outputs & ~3U);
	job->kernel = (u64)w->dims[2] * w->dims[3] * w->dims[4];
}

/* Elements that are not adjacent in x must be gathered. */
static void conv_price(struct conv_job *job)
{
	bool dense = job->f.contiguous && job->f.c.attr->stride[2] == 1;

	/* and halves are widened */
	job->cost = dense && !job->f.half ? 1 : 2;
	job->tile_cost = LOOM_UNIT_COST + LOOM_TILE +
			 conv_cost(job, min(job->y->dims[4], (u32)LOOM_TILE), 1) * job->kernel *
			 job->f.c.inputs;
}

/* A unit that costs more than @part pays for now, in @nb channels. */
static void conv_parts_begin(struct conv_job *job, u32 nb)
{
	struct loom_part *part = job->part;

	loom_part_begin(part);
	part->units = nb;
	loom_part_charge(part, part->units * (LOOM_UNIT_COST + LOOM_TILE));
	memset(&part->sums, 0, sizeof(part->sums));
}

/* Return: units that are complete; none, if there is a box, and what it costs is too much. */
static noinline u64 conv_f32_run(struct conv_job *job, u64 first, u64 count)
{
	struct loom_part *part = job->part;
	u64 done = 0, tiles, paid;
	bool found = false, fours = false;
	u32 nb;

	conv_price(job);
	do {
		if (!found)
			fours = conv_seek(job, first + done);
		if (!part->begun) {
			nb = conv_together(job, fours, count - done);
			tiles = min(job->plane - job->tile, nb == 4 ? (count - done) / 4 :
							    count - done);
			if (fours && nb == 1)
				tiles = 1;
			paid = conv_tiles(job, nb, tiles, count - done);
			done += paid * nb;
			found = conv_next(job, paid);
			if (paid)
				continue;
			if (done || job->box)
				break;
			conv_parts_begin(job, nb);
		} else {
			nb = part->units;
		}
		found = false;
		conv_tile_parts(job, nb);
		if (part->begun)
			break;
		done += part->units;
	} while (done < count && loom_part_ready(part));
	return done;
}

#ifdef __AVX512VNNI__
/* Finds a unit where fp_conv_packed.c is used. Return: the channels of its block behind it. */
static u32 conv_packed_seek(struct conv_job *job, u64 unit, u32 *nb)
{
	const u32 groups = job->f.c.attr->groups, most = LOOM_CONV_PACKED;
	u64 group = div64_u64_rem(unit, job->plane * job->lead, &unit), block;
	u64 channel;

	block = div64_u64_rem(unit, job->plane * LOOM_CONV_PACKED, &unit);
	*nb = min(job->lead - (u32)block * LOOM_CONV_PACKED, most);
	job->tile = div64_u64_rem(unit, *nb, &channel);
	if (loom_conv_packed_depth(&job->f)) {
		job->n = group;
		job->o = 0;
	} else {
		job->n = group / groups;
		job->o = group % groups * job->lead;
	}
	job->o += block * LOOM_CONV_PACKED + channel;
	return *nb - channel;
}

/* Whole tiles of @nb channels, as many of @tiles as are paid for. Return: how many. */
static u64 conv_packed_tiles(struct conv_job *job, u32 nb, u64 tiles)
{
	u64 look = loom_conv_packed_look(&job->f), cost;

	cost = nb * (LOOM_UNIT_COST + LOOM_TILE +
		     conv_cost(job, min(job->y->dims[4], (u32)LOOM_TILE), 1) * job->kernel *
		     job->f.c.inputs / 4);
	if (job->part->left < (s64)(look + cost))
		return 0;
	tiles = min(tiles, div64_u64(job->part->left - look, cost));
	loom_part_charge(job->part, look + tiles * cost);
	loom_conv_packed_run(&job->f, job->n, job->o, nb, conv_unit_position(job->y, job->tile),
			     conv_unit_position(job->y, job->tile + tiles));
	return tiles;
}

/* As conv_f32_run(), with units numbered by blocks. */
static noinline u64 conv_packed_run(struct conv_job *job, u64 first, u64 count)
{
	struct loom_part *part = job->part;
	u64 done = 0, paid;
	u32 left, nb;

	conv_price(job);
	job->lead = loom_conv_packed_depth(&job->f) ? job->f.c.attr->groups : job->f.c.outputs;
	do {
		left = conv_packed_seek(job, first + done, &nb);
		if (!part->begun) {
			paid = 0;
			if (left == nb && count - done >= nb)
				paid = conv_packed_tiles(job, nb, min(job->plane - job->tile,
								      (count - done) / nb));
			done += paid * nb;
			if (paid)
				continue;
			nb = conv_together(job, left >= 4 && job->f.c.outputs > 1, count - done);
			paid = conv_tiles(job, nb, 1, 1);
			done += paid * nb;
			if (paid)
				continue;
			if (done)
				break;
			conv_parts_begin(job, nb);
		} else {
			nb = part->units;
		}
		conv_tile_parts(job, nb);
		if (part->begun)
			break;
		done += part->units;
	} while (done < count && loom_part_ready(part));
	return done;
}

#endif

/* Whether bytes between two elements of a plane fit offsets of 32 bits. */
static bool conv_fits(const struct loom_view *x, const struct loom_memory *memory)
{
	u64 reach = 0, steps;
	u32 i;

	for (i = 2; i < 5; i++) {
		steps = x->dims[i] - 1;
		if (x->lane_axis == i && conv_has_lanes(x, memory)) {
			steps = ((u64)x->lane_start + steps) / memory->lanes;
			reach += (memory->lanes - 1) * loom_view_lane_pitch(x, memory);
		}
		reach += steps * (u64)(x->strides[i] < 0 ? -x->strides[i] : x->strides[i]);
	}
	return reach <= U32_MAX >> 1;
}

static bool conv_is_plain(const struct loom_command *command, const struct loom_memory *memory)
{
	const struct loom_view *views = command->views;
	u64 kernel;

	if ((views[1].dtype != DRM_LOOM_DTYPE_F32 && views[1].dtype != DRM_LOOM_DTYPE_F16 &&
	     views[1].elem_bytes != 1) ||
	    (views[2].lane_axis > 1 && conv_has_lanes(&views[2], memory)) ||
	    !conv_fits(&views[1], memory))
		return true;
	/* no overflow: it is part of the cost of a unit, which was checked */
	kernel = (u64)views[2].dims[2] * views[2].dims[3] * views[2].dims[4];
	return kernel * CONV_LEAST * 2 > CONV_ATOM;
}

#ifndef __KERNEL__
/*
 * Touches as much stack as a box, or packed weights, need, page by page downwards, before another
 * function has its frame there: on a stack that is too small the process ends at the guard page,
 * instead of writing to what lies below that.
 */
static noinline void conv_touch(void)
{
	u8 frame[sizeof(struct loom_conv_box) + (32U << 10)];
	u32 at;

	for (at = sizeof(frame); at > 2048; at -= 2048) {
		frame[at - 1] = 0;
		__asm__ __volatile__("" : : "r"(frame) : "memory");
	}
}

/* By way of a box. Return: as conv_f32_run(). */
static noinline u64 conv_box_run(struct conv_job *job, u64 first, u64 count)
{
	struct loom_conv_box box;
	u64 done;

	loom_conv_box_begin(&box, &job->f);
	job->box = &box;
	done = conv_f32_run(job, first, count);
	job->f = box.from;
	job->box = NULL;
	return done;
}
#endif

u64 loom_fp_conv_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	struct conv_job job;

	if (conv_is_plain(command, memory))
		return loom_conv_run_plain(command, memory, first, count, part);
	conv_job_begin(&job, command, memory, part);
#ifndef __KERNEL__
	if (!part->begun && loom_conv_box_suits(&job.f)) {
		u64 done;

		conv_touch();
		done = conv_box_run(&job, first, count);
		if (done)
			return done;
	}
#endif
#ifdef __AVX512VNNI__
	if (loom_conv_packed_suits(&job.f)) {
		conv_touch();
		return conv_packed_run(&job, first, count);
	}
#endif
	return conv_f32_run(&job, first, count);
}
