// SPDX-License-Identifier: MIT
/*
 * PQ-trees beside what they stand for: of the last six leaves of a column, all orders, kept in a
 * list. Leaves are replaced by others at random; the tree has to have an order exactly if the list
 * has, and name the leaves that went in an order that the list had. Sets of equal sums, too.
 */
#include "draw.h"
#include "tiling/pq_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tiling/rooms.h"
#include "tap.h"

#define NUM_LEAVES	64
#define MOST		6
#define MAX_ORDERS	40000
#define NUM_RUNS	3000

/* All orders of what is alive. */
static uint8_t orders[MAX_ORDERS][MOST + 1];
static uint8_t more[MAX_ORDERS][MOST + 1];
static uint32_t num_orders, length;

static void add_orders(const uint8_t *leaves, uint32_t count, uint8_t *order, uint32_t used)
{
	uint32_t i, at = (uint32_t)__builtin_popcount(used);

	if (at == count) {
		memcpy(orders[num_orders++], order, count);
		return;
	}
	for (i = 0; i < count; i++) {
		if (used >> i & 1)
			continue;
		order[at] = leaves[i];
		add_orders(leaves, count, order, used | 1U << i);
	}
}

static bool is_in(const uint32_t *set, uint32_t count, uint8_t leaf)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (set[i] == leaf)
			return true;
	return false;
}

/* Where a set begins in an order in which it is side by side, or -1. */
static int find_run(const uint8_t *order, const uint32_t *set, uint32_t count)
{
	uint32_t begin = 0, i;

	while (!is_in(set, count, order[begin]))
		begin++;
	for (i = begin; i < begin + count; i++)
		if (i >= length || !is_in(set, count, order[i]))
			return -1;
	return (int)begin;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, length);
}

/* Replaces a set in all orders that have it side by side; false if none has. */
static bool replace_listed(const uint32_t *out, uint32_t num_out, const uint32_t *in,
			   uint32_t num_in)
{
	uint32_t found = 0, i, k, turn, kinds = num_in == 1 ? 1 : 2, kept = 0;

	for (i = 0; i < num_orders; i++) {
		int at = find_run(orders[i], out, num_out);

		for (turn = 0; at >= 0 && turn < kinds; turn++) {
			uint8_t *to = more[found++];

			memcpy(to, orders[i], (size_t)at);
			for (k = 0; k < num_in; k++)
				to[at + k] = (uint8_t)in[turn ? num_in - 1 - k : k];
			memcpy(to + at + num_in, orders[i] + at + num_out,
			       length - (uint32_t)at - num_out);
		}
	}
	if (!found)
		return false;
	length += num_in - num_out;
	qsort(more, found, sizeof(more[0]), compare);
	for (i = 0; i < found; i++)
		if (!kept || memcmp(orders[kept - 1], more[i], length))
			memcpy(orders[kept++], more[i], length);
	num_orders = kept;
	return true;
}

/* Whether an order of the list has these side by side, in this order or turned. */
static bool is_listed(const uint32_t *run, uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < num_orders; i++) {
		int at = find_run(orders[i], run, count);

		for (k = 0; at >= 0 && k < count && orders[i][(uint32_t)at + k] == run[k]; k++)
			;
		if (at >= 0 && k == count)
			return true;
	}
	return false;
}

static bool has_order(struct loom_pq *pq)
{
	uint32_t order[NUM_LEAVES], i, k, count = loom_pq_order(pq, order);

	for (i = 0; count == length && i < num_orders; i++) {
		for (k = 0; k < length && orders[i][k] == order[k]; k++)
			;
		if (k == length)
			return true;
	}
	return false;
}

static uint32_t refusals, deep;

/* A tree, and changes of it, until all leaves were used; whether it was as the list. */
static bool run_tree(struct loom_pq *pq)
{
	uint32_t leaves[MOST], next, count = 3 + draw(MOST - 2), i;
	uint8_t first[MOST], order[MOST];
	uint64_t visits = 0;

	for (i = 0; i < count; i++) {
		leaves[i] = i;
		first[i] = (uint8_t)i;
	}
	loom_pq_start(pq, leaves, count);
	num_orders = 0;
	length = count;
	add_orders(first, count, order, 0);
	for (next = count; next + 2 < NUM_LEAVES;) {
		uint32_t out[MOST], in[2], went[MOST], num_out = 1 + draw(3), num_in = 1 + draw(2);
		struct loom_pq_change change = {
			.out = out, .num_out = num_out, .in = in, .num_in = num_in,
			.order = went,
		};
		bool can, did;

		if (num_out > length || length - num_out + num_in > MOST)
			continue;
		for (i = 0; i < num_out;) {
			out[i] = orders[0][draw(length)];
			i += !is_in(out, i, (uint8_t)out[i]);
		}
		for (i = 0; i < num_in; i++)
			in[i] = next + i;
		can = loom_pq_can(pq, out, num_out, &visits);
		did = loom_pq_replace(pq, &change, &visits);
		if (can != did)
			return false;
		if (did && !is_listed(went, num_out))
			return false;
		if (did != replace_listed(out, num_out, in, num_in))
			return false;
		refusals += !did;
		deep += did && (change.below != LOOM_PQ_NONE || change.above != LOOM_PQ_NONE);
		if (!has_order(pq))
			return false;
		next += did ? num_in : 0;
		if (!did && !draw(8))
			break;
	}
	return true;
}

static void test_trees(void)
{
	struct loom_pq *pq;
	uint32_t run;

	if (loom_pq_create(NUM_LEAVES, &pq))
		tap_fatal("no memory");
	for (run = 0; run < NUM_RUNS && run_tree(pq); run++)
		;
	tap_ok(run == NUM_RUNS, "trees have the orders of a list of all orders: %u", run);
	tap_ok(refusals > NUM_RUNS / 2 && deep > NUM_RUNS / 2,
	       "many were refused, %u, and many were within a sequence, %u", refusals, deep);
	loom_pq_destroy(pq);
}

static void test_rooms(void)
{
	static const uint64_t out[] = { 7, 5, 11, 40 }, in[] = { 23, 3, 9, 28 };
	struct loom_rooms *rooms;
	struct loom_room room;
	uint64_t visits = 0, many[LOOM_ROOMS_SIDE + 1] = { 0 };

	if (loom_rooms_create(&rooms))
		tap_fatal("no memory");
	loom_rooms_find(rooms, out, 4, in, 4, false, &visits);
	room = loom_rooms_get(rooms, 0);
	/* 7 + 5 = 3 + 9; 7 + 5 + 11 = 23; and what is left of each of these */
	tap_ok(loom_rooms_count(rooms) == 4 && visits, "rooms of the same sum are found: %u",
	       loom_rooms_count(rooms));
	tap_ok(__builtin_popcountll(room.out) + __builtin_popcountll(room.in) == 4,
	       "the smallest comes first");
	loom_rooms_find(rooms, out, 1, in, 4, true, &visits);
	tap_ok(!loom_rooms_count(rooms), "one number has no part");
	loom_rooms_find(rooms, many, LOOM_ROOMS_SIDE + 1, in, 4, true, &visits);
	tap_ok(!loom_rooms_count(rooms), "too many numbers are refused");
	loom_rooms_destroy(rooms);
}

int main(void)
{
	test_trees();
	test_rooms();
	return tap_end();
}
