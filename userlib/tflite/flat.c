// SPDX-License-Identifier: MIT
#include "flat.h"

#include <string.h>

/* size of the header of a list of fields: its own size and that of the table */
#define LIST_HEAD	4
/* limit on the bytes of text per byte of the file: operators share names of custom ones */
#define TEXT_TIMES	64

void loom_flat_fail(struct loom_flat *flat, size_t at, const char *fault)
{
	if (flat->fault)
		return;
	flat->fault = fault;
	flat->fault_at = at;
}

static bool is_within(const struct loom_flat *flat, size_t at, size_t size_bytes)
{
	return at <= flat->size_bytes && size_bytes <= flat->size_bytes - at;
}

/* Reads 1, 2, 4 or 8 bytes, which must be within the file. */
static uint64_t read_unsigned(const struct loom_flat *flat, size_t at, uint32_t size_bytes)
{
	uint64_t number = 0;
	uint32_t i;

	for (i = 0; i < size_bytes; i++)
		number |= (uint64_t)flat->bytes[at + i] << (8 * i);
	return number;
}

static struct loom_flat_table table_at(struct loom_flat *flat, size_t at)
{
	struct loom_flat_table table = { 0 };
	int64_t list;
	uint32_t list_bytes;

	if (flat->fault)
		return table;
	if (!is_within(flat, at, 4)) {
		loom_flat_fail(flat, at, "a table is past the end");
		return table;
	}
	list = (int64_t)at - (int32_t)read_unsigned(flat, at, 4);
	if (list < 0 || !is_within(flat, (size_t)list, LIST_HEAD)) {
		loom_flat_fail(flat, at, "the list of a table's fields is outside of the file");
		return table;
	}
	list_bytes = (uint32_t)read_unsigned(flat, (size_t)list, 2);
	table.size_bytes = (uint32_t)read_unsigned(flat, (size_t)list + 2, 2);
	if (list_bytes < LIST_HEAD || list_bytes % 2 ||
	    !is_within(flat, (size_t)list, list_bytes)) {
		loom_flat_fail(flat, (size_t)list, "a list of fields has a wrong size");
		return table;
	}
	if (table.size_bytes < 4 || !is_within(flat, at, table.size_bytes)) {
		loom_flat_fail(flat, at, "a table reaches past the end");
		return table;
	}
	table.flat = flat;
	table.at = at;
	table.fields = (size_t)list + LIST_HEAD;
	table.num_fields = (list_bytes - LIST_HEAD) / 2;
	return table;
}

/* Finds a field of @size_bytes; returns false if it was omitted. */
static bool find_field(const struct loom_flat_table *table, uint32_t field, uint32_t size_bytes,
		       size_t *at)
{
	uint32_t offset;

	if (!table->flat || table->flat->fault || field >= table->num_fields)
		return false;
	offset = (uint32_t)read_unsigned(table->flat, table->fields + 2 * (size_t)field, 2);
	if (!offset)
		return false;
	if (offset < 4 || offset + size_bytes > table->size_bytes) {
		loom_flat_fail(table->flat, table->at, "a field is outside of its table");
		return false;
	}
	*at = table->at + offset;
	return true;
}

/* Follows the offset at @at. */
static bool follow(struct loom_flat *flat, size_t at, size_t *to)
{
	const uint64_t offset = read_unsigned(flat, at, 4);

	if (offset < 4 || offset > flat->size_bytes - at) {
		loom_flat_fail(flat, at, "an offset leads out of the file");
		return false;
	}
	*to = at + offset;
	return true;
}

struct loom_flat_table loom_flat_root(struct loom_flat *flat)
{
	struct loom_flat_table none = { 0 };
	size_t at;

	if (!is_within(flat, 0, 8)) {
		loom_flat_fail(flat, 0, "it is too short");
		return none;
	}
	return follow(flat, 0, &at) ? table_at(flat, at) : none;
}

bool loom_flat_has(const struct loom_flat_table *table, uint32_t field)
{
	size_t at;

	return find_field(table, field, 1, &at);
}

