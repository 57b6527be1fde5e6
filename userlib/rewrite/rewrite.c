// SPDX-License-Identifier: MIT
/* The table of rewrites, and the rounds. See rewrite.h. */
#include "rewrite.h"

#include "base/error.h"
#include "graph/pass.h"

#include <errno.h>

/* Limit on the rounds, each of which rewrites the nodes made by the one before. */
#define ROUNDS	6

#define BIT(opcode)	(1ULL << DRM_LOOM_OP_##opcode)

/**
 * struct rule - how an operation is rewritten
 * @opcode: the missing operation
 * @wants: bit mask of the opcodes that replace it
 * @rewrite: makes the nodes
 */
struct rule {
	u32 opcode;
	u64 wants;
	struct loom_value *(*rewrite)(struct loom_rewriter *rw, const struct loom_node *node);
};

static const struct rule rules[LOOM_GOP_COUNT] = {
	[LOOM_GOP_CONV] = { DRM_LOOM_OP_CONV, BIT(MATMUL), loom_rewrite_conv },
	[LOOM_GOP_DECONV] = { DRM_LOOM_OP_DECONV, BIT(CONV), loom_rewrite_deconv },
	[LOOM_GOP_POOL] = { DRM_LOOM_OP_POOL, BIT(BINARY), loom_rewrite_pool },
	[LOOM_GOP_MATMUL] = { DRM_LOOM_OP_MATMUL, BIT(CONV), loom_rewrite_matmul },
	[LOOM_GOP_UNARY] = { DRM_LOOM_OP_UNARY, BIT(BINARY), loom_rewrite_unary },
	[LOOM_GOP_SELECT] = { DRM_LOOM_OP_SELECT, BIT(BINARY) | BIT(CAST), loom_rewrite_select },
	[LOOM_GOP_REDUCE] = { DRM_LOOM_OP_REDUCE, BIT(BINARY), loom_rewrite_reduce },
	[LOOM_GOP_SOFTMAX] = {
		DRM_LOOM_OP_SOFTMAX, BIT(REDUCE) | BIT(BINARY) | BIT(UNARY), loom_rewrite_softmax,
	},
	[LOOM_GOP_GATHER] = { DRM_LOOM_OP_GATHER, BIT(BINARY) | BIT(CAST), loom_rewrite_gather },
	[LOOM_GOP_RESIZE] = { DRM_LOOM_OP_RESIZE, BIT(MATMUL), loom_rewrite_resize },
	[LOOM_GOP_QUANTIZE] = {
		DRM_LOOM_OP_QUANTIZE, BIT(BINARY) | BIT(UNARY) | BIT(CAST), loom_rewrite_quantize,
	},
	[LOOM_GOP_DEQUANTIZE] = {
		DRM_LOOM_OP_DEQUANTIZE, BIT(BINARY) | BIT(CAST), loom_rewrite_dequantize,
	},
	[LOOM_GOP_PAD] = { DRM_LOOM_OP_FILL, BIT(COPY), loom_rewrite_pad },
};

/*
 * By operation: the rewrite of a node that does not fit into the SRAM, not even in the smallest
 * slices.
 */
static struct loom_value *(*const cuts[LOOM_GOP_COUNT])(struct loom_rewriter *rw,
							const struct loom_node *node) = {
	[LOOM_GOP_CONV] = loom_cut_conv,
	[LOOM_GOP_DECONV] = loom_cut_conv,
	[LOOM_GOP_MATMUL] = loom_cut_matmul,
	[LOOM_GOP_POOL] = loom_rewrite_pool,
	[LOOM_GOP_REDUCE] = loom_cut_reduce,
	[LOOM_GOP_SOFTMAX] = loom_rewrite_softmax,
	[LOOM_GOP_TOPK] = loom_cut_topk,
};

u64 loom_rewrite_wants(u32 opcode)
{
	u32 i;

	for (i = 0; i < LOOM_GOP_COUNT; i++)
		if (rules[i].rewrite && rules[i].opcode == opcode)
			return rules[i].wants;
	return 0;
}

/*
 * Whether the chip lacks the node's operation. Functions that others compute in a chain are
 * excluded.
 */
static bool is_lacking(const struct loom_rewriter *rw, const struct loom_node *node)
{
	return rules[node->op].rewrite && !loom_chip_has(rw->chip, rules[node->op].opcode);
}

static bool is_too_large(const struct loom_rewriter *rw, const struct loom_node *node)
{
	return cuts[node->op] && node->output->id < rw->num_marks &&
	       rw->too_large[node->output->id];
}

/*
 * Whether commands of CONV, MATMUL and, in binary32, BINARY apply the function of a node
 * themselves.
 */
static bool is_fused(const struct loom_node *node)
{
	u32 dtype = node->output->dtype;

	switch (node->act.fn) {
	case LOOM_GFN_RELU:
	case LOOM_GFN_CLIP:
	case LOOM_GFN_LEAKY_RELU:
	case LOOM_GFN_SIGMOID:
	case LOOM_GFN_HARD_SIGMOID:
	case LOOM_GFN_HARD_SWISH:
	case LOOM_GFN_TANH:
		break;
	default:
		return node->act.fn == LOOM_GFN_NONE;
	}
	if (node->op == LOOM_GOP_BINARY)
		return dtype == DRM_LOOM_DTYPE_F32;
	/* other types add the bias in a separate command */
	return dtype == DRM_LOOM_DTYPE_F32 ||
	       (loom_dtype_is_float(dtype) && !node->inputs[2]);
}

