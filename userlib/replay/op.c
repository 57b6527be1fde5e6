// SPDX-License-Identifier: MIT
/*
 * The table of opcodes; labels of elementwise operations and of those along an axis. See replay.h.
 */
#include "replay.h"

#include <string.h>

/* Element by element: operands have the result's dims, or 1 where they repeat. */
static bool label_elementwise(struct replay *r)
{
	const struct replay_operand *y = &r->operands[0];
	uint64_t steps[DRM_LOOM_MAX_OPERANDS][DRM_LOOM_MAX_RANK], at[DRM_LOOM_MAX_OPERANDS] = { 0 };
	uint64_t begin = replay_attr_label(r, r->attr, r->op->attr_bytes), step, label;
	uint32_t index[DRM_LOOM_MAX_RANK] = { 0 }, rank = y->view->rank, i, k, n;

	for (k = 1; k < r->num_operands; k++) {
		const struct drm_loom_plan_view *x = r->operands[k].view;

		if (x->rank != rank)
			return replay_misfit(r, k);
		for (i = rank, step = 1; i-- > 0; step *= x->dims[i]) {
			if (x->dims[i] != y->view->dims[i] && x->dims[i] != 1)
				return replay_misfit(r, k);
			steps[k][i] = x->dims[i] == 1 ? 0 : step;
		}
	}
	for (n = 0; n < y->count; n++) {
		label = begin;
		for (k = 1; k < r->num_operands; k++)
			label = replay_join(label, r->operands[k].labels[at[k]]);
		y->labels[n] = label;
		for (i = rank; i-- > 0;) {
			index[i]++;
			for (k = 1; k < r->num_operands; k++)
				at[k] += steps[k][i];
			if (index[i] < y->view->dims[i])
				break;
			for (k = 1; k < r->num_operands; k++)
				at[k] -= steps[k][i] * index[i];
			index[i] = 0;
		}
	}
	return true;
}

/* The result has a dim of 1 on reduced axes; in a sum, the place on those axes gives the key. */
static bool label_reduce(struct replay *r)
{
	const struct drm_loom_attr_reduce *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	uint64_t begin = replay_attr_label(r, attr, sizeof(*attr)), place = 0, to = 0, *sums;
	uint64_t place_steps[DRM_LOOM_MAX_RANK], to_steps[DRM_LOOM_MAX_RANK], step = 1, reduced = 1;
	uint32_t index[DRM_LOOM_MAX_RANK] = { 0 }, rank = y->view->rank, i, n;
	const uint64_t *keys;

	if (x->view->rank != rank)
		return replay_misfit(r, 1);
	for (i = rank; i-- > 0;) {
		bool same = x->view->dims[i] == y->view->dims[i];

		if (!same && y->view->dims[i] != 1)
			return replay_misfit(r, 1);
		to_steps[i] = same ? step : 0;
		place_steps[i] = same ? 0 : reduced;
		step *= y->view->dims[i];
		reduced *= same ? 1 : x->view->dims[i];
	}
	keys = replay_keys(r, reduced);
	sums = replay_sums(r, 0, y->count);
	if (!keys || !sums)
		return false;
	for (n = 0; n < x->count; n++) {
		sums[to] += x->labels[n] * keys[place];
		for (i = rank; i-- > 0;) {
			index[i]++;
			to += to_steps[i];
			place += place_steps[i];
			if (index[i] < x->view->dims[i])
				break;
			to -= to_steps[i] * index[i];
			place -= place_steps[i] * index[i];
			index[i] = 0;
		}
	}
	for (n = 0; n < y->count; n++)
		y->labels[n] = replay_join(begin, sums[n]);
	return true;
}

/*
 * Runs along @axis: each result depends on all of the same run of each operand, and also on the
 * same element of the first one, or on its own place.
 */