int64_t loom_flat_number(const struct loom_flat_table *table, uint32_t field, uint32_t size_bytes,
			 int64_t missing)
{
	uint64_t number;
	size_t at;

	if (!find_field(table, field, size_bytes, &at))
		return missing;
	number = read_unsigned(table->flat, at, size_bytes);
	return size_bytes == 4 ? (int32_t)number : (int64_t)number;
}

float loom_flat_float(const struct loom_flat_table *table, uint32_t field, float missing)
{
	uint32_t bits;
	float number;
	size_t at;

	if (!find_field(table, field, 4, &at))
		return missing;
	bits = (uint32_t)read_unsigned(table->flat, at, 4);
	memcpy(&number, &bits, sizeof(number));
	return number;
}

struct loom_flat_table loom_flat_table(const struct loom_flat_table *table, uint32_t field)
{
	struct loom_flat_table none = { 0 };
	size_t at, to;

	if (!find_field(table, field, 4, &at) || !follow(table->flat, at, &to))
		return none;
	return table_at(table->flat, to);
}

struct loom_flat_vector loom_flat_vector(const struct loom_flat_table *table, uint32_t field,
					 uint32_t elem_bytes)
{
	struct loom_flat_vector vector = { .flat = table->flat };
	uint64_t count;
	size_t at, to;

	if (!find_field(table, field, 4, &at) || !follow(table->flat, at, &to))
		return vector;
	if (!is_within(table->flat, to, 4)) {
		loom_flat_fail(table->flat, to, "a vector is past the end");
		return vector;
	}
	count = read_unsigned(table->flat, to, 4);
	if (count > (table->flat->size_bytes - to - 4) / elem_bytes) {
		loom_flat_fail(table->flat, to, "a vector reaches past the end");
		return vector;
	}
	vector.at = to + 4;
	vector.count = (uint32_t)count;
	return vector;
}

const char *loom_flat_string(const struct loom_flat_table *table, uint32_t field)
{
	const struct loom_flat_vector vector = loom_flat_vector(table, field, 1);

	if (!vector.at)
		return NULL;
	/* texts may overlap in the file, so their sum is limited as well */
	vector.flat->text_bytes += vector.count;
	if (vector.flat->text_bytes / TEXT_TIMES > vector.flat->size_bytes) {
		loom_flat_fail(vector.flat, vector.at, "too many texts lie in the same bytes");
		return NULL;
	}
	if (!is_within(vector.flat, vector.at, (size_t)vector.count + 1) ||
	    memchr(vector.flat->bytes + vector.at, 0, (size_t)vector.count + 1) !=
	    vector.flat->bytes + vector.at + vector.count) {
		loom_flat_fail(vector.flat, vector.at, "a text does not end where it should");
		return NULL;
	}
	return (const char *)vector.flat->bytes + vector.at;
}

size_t loom_flat_leads(const struct loom_flat_table *table, uint32_t field)
{
	size_t at, to;

	return find_field(table, field, 4, &at) && follow(table->flat, at, &to) ? to : 0;
}

const uint8_t *loom_flat_bytes(const struct loom_flat_vector *vector)
{
	return vector->count ? vector->flat->bytes + vector->at : NULL;
}

int32_t loom_flat_i32(const struct loom_flat_vector *vector, uint32_t index)
{
	return (int32_t)read_unsigned(vector->flat, vector->at + 4 * (size_t)index, 4);
}

int64_t loom_flat_i64(const struct loom_flat_vector *vector, uint32_t index)
{
	return (int64_t)read_unsigned(vector->flat, vector->at + 8 * (size_t)index, 8);
}

float loom_flat_f32(const struct loom_flat_vector *vector, uint32_t index)
{
	const uint32_t bits = (uint32_t)loom_flat_i32(vector, index);
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

struct loom_flat_table loom_flat_item(const struct loom_flat_vector *vector, uint32_t index)
{
	struct loom_flat_table none = { 0 };
	size_t to;

	if (!vector->flat || vector->flat->fault ||
	    !follow(vector->flat, vector->at + 4 * (size_t)index, &to))
		return none;
	return table_at(vector->flat, to);
}
