// SPDX-License-Identifier: MIT
/*
 * LSTM, GRU and RNN of all forms, planned and run on the host, beside the formulas of the
 * specification, worked out one element after the other.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "model.h"
#include "near.h"
#include "outcome.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define STEPS	4
#define BATCH	2
#define INPUTS	3
#define SIZE	5
#define MOST	2000
#define CLOSE	0.00001

/* sequences of all steps, sequences that differ, one without a step; a constant or an input */
enum { WHOLE, DIFFER, EMPTY, FROM_DATA };

static int32_t lengths_of[][BATCH] = {
	{ STEPS, STEPS }, { STEPS - 1, 2 }, { 3, 0 }, { 1, STEPS },
};

/**
 * struct form - a node, and what it is given
 * @op: operator
 * @gates: of it
 * @direction: 0 forward, 1 reverse, 2 both
 * @bias: it has one
 * @states: it begins with states that are not zero
 * @peepholes: of LSTM
 * @coupled: input_forget of LSTM, linear_before_reset of GRU
 * @clip: 0: none
 * @batch_first: layout 1
 * @lengths: of the sequences, an index of lengths_of[]
 */
struct form {
	const char *op;
	int gates;
	int direction;
	bool bias, states, peepholes, coupled;
	float clip;
	bool batch_first;
	int lengths;
};

static float data[8][MOST];
static double want_y[STEPS][2][BATCH][SIZE], want_h[2][BATCH][SIZE], want_c[2][BATCH][SIZE];

static double clipped(const struct form *form, double x)
{
	return form->clip ? fmax(-form->clip, fmin(form->clip, x)) : x;
}

static double sigmoid(const struct form *form, double x)
{
	return 1 / (1 + exp(-clipped(form, x)));
}

/* Input @i of sequence @b at step @t; state @e of direction @d. */
static double x_at(const struct form *form, int t, int b, int i)
{
	return data[0][((form->batch_first ? b * STEPS + t : t * BATCH + b)) * INPUTS + i];
}

static double state_at(const struct form *form, int operand, int directions, int d, int b, int e)
{
	return form->states ? data[operand][(form->batch_first ? b * directions + d :
							   d * BATCH + b) * SIZE + e] : 0;
}

/* Row @row of gate @gate: its product with the input, and with a state. */
static double of_input(const struct form *form, int d, int gate, int row, int t, int b)
{
	int i, at = (d * form->gates + gate) * SIZE + row;
	double sum = form->bias ? data[3][(d * 2 * form->gates + gate) * SIZE + row] : 0;

	for (i = 0; i < INPUTS; i++)
		sum += data[1][at * INPUTS + i] * x_at(form, t, b, i);
	return sum;
}

static double of_state(const struct form *form, int d, int gate, int row, const double *state)
{
	int i, at = (d * form->gates + gate) * SIZE + row;
	double sum = form->bias ? data[3][((d * 2 + 1) * form->gates + gate) * SIZE + row] : 0;

	for (i = 0; i < SIZE; i++)
		sum += data[2][at * SIZE + i] * state[i];
	return sum;
}

static double peep(const struct form *form, int d, int gate, int row, double cell)
{
	return form->peepholes ? data[6][(d * 3 + gate) * SIZE + row] * cell : 0;
}

static double both(const struct form *form, int d, int gate, int row, int t, int b,
		   const double *h)
{
	return of_input(form, d, gate, row, t, b) + of_state(form, d, gate, row, h);
}

static double lstm(const struct form *form, int d, int row, int t, int b, const double *h,
		   double *cell)
{
	double i, o, f, c;

	i = sigmoid(form, both(form, d, 0, row, t, b, h) + peep(form, d, 0, row, *cell));
	f = form->coupled ? 1 - i : sigmoid(form, both(form, d, 2, row, t, b, h) +
						  peep(form, d, 2, row, *cell));
	c = tanh(clipped(form, both(form, d, 3, row, t, b, h)));
	*cell = f * *cell + i * c;
	o = sigmoid(form, both(form, d, 1, row, t, b, h) + peep(form, d, 1, row, *cell));
	return o * tanh(*cell);
}

static double gru(const struct form *form, int d, int row, int t, int b, const double *h)
{
	double z = sigmoid(form, both(form, d, 0, row, t, b, h)), n, scaled[SIZE];
	int i;

	for (i = 0; i < SIZE; i++)
		scaled[i] = sigmoid(form, both(form, d, 1, i, t, b, h)) * h[i];
	n = form->coupled ? sigmoid(form, both(form, d, 1, row, t, b, h)) *
			    of_state(form, d, 2, row, h) : of_state(form, d, 2, row, scaled);
	n = tanh(clipped(form, of_input(form, d, 2, row, t, b) + n));
	return (1 - z) * n + z * h[row];
}

