// SPDX-License-Identifier: MIT
/*
 * Cuts of a network into stages. Initial cuts give all stages equal time, by the time of the nodes
 * in front of them. Then cuts are moved, one at a time, to the place where the slower of both
 * neighbours is fastest, while that helps. This is repeated for each order of nodes that the
 * planner knows; the best candidates are planned.
 */
#include "parallel.h"

#include "graph/part.h"
#include "planner/orders.h"
#include "planner/planner.h"
#include "rewrite/rewrite.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of places at which the time of the nodes in front is computed. */
#define SAMPLES		64
/* Maximum distance, in nodes, that a cut is moved per round; and maximum number of rounds. */
#define WINDOW		16
#define ROUNDS		8
/* Number of candidates that are planned. */
#define MAX_PLANNED	3

/**
 * struct division - a candidate: a set of cuts
 * @nodes: the order of nodes
 * @at: by stage: its first node; and behind the last one
 * @seconds: lower bound on the time of the slowest stage
 * @bytes: bytes that cross all cuts
 */
struct division {
	struct loom_node *const *nodes;
	u32 *at;
	double seconds;
	u64 bytes;
};

/**
 * struct cutter - the network to cut, and the chips
 * @graph: the network
 * @options: options for planning stages
 * @chips: by stage
 * @num_stages: number of @chips
 * @rates: by stage: upper bound on the runs of the whole network per second on its chip
 * @sum: of @rates
 * @crossing: by node: bytes that cross a cut in front of it, in the current order
 */
struct cutter {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	const struct drm_loom_chip *const *chips;
	u32 num_stages;
	double *rates;
	double sum;
	u64 *crossing;
};

/* A chip of unknown frequency counts as one of 1 GHz. */
static double seconds_of(u64 cycles, const struct drm_loom_chip *chip)
{
	return (double)cycles / (chip->frequency_hz ? (double)chip->frequency_hz : 1e9);
}

/* Lower bound on the time of some nodes on the chip of a stage; 0 if it cannot be computed. */
static int find_seconds(const struct cutter *c, struct loom_node *const *nodes, u32 stage,
			u32 first, u32 count, double *seconds)
{
	struct loom_planner_options options = *c->options;
	struct loom_graph *part, *rewritten = NULL;
	struct loom_program_least least;
	int ret = loom_graph_part(c->graph, nodes, first, count, &part);

	if (ret)
		return ret;
	options.chip = c->chips[stage];
	*seconds = 0;
	ret = loom_rewrite(part, options.chip, &rewritten, NULL);
	/* planning the stage reports nodes that the chip cannot run */
	if (!ret && !loom_planner_least(rewritten ? rewritten : part, &options, &least))
		*seconds = seconds_of(least.held_cycles, options.chip);
	loom_graph_destroy(rewritten);
	loom_graph_destroy(part);
	return ret == -ENOMEM ? ret : 0;
}

/* A chip that is twice as fast gets twice the work. The same for all orders. */
static int find_rates(struct cutter *c)
{
	u32 s;
	int ret = 0;

	for (s = 0; s < c->num_stages && !ret; s++) {
		double seconds;

		ret = find_seconds(c, c->graph->nodes, s, 0, c->graph->num_nodes, &seconds);
		c->rates[s] = !ret && seconds > 0 ? 1 / seconds : 1;
		c->sum += c->rates[s];
	}
	return ret;
}

/* Cuts where all stages take equal time, by the time of the nodes in front of each place. */
static int begin_equal(const struct cutter *c, struct division *d)
{
	u32 n = c->graph->num_nodes, step = n / SAMPLES + 1, s, at = 0;
	double want = 0, here = 0;
	int ret = 0;

	d->at[0] = 0;
	d->at[c->num_stages] = n;
	for (s = 1; s < c->num_stages && !ret; s++) {
		want += c->rates[s - 1] / c->sum;
		while (here < want && at < n && !ret) {
			double before;

			at = min(at + step, n);
			ret = find_seconds(c, d->nodes, 0, 0, at, &before);
			here = before > 0 ? before * c->rates[0] : (double)at / n;
		}
		/* each stage has a node, and leaves one for each stage behind it */
		d->at[s] = min(max(at, d->at[s - 1] + 1), n - (c->num_stages - s));
	}
	return ret;
}

