// SPDX-License-Identifier: MIT
/*
 * Programs: promises of the planner besides the arithmetic. Where outputs lie, observed tensors,
 * the same bytes each time, and the error texts.
 */
#include "host/lower/case.h"
#include "chips.h"
#include "outcome.h"

#include <errno.h>

#define ROWS	6
#define COLUMNS	10

static struct test_case begin(void)
{
	struct test_case test;

	case_begin(&test, 7, 14);
	return test;
}

static struct loom_planner_options options(void)
{
	return (struct loom_planner_options){
		.grouping = "layerwise", .chip = loom_preset_find("tiny"),
	};
}

/* Runs it; outcome_clear() has to follow. */
static struct outcome run(const struct loom_program *program, const struct loom_array *inputs,
			  uint32_t num_inputs)
{
	struct outcome outcome;
	struct loom_error err;

	if (outcome_run(&outcome, program, options().chip, inputs, num_inputs, &err))
		tap_fatal("%s", err.text);
	return outcome;
}

/* x, t = -x, y = relu(t), r = reshape(y), s = sigmoid(t): y is read by r only */
static struct test_case make_graph(void)
{
	struct test_case test = begin();

	case_add(&test, "x f32 %d %d; t = Neg x; y = Relu t; shape = i64 1 : %d; "
		 "r = Reshape y shape; s = Sigmoid t; u = Exp s; > r u", ROWS, COLUMNS,
		 ROWS * COLUMNS);
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
	struct outcome outcome;

	case_finish(&test);
	program = case_plan(&test, &how);
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
	outcome = run(program, test.inputs, 1);
	tap_ok(is_relu_of_neg(&outcome.outputs[0], &test.inputs[0]), "and it is right");
	outcome_clear(&outcome);
	loom_program_destroy(program);
	free_case(&test);
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

	case_finish(&test);
	how.observe = names;
	how.num_observe = 3;
	program = case_plan(&test, &how);
	tap_ok(program->num_observed == 1 && !strcmp(program->observed[0].name, "y"),
	       "a value is observed; inputs and outputs are there anyway");
	if (loom_target_open("host", how.chip, &target, &err) ||
	    loom_session_create(target, program, &session, &err) ||
	    loom_session_set_input(session, 0, &test.inputs[0], &err) ||
	    loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_observed(session, 0, &y, NULL) ||
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
	program = case_plan(&test, &how);
	tap_ok(program->num_observed == 3 && !program->stats.neurons, "all values are observed");
	loom_program_destroy(program);

	how.flags = 0;
	how.observe = wrong;
	how.num_observe = 1;
	case_refused(&test, &how, -EINVAL, "nobody");
	free_case(&test);
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
			case_add(&test, "t = MatMul x w; k = Neg w; y = Relu t; "
				 "> y");
			if (loom_graph_finish(test.graph, kept ? &keep : NULL, &err))
				tap_fatal("%s", err.text);
			how.observe = &names[i];
			how.num_observe = 1;
			ret = loom_program_create(test.graph, &how, &program, &err);
			tap_ok(there ? !ret && program->num_observed == 1 :
				       ret == -EINVAL && strstr(err.text, names[i]),
			       "%s is %s", names[i], there ? "observed" : err.text);
			loom_program_destroy(program);
			free_case(&test);
		}
}

static void test_same_output_twice(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();
	struct loom_program *program;
	struct outcome outcome;

	case_add(&test, "x f32 %d %d; t = Neg x; y = Relu t; > y y", ROWS, COLUMNS);
	case_finish(&test);
	program = case_plan(&test, &how);
	outcome = run(program, test.inputs, 1);
	tap_ok(outcome.num_outputs >= 1 && is_relu_of_neg(&outcome.outputs[0], &test.inputs[0]) &&
	       is_relu_of_neg(&outcome.outputs[outcome.num_outputs - 1], &test.inputs[0]),
	       "one value can be two outputs, of which the graph may make one");
	outcome_clear(&outcome);
	loom_program_destroy(program);
	free_case(&test);
}

/* More inputs and outputs than a plan has slots. */
static void test_many_slots(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();
	struct loom_program *program;
	static float x[MAX_OUTPUTS][3];
	struct loom_array inputs[MAX_OUTPUTS];
	char names[2][MAX_OUTPUTS][8];
	struct outcome outcome;
	bool good = true;
	uint32_t i;

	for (i = 0; i < MAX_OUTPUTS; i++) {
		struct loom_tensor_info info = {
			.name = names[0][i], .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { 3 },
		};

		snprintf(names[0][i], sizeof(names[0][i]), "x%u", i);
		snprintf(names[1][i], sizeof(names[1][i]), "y%u", i);
		loom_graph_add_input(test.graph, &info);
		node(&test, "Neg", names[0][i], names[1][i]);
		loom_graph_add_output(test.graph, names[1][i]);
		x[i][0] = (float)i;
		x[i][2] = 2;
		inputs[i] = (struct loom_array){
			.name = names[0][i], .dtype = DRM_LOOM_DTYPE_F32, .rank = 1,
			.dims = { 3 }, .data = x[i], .size_bytes = sizeof(x[i]),
		};
	}
	case_finish(&test);
	program = case_plan(&test, &how);
	tap_ok(program->num_slots <= DRM_LOOM_MAX_SLOTS, "80 inputs and outputs share slots");
	outcome = run(program, inputs, MAX_OUTPUTS);
	for (i = 0; i < MAX_OUTPUTS; i++) {
		const float *y = outcome.outputs[i].data;

		good = good && y[0] == -(float)i && y[2] == -2;
	}
	tap_ok(good, "and each gets its own");
	outcome_clear(&outcome);
	loom_program_destroy(program);
	free_case(&test);
}

