/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_QUERY_H
#define LOOM_QUERY_H

#include <linux/errno.h>
#include <linux/types.h>

struct drm_file;
struct drm_loom_query;
struct loom_device;
struct loom_region;

int loom_query_answer(struct loom_device *loom, struct drm_loom_query *args, const void *answer,
		      u64 size);
u32 loom_query_stride(const struct drm_loom_query *args, u32 first_version);
int loom_query_answer_array(struct loom_device *loom, struct drm_loom_query *args, u32 stride,
			    const void *elements, size_t size, u64 count);
struct loom_region *loom_query_find_region(struct loom_device *loom,
					   const struct drm_loom_query *args, u32 id);
int loom_query_no_index(struct loom_device *loom, const struct drm_loom_query *args);

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
int loom_query_list(struct loom_device *loom, struct drm_loom_query *args, struct drm_file *file);
#else
static inline int loom_query_list(struct loom_device *loom, struct drm_loom_query *args,
				  struct drm_file *file)
{
	return -EINVAL;
}
#endif

#endif /* LOOM_QUERY_H */
