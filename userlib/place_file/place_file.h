/* SPDX-License-Identifier: MIT */
/*
 * DOC: Placements in files
 *
 * Placement problems and placements as files: the CSV that MiniMalloc and its kin exchange, read
 * and written, and SVG pictures, written. The interface is loom_place_file.h in include/, which
 * also says what the columns mean.
 *
 * Reading is given text, a stream or a path, and gives a &struct loom_place_problem with the names
 * and line numbers of its items, or one line that names the line and column at fault. A problem
 * that was read is complete: the numbers are in range, the lifetimes are not empty, no sum of what
 * is alive leaves 63 bits. Only what depends on a placement (fixed items that collide, a capacity)
 * is left to loom_place(), whose faults are translated back to lines. Writing is given a problem
 * and offsets, and gives text: the same file with its column "offset" filled in, or any problem as
 * a new file.
 *
 * The room stands above place/, of which it uses the public interface and the profile (bytes alive
 * by moment), and draw/. It is a room of its own so that place/ needs no file formats: a program
 * that only places tensors does not carry a parser.
 *
 * Items may come as JSON, too: they become CSV (json.c).
 *
 * Rejected: reading line by line (the answer must repeat every field as it was, so the text is
 * kept anyway), and a second reader of items for JSON.
 *
 * - csv.h: the state of a file that is being read, and what its files share
 * - csv_scan.c: lines, quoted fields and numbers
 * - csv_item.c: one line as an item: lifetime, size, gaps, offset
 * - csv.c: the header, all lines, and what concerns all items together
 * - json.h, json.c: a list of items as JSON, which becomes CSV
 * - csv_write.c: problems and answers as text, faults in terms of lines
 * - svg.h: the state of a picture
 * - svg.c: what is drawn, and the profile
 * - svg_axes.c: scales, axes, texts, key
 * - svg_items.c: items, their names and colours
 */
#ifndef LOOM_PLACE_FILE_INTERNAL_H
#define LOOM_PLACE_FILE_INTERNAL_H

#include "csv.h"
#include "svg.h"

#endif /* LOOM_PLACE_FILE_INTERNAL_H */
