// SPDX-License-Identifier: MIT
/*
 * The importer of Einsum. Axes have letters; a letter of two operands that is not in the result is
 * summed over. Operands are multiplied from the left, two at a time: letters are divided into those
 * of both (a batch), of the left, of the right, and those summed over. With the axes in that order,
 * it is a matrix product.
 */
#include "import.h"

#include <errno.h>
#include <string.h>

/* number of letters; ellipsis axes are numbered behind them, up to one per dimension */
#define DOTS		52
#define MOST_LABELS	(DOTS + LOOM_GRAPH_RANK)

/**
 * struct term - an operand with the labels of its axes
 * @x: the operand
 * @labels: of each axis, 0 to MOST_LABELS - 1
 * @rank: number of @labels
 */
struct term {
	struct loom_value *x;
	uint8_t labels[LOOM_GRAPH_RANK];
	uint32_t rank;
};

/* -1 if it is no letter */
static int label_of(char letter)
{
	if (letter >= 'a' && letter <= 'z')
		return letter - 'a';
	return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 26 : -1;
}

static void bad_equation(struct loom_import *im, const char *equation)
{
	loom_import_fail(im, -EINVAL, "equation \"%.60s\" does not fit its operands", equation);
}

/*
 * Parses labels up to a comma, an arrow or the end. An ellipsis represents @dots axes, the last of
 * those of any ellipsis. Returns the rest of the text, or NULL.
 */
static const char *read_labels(const char *at, uint32_t dots, struct term *term)
{
	int label;

	term->rank = 0;
	while (*at && *at != ',' && *at != '-') {
		if (*at == ' ') {
			at++;
		} else if (!strncmp(at, "...", 3)) {
			if (term->rank + dots > LOOM_GRAPH_RANK)
				return NULL;
			for (; dots; dots--)
				term->labels[term->rank++] = (uint8_t)(MOST_LABELS - dots);
			at += 3;
		} else {
			label = label_of(*at++);
			if (label < 0 || term->rank == LOOM_GRAPH_RANK)
				return NULL;
			term->labels[term->rank++] = (uint8_t)label;
		}
	}
	return at;
}

static int find(const struct term *term, uint8_t label)
{
	uint32_t i;

	for (i = 0; i < term->rank; i++)
		if (term->labels[i] == label)
			return (int)i;
	return -1;
}

static void remove_axis(struct loom_import *im, struct term *term, uint32_t axis)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i, rank = 0;

	if (!term->x)
		return;
	for (i = 0; i < term->rank; i++) {
		if (i == axis)
			continue;
		dims[rank] = term->x->dims[i];
		term->labels[rank++] = term->labels[i];
	}
	term->rank = rank;
	term->x = loom_emit_reshape(im->em, term->x, rank, dims);
}

/* A label that an operand has twice: its diagonal, as a sum of which all other elements are 0. */
static void take_diagonals(struct loom_import *im, struct term *term)
{
	int64_t dims[LOOM_GRAPH_RANK], size, i;
	struct loom_value *mask;
	uint32_t a, b, k;

	for (a = 0; a < term->rank; a++)
		for (b = term->rank; b-- > a + 1;) {
			if (term->labels[a] != term->labels[b] || im->em->status)
				continue;
			size = term->x->dims[a];
			if (term->x->dims[b] != size) {
				loom_import_fail(im, -EINVAL, "a diagonal of %lld and %lld",
						 (long long)size, (long long)term->x->dims[b]);
				return;
			}
			for (k = 0; k < term->rank; k++)
				dims[k] = k == a || k == b ? size : 1;
			mask = loom_emit_const(im->em, DRM_LOOM_DTYPE_BOOL, term->rank, dims);
			for (i = 0; mask && i < size; i++)
				loom_value_set_int(mask, i * size + i, 1);
			term->x = loom_emit_select(im->em, mask, term->x,
						   loom_emit_scalar(im->em, term->x->dtype, 0));
			term->x = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, term->x, 1u << b,
						   true);
			remove_axis(im, term, b);
		}
}

/* sums over labels that nothing else needs */
static void sum_out(struct loom_import *im, struct term *term, uint64_t needed)
{
	uint32_t i;

	for (i = term->rank; i-- > 0 && !im->em->status;)
		if (!(needed >> term->labels[i] & 1)) {
			term->x = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, term->x, 1u << i,
						   true);
			remove_axis(im, term, i);
		}
}