static int slower_of_both(const struct cutter *c, const struct division *d, u32 cut, u32 at,
			  double *seconds)
{
	double behind;
	int ret = find_seconds(c, d->nodes, cut - 1, d->at[cut - 1], at - d->at[cut - 1], seconds);

	if (!ret)
		ret = find_seconds(c, d->nodes, cut, at, d->at[cut + 1] - at, &behind);
	*seconds = fmax(*seconds, ret ? 0 : behind);
	return ret;
}

/* Moves a cut to the best place near it. */
static int move_cut(const struct cutter *c, struct division *d, u32 cut, bool *moved)
{
	u32 from = max(d->at[cut - 1] + 1, d->at[cut] > WINDOW ? d->at[cut] - WINDOW : 0);
	u32 to = min(d->at[cut + 1] - 1, d->at[cut] + WINDOW), at, best = d->at[cut];
	double least = INFINITY, seconds;

	for (at = from; at <= to; at++) {
		int ret = slower_of_both(c, d, cut, at, &seconds);

		if (ret)
			return ret;
		if (seconds > least || (seconds == least && c->crossing[at] >= c->crossing[best]))
			continue;
		least = seconds;
		best = at;
	}
	*moved |= best != d->at[cut];
	d->at[cut] = best;
	return 0;
}

static int cut_order(struct cutter *c, struct division *d)
{
	bool moved = true;
	u32 round, s;
	int ret = loom_graph_crossing(c->graph, d->nodes, c->crossing);

	if (!ret)
		ret = begin_equal(c, d);
	for (round = 0; round < ROUNDS && moved && !ret; round++) {
		moved = false;
		for (s = 1; s < c->num_stages && !ret; s++)
			ret = move_cut(c, d, s, &moved);
	}
	d->seconds = 0;
	d->bytes = 0;
	for (s = 0; s < c->num_stages && !ret; s++) {
		double seconds;

		ret = find_seconds(c, d->nodes, s, d->at[s], d->at[s + 1] - d->at[s], &seconds);
		d->seconds = fmax(d->seconds, seconds);
		d->bytes += c->crossing[d->at[s]];
	}
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct division *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int plan_stage(const struct cutter *c, const struct division *d, u32 s,
		      struct loom_pipeline_stage *stage, struct loom_error *err)
{
	struct loom_planner_options options = *c->options;
	u32 i;
	int ret = loom_graph_part(c->graph, d->nodes, d->at[s], d->at[s + 1] - d->at[s],
				  &stage->graph);

	if (ret)
		return loom_error_set(err, ret, "no memory");
	for (i = 0; i < stage->graph->num_inputs; i++)
		stage->in_bytes += stage->graph->inputs[i]->size_bytes;
	for (i = 0; i < stage->graph->num_outputs; i++)
		stage->out_bytes += stage->graph->outputs[i]->size_bytes;
	options.chip = c->chips[s];
	return loom_program_create(stage->graph, &options, &stage->program, err);
}

/* Plans all stages of a division; *@seconds: of the slowest one. */
static int plan_division(const struct cutter *c, const struct division *d,
			 struct loom_pipeline **out, double *seconds, struct loom_error *err)
{
	struct loom_pipeline *pipeline = calloc(1, sizeof(*pipeline));
	u32 s;
	int ret = 0;

	*seconds = 0;
	if (pipeline)
		pipeline->stages = calloc(c->num_stages, sizeof(*pipeline->stages));
	if (!pipeline || !pipeline->stages) {
		loom_pipeline_destroy(pipeline);
		return loom_error_set(err, -ENOMEM, "no memory");
	}
	pipeline->graph = c->graph;
	pipeline->num_stages = c->num_stages;
	for (s = 0; s < c->num_stages && !ret; s++) {
		ret = plan_stage(c, d, s, &pipeline->stages[s], err);
		if (!ret)
			*seconds = fmax(*seconds,
					seconds_of(pipeline->stages[s].program->stats.cycles,
						   c->chips[s]));
	}
	if (ret)
		loom_pipeline_destroy(pipeline);
	else
		*out = pipeline;
	return ret;
}

/*
 * Plans the first few candidates and keeps the best. Returns the error of the first if none has
 * plans.
 */
static int plan_best(const struct cutter *c, const struct division *divisions, u32 count,
		     struct loom_pipeline **best, struct loom_error *err)
{
	double least = INFINITY, seconds;
	u32 i;
	int ret = 0;

	for (i = 0; i < count && i < MAX_PLANNED; i++) {
		struct loom_pipeline *these = NULL;
		int now = plan_division(c, &divisions[i], &these, &seconds, i ? NULL : err);

		if (!i)
			ret = now;
		if (now)
			continue;
		if (seconds >= least) {
			loom_pipeline_destroy(these);
			continue;
		}
		loom_pipeline_destroy(*best);
		*best = these;
		least = seconds;
	}
	return *best ? 0 : ret;
}

static int cut_orders(struct cutter *c, const struct loom_orders *orders,
		      struct division *divisions)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < orders->count && !ret; i++) {
		divisions[i].nodes = orders->graphs[i].nodes;
		divisions[i].at = calloc((size_t)c->num_stages + 1, sizeof(*divisions[i].at));
		ret = divisions[i].at ? cut_order(c, &divisions[i]) : -ENOMEM;
	}
	return ret;
}

