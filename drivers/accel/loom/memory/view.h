/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_VIEW_H
#define LOOM_VIEW_H

struct drm_gem_object;
struct iosys_map;
struct loom_device;
struct ttm_buffer_object;
struct ttm_device;
struct ttm_resource;
struct vm_area_struct;

void loom_view_unmap_all(struct loom_device *loom);
int loom_view_io_reserve(struct ttm_device *ttm, struct ttm_resource *resource);
unsigned long loom_view_io_pfn(struct ttm_buffer_object *tbo, unsigned long page);
int loom_view_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma);
int loom_view_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map);

#endif /* LOOM_VIEW_H */
