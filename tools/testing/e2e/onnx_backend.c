// SPDX-License-Identifier: MIT
/*
 * The ONNX backend tests, all in one process, through all rooms: import, plan, verifier, engine.
 *
 *	onnx_backend [--device WHERE] [--digest FILE] [--only NAME]
 *
 * A case is a model, inputs and the outputs that are expected. It is *eligible* if all its
 * operators are in tiers 1 to 3 of the project's list, or if the importer claims to
 * know them; other cases are skipped, with the reason. An eligible case that fails is a failure,
 * whatever the cause, with two exceptions, both counted and named as skips: a type that Loom does
 * not have (strings, sequences, bfloat16), and, beyond tier 3, an operator's corner that the
 * importer refuses with -EOPNOTSUPP or -ENODATA.
 *
 * Outputs are compared as the ONNX backend tests do: type and shape exactly, integers exactly,
 * floats to |a - b| <= 1e-7 + 1e-3 |b|.
 *
 * On the host each model is read once more with its inputs as constants. Outputs that then fold to
 * a constant have to be near to 1e-5.
 *
 * --digest writes a line per case with a hash of all output bytes: the same line on the
 * host and on the node means the same bits.
 *
 * Private headers are included. onnx/onnx.h: which operators the importer claims to know is not
 * public, and the cases for the others are skipped. graph/: folded constants, and shapes as text.
 * onnx.pb-c.h is generated and reads models for the check of operators and types before the library
 * sees them.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnx/onnx.h"
#include "loom_file.h"
#include "near.h"
#include "onnx_file.h"
#include "outcome.h"
#include "graph/graph.h"
#include "graph/value.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_ARRAYS	64
#define RTOL		0.001
#define ATOL		0.0000001
/* of what folds */
#define CLOSE		0.00001
#define DATA		"/usr/share/libonnx-testdata/data"

/* operators of tiers 1 to 3: a list of its own, so that it does not depend on the importer's */
static const char *const tier_ops[] = {
	"Conv", "Relu", "Clip", "Add", "Mul", "MaxPool", "AveragePool", "GlobalAveragePool",
	"Flatten", "Reshape", "Gemm", "Softmax", "Sigmoid", "Concat",
	"BatchNormalization", "HardSigmoid", "Div", "Sub", "Transpose", "ReduceMean", "LeakyRelu",
	"Max", "Sqrt", "Pow",
	"Resize", "Slice", "ConvTranspose", "QuantizeLinear", "DequantizeLinear", "Equal", "Cast",
	"MatMul", "Squeeze", "Shape",
	"Constant",
};

/* cases whose expected outputs are wrong, or not determined by the model; NULL: they are */
static const struct {
	const char *name;
	const char *why;
} bad_oracles[] = {
	{ "test_resize_downsample_scales_linear_align_corners", "known bad oracle" },
	{ "test_resize_downsample_scales_cubic_align_corners", "known bad oracle" },
	{ "test_training_dropout_zero_ratio", NULL },
	{ "test_training_dropout", "random" },
	{ "test_bernoulli", "random" },
	{ "test_randomuniform", "random" },
	{ "test_randomnormal", "random" },
};

static const char *const groups[] = {
	"node", "pytorch-converted", "pytorch-operator", "simple",
};

/**
 * struct backend - the program
 * @only: the one case to run, or NULL
 * @target: where they run
 * @fold: look at what folds
 * @stride: distance of the cases that run. Neighbours are cases of the same operator.
 * @digest: file for hashes, or NULL
 * @count: TAP number
 * @passed: cases
 * @failed: cases
 * @skipped: cases
 * @folded: data sets whose outputs fold
 * @eligible: cases
 * @in_tiers: cases of tiers 1 to 3
 * @tier_passed: those that passed
 */
struct backend {
	const char *only;
	struct loom_target *target;
	bool fold;
	int stride;
	FILE *digest;
	unsigned int count;
	unsigned int passed;
	unsigned int failed;
	unsigned int skipped;
	unsigned int folded;
	unsigned int eligible;
	unsigned int in_tiers;
	unsigned int tier_passed;
};

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

