/* SPDX-License-Identifier: MIT */
/*
 * DOC: Drawing
 *
 * Shared parts of all pictures of Loom: lengths, texts, rectangles and names in SVG. Each function
 * writes one piece of markup to a stream; the owner of the stream must check it for errors once, at
 * the end. Pictures are drawn where their subject is known: placements in place_file/, plans in
 * plan/.
 *
 * The same picture has the same bytes on every machine: lengths are integers, hundredths of a
 * pixel, so neither floating point nor the locale matters. Widths of texts are estimated from the
 * number of characters, because fonts differ between renderers.
 *
 * Rejected: a drawing library (a dependency for eight functions), and raster images (a plan has
 * thousands of rectangles, whose names and sizes appear under the pointer).
 *
 * All code is in draw.c and depends on libc only.
 */
#ifndef LOOM_DRAW_H
#define LOOM_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** LOOM_DRAW_PX - a pixel, in the unit of all lengths: hundredths of a pixel */
#define LOOM_DRAW_PX		100

/** LOOM_DRAW_BYTES - size of the buffer of loom_draw_bytes() */
#define LOOM_DRAW_BYTES		32

/** loom_draw_length() - writes a length: "12.5" */
void loom_draw_length(FILE *out, int64_t length);
/** loom_draw_attribute() - writes an attribute: ' name="12.5"' */
void loom_draw_attribute(FILE *out, const char *name, int64_t length);
/** loom_draw_escape() - writes text escaped for XML; invalid UTF-8 is replaced */
void loom_draw_escape(FILE *out, const char *text, size_t size_bytes);
/** loom_draw_json() - writes text escaped as a JSON string; invalid UTF-8 is replaced */
void loom_draw_json(FILE *out, const char *text, size_t size_bytes);
/** loom_draw_count() - number of characters that loom_draw_escape() writes for the same text */
size_t loom_draw_count(const char *text, size_t size_bytes);
/** loom_draw_skip() - position in the text after its first @count characters */
const char *loom_draw_skip(const char *text, size_t size_bytes, size_t count);
/** loom_draw_bytes() - "1.5 MiB", with up to three decimals, into @text; returns it */
const char *loom_draw_bytes(char text[LOOM_DRAW_BYTES], uint64_t bytes);
/** loom_draw_address() - the label of address @at on an axis with a mark every @step bytes */
const char *loom_draw_address(char text[LOOM_DRAW_BYTES], uint64_t at, uint64_t step);
/** loom_draw_step() - distance of at most @most marks up to @span: 1, 2, 5 times ten to a power */
uint64_t loom_draw_step(uint64_t span, unsigned int most);
/** loom_draw_step_bytes() - the same for bytes: powers of two from 1 KiB up */
uint64_t loom_draw_step_bytes(uint64_t span, unsigned int most);

/**
 * struct loom_draw_box - a rectangle on the paper, y growing downwards
 * @x: left edge
 * @y: upper edge
 * @width: of the rectangle
 * @height: of the rectangle
 */
struct loom_draw_box {
	int64_t x;
	int64_t y;
	int64_t width;
	int64_t height;
};

/**
 * loom_draw_open() - begins a picture: its size, its style sheet, a white background
 * @out: the stream
 * @width: of the picture
 * @height: of the picture
 * @style: lines of the style sheet
 * @num_lines: number of @style
 */
void loom_draw_open(FILE *out, int64_t width, int64_t height, const char *const *style,
		    size_t num_lines);
/** loom_draw_rect() - begins a rectangle, left open for a title; @class may be "", @fill NULL */
void loom_draw_rect(FILE *out, const char *class, const char *fill,
		    const struct loom_draw_box *box);
/** loom_draw_text() - writes a text at a point of its base line */
void loom_draw_text(FILE *out, const char *class, int64_t x, int64_t y, const char *text);

/**
 * struct loom_draw_label - the part of a name that fits in a rectangle
 * @text: its first byte
 * @size_bytes: its size
 * @cut: it is the end of the name, to be shown behind an ellipsis
 * @font: height of its letters
 */
struct loom_draw_label {
	const char *text;
	size_t size_bytes;
	bool cut;
	int64_t font;
};

/**
 * loom_draw_label_fit() - fit @name, or the part behind its last slash, or its end
 * @label: [out] the label
 * @name: the name
 * @along: room in the direction of writing
 * @across: room for the height of letters
 *
 * Return: false if nothing readable fits.
 */
bool loom_draw_label_fit(struct loom_draw_label *label, const char *name, int64_t along,
			 int64_t across);
/** loom_draw_label_put() - writes a label centred on a point */
void loom_draw_label_put(FILE *out, const struct loom_draw_label *label, const char *class,
			 int64_t x, int64_t y, bool upright);

#endif /* LOOM_DRAW_H */
