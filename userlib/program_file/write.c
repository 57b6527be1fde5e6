// SPDX-License-Identifier: MIT
/* Serialisation of a program. */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/pool.h"
#include "loom_chip.h"
#include "loom_planner.h"

/**
 * struct bytes - a growing buffer
 * @at: the bytes
 * @size: number of @at
 * @cap: capacity of @at
 */
struct bytes {
	u8 *at;
	size_t size;
	size_t cap;
};

/**
 * struct writer - the state of writing
 * @program: the program
 * @origin: its origin
 * @file: the file so far
 * @names: the section of names
 * @pool: of @table
 * @table: position of a name in @names, plus 1
 * @sections: the table of sections
 * @err: receives errors
 */
struct writer {
	const struct loom_program *program;
	const struct loom_program_origin *origin;
	struct bytes file;
	struct bytes names;
	struct loom_pool *pool;
	struct loom_names table;
	struct loom_file_section sections[LOOM_FILE_PARTS];
	struct loom_error *err;
};

/* Appends @size zero bytes; NULL: no memory. */
static u8 *extend(struct bytes *bytes, size_t size)
{
	size_t end, cap;
	u8 *grown;

	if (check_add_overflow(bytes->size, size, &end))
		return NULL;
	if (end > bytes->cap) {
		cap = max(end, bytes->cap + bytes->cap / 2);
		grown = realloc(bytes->at, cap);
		if (!grown)
			return NULL;
		bytes->at = grown;
		bytes->cap = cap;
	}
	grown = bytes->at + bytes->size;
	memset(grown, 0, size);
	bytes->size = end;
	return grown;
}

static int no_memory(struct writer *w)
{
	return loom_error_set(w->err, -ENOMEM, "no memory for the file");
}

/* Adds a name, unless it was added before. */
static int add_name(struct writer *w, const char *name, u32 *where)
{
	size_t length, i;
	uintptr_t known;
	u8 *to;

	*where = LOOM_FILE_NO_NAME;
	if (!name)
		return 0;
	known = (uintptr_t)loom_names_find(&w->table, name);
	if (known) {
		*where = (u32)(known - 1);
		return 0;
	}
	length = strlen(name);
	for (i = 0; i < length; i++)
		if ((u8)name[i] < 0x20 || name[i] == 0x7f)
			return loom_error_set(w->err, -EINVAL,
					      "a name has a control character behind '%.*s'",
					      (int)min(i, (size_t)80), name);
	if (length >= LOOM_FILE_NO_NAME - w->names.size)
		return loom_error_set(w->err, -E2BIG, "the names take 4 GiB");
	*where = (u32)w->names.size;
	to = extend(&w->names, length + 1);
	if (!to || loom_names_set(&w->table, name, (void *)((uintptr_t)*where + 1)))
		return no_memory(w);
	memcpy(to, name, length);
	return 0;
}

static int write_field(struct writer *w, const struct loom_field *field, const u8 *from, u8 *to)
{
	const char *name;
	u32 value;
	int ret;

	switch (field->kind) {
	case LOOM_FIELD_BOOL:
		value = *(const bool *)from;
		break;
	case LOOM_FIELD_NAME:
		memcpy(&name, from, sizeof(name));
		ret = add_name(w, name, &value);
		if (ret)
			return ret;
		break;
	default:
		memcpy(to, from, loom_field_bytes(field));
		return 0;
	}
	memcpy(to, &value, sizeof(value));
	return 0;
}

static int write_records(struct writer *w, enum loom_file_part part, const u8 *from, u32 count)
{
	const struct loom_records *records = &loom_file_records[part];
	u32 bytes = loom_records_bytes(records), i, k;
	u8 *to = extend(&w->file, (size_t)count * bytes);
	int ret;

	if (!to)
		return no_memory(w);
	w->sections[part].count = count;
	w->sections[part].record_bytes = bytes;
	for (i = 0; i < count; i++, from += records->struct_bytes) {
		for (k = 0; k < records->num_fields; k++) {
			ret = write_field(w, &records->fields[k], from + records->fields[k].at, to);
			if (ret)
				return ret;
			to += loom_field_bytes(&records->fields[k]);
		}
	}
	return 0;
}

static int write_bytes(struct writer *w, const void *from, size_t size)
{
	u8 *to = extend(&w->file, size);

	if (!to)
		return no_memory(w);
	if (size)
		memcpy(to, from, size);
	return 0;
}

/* Writes constants in the order of their records, each at a multiple of 64. */
static int write_data(struct writer *w)
{
	size_t begin = w->file.size;
	u32 i;

	for (i = 0; i < w->program->num_weights; i++) {
		const struct loom_program_tensor *weight = &w->program->weights[i];
		size_t gap = -(w->file.size - begin) & (LOOM_FILE_ALIGN - 1);

		if (!weight->size_bytes)
			continue;
		if (!extend(&w->file, gap))
			return no_memory(w);
		if (write_bytes(w, weight->data, weight->size_bytes))
			return -ENOMEM;
	}
	return 0;
}

