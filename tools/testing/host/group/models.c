// SPDX-License-Identifier: MIT
/*
 * Real models in groups: the same bits as layer by layer, at every size of SRAM; what the plan
 * promised is what the engine counted, and never more DRAM bytes than layer by layer, but for
 * strategies that are there to compare with.
 *
 * Arguments, if any: names of models; the others are left out.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "loom_chip.h"
#include "host/lower/case.h"
#include "outcome.h"

#include <unistd.h>

#define MODELS	"build/models/"

/**
 * struct model - a file in build/models
 * @file: its name
 * @dims: of its input
 * @num_dims: number of @dims
 * @large: does not run unless it is asked for by name
 */
struct model {
	const char *file;
	struct loom_dim_binding dims[4];
	uint32_t num_dims;
	bool large;
};

static const struct model models[] = {
	{ "oww_alexa.onnx", { { NULL, 0 } }, 0, false },
	{ "oww_weather.onnx", { { NULL, 0 } }, 0, false },
	{ "oww_hey_mycroft.onnx", { { NULL, 0 } }, 0, false },
	{ "melspectrogram.onnx", { { NULL, 0 } }, 0, false },
	{ "oww_embedding.onnx", { { "input_1:0", 1 } }, 1, false },
	{ "blazeface.onnx", { { NULL, 0 } }, 0, false },
	{ "ppocr_cls.onnx", { { "x:0", 1 }, { "x:2", 48 }, { "x:3", 192 } }, 3, false },
	{ "ppocr_rec.onnx", { { "x:0", 1 }, { "x:2", 48 }, { "x:3", 160 } }, 3, true },
	{ "ppocr_det.onnx", { { "x:0", 1 }, { "x:2", 160 }, { "x:3", 160 } }, 3, true },
	{ "mlsd_tiny.onnx", { { NULL, 0 } }, 0, true },
};

/* Bytes in all lanes of "soft". */
static const uint64_t limits[] = { 64 << 10, 256 << 10, 1 << 20, 4 << 20 };

/* Numbers by chance for all that goes in, the same for every plan. */
static uint32_t make_inputs(const struct loom_program *program, struct loom_array *inputs)
{
	uint32_t i;

	seed = 11;
	for (i = 0; i < program->num_inputs && i < MAX_INPUTS; i++) {
		const struct loom_program_tensor *input = &program->inputs[i];

		inputs[i] = make_array(input->name, input->dtype, input->rank, input->dims);
	}
	return i;
}

static int run(const struct loom_graph *graph, const char *grouping, uint64_t limit,
	       struct outcome *outcome, struct loom_error *err)
{
	struct loom_planner_options options = {
		.chip = loom_preset_find("soft"), .grouping = grouping,
	};
	struct loom_array inputs[MAX_INPUTS];
	struct loom_program *program;
	uint32_t num_inputs, i;
	int ret;

	options.sram_limit_bytes = limit / options.chip->region[DRM_LOOM_REGION_SRAM].banks;
	memset(outcome, 0, sizeof(*outcome));
	ret = loom_program_create(graph, &options, &program, err);
	if (ret)
		return ret;
	num_inputs = make_inputs(program, inputs);
	ret = outcome_run(outcome, program, options.chip, inputs, num_inputs, err);
	for (i = 0; i < num_inputs; i++)
		free(inputs[i].data);
	loom_program_destroy(program);
	return ret == -ENOSPC ? -EIO : ret;
}

static void test_strategy(const struct model *model, const struct loom_graph *graph, uint64_t limit,
			  const char *strategy, const struct outcome *plain)
{
	bool frugal = !strcmp(strategy, "layergroup");
	unsigned long long kib = (unsigned long long)limit >> 10;
	unsigned long long bytes = outcome_dram_bytes(plain);
	struct loom_error err = { .text = "" };
	struct outcome grouped;
	int ret;

	ret = run(graph, strategy, limit, &grouped, &err);
	tap_ok(!ret && outcome_same(plain, &grouped), "%s in %llu KiB, %s: the same bits %s",
	       model->file, kib, strategy, err.text);
	if (!ret)
		tap_ok(outcome_dram_bytes(&grouped) <= bytes || !frugal,
		       "%s in %llu KiB, %s: %llu of %llu DRAM bytes, %llu of %llu steps",
		       model->file, kib, strategy,
		       (unsigned long long)outcome_dram_bytes(&grouped), bytes,
		       (unsigned long long)grouped.stats.steps,
		       (unsigned long long)plain->stats.steps);
	outcome_clear(&grouped);
}

static void test_limit(const struct model *model, const struct loom_graph *graph, uint64_t limit)
{
	struct outcome plain;
	struct loom_error err = { .text = "" };
	uint32_t i;
	int ret;

	ret = run(graph, "layerwise", limit, &plain, &err);
	if (ret == -ENOSPC) {
		tap_note("%s in %llu KiB: %s", model->file, (unsigned long long)limit >> 10,
			 err.text);
		return;
	}
	if (ret)
		tap_fatal("%s: %s", model->file, err.text);
	/* those to compare with: where room is scarce */
	for (i = 1; loom_grouping_name(i); i++)
		if (i == 1 || limit == limits[0])
			test_strategy(model, graph, limit, loom_grouping_name(i), &plain);
	outcome_clear(&plain);
}

static void test_model(const struct model *model, bool all)
{
	static const struct loom_shape_binding mel = { "input", 2, { 1, 1760 } };
	struct loom_graph_options options = { .dims = model->dims, .num_dims = model->num_dims };
	struct loom_graph *graph;
	struct loom_error err;
	char path[256];
	uint32_t i;

	if (!strcmp(model->file, "melspectrogram.onnx")) {
		options.shapes = &mel;
		options.num_shapes = 1;
	}
	snprintf(path, sizeof(path), MODELS "%s", model->file);
	if (access(path, R_OK)) {
		tap_note("%s is not there", path);
		return;
	}
	if (loom_graph_import_onnx(path, &options, &graph, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (all || limits[i] == 64 << 10 ||
		    (limits[i] == 1 << 20 && !getenv("LOOM_SANITIZED")))
			test_limit(model, graph, limits[i]);
	loom_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	uint32_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		bool wanted = argc == 1;

		for (k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], models[i].file);
		/* tools/testing/e2e/12-groups-host.sh runs large ones */
		if (wanted && (argc > 1 || !models[i].large))
			test_model(&models[i], argc > 1);
	}
	return tap_end();
}