static uint64_t labels_of(const struct term *term)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < term->rank; i++)
		mask |= (uint64_t)1 << term->labels[i];
	return mask;
}

/* Moves the axes into the order of @labels, all of which @term has. */
static void arrange(struct loom_import *im, struct term *term, const uint8_t *labels)
{
	uint32_t perm[LOOM_GRAPH_RANK], i;

	if (!term->x)
		return;
	for (i = 0; i < term->rank; i++)
		perm[i] = (uint32_t)find(term, labels[i]);
	term->x = loom_emit_transpose(im->em, term->x, perm);
	memcpy(term->labels, labels, term->rank);
}

/* adds those of @term's labels that are in @of to a list, and multiplies their dimensions */
static int64_t collect(const struct term *term, uint64_t of, uint8_t *labels, int64_t *dims,
		       uint32_t *count)
{
	int64_t product = 1;
	uint32_t i;

	for (i = 0; i < term->rank; i++) {
		if (!(of >> term->labels[i] & 1))
			continue;
		labels[*count] = term->labels[i];
		dims[(*count)++] = term->x->dims[i];
		product *= term->x->dims[i];
	}
	return product;
}

/* An axis of 1 broadcasts; the label then belongs to the other operand alone. */
static void drop_ones(struct loom_import *im, struct term *a, struct term *b)
{
	uint32_t i;
	int other;

	for (i = a->rank; i-- > 0 && !im->em->status;) {
		other = find(b, a->labels[i]);
		if (other < 0 || a->x->dims[i] == b->x->dims[other])
			continue;
		if (a->x->dims[i] == 1)
			remove_axis(im, a, i);
		else if (b->x->dims[other] == 1)
			remove_axis(im, b, (uint32_t)other);
		else
			loom_import_fail(im, -EINVAL, "an axis of %lld and one of %lld",
					 (long long)a->x->dims[i], (long long)b->x->dims[other]);
	}
}

/* @a becomes the product of both, with the labels that are @needed */
static void multiply(struct loom_import *im, struct term *a, struct term *b, uint64_t needed)
{
	uint64_t both, left, right, inner;
	uint8_t la[LOOM_GRAPH_RANK], lb[LOOM_GRAPH_RANK], ly[2 * LOOM_GRAPH_RANK];
	int64_t dims[2 * LOOM_GRAPH_RANK], scrap[LOOM_GRAPH_RANK], batch, rows, columns, sums;
	uint32_t na = 0, nb = 0, ny = 0;
	struct loom_value *x, *y;

	drop_ones(im, a, b);
	sum_out(im, a, needed | labels_of(b));
	sum_out(im, b, needed | labels_of(a));
	if (im->em->status)
		return;
	both = labels_of(a) & labels_of(b);
	left = labels_of(a) & ~both;
	right = labels_of(b) & ~both;
	inner = both & ~needed;
	both &= needed;
	batch = collect(a, both, la, scrap, &na);
	rows = collect(a, left, la, scrap, &na);
	sums = collect(a, inner, la, scrap, &na);
	memcpy(lb, la, na);
	nb = (uint32_t)__builtin_popcountll(both);
	columns = collect(b, right, lb, scrap, &nb);
	/* the summed axes are in the order of the left operand */
	memcpy(lb + nb, la + na - __builtin_popcountll(inner),
	       (size_t)__builtin_popcountll(inner));
	collect(a, both, ly, dims, &ny);
	collect(a, left, ly, dims, &ny);
	if (ny + (uint32_t)__builtin_popcountll(right) > LOOM_GRAPH_RANK) {
		loom_import_fail(im, -EOPNOTSUPP, "a product of this rank is not supported");
		return;
	}
	collect(b, right, ly, dims, &ny);
	arrange(im, a, la);
	arrange(im, b, lb);
	if (inner && loom_dtype_is_float(a->x->dtype)) {
		x = loom_emit_reshape(im->em, a->x, 3, (int64_t[]){ batch, rows, sums });
		y = loom_emit_reshape(im->em, b->x, 3, (int64_t[]){ batch, columns, sums });
		x = loom_import_product(im, x, y, NULL);
	} else {
		x = loom_emit_reshape(im->em, a->x, 4, (int64_t[]){ batch, rows, 1, sums });
		y = loom_emit_reshape(im->em, b->x, 4, (int64_t[]){ batch, 1, columns, sums });
		x = loom_emit_binary(im->em, LOOM_GBIN_MUL, x, y);
		x = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, x, 1u << 3, false);
	}
	a->x = loom_emit_reshape(im->em, x, ny, dims);
	a->rank = ny;
	memcpy(a->labels, ly, ny);
}

