// SPDX-License-Identifier: MIT
/*
 * What was written takes as many ranges as it has to, in whichever parts and order it was written:
 * else a plan that writes row by row used up the budget of one that does not.
 */
#include "random.h"
#include "tap.h"
#include "verify/coverage.h"

#define ROUNDS	3000

static u64 seed = 0x72616e676573;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static u64 used(struct loom_coverage_pool *pool, struct loom_coverage *cover,
		const struct loom_footprint *footprint)
{
	u64 before = pool->nodes;

	if (loom_coverage_write(pool, cover, footprint))
		tap_fatal("no memory");
	return before - pool->nodes;
}

static void random_box(struct loom_footprint *f)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->axes = 1 + rnd(4);
	f->exact = true;
	f->count = 1;
	for (i = 0; i < f->axes; i++) {
		f->size[i] = 2 + rnd(5);
		f->box[0].high[i] = f->size[i];
		if (rnd(3)) {
			f->box[0].low[i] = rnd(f->size[i]);
			f->box[0].high[i] = f->box[0].low[i] + 1 +
					    rnd(f->size[i] - f->box[0].low[i]);
		}
	}
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

int main(void)
{
	u32 i, k, axis, more = 0, unlike = 0, large = 0;
	struct loom_coverage_pool pool;
	struct loom_work work = {};
	struct loom_footprint box[2];

	for (i = 0; i < ROUNDS; i++) {
		struct loom_coverage whole = {}, parts = {};
		u64 once = 0, sliced = 0;

		loom_coverage_pool_init(&pool, &work, 1 << 20);
		random_box(&box[0]);
		do
			random_box(&box[1]);
		while (box[1].axes != box[0].axes);
		memcpy(box[1].size, box[0].size, sizeof(box[0].size));
		for (k = 0; k < box[1].axes; k++) {
			box[1].box[0].high[k] = min(box[1].box[0].high[k], box[1].size[k]);
			box[1].box[0].low[k] = min(box[1].box[0].low[k],
						   box[1].box[0].high[k] - 1);
		}
		/* the second, where there is one, is cut out of what the first left */
		for (k = 0; k < 1 + i % 2; k++)
			once += used(&pool, &whole, &box[k]);
		for (k = 0; k < 1 + i % 2; k++) {
			axis = rnd(box[k].axes);
			sliced += used_by_slices(&pool, &parts, &box[k], axis);
		}
		more += sliced != once;
		unlike += whole.complete != parts.complete;
		large += once > 4;
		loom_coverage_pool_fini(&pool);
	}
	tap_ok(!more, "slices take as many ranges as the whole, but for %u of %u", more, i);
	tap_ok(!unlike, "they are complete when the whole is, but for %u", unlike);
	tap_ok(large > ROUNDS / 10, "%u take more than four ranges", large);
	return tap_end();
}
