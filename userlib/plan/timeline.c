// SPDX-License-Identifier: MIT
#include "timeline.h"

#include "loom_clock.h"

#include <errno.h>
#include <stdlib.h>

#define PS_PER_SECOND	1000000000000ULL

int loom_timeline_open(struct loom_timeline *t, const struct loom_program *program,
		       const struct drm_loom_chip *chip)
{
	const struct drm_loom_plan_header *header = program->plan;
	const u8 *plan = program->plan;
	u32 i;
	int ret;

	*t = (struct loom_timeline){
		.program = program,
		.chip = chip,
		.steps = (const void *)(plan + header->steps.offset),
		.commands = (const void *)(plan + header->commands.offset),
		.views = (const void *)(plan + header->views.offset),
		.num_steps = header->steps.count,
	};
	ret = loom_plan_cost(program, chip, &t->costs);
	if (!ret)
		ret = loom_plan_command_cycles(program, chip, &t->cycles);
	if (ret)
		return ret;
	t->begin = calloc((size_t)t->num_steps + 1, sizeof(*t->begin));
	if (!t->begin)
		return -ENOMEM;
	for (i = 0; i < t->num_steps; i++)
		t->begin[i + 1] = loom_clock_add(t->begin[i], t->costs[i].cycles);
	return 0;
}

void loom_timeline_close(struct loom_timeline *t)
{
	free(t->costs);
	free(t->cycles);
	free(t->begin);
}

u64 loom_timeline_busy(const struct loom_timeline *t, u32 step, enum loom_stream stream)
{
	return stream == LOOM_STREAM_DMA ? t->costs[step].dma_cycles :
					   t->costs[step].compute_cycles;
}

/* Both streams begin together, or compute begins when DMA has ended. */
u64 loom_timeline_start(const struct loom_timeline *t, u32 step, enum loom_stream stream)
{
	if (stream == LOOM_STREAM_DMA || t->chip->flags & DRM_LOOM_CHIP_OVERLAP)
		return t->begin[step];
	return t->begin[step] + t->costs[step].dma_cycles;
}

u32 loom_timeline_commands(const struct loom_timeline *t, u32 step, enum loom_stream stream,
			   u32 *count)
{
	const struct drm_loom_plan_step *s = &t->steps[step];

	if (stream == LOOM_STREAM_DMA) {
		*count = s->dma_commands;
		return s->first_command;
	}
	*count = s->compute_commands;
	return s->first_command + s->dma_commands;
}

/* Commands of a node are contiguous, except for a few runs, of which the longest counts. */
u32 loom_timeline_node(const struct loom_timeline *t, u32 step, enum loom_stream stream)
{
	u32 count, first = loom_timeline_commands(t, step, stream, &count), best = LOOM_NODE_NONE;
	u64 run = 0, most = 0;
	u32 i;

	for (i = first; i < first + count; i++) {
		u32 node = t->program->command_nodes[i];

		if (i > first && node != t->program->command_nodes[i - 1])
			run = 0;
		run += t->cycles[i];
		if (i == first || run > most) {
			most = run;
			best = node;
		}
	}
	return best;
}

u64 loom_timeline_ps(const struct drm_loom_chip *chip, u64 cycle)
{
	return (u64)((__uint128_t)cycle * PS_PER_SECOND / max(chip->frequency_hz, 1ULL));
}

/* Commands of a stream follow each other without a gap. */
static void span_commands(const struct loom_timeline *t, u32 step, enum loom_stream stream,
			  struct loom_program_span *commands)
{
	u32 count, first = loom_timeline_commands(t, step, stream, &count), i;
	u64 at = loom_timeline_start(t, step, stream);

	for (i = first; i < first + count; i++) {
		commands[i].first = at;
		at = loom_clock_add(at, t->cycles[i]);
		commands[i].end = at;
	}
}

int loom_program_times(const struct loom_program *program, const struct drm_loom_chip *chip,
		       struct loom_program_span **steps, struct loom_program_span **commands)
{
	const struct drm_loom_plan_header *header = program->plan;
	struct loom_timeline t;
	int ret = loom_timeline_open(&t, program, chip);
	u32 i;

	*steps = calloc((size_t)header->steps.count + 1, sizeof(**steps));
	*commands = calloc((size_t)header->commands.count + 1, sizeof(**commands));
	if (!ret && (!*steps || !*commands))
		ret = -ENOMEM;
	for (i = 0; !ret && i < t.num_steps; i++) {
		(*steps)[i] = (struct loom_program_span){ t.begin[i], t.begin[i + 1] };
		span_commands(&t, i, LOOM_STREAM_DMA, *commands);
		span_commands(&t, i, LOOM_STREAM_COMPUTE, *commands);
	}
	loom_timeline_close(&t);
	if (ret) {
		free(*steps);
		free(*commands);
		*steps = NULL;
		*commands = NULL;
	}
	return ret;
}
