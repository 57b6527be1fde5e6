/* SPDX-License-Identifier: MIT */
/* Element types (enum drm_loom_dtype): kinds of number, ranges. */
#ifndef LOOM_BASE_DTYPE_H
#define LOOM_BASE_DTYPE_H

#include "loom.h"

/** loom_dtype_is_float() - F16, F32 or F64 */
bool loom_dtype_is_float(uint32_t dtype);
/** loom_dtype_is_int() - any integer type, BOOL is none */
bool loom_dtype_is_int(uint32_t dtype);
/** loom_dtype_is_signed() - a signed integer type */
bool loom_dtype_is_signed(uint32_t dtype);
/** loom_dtype_range() - the smallest and largest value of an integer type of at most 32 bits */
void loom_dtype_range(uint32_t dtype, int64_t *min, int64_t *max);

#endif /* LOOM_BASE_DTYPE_H */
