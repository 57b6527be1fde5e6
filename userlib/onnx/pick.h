/* SPDX-License-Identifier: MIT */
/*
 * Writing at indices from the data. The device has no command that writes to data-dependent
 * addresses; each index is compared with all of its possible values, and matches are kept. That
 * takes indices times values comparisons, so a limit refuses operators that would take too long on
 * a device.
 */
#ifndef LOOM_ONNX_PICK_H
#define LOOM_ONNX_PICK_H

#include "import.h"

/** limit on the comparisons of one operator */
#define LOOM_PICK_MAX	((int64_t)1 << 24)

/** loom_pick_numbers() - 0, 1, ... @count - 1 along @axis of @rank, I32 */
struct loom_value *loom_pick_numbers(struct loom_import *im, uint32_t rank, uint32_t axis,
				     int64_t count);
/** loom_pick_index() - @indices as I32, with negative ones counted from the end, @count */
struct loom_value *loom_pick_index(struct loom_import *im, struct loom_value *indices,
				   int64_t count);
/**
 * enum loom_pick_reduction - result of an element that is written
 * @LOOM_PICK_LAST: the last value written
 * @LOOM_PICK_ADD: the sum of the element and all values written
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
 * @how: the reduction
 *
 * Return: of the shape of @data. Updates at an index out of range are dropped.
 */
struct loom_value *loom_pick_scatter(struct loom_import *im, struct loom_value *data,
				     struct loom_value *indices, struct loom_value *updates,
				     enum loom_pick_reduction how);
/** loom_pick_rows() - rows of @x along @axis, at known indices */
struct loom_value *loom_pick_rows(struct loom_import *im, struct loom_value *x, uint32_t axis,
				  const int64_t *indices, int64_t count);

#endif /* LOOM_ONNX_PICK_H */
