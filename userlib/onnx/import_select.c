// SPDX-License-Identifier: MIT
/*
 * DOC: Selections
 *
 * Importers of operators whose number of results depends on data: NonMaxSuppression and Unique.
 * Shapes of a plan are fixed, so results have as many rows as there can be. The rows that are not
 * there come last: their indices are -1, and values and counts 0. How many are there is an output
 * of its own, NAME.count, an I64 vector of one element, where NAME is the first result of the node.
 * A node in a body has no such output.
 *
 * Rejected: a limit on the rows as an option. The operands of both operators say what is possible.
 */
#include "import.h"
#include "pick.h"

#include "base/dtype.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/*
 * Boxes are selected one after the other, about thirty nodes each, so that many would take long to
 * plan.
 */
#define BOXES_MAX	128

static struct loom_value *number(struct loom_import *im, uint32_t dtype, double element)
{
	return loom_emit_scalar(im->em, dtype, element);
}

static struct loom_value *binary(struct loom_import *im, enum loom_gbin fn, struct loom_value *a,
				 struct loom_value *b)
{
	return loom_emit_binary(im->em, fn, a, b);
}

static struct loom_value *reduce(struct loom_import *im, enum loom_greduce_kind kind,
				 struct loom_value *x, uint32_t axis)
{
	return loom_emit_reduce(im->em, kind, x, 1u << axis, true);
}

/* Number of elements along @axis that hold, I32. */
static struct loom_value *count_of(struct loom_import *im, struct loom_value *holds, uint32_t axis)
{
	holds = loom_emit_cast(im->em, holds, DRM_LOOM_DTYPE_I32);
	return reduce(im, LOOM_GREDUCE_SUM, holds, axis);
}

static bool is_declared(const struct loom_source *source, const char *name)
{
	uint32_t i;

	for (i = 0; i < source->num_outputs; i++)
		if (!strcmp(source->outputs[i], name))
			return true;
	return false;
}

void loom_import_add_count(struct loom_import *im, struct loom_value *count)
{
	const int64_t one = 1;
	const char *name;

	count = loom_emit_cast(im->em, loom_emit_reshape(im->em, count, 1, &one),
			       DRM_LOOM_DTYPE_I64);
	if (im->em->status || *im->round)
		return;
	name = loom_pool_print(im->graph->pool, "%s.count", loom_import_base(im));
	if (!name || loom_names_find(&im->graph->source->values, name)) {
		loom_import_fail(im, -EINVAL, "the model has a value of the name of its count");
		return;
	}
	if (!count->name)
		count->name = name;
	if (loom_names_set(&im->graph->source->values, name, count) ||
	    (!is_declared(im->graph->source, name) && loom_graph_add_output(im->graph, name)))
		loom_import_fail(im, -ENOMEM, "out of memory");
}

/**
 * struct boxes - a NonMaxSuppression
 * @low: by axis: the smaller coordinate of each box, [B,1,N]
 * @high: the larger one
 * @area: [B,1,N]
 * @scores: of boxes that can still be selected, others have -infinity, [B,C,N]
 * @numbers: of boxes, [1,1,N], I32
 * @overlap: the least overlap that is too much, F32
 * @least: scores must be above it; NULL: any
 * @none: -infinity
 */
struct boxes {
	struct loom_value *low[2];
	struct loom_value *high[2];
	struct loom_value *area;
	struct loom_value *scores;
	struct loom_value *numbers;
	struct loom_value *overlap;
	struct loom_value *least;
	struct loom_value *none;
};

static struct loom_value *coordinate(struct loom_import *im, struct loom_value *boxes, int64_t at)
{
	const int64_t dims[] = { boxes->dims[0], 1, boxes->dims[1] };

	return loom_emit_reshape(im->em, loom_import_part(im, boxes, 2, at, 1, 1), 3, dims);
}

