// SPDX-License-Identifier: MIT
/*
 * MATMUL: y[A, B, M, N] = a[A, B, M, K] x b[A, B, K, N]. Batch axes whose strides allow it are
 * merged; if more than two remain, the outer ones become several kernels. A transposed operand is
 * one with other strides. In a pair of products (rewrite/pair.c), a is a temporary of the kernel,
 * the result of the first product.
 */
#include "operators.h"

#include <errno.h>
#include <string.h>

#include "graph/value.h"

enum {
	MATMUL_Y,
	MATMUL_A,
	MATMUL_B,
	MATMUL_BIAS,
	MATMUL_SCALE,
	MATMUL_UP,
	MATMUL_UP_BIAS,
	MATMUL_REFS,
};

/**
 * struct matmul - a product whose operands all have the same rank
 * @node: the node
 * @refs: operands; all have @rank axes, the last two are rows and columns
 * @present: the operand is there
 * @rank: number of axes
 * @attr: attributes
 */
struct matmul {
	const struct loom_node *node;
	struct loom_ref refs[MATMUL_REFS];
	bool present[MATMUL_REFS];
	u32 rank;
	struct drm_loom_attr_matmul attr;
};

static void swap_last(struct loom_ref *ref)
{
	u32 i = ref->rank - 2;
	u64 dim = ref->dims[i];
	s64 stride = ref->strides[i];

	ref->dims[i] = ref->dims[i + 1];
	ref->strides[i] = ref->strides[i + 1];
	ref->dims[i + 1] = dim;
	ref->strides[i + 1] = stride;
}

static void drop_axis(struct matmul *m, u32 axis)
{
	u32 i;

	for (i = 0; i < MATMUL_REFS; i++) {
		struct loom_ref *ref = &m->refs[i];

		memmove(&ref->dims[axis], &ref->dims[axis + 1],
			(m->rank - axis - 1) * sizeof(ref->dims[0]));
		memmove(&ref->strides[axis], &ref->strides[axis + 1],
			(m->rank - axis - 1) * sizeof(ref->strides[0]));
		ref->rank--;
	}
	m->rank--;
}

/* Whether batch axes @axis and @axis + 1 can be merged in every operand. */
static bool merge_batch(struct matmul *m, u32 axis)
{
	u32 i;

	for (i = 0; i < MATMUL_REFS; i++) {
		const struct loom_ref *ref = &m->refs[i];
		bool outer = ref->dims[axis] != 1, inner = ref->dims[axis + 1] != 1;

		if (!m->present[i] || (!outer && !inner))
			continue;
		if (outer != inner ||
		    ref->strides[axis] != ref->strides[axis + 1] * (s64)ref->dims[axis + 1])
			return false;
	}
	for (i = 0; i < MATMUL_REFS; i++)
		m->refs[i].dims[axis + 1] *= m->refs[i].dims[axis];
	drop_axis(m, axis);
	return true;
}

static void merge_batches(struct matmul *m)
{
	u32 i, k;

	/* an operand repeated along an axis is loaded once and broadcast by the device */
	for (i = 1; i < MATMUL_REFS; i++)
		for (k = 0; k + 2 < m->rank; k++)
			if (!m->refs[i].strides[k])
				m->refs[i].dims[k] = 1;
	for (i = m->rank - 2; i-- > 0;)
		if (m->refs[MATMUL_Y].dims[i] == 1)
			drop_axis(m, i);
	for (i = m->rank - 2; i-- > 1;)
		merge_batch(m, i - 1);
	while (m->rank < 4) {
		for (i = 0; i < MATMUL_REFS; i++)
			if (m->present[i])
				loom_ref_insert(&m->refs[i], 0);
		m->rank++;
	}
}

/* Whether an axis of an operand is the summed one; of a pair, that of the second product. */
static bool is_reduced(const struct matmul *m, u32 index, u32 axis)
{
	switch (index) {
	case MATMUL_A:
		return axis == 3 && !m->present[MATMUL_UP];
	case MATMUL_B:
		return axis == 2;
	case MATMUL_UP:
	case MATMUL_UP_BIAS:
		return axis == 3;
	}
	return false;
}

