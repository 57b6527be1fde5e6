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
 * @program: the program that is written now
 * @origin: its origin
 * @file: the file so far
 * @names: the section of names of @program
 * @pool: of @table
 * @table: position of a name in @names, plus 1
 * @section: the section that is written now
 * @err: receives errors
 */
struct writer {
	const struct loom_program *program;
	const struct loom_program_origin *origin;
	struct bytes file;
	struct bytes names;
	struct loom_pool *pool;
	struct loom_names table;
	struct loom_file_section section;
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
	w->section.count = count;
	w->section.record_bytes = bytes;
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
static int write_data(struct writer *w, const struct loom_program *program, size_t begin)
{
	u32 i;

	for (i = 0; i < program->num_weights; i++) {
		const struct loom_program_tensor *weight = &program->weights[i];
		size_t gap = -(w->file.size - begin) & (LOOM_FILE_ALIGN - 1);

		/* an earlier program has it */
		if (!weight->size_bytes || !weight->data)
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
	case LOOM_FILE_ORIGIN:
		return write_records(w, part, (const u8 *)&origin, 1);
	default:
		if (!records->single)
			memcpy(&from, from, sizeof(from));
		return write_records(w, part, from, loom_records_count(w->program, part));
	}
}

/* Begins a section at the next multiple of @align. */
static int begin_section(struct writer *w, enum loom_file_part part, size_t align)
{
	if (!extend(&w->file, loom_file_align(w->file.size, align) - w->file.size))
		return no_memory(w);
	w->section = (struct loom_file_section){ .type = part + 1, .offset = w->file.size };
	return 0;
}

/* Puts a section that is written into the table. */
static void end_section(struct writer *w, u32 index)
{
	w->section.size_bytes = w->file.size - w->section.offset;
	w->section.checksum = loom_checksum(0, w->file.at + w->section.offset,
					    w->section.size_bytes);
	memcpy(w->file.at + sizeof(struct loom_file_header) + index * sizeof(w->section),
	       &w->section, sizeof(w->section));
}

/* Writes all sections of a program but for its constants. */
static int write_program(struct writer *w, const struct loom_program *program, u32 index)
{
	u32 i;
	int ret;

	w->program = program;
	w->names.size = 0;
	w->pool = loom_pool_create(LOOM_POOL_BUDGET_BYTES);
	w->table = (struct loom_names){ .pool = w->pool };
	ret = w->pool ? 0 : no_memory(w);
	for (i = 0; i < LOOM_FILE_DATA && !ret; i++) {
		ret = begin_section(w, i, LOOM_FILE_ALIGN);
		if (!ret)
			ret = write_part(w, i);
		if (!ret)
			end_section(w, index * LOOM_FILE_DATA + i);
	}
	loom_pool_destroy(w->pool);
	return ret;
}

static int write_all(struct writer *w, const struct loom_program *const *programs, u32 count)
{
	struct loom_file_header header = {
		.version = count > 1 ? LOOM_FILE_VERSION_SET : LOOM_FILE_VERSION,
		.num_sections = count * LOOM_FILE_DATA + 1,
	};
	size_t table_bytes = header.num_sections * sizeof(w->section);
	u32 i;
	int ret = 0;

	if (!extend(&w->file, sizeof(header) + table_bytes))
		return no_memory(w);
	for (i = 0; i < count && !ret; i++)
		ret = write_program(w, programs[i], i);
	if (!ret)
		ret = begin_section(w, LOOM_FILE_DATA, LOOM_FILE_PAGE);
	for (i = 0; i < count && !ret; i++)
		ret = write_data(w, programs[i], w->section.offset);
	if (ret)
		return ret;
	end_section(w, count * LOOM_FILE_DATA);
	memcpy(header.magic, LOOM_FILE_MAGIC, sizeof(header.magic));
	header.file_bytes = w->file.size;
	header.checksum = loom_checksum(loom_checksum(0, &header,
						      offsetof(struct loom_file_header, checksum)),
					w->file.at + sizeof(header), table_bytes);
	memcpy(w->file.at, &header, sizeof(header));
	return 0;
}

/* Otherwise the file could not be loaded. */
static int check_lanes(const struct loom_program *program, const struct drm_loom_chip *chip,
		       struct loom_error *err)
{
	const struct drm_loom_plan_header *header = program->plan;
	u32 lanes = chip->region[DRM_LOOM_REGION_SRAM].banks;

	if (!header || program->plan_bytes < sizeof(*header) || header->lanes == lanes)
		return 0;
	return loom_error_set(err, -EINVAL,
			      "the program is for %u lanes, and chip '%.*s' of its origin has %u",
			      header->lanes, (int)sizeof(chip->name), chip->name, lanes);
}

static int write_linked(struct writer *w, const struct loom_program *const *programs, u32 count)
{
	const struct loom_program *one[LOOM_FILE_PROGRAMS];
	struct loom_program *linked;
	int ret = loom_file_link(programs, count, &linked, w->err);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		one[i] = &linked[i];
	ret = write_all(w, one, count);
	loom_file_unlink(linked, count);
	return ret;
}

int loom_program_write(const struct loom_program *program,
		       const struct loom_program_origin *origin, void **bytes, size_t *size_bytes,
		       struct loom_error *err)
{
	return loom_program_write_set(&program, 1, origin, bytes, size_bytes, err);
}

int loom_program_write_set(const struct loom_program *const *programs, uint32_t count,
			   const struct loom_program_origin *origin, void **bytes,
			   size_t *size_bytes, struct loom_error *err)
{
	struct writer w = { .origin = origin, .err = err };
	u32 i;
	int ret = 0;

	*bytes = NULL;
	*size_bytes = 0;
	if (!count || count > LOOM_FILE_PROGRAMS)
		return loom_error_set(err, -EINVAL, "a file has 1 to %u programs, not %u",
				      LOOM_FILE_PROGRAMS, count);
	for (i = 0; i < count; i++)
		if (!programs[i] || !origin)
			return loom_error_set(err, -EINVAL, "a file has no %s",
					      programs[i] ? "origin" : "program");
	if (!loom_file_supported())
		return loom_error_set(err, -EOPNOTSUPP,
				      "program files are little endian, and this machine is not");
	if (!origin->chip || loom_chip_check(origin->chip, NULL))
		return loom_error_set(err, -EINVAL, "there is no chip that makes sense");
	if (origin->objective > LOOM_OBJECTIVE_SRAM)
		return loom_error_set(err, -EINVAL, "there is no such objective");
	for (i = 0; i < count && !ret; i++)
		ret = check_lanes(programs[i], origin->chip, err);
	if (!ret)
		ret = count > 1 ? write_linked(&w, programs, count) : write_all(&w, programs, 1);
	free(w.names.at);
	if (ret) {
		free(w.file.at);
		return ret;
	}
	*bytes = w.file.at;
	*size_bytes = w.file.size;
	return 0;
}
