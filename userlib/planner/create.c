// SPDX-License-Identifier: MIT
/*
 * Creates a program of a graph: rewrites the graph to operations that the chip has and that fit,
 * then makes its best program.
 */
#include "base/error.h"
#include "loom_clock.h"
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
		u64 most_cycles, struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options own = *options;
	struct drm_loom_chip chip = *options->chip;

	own.chip = &chip;
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = sram_align(graph, &chip);
	if (own.objective == LOOM_OBJECTIVE_SRAM)
		return loom_planner_least_sram(graph, &own, program, err);
	return loom_planner_best(graph, &own, most_cycles, program, err);
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
	return plan(graph, &alone, U64_MAX, program, err);
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

/**
 * struct form - a graph to plan
 * @graph: finished
 * @expanded: owner of @graph, or NULL if that is the caller
 * @own: the same in operations of the chip that fit, or NULL if that is @graph
 * @rewritten: the chip lacked operations
 * @turned: @own has matrices turned around, and is @graph otherwise
 * @least: lower bounds for the sums as they are
 */
struct form {
	const struct loom_graph *graph;
	struct loom_graph *expanded;
	struct loom_graph *own;
	bool rewritten;
	bool turned;
	struct loom_program_least least;
};

static int prepare(struct form *form, const struct loom_planner_options *options,
		   struct loom_error *err)
{
	int ret = loom_rewrite(form->graph, options->chip, &form->own, err);

	form->rewritten = form->own;
	if (!ret && loom_rewrite_turn(form->own ? form->own : form->graph, options->chip,
				      loom_planner_sram_bytes(options), NULL, &form->own))
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	form->turned = form->own && !form->rewritten;
	/* without memory the plan is kept, but lacks these figures */
	if (!ret && loom_planner_least(form->own ? form->own : form->graph, options,
				       &form->least) == -ENOMEM)
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	return ret;
}

static void keep_faster(struct loom_program **best, struct loom_program *other)
{
	struct loom_program *worse = other;

	if (!*best || other->stats.cycles < (*best)->stats.cycles) {
		worse = *best;
		*best = other;
	}
	loom_program_destroy(worse);
}

/* Plans the graph with pairs of products as well, and keeps the faster program. */
static void plan_pairs(struct form *form, const struct loom_planner_options *options,
		       u64 most_cycles, struct loom_program **program)
{
	bool observed = options->num_observe || options->flags & LOOM_PLANNER_OBSERVE_ALL;
	struct loom_program *other, *before = *program;
	struct loom_graph *pairs;
	int ret;

	if ((form->own && !form->turned) || observed || options->objective != LOOM_OBJECTIVE_TIME ||
	    !loom_grouping_is_on(options) || !loom_planner_effort(options) ||
	    before->stats.cycles > most_cycles || loom_watch_is_over())
		return;
	ret = loom_rewrite_pairs(form->graph, options->chip, loom_planner_sram_bytes(options),
				 &pairs);
	if (!ret && !pairs)
		return;
	if (ret || plan(pairs, options, most_cycles, &other, NULL)) {
		/* a limit that the pairs alone are beyond costs them alone */
		loom_watch_forgive();
		loom_graph_destroy(pairs);
		return;
	}
	keep_faster(program, other);
	if (*program == before) {
		loom_graph_destroy(pairs);
	} else {
		loom_graph_destroy(form->own);
		form->own = pairs;
	}
}

/* Plans a form. Its graphs are the program's then. @most_cycles: as of loom_planner_best() */
static int make(struct form *form, const struct loom_planner_options *fits,
		const struct loom_planner_options *options, u64 most_cycles,
		struct loom_program **program, struct loom_error *err)
{
	const struct loom_graph *graph = form->graph;
	bool fits_now = true;
	u32 cut = 0;
	int ret;

	*program = NULL;
	ret = loom_planner_fit(graph, fits, &form->own, &cut, &fits_now, err);
	if (!ret && !fits_now) {
		ret = refuse(form->own ? form->own : graph, options, program, err);
		if (!ret)
			loom_program_destroy(*program);
		*program = NULL;
	}
	if (!ret)
		ret = plan(form->own ? form->own : graph, options, most_cycles, program, err);
	if (ret == -ENOSPC && cut && !form->rewritten)
		say_least(graph, options, err);
	if (ret)
		return ret;
	form->turned &= !cut;
	plan_pairs(form, options, most_cycles, program);
	loom_planner_note_least(*program, &form->least);
	loom_planner_note_cut(*program, cut);
	loom_planner_own(*program, form->own, form->expanded);
	form->own = NULL;
	form->expanded = NULL;
	return 0;
}

/*
 * Lower bound on the cycles with expanded constants, before these exist: their bytes are moved. A
 * constant in place may take either stream. U64_MAX: they are no candidate.
 */
