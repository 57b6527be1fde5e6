// SPDX-License-Identifier: MIT
/* Parts of random graphs, by what is asked of them: each checked by following all ways. */
#include "ort/partition.h"

#include <string.h>

#include "random.h"
#include "tap.h"

#define NODES	24
#define EDGES	80
#define GRAPHS	3000

/**
 * struct sample - a random graph and its parts
 * @count: number of nodes
 * @edges: its edges
 * @num_edges: number of @edges
 * @wanted: which nodes may be in a part
 * @parts: the part of each node
 * @num_parts: number of parts
 */
struct sample {
	uint32_t count;
	struct loom_partition_edge edges[EDGES];
	uint32_t num_edges;
	bool wanted[NODES];
	uint32_t parts[NODES];
	uint32_t num_parts;
};

static void draw(struct sample *sample)
{
	uint32_t i, percent = 50 + (uint32_t)random_below(51);

	memset(sample, 0, sizeof(*sample));
	sample->count = 2 + (uint32_t)random_below(NODES - 1);
	sample->num_edges = (uint32_t)random_below(EDGES + 1);
	for (i = 0; i < sample->num_edges; i++) {
		sample->edges[i].to = 1 + (uint32_t)random_below(sample->count - 1);
		sample->edges[i].from = (uint32_t)random_below(sample->edges[i].to);
	}
	for (i = 0; i < sample->count; i++)
		sample->wanted[i] = random_below(100) < percent;
}

/* Representative of a node if parts are contracted: the first node of its part, or the node. */
static uint32_t leader(const struct sample *sample, const uint32_t *parts, uint32_t node)
{
	uint32_t i;

	if (parts[node] == LOOM_PARTITION_NONE)
		return node;
	for (i = 0; parts[i] != parts[node]; i++)
		;
	(void)sample;
	return i;
}

/* Whether parts, and nodes in none, can run one after the other. */
static bool can_run(const struct sample *sample, const uint32_t *parts)
{
	bool reach[NODES][NODES] = { { false } };
	uint32_t i, k, m;

	for (i = 0; i < sample->num_edges; i++) {
		uint32_t from = leader(sample, parts, sample->edges[i].from);
		uint32_t to = leader(sample, parts, sample->edges[i].to);

		if (from != to)
			reach[from][to] = true;
	}
	for (k = 0; k < sample->count; k++)
		for (i = 0; i < sample->count; i++)
			for (m = 0; m < sample->count; m++)
				reach[i][m] = reach[i][m] || (reach[i][k] && reach[k][m]);
	for (i = 0; i < sample->count; i++)
		if (reach[i][i])
			return false;
	return true;
}

static bool is_connected(const struct sample *sample, uint32_t part)
{
	bool seen[NODES] = { false }, changed = true;
	uint32_t i;

	for (i = 0; sample->parts[i] != part; i++)
		;
	seen[i] = true;
	while (changed) {
		changed = false;
		for (i = 0; i < sample->num_edges; i++) {
			uint32_t from = sample->edges[i].from, to = sample->edges[i].to;

			if (sample->parts[from] != part || sample->parts[to] != part ||
			    seen[from] == seen[to])
				continue;
			seen[from] = true;
			seen[to] = true;
			changed = true;
		}
	}
	for (i = 0; i < sample->count; i++)
		if (sample->parts[i] == part && !seen[i])
			return false;
	return true;
}

/* No two parts that an edge joins could be one. */
static bool is_maximal(const struct sample *sample)
{
	uint32_t parts[NODES], i, k;

	for (i = 0; i < sample->num_edges; i++) {
		uint32_t a = sample->parts[sample->edges[i].from];
		uint32_t b = sample->parts[sample->edges[i].to];

		if (a == b || a == LOOM_PARTITION_NONE || b == LOOM_PARTITION_NONE)
			continue;
		for (k = 0; k < sample->count; k++)
			parts[k] = sample->parts[k] == b ? a : sample->parts[k];
		if (can_run(sample, parts))
			return false;
	}
	return true;
}

static bool is_numbered(const struct sample *sample)
{
	uint32_t i, next = 0;

	for (i = 0; i < sample->count; i++) {
		bool is_none = sample->parts[i] == LOOM_PARTITION_NONE;

		if (sample->wanted[i] == is_none)
			return false;
		if (sample->wanted[i] && sample->parts[i] > next)
			return false;
		if (sample->wanted[i] && sample->parts[i] == next)
			next++;
	}
	return next == sample->num_parts;
}

static void test_random(void)
{
	bool numbered = true, run = true, connected = true, maximal = true;
	uint32_t i, k, joined = 0;

	random_state = 18;
	for (i = 0; i < GRAPHS; i++) {
		struct sample sample;

		draw(&sample);
		if (loom_partition(sample.count, sample.edges, sample.num_edges, sample.wanted,
				   sample.parts, &sample.num_parts))
			tap_fatal("loom_partition failed");
		numbered = numbered && is_numbered(&sample);
		run = run && can_run(&sample, sample.parts);
		maximal = maximal && is_maximal(&sample);
		for (k = 0; k < sample.num_parts; k++)
			connected = connected && is_connected(&sample, k);
		joined += sample.num_parts < sample.count;
	}
	tap_ok(numbered, "nodes that may be are in a part, others in none, and parts are numbered");
	tap_ok(run, "parts and other nodes can run one after the other");
	tap_ok(connected, "a part is connected");
	tap_ok(maximal, "no two parts that an edge joins could be one");
	tap_ok(joined > GRAPHS / 2, "there are parts of several nodes in %u of %u graphs", joined,
	       GRAPHS);
}

/* a -> b -> d, a -> c -> d, where b cannot: a and d are not one, though c joins them */
static void test_diamond(void)
{
	const struct loom_partition_edge edges[] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 } };
	const bool wanted[] = { true, false, true, true };
	uint32_t parts[4], count;

	tap_ok(!loom_partition(4, edges, 4, wanted, parts, &count) && count == 2 &&
	       parts[0] == 0 && parts[1] == LOOM_PARTITION_NONE && parts[2] == 0 && parts[3] == 1,
	       "a way around a node that cannot be divides a part");
}

int main(void)
{
	test_random();
	test_diamond();
	return tap_end();
}
