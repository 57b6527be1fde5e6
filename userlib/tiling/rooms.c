// SPDX-License-Identifier: MIT
/*
 * DOC: Rooms
 *
 * Subsets of two lists of numbers with the same sum, but not both lists as a whole. The sums of all
 * small subsets of either list are computed, sorted, and compared. The size of a subset is limited
 * by the number of numbers: all subsets of eight, triples of fourteen, pairs of thirty, and larger
 * ones with @extended.
 */
#include "rooms.h"

#include <errno.h>
#include <stdlib.h>

/* subsets of a side, without and with @extended; pairs of subsets that are returned */
#define BASE_SETS	512
#define EXTENDED_SETS	32768
#define MAX_ROOMS	256
/* visits counted for computing and sorting a subset */
#define SET_VISITS	4
/* rate of pairs of subsets above which equal sums are likely coincidences: one in so many */
#define LIKELY		64

struct set {
	uint64_t sum;
	uint64_t members;
};

/**
 * struct loom_rooms - scratch memory, and the result
 * @sets: by side
 * @num_sets: by side
 * @rooms: the result
 * @num_rooms: number of @rooms
 */
struct loom_rooms {
	struct set *sets[2];
	uint32_t num_sets[2];
	struct loom_room rooms[MAX_ROOMS];
	uint32_t num_rooms;
};

int loom_rooms_create(struct loom_rooms **rooms)
{
	struct loom_rooms *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->sets[0] = malloc(EXTENDED_SETS * sizeof(*r->sets[0]));
	r->sets[1] = malloc(EXTENDED_SETS * sizeof(*r->sets[1]));
	if (!r->sets[0] || !r->sets[1]) {
		loom_rooms_destroy(r);
		return -ENOMEM;
	}
	*rooms = r;
	return 0;
}

void loom_rooms_destroy(struct loom_rooms *rooms)
{
	if (!rooms)
		return;
	free(rooms->sets[0]);
	free(rooms->sets[1]);
	free(rooms);
}

static int compare_sets(const void *a, const void *b)
{
	const struct set *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return (x->members > y->members) - (x->members < y->members);
}

static uint64_t sum_of(const uint64_t *numbers, uint64_t members)
{
	uint64_t sum = 0;

	for (; members; members &= members - 1)
		sum += numbers[__builtin_ctzll(members)];
	return sum;
}

/* The next larger number with the same number of bits set (Gosper's hack). */
static uint64_t next_members(uint64_t members)
{
	uint64_t low = members & -members, up = members + low;

	return up | ((members ^ up) / low >> 2);
}

/* All subsets of one number, of two, and so on, as long as there is room for all of one size. */
static void make_sets(struct loom_rooms *rooms, unsigned int side, const uint64_t *numbers,
		      uint32_t count, uint32_t most)
{
	struct set *sets = rooms->sets[side];
	uint64_t kind = 1, members;
	uint32_t size, num = 0;

	for (size = 1; size < count; size++) {
		kind = kind * (count - size + 1) / size;
		if (num + kind > most)
			break;
		members = (1ULL << size) - 1;
		for (; members < 1ULL << count; members = next_members(members))
			sets[num++] = (struct set){ sum_of(numbers, members), members };
	}
	qsort(sets, num, sizeof(*sets), compare_sets);
	rooms->num_sets[side] = num;
}

static int compare_rooms(const void *a, const void *b)
{
	const struct loom_room *x = a, *y = b;
	int m = __builtin_popcountll(x->out) + __builtin_popcountll(x->in);
	int n = __builtin_popcountll(y->out) + __builtin_popcountll(y->in);

	if (m != n)
		return m < n ? -1 : 1;
	if (x->out != y->out)
		return x->out < y->out ? -1 : 1;
	return (x->in > y->in) - (x->in < y->in);
}

/* Pairs a subset with all of the other side that have its sum. */
static void add_rooms(struct loom_rooms *rooms, const struct set *out, uint32_t first)
{
	const struct set *in = rooms->sets[1];
	uint32_t k;

	for (k = first; k < rooms->num_sets[1] && in[k].sum == out->sum; k++)
		if (rooms->num_rooms < MAX_ROOMS)
			rooms->rooms[rooms->num_rooms++] = (struct loom_room){
				out->members, in[k].members,
			};
}

void loom_rooms_find(struct loom_rooms *rooms, const uint64_t *out, uint32_t num_out,
		     const uint64_t *in, uint32_t num_in, bool extended, uint64_t *visits)
{
	uint32_t most = extended ? EXTENDED_SETS : BASE_SETS, i, k = 0;

	rooms->num_rooms = 0;
	if (num_out < 2 || num_in < 2 || num_out > LOOM_ROOMS_SIDE || num_in > LOOM_ROOMS_SIDE)
		return;
	make_sets(rooms, 0, out, num_out, most);
	make_sets(rooms, 1, in, num_in, most);
	*visits += SET_VISITS * ((uint64_t)rooms->num_sets[0] + rooms->num_sets[1]);
	for (i = 0; i < rooms->num_sets[0]; i++) {
		const struct set *set = &rooms->sets[0][i];

		while (k < rooms->num_sets[1] && rooms->sets[1][k].sum < set->sum)
			k++;
		add_rooms(rooms, set, k);
	}
	qsort(rooms->rooms, rooms->num_rooms, sizeof(rooms->rooms[0]), compare_rooms);
}

uint32_t loom_rooms_count(const struct loom_rooms *rooms)
{
	return rooms->num_rooms;
}

struct loom_room loom_rooms_get(const struct loom_rooms *rooms, uint32_t which)
{
	return rooms->rooms[which];
}

bool loom_rooms_by_chance(const struct loom_rooms *rooms, uint64_t values)
{
	return (uint64_t)rooms->num_sets[0] * rooms->num_sets[1] > values / LIKELY;
}
