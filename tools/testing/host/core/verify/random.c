// SPDX-License-Identifier: MIT
/*
 * The verifier against a simulator that looks at every byte.
 *
 * Wild plans: random tensors, aliases and views, and random damage. In what the verifier accepts
 * the simulator must find no fault.
 *
 * Grid plans: a tensor is cut into tiles along all axes, the tiles are written in any order, under
 * any permutation or flattening, and then read in all the ways a planner may read. Here the two
 * must agree: nothing that is fine is refused.
 */
#include "chips.h"
#include "oracle.h"
#include "random.h"
#include "tap.h"

static u64 seed;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static struct drm_loom_chip chip =
	CHIP("random", (1, 1, 1 << 20, 0, 64), (4, 1, ORACLE_BANK_BYTES, 0, 16));

static struct oracle oracle;

/* Axes that follow each other without a gap become one, or one becomes two. */
static void reshape(struct plan_builder *pb, struct drm_loom_plan_view *v)
{
	u32 i = rnd(v->rank), j;

	if (pb_on_lanes(pb, v, i))
		return;
	if (rnd(2) && i + 1 < v->rank && !pb_on_lanes(pb, v, i + 1) &&
	    v->strides[i] == (s64)v->dims[i + 1] * v->strides[i + 1]) {
		v->dims[i] *= v->dims[i + 1];
		v->strides[i] = v->strides[i + 1];
		for (j = i + 1; j + 1 < v->rank; j++) {
			v->dims[j] = v->dims[j + 1];
			v->strides[j] = v->strides[j + 1];
		}
		v->rank--;
		v->dims[v->rank] = 0;
		v->strides[v->rank] = 0;
		if (v->lane_axis > i)
			v->lane_axis--;
	} else if (v->rank < DRM_LOOM_MAX_RANK) {
		u32 part = 1 + rnd(4);

		if (v->dims[i] % part)
			return;
		for (j = v->rank; j > i; j--) {
			v->dims[j] = v->dims[j - 1];
			v->strides[j] = v->strides[j - 1];
		}
		v->rank++;
		v->dims[i + 1] = part;
		v->dims[i] /= part;
		v->strides[i] *= part;
		if (pb_tensor(pb, v->tensor)->region == DRM_LOOM_REGION_SRAM && v->lane_axis > i)
			v->lane_axis++;
	}
}

