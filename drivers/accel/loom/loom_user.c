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
 * say how large theirs are. An element of an array that is larger than the driver's must be zero
 * behind it; what the client leaves out counts as zero. A record for the client, and each element
 * of an array for it, is cut at the size that the client has, and filled up with zeroes if the
 * client has more. So a client can tell a field that this driver does not know from one that is
 * left from before, and nothing is written behind what the client has.
 *
 * No structure grows past LOOM_USER_MAX_BYTES: an older client's buffer may be larger than that,
 * and clearing it all would be work without bound.
 */

#define LOOM_USER_MAX_BYTES	4096

/* Without CAP_PERFMON a sum changes in steps of a part of the whole. */
#define LOOM_USER_STEPS		64

/**
 * loom_user_rounded() - a sum over all clients, as a client may know it
 * @bytes: the sum
 * @own: what the client has of it
 * @total: most that it can be
 *
 * With CAP_PERFMON the sum itself. Without, the part of others is rounded up. Rejected: to round
 * the sum. A client could allocate until it changes, and know what others have.
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
 * loom_user_check_stride() - whether elements can be of such a size
 * @stride: what the client says
 * @min_stride: bytes of the first version
 *
 * Return: 0 or -EINVAL.
 */
int loom_user_check_stride(u32 stride, u32 min_stride)
{
	return stride < min_stride || stride > LOOM_USER_MAX_BYTES ? -EINVAL : 0;
}

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
	return array->count ? loom_user_check_stride(array->stride, min_stride) : 0;
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
 * @size: bytes of @record; what the client has beyond is cleared
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
 * @to_size: bytes that the client has there, not all of which need be used
 * @stride: bytes of the client's element, checked
 * @elements: what to write
 * @size: bytes of one of @elements; see loom_user_write()
 * @count: how many there are; those for which there is room are written, the last one maybe in part
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
