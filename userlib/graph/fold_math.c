// SPDX-License-Identifier: MIT
/* Folding of arithmetic, see fold.h. */
#include "fold.h"

#include "walk.h"
#include "base/element.h"
#include "loom_core.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A NaN stays one, as on the device; fmin() and fmax() would drop it. */
static double clamp(double x, double low, double high)
{
	x = x < low ? low : x;
	return x > high ? high : x;
}

static double softplus(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double fold_fn(const struct loom_gact *act, double x)
{
	double alpha = act->alpha, beta = act->beta;

	switch (act->fn) {
	case LOOM_GFN_NONE:
	case LOOM_GFN_COUNT:
		return x;
	case LOOM_GFN_RELU:
		return x < 0 ? 0 : x;
	case LOOM_GFN_CLIP:
		return clamp(x, alpha, beta);
	case LOOM_GFN_LEAKY_RELU:
		return x < 0 ? alpha * x : x;
	case LOOM_GFN_SIGMOID:
		return 1 / (1 + exp(-x));
	case LOOM_GFN_HARD_SIGMOID:
		return clamp(alpha * x + beta, 0, 1);
	case LOOM_GFN_HARD_SWISH:
		return x * clamp(x / 6 + 0.5, 0, 1);
	case LOOM_GFN_TANH:
		return tanh(x);
	case LOOM_GFN_ELU:
		return x < 0 ? alpha * expm1(x) : x;
	case LOOM_GFN_SELU:
		return beta * (x > 0 ? x : alpha * expm1(x));
	case LOOM_GFN_CELU:
		return isnan(x) ? x : fmax(x, 0) + fmin(0, alpha * expm1(x / alpha));
	case LOOM_GFN_THRESHOLDED_RELU:
		return x > alpha ? x : 0;
	case LOOM_GFN_SHRINK:
		return x < -beta ? x + alpha : x > beta ? x - alpha : 0;
	case LOOM_GFN_SOFTPLUS:
		return softplus(x);
	case LOOM_GFN_SOFTSIGN:
		return x / (1 + fabs(x));
	case LOOM_GFN_MISH:
		return x * tanh(softplus(x));
	case LOOM_GFN_GELU:
		return 0.5 * x * (1 + erf(x * M_SQRT1_2));
	case LOOM_GFN_GELU_TANH:
		return 0.5 * x * (1 + tanh(sqrt(M_2_PI) * (x + 0.044715 * x * x * x)));
	case LOOM_GFN_SQRT:
		return sqrt(x);
	case LOOM_GFN_EXP:
		return exp(x);
	case LOOM_GFN_LOG:
		return log(x);
	case LOOM_GFN_NEG:
		return -x;
	case LOOM_GFN_ABS:
		return fabs(x);
	case LOOM_GFN_SIGN:
		return x > 0 ? 1 : x < 0 ? -1 : x;
	case LOOM_GFN_ERF:
		return erf(x);
	case LOOM_GFN_RECIPROCAL:
		return 1 / x;
	case LOOM_GFN_FLOOR:
		return floor(x);
	case LOOM_GFN_CEIL:
		return ceil(x);
	case LOOM_GFN_ROUND:
		return rint(x);
	case LOOM_GFN_NOT:
		return x == 0;
	case LOOM_GFN_SIN:
		return sin(x);
	case LOOM_GFN_COS:
		return cos(x);
	case LOOM_GFN_TAN:
		return tan(x);
	case LOOM_GFN_ASIN:
		return asin(x);
	case LOOM_GFN_ACOS:
		return acos(x);
	case LOOM_GFN_ATAN:
		return atan(x);
	case LOOM_GFN_SINH:
		return sinh(x);
	case LOOM_GFN_COSH:
		return cosh(x);
	case LOOM_GFN_ASINH:
		return asinh(x);
	case LOOM_GFN_ACOSH:
		return acosh(x);
	case LOOM_GFN_ATANH:
		return atanh(x);
	case LOOM_GFN_ISNAN:
		return isnan(x);
	case LOOM_GFN_ISINF:
		return isinf(x) && (x < 0 ? alpha : beta) != 0;
	}
	return x;
}

/* integers of 64 bits must not pass through a double */
static int fold_fn_int(const struct loom_gact *act, int64_t x, int64_t *y)
{
	switch (act->fn) {
	case LOOM_GFN_NONE:
	case LOOM_GFN_FLOOR:
	case LOOM_GFN_CEIL:
	case LOOM_GFN_ROUND:
		*y = x;
		return 0;
	case LOOM_GFN_RELU:
		*y = x < 0 ? 0 : x;
		return 0;
	case LOOM_GFN_NEG:
		*y = (int64_t)-(uint64_t)x;
		return 0;
	case LOOM_GFN_ABS:
		*y = x < 0 ? (int64_t)-(uint64_t)x : x;
		return 0;
	case LOOM_GFN_SIGN:
		*y = (x > 0) - (x < 0);
		return 0;
	case LOOM_GFN_CLIP:
		*y = (double)x < act->alpha ? (int64_t)act->alpha :
		     (double)x > act->beta ? (int64_t)act->beta : x;
		return 0;
	default:
		return -EAGAIN;
	}
}

int loom_fold_unary(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	struct loom_value *y = node->output;
	int64_t i, result = 0;

	if (loom_dtype_is_int(x->dtype)) {
		for (i = 0; i < y->num_elems; i++) {
			if (fold_fn_int(&node->unary, loom_value_int(x, i), &result))
				return -EAGAIN;
			loom_value_set_int(y, i, result);
		}
		return 0;
	}
	for (i = 0; i < y->num_elems; i++)
		loom_value_set_float(y, i, fold_fn(&node->unary, loom_value_float(x, i)));
	return 0;
}

double loom_fold_float(enum loom_gbin fn, double a, double b)
{
	switch (fn) {
	case LOOM_GBIN_ADD:
		return a + b;
	case LOOM_GBIN_SUB:
		return a - b;
	case LOOM_GBIN_MUL:
		return a * b;
	case LOOM_GBIN_DIV:
		return a / b;
	case LOOM_GBIN_POW:
		return pow(a, b);
	case LOOM_GBIN_MAX:
		return isnan(a) || a > b ? a : b;
	case LOOM_GBIN_MIN:
		return isnan(a) || a < b ? a : b;
	case LOOM_GBIN_MOD:
	case LOOM_GBIN_FMOD:
		return fmod(a, b);
	case LOOM_GBIN_EQUAL:
		return a == b;
	case LOOM_GBIN_LESS:
		return a < b;
	case LOOM_GBIN_GREATER:
		return a > b;
	case LOOM_GBIN_LESS_EQUAL:
		return a <= b;
	case LOOM_GBIN_GREATER_EQUAL:
		return a >= b;
	case LOOM_GBIN_AND:
		return a != 0 && b != 0;
	case LOOM_GBIN_OR:
		return a != 0 || b != 0;
	case LOOM_GBIN_XOR:
		return (a != 0) != (b != 0);
	case LOOM_GBIN_PRELU:
		return a < 0 ? a * b : a;
	case LOOM_GBIN_COUNT:
		break;
	}
	return 0;
}

static int64_t int_power(int64_t base, int64_t exponent)
{
	uint64_t result = 1, factor = (uint64_t)base;

	if (exponent < 0)
		return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result *= factor;
		factor *= factor;
	}
	return (int64_t)result;
}

