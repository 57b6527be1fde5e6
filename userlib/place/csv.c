// SPDX-License-Identifier: MIT
#include "loom_core.h"
#include "csv.h"
#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Reading a file of items
 *
 * The text is copied once and cut into fields where it lies: quotes and ends of fields become
 * shorter or zeroes, never longer. Every field stays as it was, so that the answer can be the same
 * file with one column more.
 *
 * What is wrong with a line alone (a number, a lifetime, a gap) or with all of them (two with
 * one id, a sum that leaves 63 bits) is found here, because here its line and column are known.
 * What only a placement can know, fixed items that collide above all, is left to loom_place();
 * loom_place_csv_explain() puts its words back into lines.
 */

/* More is a stream that does not end rather than a problem. */
#define LOOM_PLACE_CSV_MAX_BYTES	(1ULL << 30)

static const struct {
	const char *name;
	enum loom_place_column column;
} loom_place_csv_names[] = {
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
};

/* --- the header ------------------------------------------------------------------------- */

static int loom_place_csv_name_column(struct loom_place_csv_scan *scan, uint32_t index)
{
	struct loom_place_csv_file *file = scan->file;
	char a[LOOM_PLACE_CSV_SHOWN], b[LOOM_PLACE_CSV_SHOWN];
	enum loom_place_column column;
	const char *name;
	size_t i, length;

	name = loom_place_csv_trim(file->header[index], &length);
	for (i = 0; i < ARRAY_SIZE(loom_place_csv_names); i++)
		if (strlen(loom_place_csv_names[i].name) == length &&
		    !memcmp(loom_place_csv_names[i].name, name, length))
			break;
	if (i == ARRAY_SIZE(loom_place_csv_names)) {
		file->unknown[file->view.num_unknown++] = file->header[index];
		return 0;
	}
	column = loom_place_csv_names[i].column;
	if (file->columns[column] >= 0)
		return loom_place_csv_fail(scan, -EINVAL, file->line,
					   "columns '%s' and '%s' are the same one twice",
			loom_place_csv_show(a, file->header[file->columns[column]]),
			loom_place_csv_show(b, name));
	file->columns[column] = index;
	if (!strcmp(loom_place_csv_names[i].name, "end"))
		file->inclusive = true;
	return 0;
}

static int loom_place_csv_cut_header(struct loom_place_csv_scan *scan)
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
				return loom_place_csv_no_memory(scan);
			file->header = grown;
		}
		ret = loom_place_csv_field(scan, &file->header[file->num_columns], &more);
		if (ret)
			return ret;
		file->num_columns++;
	}
	return 0;
}

static int loom_place_csv_header(struct loom_place_csv_scan *scan)
{
	static const char *const required[] = { "id", "lower", "upper", "size" };
	struct loom_place_csv_file *file = scan->file;
	char *newline;
	uint32_t i;
	int ret;

	if (!loom_place_csv_skip_blank(scan))
		return loom_place_csv_fail(scan, -EINVAL, 0,
					   "is empty; its first line should be id,lower,upper,size");
	file->line = scan->line;
	newline = memchr(scan->at, '\n', scan->end - scan->at);
	file->crlf = newline && newline > scan->at && newline[-1] == '\r';
	ret = loom_place_csv_cut_header(scan);
	if (ret)
		return ret;
	file->unknown = calloc(file->num_columns, sizeof(*file->unknown));
	if (!file->unknown)
		return loom_place_csv_no_memory(scan);
	for (i = 0; i < LOOM_PLACE_COLUMN_COUNT; i++)
		file->columns[i] = -1;
	for (i = 0; i < file->num_columns; i++) {
		ret = loom_place_csv_name_column(scan, i);
		if (ret)
			return ret;
	}
	for (i = 0; i <= LOOM_PLACE_COLUMN_SIZE; i++)
		if (file->columns[i] < 0)
			return loom_place_csv_fail(scan, -EINVAL, file->line,
						   "there is no column '%s'", required[i]);
	return 0;
}

/* --- fields of the item that is being read ------------------------------------------------- */

static const char *loom_place_csv_column(const struct loom_place_csv_file *file,
					 enum loom_place_column column)
{
	return file->header[file->columns[column]];
}

/* The field of the item that is being read, or NULL where the file has no such column. */
static const char *loom_place_csv_get(const struct loom_place_csv_file *file,
				      enum loom_place_column column)
{
	if (file->columns[column] < 0)
		return NULL;
	return file->fields[(size_t)file->num_items * file->num_columns + file->columns[column]];
}

