/* SPDX-License-Identifier: MIT */
/*
 * DOC: Plan bytes
 *
 * This room writes, reads, costs and draws the bytes of plans (&struct drm_loom_plan_header). It is
 * given tensors, commands and steps, or finished bytes; it gives bytes, counts, text or a picture.
 * It knows the format, the device's operations (loom_op.h) and how a program is described
 * (loom_program.h), but not how a plan comes about: lowering and grouping write through build.h and
 * are not known here.
 *
 *	build.c		writing: tables that grow, sorted and put together at the end (build.h)
 *	cost.c		what each step of a finished plan moves and computes (cost.h)
 *	dump.c		bytes as text, loom_plan_dump()
 *	bound.c		what a group waits for most (bound.h)
 *	timeline.c	when each step and command runs (timeline.h)
 *	trace.c		the time of a plan as Chrome trace events, loom_program_trace()
 *	svg.c		a picture of a plan, loom_program_svg(), with svg_axes.c, svg_groups.c,
 *			svg_streams.c and svg_tensors.c for its parts (svg.h)
 *
 * Costs are read from the finished bytes, so that all strategies are measured alike, whatever each
 * of them estimated.
 *
 * Rejected: commands in the order in which they run. Groups write a step's loads after the compute
 * commands of the step before, and tensors get their lifetimes from the commands that touch them:
 * so tables grow in any order and are sorted once. Rejected: an in-memory form of a plan
 * beside its bytes. Core decodes and verifies the bytes, and two forms could disagree.
 */
#ifndef LOOM_PLAN_ROOM_H
#define LOOM_PLAN_ROOM_H

#include "build.h"
#include "cost.h"

#endif /* LOOM_PLAN_ROOM_H */
