// SPDX-License-Identifier: MIT
/* Building kernels: operands, stages, lanes. See kernel.h. */
#include "kernel.h"

#include <string.h>

#include "graph/value.h"
#include "plan/build.h"

u32 loom_float_bits(float number)
{
	u32 bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

u32 loom_kernel_operand(struct loom_kernel *kernel, enum loom_role role,
			const struct loom_ref *ref)
{
	struct loom_operand *operand;

	if (kernel->num_operands == LOOM_KERNEL_OPERANDS)
		kernel->num_operands--;
	operand = &kernel->operands[kernel->num_operands];
	memset(operand, 0, sizeof(*operand));
	operand->role = role;
	operand->ref = *ref;
	return kernel->num_operands++;
}

u32 loom_kernel_temp(struct loom_kernel *kernel, u32 like, u32 dtype)
{
	struct loom_operand copy = kernel->operands[like];
	u32 temp = loom_kernel_operand(kernel, LOOM_ROLE_TEMP, &copy.ref);

	copy.role = LOOM_ROLE_TEMP;
	copy.ref.dtype = dtype;
	kernel->operands[temp] = copy;
	return temp;
}

/* The bits of a number in a type; integers saturate. */
static u64 number_bits(u32 dtype, double number)
{
	struct loom_value value = { .dtype = dtype };
	u64 bits = 0;

	value.data = &bits;
	value.num_elems = 1;
	loom_value_set_float(&value, 0, number);
	return bits;
}

u32 loom_kernel_const(struct loom_kernel *kernel, u32 like, double number)
{
	struct loom_ref ref = kernel->operands[like].ref;
	u32 index, i;

	for (i = 0; i < ref.rank; i++)
		ref.dims[i] = 1;
	index = loom_kernel_operand(kernel, LOOM_ROLE_FILL, &ref);
	kernel->operands[index].bits = number_bits(ref.dtype, number);
	kernel->operands[index].lane_axis = kernel->operands[like].lane_axis;
	return index;
}

struct loom_stage *loom_kernel_stage(struct loom_kernel *kernel, u32 opcode, u32 operands,
				     const u32 *operand)
{
	struct loom_stage *stage;

	if (kernel->num_stages == LOOM_KERNEL_STAGES)
		kernel->num_stages--;
	stage = &kernel->stages[kernel->num_stages++];
	memset(stage, 0, sizeof(*stage));
	stage->opcode = opcode;
	stage->operands = operands;
	memcpy(stage->operand, operand, operands * sizeof(*operand));
	return stage;
}

void loom_kernel_unary(struct loom_kernel *kernel, u32 y, u32 x, u32 kind, float p0, float p1)
{
	const u32 operands[] = { y, x };
	struct loom_stage *stage = loom_kernel_stage(kernel, DRM_LOOM_OP_UNARY, 2, operands);

	stage->attr_bytes = sizeof(stage->unary);
	stage->unary.kind = kind;
	stage->unary.p0 = loom_float_bits(p0);
	stage->unary.p1 = loom_float_bits(p1);
}

void loom_kernel_binary(struct loom_kernel *kernel, u32 y, u32 a, u32 b, u32 kind)
{
	const u32 operands[] = { y, a, b };
	struct loom_stage *stage = loom_kernel_stage(kernel, DRM_LOOM_OP_BINARY, 3, operands);

	stage->attr_bytes = sizeof(stage->binary);
	stage->binary.kind = kind;
}

bool loom_kernel_part_stage(const struct loom_kernel *kernel, u32 index, u64 lo, u64 hi,
			    struct loom_stage *stage)
{
	bool last = !hi || hi == kernel->operands[0].ref.dims[LOOM_SUM_AXIS];

	*stage = kernel->stages[index];
	if (kernel->sums == LOOM_KERNEL_NO_SUMS || (!lo && last) || index < kernel->sum_stage)
		return true;
	if (index > kernel->sum_stage)
		return last;
	if (!last) {
		stage->operand[0] = kernel->sums;
		stage->operands = 3;
		stage->matmul.flags = 0;
		stage->matmul.act = DRM_LOOM_ACT_NONE;
		stage->matmul.act_p0 = 0;
		stage->matmul.act_p1 = 0;
		stage->matmul.alpha = loom_float_bits(1);
		stage->matmul.beta = loom_float_bits(1);
		stage->matmul.y_zero = 0;
	}
	if (lo) {
		stage->opcode = DRM_LOOM_OP_MATMUL_ADD;
		memmove(&stage->operand[4], &stage->operand[3],
			(stage->operands - 3) * sizeof(stage->operand[0]));
		stage->operand[3] = kernel->sums;
		stage->operands++;
	}
	return true;
}

u32 loom_lane_pick(const u64 *dims, u32 lanes, const u8 *prefer, u32 count)
{
	double waste[DRM_LOOM_MAX_RANK], best = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		u64 dim = dims[prefer[i]];

		waste[i] = (double)(loom_div_round_up(dim, lanes) * lanes) / (double)dim;
		if (!i || waste[i] < best)
			best = waste[i];
	}
	for (i = 0; i < count; i++)
		if (waste[i] <= 1.5 * best)
			return prefer[i];
	return prefer[0];
}

static void whole_view(const struct loom_ref *ref, struct drm_loom_plan_view *view)
{
	u32 i;

	memset(view, 0, sizeof(*view));
	view->rank = ref->rank;
	for (i = 0; i < ref->rank && i < DRM_LOOM_MAX_RANK; i++)
		view->dims[i] = ref->dims[i];
}

u64 loom_kernel_macs(const struct loom_kernel *kernel)
{
	u64 macs = 0;
	u32 i, k;

	for (i = 0; i < kernel->num_stages; i++) {
		const struct loom_stage *stage = &kernel->stages[i];
		struct drm_loom_plan_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];

		for (k = 0; k < stage->operands; k++)
			whole_view(&kernel->operands[stage->operand[k]].ref, &views[k]);
		macs += loom_build_macs(stage->opcode, views);
	}
	return macs;
}
