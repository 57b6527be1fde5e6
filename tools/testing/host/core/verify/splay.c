// SPDX-License-Identifier: MIT
/* A step down a tree is a unit of work, no more: budgets of plans are in these. */
#include "tap.h"
#include "verify/splay.h"
#include "verify/work.h"

#define COUNT	64

int main(void)
{
	struct loom_splay_node nodes[COUNT] = {};
	struct loom_splay_node *found;
	struct loom_splay tree = {};
	struct loom_work work = {};
	u64 before;
	u32 i;

	for (i = 0; i < COUNT; i++) {
		nodes[i].key = i;
		nodes[i].end = i + 1;
		loom_splay_insert(&tree, &nodes[i], &work);
	}
	/* each was put on top of the one before */
	tap_ok(work.done == COUNT - 1, "%u in their order: %llu units", COUNT,
	       (unsigned long long)work.done);
	before = work.done;
	found = loom_splay_floor(&tree, COUNT - 1, &work);
	tap_ok(found == &nodes[COUNT - 1] && work.done == before + 1,
	       "the one on top is one unit away");
	before = work.done;
	found = loom_splay_floor(&tree, 0, &work);
	tap_ok(found == &nodes[0] && work.done - before >= COUNT / 2 &&
	       work.done - before <= COUNT, "the one at the bottom: %llu units",
	       (unsigned long long)(work.done - before));
	before = work.done;
	for (i = 0; i < COUNT; i++)
		if (loom_splay_ceil(&tree, i, &work) != &nodes[i])
			tap_fatal("%u is not found", i);
	tap_ok(work.done - before <= 5 * COUNT, "all in their order: %llu units",
	       (unsigned long long)(work.done - before));
	return tap_end();
}
