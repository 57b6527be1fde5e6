/* SPDX-License-Identifier: MIT */
/*
 * DOC: Placements in files
 *
 * Placement problems and placements as files: the CSV format of MiniMalloc and compatible tools,
 * read and written, and SVG pictures, written. The interface is loom_place_file.h in include/,
 * which also defines the columns.
 *
 * Reading accepts a text, a stream or a path. It returns a &struct loom_place_problem with the
 * names and line numbers of its items, or a message of one line that names the line and column at
 * fault. Invariants of a problem that was read: numbers are in range, lifetimes are not empty, and
 * no sum of bytes alive leaves 63 bits. Faults that depend on a placement (fixed items that
 * collide, a capacity) are found by loom_place() and translated back to lines. Writing accepts a
 * problem and offsets, and writes the same file with its column "offset" filled in, or any problem
 * as a new file.
 *
 * The folder depends on place/, of which it uses the public interface and the profile (bytes alive
 * by moment), and on draw/. It is separate so that place/ needs no file formats: a program that
 * only places tensors does not contain a parser.
 *
 * Items in JSON are converted to CSV (json.c).
 *
 * Rejected: reading line by line (the result must repeat every field unchanged, so the text is kept
 * anyway), and a second reader of items for JSON.
 *
 * - csv.h: state of a file that is being read, shared by the CSV files
 * - csv_scan.c: lines, quoted fields and numbers
 * - csv_item.c: one line as an item: lifetime, size, gaps, offset
 * - csv.c: the header, all lines, and checks of all items together
 * - json.h, json.c: a list of items as JSON, which becomes CSV
 * - csv_write.c: problems and answers as text, faults in terms of lines
 * - svg.h: the state of a picture
 * - svg.c: the order of drawing, and the profile
 * - svg_axes.c: scales, axes, texts, key
 * - svg_items.c: items, their names and colours
 */
#ifndef LOOM_PLACE_FILE_INTERNAL_H
#define LOOM_PLACE_FILE_INTERNAL_H

#include "csv.h"
#include "svg.h"

#endif /* LOOM_PLACE_FILE_INTERNAL_H */