/* Whether an axis is that of the sums of the first product of a pair, which is not cut. */
static bool is_whole(const struct matmul *m, u32 index, u32 axis)
{
	return (index == MATMUL_UP && axis == 2) ||
	       (index == MATMUL_A && axis == 3 && m->present[MATMUL_UP]);
}

static void add_operand(struct loom_lower *lower, struct loom_kernel *kernel,
			const struct matmul *m, u32 index)
{
	static const u8 by_row[] = { 2, 3 };
	const struct loom_ref *ref = &m->refs[index], *y = &m->refs[MATMUL_Y];
	struct loom_operand *operand;
	u32 i;

	i = loom_kernel_operand(kernel, index ? LOOM_ROLE_LOAD : LOOM_ROLE_STORE, ref);
	operand = &kernel->operands[i];
	/* rows over lanes, or columns if there are too few rows */
	operand->lane_axis = loom_lane_pick(ref->dims, lower->sram.lanes, by_row, 2);
	for (i = 0; i < 4; i++) {
		/* a bias of one element is for all columns */
		bool reduced = is_reduced(m, index, i) &&
			       (index != MATMUL_UP_BIAS || ref->dims[i] != 1);

		operand->map[i].axis = i;
		if (reduced)
			operand->map[i].axis = LOOM_SUM_AXIS;
		operand->map[i].kind = reduced || is_whole(m, index, i) ||
				       (ref->dims[i] == 1 && y->dims[i] != 1) ?
				       LOOM_MAP_FULL : LOOM_MAP_SAME;
	}
}

/* The first product of a pair: a temporary that follows the rows, and the summed axis. */
static int add_first(struct loom_lower *lower, struct loom_kernel *kernel, struct matmul *m, u32 *a)
{
	u32 operands[4] = { 0, *a, kernel->num_operands }, middle, n = 3;
	struct drm_loom_attr_matmul attr = {
		.alpha = loom_float_bits(1), .beta = loom_float_bits(1),
	};
	const struct loom_gact *act = &m->node->matmul.up_act;
	struct loom_stage *stage;
	bool fused;

	add_operand(lower, kernel, m, MATMUL_UP);
	if (m->present[MATMUL_UP_BIAS]) {
		operands[n++] = kernel->num_operands;
		add_operand(lower, kernel, m, MATMUL_UP_BIAS);
		attr.flags = DRM_LOOM_ATTR_BIAS;
	}
	middle = loom_kernel_temp(kernel, *a, m->refs[MATMUL_A].dtype);
	kernel->operands[middle].ref.dims[3] = m->refs[MATMUL_B].dims[2];
	kernel->operands[middle].map[3].axis = LOOM_SUM_AXIS;
	fused = loom_kernel_activation(act, m->refs[MATMUL_A].dtype, &attr.act, &attr.act_p0,
				       &attr.act_p1);
	operands[0] = middle;
	*a = middle;
	stage = loom_kernel_stage(kernel, DRM_LOOM_OP_MATMUL, n, operands);
	stage->matmul = attr;
	stage->attr_bytes = sizeof(attr);
	/* each slice of columns would need all of the first product again */
	kernel->whole |= 1U << 3;
	return fused || act->fn == LOOM_GFN_NONE ? 0 :
	       loom_kernel_function(lower, kernel, middle, middle, act);
}

/* Adds beta * c for types of bias that the device does not support. */
static void add_late(struct loom_lower *lower, struct loom_kernel *kernel, const struct matmul *m)
{
	u32 bias = kernel->num_operands;
	float beta = m->node->matmul.beta;
	u32 scaled;

	add_operand(lower, kernel, m, MATMUL_BIAS);
	if (beta != 1) {
		scaled = loom_kernel_temp(kernel, bias, kernel->operands[bias].ref.dtype);
		loom_kernel_binary(kernel, scaled, bias, loom_kernel_const(kernel, bias, beta),
				   DRM_LOOM_BINARY_MUL);
		bias = scaled;
	}
	loom_kernel_binary(kernel, 0, 0, bias, DRM_LOOM_BINARY_ADD);
}