/* Says that the field under @column is not what it should be. */
static int loom_place_csv_bad(struct loom_place_csv_scan *scan, int code,
			      enum loom_place_column column, const char *what)
{
	char name[LOOM_PLACE_CSV_SHOWN], field[LOOM_PLACE_CSV_SHOWN];

	loom_place_csv_show(name, loom_place_csv_column(scan->file, column));
	loom_place_csv_show(field, loom_place_csv_get(scan->file, column));
	return loom_place_csv_fail(scan, code, scan->file->line, "column '%s': '%s' %s", name,
				   field, what);
}

/* A number of at least @min, which has to be there. */
static int loom_place_csv_number(struct loom_place_csv_scan *scan, enum loom_place_column column,
				 int64_t min, int64_t *value)
{
	const char *field, *at;
	size_t length;
	int ret;

	field = loom_place_csv_trim(loom_place_csv_get(scan->file, column), &length);
	at = field;
	ret = loom_place_csv_scan_number(&at, value);
	if (ret == -ERANGE)
		return loom_place_csv_bad(scan, ret, column, "does not fit in 63 bits");
	if (ret || at != field + length)
		return loom_place_csv_bad(scan, -EINVAL, column, "is not a whole number");
	if (*value < min)
		return loom_place_csv_bad(scan, -EINVAL, column,
					  min ? "is not at least 1" : "is negative");
	return 0;
}

/* The same where neither the column nor the field has to be there. */
static int loom_place_csv_optional(struct loom_place_csv_scan *scan, enum loom_place_column column,
				   int64_t min, int64_t fallback, int64_t *value)
{
	const char *field = loom_place_csv_get(scan->file, column);
	size_t length = 0;

	*value = fallback;
	if (field)
		loom_place_csv_trim(field, &length);
	return length ? loom_place_csv_number(scan, column, min, value) : 0;
}

/* --- items ------------------------------------------------------------------------------ */

static int loom_place_csv_lifetime(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	struct loom_place_csv_file *file = scan->file;
	char id[LOOM_PLACE_CSV_SHOWN], a[LOOM_PLACE_CSV_SHOWN], b[LOOM_PLACE_CSV_SHOWN];
	int ret;

	ret = loom_place_csv_number(scan, LOOM_PLACE_COLUMN_LOWER, INT64_MIN, &item->lower);
	if (!ret)
		ret = loom_place_csv_number(scan, LOOM_PLACE_COLUMN_UPPER, INT64_MIN, &item->upper);
	if (ret)
		return ret;
	if (file->inclusive && __builtin_add_overflow(item->upper, 1, &item->upper))
		return loom_place_csv_bad(scan, -ERANGE, LOOM_PLACE_COLUMN_UPPER,
					  "does not fit in 63 bits");
	if (item->upper > item->lower)
		return 0;
	loom_place_csv_show(id, loom_place_csv_get(file, LOOM_PLACE_COLUMN_ID));
	loom_place_csv_show(a, loom_place_csv_column(file, LOOM_PLACE_COLUMN_UPPER));
	loom_place_csv_show(b, loom_place_csv_column(file, LOOM_PLACE_COLUMN_LOWER));
	return loom_place_csv_fail(scan, -EINVAL, file->line,
				   "the lifetime of '%s' %s: '%s' is %lld, '%s' is %lld", id,
				   item->upper == item->lower && !file->inclusive ? "is empty" :
				   "ends before it starts", a,
				   (long long)item->upper - file->inclusive, b,
				   (long long)item->lower);
}

static int loom_place_csv_push_gap(struct loom_place_csv_scan *scan, struct loom_place_gap gap)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_gap *grown;

	if (file->num_gaps == file->gap_room) {
		const size_t room = file->gap_room ? 2 * file->gap_room : 16;

		grown = realloc(file->gaps, room * sizeof(*grown));
		if (!grown)
			return loom_place_csv_no_memory(scan);
		file->gaps = grown;
		file->gap_room = room;
	}
	file->gaps[file->num_gaps++] = gap;
	return 0;
}

