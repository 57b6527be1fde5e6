// SPDX-License-Identifier: MIT
/* Conversion of records to structs, with the range of each field checked. */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int check_names(const struct loom_file_program *file, struct loom_error *err)
{
	const struct loom_file_section *names = &file->sections[LOOM_FILE_NAMES];
	const u8 *bytes = file->bytes + names->offset;
	u64 i;

	if (names->size_bytes >= LOOM_FILE_NO_NAME)
		return loom_error_set(err, -EINVAL, "%s: the names take 4 GiB", file->name);
	if (names->size_bytes && bytes[names->size_bytes - 1])
		return loom_error_set(err, -EINVAL, "%s: the last name does not end", file->name);
	for (i = 0; i < names->size_bytes; i++)
		if (bytes[i] && (bytes[i] < 0x20 || bytes[i] == 0x7f))
			return loom_error_set(err, -EINVAL,
					      "%s: byte %llu of the names is a control character",
					      file->name, (unsigned long long)i);
	return 0;
}

/**
 * struct cell - a field of a record that is being decoded
 * @file: the file
 * @part: section of the record
 * @record: its number
 * @field: the field
 * @err: receives errors
 */
struct cell {
	struct loom_file_program *file;
	enum loom_file_part part;
	u32 record;
	const struct loom_field *field;
	struct loom_error *err;
};

static int refuse(const struct cell *c, u64 value, const char *why)
{
	return loom_error_set(c->err, -EINVAL, "%s: %s %u: %s is %lld, %s", c->file->name,
			      loom_file_records[c->part].name, c->record, c->field->name,
			      (long long)value, why);
}

/* @value: as in the file */
static int check_value(const struct cell *c, u64 value)
{
	const struct loom_field *field = c->field;

	if (field->none && value == LOOM_NODE_NONE)
		return 0;
	if (field->below && value >= field->below)
		return refuse(c, value, "which there is none of");
	if (field->of && value >= c->file->sections[field->of].count)
		return refuse(c, value, "and there are not so many");
	if (field->kind == LOOM_FIELD_BOOL && value > 1)
		return refuse(c, value, "not 0 or 1");
	return 0;
}

static int decode_name(const struct cell *c, u32 where, const char **name)
{
	const struct loom_file_section *names = &c->file->sections[LOOM_FILE_NAMES];
	const char *bytes = (const char *)c->file->bytes + names->offset;

	*name = NULL;
	if (where == LOOM_FILE_NO_NAME)
		return 0;
	if (where >= names->size_bytes || (where && bytes[where - 1]))
		return refuse(c, where, "where no name begins");
	*name = bytes + where;
	return 0;
}

static int decode_one(const struct cell *c, const u8 *from, u8 *to)
{
	const char *name;
	u64 wide = 0;
	u32 value;
	int ret;

	switch (c->field->kind) {
	case LOOM_FIELD_U64:
	case LOOM_FIELD_I64:
		memcpy(&wide, from, sizeof(wide));
		memcpy(to, &wide, sizeof(wide));
		return check_value(c, wide);
	case LOOM_FIELD_NAME:
		memcpy(&value, from, sizeof(value));
		ret = decode_name(c, value, &name);
		memcpy(to, &name, sizeof(name));
		return ret;
	case LOOM_FIELD_BOOL:
		memcpy(&value, from, sizeof(value));
		*(bool *)to = value == 1;
		return check_value(c, value);
	default:
		memcpy(&value, from, sizeof(value));
		memcpy(to, &value, sizeof(value));
		return check_value(c, value);
	}
}

static int decode_records(struct loom_file_program *file, enum loom_file_part part, u8 *to,
			  struct loom_error *err)
{
	const struct loom_records *records = &loom_file_records[part];
	const u8 *from = file->bytes + file->sections[part].offset;
	struct cell c = { .file = file, .part = part, .err = err };
	u32 i, k, size;
	int ret;

	for (c.record = 0; c.record < file->sections[part].count; c.record++) {
		for (i = 0; i < records->num_fields; i++) {
			c.field = &records->fields[i];
			size = loom_field_bytes(c.field) / c.field->count;
			for (k = 0; k < c.field->count; k++, from += size) {
				ret = decode_one(&c, from, to + c.field->at + (size_t)k * size);
				if (ret)
					return ret;
			}
		}
		to += records->struct_bytes;
	}
	return 0;
}

/* Decodes the array of a section; its number of records goes to the program. */
static int decode_array(struct loom_file_program *file, enum loom_file_part part,
			struct loom_error *err)
{
	const struct loom_records *records = &loom_file_records[part];
	u8 *program = (u8 *)&file->program;
	u32 count = file->sections[part].count;

	file->tables[part] = calloc((size_t)count + 1, records->struct_bytes);
	if (!file->tables[part])
		return loom_error_set(err, -ENOMEM, "%s: no memory", file->name);
	memcpy(program + records->array, &file->tables[part], sizeof(file->tables[part]));
	if (part != LOOM_FILE_CUTS)
		memcpy(program + records->count, &count, sizeof(count));
	return decode_records(file, part, file->tables[part], err);
}

static int decode_origin(struct loom_file_program *file, struct loom_error *err)
{
	struct loom_file_origin origin = { 0 };
	int ret = decode_records(file, LOOM_FILE_ORIGIN, (u8 *)&origin, err);

	if (ret)
		return ret;
	if (!origin.placer || !origin.grouping)
		return loom_error_set(err, -EINVAL, "%s: its strategies have no names", file->name);
	file->program.placer = origin.placer;
	file->program.grouping = origin.grouping;
	file->origin.objective = origin.objective;
	file->origin.library = origin.library;
	return 0;
}

int loom_file_decode(struct loom_file_program *file, struct loom_error *err)
{
	int ret = check_names(file, err);
	u32 i;

	for (i = 0; i < LOOM_FILE_PARTS && !ret; i++) {
		const struct loom_records *records = &loom_file_records[i];

		if (i == LOOM_FILE_ORIGIN)
			ret = decode_origin(file, err);
		else if (records->single)
			ret = decode_records(file, i, (u8 *)&file->program + records->array, err);
		else if (records->struct_bytes)
			ret = decode_array(file, i, err);
	}
	file->program.plan = file->bytes + file->sections[LOOM_FILE_PLAN].offset;
	file->program.plan_bytes = file->sections[LOOM_FILE_PLAN].size_bytes;
	return ret;
}
