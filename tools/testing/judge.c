// SPDX-License-Identifier: MIT
/*
 * The judge looks at every plan that a test makes which is not about plans: the linker gives it the
 * calls of loom_program_create() (--wrap, see the Makefile), the library's own included. It shares
 * no code with planner, verifier and engine (loom_replay.h). A fault ends the test. Tests about
 * plans have theirs replayed by outcome_run().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"
#include "loom_replay.h"

int __wrap_loom_program_create(const struct loom_graph *graph,
			       const struct loom_planner_options *options,
			       struct loom_program **program, struct loom_error *err)
{
	struct loom_replay_options by = { .max_faults = 1 };
	struct loom_replay_report *report;
	struct loom_error why;
	int ret;

	ret = __real_loom_program_create(graph, options, program, err);
	if (ret)
		return ret;
	by.chip = options->chip;
	ret = loom_replay_program(*program, &by, &report, &why);
	/* there are plans that it has no memory for, and tests in which there is none */
	if (ret == -E2BIG || ret == -ENOMEM)
		return 0;
	if (!ret && !report->num_faults) {
		loom_replay_destroy(report);
		return 0;
	}
	printf("Bail out! the judge: %s\n", ret ? why.text : report->faults[0].text);
	exit(1);
}