static int fold_divide(enum loom_gbin fn, int64_t a, int64_t b, int64_t *y)
{
	int64_t remainder;

	if (!b)
		return -EDOM;
	/* INT64_MIN / -1 overflows */
	if (b == -1) {
		*y = fn == LOOM_GBIN_DIV ? (int64_t)-(uint64_t)a : 0;
		return 0;
	}
	remainder = a % b;
	if (fn == LOOM_GBIN_DIV)
		*y = a / b;
	else if (fn == LOOM_GBIN_MOD && remainder && (remainder < 0) != (b < 0))
		*y = remainder + b;
	else
		*y = remainder;
	return 0;
}

static int fold_divide_unsigned(enum loom_gbin fn, uint64_t a, uint64_t b, int64_t *y)
{
	if (!b)
		return -EDOM;
	*y = (int64_t)(fn == LOOM_GBIN_DIV ? a / b : a % b);
	return 0;
}

static int fold_int(enum loom_gbin fn, bool is_signed, int64_t a, int64_t b, int64_t *y)
{
	bool less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;

	switch (fn) {
	case LOOM_GBIN_ADD:
		*y = (int64_t)((uint64_t)a + (uint64_t)b);
		return 0;
	case LOOM_GBIN_SUB:
		*y = (int64_t)((uint64_t)a - (uint64_t)b);
		return 0;
	case LOOM_GBIN_MUL:
		*y = (int64_t)((uint64_t)a * (uint64_t)b);
		return 0;
	case LOOM_GBIN_DIV:
	case LOOM_GBIN_MOD:
	case LOOM_GBIN_FMOD:
		return is_signed ? fold_divide(fn, a, b, y) : fold_divide_unsigned(fn, a, b, y);
	case LOOM_GBIN_POW:
		*y = int_power(a, b);
		return 0;
	case LOOM_GBIN_MAX:
		*y = less ? b : a;
		return 0;
	case LOOM_GBIN_MIN:
		*y = less ? a : b;
		return 0;
	case LOOM_GBIN_EQUAL:
		*y = a == b;
		return 0;
	case LOOM_GBIN_LESS:
		*y = less;
		return 0;
	case LOOM_GBIN_GREATER:
		*y = !less && a != b;
		return 0;
	case LOOM_GBIN_LESS_EQUAL:
		*y = less || a == b;
		return 0;
	case LOOM_GBIN_GREATER_EQUAL:
		*y = !less;
		return 0;
	case LOOM_GBIN_PRELU:
		*y = a < 0 ? (int64_t)((uint64_t)a * (uint64_t)b) : a;
		return 0;
	case LOOM_GBIN_AND:
	case LOOM_GBIN_OR:
	case LOOM_GBIN_XOR:
	case LOOM_GBIN_COUNT:
		break;
	}
	*y = (int64_t)loom_fold_float(fn, (double)a, (double)b);
	return 0;
}