/**
 * struct test_case - one of them
 * @name: "node/test_abs"
 * @dir: its folder
 * @in_tiers: all its operators are of tiers 1 to 3
 * @why: the fault, or the reason to skip it
 * @hash: of the bytes of all outputs
 */
struct test_case {
	char name[300];
	char dir[600];
	bool in_tiers;
	char why[700];
	uint64_t hash;
};

/**
 * struct arrays - tensors that were read from files
 * @list: the tensors
 * @count: number of them
 */
struct arrays {
	struct loom_array list[MAX_ARRAYS];
	uint32_t count;
};

static enum verdict say(struct test_case *test, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum verdict say(struct test_case *test, enum verdict verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(test->why, sizeof(test->why), format, args);
	va_end(args);
	return verdict;
}

/* --- which cases are eligible --- */

static bool op_in_tiers(const char *op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tier_ops); i++)
		if (!strcmp(tier_ops[i], op))
			return true;
	return false;
}

static const char *type_missing(const Onnx__ValueInfoProto *value)
{
	const Onnx__TypeProto *type = value->type;

	if (!type || type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
		return NULL;
	if (type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
		return "sequence or optional";
	switch (type->tensor_type->elem_type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__STRING:
		return "string";
	case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
		return "bfloat16";
	case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX64:
	case ONNX__TENSOR_PROTO__DATA_TYPE__COMPLEX128:
		return "complex";
	}
	return NULL;
}

static enum verdict case_check_types(struct test_case *test, const Onnx__GraphProto *graph)
{
	const char *type;
	size_t i;

	for (i = 0; i < graph->n_input; i++) {
		type = type_missing(graph->input[i]);
		if (type)
			return say(test, VERDICT_SKIP, "type %s", type);
	}
	for (i = 0; i < graph->n_output; i++) {
		type = type_missing(graph->output[i]);
		if (type)
			return say(test, VERDICT_SKIP, "type %s", type);
	}
	return VERDICT_PASS;
}

static enum verdict case_check_ops(struct test_case *test, const Onnx__GraphProto *graph)
{
	const Onnx__NodeProto *node;
	size_t i;

	test->in_tiers = true;
	for (i = 0; i < graph->n_node; i++) {
		node = graph->node[i];
		if (node->domain && *node->domain && strcmp(node->domain, "ai.onnx"))
			return say(test, VERDICT_SKIP, "operator %s of %s", node->op_type,
				   node->domain);
		if (op_in_tiers(node->op_type))
			continue;
		test->in_tiers = false;
		if (!loom_importer_find(node->op_type))
			return say(test, VERDICT_SKIP, "operator %s", node->op_type);
	}
	return VERDICT_PASS;
}

/* Return: VERDICT_PASS if the case is eligible. */
static enum verdict case_check(struct test_case *test)
{
	Onnx__ModelProto *model;
	enum verdict verdict;
	char path[700];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_oracles); i++)
		if (strstr(test->name, bad_oracles[i].name))
			break;
	if (i < ARRAY_SIZE(bad_oracles) && bad_oracles[i].why)
		return say(test, VERDICT_SKIP, "%s", bad_oracles[i].why);
	snprintf(path, sizeof(path), "%s/model.onnx", test->dir);
	model = model_read(path);
	if (!model || !model->graph)
		return say(test, VERDICT_FAIL, "%s cannot be read", path);
	verdict = case_check_ops(test, model->graph);
	if (verdict == VERDICT_PASS)
		verdict = case_check_types(test, model->graph);
	onnx__model_proto__free_unpacked(model, NULL);
	return verdict;
}

/* --- running one --- */

static void arrays_clear(struct arrays *arrays)
{
	uint32_t i;

	for (i = 0; i < arrays->count; i++)
		loom_array_clear(&arrays->list[i]);
	arrays->count = 0;
}

/* input_0.pb, input_1.pb, ... as many as there are */
static int arrays_load(struct arrays *arrays, const char *dir, const char *what,
		       struct loom_error *err)
{
	char path[800];
	int ret;