/* a-b or a-b@x:y at *@at, which moves behind it. */
static int loom_place_csv_scan_gap(const char **at, bool inclusive, struct loom_place_gap *gap)
{
	int64_t x = 0, y = 0;
	int ret;

	ret = loom_place_csv_scan_number(at, &gap->lower);
	if (ret || *(*at)++ != '-')
		return ret ? ret : -EINVAL;
	ret = loom_place_csv_scan_number(at, &gap->upper);
	if (ret)
		return ret;
	if (inclusive && __builtin_add_overflow(gap->upper, 1, &gap->upper))
		return -ERANGE;
	if (**at == '@') {
		++*at;
		ret = loom_place_csv_scan_number(at, &x);
		if (ret || *(*at)++ != ':')
			return ret ? ret : -EINVAL;
		ret = loom_place_csv_scan_number(at, &y);
		if (ret)
			return ret;
		if (x < 0 || y < x)
			return -EDOM;
	}
	gap->window_lower = x;
	gap->window_upper = y;
	return **at && **at != ' ' && **at != '\t' ? -EINVAL : 0;
}

static int loom_place_csv_gaps(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	const char *at = loom_place_csv_get(scan->file, LOOM_PLACE_COLUMN_GAPS);
	int64_t last = item->lower;
	struct loom_place_gap gap;
	int ret;

	while (at) {
		while (*at == ' ' || *at == '\t')
			at++;
		if (!*at)
			break;
		ret = loom_place_csv_scan_gap(&at, scan->file->inclusive, &gap);
		if (ret == -ERANGE)
			return loom_place_csv_bad(scan, ret, LOOM_PLACE_COLUMN_GAPS,
						  "has a number that does not fit in 63 bits");
		if (ret == -EDOM || (!ret && gap.window_upper > item->size_bytes))
			return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
						  "has a window that is not within the item");
		if (ret)
			return loom_place_csv_bad(scan, ret, LOOM_PLACE_COLUMN_GAPS,
						  "is not a list of gaps: a-b or a-b@x:y");
		if (gap.upper <= gap.lower)
			return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
						  "has a gap that ends before it starts");
		if (gap.lower < item->lower || gap.upper > item->upper)
			return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
						  "has a gap outside of the lifetime");
		if (gap.lower < last)
			return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_GAPS,
						  "has gaps that overlap or are not in order");
		last = gap.upper;
		ret = loom_place_csv_push_gap(scan, gap);
		if (ret)
			return ret;
		item->num_gaps++;
	}
	return 0;
}

static int loom_place_csv_offset(struct loom_place_csv_scan *scan, struct loom_place_item *item)
{
	int64_t offset, hint;
	int ret;

	/* -1 is how others write that there is no hint */
	ret = loom_place_csv_optional(scan, LOOM_PLACE_COLUMN_HINT, INT64_MIN, -1, &hint);
	if (!ret)
		ret = loom_place_csv_optional(scan, LOOM_PLACE_COLUMN_OFFSET, 0, -1, &offset);
	if (ret)
		return ret;
	item->fixed = LOOM_PLACE_ANYWHERE;
	if (offset < 0)
		return 0;
	if (offset % item->align_bytes)
		return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_OFFSET,
					  "is not a multiple of the alignment");
	if (item->size_bytes > INT64_MAX - (uint64_t)offset)
		return loom_place_csv_bad(scan, -ERANGE, LOOM_PLACE_COLUMN_OFFSET,
					  "plus the size does not fit in 63 bits");
	item->fixed = offset;
	return 0;
}

static int loom_place_csv_item(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_item *item = &file->items[file->num_items];
	int64_t size, align;
	const char *id;
	int ret;

	memset(item, 0, sizeof(*item));
	item->alias = LOOM_PLACE_NONE;
	id = loom_place_csv_get(file, LOOM_PLACE_COLUMN_ID);
	if (!*id)
		return loom_place_csv_bad(scan, -EINVAL, LOOM_PLACE_COLUMN_ID, "is no name");
	ret = loom_place_csv_lifetime(scan, item);
	if (!ret)
		ret = loom_place_csv_number(scan, LOOM_PLACE_COLUMN_SIZE, 0, &size);
	if (!ret)
		ret = loom_place_csv_optional(scan, LOOM_PLACE_COLUMN_ALIGNMENT, 1, 1, &align);
	if (ret)
		return ret;
	item->size_bytes = size;
	item->align_bytes = align;
	ret = loom_place_csv_gaps(scan, item);
	if (!ret)
		ret = loom_place_csv_offset(scan, item);
	if (ret)
		return ret;
	file->ids[file->num_items] = id;
	file->lines[file->num_items] = file->line;
	file->num_items++;
	return 0;
}