static void permute(struct plan_builder *pb, struct drm_loom_plan_view *v)
{
	u32 order[DRM_LOOM_MAX_RANK], i, j, swap;

	for (i = 0; i < v->rank; i++)
		order[i] = i;
	for (i = v->rank; i-- > 1;) {
		j = rnd(i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	*v = pb_transpose(*v, order);
	if (pb_tensor(pb, v->tensor)->region == DRM_LOOM_REGION_DRAM)
		v->lane_axis = 0;
}

/* Every element once, in another order. */
static void rearrange(struct plan_builder *pb, struct drm_loom_plan_view *v)
{
	u32 axis = rnd(v->rank);

	switch (rnd(4)) {
	case 0:
		permute(pb, v);
		break;
	case 1:
		reshape(pb, v);
		break;
	case 2:
		if (!pb_on_lanes(pb, v, axis)) {
			v->offset += (v->dims[axis] - 1) * v->strides[axis];
			v->strides[axis] *= -1;
		}
		break;
	}
}

/* Some of the elements, or some more than once. */
static void select_some(struct plan_builder *pb, struct drm_loom_plan_view *v, bool may_step)
{
	u32 axis = rnd(v->rank), step, start;

	switch (rnd(4)) {
	case 0:
		start = rnd(v->dims[axis]);
		*v = pb_slice(pb, *v, axis, start, 1 + rnd(v->dims[axis] - start));
		break;
	case 1:
		step = 1 + rnd(3);
		if (!may_step || pb_on_lanes(pb, v, axis))
			break;
		v->dims[axis] = (v->dims[axis] + step - 1) / step;
		v->strides[axis] *= step;
		break;
	case 2:
		if (pb_on_lanes(pb, v, axis) || v->dims[axis] != 1)
			break;
		v->dims[axis] = 1 + rnd(3);
		v->strides[axis] = 0;
		break;
	}
}

static u32 add_tensor(struct plan_builder *pb, bool sram, u32 slot, u64 offset, u32 steps, u8 dtype,
		      struct pb_shape shape)
{
	u32 first = rnd(steps), last = first + rnd(steps - first);
	struct drm_loom_plan_tensor *t;
	u32 index, i, pad;

	if (sram)
		index = pb_add_sram(pb, offset, first, last, dtype, rnd(shape.rank), shape);
	else
		index = pb_add_dram(pb, slot, offset, first, last, dtype, shape);
	t = pb_tensor(pb, index);
	if (rnd(3))
		return index;
	/* rows further apart than they need be */
	pad = rnd(t->rank);
	for (i = 0; i <= pad; i++)
		t->strides[i] += 2;
	for (i = pad; i-- > 0;) {
		u64 count = t->dims[i + 1];

		if (sram && i + 1 == t->lane_axis)
			count = (count + pb->header.lanes - 1) / pb->header.lanes;
		t->strides[i] = t->strides[i + 1] * count;
	}
	t->size = t->strides[0] * (sram && !t->lane_axis ?
		  (t->dims[0] + pb->header.lanes - 1) / pb->header.lanes : t->dims[0]);
	return index;
}

static struct pb_shape random_shape(u32 elements)
{
	struct pb_shape shape = { .rank = 1 + rnd(4) };
	u32 i;

	for (i = 0; i < shape.rank; i++) {
		shape.dims[i] = 1 + rnd(min(elements, 6U));
		elements /= shape.dims[i];
	}
	return shape;
}

static void add_random_alias(struct plan_builder *pb, u32 parent)
{
	const struct drm_loom_plan_tensor *t = pb_tensor(pb, parent);
	struct pb_shape shape = { .rank = t->rank };
	struct drm_loom_plan_tensor *alias;
	u32 i, j;

	memcpy(shape.dims, t->dims, sizeof(shape.dims));
	if (rnd(2)) {
		/* a box of it, with its strides */
		struct drm_loom_plan_tensor box = *t;

		box.flags |= DRM_LOOM_TENSOR_ALIAS;
		box.parent = parent;
		for (i = 0; i < t->rank; i++) {
			u32 start = rnd(t->dims[i]);

			if (t->region == DRM_LOOM_REGION_SRAM && i == t->lane_axis)
				continue;
			box.offset += start * t->strides[i];
			box.size -= start * t->strides[i];
			box.dims[i] = 1 + rnd(t->dims[i] - start);
		}
		*(struct drm_loom_plan_tensor *)pb_push(&pb->tensors, 1) = box;
		return;
	}
	/* two axes as one, or another type */
	if (shape.rank > 1) {
		i = rnd(shape.rank - 1);
		shape.dims[i] *= shape.dims[i + 1];
		for (j = i + 1; j + 1 < DRM_LOOM_MAX_RANK; j++)
			shape.dims[j] = shape.dims[j + 1];
		shape.rank--;
	}
	pb_add_alias(pb, parent, rnd(4) ? t->dtype : DRM_LOOM_DTYPE_I8,
		     t->region == DRM_LOOM_REGION_SRAM ? rnd(shape.rank) : 0, shape);
	alias = pb_tensor(pb, pb->tensors.count - 1);
	t = pb_tensor(pb, parent);
	if (alias->dtype != t->dtype)
		alias->dims[alias->rank - 1] *= loom_dtype_stride(t->dtype);
	pb_pack(pb, alias);
	if (alias->size > t->size)
		pb->tensors.count--;
}

/* A view with the dims of another; false if the tensor has no such one. */
static bool view_like(struct plan_builder *pb, u32 tensor, const struct drm_loom_plan_view *like,
		      struct drm_loom_plan_view *v)
{
	u32 i, tries;

	for (tries = 0; tries < 8; tries++) {
		*v = pb_all(pb, tensor);
		for (i = 0; i < tries; i++)
			rearrange(pb, v);
		if (v->rank != like->rank)
			continue;
		for (i = 0; i < v->rank; i++) {
			if (v->dims[i] < like->dims[i])
				break;
			*v = pb_slice(pb, *v, i, rnd(v->dims[i] - like->dims[i] + 1),
				      like->dims[i]);
		}
		if (i == v->rank)
			return true;
	}
	return false;
}

static void add_random_command(struct plan_builder *pb, bool compute)
{
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	struct drm_loom_attr_binary sum = { .kind = DRM_LOOM_BINARY_ADD };
	struct drm_loom_attr_fill fill = {};
	u32 step = pb->steps.count - 1, tries, n = 0;
	struct drm_loom_plan_view y, x[2];

	for (tries = 0; tries < 20; tries++) {
		const struct drm_loom_plan_tensor *t;
		u32 tensor = rnd(pb->tensors.count), other;
		bool sram;

		t = pb_tensor(pb, tensor);
		sram = t->region == DRM_LOOM_REGION_SRAM;
		if (rnd(50) && (step < t->first_step || step > t->last_step))
			continue;
		if (compute && !sram)
			continue;
		if (!n) {
			y = pb_all(pb, tensor);
			while (rnd(3))
				rearrange(pb, &y);
			while (!rnd(3))
				select_some(pb, &y, true);
			if (!compute && rnd(2)) {
				pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(y));
				return;
			}
			n = 1;
			continue;
		}
		other = rnd(6) ? tensor : y.tensor;
		if (pb_tensor(pb, other)->dtype != y.dtype)
			continue;
		if (other == y.tensor && !compute && rnd(12))
			continue;
		if (other == y.tensor && rnd(12))
			x[n - 1] = y;
		else if (!view_like(pb, other, &y, &x[n - 1]))
			continue;
		n++;
		if (compute && rnd(2) && n == 2) {
			pb_add(pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu), PB_VIEWS(y, x[0]));
			return;
		}
		if (compute && n == 3) {
			pb_add(pb, DRM_LOOM_OP_BINARY, &sum, sizeof(sum), PB_VIEWS(y, x[0], x[1]));
			return;
		}
		if (!compute) {
			bool from = pb_tensor(pb, x[0].tensor)->region == DRM_LOOM_REGION_SRAM;
			bool to = pb_tensor(pb, y.tensor)->region == DRM_LOOM_REGION_SRAM;

			pb_add(pb,
			       from == to ? DRM_LOOM_OP_COPY :
			       to	  ? DRM_LOOM_OP_LOAD :
					    DRM_LOOM_OP_STORE,
			       NULL, 0, PB_VIEWS(y, x[0]));
			return;
		}
	}
}