	arrays->count = 0;
	while (arrays->count < MAX_ARRAYS) {
		snprintf(path, sizeof(path), "%s/%s_%u.pb", dir, what, arrays->count);
		if (access(path, F_OK))
			return 0;
		ret = loom_tensor_load_pb(path, &arrays->list[arrays->count], err);
		if (ret)
			return ret;
		arrays->count++;
	}
	return 0;
}

static bool same_shape(const struct loom_array *a, const struct loom_array *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

static enum verdict compare(struct test_case *test, const struct loom_array *got,
			    const struct loom_array *want, double absolute, double relative)
{
	char text[2][LOOM_DIMS_TEXT];
	size_t i, count;

	if (got->dtype != want->dtype)
		return say(test, VERDICT_FAIL, "output %s is %s, not %s", got->name,
			   loom_dtype_name(got->dtype), loom_dtype_name(want->dtype));
	if (!same_shape(got, want))
		return say(test, VERDICT_FAIL, "output %s is %s, not %s", got->name,
			   loom_dims_print(text[0], sizeof(text[0]), got->rank, got->dims),
			   loom_dims_print(text[1], sizeof(text[1]), want->rank, want->dims));
	count = got->size_bytes / loom_dtype_size(got->dtype);
	if (!loom_dtype_is_float(got->dtype)) {
		if (!got->size_bytes || !memcmp(got->data, want->data, got->size_bytes))
			return VERDICT_PASS;
		return say(test, VERDICT_FAIL, "output %s differs", got->name);
	}
	for (i = 0; i < count; i++)
		if (!near_within(loom_array_element(got, i), loom_array_element(want, i), absolute,
				 relative))
			return say(test, VERDICT_FAIL, "output %s[%zu] is %.9g, not %.9g",
				   got->name, i, loom_array_element(got, i),
				   loom_array_element(want, i));
	return VERDICT_PASS;
}

/*
 * An output whose size depends on data is padded to its maximum, and another output behind those of
 * the model says how much of it is meant. Leaves that part, if it is as large as it should be.
 */
static void trim(struct loom_array *got, const struct loom_array *want, int64_t count)
{
	if (!got->rank || got->dims[0] <= want->dims[0] || want->dims[0] != count)
		return;
	got->size_bytes = got->size_bytes / got->dims[0] * want->dims[0];
	got->dims[0] = want->dims[0];
}

static void hash_array(struct test_case *test, const struct loom_array *array)
{
	const uint8_t *bytes = array->data;
	size_t i;

	for (i = 0; i < array->size_bytes; i++)
		test->hash = (test->hash ^ bytes[i]) * 0x100000001b3;
}

static enum verdict case_compare(struct test_case *test, struct loom_session *session,
				 const struct arrays *want)
{
	enum verdict verdict = VERDICT_PASS;
	struct loom_array got;
	int64_t count = -1;
	uint32_t i;

	if (!loom_session_get_output(session, want->count, &got, NULL)) {
		if (got.dtype == DRM_LOOM_DTYPE_I64 && got.size_bytes == sizeof(count))
			memcpy(&count, got.data, sizeof(count));
		loom_array_clear(&got);
	}
	for (i = 0; i < want->count && verdict == VERDICT_PASS; i++) {
		if (loom_session_get_output(session, i, &got, NULL))
			return say(test, VERDICT_FAIL, "there is no output %u", i);
		hash_array(test, &got);
		trim(&got, &want->list[i], count);
		verdict = compare(test, &got, &want->list[i], ATOL, RTOL);
		loom_array_clear(&got);
	}
	return verdict;
}

static enum verdict case_run_program(struct backend *backend, struct test_case *test,
				     const struct loom_program *program,
				     const struct arrays *inputs, const struct arrays *want)
{
	struct loom_session *session;
	struct loom_error err;
	enum verdict verdict;

	if (loom_session_create(backend->target, program, &session, &err))
		return say(test, VERDICT_FAIL, "%s", err.text);
	if (outcome_feed(session, program, inputs->list, inputs->count, &err) ||
	    loom_session_run(session, NULL, NULL, &err))
		verdict = say(test, VERDICT_FAIL, "%s", err.text);
	else
		verdict = case_compare(test, session, want);
	loom_session_destroy(session);
	return verdict;
}

/* A refusal by the importer beyond tier 3 is a skip; all else is a failure. */
static enum verdict case_refused(struct test_case *test, int code, const struct loom_error *err)
{
	bool honest = code == -EOPNOTSUPP || code == -ENODATA;

	return say(test, honest && !test->in_tiers ? VERDICT_SKIP : VERDICT_FAIL, "%s", err->text);
}

/* Files are numbered in the order in which the model declares its inputs. */
static int name_inputs(const struct loom_graph *graph, struct arrays *inputs,
		       struct loom_shape_binding *shapes)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	bool has_shape;
	uint32_t i;

	for (i = 0; i < inputs->count; i++) {
		struct loom_array *array = &inputs->list[i];

		if (loom_graph_declared(graph, i, &info, names, &has_shape))
			return -ENOENT;
		free(array->name);
		array->name = strdup(info.name);
		shapes[i] = (struct loom_shape_binding){ array->name, array->rank, { 0 } };
		memcpy(shapes[i].dims, array->dims, sizeof(array->dims));
	}
	return 0;
}

