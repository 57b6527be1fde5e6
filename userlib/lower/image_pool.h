/* SPDX-License-Identifier: MIT */
/**
 * DOC: Image pools
 *
 * Values whose scope is a texture are not placed in the arena but in images, each shared by several
 * values in turn, as the storage tokens of two dimensions (place/tokens.c) determine:
 *
 * 1. When storage.c decides where each result lives, it asks here first. A value of texture scope
 *    becomes a root with the strides of an image. The pitch is not known yet, so a provisional one
 *    is used that no row can have: a view at that pitch is a view at any pitch.
 * 2. Tokens are assigned. A storage id is an image, as wide and as high as the largest of its
 *    values on each axis; it gets a slot of the plan, and the pitch is the width, aligned.
 * 3. The strides of all roots and of all views of them are computed again.
 *
 * With groups, operands are examined before the second step, at provisional pitches, because values
 * that stay in the SRAM are in no image. The others get their pitch when it is known
 * (loom_image_ref()), and are loaded and stored like values in the arena.
 *
 * The rest of lowering sees strides: kernels load rows at a pitch, and CONV and POOL may read and
 * write images in DRAM (emit.c).
 *
 * A shape becomes rows and columns as in TVM: the axes before a split are rows, those behind it
 * are columns, channels within them. The split is before the last axis but one, for weights
 * behind the first, for NHWC behind N and H. So a row of [N, C, H, W] is a channel plane.
 *
 * Only computed values are in images. Inputs, outputs and observed values are bound and read by
 * others as dense bytes. The result of a RESHAPE that is no view of its operand must be dense,
 * because rows of one shape are not rows of the other.
 *
 * Groups with all values in images move the same bytes as groups without images.
 *
 * Rejected: one pitch for all images. It would make step 3 unnecessary, and every image as wide as
 * the widest.
 */
#ifndef LOOM_IMAGE_POOL_H
#define LOOM_IMAGE_POOL_H

#include "graph/graph.h"
#include "loom_core.h"

struct loom_storage_options;
struct loom_storage;
struct loom_location;
struct loom_ref;

/**
 * struct loom_image_shape - a shape as an image
 * @split: first axis that is within a row
 * @height: rows
 * @width: columns: elements of a row, over @channels
 * @channels: elements of a column
 */
struct loom_image_shape {
	u32 split;
	u64 height;
	u64 width;
	u64 channels;
};

/** loom_image_flatten() - rows and columns of a value of a scope, which must be a texture */
struct loom_image_shape loom_image_flatten(const struct loom_value *value, enum loom_scope scope);

/**
 * struct loom_image_pool - an image shared by values
 * @slot: slot of the plan
 * @dtype: of its elements
 * @width: elements in a row
 * @height: rows
 * @pitch_bytes: bytes from a row to the next
 * @num_values: values that use it one after the other
 */
struct loom_image_pool {
	u32 slot;
	u32 dtype;
	u32 width;
	u32 height;
	u32 pitch_bytes;
	u32 num_values;
};

/** loom_image_claim() - makes @value a root in an image, if its scope is one and it fits */
bool loom_image_claim(struct loom_storage *storage, const struct loom_value *value);

/**
 * loom_image_place() - assigns values to images
 * @storage: the kinds of all locations and the order of the nodes must be decided
 * @options: alignment of rows
 * @err: [out] one line on failure
 *
 * Return: 0; -E2BIG for more images than a plan can have; -EINVAL; -ENOMEM.
 */
int loom_image_place(struct loom_storage *storage, const struct loom_storage_options *options,
		     struct loom_error *err);

/**
 * loom_image_ref() - convert a view at the provisional pitch to the pitch of its image
 * @storage: images must be placed
 * @id: value that owns the bytes; without effect unless it is in an image
 * @ref: the view, changed
 */
void loom_image_ref(const struct loom_storage *storage, u32 id, struct loom_ref *ref);

/** loom_image_tensor() - fills in address, dims and strides of the tensor of a root in an image */
void loom_image_tensor(const struct loom_storage *storage, u32 id,
		       struct drm_loom_plan_tensor *tensor);

#endif /* LOOM_IMAGE_POOL_H */
