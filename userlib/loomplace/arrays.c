// SPDX-License-Identifier: MIT
/*
 * Conversion of problems as arrays to those of loom_place.h, and of answers back. See loomplace.h.
 */
#include "arrays.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "loom_version.h"
#include "memory.h"
#include "quick.h"

#define TEXT_OF(number)		#number
#define TEXT(number)		TEXT_OF(number)

/* sizes of the structs of the first header */
#define PROBLEM_BYTES	offsetof(struct loomplace_problem, workspace)
#define ANSWER_BYTES	sizeof(struct loomplace_answer)

/* Clears an answer but for the fields set by the caller. */
static void clear_answer(struct loomplace_answer *answer)
{
	size_t bytes = sizeof(answer->struct_bytes);

	memset((char *)answer + bytes, 0, ANSWER_BYTES - bytes);
	answer->item = LOOMPLACE_NONE;
	answer->other = LOOMPLACE_NONE;
}

int place_fail(struct loomplace_answer *answer, int code, const char *text)
{
	size_t length = strlen(text);

	if (answer) {
		length = length < sizeof(answer->text) ? length : sizeof(answer->text) - 1;
		memcpy(answer->text, text, length);
		answer->text[length] = '\0';
	}
	return code;
}

static size_t item_of(uint32_t item)
{
	return item == LOOM_PLACE_NONE ? LOOMPLACE_NONE : item;
}

int place_fail_by(struct loomplace_answer *answer, int code, const struct loom_place_fault *fault)
{
	if (answer) {
		answer->item = item_of(fault->first);
		answer->other = item_of(fault->second);
		answer->missing_bytes = fault->missing_bytes;
	}
	return place_fail(answer, code, fault->text);
}

bool place_has_gaps(const struct loomplace_problem *problem)
{
	return problem->struct_bytes > offsetof(struct loomplace_problem, first_gap) &&
	       problem->first_gap && problem->first_gap[problem->num_items];
}

int place_check_problem(const struct loomplace_problem *problem, const uint64_t *offsets,
			struct loomplace_answer *answer)
{
	size_t i;

	if (answer && answer->struct_bytes < ANSWER_BYTES)
		return -EINVAL;
	if (answer)
		clear_answer(answer);
	if (!problem || problem->struct_bytes < PROBLEM_BYTES)
		return place_fail(answer, -EINVAL,
				  "there is no problem, or its struct has no such size");
	for (i = sizeof(*problem); i < problem->struct_bytes; i++)
		if (((const char *)problem)[i])
			return place_fail(answer, -EINVAL, "the problem uses unknown fields");
	if (problem->num_items >= LOOM_PLACE_NONE ||
	    problem->num_items > SIZE_MAX / 4 / sizeof(struct loom_place_item))
		return place_fail(answer, -E2BIG, "there are too many items");
	if (problem->num_items &&
	    (!problem->sizes || !problem->lowers || !problem->uppers || !offsets))
		return place_fail(answer, -EINVAL, "an array is missing");
	if (place_has_gaps(problem) && (!problem->gap_lowers || !problem->gap_uppers))
		return place_fail(answer, -EINVAL, "an array of the gaps is missing");
	if (problem->memory && (!problem->memory->allocate || !problem->memory->release))
		return place_fail(answer, -EINVAL, "a function for memory is missing");
	return 0;
}

/* Fills in the gaps of an item; false if their indices make no sense. */
static bool add_gaps(const struct loomplace_problem *problem, size_t item, size_t most,
		     struct loom_place_gap *gaps, struct loom_place_item *made)
{
	const size_t from = problem->first_gap[item], to = problem->first_gap[item + 1];
	size_t k;

	if (from > to || to > most || to - from > UINT32_MAX)
		return false;
	for (k = from; k < to; k++)
		gaps[k] = (struct loom_place_gap){
			.lower = problem->gap_lowers[k], .upper = problem->gap_uppers[k],
		};
	made->gaps = gaps + from;
	made->num_gaps = (uint32_t)(to - from);
	return true;
}

struct loom_place_item *place_make_items(const struct loomplace_problem *problem)
{
	const size_t n = problem->num_items;
	const size_t num_gaps = place_has_gaps(problem) ? problem->first_gap[n] : 0;
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	size_t i;

	if (num_gaps > SIZE_MAX / 4 / sizeof(*gaps))
		return NULL;
	items = calloc(1, (n + 1) * sizeof(*items) + num_gaps * sizeof(*gaps));
	gaps = (struct loom_place_gap *)(items + n + 1);
	for (i = 0; i < n && items; i++) {
		items[i].size_bytes = problem->sizes[i];
		items[i].lower = problem->lowers[i];
		items[i].upper = problem->uppers[i];
		items[i].align_bytes = problem->alignments ? problem->alignments[i] : 1;
		if (problem->fixed && problem->fixed[i] != LOOMPLACE_FREE) {
			items[i].flags = LOOM_PLACE_FIXED;
			items[i].fixed = problem->fixed[i];
		}
		/* an item of no lifetime is refused */
		if (num_gaps && !add_gaps(problem, i, num_gaps, gaps, &items[i]))
			items[i].upper = items[i].lower;
	}
	return items;
}

void place_answer(struct loomplace_answer *answer, const struct loom_place_result *result)
{
	if (!answer)
		return;
	answer->height_bytes = result->height_bytes[0];
	answer->bound_bytes = result->bound_bytes[0];
	answer->proved = result->proved;
}

