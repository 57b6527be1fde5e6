// SPDX-License-Identifier: MIT
/*
 * Planning without memory: an allocation fails, alone or with all after it. The answer is -ENOMEM,
 * or the same plan as ever where it was not needed; nothing is kept, and nothing is touched that is
 * not there. malloc() and the like are those of libc_memory.h.
 */
#ifdef __SANITIZE_ADDRESS__

#include "tap.h"

int main(void)
{
	tap_skip("the sanitizer has a malloc() of its own");
	return tap_end();
}

#else

#include <string.h>

#include "chips.h"
#include "host/group/case.h"
#include "host/rewrite/nets.h"
#include "libc_memory.h"
#include "loom_planner.h"

/* How many allocations of a plan are tried, evenly spread. */
#define TRIES	40
#define GRAPHS	4

static int plan(const struct test_case *test, const struct loom_planner_options *how, u32 at,
		struct loom_program **program)
{
	struct loom_error err;
	int ret;

	*program = NULL;
	allocations = 0;
	fail_at = at;
	ret = loom_program_create(test->graph, how, program, &err);
	fail_at = UINT32_MAX;
	return ret;
}

/* Allocation @at fails. */
static bool try_one(const struct test_case *test, const struct loom_planner_options *how, u32 at,
		    const struct loom_program *want)
{
	int before = kept;
	struct loom_program *program;
	int ret = plan(test, how, at, &program);
	bool good = ret == -ENOMEM;

	if (!ret)
		good = program->plan_bytes == want->plan_bytes &&
		       !memcmp(program->plan, want->plan, want->plan_bytes);
	if (!good)
		tap_note("allocation %u of %s fails: %s (%d)", at, how->grouping,
			 ret ? "another error" : "another plan", ret);
	if (!ret)
		loom_program_destroy(program);
	if (kept != before)
		tap_note("allocation %u of %s fails: %d are kept", at, how->grouping,
			 kept - before);
	return good && kept == before;
}

static u32 try_graph(const struct test_case *test, const struct loom_planner_options *how)
{
	struct loom_program *want;
	u32 i, count, tries = TRIES, bad = 0;

	if (plan(test, how, UINT32_MAX, &want))
		tap_fatal("no plan");
	count = allocations;
	tries = min(tries, count);
	for (i = 0; i < tries; i++) {
		goes_on = i % 2;
		bad += !try_one(test, how, (u32)((u64)i * count / tries), want);
	}
	loom_program_destroy(want);
	return bad;
}

/* Operations that random graphs have not, in few allocations. */
static void test_nets(void)
{
	static const char *const nets[] = {
		net_matmul, net_gemm, net_attention, net_deconv, net_softmax, net_pool_avg,
		net_reduce, net_select, net_quantise, net_qconv, net_qmatmul, net_pad,
		net_constants, net_mobile,
	};
	static const struct drm_loom_chip chip = CHIP_SRAM("roomy", (4, 1, 40000, 0, 64));
	const struct loom_planner_options how = { .chip = &chip, .grouping = "layerwise", .jobs = 1 };
	u32 i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(nets); i++) {
		struct test_case test = net_make(nets[i]);

		bad += try_graph(&test, &how);
		free_case(&test);
	}
	tap_ok(!bad, "networks: without memory there is an error or the same plan");
}

int main(void)
{
	static const struct drm_loom_chip chip = CHIP_SRAM("three-lanes", (3, 2, 3600, 32, 8));
	struct loom_planner_options how = { .chip = &chip, .jobs = 1 };
	struct test_case test;
	u32 i, which, bad;

	for (i = 0; loom_grouping_name(i); i++) {
		how.grouping = loom_grouping_name(i);
		for (which = bad = 0; which < GRAPHS; which++) {
			make_case(&test, which * 7919 + 23);
			bad += try_graph(&test, &how);
			free_case(&test);
		}
		tap_ok(!bad, "%s: without memory there is an error or the same plan",
		       how.grouping);
	}
	test_nets();
	return tap_end();
}

#endif