static void damage(struct plan_builder *pb)
{
	struct drm_loom_plan_tensor *t = pb_tensor(pb, rnd(pb->tensors.count));
	struct drm_loom_plan_view *v;

	if (rnd(3) == 0) {
		switch (rnd(5)) {
		case 0:
			t->offset += 2 * rnd(8);
			break;
		case 1:
			t->offset -= min(t->offset, (u64)2 * rnd(8));
			break;
		case 2:
			t->size += rnd(8);
			break;
		case 3:
			t->strides[rnd(t->rank)] += 2 * rnd(4);
			break;
		case 4:
			t->last_step += rnd(2);
			break;
		}
		return;
	}
	if (!pb->views.count)
		return;
	v = (struct drm_loom_plan_view *)pb->views.data + rnd(pb->views.count);
	switch (rnd(5)) {
	case 0:
		v->offset += 2 * rnd(8);
		break;
	case 1:
		v->offset -= min(v->offset, (u64)2 * rnd(8));
		break;
	case 2:
		v->strides[rnd(v->rank)] += 2 * (s64)rnd(9) - 8;
		break;
	case 3:
		v->dims[rnd(v->rank)] += 1;
		break;
	case 4:
		v->tensor = rnd(pb->tensors.count);
		v->dtype = pb_tensor(pb, v->tensor)->dtype;
		break;
	}
}

