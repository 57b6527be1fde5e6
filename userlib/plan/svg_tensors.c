// SPDX-License-Identifier: MIT
/* Tensors in SRAM and DRAM, their names, the slots of DRAM and the sub-banks of SRAM. */
#include "svg.h"

#include <stdio.h>
#include <string.h>

/**
 * struct svg_kind - a kind of tensor
 * @colour: its colour
 * @text: its legend
 */
struct svg_kind {
	const char *colour;
	const char *text;
};

static const struct svg_kind svg_kinds[LOOM_LABELS] = {
	[LOOM_LABEL_ROWS] = { "#77aadd", "rows of a value" },
	[LOOM_LABEL_LINE] = { "#ee8866", "rows kept for the next slice" },
	[LOOM_LABEL_RESIDENT] = { "#ffaabb", "value that stays from group to group" },
	[LOOM_LABEL_HELD] = { "#44bb99", "weights held for all slices" },
	[LOOM_LABEL_WEIGHT] = { "#bbcc33", "weights" },
	[LOOM_LABEL_TEMP] = { "#dddddd", "temporary" },
};

/* Purposes of a slot of DRAM, from the top down. */
static const struct {
	enum loom_slot_kind kind;
	const char *colour;
	const char *text;
} svg_slots[] = {
	{ LOOM_SLOT_KIND_WEIGHTS, "#bbcc33", "weights" },
	{ LOOM_SLOT_KIND_INPUT, "#eedd88", "input" },
	{ LOOM_SLOT_KIND_OUTPUT, "#eedd88", "output" },
	{ LOOM_SLOT_KIND_OBSERVED, "#99ddff", "observed" },
	{ LOOM_SLOT_KIND_IMAGE, "#99ddff", "image" },
	{ LOOM_SLOT_KIND_ARENA, "#77aadd", "arena" },
};

/* Slots are stacked; the SRAM panel ends at the top in use, or at the capacity if that is near. */
void plan_svg_set_scales(struct plan_svg *c)
{
	const struct loom_program_stats *stats = &c->program->stats;
	u64 at = 0;
	size_t i;
	u32 k;

	for (i = ARRAY_SIZE(svg_slots); i-- > 0;) {
		for (k = 0; k < c->program->num_slots; k++) {
			if (c->program->slots[k].kind != svg_slots[i].kind)
				continue;
			c->slot_base[k] = at;
			at += c->program->slots[k].size_bytes;
		}
	}
	c->dram = (struct plan_svg_panel){ SVG_DRAM_TOP, SVG_DRAM_BOTTOM, at ? at : 1 };
	at = stats->scratch_bytes;
	if (at > plan_svg_capacity(c) / 2)
		at = plan_svg_capacity(c);
	c->sram = (struct plan_svg_panel){ SVG_SRAM_TOP, SVG_SRAM_BOTTOM, at ? at : 1 };
}

void plan_svg_keys(const struct plan_svg *c)
{
	struct loom_draw_box box = { SVG_LEFT, 84 * PX, 22 * PX, 11 * PX };
	bool used[LOOM_LABELS] = { false };
	u32 i;

	for (i = 0; i < c->num_tensors; i++)
		if (c->shown[i])
			used[c->program->labels[i].kind] = true;
	fputs("<g class=\"r\">\n", c->out);
	for (i = LOOM_LABEL_ROWS; i < LOOM_LABELS; i++) {
		if (!used[i])
			continue;
		loom_draw_rect(c->out, "", svg_kinds[i].colour, &box);
		plan_svg_close(c);
		loom_draw_text(c->out, "a", box.x + 28 * PX, box.y + 10 * PX, svg_kinds[i].text);
		box.x += (52 + (int64_t)strlen(svg_kinds[i].text) * 32 / 5) * PX;
	}
	fputs("</g>\n", c->out);
}

static const struct plan_svg_panel *svg_panel_of(const struct plan_svg *c, u32 tensor)
{
	return plan_svg_is_dram(c, tensor) ? &c->dram : &c->sram;
}

static struct loom_draw_box svg_tensor_box(const struct plan_svg *c, u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &c->tensors[index];
	const struct plan_svg_panel *panel = svg_panel_of(c, index);
	u64 at = tensor->offset + (plan_svg_is_dram(c, index) ? c->slot_base[tensor->slot] : 0);
	struct loom_draw_box box = {
		.x = plan_svg_x(c, tensor->first_step),
		.y = plan_svg_y(panel, at + tensor->size),
	};

	box.width = plan_svg_x(c, tensor->last_step + 1) - box.x;
	box.height = plan_svg_y(panel, at) - box.y;
	/* at least a hairline, however small */
	box.width = max(box.width, (int64_t)PX / 5);
	box.height = max(box.height, (int64_t)PX / 4);
	return box;
}

static const char *svg_colour(const struct plan_svg *c, u32 tensor)
{
	enum loom_slot_kind kind;
	size_t i;

	if (!plan_svg_is_dram(c, tensor))
		return svg_kinds[c->program->labels[tensor].kind].colour;
	kind = c->program->slots[c->tensors[tensor].slot].kind;
	for (i = 0; i + 1 < ARRAY_SIZE(svg_slots); i++)
		if (svg_slots[i].kind == kind)
			break;
	return svg_slots[i].colour;
}

