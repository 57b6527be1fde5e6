// SPDX-License-Identifier: MIT
/*
 * Footprints and coverage against plain enumeration.
 *
 * The boxes of a footprint contain every element that the view touches, and no other if the
 * footprint is exact; a view that touches bytes of no element has none. Coverage is a set of
 * elements: it has what was written and nothing else, for boxes in any position. It takes the same
 * number of ranges in whichever parts a box is written, and a write without memory says so.
 */
#include "verify/coverage.h"
#include "port.h"
#include "random.h"
#include "tap.h"

#define MAX_ELEMENTS	1024
#define MAX_BYTES	4096
#define MAX_LANES	4

static u64 seed = 0x636f766572;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

/* --- footprints */

struct world {
	struct drm_loom_plan_tensor tensor;
	u32 lanes;
	u32 elements;
	u64 extent;
	/* by element of the footprint's index space, row-major */
	bool touched[MAX_ELEMENTS];
	u8 boxed[MAX_ELEMENTS];
	/* by bank and byte: element, plus one */
	u16 element[MAX_LANES][MAX_BYTES];
};

static struct world world;

static void next_index(u32 *index, const u32 *dims, u32 rank)
{
	u32 i;

	for (i = rank; i-- > 0;) {
		if (++index[i] < dims[i])
			return;
		index[i] = 0;
	}
}

static bool make_tensor(struct world *w)
{
	struct drm_loom_plan_tensor *t = &w->tensor;
	u32 index[DRM_LOOM_MAX_RANK] = {}, i, k;

	memset(w, 0, sizeof(*w));
	w->lanes = 1 + rnd(MAX_LANES);
	t->region = rnd(2) ? DRM_LOOM_REGION_SRAM : DRM_LOOM_REGION_DRAM;
	t->dtype = DRM_LOOM_DTYPE_I16;
	t->rank = 1 + rnd(4);
	if (t->region == DRM_LOOM_REGION_SRAM)
		t->lane_axis = rnd(t->rank);
	w->elements = 1;
	for (i = 0; i < t->rank; i++) {
		t->dims[i] = 1 + rnd(rnd(2) ? 3 : 9);
		w->elements *= t->dims[i];
	}
	if (w->elements > MAX_ELEMENTS)
		return false;
	w->extent = 2;
	for (i = t->rank; i-- > 0;) {
		u64 count = t->dims[i];

		if (t->region == DRM_LOOM_REGION_SRAM && i == t->lane_axis)
			count = (count + w->lanes - 1) / w->lanes;
		t->strides[i] = w->extent + (rnd(3) ? 0 : 2 * rnd(4));
		w->extent = (count - 1) * t->strides[i] + w->extent;
		/* mostly the next axis steps over full rows */
		if (rnd(8))
			w->extent = max(w->extent, count * t->strides[i]);
	}
	if (w->extent > MAX_BYTES)
		return false;
	for (k = 0; k < w->elements; k++) {
		u64 offset = 0;
		u32 bank = 0;

		for (i = 0; i < t->rank; i++) {
			if (t->region == DRM_LOOM_REGION_SRAM && i == t->lane_axis) {
				bank = index[i] % w->lanes;
				offset += index[i] / w->lanes * t->strides[i];
			} else {
				offset += index[i] * t->strides[i];
			}
		}
		w->element[bank][offset] = k + 1;
		next_index(index, t->dims, t->rank);
	}
	return true;
}

/* A view that stays in the bytes of the tensor, and has little else in common with it. */
static bool make_view(const struct world *w, struct loom_view *v)
{
	const struct drm_loom_plan_tensor *t = &w->tensor;
	s64 low = 0, high = 0;
	u32 i;

	memset(v, 0, sizeof(*v));
	v->region = t->region;
	v->dtype = t->dtype;
	v->elem_bytes = 2;
	v->rank = 1 + rnd(4);
	if (v->region == DRM_LOOM_REGION_SRAM) {
		v->lane_axis = rnd(v->rank);
		v->lane_start = rnd(2 * w->lanes);
	}
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		v->dims[i] = 1;
	for (i = 0; i < v->rank; i++) {
		u32 axis = rnd(t->rank);

		v->dims[i] = rnd(3) ? 1 + rnd(6) : t->dims[axis];
		v->strides[i] = 2 * rnd(12);
		if (rnd(4))
			v->strides[i] = (s64)t->strides[axis] * (rnd(3) ? 1 : 1 + rnd(3));
		if (v->region == DRM_LOOM_REGION_SRAM && i == v->lane_axis) {
			v->strides[i] = t->strides[t->lane_axis] + (rnd(6) ? 0 : 2);
			high += ((v->lane_start + v->dims[i] - 1) / w->lanes) * v->strides[i];
			continue;
		}
		if (!rnd(4))
			v->strides[i] *= -1;
		if (v->strides[i] < 0)
			low += (v->dims[i] - 1) * v->strides[i];
		else
			high += (v->dims[i] - 1) * v->strides[i];
	}
	if ((u64)(high - low) + 2 > w->extent)
		return false;
	v->offset = 2 * rnd((w->extent - (high - low)) / 2) - low;
	return true;
}

