/* SPDX-License-Identifier: MIT */
/*
 * DOC: Reading flatbuffers
 *
 * A flatbuffer is read in place: a table is a list of offsets to its fields, and every offset is
 * untrusted. The calls here check each before it is followed: a table, its list and each field are
 * within the file, as is a vector's length times the size of an element, and a string ends with a
 * zero. The first fault is sticky; after it all calls return the default of an omitted field. So a
 * reader has a straight line of calls and checks once.
 *
 * Nothing recurses: a caller goes from table to table by fields, as deep as the schema is.
 */
#ifndef LOOM_TFLITE_FLAT_H
#define LOOM_TFLITE_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct loom_flat - a flatbuffer
 * @bytes: all of it
 * @size_bytes: number of @bytes
 * @text_bytes: bytes read as texts so far
 * @fault: the first fault, or NULL
 * @fault_at: the byte at which it was found
 */
struct loom_flat {
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t text_bytes;
	const char *fault;
	size_t fault_at;
};

/**
 * struct loom_flat_table - a table of it
 * @flat: the buffer; NULL: an absent table, all of whose fields are omitted
 * @at: its first byte
 * @size_bytes: of the table itself
 * @fields: first byte of the list of its fields
 * @num_fields: number of fields in that list
 */
struct loom_flat_table {
	struct loom_flat *flat;
	size_t at;
	uint32_t size_bytes;
	size_t fields;
	uint32_t num_fields;
};

/**
 * struct loom_flat_vector - contiguous elements
 * @flat: the buffer
 * @at: first byte of the first one
 * @count: number of elements
 */
struct loom_flat_vector {
	struct loom_flat *flat;
	size_t at;
	uint32_t count;
};

/** loom_flat_root() - the table that a buffer begins with */
struct loom_flat_table loom_flat_root(struct loom_flat *flat);
/** loom_flat_has() - whether the field is present */
bool loom_flat_has(const struct loom_flat_table *table, uint32_t field);
/**
 * loom_flat_number() - a field that is an integer
 * @table: the table
 * @field: its index in the schema
 * @size_bytes: 1, 2, 4 or 8
 * @missing: default of an omitted field
 *
 * Return: the number, signed for 4 or 8 bytes; smaller ones are unsigned.
 */
int64_t loom_flat_number(const struct loom_flat_table *table, uint32_t field, uint32_t size_bytes,
			 int64_t missing);
/** loom_flat_float() - a field that is a float of 32 bits */
float loom_flat_float(const struct loom_flat_table *table, uint32_t field, float missing);
/** loom_flat_table() - a field that is a table */
struct loom_flat_table loom_flat_table(const struct loom_flat_table *table, uint32_t field);
/** loom_flat_vector() - a field that is a vector of elements of @elem_bytes */
struct loom_flat_vector loom_flat_vector(const struct loom_flat_table *table, uint32_t field,
					 uint32_t elem_bytes);
/** loom_flat_string() - a field that is a text; NULL if it was omitted */
const char *loom_flat_string(const struct loom_flat_table *table, uint32_t field);

/** loom_flat_leads() - target of a field that is an offset; 0: it was omitted */
size_t loom_flat_leads(const struct loom_flat_table *table, uint32_t field);

/** loom_flat_bytes() - the first element of a vector, not aligned in memory */
const uint8_t *loom_flat_bytes(const struct loom_flat_vector *vector);
/** loom_flat_i32() - element @index of a vector of integers of 32 bits */
int32_t loom_flat_i32(const struct loom_flat_vector *vector, uint32_t index);
/** loom_flat_i64() - element @index of a vector of integers of 64 bits */
int64_t loom_flat_i64(const struct loom_flat_vector *vector, uint32_t index);
/** loom_flat_f32() - element @index of a vector of floats */
float loom_flat_f32(const struct loom_flat_vector *vector, uint32_t index);
/** loom_flat_item() - element @index of a vector of tables */
struct loom_flat_table loom_flat_item(const struct loom_flat_vector *vector, uint32_t index);

/** loom_flat_fail() - records the first fault */
void loom_flat_fail(struct loom_flat *flat, size_t at, const char *fault);

#endif /* LOOM_TFLITE_FLAT_H */
