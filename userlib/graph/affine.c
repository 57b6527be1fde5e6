// SPDX-License-Identifier: MIT
/*
 * DOC: Folding multiplications and additions into the layer before
 *
 * BatchNormalization at inference is x * s + t per channel, which the importer emits as MUL and ADD
 * with constants. If a CONV, DECONV or MATMUL has no other reader, its weights and bias absorb
 * them: s multiplies the weights of each output channel, t is added to the bias. The same pass
 * folds the bias that some exporters write as a separate Add. The layer takes over the name of the
 * result; the intermediate tensor vanishes.
 *
 * Rejected: a pass for Conv + BatchNormalization only. It is no shorter, and misses the other
 * cases.
 */
#include "fold.h"
#include "pass.h"

#include <errno.h>
#include <string.h>

/**
 * struct affine - a layer and the per-channel constant that follows it
 * @graph: owner of both
 * @layer: CONV, DECONV or MATMUL
 * @next: the BINARY behind it
 * @constant: one element, or one per output channel
 * @channels: number of output channels
 */
struct affine {
	struct loom_graph *graph;
	struct loom_node *layer;
	struct loom_node *next;
	const struct loom_value *constant;
	int64_t channels;
};

static uint32_t channel_axis(const struct loom_node *layer)
{
	return layer->op == LOOM_GOP_MATMUL ? layer->output->rank - 1 : 1;
}

/* weights and bias are constants of floats, and no activation is fused yet */
static bool layer_fits(const struct loom_node *layer)
{
	uint32_t i;

	if (layer->op != LOOM_GOP_CONV && layer->op != LOOM_GOP_DECONV &&
	    layer->op != LOOM_GOP_MATMUL)
		return false;
	/* operand lists of all three begin with data, weights, bias */
	if (layer->act.fn || !layer->inputs[1]->data ||
	    (layer->inputs[2] && !layer->inputs[2]->data))
		return false;
	for (i = 3; i < layer->num_inputs; i++) {
		if (layer->inputs[i])
			return false;
	}
	if (layer->op == LOOM_GOP_MATMUL && layer->inputs[1]->rank != 2)
		return false;
	return loom_dtype_is_float(layer->output->dtype) && layer->output->num_uses == 1 &&
	       !layer->output->is_output;
}

/* the constant depends on nothing but the output channel */
static bool constant_fits(const struct affine *affine)
{
	const struct loom_value *y = affine->layer->output, *constant = affine->constant;
	uint32_t i, skip, axis = channel_axis(affine->layer);

	if (!constant || !constant->data || constant->rank > y->rank)
		return false;
	skip = y->rank - constant->rank;
	for (i = 0; i < constant->rank; i++) {
		if (constant->dims[i] == 1)
			continue;
		if (skip + i != axis || constant->dims[i] != affine->channels)
			return false;
	}
	return true;
}

static bool next_fits(struct affine *affine)
{
	const struct loom_node *next = affine->next;
	enum loom_gbin fn = next->binary.fn;
	bool first;

	if (next->op != LOOM_GOP_BINARY || next->act.fn)
		return false;
	first = next->inputs[0] == affine->layer->output;
	affine->constant = next->inputs[first];
	switch (fn) {
	case LOOM_GBIN_ADD:
	case LOOM_GBIN_MUL:
		break;
	case LOOM_GBIN_SUB:
	case LOOM_GBIN_DIV:
		if (!first)
			return false;
		break;
	default:
		return false;
	}
	/* the C of a Gemm may be a whole matrix, and alpha and beta would have to be separated */
	if (affine->layer->op == LOOM_GOP_MATMUL &&
	    (affine->layer->matmul.alpha != 1 || affine->layer->inputs[LOOM_GMATMUL_C] ||
	     (fn != LOOM_GBIN_ADD && fn != LOOM_GBIN_SUB)))
		return false;
	return constant_fits(affine);
}

static double constant_at(const struct affine *affine, int64_t channel)
{
	return loom_value_float(affine->constant,
				affine->constant->num_elems == 1 ? 0 : channel);
}

