// SPDX-License-Identifier: MIT
/* loom model: inputs, outputs, operators and nodes of a model. */
#include "inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct model_table - the command line, and what was found
 * @json: print JSON
 * @nodes: print the nodes, too
 * @model: the model
 * @operators: its operators
 * @num_operators: number of @operators
 * @open: why its shapes are not known
 * @is_open: they are not
 * @finished: they are, and all else is
 */
struct model_table {
	bool json;
	bool nodes;
	struct tool_model model;
	struct loom_operator_info *operators;
	uint32_t num_operators;
	struct loom_error open;
	bool is_open;
	bool finished;
};

static void print_declared(const struct model_table *table)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	char text[TOOL_TEXT];
	bool has_shape;
	uint32_t i, k;

	for (i = 0; !loom_graph_declared(table->model.graph, i, &info, names, &has_shape); i++) {
		printf("input      %s %s %s", info.name, loom_dtype_name(info.dtype),
		       has_shape ? tool_dims(text, info.rank, info.dims) : "of any rank");
		for (k = 0; has_shape && k < info.rank; k++)
			if (names[k] && *names[k])
				printf("; dimension %u is '%s'", k, names[k]);
		printf("\n");
	}
}

static void print_operators(const struct model_table *table)
{
	uint32_t i;

	printf("\n%-24s %6s\n", "operator", "nodes");
	for (i = 0; i < table->num_operators; i++)
		printf("%-24s %6u%s\n", table->operators[i].name, table->operators[i].nodes,
		       table->operators[i].supported ? "" : "  not supported");
}

static void print_nodes(const struct model_table *table)
{
	const struct loom_graph *graph = table->model.graph;
	uint32_t i, count = loom_graph_num_nodes(graph);
	uint64_t macs = 0, bytes = 0, consts = 0;
	char a[TOOL_TEXT], b[TOOL_TEXT], dims[TOOL_TEXT];
	struct loom_node_info node;

	if (table->nodes)
		printf("\n%5s  %-18s %-11s %-5s %-18s %10s %10s %9s  %s\n", "node", "operator",
		       "computes", "type", "result", "bytes", "constants", "MMAC", "name");
	for (i = 0; !loom_graph_node(graph, i, &node); i++) {
		macs += node.macs;
		bytes += node.output.size_bytes;
		consts += node.const_bytes;
		if (table->nodes)
			printf("%5u  %-18s %-11s %-5s %-18s %10s %10s %9.3f  %s\n", i, node.op,
			       node.computes, loom_dtype_name(node.output.dtype),
			       tool_dims(dims, node.output.rank, node.output.dims),
			       tool_bytes(a, node.output.size_bytes),
			       tool_bytes(b, node.const_bytes), node.macs / 1e6, node.name);
	}
	printf("\nof it %u nodes are computed: %.1f MMAC, results of %s in all, constants of %s\n",
	       count, macs / 1e6, tool_bytes(a, bytes), tool_bytes(b, consts));
	if (!table->nodes)
		printf("--nodes lists them\n");
}

static void print_outputs(const struct model_table *table)
{
	struct loom_tensor_info info;
	char text[TOOL_TEXT];
	uint32_t i;

	for (i = 0; !loom_graph_output(table->model.graph, i, &info); i++)
		printf("output     %s %s %s\n", info.name, loom_dtype_name(info.dtype),
		       tool_dims(text, info.rank, info.dims));
}

static void print_table(const struct model_table *table)
{
	printf("model      %s\n", table->model.path);
	print_declared(table);
	print_outputs(table);
	print_operators(table);
	if (table->finished)
		print_nodes(table);
	else if (table->is_open)
		printf("\nwhat it computes follows once its shapes are known: %s\n",
		       table->open.text);
}

