// SPDX-License-Identifier: MIT
/* A graph as text: one line per input, constant, node and output, the same for the same graph. */
#include "graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const pool_kinds[] = { "max", "avg", "lp" };

static const char *const reduce_kinds[] = {
	"sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square", "log_sum", "log_sum_exp",
};

static const char *const resize_modes[] = { "nearest", "linear", "cubic" };
static const char *const resize_coords[] = {
	"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
	"tf_half_pixel_for_nn", "tf_crop_and_resize",
};

static const char *const resize_rounds[] = {
	"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
};

static const char *const pad_modes[] = { "constant", "edge", "reflect", "wrap" };

/* names come from files: characters that break the line or the quotes are replaced by '?' */
static void dump_name(FILE *out, const char *name)
{
	fputc('"', out);
	for (; name && *name; name++)
		fputc((unsigned char)*name < ' ' || *name == '"' || *name == 0x7f ? '?' : *name,
		      out);
	fputc('"', out);
}

static void dump_value(FILE *out, const char *what, const struct loom_value *value)
{
	char dims[LOOM_DIMS_TEXT];

	fprintf(out, "%s%%%u ", what, value->id);
	dump_name(out, value->name);
	fprintf(out, " %s%s", loom_dtype_name(value->dtype),
		loom_dims_print(dims, sizeof(dims), value->rank, value->dims));
}

static void dump_ints(FILE *out, const char *name, uint32_t count, const int64_t *ints)
{
	char text[LOOM_DIMS_TEXT];

	fprintf(out, " %s=%s", name, loom_dims_print(text, sizeof(text), count, ints));
}

static void dump_floats(FILE *out, const char *name, uint32_t count, const float *floats)
{
	uint32_t i;

	fprintf(out, " %s=[", name);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%.9g", i ? "," : "", (double)floats[i]);
	fputc(']', out);
}

static void dump_act(FILE *out, const char *name, const struct loom_gact *act)
{
	fprintf(out, " %s=%s(%.9g,%.9g)", name, loom_gfn_name(act->fn), (double)act->alpha,
		(double)act->beta);
}

static void dump_conv(FILE *out, const struct loom_node *node)
{
	const struct loom_gconv *conv = &node->conv;

	fprintf(out, " groups=%lld", (long long)conv->groups);
	dump_ints(out, "kernel", conv->num_spatial, conv->kernel);
	dump_ints(out, "strides", conv->num_spatial, conv->strides);
	dump_ints(out, "dilations", conv->num_spatial, conv->dilations);
	dump_ints(out, "pads_begin", conv->num_spatial, conv->pads_begin);
	dump_ints(out, "pads_end", conv->num_spatial, conv->pads_end);
}

static void dump_pool(FILE *out, const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;

	fprintf(out, " kind=%s", pool_kinds[pool->kind]);
	dump_ints(out, "kernel", pool->num_spatial, pool->kernel);
	dump_ints(out, "strides", pool->num_spatial, pool->strides);
	dump_ints(out, "dilations", pool->num_spatial, pool->dilations);
	dump_ints(out, "pads_begin", pool->num_spatial, pool->pads_begin);
	dump_ints(out, "pads_end", pool->num_spatial, pool->pads_end);
	fprintf(out, " count_include_pad=%d p=%lld", pool->count_include_pad, (long long)pool->p);
}

static void dump_matmul(FILE *out, const struct loom_node *node)
{
	const struct loom_gmatmul *matmul = &node->matmul;

	fprintf(out, " trans_a=%d trans_b=%d alpha=%.9g beta=%.9g", matmul->trans_a,
		matmul->trans_b, (double)matmul->alpha, (double)matmul->beta);
}

static void dump_binary(FILE *out, const struct loom_node *node)
{
	fprintf(out, " fn=%s", loom_gbin_name(node->binary.fn));
}

static void dump_unary(FILE *out, const struct loom_node *node)
{
	dump_act(out, "fn", &node->unary);
}

static void dump_reduce(FILE *out, const struct loom_node *node)
{
	fprintf(out, " kind=%s axes=0x%x keepdims=%d", reduce_kinds[node->reduce.kind],
		node->reduce.axes, node->reduce.keepdims);
}

static void dump_softmax(FILE *out, const struct loom_node *node)
{
	fprintf(out, " axis=%u log=%d", node->softmax.axis, node->softmax.log);
}

static void dump_topk(FILE *out, const struct loom_node *node)
{
	fprintf(out, " axis=%u smallest=%d", node->topk.axis, node->topk.smallest);
}

static void dump_gather(FILE *out, const struct loom_node *node)
{
	fprintf(out, " axis=%u", node->gather.axis);
}

static void dump_resize(FILE *out, const struct loom_node *node)
{
	const struct loom_gresize *resize = &node->resize;
	uint32_t rank = node->output->rank;

	fprintf(out, " mode=%s coord=%s round=%s cubic_a=%.9g exclude_outside=%d",
		resize_modes[resize->mode], resize_coords[resize->coord],
		resize_rounds[resize->round], (double)resize->cubic_a, resize->exclude_outside);
	dump_floats(out, "scales", rank, resize->scales);
	if (resize->coord != LOOM_GRESIZE_TF_CROP_AND_RESIZE)
		return;
	fprintf(out, " extrapolation_value=%.9g", (double)resize->extrapolation_value);
	dump_floats(out, "roi_begin", rank, resize->roi_begin);
	dump_floats(out, "roi_end", rank, resize->roi_end);
}