/* Elements of a row that are computed at once */
#define ROW	256

static void compute_row(enum loom_gbin fn, double *a, const double *b, int64_t count)
{
	int64_t i;

	for (i = 0; i < count; i++)
		a[i] = fn == LOOM_GBIN_MUL ? a[i] * b[i] : loom_fold_float(fn, a[i], b[i]);
}

static void fold_floats(const struct loom_node *node, struct loom_walk *walk_a,
			struct loom_walk *walk_b)
{
	const struct loom_value *x = node->inputs[0], *z = node->inputs[1];
	struct loom_value *y = node->output;
	double a[ROW], b[ROW];
	int64_t i, count;

	loom_walk_join(walk_a);
	loom_walk_join(walk_b);
	for (i = 0; i < y->num_elems; i += count) {
		count = min(loom_walk_run(walk_a), loom_walk_run(walk_b));
		if (count > ROW)
			count = ROW;
		loom_element_row(x->dtype, x->data, walk_a->offset,
				 walk_a->strides[walk_a->rank - 1], count, a);
		loom_element_row(z->dtype, z->data, walk_b->offset,
				 walk_b->strides[walk_b->rank - 1], count, b);
		compute_row(node->binary.fn, a, b, count);
		loom_element_set_row(y->dtype, y->data, i, count, a);
		loom_walk_skip(walk_a, count);
		loom_walk_skip(walk_b, count);
	}
}

int loom_fold_binary(const struct loom_node *node)
{
	const struct loom_value *a = node->inputs[0], *b = node->inputs[1];
	struct loom_value *y = node->output;
	struct loom_walk walk_a, walk_b;
	int64_t i, result = 0;
	int err;

	loom_walk_broadcast(&walk_a, y, a);
	loom_walk_broadcast(&walk_b, y, b);
	if (loom_dtype_is_float(a->dtype)) {
		fold_floats(node, &walk_a, &walk_b);
		return 0;
	}
	for (i = 0; i < y->num_elems; i++) {
		err = fold_int(node->binary.fn, a->dtype != DRM_LOOM_DTYPE_U64,
			       loom_value_int(a, walk_a.offset), loom_value_int(b, walk_b.offset),
			       &result);
		if (err)
			return err;
		loom_value_set_int(y, i, result);
		loom_walk_next(&walk_a);
		loom_walk_next(&walk_b);
	}
	return 0;
}

