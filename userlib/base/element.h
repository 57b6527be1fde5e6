/* SPDX-License-Identifier: MIT */
/* An element of a tensor of any type as a number, and half floats. */
#ifndef LOOM_BASE_ELEMENT_H
#define LOOM_BASE_ELEMENT_H

#include <stdint.h>

/** loom_element_float() - element @index of @data as a double */
double loom_element_float(uint32_t dtype, const void *data, int64_t index);
/** loom_element_int() - the same as an integer; floats truncate, NaN is 0 */
int64_t loom_element_int(uint32_t dtype, const void *data, int64_t index);
/** loom_element_set_float() - stores, rounding to the type; integers truncate and saturate */
void loom_element_set_float(uint32_t dtype, void *data, int64_t index, double element);
/** loom_element_set_int() - stores; integers wrap */
void loom_element_set_int(uint32_t dtype, void *data, int64_t index, int64_t element);

/** loom_element_row() - elements @index, @index + @step, ... as doubles */
void loom_element_row(uint32_t dtype, const void *data, int64_t index, int64_t step,
		      int64_t count, double *to);
/** loom_element_set_row() - stores elements from @index on, as loom_element_set_float() */
void loom_element_set_row(uint32_t dtype, void *data, int64_t index, int64_t count,
			  const double *from);

/** loom_half_to_float() - IEEE binary16 to binary32, exact */
float loom_half_to_float(uint16_t half);
/** loom_half_from_double() - to binary16, ties to even */
uint16_t loom_half_from_double(double value);

#endif /* LOOM_BASE_ELEMENT_H */