static void work_out(const struct form *form, int directions)
{
	double h[SIZE], next[SIZE], cell[SIZE];
	int d, b, i, e, length;

	memset(want_y, 0, sizeof(want_y));
	for (d = 0; d < directions; d++) {
		for (b = 0; b < BATCH; b++) {
			length = lengths_of[form->lengths][b];
			for (e = 0; e < SIZE; e++) {
				h[e] = state_at(form, 4, directions, d, b, e);
				cell[e] = state_at(form, 5, directions, d, b, e);
			}
			for (i = 0; i < length; i++) {
				int t = form->direction == 1 || d ? length - 1 - i : i;

				for (e = 0; e < SIZE; e++)
					next[e] = form->gates == 4 ?
						  lstm(form, d, e, t, b, h, &cell[e]) :
						  form->gates == 3 ? gru(form, d, e, t, b, h) :
						  tanh(clipped(form, both(form, d, 0, e, t, b, h)));
				memcpy(h, next, sizeof(h));
				memcpy(want_y[t][d][b], h, sizeof(h));
			}
			memcpy(want_h[d][b], h, sizeof(h));
			memcpy(want_c[d][b], cell, sizeof(cell));
			if (!length) {
				memset(want_h[d][b], 0, sizeof(h));
				memset(want_c[d][b], 0, sizeof(cell));
			}
		}
	}
}

static void add_operand(struct loom_graph *graph, const char *name, int operand, uint32_t rank,
			const int64_t *dims)
{
	model_add_floats(graph, name, rank, dims, data[operand]);
}

static struct loom_graph *make(const struct form *form, int directions)
{
	static const char * const names[] = { "forward", "reverse", "bidirectional" };
	int64_t d = directions, rows = form->gates * SIZE, one = 1, coupled = form->coupled;
	int64_t state[] = { form->batch_first ? BATCH : d, form->batch_first ? d : BATCH, SIZE };
	bool is_lstm = form->gates == 4;
	const char * const inputs[] = { "x", "w", "r", form->bias ? "b" : "",
				 form->lengths ? "l" : "", form->states ? "h" : "",
				 form->states && is_lstm ? "c" : "",
				 form->peepholes ? "p" : "" };
	const char * const outputs[] = { "y", "yh", "yc" };
	struct loom_attr attrs[4] = {
		{ .name = "direction", .type = LOOM_ATTR_STRING, .count = 1,
		  .string = names[form->direction] },
		{ .name = "layout", .type = LOOM_ATTR_INT, .count = 1, .ints = &one },
	};
	struct loom_node_desc desc = {
		.name = form->op, .op_type = form->op, .inputs = inputs, .num_inputs = 8,
		.outputs = outputs, .num_outputs = is_lstm ? 3 : 2, .attrs = attrs,
		.num_attrs = form->batch_first ? 2 : 1,
	};
	struct loom_array lengths = {
		.name = (char *)"l", .dtype = DRM_LOOM_DTYPE_I32, .rank = 1, .dims = { BATCH },
		.data = lengths_of[form->lengths], .size_bytes = sizeof(lengths_of[0]),
	};
	const struct loom_tensor_info info = {
		.name = "l", .dtype = DRM_LOOM_DTYPE_I32, .rank = 1, .dims = { BATCH },
	};
	struct loom_graph *graph = model_create(14);
	uint32_t i;

	if (form->lengths == FROM_DATA)
		loom_graph_add_input(graph, &info);
	else
		loom_graph_add_const(graph, &lengths);
	if (form->coupled)
		attrs[desc.num_attrs++] = (struct loom_attr){
			.name = is_lstm ? "input_forget" : "linear_before_reset",
			.type = LOOM_ATTR_INT, .count = 1, .ints = &coupled };
	if (form->clip)
		attrs[desc.num_attrs++] = (struct loom_attr){
			.name = "clip", .type = LOOM_ATTR_FLOAT, .count = 1,
			.floats = &form->clip };
	model_add_input(graph, "x", 3, form->batch_first ?
			(int64_t[]){ BATCH, STEPS, INPUTS } : (int64_t[]){ STEPS, BATCH, INPUTS });
	add_operand(graph, "w", 1, 3, (int64_t[]){ d, rows, INPUTS });
	add_operand(graph, "r", 2, 3, (int64_t[]){ d, rows, SIZE });
	add_operand(graph, "b", 3, 2, (int64_t[]){ d, 2 * rows });
	add_operand(graph, "h", 4, 3, state);
	add_operand(graph, "c", 5, 3, state);
	add_operand(graph, "p", 6, 2, (int64_t[]){ d, 3 * SIZE });
	loom_graph_add_node(graph, &desc);
	for (i = 0; i < desc.num_outputs; i++)
		loom_graph_add_output(graph, outputs[i]);
	return graph;
}

