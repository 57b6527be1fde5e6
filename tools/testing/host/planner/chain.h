/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PLANNER_CHAIN_H
#define LOOM_TESTS_PLANNER_CHAIN_H

/* Random graphs of operators of all kinds, mostly one behind the other; most change the shape. */

#include "host/lower/case.h"

#define MAX_VALUES	24

/**
 * struct chain - a random graph of values of one to four axes
 * @test: the graph
 * @rank: by value
 * @dims: by value
 * @count: number of values
 * @name: by value
 * @consts: constants so far
 */
struct chain {
	struct test_case test;
	uint32_t rank[MAX_VALUES];
	int64_t dims[MAX_VALUES][4];
	uint32_t count;
	char name[MAX_VALUES][8];
	uint32_t consts;
};

static inline const char *float_const(struct chain *c, uint32_t rank, const int64_t *dims,
				      char *name)
{
	struct loom_array array;

	sprintf(name, "k%u", c->consts++);
	array = make_array(name, DRM_LOOM_DTYPE_F32, rank, dims);
	loom_graph_add_const(c->test.graph, &array);
	free(array.data);
	return name;
}

static inline const char *int_const(struct chain *c, uint32_t count, const int64_t *numbers,
				    char *name)
{
	sprintf(name, "k%u", c->consts++);
	ints(&c->test, name, count, numbers);
	return name;
}

static inline void add(struct chain *c, const char *op, const char *operands, uint32_t rank,
		       const int64_t *dims)
{
	uint32_t at = c->count++;

	sprintf(c->name[at], "v%u", at);
	node(&c->test, op, operands, c->name[at]);
	c->rank[at] = rank;
	memcpy(c->dims[at], dims, rank * sizeof(*dims));
}

/* Another value with the dims of value @of, maybe itself. */
static inline uint32_t alike(const struct chain *c, uint32_t of)
{
	uint32_t i = draw(c->count), n;

	for (n = 0; n < c->count; n++, i = (i + 1) % c->count)
		if (c->rank[i] == c->rank[of] &&
		    !memcmp(c->dims[i], c->dims[of], c->rank[of] * sizeof(int64_t)))
			return i;
	return of;
}

static inline void add_conv(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], groups = draw(3) ? 1 : in[1];
	int64_t k = draw(2) ? 3 : 1, out = groups * range(1, 4), stride = range(1, 2);
	int64_t pad = k / 2, dims[4] = { in[0], out, (in[2] - 1) / stride + 1,
					 (in[3] - 1) / stride + 1 };
	char operands[40], w[8], b[8];

	attr_ints(&c->test, "pads", 4, (int64_t[]){ pad, pad, pad, pad });
	attr_ints(&c->test, "strides", 2, (int64_t[]){ stride, stride });
	attr_int(&c->test, "group", groups);
	snprintf(operands, sizeof(operands), "%s %s %s", c->name[x],
		 float_const(c, 4, (int64_t[]){ out, in[1] / groups, k, k }, w),
		 float_const(c, 1, &out, b));
	add(c, "Conv", operands, 4, dims);
}

static inline void add_pool(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], stride = range(1, 2);
	int64_t dims[4] = { in[0], in[1], (in[2] - 1) / stride + 1, (in[3] - 1) / stride + 1 };

	attr_ints(&c->test, "kernel_shape", 2, (int64_t[]){ 3, 3 });
	attr_ints(&c->test, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
	attr_ints(&c->test, "strides", 2, (int64_t[]){ stride, stride });
	add(c, draw(2) ? "MaxPool" : "AveragePool", c->name[x], 4, dims);
}

static inline void add_transpose(struct chain *c, uint32_t x)
{
	int64_t perm[4] = { 0, 1, 2, 3 }, dims[4], swap;
	uint32_t rank = c->rank[x], i, k;

	for (i = rank; i-- > 1;) {
		k = draw(i + 1);
		swap = perm[i];
		perm[i] = perm[k];
		perm[k] = swap;
	}
	for (i = 0; i < rank; i++)
		dims[i] = c->dims[x][perm[i]];
	attr_ints(&c->test, "perm", rank, perm);
	add(c, "Transpose", c->name[x], rank, dims);
}

static inline void add_reshape(struct chain *c, uint32_t x)
{
	int64_t *in = c->dims[x], total = 1, dims[4];
	char operands[40], k[8];
	uint32_t rank, i;

	for (i = 0; i < c->rank[x]; i++)
		total *= in[i];
	/* some views of it, some not */
	for (rank = 1 + draw(4), i = 0; i + 1 < rank; i++) {
		dims[i] = draw(2) && c->rank[x] > i ? in[i] : range(1, 6);
		while (total % dims[i])
			dims[i]--;
		total /= dims[i];
	}
	dims[rank - 1] = total;
	text(operands, c->name[x], int_const(c, rank, dims, k));
	add(c, "Reshape", operands, rank, dims);
}

