// SPDX-License-Identifier: MIT
/*
 * Importers of LSTM, GRU and RNN. Their steps are unrolled: one product for the inputs of all
 * steps, and for each step one with the state of the step before. A planner that sees matrices,
 * slices and elementwise operations can group and place them like all others; an operator of its
 * own would hide weights and gates from it, and need an operation of the chip.
 *
 * ONNX's specification of LSTM-22, GRU-22 and RNN-22 defines the operators.
 */
#include "import.h"
#include "loom_core.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* limit on the steps, which bounds the time: each is about ten nodes */
#define MOST_STEPS	2048
#define MOST_ACTS	6

enum { INPUT, WEIGHTS, RECURRENCE, BIAS, LENGTHS, FIRST_STATE, FIRST_CELL, PEEPHOLES };

/**
 * struct recurrent - one of the three operators
 * @im: its node
 * @gates: rows of the weights by the size of a state
 * @directions: 1, or 2
 * @steps: length of the sequence
 * @batch: sequences side by side
 * @inputs: elements of an input
 * @size: elements of a state
 * @batch_first: the batch is the first dimension of input and results
 * @backwards: the only direction is from the last step to the first
 * @clip: limit on the arguments of activations, or infinity
 * @acts: activations: contiguous per direction
 * @num_acts: number of activations of a direction
 * @x: [steps, batch, inputs]
 * @lengths: of the sequences [batch, 1], I32; NULL where all have @steps
 */
struct recurrent {
	struct loom_import *im;
	int64_t gates;
	uint32_t directions;
	int64_t steps;
	int64_t batch;
	int64_t inputs;
	int64_t size;
	bool batch_first;
	bool backwards;
	float clip;
	struct loom_gact acts[MOST_ACTS];
	uint32_t num_acts;
	struct loom_value *x;
	struct loom_value *lengths;
};

/**
 * struct direction - one of its directions
 * @weights: [gates * size, inputs]
 * @recurrence: [gates * size, size]; GRU without linear_before_reset: of its first two gates
 * @last_recurrence: GRU without linear_before_reset: of its last gate [size, size], or NULL
 * @bias: of products with the inputs [gates * size], or NULL
 * @late_bias: GRU with linear_before_reset: of products with the state [gates * size], or NULL
 * @peepholes: of LSTM [3 * size], or NULL
 * @state: [batch, size]; NULL for zeroes
 * @cell: the same
 * @acts: its activations
 */
struct direction {
	struct loom_value *weights;
	struct loom_value *recurrence;
	struct loom_value *last_recurrence;
	struct loom_value *bias;
	struct loom_value *late_bias;
	struct loom_value *peepholes;
	struct loom_value *state;
	struct loom_value *cell;
	const struct loom_gact *acts;
};

/* ------------------------------------------------------------ the operator */

static const struct {
	const char *name;
	enum loom_gfn fn;
	float alpha, beta;
} recurrent_acts[] = {
	{ "Sigmoid", LOOM_GFN_SIGMOID, 0, 0 },
	{ "Tanh", LOOM_GFN_TANH, 0, 0 },
	{ "Relu", LOOM_GFN_RELU, 0, 0 },
	{ "LeakyRelu", LOOM_GFN_LEAKY_RELU, 0.01f, 0 },
	{ "ThresholdedRelu", LOOM_GFN_THRESHOLDED_RELU, 1, 0 },
	{ "HardSigmoid", LOOM_GFN_HARD_SIGMOID, 0.2f, 0.5f },
	{ "Elu", LOOM_GFN_ELU, 1, 0 },
	{ "Softsign", LOOM_GFN_SOFTSIGN, 0, 0 },
	{ "Softplus", LOOM_GFN_SOFTPLUS, 0, 0 },
};

static void set_act(struct recurrent *r, uint32_t index, const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(recurrent_acts); i++)
		if (!strcmp(recurrent_acts[i].name, name)) {
			r->acts[index] = (struct loom_gact){
				recurrent_acts[i].fn, recurrent_acts[i].alpha,
				recurrent_acts[i].beta,
			};
			return;
		}
	loom_import_fail(r->im, -EOPNOTSUPP, "activation \"%.40s\" is not supported", name);
}

