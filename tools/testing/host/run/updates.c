// SPDX-License-Identifier: MIT
/* States of which a run changes a row: their elements after a number of runs, in every spelling. */
#include <errno.h>
#include <string.h>

#include "net.h"

#define HEADS	2
#define ROOM	6
#define WIDTH	3
#define ELEMS	(HEADS * ROOM * WIDTH)
#define RUNS	9

/* Inputs: x f32 [heads, 1, width], at i64, the place of the new row; past f32, now is next. */
#define ENDS	"x f32 2 1 3; past f32 2 6 3; n = i64 6 1 : 0 1 2 3 4 5; "
#define SUM	"; axes = i64 1 : 1; y = ReduceSum now axes; > y now"

/**
 * struct spelling - a graph that replaces a row
 * @text: of the graph, without its ends; it computes now
 * @at: elements of at
 * @in_place: whether only the row is written
 * @negative: places count from the end if they are negative
 */
struct spelling {
	const char *text;
	uint32_t at;
	bool in_place;
	bool negative;
};

static const struct spelling spellings[] = {
	{ "at i64 1; hit = Equal n at; now = Where hit x past", 1, true, false },
	{ "at i64 1; hit = Equal at n; now = Where hit x past", 1, true, false },
	{ "at i64 1; s = i64 3 : 1 6 1; hit = Equal n at; h3 = Reshape hit s; "
	  "now = Where h3 x past", 1, true, false },
	{ "at i64 1; hit = Equal n at; same = Identity past; was = Where hit x same; "
	  "now = Identity was", 1, true, false },
	{ "at i64 2; now = TensorScatter past x at axis=1", 2, true, false },
	{ "at i64 1; s = i64 3 : 2 1 3; i3 = i64 3 : 1 1 1; i = Reshape at i3; e = Expand i s; "
	  "now = ScatterElements past e x axis=1", 1, true, true },
	{ "at i64 1; a = i64 2 1 1 : 0 1; s = i64 3 : 2 1 1; i3 = i64 3 : 1 1 1; "
	  "i = Reshape at i3; e = Expand i s; t = Concat a e axis=2; now = ScatterND past t x",
	  1, true, true },
	{ "at i64 1; s = i64 2 : 1 1; i = Reshape at s; p = Transpose past perm=1,0,2; "
	  "r = Transpose x perm=1,0,2; q = ScatterND p i r; now = Transpose q perm=1,0,2",
	  1, true, true },
	/* not a row of the state, or more than it */
	{ "at i64 1; m = i64 6 1 : 1 0 2 3 4 5; hit = Equal m at; now = Where hit x past", 1,
	  false, false },
	{ "at i64 1; hit = Equal n at; was = Where hit x past; now = Relu was", 1, false, false },
	{ "at i64 1; s = i64 3 : 2 1 3; i3 = i64 3 : 1 1 1; i = Reshape at i3; e = Expand i s; "
	  "now = ScatterElements past e x axis=1 reduction=add", 1, false, true },
};

static const struct loom_state_binding now_is_past = { "now", "past" };

static void begin(struct net *net, struct loom_graph *graph, uint32_t flags)
{
	struct loom_graph_options options = {
		.states = &now_is_past, .num_states = 1, .flags = flags,
	};

	net->graph = graph;
	net_load(net, &options, NULL);
}

static void give(struct net *net, const char *name, uint32_t dtype, uint32_t rank,
		 const int64_t *dims, const void *data)
{
	struct loom_array array;
	struct loom_error err;
	uint32_t i;

	if (loom_array_alloc(&array, dtype, rank, dims))
		tap_fatal("no memory");
	memcpy(array.data, data, array.size_bytes);
	for (i = 0; i < net->program->num_inputs; i++)
		if (!strcmp(net->program->inputs[i].name, name) &&
		    loom_session_set_input(net->session, i, &array, &err))
			tap_fatal("%s", err.text);
	loom_array_clear(&array);
}