/* Without an arrow: ellipsis axes, then letters that occur once, in alphabetical order. */
static void implied_result(const struct term *terms, uint32_t count, struct term *result)
{
	uint32_t label, i, k, seen;

	result->rank = 0;
	for (k = 0; k < MOST_LABELS; k++) {
		/* capitals precede the others, as in ASCII */
		label = k < LOOM_GRAPH_RANK ? DOTS + k :
			(k - LOOM_GRAPH_RANK + 26) % DOTS;
		seen = 0;
		for (i = 0; i < count; i++) {
			uint32_t axis;

			for (axis = 0; axis < terms[i].rank; axis++)
				seen += terms[i].labels[axis] == label;
		}
		if ((label >= DOTS ? seen > 0 : seen == 1) && result->rank < LOOM_GRAPH_RANK)
			result->labels[result->rank++] = (uint8_t)label;
	}
}

/* Reads the equation into the labels of terms and result. */
static bool read_equation(const char *equation, struct term *terms, uint32_t count,
			  struct term *result)
{
	uint32_t i, dots, most = 0;
	const char *at = equation;
	struct term letters;

	for (i = 0; i < count && at; i++) {
		/* a first pass with an empty ellipsis determines its number of axes */
		if (!read_labels(at, 0, &letters) || letters.rank > terms[i].x->rank)
			return false;
		dots = terms[i].x->rank - letters.rank;
		at = read_labels(at, dots, &terms[i]);
		if (!at || terms[i].rank != terms[i].x->rank)
			return false;
		most = dots > most ? dots : most;
		if (i + 1 < count && *at++ != ',')
			return false;
	}
	if (!at)
		return false;
	if (!*at) {
		implied_result(terms, count, result);
		return true;
	}
	if (strncmp(at, "->", 2))
		return false;
	at = read_labels(at + 2, most, result);
	return at && !*at;
}

void loom_import_einsum(struct loom_import *im, int unused)
{
	const char *equation = loom_attr_string(im, "equation", "");
	uint32_t count = im->node->desc.num_inputs, i, k;
	struct term *terms, result;
	uint64_t needed;

	(void)unused;
	terms = loom_pool_array(im->graph->pool, count, sizeof(*terms));
	if (!terms || !count) {
		loom_import_fail(im, -EINVAL, "it has no operands");
		return;
	}
	for (i = 0; i < count; i++) {
		terms[i].x = loom_import_operand(im, i);
		if (terms[i].x && !terms[i].x->num_elems)
			loom_import_fail(im, -EOPNOTSUPP, "an operand without elements");
		if (terms[i].x && terms[0].x && terms[i].x->dtype != terms[0].x->dtype)
			loom_import_fail(im, -EINVAL, "operands of types %s and %s",
					 loom_dtype_name(terms[0].x->dtype),
					 loom_dtype_name(terms[i].x->dtype));
		if (im->em->status)
			return;
	}
	if (!read_equation(equation, terms, count, &result)) {
		bad_equation(im, equation);
		return;
	}
	for (i = 0; i < count; i++)
		take_diagonals(im, &terms[i]);
	for (i = 1; i < count && !im->em->status; i++) {
		needed = labels_of(&result);
		for (k = i + 1; k < count; k++)
			needed |= labels_of(&terms[k]);
		multiply(im, &terms[0], &terms[i], needed);
	}
	if (im->em->status)
		return;
	sum_out(im, &terms[0], labels_of(&result));
	if (im->em->status || terms[0].rank != result.rank ||
	    labels_of(&terms[0]) != labels_of(&result)) {
		bad_equation(im, equation);
		return;
	}
	arrange(im, &terms[0], result.labels);
	loom_import_result(im, 0, terms[0].x);
}
