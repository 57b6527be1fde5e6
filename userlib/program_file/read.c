// SPDX-License-Identifier: MIT
/* Header, sections and checksums of a file. */
#include "program_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int spoilt(const struct loom_program_file *file, struct loom_error *err, const char *what)
{
	return loom_error_set(err, -EINVAL, "%s: damaged: %s", file->name, what);
}

/* Number of programs of a file with as many sections; 0: there is no such file. */
static u32 count_programs(const struct loom_file_header *header)
{
	u32 count = header->num_sections / LOOM_FILE_DATA;
	u32 least = header->version == LOOM_FILE_VERSION ? 1 : 2;
	u32 most = header->version == LOOM_FILE_VERSION ? 1 : LOOM_FILE_PROGRAMS;

	if (header->num_sections % LOOM_FILE_DATA != 1 || count < least || count > most)
		return 0;
	return count;
}

/* Copies the table of sections; each program has the last one, too. */
static int read_table(struct loom_program_file *file, const struct loom_file_header *header,
		      const u8 *table, size_t size_bytes, struct loom_error *err)
{
	const size_t entry = sizeof(struct loom_file_section), own = LOOM_FILE_DATA * entry;
	u32 sum = loom_checksum(0, header, offsetof(struct loom_file_header, checksum)), i;

	if (size_bytes < header->num_sections * entry)
		return spoilt(file, err, "it ends in its table of sections");
	file->programs = calloc(file->count, sizeof(*file->programs));
	if (!file->programs)
		return loom_error_set(err, -ENOMEM, "%s: no memory", file->name);
	for (i = 0; i < file->count; i++) {
		struct loom_file_program *program = &file->programs[i];

		snprintf(program->name, sizeof(program->name), file->count > 1 ?
			 "%.200s: program %u" : "%.200s", file->name, i);
		memcpy(program->sections, table + i * own, own);
		memcpy(&program->sections[LOOM_FILE_DATA], table + file->count * own, entry);
		sum = loom_checksum(sum, program->sections, own);
	}
	sum = loom_checksum(sum, &file->programs->sections[LOOM_FILE_DATA], entry);
	if (sum != header->checksum)
		return spoilt(file, err, "the checksum of its header is wrong");
	return 0;
}

static int read_header(struct loom_program_file *file, const u8 *bytes, size_t size_bytes,
		       struct loom_error *err)
{
	struct loom_file_header header;
	u32 i, pad = 0;

	if (size_bytes < sizeof(header.magic) ||
	    memcmp(bytes, LOOM_FILE_MAGIC, sizeof(header.magic)))
		return loom_error_set(err, -EINVAL, "%s: not a program file", file->name);
	if (size_bytes < sizeof(header))
		return spoilt(file, err, "it ends in its header");
	memcpy(&header, bytes, sizeof(header));
	if (header.version != LOOM_FILE_VERSION && header.version != LOOM_FILE_VERSION_SET)
		return loom_error_set(err, -EINVAL,
				      "%s: version %u of the format, and this library reads %u and %u: compile the model again",
				      file->name, header.version, LOOM_FILE_VERSION,
				      LOOM_FILE_VERSION_SET);
	if (header.file_bytes != size_bytes)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: it has %llu bytes, and should have %llu",
				      file->name, (unsigned long long)size_bytes,
				      (unsigned long long)header.file_bytes);
	file->count = count_programs(&header);
	if (!file->count)
		return spoilt(file, err, "the number of its sections is wrong");
	for (i = 0; i < ARRAY_SIZE(header.pad); i++)
		pad |= header.pad[i];
	if (pad)
		return spoilt(file, err, "its header is not zero where it has to be");
	return read_table(file, &header, bytes + sizeof(header), size_bytes - sizeof(header), err);
}

/* A section has a single valid position: behind the one before. */
static int read_section(const struct loom_file_program *file, u32 part, u64 begin, u64 size_bytes,
			struct loom_error *err)
{
	const struct loom_file_section *section = &file->sections[part];
	const struct loom_records *records = &loom_file_records[part];
	u32 record_bytes = loom_records_bytes(records);
	u64 bytes = (u64)section->count * record_bytes;

	if (section->type != part + 1 || section->record_bytes != record_bytes ||
	    section->offset != begin || begin > size_bytes ||
	    section->size_bytes > size_bytes - begin)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: section '%s' is not where it has to be",
				      file->name, records->name);
	if (record_bytes ? section->size_bytes != bytes : section->count != 0)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: section '%s' has %llu bytes for %u records",
				      file->name, records->name,
				      (unsigned long long)section->size_bytes, section->count);
	if (records->single && section->count != 1)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: section '%s' has %u records, not one",
				      file->name, records->name, section->count);
	return 0;
}

static bool is_zero(const u8 *bytes, u64 size)
{
	u64 i;

	for (i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static int check_sum(const struct loom_program_file *file, const struct loom_file_program *program,
		     u32 part, u64 begin, struct loom_error *err)
{
	const struct loom_file_section *section = &program->sections[part];
	const u8 *bytes = part == LOOM_FILE_DATA ? file->data : file->bytes + section->offset;

	if (!is_zero(file->bytes + begin, section->offset - begin))
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: bytes before section '%s' are not zero",
				      program->name, loom_file_records[part].name);
	if (loom_checksum(0, bytes, section->size_bytes) != section->checksum)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: the checksum of section '%s' is wrong",
				      program->name, loom_file_records[part].name);
	return 0;
}

/* Calls check_sum() for all sections, or read_section() if @size_bytes is not 0. */
static int for_sections(const struct loom_program_file *file, u64 size_bytes,
			struct loom_error *err)
{
	u32 sections = file->count * LOOM_FILE_DATA + 1, i;
	u64 at = sizeof(struct loom_file_header) + sections * sizeof(struct loom_file_section);

	for (i = 0; i < sections; i++) {
		const struct loom_file_program *program =
			&file->programs[min(i / LOOM_FILE_DATA, file->count - 1)];
		u32 part = i + 1 < sections ? i % LOOM_FILE_DATA : LOOM_FILE_DATA;
		u64 begin = loom_file_align(at, part == LOOM_FILE_DATA ? LOOM_FILE_PAGE :
									 LOOM_FILE_ALIGN);
		int ret = size_bytes ? read_section(program, part, begin, size_bytes, err) :
				       check_sum(file, program, part, at, err);

		if (ret)
			return ret;
		at = begin + program->sections[part].size_bytes;
	}
	return !size_bytes || at == size_bytes ? 0 :
	       spoilt(file, err, "there is something behind its end");
}

int loom_file_read(struct loom_program_file *file, const u8 *bytes, size_t size_bytes,
		   struct loom_error *err)
{
	int ret = read_header(file, bytes, size_bytes, err);
	u64 meta_bytes;

	if (!ret)
		ret = for_sections(file, size_bytes, err);
	if (ret)
		return ret;
	meta_bytes = file->programs->sections[LOOM_FILE_DATA].offset;
	file->bytes = malloc(meta_bytes);
	if (!file->bytes)
		return loom_error_set(err, -ENOMEM, "%s: no memory", file->name);
	memcpy(file->bytes, bytes, meta_bytes);
	file->data = bytes + meta_bytes;
	return for_sections(file, 0, err);
}
