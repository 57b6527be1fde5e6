// SPDX-License-Identifier: MIT
/*
 * Programs: what the planner promises besides the arithmetic. Where outputs lie, what is observed,
 * that bytes are the same each time, and the error texts.
 */
#include "loom_planner.h"
#include "loom_run.h"
#include "loom_chip.h"
#include "host/lower/case.h"
#include "chips.h"
#include "outcome.h"

#include <errno.h>

#define ROWS	6
#define COLUMNS	10

static struct test_case begin(void)
{
	struct test_case test = { .num_inputs = 0 };

	seed = 7;
	if (loom_graph_create("test", 14, &test.graph))
		tap_fatal("no memory");
	return test;
}

static void finish(struct test_case *test)
{
	struct loom_error err;

	if (loom_graph_finish(test->graph, NULL, &err))
		tap_fatal("%s", err.text);
}

static void end(struct test_case *test)
{
	uint32_t i;

	loom_graph_destroy(test->graph);
	for (i = 0; i < test->num_inputs; i++)
		free(test->inputs[i].data);
}

static struct loom_planner_options options(void)
{
	return (struct loom_planner_options){
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
}

static struct loom_program *plan(const struct test_case *test,
				 const struct loom_planner_options *how)
{
	struct loom_program *program;
	struct loom_error err;

	if (loom_program_create(test->graph, how, &program, &err))
		tap_fatal("%s", err.text);
	return program;
}

/* Runs it and keeps the session, so that outputs can be fetched. */
static struct loom_session *run(struct test_case *test, const struct loom_program *program,
				struct loom_target **target)
{
	struct loom_session *session;
	struct loom_error err = { .text = "" };
	uint32_t i;

	if (loom_target_open("host", loom_preset_find("tiny"), target, &err) ||
	    loom_session_create(*target, program, &session, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < program->num_inputs; i++)
		if (loom_session_set_input(session, i, &test->inputs[i], &err))
			tap_fatal("%s", err.text);
	if (loom_session_run(session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
	return session;
}

/* x, t = -x, y = relu(t), r = reshape(y), s = sigmoid(t): y is read by r only */
static struct test_case make_graph(void)
{
	struct test_case test = begin();

	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ ROWS, COLUMNS });
	node(&test, "Neg", "x", "t");
	node(&test, "Relu", "t", "y");
	ints(&test, "shape", 1, (int64_t[]){ ROWS * COLUMNS });
	node(&test, "Reshape", "y shape", "r");
	node(&test, "Sigmoid", "t", "s");
	node(&test, "Exp", "s", "u");
	loom_graph_add_output(test.graph, "r");
	loom_graph_add_output(test.graph, "u");
	return test;
}

static bool is_relu_of_neg(const struct loom_array *y, const struct loom_array *x)
{
	uint32_t i;

	for (i = 0; i < ROWS * COLUMNS; i++) {
		float want = -((float *)x->data)[i];

		if (((float *)y->data)[i] != (want > 0 ? want : 0))
			return false;
	}
	return y->size_bytes == ROWS * COLUMNS * sizeof(float);
}

static void test_reshape_output(void)
{
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_array r;

	finish(&test);
	program = plan(&test, &how);
	/* loads of x, t, t, s and stores of t, y, s, u: nothing is copied for the reshape */
	tap_ok(program->stats.dram_read_bytes == 4 * ROWS * COLUMNS * sizeof(float) &&
	       program->stats.dram_write_bytes == 4 * ROWS * COLUMNS * sizeof(float),
	       "an output that is a reshape is computed in its place, without a copy");
	tap_ok(program->stats.neurons == 2, "only t and s are in the arena");
	tap_ok(program->num_neurons == 2 && !strcmp(program->neurons[0].name, "t") &&
	       program->neurons[0].first_node == 0 && !strcmp(program->neurons[1].name, "s"),
	       "and that is what the list of neurons says");
	tap_ok(program->num_kernels == 4 && !strcmp(program->kernels[1].op, "Relu") &&
	       program->kernels[1].slices == 1, "four nodes compute, one only reshapes");
	session = run(&test, program, &target);
	if (loom_session_get_output(session, 0, &r, NULL))
		tap_fatal("no output");
	tap_ok(is_relu_of_neg(&r, &test.inputs[0]), "and it is right");
	loom_array_clear(&r);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	end(&test);
}

static void test_observe(void)
{
	static const char *const names[] = { "y", "r", "x" };
	static const char *const wrong[] = { "nobody" };
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;
	struct loom_array y, r;

	finish(&test);
	how.observe = names;
	how.num_observe = 3;
	program = plan(&test, &how);
	tap_ok(program->num_observed == 1 && !strcmp(program->observed[0].name, "y"),
	       "a value is observed; inputs and outputs are there anyway");
	session = run(&test, program, &target);
	if (loom_session_get_observed(session, 0, &y, NULL) ||
	    loom_session_get_output(session, 0, &r, NULL))
		tap_fatal("no output");
	tap_ok(is_relu_of_neg(&y, &test.inputs[0]) && is_relu_of_neg(&r, &test.inputs[0]),
	       "the observed value and its reshape are both right");
	loom_array_clear(&y);
	loom_array_clear(&r);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);

