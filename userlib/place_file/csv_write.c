// SPDX-License-Identifier: MIT
#include "csv.h"
#include "base/error.h"
#include "place/problem.h"
#include "place/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Problems and answers as text, and faults of loom_place() in terms of lines.
 */

/* Quotes a field that would be read differently without quotes. */
static void loom_place_csv_put(FILE *out, const char *field)
{
	const size_t length = strlen(field);

	if (length && !strpbrk(field, ",\"\r\n") && field[0] != ' ' && field[0] != '\t' &&
	    field[length - 1] != ' ' && field[length - 1] != '\t') {
		fputs(field, out);
		return;
	}
	/* an empty field needs no quotes */
	if (!length)
		return;
	fputc('"', out);
	for (; *field; field++) {
		if (*field == '"')
			fputc('"', out);
		fputc(*field, out);
	}
	fputc('"', out);
}

static int loom_place_csv_close(FILE *out, char **text)
{
	const bool failed = ferror(out);

	if (!fclose(out) && !failed)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

/* Writes a row with @offset and, if not NULL, @pool; missing columns are appended. */
static void loom_place_csv_put_row(const struct loom_place_csv_file *file, FILE *out,
				   char *const *row, const char *offset, const char *pool)
{
	const int64_t offsets = file->columns[LOOM_PLACE_COLUMN_OFFSET];
	const int64_t pools = file->columns[LOOM_PLACE_COLUMN_POOL];
	uint32_t i;

	for (i = 0; i < file->num_columns; i++) {
		if (i)
			fputc(',', out);
		loom_place_csv_put(out, i == offsets ? offset : i == pools && pool ? pool :
				   row[i]);
	}
	if (pools < 0 && pool) {
		fputc(',', out);
		loom_place_csv_put(out, pool);
	}
	if (offsets < 0)
		fprintf(out, ",%s", offset);
	fputs(file->crlf ? "\r\n" : "\n", out);
}

static int loom_place_csv_put_answer(const struct loom_place_csv *csv, const uint64_t *offsets,
				     const uint32_t *pools, const char *const *names, char **text,
				     size_t *size_bytes)
{
	const struct loom_place_csv_file *file = (const struct loom_place_csv_file *)csv;
	const int64_t column = file->columns[LOOM_PLACE_COLUMN_OFFSET];
	const int64_t pool = file->columns[LOOM_PLACE_COLUMN_POOL];
	const int saved = errno;
	char offset[24];
	FILE *out;
	uint32_t i;
	int ret;

	*text = NULL;
	out = open_memstream(text, size_bytes);
	if (!out) {
		errno = saved;
		return -ENOMEM;
	}
	loom_place_csv_put_row(file, out, file->header,
			       column < 0 ? "offset" : file->header[column],
			       !names ? NULL : pool < 0 ? "pool" : file->header[pool]);
	for (i = 0; i < file->num_items; i++) {
		snprintf(offset, sizeof(offset), "%llu", (unsigned long long)offsets[i]);
		loom_place_csv_put_row(file, out, file->fields + (size_t)i * file->num_columns,
				       offset, names ? names[pools[i]] : NULL);
	}
	ret = loom_place_csv_close(out, text);
	errno = saved;
	return ret;
}

int loom_place_csv_answer(const struct loom_place_csv *csv, const uint64_t *offsets, char **text,
			  size_t *size_bytes)
{
	return loom_place_csv_put_answer(csv, offsets, NULL, NULL, text, size_bytes);
}

int loom_place_csv_answer_pools(const struct loom_place_csv *csv,
				const struct loom_place_result *result, const char *const *names,
				char **text, size_t *size_bytes)
{
	return loom_place_csv_put_answer(csv, result->offsets, result->pools, names, text,
					 size_bytes);
}

/* --- any problem ------------------------------------------------------------------------ */

/**
 * struct loom_place_csv_shape - optional columns that a problem requires
 * @alignment: some item has an alignment
 * @gaps: some item has gaps
 * @offset: some item is fixed, or all are placed
 * @image: some item is an image
 * @class: some item has a class other than 0
 */
struct loom_place_csv_shape {
	bool alignment;
	bool gaps;
	bool offset;
	bool image;
	bool class;
};

static int loom_place_csv_compare_names(const void *a, const void *b, void *arg)
{
	const char *const *ids = arg;

	return strcmp(ids[*(const uint32_t *)a], ids[*(const uint32_t *)b]);
}

/* Whether an id ends with a number as added here: "name#12". */
static bool loom_place_csv_numbered(const char *id)
{
	const char *hash = strrchr(id, '#');

	return hash && hash[1] && !hash[1 + strspn(hash + 1, "0123456789")];
}

/*
 * Finds the ids that need a number to be unique: empty ones, and those that occur twice. If there
 * are any, ids that already end with a number get one as well, because the result could equal one
 * of them.
 */
static int loom_place_csv_number_ids(const char *const *ids, uint32_t num_ids, bool *number)
{
	bool any = false;
	uint32_t i, *order;

	order = calloc(num_ids + 1ULL, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < num_ids; i++)
		order[i] = i;
	qsort_r(order, num_ids, sizeof(*order), loom_place_csv_compare_names, (void *)ids);
	for (i = 0; i < num_ids; i++) {
		if (!*ids[order[i]] || (i && !strcmp(ids[order[i - 1]], ids[order[i]])) ||
		    (i + 1 < num_ids && !strcmp(ids[order[i + 1]], ids[order[i]])))
			any = number[order[i]] = true;
	}
	for (i = 0; any && i < num_ids; i++)
		number[i] |= loom_place_csv_numbered(ids[i]);
	free(order);
	return 0;
}

static void loom_place_csv_put_gaps(FILE *out, const struct loom_place_item *item)
{
	const struct loom_place_gap *gap;
	uint32_t i;

	for (i = 0; i < item->num_gaps; i++) {
		gap = &item->gaps[i];
		fprintf(out, "%s%lld-%lld", i ? " " : "", (long long)gap->lower,
			(long long)gap->upper);
		if (gap->window_lower < gap->window_upper)
			fprintf(out, "@%llu:%llu", (unsigned long long)gap->window_lower,
				(unsigned long long)gap->window_upper);
	}
}

static void loom_place_csv_put_item(FILE *out, const struct loom_place_csv_shape *shape,
				    const struct loom_place_item *item, uint64_t offset)
{
	fprintf(out, ",%lld,%lld,%llu", (long long)item->lower, (long long)item->upper,
		(unsigned long long)item->size_bytes);
	if (shape->alignment)
		fprintf(out, ",%llu",
			(unsigned long long)(item->align_bytes ? item->align_bytes : 1));
	if (shape->gaps) {
		fputc(',', out);
		loom_place_csv_put_gaps(out, item);
	}
	if (shape->offset) {
		fputc(',', out);
		if (offset != LOOM_PLACE_ANYWHERE)
			fprintf(out, "%llu", (unsigned long long)offset);
	}
	if (shape->image && item->width)
		fprintf(out, ",%llu,%llu", (unsigned long long)item->width,
			(unsigned long long)item->height);
	else if (shape->image)
		fputs(",,", out);
	if (shape->class)
		fprintf(out, ",%u", item->storage_class);
	fputc('\n', out);
}

static void loom_place_csv_put_id(FILE *out, const char *id, uint32_t index, bool number)
{
	char *numbered;

	if (!number) {
		loom_place_csv_put(out, id);
	} else if (asprintf(&numbered, "%s#%u", id, index) >= 0) {
		loom_place_csv_put(out, numbered);
		free(numbered);
	} else {
		/* without memory for the text: the number alone is unique as well */
		fprintf(out, "#%u", index);
	}
}

static void loom_place_csv_put_problem(FILE *out, const struct loom_place_problem *problem,
				       const char *const *ids, const uint64_t *offsets,
				       const bool *number)
{
	struct loom_place_csv_shape shape = { .offset = offsets };
	const struct loom_place_item *item;
	uint32_t i;

	for (i = 0; i < problem->num_items; i++) {
		item = &problem->items[i];
		shape.alignment |= item->align_bytes > 1;
		shape.gaps |= item->num_gaps > 0;
		shape.offset |= loom_place_is_fixed(item);
		shape.image |= item->width > 0;
		shape.class |= item->storage_class > 0;
	}
	fprintf(out, "id,lower,upper,size%s%s%s%s%s\n", shape.alignment ? ",alignment" : "",
		shape.gaps ? ",gaps" : "", shape.offset ? ",offset" : "",
		shape.image ? ",width,height" : "", shape.class ? ",class" : "");
	for (i = 0; i < problem->num_items; i++) {
		item = &problem->items[i];
		if (ids)
			loom_place_csv_put_id(out, ids[i], i, number[i]);
		else
			fprintf(out, "%u", i);
		loom_place_csv_put_item(out, &shape, item, offsets ? offsets[i] :
					loom_place_is_fixed(item) ? item->fixed :
								    LOOM_PLACE_ANYWHERE);
	}
}

int loom_place_csv_format(const struct loom_place_problem *problem, const char *const *ids,
			  const uint64_t *offsets, char **text, size_t *size_bytes)
{
	const int saved = errno;
	FILE *out = NULL;
	bool *number;
	int ret = -ENOMEM;

	*text = NULL;
	number = calloc(problem->num_items + 1ULL, sizeof(*number));
	if (number && (!ids || !loom_place_csv_number_ids(ids, problem->num_items, number)))
		out = open_memstream(text, size_bytes);
	if (out) {
		loom_place_csv_put_problem(out, problem, ids, offsets, number);
		ret = loom_place_csv_close(out, text);
	}
	free(number);
	errno = saved;
	return ret;
}

/* --- faults ------------------------------------------------------------------------------- */

/*
 * Formats ", which are alive at 17": the moment of the peak, if the peak is @needed_bytes; else "".
 */
static void loom_place_csv_when(const struct loom_place_problem *problem, uint64_t needed_bytes,
				char when[64])
{
	struct loom_place_resolved resolved;
	struct loom_place_peak peak;

	when[0] = '\0';
	if (!loom_place_resolve_one(&resolved, problem) &&
	    !loom_place_find_peak(&resolved.problem, &peak) && peak.bytes == needed_bytes)
		snprintf(when, 64, ", which are alive at %lld", (long long)peak.moment);
	loom_place_resolved_clear(&resolved);
}

static bool loom_place_csv_explain_capacity(const struct loom_place_csv *csv,
					    const struct loom_place_problem *problem,
					    const struct loom_place_fault *fault,
					    struct loom_error *err)
{
	uint64_t capacity, needed;
	char when[64];

	if (problem->num_pools != 1 || !fault->missing_bytes)
		return false;
	capacity = problem->pools[0].capacity_bytes;
	needed = capacity + fault->missing_bytes;
	loom_place_csv_when(problem, needed, when);
	loom_error_set(err, -ENOSPC,
		       "%.180s: a capacity of %llu bytes falls short by %llu: at least %llu are needed%s",
		       csv->path, (unsigned long long)capacity,
		       (unsigned long long)fault->missing_bytes, (unsigned long long)needed, when);
	return true;
}

void loom_place_csv_explain(const struct loom_place_csv *csv,
			    const struct loom_place_problem *problem, int code,
			    const struct loom_place_fault *fault, struct loom_error *err)
{
	char first[LOOM_CSV_SHOWN], second[LOOM_CSV_SHOWN];
	const uint32_t num_items = csv->problem.num_items;

	if (code == -ENOSPC && fault->first >= num_items &&
	    loom_place_csv_explain_capacity(csv, problem, fault, err))
		return;
	if (fault->first >= num_items) {
		loom_error_set(err, code, "%.180s: %s", csv->path,
			       fault->text[0] ? fault->text : strerror(-code));
		return;
	}
	loom_csv_show(first, csv->ids[fault->first]);
	if (fault->second >= num_items) {
		loom_error_set(err, code, "%.180s:%u: '%s': %s", csv->path,
			       csv->lines[fault->first], first, fault->text);
		return;
	}
	loom_csv_show(second, csv->ids[fault->second]);
	loom_error_set(err, code, "%.180s:%u: '%s' and '%s' on line %u: %s", csv->path,
		       csv->lines[fault->first], first, second, csv->lines[fault->second],
		       fault->text);
}
