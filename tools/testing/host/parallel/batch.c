// SPDX-License-Identifier: MIT
/*
 * Batches on several sessions: random graphs on one to four devices of different chips give the
 * bits that one session gives, and what does not fit is refused.
 */
#include "batch.h"

#define ROUNDS		40
#define MOST_SESSIONS	4

/**
 * struct fleet - sessions of one graph, each on a target and with a plan of its own
 * @targets: where
 * @programs: for each
 * @sessions: them
 * @count: number of sessions
 */
struct fleet {
	struct loom_target *targets[MOST_SESSIONS];
	struct loom_program *programs[MOST_SESSIONS];
	struct loom_session *sessions[MOST_SESSIONS];
	uint32_t count;
};

static int fleet_make(struct fleet *fleet, const struct loom_graph *graph, uint32_t count,
		      struct loom_error *err)
{
	int ret = 0;

	memset(fleet, 0, sizeof(*fleet));
	for (; fleet->count < count && !ret; fleet->count++) {
		uint32_t i = fleet->count;
		const struct drm_loom_chip *chip = &chips[i % ARRAY_SIZE(chips)];
		const struct loom_planner_options how = { .chip = chip, .grouping = "layergroup" };

		ret = loom_target_open("host", chip, &fleet->targets[i], err);
		if (!ret)
			ret = loom_program_create(graph, &how, &fleet->programs[i], err);
		if (!ret)
			ret = loom_session_create(fleet->targets[i], fleet->programs[i],
						  &fleet->sessions[i], err);
	}
	return ret;
}

static void fleet_clear(struct fleet *fleet)
{
	uint32_t i;

	for (i = 0; i < fleet->count; i++) {
		loom_session_destroy(fleet->sessions[i]);
		loom_program_destroy(fleet->programs[i]);
		loom_target_close(fleet->targets[i]);
	}
}

static bool try_batch(const struct loom_graph *graph, uint32_t round, struct loom_error *err)
{
	struct loom_share shares[MOST_SESSIONS];
	struct loom_array outputs[MAX_OUTPUTS];
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs };
	uint32_t ran = 0, i;
	struct fleet fleet;
	bool good;

	good = !fleet_make(&fleet, graph, 1 + round % MOST_SESSIONS, err);
	items_fill(&items, graph, 1 + draw(MAX_ITEMS), draw(2));
	batch.num_inputs = items.num_inputs;
	batch.num_items = items.num_items;
	if (good)
		good = items_run(&items, graph, fleet.programs[0], &chips[0], err) &&
		       !loom_batch_run(fleet.sessions, fleet.count, &batch, outputs, shares, err);
	if (good) {
		good = items_same(&items, outputs);
		if (!good)
			outcome_fail(err, "other bits");
		for (i = 0; i < fleet.count; i++)
			ran += shares[i].items;
		for (i = 0; i < fleet.programs[0]->num_outputs; i++)
			loom_array_clear(&outputs[i]);
		if (good && ran != items.num_items)
			good = outcome_fail(err, "%u of %u items ran", ran, items.num_items);
	}
	items_clear(&items);
	fleet_clear(&fleet);
	return good;
}

static bool try_round(uint32_t round)
{
	struct loom_error err = { .text = "" };
	struct test_case test;
	bool good;

	make_case(&test, round * 6151 + 5);
	good = try_batch(test.graph, round, &err);
	if (!good)
		tap_note("round %u: %s", round, err.text);
	free_case(&test);
	return good;
}

#define MANY	1000

static int stop(void *arg, uint64_t done, uint64_t total)
{
	*(bool *)arg = done < MANY && total == MANY;
	return -ECANCELED;
}

