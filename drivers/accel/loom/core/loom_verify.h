/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_VERIFY_H
#define LOOM_VERIFY_H

#include "loom_plan.h"
#include "loom_chip.h"

/**
 * DOC: Verifier interface
 *
 * The room core/verify proves a plan safe before anything runs. It is given the bytes of a plan,
 * from a client that is not trusted, and the topology of a device. It gives a decoded plan
 * (loom_plan.h), or a record that says which rule is broken where. What it proves, how it stays
 * safe itself and what was rejected is said in plan.c.
 *
 * - plan.c: header, tables, limits, slots; calls the files below in the order of the rules
 * - image.c: slots that are images, and the tensors and views in them
 * - tensor.c: each tensor by itself: type, strides, size, lifetime, alias
 * - overlap.c: tensors that are alive in the same step do not share bytes
 * - step.c: the steps, and in each its commands
 * - command.c: opcode, operands and attributes; asks core/op for the rest
 * - view.c: each operand lies in its tensor
 * - data.c: what is read was written before, on footprint.c (which elements of a tensor a view
 *   touches) and coverage.c (which elements were written)
 * - hazard.c: the two streams of a step do not touch what the other writes
 * - splay.c: ordered sets, for coverage.c
 * - work.h: what was done so far, and when to look whether the client was killed
 * - reject.c: the record of a refusal; rule.c: names and texts of the rules
 *
 * It uses core/op, and core/clock for how long what it decodes takes. It does not know the engine:
 * what can run a plan does not matter to its safety.
 */

/* Bounds on what a verification takes, by byte of the plan and beside what each has; tested. */
#define LOOM_PLAN_WORK_BYTE	32
#define LOOM_PLAN_WORK_START	(1U << 17)
#define LOOM_PLAN_MEMORY_BYTE	8
#define LOOM_PLAN_MEMORY_START	(1U << 20)

/**
 * loom_plan_create() - prove a plan safe and decode it
 * @blob: the plan as in &struct drm_loom_plan_header, eight-byte aligned. The
 *	caller owns it, nobody else may change it during the call, and it can
 *	be freed afterwards
 * @size: bytes of it
 * @chip: of the device it shall run on
 * @plan: out: the decoded plan
 * @reject: out: why it was refused (-EBADMSG); zeroed otherwise
 *
 * O(n log n) time and O(n) memory in tensors plus commands: at most LOOM_PLAN_WORK_BYTE and
 * LOOM_PLAN_MEMORY_BYTE for each byte.
 *
 * Return: 0; -EBADMSG when a rule is broken; -ENOMEM; -EINTR when loom_port_relax()
 * said so once.
 */
int __must_check loom_plan_create(const void *blob, u64 size, const struct drm_loom_chip *chip,
				  struct loom_plan **plan, struct drm_loom_reject *reject);

/**
 * loom_plan_peak_bytes() - most memory that loom_plan_create() takes, with the plan that it makes
 * @blob: the plan as for that, not checked
 * @size: bytes of it
 *
 * Return: bytes; never less than is asked for, and @blob is not counted.
 */
u64 loom_plan_peak_bytes(const void *blob, u64 size);

/**
 * loom_plan_bytes() - memory that a decoded plan takes
 * @plan: the plan
 *
 * Return: bytes, as they were asked for.
 */
u64 loom_plan_bytes(const struct loom_plan *plan);

/**
 * loom_plan_destroy() - free a decoded plan
 * @plan: the plan, or NULL
 */
void loom_plan_destroy(struct loom_plan *plan);

/**
 * loom_rule_name() - short name of a rule, as in the enum, lower case
 * @rule: an &enum drm_loom_rule
 *
 * Return: a constant string; "unknown" for what is no rule.
 */
const char *loom_rule_name(u32 rule);

/**
 * loom_rule_text() - one line that says what the rule demands
 * @rule: an &enum drm_loom_rule
 *
 * Return: a constant string.
 */
const char *loom_rule_text(u32 rule);

#endif /* LOOM_VERIFY_H */