/* With all inputs known: folded outputs are right. pi in windows is 3.1415 in the expected ones. */
static enum verdict case_fold(struct backend *backend, struct test_case *test,
			      struct loom_graph_options options, const struct arrays *want)
{
	enum verdict verdict = VERDICT_PASS;
	struct loom_graph *graph;
	struct loom_error err;
	char path[700];
	bool folded = false;
	uint32_t i;

	options.flags = LOOM_GRAPH_BIND_VALUES;
	snprintf(path, sizeof(path), "%s/model.onnx", test->dir);
	if (loom_graph_import_onnx(path, &options, &graph, &err))
		return say(test, VERDICT_FAIL, "with inputs known: %s", err.text);
	for (i = 0; i < graph->num_outputs && i < want->count && verdict == VERDICT_PASS; i++) {
		const struct loom_node *node = graph->outputs[i]->producer;
		struct loom_array got = { .name = want->list[i].name };
		double close;

		if (node->op != LOOM_GOP_RESHAPE || !node->inputs[0]->data ||
		    strstr(test->name, "window") || graph->num_outputs > want->count)
			continue;
		folded = true;
		got.dtype = graph->outputs[i]->dtype;
		got.rank = graph->outputs[i]->rank;
		memcpy(got.dims, graph->outputs[i]->dims, sizeof(got.dims));
		got.data = (void *)node->inputs[0]->data;
		got.size_bytes = want->list[i].size_bytes;
		close = got.dtype == DRM_LOOM_DTYPE_F16 ? 100 * CLOSE : CLOSE;
		verdict = compare(test, &got, &want->list[i], close, close);
	}
	backend->folded += folded;
	loom_graph_destroy(graph);
	return verdict;
}

static enum verdict case_run_set(struct backend *backend, struct test_case *test,
				 struct arrays *inputs, struct arrays *want)
{
	struct loom_planner_options how = {
		.grouping = "layerwise", .chip = loom_target_chip(backend->target),
	};
	struct loom_shape_binding shapes[MAX_ARRAYS];
	struct loom_graph_options options = {
		.shapes = shapes,
		.num_shapes = inputs->count,
		.values = inputs->list,
		.num_values = inputs->count,
	};
	struct loom_program *program;
	struct loom_graph *graph;
	struct loom_error err;
	enum verdict verdict;
	char path[700];
	int ret;

	snprintf(path, sizeof(path), "%s/model.onnx", test->dir);
	ret = loom_graph_open_onnx(path, &graph, &err);
	if (ret)
		return case_refused(test, ret, &err);
	if (name_inputs(graph, inputs, shapes)) {
		loom_graph_destroy(graph);
		return say(test, VERDICT_FAIL, "more inputs than the model declares");
	}
	ret = loom_graph_finish(graph, &options, &err);
	if (!ret)
		ret = loom_program_create(graph, &how, &program, &err);
	if (ret) {
		verdict = case_refused(test, ret, &err);
	} else {
		verdict = case_run_program(backend, test, program, inputs, want);
		loom_program_destroy(program);
		if (verdict == VERDICT_PASS && backend->fold)
			verdict = case_fold(backend, test, options, want);
	}
	loom_graph_destroy(graph);
	return verdict;
}

