// SPDX-License-Identifier: MIT
/*
 * Calls that are stopped: by a limit on work or memory at points that are spread over the whole
 * call, and by the caller. The error has one line with the reason, nothing is kept (ASan says so),
 * and the same limit stops at the same point.
 */
#include "base/watch.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "chips.h"
#include "host/group/case.h"
#include "planner/planner.h"

#define POINTS	64
#define GRAPHS	12

static const struct loom_planner_options none, one_job = { .jobs = 1 };
static const struct drm_loom_chip chip = CHIP_SRAM("three-lanes", (3, 2, 3600, 32, 8));

/**
 * struct caller - of a call
 * @answer: from @after calls of the callback on
 * @after: how many go on
 * @calls: of the callback
 * @seen: the last one
 * @falls: the fraction has fallen, or is none
 */
struct caller {
	int answer;
	u32 after;
	u32 calls;
	struct loom_progress seen;
	bool falls;
};

static int ask(void *data, const struct loom_progress *progress)
{
	struct caller *caller = data;

	caller->falls |= progress->fraction < caller->seen.fraction || progress->fraction > 1 ||
			 !loom_stage_name(progress->stage);
	caller->seen = *progress;
	return caller->calls++ < caller->after ? LOOM_PROGRESS_GO_ON : caller->answer;
}

static int plan(const struct test_case *test, struct loom_planner_options how,
		struct loom_program **program, char *text)
{
	struct loom_error err = { .text = "" };
	int ret;

	how.chip = &chip;
	/* in a watch of this test, without the judge, whose work is none of the call */
	ret = loom_watch_now ? loom_planner_plan(test->graph, &how, &how,
							   LOOM_FORM_ANY, program, &err) :
			       loom_program_create(test->graph, &how, program, &err);
	if (text)
		memcpy(text, err.text, strlen(err.text) + 1);
	return ret;
}

/* The work of a whole plan: of a watch around it, which the call becomes a part of. */
static u64 work_of(const struct test_case *test)
{
	struct loom_watch watch = { .max_work = UINT64_MAX };
	struct loom_program *program;

	loom_watch_begin(&watch);
	/* threads may do work that the plan does not need */
	if (plan(test, one_job, &program, NULL))
		tap_fatal("no plan");
	loom_program_destroy(program);
	loom_watch_end(&watch, 0, NULL);
	return watch.work;
}

static void test_work(const struct test_case *test)
{
	u64 all = work_of(test), again = work_of(test);
	char text[256], other[256];
	struct loom_program *program;
	u32 i, stage, bad = 0, stages = 0;

	tap_ok(all == again && all > POINTS, "work is the same each time: %llu, %llu",
	       (unsigned long long)all, (unsigned long long)again);
	for (i = 0; i < POINTS; i++) {
		struct loom_planner_options how = { .max_work = 1 + all * i / POINTS };

		bad += plan(test, how, &program, text) != -ETIME || program ||
		       !strstr(text, "work");
		bad += plan(test, how, &program, other) != -ETIME || strcmp(text, other);
		for (stage = 0; loom_stage_name(stage); stage++)
			if (strstr(text, loom_stage_text(stage)))
				stages |= 1U << stage;
	}
	tap_ok(!bad, "past a limit on work: -ETIME, at the same point each time");
	tap_ok(stages & 1U << LOOM_STAGE_GROUP && stages & 1U << LOOM_STAGE_EXPLAIN &&
	       stages & 1U << LOOM_STAGE_EMIT, "limits have stopped in several stages: %x", stages);
	i = plan(test, (struct loom_planner_options){ .max_work = all + all / 10 }, &program, NULL);
	tap_ok(!i, "a limit above is none");
	loom_program_destroy(program);
}

static void test_memory(const struct test_case *test)
{
	u32 bad = 0, refused = 0, i;
	char text[256];

	for (i = 0; i < POINTS; i++) {
		struct loom_planner_options how = { .max_memory_bytes = 40000U * (i + 1) };
		struct loom_program *program;
		int ret = plan(test, how, &program, text);

		refused += ret == -ENOMEM;
		bad += ret && (ret != -ENOMEM || program || !strstr(text, "bytes of memory"));
		loom_program_destroy(program);
	}
	tap_ok(!bad && refused, "past a limit on memory: -ENOMEM, and which limit (%u of %u)",
	       refused, POINTS);
}

