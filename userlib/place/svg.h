/* SPDX-License-Identifier: MIT */
#ifndef LOOM_PLACE_SVG_H
#define LOOM_PLACE_SVG_H

#include <stdio.h>

#include "loom_place_file.h"
#include "profile.h"

/* Lengths are hundredths of a pixel, so that no floating point and no locale is in the bytes. */
#define LOOM_SVG_PX		100

/* enough for loom_svg_bytes() */
#define LOOM_SVG_BYTES		32

/** loom_svg_length() - writes a length: "12.5" */
void loom_svg_length(FILE *out, int64_t length);
/** loom_svg_attribute() - writes " name="12.5"" */
void loom_svg_attribute(FILE *out, const char *name, int64_t length);
/** loom_svg_escape() - writes text as XML may have it; what is no UTF-8 is replaced */
void loom_svg_escape(FILE *out, const char *text, size_t size_bytes);
/** loom_svg_count() - number of characters that loom_svg_escape() writes for the same text */
size_t loom_svg_count(const char *text, size_t size_bytes);
/** loom_svg_skip() - where the text is after its first @count characters */
const char *loom_svg_skip(const char *text, size_t size_bytes, size_t count);
/** loom_svg_bytes() - "1.5 MiB", with up to three decimals, into @text; returns it */
const char *loom_svg_bytes(char text[LOOM_SVG_BYTES], uint64_t bytes);
/** loom_svg_step() - distance of at most @most marks up to @span: 1, 2, 5 times ten to a power */
uint64_t loom_svg_step(uint64_t span, unsigned int most);
/** loom_svg_step_bytes() - the same for bytes: powers of two from 1 KiB up */
uint64_t loom_svg_step_bytes(uint64_t span, unsigned int most);

/**
 * struct loom_svg_label - a name that fits
 * @text: where it begins
 * @size_bytes: its size
 * @cut: something was left out before it
 * @font: height of its letters
 */
struct loom_svg_label {
	const char *text;
	size_t size_bytes;
	bool cut;
	int64_t font;
};

/** loom_svg_label_fit() - all of @name, or what is behind its last slash, or its end */
bool loom_svg_label_fit(struct loom_svg_label *label, const char *name, int64_t along,
			int64_t across);
/** loom_svg_label_put() - writes a label around a point */
void loom_svg_label_put(FILE *out, const struct loom_svg_label *label, const char *class, int64_t x,
			int64_t y, bool upright);

#endif /* LOOM_PLACE_SVG_H */
