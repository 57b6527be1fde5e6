// SPDX-License-Identifier: MIT
/*
 * The page about program files has the tables of this library, and the tables have all of the
 * structs. With --print it writes the tables, as the page has to have them.
 */
#include "program_file/program_file.h"
#include "tap.h"

#include <string.h>

#define PAGE	"Documentation/program-file.rst"

/* The range of a field, for people. */
static void print_range(FILE *out, const struct loom_field *field)
{
	switch (field->kind) {
	case LOOM_FIELD_NAME:
		fputs("a name", out);
		break;
	case LOOM_FIELD_BOOL:
		fputs("0 or 1", out);
		break;
	default:
		if (field->below)
			fprintf(out, "below %llu", (unsigned long long)field->below);
		else if (field->of)
			fprintf(out, "below the number of %s", loom_file_records[field->of].name);
		break;
	}
	if (field->none)
		fputs(", or 0xffffffff", out);
}

static void print_records(FILE *out, const struct loom_records *records)
{
	static const char *const kinds[] = {
		[LOOM_FIELD_U32] = "u32", [LOOM_FIELD_I32] = "i32", [LOOM_FIELD_U64] = "u64",
		[LOOM_FIELD_I64] = "i64", [LOOM_FIELD_BOOL] = "u32", [LOOM_FIELD_NAME] = "u32",
	};
	u32 i, at = 0;

	fprintf(out, ".. csv-table:: %s, %u bytes\n", records->name, loom_records_bytes(records));
	fputs("\t:header: offset, type, field, values\n\n", out);
	for (i = 0; i < records->num_fields; i++) {
		const struct loom_field *field = &records->fields[i];

		fprintf(out, "\t%u, %s", at, kinds[field->kind]);
		if (field->count > 1)
			fprintf(out, "[%u]", field->count);
		fprintf(out, ", %s, \"", field->name);
		print_range(out, field);
		fputs("\"\n", out);
		at += loom_field_bytes(field);
	}
}

static void print_sections(FILE *out)
{
	u32 i;

	fputs(".. csv-table:: sections, in their order\n", out);
	fputs("\t:header: type, section, bytes of a record\n\n", out);
	for (i = 0; i < LOOM_FILE_PARTS; i++) {
		fprintf(out, "\t%u, %s, ", i + 1, loom_file_records[i].name);
		if (loom_file_records[i].num_fields)
			fprintf(out, "%u\n", loom_records_bytes(&loom_file_records[i]));
		else
			fputs("bytes\n", out);
	}
}

/* Sections of the same records have one table. */
static bool is_printed(u32 part)
{
	u32 i;

	for (i = 0; i < part; i++)
		if (loom_file_records[i].fields == loom_file_records[part].fields)
			return true;
	return !loom_file_records[part].num_fields;
}

static char *table(u32 part)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		tap_fatal("no memory");
	if (part == LOOM_FILE_PARTS)
		print_sections(out);
	else
		print_records(out, &loom_file_records[part]);
	fclose(out);
	return text;
}

static char *read_page(void)
{
	FILE *file = fopen(PAGE, "rb");
	char *text = calloc(1, 1 << 17);

	if (!file || !text || !fread(text, 1, (1 << 17) - 1, file))
		tap_fatal("%s cannot be read", PAGE);
	fclose(file);
	return text;
}

static void test_page(void)
{
	char *page = read_page(), *text;
	u32 i;

	for (i = 0; i <= LOOM_FILE_PARTS; i++) {
		if (i < LOOM_FILE_PARTS && is_printed(i))
			continue;
		text = table(i);
		tap_ok(strstr(page, text), "the page has the table of %s",
		       i < LOOM_FILE_PARTS ? loom_file_records[i].name : "sections");
		free(text);
	}
	free(page);
}

static void mark(u8 *seen, const struct loom_field *field)
{
	size_t bytes = field->kind == LOOM_FIELD_BOOL ? sizeof(bool) :
		       field->kind == LOOM_FIELD_NAME ? sizeof(char *) : loom_field_bytes(field);

	memset(seen + field->at, 1, bytes);
}

/* The elements of the tensor at @at, which are no field. */
static void mark_data(u8 *seen, size_t at)
{
	struct loom_field data = {
		.at = at + offsetof(struct loom_program_tensor, data), .kind = LOOM_FIELD_NAME,
	};

	mark(seen, &data);
}

/*
 * Bytes of a struct that no field has are those that align the next one, and of tensors the
 * pointer to their bytes.
 */
static bool has_all(const struct loom_records *records)
{
	u8 seen[1024] = { 0 };
	size_t i, run = 0, end = records->struct_bytes;

	if (records->fields == loom_file_records[LOOM_FILE_WEIGHTS].fields)
		mark_data(seen, 0);
	if (records->fields == loom_file_records[LOOM_FILE_UPDATES].fields) {
		mark_data(seen, offsetof(struct loom_program_update, rows));
		mark_data(seen, offsetof(struct loom_program_update, places));
	}
	for (i = 0; i < records->num_fields; i++)
		mark(seen, &records->fields[i]);
	for (i = 0; i < end; i++) {
		run = seen[i] ? 0 : run + 1;
		/* padding ends where eight bytes begin, or behind a bool where four do */
		if (run && (i + 1 == end || seen[i + 1]) && ((i + 1) % 8 && run != 3))
			return false;
		if (run > 7)
			return false;
	}
	return true;
}

static void test_structs(void)
{
	u32 i;

	for (i = 0; i < LOOM_FILE_PARTS; i++)
		if (loom_file_records[i].num_fields)
			tap_ok(has_all(&loom_file_records[i]), "%s: all of the struct is there",
			       loom_file_records[i].name);
	tap_ok(sizeof(struct loom_file_header) == 64 && sizeof(struct loom_file_section) == 32 &&
	       sizeof(struct drm_loom_chip) == 1136,
	       "header, sections and chips are as large as the page says");
}

int main(int argc, char **argv)
{
	u32 i;

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		for (i = 0; i <= LOOM_FILE_PARTS; i++) {
			u32 part = (i + LOOM_FILE_PARTS) % (LOOM_FILE_PARTS + 1);
			char *text;

			if (part < LOOM_FILE_PARTS && is_printed(part))
				continue;
			text = table(part);
			printf("%s\n", text);
			free(text);
		}
		return 0;
	}
	test_page();
	test_structs();
	return tap_end();
}