static u64 given(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static u64 given_before;
static u32 uncounted, calls;

/* Small blocks that libc keeps for the thread are none of the watch's. */
static int compare(void *data, const struct loom_progress *progress)
{
	u64 most = progress->memory_bytes + progress->memory_bytes / 10 + (256 << 10);

	(void)data;
	/* libc goes through its lists for it */
	uncounted += calls++ % 64 == 0 && given() > given_before + most;
	return LOOM_PROGRESS_GO_ON;
}

static void test_count(const struct test_case *test)
{
	struct loom_watch watch = { .progress = compare, .eager = true };
	struct loom_program *program;

	given_before = given();
	loom_watch_begin(&watch);
	/* as with a limit on memory: libc keeps small blocks for each thread */
	if (plan(test, one_job, &program, NULL))
		tap_fatal("no plan");
	loom_watch_end(&watch, 0, NULL);
	loom_program_destroy(program);
	tap_ok(!uncounted, "memory is counted to a tenth, at %u moments", calls / 64);
}

/* The period of the callback is long for so small a graph: only the first call is certain. */
static void test_caller(const struct test_case *test)
{
	struct caller caller = { .answer = LOOM_PROGRESS_STOP };
	struct loom_planner_options how = { .progress = ask, .progress_data = &caller };
	struct loom_program *program;
	char text[256];
	int ret;

	ret = plan(test, how, &program, text);
	tap_ok(ret == -ECANCELED && !program && strstr(text, "caller"), "stopped: %s", text);
	caller = (struct caller){ .answer = LOOM_PROGRESS_FINISH };
	ret = plan(test, how, &program, text);
	tap_ok(!ret && program && !caller.falls, "finished: the best plan so far");
	loom_program_destroy(program);
	caller = (struct caller){ .answer = LOOM_PROGRESS_GO_ON };
	ret = plan(test, how, &program, text);
	tap_ok(!ret && caller.calls && !caller.falls, "the callback is called");
	loom_program_destroy(program);
}

/* As if the caller had asked for the best so far at any moment of the call. */
static void test_finish(const struct test_case *test)
{
	struct loom_program *program;
	u32 bad = 0, i;

	for (i = 1; i < 1U << 20; i *= 2) {
		struct caller caller = { .answer = LOOM_PROGRESS_FINISH, .after = i };
		struct loom_watch watch = { .progress = ask, .data = &caller, .eager = true };

		loom_watch_begin(&watch);
		bad += plan(test, none, &program, NULL) ||
		       loom_watch_end(&watch, 0, NULL);
		loom_program_destroy(program);
	}
	tap_ok(!bad, "finished at any moment: there is a plan");
	for (i = 1, bad = 0; i < 1U << 12; i *= 2) {
		struct caller caller = { .answer = LOOM_PROGRESS_STOP, .after = i };
		struct loom_watch watch = { .progress = ask, .data = &caller, .eager = true };

		loom_watch_begin(&watch);
		bad += !plan(test, none, &program, NULL) ||
		       loom_watch_end(&watch, 0, NULL) != -ECANCELED;
	}
	tap_ok(!bad, "stopped at any moment: there is none");
}

static void test_threads(void)
{
	struct loom_program *one, *other;
	u32 bad = 0, graph, jobs, effort;
	struct loom_planner_options how;
	struct test_case test;

	for (graph = 0; graph < GRAPHS; graph++) {
		make_case(&test, graph * 7919 + 23);
		effort = LOOM_EFFORT_ONCE + graph % 4;
		how = (struct loom_planner_options){ .effort = effort, .jobs = 1 };
		if (plan(&test, how, &one, NULL))
			tap_fatal("no plan");
		for (jobs = 2; jobs < 5; jobs++) {
			how.jobs = jobs;
			if (plan(&test, how, &other, NULL))
				tap_fatal("no plan");
			bad += one->plan_bytes != other->plan_bytes ||
			       memcmp(one->plan, other->plan, one->plan_bytes);
			loom_program_destroy(other);
		}
		loom_program_destroy(one);
		free_case(&test);
	}
	tap_ok(!bad, "the same plan by any number of threads");
}

int main(void)
{
	struct test_case test;

	make_weights();
	make_case(&test, 7919 + 23);
	test_work(&test);
	test_memory(&test);
	test_count(&test);
	test_caller(&test);
	test_finish(&test);
	free_case(&test);
	test_threads();
	return tap_end();
}