	how.flags = LOOM_PLANNER_OBSERVE_ALL;
	program = plan(&test, &how);
	tap_ok(program->num_observed == 3 && !program->stats.neurons, "all values are observed");
	loom_program_destroy(program);

	how.flags = 0;
	how.observe = wrong;
	how.num_observe = 1;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EINVAL &&
	       strstr(err.text, "nobody"), "an unknown value is refused by name: %s", err.text);
	end(&test);
}

/* t is computed together with y, and nowhere else; k is known beforehand. */
static void test_observe_none(void)
{
	static const char *const names[] = { "t", "k" };
	struct loom_graph_options keep = { .flags = LOOM_GRAPH_KEEP_ALL };
	static float w[COLUMNS];
	int kept, i;

	for (kept = 0; kept < 2; kept++)
		for (i = 0; i < 2; i++) {
			struct loom_planner_options how = options();
			struct loom_program *program = NULL;
			struct test_case test = begin();
			struct loom_error err = { .text = "" };
			bool there = kept && !i;
			int ret;

			input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ ROWS, COLUMNS });
			model_add_floats(test.graph, "w", 2, (int64_t[]){ COLUMNS, 1 }, w);
			node(&test, "MatMul", "x w", "t");
			node(&test, "Neg", "w", "k");
			node(&test, "Relu", "t", "y");
			loom_graph_add_output(test.graph, "y");
			if (loom_graph_finish(test.graph, kept ? &keep : NULL, &err))
				tap_fatal("%s", err.text);
			how.observe = &names[i];
			how.num_observe = 1;
			ret = loom_program_create(test.graph, &how, &program, &err);
			tap_ok(there ? !ret && program->num_observed == 1 :
				       ret == -EINVAL && strstr(err.text, names[i]),
			       "%s is %s", names[i], there ? "observed" : err.text);
			loom_program_destroy(program);
			end(&test);
		}
}

static void test_same_output_twice(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_array a, b;

	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ ROWS, COLUMNS });
	node(&test, "Neg", "x", "t");
	node(&test, "Relu", "t", "y");
	loom_graph_add_output(test.graph, "y");
	loom_graph_add_output(test.graph, "y");
	finish(&test);
	program = plan(&test, &how);
	session = run(&test, program, &target);
	if (program->num_outputs == 2) {
		if (loom_session_get_output(session, 0, &a, NULL) ||
		    loom_session_get_output(session, 1, &b, NULL))
			tap_fatal("no output");
		tap_ok(is_relu_of_neg(&a, &test.inputs[0]) && is_relu_of_neg(&b, &test.inputs[0]),
		       "one value can be two outputs");
		loom_array_clear(&a);
		loom_array_clear(&b);
	} else {
		tap_ok(program->num_outputs == 1, "the graph makes one output of two");
	}
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	end(&test);
}

/* More inputs and outputs than a plan has slots. */
static void test_many_slots(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	char names[2][50][8];
	struct loom_array y;
	bool good = true;
	uint32_t i;

	for (i = 0; i < 50; i++) {
		struct loom_tensor_info info = {
			.name = names[0][i], .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { 3 },
		};

		snprintf(names[0][i], sizeof(names[0][i]), "x%u", i);
		snprintf(names[1][i], sizeof(names[1][i]), "y%u", i);
		loom_graph_add_input(test.graph, &info);
		node(&test, "Neg", names[0][i], names[1][i]);
		loom_graph_add_output(test.graph, names[1][i]);
	}
	finish(&test);
	program = plan(&test, &how);
	tap_ok(program->num_slots <= DRM_LOOM_MAX_SLOTS, "100 inputs and outputs share slots");

	if (loom_target_open("host", how.chip, &target, NULL) ||
	    loom_session_create(target, program, &session, NULL))
		tap_fatal("no session");
	for (i = 0; i < 50; i++) {
		float x[3] = { (float)i, 1, 2 };
		struct loom_array array = {
			.dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { 3 }, .data = x,
			.size_bytes = sizeof(x),
		};

		if (loom_session_set_input(session, i, &array, NULL))
			tap_fatal("no input");
	}
	if (loom_session_run(session, NULL, NULL, NULL))
		tap_fatal("no run");
	for (i = 0; i < 50; i++) {
		if (loom_session_get_output(session, i, &y, NULL))
			tap_fatal("no output");
		good = good && ((float *)y.data)[0] == -(float)i && ((float *)y.data)[2] == -2;
		loom_array_clear(&y);
	}
	tap_ok(good, "and each gets its own");
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(test.graph);
}

