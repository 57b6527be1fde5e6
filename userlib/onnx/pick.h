/* SPDX-License-Identifier: MIT */
/*
 * Elements at indices that come with the data. The device has no command that goes where data tell
 * it to; each index is compared with all numbers that it may be, and what is equal is kept. That
 * takes as many comparisons as there are indices times numbers, so a limit refuses what would be
 * more than a device does in reasonable time.
 */
#ifndef LOOM_ONNX_PICK_H
#define LOOM_ONNX_PICK_H

#include "import.h"

/** most comparisons of one operator */
#define LOOM_PICK_MAX	((int64_t)1 << 24)

/** loom_pick_numbers() - 0, 1, ... @count - 1 along @axis of @rank, I32 */
struct loom_value *loom_pick_numbers(struct loom_import *im, uint32_t rank, uint32_t axis,
				     int64_t count);
/** loom_pick_index() - @indices as I32, where negative ones were counted from the end, @count */
struct loom_value *loom_pick_index(struct loom_import *im, struct loom_value *indices,
				   int64_t count);
/**
 * loom_pick_elements() - y[o, i, n] = data[o, indices[o, i, n], n]
 * @im: the node
 * @data: of rank 3
 * @indices: of rank 3, from loom_pick_index(); first and last dimension may be 1
 *
 * Return: of rank 3. An index that is out of range gives 0.
 */
struct loom_value *loom_pick_elements(struct loom_import *im, struct loom_value *data,
				      struct loom_value *indices);
/**
 * enum loom_pick_reduction - what becomes of an element that is written to
 * @LOOM_PICK_LAST: the last of what is written there
 * @LOOM_PICK_ADD: it and all that is written there together
 * @LOOM_PICK_MUL: the product
 * @LOOM_PICK_MAX_OF: the largest
 * @LOOM_PICK_MIN_OF: the smallest
 */
enum loom_pick_reduction {
	LOOM_PICK_LAST,
	LOOM_PICK_ADD,
	LOOM_PICK_MUL,
	LOOM_PICK_MAX_OF,
	LOOM_PICK_MIN_OF,
};

/**
 * loom_pick_scatter() - data[o, indices[o, i, n], n] becomes updates[o, i, n]
 * @im: the node
 * @data: of rank 3
 * @indices: of rank 3, from loom_pick_index(); first and last dimension may be 1
 * @updates: [o, i, n]
 * @how: what becomes of what is there
 *
 * Return: of the shape of @data. What goes to an index that is out of range is dropped.
 */
struct loom_value *loom_pick_scatter(struct loom_import *im, struct loom_value *data,
				     struct loom_value *indices, struct loom_value *updates,
				     enum loom_pick_reduction how);
/** loom_pick_rows() - rows of @x along @axis, at indices that are known */
struct loom_value *loom_pick_rows(struct loom_import *im, struct loom_value *x, uint32_t axis,
				  const int64_t *indices, int64_t count);

#endif /* LOOM_ONNX_PICK_H */