static bool label_runs(struct replay *r, uint32_t axis, uint64_t begin, bool same)
{
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	uint64_t outer = 1, inner = 1, count, length, label, sum, o, i, k;
	const uint64_t *keys;
	uint32_t n;

	if (axis >= y->view->rank || x->view->rank != y->view->rank ||
	    y->view->dims[axis] > x->view->dims[axis])
		return replay_misfit(r, 1);
	count = y->view->dims[axis];
	length = x->view->dims[axis];
	for (i = 0; i < axis; i++)
		outer *= y->view->dims[i];
	for (i = axis + 1; i < y->view->rank; i++)
		inner *= y->view->dims[i];
	for (n = 1; n < r->num_operands; n++)
		if (r->operands[n].count != outer * inner * length)
			return replay_misfit(r, n);
	keys = replay_keys(r, length);
	if (!keys)
		return false;
	for (o = 0; o < outer; o++) {
		for (i = 0; i < inner; i++) {
			uint64_t *to = &y->labels[o * count * inner + i];
			const uint64_t at = o * length * inner + i;

			for (n = 1, label = begin; n < r->num_operands; n++) {
				for (k = 0, sum = 0; k < length; k++)
					sum += r->operands[n].labels[at + k * inner] * keys[k];
				label = replay_join(label, sum);
			}
			for (k = 0; k < count; k++)
				to[k * inner] = replay_join(label, !same ? keys[k] :
							    x->labels[at + k * inner]);
		}
	}
	return true;
}

static bool label_softmax(struct replay *r)
{
	const struct drm_loom_attr_softmax *attr = r->attr;

	if (memcmp(r->operands[1].view->dims, r->operands[0].view->dims,
		   sizeof(r->operands[0].view->dims)))
		return replay_misfit(r, 1);
	return label_runs(r, attr->axis, replay_attr_label(r, &attr->flags, sizeof(attr->flags)),
			  true);
}

static bool label_topk(struct replay *r)
{
	const struct drm_loom_attr_topk *attr = r->attr;

	return label_runs(r, attr->axis, replay_attr_label(r, &attr->flags, sizeof(attr->flags)),
			  false);
}

/* Each result depends on its index, and on all of x along the axis. */
static bool label_gather(struct replay *r)
{
	const struct drm_loom_attr_gather *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *x = &r->operands[1];
	const struct drm_loom_plan_view *view = y->view, *index = r->operands[2].view;
	uint64_t begin = replay_attr_label(r, NULL, 0), *sums, length, inner = 1, at, step;
	const uint64_t *keys;
	uint32_t i, n;

	if (attr->axis >= view->rank || x->view->rank != view->rank || index->rank != view->rank)
		return replay_misfit(r, 1);
	length = x->view->dims[attr->axis];
	for (i = 0; i < view->rank; i++) {
		if (i != attr->axis && x->view->dims[i] != view->dims[i])
			return replay_misfit(r, 1);
		if (index->dims[i] != view->dims[i] && index->dims[i] != 1)
			return replay_misfit(r, 2);
		inner *= i > attr->axis ? view->dims[i] : 1;
	}
	keys = replay_keys(r, length);
	sums = replay_sums(r, 0, x->count / length);
	if (!keys || !sums)
		return false;
	for (n = 0; n < x->count; n++)
		sums[n / (length * inner) * inner + n % inner] +=
			x->labels[n] * keys[n / inner % length];
	for (n = 0; n < y->count; n++) {
		for (i = view->rank, at = 0, step = 1, length = n; i-- > 0;) {
			at += index->dims[i] == 1 ? 0 : length % view->dims[i] * step;
			step *= index->dims[i];
			length /= view->dims[i];
		}
		length = view->dims[attr->axis] * inner;
		y->labels[n] = replay_join(begin, sums[n / length * inner + n % inner]);
		y->labels[n] = replay_join(y->labels[n], r->operands[2].labels[at]);
	}
	return true;
}

/* Whether an operand has these four dims, or 1 on axes whose bit is set in @broadcast. */
static bool fits(const struct drm_loom_plan_view *view, const uint32_t *dims, uint32_t broadcast)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		if (view->dims[i] != dims[i] && !(view->dims[i] == 1 && broadcast & 1U << i))
			return false;
	return view->rank == 4;
}

/* The index of an element in a view of four axes; axes of one element are broadcast. */
static uint64_t element(const struct drm_loom_plan_view *view, const uint32_t *index)
{
	uint64_t at = 0;
	uint32_t i;

	for (i = 0; i < 4; i++)
		at = at * view->dims[i] + (view->dims[i] == 1 ? 0 : index[i]);
	return at;
}

/* Key of the place in K: the label of a sum goes on when K does. */
#define DEEPER	0x9e3779b97f4a7c15ULL

