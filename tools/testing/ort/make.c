// SPDX-License-Identifier: MIT
/*
 * Files for the tests of the execution provider: models with an operator that Loom has not, and
 * program files that are damaged.
 *
 *	make mixed MODEL NEW NODE...	behind each of these nodes (from 0) a QuickGelu of ONNX
 *					Runtime's own domain
 *	make flip FILE			flips a bit in the middle of a program file
 *	make unsafe FILE		moves a tensor of its plan out of its slot; sums are right
 *	make tensor MODEL		the same in a model with a program inside
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx.pb-c.h"
#include "program_bytes.h"

static int fail(const char *what)
{
	fprintf(stderr, "make: %s\n", what);
	return 1;
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end;

	if (!file || fseek(file, 0, SEEK_END))
		return NULL;
	end = ftell(file);
	if (end <= 0)
		return NULL;
	rewind(file);
	*size = (size_t)end;
	bytes = malloc(*size);
	if (bytes && fread(bytes, 1, *size, file) != *size)
		bytes = NULL;
	fclose(file);
	return bytes;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	bool good = file && fwrite(bytes, 1, size, file) == size;

	return file && !fclose(file) && good;
}

/* The node's first result goes to the new node under another name, and comes out under its own. */
static void put_behind(Onnx__GraphProto *graph, size_t at)
{
	Onnx__NodeProto **nodes = calloc(graph->n_node + 1, sizeof(*nodes));
	Onnx__NodeProto *node = graph->node[at], *added = calloc(1, sizeof(*added));
	char **names = calloc(2, sizeof(*names)), *inner;

	onnx__node_proto__init(added);
	if (asprintf(&inner, "%s.before", node->output[0]) < 0 ||
	    asprintf(&added->name, "foreign%zu", at) < 0)
		exit(1);
	names[0] = inner;
	names[1] = node->output[0];
	added->n_input = 1;
	added->input = &names[0];
	added->n_output = 1;
	added->output = &names[1];
	added->op_type = "QuickGelu";
	added->domain = "com.microsoft";
	node->output[0] = inner;
	memcpy(nodes, graph->node, (at + 1) * sizeof(*nodes));
	nodes[at + 1] = added;
	memcpy(nodes + at + 2, graph->node + at + 1, (graph->n_node - at - 1) * sizeof(*nodes));
	graph->node = nodes;
	graph->n_node++;
}

static int mixed(const char *from, const char *to, char **at, int count)
{
	Onnx__OperatorSetIdProto own, **opsets;
	Onnx__ModelProto *model;
	uint8_t *bytes, *packed;
	size_t size;
	int i;

	bytes = read_file(from, &size);
	model = bytes ? onnx__model_proto__unpack(NULL, size, bytes) : NULL;
	if (!model || !model->graph)
		return fail("no model");
	/* from the end, so that numbers stay what they are */
	for (i = count - 1; i >= 0; i--) {
		if ((size_t)atoi(at[i]) >= model->graph->n_node)
			return fail("no such node");
		put_behind(model->graph, (size_t)atoi(at[i]));
	}
	onnx__operator_set_id_proto__init(&own);
	own.domain = "com.microsoft";
	own.has_version = 1;
	own.version = 1;
	opsets = calloc(model->n_opset_import + 1, sizeof(*opsets));
	memcpy(opsets, model->opset_import, model->n_opset_import * sizeof(*opsets));
	opsets[model->n_opset_import++] = &own;
	model->opset_import = opsets;
	packed = malloc(onnx__model_proto__get_packed_size(model));
	size = onnx__model_proto__pack(model, packed);
	return write_file(to, packed, size) ? 0 : fail("not written");
}

static int flip(const char *path)
{
	size_t size;
	uint8_t *bytes = read_file(path, &size);

	if (!bytes)
		return fail("no file");
	bytes[size / 2] ^= 4;
	return write_file(path, bytes, size) ? 0 : fail("not written");
}

/* Forges a program: the plan reaches beyond its buffer, and all checksums fit. */
static bool forge(uint8_t *bytes, size_t size)
{
	struct loom_file_section *plan = &bytes_sections(bytes)[LOOM_FILE_PLAN];
	struct drm_loom_plan_header *header = (void *)(bytes + plan->offset);
	struct drm_loom_plan_tensor *tensors = (void *)((uint8_t *)header + header->tensors.offset);

	if (!header->tensors.count)
		return false;
	tensors[0].offset += (uint64_t)1 << 32;
	bytes_fix(bytes, size);
	return true;
}

static int forge_file(const char *path)
{
	size_t size;
	uint8_t *bytes = read_file(path, &size);

	if (!bytes || !forge(bytes, size))
		return fail("no program");
	return write_file(path, bytes, size) ? 0 : fail("not written");
}

/* An attribute of a packed model has no alignment: it is unpacked, and packed again. */
static int forge_model(const char *path)
{
	Onnx__ModelProto *model;
	uint8_t *bytes, *packed;
	size_t size, i, k;

	bytes = read_file(path, &size);
	model = bytes ? onnx__model_proto__unpack(NULL, size, bytes) : NULL;
	if (!model || !model->graph)
		return fail("no model");
	for (i = 0; i < model->graph->n_node; i++) {
		Onnx__NodeProto *node = model->graph->node[i];

		for (k = 0; k < node->n_attribute; k++)
			if (!strcmp(node->attribute[k]->name, "ep_cache_context") &&
			    !forge(node->attribute[k]->s.data, node->attribute[k]->s.len))
				return fail("no program");
	}
	packed = malloc(onnx__model_proto__get_packed_size(model));
	size = onnx__model_proto__pack(model, packed);
	return write_file(path, packed, size) ? 0 : fail("not written");
}

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "mixed"))
		return mixed(argv[2], argv[3], argv + 4, argc - 4);
	if (argc == 3 && !strcmp(argv[1], "flip"))
		return flip(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "unsafe"))
		return forge_file(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "tensor"))
		return forge_model(argv[2]);
	return fail("mixed, flip, unsafe or tensor");
}