/* Element of a result: y, yh, yc. */
static double got(const struct outcome *outcome, uint32_t result, uint64_t index)
{
	return loom_array_element(&outcome->outputs[result], index);
}

static double worst_of(const struct form *form, const struct outcome *outcome, int directions)
{
	int t, d, b, e, flat;
	double worst = 0;

	for (d = 0; d < directions; d++)
		for (b = 0; b < BATCH; b++)
			for (e = 0; e < SIZE; e++) {
				flat = (form->batch_first ? b * directions + d : d * BATCH + b) *
				       SIZE + e;
				worst = near_worst(worst, got(outcome, 1, flat), want_h[d][b][e]);
				if (form->gates == 4)
					worst = near_worst(worst, got(outcome, 2, flat),
							   want_c[d][b][e]);
				for (t = 0; t < STEPS; t++) {
					flat = form->batch_first ?
					       ((b * STEPS + t) * directions + d) * SIZE + e :
					       ((t * directions + d) * BATCH + b) * SIZE + e;
					worst = near_worst(worst, got(outcome, 0, flat),
							   want_y[t][d][b][e]);
				}
			}
	return worst;
}

static void try_form(const struct form *form)
{
	int directions = form->direction == 2 ? 2 : 1;
	struct loom_graph *graph = make(form, directions);
	struct loom_error err = { .text = "" };
	struct loom_array inputs[] = { {
		.name = (char *)"x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 3,
		.dims = { form->batch_first ? BATCH : STEPS, form->batch_first ? STEPS : BATCH,
			  INPUTS },
		.data = data[0], .size_bytes = STEPS * BATCH * INPUTS * sizeof(float),
	}, {
		.name = (char *)"l", .dtype = DRM_LOOM_DTYPE_I32, .rank = 1, .dims = { BATCH },
		.data = lengths_of[form->lengths], .size_bytes = sizeof(lengths_of[0]),
	} };
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct outcome outcome = { 0 };
	struct drm_loom_chip chip;
	double worst = INFINITY;
	int ret = model_finish(graph, 0, &err);

	loom_chip_find("tiny", &chip);
	options.chip = &chip;
	work_out(form, directions);
	if (!ret)
		ret = outcome_plan(&outcome, graph, &options, inputs, 2, &err);
	if (!ret)
		worst = worst_of(form, &outcome, directions);
	tap_ok(worst < CLOSE, "%s, direction %d%s%s%s%s%s%s%s", form->op, form->direction,
	       form->bias ? ", bias" : "", form->states ? ", states" : "",
	       form->peepholes ? ", peepholes" : "", form->coupled ? ", coupled" : "",
	       form->clip ? ", clip" : "", form->batch_first ? ", batch first" : "",
	       form->lengths == FROM_DATA ? ", lengths from data" :
	       form->lengths == EMPTY ? ", an empty sequence" :
	       form->lengths ? ", lengths differ" : "");
	if (!(worst < CLOSE))
		tap_note("off by %g: %s", worst, err.text);
	outcome_clear(&outcome);
	loom_graph_destroy(graph);
}

static void all_forms(const char *op, int gates)
{
	int direction, kind;

	for (direction = 0; direction < 3; direction++)
		for (kind = 0; kind < 9; kind++)
			try_form(&(struct form){
				.op = op, .gates = gates, .direction = direction,
				.bias = kind > 0, .states = kind > 1,
				.peepholes = kind > 2 && kind < 6 && gates == 4,
				.coupled = kind > 3 && kind < 6 && gates > 1,
				.clip = kind == 5 ? 0.4f : 0, .batch_first = kind % 2,
				.lengths = kind < 6 ? WHOLE : kind - 5,
			});
}

/* An array of F16 by name. */
static void add_halves(struct loom_graph *graph, const char *name, int64_t steps, int64_t rows,
		       const float *elements, struct loom_array *array)
{
	const int64_t dims[] = { steps, rows, 1 };
	int64_t i;

	if (loom_array_alloc(array, DRM_LOOM_DTYPE_F16, 3, dims))
		tap_fatal("no memory");
	for (i = 0; i < steps * rows; i++)
		loom_array_set_element(array, (uint64_t)i, elements[i]);
	array->name = (char *)name;
	if (graph)
		loom_graph_add_const(graph, array);
}

