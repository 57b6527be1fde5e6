/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_USER_H
#define LOOM_USER_H

#include <linux/sched.h>
#include <linux/types.h>

#include <drm/drm_print.h>

struct drm_loom_array;

/**
 * loom_refuse() - log the reason of a failing call in the debug log
 * @drm: the device
 * @error: -errno
 * @fmt: format of the reason, followed by its arguments
 *
 * Client errors are only logged with drm.debug=2, one line per refused call.
 *
 * Return: @error.
 */
#define loom_refuse(drm, error, fmt, ...)					\
({										\
	int loom_error_ = (error);						\
										\
	drm_dbg_driver(drm, "%s[%d]: " fmt ": %d\n", current->comm,		\
		       task_pid_nr(current), ##__VA_ARGS__, loom_error_);	\
	loom_error_;								\
})

u64 loom_user_rounded(u64 bytes, u64 own, u64 total);
int loom_user_check_stride(u32 stride, u32 min_stride);
int loom_user_array_check(const struct drm_loom_array *array, u32 min_stride, u32 max_count);
int loom_user_array_read(void *element, u32 size, const struct drm_loom_array *array, u32 index);
int __must_check loom_user_write(u64 to, u64 to_size, const void *record, size_t size);
int __must_check loom_user_write_array(u64 to, u64 to_size, u32 stride, const void *elements,
				       size_t size, u64 count);

#endif /* LOOM_USER_H */