int loom_fold_select(const struct loom_node *node)
{
	size_t elem_bytes = loom_dtype_size(node->output->dtype);
	struct loom_value *y = node->output;
	struct loom_walk walks[3];
	int64_t i;
	int j;

	for (j = 0; j < 3; j++)
		loom_walk_broadcast(&walks[j], y, node->inputs[j]);
	for (i = 0; i < y->num_elems; i++) {
		int chosen = loom_value_int(node->inputs[0], walks[0].offset) ? 1 : 2;
		const char *from = node->inputs[chosen]->data;

		memcpy((char *)y->data + (size_t)i * elem_bytes,
		       from + (size_t)walks[chosen].offset * elem_bytes, elem_bytes);
		for (j = 0; j < 3; j++)
			loom_walk_next(&walks[j]);
	}
	return 0;
}

int loom_fold_cast(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	struct loom_value *y = node->output;
	bool floats = loom_dtype_is_float(x->dtype) ||
		      (x->dtype == DRM_LOOM_DTYPE_U64 && loom_dtype_is_float(y->dtype));
	int64_t i;

	for (i = 0; i < y->num_elems; i++) {
		if (!floats)
			loom_value_set_int(y, i, loom_value_int(x, i));
		else
			loom_value_set_float(y, i, loom_value_float(x, i));
	}
	return 0;
}

static bool reduce_starts_at_first(enum loom_greduce_kind kind)
{
	return kind == LOOM_GREDUCE_MAX || kind == LOOM_GREDUCE_MIN;
}

static int64_t reduce_int(enum loom_greduce_kind kind, int64_t sum, int64_t x)
{
	uint64_t a = (uint64_t)sum, b = (uint64_t)x;

	switch (kind) {
	case LOOM_GREDUCE_MAX:
		return x > sum ? x : sum;
	case LOOM_GREDUCE_MIN:
		return x < sum ? x : sum;
	case LOOM_GREDUCE_PROD:
		return (int64_t)(a * b);
	case LOOM_GREDUCE_SUM_SQUARE:
		return (int64_t)(a + b * b);
	case LOOM_GREDUCE_L1:
		return (int64_t)(a + (x < 0 ? -b : b));
	default:
		return (int64_t)(a + b);
	}
}

static double reduce_float(enum loom_greduce_kind kind, double sum, double x)
{
	switch (kind) {
	case LOOM_GREDUCE_MAX:
		return isnan(x) || x > sum ? x : sum;
	case LOOM_GREDUCE_MIN:
		return isnan(x) || x < sum ? x : sum;
	case LOOM_GREDUCE_PROD:
		return sum * x;
	case LOOM_GREDUCE_L1:
		return sum + fabs(x);
	case LOOM_GREDUCE_L2:
	case LOOM_GREDUCE_SUM_SQUARE:
		return sum + x * x;
	case LOOM_GREDUCE_LOG_SUM_EXP:
		return sum + exp(x);
	default:
		return sum + x;
	}
}

static double reduce_finish(enum loom_greduce_kind kind, double sum, int64_t count)
{
	switch (kind) {
	case LOOM_GREDUCE_MEAN:
		return sum / (double)count;
	case LOOM_GREDUCE_L2:
		return sqrt(sum);
	case LOOM_GREDUCE_LOG_SUM:
	case LOOM_GREDUCE_LOG_SUM_EXP:
		return log(sum);
	default:
		return sum;
	}
}

/* @kept walks over the axes that stay, @summed over the reduced ones */
static void reduce_walks(const struct loom_node *node, struct loom_walk *kept,
			 struct loom_walk *summed)
{
	const struct loom_value *x = node->inputs[0];
	int64_t strides[LOOM_GRAPH_RANK];
	uint32_t i;

