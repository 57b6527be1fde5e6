// SPDX-License-Identifier: MIT
#include "parallel.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether all items share the array. */
static bool is_shared(const struct loom_program_tensor *tensor, const struct loom_array *array)
{
	return array->rank == tensor->rank &&
	       !memcmp(array->dims, tensor->dims, tensor->rank * sizeof(*tensor->dims));
}

/* Whether @num_items items are contiguous along the first dimension, or one in front of it. */
static bool holds_items(const struct loom_program_tensor *tensor, const struct loom_array *array,
			u32 num_items)
{
	int64_t first;

	if (array->rank == tensor->rank + 1)
		return array->dims[0] == num_items &&
		       !memcmp(array->dims + 1, tensor->dims,
			       tensor->rank * sizeof(*tensor->dims)) &&
		       array->size_bytes == tensor->size_bytes * num_items;
	return tensor->rank && array->rank == tensor->rank &&
	       !__builtin_mul_overflow(tensor->dims[0], (int64_t)num_items, &first) &&
	       array->dims[0] == first &&
	       !memcmp(array->dims + 1, tensor->dims + 1,
		       (tensor->rank - 1) * sizeof(*tensor->dims)) &&
	       array->size_bytes == tensor->size_bytes * num_items;
}

int loom_items_check(const struct loom_program_tensor *tensor, const struct loom_array *array,
		     u32 num_items, struct loom_error *err)
{
	char wants[LOOM_DIMS_TEXT], has[LOOM_DIMS_TEXT];

	if (array->dtype != tensor->dtype)
		return loom_error_set(err, -EINVAL, "input '%s' takes %s elements, not %s",
				      tensor->name, loom_dtype_name(tensor->dtype),
				      loom_dtype_name(array->dtype));
	if (holds_items(tensor, array, num_items) ||
	    (is_shared(tensor, array) && array->size_bytes == tensor->size_bytes))
		return 0;
	return loom_error_set(err, -EINVAL,
			      "input '%s' takes %s elements for each of %u items, not %s in all",
			      tensor->name,
			      loom_dims_print(wants, sizeof(wants), tensor->rank, tensor->dims),
			      num_items,
			      loom_dims_print(has, sizeof(has), array->rank, array->dims));
}

int loom_items_set(struct loom_session *session, u32 input, const struct loom_array *array,
		   u32 item, bool first, struct loom_error *err)
{
	const struct loom_program_tensor *tensor = &session->program->inputs[input];
	struct loom_array one = *array;

	if (is_shared(tensor, array))
		return first ? loom_session_set_input(session, input, &one, err) : 0;
	one.rank = tensor->rank;
	memcpy(one.dims, tensor->dims, sizeof(one.dims));
	one.size_bytes = tensor->size_bytes;
	one.data = (uint8_t *)array->data + tensor->size_bytes * item;
	return loom_session_set_input(session, input, &one, err);
}

int loom_items_alloc(const struct loom_program_tensor *tensor, u32 num_items,
		     struct loom_array *array)
{
	int64_t dims[LOOM_GRAPH_RANK] = { 1 };
	u32 rank = tensor->rank;
	int ret;

	memcpy(dims, tensor->dims, rank * sizeof(*dims));
	if (num_items > 1 || rank) {
		rank = rank ? rank : 1;
		if (__builtin_mul_overflow(dims[0], (int64_t)num_items, &dims[0]))
			return -ENOMEM;
	}
	ret = loom_array_alloc(array, tensor->dtype, rank, dims);
	if (ret)
		return ret == -EOVERFLOW ? -ENOMEM : ret;
	array->name = strdup(tensor->name);
	if (array->name)
		return 0;
	loom_array_clear(array);
	return -ENOMEM;
}

void loom_items_put(const struct loom_array *item, struct loom_array *array, u32 index)
{
	memcpy((uint8_t *)array->data + item->size_bytes * index, item->data, item->size_bytes);
}
