// SPDX-License-Identifier: MIT
/*
 * How much a plan can make the verifier do, in work and in memory, and how soon it gives up when it
 * is told to. With an argument: the same plans with so many commands, and the seconds that they
 * take.
 *
 *	work [COMMANDS [PLAN]]
 */
#include <stdio.h>
#include <time.h>

#include "hostile_plans.h"
#include "plan_sample.h"
#include "port.h"
#include "tap.h"
#include "verify/splay.h"
#include "verify/verify.h"

#define COMMANDS	(1U << 15)
/* Of the chip "tiny". */
#define LANES		4

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
	port_bytes_most = 0;
	start = now_s();
	ret = loom_plan_create_counted(blob, size, chip, NULL, &plan, &reject, &work);
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
	tap_ok(work.longest < 2 * LOOM_WORK_INTERVAL, "%s: it looks for signals often enough",
	       hostile->name);
	if (!ret)
		tap_ok(loom_plan_bytes(plan) <= 3 * size + 4096, "%s: %.2f bytes are kept for each",
		       hostile->name, (double)loom_plan_bytes(plan) / (double)size);
	tap_ok(port_bytes_most <= loom_plan_peak_bytes(blob, size),
	       "%s: and not more than was said before, %.2f bytes for each", hostile->name,
	       (double)loom_plan_peak_bytes(blob, size) / (double)size);
	tap_ok(port_bytes_most <= LOOM_PLAN_MEMORY_START + size * LOOM_PLAN_MEMORY_BYTE,
	       "%s: the memory is within its bound, %.2f bytes for each", hostile->name,
	       (double)port_bytes_most / (double)size);
	loom_plan_destroy(plan);
	free(blob);
}

/* Units of work that the verifier does for a plan, which has to be accepted; @pb is used up. */
static u64 plan_work(struct plan_builder *pb)
{
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	struct loom_work work;
	u64 size;
	void *blob = pb_blob(pb, &size);

	pb_fini(pb);
	if (loom_plan_create_counted(blob, size, loom_preset_find("tiny"), NULL, &plan, &reject,
				     &work))
		tap_fatal("refused for %s", loom_rule_name(reject.rule));
	loom_plan_destroy(plan);
	pb_free(blob);
	return work.done;
}

/* Work of a plan that writes every other row of a tensor and then, if @all, the whole of it. */
static u64 rows_work(u32 rows, bool all)
{
	struct drm_loom_attr_fill fill = {};
	struct plan_builder pb;
	u32 tensor, i;

	pb_init(&pb, LANES, 0);
	pb_add_slot(&pb, 8 * (u64)rows, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(2 * rows, 4));
	pb_begin_step(&pb);
	for (i = 0; i < rows; i++)
		pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill),
		       PB_VIEWS(pb_slice(&pb, pb_all(&pb, tensor), 0, 2 * i, 1)));
	if (all)
		pb_add(&pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(&pb, tensor)));
	return plan_work(&pb);
}

/* Ranges that are given back are work, too: a client that is killed is noticed meanwhile. */
static void test_freeing(void)
{
	const u32 rows = 4096;
	u64 more = rows_work(rows, true) - rows_work(rows, false);

	tap_ok(more >= 2 * rows, "a write over %u ranges takes %llu units", rows,
	       (unsigned long long)more);
}

/* Work of a plan with so many tensors beside each other, alive in the one step. */
static u64 tensors_work(u32 count)
{
	struct plan_builder pb;
	u32 i;

	pb_init(&pb, LANES, 0);
	pb_add_slot(&pb, count, DRM_LOOM_SLOT_READ);
	for (i = 0; i < count; i++)
		pb_add_dram(&pb, 0, i, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(1));
	pb_begin_step(&pb);
	return plan_work(&pb);
}

static void test_tensors(void)
{
	u64 each = (tensors_work(201) - tensors_work(1)) / 200;

	/*
	 * It is checked, which lists it, and enters the step. It is sorted by one digit in two
	 * passes, numbered, and leaves the step.
	 */
	tap_ok(each == 2 * LOOM_WORK_TENSOR + 2 + 1 + 1, "%llu units for each tensor",
	       (unsigned long long)each);
}

#define IN_PLACE	256

/* Work of the sample and commands that write columns @to and read columns @from of one tensor. */
static u64 columns_work(u32 to, u32 from)
{
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	struct plan_builder pb;
	u32 i;

	sample_build(&pb);
	pb_tensor(&pb, T_SZ2)->last_step = SAMPLE_STEPS;
	pb_begin_step(&pb);
	for (i = 0; i < IN_PLACE; i++)
		pb_add(&pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu),
		       PB_VIEWS(pb_slice(&pb, pb_all(&pb, T_SZ2), 1, to, 4),
				pb_slice(&pb, pb_all(&pb, T_SZ2), 1, from, 4)));
	return plan_work(&pb);
}

/* That no element is shared is found by the boxes of both, pair by pair: in each command. */
static void test_columns(void)
{
	u64 other = columns_work(0, 4), each = (other - columns_work(0, 0)) / IN_PLACE;

	/* two footprints, and their comparison */
	tap_ok(each >= 3 * LOOM_WORK_FOOTPRINT && each < 4 * LOOM_WORK_FOOTPRINT,
	       "%llu units for each command that reads other columns", (unsigned long long)each);
	tap_ok(columns_work(60, 0) == other, "the same for columns that are farther away");
}

#define NODES	64

