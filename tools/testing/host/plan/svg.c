// SPDX-License-Identifier: MIT
/*
 * Pictures of plans: XML whatever the graph, the same bytes each time, a rectangle with a title for
 * each tensor of the plan and for each group; of some steps, what is alive in them. A step is as
 * wide as its cycles: the rows of the streams say which steps work and for how long, and all of
 * them together as long as the plan promises.
 */
#include "loom_chip.h"
#include "programs.h"
#include "xml.h"

#include <errno.h>

#define GRAPHS	24

static struct {
	unsigned int pictures, tensors, parts, bad_xml, bad_counts, bad_parts, bad_bytes;
	unsigned int bad_streams, bad_widths, no_names, cells;
} seen;

/* the chip of the program at hand */
static const struct drm_loom_chip *chip;

static char *draw_plan(const struct loom_program *program,
		       const struct loom_program_svg_options *options)
{
	size_t size;
	char *text;

	if (loom_program_svg(program, chip, options, &text, &size))
		tap_fatal("a picture failed");
	if (strlen(text) != size)
		tap_fatal("a picture has a zero in it");
	return text;
}

/* Elements called @name between the group with the id @id and the end of it. */
static unsigned int count_in(const char *text, const char *id, const char *name)
{
	char begin[32];
	const char *at, *end;
	unsigned int count = 0;

	snprintf(begin, sizeof(begin), "id=\"%s\"", id);
	at = strstr(text, begin);
	end = at ? strstr(at, "</g>") : NULL;
	for (; end && (at = strstr(at, name)) && at < end; at++)
		count++;
	return count;
}

/* Tensors of a region that are alive in some of steps [first, end). */
static unsigned int count_tensors(const struct loom_program *program, uint32_t region,
				  uint32_t first, uint32_t end)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors =
		(const void *)((const uint8_t *)program->plan + header->tensors.offset);
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < header->tensors.count; i++)
		count += tensors[i].region == region && tensors[i].last_step >= first &&
			 tensors[i].first_step < end &&
			 tensors[i].first_step <= tensors[i].last_step;
	return count;
}

/*
 * Reads the titles in the row of a stream, "step 3, 5 of 9 cycles" or "steps 3 to 8, ...", and adds
 * up their cycles. Returns the busy cycles; @off: the largest difference, in pixels, between the
 * width of a rectangle and its title.
 */
static uint64_t read_row(const char *text, const char *id, uint64_t all, double *off)
{
	const char *at, *end;
	char begin[32];
	uint64_t sum = 0;

	snprintf(begin, sizeof(begin), "<g id=\"%s\">", id);
	at = strstr(text, begin);
	end = at ? strstr(at, "</g>") : NULL;
	*off = 0;
	while (end && (at = strstr(at, "<rect")) && at < end) {
		unsigned long long busy, of, want;
		unsigned int step, last;
		double width;
		const char *title = strstr(at, "<title>"), *w = strstr(at, " width=\"");

		if (!title || !w || sscanf(w, " width=\"%lf", &width) != 1)
			tap_fatal("a rectangle without a title or a width");
		if (sscanf(title, "<title>step %u, %llu of %llu", &step, &busy, &of) == 3)
			want = busy;
		else if (sscanf(title, "<title>steps %u to %u, %llu of %llu", &step, &last, &busy,
				&of) == 4)
			want = of;
		else
			tap_fatal("a title of another kind: %.60s", title);
		seen.cells += !strncmp(title, "<title>steps", 12);
		width -= want * 1300.0 / all;
		width = width < 0 ? -width : width;
		*off = width > *off ? width : *off;
		sum += busy;
		at = title;
	}
	return sum;
}

