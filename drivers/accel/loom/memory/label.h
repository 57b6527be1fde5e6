/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LABEL_H
#define LOOM_LABEL_H

#include <linux/spinlock.h>
#include <linux/string.h>

#include <drm/loom_accel.h>

#include "loom_bo.h"

/**
 * loom_label_read() - copy the label of a buffer
 * @gem: the buffer; it may be dying, but not freed
 * @label: out: DRM_LOOM_LABEL_BYTES, padded with zeroes
 *
 * May be called in any context except interrupts.
 */
static inline void loom_label_read(struct drm_gem_object *gem, char *label)
{
	struct loom_bo *bo = gem_to_loom_bo(gem);

	raw_spin_lock(&bo->label_lock);
	memcpy(label, bo->label, DRM_LOOM_LABEL_BYTES);
	raw_spin_unlock(&bo->label_lock);
}

#endif /* LOOM_LABEL_H */