/* Marks what the view touches; false if some of it is no element. */
static bool touch(struct world *w, const struct loom_view *v)
{
	u32 index[DRM_LOOM_MAX_RANK] = {}, count = 1, i, k;

	for (i = 0; i < v->rank; i++)
		count *= v->dims[i];
	for (k = 0; k < count; k++) {
		s64 offset = v->offset;
		u32 bank = 0, element;

		for (i = 0; i < v->rank; i++) {
			if (v->region == DRM_LOOM_REGION_SRAM && i == v->lane_axis) {
				u32 lane = v->lane_start + index[i];

				bank = lane % w->lanes;
				offset += lane / w->lanes * v->strides[i];
			} else {
				offset += index[i] * v->strides[i];
			}
		}
		if (offset < 0 || offset + 2 > (s64)w->extent)
			tap_fatal("the test makes views out of bounds");
		element = w->element[bank][offset];
		if (!element)
			return false;
		w->touched[element - 1] = true;
		next_index(index, v->dims, v->rank);
	}
	return true;
}

/* Marks the elements of the boxes; the footprint leaves out axes of one. */
static bool box(struct world *w, const struct loom_footprint *f)
{
	u32 product = 1, i, k, b;
	bool ok = true;

	for (i = 0; i < f->axes; i++)
		product *= f->size[i];
	ok &= product == w->elements && f->count >= 1 && f->count <= LOOM_MAX_BOXES;
	for (b = 0; b < f->count; b++) {
		u32 index[DRM_LOOM_MAX_RANK] = {};

		for (k = 0; k < w->elements; k++) {
			for (i = 0; i < f->axes; i++)
				if (index[i] < f->box[b].low[i] || index[i] >= f->box[b].high[i])
					break;
			if (i == f->axes)
				w->boxed[k]++;
			next_index(index, f->size, f->axes);
		}
	}
	return ok;
}

static void test_footprints(u32 rounds)
{
	u32 made = 0, exact = 0, runs = 0, none = 0, i, k;
	bool sound = true, truly_exact = true, disjoint = true;
	struct loom_footprint f;
	struct loom_view v;

	for (i = 0; i < rounds; i++) {
		u64 start = seed;
		bool elements;

		if (!make_tensor(&world) || !make_view(&world, &v))
			continue;
		elements = touch(&world, &v);
		if (!loom_footprint_get(&f, &world.tensor, &v, world.lanes)) {
			none += elements;
			continue;
		}
		made++;
		exact += f.exact;
		runs += f.count > 1;
		sound &= elements && box(&world, &f);
		for (k = 0; k < world.elements; k++) {
			sound &= world.boxed[k] || !world.touched[k];
			disjoint &= world.boxed[k] < 2;
			if (f.exact)
				truly_exact &= world.boxed[k] == world.touched[k];
		}
		if (!sound || !disjoint || !truly_exact) {
			tap_note("seed %#llx", (unsigned long long)start);
			break;
		}
	}
	tap_note("%u footprints, %u exact, %u of several boxes; %u views of elements have none",
		 made, exact, runs, none);
	tap_ok(sound, "a footprint holds all that its view touches, and elements only");
	tap_ok(disjoint, "its boxes are disjoint");
	tap_ok(truly_exact, "an exact one holds nothing else");
	tap_ok(made > rounds / 20 && exact > rounds / 50 && runs > rounds / 1000,
	       "there are enough of each to say so");
}

