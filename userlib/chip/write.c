// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom.h"
#include "loom_chip_file.h"
#include "values.h"

/* Writes thousandths without trailing zeroes. */
static void write_thousandths(FILE *file, u64 value)
{
	char digits[8];
	size_t length;

	fprintf(file, "%" PRIu64, value / 1000);
	if (!(value % 1000))
		return;
	length = snprintf(digits, sizeof(digits), "%03u", (unsigned int)(value % 1000));
	while (digits[length - 1] == '0')
		length--;
	fprintf(file, ".%.*s", (int)length, digits);
}

static void write_bytes(FILE *file, u64 value)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };
	unsigned int i = 0;

	while (value && !(value & 1023) && i + 1 < ARRAY_SIZE(units)) {
		value >>= 10;
		i++;
	}
	fprintf(file, "%" PRIu64 "%s", value, units[i]);
}

static void write_frequency(FILE *file, u64 value)
{
	if (value % 1000) {
		fprintf(file, "%" PRIu64 " Hz", value);
		return;
	}
	write_thousandths(file, value / 1000);
	fputs(" MHz", file);
}

/* Writes a name, in quotes unless it can only be read as a word. */
static void write_name(FILE *file, const char *name)
{
	bool is_word = name[0] >= 'a' && name[0] <= 'z' && strcmp(name, "none") &&
		       strcmp(name, "null");

	fprintf(file, is_word ? "%s" : "'%s'", name);
}

static void write_value(FILE *file, const struct loom_chip_field *field, const void *base)
{
	const u64 value = loom_chip_field_get(field, base);

	switch (field->unit) {
	case LOOM_CHIP_UNIT_NOTE:
	case LOOM_CHIP_UNIT_NAME:
		break;
	case LOOM_CHIP_UNIT_FLAG:
		fputs(value ? "yes" : "no", file);
		break;
	case LOOM_CHIP_UNIT_BYTES:
		write_bytes(file, value);
		break;
	case LOOM_CHIP_UNIT_FREQUENCY:
		write_frequency(file, value);
		break;
	case LOOM_CHIP_UNIT_COUNT:
	case LOOM_CHIP_UNIT_CYCLES:
		fprintf(file, "%" PRIu64, value);
		break;
	case LOOM_CHIP_UNIT_RATE:
	case LOOM_CHIP_UNIT_OPS:
	case LOOM_CHIP_UNIT_ENERGY:
		write_thousandths(file, value);
		break;
	}
}

/*
 * Writes the fields from @i on that are in the same map, on one line; returns their number. Nested
 * maps with defaults only are omitted.
 */
static int write_map(FILE *file, const struct loom_chip_field *fields, int i, const void *base,
		     const char *before, const char *between)
{
	const char *dot = strchr(fields[i].name, '.');
	int length = dot - fields[i].name, count, at;
	bool is_preset = true;

	for (count = 0; fields[i + count].name; count++) {
		if (strncmp(fields[i + count].name, fields[i].name, length + 1))
			break;
		is_preset &= loom_chip_field_get(&fields[i + count], base) ==
			     fields[i + count].preset;
	}
	if (is_preset)
		return count;
	fprintf(file, "%s%.*s: {", before, length, fields[i].name);
	for (at = i; at < i + count; at++) {
		fprintf(file, "%s%s: ", at > i ? ", " : "", fields[at].name + length + 1);
		write_value(file, &fields[at], base);
	}
	fprintf(file, "}%s", between);
	return count;
}

/* Fields that older libraries do not know are written only if not the default, zero. */
static bool is_quiet(const struct loom_chip_field *field, const void *base)
{
	return (field->flag == DRM_LOOM_CHIP_BROADCAST ||
		field->key == LOOM_CHIP_KEY_STORAGE_BANKS) && !loom_chip_field_get(field, base);
}

static void write_fields(FILE *file, const struct loom_chip_field *fields, const void *base,
			 const char *before, const char *between)
{
	int i = 0;

	while (fields[i].name) {
		if (fields[i].unit <= LOOM_CHIP_UNIT_NAME || is_quiet(&fields[i], base)) {
			i++;
			continue;
		}
		if (strchr(fields[i].name, '.')) {
			i += write_map(file, fields, i, base, before, between);
			continue;
		}
		fprintf(file, "%s%s: ", before, fields[i].name);
		write_value(file, &fields[i++], base);
		fputs(between, file);
	}
}

/* A type on one line. */
static void write_type(FILE *file, const struct drm_loom_chip_type *type, const char *name)
{
	const struct loom_chip_field *fields = loom_chip_type_fields;
	int i;

	fprintf(file, "  %s: {macs: ", name);
	write_value(file, &fields[loom_chip_field_find(fields, "macs")], type);
	fputs(", ops: ", file);
	write_value(file, &fields[loom_chip_field_find(fields, "ops")], type);
	for (i = loom_chip_field_find(fields, "depthwise"); !strchr(fields[i].name, '.'); i++) {
		if (!loom_chip_field_get(&fields[i], type))
			continue;
		fprintf(file, ", %s: ", fields[i].name);
		write_value(file, &fields[i], type);
	}
	write_map(file, fields, i, type, ", ", "");
	write_map(file, fields, loom_chip_field_find(fields, "energy.mac"), type, ", ", "");
	fputs("}\n", file);
}

static void write_opcodes(FILE *file, u64 opcodes)
{
	const char *between = "";
	u32 i;

	fputs("[", file);
	for (i = 0; i < DRM_LOOM_OP_END; i++) {
		if (opcodes >> i & 1) {
			fprintf(file, "%s%s", between, loom_opcode_name(i));
			between = ", ";
		}
	}
	fputs("]", file);
}

static void write_chip(FILE *file, const struct drm_loom_chip *chip)
{
	const u64 missing = loom_chip_all_opcodes() & ~chip->opcodes;
	u32 i;

	fputs("name: ", file);
	write_name(file, chip->name);
	fputs("\n", file);
	write_fields(file, loom_chip_whole_fields, chip, "", "\n");
	fputs("memory:\n", file);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		if (!chip->region[i].banks)
			continue;
		fprintf(file, "  %s:\n", loom_region_name(i));
		write_fields(file, loom_chip_region_fields, &chip->region[i], "    ", "\n");
	}
	fputs("types:\n", file);
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++)
		if (chip->dtypes >> i & 1)
			write_type(file, &chip->type[i], loom_dtype_name(i));
	fputs("operations: ", file);
	if (!missing) {
		fputs("all", file);
	} else if (__builtin_popcountll(missing) <= __builtin_popcountll(chip->opcodes)) {
		fputs("{except: ", file);
		write_opcodes(file, missing);
		fputs("}", file);
	} else {
		write_opcodes(file, chip->opcodes);
	}
	fputs("\n", file);
}

int loom_chip_write(const struct drm_loom_chip *chip, char **text)
{
	size_t size;
	FILE *file;

	*text = NULL;
	if (loom_chip_check(chip, NULL))
		return -EINVAL;
	/* an operation without a name could not be read back */
	if (chip->opcodes & ~loom_chip_all_opcodes())
		return -EINVAL;
	file = open_memstream(text, &size);
	if (!file)
		return -ENOMEM;
	write_chip(file, chip);
	if (fclose(file)) {
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}