static u64 bound_expanded(const struct loom_planner_options *options, u64 bytes)
{
	const struct drm_loom_chip_region *region = options->chip->region;
	bool observed = options->num_observe || options->flags & LOOM_PLANNER_OBSERVE_ALL;
	u64 cycles;

	region += region[DRM_LOOM_REGION_DRAM].banks ? DRM_LOOM_REGION_DRAM : DRM_LOOM_REGION_ROM;
	if (!bytes || observed || options->objective != LOOM_OBJECTIVE_TIME ||
	    (options->max_memory_bytes && bytes > options->max_memory_bytes / 4))
		return U64_MAX;
	cycles = loom_clock_rate(bytes, region->read_rate);
	return region->flags & DRM_LOOM_CHIP_IN_PLACE ? cycles / 2 : cycles;
}

static int expand(struct form *form, const struct loom_graph *packed,
		  const struct loom_planner_options *options, struct loom_error *err)
{
	int ret = loom_rewrite_expand(packed, options->chip, loom_planner_sram_bytes(options),
				      &form->expanded);

	if (ret)
		return loom_error_set(err, ret, "out of memory");
	form->graph = form->expanded;
	return prepare(form, options, err);
}

static void discard(struct form *form)
{
	loom_graph_destroy(form->own);
	loom_graph_destroy(form->expanded);
	form->own = NULL;
	form->expanded = NULL;
}

/*
 * A form whose first program takes more than so many times the lower bound of the other form is
 * given up for that one. In small graphs both take little time.
 */
#define FAR		2

static u64 far_from(const struct loom_graph *graph, u64 bound)
{
	return graph->num_nodes > PLANNER_LARGE_GRAPH && bound <= U64_MAX / FAR ? FAR * bound :
										U64_MAX;
}

/*
 * Plans the forms whose lower bounds are below the cycles of the program so far, from form @first
 * on, and that form again if it was given up without need. An error is that of the packed one,
 * which needs less memory.
 */
static int plan_forms(struct form *forms, const u64 *bounds, u32 first,
		      const struct loom_planner_options *fits,
		      const struct loom_planner_options *options, struct loom_program **program,
		      struct loom_error *err)
{
	const u64 most = far_from(forms[0].graph, bounds[!first]);
	struct loom_error said = { .text = "" };
	struct loom_program *other;
	int ret = 0, code;
	u32 i;

	for (i = 0; i < 3; i++) {
		const u32 which = i == 1 ? !first : first;

		if (bounds[which] >= (*program ? (*program)->stats.cycles : U64_MAX) ||
		    ((*program || ret) && loom_watch_is_over()) ||
		    (i == 2 && (!*program || (*program)->stats.cycles <= most)))
			continue;
		code = which ? expand(&forms[1], forms[0].graph, options, &said) :
		       i ? prepare(&forms[0], options, &said) : 0;
		if (!code)
			code = make(&forms[which], fits, options, i ? U64_MAX : most, &other,
				    &said);
		if (!code) {
			keep_faster(program, other);
			continue;
		}
		discard(&forms[which]);
		if (!ret || !which) {
			ret = code;
			if (err)
				*err = said;
		}
		/* a limit that the other form alone is beyond costs that form alone */
		if (*program)
			loom_watch_forgive();
	}
	return *program ? 0 : ret;
}

/*
 * Packed constants are expanded by the device, or now: the faster program is kept. The form with
 * the lower bound on cycles is planned first, because the other one often cannot be faster then.
 */
int loom_planner_plan(const struct loom_graph *graph, const struct loom_planner_options *fits,
		      const struct loom_planner_options *options, enum loom_planner_form form,
		      struct loom_program **program, struct loom_error *err)
{
	struct form forms[] = { { .graph = graph }, { .graph = NULL } };
	u64 bounds[2], bytes;
	u32 i;
	int ret = prepare(&forms[0], options, err);

	*program = NULL;
	if (!ret && loom_rewrite_expanded_bytes(graph, &bytes))
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	if (!ret) {
		bounds[0] = forms[0].least.held_cycles;
		bounds[1] = bound_expanded(options, bytes);
		if (form != LOOM_FORM_ANY) {
			bounds[form] = 0;
			bounds[!form] = U64_MAX;
		}
		/* with a limit of memory, first the one that needs less */
		ret = plan_forms(forms, bounds,
				 !options->max_memory_bytes && bounds[1] < bounds[0], fits,
				 options, program, err);
	}
	for (i = 0; i < ARRAY_SIZE(forms); i++)
		discard(&forms[i]);
	return ret;
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
	ret = loom_planner_plan(graph, options, options, LOOM_FORM_ANY, program, err);
	return loom_planner_unwatch(&watch, ret, program, err);
}
