/* SPDX-License-Identifier: MIT */
/* Values: their types, sizes and, for constants, their elements. */
#ifndef LOOM_VALUE_H
#define LOOM_VALUE_H

#include "graph.h"

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
/** loom_half_from_double() - to binary16, half to even */
uint16_t loom_half_from_double(double value);

/**
 * loom_dims_count() - the number of elements of a shape
 * @rank: number of dimensions
 * @dims: the dimensions
 * @num_elems: [out] their product
 *
 * Return: 0, or -EOVERFLOW for a negative dimension or a size that no machine has.
 */
int loom_dims_count(uint32_t rank, const int64_t *dims, int64_t *num_elems);
/** loom_dims_print() - "[1,3,48,320]" into @text, cut where it does not fit; returns @text */
const char *loom_dims_print(char *text, size_t size, uint32_t rank, const int64_t *dims);
/** loom_dims_equal() - the same rank and dimensions */
bool loom_dims_equal(const struct loom_value *a, const struct loom_value *b);

/** enough for loom_dims_print() of any shape */
#define LOOM_DIMS_TEXT	(LOOM_GRAPH_RANK * 21 + 3)

/**
 * loom_value_create() - adds a value to @graph
 * @graph: its owner
 * @name: kept, not copied; NULL: made up later
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: copied
 *
 * Return: the value, or NULL: no memory, unknown type, or too large.
 */
struct loom_value *loom_value_create(struct loom_graph *graph, const char *name, uint32_t dtype,
				     uint32_t rank, const int64_t *dims);
/** loom_value_alloc() - gives @value zeroed data, makes it a constant; 0 or -ENOMEM */
int loom_value_alloc(struct loom_graph *graph, struct loom_value *value);

/** loom_value_float() - element @index as a double */
double loom_value_float(const struct loom_value *value, int64_t index);
/** loom_value_int() - element @index as an integer; floats truncate, NaN is 0 */
int64_t loom_value_int(const struct loom_value *value, int64_t index);
/** loom_value_set_float() - stores, rounding to the type; integers truncate and saturate */
void loom_value_set_float(struct loom_value *value, int64_t index, double element);
/** loom_value_set_int() - stores; integers wrap */
void loom_value_set_int(struct loom_value *value, int64_t index, int64_t element);

/** loom_value_trailing() - product of the dimensions from @axis on */
int64_t loom_value_trailing(const struct loom_value *value, uint32_t axis);

#endif /* LOOM_VALUE_H */
