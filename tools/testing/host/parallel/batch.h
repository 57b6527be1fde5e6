/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PARALLEL_BATCH_H
#define LOOM_TESTS_PARALLEL_BATCH_H

/* Items of a random graph, and what one session alone makes of each. */

#include "host/group/case.h"
#include "host/lower/rounds.h"
#include "chips.h"
#include "loom_parallel.h"
#include "outcome.h"

#define MAX_ITEMS	6
#define LAYERS		24
#define MOST_STAGES	4

/* Plans for one are not plans for another. */
static const struct drm_loom_chip chips[] = {
	CHIP_SRAM("roomy", (4, 8, 400000, 0, 64)),
	CHIP_SRAM("one-lane", (1, 1, 400000, 0, 16)),
	CHIP_SRAM("eight-lanes", (8, 1, 200000, 0, 64)),
};

/**
 * struct items - items and their results
 * @inputs: by input of the graph: all items, one after the other
 * @num_inputs: number of @inputs
 * @num_items: number of items
 * @wants: by item: its results in one session
 */
struct items {
	struct loom_array inputs[MAX_INPUTS];
	uint32_t num_inputs;
	uint32_t num_items;
	struct outcome wants[MAX_ITEMS];
};

/* The first input is the same for all items if @shared. */
static inline void items_fill(struct items *items, const struct loom_graph *graph,
			      uint32_t num_items, bool shared)
{
	struct loom_tensor_info info;
	uint32_t i;

	items->num_items = num_items;
	for (i = 0; !loom_graph_input(graph, i, &info); i++) {
		if (!shared || i)
			info.dims[0] *= num_items;
		items->inputs[i] = make_array(info.name, info.dtype, info.rank, info.dims);
	}
	items->num_inputs = i;
}

/* Item @item alone. */
static inline void items_get(const struct items *items, const struct loom_graph *graph,
			     uint32_t item, struct loom_array *one)
{
	struct loom_tensor_info info;
	uint32_t i;

	for (i = 0; !loom_graph_input(graph, i, &info); i++) {
		one[i] = items->inputs[i];
		if (one[i].size_bytes != info.size_bytes)
			one[i].data = (uint8_t *)one[i].data + item * info.size_bytes;
		memcpy(one[i].dims, info.dims, sizeof(info.dims));
		one[i].size_bytes = info.size_bytes;
	}
}

static inline bool items_run(struct items *items, const struct loom_graph *graph,
			     const struct loom_program *program, const struct drm_loom_chip *chip,
			     struct loom_error *err)
{
	struct loom_array one[MAX_INPUTS];
	uint32_t i;

	for (i = 0; i < items->num_items; i++) {
		items_get(items, graph, i, one);
		if (outcome_run(&items->wants[i], program, chip, one, items->num_inputs, err))
			return false;
	}
	return true;
}

/* Results of a batch are those of its items, one after the other. */
static inline bool items_same(const struct items *items, const struct loom_array *outputs)
{
	uint32_t i, k;

	for (i = 0; i < items->num_items; i++) {
		for (k = 0; k < items->wants[i].num_outputs; k++) {
			const struct loom_array *want = &items->wants[i].outputs[k];

			if (outputs[k].dtype != want->dtype ||
			    outputs[k].size_bytes != want->size_bytes * items->num_items ||
			    memcmp((uint8_t *)outputs[k].data + want->size_bytes * i, want->data,
				   want->size_bytes))
				return false;
		}
	}
	return true;
}

static inline void items_clear(struct items *items)
{
	uint32_t i;

	for (i = 0; i < items->num_inputs; i++)
		free(items->inputs[i].data);
	for (i = 0; i < items->num_items; i++)
		outcome_clear(&items->wants[i]);
}

/* A picture "x" of eight channels, and weights "w" for layers. */
static inline void begin_layers(struct test_case *test, int64_t size)
{
	static float weights[8 * 8 * 3 * 3];
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(weights); i++)
		weights[i] = ((float)(i % 7) - 3) / 16;
	input(test, "x", DRM_LOOM_DTYPE_F32, 4, (int64_t[]){ 1, 8, size, size });
	model_add_floats(test->graph, "w", 4, (int64_t[]){ 8, 8, 3, 3 }, weights);
}

/* As many convolutions as there are, from one tensor to another. */
static inline void add_layers(struct test_case *test, const char *from, const char *to,
			      uint32_t count)
{
	char names[2][16], operands[24];
	uint32_t i;

	snprintf(names[0], sizeof(names[0]), "%s", from);
	for (i = 0; i < count; i++) {
		snprintf(operands, sizeof(operands), "%s w", names[i % 2]);
		if (i + 1 < count)
			snprintf(names[!(i % 2)], sizeof(names[0]), "%s%u", to, i);
		else
			snprintf(names[!(i % 2)], sizeof(names[0]), "%s", to);
		attr_ints(test, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
		node(test, "Conv", operands, names[!(i % 2)]);
	}
}

/* A chain of convolutions of the same size. */
static inline void make_chain(struct test_case *test)
{
	begin_layers(test, 24);
	add_layers(test, "x", "y", LAYERS);
	loom_graph_add_output(test->graph, "y");
}

/**
 * struct line - a pipeline with sessions
 * @pipeline: the stages
 * @targets: by stage
 * @sessions: by stage
 */
struct line {
	struct loom_pipeline *pipeline;
	struct loom_target *targets[MOST_STAGES];
	struct loom_session *sessions[MOST_STAGES];
};

static inline int line_make(struct line *line, const struct loom_graph *graph, uint32_t count,
			    const char *grouping, struct loom_error *err)
{
	const struct loom_planner_options how = {
		.grouping = grouping, .effort = LOOM_EFFORT_ONCE,
	};
	const struct drm_loom_chip *list[MOST_STAGES] = { NULL };
	uint32_t i;
	int ret;

	memset(line, 0, sizeof(*line));
	for (i = 0; i < count; i++)
		list[i] = &chips[i % ARRAY_SIZE(chips)];
	ret = loom_pipeline_create(graph, &how, list, count, &line->pipeline, err);
	for (i = 0; i < count && !ret; i++) {
		ret = loom_target_open("host", list[i], &line->targets[i], err);
		if (!ret)
			ret = loom_session_create(line->targets[i],
						  line->pipeline->stages[i].program,
						  &line->sessions[i], err);
	}
	return ret;
}

static inline void line_clear(struct line *line)
{
	uint32_t i;

	for (i = 0; i < MOST_STAGES; i++) {
		loom_session_destroy(line->sessions[i]);
		loom_target_close(line->targets[i]);
	}
	loom_pipeline_destroy(line->pipeline);
}

#endif /* LOOM_TESTS_PARALLEL_BATCH_H */
