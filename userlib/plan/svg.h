/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files that draw a plan: the geometry of the paper, the state of the picture and the
 * pieces in order of drawing. svg.c determines the order and calls svg_axes.c, svg_groups.c,
 * svg_streams.c and svg_tensors.c.
 */
#ifndef LOOM_PLAN_SVG_H
#define LOOM_PLAN_SVG_H

#include "draw/draw.h"
#include "timeline.h"

#define PX		LOOM_DRAW_PX
#define SVG_WIDTH	(1512 * PX)
#define SVG_HEIGHT	(1150 * PX)
#define SVG_LEFT	(92 * PX)
#define SVG_RIGHT	(1392 * PX)
#define SVG_HEAD_TOP	(112 * PX)
#define SVG_HEAD_BOTTOM	(136 * PX)
#define SVG_DMA_TOP	(144 * PX)
#define SVG_DMA_BOTTOM	(200 * PX)
#define SVG_WORK_TOP	(206 * PX)
#define SVG_WORK_BOTTOM	(262 * PX)
#define SVG_BOTH_TOP	(265 * PX)
#define SVG_BOTH_BOTTOM	(271 * PX)
#define SVG_SRAM_TOP	(304 * PX)
#define SVG_SRAM_BOTTOM	(734 * PX)
#define SVG_DRAM_TOP	(774 * PX)
#define SVG_DRAM_BOTTOM	(1094 * PX)

/**
 * struct plan_svg_panel - time against address
 * @top: upper edge
 * @bottom: lower edge
 * @scale_bytes: address at the upper edge, not 0
 */
struct plan_svg_panel {
	int64_t top;
	int64_t bottom;
	u64 scale_bytes;
};

/**
 * struct plan_svg - a picture that is being drawn
 * @out: the stream
 * @program: the program
 * @chip: its chip
 * @options: title and range of steps
 * @tensors: tensors of its plan
 * @num_tensors: number of @tensors
 * @time: its timeline
 * @num_steps: steps of the plan
 * @first: first step that is drawn
 * @count: number of steps that are drawn, not 0
 * @cycles: cycles of these steps, not 0
 * @sram: panel
 * @dram: panel
 * @slot_base: by slot: its first address in the panel
 * @shown: by tensor: it is drawn
 * @num_shown: number of tensors that are drawn
 * @num_there: number of tensors that are alive in the steps drawn
 */
struct plan_svg {
	FILE *out;
	const struct loom_program *program;
	const struct drm_loom_chip *chip;
	const struct loom_program_svg_options *options;
	const struct drm_loom_plan_tensor *tensors;
	u32 num_tensors;
	struct loom_timeline time;
	u32 num_steps;
	u32 first;
	u32 count;
	u64 cycles;
	struct plan_svg_panel sram;
	struct plan_svg_panel dram;
	u64 slot_base[DRM_LOOM_MAX_SLOTS];
	bool *shown;
	u32 num_shown;
	u32 num_there;
};

/* svg_axes.c */

/** plan_svg_at() - position of @cycle, clamped to the picture */
int64_t plan_svg_at(const struct plan_svg *c, u64 cycle);
/** plan_svg_x() - position of the begin of @step, clamped to the picture */
int64_t plan_svg_x(const struct plan_svg *c, u32 step);
/** plan_svg_y() - position of address @bytes of a panel */
int64_t plan_svg_y(const struct plan_svg_panel *panel, u64 bytes);
/** plan_svg_is_dram() - says whether @tensor is in DRAM; else it is in SRAM */
bool plan_svg_is_dram(const struct plan_svg *c, u32 tensor);
/** plan_svg_capacity() - bytes of a lane's SRAM that a plan may use */
u64 plan_svg_capacity(const struct plan_svg *c);
/** plan_svg_bytes() - "1.5 MiB", with one decimal, into @text; returns it */
const char *plan_svg_bytes(char text[LOOM_DRAW_BYTES], u64 bytes);
/** plan_svg_line() - draws a straight line */
void plan_svg_line(const struct plan_svg *c, const char *class, int64_t x1, int64_t y1,
		   int64_t x2, int64_t y2);
/** plan_svg_close() - ends a rectangle that has no title */
void plan_svg_close(const struct plan_svg *c);
/** plan_svg_frame() - draws the frame of a row or panel */
void plan_svg_frame(const struct plan_svg *c, int64_t top, int64_t bottom);
/** plan_svg_address_axis() - draws at most @most marks and addresses of a panel */
void plan_svg_address_axis(const struct plan_svg *c, const struct plan_svg_panel *panel,
			   unsigned int most);
/** plan_svg_time_axis() - draws the time under the streams and under both panels */
void plan_svg_time_axis(const struct plan_svg *c);
/** plan_svg_step_axis() - draws the numbers of some steps under the panel of the SRAM */
void plan_svg_step_axis(const struct plan_svg *c);
/** plan_svg_words() - writes the title and two lines of figures */
void plan_svg_words(const struct plan_svg *c);

/* svg_groups.c */

/** plan_svg_bands() - shades every second group; must be drawn first */
void plan_svg_bands(const struct plan_svg *c);
/** plan_svg_groups() - draws the row of groups, and lines between few groups */
void plan_svg_groups(const struct plan_svg *c);
/** plan_svg_slices() - marks the begin of slices, in groups that are wide enough */
void plan_svg_slices(const struct plan_svg *c);

/* svg_streams.c */

/** plan_svg_streams() - draws the activity of DMA and compute, its nodes, and conflicts */
void plan_svg_streams(const struct plan_svg *c);

/* svg_tensors.c */

/** plan_svg_set_scales() - stacks the slots of DRAM and sets the scales of both panels */
void plan_svg_set_scales(struct plan_svg *c);
/** plan_svg_keys() - draws the key to the colours that are in use */
void plan_svg_keys(const struct plan_svg *c);
/** plan_svg_tensors() - draws the tensors of DRAM, or of SRAM */
void plan_svg_tensors(const struct plan_svg *c, bool dram);
/** plan_svg_names() - writes names over the tensors that have room for one */
void plan_svg_names(const struct plan_svg *c);
/** plan_svg_slot_names() - draws lines between the slots of DRAM, and their names */
void plan_svg_slot_names(const struct plan_svg *c);
/** plan_svg_sub_banks() - draws the edges of conflict sub-banks, and the capacity */
void plan_svg_sub_banks(const struct plan_svg *c);

#endif /* LOOM_PLAN_SVG_H */
