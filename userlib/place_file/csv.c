// SPDX-License-Identifier: MIT
#include "loom_core.h"
#include "base/error.h"
#include "csv.h"
#include "json.h"
#include "place/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Reading a file of items
 *
 * The text is copied once and cut into fields in place: unquoting only shortens a field, and a zero
 * terminates it. Fields keep their text, so that the result can be the same file with one more
 * column.
 *
 * Errors of one line (a number, a lifetime, a gap) and of all lines together (two equal ids, a sum
 * that leaves 63 bits) are reported here, where line and column are known. Errors of a placement,
 * such as fixed items that collide, are found by loom_place(); loom_place_csv_explain() translates
 * its faults to lines.
 */

static const struct {
	const char *name;
	enum loom_place_column column;
} column_names[] = {
	{ "id", LOOM_PLACE_COLUMN_ID },
	{ "buffer", LOOM_PLACE_COLUMN_ID },
	{ "buffer_id", LOOM_PLACE_COLUMN_ID },
	{ "lower", LOOM_PLACE_COLUMN_LOWER },
	{ "begin", LOOM_PLACE_COLUMN_LOWER },
	{ "start", LOOM_PLACE_COLUMN_LOWER },
	{ "upper", LOOM_PLACE_COLUMN_UPPER },
	{ "end", LOOM_PLACE_COLUMN_UPPER },
	{ "size", LOOM_PLACE_COLUMN_SIZE },
	{ "alignment", LOOM_PLACE_COLUMN_ALIGNMENT },
	{ "gaps", LOOM_PLACE_COLUMN_GAPS },
	{ "hint", LOOM_PLACE_COLUMN_HINT },
	{ "offset", LOOM_PLACE_COLUMN_OFFSET },
	{ "pool", LOOM_PLACE_COLUMN_POOL },
	{ "cost", LOOM_PLACE_COLUMN_COST },
	{ "width", LOOM_PLACE_COLUMN_WIDTH },
	{ "height", LOOM_PLACE_COLUMN_HEIGHT },
	{ "class", LOOM_PLACE_COLUMN_CLASS },
};

/* --- the header ------------------------------------------------------------------------- */

static int name_column(struct loom_place_csv_scan *scan, uint32_t index)
{
	struct loom_place_csv_file *file = scan->file;
	char a[LOOM_CSV_SHOWN], b[LOOM_CSV_SHOWN];
	enum loom_place_column column;
	const char *name;
	size_t i, length;

	name = loom_csv_trim(file->header[index], &length);
	for (i = 0; i < ARRAY_SIZE(column_names); i++)
		if (strlen(column_names[i].name) == length &&
		    !memcmp(column_names[i].name, name, length))
			break;
	if (i == ARRAY_SIZE(column_names)) {
		file->unknown[file->view.num_unknown++] = file->header[index];
		return 0;
	}
	column = column_names[i].column;
	if (file->columns[column] >= 0)
		return loom_csv_fail(&scan->text, -EINVAL, file->line,
				     "columns '%s' and '%s' are the same one twice",
				     loom_csv_show(a, file->header[file->columns[column]]),
				     loom_csv_show(b, name));
	file->columns[column] = index;
	if (!strcmp(column_names[i].name, "end"))
		file->inclusive = true;
	return 0;
}

static int cut_header(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	uint32_t room = 0;
	bool more = true;
	char **grown;
	int ret;

	while (more) {
		if (file->num_columns == room) {
			room = room ? 2 * room : 8;
			grown = realloc(file->header, room * sizeof(*grown));
			if (!grown)
				return loom_csv_no_memory(&scan->text);
			file->header = grown;
		}
		ret = loom_csv_field(&scan->text, &file->header[file->num_columns], &more);
		if (ret)
			return ret;
		file->num_columns++;
	}
	return 0;
}