static void read_boxes(struct loom_import *im, struct boxes *b, struct loom_value *boxes)
{
	bool centers = loom_attr_int(im, "center_point_box", 0);
	struct loom_value *p, *q;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		p = coordinate(im, boxes, i);
		q = coordinate(im, boxes, i + 2);
		if (centers)
			q = binary(im, LOOM_GBIN_DIV, q, number(im, boxes->dtype, 2));
		b->low[i] = binary(im, centers ? LOOM_GBIN_SUB : LOOM_GBIN_MIN, p, q);
		b->high[i] = binary(im, centers ? LOOM_GBIN_ADD : LOOM_GBIN_MAX, p, q);
	}
	b->area = binary(im, LOOM_GBIN_MUL, binary(im, LOOM_GBIN_SUB, b->high[0], b->low[0]),
			 binary(im, LOOM_GBIN_SUB, b->high[1], b->low[1]));
}

/* The element of @x at the one place per class where @hit holds. */
static struct loom_value *at_hit(struct loom_import *im, struct loom_value *hit,
				 struct loom_value *x)
{
	x = loom_emit_select(im->em, hit, x, number(im, DRM_LOOM_DTYPE_F32, 0));
	return reduce(im, LOOM_GREDUCE_SUM, x, 2);
}

/* Selects the best box of each class; boxes that overlap it are out. Returns its number, or -1. */
static struct loom_value *select_box(struct loom_import *im, struct boxes *b)
{
	struct loom_value *best, *place, *hit, *holds, *common = NULL, *sides, *all, *out;
	struct loom_value *last = number(im, DRM_LOOM_DTYPE_I32, b->numbers ?
					 (double)b->numbers->dims[2] - 1 : 0);
	struct loom_value *zero = number(im, DRM_LOOM_DTYPE_F32, 0);
	uint32_t i;

	best = reduce(im, LOOM_GREDUCE_MAX, b->scores, 2);
	hit = binary(im, LOOM_GBIN_EQUAL, b->scores, best);
	place = reduce(im, LOOM_GREDUCE_MIN, loom_emit_select(im->em, hit, b->numbers, last), 2);
	hit = binary(im, LOOM_GBIN_EQUAL, b->numbers, place);
	holds = binary(im, LOOM_GBIN_GREATER, best, b->least ? b->least : b->none);
	for (i = 0; i < 2; i++) {
		sides = binary(im, LOOM_GBIN_SUB,
			       binary(im, LOOM_GBIN_MIN, b->high[i], at_hit(im, hit, b->high[i])),
			       binary(im, LOOM_GBIN_MAX, b->low[i], at_hit(im, hit, b->low[i])));
		sides = binary(im, LOOM_GBIN_MAX, sides, zero);
		common = common ? binary(im, LOOM_GBIN_MUL, common, sides) : sides;
	}
	all = binary(im, LOOM_GBIN_SUB,
		     binary(im, LOOM_GBIN_ADD, b->area, at_hit(im, hit, b->area)), common);
	out = binary(im, LOOM_GBIN_AND, binary(im, LOOM_GBIN_GREATER, common, zero),
		     binary(im, LOOM_GBIN_GREATER, binary(im, LOOM_GBIN_DIV, common, all),
			    b->overlap));
	out = binary(im, LOOM_GBIN_OR, out, hit);
	b->scores = loom_emit_select(im->em, out, b->none, b->scores);
	return loom_emit_select(im->em, holds, place, number(im, DRM_LOOM_DTYPE_I32, -1));
}

/* Index of the class, or the batch, of each of @rows of a result; @per of them have the same. */
static struct loom_value *emit_indices(struct loom_import *im, int64_t rows, int64_t per,
				       int64_t limit)
{
	const int64_t dims[] = { 1, rows };
	struct loom_value *y = loom_emit_const(im->em, DRM_LOOM_DTYPE_I32, 2, dims);
	int64_t i;

	for (i = 0; y && i < rows; i++)
		loom_value_set_int(y, i, i / per % limit);
	return y;
}

/*
 * Rows of batch, class and box, [R,3]: those of @found that are not -1, in order, then rows of -1.
 * @found: [B,C,K]; of each class those that are not -1 come first.
 */
