// SPDX-License-Identifier: MIT
/*
 * All strategies on random problems with all features: an answer is a valid placement, not below
 * the bound, and the same each time; a strategy refuses features that it does not support.
 * loom_place_check() is compared with place_judge.h, and loom_place_bound() with sums over all
 * moments.
 */
#include "draw.h"
#include "loom_place.h"
#include "place_judge.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define NONE		LOOM_PLACE_NONE
#define ANYWHERE	LOOM_PLACE_ANYWHERE

#define MAX_ITEMS	JUDGE_ITEMS
#define MAX_PAIRS	8
#define MAX_GAPS	2
#define MAX_POOLS	3
#define FIRST		-30
#define LAST		60

/* A problem with all that it points to. */
struct random_problem {
	struct loom_place_problem problem;
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_op ops[MAX_ITEMS];
	uint32_t inputs[MAX_ITEMS][3];
	struct loom_place_gap gaps[MAX_ITEMS][MAX_GAPS];
	struct loom_place_range excluded[MAX_ITEMS];
	struct loom_place_pair apart[MAX_PAIRS];
	struct loom_place_pool pools[MAX_POOLS];
	struct loom_place_pair conflicts[MAX_PAIRS];
};

/* --- the bound -------------------------------------------------------------------------------- */

/*
 * Bytes lost between items that begin at multiples of @align and are there at a moment: the pads of
 * all, less the largest ones: one for each item that is not aligned, and one on top.
 */
static uint64_t lost_at(const struct loom_place_problem *p, const struct judge_group *groups,
			uint64_t align, int64_t moment)
{
	uint64_t pads[MAX_ITEMS], from, to, lost = 0, swap;
	uint32_t num_pads = 0, others = 0, i, k;

	for (i = 0; i < p->num_items; i++) {
		if (judge_owner(p, i) != i || !judge_there(p, groups, i, moment, &from, &to))
			continue;
		if (from || groups[i].align % align) {
			others++;
			continue;
		}
		for (pads[num_pads] = 0; (to + pads[num_pads]) % align; pads[num_pads]++)
			;
		for (k = num_pads++; k && pads[k] < pads[k - 1]; k--) {
			swap = pads[k];
			pads[k] = pads[k - 1];
			pads[k - 1] = swap;
		}
	}
	for (i = 0; i + others + 1 < num_pads; i++)
		lost += pads[i];
	return lost;
}

/* Whether no owner may touch a byte. */
static bool is_forbidden(const struct loom_place_problem *p, uint64_t byte)
{
	uint32_t i, k, o;

	for (o = 0; o < p->num_items; o++) {
		bool out = judge_owner(p, o) != o || !p->items[o].size_bytes;

		/* those of its aliases are those of an owner, too */
		for (i = 0; i < p->num_items && !out; i++)
			for (k = 0; k < p->items[i].num_excluded && judge_owner(p, i) == o; k++)
				out = out || (byte >= p->items[i].excluded[k].lower &&
					      byte < p->items[i].excluded[k].upper);
		if (!out)
			return false;
	}
	return true;
}

/* The height below which there are so many bytes that may be touched. */
static uint64_t raise_height(const struct loom_place_problem *p, uint64_t bytes)
{
	uint64_t height = 0;

	for (; bytes; height++)
		bytes -= !is_forbidden(p, height);
	return height;
}

static uint64_t slow_bound(const struct loom_place_problem *p)
{
	struct judge_group groups[MAX_ITEMS];
	uint64_t bound = 0, peak = 0, live, most, from, to;
	uint32_t i;
	int64_t t;

	judge_groups(p, groups);
	for (t = FIRST; t < LAST; t++) {
		for (i = 0, live = 0; i < p->num_items; i++)
			if (judge_owner(p, i) == i && judge_there(p, groups, i, t, &from, &to))
				live += to - from;
		for (i = 0, most = 0; i < p->num_items; i++) {
			uint64_t lost = judge_owner(p, i) != i || !p->items[i].size_bytes ? 0 :
					lost_at(p, groups, groups[i].align, t);

			most = lost > most ? lost : most;
		}
		bound = live + most > bound ? live + most : bound;
		peak = live > peak ? live : peak;
	}
	peak = raise_height(p, peak);
	bound = peak > bound ? peak : bound;
	for (i = 0; i < p->num_items; i++)
		if (item_is_fixed(&p->items[i]) && p->items[i].size_bytes &&
		    bound < p->items[i].fixed + p->items[i].size_bytes)
			bound = p->items[i].fixed + p->items[i].size_bytes;
	return bound;
}