static void read_acts(struct recurrent *r, const char *const *standard, uint32_t count)
{
	const struct loom_attr *attr = loom_attr_find(r->im, "activations");
	uint32_t i;

	r->num_acts = count;
	if (loom_attr_find(r->im, "activation_alpha") || loom_attr_find(r->im, "activation_beta"))
		loom_import_fail(r->im, -EOPNOTSUPP,
				 "parameters of activations are not supported");
	if (attr && (attr->type != LOOM_ATTR_STRINGS || attr->count != r->directions * count))
		loom_import_fail(r->im, -EINVAL, "attribute activations has to have %u elements",
				 r->directions * count);
	for (i = 0; i < r->directions * count && !r->im->em->status; i++)
		set_act(r, i, attr ? attr->strings[i] : standard[i % count]);
}

/* Checks the shape of an operand. */
static void check(struct recurrent *r, uint32_t index, uint32_t rank, const int64_t *dims)
{
	const struct loom_value *value = loom_import_optional(r->im, index);
	char has[LOOM_DIMS_TEXT], wants[LOOM_DIMS_TEXT];

	if (!value || (value->rank == rank && !memcmp(value->dims, dims, rank * sizeof(*dims)) &&
		       value->dtype == r->x->dtype))
		return;
	loom_import_fail(r->im, -EINVAL, "operand %u is %s %s and not %s %s", index,
			 loom_dtype_name(value->dtype),
			 loom_dims_print(has, sizeof(has), value->rank, value->dims),
			 loom_dtype_name(r->x->dtype),
			 loom_dims_print(wants, sizeof(wants), rank, dims));
}

/* Lengths of the sequences. The operand is omitted if all are as long as the data. */
static void read_lengths(struct recurrent *r)
{
	struct loom_value *lengths = loom_import_optional(r->im, LENGTHS);
	bool differ = false;
	int64_t i, length;

	if (!lengths)
		return;
	if (lengths->rank != 1 || lengths->dims[0] != r->batch ||
	    !loom_dtype_is_int(lengths->dtype)) {
		loom_import_fail(r->im, -EINVAL, "%lld lengths for %lld sequences",
				 (long long)lengths->num_elems, (long long)r->batch);
		return;
	}
	for (i = 0; lengths->data && i < r->batch; i++) {
		length = loom_value_int(lengths, i);
		if (length < 0 || length > r->steps)
			loom_import_fail(r->im, -EINVAL, "a sequence of %lld of %lld steps",
					 (long long)length, (long long)r->steps);
		differ = differ || length != r->steps;
	}
	if (lengths->data && !differ)
		return;
	lengths = loom_emit_cast(r->im->em, lengths, DRM_LOOM_DTYPE_I32);
	r->lengths = loom_emit_reshape(r->im->em, lengths, 2, (int64_t[]){ r->batch, 1 });
}

static void check_operands(struct recurrent *r)
{
	int64_t d = r->directions, rows = r->gates * r->size;
	int64_t state[] = { d, r->batch, r->size };

	if (r->batch_first) {
		state[0] = r->batch;
		state[1] = d;
	}
	check(r, WEIGHTS, 3, (int64_t[]){ d, rows, r->inputs });
	check(r, RECURRENCE, 3, (int64_t[]){ d, rows, r->size });
	check(r, BIAS, 2, (int64_t[]){ d, 2 * rows });
	check(r, FIRST_STATE, 3, state);
	check(r, FIRST_CELL, 3, state);
	check(r, PEEPHOLES, 2, (int64_t[]){ d, 3 * r->size });
	read_lengths(r);
}

