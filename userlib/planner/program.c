// SPDX-License-Identifier: MIT
/* Creates a program of a graph by one strategy. See planner.h. */
#include "planner.h"
#include "lacks.h"

#include "base/error.h"
#include "least/least.h"
#include "loom_clock.h"
#include "retime/retime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_up_lower(struct planner *p)
{
	const struct drm_loom_chip *chip = p->options->chip;
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];

	loom_build_init(&p->build, sram->banks);
	p->lower.graph = p->graph;
	p->lower.chip = chip;
	p->lower.build = &p->build;
	p->lower.storage = &p->storage;
	p->lower.err = p->err;
	p->lower.sink = loom_emitter(&p->lower);
	p->lower.load_images = p->options->flags & LOOM_PLANNER_LOAD_IMAGES;
	p->lower.in_place = p->options->flags & LOOM_PLANNER_LOAD_WEIGHTS ? LOOM_IN_PLACE_NEVER :
			    p->candidate.stream_in_place ? LOOM_IN_PLACE_STREAMED :
						     LOOM_IN_PLACE_ALWAYS;
	p->lower.sram.lanes = sram->banks;
	p->lower.sram.bytes = loom_planner_sram_bytes(p->options);
	if (p->candidate.group_bytes)
		p->lower.sram.bytes = min(p->lower.sram.bytes, p->candidate.group_bytes);
	p->lower.sram.align_bytes = sram->align_bytes;
	p->lower.sram.sub_bank_bytes = sram->sub_banks > 1 ? sram->bank_bytes / sram->sub_banks : 0;
	p->lower.sram.start_bytes = loom_clock_times((u64)chip->dma_start + chip->compute_start,
						     dram->read_rate) / 1000;
	/* without overlap of the streams, a second buffer has no benefit */
	p->lower.sram.overlap = chip->flags & DRM_LOOM_CHIP_OVERLAP &&
				!(p->options->flags & LOOM_PLANNER_NO_OVERLAP);
}

/*
 * A node does not fit. The error names the node with the largest need: those from @next on are
 * lowered without writing commands.
 */
static void find_largest(struct planner *p, u32 next)
{
	struct loom_error said = { .text = "" };
	u32 i;

	p->lower.probe = true;
	for (i = next; i < p->graph->num_nodes && p->err; i++) {
		u64 need_bytes = p->lower.need_bytes;

		said = *p->err;
		loom_lower_node(&p->lower, p->storage.nodes[i]);
		/* other errors are reported once all nodes fit */
		if (p->lower.need_bytes == need_bytes)
			*p->err = said;
	}
}

static int write_plain(struct planner *p, const struct loom_storage_options *storage)
{
	int ret = loom_storage_place(&p->storage, storage, p->err);
	u32 i;

	loom_watch_at(LOOM_STAGE_EMIT);
	for (i = 0; i < p->graph->num_nodes && !ret; i++)
		ret = loom_lower_alone(&p->lower, i);
	if (ret == -ENOSPC)
		find_largest(p, i);
	return ret ? ret : loom_storage_copy_late(&p->lower);
}

static int write_groups(struct planner *p, const struct loom_storage_options *storage)
{
	const struct loom_group_options options = {
		.strategy = loom_grouping_strategy(p->options),
		.budget_ms = p->options->grouping_budget,
		.share = p->candidate.share,
		.aim = p->candidate.aim,
		.division = p->candidate.division,
		.alternatives = p->candidate.alternatives,
		.alternative_bytes = loom_planner_sram_bytes(p->options),
		.keep_halos = p->options->max_recompute_permille == 1000,
		.memo = p->candidate.memo,
		.storage = storage,
	};
	int ret = loom_storage_order_chains(&p->storage);

	return ret ? ret : loom_group_plan(&p->lower, &options);
}

/* Whether the constants fit in the ROM, as one buffer over all of its banks. */
static bool fits_rom(const struct planner *p)
{
	const struct drm_loom_chip_region *rom = &p->options->chip->region[DRM_LOOM_REGION_ROM];
	u64 bytes = loom_storage_weights_bytes(p->graph), each;

	if (!rom->banks)
		return false;
	each = (rom->bank_bytes - rom->reserved_bytes) / rom->align_bytes;
	return bytes <= each * rom->align_bytes * rom->banks;
}

/* Options of storage for plans with or without groups. */
static struct loom_storage_options storage_options(const struct planner *p, bool grouped)
{
	const struct loom_planner_options *options = p->options;

