// SPDX-License-Identifier: MIT
/*
 * How much a plan can make the verifier do, in work and in memory, and how soon it gives up when it
 * is told to. With an argument: the same plans with so many commands, and the seconds that they
 * take.
 */
#include <stdio.h>
#include <time.h>

#include "counted.h"
#include "hostile_plans.h"
#include "plan_work.h"

#define COMMANDS	(1U << 15)

/* How often the verifier has looked whether it may go on, and from when on it may not. */
static u32 looks, looks_after, stop_at = U32_MAX;

bool loom_port_relax(void)
{
	looks_after += looks > stop_at;
	return looks++ < stop_at;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 0.000000001 * (double)ts.tv_nsec;
}

static void *make(const struct hostile_plan *hostile, u32 commands, u64 *size)
{
	struct plan_builder pb;
	void *blob;

	hostile->build(&pb, commands);
	blob = pb_blob(&pb, size);
	pb_fini(&pb);
	return blob;
}

static void test_work(const struct hostile_plan *hostile, u32 commands)
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	struct loom_work work;
	double start, took;
	bool judged;
	void *blob;
	u64 size;
	int ret;

	blob = make(hostile, commands, &size);
	bytes_most = 0;
	start = now_s();
	ret = loom_plan_create_counted(blob, size, chip, &plan, &reject, &work);
	took = now_s() - start;
	judged = hostile->rule ? ret == -EBADMSG && reject.rule == hostile->rule : !ret;
	tap_note("%-8s %8u commands %6.2f MB: %6.2f units/byte, %5llu at most between looks",
		 hostile->name, commands, (double)size / 1e6, (double)work.done / (double)size,
		 (unsigned long long)work.longest);
	tap_note("%-8s %7.1f ns/byte, %7.3f s, %4.1f ns/unit", hostile->name,
		 1e9 * took / (double)size, took, 1e9 * took / (double)work.done);
	tap_ok(judged, "%s: %d, rule %s", hostile->name, ret, loom_rule_name(reject.rule));
	tap_ok(work.done <= LOOM_PLAN_WORK_START + size * LOOM_PLAN_WORK_BYTE,
	       "%s: the work is within its bound", hostile->name);
	tap_ok(work.longest < 2 * LOOM_WORK_LOOK, "%s: it looks for signals often enough",
	       hostile->name);
	if (!ret)
		tap_ok(loom_plan_bytes(plan) <= 3 * size + 4096, "%s: %.2f bytes are kept for each",
		       hostile->name, (double)loom_plan_bytes(plan) / (double)size);
	tap_ok(bytes_most <= loom_plan_peak_bytes(blob, size),
	       "%s: and not more than was said before, %.2f bytes for each", hostile->name,
	       (double)loom_plan_peak_bytes(blob, size) / (double)size);
	tap_ok(bytes_most <= LOOM_PLAN_MEMORY_START + size * LOOM_PLAN_MEMORY_BYTE,
	       "%s: the memory is within its bound, %.2f bytes for each", hostile->name,
	       (double)bytes_most / (double)size);
	loom_plan_destroy(plan);
	free(blob);
}

/* Work of a plan that writes every other row of a tensor and then, if @all, the whole of it. */
static u64 rows_work(u32 rows, bool all)
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	struct drm_loom_attr_fill fill = {};
	struct plan_builder pb;
	u32 tensor, i;

	pb_init(&pb, chip->region[DRM_LOOM_REGION_SRAM].banks, 0);
	pb_add_slot(&pb, 8 * (u64)rows, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(2 * rows, 4));
	pb_begin_step(&pb);
	for (i = 0; i < rows; i++)
		pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill),
		       PB_VIEWS(pb_slice(&pb, pb_all(&pb, tensor), 0, 2 * i, 1)));
	if (all)
		pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(&pb, tensor)));
	return plan_work(&pb, chip);
}

/* Ranges that are given back are work, too: a client that is killed is noticed meanwhile. */
static void test_freeing(void)
{
	const u32 rows = 4096;
	u64 more = rows_work(rows, true) - rows_work(rows, false);

	tap_ok(more >= 2 * rows, "a write over %u ranges takes %llu units", rows,
	       (unsigned long long)more);
}

/* The client is killed at some look: it is not asked again, little is done, nothing is left. */
static void test_interrupted(const struct hostile_plan *hostile)
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	u32 stops = 0, late = 0, again = 0, left = 0, other = 0, step, all;
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	struct loom_work work;
	void *blob;
	u64 size;
	int ret;

	blob = make(hostile, COMMANDS / 4, &size);
	looks = 0;
	ret = loom_plan_create_counted(blob, size, chip, &plan, &reject, &work);
	loom_plan_destroy(plan);
	all = looks;
	step = all / 64 + 1;
	for (stop_at = 0; stop_at < all; stop_at += step, stops++) {
		looks = 0;
		looks_after = 0;
		ret = loom_plan_create_counted(blob, size, chip, &plan, &reject, &work);
		other += ret != -EINTR || plan;
		late += work.done - work.looked > LOOM_WORK_LOOK;
		again += looks_after;
		left += bytes_now != 0;
	}
	stop_at = U32_MAX;
	free(blob);
	tap_ok(stops && !other && !late && !again && !left,
	       "%s: gives up at once at any of %u looks (%u other, %u late, %u again, %u left)",
	       hostile->name, stops, other, late, again, left);
}

int main(int argc, char **argv)
{
	u32 commands = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : COMMANDS;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hostile_plans); i++)
		if (argc < 3 || !strcmp(argv[2], hostile_plans[i].name))
			test_work(&hostile_plans[i], commands);
	if (argc < 2)
		test_freeing();
	if (argc < 2)
		for (i = 0; i < ARRAY_SIZE(hostile_plans); i++)
			test_interrupted(&hostile_plans[i]);
	return tap_end();
}
