// SPDX-License-Identifier: MIT
/*
 * DOC: Simplifying
 *
 * Exporters split functions. A rule here either keeps exactly the same arithmetic (x * 1, x + 0,
 * x^2 as x * x), or recognises a function that the device computes in one pass and that can be
 * fused: x * clip(x + 3, 0, 6) / 6 is HardSwish. Each rule is a function of one node: it rewrites
 * the node in place, or returns the value that replaces its result.
 */
#include "pass.h"

#include <errno.h>
#include <math.h>

static bool constant_is(const struct loom_value *value, double wanted)
{
	return value->data && value->num_elems == 1 && loom_value_float(value, 0) == wanted;
}

static bool is_binary(const struct loom_node *node, enum loom_gbin fn)
{
	return node && node->op == LOOM_GOP_BINARY && node->binary.fn == fn && !node->act.fn;
}

/* x + 0, x - 0, x * 1, x / 1, x^1: the operand takes the place of the result */
static struct loom_value *rule_neutral(const struct loom_node *node)
{
	static const struct {
		bool has_neutral;
		bool either_side;
		double neutral;
	} rules[LOOM_GBIN_COUNT] = {
		[LOOM_GBIN_ADD] = { true, true, 0 },
		[LOOM_GBIN_SUB] = { true, false, 0 },
		[LOOM_GBIN_MUL] = { true, true, 1 },
		[LOOM_GBIN_DIV] = { true, false, 1 },
		[LOOM_GBIN_POW] = { true, false, 1 },
	};
	uint32_t i;

	if (node->op != LOOM_GOP_BINARY || !rules[node->binary.fn].has_neutral)
		return NULL;
	for (i = 0; i <= (uint32_t)rules[node->binary.fn].either_side; i++) {
		struct loom_value *x = node->inputs[i];

		/* -0 + 0 is 0; -0 is kept instead, which compares equal */
		if (!x->data && loom_dims_equal(x, node->output) &&
		    constant_is(node->inputs[1 - i], rules[node->binary.fn].neutral))
			return x;
	}
	return NULL;
}

/* x^2 is x * x, on any device faster and at least as exact */
static void rule_square(struct loom_node *node)
{
	if (is_binary(node, LOOM_GBIN_POW) && constant_is(node->inputs[1], 2) &&
	    loom_dims_equal(node->inputs[0], node->output)) {
		node->binary.fn = LOOM_GBIN_MUL;
		node->inputs[1] = node->inputs[0];
	}
}

/* the operand of clip(x + 3, 0, 6), or NULL */
static struct loom_value *match_relu6_of_plus3(const struct loom_value *value)
{
	const struct loom_node *clip = value->producer, *add;

	if (!clip || clip->op != LOOM_GOP_UNARY || clip->unary.fn != LOOM_GFN_CLIP ||
	    clip->unary.alpha != 0 || clip->unary.beta != 6)
		return NULL;
	add = clip->inputs[0]->producer;
	if (!is_binary(add, LOOM_GBIN_ADD))
		return NULL;
	if (constant_is(add->inputs[1], 3))
		return add->inputs[0];
	return constant_is(add->inputs[0], 3) ? add->inputs[1] : NULL;
}

/* x, if @mul is x * clip(x + 3, 0, 6), either way round */
static struct loom_value *match_hard_swish(const struct loom_node *mul)
{
	uint32_t i;

	for (i = 0; i < 2 && is_binary(mul, LOOM_GBIN_MUL); i++) {
		if (match_relu6_of_plus3(mul->inputs[i]) == mul->inputs[1 - i])
			return mul->inputs[1 - i];
	}
	return NULL;
}

/* x * clip(x + 3, 0, 6) / 6, the division as such or as a factor */
static void rule_hard_swish(struct loom_node *node)
{
	struct loom_value *x = NULL;

	if (node->output->dtype != DRM_LOOM_DTYPE_F32)
		return;
	if (is_binary(node, LOOM_GBIN_DIV) && constant_is(node->inputs[1], 6))
		x = match_hard_swish(node->inputs[0]->producer);
	else if (is_binary(node, LOOM_GBIN_MUL) && node->inputs[1]->data &&
		 constant_is(node->inputs[1], (float)(1.0 / 6)))
		x = match_hard_swish(node->inputs[0]->producer);
	if (!x || !loom_dims_equal(x, node->output))
		return;
	node->op = LOOM_GOP_UNARY;
	node->unary = (struct loom_gact){ .fn = LOOM_GFN_HARD_SWISH };
	node->num_inputs = 1;
	node->inputs[0] = x;
}

/* only axes of size 1 move: no element changes its place, so this is a reshape */
static void rule_transpose_units(struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	int64_t last = -1;
	uint32_t i;

	if (node->op != LOOM_GOP_TRANSPOSE)
		return;
	for (i = 0; i < x->rank; i++) {
		if (x->dims[node->transpose.perm[i]] == 1)
			continue;
		if (node->transpose.perm[i] < last)
			return;
		last = node->transpose.perm[i];
	}
	node->op = LOOM_GOP_RESHAPE;
}

/* zeroes padded around the data become padding of the convolution itself */
static void rule_pad_conv(struct loom_node *node)
{
	const struct loom_node *pad = node->inputs[0]->producer;
	uint32_t i;

	if (node->op != LOOM_GOP_CONV || !pad || pad->op != LOOM_GOP_PAD ||
	    pad->pad.mode != LOOM_GPAD_CONSTANT || pad->pad.value ||
	    !loom_dtype_is_float(node->output->dtype) || pad->output->num_uses != 1 ||
	    pad->output->is_output)
		return;
	for (i = 0; i < 2; i++) {
		if (pad->pad.begin[i] || pad->pad.end[i])
			return;
	}
	for (i = 0; i < node->conv.num_spatial; i++) {
		node->conv.pads_begin[i] += pad->pad.begin[2 + i];
		node->conv.pads_end[i] += pad->pad.end[2 + i];
	}
	node->inputs[0] = pad->inputs[0];
}

/* of two in a row, the first has no effect */
static void rule_reshape_twice(struct loom_node *node)
{
	const struct loom_node *before = node->inputs[0]->producer;

	if (node->op == LOOM_GOP_RESHAPE && before && before->op == LOOM_GOP_RESHAPE)
		node->inputs[0] = before->inputs[0];
}

int loom_graph_simplify(struct loom_graph *graph)
{
	struct loom_value **stands_for;
	uint32_t i, j;

	stands_for = loom_pool_array(graph->pool, graph->num_values, sizeof(*stands_for));
	if (!stands_for)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i];

		for (j = 0; j < node->num_inputs; j++) {
			if (node->inputs[j] && stands_for[node->inputs[j]->id])
				node->inputs[j] = stands_for[node->inputs[j]->id];
		}
		rule_hard_swish(node);
		rule_square(node);
		rule_transpose_units(node);
		rule_reshape_twice(node);
		rule_pad_conv(node);
		/* an output must have a node of its own */
		if (!node->output->is_output)
			stands_for[node->output->id] = rule_neutral(node);
	}
	return loom_graph_prune(graph);
}