static void wild_plan(struct plan_builder *pb)
{
	static const u32 flags[] = {
		DRM_LOOM_SLOT_READ, DRM_LOOM_SLOT_WRITE, DRM_LOOM_SLOT_WRITE, DRM_LOOM_SLOT_WRITE,
		DRM_LOOM_SLOT_WRITE, DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE,
	};
	struct drm_loom_attr_fill fill = {};
	u64 at[ORACLE_SLOTS + 1] = {};
	u32 steps = 1 + rnd(5), slots = 1 + rnd(ORACLE_SLOTS - 1), tensors, i, j;

	chip.region[DRM_LOOM_REGION_SRAM].banks = 1 + rnd(ORACLE_LANES);
	pb_init(pb, chip.region[DRM_LOOM_REGION_SRAM].banks, ORACLE_BANK_BYTES);
	for (i = 0; i < slots; i++) {
		bool sram = !rnd(4);

		pb_add_slot(pb, sram ? ORACLE_BANK_BYTES : ORACLE_SLOT_BYTES,
			    flags[rnd(6)] | (sram ? DRM_LOOM_SLOT_SRAM : 0));
	}
	tensors = 2 + rnd(6);
	for (i = 0; i < tensors; i++) {
		struct pb_shape shape = random_shape(40);
		u32 slot = rnd(slots);
		bool bound = pb_slot(pb, slot)->flags & DRM_LOOM_SLOT_SRAM;
		bool sram = bound || rnd(2);
		u64 *place = &at[sram && !bound ? ORACLE_SLOTS : slot];
		struct drm_loom_plan_tensor *t;
		u32 index;

		/* mostly side by side, sometimes anywhere */
		index = add_tensor(pb, sram, slot, rnd(12) ? *place : 2 * rnd(100), steps,
				   rnd(3) ? DRM_LOOM_DTYPE_I16 : DRM_LOOM_DTYPE_I8, shape);
		t = pb_tensor(pb, index);
		if (bound) {
			t->flags = DRM_LOOM_TENSOR_SLOT;
			t->slot = slot;
		}
		*place = (t->offset + t->size + 7) & ~7ULL;
		if (rnd(4)) {
			t->first_step = 0;
			t->last_step = steps - 1;
		}
		if (!rnd(3))
			add_random_alias(pb, index);
	}
	for (i = 0; i < steps; i++) {
		pb_begin_step(pb);
		for (j = 0; j < pb->tensors.count; j++) {
			const struct drm_loom_plan_tensor *t = pb_tensor(pb, j);

			/* most begin with something in them */
			if (oracle_in_slot(t) &&
			    !(pb_slot(pb, t->slot)->flags & DRM_LOOM_SLOT_WRITE))
				continue;
			if (t->first_step == i && rnd(6))
				pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill),
				       PB_VIEWS(pb_all(pb, j)));
		}
		if (!i && rnd(8))
			continue;
		for (j = rnd(4); j-- > 0;)
			add_random_command(pb, false);
		for (j = rnd(3); j-- > 0;)
			add_random_command(pb, true);
	}
	if (!rnd(3))
		damage(pb);
}

/* Rules that judge memory: the simulator has an opinion on these. */
static bool is_memory_rule(u32 rule)
{
	return rule == DRM_LOOM_RULE_TENSOR_OVERLAP || rule >= DRM_LOOM_RULE_READ_ONLY ||
	       rule == DRM_LOOM_RULE_VIEW_DISTINCT;
}

static void test_wild(u32 rounds)
{
	u32 accepted = 0, rejected = 0, cautious = 0, unsound = 0, large = 0, busy = 0, i;
	u32 by_rule[DRM_LOOM_RULE_END] = {}, cautious_by[DRM_LOOM_RULE_END] = {};
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 start;
	u32 faults;
	int ret;

	for (i = 0; i < rounds; i++) {
		start = seed;
		wild_plan(&pb);
		ret = pb_verify(&pb, &chip, &plan, &reject);
		if (!ret) {
			faults = oracle_judge(&oracle, &pb);
			accepted++;
			busy += pb.commands.count > 2;
			large += !!(faults & ORACLE_LARGE);
			if (faults & ~ORACLE_LARGE && !unsound++)
				tap_note("seed %#llx: accepted with faults %#x",
					 (unsigned long long)start, faults);
			loom_plan_destroy(plan);
		} else if (ret == -EBADMSG) {
			rejected++;
			by_rule[reject.rule]++;
			if (is_memory_rule(reject.rule) && !oracle_judge(&oracle, &pb)) {
				cautious++;
				cautious_by[reject.rule]++;
			}
		} else {
			tap_fatal("error %d", ret);
		}
		pb_fini(&pb);
	}
	for (i = 0; i < DRM_LOOM_RULE_END; i++)
		if (by_rule[i])
			tap_note("%-16s %7u refused, %5u of them the simulator has nothing against",
				 loom_rule_name(i), by_rule[i], cautious_by[i]);
	tap_note("%u accepted (%u with three commands or more), %u refused, %u out of caution",
		 accepted, busy, rejected, cautious);
	tap_ok(!unsound, "wild plans: nothing wrong is accepted (%u accepted of %u)", accepted,
	       rounds);
	tap_ok(busy > rounds / 50 && rejected > rounds / 50 && !large,
	       "wild plans: there are enough of both kinds to say so");
	tap_ok(by_rule[DRM_LOOM_RULE_UNINITIALISED] && by_rule[DRM_LOOM_RULE_HAZARD] &&
	       by_rule[DRM_LOOM_RULE_IN_PLACE] && by_rule[DRM_LOOM_RULE_TENSOR_OVERLAP] &&
	       by_rule[DRM_LOOM_RULE_VIEW_DISTINCT] && by_rule[DRM_LOOM_RULE_READ_ONLY] &&
	       by_rule[DRM_LOOM_RULE_VIEW_BOUNDS],
	       "wild plans: each rule about memory refused some");
}