/* More items than run until the first tick. */
static void test_progress(void)
{
	struct loom_array outputs[MAX_OUTPUTS];
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs, .progress = stop };
	struct loom_error err = { .text = "" };
	struct test_case test;
	struct fleet fleet;
	bool told = false;
	int ret;

	make_case_of(&test, 1, 14, make_chain);
	items_fill(&items, test.graph, MANY, true);
	batch.num_inputs = items.num_inputs;
	batch.num_items = MANY;
	batch.arg = &told;
	if (fleet_make(&fleet, test.graph, 2, &err))
		tap_fatal("%s", err.text);
	ret = loom_batch_run(fleet.sessions, 2, &batch, outputs, NULL, &err);
	tap_ok(ret == -ECANCELED && told && !outputs[0].data,
	       "the progress function ends it: %d, %s", ret, err.text);
	items.num_items = 0;
	items_clear(&items);
	fleet_clear(&fleet);
	free_case(&test);
}

#define SHORT	20

static int count_ticks(void *arg, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	++*(uint32_t *)arg;
	return 0;
}

/* A batch that ends before a tick is not waited for until then. On a busy machine few do. */
static void test_end(void)
{
	struct loom_array outputs[MAX_OUTPUTS];
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs, .num_items = 1 };
	struct loom_error err = { .text = "" };
	struct test_case test;
	struct fleet fleet;
	uint32_t ticks = 1, i;

	make_case_of(&test, 1, 14, make_chain);
	items_fill(&items, test.graph, 1, false);
	batch.num_inputs = items.num_inputs;
	batch.progress = count_ticks;
	batch.arg = &ticks;
	if (fleet_make(&fleet, test.graph, 1, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < SHORT && ticks; i++) {
		ticks = 0;
		if (loom_batch_run(fleet.sessions, 1, &batch, outputs, NULL, &err))
			tap_fatal("%s", err.text);
		loom_array_clear(&outputs[0]);
	}
	tap_ok(!ticks, "a short batch ends before a tick, number %u", i);
	items.num_items = 0;
	items_clear(&items);
	fleet_clear(&fleet);
	free_case(&test);
}

static void refuse_batch(struct loom_session *const *sessions, uint32_t count,
			 const struct loom_batch *batch, const char *part)
{
	struct loom_array outputs[MAX_OUTPUTS] = { 0 };
	struct loom_error err = { .text = "" };
	int ret = loom_batch_run(sessions, count, batch, outputs, NULL, &err);

	tap_ok(ret == -EINVAL && strstr(err.text, part), "refused: %s", err.text);
}

/* Refused batches, on two sessions of one graph. */
static void test_refusals(void)
{
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs, .num_items = 4 };
	struct loom_session *missing[2] = { NULL };
	struct loom_error err;
	struct test_case test;
	struct fleet fleet;

	make_case(&test, 11);
	items_fill(&items, test.graph, 4, false);
	batch.num_inputs = items.num_inputs;
	if (fleet_make(&fleet, test.graph, 2, &err))
		tap_fatal("%s", err.text);
	refuse_batch(fleet.sessions, 0, &batch, "session");
	missing[0] = fleet.sessions[0];
	refuse_batch(missing, 2, &batch, "session 1");
	batch.num_items = 3;
	refuse_batch(fleet.sessions, 2, &batch, "3 items");
	batch.num_items = 4;
	items.inputs[0].dtype = DRM_LOOM_DTYPE_I32;
	refuse_batch(fleet.sessions, 2, &batch, "i32");
	items.inputs[0].dtype = DRM_LOOM_DTYPE_F32;
	items.inputs[0].dims[1]++;
	refuse_batch(fleet.sessions, 2, &batch, "[");
	items.inputs[0].dims[1]--;
	batch.num_inputs = 0;
	refuse_batch(fleet.sessions, 2, &batch, "input");
	items_clear(&items);
	fleet_clear(&fleet);
	free_case(&test);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u batches give the bits of one session",
	       rounds.count - rounds.bad, rounds.count);
	if (argc > 1)
		return tap_end();
	test_refusals();
	test_progress();
	test_end();
	return tap_end();
}