/* false after an error */
static bool read_recurrent(struct loom_import *im, struct recurrent *r, int64_t gates,
			   const char *const *acts, uint32_t num_acts)
{
	static const char * const directions[] = { "forward", "reverse", "bidirectional", NULL };
	const struct loom_value *weights = loom_import_operand(im, WEIGHTS);
	const struct loom_value *recurrence = loom_import_operand(im, RECURRENCE);
	uint32_t direction = loom_attr_choice(im, "direction", directions);

	*r = (struct recurrent){ .im = im, .gates = gates };
	r->x = loom_import_operand(im, INPUT);
	if (!r->x || !weights || !recurrence)
		return false;
	if (r->x->rank != 3 || weights->rank != 3 || recurrence->rank != 3 ||
	    !loom_dtype_is_float(r->x->dtype)) {
		loom_import_fail(im, -EINVAL, "input and weights have to be floats of rank 3");
		return false;
	}
	r->batch_first = loom_attr_int(im, "layout", 0) != 0;
	r->backwards = direction == 1;
	r->directions = direction == 2 ? 2 : 1;
	r->clip = loom_attr_float(im, "clip", INFINITY);
	if (r->batch_first)
		r->x = loom_emit_transpose(im->em, r->x, (uint32_t[]){ 1, 0, 2 });
	if (!r->x)
		return false;
	r->steps = r->x->dims[0];
	r->batch = r->x->dims[1];
	r->inputs = r->x->dims[2];
	r->size = recurrence->dims[2];
	if (loom_attr_int(im, "hidden_size", r->size) != r->size)
		loom_import_fail(im, -EINVAL, "hidden_size is not that of the weights");
	if (r->steps > MOST_STEPS)
		loom_import_fail(im, -EOPNOTSUPP, "%lld steps are more than %d",
				 (long long)r->steps, MOST_STEPS);
	if (!r->steps || !r->batch || !r->size)
		loom_import_fail(im, -EOPNOTSUPP, "nothing to compute");
	read_acts(r, acts, num_acts);
	check_operands(r);
	return !im->em->status;
}

/* ------------------------------------------------------------------ pieces */

/* @count from @from on of an axis */
static struct loom_value *take(struct recurrent *r, struct loom_value *x, uint32_t axis,
			       int64_t from, int64_t count)
{
	int64_t counts[LOOM_GRAPH_RANK];
	struct loom_gslice slice;
	uint32_t i;

	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++) {
		slice.start[i] = 0;
		slice.step[i] = 1;
		counts[i] = x->dims[i];
	}
	slice.start[axis] = from;
	counts[axis] = count;
	return loom_emit_slice(r->im->em, x, &slice, counts);
}

/* Element @index of the first axis, or of the second one, without that axis; NULL of NULL. */
static struct loom_value *one_of(struct recurrent *r, struct loom_value *x, uint32_t axis,
				 int64_t index)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i, rank = 0;

	if (!x)
		return NULL;
	for (i = 0; i < x->rank; i++)
		if (i != axis)
			dims[rank++] = x->dims[i];
	return loom_emit_reshape(r->im->em, take(r, x, axis, index, 1), rank, dims);
}

static struct loom_value *add(struct recurrent *r, struct loom_value *a, struct loom_value *b)
{
	return a && b ? loom_emit_binary(r->im->em, LOOM_GBIN_ADD, a, b) : a ? a : b;
}

/* NULL stands for zeroes */
static struct loom_value *mul(struct recurrent *r, struct loom_value *a, struct loom_value *b)
{
	return a && b ? loom_emit_binary(r->im->em, LOOM_GBIN_MUL, a, b) : NULL;
}

static struct loom_value *subtract(struct recurrent *r, struct loom_value *a, struct loom_value *b)
{
	return loom_emit_binary(r->im->em, LOOM_GBIN_SUB, a, b);
}

static struct loom_value *complement(struct recurrent *r, struct loom_value *x)
{
	return subtract(r, loom_emit_scalar(r->im->em, r->x->dtype, 1), x);
}

static struct loom_value *activate(struct recurrent *r, const struct loom_gact *act,
				   struct loom_value *x)
{
	if (r->clip < INFINITY)
		x = loom_emit_unary(r->im->em,
				    (struct loom_gact){ LOOM_GFN_CLIP, -r->clip, r->clip }, x);
	return loom_emit_unary(r->im->em, *act, x);
}

