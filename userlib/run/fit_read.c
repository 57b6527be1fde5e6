// SPDX-License-Identifier: MIT
/* CSV files of buffers (loom_fit_list_read()), and of the blocks that a report has found. */
#include "fit.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/dtype.h"
#include "base/error.h"

static int loom_fit_number(struct loom_csv *csv, const char *what, const char *text,
			   uint64_t most, uint64_t *value)
{
	static const char suffixes[] = "kMG";
	const char *suffix;
	int shift = 0;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, text[0] == '0' && tolower(text[1]) == 'x' ? 16 : 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		shift = 10 * (suffix - suffixes + 1);
		end++;
	}
	if (!isdigit((unsigned char)*text) || *end || errno || *value > most >> shift)
		return loom_csv_fail_row(csv, "%s is '%s', which is not a number up to %llu", what,
					 text, (unsigned long long)most);
	*value <<= shift;
	return 0;
}

/* ------------------------------------------------------------------------ lists */

/* Index of a word; -EINVAL with a fault if it is none of them. */
static int loom_fit_word(struct loom_csv *csv, const char *what, const char *text,
			 const char *const *words, uint32_t count, uint32_t *value)
{
	for (*value = 0; *value < count; ++*value)
		if (words[*value] && !strcmp(words[*value], text))
			return 0;
	return loom_csv_fail_row(csv, "no %s is called '%s'", what, text);
}

/* "0-3;8": banks, and ranges of them. */
static int loom_fit_banks(struct loom_csv *csv, char *text, struct drm_loom_bo_create *buffer)
{
	uint64_t *mask = calloc(LOOM_MASK_WORDS, sizeof(*mask)), first, last, bank;
	char *range, *dash;

	if (!mask)
		return loom_error_set(csv->scan.err, -ENOMEM, "no memory");
	buffer->bank_mask = (uintptr_t)mask;
	buffer->bank_mask_words = LOOM_MASK_WORDS;
	while ((range = strsep(&text, ";"))) {
		dash = strchr(range, '-');
		if (dash)
			*dash++ = '\0';
		if (loom_fit_number(csv, "a bank", range, DRM_LOOM_MAX_BANKS - 1, &first) ||
		    loom_fit_number(csv, "a bank", dash ? dash : range, DRM_LOOM_MAX_BANKS - 1,
				    &last))
			return -EINVAL;
		for (bank = first; bank <= last; bank++)
			mask[bank / 64] |= 1ULL << bank % 64;
	}
	return 0;
}

/* Columns with words, and columns with numbers, which go to a field each. */
static int loom_fit_field(struct loom_csv *csv, const char *name, char *text,
			  struct drm_loom_bo_create *buffer)
{
	static const char *const regions[] = { "dram", "sram", "rom" };
	static const char *const addresses[] = { "one", "per-bank" };
	static const char *const directions[] = { "default", "bottom-up", "top-down" };
	static const char *const layouts[] = { "interleaved", "image", "height", "width", "block" };
	static const struct {
		const char *name;
		size_t at;
	} numbers[] = {
		{ "page_bytes", offsetof(struct drm_loom_bo_create, page_bytes) },
		{ "width", offsetof(struct drm_loom_bo_create, width) },
		{ "height", offsetof(struct drm_loom_bo_create, height) },
		{ "pitch_bytes", offsetof(struct drm_loom_bo_create, pitch_bytes) },
		{ "page_columns", offsetof(struct drm_loom_bo_create, page_columns) },
		{ "shard_rows", offsetof(struct drm_loom_bo_create, shard_rows) },
		{ "shard_columns", offsetof(struct drm_loom_bo_create, shard_columns) },
		{ "grid_columns", offsetof(struct drm_loom_bo_create, grid_columns) },
	};
	uint32_t index;
	uint64_t value;
	size_t i;
	int ret;

	if (!strcmp(name, "size"))
		return loom_fit_number(csv, name, text, UINT64_MAX, (uint64_t *)&buffer->size);
	if (!strcmp(name, "region"))
		return loom_fit_word(csv, name, text, regions, 3, &buffer->region);
	if (!strcmp(name, "direction"))
		return loom_fit_word(csv, name, text, directions, 3, &buffer->direction);
	if (!strcmp(name, "layout"))
		return loom_fit_word(csv, name, text, layouts, 5, &buffer->layout);
	if (!strcmp(name, "addresses")) {
		ret = loom_fit_word(csv, name, text, addresses, 2, &index);
		buffer->flags = index ? DRM_LOOM_BO_CREATE_PER_BANK : 0;
		return ret;
	}
	if (!strcmp(name, "banks"))
		return loom_fit_banks(csv, text, buffer);
	if (!strcmp(name, "dtype")) {
		for (buffer->dtype = 0; buffer->dtype < 64; buffer->dtype++)
			if (loom_dtype_name(buffer->dtype) &&
			    !strcmp(loom_dtype_name(buffer->dtype), text))
				return 0;
		return loom_csv_fail_row(csv, "no element type is called '%s'", text);
	}
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(numbers[i].name, name))
			continue;
		ret = loom_fit_number(csv, name, text, UINT32_MAX, &value);
		*(uint32_t *)((char *)buffer + numbers[i].at) = value;
		return ret;
	}
	return loom_csv_fail_row(csv, "no column is called '%s'", name);
}

static int loom_fit_list_line(struct loom_csv *csv, char **header, uint32_t columns,
			      struct loom_fit_list *list)
{
	struct drm_loom_bo_create *buffer = &list->buffers[list->count];
	uint32_t i;
	int ret = 0;