static void test_same_bytes(void)
{
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *a, *b;
	unsigned int i;

	finish(&test);
	a = plan(&test, &how);
	b = plan(&test, &how);
	tap_ok(a->plan_bytes == b->plan_bytes && !memcmp(a->plan, b->plan, a->plan_bytes),
	       "the same graph and options give the same bytes");
	loom_program_destroy(a);
	loom_program_destroy(b);
	for (i = 0; loom_place_strategy_name(i); i++) {
		how.placer = loom_place_strategy_name(i);
		a = plan(&test, &how);
		tap_ok(a->stats.arena_bytes >= a->stats.bound_bytes &&
		       loom_place_strategy_text(i) && (!i || !strcmp(a->placer, how.placer)),
		       "%s places the arena", how.placer);
		loom_program_destroy(a);
	}
	end(&test);
}

static void test_refusals(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct loom_error err;

	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ ROWS, 3000 });
	attr_int(&test, "axis", 1);
	node(&test, "Softmax", "x", "y");
	attr_int(&test, "to", 11);
	node(&test, "Cast", "y", "d");
	node(&test, "Sin", "d", "z");
	loom_graph_add_output(test.graph, "z");
	finish(&test);
	how.flags |= LOOM_PLANNER_WHOLE_SUMS;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EOPNOTSUPP &&
	       strstr(err.text, "node \"Sin\": operator Sin"),
	       "a function that is not there: %s", err.text);
	how.sram_limit_bytes = 100;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -ENOSPC &&
	       strstr(err.text, "operator Softmax") && strstr(err.text, "bytes of SRAM"),
	       "what does not fit: %s", err.text);
	how.flags &= ~LOOM_PLANNER_WHOLE_SUMS;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EOPNOTSUPP &&
	       strstr(err.text, "node \"Sin\": operator Sin"),
	       "of partial sums, it is the other node: %s", err.text);
	how.placer = "magic";
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EINVAL &&
	       strstr(err.text, "magic"), "an unknown strategy: %s", err.text);
	how.chip = NULL;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EINVAL && err.text[0],
	       "no topology: %s", err.text);
	end(&test);
}

/* A device says what can always run: plans are made for that unless somebody wants more or less. */
static void test_floor(void)
{
	struct loom_planner_options how = options();
	struct drm_loom_chip shared = *how.chip;
	struct loom_program *program[4];
	struct test_case test = make_graph();
	uint64_t used[4], floor;
	struct loom_error err;
	unsigned int i;

	finish(&test);
	for (i = 0; i < ARRAY_SIZE(program); i++) {
		/* all, the floor, less, more */
		how.chip = i ? &shared : options().chip;
		how.sram_limit_bytes = i == 2 ? floor / 2 : i == 3 ? used[0] : 0;
		if (loom_program_create(test.graph, &how, &program[i], &err))
			tap_fatal("%s", err.text);
		used[i] = program[i]->stats.scratch_bytes;
		floor = used[0] * 3 / 4;
		shared.region[DRM_LOOM_REGION_SRAM].floor_bytes = floor;
	}
	tap_ok(used[1] <= floor && used[2] <= floor / 2 && used[3] == used[0],
	       "%llu bytes of scratch, %llu below a floor of %llu, %llu below half of it, all if asked",
	       (unsigned long long)used[0], (unsigned long long)used[1], (unsigned long long)floor,
	       (unsigned long long)used[2]);
	for (i = 0; i < ARRAY_SIZE(program); i++)
		loom_program_destroy(program[i]);
	end(&test);
}