/* Sums each row of a and each column of b once. Returns the key of the end of K. */
static uint64_t sum_factors(struct replay *r, uint64_t *rows, uint64_t *columns)
{
	const struct replay_operand *a = &r->operands[1], *b = &r->operands[2];
	uint64_t depth = a->view->dims[3], n = b->view->dims[3], end = 1, i, k, j;

	for (i = 0; i < a->count / depth; i++)
		for (k = 0; k < depth; k++)
			rows[i] = rows[i] * DEEPER + a->labels[i * depth + k];
	for (i = 0; i < b->count / depth / n; i++)
		for (k = 0; k < depth; k++)
			for (j = 0; j < n; j++)
				columns[i * n + j] = columns[i * n + j] * DEEPER +
						     b->labels[(i * depth + k) * n + j];
	for (k = 0; k < depth; k++)
		end *= DEEPER;
	return end;
}

/* The label of sums without terms, of the types and zero points of a and b. */
static uint64_t no_terms(const struct replay *r, const struct drm_loom_attr_matmul *attr)
{
	uint64_t label = replay_join(5, DRM_LOOM_OP_MATMUL);

	label = replay_join(label, r->operands[1].view->dtype);
	label = replay_join(label, r->operands[2].view->dtype);
	label = replay_join(label, (uint32_t)attr->a_zero);
	return replay_join(label, (uint32_t)attr->b_zero);
}

/* Label of the steps behind the sums; 0: these are the result. */
static uint64_t finish_label(const struct replay *r, const struct drm_loom_attr_matmul *attr)
{
	struct drm_loom_attr_matmul plain = {
		.alpha = 0x3f800000, .beta = 0x3f800000,
		.a_zero = attr->a_zero, .b_zero = attr->b_zero,
	};
	uint32_t dtype = r->operands[0].view->dtype;
	uint64_t label;

	if (!memcmp(attr, &plain, sizeof(plain)) && dtype != DRM_LOOM_DTYPE_F16)
		return 0;
	label = replay_join(replay_join(6, dtype), (uint64_t)attr->flags << 32 | attr->act);
	label = replay_join(label, (uint64_t)attr->act_p0 << 32 | attr->act_p1);
	label = replay_join(label, (uint64_t)attr->alpha << 32 | attr->beta);
	return replay_join(label, (uint32_t)attr->y_zero);
}

static bool matmul_fits(struct replay *r)
{
	const struct drm_loom_attr_matmul *attr = r->attr;
	const struct drm_loom_plan_view *y = r->operands[0].view, *a = r->operands[1].view;
	uint32_t dims[4], count = replay_op_get(r->opcode)->low, k;

	count += !!(attr->flags & DRM_LOOM_ATTR_BIAS) + !!(attr->flags & DRM_LOOM_ATTR_SCALE);
	if (r->num_operands != count || y->rank != 4)
		return replay_misfit(r, 0);
	memcpy(dims, y->dims, sizeof(dims));
	dims[3] = a->dims[3];
	if (!fits(a, dims, 3))
		return replay_misfit(r, 1);
	dims[2] = a->dims[3];
	dims[3] = y->dims[3];
	if (!fits(r->operands[2].view, dims, 3))
		return replay_misfit(r, 2);
	for (k = 3; k < r->num_operands; k++)
		if (!fits(r->operands[k].view, y->dims, k < replay_op_get(r->opcode)->low ? 0 : 15))
			return replay_misfit(r, k);
	return true;
}

