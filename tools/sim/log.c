// SPDX-License-Identifier: MIT
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>

void sim_say(const struct sim *sim, const char *format, ...)
{
	char line[200];
	va_list args;

	if (!sim->options->verbose)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "loom-sim: %s\n", line);
}