struct tile {
	u32 start[DRM_LOOM_MAX_RANK];
	u32 count[DRM_LOOM_MAX_RANK];
};

/* Cuts the dims of a tensor into a grid, and shuffles the tiles. */
static u32 cut_grid(const struct drm_loom_plan_tensor *t, struct tile *tiles, u32 room)
{
	u32 cuts[DRM_LOOM_MAX_RANK][8], parts[DRM_LOOM_MAX_RANK], index[DRM_LOOM_MAX_RANK] = {};
	u32 i, at, n = 0, product = 1;

	for (i = 0; i < t->rank; i++) {
		parts[i] = 0;
		at = 0;
		while (at < t->dims[i]) {
			cuts[i][parts[i]++] = at;
			at += rnd(2) && product * (parts[i] + 1) < room && parts[i] < 7 ?
			      1 + rnd(t->dims[i] - at) : t->dims[i] - at;
		}
		product *= parts[i];
	}
	for (n = 0; n < product; n++) {
		for (i = 0; i < t->rank; i++) {
			u32 end = index[i] + 1 < parts[i] ? cuts[i][index[i] + 1] : t->dims[i];

			tiles[n].start[i] = cuts[i][index[i]];
			tiles[n].count[i] = end - cuts[i][index[i]];
		}
		for (i = t->rank; i-- > 0;) {
			if (++index[i] < parts[i])
				break;
			index[i] = 0;
		}
	}
	for (i = n; i-- > 1;) {
		u32 j = rnd(i + 1);
		struct tile swap = tiles[i];

		tiles[i] = tiles[j];
		tiles[j] = swap;
	}
	return n;
}

/*
 * Writes a tensor in tiles, all but one if @leave_out, then reads it in some ways: slices and
 * steps along its axes in any order, or slices of any shape of it. With @odd also steps along what
 * was several axes, and shapes of what was stepped: nothing that a planner does.
 */
