/* SPDX-License-Identifier: MIT */
/*
 * DOC: Programs as files
 *
 * Serialises a program and its origin (loom_program_file.h), and loads programs from such bytes.
 * Programs are data: nothing here calls planning or running, except for the texts of a refusal.
 *
 *	checksum.c	CRC-32C
 *	fields.c	sections and fields of records, as tables
 *	write.c		a program as bytes
 *	read.c		header, sections, checksums
 *	decode.c	records to structs, each field in its range
 *	check.c		consistency of the records with each other and with the verified plan
 *	place.c		where the bytes of the weights are
 *	link.c		one place in DRAM for weights that several programs have
 *	load.c		files, and the caller's handles
 *
 * The tables of fields.c drive writer, reader, documentation and tests: a new field only needs an
 * entry there and a new version of the format.
 *
 * Nothing is trusted. Every byte of a file is covered: by a checksum, by a field that has one valid
 * value, or, between sections, by being zero. But a checksum only detects accidents, because an
 * attacker can recompute it. So each field has a range, each index is below the number of its
 * objects, each name is a whole string, and the plan's own contents are compared with the records.
 * Core's verifier checks the plan for the chip in the file, which is checked before. Decoded data
 * are copies: only the constants stay in the mapped file, and any value of theirs is safe.
 *
 * A file may have several programs, of the same model with other shapes. Each has sections of its
 * own but for the weights' bytes, which are one section: weights of two programs at the same offset
 * of their buffers are the same bytes. link.c moves the weights of plans so that equal ones are
 * there, and the buffers are equally long: a session can use those of another one. Rejected: plans
 * that are laid out together. Each plan would depend on the others', and the constants of a plan
 * are known when it is finished.
 *
 * Rejected: a serialisation library: none of them maps weights at page boundaries, and each is
 * larger than this folder. Rejected: sections in any order, and optional sections. A file with a
 * single valid encoding has fewer states to test, and a file of a newer library is refused by
 * version, not half understood.
 */
#ifndef LOOM_PROGRAM_FILE_ROOM_H
#define LOOM_PROGRAM_FILE_ROOM_H

#include "loom_core.h"
#include "loom_program_file.h"

#define LOOM_FILE_MAGIC		"\217LOOM\r\n\032"
/* Of a file with one program, and of one with several. */
#define LOOM_FILE_VERSION	2
#define LOOM_FILE_VERSION_SET	3
/* Most programs of a file. */
#define LOOM_FILE_PROGRAMS	64
/* Alignment of sections, and of the constants so that they can be mapped. */
#define LOOM_FILE_ALIGN		64
#define LOOM_FILE_PAGE		4096
/* Index of an absent name. */
#define LOOM_FILE_NO_NAME	U32_MAX
/* Bytes of "FILE: program N", for errors. */
#define LOOM_FILE_NAME_BYTES	256

/* Sections, in the order in which they are in the file. */
enum loom_file_part {
	LOOM_FILE_CHIP,
	LOOM_FILE_ORIGIN,
	LOOM_FILE_SLOTS,
	LOOM_FILE_INPUTS,
	LOOM_FILE_OUTPUTS,
	LOOM_FILE_STATES,
	LOOM_FILE_UPDATES,
	LOOM_FILE_OBSERVED,
	LOOM_FILE_WEIGHTS,
	LOOM_FILE_KERNELS,
	LOOM_FILE_NEURONS,
	LOOM_FILE_LABELS,
	LOOM_FILE_NODES,
	LOOM_FILE_GROUPS,
	LOOM_FILE_CUTS,
	LOOM_FILE_COMMAND_NODES,
	LOOM_FILE_STATS,
	LOOM_FILE_LEAST,
	LOOM_FILE_NAMES,
	LOOM_FILE_PLAN,
	LOOM_FILE_DATA,
	LOOM_FILE_PARTS,
};

/**
 * struct loom_file_header - the first bytes of a file, little endian
 * @magic: LOOM_FILE_MAGIC
 * @version: LOOM_FILE_VERSION or LOOM_FILE_VERSION_SET
 * @num_sections: of all programs; the last one, LOOM_FILE_DATA, is there once
 * @file_bytes: of the whole file
 * @pad: zero
 * @checksum: of all bytes before it, and behind it of the table of sections
 */
struct loom_file_header {
	char magic[8];
	u32 version;
	u32 num_sections;
	u64 file_bytes;
	u32 pad[9];
	u32 checksum;
};

/**
 * struct loom_file_section - an entry of the table of sections, which follows the header
 * @type: an enum loom_file_part plus 1
 * @count: number of records; 0 for bytes
 * @offset: first byte in the file
 * @size_bytes: number of bytes
 * @record_bytes: bytes of a record; 0 for bytes
 * @checksum: of its bytes
 */
struct loom_file_section {
	u32 type;
	u32 count;
	u64 offset;
	u64 size_bytes;
	u32 record_bytes;
	u32 checksum;
};

/* Encoding of a field. */
enum loom_field_kind {
	LOOM_FIELD_U32,
	LOOM_FIELD_I32,
	LOOM_FIELD_U64,
	LOOM_FIELD_I64,
	LOOM_FIELD_BOOL,
	LOOM_FIELD_NAME,
};

/**
 * struct loom_field - a field of a record
 * @name: as in the struct, for people
 * @at: bytes from the begin of the struct
 * @kind: an enum loom_field_kind. BOOL is 4 bytes, 0 or 1; NAME is 4 bytes, the begin of the string
 *	in the section of names
 * @count: number of contiguous elements
 * @below: exclusive upper limit on values; 0: any
 * @of: values are below the number of records of that section; 0: any
 * @none: LOOM_NODE_NONE is valid as well
 */