static void emit_rows(struct loom_import *im, struct loom_value *found)
{
	int64_t per = found->dims[2], rows = found->num_elems, lists = rows / per;
	struct loom_value *minus = number(im, DRM_LOOM_DTYPE_I32, -1);
	struct loom_value *holds, *counts, *before, *match, *columns[3];
	uint32_t i;

	columns[0] = emit_indices(im, rows, rows / found->dims[0], found->dims[0]);
	columns[1] = emit_indices(im, rows, per, found->dims[1]);
	columns[2] = loom_emit_reshape(im->em, found, 2, (int64_t[]){ 1, rows });
	found = loom_emit_reshape(im->em, found, 2, (int64_t[]){ lists, per });
	holds = binary(im, LOOM_GBIN_GREATER, found, minus);
	counts = count_of(im, holds, 1);
	/* of all lists before */
	before = binary(im, LOOM_GBIN_LESS, loom_pick_numbers(im, 2, 0, lists),
			loom_pick_numbers(im, 2, 1, lists));
	before = loom_emit_select(im->em, before, counts, number(im, DRM_LOOM_DTYPE_I32, 0));
	before = loom_emit_reshape(im->em, reduce(im, LOOM_GREDUCE_SUM, before, 0), 2,
				   (int64_t[]){ lists, 1 });
	before = binary(im, LOOM_GBIN_ADD, before, loom_pick_numbers(im, 2, 1, per));
	before = loom_emit_reshape(im->em, loom_emit_select(im->em, holds, before, minus), 2,
				   (int64_t[]){ 1, rows });
	match = binary(im, LOOM_GBIN_EQUAL, before, loom_pick_numbers(im, 2, 0, rows));
	for (i = 0; i < 3; i++)
		columns[i] = reduce(im, LOOM_GREDUCE_MAX,
				    loom_emit_select(im->em, match, columns[i], minus), 1);
	loom_import_result(im, 0, loom_emit_cast(im->em, loom_emit_concat(im->em, 3, columns, 1),
						 DRM_LOOM_DTYPE_I64));
	loom_import_add_count(im, reduce(im, LOOM_GREDUCE_SUM, counts, 0));
}

static bool boxes_fit(struct loom_import *im, const struct loom_value *boxes,
		      const struct loom_value *scores, int64_t most)
{
	if (boxes->rank != 3 || scores->rank != 3 || boxes->dims[2] != 4 ||
	    boxes->dims[0] != scores->dims[0] || boxes->dims[1] != scores->dims[2] ||
	    boxes->dtype != DRM_LOOM_DTYPE_F32 || scores->dtype != DRM_LOOM_DTYPE_F32) {
		loom_import_fail(im, -EINVAL, "boxes and scores do not fit together");
		return false;
	}
	if (most < 1 || !scores->num_elems)
		loom_import_fail(im, -EOPNOTSUPP, "it selects no boxes");
	else if (most > BOXES_MAX)
		loom_import_fail(im, -EOPNOTSUPP,
				 "max_output_boxes_per_class %lld: more than %d are not supported",
				 (long long)most, BOXES_MAX);
	else if (scores->dims[0] * scores->dims[1] > LOOM_PICK_MAX / most / most ||
		 scores->dims[0] * scores->dims[1] * most >
			 LOOM_PICK_MAX / (scores->dims[0] * scores->dims[1] * most) ||
		 scores->num_elems > LOOM_PICK_MAX)
		loom_import_fail(im, -EOPNOTSUPP, "%lld boxes of %lld classes are not supported",
				 (long long)most, (long long)(scores->dims[0] * scores->dims[1]));
	return !im->em->status;
}

/* A known threshold or one of the data, as a scalar. */
static struct loom_value *threshold(struct loom_import *im, uint32_t index)
{
	struct loom_value *x = loom_import_optional(im, index);

	if (x && x->num_elems != 1) {
		loom_import_fail(im, -EINVAL, "operand %u is no scalar", index);
		return NULL;
	}
	return x ? loom_emit_reshape(im->em, x, 0, NULL) : NULL;
}