static void test_dump(void)
{
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *program;
	unsigned int i, round, named = 0;
	char *text, *again;
	uint8_t *bytes;

	finish(&test);
	program = plan(&test, &how);
	for (i = 0; i < program->num_nodes; i++)
		named += program->nodes[i].name && program->nodes[i].op;
	tap_ok(named == 5, "%u of 5 nodes have a name and an operator", named);
	if (loom_plan_dump(program->plan, program->plan_bytes, &text) ||
	    loom_plan_dump(program->plan, program->plan_bytes, &again))
		tap_fatal("no dump");
	tap_ok(!strcmp(text, again) && strstr(text, "unary") && strstr(text, "store"),
	       "a plan is dumped, the same each time");
	free(text);
	free(again);

	/* any bytes: the sanitizers check */
	for (round = 0; round < 300; round++) {
		size_t size = draw(2) ? program->plan_bytes :
					draw((uint32_t)program->plan_bytes);

		bytes = malloc(size + 1);
		if (!bytes)
			tap_fatal("no memory");
		memcpy(bytes, program->plan, size);
		for (i = 0; i < 4 && size; i++)
			bytes[draw((uint32_t)(draw(2) && size > 200 ? 200 : size))] =
				(uint8_t)draw(256);
		if (loom_plan_dump(bytes, size, &text))
			tap_fatal("no dump");
		free(text);
		free(bytes);
	}
	tap_ok(true, "damaged plans are dumped, too");
	loom_program_destroy(program);
	end(&test);
}

/* A vector of which a lane holds no long run: pieces of it that are written are whole ones. */
static void test_vector(void)
{
	const struct drm_loom_chip lanes = CHIP_SRAM("lanes", (2, 1, 6000, 0, 16));
	struct loom_planner_options how = { .grouping = "layerwise", .chip = &lanes };
	struct loom_error err = { .text = "" };
	struct test_case test = begin();
	struct outcome outcome;
	int ret;

	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 1, 3420 });
	node(&test, "Exp", "x", "e");
	node(&test, "Sub", "x e", "y");
	loom_graph_add_output(test.graph, "y");
	finish(&test);
	ret = outcome_plan(&outcome, test.graph, &how, test.inputs, test.num_inputs, &err);
	tap_ok(!ret, "a vector in little SRAM %s", err.text);
	outcome_clear(&outcome);
	end(&test);
}

/* In a few bytes of SRAM there is a plan or none; a part of it is none. */
static void test_few_bytes(void)
{
	const struct drm_loom_chip lane = CHIP_SRAM("lane", (1, 1, 64, 0, 1));
	struct loom_planner_options how = { .grouping = "layergroup", .chip = &lane };
	struct loom_error err = { .text = "" };
	struct test_case test = begin();
	struct loom_program *program;
	unsigned int plans = 0, bad = 0;
	int ret;

	input(&test, "x", DRM_LOOM_DTYPE_I8, 1, (int64_t[]){ 64 });
	node(&test, "Neg", "x", "n");
	attr_int(&test, "axis", 0);
	node(&test, "Split", "n", "s t");
	node(&test, "Add", "s t", "y");
	loom_graph_add_output(test.graph, "y");
	finish(&test);
	for (how.sram_limit_bytes = 1; how.sram_limit_bytes < 16; how.sram_limit_bytes++) {
		ret = loom_program_create(test.graph, &how, &program, &err);
		plans += !ret;
		bad += ret && ret != -ENOSPC;
		if (!ret)
			loom_program_destroy(program);
	}
	tap_ok(!bad && plans, "%u plans in 1 to 15 bytes %s", plans, err.text);
	how.sram_limit_bytes = 64;
	loom_program_destroy(plan(&test, &how));
	how.sram_limit_bytes++;
	tap_ok(loom_program_create(test.graph, &how, &program, &err) == -EINVAL,
	       "all of the SRAM may be asked for, and no more: %s", err.text);
	end(&test);
}

/* Each grouping has a name and a text of its own. */
static void test_groupings(void)
{
	unsigned int count = 0, bad = 0, i;

	for (; loom_grouping_name(count); count++) {
		const char *text = loom_grouping_text(count);

		for (i = 0; i < count; i++)
			bad += !text || !strcmp(text, loom_grouping_text(i));
	}
	tap_ok(!bad && !loom_grouping_text(count) &&
	       strstr(loom_grouping_text(0), "each node for itself"),
	       "texts of %u groupings", count);
}

int main(void)
{
	test_groupings();
	test_vector();
	test_few_bytes();
	test_reshape_output();
	test_observe();
	test_observe_none();
	test_same_output_twice();
	test_many_slots();
	test_same_bytes();
	test_refusals();
	test_floor();
	test_dump();
	return tap_end();
}