/* Whether the bound is what it is to be, and its reason proves it and nothing above. */
static bool bound_holds(const struct loom_place_problem *p, uint64_t *bound)
{
	struct loom_place_reason reason;

	if (loom_place_bound(p, bound) || loom_place_bound_reason(p, &reason) ||
	    reason.bound_bytes != *bound || *bound != slow_bound(p) ||
	    loom_place_check_reason(p, &reason))
		return false;
	reason.bound_bytes++;
	return loom_place_check_reason(p, &reason) == -EBADMSG;
}

/* --- problems --------------------------------------------------------------------------------- */

/*
 * A graph: each operator makes an item from some that were made before, some of them in place. Some
 * items live longer than they are read.
 */
static void make_graph(struct random_problem *r, uint32_t n)
{
	static const uint32_t aligns[] = { 1, 1, 4, 64, 48 };
	uint32_t align = aligns[draw(5)], i, k;

	memset(r, 0, sizeof(*r));
	r->problem = (struct loom_place_problem){
		.items = r->items, .num_items = n, .ops = r->ops, .num_ops = n,
	};
	for (i = 0; i < n; i++) {
		struct loom_place_op *op = &r->ops[i];
		uint32_t from = 0;

		op->inputs = r->inputs[i];
		op->output = i;
		op->num_inputs = i ? draw(i < 3 ? i + 1 : 4) : 0;
		for (k = 0; k < op->num_inputs; k++) {
			/* mostly recent items, sometimes old ones */
			from = draw(4) ? i - 1 - draw(i < 6 ? i : 6) : draw(i);
			r->inputs[i][k] = from;
			if (r->items[from].upper <= i)
				r->items[from].upper = i + 1;
		}
		r->items[i] = (struct loom_place_item){
			.size_bytes = draw(8) ? 1 + draw(1000) : 0,
			.align_bytes = align,
			.lower = i,
			.upper = i + 1 + (draw(8) ? 0 : draw(6)),
			.width = draw(3) ? 0 : 1 + draw(20),
			.storage_class = draw(2),
		};
		r->items[i].height = r->items[i].width ? 1 + draw(20) : 0;
		if (op->num_inputs && !draw(6)) {
			op->in_place = true;
			item_lies_in(&r->items[i], r->inputs[i][0]);
			r->items[i].size_bytes = r->items[r->inputs[i][0]].size_bytes;
		}
	}
}

static void add_gaps(struct random_problem *r, uint32_t i)
{
	struct loom_place_item *item = &r->items[i];
	int64_t from = item->lower;
	uint32_t k;

	item->gaps = r->gaps[i];
	for (k = 0; k < MAX_GAPS; k++) {
		struct loom_place_gap *gap = &r->gaps[i][k];

		gap->lower = from + draw(4);
		gap->upper = gap->lower + 1 + draw(4);
		if (gap->upper > item->upper)
			break;
		if (draw(2)) {
			gap->window_upper = draw(item->size_bytes + 1);
			gap->window_lower = draw(gap->window_upper + 1);
		}
		from = gap->upper;
		item->num_gaps++;
	}
}

static void add_alias(struct random_problem *r, uint32_t i)
{
	struct loom_place_item *item = &r->items[i];
	uint32_t align = 1U << draw(4), of = draw(i);

	if (item_is_fixed(item))
		return;
	item_lies_in(item, of);
	item->align_bytes = align;
	item->alias_offset = draw(r->items[of].size_bytes + 1) / align * align;
	item->size_bytes = draw(r->items[of].size_bytes - item->alias_offset + 1);
	item->num_gaps = 0;
	item->pools = 0;
	/* keep the problem feasible: offsets of aliases, and fixed ones, may not suit */
	if (judge_offset(&r->problem, i) % align)
		item->align_bytes = 1;
	if (item_is_fixed(&r->items[judge_owner(&r->problem, i)]))
		item->num_excluded = 0;
}

/* No graph, but all other features, and negative times. Fixed items lie on top of each other. */
static void make_rich(struct random_problem *r, uint32_t n)
{
	uint64_t top = 0;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	r->problem = (struct loom_place_problem){ .items = r->items, .num_items = n };
	for (i = 0; i < n; i++) {
		r->items[i] = (struct loom_place_item){
			.size_bytes = 1 + draw(500),
			.align_bytes = draw(3) ? 1U << draw(5) : draw(30),
			.lower = (int64_t)draw(60) + FIRST,
		};
		r->items[i].upper = r->items[i].lower + 1 + draw(20);
		if (!draw(12)) {
			r->items[i].align_bytes = 32;
			top = (top + 31) / 32 * 32;
			item_fix(&r->items[i], top);
			top += r->items[i].size_bytes;
		}
		if (!draw(4))
			add_gaps(r, i);
		if (!draw(12) && !item_is_fixed(&r->items[i])) {
			r->excluded[i].lower = draw(3000);
			r->excluded[i].upper = r->excluded[i].lower + 1 + draw(500);
			r->items[i].excluded = &r->excluded[i];
			r->items[i].num_excluded = 1;
		}
		if (i && !draw(6))
			add_alias(r, i);
	}
}