/* The part of the first gates of something that all gates have side by side. */
static struct loom_value *gates(struct recurrent *r, struct loom_value *x, int64_t count)
{
	return x ? take(r, x, x->rank - 1, 0, count * r->size) : NULL;
}

/* The part of gate @index. */
static struct loom_value *gate(struct recurrent *r, struct loom_value *x, int64_t index)
{
	return x ? take(r, x, x->rank - 1, index * r->size, r->size) : NULL;
}

/* State times weights [batch, rows], and @in; a state of NULL stands for zeroes. */
static struct loom_value *recur(struct recurrent *r, struct loom_value *state,
				struct loom_value *weights, struct loom_value *in)
{
	return state ? loom_import_product(r->im, state, weights, in) : in;
}

/* ------------------------------------------------------------------- steps */

/* One more step: from the inputs of all gates [batch, gates * size]. */
typedef void (*step_fn)(struct recurrent *r, struct direction *d, struct loom_value *in);

/* gates i, o, f, c; the first three have one activation, which is taken of all at once */
static void step_lstm(struct recurrent *r, struct direction *d, struct loom_value *in)
{
	struct loom_value *all = recur(r, d->state, d->recurrence, in), *i, *o, *f, *c;
	bool forget = loom_attr_int(r->im, "input_forget", 0) != 0;

	c = activate(r, &d->acts[1], gate(r, all, 3));
	if (d->peepholes) {
		i = add(r, gate(r, all, 0), mul(r, gate(r, d->peepholes, 0), d->cell));
		f = add(r, gate(r, all, 2), mul(r, gate(r, d->peepholes, 2), d->cell));
		i = activate(r, &d->acts[0], i);
		f = forget ? complement(r, i) : activate(r, &d->acts[0], f);
	} else {
		all = activate(r, &d->acts[0], gates(r, all, 3));
		i = gate(r, all, 0);
		f = forget ? complement(r, i) : gate(r, all, 2);
	}
	d->cell = add(r, mul(r, f, d->cell), mul(r, i, c));
	o = gate(r, all, 1);
	if (d->peepholes)
		o = activate(r, &d->acts[0],
			     add(r, o, mul(r, gate(r, d->peepholes, 1), d->cell)));
	/* ONNX does not specify a clip of the cell here; ONNX Runtime does not clip it */
	d->state = mul(r, o, loom_emit_unary(r->im->em, d->acts[2], d->cell));
}

/* gates z, r, h; the first two have one activation, which is taken of both at once */
static void step_gru(struct recurrent *r, struct direction *d, struct loom_value *in)
{
	struct loom_value *h = gate(r, in, 2), *both = gates(r, in, 2), *all = d->late_bias, *z;

	if (d->last_recurrence)
		both = recur(r, d->state, d->recurrence, both);
	else if (d->state)
		all = loom_import_product(r->im, d->state, d->recurrence, d->late_bias);
	both = activate(r, &d->acts[0], add(r, both, gates(r, all, 2)));
	z = gate(r, both, 0);
	if (d->last_recurrence)
		h = recur(r, mul(r, gate(r, both, 1), d->state), d->last_recurrence, h);
	else
		h = add(r, h, mul(r, gate(r, both, 1), gate(r, all, 2)));
	h = activate(r, &d->acts[1], h);
	/* (1 - z) * h + z * state */
	if (d->state)
		d->state = add(r, h, mul(r, z, subtract(r, d->state, h)));
	else
		d->state = subtract(r, h, mul(r, z, h));
}

static void step_rnn(struct recurrent *r, struct direction *d, struct loom_value *in)
{
	d->state = activate(r, &d->acts[0], recur(r, d->state, d->recurrence, in));
}

/* -------------------------------------------------------------- directions */

static bool resets_late(struct recurrent *r)
{
	return r->gates == 3 && loom_attr_int(r->im, "linear_before_reset", 0);
}