static int loom_place_csv_grow(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	const uint32_t room = file->room ? 2 * file->room : 4;
	const size_t row_bytes = file->num_columns * sizeof(*file->fields);
	void *grown;

	if (file->room > UINT32_MAX / 4 || room > SIZE_MAX / row_bytes)
		return loom_place_csv_fail(scan, -E2BIG, file->line, "there are too many items");
	grown = realloc(file->fields, room * row_bytes);
	if (!grown)
		return loom_place_csv_no_memory(scan);
	file->fields = grown;
	grown = realloc(file->items, room * sizeof(*file->items));
	if (!grown)
		return loom_place_csv_no_memory(scan);
	file->items = grown;
	grown = realloc(file->ids, room * sizeof(*file->ids));
	if (!grown)
		return loom_place_csv_no_memory(scan);
	file->ids = grown;
	grown = realloc(file->lines, room * sizeof(*file->lines));
	if (!grown)
		return loom_place_csv_no_memory(scan);
	file->lines = grown;
	file->room = room;
	return 0;
}

static int loom_place_csv_rows(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	char *field, **row;
	uint32_t count;
	bool more;
	int ret;

	while (loom_place_csv_skip_blank(scan)) {
		file->line = scan->line;
		if (file->num_items == file->room) {
			ret = loom_place_csv_grow(scan);
			if (ret)
				return ret;
		}
		row = file->fields + (size_t)file->num_items * file->num_columns;
		for (count = 0, more = true; more; count++) {
			ret = loom_place_csv_field(scan, &field, &more);
			if (ret)
				return ret;
			if (count < file->num_columns)
				row[count] = field;
		}
		if (count != file->num_columns)
			return loom_place_csv_fail(scan, -EINVAL, file->line,
						   "there are %u fields under %u columns", count,
						   file->num_columns);
		ret = loom_place_csv_item(scan);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- all items together ----------------------------------------------------------------- */

static int loom_place_csv_compare_ids(const void *a, const void *b, void *arg)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct loom_place_csv_file *file = arg;
	const int order = strcmp(file->ids[x], file->ids[y]);

	return order ? order : (x > y) - (x < y);
}

static int loom_place_csv_check_ids(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	uint32_t i, first = 0, second = LOOM_PLACE_NONE;
	char id[LOOM_PLACE_CSV_SHOWN];
	uint32_t *order;

	order = calloc(file->num_items + 1ULL, sizeof(*order));
	if (!order)
		return loom_place_csv_no_memory(scan);
	for (i = 0; i < file->num_items; i++)
		order[i] = i;
	qsort_r(order, file->num_items, sizeof(*order), loom_place_csv_compare_ids, file);
	for (i = 1; i < file->num_items; i++) {
		if (order[i] < second && !strcmp(file->ids[order[i - 1]], file->ids[order[i]])) {
			first = order[i - 1];
			second = order[i];
		}
	}
	free(order);
	if (second == LOOM_PLACE_NONE)
		return 0;
	return loom_place_csv_fail(scan, -EINVAL, file->lines[second],
				   "the id '%s' is that of line %u",
				   loom_place_csv_show(id, file->ids[second]), file->lines[first]);
}

static int loom_place_csv_check_sums(struct loom_place_csv_scan *scan)
{
	struct loom_place_csv_file *file = scan->file;
	struct loom_place_profile profile;
	struct loom_place_part *parts;
	char id[LOOM_PLACE_CSV_SHOWN];
	size_t num_parts;
	uint32_t culprit;
	int ret;

	ret = loom_place_parts(&file->view.problem, &parts, &num_parts);
	if (ret)
		return loom_place_csv_no_memory(scan);
	ret = loom_place_profile_make(&profile, parts, num_parts, &culprit);
	free(parts);
	loom_place_profile_clear(&profile);
	if (ret == -ERANGE)
		return loom_place_csv_fail(scan, ret, file->lines[culprit],
					   "with '%s' the sum of what is alive does not fit in 63 bits",
			loom_place_csv_show(id, file->ids[culprit]));
	return ret ? loom_place_csv_no_memory(scan) : 0;
}

static void loom_place_csv_publish(struct loom_place_csv_file *file)
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

static int loom_place_csv_scan_all(struct loom_place_csv_scan *scan, size_t size_bytes)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at, *zero;
	uint32_t line = 1;
	int ret;

	zero = memchr(scan->at, '\0', size_bytes);
	if (zero) {
		for (at = scan->at; at < zero; at++)
			line += *at == '\n';
		return loom_place_csv_fail(scan, -EINVAL, line,
					   "there is a zero byte: this is no text");
	}
	if (size_bytes >= 3 && !memcmp(scan->at, mark, 3))
		scan->at += 3;
	ret = loom_place_csv_header(scan);
	if (!ret)
		ret = loom_place_csv_rows(scan);
	if (ret)
		return ret;
	loom_place_csv_publish(scan->file);
	ret = loom_place_csv_check_ids(scan);
	return ret ? ret : loom_place_csv_check_sums(scan);
}

