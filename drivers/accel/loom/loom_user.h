/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_USER_H
#define LOOM_USER_H

#include <linux/types.h>

struct drm_loom_array;

int loom_user_array_check(const struct drm_loom_array *array, u32 min_stride, u32 max_count);
int loom_user_array_read(void *element, u32 size, const struct drm_loom_array *array, u32 index);
int __must_check loom_user_write(u64 to, u64 to_size, const void *record, size_t size);

#endif /* LOOM_USER_H */