static int read_header(struct loom_place_csv_scan *scan)
{
	static const char *const required[] = { "id", "lower", "upper", "size" };
	struct loom_place_csv_file *file = scan->file;
	char *newline;
	uint32_t i;
	int ret;

	if (!loom_csv_skip_blank(&scan->text))
		return loom_csv_fail(&scan->text, -EINVAL, 0,
				     "is empty; its first line should be id,lower,upper,size");
	file->line = scan->text.line;
	newline = memchr(scan->text.at, '\n', scan->text.end - scan->text.at);
	file->crlf = newline && newline > scan->text.at && newline[-1] == '\r';
	ret = cut_header(scan);
	if (ret)
		return ret;
	file->unknown = calloc(file->num_columns, sizeof(*file->unknown));
	if (!file->unknown)
		return loom_csv_no_memory(&scan->text);
	for (i = 0; i < LOOM_PLACE_COLUMN_COUNT; i++)
		file->columns[i] = -1;
	for (i = 0; i < file->num_columns; i++) {
		ret = name_column(scan, i);
		if (ret)
			return ret;
	}
	for (i = 0; i <= LOOM_PLACE_COLUMN_SIZE; i++)
		if (file->columns[i] < 0)
			return loom_csv_fail(&scan->text, -EINVAL, file->line,
					     "there is no column '%s'", required[i]);
	return 0;
}

/* --- all lines ---------------------------------------------------------------------------- */

static int grow(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	const uint32_t room = file->room ? 2 * file->room : 4;
	const size_t row_bytes = file->num_columns * sizeof(*file->fields);
	void *grown;

	if (file->room > UINT32_MAX / 4 || room > SIZE_MAX / row_bytes)
		return loom_csv_fail(&scan->text, -E2BIG, file->line, "there are too many items");
	grown = realloc(file->fields, room * row_bytes);
	if (!grown)
		return loom_csv_no_memory(&scan->text);
	file->fields = grown;
	grown = realloc(file->items, room * sizeof(*file->items));
	if (!grown)
		return loom_csv_no_memory(&scan->text);
	file->items = grown;
	grown = realloc(file->ids, room * sizeof(*file->ids));
	if (!grown)
		return loom_csv_no_memory(&scan->text);
	file->ids = grown;
	grown = realloc(file->lines, room * sizeof(*file->lines));
	if (!grown)
		return loom_csv_no_memory(&scan->text);
	file->lines = grown;
	file->room = room;
	return 0;
}

static int read_rows(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	char *field, **row;
	uint32_t count;
	bool more;
	int ret;

	while (loom_csv_skip_blank(&scan->text)) {
		file->line = scan->text.line;
		if (file->num_items == file->room) {
			ret = grow(scan);
			if (ret)
				return ret;
		}
		row = file->fields + (size_t)file->num_items * file->num_columns;
		for (count = 0, more = true; more; count++) {
			ret = loom_csv_field(&scan->text, &field, &more);
			if (ret)
				return ret;
			if (count < file->num_columns)
				row[count] = field;
		}
		if (count != file->num_columns)
			return loom_csv_fail(&scan->text, -EINVAL, file->line,
					     "there are %u fields under %u columns", count,
					     file->num_columns);
		ret = loom_place_csv_item(scan);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- all items together ----------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b, void *arg)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct loom_place_csv_file *file = arg;
	const int order = strcmp(file->ids[x], file->ids[y]);

	return order ? order : (x > y) - (x < y);
}

static int check_ids(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	uint32_t i, first = 0, second = LOOM_PLACE_NONE;
	char id[LOOM_CSV_SHOWN];
	uint32_t *order;

	order = calloc(file->num_items + 1ULL, sizeof(*order));
	if (!order)
		return loom_csv_no_memory(&scan->text);
	for (i = 0; i < file->num_items; i++)
		order[i] = i;
	qsort_r(order, file->num_items, sizeof(*order), compare_ids, file);
	for (i = 1; i < file->num_items; i++) {
		if (order[i] < second && !strcmp(file->ids[order[i - 1]], file->ids[order[i]])) {
			first = order[i - 1];
			second = order[i];
		}
	}
	free(order);
	if (second == LOOM_PLACE_NONE)
		return 0;
	return loom_csv_fail(&scan->text, -EINVAL, file->lines[second],
			     "the id '%s' is that of line %u",
			     loom_csv_show(id, file->ids[second]), file->lines[first]);
}

static const char *class_of(const struct loom_place_csv_file *file, uint32_t item)
{
	return file->fields[(size_t)item * file->num_columns +
			    file->columns[LOOM_PLACE_COLUMN_CLASS]];
}

static int compare_classes(const void *a, const void *b, void *arg)
{
	return strcmp(class_of(arg, *(const uint32_t *)a), class_of(arg, *(const uint32_t *)b));
}

