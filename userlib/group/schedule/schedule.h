/* SPDX-License-Identifier: MIT */
/*
 * DOC: Needs and costs of a group
 *
 * measure.c says how many bytes of SRAM each strip, line buffer and operand takes; schedule.c
 * gives each operation its position and each item its lifetime; cost.c counts DRAM bytes, cycles.c
 * the cycles of both streams. The schedule takes for granted which weights are held in SRAM
 * (&loom_group_part.held) and how operations are cut into chunks: weights.c decides that.
 */
#ifndef LOOM_GROUP_SCHEDULE_H
#define LOOM_GROUP_SCHEDULE_H

#include "group/model/model.h"

/* measure.c: bytes */

/** loom_group_measure() - sizes of all that has changed since the last time */
void loom_group_measure(struct loom_group *group);
/** loom_group_lane_bytes() - SRAM per lane of a box */
u64 loom_group_lane_bytes(const struct loom_group *group, const struct loom_group_box *box,
			  u32 rank, u32 lane, u32 dtype);
/** loom_group_follows_chunks() - chunks need different parts of an operand */
bool loom_group_follows_chunks(const struct loom_group_part *part, u32 operand);
/** loom_group_keeps_chunk() - a chunk of a streamed operand is loaded once and stays */
bool loom_group_keeps_chunk(const struct loom_group_part *part, u32 operand, u32 chunk);

/* schedule.c: positions and lifetimes */

/** loom_group_compute_at() - position at which entry @entry (a part, or a chunk of it) computes */
s32 loom_group_compute_at(const struct loom_group *group, u32 entry);
/** loom_group_load_at() - position at which what it needs is loaded */
s32 loom_group_load_at(const struct loom_group *group, u32 entry);
/** loom_group_store_at() - position at which what it made is stored */
s32 loom_group_store_at(const struct loom_group *group, u32 entry);
/** loom_group_part_load() - position at which the first chunk of part @index is loaded */
s32 loom_group_part_load(const struct loom_group *group, u32 index);
/** loom_group_part_end() - position at which the last chunk of part @index computes */
s32 loom_group_part_end(const struct loom_group *group, u32 index);
/** loom_group_wrap() - a position as one of the period [0, &loom_group.period) */
s32 loom_group_wrap(const struct loom_group *group, s32 position);
/** loom_group_alive_at() - an item is in SRAM at a position of the period */
bool loom_group_alive_at(const struct loom_group *group, const struct loom_group_item *item,
			 s32 at);
/** loom_group_schedule() - positions, items and their lifetimes. 0, -ENOSPC or -ENOMEM */
int loom_group_schedule(struct loom_group *group);
/** loom_group_mark_stored() - which values go to DRAM: outputs, and what later groups read */
void loom_group_mark_stored(struct loom_group *group);

/**
 * loom_group_peak() - SRAM per lane that is alive at once at most
 * @group: a group that has been scheduled
 * @num_items: how many of its items count, from the first
 * @position: [out] where that is
 * @alive: [out] by position: bytes of items that are not there all the time; NULL: not asked for
 *
 * Return: bytes per lane.
 */
u64 loom_group_peak(const struct loom_group *group, u32 num_items, s32 *position, u64 *alive);

/**
 * struct loom_group_time - what streams take in all, whenever
 * @dma: cycles of the DMA stream
 * @compute: cycles of the compute stream
 * @steps: cycles of the longer stream, position by position
 */
struct loom_group_time {
	u64 dma;
	u64 compute;
	u64 steps;
};

/* cost.c: prices */

/** loom_group_cost_count() - price of a scheduled group */
void loom_group_cost_count(struct loom_group *group);
/** loom_group_time_price() - price of the time of both streams */
u64 loom_group_time_price(const struct loom_group_list *list, const struct loom_group_time *time);
/** loom_group_cost_floor() - price of a group if all that it loads could be held, or less */
u64 loom_group_cost_floor(struct loom_group *group);
/** loom_group_bytes_price() - price of so many DRAM bytes, at least */
u64 loom_group_bytes_price(const struct loom_group_list *list, u64 bytes);
/** loom_group_least_price() - price of a unit in any case: weights and outputs once, its work */
u64 loom_group_least_price(const struct loom_group_list *list, u32 unit);
/** loom_group_cost_layerwise() - sets what a unit costs for itself, estimated by how it is cut */
void loom_group_cost_layerwise(struct loom_group_list *list, u32 unit);

/* cycles.c: time */

/**
 * struct loom_group_streams - what both streams of a group do when
 * @dma: by position of all slices: cycles
 * @compute: likewise
 * @count: number of positions
 */
struct loom_group_streams {
	u64 *dma;
	u64 *compute;
	size_t count;
};

/** loom_group_streams() - fills @streams for a group that has been scheduled. 0 or -ENOMEM */
int loom_group_streams(const struct loom_group *group, struct loom_group_streams *streams);
/** loom_group_stream_index() - where a position of the first slice is in the tables */
size_t loom_group_stream_index(const struct loom_group *group, s32 position);
/** loom_group_streams_clear() - frees what @streams holds */
void loom_group_streams_clear(struct loom_group_streams *streams);
/** loom_group_load_cycles() - cycles of a load of @bytes from DRAM */
u64 loom_group_load_cycles(const struct loom_lower *lower, u64 bytes);
/** loom_group_cycles() - cycles of a scheduled group; 0: no memory */
u64 loom_group_cycles(const struct loom_group *group);
/** loom_group_layerwise_time() - adds what both streams take then */
void loom_group_layerwise_time(const struct loom_group_list *list, u32 unit,
			       struct loom_group_time *time);
/** loom_group_layerwise_cycles() - cycles of a node, lowered as without groups */
u64 loom_group_layerwise_cycles(const struct loom_group_list *list, u32 unit);
/** loom_group_least_cycles() - adds what a node takes in any group: work, and weights once */
void loom_group_least_cycles(const struct loom_group_list *list, u32 unit, u64 *compute,
			     u64 *weights);

/** loom_group_stage_cycles() - a stage that does @rounds elements of the result in each lane */
u64 loom_group_stage_cycles(const struct drm_loom_chip *chip, const struct loom_kernel *kernel,
			    const struct loom_stage *stage, u64 rounds);

/* time.c */

/** loom_group_least_compute() - what an op computes in any case: as few rows of lanes as can be */
u64 loom_group_least_compute(const struct loom_group_list *list, u32 op);
/** loom_group_sliced_work() - what an op computes in all of @slices slices along axis @cut */
u64 loom_group_sliced_work(const struct loom_group_list *list, const struct loom_group_op *op,
			   s8 cut, u32 slices);
/** loom_group_take_time() - what both streams of a scheduled group take */
void loom_group_take_time(const struct loom_group *group, struct loom_group_time *time);

#endif /* LOOM_GROUP_SCHEDULE_H */