/* One run that puts the row of numbers from @first on at @place. */
static void run(struct net *net, uint32_t elems, int64_t place, float first)
{
	const int64_t at[] = { place, place };
	float x[HEADS * WIDTH];
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < HEADS * WIDTH; i++)
		x[i] = first + (float)i;
	give(net, "x", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ HEADS, 1, WIDTH }, x);
	give(net, "at", DRM_LOOM_DTYPE_I64, 1, (int64_t[]){ elems }, at);
	if (loom_session_run(net->session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
}

static void put(float *cache, const struct spelling *how, int64_t place, float first)
{
	uint32_t h, w;

	if (place < 0 && how->negative)
		place += ROOM;
	for (h = 0; h < HEADS && place >= 0 && place < ROOM; h++)
		for (w = 0; w < WIDTH; w++)
			cache[(h * ROOM + place) * WIDTH + w] = first + (float)(h * WIDTH + w);
}

static bool holds(struct net *net, const float *cache)
{
	struct loom_array state, output, sums;
	bool good;
	uint32_t h, i, w;

	if (loom_session_get_state(net->session, 0, &state, NULL) ||
	    loom_session_get_output(net->session, 1, &output, NULL) ||
	    loom_session_get_output(net->session, 0, &sums, NULL))
		tap_fatal("no output");
	good = output.size_bytes == ELEMS * sizeof(float) && !strcmp(output.name, "now") &&
	       !memcmp(state.data, cache, state.size_bytes) &&
	       !memcmp(output.data, cache, output.size_bytes);
	for (h = 0; h < HEADS; h++) {
		for (w = 0; w < WIDTH; w++) {
			float sum = 0;

			for (i = 0; i < ROOM; i++)
				sum += cache[(h * ROOM + i) * WIDTH + w];
			good = good && ((float *)sums.data)[h * WIDTH + w] == sum;
		}
	}
	loom_array_clear(&state);
	loom_array_clear(&output);
	loom_array_clear(&sums);
	return good;
}

static void test_spelling(const struct spelling *how)
{
	/* in order, again, the last, and outside, where it is defined */
	static const int64_t places[RUNS] = { 0, 1, 2, 1, 5, 4, 3, 0, -1 };
	struct loom_tensor_info info;
	const float given[ELEMS] = { [4] = 2 };
	float cache[ELEMS] = { 0 };
	struct net net;
	uint32_t i;
	bool good = true;

	begin(&net, case_graph(24, ENDS "%s" SUM, how->text), 0);
	tap_ok(net.program->num_updates == how->in_place &&
	       !loom_graph_output(net.graph, 1, &info) && !strcmp(info.name, "now") &&
	       info.rank == 3 && info.dims[1] == ROOM && net.program->num_outputs == 2,
	       "%s: %s", how->in_place ? "a row is written" : "all is written", how->text);
	if (!how->in_place) {
		net_clear(&net);
		return;
	}
	for (i = 0; i < RUNS; i++) {
		run(&net, how->at, places[i], 10 * (float)i + 1);
		put(cache, how, places[i], 10 * (float)i + 1);
		good = good && holds(&net, cache);
	}
	tap_ok(good, "the state has each row");
	memset(cache, 0, sizeof(cache));
	good = !loom_session_reset_states(net.session);
	run(&net, how->at, 3, 7);
	put(cache, how, 3, 7);
	tap_ok(good && holds(&net, cache), "and begins again");
	give(&net, "past", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ HEADS, ROOM, WIDTH }, given);
	memcpy(cache, given, sizeof(cache));
	run(&net, how->at, 2, 5);
	put(cache, how, 2, 5);
	tap_ok(holds(&net, cache), "or with what it is given");
	net_clear(&net);
}

/* A place for each of the first dimensions, two rows at once, and round the end. */
static void test_ring(void)
{
	static const int64_t at[HEADS] = { 5, 1 };
	struct net net;
	float x[HEADS * 2 * WIDTH], cache[ELEMS] = { 0 };
	struct loom_array state;
	uint32_t h, i, w;

	begin(&net, case_graph(24, "x f32 2 2 3; past f32 2 6 3; at i64 2; "
			       "now = TensorScatter past x at axis=1 mode=circular" SUM), 0);
	for (i = 0; i < HEADS * 2 * WIDTH; i++)
		x[i] = (float)i + 1;
	give(&net, "x", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ HEADS, 2, WIDTH }, x);
	give(&net, "at", DRM_LOOM_DTYPE_I64, 1, (int64_t[]){ HEADS }, at);
	if (loom_session_run(net.session, NULL, NULL, NULL))
		tap_fatal("no run");
	for (h = 0; h < HEADS; h++)
		for (i = 0; i < 2; i++)
			for (w = 0; w < WIDTH; w++)
				cache[(h * ROOM + (at[h] + i) % ROOM) * WIDTH + w] =
					x[(h * 2 + i) * WIDTH + w];
	if (loom_session_get_state(net.session, 0, &state, NULL))
		tap_fatal("no state");
	tap_ok(net.program->num_updates == 1 && !memcmp(state.data, cache, sizeof(cache)),
	       "two rows in a ring, at another place for each batch");
	loom_array_clear(&state);
	net_clear(&net);
}

