// SPDX-License-Identifier: MIT
/*
 * The ONNX backend tests against the importer: every case whose operators are in the table has to
 * give a graph whose outputs have the types and shapes of the expected ones. A second import takes
 * the inputs as constants: what then folds to a constant has to have the expected elements, too.
 */
#include "data_set.h"
#include "graph/graph.h"
#include "near.h"
#include "tap.h"
#include "graph/value.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define DATA		"/usr/share/libonnx-testdata/data"

static const char *const suites[] = {
	"node", "pytorch-converted", "pytorch-operator", "simple", NULL,
};

/*
 * Random numbers, or a training mode that inference does not have: no answer to compare with. The
 * pi of the windows is 3.1415 there, which is off by more than this test allows.
 */
static const char *const bad_oracles[] = {
	"test_training_dropout", "test_dropout_random_old", "test_bernoulli",
	"test_blackmanwindow", "test_hammingwindow", "test_hannwindow", NULL,
};

static unsigned int num_passed, num_eligible, num_skipped, num_folded;

struct test_case {
	char path[512];
	struct loom_array inputs[MAX_TENSORS];
	struct loom_array outputs[MAX_TENSORS];
	uint32_t num_inputs;
	uint32_t num_outputs;
};

static void test_case_clear(struct test_case *test)
{
	uint32_t i;

	for (i = 0; i < test->num_inputs; i++)
		loom_array_clear(&test->inputs[i]);
	for (i = 0; i < test->num_outputs; i++)
		loom_array_clear(&test->outputs[i]);
	free(test);
}

static int import(struct test_case *test, uint32_t flags, struct loom_graph **graph,
		  struct loom_error *err)
{
	struct loom_graph_options options = {
		.flags = flags,
		.values = test->inputs,
		.num_values = test->num_inputs,
	};
	char model[600];

	snprintf(model, sizeof(model), "%s/model.onnx", test->path);
	return loom_graph_import_onnx(model, &options, graph, err);
}

static const char *shape_mismatch(const struct test_case *test, const struct loom_graph *graph)
{
	static char text[400];
	char got[LOOM_DIMS_TEXT], wanted[LOOM_DIMS_TEXT];
	struct loom_tensor_info info;
	uint32_t i;

	if (loom_graph_num_outputs(graph) != test->num_outputs)
		return "a different number of outputs";
	for (i = 0; i < test->num_outputs; i++) {
		const struct loom_array *expected = &test->outputs[i];

		loom_graph_output(graph, i, &info);
		if (info.dtype == expected->dtype && info.rank == expected->rank &&
		    !memcmp(info.dims, expected->dims, info.rank * sizeof(info.dims[0])))
			continue;
		snprintf(text, sizeof(text), "output %u: %s%s instead of %s%s", i,
			 loom_dtype_name(info.dtype),
			 loom_dims_print(got, sizeof(got), info.rank, info.dims),
			 loom_dtype_name(expected->dtype),
			 loom_dims_print(wanted, sizeof(wanted), expected->rank, expected->dims));
		return text;
	}
	return NULL;
}

static bool elements_agree(const struct loom_value *value, const struct loom_array *expected)
{
	double close = value->dtype == DRM_LOOM_DTYPE_F16 ? 0.001 : 0.00001;
	struct loom_value other = *value;
	int64_t i;

	other.data = expected->data;
	for (i = 0; i < value->num_elems; i++) {
		double a = loom_value_float(value, i), b = loom_value_float(&other, i);

		if (!near_within(a, b, close, close)) {
			tap_note("element %lld: %g instead of %g", (long long)i, a, b);
			return false;
		}
	}
	return true;
}

/* with all inputs known: does what folds have the right elements? */
static bool folds_right(struct test_case *test, bool *folded)
{
	struct loom_graph *graph;
	struct loom_error err;
	bool right = true;
	uint32_t i;

	*folded = false;
	if (import(test, LOOM_GRAPH_BIND_VALUES, &graph, &err)) {
		tap_note("with inputs known: %s", err.text);
		return false;
	}
	for (i = 0; i < graph->num_outputs && right; i++) {
		const struct loom_node *node = graph->outputs[i]->producer;

		if (node->op != LOOM_GOP_RESHAPE || !node->inputs[0]->data)
			continue;
		*folded = true;
		right = elements_agree(node->inputs[0], &test->outputs[i]);
	}
	loom_graph_destroy(graph);
	return right;
}

static void run_case(const char *suite, const char *name)
{
	struct test_case *test = calloc(1, sizeof(*test));
	const char *mismatch = NULL;
	struct loom_graph *graph = NULL;
	struct loom_error err;
	bool folded = false, good;
	int code;

	if (!test)
		tap_fatal("no memory");
	snprintf(test->path, sizeof(test->path), DATA "/%s/%s", suite, name);
	test->num_inputs = load_data_set(test->path, "input", test->inputs);
	test->num_outputs = load_data_set(test->path, "output", test->outputs);
	code = import(test, 0, &graph, &err);
	if (code == -EOPNOTSUPP) {
		tap_skip("%s/%s: %s", suite, name, err.text);
		num_skipped++;
		test_case_clear(test);
		return;
	}
	num_eligible++;
	if (!code)
		mismatch = shape_mismatch(test, graph);
	good = !code && !mismatch && folds_right(test, &folded);
	tap_ok(good, "%s/%s%s%s", suite, name, code || mismatch ? ": " : "",
	       code ? err.text : mismatch ? mismatch : "");
	num_passed += good;
	num_folded += folded;
	loom_graph_destroy(graph);
	test_case_clear(test);
}

static bool is_bad_oracle(const char *name)
{
	const char *const *bad;

	for (bad = bad_oracles; *bad; bad++) {
		if (!strncmp(name, *bad, strlen(*bad)))
			return true;
	}
	return false;
}

static void run_suite(const char *suite)
{
	struct dirent **entries;
	char path[256];
	int i, count;

	snprintf(path, sizeof(path), DATA "/%s", suite);
	count = scandir(path, &entries, NULL, alphasort);
	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.' && !is_bad_oracle(entries[i]->d_name))
			run_case(suite, entries[i]->d_name);
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
}

int main(void)
{
	const char *const *suite;
	DIR *data = opendir(DATA);

	if (!data) {
		tap_skip("libonnx-testdata is not installed");
		return tap_end();
	}
	closedir(data);
	for (suite = suites; *suite; suite++)
		run_suite(*suite);
	tap_note("passed %u of %u eligible, %u skipped; %u with folded outputs", num_passed,
		 num_eligible, num_skipped, num_folded);
	return tap_end();
}