struct loom_field {
	const char *name;
	size_t at;
	enum loom_field_kind kind;
	u32 count;
	u64 below;
	enum loom_file_part of;
	bool none;
};

/**
 * struct loom_records - a section, as it is in memory
 * @name: for people
 * @struct_bytes: of a record in memory; 0: the section is bytes
 * @fields: its fields, in their order in the file
 * @num_fields: number of @fields
 * @array: offset in struct loom_program of the pointer to the records; with @single, of the record
 * @count: offset of their number
 * @single: there is one record
 */
struct loom_records {
	const char *name;
	size_t struct_bytes;
	const struct loom_field *fields;
	u32 num_fields;
	size_t array;
	size_t count;
	bool single;
};

/* By enum loom_file_part. */
extern const struct loom_records loom_file_records[LOOM_FILE_PARTS];

/**
 * struct loom_file_origin - the record of LOOM_FILE_ORIGIN
 * @placer: &loom_program.placer
 * @grouping: &loom_program.grouping
 * @objective: &loom_program_origin.objective
 * @library: &loom_program_origin.library
 */
struct loom_file_origin {
	const char *placer;
	const char *grouping;
	u32 objective;
	u32 library;
};

/** loom_field_bytes() - bytes of a field in the file, all of its @count together */
u32 loom_field_bytes(const struct loom_field *field);
/** loom_records_bytes() - bytes of a record in the file; 0: the section is bytes */
u32 loom_records_bytes(const struct loom_records *records);
/** loom_records_count() - number of records in a program; @part must not be bytes */
u32 loom_records_count(const struct loom_program *program, enum loom_file_part part);

/** loom_checksum() - CRC-32C of @size bytes that follow those of checksum @before; 0 at first */
u32 loom_checksum(u32 before, const void *bytes, size_t size);

/**
 * struct loom_file_program - a program of a loaded file
 * @program: the program
 * @origin: its origin
 * @chip: &loom_program_origin.chip
 * @tables: copies of the arrays of @program, by section; NULL for absent ones
 * @bytes: of the file, but for the constants
 * @sections: in @bytes; the last one is the same in all programs
 * @name: for errors
 */
struct loom_file_program {
	struct loom_program program;
	struct loom_program_origin origin;
	struct drm_loom_chip chip;
	void *tables[LOOM_FILE_PARTS];
	const u8 *bytes;
	struct loom_file_section sections[LOOM_FILE_PARTS];
	char name[LOOM_FILE_NAME_BYTES];
};

/**
 * struct loom_program_file - a loaded file
 * @programs: its programs
 * @count: number of @programs
 * @bytes: a copy of all but the constants
 * @data: the constants, in the mapping
 * @map: the mapping, or NULL
 * @map_bytes: number of bytes of @map
 * @name: of the file, for errors
 */
struct loom_program_file {
	struct loom_file_program *programs;
	u32 count;
	u8 *bytes;
	const u8 *data;
	void *map;
	size_t map_bytes;
	const char *name;
};

/**
 * loom_file_read() - find the programs of a file and their sections, and copy all but the constants
 * @file: must be zero but for its name
 * @bytes: the file; concurrent changes are detected or harmless
 * @size_bytes: number of @bytes
 * @err: [out] one line on failure
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int loom_file_read(struct loom_program_file *file, const u8 *bytes, size_t size_bytes,
		   struct loom_error *err);
/** loom_file_decode() - converts records to structs, in their ranges; 0, -EINVAL, -ENOMEM */
int loom_file_decode(struct loom_file_program *file, struct loom_error *err);
/** loom_file_check() - checks consistency of decoded records; 0, -EINVAL, -EBADMSG, -ENOMEM */
int loom_file_check(struct loom_file_program *file, struct loom_error *err);
/** loom_file_place() - points the weights of all programs to their bytes; 0, -EINVAL, -ENOMEM */
int loom_file_place(struct loom_program_file *file, struct loom_error *err);

/**
 * loom_file_link() - gives equal weights of several programs one place in their buffers
 * @programs: the programs
 * @count: number of @programs
 * @linked: [out] copies with other plans, slots and weights, without data where those of an earlier
 *	program are at the same place; free with loom_file_unlink(). All else is that of @programs
 * @err: [out] one line on failure
 *
 * Return: 0, -EINVAL for a plan or weights that are not of the planner, -ENOMEM.
 */
int loom_file_link(const struct loom_program *const *programs, u32 count,
		   struct loom_program **linked, struct loom_error *err);
/** loom_file_unlink() - frees what loom_file_link() made; NULL is fine */
void loom_file_unlink(struct loom_program *linked, u32 count);

/** loom_file_memory() - the memory that a weight's slot is in: its flags SRAM and ROM */
static inline u32 loom_file_memory(const struct loom_program *program,
				   const struct loom_program_tensor *weight)
{
	return program->slots[weight->slot].flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM);
}

/** loom_file_load() - loom_program_load() of an open file, which stays open */
int loom_file_load(int fd, const char *name, struct loom_program_file **out,
		   struct loom_error *err);

/** loom_file_align() - the next multiple of @align, a power of two; no file is near 2^64 */
static inline u64 loom_file_align(u64 bytes, u64 align)
{
	return (bytes + align - 1) & ~(align - 1);
}

/** loom_file_supported() - whether this machine has the byte order of files and plans */
static inline bool loom_file_supported(void)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

#endif /* LOOM_PROGRAM_FILE_ROOM_H */