/* Takes over @text, which has room for one byte more. */
static int loom_place_csv_adopt(char *text, size_t size_bytes, const char *path,
				struct loom_place_csv **csv, struct loom_error *err)
{
	struct loom_place_csv_scan scan = {
		.path = path, .at = text, .line = 1, .err = err,
	};
	struct loom_place_csv_file *file;
	int ret;

	*csv = NULL;
	file = calloc(1, sizeof(*file));
	if (file)
		file->path = strdup(path);
	if (!file || !file->path) {
		free(file);
		free(text);
		if (err)
			snprintf(err->text, sizeof(err->text), "%.180s: no memory", path);
		return -ENOMEM;
	}
	file->text = text;
	text[size_bytes] = '\0';
	scan.file = file;
	scan.end = text + size_bytes;
	if (size_bytes > LOOM_PLACE_CSV_MAX_BYTES)
		ret = loom_place_csv_fail(&scan, -E2BIG, 0, "is larger than %llu MiB",
					  LOOM_PLACE_CSV_MAX_BYTES >> 20);
	else
		ret = loom_place_csv_scan_all(&scan, size_bytes);
	if (ret)
		loom_place_csv_destroy(&file->view);
	else
		*csv = &file->view;
	return ret;
}

int loom_place_csv_parse(const char *text, size_t size_bytes, const char *path,
			 struct loom_place_csv **csv, struct loom_error *err)
{
	const int saved = errno;
	char *copy = size_bytes < SIZE_MAX ? malloc(size_bytes + 1) : NULL;
	int ret;

	*csv = NULL;
	if (!copy) {
		if (err)
			snprintf(err->text, sizeof(err->text), "%.180s: no memory", path);
		errno = saved;
		return -ENOMEM;
	}
	if (size_bytes)
		memcpy(copy, text, size_bytes);
	ret = loom_place_csv_adopt(copy, size_bytes, path, csv, err);
	errno = saved;
	return ret;
}

/* All that @stream still has, up to a byte more than a file may have. */
static int loom_place_csv_slurp(FILE *stream, char **text, size_t *size_bytes)
{
	size_t room = 0, size = 0, got;
	char *grown;

	*text = NULL;
	do {
		if (size + 1 >= room) {
			room = room ? 2 * room : 65536;
			grown = realloc(*text, room);
			if (!grown)
				return -ENOMEM;
			*text = grown;
		}
		errno = 0;
		got = fread(*text + size, 1, room - size - 1, stream);
		size += got;
	} while (got && size <= LOOM_PLACE_CSV_MAX_BYTES);
	*size_bytes = size;
	if (ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}

int loom_place_csv_read(FILE *stream, const char *path, struct loom_place_csv **csv,
			struct loom_error *err)
{
	const int saved = errno;
	size_t size_bytes;
	char *text;
	int ret;

	*csv = NULL;
	ret = loom_place_csv_slurp(stream, &text, &size_bytes);
	if (ret) {
		free(text);
		if (err)
			snprintf(err->text, sizeof(err->text), "%.180s: cannot be read: %s", path,
				 strerror(-ret));
	} else {
		ret = loom_place_csv_adopt(text, size_bytes, path, csv, err);
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
		ret = -errno;
		if (err)
			snprintf(err->text, sizeof(err->text), "%.180s: %s", path, strerror(errno));
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

void loom_place_csv_free_offsets(struct loom_place_csv *csv)
{
	struct loom_place_csv_file *file = (struct loom_place_csv_file *)csv;
	uint32_t i;

	for (i = 0; i < file->num_items; i++)
		file->items[i].fixed = LOOM_PLACE_ANYWHERE;
}
