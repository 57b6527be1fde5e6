/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_VIEW_H
#define LOOM_VIEW_H

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
struct drm_gem_object;
struct iosys_map;
struct vm_area_struct;

int loom_view_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma);
int loom_view_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map);
void loom_view_gem_vunmap(struct drm_gem_object *gem, struct iosys_map *map);
#else
/* all bytes are in system pages */
#define loom_view_gem_mmap	drm_gem_ttm_mmap
#define loom_view_gem_vmap	drm_gem_ttm_vmap
#define loom_view_gem_vunmap	drm_gem_ttm_vunmap
#endif

#endif /* LOOM_VIEW_H */