/* A step down a tree is a unit of work, no more. */
static void test_splay(void)
{
	struct loom_splay_node nodes[NODES] = {}, *found;
	struct loom_splay tree = {};
	struct loom_work work = {};
	u64 before;
	u32 i;

	for (i = 0; i < NODES; i++) {
		nodes[i].key = i;
		nodes[i].end = i + 1;
		loom_splay_insert(&tree, &nodes[i], &work);
	}
	/* each was put on top of the one before */
	tap_ok(work.done == NODES - 1, "%u in their order: %llu units", NODES,
	       (unsigned long long)work.done);
	before = work.done;
	found = loom_splay_floor(&tree, NODES - 1, &work);
	tap_ok(found == &nodes[NODES - 1] && work.done == before + 1,
	       "the one on top is one unit away");
	before = work.done;
	found = loom_splay_floor(&tree, 0, &work);
	tap_ok(found == &nodes[0] && work.done - before >= NODES / 2 && work.done - before <= NODES,
	       "the one at the bottom: %llu units", (unsigned long long)(work.done - before));
	before = work.done;
	for (i = 0; i < NODES; i++)
		if (loom_splay_ceil(&tree, i, &work) != &nodes[i])
			tap_fatal("%u is not found", i);
	tap_ok(work.done - before <= 5 * NODES, "all in their order: %llu units",
	       (unsigned long long)(work.done - before));
}

#define COUNT		20000
/* Slots and banks are charged as if there were all of them. */
#define ROOM_BYTES	(DRM_LOOM_MAX_SLOTS * sizeof(struct loom_slot) +	\
			 DRM_LOOM_MAX_BANKS * sizeof(u64))

/**
 * struct table_counts - a plan with one large table
 * @name: the large table
 * @tensors: alive in the one step, of two bytes each
 * @steps: beside
 * @views: that no command has
 * @attr_bytes: that no command has
 * @slots: beside
 * @commands: that fill a tensor
 */
struct table_counts {
	const char *name;
	u32 tensors;
	u32 steps;
	u32 views;
	u32 attr_bytes;
	u32 slots;
	u32 commands;
};

static const struct table_counts tables[] = {
	{ .name = "nothing" },
	{ .name = "tensors", .tensors = COUNT },
	{ .name = "steps", .steps = COUNT },
	{ .name = "views", .views = COUNT },
	{ .name = "attributes", .attr_bytes = 64 * COUNT },
	{ .name = "slots", .slots = DRM_LOOM_MAX_SLOTS },
	{ .name = "commands", .tensors = 1, .commands = COUNT },
};

static void build_table(struct plan_builder *pb, const struct table_counts *of)
{
	struct drm_loom_attr_fill fill = {};
	u32 i;

	pb_init(pb, LANES, 0);
	for (i = 0; i < of->slots; i++)
		pb_add_slot(pb, 1, DRM_LOOM_SLOT_READ);
	if (of->tensors)
		pb_add_slot(pb, 2 * of->tensors, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < of->tensors; i++)
		pb_add_dram(pb, 0, 2 * i, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(2));
	for (i = 0; i < of->steps + !!of->tensors; i++)
		pb_begin_step(pb);
	for (i = 0; i < of->commands; i++)
		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, 0)));
	if (of->views)
		pb_push(&pb->views, of->views);
	if (of->attr_bytes)
		pb_push(&pb->attrs, of->attr_bytes);
}

/*
 * A plan is charged before it is looked at: enough for what the verifier takes, whichever table is
 * the large one, and not more than that. The sort of tensors and the ranges of commands are not in
 * memory at once, so the larger is charged. A plan without commands takes only the first.
 */
static void test_charge(const struct table_counts *of)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u64 size, said, sort;
	s64 room, most;
	void *blob;

	build_table(&pb, of);
	blob = pb_blob(&pb, &size);
	port_bytes_most = 0;
	if (loom_plan_create(blob, size, loom_preset_find("tiny"), &plan, &reject))
		tap_fatal("%s: refused for %s", of->name, loom_rule_name(reject.rule));
	said = loom_plan_peak_bytes(blob, size);
	room = (s64)(said - port_bytes_most);
	most = (s64)port_bytes_most;
	if (!pb.commands.count) {
		sort = loom_verify_overlap_bytes(pb.tensors.count, pb.steps.count);
		room += (s64)sort - (s64)max(sort, loom_coverage_bytes(size));
		/* of the levels of the bitmap it says a bit more than they are */
		most = (s64)ROOM_BYTES + pb.tensors.count / 8;
	}
	tap_ok(port_bytes_most <= said && room >= 0 && room <= most,
	       "%s: took %llu, was charged %llu, room %lld of %lld", of->name,
	       (unsigned long long)port_bytes_most, (unsigned long long)said, (long long)room,
	       (long long)most);
	loom_plan_destroy(plan);
	pb_fini(&pb);
	free(blob);
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
	port_looks = 0;
	ret = loom_plan_create_counted(blob, size, chip, NULL, &plan, &reject, &work);
	loom_plan_destroy(plan);
	all = port_looks;
	step = all / 64 + 1;
	for (port_stop_at = 0; port_stop_at < all; port_stop_at += step, stops++) {
		port_looks = 0;
		port_late = 0;
		ret = loom_plan_create_counted(blob, size, chip, NULL, &plan, &reject, &work);
		other += ret != -EINTR || plan;
		late += work.done - work.last_check > LOOM_WORK_INTERVAL;
		again += port_late;
		left += port_bytes != 0;
	}
	port_stop_at = U32_MAX;
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
	if (argc > 1)
		return tap_end();
	test_freeing();
	test_tensors();
	test_columns();
	test_splay();
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		test_charge(&tables[i]);
	for (i = 0; i < ARRAY_SIZE(hostile_plans); i++)
		test_interrupted(&hostile_plans[i]);
	return tap_end();
}
