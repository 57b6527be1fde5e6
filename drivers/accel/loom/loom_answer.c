// SPDX-License-Identifier: GPL-2.0
#include <linux/nospec.h>

#include "loom_device.h"
#include "loom_query.h"
#include "loom_user.h"

/* Arguments and answers of queries, see loom_query.c. */

/**
 * loom_query_answer() - answer with one structure
 * @loom: the device
 * @args: from the client
 * @answer: the structure
 * @size: its bytes
 *
 * Return: 0 or -errno.
 */
int loom_query_answer(struct loom_device *loom, struct drm_loom_query *args, const void *answer,
		      u64 size)
{
	if (args->stride)
		return loom_refuse(&loom->drm, -EINVAL, "query %u is no array: stride %u",
				   args->type, args->stride);
	if (loom_user_write(args->ptr, args->size, answer, size))
		return loom_refuse(&loom->drm, -EFAULT, "query %u: no room at %#llx", args->type,
				   args->ptr);
	args->size = size;
	return 0;
}

/**
 * loom_query_stride() - stride of the client's array
 * @args: from the client
 * @first_version: bytes of an element in its first version
 *
 * Return: bytes, or 0 if it is invalid.
 */
u32 loom_query_stride(const struct drm_loom_query *args, u32 first_version)
{
	if (!args->stride)
		return first_version;
	return loom_user_check_stride(args->stride, first_version) ? 0 : args->stride;
}

/**
 * loom_query_answer_array() - answer with an array
 * @loom: the device
 * @args: from the client
 * @stride: loom_query_stride(), not zero
 * @elements: as many as the client has room for
 * @size: bytes of an element
 * @count: number of all elements
 *
 * Return: 0 or -errno.
 */
int loom_query_answer_array(struct loom_device *loom, struct drm_loom_query *args, u32 stride,
			    const void *elements, size_t size, u64 count)
{
	if (count > U32_MAX / stride)
		return loom_refuse(&loom->drm, -E2BIG, "query %u: %llu elements of %u bytes",
				   args->type, count, stride);
	if (loom_user_write_array(args->ptr, args->size, stride, elements, size, count))
		return loom_refuse(&loom->drm, -EFAULT, "query %u: no room at %#llx", args->type,
				   args->ptr);
	args->size = count * stride;
	return 0;
}

/**
 * loom_query_find_region() - region of a request
 * @loom: the device
 * @args: from the client
 * @id: number of the region
 *
 * Return: the region, or NULL.
 */
struct loom_region *loom_query_find_region(struct loom_device *loom,
					   const struct drm_loom_query *args, u32 id)
{
	if (id >= DRM_LOOM_REGION_COUNT) {
		loom_refuse(&loom->drm, -EINVAL, "query %u: no region %u", args->type, id);
		return NULL;
	}
	return &loom->region[array_index_nospec(id, DRM_LOOM_REGION_COUNT)];
}

/* Check that a query of the device as a whole has no index. Return: 0 or -EINVAL. */
int loom_query_no_index(struct loom_device *loom, const struct drm_loom_query *args)
{
	if (!args->index)
		return 0;
	return loom_refuse(&loom->drm, -EINVAL, "query %u takes no index: %u", args->type,
			   args->index);
}
