// SPDX-License-Identifier: MIT
/*
 * Files that are damaged: each is refused in one line, and nothing of it stays. Bytes are missing,
 * or too many, and each field is past its range, with checksums that fit. Bits, sections, numbers
 * and plans at random: fuzz/program.c.
 */
#include <dirent.h>
#include <errno.h>

#include "host/file/temporary.h"
#include "host/program_file/programs.h"
#include "program_bytes.h"
#include "random.h"

#define ENDS		60

/**
 * struct sample - a file that is good
 * @bytes: of it
 * @size: number of @bytes
 */
struct sample {
	uint8_t *bytes;
	size_t size;
};

static struct sample samples[6];
static uint32_t refused, wrong;

/* How many files this process has open, and mapped. */
static uint32_t count_held(void)
{
	char line[512];
	uint32_t count = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	DIR *open = opendir("/proc/self/fd");

	if (!maps || !open)
		tap_fatal("no /proc");
	while (readdir(open))
		count++;
	while (fgets(line, sizeof(line), maps))
		count += !!strstr(line, path);
	closedir(open);
	fclose(maps);
	return count;
}

/* One line that names the file, and no file. */
static bool is_refused(int ret, const struct loom_program_file *file, const struct loom_error *err)
{
	const char *at;

	if (file || (ret != -EINVAL && ret != -EBADMSG) || strncmp(err->text, path, strlen(path)))
		return false;
	for (at = err->text; *at; at++)
		if ((unsigned char)*at < 0x20)
			return false;
	return true;
}

/* Refusals count. */
static void try_bytes(const uint8_t *bytes, size_t size, const char *what)
{
	struct loom_program_file *file;
	struct loom_error err = { .text = "" };
	int ret;

	put(bytes, size);
	ret = loom_program_load(path, &file, &err);
	if (is_refused(ret, file, &err)) {
		refused++;
		return;
	}
	wrong++;
	tap_note("%s: %d, '%s'", what, ret, err.text);
	loom_program_unload(file);
}

/* A copy to spoil. */
static uint8_t *draw_copy(size_t *size)
{
	const struct sample *sample = &samples[random_below(ARRAY_SIZE(samples))];
	uint8_t *copy = malloc(sample->size);

	if (!copy)
		tap_fatal("no memory");
	memcpy(copy, sample->bytes, sample->size);
	*size = sample->size;
	return copy;
}

static void test_ends(void)
{
	uint32_t before = refused, i;
	uint8_t *bytes, *longer;
	size_t size;

	for (i = 0; i < ENDS; i++) {
		bytes = draw_copy(&size);
		if (i % 4 == 3) {
			longer = calloc(1, size + i);
			if (!longer)
				tap_fatal("no memory");
			memcpy(longer, bytes, size);
			/* also where the header says so */
			bytes_header(longer)->file_bytes += i % 8 == 3 ? i : 0;
			bytes_fix_header(longer);
			try_bytes(longer, size + i, "more bytes");
			free(longer);
		} else {
			size_t less = i < 8 ? i * 8 : random_below(size);

			if (i % 4 == 2 && less >= sizeof(struct loom_file_header) +
					  LOOM_FILE_PARTS * sizeof(struct loom_file_section)) {
				bytes_header(bytes)->file_bytes = less;
				bytes_fix_header(bytes);
			}
			try_bytes(bytes, less, "fewer bytes");
		}
		free(bytes);
	}
	tap_ok(refused - before == ENDS && !wrong, "bytes are missing, or too many, %u files",
	       ENDS);
}

