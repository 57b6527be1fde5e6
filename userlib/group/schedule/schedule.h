/* SPDX-License-Identifier: MIT */
/*
 * DOC: Needs and costs of a group
 *
 * measure.c computes the bytes of SRAM of each strip, line buffer and operand; schedule.c assigns
 * each operation its position and each item its lifetime; cost.c counts DRAM bytes, cycles.c the
 * cycles of both streams. The schedule depends on the selection of held weights
 * (&loom_group_part.held) and on the chunks of operations, which weights.c decides.
 */
#ifndef LOOM_GROUP_SCHEDULE_H
#define LOOM_GROUP_SCHEDULE_H

#include "group/model/model.h"

/* measure.c: bytes */

/** loom_group_measure() - updates the sizes of changed parts and roots */
void loom_group_measure(struct loom_group *group);
/** loom_group_lane_bytes() - SRAM per lane of a box */
u64 loom_group_lane_bytes(const struct loom_group *group, const struct loom_group_box *box,
			  u32 rank, u32 lane, u32 dtype);
/** loom_group_follows_chunks() - whether chunks need different parts of an operand */
bool loom_group_follows_chunks(const struct loom_group_part *part, u32 operand);
/** loom_group_keeps_chunk() - whether a chunk of a streamed operand is loaded once and stays */
bool loom_group_keeps_chunk(const struct loom_group_part *part, u32 operand, u32 chunk);

/* schedule.c: positions and lifetimes */

/** loom_group_compute_at() - position at which entry @entry (a part, or a chunk of it) computes */
s32 loom_group_compute_at(const struct loom_group *group, u32 entry);
/** loom_group_load_at() - position at which the operands of an entry are loaded */
s32 loom_group_load_at(const struct loom_group *group, u32 entry);
/** loom_group_store_at() - position at which the result of an entry is stored */
s32 loom_group_store_at(const struct loom_group *group, u32 entry);
/** loom_group_part_load() - position at which the first chunk of part @index is loaded */
s32 loom_group_part_load(const struct loom_group *group, u32 index);
/** loom_group_part_end() - position at which the last chunk of part @index computes */
s32 loom_group_part_end(const struct loom_group *group, u32 index);
/** loom_group_wrap() - a position as one of the period [0, &loom_group.period) */
s32 loom_group_wrap(const struct loom_group *group, s32 position);
/** loom_group_alive_at() - whether an item is in SRAM at a position of the period */
bool loom_group_alive_at(const struct loom_group *group, const struct loom_group_item *item,
			 s32 at);
/** loom_group_schedule() - positions, items and their lifetimes. 0, -ENOSPC or -ENOMEM */
int loom_group_schedule(struct loom_group *group);
/** loom_group_mark_stored() - marks the values stored to DRAM: outputs, reads of later groups */
void loom_group_mark_stored(struct loom_group *group);

/**
 * loom_group_peak() - find the peak of the SRAM per lane that is alive
 * @group: a scheduled group
 * @num_items: number of its leading items that count
 * @position: [out] position of the peak
 * @alive: [out] by position: bytes of items that are not alive all the time; or NULL
 *
 * Return: bytes per lane.
 */
u64 loom_group_peak(const struct loom_group *group, u32 num_items, s32 *position, u64 *alive);

/**
 * struct loom_group_time - total time of the streams, regardless of their order
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
/** loom_group_cost_floor() - lower bound on the price: as if all loads could be held */
u64 loom_group_cost_floor(struct loom_group *group);
/** loom_group_bytes_price() - lower bound on the price of DRAM bytes */
u64 loom_group_bytes_price(const struct loom_group_list *list, u64 bytes);
/** loom_group_least_price() - lower bound of a unit: weights and outputs once, its work */
u64 loom_group_least_price(const struct loom_group_list *list, u32 unit);
/** loom_group_cost_layerwise() - sets the cost of a unit by itself, estimated by its slices */
void loom_group_cost_layerwise(struct loom_group_list *list, u32 unit);

/* cycles.c: time */

/**
 * struct loom_group_streams - timeline of both streams of a group
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
/** loom_group_stream_index() - index in the tables of a position of the first slice */
size_t loom_group_stream_index(const struct loom_group *group, s32 position);
/** loom_group_streams_clear() - frees the memory of @streams */
void loom_group_streams_clear(struct loom_group_streams *streams);
/** loom_group_load_cycles() - cycles of a load of @bytes from DRAM */
u64 loom_group_load_cycles(const struct loom_lower *lower, u64 bytes);
/** loom_group_cycles() - cycles of a scheduled group; 0: no memory */
u64 loom_group_cycles(const struct loom_group *group);
/** loom_group_layerwise_time() - adds the time of both streams without groups */
void loom_group_layerwise_time(const struct loom_group_list *list, u32 unit,
			       struct loom_group_time *time);
/** loom_group_layerwise_cycles() - cycles of a node, lowered without groups */
u64 loom_group_layerwise_cycles(const struct loom_group_list *list, u32 unit);
/** loom_group_least_cycles() - adds lower bounds of a node in any group: work, and weights once */
void loom_group_least_cycles(const struct loom_group_list *list, u32 unit, u64 *compute,
			     u64 *weights);

/** loom_group_stage_cycles() - cycles of a stage with @rounds elements of the result per lane */
u64 loom_group_stage_cycles(const struct drm_loom_chip *chip, const struct loom_kernel *kernel,
			    const struct loom_stage *stage, u64 rounds);

/** loom_group_part_cycles() - those of @cycles for the part of the summed axis that @box has */
u64 loom_group_part_cycles(const struct loom_kernel *kernel, const struct loom_group_box *box,
			   u64 cycles);

/* time.c */

/** loom_group_least_compute() - lower bound on the compute cycles of an op, by rows of lanes */
u64 loom_group_least_compute(const struct loom_group_list *list, u32 op);
/** loom_group_sliced_work() - compute cycles of an op in all of @slices slices along axis @cut */
u64 loom_group_sliced_work(const struct loom_group_list *list, const struct loom_group_op *op,
			   s8 cut, u32 slices);
/** loom_group_take_time() - total time of both streams of a scheduled group */
void loom_group_take_time(const struct loom_group *group, struct loom_group_time *time);

#endif /* LOOM_GROUP_SCHEDULE_H */
