/* SPDX-License-Identifier: MIT */
/*
 * Sets of numbers with the same sum, for tiling.c. See DOC: Rooms.
 */
#ifndef LOOM_TILING_ROOMS_H
#define LOOM_TILING_ROOMS_H

#include <stdbool.h>
#include <stdint.h>

/* upper limit on the numbers of a side */
#define LOOM_ROOMS_SIDE		60

struct loom_rooms;

/**
 * struct loom_room - subsets of either side that have the same sum
 * @out: of the first side, as bits
 * @in: of the second
 */
struct loom_room {
	uint64_t out;
	uint64_t in;
};

/** loom_rooms_create() - 0 or -ENOMEM; free with loom_rooms_destroy() */
int loom_rooms_create(struct loom_rooms **rooms);
/** loom_rooms_destroy() - frees it; NULL is fine */
void loom_rooms_destroy(struct loom_rooms *rooms);
/**
 * loom_rooms_find() - find subsets of two sides that have the same sum
 * @rooms: scratch memory
 * @out: numbers of the first side
 * @num_out: number of @out; if more than LOOM_ROOMS_SIDE, nothing is found
 * @in: numbers of the second side
 * @num_in: number of @in; the same
 * @extended: try larger subsets
 * @visits: [in, out] incremented by the subsets visited
 *
 * The result is read with loom_rooms_get(), the subsets with the fewest numbers first.
 */
void loom_rooms_find(struct loom_rooms *rooms, const uint64_t *out, uint32_t num_out,
		     const uint64_t *in, uint32_t num_in, bool extended, uint64_t *visits);
/** loom_rooms_count() - number of pairs found */
uint32_t loom_rooms_count(const struct loom_rooms *rooms);
/** loom_rooms_get() - one of the pairs found */
struct loom_room loom_rooms_get(const struct loom_rooms *rooms, uint32_t which);
/** loom_rooms_by_chance() - whether equal sums are likely coincidences among @values values */
bool loom_rooms_by_chance(const struct loom_rooms *rooms, uint64_t values);

#endif /* LOOM_TILING_ROOMS_H */