static void dump_quant(FILE *out, const struct loom_node *node)
{
	fprintf(out, " axis=%d", node->quant.axis);
}

static void dump_transpose(FILE *out, const struct loom_node *node)
{
	uint32_t i;

	fputs(" perm=[", out);
	for (i = 0; i < node->output->rank; i++)
		fprintf(out, "%s%u", i ? "," : "", node->transpose.perm[i]);
	fputc(']', out);
}

static void dump_slice(FILE *out, const struct loom_node *node)
{
	dump_ints(out, "start", node->output->rank, node->slice.start);
	dump_ints(out, "step", node->output->rank, node->slice.step);
}

static void dump_concat(FILE *out, const struct loom_node *node)
{
	fprintf(out, " axis=%u", node->concat.axis);
}

static void dump_pad(FILE *out, const struct loom_node *node)
{
	fprintf(out, " mode=%s", pad_modes[node->pad.mode]);
	dump_ints(out, "begin", node->output->rank, node->pad.begin);
	dump_ints(out, "end", node->output->rank, node->pad.end);
	fprintf(out, " value=0x%llx", (unsigned long long)node->pad.value);
}

static void (*const dump_attrs[LOOM_GOP_COUNT])(FILE *out, const struct loom_node *node) = {
	[LOOM_GOP_CONV] = dump_conv,
	[LOOM_GOP_DECONV] = dump_conv,
	[LOOM_GOP_POOL] = dump_pool,
	[LOOM_GOP_MATMUL] = dump_matmul,
	[LOOM_GOP_BINARY] = dump_binary,
	[LOOM_GOP_UNARY] = dump_unary,
	[LOOM_GOP_REDUCE] = dump_reduce,
	[LOOM_GOP_SOFTMAX] = dump_softmax,
	[LOOM_GOP_TOPK] = dump_topk,
	[LOOM_GOP_GATHER] = dump_gather,
	[LOOM_GOP_RESIZE] = dump_resize,
	[LOOM_GOP_QUANTIZE] = dump_quant,
	[LOOM_GOP_DEQUANTIZE] = dump_quant,
	[LOOM_GOP_TRANSPOSE] = dump_transpose,
	[LOOM_GOP_SLICE] = dump_slice,
	[LOOM_GOP_CONCAT] = dump_concat,
	[LOOM_GOP_PAD] = dump_pad,
};

static void dump_node(FILE *out, const struct loom_node *node)
{
	uint32_t i;

	dump_value(out, "", node->output);
	fprintf(out, " = %s", loom_gop_name(node->op));
	for (i = 0; i < node->num_inputs; i++) {
		if (node->inputs[i])
			fprintf(out, "%s%%%u", i ? ", " : "(", node->inputs[i]->id);
		else
			fputs(", -", out);
	}
	fputc(')', out);
	if (dump_attrs[node->op])
		dump_attrs[node->op](out, node);
	if (node->act.fn)
		dump_act(out, "act", &node->act);
	fputs(" # ", out);
	dump_name(out, node->name);
	fprintf(out, " %s\n", node->source_op);
}

static void dump_graph(FILE *out, const struct loom_graph *graph)
{
	uint32_t i;

	fputs("graph ", out);
	dump_name(out, graph->name);
	fprintf(out, " opset %d\n", graph->opset);
	for (i = 0; i < graph->num_inputs; i++) {
		dump_value(out, "input ", graph->inputs[i]);
		fputc('\n', out);
	}
	for (i = 0; i < graph->num_values; i++) {
		if (!graph->values[i]->data || !graph->values[i]->num_uses)
			continue;
		dump_value(out, "const ", graph->values[i]);
		fputc('\n', out);
	}
	for (i = 0; i < graph->num_nodes; i++)
		dump_node(out, graph->nodes[i]);
	for (i = 0; i < graph->num_outputs; i++) {
		dump_value(out, "output ", graph->outputs[i]);
		fputc('\n', out);
	}
	for (i = 0; i < graph->num_states; i++) {
		fputs("state ", out);
		dump_name(out, graph->states[i].name);
		fputs(" -> ", out);
		dump_name(out, graph->inputs[graph->states[i].input]->name);
		if (graph->states[i].places != LOOM_STATE_WHOLE) {
			fprintf(out, " axis %u at ", graph->states[i].axis);
			dump_name(out, graph->outputs[graph->states[i].places]->name);
		}
		fputc('\n', out);
	}
}

int loom_graph_dump(const struct loom_graph *graph, char **text)
{
	int saved_errno = errno;
	size_t size_bytes;
	FILE *out = open_memstream(text, &size_bytes);

	if (!out) {
		errno = saved_errno;
		return -ENOMEM;
	}
	dump_graph(out, graph);
	if (fclose(out)) {
		free(*text);
		*text = NULL;
		errno = saved_errno;
		return -ENOMEM;
	}
	return 0;
}
