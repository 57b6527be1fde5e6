// SPDX-License-Identifier: MIT
/*
 * A program that has nothing of Loom but libloomplace: its header, and the library, shared or
 * static. Built and run by tools/ci/install-test.sh. TAP.
 */
#include <errno.h>
#include <loomplace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS	400

static unsigned int count, failed;

static void ok(int good, const char *what)
{
	failed += !good;
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, what);
}

/* Counts what is allocated, and gives nothing after @left calls. */
struct arena {
	unsigned long long now;
	unsigned long long calls;
	unsigned long long left;
};

static void *take(void *context, size_t bytes)
{
	struct arena *arena = context;

	if (!arena->left)
		return NULL;
	arena->left--;
	arena->calls++;
	arena->now++;
	return malloc(bytes);
}

static void give_back(void *context, void *memory)
{
	struct arena *arena = context;

	arena->now--;
	free(memory);
}

static unsigned long long state = 1;

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(state >> 33) % below;
}

static uint64_t sizes[MAX_ITEMS], alignments[MAX_ITEMS], fixed[MAX_ITEMS], offsets[MAX_ITEMS];
static int64_t lowers[MAX_ITEMS], uppers[MAX_ITEMS];

static struct loomplace_problem make(size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		sizes[i] = 1 + draw(100000);
		lowers[i] = draw(50);
		uppers[i] = lowers[i] + 1 + draw(20);
		alignments[i] = draw(2) ? 4096 : draw(2);
		fixed[i] = LOOMPLACE_FREE;
	}
	return (struct loomplace_problem){
		.struct_bytes = sizeof(struct loomplace_problem),
		.num_items = n, .sizes = sizes, .lowers = lowers, .uppers = uppers,
		.alignments = alignments, .fixed = fixed, .budget = 3000,
	};
}

/* All pairs. */
static int is_placement(size_t n, uint64_t height)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (offsets[i] + sizes[i] > height || (alignments[i] && offsets[i] % alignments[i]))
			return 0;
		for (k = 0; k < i; k++)
			if (lowers[i] < uppers[k] && lowers[k] < uppers[i] &&
			    offsets[i] < offsets[k] + sizes[k] &&
			    offsets[k] < offsets[i] + sizes[i])
				return 0;
	}
	return 1;
}

static void test_memory(struct loomplace_problem problem, struct loomplace_answer *answer)
{
	static uint64_t before[MAX_ITEMS];
	struct arena arena = { .left = ~0ULL };
	const struct loomplace_memory memory = { take, give_back, &arena };
	uint64_t height = answer->height_bytes;
	unsigned long long i, calls;
	int good = 1;

	memcpy(before, offsets, sizeof(before));
	problem.memory = &memory;
	ok(!loomplace_place(&problem, offsets, answer) && arena.calls && !arena.now,
	   "memory of the caller's, and all of it back");
	ok(answer->height_bytes == height && !memcmp(before, offsets, sizeof(before)),
	   "the same answer as with malloc()");
	calls = arena.calls;
	memset(offsets, 0x55, sizeof(offsets));
	memcpy(before, offsets, sizeof(before));
	for (i = 0; i < calls && good; i += 1 + calls / 60) {
		arena.left = i;
		errno = 77;
		good = loomplace_place(&problem, offsets, answer) == -ENOMEM && !arena.now &&
		       errno == 77 && answer->text[0] &&
		       !memcmp(before, offsets, sizeof(before));
	}
	ok(good, "-ENOMEM wherever it ends: nothing is lost, and nothing written");
	arena.left = ~0ULL;
	ok(!loomplace_place(&problem, offsets, answer), "placed again, to be checked");
	arena.calls = 0;
	good = !loomplace_check(&problem, offsets, answer) && !arena.now && !answer->text[0];
	calls = arena.calls;
	for (i = 0; i < calls && good; i++) {
		arena.left = i;
		errno = 77;
		good = loomplace_check(&problem, offsets, answer) == -ENOMEM && !arena.now &&
		       errno == 77 && answer->text[0];
	}
	ok(good && calls, "a check that runs out of memory anywhere says so");
}