static void json_declared(const struct model_table *table, struct json *json)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	bool has_shape;
	uint32_t i, k;

	json_open(json, "inputs", '[');
	for (i = 0; !loom_graph_declared(table->model.graph, i, &info, names, &has_shape); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", info.name);
		json_string(json, "dtype", loom_dtype_name(info.dtype));
		if (has_shape) {
			json_dims(json, "dims", info.rank, info.dims);
			json_open(json, "dim_names", '[');
			for (k = 0; k < info.rank; k++)
				json_string(json, NULL, names[k] ? names[k] : "");
			json_close(json, ']');
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_nodes(const struct model_table *table, struct json *json)
{
	struct loom_node_info node;
	uint32_t i;

	json_open(json, "nodes", '[');
	for (i = 0; !loom_graph_node(table->model.graph, i, &node); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", node.name);
		json_string(json, "op", node.op);
		json_string(json, "computes", node.computes);
		json_string(json, "dtype", loom_dtype_name(node.output.dtype));
		json_dims(json, "dims", node.output.rank, node.output.dims);
		json_u64(json, "bytes", node.output.size_bytes);
		json_u64(json, "const_bytes", node.const_bytes);
		json_u64(json, "macs", node.macs);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_table(const struct model_table *table)
{
	struct loom_tensor_info info;
	struct json json;
	uint32_t i;

	json_begin(&json, stdout);
	json_string(&json, "model", table->model.path);
	json_declared(table, &json);
	json_open(&json, "operators", '[');
	for (i = 0; i < table->num_operators; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", table->operators[i].name);
		json_u64(&json, "nodes", table->operators[i].nodes);
		json_bool(&json, "supported", table->operators[i].supported);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	if (table->is_open)
		json_string(&json, "open", table->open.text);
	if (table->finished) {
		json_open(&json, "outputs", '[');
		for (i = 0; !loom_graph_output(table->model.graph, i, &info); i++) {
			json_open(&json, NULL, '{');
			json_string(&json, "name", info.name);
			json_string(&json, "dtype", loom_dtype_name(info.dtype));
			json_dims(&json, "dims", info.rank, info.dims);
			json_close(&json, '}');
		}
		json_close(&json, ']');
		json_nodes(table, &json);
	}
	json_end(&json);
}

/* An error is printed below the table of operators, which shows whether each is supported. */
static int show(struct model_table *table, struct tool_inputs *inputs)
{
	int code, ret = tool_model_open(&table->model);

	if (!ret && loom_graph_operators(table->model.graph, &table->operators,
					 &table->num_operators))
		ret = tool_fail("no memory");
	if (!ret)
		ret = tool_inputs_load(inputs, &table->model);
	if (!ret)
		ret = tool_model_bind(&table->model, &code, &table->open);
	if (ret)
		return ret;
	table->finished = !code;
	table->is_open = code == -EDESTADDRREQ || code == -ENODATA;
	if (table->json)
		json_table(table);
	else
		print_table(table);
	return code && !table->is_open ? tool_fail("%s", table->open.text) : 0;
}

static int parse(int argc, char **argv, struct model_table *table, struct tool_inputs *inputs)
{
	static const struct option longs[] = {
		{ "dim", required_argument, NULL, 'd' },
		{ "shape", required_argument, NULL, 's' },
		{ "value", required_argument, NULL, 'v' },
		{ "input", required_argument, NULL, 'i' },
		{ "keep-all", no_argument, NULL, 'k' },
		{ "nodes", no_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	const struct tool_command *command = &tool_model_table;
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_getopt(command, argc, argv, "i:", longs)) != -1) {
		switch (option) {
		case 'd':
			ret = tool_model_parse_dim(command, &table->model, optarg);
			break;
		case 's':
			ret = tool_model_parse_shape(command, &table->model, optarg);
			break;
		case 'v':
			ret = tool_model_parse_value(command, &table->model, optarg);
			break;
		case 'i':
			ret = tool_inputs_add(inputs, optarg);
			break;
		case 'k':
			table->model.graph_flags |= LOOM_GRAPH_KEEP_ALL;
			break;
		case 'n':
			table->nodes = true;
			break;
		case 'j':
			table->json = true;
			break;
		default:
			return tool_bad_option(command, argv);
		}
	}
	if (!ret && optind + 1 != argc)
		return tool_usage(command, "takes one model");
	table->model.path = argv[optind];
	return ret;
}

static int tool_model_table_run(int argc, char **argv)
{
	struct model_table table = { 0 };
	struct tool_inputs inputs;
	int ret;

	tool_inputs_init(&inputs);
	ret = parse(argc, argv, &table, &inputs);
	if (!ret)
		ret = show(&table, &inputs);
	free(table.operators);
	tool_model_clear(&table.model);
	tool_inputs_clear(&inputs);
	return ret;
}

const struct tool_command tool_model_table = {
	.name = "model",
	.usage = "MODEL [OPTION...]",
	.text = "describe a model: inputs, operators and their support, shapes, sizes",
	.help =
		"  --nodes              list the computed nodes\n"
		"  --dim NAME=N         size of a dimension that the model leaves open\n"
		"  --shape INPUT=N,N..  shape of an input\n"
		"  --value INPUT=V,V..  the input becomes a constant\n"
		TOOL_INPUTS_PLAN_HELP
		"  --keep-all           do not fold or fuse nodes: every tensor keeps its name\n"
		"  --json               print JSON, with the nodes\n",
	.examples =
		"  loom model net.onnx\n"
		"  loom model net.onnx --shape x=1,3,224,224 --nodes\n",
	.run = tool_model_table_run,
};