/* Numbers the classes in the order of their names. */
static int number_classes(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	uint32_t *order, i, class = 0;

	if (file->columns[LOOM_PLACE_COLUMN_CLASS] < 0)
		return 0;
	order = calloc(file->num_items + 1ULL, sizeof(*order));
	if (!order)
		return loom_csv_no_memory(&scan->text);
	for (i = 0; i < file->num_items; i++)
		order[i] = i;
	qsort_r(order, file->num_items, sizeof(*order), compare_classes, file);
	for (i = 0; i < file->num_items; i++) {
		class += i && strcmp(class_of(file, order[i - 1]), class_of(file, order[i]));
		file->items[order[i]].storage_class = class;
	}
	free(order);
	return 0;
}

static int check_sums(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_peak peak;
	char id[LOOM_CSV_SHOWN];
	int ret;

	ret = loom_place_find_peak(&file->view.problem, &peak);
	if (ret == -ERANGE)
		return loom_csv_fail(&scan->text, ret, file->lines[peak.culprit],
				     "with '%s' the sum of what is alive does not fit in 63 bits",
				     loom_csv_show(id, file->ids[peak.culprit]));
	return ret ? loom_csv_no_memory(&scan->text) : 0;
}

static void publish(struct loom_place_csv_file *file)
{
	size_t gap = 0;
	uint32_t i;

	for (i = 0; i < file->num_items; i++) {
		if (file->items[i].num_gaps)
			file->items[i].gaps = file->gaps + gap;
		gap += file->items[i].num_gaps;
	}
	file->view.path = file->path;
	file->view.problem.items = file->items;
	file->view.problem.num_items = file->num_items;
	file->view.ids = file->ids;
	file->view.lines = file->lines;
	file->view.unknown = file->unknown;
}

static int scan_all(struct loom_place_csv_scan *scan, size_t size_bytes)
{
	int ret = loom_csv_begin(&scan->text, scan->file->text, size_bytes);

	if (!ret)
		ret = read_header(scan);
	if (!ret)
		ret = read_rows(scan);
	if (ret)
		return ret;
	publish(scan->file);
	ret = check_ids(scan);
	if (!ret)
		ret = number_classes(scan);
	return ret ? ret : check_sums(scan);
}

/* Takes ownership of @text, which must have room for one byte more than @size_bytes. */
static int adopt_csv(char *text, size_t size_bytes, const char *path,
		     struct loom_place_csv **csv, struct loom_error *err)
{
	struct loom_place_csv_scan scan = { .text = { .path = path, .err = err } };
	struct loom_place_csv_file *file;
	int ret;

	*csv = NULL;
	file = calloc(1, sizeof(*file));
	if (file)
		file->path = strdup(path);
	if (!file || !file->path) {
		free(file);
		free(text);
		return loom_error_set(err, -ENOMEM, "%.180s: no memory", path);
	}
	file->text = text;
	text[size_bytes] = '\0';
	scan.file = file;
	if (size_bytes > LOOM_CSV_MAX_BYTES)
		ret = loom_csv_fail(&scan.text, -E2BIG, 0, "is larger than %llu MiB",
				    LOOM_CSV_MAX_BYTES >> 20);
	else
		ret = scan_all(&scan, size_bytes);
	if (ret)
		loom_place_csv_destroy(&file->view);
	else
		*csv = &file->view;
	return ret;
}

/* adopt_csv() of a text that is CSV, or is converted to it. */
static int adopt(char *text, size_t size_bytes, const char *path,
		 struct loom_place_csv **csv, struct loom_error *err)
{
	char *converted;
	size_t converted_bytes;
	int ret;

	*csv = NULL;
	if (!loom_place_is_json(text, size_bytes) || size_bytes > LOOM_CSV_MAX_BYTES)
		return adopt_csv(text, size_bytes, path, csv, err);
	ret = loom_place_json_to_csv(text, size_bytes, path, &converted, &converted_bytes, err);
	free(text);
	/* a stream in memory has a zero behind its end */
	return ret ? ret : adopt_csv(converted, converted_bytes, path, csv, err);
}

int loom_place_csv_parse(const char *text, size_t size_bytes, const char *path,
			 struct loom_place_csv **csv, struct loom_error *err)
{
	const int saved = errno;
	char *copy = size_bytes < SIZE_MAX ? malloc(size_bytes + 1) : NULL;
	int ret;

