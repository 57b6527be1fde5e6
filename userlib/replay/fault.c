// SPDX-License-Identifier: MIT
/* Faults of a plan, and errors that end the check. See replay.h. */
#include "replay.h"

#include <stdarg.h>
#include <stdio.h>

/* Number of faults after which the replay stops. */
#define REPLAY_ENOUGH	1000

const char *loom_replay_kind_name(unsigned int kind)
{
	static const char *const names[LOOM_REPLAY_KINDS] = {
		[LOOM_REPLAY_FORM] = "form",
		[LOOM_REPLAY_ROOM] = "room",
		[LOOM_REPLAY_OVERLAP] = "overlap",
		[LOOM_REPLAY_LIFETIME] = "lifetime",
		[LOOM_REPLAY_BOUNDS] = "bounds",
		[LOOM_REPLAY_READ_ONLY] = "read-only",
		[LOOM_REPLAY_UNWRITTEN] = "unwritten",
		[LOOM_REPLAY_TWICE] = "twice",
		[LOOM_REPLAY_IN_PLACE] = "in-place",
		[LOOM_REPLAY_RACE] = "race",
		[LOOM_REPLAY_VALUE] = "value",
		[LOOM_REPLAY_COUNT] = "count",
	};

	return kind < LOOM_REPLAY_KINDS ? names[kind] : NULL;
}

bool replay_fault(struct replay *r, enum loom_replay_kind kind, const char *format, ...)
{
	struct loom_replay_fault *fault;
	va_list args;
	int at;

	if (++r->report->num_faults >= REPLAY_ENOUGH)
		r->broken = true;
	if (r->report->num_listed == r->max_faults)
		return false;
	fault = &r->faults[r->report->num_listed++];
	fault->kind = kind;
	fault->step = r->step;
	fault->command = r->command;
	at = snprintf(fault->text, sizeof(fault->text), "%s: ", loom_replay_kind_name(kind));
	if (r->step != REPLAY_NONE)
		at += snprintf(fault->text + at, sizeof(fault->text) - at, "step %u, ", r->step);
	if (r->command != REPLAY_NONE)
		at += snprintf(fault->text + at, sizeof(fault->text) - at, "command %u (%s): ",
			       r->command, r->op ? r->op->name : "?");
	va_start(args, format);
	vsnprintf(fault->text + at, sizeof(fault->text) - at, format, args);
	va_end(args);
	return false;
}

bool replay_stop(struct replay *r, int error)
{
	r->broken = true;
	if (!r->error)
		r->error = error;
	return false;
}

bool replay_misfit(struct replay *r, uint32_t operand)
{
	return replay_fault(r, LOOM_REPLAY_FORM, "operand %u does not fit the others", operand);
}