/* The sums can go on in another slice: in the result, if that is of their type. */
static void add_sums(const struct loom_lower *lower, struct loom_kernel *kernel,
		     const struct matmul *m)
{
	u32 a = m->refs[MATMUL_A].dtype, dtype = DRM_LOOM_DTYPE_I32;

	if (loom_dtype_is_float(a))
		dtype = a == DRM_LOOM_DTYPE_F64 ? a : DRM_LOOM_DTYPE_F32;
	if (!(lower->chip->opcodes >> DRM_LOOM_OP_MATMUL_ADD & 1) ||
	    !(lower->chip->dtypes >> dtype & 1))
		return;
	kernel->sums = m->refs[MATMUL_Y].dtype == dtype ? 0 : loom_kernel_temp(kernel, 0, dtype);
	kernel->sum_stage = kernel->num_stages - 1;
	kernel->operands[0].ref.dims[LOOM_SUM_AXIS] = m->refs[MATMUL_B].dims[2];
}

static int emit_matmul(struct loom_lower *lower, struct matmul *m)
{
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	bool late = m->present[MATMUL_BIAS] && !(m->attr.flags & DRM_LOOM_ATTR_BIAS);
	u32 operands[5] = { 0, 1, 2 }, n = 3;
	struct loom_stage *stage;
	bool fused = false;
	int ret = 0;

	kernel.unit_cost = m->refs[MATMUL_B].dims[2];
	if (m->present[MATMUL_UP])
		kernel.unit_cost = max(kernel.unit_cost, (u64)m->refs[MATMUL_UP].dims[2]);
	add_operand(lower, &kernel, m, MATMUL_Y);
	add_operand(lower, &kernel, m, MATMUL_A);
	add_operand(lower, &kernel, m, MATMUL_B);
	if (m->attr.flags & DRM_LOOM_ATTR_BIAS) {
		operands[n++] = kernel.num_operands;
		add_operand(lower, &kernel, m, MATMUL_BIAS);
	}
	if (m->present[MATMUL_SCALE]) {
		operands[n++] = kernel.num_operands;
		add_operand(lower, &kernel, m, MATMUL_SCALE);
	}
	if (!late)
		fused = loom_kernel_activation(&m->node->act, m->refs[MATMUL_Y].dtype,
					       &m->attr.act, &m->attr.act_p0, &m->attr.act_p1);
	if (m->present[MATMUL_UP])
		ret = add_first(lower, &kernel, m, &operands[1]);
	if (ret)
		return ret;
	stage = loom_kernel_stage(&kernel, DRM_LOOM_OP_MATMUL, n, operands);
	stage->matmul = m->attr;
	stage->attr_bytes = sizeof(m->attr);
	add_sums(lower, &kernel, m);
	if (late)
		add_late(lower, &kernel, m);
	if (!fused && m->node->act.fn != LOOM_GFN_NONE)
		ret = loom_kernel_function(lower, &kernel, 0, 0, &m->node->act);
	return ret ? ret : loom_sink_kernel(lower, &kernel);
}

