/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PROGRAM_BYTES_H
#define LOOM_TESTS_PROGRAM_BYTES_H

/* Program files as bytes that are changed: for tests of what is refused. */
#include "program_file/program_file.h"

#include <string.h>

static inline struct loom_file_header *bytes_header(uint8_t *bytes)
{
	return (struct loom_file_header *)bytes;
}

/* The table of sections, of a file that is not cut in it. */
static inline struct loom_file_section *bytes_sections(uint8_t *bytes)
{
	return (struct loom_file_section *)(bytes + sizeof(struct loom_file_header));
}

/* Number of sections of a file; 0: it ends in their table. */
static inline uint32_t bytes_num_sections(uint8_t *bytes, size_t size)
{
	const size_t header = sizeof(struct loom_file_header);

	if (size < header || (size - header) / sizeof(struct loom_file_section) <
			     bytes_header(bytes)->num_sections)
		return 0;
	return bytes_header(bytes)->num_sections;
}

static inline void bytes_fix_header(uint8_t *bytes)
{
	struct loom_file_header *header = bytes_header(bytes);

	header->checksum = loom_checksum(loom_checksum(0, bytes, offsetof(struct loom_file_header,
									  checksum)),
					 bytes_sections(bytes),
					 header->num_sections * sizeof(struct loom_file_section));
}

/* All checksums fit what is in the file, as whoever makes one on purpose would do it. */
static inline void bytes_fix(uint8_t *bytes, size_t size)
{
	struct loom_file_section *sections = bytes_sections(bytes);
	uint32_t i, count = bytes_num_sections(bytes, size);

	if (!count)
		return;
	for (i = 0; i < count; i++)
		if (sections[i].offset <= size &&
		    sections[i].size_bytes <= size - sections[i].offset)
			sections[i].checksum = loom_checksum(0, bytes + sections[i].offset,
							     sections[i].size_bytes);
	bytes_fix_header(bytes);
}

/* Where a field of a record is. */
static inline uint8_t *bytes_field(uint8_t *bytes, enum loom_file_part part, uint32_t record,
				   uint32_t field)
{
	const struct loom_records *records = &loom_file_records[part];
	uint64_t at = bytes_sections(bytes)[part].offset +
		      (uint64_t)record * loom_records_bytes(records);
	uint32_t i;

	for (i = 0; i < field; i++)
		at += loom_field_bytes(&records->fields[i]);
	return bytes + at;
}

#endif /* LOOM_TESTS_PROGRAM_BYTES_H */
