/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SHARE_H
#define LOOM_SHARE_H

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct loom_bo;
struct loom_device;
struct sg_table;

#ifdef CONFIG_DRM_ACCEL_LOOM_SHARE
int loom_share_gem_pin(struct drm_gem_object *gem);
void loom_share_gem_unpin(struct drm_gem_object *gem);
struct sg_table *loom_share_gem_sg_table(struct drm_gem_object *gem);
struct drm_gem_object *loom_share_import(struct drm_device *drm, struct dma_buf *dmabuf);
bool loom_share_detach(struct loom_bo *bo);
void loom_share_end_all(struct loom_device *loom);
#else
/* no operations in the tables of DRM, which then refuses */
#define loom_share_gem_pin		NULL
#define loom_share_gem_unpin		NULL
#define loom_share_gem_sg_table		NULL
#define loom_share_import		NULL

#define loom_share_end_all		loom_moves_drain

static inline bool loom_share_detach(struct loom_bo *bo)
{
	return false;
}
#endif

#endif /* LOOM_SHARE_H */
