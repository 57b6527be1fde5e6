/* SPDX-License-Identifier: MIT */
/**
 * DOC: Placements in files
 *
 * The field exchanges placement problems as MiniMalloc's CSV, and so does Loom: a line per item,
 * columns by name in any order::
 *
 *   id,lower,upper,size,alignment,gaps,offset
 *   b1,0,9,4096,64,3-5 6-7@0:1024,
 *   b2,3,9,1024,1,,8192
 *
 * - ``id`` (also ``buffer``, ``buffer_id``): any text that no other line has
 * - ``lower`` (also ``begin``, ``start``): first moment
 * - ``upper``: first moment after the lifetime; or ``end``: the last moment of it, and of gaps, too
 * - ``size``: bytes
 * - ``alignment``: the offset is a multiple of it; 1 where the column or the field is missing
 * - ``gaps``: ``a-b``, separated by spaces: moments at which the item is not alive. In the second
 *   gap above it is in part: its bytes from 0 to below 1024 are
 * - ``offset``: where the item must be; if the field is empty, anywhere. A file that was answered
 *   has an offset on every line: placing it again checks it
 * - ``pool``: names of the pools that it may be in, separated by spaces; if the field is empty,
 *   any. It means something where there are pools: ``loom place --pool``. An answer names the one
 * - ``cost``: cost of its bytes, times the cost of a byte of the pool: how often it is read and
 *   written, say. At least 1; 1 where the column or the field is missing
 * - ``width``, ``height``: of an image, in elements and rows; empty: none. Token strategies give
 *   images storages of two dimensions, and ``size`` is at least that of the elements
 * - ``class``: any text: only items with the same one share a storage of a token strategy
 * - ``hint``: an estimate of the offset, in files of newer versions; validated and carried over,
 *   but not used
 *
 * Fields may be quoted as in RFC 4180, lines may end in CRLF and may be blank. Other columns are
 * carried over to the answer, and listed in &loom_place_csv.unknown: a misspelt optional column
 * would go unnoticed otherwise.
 *
 * A text that begins with ``[`` or ``{`` is JSON: a list of objects, or an object whose member
 * ``items`` is such a list. Members have the names of the columns, and are numbers or texts::
 *
 *   {"items": [
 *     {"id": "b1", "lower": 0, "upper": 9, "size": 4096, "alignment": 64, "gaps": "3-5 6-7@0:9"},
 *     {"id": "b2", "lower": 3, "upper": 9, "size": 1024, "offset": 8192}
 *   ]}
 *
 * It becomes a CSV, each item on the line on which it begins if no other does, and is answered as
 * one.
 */
#ifndef LOOM_PLACE_FILE_H
#define LOOM_PLACE_FILE_H

#include <stdio.h>

#include "loom_error.h"
#include "loom_place.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct loom_place_csv - a problem that was read, with the line of each item
 *
 * Read only, but for loom_place_csv_free_offsets().
 *
 * @path: of the file, as in messages
 * @problem: the items in the order of their lines; without pools
 * @ids: by item
 * @lines: by item: number of its line, from 1
 * @unknown: names of columns that Loom does not know
 * @num_unknown: number of @unknown
 */
struct loom_place_csv {
	const char *path;
	struct loom_place_problem problem;
	const char *const *ids;
	const uint32_t *lines;
	const char *const *unknown;
	uint32_t num_unknown;
};

/**
 * loom_place_csv_parse() - a problem from text
 * @text: the text; need not end in a zero
 * @size_bytes: its size
 * @path: its name in messages
 * @csv: [out] the problem, destroy with loom_place_csv_destroy()
 * @err: [out] one line on failure, with the number of the line and the column; may be NULL
 *
 * Return: 0; -EINVAL for invalid text; -ERANGE for numbers and sums past 63 bits; -E2BIG; -ENOMEM.
 */
int loom_place_csv_parse(const char *text, size_t size_bytes, const char *path,
			 struct loom_place_csv **csv, struct loom_error *err);

/**
 * loom_place_csv_read() - loom_place_csv_parse() of a stream, up to its end
 * @stream: the input; stays open
 * @path: its name in messages
 * @csv: [out] the problem, destroy with loom_place_csv_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_place_csv_parse(), or -errno of reading.
 */
int loom_place_csv_read(FILE *stream, const char *path, struct loom_place_csv **csv,
			struct loom_error *err);