	return (struct loom_storage_options){
		.placer = options->placer,
		.dram_align_bytes = options->chip->region[DRM_LOOM_REGION_DRAM].align_bytes,
		.in_rom = fits_rom(p),
		.in_sram = !options->chip->region[DRM_LOOM_REGION_DRAM].banks,
		.observe_all = options->flags & LOOM_PLANNER_OBSERVE_ALL,
		.observe = options->observe,
		.num_observe = options->num_observe,
		/*
		 * Groups are runs of consecutive nodes: the order decides which values avoid DRAM,
		 * which matters more than a small arena, so groups have orders of their own.
		 */
		.reorder = !grouped && !(options->flags & LOOM_PLANNER_GIVEN_ORDER),
		.join = grouped ? p->candidate.join : LOOM_JOIN_NONE,
	};
}

static int write_plan(struct planner *p)
{
	const struct loom_planner_options *options = p->options;
	const struct drm_loom_chip_region *rom = &options->chip->region[DRM_LOOM_REGION_ROM];
	bool grouped = loom_grouping_is_on(options);
	const struct loom_storage_options storage = storage_options(p, grouped);
	int ret;

	if (rom->banks && !storage.in_rom && storage.in_sram)
		return loom_error_set(p->err, -ENOSPC,
				      "chip '%s' has no DRAM, and the weights take up to %llu bytes of %llu in ROM",
				      options->chip->name,
				      (unsigned long long)loom_storage_weights_bytes(p->graph),
				      (unsigned long long)(rom->banks * rom->bank_bytes));
	loom_watch_at(grouped ? LOOM_STAGE_GROUP : LOOM_STAGE_PLACE);
	ret = loom_storage_init(&p->storage, p->graph, &p->build, &storage, p->err);
	if (!ret)
		ret = loom_lacks_check(&p->lower, options->chip);
	if (!ret)
		ret = grouped ? write_groups(p, &storage) : write_plain(p, &storage);
	loom_storage_finish(&p->storage);
	return ret;
}

/* Bytes of the slots in a bank of the SRAM. */
static u64 slots_bytes(const struct planner *p)
{
	u64 align = p->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes, bytes = 0;
	u32 i;

	for (i = 0; i < p->build.num_slots; i++)
		if (p->build.slots[i].flags & DRM_LOOM_SLOT_SRAM)
			bytes += loom_div_round_up(p->build.slots[i].size, align) * align;
	return bytes;
}

/*
 * Without DRAM the slots are in the SRAM next to the scratch. Returns 0 if both fit; -EAGAIN if
 * they may fit with a scratch of at most @limit, which is set.
 */
static int fit_slots(struct planner *p, u64 *limit)
{
	const struct drm_loom_chip *chip = p->options->chip;
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	u64 align = sram->align_bytes, room = sram->bank_bytes - sram->bank_bytes % align;
	u64 base = loom_div_round_up(sram->reserved_bytes, align) * align;
	u64 slots = slots_bytes(p), scratch = loom_div_round_up(p->lower.scratch_bytes, align);

	room = room > base ? room - base : 0;
	if (slots + scratch * align <= room)
		return 0;
	if (slots >= room) {
		loom_error_set(p->err, -ENOSPC,
			       "chip '%s' has no DRAM, and inputs, outputs%s and what is between layers take %llu bytes: %llu more than there is SRAM",
			       chip->name, p->storage.in_rom ? "" : ", weights",
			       (unsigned long long)slots,
			       (unsigned long long)(slots - room));
		if (p->err)
			p->err->short_bytes = slots - room;
		return -ENOSPC;
	}
	*limit = room - slots;
	return -EAGAIN;
}

/* Renumbers the steps of groups and kernels. @steps: by old step. */
static void renumber(struct planner *p, const u32 *steps)
{
	u32 i, end;

	for (i = 0; i < p->lower.num_groups; i++) {
		struct loom_program_group *group = &p->lower.groups[i];

		end = steps[group->first_step + group->num_steps];
		group->first_step = steps[group->first_step];
		group->num_steps = end - group->first_step;
	}
	for (i = 0; i < p->lower.num_kernels; i++)
		p->lower.kernels[i].first_step = steps[p->lower.kernels[i].first_step];
}