/* Problems like networks, which greedy orders mostly place at the bound. */
static void test_workspace(struct loomplace_answer *answer)
{
	struct arena arena = { .left = ~0ULL };
	const struct loomplace_memory memory = { take, give_back, &arena };
	struct loomplace_problem problem = make(MAX_ITEMS);
	unsigned int i, k, quick = 0, good = 1;
	unsigned long long calls;

	good = !loomplace_workspace_create(&memory, &problem.workspace);
	for (k = 0; k < 100 && good; k++) {
		/* the first is the largest */
		problem.num_items = k ? 1 + draw(40) : MAX_ITEMS;
		for (i = 0; i < problem.num_items; i++) {
			sizes[i] = draw(10) ? 1 + draw(1000) : 0;
			lowers[i] = i;
			uppers[i] = i + 2 + draw(4);
			alignments[i] = draw(2) ? 64 : 0;
		}
		calls = arena.calls;
		good = !loomplace_place(&problem, offsets, answer) &&
		       is_placement(problem.num_items, answer->height_bytes) &&
		       answer->bound_bytes <= answer->height_bytes &&
		       (!k || arena.calls == calls);
		problem.memory = &memory;
		calls = arena.calls;
		good = good && !loomplace_place(&problem, offsets, answer);
		quick += arena.calls == calls;
		problem.memory = NULL;
	}
	ok(good && quick > 10, "with a workspace, small problems allocate nothing");
	problem.capacity_bytes = answer->height_bytes + 1;
	ok(!loomplace_place(&problem, offsets, answer) &&
	   answer->height_bytes < problem.capacity_bytes, "within a capacity, too");
	loomplace_workspace_destroy(problem.workspace);
	ok(!arena.now, "a workspace leaves nothing");
}

static void test_faults(struct loomplace_problem problem, struct loomplace_answer *answer)
{
	struct {
		struct loomplace_problem problem;
		uint64_t later;
	} longer = { .problem = problem };
	uint64_t same[2] = { 0, 0 };

	problem.num_items = 2;
	lowers[1] = lowers[0];
	uppers[1] = uppers[0];
	ok(loomplace_check(&problem, same, answer) == -EBADMSG && answer->item < 2 &&
	   answer->other < 2 && answer->text[0], "two on one another");
	fixed[0] = 0;
	fixed[1] = 0;
	ok(loomplace_place(&problem, offsets, answer) == -EINVAL && answer->text[0],
	   "fixed on one another");
	fixed[0] = LOOMPLACE_FREE;
	fixed[1] = LOOMPLACE_FREE;
	sizes[0] = 100;
	sizes[1] = 100;
	alignments[0] = 0;
	alignments[1] = 0;
	problem.capacity_bytes = 150;
	ok(loomplace_place(&problem, offsets, answer) == -ENOSPC &&
	   answer->missing_bytes == 50 && answer->item == LOOMPLACE_NONE,
	   "a capacity that falls short");
	uppers[1] = lowers[1];
	ok(loomplace_place(&problem, offsets, NULL) == -EINVAL, "an empty lifetime");
	problem.struct_bytes = 8;
	ok(loomplace_place(&problem, offsets, answer) == -EINVAL, "a struct that is too short");
	longer.problem.struct_bytes = sizeof(longer);
	longer.problem.num_items = 0;
	ok(!loomplace_place(&longer.problem, NULL, answer) && !answer->height_bytes &&
	   answer->proved, "a struct of a later header, and no items");
	longer.later = 1;
	ok(loomplace_place(&longer.problem, NULL, answer) == -EINVAL,
	   "but not if it asks for more");
	problem.struct_bytes = sizeof(problem);
	problem.sizes = NULL;
	ok(loomplace_place(&problem, offsets, answer) == -EINVAL, "no sizes");
	ok(loomplace_place(NULL, offsets, answer) == -EINVAL, "no problem");
	answer->struct_bytes = 0;
	ok(loomplace_place(&problem, offsets, answer) == -EINVAL, "an answer of no size");
}

int main(void)
{
	struct loomplace_answer answer = { .struct_bytes = sizeof(answer) };
	struct loomplace_problem problem = make(MAX_ITEMS);

	ok(!!loomplace_version()[0], "there is a version");
	ok(!loomplace_place(&problem, offsets, &answer) &&
	   is_placement(MAX_ITEMS, answer.height_bytes) &&
	   answer.bound_bytes <= answer.height_bytes && !answer.text[0], "items are placed");
	ok(!loomplace_check(&problem, offsets, &answer) &&
	   is_placement(MAX_ITEMS, answer.height_bytes), "and it is proved that they are");
	test_memory(problem, &answer);
	test_workspace(&answer);
	problem = make(MAX_ITEMS);
	test_faults(problem, &answer);
	printf("1..%u\n", count);
	return !!failed;
}
