/* SPDX-License-Identifier: MIT */
/*
 * DOC: Plan bytes
 *
 * This folder writes, reads, costs and draws the bytes of plans (&struct drm_loom_plan_header). The
 * input is tensors, commands and steps, or finished bytes; the output is bytes, counts, text or a
 * picture. It depends on the format, the device's operations (loom_op.h) and the description of a
 * program (loom_program.h), but not on planning: lowering and grouping call build.h.
 *
 *	build.c		writing: growing tables, sorted and assembled at the end (build.h)
 *	cost.c		moves and operations of each step of a finished plan (cost.h)
 *	dump.c		bytes as text, loom_plan_dump()
 *	bound.c		the bottleneck of a group (bound.h)
 *	timeline.c	start and end of each step and command (timeline.h)
 *	trace.c		the time of a plan as Chrome trace events, loom_program_trace()
 *	svg.c		a picture of a plan, loom_program_svg(), with svg_axes.c, svg_groups.c,
 *			svg_streams.c and svg_tensors.c for its parts (svg.h)
 *
 * Costs are read from the finished bytes, so that all strategies are measured alike, independent of
 * their estimates.
 *
 * Rejected: adding commands in the order in which they run. Groups write a step's loads after the
 * compute commands of the step before, and tensors get their lifetimes from the commands that touch
 * them: so tables grow in any order and are sorted once. Rejected: an in-memory form of a plan
 * besides its bytes. Core decodes and verifies the bytes, and two forms could disagree.
 */
#ifndef LOOM_PLAN_ROOM_H
#define LOOM_PLAN_ROOM_H

#include "build.h"
#include "cost.h"

#endif /* LOOM_PLAN_ROOM_H */