/* data.c takes a view that is its tensor for this, without asking for its footprint. */
static void test_whole(u32 rounds)
{
	struct world *w = &world;
	struct loom_footprint f;
	u32 made = 0, bad = 0, i, k;

	for (i = 0; i < rounds; i++) {
		struct loom_view v = {};

		if (!make_tensor(w))
			continue;
		v.region = w->tensor.region;
		v.dtype = w->tensor.dtype;
		v.elem_bytes = 2;
		v.rank = w->tensor.rank;
		v.lane_axis = w->tensor.lane_axis;
		v.offset = w->tensor.offset;
		for (k = 0; k < DRM_LOOM_MAX_RANK; k++) {
			bool lane = v.region == DRM_LOOM_REGION_SRAM && k == v.lane_axis;

			v.dims[k] = k < v.rank ? w->tensor.dims[k] : 1;
			v.strides[k] = v.dims[k] > 1 || lane ? (s64)w->tensor.strides[k] : 0;
		}
		made++;
		if (!loom_footprint_get(&f, &w->tensor, &v, w->lanes) || !f.exact || f.count != 1) {
			bad++;
			continue;
		}
		for (k = 0; k < f.axes; k++)
			bad += f.box[0].low[k] || f.box[0].high[k] != f.size[k];
	}
	tap_ok(made > rounds / 2 && !bad, "a view that is its tensor has one box of all elements");
}

/* --- coverage */

struct grid {
	struct loom_footprint all;
	u32 elements;
	bool written[MAX_ELEMENTS];
};

static void random_axes(struct loom_footprint *f)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->exact = true;
	f->count = 1;
	f->axes = 1 + rnd(4);
	for (i = 0; i < f->axes; i++)
		f->size[i] = 2 + rnd(4);
}

static void random_box(const struct loom_footprint *all, struct loom_footprint *f, bool slim)
{
	u32 i;

	*f = *all;
	for (i = 0; i < f->axes; i++) {
		u32 low = rnd(f->size[i]), high = low + 1 + rnd(f->size[i] - low);

		if (slim && rnd(2))
			high = low + 1;
		if (!rnd(3)) {
			low = 0;
			high = f->size[i];
		}
		f->box[0].low[i] = low;
		f->box[0].high[i] = high;
	}
}

/* Writes a box into the grid, or asks whether it is all written. */
static bool grid_box(struct grid *g, const struct loom_footprint *f, bool write)
{
	u32 index[DRM_LOOM_MAX_RANK] = {}, i, k;
	bool all = true;

	for (k = 0; k < g->elements; k++) {
		for (i = 0; i < f->axes; i++)
			if (index[i] < f->box[0].low[i] || index[i] >= f->box[0].high[i])
				break;
		if (i == f->axes) {
			all &= g->written[k];
			g->written[k] |= write;
		}
		next_index(index, f->size, f->axes);
	}
	return all;
}

static void test_cover(u32 rounds, bool poor)
{
	u32 yes = 0, no = 0, unsound = 0, missed = 0, complete = 0, i, k, n;
	struct loom_coverage_pool pool;
	struct loom_work work = {};
	struct loom_footprint f;
	struct grid g;

	for (i = 0; i < rounds; i++) {
		struct loom_coverage cover = {};
		u64 nodes;

		memset(&g, 0, sizeof(g));
		g.elements = 1;
		random_axes(&g.all);
		for (k = 0; k < g.all.axes; k++)
			g.elements *= g.all.size[k];
		loom_coverage_pool_init(&pool, &work, 1 << 20);
		if (poor) {
			pool.units = rnd(50);
			pool.nodes = rnd(8);
		}
		nodes = pool.nodes;
		for (n = 0; n < 40; n++) {
			random_box(&g.all, &f, true);
			if (loom_coverage_write(&pool, &cover, &f))
				tap_fatal("no memory");
			grid_box(&g, &f, true);
			if (poor && n % 4) {
				pool.units = rnd(30);
				pool.nodes = rnd(6);
			}
			random_box(&g.all, &f, false);
			if (loom_coverage_has(&pool, &cover, &f)) {
				yes++;
				unsound += !grid_box(&g, &f, false);
			} else {
				no++;
				missed += grid_box(&g, &f, false);
			}
			for (k = 0; k < g.elements && g.written[k]; k++)
				;
			if (cover.complete)
				unsound += k < g.elements;
			else if (k == g.elements)
				missed++;
		}
		complete += cover.complete;
		/* complete coverage keeps no ranges, so all nodes must be on the account again */
		if (!poor && cover.complete && pool.nodes < nodes)
			missed++;
		loom_coverage_pool_fini(&pool);
	}
	if (poor) {
		tap_ok(!unsound && missed && yes,
		       "with little on the account: nothing is there that was not written");
		return;
	}
	tap_ok(!unsound, "coverage has nothing that was not written (%u yes, %u no)", yes, no);
	tap_ok(!missed, "coverage has all that was written (%u tensors complete)", complete);
}