	memset(kept, 0, sizeof(*kept));
	memset(summed, 0, sizeof(*summed));
	loom_value_strides(x, strides);
	for (i = 0; i < x->rank; i++) {
		struct loom_walk *walk = node->reduce.axes & (1u << i) ? summed : kept;

		walk->dims[walk->rank] = x->dims[i];
		walk->strides[walk->rank++] = strides[i];
	}
}

int loom_fold_reduce(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0];
	enum loom_greduce_kind kind = node->reduce.kind;
	bool is_int = loom_dtype_is_int(x->dtype);
	struct loom_value *y = node->output;
	struct loom_walk kept, summed;
	int64_t i, j, count = 1;
	uint32_t axis;

	/* roots and logarithms of integers are not standardised */
	if (is_int && (kind == LOOM_GREDUCE_L2 || kind >= LOOM_GREDUCE_LOG_SUM))
		return -EAGAIN;
	reduce_walks(node, &kept, &summed);
	for (axis = 0; axis < summed.rank; axis++)
		count *= summed.dims[axis];
	if (!count)
		return -EAGAIN;
	for (i = 0; i < y->num_elems; i++) {
		int64_t sum_int = kind == LOOM_GREDUCE_PROD;
		double sum = kind == LOOM_GREDUCE_PROD;

		if (reduce_starts_at_first(kind)) {
			sum_int = loom_value_int(x, kept.offset);
			sum = loom_value_float(x, kept.offset);
		}
		for (j = 0; j < count; j++) {
			int64_t at = kept.offset + summed.offset;

			if (is_int)
				sum_int = reduce_int(kind, sum_int, loom_value_int(x, at));
			else
				sum = reduce_float(kind, sum, loom_value_float(x, at));
			loom_walk_next(&summed);
		}
		if (is_int)
			loom_value_set_int(y, i, kind == LOOM_GREDUCE_MEAN ? sum_int / count :
					   sum_int);
		else
			loom_value_set_float(y, i, reduce_finish(kind, sum, count));
		loom_walk_next(&kept);
	}
	return 0;
}

static int64_t quant_channel(const struct loom_node *node, int64_t index, int64_t inner)
{
	int32_t axis = node->quant.axis;

	return axis < 0 ? 0 : index / inner % node->output->dims[axis];
}

int loom_fold_quantize(const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0], *zero = node->inputs[2];
	struct loom_value *y = node->output;
	int64_t min, max, i;
	int64_t inner = loom_value_trailing(y, (uint32_t)(node->quant.axis + 1));

	loom_dtype_range(y->dtype, &min, &max);
	for (i = 0; i < y->num_elems; i++) {
		int64_t channel = quant_channel(node, i, inner);
		float scaled = (float)loom_value_float(x, i) /
			       (float)loom_value_float(node->inputs[1], channel);
		double rounded = rint(scaled) + (double)loom_value_int(zero, channel);

		loom_value_set_int(y, i, (int64_t)clamp(rounded, (double)min, (double)max));
	}
	return 0;
}

static void dequantize_one(const struct loom_node *node, int64_t i, int64_t scale, int64_t zero)
{
	int64_t steps = loom_value_int(node->inputs[0], i) - loom_value_int(node->inputs[2], zero);

	loom_value_set_float(node->output, i,
			     (double)steps * loom_value_float(node->inputs[1], scale));
}

int loom_fold_dequantize(const struct loom_node *node)
{
	struct loom_value *y = node->output;
	int64_t i, inner = loom_value_trailing(y, (uint32_t)(node->quant.axis + 1));
	struct loom_walk scale, zero;

	loom_walk_broadcast(&scale, y, node->inputs[1]);
	loom_walk_broadcast(&zero, y, node->inputs[2]);
	for (i = 0; i < y->num_elems; i++) {
		int64_t channel = quant_channel(node, i, inner);

		if (node->quant.axis < 0) {
			dequantize_one(node, i, scale.offset, zero.offset);
			loom_walk_next(&scale);
			loom_walk_next(&zero);
		} else {
			dequantize_one(node, i, channel, channel);
		}
	}
	return 0;
}