/* Retimes the plan so that transfers overlap arithmetic. */
static int overlap(struct planner *p)
{
	/* estimates of small graphs are too coarse */
	struct planner_bar *bar = p->graph->num_nodes > PLANNER_SMALL_GRAPH ?
				  p->candidate.bar : NULL;
	struct loom_retime_options options = {
		.chip = p->options->chip,
		/* slots are in the same SRAM, and their rest was measured */
		.room_bytes = p->storage.in_sram ? p->lower.scratch_bytes :
						   loom_planner_sram_bytes(p->options),
		.anew = p->graph->num_nodes <= PLANNER_LARGE_GRAPH,
		.most_cycles = bar && !bar->always ? bar->cycles : U64_MAX,
		.num_fences = p->lower.num_groups,
	};
	u32 *fences, *steps, i;
	int ret;

	if (p->options->objective != LOOM_OBJECTIVE_TIME || !p->lower.sram.overlap ||
	    p->options->flags & LOOM_PLANNER_NO_RETIME)
		return 0;
	fences = calloc((size_t)p->lower.num_groups + 1, sizeof(*fences));
	if (!fences)
		return -ENOMEM;
	for (i = 0; i < p->lower.num_groups; i++)
		fences[i] = p->lower.groups[i].first_step;
	options.fences = fences;
	loom_watch_at(LOOM_STAGE_RETIME);
	ret = loom_retime(&p->build, &options, &p->lower.scratch_bytes, &steps,
			  bar ? &bar->estimate : NULL);
	if (!ret && steps)
		renumber(p, steps);
	free(fences);
	if (!ret)
		free(steps);
	return ret;
}

/* Plans with a scratch of at most @limit, zero for none. -EAGAIN: @limit was lowered, try again. */
static int plan_once(struct planner *p, u64 *limit, struct loom_program **program)
{
	int ret;

	set_up_lower(p);
	if (*limit)
		p->lower.sram.bytes = min(p->lower.sram.bytes, *limit);
	ret = write_plan(p);
	if (!ret && p->storage.in_sram)
		ret = fit_slots(p, limit);
	if (!ret)
		ret = overlap(p);
	if (!ret)
		ret = loom_planner_compact(p);
	if (!ret)
		ret = loom_planner_finish(p, program);
	free(p->lower.kernels);
	free(p->lower.groups);
	free(p->lower.cuts);
	loom_storage_clear(&p->storage);
	loom_build_clear(&p->build);
	return ret;
}

int loom_planner_least(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct loom_program_least *least)
{
	struct planner p = { .graph = graph, .options = options };
	struct loom_storage_options storage = storage_options(&p, false);
	int ret;

	memset(least, 0, sizeof(*least));
	storage.reorder = false;
	set_up_lower(&p);
	loom_watch_at(LOOM_STAGE_BOUND);
	ret = loom_storage_init(&p.storage, graph, &p.build, &storage, NULL);
	if (!ret)
		ret = loom_least_find(&p.lower, least);
	loom_storage_clear(&p.storage);
	loom_build_clear(&p.build);
	return ret;
}

u32 loom_planner_too_large(const struct loom_graph *graph,
			   const struct loom_planner_options *options, bool *too_large)
{
	struct planner p = { .graph = graph, .options = options };
	struct loom_storage_options storage = storage_options(&p, false);
	u32 count = 0;

	storage.reorder = false;
	set_up_lower(&p);
	if (!loom_storage_init(&p.storage, graph, &p.build, &storage, NULL))
		count = loom_large_find(&p.lower, too_large);
	loom_storage_clear(&p.storage);
	loom_build_clear(&p.build);
	return count;
}

/* The scratch shrinks with each try, and slots hardly change, so few tries suffice. */
#define TRIES	8

int loom_planner_create(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_candidate *candidate, struct loom_program **program,
			struct loom_error *err)
{
	int ret = -EAGAIN;
	u64 limit = 0;
	u32 i;

	if (err)
		err->text[0] = '\0';
	for (i = 0; i < TRIES && ret == -EAGAIN; i++) {
		struct planner p = {
			.graph = graph, .options = options, .candidate = *candidate, .err = err,
		};

		ret = plan_once(&p, &limit, program);
	}
	if (ret == -EAGAIN)
		ret = loom_error_set(err, -ENOSPC, "chip '%s' has too little SRAM: %llu bytes",
				     options->chip->name, (unsigned long long)
				     options->chip->region[DRM_LOOM_REGION_SRAM].bank_bytes);
	/* errors without a text */
	if (ret && err && !err->text[0])
		loom_error_set(err, ret, "%s",
			       ret == -E2BIG ? "the plan is past a cap of the plan format" :
			       ret == -ENOMEM ? "out of memory" : strerror(-ret));
	return ret;
}
