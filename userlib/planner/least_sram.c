// SPDX-License-Identifier: MIT
/*
 * DOC: The least SRAM
 *
 * A binary search around the planner over sizes of the SRAM, as in
 * &loom_planner_options.sram_limit_bytes. A size is feasible if the planner finds a program within
 * it and within the caps on recomputation, bytes and cycles. Without a cap on cycles, it is SLOW
 * times those in all of the SRAM: products can be cut down to a few elements, in so many commands
 * that their starts are most of the time.
 *
 * Feasibility is not monotonic, because groups are searched with a budget, and fitted by estimates.
 * So sizes below the smallest feasible one are tried as well: 1/64 below it, 1/32, and so on to a
 * half; if one is feasible, the search continues from there. It ends if none is: the result is the
 * least of these tries, without a proof.
 *
 * Programs are compared by their scratch, which may be less than the limit. On a chip without DRAM,
 * buffers are in the SRAM as well: less scratch means more values in buffers, so the sum of both is
 * minimized, and it may be large at both ends.
 */
#include "planner.h"

#include "base/error.h"

#include <errno.h>

/* The search stops if sizes differ by less than 1/FINE, or by the alignment. */
#define FINE		256
#define NEAREST		64
/* Limit on cycles, in those with all of the SRAM, if the caller has none. */
#define SLOW		64
/* Limit on the programs made. */
#define TRIES		64

/**
 * struct least - the state of the search
 * @graph: the graph
 * @options: the chip, and the caps
 * @best: the program of least need so far
 * @objective: objective of the planner for @best
 * @limit_bytes: limit of the planner for @best
 * @most_cycles: limit on the cycles of programs that need less, if the caller has none
 * @tries: programs that may still be made
 */
struct least {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct loom_program *best;
	enum loom_planner_objective objective;
	u64 limit_bytes;
	u64 most_cycles;
	u32 tries;
};

static bool is_within(const struct loom_planner_options *options,
		      const struct loom_program *program)
{
	u64 bytes = program->stats.dram_read_bytes + program->stats.dram_write_bytes;

	return (!options->max_bytes || bytes <= options->max_bytes) &&
	       (!options->max_cycles || program->stats.cycles <= options->max_cycles);
}

/* Plans with @limit bytes. Returns true if the program needs less than the best so far. */
static bool try(struct least *l, u64 limit)
{
	struct loom_planner_options how = *l->options;
	struct loom_program *program = NULL;

	if (!l->tries || !limit || loom_watch_is_over())
		return false;
	l->tries--;
	how.sram_limit_bytes = limit;
	how.flags &= ~LOOM_PLANNER_EXPLAIN;
	if (loom_planner_best(l->graph, &how, l->most_cycles, &program, NULL))
		return false;
	if (!is_within(l->options, program) || program->stats.cycles > l->most_cycles ||
	    program->stats.sram_bytes >= l->best->stats.sram_bytes) {
		loom_program_destroy(program);
		return false;
	}
	loom_program_destroy(l->best);
	l->best = program;
	l->objective = how.objective;
	l->limit_bytes = limit;
	return true;
}

/* Bisects between @low, which is infeasible, and the best. */
static void halve(struct least *l, u64 low)
{
	u64 align = l->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes, high, middle;

	high = l->best->stats.scratch_bytes;
	while (l->tries && high > low && high - low > max(align, high / FINE)) {
		middle = (low + (high - low) / 2) / align * align;
		if (middle <= low)
			break;
		if (try(l, middle))
			high = l->best->stats.scratch_bytes;
		else
			low = middle;
	}
}

/*
 * Tries sizes below the best, although one of them was infeasible. Returns true if one is feasible.
 */
static bool probe(struct least *l)
{
	u64 high = l->best->stats.scratch_bytes;
	u32 part;

	for (part = NEAREST; part > 1; part /= 2)
		if (try(l, high - loom_div_round_up(high, (u64)part)))
			return true;
	return false;
}

/* Reports why the program with all of the SRAM exceeds the caps. */
static int refuse(const struct loom_planner_options *options, const struct loom_program *program,
		  struct loom_error *err)
{
	u64 bytes = program->stats.dram_read_bytes + program->stats.dram_write_bytes;

	if (options->max_bytes && bytes > options->max_bytes)
		return loom_error_set(err, -ENOSPC,
				      "the best plan moves %llu bytes to and from DRAM, at most %llu are allowed",
				      (unsigned long long)bytes,
				      (unsigned long long)options->max_bytes);
	return loom_error_set(err, -ENOSPC,
			      "the best plan takes %llu cycles, at most %llu are allowed",
			      (unsigned long long)program->stats.cycles,
			      (unsigned long long)options->max_cycles);
}

/*
 * Makes the first program, in all of the SRAM. If it exceeds the caps, a program made for the
 * capped quantity may be within them: among equally good candidates, each objective continues from
 * another one.
 */
static int begin(struct least *l, struct loom_error *err)
{
	const struct loom_planner_options *options = l->options;
	struct loom_planner_options how = *options;
	struct loom_program *other;
	int ret;

	how.flags &= ~LOOM_PLANNER_EXPLAIN;
	ret = loom_planner_best(l->graph, &how, U64_MAX, &l->best, err);
	if (ret || is_within(options, l->best))
		return ret;
	how.objective = options->max_bytes ? LOOM_OBJECTIVE_BYTES : LOOM_OBJECTIVE_TIME;
	if (!loom_planner_best(l->graph, &how, U64_MAX, &other, NULL)) {
		if (is_within(options, other)) {
			loom_program_destroy(l->best);
			l->best = other;
			l->objective = how.objective;
			return 0;
		}
		loom_program_destroy(other);
	}
	ret = refuse(options, l->best, err);
	loom_program_destroy(l->best);
	return ret;
}

int loom_planner_least_sram(const struct loom_graph *graph,
			    const struct loom_planner_options *options,
			    struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options how = *options;
	struct least l = {
		.graph = graph,
		.options = options,
		.objective = options->objective,
		.limit_bytes = options->sram_limit_bytes,
		.tries = TRIES,
	};
	int ret = begin(&l, err);

	if (ret)
		return ret;
	/* a first candidate beyond the caller's limit may have a faster one behind it */
	l.most_cycles = options->max_cycles ? U64_MAX : SLOW * l.best->stats.cycles;
	do {
		halve(&l, 0);
	} while (probe(&l));
	*program = l.best;
	if (!(options->flags & LOOM_PLANNER_EXPLAIN) || loom_watch_is_over())
		return 0;
	/* the same program, with explanations */
	loom_program_destroy(l.best);
	how.objective = l.objective;
	how.sram_limit_bytes = l.limit_bytes;
	return loom_planner_best(graph, &how, U64_MAX, program, err);
}
