// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include <drm/loom_accel.h>

#include "loom_user.h"

/**
 * DOC: Structures of a client
 *
 * Structures in a client's memory may be older or newer than those of this driver, so both sides
 * say how large theirs are. An element of an array that is larger than the driver's must be zero
 * behind it; what the client leaves out counts as zero. A record for the client is cut at the size
 * that it has room for, and ends early if the client has more.
 */

/* Elements may grow, but not without bound. */
#define LOOM_USER_MAX_STRIDE	4096

/**
 * loom_user_array_check() - whether an array of a client can be read
 * @array: the array
 * @min_stride: bytes of an element's first version
 * @max_count: cap on its elements
 *
 * Return: 0, -E2BIG or -EINVAL.
 */
int loom_user_array_check(const struct drm_loom_array *array, u32 min_stride, u32 max_count)
{
	if (array->count > max_count)
		return -E2BIG;
	if (array->count && (array->stride < min_stride || array->stride > LOOM_USER_MAX_STRIDE))
		return -EINVAL;
	return 0;
}

/**
 * loom_user_array_read() - read an element of a client's array
 * @element: out
 * @size: bytes of @element; what the client's stride has beyond must be zero
 * @array: the array, checked
 * @index: below its count
 *
 * Return: 0, -EFAULT, or -E2BIG.
 */
int loom_user_array_read(void *element, u32 size, const struct drm_loom_array *array, u32 index)
{
	return copy_struct_from_user(element, size,
				     u64_to_user_ptr(array->ptr) + (u64)index * array->stride,
				     array->stride);
}

/**
 * loom_user_write() - write a record to a client, if it has asked for one
 * @to: user address, or zero: nothing is written
 * @to_size: bytes that the client has there
 * @record: what to write
 * @size: bytes of @record; the first @to_size are written if that is less
 *
 * Return: 0 or -EFAULT.
 */
int loom_user_write(u64 to, u64 to_size, const void *record, size_t size)
{
	if (!to)
		return 0;
	return copy_to_user(u64_to_user_ptr(to), record, min_t(u64, to_size, size)) ? -EFAULT : 0;
}