static struct loom_value *new_constant(const struct affine *affine, const char *suffix,
				       uint32_t rank, const int64_t *dims)
{
	struct loom_graph *graph = affine->graph;
	const char *name = loom_pool_print(graph->pool, "%s:%s", affine->next->output->name,
					   suffix);
	struct loom_value *value;

	value = name ? loom_value_create(graph, name, affine->layer->output->dtype, rank, dims) :
		       NULL;
	if (!value || loom_value_alloc(graph, value))
		return NULL;
	value->made_up = true;
	return value;
}

/* the output channel that weight @index belongs to */
static int64_t weight_channel(const struct affine *affine, const struct loom_value *w,
			      int64_t index)
{
	int64_t inner = loom_value_trailing(w, 2), per_group, group;

	if (affine->layer->op == LOOM_GOP_CONV)
		return index / (inner * w->dims[1]);
	per_group = w->dims[0] / affine->layer->conv.groups;
	group = index / (inner * w->dims[1]) / per_group;
	return group * w->dims[1] + index / inner % w->dims[1];
}

static int scale_weights(const struct affine *affine)
{
	const struct loom_value *w = affine->layer->inputs[LOOM_GCONV_W];
	struct loom_value *scaled = new_constant(affine, "w", w->rank, w->dims);
	enum loom_gbin fn = affine->next->binary.fn;
	int64_t i;

	if (!scaled)
		return -ENOMEM;
	for (i = 0; i < w->num_elems; i++)
		loom_value_set_float(scaled, i,
				     loom_fold_float(fn, loom_value_float(w, i),
						     constant_at(affine,
								 weight_channel(affine, w, i))));
	affine->layer->inputs[LOOM_GCONV_W] = scaled;
	return 0;
}

static int change_bias(const struct affine *affine)
{
	const struct loom_value *bias = affine->layer->inputs[2];
	enum loom_gbin fn = affine->next->binary.fn;
	bool scales = fn == LOOM_GBIN_MUL || fn == LOOM_GBIN_DIV;
	struct loom_value *changed;
	int64_t i;

	if (!bias && scales)
		return 0;
	changed = new_constant(affine, "b", 1, &affine->channels);
	if (!changed)
		return -ENOMEM;
	for (i = 0; i < affine->channels; i++)
		loom_value_set_float(changed, i,
				     loom_fold_float(fn, bias ? loom_value_float(bias, i) : 0,
						     constant_at(affine, i)));
	affine->layer->inputs[2] = changed;
	return 0;
}

static int fold_next(const struct affine *affine)
{
	enum loom_gbin fn = affine->next->binary.fn;
	struct loom_value *between = affine->layer->output;
	int err = 0;

	if (fn == LOOM_GBIN_MUL || fn == LOOM_GBIN_DIV)
		err = scale_weights(affine);
	if (!err)
		err = change_bias(affine);
	if (err)
		return loom_graph_fail(affine->graph, err, "out of memory");
	if (affine->layer->op == LOOM_GOP_MATMUL)
		affine->layer->matmul.beta = 1;
	affine->layer->output = affine->next->output;
	affine->layer->output->producer = affine->layer;
	/* its own result has no readers any more, so the BINARY will be pruned */
	affine->next->output = between;
	return 0;
}

int loom_graph_fold_affine(struct loom_graph *graph)
{
	struct loom_node **users = loom_graph_users(graph);
	uint32_t i;

	if (!users)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct affine affine = { .graph = graph, .layer = graph->nodes[i] };

		while (layer_fits(affine.layer)) {
			const struct loom_value *y = affine.layer->output;

			affine.next = users[y->id];
			affine.channels = y->dims[channel_axis(affine.layer)];
			/* a constant that makes the result larger does not fit either */
			if (!next_fits(&affine) || !loom_dims_equal(y, affine.next->output))
				break;
			if (fold_next(&affine))
				return graph->status;
		}
	}
	return loom_graph_prune(graph);
}
