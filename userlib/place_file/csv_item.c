// SPDX-License-Identifier: MIT
/* Conversion of one line to an item: valid values of each column, and messages. */
#include "csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *column_name(const struct loom_place_csv_file *file,
			       enum loom_place_column column)
{
	return file->header[file->columns[column]];
}

/* The field of the current line, or NULL if the file has no such column. */
static const char *get_field(const struct loom_place_csv_file *file,
			     enum loom_place_column column)
{
	if (file->columns[column] < 0)
		return NULL;
	return file->fields[(size_t)file->num_items * file->num_columns + file->columns[column]];
}

/* Formats a message about the field under @column of this line. */
static int fail_field(struct loom_place_csv_scan *scan, int code,
		      enum loom_place_column column, const char *what)
{
	char name[LOOM_CSV_SHOWN], field[LOOM_CSV_SHOWN];

	loom_csv_show(name, column_name(scan->file, column));
	loom_csv_show(field, get_field(scan->file, column));
	return loom_csv_fail(&scan->text, code, scan->file->line, "column '%s': '%s' %s", name,
			     field, what);
}

/* Reads a mandatory number of at least @min. */
static int read_number(struct loom_place_csv_scan *scan, enum loom_place_column column,
		       int64_t min, int64_t *value)
{
	const char *field, *at;
	size_t length;
	int ret;

	field = loom_csv_trim(get_field(scan->file, column), &length);
	at = field;
	ret = loom_csv_number(&at, value);
	if (ret == -ERANGE)
		return fail_field(scan, ret, column, "does not fit in 63 bits");
	if (ret || at != field + length)
		return fail_field(scan, -EINVAL, column, "is not a whole number");
	if (*value < min)
		return fail_field(scan, -EINVAL, column,
				  min ? "is not at least 1" : "is negative");
	return 0;
}

/* Reads a number of at least @min; @fallback if the column or the field is missing. */
static int read_optional(struct loom_place_csv_scan *scan, enum loom_place_column column,
			 int64_t min, int64_t fallback, int64_t *value)
{
	const char *field = get_field(scan->file, column);
	size_t length = 0;

	*value = fallback;
	if (field)
		loom_csv_trim(field, &length);
	return length ? read_number(scan, column, min, value) : 0;
}

static int read_lifetime(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	struct loom_place_csv_file *file = scan->file;
	char id[LOOM_CSV_SHOWN], a[LOOM_CSV_SHOWN], b[LOOM_CSV_SHOWN];
	int ret;

	ret = read_number(scan, LOOM_PLACE_COLUMN_LOWER, INT64_MIN, &item->lower);
	if (!ret)
		ret = read_number(scan, LOOM_PLACE_COLUMN_UPPER, INT64_MIN, &item->upper);
	if (ret)
		return ret;
	if (file->inclusive && __builtin_add_overflow(item->upper, 1, &item->upper))
		return fail_field(scan, -ERANGE, LOOM_PLACE_COLUMN_UPPER,
				  "does not fit in 63 bits");
	if (item->upper > item->lower)
		return 0;
	loom_csv_show(id, get_field(file, LOOM_PLACE_COLUMN_ID));
	loom_csv_show(a, column_name(file, LOOM_PLACE_COLUMN_UPPER));
	loom_csv_show(b, column_name(file, LOOM_PLACE_COLUMN_LOWER));
	return loom_csv_fail(&scan->text, -EINVAL, file->line,
			     "the lifetime of '%s' %s: '%s' is %lld, '%s' is %lld", id,
			     item->upper == item->lower && !file->inclusive ? "is empty" :
			     "ends before it starts", a,
			     (long long)item->upper - file->inclusive, b,
			     (long long)item->lower);
}

static int push_gap(struct loom_place_csv_scan *scan, struct loom_place_gap gap)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_gap *grown;

	if (file->num_gaps == file->gap_room) {
		const size_t room = file->gap_room ? 2 * file->gap_room : 16;

		grown = realloc(file->gaps, room * sizeof(*grown));
		if (!grown)
			return loom_csv_no_memory(&scan->text);
		file->gaps = grown;
		file->gap_room = room;
	}
	file->gaps[file->num_gaps++] = gap;
	return 0;
}

