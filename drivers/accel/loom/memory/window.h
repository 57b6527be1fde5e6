/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_WINDOW_H
#define LOOM_WINDOW_H

struct loom_bo;
struct loom_device;
struct ttm_buffer_object;
struct ttm_device;
struct ttm_resource;
struct vm_area_struct;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
void loom_window_unmap_all(struct loom_device *loom);
int loom_window_io_reserve(struct ttm_device *ttm, struct ttm_resource *resource);
unsigned long loom_window_io_pfn(struct ttm_buffer_object *tbo, unsigned long page);
int loom_window_mmap(struct loom_bo *bo, struct vm_area_struct *vma);
#else
/* TTM maps system pages itself */
#define loom_window_io_reserve	NULL
#define loom_window_io_pfn	NULL

static inline void loom_window_unmap_all(struct loom_device *loom)
{
}
#endif

#endif /* LOOM_WINDOW_H */
