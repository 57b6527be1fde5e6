// SPDX-License-Identifier: MIT
/*
 * Whole networks have the same bits with every set of vector instructions that the machine has, and
 * with two threads: those of build/models in groups, those in eight bits layer by layer. Inputs are
 * random. TAP.
 *
 *	bench_same_bits [all]	all: all of those in eight bits, which takes minutes
 */
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "networks.h"
#include "models.h"
#include "outputs.h"
#include "loom_chip.h"
#include "loom_planner.h"
#include "loom_run.h"
#include "tap.h"

static const char *const quick[] = { "mobilenet_v2" };

/* With @threads, and the sets up to @isa. Return: what is wrong. */
static const char *compare(struct loom_target *target, const struct loom_program *program,
			   uint32_t threads, enum loom_isa isa, const struct loom_array *want)
{
	struct loom_array outputs[OUTPUTS] = { 0 };
	struct loom_session *session;
	const char *wrong;
	struct loom_error err;

	loom_isa_limit(isa);
	if (loom_target_set_threads(target, threads, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	wrong = run(session, program, outputs);
	loom_session_destroy(session);
	if (!wrong && !same(outputs, want))
		wrong = threads > 1 ? "two threads have other bits" : loom_isa_name(isa);
	clear(outputs);
	return wrong;
}

static void check(const char *name, const struct loom_graph *graph, const char *grouping)
{
	const struct loom_planner_options options = {
		.chip = loom_preset_find("soft"), .grouping = grouping,
	};
	enum loom_isa isa, most = loom_isa_has();
	struct loom_array want[OUTPUTS] = { 0 };
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	const char *wrong;
	struct loom_error err;

	loom_isa_limit(most);
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", options.chip, &target, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s: %s", name, err.text);
	wrong = run(session, program, want);
	loom_session_destroy(session);
	for (isa = LOOM_ISA_BASE; isa < most && !wrong; isa++)
		wrong = compare(target, program, 1, isa, want);
	if (!wrong)
		wrong = compare(target, program, 2, most, want);
	tap_ok(!wrong, "%s: %s", name, wrong ? wrong : "the same bits in every way");
	clear(want);
	loom_target_close(target);
	loom_program_destroy(program);
}

static bool is_quick(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(quick); i++)
		if (!strcmp(quick[i], name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "all");
	struct loom_graph *graph;
	struct loom_error err;
	struct net net;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (model_open(&models[i], &graph, &err))
			tap_fatal("%s", err.text);
		check(models[i].name, graph, "layergroup");
		loom_graph_destroy(graph);
	}
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++) {
		if (!all && !is_quick(int8_networks[i].name))
			continue;
		check(int8_networks[i].name, net_open(&net, &int8_networks[i]), "layerwise");
		net_close(&net);
	}
	return tap_end();
}
