/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_PACKED_H
#define LOOM_FP_CONV_PACKED_H

#include "fp_conv_f32.h"

/* Output channels of a block: the lanes of a vector */
#define LOOM_CONV_PACKED	16

/* A convolution of bytes whose groups are a channel each: lanes are groups then. */
static inline bool loom_conv_packed_depth(const struct loom_conv_f32 *f)
{
	return f->c.inputs == 1 && f->c.outputs == 1;
}

#ifdef __AVX512VNNI__
/* Whether the functions below can, and should. */
bool loom_conv_packed_suits(const struct loom_conv_f32 *f);

/* What is paid once for a call of the function below, in element operations. */
u64 loom_conv_packed_look(const struct loom_conv_f32 *f);

/* The outputs from position @p to @end, of @nb channels from @o, at most LOOM_CONV_PACKED. */
void loom_conv_packed_run(const struct loom_conv_f32 *f, u32 n, u32 o, u32 nb, u64 p, u64 end);
#endif

#endif /* LOOM_FP_CONV_PACKED_H */