static int place_items(const struct loomplace_problem *problem,
		       const struct loom_place_problem *inner, uint64_t *offsets,
		       struct loomplace_answer *answer)
{
	const struct loom_place_options options = {
		.budget = problem->budget,
		.time_ns = problem->time_ns,
		.fit_only = problem->capacity_bytes,
	};
	struct loom_place_result result;
	struct loom_place_fault fault = { LOOM_PLACE_NONE, LOOM_PLACE_NONE, 0, 0, "" };
	int ret = loom_place(inner, &options, &result, &fault);

	if (ret)
		return place_fail_by(answer, ret, &fault);
	if (inner->num_items)
		memcpy(offsets, result.offsets, inner->num_items * sizeof(*offsets));
	place_answer(answer, &result);
	loom_place_result_free(&result);
	return 0;
}

static int check_items(const struct loom_place_problem *inner, const uint64_t *offsets,
		       struct loomplace_answer *answer)
{
	struct loom_place_fault fault = { LOOM_PLACE_NONE, LOOM_PLACE_NONE, 0, 0, "" };
	int ret = loom_place_check(inner, offsets, NULL, &fault);
	uint64_t bound = 0;
	uint32_t i;

	if (!ret)
		ret = loom_place_bound(inner, &bound);
	/* the text of loom_place() describes items, but this fault is none of theirs */
	if (ret == -ENOMEM)
		return place_fail(answer, ret, "out of memory");
	if (ret)
		return place_fail_by(answer, ret, &fault);
	if (!answer)
		return 0;
	answer->bound_bytes = bound;
	for (i = 0; i < inner->num_items; i++)
		if (inner->items[i].size_bytes &&
		    answer->height_bytes < offsets[i] + inner->items[i].size_bytes)
			answer->height_bytes = offsets[i] + inner->items[i].size_bytes;
	answer->proved = answer->height_bytes <= bound;
	return 0;
}

/* @given: a placement to check, or NULL to find one */
static int run(const struct loomplace_problem *problem, const uint64_t *given, uint64_t *offsets,
	       struct loomplace_answer *answer)
{
	struct loom_place_pool pool = {
		.capacity_bytes = problem->capacity_bytes ? problem->capacity_bytes :
							    LOOM_PLACE_ANYWHERE,
	};
	struct loom_place_problem inner = {
		.num_items = (uint32_t)problem->num_items, .pools = &pool, .num_pools = 1,
	};
	struct loom_place_item *items = place_make_items(problem);
	int ret;

	if (!items)
		return place_fail(answer, -ENOMEM, "out of memory");
	inner.items = items;
	ret = given ? check_items(&inner, given, answer) :
		      place_items(problem, &inner, offsets, answer);
	free(items);
	return ret;
}

/* Places the items, by greedy orders alone if these are sufficient. */
static int place(const struct loomplace_problem *problem, uint64_t *offsets,
		 struct loomplace_answer *answer)
{
	const bool shared = problem->struct_bytes > PROBLEM_BYTES && problem->workspace;
	struct loomplace_workspace own = { 0 };
	uint64_t height, bound;
	bool placed = false;
	int ret = 0;

	if (!shared && problem->memory)
		own.memory = *problem->memory;
	if (!place_has_gaps(problem))
		ret = place_quick(problem, shared ? problem->workspace : &own, offsets, &height,
				  &bound, &placed);
	free(own.block);
	if (ret)
		return place_fail(answer, ret, "out of memory");
	if (!placed)
		return run(problem, NULL, offsets, answer);
	if (answer) {
		answer->height_bytes = height;
		answer->bound_bytes = bound;
		answer->proved = height <= bound;
	}
	return 0;
}

static int run_with(const struct loomplace_problem *problem, const uint64_t *given,
		    uint64_t *offsets, struct loomplace_answer *answer)
{
	const struct loomplace_memory *before;
	int saved = errno, ret;

	ret = place_check_problem(problem, given ? given : offsets, answer);
	if (ret)
		return ret;
	before = place_memory_use(problem->memory);
	ret = given ? run(problem, given, NULL, answer) : place(problem, offsets, answer);
	place_memory_use(before);
	errno = saved;
	return ret;
}

int loomplace_place(const struct loomplace_problem *problem, uint64_t *offsets,
		    struct loomplace_answer *answer)
{
	return run_with(problem, NULL, offsets, answer);
}

int loomplace_check(const struct loomplace_problem *problem, const uint64_t *offsets,
		    struct loomplace_answer *answer)
{
	static const uint64_t nothing[1];

	/* @offsets may be NULL without items */
	if (!offsets && problem && !problem->num_items)
		offsets = nothing;
	return run_with(problem, offsets, NULL, answer);
}

int loomplace_workspace_create(const struct loomplace_memory *memory,
			       struct loomplace_workspace **workspace)
{
	const struct loomplace_memory *before;
	struct loomplace_workspace *made;

	*workspace = NULL;
	if (memory && (!memory->allocate || !memory->release))
		return -EINVAL;
	before = place_memory_use(memory);
	made = calloc(1, sizeof(*made));
	place_memory_use(before);
	if (!made)
		return -ENOMEM;
	if (memory)
		made->memory = *memory;
	*workspace = made;
	return 0;
}

void loomplace_workspace_destroy(struct loomplace_workspace *workspace)
{
	struct loomplace_memory memory;
	const struct loomplace_memory *before;

	if (!workspace)
		return;
	memory = workspace->memory;
	before = place_memory_use(memory.allocate ? &memory : NULL);
	free(workspace->block);
	free(workspace);
	place_memory_use(before);
}

const char *loomplace_version(void)
{
	return TEXT(LOOM_VERSION_MAJOR) "." TEXT(LOOM_VERSION_MINOR) "." TEXT(LOOM_VERSION_PATCH);
}
