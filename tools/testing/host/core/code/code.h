/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_CODE_H
#define LOOM_TESTS_CODE_H

/* Bytes for a device that tests change: the sample, or tables with nothing in them. */
#include "code/code.h"
#include "plan_sample.h"
#include "tap.h"

/**
 * struct code - bytes, and where the tables are in them
 * @bytes: all of them, freed by code_try()
 * @size: number of @bytes
 * @header: their begin
 * @ends: bytes of scratch in each bank
 * @slots: table of slots
 * @steps: table of steps
 * @commands: table of commands
 * @views: table of views
 */
struct code {
	u8 *bytes;
	u64 size;
	struct loom_code_header *header;
	struct loom_code_end *ends;
	struct loom_code_slot *slots;
	struct loom_code_step *steps;
	struct loom_code_command *commands;
	struct loom_code_view *views;
};

/* The chip that the bytes are for; tests may change it. */
static struct drm_loom_chip chip;

static inline void code_find(struct code *code)
{
	struct loom_code_tables tables;

	code->header = (void *)code->bytes;
	loom_code_lay(code->header, &tables);
	code->ends = (void *)(code->bytes + tables.ends);
	code->slots = (void *)(code->bytes + tables.slots);
	code->steps = (void *)(code->bytes + tables.steps);
	code->commands = (void *)(code->bytes + tables.commands);
	code->views = (void *)(code->bytes + tables.views);
}

/* The sample; with images, if @images. */
static inline void code_make(struct code *code, bool images)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;

	sample_build(&pb);
	if (images)
		sample_use_images(&pb);
	if (pb_verify(&pb, &chip, &plan, &reject))
		tap_fatal("the sample is refused for %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	code->size = loom_code_bytes(plan);
	code->bytes = pb_alloc(code->size);
	if (loom_code_encode(plan, code->bytes))
		tap_fatal("the sample cannot be written");
	loom_plan_destroy(plan);
	code_find(code);
}

/* Tables of as many entries as @counts says, for as many lanes; all entries are zero. */
static inline void code_make_zero(struct code *code, struct loom_code_header counts)
{
	struct loom_code_tables tables;

	counts.magic = LOOM_CODE_MAGIC;
	counts.version = LOOM_CODE_VERSION;
	loom_code_lay(&counts, &tables);
	counts.size = tables.size;
	code->size = tables.size;
	code->bytes = pb_alloc(code->size);
	*(struct loom_code_header *)(void *)code->bytes = counts;
	code_find(code);
}

/* Makes the sum fit, so that it does not hide what the decoder looks at. */
static inline void code_fix_sum(struct loom_code_header *header, u64 size)
{
	header->sum = loom_code_sum(&header->scratch_bytes, loom_code_words(size));
}

/* Frees the bytes. Return: that of the decoder; 1: an error with a plan, or success without. */
static inline int code_try(struct code *code)
{
	struct loom_plan *plan;
	int ret;

	code_fix_sum(code->header, code->size);
	ret = loom_code_decode(code->bytes, code->size, &chip, &plan);
	if (!ret != !!plan)
		ret = 1;
	loom_plan_destroy(plan);
	pb_free(code->bytes);
	return ret;
}

#endif /* LOOM_TESTS_CODE_H */
