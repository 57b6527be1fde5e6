/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TEST_RUN_NET_H
#define LOOM_TEST_RUN_NET_H

/* Networks with states, planned and loaded on the host, whose slots may not be mapped. */
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "loom_run.h"

#include "host/lower/case.h"
#include "unmapped.h"

static struct loom_target *target;

/**
 * struct net - a network on its way to results
 * @graph: it
 * @program: its plan
 * @session: the plan, loaded
 */
struct net {
	struct loom_graph *graph;
	struct loom_program *program;
	struct loom_session *session;
};

/* Makes the host, with the banks of a chip, the target. */
static inline void net_target(const char *chip, bool mapped)
{
	struct drm_loom_chip description;
	struct loom_error err;

	if (loom_chip_find(chip, &description))
		tap_fatal("no chip %s", chip);
	if (loom_target_open("host", &description, &target, &err))
		tap_fatal("%s", err.text);
	if (!mapped)
		unmapped_make(target);
	tap_note("on %s%s", chip, mapped ? "" : ", where no slot is mapped");
}

/* Plans the graph of @net, and loads the plan. */
static inline void net_load(struct net *net, const struct loom_graph_options *options,
			    const char *grouping)
{
	struct loom_planner_options how = {
		.grouping = grouping, .chip = loom_target_chip(target),
	};
	struct loom_error err;

	if (loom_graph_finish(net->graph, options, &err) ||
	    loom_program_create(net->graph, &how, &net->program, &err) ||
	    loom_session_create(target, net->program, &net->session, &err))
		tap_fatal("%s", err.text);
}

static inline void net_clear(struct net *net)
{
	loom_session_destroy(net->session);
	loom_program_destroy(net->program);
	loom_graph_destroy(net->graph);
}

#endif /* LOOM_TEST_RUN_NET_H */