	*csv = NULL;
	if (!copy) {
		errno = saved;
		return loom_error_set(err, -ENOMEM, "%.180s: no memory", path);
	}
	if (size_bytes)
		memcpy(copy, text, size_bytes);
	ret = adopt(copy, size_bytes, path, csv, err);
	errno = saved;
	return ret;
}

int loom_place_csv_read(FILE *stream, const char *path, struct loom_place_csv **csv,
			struct loom_error *err)
{
	const int saved = errno;
	size_t size_bytes;
	char *text;
	int ret;

	*csv = NULL;
	ret = loom_csv_slurp(stream, &text, &size_bytes);
	if (ret) {
		free(text);
		loom_error_set(err, ret, "%.180s: cannot be read: %s", path, strerror(-ret));
	} else {
		ret = adopt(text, size_bytes, path, csv, err);
	}
	errno = saved;
	return ret;
}

int loom_place_csv_load(const char *path, struct loom_place_csv **csv, struct loom_error *err)
{
	const int saved = errno;
	FILE *stream;
	int ret;

	*csv = NULL;
	stream = fopen(path, "rb");
	if (!stream) {
		ret = loom_error_set(err, -errno, "%.180s: %s", path, strerror(errno));
	} else {
		ret = loom_place_csv_read(stream, path, csv, err);
		fclose(stream);
	}
	errno = saved;
	return ret;
}

void loom_place_csv_destroy(struct loom_place_csv *csv)
{
	/* the view is its first member */
	struct loom_place_csv_file *file = (struct loom_place_csv_file *)csv;

	if (!file)
		return;
	free(file->path);
	free(file->text);
	free(file->header);
	free(file->fields);
	free(file->items);
	free(file->gaps);
	free(file->ids);
	free(file->lines);
	free(file->unknown);
	free(file);
}

const char *loom_place_csv_text(const struct loom_place_csv *csv, uint32_t item, const char *column)
{
	const struct loom_place_csv_file *file = (const struct loom_place_csv_file *)csv;
	uint32_t i;

	for (i = 0; i < file->num_columns; i++)
		if (!strcmp(file->header[i], column))
			return file->fields[(size_t)item * file->num_columns + i];
	return NULL;
}

void loom_place_csv_free_offsets(struct loom_place_csv *csv)
{
	struct loom_place_csv_file *file = (struct loom_place_csv_file *)csv;
	uint32_t i;

	for (i = 0; i < file->num_items; i++)
		file->items[i].flags &= ~LOOM_PLACE_FIXED;
}

/* The index in @names of the word at *@at, which moves behind it; or LOOM_PLACE_NONE. */
static uint32_t scan_pool(const char **at, const char *const *names, uint32_t num_names)
{
	size_t length = strcspn(*at, " \t");
	const char *word = *at;
	uint32_t i;

	*at += length;
	for (i = 0; i < num_names; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], word, length))
			return i;
	return LOOM_PLACE_NONE;
}

int loom_place_csv_set_pools(struct loom_place_csv *csv, const char *const *names,
			     uint32_t num_names, struct loom_error *err)
{
	struct loom_place_csv_file *file = (struct loom_place_csv_file *)csv;
	const int64_t column = file->columns[LOOM_PLACE_COLUMN_POOL];
	char shown[LOOM_CSV_SHOWN];
	const char *at, *word;
	uint32_t i, pool;

	if (num_names > LOOM_PLACE_MAX_POOLS)
		return loom_error_set(err, -EINVAL, "%.180s: there are more than %d pools",
				      file->path, LOOM_PLACE_MAX_POOLS);
	for (i = 0; i < file->num_items; i++) {
		file->items[i].pools = 0;
		if (column < 0)
			continue;
		at = file->fields[(size_t)i * file->num_columns + column];
		for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
			word = at;
			pool = scan_pool(&at, names, num_names);
			if (pool == LOOM_PLACE_NONE)
				return loom_error_set(err, -EINVAL,
						      "%.180s:%u: column '%s': there is no pool '%s'",
						      file->path, file->lines[i],
						      file->header[column],
						      loom_csv_show(shown, word));
			file->items[i].pools |= 1U << pool;
		}
	}
	return 0;
}
