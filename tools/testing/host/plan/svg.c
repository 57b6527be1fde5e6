// SPDX-License-Identifier: MIT
/*
 * Pictures of plans: XML whatever the graph, the same bytes each time, a rectangle with a title for
 * each tensor of the plan and for each group; of some steps, what is alive in them.
 */
#include "host/group/case.h"
#include "loom_planner.h"
#include "loom_chip.h"
#include "xml.h"

#include <errno.h>

#define GRAPHS	24

static struct {
	unsigned int pictures, tensors, parts, bad_xml, bad_counts, bad_parts, bad_bytes;
} seen;

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

static void check_program(const struct loom_program *program)
{
	char *text = draw_plan(program, NULL), *again = draw_plan(program, NULL);
	uint32_t steps = (uint32_t)program->stats.steps;
	unsigned int elements;

	seen.pictures++;
	seen.tensors += program->num_labels;
	seen.bad_bytes += strcmp(text, again) != 0;
	seen.bad_xml += !xml_valid(text, "title", &elements) ||
			elements != program->num_labels + program->num_groups;
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

static void check_graph(uint32_t which)
{
	static const uint64_t limits[] = { 2 << 10, 4 << 10, 0 };
	struct loom_planner_options options = { .chip = chip };
	struct test_case test;
	struct loom_program *program;
	struct loom_error err;
	uint32_t i;

	make_case(&test, which);
	options.sram_limit_bytes = limits[which % ARRAY_SIZE(limits)];
	for (i = 0; i < 2; i++) {
		options.grouping = i ? "layergroup" : "layerwise";
		if (loom_program_create(test.graph, &options, &program, &err))
			continue;
		check_program(program);
		if (which == 1 && !i)
			check_refusal(program);
		loom_program_destroy(program);
	}
	free_case(&test);
}

int main(void)
{
	uint32_t i;

	chip = loom_preset_find("tiny");
	make_weights();
	for (i = 1; i <= GRAPHS; i++)
		check_graph(i);
	tap_ok(seen.pictures >= GRAPHS && seen.tensors > 10 * GRAPHS,
	       "%u pictures of %u tensors, %u of some steps", seen.pictures, seen.tensors,
	       seen.parts);
	tap_ok(!seen.bad_xml, "all of them are XML with a title for each tensor and group");
	tap_ok(!seen.bad_counts, "a rectangle for each tensor in SRAM and in DRAM, and each group");
	tap_ok(!seen.bad_parts, "of some steps, those that are alive in them");
	tap_ok(!seen.bad_bytes, "the same plan gives the same bytes");
	return tap_end();
}
