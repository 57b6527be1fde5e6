// SPDX-License-Identifier: MIT
#include "native.h"

#include "base/error.h"
#include "loom_verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int loom_native_create(const struct drm_loom_format *format, loom_native_fn run, void *data,
		       struct loom_native_set **set)
{
	*set = NULL;
	if (!format->id || format->pad)
		return -EINVAL;
	*set = calloc(1, sizeof(**set));
	if (!*set)
		return -ENOMEM;
	(*set)->format = *format;
	(*set)->run = run;
	(*set)->data = data;
	return 0;
}

int loom_native_add(struct loom_native_set *set, const struct loom_native_kernel *kernel,
		    struct loom_error *err)
{
	struct loom_native_kernel *kernels;
	uint32_t i;

	if (!kernel->num_ops || kernel->num_ops > LOOM_NATIVE_OPS || !kernel->ops)
		return loom_error_set(err, -EINVAL,
				      "a native kernel has %u operators: it must have 1 to %d",
				      kernel->num_ops, LOOM_NATIVE_OPS);
	for (i = 0; i < kernel->num_ops; i++)
		if (!kernel->ops[i] || !*kernel->ops[i])
			return loom_error_set(err, -EINVAL,
					      "operator %u of a native kernel has no name", i);
	if (!kernel->infer || !kernel->cycles || !kernel->write)
		return loom_error_set(err, -EINVAL, "the native kernel of %s has no %s",
				      kernel->ops[kernel->num_ops - 1],
				      !kernel->infer ? "infer" :
				      !kernel->cycles ? "cycles" : "write");
	kernels = realloc(set->kernels, (set->num_kernels + 1) * sizeof(*kernels));
	if (!kernels)
		return loom_error_set(err, -ENOMEM, "no memory");
	set->kernels = kernels;
	kernels[set->num_kernels++] = *kernel;
	return 0;
}

void loom_native_destroy(struct loom_native_set *set)
{
	if (!set)
		return;
	free(set->kernels);
	free(set);
}

const struct loom_attr *loom_native_attr(const struct loom_native_node *node, uint32_t op,
					 const char *name)
{
	uint32_t i;

	for (i = 0; op < node->num_ops && i < node->ops[op]->num_attrs; i++)
		if (!strcmp(node->ops[op]->attrs[i].name, name))
			return &node->ops[op]->attrs[i];
	return NULL;
}

uint8_t *loom_native_at(const struct loom_native_view *view, const uint32_t *index)
{
	uint32_t lane = view->lane_start + index[view->lane_axis], i;
	uint8_t *at = view->bytes + lane % view->lanes * view->lane_bytes;

	for (i = 0; i < view->rank; i++)
		at += view->strides[i] * (i == view->lane_axis ? lane / view->lanes : index[i]);
	return at;
}

uint32_t loom_native_longest(const struct loom_native_set *set)
{
	uint32_t longest = 0, i;

	for (i = 0; set && i < set->num_kernels; i++)
		if (set->kernels[i].num_ops > longest)
			longest = set->kernels[i].num_ops;
	return longest;
}

static int take_all(struct loom_payload *payload)
{
	payload->zero = (1U << payload->command->outputs) - 1;
	return 0;
}

int loom_native_plan_create(const void *plan, size_t plan_bytes, const struct drm_loom_chip *chip,
			    struct loom_plan **decoded, struct drm_loom_reject *reject)
{
	struct drm_loom_plan_header_native header = { .plan.version = 0 };
	struct loom_native any = { .formats = &header.format, .check = take_all };

	if (plan_bytes >= sizeof(header))
		memcpy(&header, plan, sizeof(header));
	any.count = header.plan.version == DRM_LOOM_PLAN_VERSION_NATIVE;
	return loom_plan_create_native(plan, plan_bytes, chip, &any, decoded, reject);
}