/**
 * loom_place_csv_load() - loom_place_csv_parse() of a file
 * @path: the file
 * @csv: [out] the problem, destroy with loom_place_csv_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_place_csv_parse(), or -errno of fopen().
 */
int loom_place_csv_load(const char *path, struct loom_place_csv **csv, struct loom_error *err);

/**
 * loom_place_csv_destroy() - frees a problem that was read
 * @csv: the problem; NULL is fine
 */
void loom_place_csv_destroy(struct loom_place_csv *csv);

/**
 * loom_place_csv_free_offsets() - ignores the offsets in a file: no item is fixed
 * @csv: the problem
 */
void loom_place_csv_free_offsets(struct loom_place_csv *csv);

/**
 * loom_place_csv_text() - a field of any column, also of one that Loom does not know
 * @csv: the problem, which owns the text
 * @item: its index
 * @column: name of the column
 *
 * Return: the text without its quotes; NULL if there is no such column.
 */
const char *loom_place_csv_text(const struct loom_place_csv *csv, uint32_t item,
				const char *column);

/**
 * loom_place_csv_set_pools() - which pools items may be in, as the column ``pool`` says
 * @csv: the problem, whose items are changed; they may be in any pool if there is no such column
 * @names: the pools
 * @num_names: number of @names, at most LOOM_PLACE_MAX_POOLS
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, or -EINVAL for a name that is none of @names, or for too many of them.
 */
int loom_place_csv_set_pools(struct loom_place_csv *csv, const char *const *names,
			     uint32_t num_names, struct loom_error *err);

/**
 * loom_place_csv_explain() - a fault of loom_place() or loom_place_check() in terms of the file
 * @csv: the file
 * @problem: the problem that they were given: the file's, with pools
 * @code: their return value
 * @fault: the fault
 * @err: [out] one line: names and lines in place of numbers of items; for a capacity that is too
 *	small by how much, and the moment of the peak
 */
void loom_place_csv_explain(const struct loom_place_csv *csv,
			    const struct loom_place_problem *problem, int code,
			    const struct loom_place_fault *fault, struct loom_error *err);

/**
 * loom_place_csv_answer() - the file with its column ``offset`` filled in
 * @csv: the file. Its columns stay as they are; a new one goes to the end
 * @offsets: by item
 * @text: [out] from malloc
 * @size_bytes: [out] its size
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_csv_answer(const struct loom_place_csv *csv, const uint64_t *offsets, char **text,
			  size_t *size_bytes);

/**
 * loom_place_csv_answer_pools() - loom_place_csv_answer(), and the column ``pool`` filled in, too
 * @csv: the file
 * @result: the placement
 * @names: names of its pools
 * @text: [out] from malloc
 * @size_bytes: [out] its size
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_csv_answer_pools(const struct loom_place_csv *csv,
				const struct loom_place_result *result, const char *const *names,
				char **text, size_t *size_bytes);

/**
 * loom_place_csv_format() - any problem as a file
 * @problem: the problem. Aliases, pools and pairs are left out, as the format has none
 * @ids: by item; ids that are not unique get a number. NULL: numbers
 * @offsets: by item; NULL: only those of fixed items
 * @text: [out] from malloc
 * @size_bytes: [out] its size
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_csv_format(const struct loom_place_problem *problem, const char *const *ids,
			  const uint64_t *offsets, char **text, size_t *size_bytes);

/**
 * struct loom_place_svg_options - texts of a picture, and which pool it shows
 * @title: of the picture, or NULL
 * @ids: by item, or NULL: numbers
 * @time: label of the time axis, such as "node"; NULL: "time"
 * @pool: the pool that is shown
 */
struct loom_place_svg_options {
	const char *title;
	const char *const *ids;
	const char *time;
	uint32_t pool;
};

/**
 * loom_place_svg() - a placement as a picture: time against address
 * @problem: the problem
 * @result: the placement; with @result->pools NULL, all in the first
 * @options: NULL: all defaults
 * @text: [out] SVG, from malloc
 * @size_bytes: [out] its size
 *
 * Above, each item is a rectangle; below are the bytes that are alive and the top of what is in
 * use, whose difference is lost to fragmentation. The same arguments give the same bytes.
 *
 * Return: 0; -EINVAL for a pool that does not exist; -ERANGE; -ENOMEM.
 */
int loom_place_svg(const struct loom_place_problem *problem, const struct loom_place_result *result,
		   const struct loom_place_svg_options *options, char **text, size_t *size_bytes);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PLACE_FILE_H */