static bool label_matmul(struct replay *r)
{
	const struct drm_loom_attr_matmul *attr = r->attr;
	const struct replay_operand *y = &r->operands[0], *a = &r->operands[1];
	const struct replay_operand *b = &r->operands[2];
	uint64_t none = no_terms(r, attr), finish = finish_label(r, attr), *rows, *columns, label;
	uint32_t index[4] = { 0 }, at[4], extra = replay_op_get(r->opcode)->low, i, k, n;
	uint64_t end;

	if (!matmul_fits(r))
		return false;
	rows = replay_sums(r, 0, a->count / a->view->dims[3]);
	columns = replay_sums(r, 1, b->count / b->view->dims[2]);
	if (!rows || !columns)
		return false;
	end = sum_factors(r, rows, columns);
	for (n = 0; n < y->count; n++) {
		memcpy(at, index, sizeof(at));
		at[3] = 0;
		label = rows[element(a->view, at) / a->view->dims[3]];
		at[3] = index[3];
		at[2] = 0;
		k = (uint32_t)(element(b->view, at) / b->view->dims[3] / b->view->dims[2]);
		label += columns[(uint64_t)k * b->view->dims[3] + index[3]] * (DEEPER << 1 | 1);
		if (extra > 3)
			label += (r->operands[3].labels[n] - none) * end;
		label += none;
		if (finish)
			label = replay_join(finish, label);
		for (k = extra; k < r->num_operands; k++) {
			const struct replay_operand *x = &r->operands[k];

			label = replay_join(label, x->labels[element(x->view, index)]);
		}
		y->labels[n] = label;
		for (i = 4; i-- > 0;) {
			if (++index[i] < y->view->dims[i])
				break;
			index[i] = 0;
		}
	}
	r->report->counted.macs += (uint64_t)y->count * a->view->dims[3];
	return true;
}

#define ATTR(name)	sizeof(struct drm_loom_attr_##name)

static const struct replay_op ops[DRM_LOOM_OP_END] = {
	[DRM_LOOM_OP_LOAD] = { "LOAD", true, 2, 2, 0, 0, NULL },
	[DRM_LOOM_OP_STORE] = { "STORE", true, 2, 2, 0, 0, NULL },
	[DRM_LOOM_OP_COPY] = { "COPY", true, 2, 2, 0, 0, NULL },
	[DRM_LOOM_OP_FILL] = { "FILL", true, 1, 1, ATTR(fill), 0, NULL },
	[DRM_LOOM_OP_CONV] = { "CONV", false, 3, 5, ATTR(conv), 0, replay_conv },
	[DRM_LOOM_OP_DECONV] = { "DECONV", false, 3, 4, ATTR(conv), 0, replay_deconv },
	[DRM_LOOM_OP_POOL] = { "POOL", false, 2, 2, ATTR(pool), 0, replay_pool },
	[DRM_LOOM_OP_MATMUL] = { "MATMUL", false, 3, 5, ATTR(matmul), 0, label_matmul },
	[DRM_LOOM_OP_MATMUL_ADD] = {
		"MATMUL_ADD", false, 4, 6, ATTR(matmul), 1 << 3, label_matmul,
	},
	[DRM_LOOM_OP_BINARY] = { "BINARY", false, 3, 3, ATTR(binary), 0xff, label_elementwise },
	[DRM_LOOM_OP_UNARY] = { "UNARY", false, 2, 2, ATTR(unary), 0xff, label_elementwise },
	[DRM_LOOM_OP_SELECT] = { "SELECT", false, 4, 4, 0, 0xff, label_elementwise },
	[DRM_LOOM_OP_REDUCE] = { "REDUCE", false, 2, 2, ATTR(reduce), 0, label_reduce },
	[DRM_LOOM_OP_SOFTMAX] = { "SOFTMAX", false, 2, 2, ATTR(softmax), 0, label_softmax },
	[DRM_LOOM_OP_TOPK] = { "TOPK", false, 2, 3, ATTR(topk), 0, label_topk },
	[DRM_LOOM_OP_GATHER] = { "GATHER", false, 3, 3, ATTR(gather), 0, label_gather },
	[DRM_LOOM_OP_RESIZE] = { "RESIZE", false, 2, 2, ATTR(resize), 0, replay_resize },
	[DRM_LOOM_OP_CAST] = { "CAST", false, 2, 2, 0, 0xff, label_elementwise },
	[DRM_LOOM_OP_QUANTIZE] = { "QUANTIZE", false, 3, 4, 0, 0xff, label_elementwise },
	[DRM_LOOM_OP_DEQUANTIZE] = { "DEQUANTIZE", false, 3, 4, 0, 0xff, label_elementwise },
};

const struct replay_op *replay_op_get(uint32_t opcode)
{
	static const struct replay_op native = {
		"NATIVE", false, 1, DRM_LOOM_MAX_NATIVE_OPERANDS, ATTR(native), 0, NULL,
	};

	if (opcode == DRM_LOOM_OP_NATIVE)
		return &native;
	return opcode < DRM_LOOM_OP_END && ops[opcode].name ? &ops[opcode] : NULL;
}
