// SPDX-License-Identifier: MIT
/*
 * Creates a program of a graph: rewrites the graph to operations that the chip has and that fit,
 * then makes its best program.
 */
#include "base/error.h"
#include "planner.h"
#include "rewrite/rewrite.h"

#include <errno.h>

/* Offsets in the SRAM are multiples of each element's bytes, whatever the chip asks for. */
static u64 sram_align(const struct loom_graph *graph, const struct drm_loom_chip *chip)
{
	u64 align = chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	u32 i;

	for (i = 0; i < graph->num_values; i++)
		if (graph->values[i]->producer || graph->values[i]->num_uses)
			align = max(align, (u64)loom_dtype_stride(graph->values[i]->dtype));
	return align;
}

static int plan(const struct loom_graph *graph, const struct loom_planner_options *options,
		struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options own = *options;
	struct drm_loom_chip chip = *options->chip;

	own.chip = &chip;
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = sram_align(graph, &chip);
	if (own.objective == LOOM_OBJECTIVE_SRAM)
		return loom_planner_least_sram(graph, &own, program, err);
	return loom_planner_best(graph, &own, program, err);
}

/*
 * Without groups, a node that does not fit is found at once: the search for groups may take long.
 */
static int refuse(const struct loom_graph *graph, const struct loom_planner_options *options,
		  struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options alone = *options;

	alone.grouping = LOOM_GROUPING_NONE;
	alone.objective = LOOM_OBJECTIVE_BYTES;
	return plan(graph, &alone, program, err);
}

/*
 * Reports the smallest need: pieces may need more than the whole, as their sum is one more operand.
 */
static void say_least(const struct loom_graph *whole, const struct loom_planner_options *options,
		      struct loom_error *err)
{
	struct loom_program *program;
	struct loom_error other;

	if (!err || !err->short_bytes)
		return;
	if (!refuse(whole, options, &program, &other))
		loom_program_destroy(program);
	else if (other.short_bytes && other.short_bytes < err->short_bytes)
		*err = other;
}

struct loom_watch loom_planner_watch(const struct loom_graph *graph,
				     const struct loom_planner_options *options)
{
	return (struct loom_watch){
		.progress = options->progress,
		.data = options->progress_data,
		.max_memory_bytes = options->max_memory_bytes,
		.max_work = options->max_work,
		.memory_bytes = (int64_t)loom_pool_bytes(graph->pool),
		.stage = LOOM_STAGE_SIMPLIFY,
	};
}

int loom_planner_unwatch(struct loom_watch *watch, int ret, struct loom_program **program,
			 struct loom_error *err)
{
	int code = loom_watch_end(watch, ret, err);

	if (code && !ret) {
		loom_program_destroy(*program);
		*program = NULL;
	}
	return code;
}

int loom_planner_plan(const struct loom_graph *graph, const struct loom_planner_options *fits,
		      const struct loom_planner_options *options, struct loom_program **program,
		      struct loom_error *err)
{
	struct loom_program_least least;
	struct loom_graph *own = NULL;
	bool rewritten, fits_now = true;
	u32 cut = 0;
	int ret;

	ret = loom_rewrite(graph, options->chip, &own, err);
	rewritten = own;
	/* for the sums as they are; without memory the plan is kept, but lacks these figures */
	if (!ret && loom_planner_least(own ? own : graph, options, &least) == -ENOMEM)
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = loom_planner_fit(graph, fits, &own, &cut, &fits_now, err);
	if (!ret && !fits_now) {
		ret = refuse(own ? own : graph, options, program, err);
		if (!ret)
			loom_program_destroy(*program);
		*program = NULL;
	}
	if (!ret)
		ret = plan(own ? own : graph, options, program, err);
	if (ret == -ENOSPC && cut && !rewritten)
		say_least(graph, options, err);
	if (ret) {
		loom_graph_destroy(own);
		return ret;
	}
	loom_planner_note_least(*program, &least);
	loom_planner_note_cut(*program, cut);
	loom_planner_own(*program, own);
	return 0;
}

int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	int ret = loom_graph_check(graph, err);
	struct loom_watch watch;

	*program = NULL;
	if (!ret)
		ret = loom_planner_check(options, err);
	if (ret)
		return ret;
	watch = loom_planner_watch(graph, options);
	loom_watch_begin(&watch);
	ret = loom_planner_plan(graph, options, options, program, err);
	return loom_planner_unwatch(&watch, ret, program, err);
}
