/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_H
#define LOOM_FP_H

#include "fp_isa.h"
#include "loom_engine.h"

/*
 * The functions of the operations, in fp_<name>.c. Each computes units of a command from unit
 * @first: as many of @count as @part->left pays for, but something in any case. It charges what it
 * does to @part->left, and returns the number of units that are complete. If @part->begun is set,
 * @first is begun, and the function goes on with it. The top of op/<name>.c defines a unit. In a
 * kernel they may run between kernel_fpu_begin() and kernel_fpu_end() only. The operands were
 * proved to be in bounds and to fit each other: no function here checks anything.
 */
typedef u64 loom_fp_fn(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part);

/* One for every operation that the verifier lets pass, by opcode. */
extern loom_fp_fn *const loom_fp_table[DRM_LOOM_OP_END];
/* For which other sets of instructions there are some depends on who builds the engine. */
#ifdef LOOM_ENGINE_AVX2
extern loom_fp_fn *const loom_fp_table_avx2[DRM_LOOM_OP_END];
#endif
#ifdef LOOM_ENGINE_AVX512
extern loom_fp_fn *const loom_fp_table_avx512[DRM_LOOM_OP_END];
extern loom_fp_fn *const loom_fp_table_vnni[DRM_LOOM_OP_END];
#endif

/* LOAD, STORE and COPY: elements move from x to y, whatever the region. */
loom_fp_fn loom_fp_copy_run;
loom_fp_fn loom_fp_fill_run;
loom_fp_fn loom_fp_conv_run;
loom_fp_fn loom_fp_deconv_run;
loom_fp_fn loom_fp_pool_run;
loom_fp_fn loom_fp_matmul_run;
loom_fp_fn loom_fp_matmul_add_run;
loom_fp_fn loom_fp_binary_run;
loom_fp_fn loom_fp_unary_run;
loom_fp_fn loom_fp_select_run;
loom_fp_fn loom_fp_reduce_run;
loom_fp_fn loom_fp_softmax_run;
loom_fp_fn loom_fp_resize_run;
loom_fp_fn loom_fp_cast_run;
loom_fp_fn loom_fp_quantize_run;
loom_fp_fn loom_fp_dequantize_run;
loom_fp_fn loom_fp_topk_run;
loom_fp_fn loom_fp_gather_run;

u64 loom_engine_go_on(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count, struct loom_part *part);

/*
 * Costs in addition to the elements: of a unit, which may have a single element, of a row of
 * elements of one unit, and of finding a tap.
 */
#define LOOM_UNIT_COST	32
#define LOOM_ROW_COST	16
#define LOOM_TAP_COST	4

static inline bool loom_part_ready(const struct loom_part *part)
{
	return part->left > 0;
}

static inline void loom_part_charge(struct loom_part *part, u64 cost)
{
	part->left -= (s64)cost;
}

/* How many of @count units @part pays for, at least one, and charges them. */
static inline u64 loom_part_pay(struct loom_part *part, u64 count, u64 cost)
{
	u64 paid = part->left > 0 ? div64_u64(part->left, cost) : 0;

	paid = min(max(paid, 1ULL), count);
	part->left -= (s64)(paid * cost);
	return paid;
}

/* A unit begins. */
static inline void loom_part_begin(struct loom_part *part)
{
	u32 i;

	part->begun = true;
	part->phase = 0;
	part->at = 0;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		part->index[i] = 0;
}

#endif /* LOOM_FP_H */
