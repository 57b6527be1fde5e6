// SPDX-License-Identifier: MIT
/* Header, sections and checksums of a file. */
#include "program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int spoilt(const struct loom_program_file *file, struct loom_error *err, const char *what)
{
	return loom_error_set(err, -EINVAL, "%s: damaged: %s", file->name, what);
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
	if (header.version != LOOM_FILE_VERSION)
		return loom_error_set(err, -EINVAL,
				      "%s: version %u of the format, and this library reads %u: compile the model again",
				      file->name, header.version, LOOM_FILE_VERSION);
	if (header.file_bytes != size_bytes)
		return loom_error_set(err, -EINVAL,
				      "%s: damaged: it has %llu bytes, and should have %llu",
				      file->name, (unsigned long long)size_bytes,
				      (unsigned long long)header.file_bytes);
	if (header.num_sections != LOOM_FILE_PARTS)
		return spoilt(file, err, "the number of its sections is wrong");
	for (i = 0; i < ARRAY_SIZE(header.pad); i++)
		pad |= header.pad[i];
	if (pad)
		return spoilt(file, err, "its header is not zero where it has to be");
	if (size_bytes < sizeof(header) + sizeof(file->sections))
		return spoilt(file, err, "it ends in its table of sections");
	memcpy(file->sections, bytes + sizeof(header), sizeof(file->sections));
	if (loom_checksum(loom_checksum(0, &header, offsetof(struct loom_file_header, checksum)),
			  file->sections, sizeof(file->sections)) != header.checksum)
		return spoilt(file, err, "the checksum of its header is wrong");
	return 0;
}

/* A section has a single valid position: behind the one before. */
static int read_section(const struct loom_program_file *file, u32 part, u64 begin, u64 size_bytes,
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

static int read_sections(const struct loom_program_file *file, u64 size_bytes,
			 struct loom_error *err)
{
	u64 at = sizeof(struct loom_file_header) + sizeof(file->sections);
	u32 i;
	int ret;

	for (i = 0; i < LOOM_FILE_PARTS; i++) {
		at = loom_file_align(at, i == LOOM_FILE_DATA ? LOOM_FILE_PAGE : LOOM_FILE_ALIGN);
		ret = read_section(file, i, at, size_bytes, err);
		if (ret)
			return ret;
		at += file->sections[i].size_bytes;
	}
	return at == size_bytes ? 0 : spoilt(file, err, "there is something behind its end");
}

static bool is_zero(const u8 *bytes, u64 size)
{
	u64 i;

	for (i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static int check_sums(const struct loom_program_file *file, struct loom_error *err)
{
	u64 at = sizeof(struct loom_file_header) + sizeof(file->sections);
	u32 i;

	for (i = 0; i < LOOM_FILE_PARTS; i++) {
		const struct loom_file_section *section = &file->sections[i];
		const u8 *bytes = i == LOOM_FILE_DATA ? file->data : file->bytes + section->offset;

		if (!is_zero(file->bytes + at, section->offset - at))
			return loom_error_set(err, -EINVAL,
					      "%s: damaged: bytes before section '%s' are not zero",
					      file->name, loom_file_records[i].name);
		if (loom_checksum(0, bytes, section->size_bytes) != section->checksum)
			return loom_error_set(err, -EINVAL,
					      "%s: damaged: the checksum of section '%s' is wrong",
					      file->name, loom_file_records[i].name);
		at = section->offset + section->size_bytes;
	}
	return 0;
}

int loom_file_read(struct loom_program_file *file, const u8 *bytes, size_t size_bytes,
		   struct loom_error *err)
{
	int ret = read_header(file, bytes, size_bytes, err);
	u64 meta_bytes;

	if (!ret)
		ret = read_sections(file, size_bytes, err);
	if (ret)
		return ret;
	meta_bytes = file->sections[LOOM_FILE_DATA].offset;
	file->bytes = malloc(meta_bytes);
	if (!file->bytes)
		return loom_error_set(err, -ENOMEM, "%s: no memory", file->name);
	memcpy(file->bytes, bytes, meta_bytes);
	file->data = bytes + meta_bytes;
	return check_sums(file, err);
}
