// SPDX-License-Identifier: MIT
/* Objectives by name. */
#include "planner.h"

const char *loom_objective_name(unsigned int objective)
{
	static const char *const names[] = {
		[LOOM_OBJECTIVE_TIME] = "time",
		[LOOM_OBJECTIVE_BYTES] = "bytes",
		[LOOM_OBJECTIVE_SRAM] = "sram",
	};

	return objective < ARRAY_SIZE(names) ? names[objective] : NULL;
}
