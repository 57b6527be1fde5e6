// SPDX-License-Identifier: MIT
/*
 * Coverage without memory: ranges come from chunks, so that an allocation fails in the middle of a
 * write only where a chunk ends. Here one ends anywhere. Each write that asked in vain says so.
 */
#include <stdlib.h>

#include "random.h"
#include "tap.h"
#include "verify/coverage.h"

#define ROUNDS	20000

static u64 seed = 0x68756e677279;
static u32 asked;
static s64 kept;
static bool fails;

void *loom_port_alloc(size_t count, size_t size)
{
	asked++;
	if (fails)
		return NULL;
	kept++;
	return calloc(count ? count : 1, size);
}

void loom_port_free(void *ptr)
{
	kept -= !!ptr;
	free(ptr);
}

bool loom_port_relax(void)
{
	return true;
}

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static void random_box(struct loom_footprint *f)
{
	u32 i;

	f->count = 1;
	for (i = 0; i < f->axes; i++) {
		f->box[0].low[i] = rnd(f->size[i]);
		f->box[0].high[i] = f->box[0].low[i] + 1 + rnd(f->size[i] - f->box[0].low[i]);
	}
}

/* No range is left in the pool but so many. */
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
	struct loom_footprint f = { .axes = 1 + rnd(4), .exact = true };
	struct loom_coverage cover = {};
	struct loom_coverage_pool pool;
	struct loom_work work = {};
	u32 i;
	int ret;

	for (i = 0; i < f.axes; i++)
		f.size[i] = 2 + rnd(5);
	loom_coverage_pool_init(&pool, &work, 1 << 20);
	fails = false;
	for (i = rnd(6); i > 0; i--) {
		random_box(&f);
		if (loom_coverage_write(&pool, &cover, &f))
			tap_fatal("no memory");
	}
	cut_free(&pool, rnd(5));
	random_box(&f);
	fails = true;
	asked = 0;
	ret = loom_coverage_write(&pool, &cover, &f);
	*wrong += ret != (asked ? -ENOMEM : 0) || asked > 1;
	loom_coverage_pool_fini(&pool);
	return asked;
}

int main(void)
{
	u32 i, wrong = 0, without = 0;

	for (i = 0; i < ROUNDS; i++)
		without += try_write(&wrong) != 0;
	tap_ok(!wrong, "who asks in vain says so, and does not ask again, but for %u of %u", wrong,
	       ROUNDS);
	tap_ok(!kept, "nothing is left");
	tap_ok(without > ROUNDS / 10, "%u writes asked in vain", without);
	return tap_end();
}