static void grid_plan(struct plan_builder *pb, bool leave_out, bool odd)
{
	struct drm_loom_attr_fill fill = {};
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	bool sram = rnd(2);
	u32 tensor, alias, tiles, missing, i, j;
	struct drm_loom_plan_view v;
	struct tile tile[64];

	chip.region[DRM_LOOM_REGION_SRAM].banks = 1 + rnd(ORACLE_LANES);
	pb_init(pb, chip.region[DRM_LOOM_REGION_SRAM].banks, ORACLE_BANK_BYTES);
	pb_add_slot(pb, ORACLE_SLOT_BYTES, DRM_LOOM_SLOT_WRITE);
	pb_add_slot(pb, ORACLE_SLOT_BYTES, DRM_LOOM_SLOT_WRITE);
	tensor = add_tensor(pb, sram, 0, 0, 1, DRM_LOOM_DTYPE_I16, random_shape(60));
	alias = tensor;
	if (!rnd(3)) {
		pb_add_alias(pb, tensor, DRM_LOOM_DTYPE_I16, pb_tensor(pb, tensor)->lane_axis,
			     PB_SHAPE(1));
		*pb_tensor(pb, tensor + 1) = *pb_tensor(pb, tensor);
		pb_tensor(pb, tensor + 1)->flags = DRM_LOOM_TENSOR_ALIAS;
		pb_tensor(pb, tensor + 1)->parent = tensor;
		alias = tensor + 1;
	}

	pb_begin_step(pb);
	tiles = cut_grid(pb_tensor(pb, tensor), tile, ARRAY_SIZE(tile));
	missing = leave_out ? rnd(tiles) : tiles;
	for (i = 0; i < tiles; i++) {
		if (i == missing)
			continue;
		v = pb_all(pb, rnd(2) ? tensor : alias);
		for (j = 0; j < v.rank; j++)
			v = pb_slice(pb, v, j, tile[i].start[j], tile[i].count[j]);
		for (j = rnd(4); j-- > 0;)
			rearrange(pb, &v);
		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(v));
	}
	/* An element is read and goes nowhere: into a tensor of its own, with its dims. */
	for (i = 0; i < 3; i++) {
		struct drm_loom_plan_view y;
		struct pb_shape shape;
		u32 to;

		v = pb_all(pb, rnd(2) ? tensor : alias);
		if (!odd && rnd(2)) {
			for (j = rnd(5); j-- > 0;)
				select_some(pb, &v, true);
			permute(pb, &v);
		} else {
			for (j = rnd(5); j-- > 0;)
				rearrange(pb, &v);
			for (j = rnd(5); j-- > 0;)
				select_some(pb, &v, odd);
			for (j = rnd(5); j-- > 0;)
				rearrange(pb, &v);
		}
		shape.rank = v.rank;
		memcpy(shape.dims, v.dims, sizeof(shape.dims));
		to = pb_add_dram(pb, 1, i ? 320 * i : 0, 0, 0, DRM_LOOM_DTYPE_I16, shape);
		if (pb_tensor(pb, to)->size > 320) {
			pb->tensors.count--;
			continue;
		}
		y = pb_all(pb, to);
		pb_add(pb, sram ? DRM_LOOM_OP_STORE : DRM_LOOM_OP_COPY, NULL, 0, PB_VIEWS(y, v));
	}
	if (sram) {
		v = pb_all(pb, tensor);
		pb_add(pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu), PB_VIEWS(v, v));
		pb_step(pb, 0)->compute_commands = 0;
		pb_step(pb, 0)->dma_commands = pb->commands.count - 1;
		pb_begin_step(pb);
		pb_step(pb, 1)->first_command = pb->commands.count - 1;
		pb_step(pb, 1)->compute_commands = 1;
		pb_tensor(pb, tensor)->last_step = 1;
		if (alias != tensor)
			pb_tensor(pb, alias)->last_step = 1;
	}
}

static void test_grid(u32 rounds)
{
	u32 differ = 0, cautious = 0, fine = 0, faulty = 0, other = 0, i;
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 start;
	u32 faults;
	int ret;

	for (i = 0; i < rounds; i++) {
		bool leave_out = !rnd(3), odd = !rnd(4);

		start = seed;
		grid_plan(&pb, leave_out, odd);
		ret = pb_verify(&pb, &chip, &plan, &reject);
		loom_plan_destroy(plan);
		faults = oracle_judge(&oracle, &pb);
		fine += !faults;
		faulty += !!faults;
		if (ret && !is_memory_rule(reject.rule) && !other++)
			tap_note("seed %#llx: refused for %s, command %u operand %u",
				 (unsigned long long)start, loom_rule_name(reject.rule),
				 reject.command, reject.operand);
		/* Of what has holes, a stepped view is taken as all that it steps over. */
		if (ret && !faults && (leave_out || odd))
			cautious++;
		else if (!!ret != !!faults && !differ++)
			tap_note("seed %#llx: verifier says %s at command %u, simulator %#x",
				 (unsigned long long)start, loom_rule_name(reject.rule),
				 reject.command, faults);
		pb_fini(&pb);
	}
	tap_ok(!differ && cautious < rounds / 1000,
	       "grid plans: both agree (%u fine, %u faulty, %u differ, %u refused out of caution)",
	       fine, faulty, differ, cautious);
	tap_ok(fine > rounds / 4 && faulty > rounds / 10 && !other,
	       "grid plans: there are enough of both kinds to say so");
}

int main(int argc, char **argv)
{
	u32 rounds = getenv("LOOM_SANITIZED") ? 10000 : 100000;

	if (argc > 1)
		rounds = atoi(argv[1]);
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x6c6f6f6d;
	test_wild(rounds);
	test_grid(rounds / 4);
	return tap_end();
}