/* The cache of an operator that attends, behind whose length there is room. */
static void test_attention(void)
{
	float k[HEADS * WIDTH], cache[ELEMS] = { 0 };
	struct loom_array state;
	struct loom_error err;
	struct net net;
	int32_t at;
	uint32_t h, w;
	bool good = true;

	begin(&net, case_graph(17, "k f32 1 1 6; past f32 1 2 6 3; old f32 1 2 6 3; "
		"at i32 1; n = i32 1 : 6; "
		"y now new = com.microsoft.GroupQueryAttention k k k past old at n num_heads=2 kv_num_heads=2; "
		"> y now"), 0);
	give(&net, "old", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, HEADS, ROOM, WIDTH }, cache);
	for (at = 0; at < ROOM; at++) {
		for (w = 0; w < HEADS * WIDTH; w++)
			k[w] = (float)(10 * at) + (float)w;
		for (h = 0; h < HEADS; h++)
			memcpy(&cache[(h * ROOM + at) * WIDTH], &k[h * WIDTH],
			       WIDTH * sizeof(*k));
		give(&net, "k", DRM_LOOM_DTYPE_F32, 3, (int64_t[]){ 1, 1, HEADS * WIDTH }, k);
		give(&net, "at", DRM_LOOM_DTYPE_I32, 1, (int64_t[]){ 1 }, &at);
		if (loom_session_run(net.session, NULL, NULL, &err) ||
		    loom_session_get_state(net.session, 0, &state, &err))
			tap_fatal("%s", err.text);
		good = good && !memcmp(state.data, cache, sizeof(cache));
		loom_array_clear(&state);
	}
	tap_ok(good && net.program->num_updates == 1, "keys of GroupQueryAttention");
	net_clear(&net);
}

/* All values are outputs: then the state is one of them, whole. */
static void test_all_outputs(void)
{
	struct net net;

	begin(&net, case_graph(24, ENDS "%s" SUM, spellings[0].text), LOOM_GRAPH_OUTPUT_ALL);
	tap_ok(!net.program->num_updates, "all is written if all values are outputs");
	net_clear(&net);
	begin(&net, case_graph(24, "x f32 2 1 0; past f32 2 6 0; n = i64 6 1 : 0 1 2 3 4 5; "
			       "%s" SUM, spellings[0].text), 0);
	tap_ok(!net.program->num_updates, "there is nothing to write");
	net_clear(&net);
}

static void refuse(const struct loom_program *good, const struct loom_program_update *update,
		   const char *what)
{
	struct loom_program wrong = *good;
	struct loom_session *session;
	struct loom_error err;

	wrong.updates = update;
	tap_ok(loom_session_create(target, &wrong, &session, &err) == -EINVAL && !session,
	       "a program is refused: %s", what);
}

static void test_wrong_programs(void)
{
	struct loom_program_update update;
	const struct loom_program *program;
	struct net net;

	begin(&net, case_graph(24, ENDS "%s" SUM, spellings[0].text), 0);
	program = net.program;
	update = *program->updates;
	update.state = 1;
	refuse(program, &update, "a state that there is not");
	update = *program->updates;
	update.axis = 3;
	refuse(program, &update, "an axis that there is not");
	update = *program->updates;
	update.axis = 0;
	refuse(program, &update, "rows of another axis");
	update = *program->updates;
	update.rows.dims[2] = 2;
	refuse(program, &update, "rows of another width");
	update = *program->updates;
	update.rows.dims[1] = 0;
	refuse(program, &update, "no rows");
	update = *program->updates;
	update.rows.dims[1] = INT64_MAX;
	refuse(program, &update, "more rows than can be counted");
	update = *program->updates;
	update.rows.size_bytes *= 2;
	refuse(program, &update, "rows of more bytes");
	update = *program->updates;
	update.rows.slot = program->num_slots;
	refuse(program, &update, "rows in no slot");
	update = *program->updates;
	update.places.dtype = DRM_LOOM_DTYPE_F32;
	refuse(program, &update, "places that are no integers");
	update = *program->updates;
	update.places.offset = UINT64_MAX - 3;
	refuse(program, &update, "places outside of their slot");
	net_clear(&net);
}

static void test_all(const char *chip, bool mapped)
{
	uint32_t i;

	net_target(chip, mapped);
	for (i = 0; i < ARRAY_SIZE(spellings); i++)
		test_spelling(&spellings[i]);
	test_ring();
	test_attention();
	test_all_outputs();
	test_wrong_programs();
	loom_target_close(target);
}

int main(void)
{
	test_all("soft", true);
	/* all of it in slots of the SRAM */
	test_all("stm32f746", true);
	test_all("stm32f746", false);
	tap_ok(unmapped_writes && unmapped_reads, "all was copied by the target");
	return tap_end();
}
