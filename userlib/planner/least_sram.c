// SPDX-License-Identifier: MIT
/*
 * DOC: The least SRAM
 *
 * A search around the planner: it is told a size, as by &loom_planner_options.sram_limit_bytes, and
 * there is a program that keeps to it and to the caps on recomputation, bytes and cycles, or there
 * is none. The size is halved between what was enough and what was not.
 *
 * A larger SRAM need not be enough where a smaller one was: groups are searched with a budget, and
 * fitted by estimates. So sizes below the least that was found are tried, too: 1/64 below it, 1/32,
 * and so on to a half; if one is enough, the search goes on from there. It ends where none of them
 * is: what is found is the least by these tries, and not by a proof.
 *
 * What is compared is the room that a program needs: its scratch, which may be less than it was
 * told. On a chip without DRAM, buffers are in the SRAM, too: the less scratch there is, the more
 * values are in them, so that the sum of both is what is to be small, and it may be large at both
 * ends.
 */
#include "planner.h"

#include "base/error.h"

#include <errno.h>

/* The search stops where sizes differ by less than 1/FINE of themselves, or by the alignment. */
#define FINE		256
#define NEAREST		64
/* Programs at most. */
#define TRIES		64

/**
 * struct least - the state of the search
 * @graph: what is planned
 * @options: for what, and within which caps
 * @best: the program that needs least so far
 * @objective: what the planner was asked for when it made that
 * @limit_bytes: what the planner was told for it
 * @tries: programs that may still be made
 */
struct least {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct loom_program *best;
	enum loom_planner_objective objective;
	u64 limit_bytes;
	u32 tries;
};

static bool is_within(const struct loom_planner_options *options,
		      const struct loom_program *program)
{
	u64 bytes = program->stats.dram_read_bytes + program->stats.dram_write_bytes;

	return (!options->max_bytes || bytes <= options->max_bytes) &&
	       (!options->max_cycles || program->stats.cycles <= options->max_cycles);
}

/* Plans with @limit bytes. True: that needs less than the best so far. */
static bool try(struct least *l, u64 limit)
{
	struct loom_planner_options how = *l->options;
	struct loom_program *program = NULL;

	if (!l->tries || !limit || loom_watch_is_over())
		return false;
	l->tries--;
	how.sram_limit_bytes = limit;
	how.flags &= ~LOOM_PLANNER_EXPLAIN;
	if (loom_planner_best(l->graph, &how, &program, NULL))
		return false;
	if (!is_within(l->options, program) ||
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

/* Halves between @low, which was not enough, and the best. */
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

/* Tries sizes below the best, though one of them was not enough. True: one is. */
static bool probe(struct least *l)
{
	u64 high = l->best->stats.scratch_bytes;
	u32 part;

	for (part = NEAREST; part > 1; part /= 2)
		if (try(l, high - loom_div_round_up(high, (u64)part)))
			return true;
	return false;
}

/* Why the program with all of the SRAM will not do. */
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
 * The first program, in all of the SRAM. If it is not within the caps, one that was made for what
 * is capped may be: of several ways that are equally good, each objective goes on from another one.
 */
static int begin(struct least *l, struct loom_error *err)
{
	const struct loom_planner_options *options = l->options;
	struct loom_planner_options how = *options;
	struct loom_program *other;
	int ret;

	how.flags &= ~LOOM_PLANNER_EXPLAIN;
	ret = loom_planner_best(l->graph, &how, &l->best, err);
	if (ret || is_within(options, l->best))
		return ret;
	how.objective = options->max_bytes ? LOOM_OBJECTIVE_BYTES : LOOM_OBJECTIVE_TIME;
	if (!loom_planner_best(l->graph, &how, &other, NULL)) {
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
	do {
		halve(&l, 0);
	} while (probe(&l));
	*program = l.best;
	if (!(options->flags & LOOM_PLANNER_EXPLAIN) || loom_watch_is_over())
		return 0;
	/* the same program, with reasons */
	loom_program_destroy(l.best);
	how.objective = l.objective;
	how.sram_limit_bytes = l.limit_bytes;
	return loom_planner_best(graph, &how, program, err);
}
