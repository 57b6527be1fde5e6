/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_H
#define LOOM_FP_H

#include "loom_engine.h"

/*
 * The functions of the operations, in fp_<name>.c. Each computes @count units of a command from
 * unit @first; what a unit is stands at the top of op/<name>.c. In a kernel they may run between
 * kernel_fpu_begin() and kernel_fpu_end() only. The operands were proved to be in bounds and
 * to fit each other: no function here checks anything.
 */

/* LOAD, STORE and COPY: elements move from x to y, whatever the region. */
void loom_fp_copy_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count);
void loom_fp_fill_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count);
void loom_fp_conv_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count);
void loom_fp_deconv_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_pool_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count);
void loom_fp_matmul_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_binary_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_unary_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count);
void loom_fp_select_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_reduce_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_softmax_run(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count);
void loom_fp_resize_run(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count);
void loom_fp_cast_run(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count);
void loom_fp_quantize_run(const struct loom_command *command, const struct loom_memory *memory,
			  u64 first, u64 count);
void loom_fp_dequantize_run(const struct loom_command *command, const struct loom_memory *memory,
			    u64 first, u64 count);

#endif /* LOOM_FP_H */