/* Both biases are added to the inputs, but for GRU that multiplies one with the reset gate. */
static void read_bias(struct recurrent *r, struct direction *d, struct loom_value *bias)
{
	int64_t rows = r->gates * r->size;
	struct loom_value *late = take(r, bias, 0, rows, rows);

	d->bias = take(r, bias, 0, 0, rows);
	if (resets_late(r))
		d->late_bias = late;
	else
		d->bias = add(r, d->bias, late);
}

static void read_direction(struct recurrent *r, struct direction *d, uint32_t index)
{
	uint32_t axis = r->batch_first ? 1 : 0;

	*d = (struct direction){ .acts = &r->acts[index * r->num_acts] };
	d->weights = one_of(r, loom_import_operand(r->im, WEIGHTS), 0, index);
	d->recurrence = one_of(r, loom_import_operand(r->im, RECURRENCE), 0, index);
	if (r->gates == 3 && !resets_late(r)) {
		d->last_recurrence = take(r, d->recurrence, 0, 2 * r->size, r->size);
		d->recurrence = take(r, d->recurrence, 0, 0, 2 * r->size);
	}
	read_bias(r, d, one_of(r, loom_import_optional(r->im, BIAS), 0, index));
	d->state = one_of(r, loom_import_optional(r->im, FIRST_STATE), axis, index);
	d->cell = one_of(r, loom_import_optional(r->im, FIRST_CELL), axis, index);
	d->peepholes = one_of(r, loom_import_optional(r->im, PEEPHOLES), 0, index);
}

/* 1: all sequences have more than @steps, 0: none has, -1: some have, or it depends on the data */
static int all_longer(const struct recurrent *r, int64_t steps)
{
	int64_t i, longer = 0;

	if (!r->lengths)
		return 1;
	if (!r->lengths->data)
		return -1;
	for (i = 0; i < r->batch; i++)
		longer += loom_value_int(r->lengths, i) > steps;
	return longer == r->batch ? 1 : longer ? -1 : 0;
}

/* @x where a sequence has more than @steps, else @other, of which NULL stands for zeroes */
static struct loom_value *where_longer(struct recurrent *r, int64_t steps, struct loom_value *x,
				       struct loom_value *other)
{
	struct loom_value *at;

	if (!x || all_longer(r, steps) > 0)
		return x;
	at = loom_emit_scalar(r->im->em, DRM_LOOM_DTYPE_I32, (double)steps);
	at = loom_emit_binary(r->im->em, LOOM_GBIN_LESS, at, r->lengths);
	if (!other)
		other = loom_emit_scalar(r->im->em, x->dtype, 0);
	return loom_emit_select(r->im->em, at, x, other);
}

/*
 * Runs one step of the sequences that have it; the others keep their state, which is their final
 * state at the end, and their initial state when running backwards.
 */
static struct loom_value *one_step(struct recurrent *r, struct direction *d, step_fn step,
				   struct loom_value *in, int64_t t)
{
	struct loom_value *state = d->state, *cell = d->cell, *y;

	if (!all_longer(r, t))
		return loom_emit_const(r->im->em, r->x->dtype, 2,
				       (int64_t[]){ r->batch, r->size });
	step(r, d, in);
	y = where_longer(r, t, d->state, NULL);
	d->state = where_longer(r, t, d->state, state);
	d->cell = where_longer(r, t, d->cell, cell);
	return y;
}

/* @states: [out] after each step, in the order of the sequence */
static void run_direction(struct recurrent *r, struct direction *d, step_fn step, bool backwards,
			  struct loom_value **states)
{
	int64_t rows = r->steps * r->batch, i, t;
	struct loom_value *all;