void loom_import_boxes(struct loom_import *im, int unused)
{
	struct loom_value *boxes = loom_import_operand(im, 0), *scores = loom_import_operand(im, 1);
	int64_t most = loom_import_count(im, 2, 0), i;
	struct loom_value *found[BOXES_MAX];
	struct boxes b = { .scores = scores };

	(void)unused;
	if (!boxes || !scores || im->em->status)
		return;
	most = boxes->rank == 3 && most > boxes->dims[1] ? boxes->dims[1] : most;
	if (!boxes_fit(im, boxes, scores, most))
		return;
	read_boxes(im, &b, boxes);
	b.numbers = loom_pick_numbers(im, 3, 2, boxes->dims[1]);
	b.none = number(im, DRM_LOOM_DTYPE_F32, -INFINITY);
	b.overlap = threshold(im, 3);
	b.least = threshold(im, 4);
	if (!b.overlap)
		b.overlap = number(im, DRM_LOOM_DTYPE_F32, 0);
	for (i = 0; i < most && !im->em->status; i++)
		found[i] = select_box(im, &b);
	if (!im->em->status)
		scores = loom_emit_concat(im->em, most, found, 2);
	if (!im->em->status)
		emit_rows(im, scores);
}

/* Each element is compared with each; the first of equal ones stands for all. */
void loom_import_unique(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0), *equal, *first, *is_first, *places;
	struct loom_value *match, *before, *turned, *y;
	bool sorted = loom_attr_int(im, "sorted", 1);
	struct loom_value *lines, *columns, *last;
	uint32_t dtype;
	int64_t n;

	(void)unused;
	if (!x || im->em->status)
		return;
	n = x->num_elems;
	if (!n || n > LOOM_PICK_MAX / n)
		loom_import_fail(im, -EOPNOTSUPP, "%lld elements are not supported", (long long)n);
	else if (loom_attr_find(im, "axis") && x->rank != 1)
		loom_import_fail(im, -EOPNOTSUPP, "an axis of data of rank %u is not supported",
				 x->rank);
	if (im->em->status)
		return;
	lines = loom_pick_numbers(im, 2, 0, n);
	columns = loom_pick_numbers(im, 2, 1, n);
	last = number(im, DRM_LOOM_DTYPE_I32, (double)n);
	dtype = x->dtype;
	if (loom_dtype_is_int(dtype) && loom_dtype_size(dtype) < 4)
		x = loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_I32);
	x = loom_emit_reshape(im->em, x, 2, (int64_t[]){ 1, n });
	turned = loom_emit_reshape(im->em, x, 2, (int64_t[]){ n, 1 });
	/* by line: the first element that equals it */
	equal = binary(im, LOOM_GBIN_EQUAL, turned, x);
	first = reduce(im, LOOM_GREDUCE_MIN, loom_emit_select(im->em, equal, columns, last), 1);
	is_first = loom_emit_reshape(im->em, binary(im, LOOM_GBIN_EQUAL, first, lines), 2,
				     (int64_t[]){ 1, n });
	/* by line: the number of different elements in front of it */
	before = sorted ? binary(im, LOOM_GBIN_LESS, x, turned) :
			  binary(im, LOOM_GBIN_LESS, columns, first);
	places = count_of(im, binary(im, LOOM_GBIN_AND, before, is_first), 1);
	loom_import_result(im, 2, loom_emit_cast(im->em, loom_emit_reshape(im->em, places, 1, &n),
						 DRM_LOOM_DTYPE_I64));
	match = binary(im, LOOM_GBIN_EQUAL, lines,
		       loom_emit_reshape(im->em, places, 2, (int64_t[]){ 1, n }));
	places = count_of(im, match, 1);
	loom_import_result(im, 3, loom_emit_cast(im->em, loom_emit_reshape(im->em, places, 1, &n),
						 DRM_LOOM_DTYPE_I64));
	first = reduce(im, LOOM_GREDUCE_MIN, loom_emit_select(im->em, match, columns, last), 1);
	y = loom_emit_select(im->em, binary(im, LOOM_GBIN_LESS, first, last), first,
			     number(im, DRM_LOOM_DTYPE_I32, -1));
	loom_import_result(im, 1, loom_emit_cast(im->em, loom_emit_reshape(im->em, y, 1, &n),
						 DRM_LOOM_DTYPE_I64));
	match = binary(im, LOOM_GBIN_EQUAL, columns, first);
	y = x ? loom_emit_select(im->em, match, x, number(im, x->dtype, 0)) : NULL;
	y = reduce(im, LOOM_GREDUCE_SUM, y, 1);
	y = loom_emit_reshape(im->em, loom_emit_cast(im->em, y, dtype), 1, &n);
	loom_import_result(im, 0, y);
	loom_import_add_count(im, count_of(im, is_first, 1));
}