static int emit_batches(struct loom_lower *lower, struct matmul *m)
{
	u64 i;
	u32 k;
	int ret;

	if (m->rank == 4)
		return emit_matmul(lower, m);
	for (i = 0; i < m->refs[MATMUL_Y].dims[0]; i++) {
		struct matmul part = *m;

		for (k = 0; k < MATMUL_REFS; k++)
			if (m->present[k])
				part.refs[k] = loom_ref_at(&m->refs[k],
							   m->refs[k].dims[0] == 1 ? 0 : i);
		part.rank--;
		ret = emit_batches(lower, &part);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_operand(struct loom_lower *lower, struct matmul *m, u32 index,
			const struct loom_value *value)
{
	int ret;

	if (!value)
		return 0;
	ret = loom_storage_read(lower, value, &m->refs[index]);
	m->present[index] = !ret;
	return ret;
}

static int read_operands(struct loom_lower *lower, struct matmul *m)
{
	struct loom_value *const *in = m->node->inputs;
	u32 i;
	int ret;

	ret = loom_storage_write(lower, m->node->output, &m->refs[MATMUL_Y]);
	m->present[MATMUL_Y] = true;
	if (!ret)
		ret = read_operand(lower, m, MATMUL_A, in[LOOM_GMATMUL_A]);
	if (!ret)
		ret = read_operand(lower, m, MATMUL_B, in[LOOM_GMATMUL_B]);
	if (!ret)
		ret = read_operand(lower, m, MATMUL_BIAS, in[LOOM_GMATMUL_C]);
	if (!ret)
		ret = read_operand(lower, m, MATMUL_SCALE, in[LOOM_GMATMUL_MULT]);
	if (!ret)
		ret = read_operand(lower, m, MATMUL_UP, in[LOOM_GMATMUL_UP]);
	if (!ret)
		ret = read_operand(lower, m, MATMUL_UP_BIAS, in[LOOM_GMATMUL_UP_C]);
	if (ret)
		return ret;
	if (m->node->matmul.trans_a)
		swap_last(&m->refs[MATMUL_A]);
	if (m->node->matmul.trans_b)
		swap_last(&m->refs[MATMUL_B]);
	m->rank = m->refs[MATMUL_Y].rank;
	for (i = 0; i < MATMUL_REFS; i++) {
		if (m->refs[i].rank > m->rank)
			return loom_lower_fail(lower, -EINVAL, "operand %u has too many axes", i);
		while (m->present[i] && m->refs[i].rank < m->rank)
			loom_ref_insert(&m->refs[i], 0);
	}
	return 0;
}

static int check_types(struct loom_lower *lower, const struct loom_node *node)
{
	u32 a = node->inputs[LOOM_GMATMUL_A]->dtype, b = node->inputs[LOOM_GMATMUL_B]->dtype;
	bool a_byte = a == DRM_LOOM_DTYPE_I8 || a == DRM_LOOM_DTYPE_U8;
	bool b_byte = b == DRM_LOOM_DTYPE_I8 || b == DRM_LOOM_DTYPE_U8;

	if (loom_dtype_is_float(a) ? a != b : !a_byte || !b_byte)
		return loom_lower_fail(lower, -EOPNOTSUPP, "the device has no product of %s and %s",
				       loom_dtype_name(a), loom_dtype_name(b));
	return 0;
}

/* F32 in a product of F32, I32 in one of bytes; others are added by a separate command. */
static bool device_takes_bias(const struct matmul *m)
{
	u32 a = m->refs[MATMUL_A].dtype, bias = m->refs[MATMUL_BIAS].dtype;

	if (loom_dtype_is_float(a))
		return a == DRM_LOOM_DTYPE_F32 && bias == DRM_LOOM_DTYPE_F32;
	return bias == DRM_LOOM_DTYPE_I32;
}

int loom_lower_matmul(struct loom_lower *lower, const struct loom_node *node)
{
	struct matmul m = { .node = node };
	int ret;

	m.attr.alpha = loom_float_bits(node->matmul.alpha);
	m.attr.beta = loom_float_bits(1);
	ret = check_types(lower, node);
	if (!ret)
		ret = loom_lower_zero_point(lower, node->inputs[LOOM_GMATMUL_A_ZP], &m.attr.a_zero);
	if (!ret)
		ret = loom_lower_zero_point(lower, node->inputs[LOOM_GMATMUL_B_ZP], &m.attr.b_zero);
	if (!ret)
		ret = loom_lower_zero_point(lower, node->inputs[LOOM_GMATMUL_Y_ZP], &m.attr.y_zero);
	if (!ret)
		ret = read_operands(lower, &m);
	if (ret)
		return ret;
	if (m.present[MATMUL_SCALE])
		m.attr.flags |= DRM_LOOM_ATTR_SCALE;
	if (m.present[MATMUL_BIAS] && device_takes_bias(&m)) {
		m.attr.flags |= DRM_LOOM_ATTR_BIAS;
		m.attr.beta = loom_float_bits(node->matmul.beta);
	}
	merge_batches(&m);
	return emit_batches(lower, &m);
}
