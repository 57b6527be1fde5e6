/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_VERIFY_H
#define LOOM_VERIFY_H

#include "loom_native.h"
#include "loom_plan.h"

/**
 * DOC: Verifier interface
 *
 * The room core/verify proves a plan safe before it runs. Its input is the bytes of a plan, from an
 * untrusted client, and the description of a chip. Its output is a decoded plan (loom_plan.h), or a
 * record of the broken rule. plan.c describes the proof, its files, the verifier's own safety, and
 * rejected designs.
 *
 * It uses core/op, and core/clock for the cycles of decoded commands. It does not depend on the
 * engine, which does not matter to the safety of a plan.
 */

/* Bounds of a verification's work and memory per byte of the plan, plus constants; tested. */
#define LOOM_PLAN_WORK_BYTE	32
#define LOOM_PLAN_WORK_START	(1U << 17)
#define LOOM_PLAN_MEMORY_BYTE	8
#define LOOM_PLAN_MEMORY_START	(1U << 20)

/**
 * loom_plan_create_native() - prove a plan safe and decode it
 * @blob: the plan as in &struct drm_loom_plan_header, eight-byte aligned. It must not change during
 *	the call, and may be freed afterwards
 * @size: bytes of it
 * @chip: of the device
 * @native: its native commands, or NULL
 * @plan: out: the decoded plan
 * @reject: out: the broken rule (-EBADMSG); zeroed otherwise
 *
 * O(n log n) time and O(n) memory in tensors plus commands: at most LOOM_PLAN_WORK_BYTE and
 * LOOM_PLAN_MEMORY_BYTE for each byte.
 *
 * Return: 0; -EBADMSG if a rule is broken; -ENOMEM; -EINTR if loom_port_relax() has returned false.
 */
int __must_check loom_plan_create_native(const void *blob, u64 size,
					 const struct drm_loom_chip *chip,
					 const struct loom_native *native, struct loom_plan **plan,
					 struct drm_loom_reject *reject);

/* The same without native commands. */
static inline int __must_check loom_plan_create(const void *blob, u64 size,
						const struct drm_loom_chip *chip,
						struct loom_plan **plan,
						struct drm_loom_reject *reject)
{
	return loom_plan_create_native(blob, size, chip, NULL, plan, reject);
}

/**
 * loom_plan_peak_bytes() - upper bound of the memory of a verification, including its plan
 * @blob: the plan as for that, not checked
 * @size: bytes of it
 *
 * Return: bytes, an upper bound of its allocations, without @blob.
 */
u64 loom_plan_peak_bytes(const void *blob, u64 size);

/**
 * loom_plan_bytes() - memory that a decoded plan takes
 * @plan: the plan
 *
 * Return: sum of the requested sizes in bytes.
 */
u64 loom_plan_bytes(const struct loom_plan *plan);

/**
 * loom_plan_destroy() - free a decoded plan
 * @plan: the plan, or NULL
 */
void loom_plan_destroy(struct loom_plan *plan);

#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
/* rule.c, in the library and in the tests only: the name of a rule, as in the enum, lower case. */
const char *loom_rule_name(u32 rule);
/* Its requirement, in one line. Both are constant strings, also for what is no rule. */
const char *loom_rule_text(u32 rule);
#endif

#endif /* LOOM_VERIFY_H */
