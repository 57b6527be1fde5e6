// SPDX-License-Identifier: MIT
/*
 * A network that does not fit is refused with the number of missing bytes: with so many more there
 * is a plan, with one less there is none, unless sums are split into parts, which may need less.
 */
#include "case.h"
#include "loom_planner.h"
#include "loom_chip.h"

#include <errno.h>

#define GRAPHS	(getenv("LOOM_SANITIZED") ? 10 : 20)

static struct {
	unsigned int refused, named, fits, exact, group_fits, group_exact;
} seen;

static int plan_flags(const struct test_case *test, const char *grouping, uint64_t limit,
		      uint32_t flags, struct loom_error *err)
{
	const struct loom_planner_options options = {
		.chip = loom_preset_find("tiny"), .grouping = grouping,
		.sram_limit_bytes = limit, .objective = LOOM_OBJECTIVE_BYTES, .flags = flags,
	};
	struct loom_program *program = NULL;
	int ret = loom_program_create(test->graph, &options, &program, err);

	loom_program_destroy(program);
	return ret;
}

static int plan(const struct test_case *test, const char *grouping, uint64_t limit,
		struct loom_error *err)
{
	return plan_flags(test, grouping, limit, 0, err);
}

/* Whether there is no plan where sums stay whole. */
static bool none(const struct test_case *test, const char *grouping, uint64_t limit)
{
	struct loom_error err;

	return plan_flags(test, grouping, limit, LOOM_PLANNER_WHOLE_SUMS, &err) == -ENOSPC;
}

static void check_limit(const struct test_case *test, uint64_t limit)
{
	unsigned long long need, more;
	struct loom_error err;
	const char *at;

	if (plan(test, "layerwise", limit, &err) != -ENOSPC)
		return;
	at = strstr(err.text, "its smallest slice takes ");
	seen.refused++;
	if (!at || !strstr(err.text, "node \"") ||
	    sscanf(at, "its smallest slice takes %llu bytes of SRAM per lane, %llu more", &need,
		   &more) != 2 || need != limit + more)
		return;
	seen.named++;
	seen.fits += !plan(test, "layerwise", need, &err);
	seen.exact += none(test, "layerwise", need - 1);
	seen.group_fits += !plan(test, "layergroup", need, &err);
	seen.group_exact += none(test, "layergroup", need - 1);
}

static void check_graph(uint32_t which)
{
	struct test_case test;

	make_case(&test, which);
	check_limit(&test, 16);
	check_limit(&test, 80);
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	for (i = 1; i <= GRAPHS; i++)
		check_graph(i);
	tap_ok(seen.refused > GRAPHS / 2 && seen.named == seen.refused,
	       "%u refusals, %u say how much is missing, and where", seen.refused, seen.named);
	tap_ok(seen.fits == seen.named, "with so much more, %u have a plan", seen.fits);
	tap_ok(seen.exact == seen.named, "with one byte less, %u have none", seen.exact);
	tap_ok(seen.group_fits == seen.named, "in groups, too, %u have a plan", seen.group_fits);
	tap_note("in groups, %u have none with one byte less", seen.group_exact);
	return tap_end();
}