/* Offsets that nothing may touch, and some that only few may. Nothing is fixed. */
static void make_forbidden(struct random_problem *r, uint32_t n)
{
	static struct loom_place_range all[3], some[4];
	uint64_t at = 0;
	uint32_t i;

	make_rich(r, n);
	for (i = 0; i < 3; i++) {
		all[i].lower = at + draw(900);
		all[i].upper = all[i].lower + 1 + draw(300);
		at = all[i].upper + 1;
		some[i] = all[i];
	}
	some[1].lower -= draw(2);
	some[3] = (struct loom_place_range){ at + draw(50), at + 50 + draw(900) };
	for (i = 0; i < n; i++) {
		struct loom_place_item *item = &r->items[i];

		item->flags &= ~(uint32_t)LOOM_PLACE_FIXED;
		item->excluded = draw(3) ? all : some;
		item->num_excluded = item->excluded == all ? 3 : 4;
	}
}

static void add_apart(struct random_problem *r)
{
	uint32_t n = r->problem.num_items, i;

	r->problem.apart = r->apart;
	for (i = 0; i < MAX_PAIRS && n > 1; i++) {
		uint32_t a = draw(n), b = draw(n);

		/* infeasible pairs are left to another test */
		if (judge_owner(&r->problem, a) == judge_owner(&r->problem, b))
			continue;
		r->apart[r->problem.num_apart++] = (struct loom_place_pair){ a, b, 0 };
	}
}

/* The same, with pairs that must not overlap. */
static void make_richer(struct random_problem *r, uint32_t n)
{
	make_rich(r, n);
	add_apart(r);
}

/* Graphs, or none, in several pools of which the last has room for all. */
static void make_pools(struct random_problem *r, uint32_t n)
{
	uint32_t i, p;

	if (draw(2))
		make_graph(r, n);
	else
		make_richer(r, n);
	r->problem.pools = r->pools;
	r->problem.num_pools = MAX_POOLS;
	for (p = 0; p < MAX_POOLS; p++)
		r->pools[p] = (struct loom_place_pool){
			p + 1 < MAX_POOLS ? draw(4000) : ANYWHERE, 1U << draw(7), p + draw(3),
			draw(2) ? 0 : 1 + draw(600),
		};
	r->problem.conflicts = r->conflicts;
	for (i = 0; i < MAX_PAIRS && n > 1; i++) {
		p = draw(n);
		r->conflicts[r->problem.num_conflicts++] = (struct loom_place_pair){
			p, (p + 1 + draw(n - 1)) % n, draw(100),
		};
	}
	for (i = 0; i < n; i++) {
		struct loom_place_item *item = &r->items[i];

		if (item_is_fixed(item)) {
			item->pools = 1U << (MAX_POOLS - 1);
			item_fix(item, (item->fixed + 127) / 128 * 128 + 1024ULL * i);
		} else if (!draw(3) && !item_is_alias(item)) {
			item->pools = 1U << (MAX_POOLS - 1) | draw(1U << MAX_POOLS);
		}
	}
}

/* --- the test --------------------------------------------------------------------------------- */

/* Whether a strategy supports the features of a problem, by its documentation. */
static bool can(const char *name, const struct loom_place_problem *p)
{
	bool gmem = !strcmp(name, "gmem"), fit = !strcmp(name, "gmem-fitfirst");
	bool blocks = gmem || fit || !strncmp(name, "tokens", 6);
	uint32_t i;

	if ((gmem && !p->ops) || ((gmem || fit) && p->num_apart))
		return false;
	for (i = 0; i < p->num_items && blocks; i++)
		if (item_is_fixed(&p->items[i]) || p->items[i].num_excluded)
			return false;
	return true;
}

static bool same_result(const struct loom_place_result *a, const struct loom_place_result *b,
			uint32_t n)
{
	return !memcmp(a->offsets, b->offsets, n * sizeof(*a->offsets)) &&
	       !memcmp(a->pools, b->pools, n * sizeof(*a->pools)) &&
	       !memcmp(a->height_bytes, b->height_bytes,
		       a->num_pools * sizeof(*a->height_bytes)) &&
	       a->proved == b->proved && a->nodes == b->nodes &&
	       !strcmp(a->strategy, b->strategy);
}

static bool heights_hold(const struct loom_place_problem *p, const struct loom_place_result *r)
{
	uint32_t i;

	for (i = 0; i < p->num_items; i++)
		if (p->items[i].size_bytes &&
		    r->offsets[i] + p->items[i].size_bytes > r->height_bytes[r->pools[i]])
			return false;
	for (i = 0; i < r->num_pools; i++)
		if (r->height_bytes[i] < r->bound_bytes[i] ||
		    (r->proved && r->height_bytes[i] != r->bound_bytes[i]))
			return false;
	return true;
}