static inline void add_slice(struct chain *c, uint32_t x)
{
	int64_t axis = draw(c->rank[x]), dims[4], start, end, step;
	char operands[64], k[4][8];

	memcpy(dims, c->dims[x], sizeof(dims));
	start = draw(dims[axis]);
	end = range(start + 1, dims[axis]);
	step = range(1, 2);
	dims[axis] = (end - start + step - 1) / step;
	if (draw(4) == 0) {
		/* the whole axis, reversed */
		start = -1;
		end = -100000;
		step = -1;
		dims[axis] = c->dims[x][axis];
	}
	snprintf(operands, sizeof(operands), "%s %s %s %s %s", c->name[x],
		 int_const(c, 1, &start, k[0]), int_const(c, 1, &end, k[1]),
		 int_const(c, 1, &axis, k[2]), int_const(c, 1, &step, k[3]));
	add(c, "Slice", operands, c->rank[x], dims);
}

/* With another value that fits, if there is one, or with itself. */
static inline void add_concat(struct chain *c, uint32_t x)
{
	uint32_t axis = draw(c->rank[x]), other = x, i = draw(c->count), n, k;
	char operands[40];
	int64_t dims[4];

	for (n = 0; n < c->count && other == x; n++, i = (i + 1) % c->count) {
		for (k = 0; k < c->rank[x]; k++)
			if (k != axis && c->dims[i][k] != c->dims[x][k])
				break;
		if (c->rank[i] == c->rank[x] && k == c->rank[x])
			other = i;
	}
	memcpy(dims, c->dims[x], sizeof(dims));
	dims[axis] += c->dims[other][axis];
	text(operands, c->name[x], c->name[other]);
	attr_int(&c->test, "axis", axis);
	add(c, "Concat", operands, c->rank[x], dims);
}

static inline void add_pad(struct chain *c, uint32_t x)
{
	int64_t pads[8], dims[4];
	uint32_t rank = c->rank[x], i;
	char operands[40], k[8];

	for (i = 0; i < rank; i++) {
		pads[i] = draw(2);
		pads[rank + i] = draw(2);
		dims[i] = c->dims[x][i] + pads[i] + pads[rank + i];
	}
	text(operands, c->name[x], int_const(c, 2 * rank, pads, k));
	add(c, "Pad", operands, rank, dims);
}

static inline void add_reduce(struct chain *c, uint32_t x)
{
	int64_t axis = draw(c->rank[x]), dims[4];
	bool keep = draw(2) || c->rank[x] == 1;
	uint32_t rank = 0, i;

	for (i = 0; i < c->rank[x]; i++)
		if (i != axis)
			dims[rank++] = c->dims[x][i];
		else if (keep)
			dims[rank++] = 1;
	attr_ints(&c->test, "axes", 1, &axis);
	attr_int(&c->test, "keepdims", keep);
	add(c, draw(2) ? "ReduceMean" : "ReduceMax", c->name[x], rank, dims);
}

static inline void add_matmul(struct chain *c, uint32_t x)
{
	uint32_t rank = c->rank[x];
	char operands[40], k[8];
	int64_t dims[4], w[2];

	memcpy(dims, c->dims[x], sizeof(dims));
	w[0] = dims[rank - 1];
	w[1] = range(1, 9);
	dims[rank - 1] = w[1];
	text(operands, c->name[x], float_const(c, 2, w, k));
	add(c, "MatMul", operands, rank, dims);
}

static inline void add_plain(struct chain *c, uint32_t x)
{
	static const char *const ops[] = { "Relu", "Sigmoid", "Neg", "Tanh" };
	char operands[40];

	if (draw(2)) {
		add(c, ops[draw(4)], c->name[x], c->rank[x], c->dims[x]);
		return;
	}
	text(operands, c->name[x], c->name[alike(c, x)]);
	add(c, draw(2) ? "Add" : "Mul", operands, c->rank[x], c->dims[x]);
}

static inline void add_softmax(struct chain *c, uint32_t x)
{
	attr_int(&c->test, "axis", draw(c->rank[x]));
	add(c, "Softmax", c->name[x], c->rank[x], c->dims[x]);
}

static inline int64_t elements(const struct chain *c, uint32_t x)
{
	int64_t n = 1;
	uint32_t i;

	for (i = 0; i < c->rank[x]; i++)
		n *= c->dims[x][i];
	return n;
}

/* An input "x", the first value. */
static inline void chain_begin(struct chain *c, uint64_t which, uint32_t opset, const int64_t *dims)
{
	memset(c, 0, sizeof(*c));
	case_begin(&c->test, which, opset);
	input(&c->test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	snprintf(c->name[0], sizeof(c->name[0]), "x");
	c->rank[0] = 4;
	memcpy(c->dims[0], dims, 4 * sizeof(*dims));
	c->count = 1;
}

#endif /* LOOM_TESTS_PLANNER_CHAIN_H */
