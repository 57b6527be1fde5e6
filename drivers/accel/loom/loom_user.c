// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <drm/loom_accel.h>

#include "loom_user.h"

/**
 * DOC: Structures of a client
 *
 * Structures in a client's memory may be older or newer than those of this driver, so both sides
 * pass their sizes. Bytes of an array element beyond the driver's structure must be zero; missing
 * bytes count as zero. A record for the client, and each element of an array for it, is truncated
 * to the client's size, or padded with zeroes. So a client can tell unknown fields from stale ones,
 * and the driver never writes beyond the client's size.
 *
 * No structure may grow beyond LOOM_USER_MAX_BYTES, otherwise clearing a client's larger buffer
 * would be unbounded work.
 */

#define LOOM_USER_MAX_BYTES	4096

/* Without CAP_PERFMON sums have a granularity of the total divided by this. */
#define LOOM_USER_STEPS		64

/**
 * loom_user_rounded() - round a sum over all clients for a client
 * @bytes: the sum
 * @own: the client's part of it
 * @total: its maximum
 *
 * With CAP_PERFMON the sum itself. Without, the part of others is rounded up. Rejected: rounding
 * the sum. A client could allocate until it changes, and compute the part of others.
 *
 * Return: bytes, at most @total.
 */
u64 loom_user_rounded(u64 bytes, u64 own, u64 total)
{
	u64 step = max(total / LOOM_USER_STEPS, 1), rest;

	if (perfmon_capable() || bytes <= own)
		return bytes;
	div64_u64_rem(bytes - own, step, &rest);
	return rest ? min(bytes + step - rest, total) : bytes;
}

/**
 * loom_user_check_stride() - check the size of a client's elements
 * @stride: from the client
 * @min_stride: bytes of the first version
 *
 * Return: 0 or -EINVAL.
 */
int loom_user_check_stride(u32 stride, u32 min_stride)
{
	return stride < min_stride || stride > LOOM_USER_MAX_BYTES ? -EINVAL : 0;
}

/**
 * loom_user_array_check() - check an array of a client
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
	return array->count ? loom_user_check_stride(array->stride, min_stride) : 0;
}

/**
 * loom_user_array_read() - read an element of a client's array
 * @element: out
 * @size: bytes of @element; the client's bytes beyond must be zero
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
 * @record: the record
 * @size: bytes of @record; the client's bytes beyond are cleared
 *
 * Return: 0 or -EFAULT.
 */
int loom_user_write(u64 to, u64 to_size, const void *record, size_t size)
{
	u64 copied = min_t(u64, to_size, size), end = min_t(u64, to_size, LOOM_USER_MAX_BYTES);

	if (!to)
		return 0;
	if (copy_to_user(u64_to_user_ptr(to), record, copied))
		return -EFAULT;
	if (end > copied && clear_user(u64_to_user_ptr(to + copied), end - copied))
		return -EFAULT;
	return 0;
}

/**
 * loom_user_write_array() - write an array to a client, if it has asked for one
 * @to: user address, or zero: nothing is written
 * @to_size: bytes of the client's array, may be more than needed
 * @stride: bytes of the client's element, checked
 * @elements: the elements
 * @size: bytes of one of @elements; see loom_user_write()
 * @count: number of @elements; those that fit are written, the last one maybe in part
 *
 * Return: 0 or -EFAULT.
 */
int loom_user_write_array(u64 to, u64 to_size, u32 stride, const void *elements, size_t size,
			  u64 count)
{
	u64 i, done = 0;

	if (!to)
		return 0;
	for (i = 0; i < count && done < to_size; i++, done += stride) {
		if (loom_user_write(to + done, min_t(u64, to_size - done, stride),
				    elements + i * size, size))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}