/* Each field that has a range is past it. */
static void test_ranges(void)
{
	uint32_t part, field, i, count = 0, before = refused;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		for (part = 0; part < LOOM_FILE_PARTS; part++) {
			const struct loom_records *records = &loom_file_records[part];

			for (field = 0; field < records->num_fields; field++) {
				const struct loom_field *of = &records->fields[field];
				uint8_t *copy;
				uint32_t value = of->below ? (uint32_t)of->below :
					       of->kind == LOOM_FIELD_BOOL ? 2 : 0xfffffff0;

				if (!bytes_sections(samples[i].bytes)[part].count ||
				    (!of->below && !of->of && of->kind != LOOM_FIELD_BOOL &&
				     of->kind != LOOM_FIELD_NAME))
					continue;
				copy = malloc(samples[i].size);
				if (!copy)
					tap_fatal("no memory");
				memcpy(copy, samples[i].bytes, samples[i].size);
				memcpy(bytes_field(copy, part, 0, field), &value, sizeof(value));
				bytes_fix(copy, samples[i].size);
				try_bytes(copy, samples[i].size, of->name);
				count++;
				free(copy);
			}
		}
	}
	tap_ok(count > 150 && refused - before == count && !wrong,
	       "every field that has a range, past it, %u files", count);
}

/* Faults of one message each, by hand. */
static void test_lines(void)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *text;
	} cases[] = {
		{ 0, 0x12345678, ": not a program file" },
		{ 8, 1,
		  ": version 1 of the format, and this library reads 2 and 3: compile the model again"
		},
		{ 12, 3, ": damaged: the number of its sections is wrong" },
		{ 30, 1, ": damaged: its header is not zero where it has to be" },
		{ 60, 0, ": damaged: the checksum of its header is wrong" },
	};
	struct loom_program_file *file;
	struct loom_error err;
	uint8_t *bytes;
	uint32_t i;
	size_t size;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bytes = draw_copy(&size);
		memcpy(bytes + cases[i].at, &cases[i].value, 4);
		put(bytes, size);
		free(bytes);
		tap_ok(loom_program_load(path, &file, &err) == -EINVAL && !file &&
		       !strcmp(err.text + strlen(path), cases[i].text), "%s", cases[i].text);
		tap_ok(loom_program_load(path, &file, NULL) == -EINVAL, "without a line as well");
	}
}

/* The slot of an input ends one byte before its tensor does. */
static void test_rejected_plan(void)
{
	struct loom_program_file *file;
	struct drm_loom_plan_header *header;
	struct drm_loom_plan_tensor *tensors;
	struct loom_error err;
	uint8_t *bytes;
	size_t size;

	bytes = draw_copy(&size);
	header = (void *)(bytes + bytes_sections(bytes)[LOOM_FILE_PLAN].offset);
	tensors = (void *)((uint8_t *)header + header->tensors.offset);
	tensors[0].offset = 1ULL << 40;
	bytes_fix(bytes, size);
	tap_ok(loom_program_parse(bytes, size, "net", &file, &err) == -EBADMSG && !file &&
	       strstr(err.text, "net: the plan was refused by rule"), "%s", err.text);
	free(bytes);
}

int main(void)
{
	static const uint32_t which[ARRAY_SIZE(samples)] = { 0, 1, 5, 9, 14, 27 };
	struct loom_program_file *file;
	struct loom_error err;
	uint32_t held, i;
	struct made made;

	temporary_create();
	random_state = 1;
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		if (!make_program(which[i], &made))
			tap_fatal("there is no program %u", which[i]);
		samples[i].bytes = write_program(&made, &samples[i].size);
		put_program(&made);
		if (loom_program_parse(samples[i].bytes, samples[i].size, "f", &file, &err))
			tap_fatal("%s", err.text);
		loom_program_unload(file);
	}
	held = count_held();
	test_ends();
	tap_ok(refused == ENDS && !wrong, "%u damaged files, one line each", refused);
	tap_ok(count_held() == held, "and none of them is held");
	test_ranges();
	test_lines();
	test_rejected_plan();
	for (i = 0; i < ARRAY_SIZE(samples); i++)
		free(samples[i].bytes);
	unlink(path);
	return tap_end();
}