/* Without UNARY, an activation that no command applies becomes a node, which is rewritten next. */
static struct loom_value *split_act(struct loom_rewriter *rw, struct loom_node *node)
{
	const struct loom_gact act = node->act;
	struct loom_value *y = loom_value_create(rw->em.graph, NULL, node->output->dtype,
						 node->output->rank, node->output->dims);

	if (!y || loom_graph_append(rw->em.graph, node)) {
		loom_emit_fail(&rw->em, -ENOMEM, "out of memory");
		return NULL;
	}
	node->act = (struct loom_gact){ .fn = LOOM_GFN_NONE };
	node->output = y;
	y->producer = node;
	return loom_emit_unary(&rw->em, act, y);
}

/* Replaces @to by @from, which was made for it. */
static void replace_value(struct loom_rewriter *rw, struct loom_value *from, struct loom_value *to,
			  u32 first_value)
{
	if (from->id < first_value || !from->producer) {
		/* not loom_emit_end(), which would fold a constant */
		struct loom_node *copy = loom_emit_begin(&rw->em, LOOM_GOP_RESHAPE, to->dtype,
							 to->rank, to->dims, 1, &from);

		if (!copy)
			return;
		if (loom_graph_append(rw->em.graph, copy)) {
			loom_emit_fail(&rw->em, -ENOMEM, "out of memory");
			return;
		}
		from = copy->output;
		from->producer = copy;
	}
	from->producer->output = to;
	to->producer = from->producer;
}

static bool rewrite_node(struct loom_rewriter *rw, struct loom_node *node)
{
	struct loom_value *y = node->output, *to = NULL;
	u32 first = rw->em.graph->num_values, kept = rw->em.graph->num_nodes;

	if (rw->em.status || !y->num_elems)
		return false;
	loom_emit_source(&rw->em, node->name, node->source_op, node->source);
	if (rw->too_large)
		to = is_too_large(rw, node) ? cuts[node->op](rw, node) : NULL;
	else if (is_lacking(rw, node))
		to = rules[node->op].rewrite(rw, node);
	else if (!is_fused(node) && !loom_chip_has(rw->chip, DRM_LOOM_OP_UNARY))
		to = split_act(rw, node);
	if (!to) {
		/* removes the nodes made before the rewrite proved impossible */
		rw->em.graph->num_nodes = kept;
		return false;
	}
	replace_value(rw, to, y, first);
	loom_emit_name_values(&rw->em, y->name ? y->name : node->name);
	return true;
}

static int rewrite_round(struct loom_rewriter *rw, bool *again)
{
	struct loom_graph *graph = rw->em.graph;
	struct loom_node **nodes = graph->nodes;
	u32 count = graph->num_nodes, i;

	graph->nodes = NULL;
	graph->num_nodes = 0;
	graph->cap_nodes = 0;
	*again = false;
	for (i = 0; i < count; i++) {
		if (rewrite_node(rw, nodes[i]))
			*again = true;
		else if (loom_graph_append(graph, nodes[i]))
			return -ENOMEM;
		if (rw->em.status)
			return rw->em.status;
	}
	return loom_graph_prune(graph);
}

static int say(const struct loom_rewriter *rw, int ret, struct loom_error *err)
{
	if (!ret)
		return 0;
	return loom_error_set(err, ret, "%s", rw->em.graph->status ? rw->em.graph->error.text :
			      "out of memory");
}

int loom_rewrite_cut(struct loom_graph *graph, const struct drm_loom_chip *chip, u64 sram_bytes,
		     const bool *too_large, bool *changed, struct loom_error *err)
{
	struct loom_rewriter rw = {
		.em = { .graph = graph }, .chip = chip, .too_large = too_large,
		.num_marks = graph->num_values, .sram_bytes = sram_bytes,
	};

	return say(&rw, rewrite_round(&rw, changed), err);
}

int loom_rewrite(const struct loom_graph *from, const struct drm_loom_chip *chip,
		 struct loom_graph **to, struct loom_error *err)
{
	struct loom_rewriter rw = { .chip = chip };
	bool again = false;
	u32 i;
	int ret;

	*to = NULL;
	for (i = 0; i < LOOM_GOP_COUNT; i++)
		again = again || (rules[i].rewrite && !loom_chip_has(chip, rules[i].opcode));
	if (!again)
		return 0;
	ret = loom_rewrite_clone(from, to);
	if (ret)
		return loom_error_set(err, ret, "out of memory");
	rw.em.graph = *to;
	for (i = 0; i < ROUNDS && again && !ret; i++)
		ret = rewrite_round(&rw, &again);
	if (say(&rw, ret, err)) {
		loom_graph_destroy(*to);
		*to = NULL;
	}
	return ret;
}