/* Older libraries read files whose chip has none of the later fields. */
static size_t chip_bytes(const struct drm_loom_chip *chip)
{
	const u8 *bytes = (const u8 *)chip;
	size_t i;

	for (i = LOOM_CHIP_FIRST_BYTES; i < sizeof(*chip); i++)
		if (bytes[i])
			return chip->storage_banks ? sizeof(*chip) : LOOM_CHIP_SECOND_BYTES;
	return LOOM_CHIP_FIRST_BYTES;
}

static int write_part(struct writer *w, enum loom_file_part part)
{
	const struct loom_records *records = &loom_file_records[part];
	const struct loom_file_origin origin = {
		.placer = w->program->placer, .grouping = w->program->grouping,
		.objective = w->origin->objective, .library = LOOM_VERSION,
	};
	const u8 *from = (const u8 *)w->program + records->array;

	switch (part) {
	case LOOM_FILE_CHIP:
		return write_bytes(w, w->origin->chip, chip_bytes(w->origin->chip));
	case LOOM_FILE_NAMES:
		return write_bytes(w, w->names.at, w->names.size);
	case LOOM_FILE_PLAN:
		return write_bytes(w, w->program->plan, w->program->plan_bytes);
	case LOOM_FILE_DATA:
		return write_data(w);
	case LOOM_FILE_ORIGIN:
		return write_records(w, part, (const u8 *)&origin, 1);
	default:
		if (!records->single)
			memcpy(&from, from, sizeof(from));
		return write_records(w, part, from, loom_records_count(w->program, part));
	}
}

static int write_all(struct writer *w)
{
	struct loom_file_header header = {
		.version = LOOM_FILE_VERSION, .num_sections = LOOM_FILE_PARTS,
	};
	struct loom_file_section *section;
	size_t align;
	u32 i;
	int ret;

	if (!extend(&w->file, sizeof(header) + sizeof(w->sections)))
		return no_memory(w);
	for (i = 0; i < LOOM_FILE_PARTS; i++) {
		section = &w->sections[i];
		align = i == LOOM_FILE_DATA ? LOOM_FILE_PAGE : LOOM_FILE_ALIGN;
		if (!extend(&w->file, loom_file_align(w->file.size, align) - w->file.size))
			return no_memory(w);
		section->type = i + 1;
		section->offset = w->file.size;
		ret = write_part(w, i);
		if (ret)
			return ret;
		section->size_bytes = w->file.size - section->offset;
		section->checksum = loom_checksum(0, w->file.at + section->offset,
						  section->size_bytes);
	}
	memcpy(header.magic, LOOM_FILE_MAGIC, sizeof(header.magic));
	header.file_bytes = w->file.size;
	header.checksum = loom_checksum(loom_checksum(0, &header,
						      offsetof(struct loom_file_header, checksum)),
					w->sections, sizeof(w->sections));
	memcpy(w->file.at, &header, sizeof(header));
	memcpy(w->file.at + sizeof(header), w->sections, sizeof(w->sections));
	return 0;
}

int loom_program_write(const struct loom_program *program,
		       const struct loom_program_origin *origin, void **bytes, size_t *size_bytes,
		       struct loom_error *err)
{
	struct writer w = { .program = program, .origin = origin, .err = err };
	const struct drm_loom_plan_header *header;
	u32 lanes;
	int ret;

	*bytes = NULL;
	*size_bytes = 0;
	if (!program || !origin)
		return loom_error_set(err, -EINVAL, "a file has no %s",
				      program ? "origin" : "program");
	if (!loom_file_supported())
		return loom_error_set(err, -EOPNOTSUPP,
				      "program files are little endian, and this machine is not");
	if (!origin->chip || loom_chip_check(origin->chip, NULL))
		return loom_error_set(err, -EINVAL, "there is no chip that makes sense");
	if (origin->objective > LOOM_OBJECTIVE_SRAM)
		return loom_error_set(err, -EINVAL, "there is no such objective");
	/* otherwise the file could not be loaded */
	header = program->plan;
	lanes = origin->chip->region[DRM_LOOM_REGION_SRAM].banks;
	if (header && program->plan_bytes >= sizeof(*header) && header->lanes != lanes)
		return loom_error_set(err, -EINVAL,
				      "the program is for %u lanes, and chip '%.*s' of its origin has %u",
				      header->lanes, (int)sizeof(origin->chip->name),
				      origin->chip->name, lanes);
	w.pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	w.table.pool = w.pool;
	ret = w.pool ? write_all(&w) : no_memory(&w);
	loom_pool_destroy(w.pool);
	free(w.names.at);
	if (ret) {
		free(w.file.at);
		return ret;
	}
	*bytes = w.file.at;
	*size_bytes = w.file.size;
	return 0;
}