	all = loom_emit_reshape(r->im->em, r->x, 2, (int64_t[]){ rows, r->inputs });
	all = loom_import_product(r->im, all, d->weights, d->bias);
	for (i = 0; i < r->steps && !r->im->em->status; i++) {
		t = backwards ? r->steps - 1 - i : i;
		states[t] = one_step(r, d, step, take(r, all, 0, t * r->batch, r->batch), t);
	}
	/* the state of a sequence without steps is zero */
	d->state = where_longer(r, 0, d->state, NULL);
	d->cell = where_longer(r, 0, d->cell, NULL);
	if (!d->state && !r->im->em->status)
		d->state = loom_emit_const(r->im->em, r->x->dtype, 2,
					   (int64_t[]){ r->batch, r->size });
	if (r->gates == 4 && !d->cell && !r->im->em->status)
		d->cell = loom_emit_const(r->im->em, r->x->dtype, 2,
					  (int64_t[]){ r->batch, r->size });
}

/* ----------------------------------------------------------------- results */

/* [batch, size] of each direction: [directions, batch, size], or with the batch first */
static struct loom_value *join(struct recurrent *r, struct loom_value **of)
{
	uint32_t axis = r->batch_first ? 1 : 0, i;
	struct loom_value *parts[2];

	for (i = 0; i < r->directions; i++)
		parts[i] = loom_emit_reshape(r->im->em, of[i], 3, axis ?
					     (int64_t[]){ r->batch, 1, r->size } :
					     (int64_t[]){ 1, r->batch, r->size });
	return r->im->em->status ? NULL :
	       loom_emit_concat(r->im->em, r->directions, parts, axis);
}

/* States of all steps: [steps, directions, batch, size], or [batch, steps, directions, size]. */
static struct loom_value *join_steps(struct recurrent *r, struct loom_value **states)
{
	struct loom_value *parts[2], *y;
	uint32_t k;

	for (k = 0; k < r->directions; k++) {
		y = loom_import_stack(r->im, states + k * r->steps, r->steps);
		parts[k] = loom_emit_reshape(r->im->em, y, 4, (int64_t[]){
			r->steps, 1, r->batch, r->size });
	}
	if (r->im->em->status)
		return NULL;
	y = loom_emit_concat(r->im->em, r->directions, parts, 1);
	return r->batch_first ? loom_emit_transpose(r->im->em, y, (uint32_t[]){ 2, 0, 1, 3 }) : y;
}

static void run(struct recurrent *r, step_fn step)
{
	struct loom_value *last[2] = { NULL }, *cells[2] = { NULL }, **states;
	struct direction d;
	uint32_t i;

	states = loom_pool_array(r->im->graph->pool, (size_t)r->steps * r->directions,
				 sizeof(struct loom_value *));
	if (!states) {
		loom_import_fail(r->im, -ENOMEM, "out of memory");
		return;
	}
	for (i = 0; i < r->directions; i++) {
		read_direction(r, &d, i);
		run_direction(r, &d, step, r->backwards || i, states + i * r->steps);
		last[i] = d.state;
		cells[i] = d.cell;
	}
	if (r->im->em->status)
		return;
	if (loom_import_wants(r->im, 1))
		loom_import_result(r->im, 1, join(r, last));
	if (loom_import_wants(r->im, 2))
		loom_import_result(r->im, 2, join(r, cells));
	if (loom_import_wants(r->im, 0))
		loom_import_result(r->im, 0, join_steps(r, states));
}

void loom_import_lstm(struct loom_import *im, int unused)
{
	static const char * const acts[] = { "Sigmoid", "Tanh", "Tanh" };
	struct recurrent r;

	(void)unused;
	if (read_recurrent(im, &r, 4, acts, 3))
		run(&r, step_lstm);
}

void loom_import_gru(struct loom_import *im, int unused)
{
	static const char * const acts[] = { "Sigmoid", "Tanh" };
	struct recurrent r;

	(void)unused;
	if (read_recurrent(im, &r, 3, acts, 2))
		run(&r, step_gru);
}

void loom_import_rnn(struct loom_import *im, int unused)
{
	static const char * const acts[] = { "Tanh" };
	struct recurrent r;

	(void)unused;
	if (read_recurrent(im, &r, 1, acts, 1))
		run(&r, step_rnn);
}
