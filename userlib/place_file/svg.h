/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files that draw a placement: the geometry of the paper, the state of the picture,
 * and its pieces. svg.c determines the order and calls svg_axes.c and svg_items.c.
 */
#ifndef LOOM_PLACE_FILE_SVG_H
#define LOOM_PLACE_FILE_SVG_H

#include "draw/draw.h"
#include "loom_place_file.h"
#include "place/profile.h"

#define PX			LOOM_DRAW_PX
#define SVG_WIDTH		(1200 * PX)
#define SVG_HEIGHT		(760 * PX)
#define SVG_LEFT		(88 * PX)
#define SVG_RIGHT		(1176 * PX)
#define SVG_TOP		(72 * PX)
#define SVG_BOTTOM		(552 * PX)
#define SVG_PROFILE_TOP	(600 * PX)
#define SVG_PROFILE_BOTTOM	(712 * PX)

/**
 * struct place_svg - a picture that is being drawn
 * @out: the stream
 * @problem: the problem
 * @result: the placement
 * @options: texts, and which pool
 * @parts: of the items of the pool that is drawn
 * @num_parts: number of @parts
 * @profile: of @parts
 * @tops: by moment of @profile: top of what is in use until the next
 * @colours: by item: index of its colour
 * @begin: first moment
 * @span: moments from there to the last, not 0
 * @scale_bytes: address at the upper edge, not 0
 * @num_items: items in the pool
 * @sum_bytes: of their sizes
 */
struct place_svg {
	FILE *out;
	const struct loom_place_problem *problem;
	const struct loom_place_result *result;
	const struct loom_place_svg_options *options;
	struct loom_place_part *parts;
	size_t num_parts;
	struct loom_place_profile profile;
	uint64_t *tops;
	uint8_t *colours;
	int64_t begin;
	uint64_t span;
	uint64_t scale_bytes;
	uint32_t num_items;
	uint64_t sum_bytes;
};

/* svg_axes.c */

/** place_svg_capacity() - of the pool that is drawn; LOOM_PLACE_ANYWHERE: none */
uint64_t place_svg_capacity(const struct place_svg *svg);
/** place_svg_top() - height of the placement in the pool that is drawn */
uint64_t place_svg_top(const struct place_svg *svg);
/** place_svg_bound() - the bound of that height */
uint64_t place_svg_bound(const struct place_svg *svg);
/** place_svg_in_pool() - says whether @item is in the pool that is drawn */
bool place_svg_in_pool(const struct place_svg *svg, uint32_t item);
/** place_svg_x() - position of @moment on the paper */
int64_t place_svg_x(const struct place_svg *svg, int64_t moment);
/** place_svg_y() - position of address @bytes in the panel from @top to @bottom */
int64_t place_svg_y(const struct place_svg *svg, uint64_t bytes, int64_t top, int64_t bottom);
/** place_svg_line() - draws a horizontal or vertical line */
void place_svg_line(const struct place_svg *svg, const char *class, int64_t x1, int64_t y1,
		    int64_t x2, int64_t y2);
/** place_svg_address_axis() - draws at most @most marks and addresses of a panel */
void place_svg_address_axis(const struct place_svg *svg, int64_t top, int64_t bottom,
			    unsigned int most);
/** place_svg_time_axis() - draws marks and moments of both panels */
void place_svg_time_axis(const struct place_svg *svg);
/** place_svg_frame() - draws the frame of a panel */
void place_svg_frame(const struct place_svg *svg, int64_t top, int64_t bottom);
/** place_svg_words() - writes the title and a line of figures */
void place_svg_words(const struct place_svg *svg);
/** place_svg_mark() - draws a line at a height, through the upper panel */
void place_svg_mark(const struct place_svg *svg, const char *class, uint64_t bytes);
/** place_svg_keys() - draws the key to the lines */
void place_svg_keys(const struct place_svg *svg);

/* svg_items.c */

/** place_svg_items() - draws all items of the pool */
void place_svg_items(const struct place_svg *svg);
/** place_svg_aliases() - draws outlines of aliases in their owners */
void place_svg_aliases(const struct place_svg *svg);
/** place_svg_labels() - writes names over the items that have room for one */
void place_svg_labels(const struct place_svg *svg);

#endif /* LOOM_PLACE_FILE_SVG_H */
