/* SPDX-License-Identifier: MIT */
/*
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
 * - ``upper``: first moment after the last; or ``end``: the last, and so in the gaps
 * - ``size``: bytes
 * - ``alignment``: the offset is a multiple of it; 1 where the column or the field is missing
 * - ``gaps``: ``a-b`` with spaces between: moments at which the item is not there; ``a-b@x:y``:
 *   only its bytes from x to below y are
 * - ``offset``: where the item has to be; where the field is empty it is free. A file that was
 *   answered, with an offset on every line, is checked by placing it again
 * - ``hint``: a guess at the offset, from newer versions; read, checked and carried over, but the
 *   search needs none
 *
 * Fields may be quoted as in RFC 4180, lines may end in CRLF and may be blank. Other columns are
 * carried over to the answer, and named in &loom_place_csv.unknown: a typing error in a column
 * that may be missing would else go unseen.
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
 * struct loom_place_csv - a problem that was read, and where each item stands
 *
 * Read only, but for loom_place_csv_free_offsets().
 *
 * @path: of the file, as in messages
 * @problem: the items in the order of their lines; without pools
 * @ids: by item
 * @lines: by item: number of its line, from 1
 * @unknown: names of columns that mean nothing to Loom
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
 * @path: what messages call it
 * @csv: [out] the problem, destroy with loom_place_csv_destroy()
 * @err: [out] one line on failure, with the number of the line and the column; may be NULL
 *
 * Return: 0; -EINVAL for what is wrong; -ERANGE for numbers and sums past 63 bits; -E2BIG; -ENOMEM.
 */
int loom_place_csv_parse(const char *text, size_t size_bytes, const char *path,
			 struct loom_place_csv **csv, struct loom_error *err);
/** loom_place_csv_read() - the same from a stream, up to its end; also -errno of reading */
int loom_place_csv_read(FILE *stream, const char *path, struct loom_place_csv **csv,
			struct loom_error *err);
/** loom_place_csv_load() - the same from the file @path; also what fopen() said */
int loom_place_csv_load(const char *path, struct loom_place_csv **csv, struct loom_error *err);
/** loom_place_csv_destroy() - frees a problem that was read; NULL is fine */
void loom_place_csv_destroy(struct loom_place_csv *csv);
/** loom_place_csv_free_offsets() - forgets the offsets that the file asks for */
void loom_place_csv_free_offsets(struct loom_place_csv *csv);

/**
 * loom_place_csv_explain() - what loom_place() or loom_place_check() said, in terms of the file
 * @csv: the file
 * @problem: what was given to them: the file's, with pools
 * @code: what they returned
 * @fault: what they left
 * @err: [out] one line: the file's lines in place of items, and for a capacity that is too small by
 *	how much, and when
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
 * loom_place_csv_format() - any problem as a file
 * @problem: the problem. What the file knows nothing of (aliases, pools, pairs) is left out
 * @ids: by item; what is not unique gets a number. NULL: numbers
 * @offsets: by item; NULL: those that are fixed
 * @text: [out] from malloc
 * @size_bytes: [out] its size
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_csv_format(const struct loom_place_problem *problem, const char *const *ids,
			  const uint64_t *offsets, char **text, size_t *size_bytes);

/**
 * struct loom_place_svg_options - what is said in a picture
 * @title: of the picture, or NULL
 * @ids: by item, or NULL: numbers
 * @time: what a moment is, "node" for one; NULL: "time"
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
 * @problem: what was placed
 * @result: where; with @result->pools NULL, all in the first
 * @options: NULL: all defaults
 * @text: [out] SVG, from malloc
 * @size_bytes: [out] its size
 *
 * Above, each item is a rectangle; below, the bytes that are alive are shown beside the top of
 * what is in use, so that what lies between the two is lost to fragmentation. The same arguments
 * give the same bytes.
 *
 * Return: 0; -EINVAL for a pool that there is not; -ERANGE; -ENOMEM.
 */
int loom_place_svg(const struct loom_place_problem *problem, const struct loom_place_result *result,
		   const struct loom_place_svg_options *options, char **text, size_t *size_bytes);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PLACE_FILE_H */
