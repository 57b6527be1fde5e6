/* SPDX-License-Identifier: MIT */
/* Element types (enum drm_loom_dtype): kinds of number, ranges, half floats. */
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

/** loom_half_to_float() - IEEE binary16 to binary32, exact */
float loom_half_to_float(uint16_t half);
/** loom_half_from_double() - to binary16, ties to even */
uint16_t loom_half_from_double(double value);

#endif /* LOOM_BASE_DTYPE_H */