	if (csv->count > columns)
		return loom_csv_fail_row(csv, "%u columns, and the first line has %u", csv->count,
					 columns);
	list->count++;
	for (i = 0; i < csv->count && !ret; i++) {
		if (!strcmp(header[i], "name"))
			list->names[list->count - 1] = strdup(csv->fields[i]);
		else if (*csv->fields[i])
			ret = loom_fit_field(csv, header[i], csv->fields[i], buffer);
	}
	if (!ret && !list->names[list->count - 1])
		return loom_csv_fail_row(csv, "the buffer has no name");
	return ret;
}

int loom_fit_list_read(const char *path, struct loom_fit_list **out, struct loom_error *err)
{
	struct loom_fit_list *list = calloc(1, sizeof(*list));
	char *header[LOOM_CSV_COLUMNS];
	struct loom_csv csv;
	uint32_t columns;
	int ret;

	*out = NULL;
	if (!list)
		return loom_error_set(err, -ENOMEM, "no memory");
	list->buffers = calloc(DRM_LOOM_MAX_FIT, sizeof(*list->buffers));
	list->names = calloc(DRM_LOOM_MAX_FIT, sizeof(*list->names));
	ret = loom_csv_open(&csv, path, err);
	if (!ret && (!list->buffers || !list->names))
		ret = loom_error_set(err, -ENOMEM, "no memory");
	columns = csv.count;
	memcpy(header, csv.fields, sizeof(header));
	while (!ret && (ret = loom_csv_next(&csv)) > 0) {
		if (list->count == DRM_LOOM_MAX_FIT)
			ret = loom_error_set(err, -E2BIG, "%s:%u: more than %u buffers", path,
					     csv.line, DRM_LOOM_MAX_FIT);
		else
			ret = loom_fit_list_line(&csv, header, columns, list);
	}
	loom_csv_close(&csv);
	if (ret)
		loom_fit_list_free(list);
	else
		*out = list;
	return ret;
}

void loom_fit_list_free(struct loom_fit_list *list)
{
	uint32_t i;

	if (!list)
		return;
	for (i = 0; i < list->count; i++) {
		free((void *)(uintptr_t)list->buffers[i].bank_mask);
		free(list->names[i]);
	}
	free(list->buffers);
	free(list->names);
	free(list);
}

/* -------------------------------------------------------------------- snapshots */

/* Columns of detailed_memory_usage.csv. Behind them is a label, in files of newer versions. */
enum { PID, PLAN, REGION, BANK, ADDRESS, SIZE, ALLOCATED, KIND, COLUMNS };

static int loom_fit_compare(const void *a, const void *b)
{
	const struct loom_fit_row *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Blocks at the same place in several banks become one, as lockstep allocation made them. */
static size_t loom_fit_merge(struct loom_fit_row *rows, size_t count)
{
	size_t i, n = 0;
	uint32_t word;

	qsort(rows, count, sizeof(*rows), loom_fit_compare);
	for (i = 0; i < count; i++) {
		if (!n || loom_fit_compare(&rows[n - 1], &rows[i])) {
			rows[n++] = rows[i];
			continue;
		}
		for (word = 0; word < LOOM_MASK_WORDS; word++)
			rows[n - 1].mask.word[word] |= rows[i].mask.word[word];
	}
	return n;
}

static int loom_fit_snapshot_line(struct loom_csv *csv, struct loom_fit_row *row)
{
	static const char *const regions[] = { "dram", "sram", "rom" };
	uint64_t bank;

	if (csv->count < COLUMNS)
		return loom_csv_fail_row(csv, "%u columns, not %u", csv->count, COLUMNS);
	*row = (struct loom_fit_row){ .line = csv->line };
	if (loom_fit_word(csv, "region", csv->fields[REGION], regions, 3, &row->region) ||
	    loom_fit_number(csv, "bank", csv->fields[BANK], DRM_LOOM_MAX_BANKS - 1, &bank) ||
	    loom_fit_number(csv, "address", csv->fields[ADDRESS], INT64_MAX, &row->address) ||
	    loom_fit_number(csv, "size_bytes", csv->fields[SIZE], INT64_MAX, &row->bytes))
		return -EINVAL;
	loom_mask_set(&row->mask, bank);
	return 0;
}

int loom_fit_snapshot_read(const char *path, struct loom_fit_row **out, size_t *count,
			   struct loom_error *err)
{
	struct loom_fit_row *rows = NULL, *grown;
	char report[64] = "", next[64];
	size_t n = 0, room = 0;
	struct loom_csv csv;
	int ret;

	ret = loom_csv_open(&csv, path, err);
	if (!ret && (csv.count < COLUMNS || strcmp(csv.fields[KIND], "kind")))
		ret = loom_csv_fail_row(&csv, "not the columns of detailed_memory_usage.csv");
	while (!ret && (ret = loom_csv_next(&csv)) > 0) {
		struct loom_fit_row row;

		ret = loom_fit_snapshot_line(&csv, &row);
		if (ret)
			break;
		/* each report begins with new numbers; the last one counts */
		snprintf(next, sizeof(next), "%.30s %.30s", csv.fields[PID], csv.fields[PLAN]);
		if (strcmp(next, report))
			n = 0;
		memcpy(report, next, sizeof(report));
		if (!strcmp(csv.fields[KIND], "free") || !strcmp(csv.fields[KIND], "reserved"))
			continue;
		if (n == room) {
			room = 2 * room + 64;
			grown = realloc(rows, room * sizeof(*rows));
			if (!grown) {
				ret = loom_error_set(err, -ENOMEM, "no memory");
				break;
			}
			rows = grown;
		}
		rows[n++] = row;
	}
	loom_csv_close(&csv);
	if (ret) {
		free(rows);
		return ret;
	}
	*out = rows;
	*count = loom_fit_merge(rows, n);
	return 0;
}
