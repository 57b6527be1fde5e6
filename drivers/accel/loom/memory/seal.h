/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SEAL_H
#define LOOM_SEAL_H

#include <linux/atomic.h>

#include "loom_bo.h"

struct vm_area_struct;

#ifdef CONFIG_DRM_ACCEL_LOOM_SHARE
/* Whether no one can write the buffer any more. Writers must ask under the reservation lock. */
static inline bool loom_bo_is_sealed(const struct loom_bo *bo)
{
	return atomic_read(&bo->writers) < 0;
}

/* Count a writer, until loom_seal_release(). Return: 0; -EPERM if the buffer is sealed. */
static inline int loom_seal_hold(struct loom_bo *bo)
{
	return atomic_inc_unless_negative(&bo->writers) ? 0 : -EPERM;
}

static inline void loom_seal_release(struct loom_bo *bo)
{
	atomic_dec(&bo->writers);
}

int loom_seal_mmap(struct loom_bo *bo, struct vm_area_struct *vma);
void loom_seal_munmap(struct loom_bo *bo, const struct vm_area_struct *vma);
void loom_seal_vm_open(struct vm_area_struct *vma);
void loom_seal_vm_close(struct vm_area_struct *vma);
#else
#define loom_seal_vm_open	ttm_bo_vm_open
#define loom_seal_vm_close	ttm_bo_vm_close

static inline bool loom_bo_is_sealed(const struct loom_bo *bo)
{
	return false;
}

static inline int loom_seal_hold(struct loom_bo *bo)
{
	return 0;
}

static inline void loom_seal_release(struct loom_bo *bo)
{
}

static inline int loom_seal_mmap(struct loom_bo *bo, struct vm_area_struct *vma)
{
	return 0;
}

static inline void loom_seal_munmap(struct loom_bo *bo, const struct vm_area_struct *vma)
{
}
#endif

#endif /* LOOM_SEAL_H */