/* No stream works longer than the plan takes, and both together as long, but for empty steps. */
static void check_streams(const struct loom_program *program, const char *text)
{
	static const char *const rows[] = { "DMA", "compute" };
	uint64_t busy[2];
	double off;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		busy[i] = read_row(text, rows[i], program->stats.cycles, &off);
		/* rounded to hundredths twice, and at least a fifth of a pixel */
		seen.bad_widths += off > 0.23;
	}
	seen.bad_streams += busy[0] > program->stats.cycles || busy[1] > program->stats.cycles ||
			    busy[0] + busy[1] < program->stats.cycles - program->stats.steps;
	seen.no_names += !strstr(text, "class=\"k\"") && !strstr(text, "class=\"K\"");
}

static void check_part(const struct loom_program *program, uint32_t first, uint32_t count)
{
	const struct loom_program_svg_options options = {
		.title = "a <part> & more", .first_step = first, .num_steps = count,
	};
	char *text = draw_plan(program, &options);
	unsigned int elements;

	seen.parts++;
	seen.bad_xml += !xml_valid(text, "title", &elements);
	seen.bad_parts += count_in(text, "sram", "<rect") !=
			  count_tensors(program, DRM_LOOM_REGION_SRAM, first, first + count) ||
			  count_in(text, "dram", "<rect") !=
			  count_tensors(program, DRM_LOOM_REGION_DRAM, first, first + count);
	free(text);
}

static void check_refusal(const struct loom_program *program)
{
	struct loom_program_svg_options options = {
		.first_step = (uint32_t)program->stats.steps,
	};
	size_t size;
	char *text;

	tap_ok(loom_program_svg(program, chip, &options, &text, &size) == -EINVAL && !text,
	       "a step that is not there is refused");
}

static void check_program(const struct loom_program *program, const struct drm_loom_chip *of)
{
	uint32_t steps = (uint32_t)program->stats.steps;
	unsigned int elements;
	char *text, *again;

	chip = of;
	text = draw_plan(program, NULL);
	again = draw_plan(program, NULL);
	if (!seen.pictures++)
		check_refusal(program);
	seen.tensors += program->num_labels;
	seen.bad_bytes += strcmp(text, again) != 0;
	seen.bad_xml += !xml_valid(text, "title", &elements) ||
			elements != program->num_labels + program->num_groups +
				    count_in(text, "DMA", "<rect") +
				    count_in(text, "compute", "<rect");
	check_streams(program, text);
	seen.bad_counts += count_in(text, "sram", "<rect") !=
			   count_tensors(program, DRM_LOOM_REGION_SRAM, 0, steps) ||
			   count_in(text, "dram", "<rect") !=
			   count_tensors(program, DRM_LOOM_REGION_DRAM, 0, steps) ||
			   count_in(text, "groups", "<rect") != program->num_groups;
	free(text);
	free(again);
	check_part(program, steps / 3, steps / 3 + 1);
	check_part(program, steps - 1, 1);
}

int main(void)
{
	struct drm_loom_chip turns = *loom_preset_find("tiny");
	uint32_t i;

	/* no time is round, and steps that load are far longer than those that work */
	turns.flags &= ~DRM_LOOM_CHIP_OVERLAP;
	turns.frequency_hz = 333333333;
	turns.dma_start = 1000;
	for (i = 1; i <= GRAPHS; i++)
		check_programs(i, i % 3 ? loom_preset_find("tiny") : &turns, check_program);
	tap_ok(seen.pictures >= GRAPHS && seen.tensors > 10 * GRAPHS,
	       "%u pictures of %u tensors, %u of some steps", seen.pictures, seen.tensors,
	       seen.parts);
	tap_ok(!seen.bad_xml, "all of them are XML with a title for each tensor and group");
	tap_ok(!seen.bad_counts, "a rectangle for each tensor in SRAM and in DRAM, and each group");
	tap_ok(!seen.bad_parts, "of some steps, those that are alive in them");
	tap_ok(!seen.bad_streams, "the streams work as long as the plan promises");
	tap_ok(!seen.bad_widths && seen.cells,
	       "and are as wide as they work; %u rectangles are several thin steps", seen.cells);
	tap_ok(seen.no_names < seen.pictures / 4, "operators are named in all but %u",
	       seen.no_names);
	tap_ok(!seen.bad_bytes, "the same plan gives the same bytes");
	return tap_end();
}