/* --- ranges */

static u64 used(struct loom_coverage_pool *pool, struct loom_coverage *cover,
		const struct loom_footprint *footprint)
{
	u64 before = pool->nodes;

	if (loom_coverage_write(pool, cover, footprint))
		tap_fatal("no memory");
	return before - pool->nodes;
}

/* Writes a box in slices of one along an axis, in any order. */
static u64 used_by_slices(struct loom_coverage_pool *pool, struct loom_coverage *cover,
			  const struct loom_footprint *f, u32 axis)
{
	u32 low = f->box[0].low[axis], count = f->box[0].high[axis] - low, order[8], i, k;
	struct loom_footprint slice = *f;
	u64 sum = 0;

	for (i = 0; i < count; i++) {
		k = rnd(i + 1);
		order[i] = order[k];
		order[k] = low + i;
	}
	for (i = 0; i < count; i++) {
		slice.box[0].low[axis] = order[i];
		slice.box[0].high[axis] = order[i] + 1;
		sum += used(pool, cover, &slice);
	}
	return sum;
}

/* Otherwise a plan that writes row by row would use up the budget of one that does not. */
static void test_ranges(u32 rounds)
{
	u32 i, k, more = 0, unlike = 0, large = 0;
	struct loom_footprint all, box[2];
	struct loom_coverage_pool pool;
	struct loom_work work = {};

	for (i = 0; i < rounds; i++) {
		struct loom_coverage whole = {}, parts = {};
		u64 once = 0, sliced = 0;

		loom_coverage_pool_init(&pool, &work, 1 << 20);
		random_axes(&all);
		/* the second, where there is one, is cut out of what the first left */
		for (k = 0; k < 1 + i % 2; k++) {
			random_box(&all, &box[k], false);
			once += used(&pool, &whole, &box[k]);
		}
		for (k = 0; k < 1 + i % 2; k++)
			sliced += used_by_slices(&pool, &parts, &box[k], rnd(all.axes));
		more += sliced != once;
		unlike += whole.complete != parts.complete;
		large += once > 4;
		loom_coverage_pool_fini(&pool);
	}
	tap_ok(!more, "slices take as many ranges as the whole, but for %u of %u", more, i);
	tap_ok(!unlike, "they are complete when the whole is, but for %u", unlike);
	tap_ok(large > rounds / 10, "%u take more than four ranges", large);
}

/*
 * Ranges come from chunks, so that an allocation fails in the middle of a write only where a chunk
 * ends. Here one ends anywhere: @count ranges are left.
 */
static void cut_free(struct loom_coverage_pool *pool, u32 count)
{
	struct loom_splay_node **at = &pool->free;

	while (*at && count--)
		at = &(*at)->left;
	*at = NULL;
}

/* Some writes, and one that has to do with few ranges. Return: how often it asked for more. */
static u32 try_write(u32 *wrong)
{
	struct loom_coverage cover = {};
	struct loom_coverage_pool pool;
	struct loom_work work = {};
	struct loom_footprint all, f;
	u32 i;
	int ret;

	random_axes(&all);
	loom_coverage_pool_init(&pool, &work, 1 << 20);
	for (i = rnd(6); i > 0; i--) {
		random_box(&all, &f, false);
		used(&pool, &cover, &f);
	}
	cut_free(&pool, rnd(5));
	random_box(&all, &f, false);
	port_allocs = 0;
	port_fail_at = 0;
	ret = loom_coverage_write(&pool, &cover, &f);
	port_fail_at = U32_MAX;
	*wrong += ret != (port_allocs ? -ENOMEM : 0) || port_allocs > 1;
	loom_coverage_pool_fini(&pool);
	return port_allocs;
}

static void test_hungry(u32 rounds)
{
	u32 i, wrong = 0, without = 0;

	for (i = 0; i < rounds; i++)
		without += try_write(&wrong) != 0;
	tap_ok(!wrong, "without memory a write says so, and does not ask again, but for %u of %u",
	       wrong, rounds);
	tap_ok(!port_kept, "nothing is left");
	tap_ok(without > rounds / 20, "%u writes asked in vain", without);
}

int main(void)
{
	u32 rounds = getenv("LOOM_SANITIZED") ? 100000 : 1000000;

	test_footprints(rounds);
	test_whole(rounds / 10);
	test_cover(rounds / 200, false);
	test_cover(rounds / 200, true);
	test_ranges(3000);
	test_hungry(20000);
	return tap_end();
}