static void svg_tensor_title(const struct plan_svg *c, u32 index)
{
	const struct loom_program_label *label = &c->program->labels[index];
	const struct drm_loom_plan_tensor *tensor = &c->tensors[index];
	char text[LOOM_DRAW_BYTES];

	fputs("><title>", c->out);
	loom_draw_escape(c->out, label->name, strlen(label->name));
	if (!plan_svg_is_dram(c, index))
		fprintf(c->out, ", %s, slice %u", svg_kinds[label->kind].text, label->slice);
	fprintf(c->out, ": %s at %llu, steps %u to %u</title></rect>\n",
		loom_draw_bytes(text, tensor->size), (unsigned long long)tensor->offset,
		tensor->first_step, tensor->last_step);
}

void plan_svg_tensors(const struct plan_svg *c, bool dram)
{
	struct loom_draw_box box;
	u32 i;

	fprintf(c->out, "<g class=\"r\" id=\"%s\">\n", dram ? "dram" : "sram");
	for (i = 0; i < c->num_tensors; i++) {
		if (!c->shown[i] || plan_svg_is_dram(c, i) != dram)
			continue;
		box = svg_tensor_box(c, i);
		/* an outline would hide the colour of a thin rectangle */
		loom_draw_rect(c->out, box.height < 3 * PX || box.width < 3 * PX ? "h" : "",
			       svg_colour(c, i), &box);
		svg_tensor_title(c, i);
	}
	fputs("</g>\n", c->out);
}

void plan_svg_names(const struct plan_svg *c)
{
	struct loom_draw_label flat, upright;
	struct loom_draw_box box;
	u32 i;

	for (i = 0; i < c->num_tensors; i++) {
		const char *name = c->program->labels[i].name;
		bool fits;

		if (!c->shown[i])
			continue;
		box = svg_tensor_box(c, i);
		fits = loom_draw_label_fit(&flat, name, box.width, box.height);
		if (box.height > 2 * box.width && (!fits || flat.cut) &&
		    loom_draw_label_fit(&upright, name, box.height, box.width) &&
		    (!fits || !upright.cut))
			loom_draw_label_put(c->out, &upright, "m", box.x + box.width / 2,
					    box.y + box.height / 2, true);
		else if (fits)
			loom_draw_label_put(c->out, &flat, "m", box.x + box.width / 2,
					    box.y + box.height / 2, false);
	}
}

/* Names of the slots at the right, where there is room, and lines between them. */
void plan_svg_slot_names(const struct plan_svg *c)
{
	int64_t last = SVG_DRAM_BOTTOM + 12 * PX, y, middle;
	char text[64], size[LOOM_DRAW_BYTES];
	size_t i;
	u32 k;

	for (i = ARRAY_SIZE(svg_slots); i-- > 0;) {
		for (k = 0; k < c->program->num_slots; k++) {
			const struct loom_program_slot *slot = &c->program->slots[k];

			if (slot->kind != svg_slots[i].kind)
				continue;
			y = plan_svg_y(&c->dram, c->slot_base[k] + slot->size_bytes);
			middle = (plan_svg_y(&c->dram, c->slot_base[k]) + y) / 2 + 4 * PX;
			plan_svg_line(c, "z", SVG_LEFT, y, SVG_RIGHT + 4 * PX, y);
			if (middle > last - 13 * PX)
				continue;
			snprintf(text, sizeof(text), "%s %s", svg_slots[i].text,
				 plan_svg_bytes(size, slot->size_bytes));
			loom_draw_text(c->out, "a", SVG_RIGHT + 8 * PX, middle, text);
			last = middle;
		}
	}
}

void plan_svg_sub_banks(const struct plan_svg *c)
{
	const struct drm_loom_chip_region *sram = &c->chip->region[DRM_LOOM_REGION_SRAM];
	u64 size = sram->bank_bytes / max(sram->sub_banks, 1U);
	u32 i;

	for (i = 1; i < sram->sub_banks; i++) {
		u64 at = i * size;
		int64_t y;

		if (at <= sram->reserved_bytes || at - sram->reserved_bytes >= c->sram.scale_bytes)
			continue;
		y = plan_svg_y(&c->sram, at - sram->reserved_bytes);
		plan_svg_line(c, "b", SVG_LEFT, y, SVG_RIGHT, y);
	}
	if (plan_svg_capacity(c) <= c->sram.scale_bytes)
		plan_svg_line(c, "c", SVG_LEFT, SVG_SRAM_TOP, SVG_RIGHT, SVG_SRAM_TOP);
	loom_draw_text(c->out, "a", SVG_RIGHT + 8 * PX, SVG_SRAM_TOP + 10 * PX, "SRAM, the same");
	loom_draw_text(c->out, "a", SVG_RIGHT + 8 * PX, SVG_SRAM_TOP + 25 * PX, "in each lane");
}
