/* SPDX-License-Identifier: MIT */
/*
 * The floor of ejection: a placement of any size is made lower by moving what lies highest into it,
 * and what is in the way there elsewhere. See DOC: Ejection. It knows the public types only.
 */
#ifndef LOOM_PLACE_EJECT_H
#define LOOM_PLACE_EJECT_H

#include "loom_place.h"

struct loom_eject;

/**
 * struct loom_eject_problem - what is to be improved
 * @items: no aliases, gaps, fixed offsets or excluded ranges; sizes and alignments above 0;
 *	ascending by begin
 * @num_items: number of @items
 * @offsets: by item: a valid placement
 * @height_bytes: of it
 * @goal_bytes: nothing below is looked for
 */
struct loom_eject_problem {
	const struct loom_place_item *items;
	uint32_t num_items;
	const uint64_t *offsets;
	uint64_t height_bytes;
	uint64_t goal_bytes;
};

/**
 * loom_eject_create() - prepare to improve a placement
 * @problem: the problem; its items have to stay
 * @eject: [out] free with loom_eject_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_eject_create(const struct loom_eject_problem *problem, struct loom_eject **eject);
/** loom_eject_destroy() - frees it; NULL is fine */
void loom_eject_destroy(struct loom_eject *eject);
/** loom_eject_run() - go on for about @looks looks at items; [out] those left */
void loom_eject_run(struct loom_eject *eject, uint64_t *looks);
/** loom_eject_take() - go on from a lower placement that was found elsewhere */
void loom_eject_take(struct loom_eject *eject, const uint64_t *offsets, uint64_t height_bytes);
/** loom_eject_height() - of the lowest placement so far */
uint64_t loom_eject_height(const struct loom_eject *eject);
/** loom_eject_offsets() - the lowest placement so far, by item */
const uint64_t *loom_eject_offsets(const struct loom_eject *eject);

#endif /* LOOM_PLACE_EJECT_H */