/* Whether loom_place_check() agrees with the reference checker on random changes of a placement. */
static bool proof_agrees(const struct loom_place_problem *p, const struct loom_place_result *r)
{
	uint64_t at[MAX_ITEMS];
	uint32_t pools[MAX_ITEMS], round, i;

	for (round = 0; round < 6; round++) {
		memcpy(at, r->offsets, p->num_items * sizeof(*at));
		memcpy(pools, r->pools, p->num_items * sizeof(*pools));
		i = draw(p->num_items);
		if (draw(4))
			at[i] = r->offsets[draw(p->num_items)];
		else
			pools[i] = draw(r->num_pools);
		/* mostly move a whole group, so that not only misplaced aliases are found */
		for (i = 0; i < p->num_items && draw(4); i++) {
			at[i] = at[judge_owner(p, i)] + judge_offset(p, i);
			pools[i] = pools[judge_owner(p, i)];
		}
		if (judge_valid(p, at, pools) != !loom_place_check(p, at, pools, NULL))
			return false;
	}
	return true;
}

/* Runs one strategy on one problem. Returns what is wrong, or NULL. */
static const char *try_strategy(const char *name, const struct loom_place_problem *p,
				uint64_t bound, uint64_t *height)
{
	const struct loom_place_options how = { .strategy = name, .budget = 300 };
	struct loom_place_result result, again;
	struct loom_place_fault fault;
	const char *wrong = NULL;
	int ret = loom_place(p, &how, &result, &fault);

	*height = UINT64_MAX;
	if (!can(name, p))
		return ret == -EINVAL ? NULL : "does not refuse";
	if (ret) {
		tap_note("items %d and %d: %s", (int)fault.first, (int)fault.second, fault.text);
		return "fails";
	}
	if (loom_place(p, &how, &again, NULL)) {
		loom_place_result_free(&result);
		return "fails the second time";
	}
	*height = result.height_bytes[0];
	if (!same_result(&result, &again, p->num_items))
		wrong = "has another answer the second time";
	else if (!judge_valid(p, result.offsets, result.pools))
		wrong = "returns no placement";
	else if (loom_place_check(p, result.offsets, result.pools, NULL))
		wrong = "returns what the proof refuses";
	else if (judge_weigh(p, &result) != result.conflict_weight)
		wrong = "has a wrong weight";
	else if (!heights_hold(p, &result) || (result.num_pools == 1 && *height < bound))
		wrong = "has wrong heights or bounds";
	else if (!proof_agrees(p, &result))
		wrong = "shows that the proof is wrong";
	loom_place_result_free(&result);
	loom_place_result_free(&again);
	return wrong;
}

static void test_random(const char *what, void (*make)(struct random_problem *, uint32_t))
{
	static struct random_problem r;
	unsigned int bad = 0, bad_bound = 0, bad_best = 0, round, i;
	uint64_t bound, height, best, lowest;
	const char *wrong;

	for (round = 0; round < 30; round++) {
		make(&r, 1 + draw(MAX_ITEMS - 1));
		bad_bound += !bound_holds(&r.problem, &bound);
		lowest = UINT64_MAX;
		best = 0;
		for (i = 0; loom_place_strategy_name(i); i++) {
			wrong = try_strategy(loom_place_strategy_name(i), &r.problem, bound,
					     &height);
			if (wrong) {
				tap_note("%s %s in round %u", loom_place_strategy_name(i), wrong,
					 round);
				bad++;
			}
			if (!i)
				best = height;
			else if (height < lowest && strcmp(loom_place_strategy_name(i), "exact"))
				lowest = height;
		}
		bad_best += r.problem.num_pools < 2 && best > lowest;
	}
	tap_ok(!bad, "%s: all strategies place, proved, each time the same", what);
	tap_ok(!bad_bound, "%s: the bound is the most that is needed at once, and proved", what);
	tap_ok(!bad_best, "%s: auto is the lowest, but for a search from elsewhere", what);
}

/* With more alignments than the largest sixteen, the smaller ones count, too. */
static void test_bounds(void)
{
	static struct random_problem r;
	unsigned int bad = 0, round;
	uint64_t bound;

	for (round = 0; round < 3000; round++) {
		make_rich(&r, 34 + draw(MAX_ITEMS - 34));
		bad += !bound_holds(&r.problem, &bound);
	}
	tap_ok(!bad, "bounds by all alignments, and proved (%u are not)", bad);
}

int main(void)
{
	test_random("graphs", make_graph);
	test_random("gaps, fixed offsets, exclusions, aliases", make_rich);
	test_random("pairs to be kept apart", make_richer);
	test_random("pools", make_pools);
	test_random("offsets that nothing may touch", make_forbidden);
	test_bounds();
	return tap_end();
}