static void test_same_bytes(void)
{
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *a, *b;
	unsigned int i;

	case_finish(&test);
	a = case_plan(&test, &how);
	b = case_plan(&test, &how);
	tap_ok(a->plan_bytes == b->plan_bytes && !memcmp(a->plan, b->plan, a->plan_bytes),
	       "the same graph and options give the same bytes");
	loom_program_destroy(a);
	loom_program_destroy(b);
	for (i = 0; loom_place_strategy_name(i); i++) {
		how.placer = loom_place_strategy_name(i);
		a = case_plan(&test, &how);
		tap_ok(a->stats.arena_bytes >= a->stats.bound_bytes &&
		       loom_place_strategy_text(i) && (!i || !strcmp(a->placer, how.placer)),
		       "%s places the arena", how.placer);
		loom_program_destroy(a);
	}
	free_case(&test);
}

static void test_refusals(void)
{
	struct test_case test = begin();
	struct loom_planner_options how = options();

	case_add(&test, "x f32 %d 3000; y = Softmax x axis=1; d = Cast y to=11; "
		 "z = Sin d; > z", ROWS);
	case_finish(&test);
	how.flags |= LOOM_PLANNER_WHOLE_SUMS;
	case_refused(&test, &how, -EOPNOTSUPP, "node \"Sin\": operator Sin");
	how.sram_limit_bytes = 100;
	case_refused(&test, &how, -ENOSPC, "node \"Softmax\": operator Softmax: ");
	/* of partial sums, it is the other node */
	how.flags &= ~LOOM_PLANNER_WHOLE_SUMS;
	case_refused(&test, &how, -EOPNOTSUPP, "node \"Sin\": operator Sin");
	how.placer = "magic";
	case_refused(&test, &how, -EINVAL, "magic");
	how.chip = NULL;
	case_refused(&test, &how, -EINVAL, "chip");
	free_case(&test);
}

/* A device says what can always run: plans are made for that unless somebody wants more or less. */
static void test_floor(void)
{
	struct loom_planner_options how = options();
	struct drm_loom_chip shared = *how.chip;
	struct loom_program *program[4];
	struct test_case test = make_graph();
	uint64_t used[4], floor = 0;
	unsigned int i;

	case_finish(&test);
	for (i = 0; i < ARRAY_SIZE(program); i++) {
		/* all, the floor, less, more */
		how.chip = i ? &shared : options().chip;
		how.sram_limit_bytes = i == 2 ? floor / 2 : i == 3 ? used[0] : 0;
		program[i] = case_plan(&test, &how);
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
	free_case(&test);
}

static void test_dump(void)
{
	struct test_case test = make_graph();
	struct loom_planner_options how = options();
	struct loom_program *program;
	unsigned int i, round, named = 0;
	char *text, *again;
	uint8_t *bytes;

	case_finish(&test);
	program = case_plan(&test, &how);
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
	free_case(&test);
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

	case_add(&test, "x f32 1 3420; e = Exp x; y = Sub x e; > y");
	case_finish(&test);
	ret = outcome_plan(&outcome, test.graph, &how, test.inputs, test.num_inputs, &err);
	tap_ok(!ret, "a vector in little SRAM %s", err.text);
	outcome_clear(&outcome);
	free_case(&test);
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

	case_add(&test, "x i8 64; n = Neg x; s t = Split n axis=0; y = Add s t; "
		 "> y");
	case_finish(&test);
	for (how.sram_limit_bytes = 1; how.sram_limit_bytes < 16; how.sram_limit_bytes++) {
		ret = loom_program_create(test.graph, &how, &program, &err);
		plans += !ret;
		bad += ret && ret != -ENOSPC;
		if (!ret)
			loom_program_destroy(program);
	}
	tap_ok(!bad && plans, "%u plans in 1 to 15 bytes %s", plans, err.text);
	how.sram_limit_bytes = 64;
	loom_program_destroy(case_plan(&test, &how));
	how.sram_limit_bytes++;
	case_refused(&test, &how, -EINVAL, "65");
	free_case(&test);
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
