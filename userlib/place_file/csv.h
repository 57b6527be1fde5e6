/* SPDX-License-Identifier: MIT */
/* Shared by the files that read and write CSV. See csv.c for the names of the columns. */
#ifndef LOOM_PLACE_CSV_H
#define LOOM_PLACE_CSV_H

#include "base/csv.h"
#include "loom_place_file.h"

/**
 * enum loom_place_column - meaning of a column
 * @LOOM_PLACE_COLUMN_ID: name of the item
 * @LOOM_PLACE_COLUMN_LOWER: begin of its lifetime
 * @LOOM_PLACE_COLUMN_UPPER: end of its lifetime
 * @LOOM_PLACE_COLUMN_SIZE: bytes; this column and those before are mandatory
 * @LOOM_PLACE_COLUMN_ALIGNMENT: of the offset
 * @LOOM_PLACE_COLUMN_GAPS: in the lifetime
 * @LOOM_PLACE_COLUMN_HINT: an estimate of the offset
 * @LOOM_PLACE_COLUMN_OFFSET: the offset
 * @LOOM_PLACE_COLUMN_POOL: names of the pools that it may be in
 * @LOOM_PLACE_COLUMN_COST: cost of a byte, multiplied by the cost of the pool
 * @LOOM_PLACE_COLUMN_WIDTH: of an image, in elements
 * @LOOM_PLACE_COLUMN_HEIGHT: of an image, in rows
 * @LOOM_PLACE_COLUMN_CLASS: name of the class of storages
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
	LOOM_PLACE_COLUMN_POOL,
	LOOM_PLACE_COLUMN_COST,
	LOOM_PLACE_COLUMN_WIDTH,
	LOOM_PLACE_COLUMN_HEIGHT,
	LOOM_PLACE_COLUMN_CLASS,
	LOOM_PLACE_COLUMN_COUNT,
};

/**
 * struct loom_place_csv_file - a &struct loom_place_csv and the memory it owns
 * @view: the public part; first, as the two are cast to one another
 * @path: of the file
 * @text: a copy of it; all fields point into it
 * @header: names of the columns, as in the file
 * @num_columns: number of @header
 * @columns: by meaning: index of the column, or -1
 * @fields: by item, then by column
 * @items: by item
 * @num_items: number of @items
 * @room: capacity of the arrays, in items
 * @gaps: of all items, one after the other
 * @num_gaps: number of @gaps
 * @gap_room: capacity of @gaps
 * @ids: by item
 * @lines: by item
 * @unknown: names of columns without a meaning
 * @line: number of the line that is being read, for messages
 * @inclusive: lifetimes and gaps name their last moment (column "end"), not the one after it
 * @crlf: lines end in CRLF
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
 * struct loom_place_csv_scan - a file that is read
 * @text: position in its text
 * @file: the file
 */
struct loom_place_csv_scan {
	struct loom_csv_scan text;
	struct loom_place_csv_file *file;
};

/** loom_place_csv_item() - adds the current fields as an item; 0 or -errno */
int loom_place_csv_item(struct loom_place_csv_scan *scan);

#endif /* LOOM_PLACE_CSV_H */
