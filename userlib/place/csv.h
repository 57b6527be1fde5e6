/* SPDX-License-Identifier: MIT */
#ifndef LOOM_PLACE_CSV_H
#define LOOM_PLACE_CSV_H

#include "loom_place_file.h"

/**
 * enum loom_place_column - what a column means
 * @LOOM_PLACE_COLUMN_ID: name of the item
 * @LOOM_PLACE_COLUMN_LOWER: begin of its lifetime
 * @LOOM_PLACE_COLUMN_UPPER: end of its lifetime
 * @LOOM_PLACE_COLUMN_SIZE: bytes; it and those before are in every file
 * @LOOM_PLACE_COLUMN_ALIGNMENT: of the offset
 * @LOOM_PLACE_COLUMN_GAPS: in the lifetime
 * @LOOM_PLACE_COLUMN_HINT: a guess at the offset
 * @LOOM_PLACE_COLUMN_OFFSET: the offset
 * @LOOM_PLACE_COLUMN_COUNT: number of columns with a meaning
 */
enum loom_place_column {
	LOOM_PLACE_COLUMN_ID,
	LOOM_PLACE_COLUMN_LOWER,
	LOOM_PLACE_COLUMN_UPPER,
	LOOM_PLACE_COLUMN_SIZE,
	LOOM_PLACE_COLUMN_ALIGNMENT,
	LOOM_PLACE_COLUMN_GAPS,
	LOOM_PLACE_COLUMN_HINT,
	LOOM_PLACE_COLUMN_OFFSET,
	LOOM_PLACE_COLUMN_COUNT,
};

/**
 * struct loom_place_csv_file - a &struct loom_place_csv, and what it owns
 * @view: what others see
 * @path: of the file
 * @text: a copy of it, which all fields lie in
 * @header: names of the columns, as in the file
 * @num_columns: number of @header
 * @columns: by meaning: index of the column, or -1
 * @fields: by item, then by column
 * @items: by item
 * @num_items: number of @items
 * @room: that there is room for
 * @gaps: of all items, one after the other
 * @num_gaps: number of @gaps
 * @gap_room: that there is room for
 * @ids: by item
 * @lines: by item
 * @unknown: names of columns without a meaning
 * @line: of the file that is being read, for messages
 * @inclusive: lifetimes and gaps name their last moment: column "end"
 * @crlf: lines end so
 */
struct loom_place_csv_file {
	struct loom_place_csv view;
	char *path;
	char *text;
	char **header;
	uint32_t num_columns;
	int64_t columns[LOOM_PLACE_COLUMN_COUNT];
	char **fields;
	struct loom_place_item *items;
	uint32_t num_items;
	uint32_t room;
	struct loom_place_gap *gaps;
	size_t num_gaps;
	size_t gap_room;
	const char **ids;
	uint32_t *lines;
	const char **unknown;
	uint32_t line;
	bool inclusive;
	bool crlf;
};

/**
 * struct loom_place_csv_scan - where in the text
 * @path: of the file, for messages
 * @file: whose text
 * @at: next byte
 * @end: behind the last; a zero may be put there
 * @line: number of the line that @at is in
 * @err: for messages
 */
struct loom_place_csv_scan {
	const char *path;
	struct loom_place_csv_file *file;
	char *at;
	char *end;
	uint32_t line;
	struct loom_error *err;
};

/* enough for loom_place_csv_show() */
#define LOOM_PLACE_CSV_SHOWN	48

/** loom_place_csv_show() - @field as a message can have it: on one line, and not too long */
const char *loom_place_csv_show(char shown[LOOM_PLACE_CSV_SHOWN], const char *field);
/** loom_place_csv_fail() - leaves a message about @line, or all if it is 0; returns @code */
int loom_place_csv_fail(struct loom_place_csv_scan *scan, int code, uint32_t line,
			const char *format, ...) __attribute__((format(printf, 4, 5)));
/** loom_place_csv_no_memory() - the same for that; returns -ENOMEM */
int loom_place_csv_no_memory(struct loom_place_csv_scan *scan);

/** loom_place_csv_skip_blank() - skips lines with nothing on them; false at the end of the text */
bool loom_place_csv_skip_blank(struct loom_place_csv_scan *scan);
/** loom_place_csv_field() - cuts one field out; @more says that another follows on the line */
int loom_place_csv_field(struct loom_place_csv_scan *scan, char **field, bool *more);
/** loom_place_csv_trim() - @text without blanks: where it begins, and its @length */
const char *loom_place_csv_trim(const char *text, size_t *length);
/** loom_place_csv_scan_number() - a number at *@at, which moves behind; -EINVAL or -ERANGE */
int loom_place_csv_scan_number(const char **at, int64_t *value);

#endif /* LOOM_PLACE_CSV_H */