/* One unit, two steps, all in F16; the formulas' results to the third digit. */
static void halves(const char *op, int64_t gates, const float *want)
{
	const float w[] = { 0.5f, 0.25f, 1, 2 }, ones[] = { 1, 1, 1, 1 }, x[] = { 1, 2 };
	struct loom_tensor_info info = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F16, .rank = 3, .dims = { 2, 1, 1 },
	};
	struct loom_planner_options options = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_graph *graph = model_create(14);
	struct outcome outcome = { 0 };
	struct loom_array arrays[3];
	struct loom_error err;
	double worst = INFINITY;
	int ret, i;

	add_halves(NULL, "x", 2, 1, x, &arrays[0]);
	loom_graph_add_input(graph, &info);
	add_halves(graph, "w", 1, gates, w, &arrays[1]);
	add_halves(graph, "r", 1, gates, ones, &arrays[2]);
	model_add_node(graph, op, "x w r", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	ret = model_finish(graph, 0, &err);
	if (!ret)
		ret = outcome_plan(&outcome, graph, &options, arrays, 1, &err);
	if (!ret && outcome.outputs[0].dtype == DRM_LOOM_DTYPE_F16)
		for (i = 0, worst = 0; i < 2; i++)
			worst = near_worst(worst, got(&outcome, 0, (uint64_t)i), want[i]);
	tap_ok(worst < 0.002, "%s of F16", op);
	if (!(worst < 0.002))
		tap_note("off by %g: %s", worst, err.text);
	outcome_clear(&outcome);
	loom_graph_destroy(graph);
	for (i = 0; i < 3; i++) {
		arrays[i].name = NULL;
		loom_array_clear(&arrays[i]);
	}
}

static void expect_error(const char *op, const struct loom_attr *attr, const char *inputs,
			 const char *line)
{
	struct loom_graph *graph = model_create(14);
	int64_t lengths[] = { STEPS, STEPS + 1 };
	struct loom_error err;
	int ret;

	model_add_input(graph, "x", 3, (int64_t[]){ STEPS, BATCH, INPUTS });
	add_operand(graph, "w", 1, 3, (int64_t[]){ 1, SIZE, INPUTS });
	add_operand(graph, "r", 2, 3, (int64_t[]){ 1, SIZE, SIZE });
	model_add_ints(graph, "l", BATCH, lengths);
	model_add_node(graph, op, inputs, "y", attr, attr ? 1 : 0);
	loom_graph_add_output(graph, "y");
	ret = model_finish(graph, 0, &err);
	tap_ok(ret < 0 && !strcmp(err.text, line), "%s", line);
	if (strcmp(err.text, line))
		tap_note("%d: %s", ret, err.text);
	loom_graph_destroy(graph);
}

static void errors(void)
{
	static const char * const names[] = { "Tanh", "Affine" };
	const int64_t seven = 7;
	struct loom_attr acts = {
		.name = "activations", .type = LOOM_ATTR_STRINGS, .count = 2, .strings = names,
	};
	const struct loom_attr size = {
		.name = "hidden_size", .type = LOOM_ATTR_INT, .count = 1, .ints = &seven,
	};

	expect_error("LSTM", NULL, "x w r",
		     "test: node \"LSTM\": operator LSTM: operand 1 is f32 [1,5,3] and not f32 [1,20,3]");
	expect_error("RNN", NULL, "x w r - l",
		     "test: node \"RNN\": operator RNN: a sequence of 5 of 4 steps");
	expect_error("RNN", &acts, "x w r",
		     "test: node \"RNN\": operator RNN: attribute activations has to have 1 elements");
	acts.strings = &names[1];
	acts.count = 1;
	expect_error("RNN", &acts, "x w r",
		     "test: node \"RNN\": operator RNN: activation \"Affine\" is not supported");
	expect_error("RNN", &size, "x w r",
		     "test: node \"RNN\": operator RNN: hidden_size is not that of the weights");
}

int main(void)
{
	struct loom_array all = {
		.dtype = DRM_LOOM_DTYPE_F32, .data = data, .size_bytes = sizeof(data),
	};

	loom_array_randomize(&all, 1);
	all_forms("LSTM", 4);
	all_forms("GRU", 3);
	all_forms("RNN", 1);
	halves("LSTM", 4, (const float[]){ 0.30194f, 0.60035f });
	halves("GRU", 3, (const float[]){ 0.28753f, 0.43635f });
	errors();
	return tap_end();
}