int loom_pipeline_create(const struct loom_graph *graph,
			 const struct loom_planner_options *options,
			 const struct drm_loom_chip *const *chips, uint32_t num_stages,
			 struct loom_pipeline **pipeline, struct loom_error *err)
{
	struct division divisions[LOOM_SORT_COUNT] = { 0 };
	struct cutter c = {
		.graph = graph, .options = options, .chips = chips, .num_stages = num_stages,
	};
	struct loom_orders orders = { .count = 0 };
	u32 i;
	int ret;

	*pipeline = NULL;
	ret = loom_graph_check(graph, err);
	if (ret)
		return ret;
	if (!num_stages || graph->num_nodes < num_stages)
		return loom_error_set(err, -EINVAL, "%s: %u nodes cannot be cut into %u stages",
				      graph->name, graph->num_nodes, num_stages);
	if (graph->num_states)
		return loom_error_set(err, -EOPNOTSUPP,
				      "%s: a network with states cannot be cut into stages",
				      graph->name);
	c.crossing = calloc((size_t)graph->num_nodes + 1, sizeof(*c.crossing));
	c.rates = calloc(num_stages, sizeof(*c.rates));
	ret = c.crossing && c.rates ? loom_orders_make(&orders, graph, false) : -ENOMEM;
	if (!ret)
		ret = find_rates(&c);
	if (!ret)
		ret = cut_orders(&c, &orders, divisions);
	if (ret) {
		loom_error_set(err, ret, "%s: no memory", graph->name);
	} else {
		qsort(divisions, orders.count, sizeof(*divisions), compare);
		ret = plan_best(&c, divisions, orders.count, pipeline, err);
	}
	for (i = 0; i < ARRAY_SIZE(divisions); i++)
		free(divisions[i].at);
	loom_orders_clear(&orders);
	free(c.crossing);
	free(c.rates);
	return ret;
}

void loom_pipeline_destroy(struct loom_pipeline *pipeline)
{
	u32 s;

	if (!pipeline)
		return;
	for (s = 0; pipeline->stages && s < pipeline->num_stages; s++) {
		loom_program_destroy(pipeline->stages[s].program);
		loom_graph_destroy(pipeline->stages[s].graph);
	}
	free(pipeline->stages);
	free(pipeline);
}
