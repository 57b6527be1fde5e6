// SPDX-License-Identifier: MIT
/* loom place with several memories, and with addresses that nothing may touch. */
#include "../place.h"

#include <stdlib.h>
#include <string.h>

/* NAME=[CAPACITY][,COST]; where no cost is given, one more than that of the one before. */
int tool_place_add_pool(struct tool_placing *place, char *text)
{
	struct loom_place_pool *pool = &place->pools[place->num_pools];
	char *capacity = strchr(text, '='), *cost;
	int64_t number = 0;
	unsigned int i;

	if (place->num_pools == LOOM_PLACE_MAX_POOLS)
		return tool_usage(place->command, "there are more than %d pools",
				  LOOM_PLACE_MAX_POOLS);
	if (!capacity || capacity == text || strcspn(text, " \t,") < (size_t)(capacity - text))
		return tool_usage(place->command, "--pool takes NAME=[CAPACITY][,COST], not '%s'",
				  text);
	*capacity++ = '\0';
	for (i = 0; i < place->num_pools; i++)
		if (!strcmp(place->pool_names[i], text))
			return tool_usage(place->command, "there are two pools '%s'", text);
	cost = strchr(capacity, ',');
	if (cost)
		*cost++ = '\0';
	*pool = (struct loom_place_pool){ .capacity_bytes = LOOM_PLACE_ANYWHERE };
	if (*capacity) {
		if (tool_parse_number(capacity, true, &number))
			return tool_usage(place->command, "'%s' is no capacity of '%s'", capacity,
					  text);
		pool->capacity_bytes = (uint64_t)number;
	}
	pool->cost = place->num_pools ? pool[-1].cost + 1 : 0;
	if (cost) {
		if (tool_parse_number(cost, false, &number))
			return tool_usage(place->command, "'%s' is no cost of '%s'", cost, text);
		pool->cost = (uint64_t)number;
	}
	place->pool_names[place->num_pools++] = text;
	return 0;
}

/* FROM-TO: the first byte and the first one behind. */
int tool_place_add_forbidden(struct tool_placing *place, char *text)
{
	struct loom_place_range *range = &place->forbidden[place->num_forbidden];
	char *to = strchr(text, '-');
	int64_t lower, upper;
	unsigned int i = place->num_forbidden;

	if (i == TOOL_PLACE_RANGES)
		return tool_usage(place->command, "there are more than %d forbidden ranges",
				  TOOL_PLACE_RANGES);
	if (to)
		*to++ = '\0';
	if (!to || tool_parse_number(text, true, &lower) || tool_parse_number(to, true, &upper) ||
	    lower >= upper)
		return tool_usage(place->command, "--forbid takes FROM-TO, two offsets");
	*range = (struct loom_place_range){ (uint64_t)lower, (uint64_t)upper };
	/* they are given in any order, but the placer takes them ascending */
	for (; i && range[-1].lower > range->lower; i--, range--) {
		struct loom_place_range swap = *range;

		*range = range[-1];
		range[-1] = swap;
	}
	place->num_forbidden++;
	return 0;
}

static int tool_place_forbid(struct tool_placing *place)
{
	unsigned int i;
	uint32_t k;

	for (i = 1; i < place->num_forbidden; i++)
		if (place->forbidden[i].lower < place->forbidden[i - 1].upper)
			return tool_usage(place->command, "two of the ranges of --forbid overlap");
	place->items = calloc((size_t)place->problem.num_items + 1, sizeof(*place->items));
	if (!place->items)
		return tool_fail("%s: no memory", place->path);
	for (k = 0; k < place->problem.num_items; k++) {
		place->items[k] = place->problem.items[k];
		place->items[k].excluded = place->forbidden;
		place->items[k].num_excluded = place->num_forbidden;
	}
	place->problem.items = place->items;
	return 0;
}

int tool_place_set_pools(struct tool_placing *place)
{
	struct loom_error err;

	if (place->num_pools) {
		if (place->memory)
			return tool_usage(place->command,
					  "a TensorFlow Lite file has one arena, not pools");
		if (place->capacity_bytes != LOOM_PLACE_ANYWHERE || place->num_forbidden)
			return tool_usage(place->command,
					  "--capacity and --forbid are for one memory, not --pool");
		if (place->picture && place->num_pools > 1)
			return tool_usage(place->command, "--svg draws one memory, not several");
		if (loom_place_csv_set_pools(place->csv, place->pool_names, place->num_pools,
					     &err))
			return tool_fail("%s", err.text);
		return 0;
	}
	place->num_pools = 1;
	place->pools[0] = (struct loom_place_pool){ .capacity_bytes = place->capacity_bytes };
	return place->num_forbidden ? tool_place_forbid(place) : 0;
}

static uint32_t tool_place_count(const struct tool_placing *place, uint32_t pool)
{
	uint32_t count = 0, i;

	for (i = 0; i < place->problem.num_items; i++)
		count += place->result.pools[i] == pool;
	return count;
}

void tool_place_print_pools(const struct tool_placing *place)
{
	const struct loom_place_result *result = &place->result;
	char height[TOOL_TEXT], capacity[TOOL_TEXT];
	unsigned int i;

	for (i = 0; i < place->num_pools; i++) {
		printf("pool       %s: %u items, height %llu bytes, %s", place->pool_names[i],
		       tool_place_count(place, i), (unsigned long long)result->height_bytes[i],
		       tool_bytes(height, result->height_bytes[i]));
		if (place->pools[i].capacity_bytes != LOOM_PLACE_ANYWHERE)
			printf(" of %s", tool_bytes(capacity, place->pools[i].capacity_bytes));
		printf(", bound %llu, a byte costs %llu\n",
		       (unsigned long long)result->bound_bytes[i],
		       (unsigned long long)place->pools[i].cost);
	}
	printf("cost       %llu\n", (unsigned long long)result->spill_cost);
	printf("result     %s\n", result->proved ? "proved optimal" :
	       "no proof: less cost or lower pools may be possible");
}

void tool_place_put_pools(const struct tool_placing *place, struct json *json)
{
	unsigned int i;

	json_u64(json, "cost", place->result.spill_cost);
	json_open(json, "pools", '[');
	for (i = 0; i < place->num_pools; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", place->pool_names[i]);
		json_u64(json, "items", tool_place_count(place, i));
		json_u64(json, "height_bytes", place->result.height_bytes[i]);
		json_u64(json, "bound_bytes", place->result.bound_bytes[i]);
		if (place->pools[i].capacity_bytes != LOOM_PLACE_ANYWHERE)
			json_u64(json, "capacity_bytes", place->pools[i].capacity_bytes);
		json_close(json, '}');
	}
	json_close(json, ']');
}