/* Reads a-b or a-b@x:y at *@at, which moves behind it. */
static int scan_gap(const char **at, bool inclusive, struct loom_place_gap *gap)
{
	int64_t x = 0, y = 0;
	int ret;

	ret = loom_csv_number(at, &gap->lower);
	if (ret || *(*at)++ != '-')
		return ret ? ret : -EINVAL;
	ret = loom_csv_number(at, &gap->upper);
	if (ret)
		return ret;
	if (inclusive && __builtin_add_overflow(gap->upper, 1, &gap->upper))
		return -ERANGE;
	if (**at == '@') {
		++*at;
		ret = loom_csv_number(at, &x);
		if (ret || *(*at)++ != ':')
			return ret ? ret : -EINVAL;
		ret = loom_csv_number(at, &y);
		if (ret)
			return ret;
		if (x < 0 || y < x)
			return -EDOM;
	}
	gap->window_lower = x;
	gap->window_upper = y;
	return **at && **at != ' ' && **at != '\t' ? -EINVAL : 0;
}

static int read_gaps(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	const char *at = get_field(scan->file, LOOM_PLACE_COLUMN_GAPS);
	int64_t last = item->lower;
	struct loom_place_gap gap;
	int ret;

	while (at) {
		while (*at == ' ' || *at == '\t')
			at++;
		if (!*at)
			break;
		ret = scan_gap(&at, scan->file->inclusive, &gap);
		if (ret == -ERANGE)
			return fail_field(scan, ret, LOOM_PLACE_COLUMN_GAPS,
					  "has a number that does not fit in 63 bits");
		if (ret == -EDOM || (!ret && gap.window_upper > item->size_bytes))
			return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
					  "has a window that is not within the item");
		if (ret)
			return fail_field(scan, ret, LOOM_PLACE_COLUMN_GAPS,
					  "is not a list of gaps: a-b or a-b@x:y");
		if (gap.upper <= gap.lower)
			return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
					  "has a gap that ends before it starts");
		if (gap.lower < item->lower || gap.upper > item->upper)
			return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
					  "has a gap outside of the lifetime");
		if (gap.lower < last)
			return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
					  "has gaps that overlap or are not in order");
		last = gap.upper;
		ret = push_gap(scan, gap);
		if (ret)
			return ret;
		item->num_gaps++;
	}
	return 0;
}

static int read_offset(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	int64_t offset, hint;
	int ret;

	/* other tools write -1 for no hint */
	ret = read_optional(scan, LOOM_PLACE_COLUMN_HINT, INT64_MIN, -1, &hint);
	if (!ret)
		ret = read_optional(scan, LOOM_PLACE_COLUMN_OFFSET, 0, -1, &offset);
	if (ret)
		return ret;
	if (offset < 0)
		return 0;
	if (offset % item->align_bytes)
		return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_OFFSET,
				  "is not a multiple of the alignment");
	if (item->size_bytes > INT64_MAX - (uint64_t)offset)
		return fail_field(scan, -ERANGE, LOOM_PLACE_COLUMN_OFFSET,
				  "plus the size does not fit in 63 bits");
	item->flags |= LOOM_PLACE_FIXED;
	item->fixed = offset;
	return 0;
}

static int read_image(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	int64_t width, height, area;
	int ret;

	ret = read_optional(scan, LOOM_PLACE_COLUMN_WIDTH, 1, 0, &width);
	if (!ret)
		ret = read_optional(scan, LOOM_PLACE_COLUMN_HEIGHT, 1, 0, &height);
	if (ret)
		return ret;
	if (!width != !height)
		return loom_csv_fail(&scan->text, -EINVAL, scan->file->line,
				     "an image has a width and a height");
	if (__builtin_mul_overflow(width, height, &area))
		return fail_field(scan, -ERANGE, LOOM_PLACE_COLUMN_WIDTH,
				  "times the height does not fit in 63 bits");
	item->width = width;
	item->height = height;
	return 0;
}

int loom_place_csv_item(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_item *item = &file->items[file->num_items];
	int64_t size, align, weight;
	const char *id;
	int ret;

	memset(item, 0, sizeof(*item));
	id = get_field(file, LOOM_PLACE_COLUMN_ID);
	if (!*id)
		return fail_field(scan, -EINVAL, LOOM_PLACE_COLUMN_ID, "is no name");
	ret = read_lifetime(scan, item);
	if (!ret)
		ret = read_number(scan, LOOM_PLACE_COLUMN_SIZE, 0, &size);
	if (!ret)
		ret = read_optional(scan, LOOM_PLACE_COLUMN_ALIGNMENT, 1, 1, &align);
	if (!ret)
		ret = read_optional(scan, LOOM_PLACE_COLUMN_COST, 1, 1, &weight);
	if (ret)
		return ret;
	item->size_bytes = size;
	item->weight = weight;
	item->align_bytes = align;
	ret = read_gaps(scan, item);
	if (!ret)
		ret = read_image(scan, item);
	if (!ret)
		ret = read_offset(scan, item);
	if (ret)
		return ret;
	file->ids[file->num_items] = id;
	file->lines[file->num_items] = file->line;
	file->num_items++;
	return 0;
}