static enum verdict case_run(struct backend *backend, struct test_case *test)
{
	static struct arrays inputs, want;
	enum verdict verdict = VERDICT_PASS;
	struct loom_error err;
	char dir[700];
	int set, ret;

	test->hash = 0xcbf29ce484222325;
	for (set = 0; verdict == VERDICT_PASS; set++) {
		snprintf(dir, sizeof(dir), "%s/test_data_set_%d", test->dir, set);
		if (access(dir, F_OK))
			break;
		ret = arrays_load(&inputs, dir, "input", &err);
		if (!ret)
			ret = arrays_load(&want, dir, "output", &err);
		if (ret)
			verdict = case_refused(test, ret, &err);
		else
			verdict = case_run_set(backend, test, &inputs, &want);
		arrays_clear(&inputs);
		arrays_clear(&want);
	}
	if (!set)
		return say(test, VERDICT_FAIL, "there are no test data");
	return verdict;
}

static void backend_case(struct backend *backend, const char *group, const char *name)
{
	struct test_case test = { 0 };
	enum verdict verdict;

	snprintf(test.name, sizeof(test.name), "%s/%s", group, name);
	snprintf(test.dir, sizeof(test.dir), DATA "/%s", test.name);
	if (backend->only && strcmp(backend->only, test.name))
		return;
	verdict = case_check(&test);
	if (verdict == VERDICT_PASS)
		verdict = case_run(backend, &test);
	backend->count++;
	switch (verdict) {
	case VERDICT_PASS:
		backend->passed++;
		if (backend->digest)
			fprintf(backend->digest, "%s %016llx\n", test.name,
				(unsigned long long)test.hash);
		printf("ok %u - %s\n", backend->count, test.name);
		break;
	case VERDICT_FAIL:
		backend->failed++;
		printf("not ok %u - %s: %s\n", backend->count, test.name, test.why);
		break;
	case VERDICT_SKIP:
		backend->skipped++;
		printf("ok %u - %s # SKIP %s\n", backend->count, test.name, test.why);
		break;
	}
	backend->eligible += verdict != VERDICT_SKIP;
	backend->in_tiers += verdict != VERDICT_SKIP && test.in_tiers;
	backend->tier_passed += verdict == VERDICT_PASS && test.in_tiers;
	fflush(stdout);
}

static int is_case(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void backend_group(struct backend *backend, const char *group)
{
	struct dirent **entries;
	char path[600];
	int i, count;

	snprintf(path, sizeof(path), DATA "/%s", group);
	count = scandir(path, &entries, is_case, alphasort);
	for (i = 0; i < count; i++) {
		if (i % backend->stride == 0)
			backend_case(backend, group, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "digest", required_argument, NULL, 'g' },
		{ "only", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	const char *device = "host", *digest = NULL;
	struct backend backend = { .only = NULL };
	struct loom_error err;
	int option;
	size_t i;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (option == 'd')
			device = optarg;
		else if (option == 'g')
			digest = optarg;
		else if (option == 'o')
			backend.only = optarg;
		else
			return 2;
	}
	backend.fold = !strcmp(device, "host");
	/* the engine is that of the host, so a node runs a sample */
	backend.stride = backend.fold || backend.only ? 1 : 3;
	if (loom_target_open(device, NULL, &backend.target, &err)) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	if (digest) {
		backend.digest = fopen(digest, "w");
		if (!backend.digest) {
			printf("Bail out! %s: %s\n", digest, strerror(errno));
			return 1;
		}
	}
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		backend_group(&backend, groups[i]);
	if (backend.digest)
		fclose(backend.digest);
	loom_target_close(backend.target);
	printf("1..%u\n", backend.count);
	printf("# %s: %u passed / %u eligible / %u skipped", device, backend.passed,
	       backend.eligible, backend.skipped);
	printf("; of tiers 1 to 3: %u passed / %u eligible; %u fold\n", backend.tier_passed,
	       backend.in_tiers, backend.folded);
	return backend.failed || !backend.passed || (backend.fold && !backend.folded);
}
