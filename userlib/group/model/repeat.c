// SPDX-License-Identifier: MIT
/*
 * DOC: Repetition
 *
 * The cost of a group is a function of its units, the values that it shares with others, and the
 * choices of residents at the cuts around and inside of it. All of these are hashed by unit, with
 * distances instead of positions: an operand is described by its view, by its value's shape, and by
 * the distances to its writer and its previous use. Distances of more than a window are equal,
 * because such units are outside of any candidate group.
 *
 * Two units are of one class if the runs of @window units that begin with them have equal digests.
 * Classes are found by doubling: ranks of runs of 2k units are ranks of pairs of runs of k units.
 *
 * Digests have 128 bits. On a collision, a group has a wrong price while groups are searched; each
 * group of the division is fitted and placed by itself afterwards.
 *
 * Rejected: a hash of each run, looked up for each group. It also finds groups at the end of the
 * graph, where the window ends behind the last unit, but costs a look-up for each estimate.
 */
#include "group/model/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/seen.h"
#include "base/watch.h"
#include "lower/storage.h"

/**
 * struct finder - the state of hashing
 * @list: the graph
 * @window: distances from this on are equal
 * @values: by value: digest of its shape
 * @reads: readers (ops) of all values, by value, ascending
 * @reads_first: by value: first of its readers
 * @whole: digest of all units, with all distances
 * @used: by value: the op that has used it last so far, plus one; 0: none
 */
struct finder {
	const struct loom_group_list *list;
	u32 window;
	struct loom_digest *values;
	u32 *reads;
	u32 *reads_first;
	u32 *used;
	struct loom_digest *whole;
};

/**
 * struct run - a unit and the run that begins with it
 * @key: sort key
 * @unit: the unit
 */
struct run {
	u64 key[2];
	u32 unit;
};

static u32 unit_of(const struct finder *f, u32 op)
{
	return f->list->ops[op]->unit;
}

/*
 * Adds the distance from op @from to op @to, in ops and in units; all beyond the window are equal.
 */
static void add_distance(const struct finder *f, struct loom_digest *digest, u32 from, u32 to)
{
	s64 units = (s64)unit_of(f, to) - unit_of(f, from);

	loom_digest_add(f->whole, (u64)((s64)to - from));
	if (units > f->window || -units > f->window)
		loom_digest_add(digest, U64_MAX - (units < 0));
	else
		loom_digest_add(digest, (u64)((s64)to - from));
}

static void add_words(struct loom_digest *digest, const void *from, size_t bytes)
{
	const u8 *at = from;
	u64 word;

	for (; bytes; bytes -= min(bytes, sizeof(word)), at += sizeof(word)) {
		word = 0;
		memcpy(&word, at, min(bytes, sizeof(word)));
		loom_digest_add(digest, word);
	}
}

static void digest_value(const struct finder *f, u32 value)
{
	const struct loom_group_list *list = f->list;
	const struct loom_location *location = &list->lower->storage->locations[value];
	const struct loom_group_use *use = &list->uses[value];
	struct loom_digest *digest = &f->values[value];

	loom_digest_add(digest, use->dtype);
	loom_digest_add(digest, use->rank);
	add_words(digest, use->dims, use->rank * sizeof(*use->dims));
	add_words(digest, use->strides, use->rank * sizeof(*use->strides));
	add_words(digest, location->ref.dims, use->rank * sizeof(*location->ref.dims));
	add_words(digest, location->ref.strides, use->rank * sizeof(*location->ref.strides));
	loom_digest_add(digest, location->kind);
	loom_digest_add(digest, !!list->lower->graph->values[value]->data);
	loom_digest_add(digest, use->output);
	loom_digest_add(digest, use->lanes);
	loom_digest_add(digest, use->lane);
	loom_digest_add(digest, use->whole_bytes);
	loom_digest_add(digest, use->over == U32_MAX);
}

static void add_value(const struct finder *f, struct loom_digest *digest, u32 op, u32 value)
{
	const struct loom_group_use *use = &f->list->uses[value];

	loom_digest_add(digest, f->values[value].half[0]);
	loom_digest_add(digest, f->values[value].half[1]);
	loom_digest_add(digest, use->first_writer == U32_MAX);
	if (use->first_writer != U32_MAX) {
		add_distance(f, digest, use->first_writer, op);
		add_distance(f, digest, use->last_writer, op);
	}
	loom_digest_add(digest, use->read);
	if (use->read)
		add_distance(f, digest, use->last_reader, op);
}

static void add_operand(const struct finder *f, struct loom_digest *digest, u32 op, u32 index)
{
	const struct loom_kernel *kernel = &f->list->ops[op]->kernel;
	const struct loom_operand *operand = &kernel->operands[index];
	const struct loom_ref *ref = &operand->ref;
	u32 value = ref->tensor, rank = ref->rank < DRM_LOOM_MAX_RANK ? ref->rank :
								 DRM_LOOM_MAX_RANK;

	loom_digest_add(digest, operand->role);
	loom_digest_add(digest, ref->dtype);
	loom_digest_add(digest, ref->rank);
	add_words(digest, ref->dims, rank * sizeof(*ref->dims));
	add_words(digest, operand->map, rank * sizeof(*operand->map));
	loom_digest_add(digest, operand->lane_axis);
	loom_digest_add(digest, operand->in_place);
	loom_digest_add(digest, operand->bits);
	if (operand->role != LOOM_ROLE_STORE && operand->role != LOOM_ROLE_LOAD)
		return;
	loom_digest_add(digest, ref->offset);
	add_words(digest, ref->strides, rank * sizeof(*ref->strides));
	add_value(f, digest, op, value);
	loom_digest_add(digest, f->list->uses[kernel->operands[0].ref.tensor].over == value);
	/* operands that are the same value */
	loom_digest_add(digest, !f->used[value]);
	if (f->used[value])
		add_distance(f, digest, f->used[value] - 1, op);
	f->used[value] = op + 1;
}

static void add_op(const struct finder *f, struct loom_digest *digest, u32 op)
{
	const struct loom_group_op *it = f->list->ops[op];
	const struct loom_kernel *kernel = &it->kernel;
	u32 i;

	loom_digest_add(digest, it->kind);
	loom_digest_add(digest, kernel->num_operands);
	for (i = 0; i < kernel->num_operands; i++)
		add_operand(f, digest, op, i);
	loom_digest_add(digest, kernel->num_stages);
	for (i = 0; i < kernel->num_stages; i++) {
		const struct loom_stage *stage = &kernel->stages[i];

		loom_digest_add(digest, stage->opcode);
		add_words(digest, stage->operand, stage->operands * sizeof(*stage->operand));
		add_words(digest, &stage->conv, stage->attr_bytes);
	}
	loom_digest_add(digest, kernel->whole);
	loom_digest_add(digest, kernel->last_resort);
	loom_digest_add(digest, kernel->group);
	loom_digest_add(digest, kernel->group_in);
	loom_digest_add(digest, kernel->unit_cost);
	loom_digest_add(digest, kernel->direct);
	add_words(digest, kernel->window, sizeof(kernel->window));
	loom_digest_add(digest, kernel->native_cycles);
	loom_digest_add(digest, kernel->native_rounds);
	loom_digest_add(digest, kernel->alone);
	if (kernel->resize)
		add_words(digest, kernel->resize, sizeof(*kernel->resize));
}

/* The first reader of a value from op @op on, which must exist. */
static u32 next_reader(const struct finder *f, u32 value, u32 op)
{
	u32 low = f->reads_first[value], high = f->reads_first[value + 1] - 1, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (f->reads[middle] < op)
			low = middle + 1;
		else
			high = middle;
	}
	return f->reads[low];
}

/* The choices of residents at a cut, which is in front of unit @at. */
static struct loom_digest digest_cut(const struct finder *f, u32 at)
{
	const struct loom_group_list *list = f->list;
	const struct loom_group_choices *choices = &list->choices[at];
	u32 op = list->units[min(at, list->num_units - 1)].first_op, i;
	struct loom_digest digest = { .half = { 0 } };
	u64 all = 0;

	loom_digest_add(&digest, at == list->num_units);
	loom_digest_add(&digest, choices->count);
	for (i = 0; i < choices->count; i++) {
		loom_digest_add(&digest, choices->masks[i]);
		all |= choices->masks[i];
	}
	for (; all; all &= all - 1) {
		u32 value = loom_group_live_at(list, at, all);

		add_value(f, &digest, op, value);
		add_distance(f, &digest, op, next_reader(f, value, op));
	}
	return digest;
}

static int note_readers(struct finder *f)
{
	const struct loom_group_list *list = f->list;
	u32 num_values = list->lower->graph->num_values, pass, op, k;

	for (pass = 0; pass < 2; pass++) {
		for (op = 0; op < list->num_ops; op++) {
			const struct loom_kernel *kernel = &list->ops[op]->kernel;

			for (k = 0; k < kernel->num_operands; k++) {
				u32 value = kernel->operands[k].ref.tensor;

				if (kernel->operands[k].role != LOOM_ROLE_LOAD)
					continue;
				if (pass)
					f->reads[f->reads_first[value]++] = op;
				else
					f->reads_first[value + 1]++;
			}
		}
		if (pass)
			break;
		for (k = 0; k < num_values; k++)
			f->reads_first[k + 1] += f->reads_first[k];
		f->reads = calloc((size_t)f->reads_first[num_values] + 1, sizeof(*f->reads));
		if (!f->reads)
			return -ENOMEM;
	}
	/* filling has advanced each begin to that of the next value */
	memmove(&f->reads_first[1], f->reads_first, num_values * sizeof(*f->reads_first));
	f->reads_first[0] = 0;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->key[0] != y->key[0])
		return x->key[0] < y->key[0] ? -1 : 1;
	if (x->key[1] != y->key[1])
		return x->key[1] < y->key[1] ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Sorts runs by their keys; ranks[unit] is the first unit whose run has the same key. */
static void rank(struct run *runs, u32 count, u32 *ranks)
{
	u32 first = 0, i;

	qsort(runs, count, sizeof(*runs), compare);
	for (i = 0; i < count; i++) {
		if (i && (runs[i].key[0] != runs[i - 1].key[0] ||
			  runs[i].key[1] != runs[i - 1].key[1]))
			first = i;
		ranks[runs[i].unit] = runs[first].unit;
	}
}

/* Ranks of runs of single units, and the digest of all of them. */
static int rank_units(struct finder *f, struct run *runs, u32 *ranks)
{
	const struct loom_group_list *list = f->list;
	struct loom_digest before, behind;
	u32 i, k;
	int ret = note_readers(f);

	if (ret || !list->num_units)
		return ret;
	for (i = 0; i < list->lower->graph->num_values; i++)
		digest_value(f, i);
	behind = digest_cut(f, 0);
	for (i = 0; i < list->num_units; i++) {
		const struct loom_group_unit *unit = &list->units[i];
		struct loom_digest digest = { .half = { 0 } };

		if (loom_watch_spend(20))
			return -ENOMEM;
		before = behind;
		behind = digest_cut(f, i + 1);
		loom_digest_add(&digest, unit->ungroupable);
		loom_digest_add(&digest, unit->num_ops);
		for (k = 0; k < unit->num_ops; k++)
			add_op(f, &digest, unit->first_op + k);
		add_words(&digest, before.half, sizeof(before.half));
		add_words(&digest, behind.half, sizeof(behind.half));
		runs[i] = (struct run){ { digest.half[0], digest.half[1] }, i };
	}
	for (i = 0; i < list->num_units; i++)
		add_words(f->whole, runs[i].key, sizeof(runs[i].key));
	rank(runs, list->num_units, ranks);
	return 0;
}

/* Ranks of runs of @window units; a run that is not complete has a rank of its own. */
static void rank_runs(struct run *runs, u32 count, u32 window, u32 *ranks)
{
	u32 length, longer, i;

	for (length = 1; length < window; length = longer) {
		longer = min(2 * length, window);
		for (i = 0; i < count; i++)
			runs[i] = (struct run){
				{ ranks[i], i + longer > count ? count + i :
								 ranks[i + longer - length] }, i,
			};
		rank(runs, count, ranks);
	}
}

static void link_classes(struct loom_group_repeat *repeat, u32 count, u32 *last)
{
	u32 i;

	for (i = 0; i < count; i++)
		repeat->next[i] = LOOM_GROUP_NONE;
	for (i = 0; i < count; i++) {
		u32 first = repeat->first[i];

		repeat->count += first == i;
		if (first != i)
			repeat->next[last[first]] = i;
		last[first] = i;
	}
}

int loom_group_repeat_find(const struct loom_group_list *list, u32 window,
			   struct loom_group_repeat *repeat)
{
	size_t values = (size_t)list->lower->graph->num_values + 2, units = (size_t)list->num_units;
	struct run *runs = calloc(units + 1, sizeof(*runs));
	u32 *last = calloc(units + 1, sizeof(*last));
	struct finder f = {
		.list = list,
		.window = window,
		.values = calloc(values, sizeof(*f.values)),
		.reads_first = calloc(values, sizeof(*f.reads_first)),
		.used = calloc(values, sizeof(*f.used)),
		.whole = &repeat->digest,
	};
	int ret = -ENOMEM;

	loom_group_repeat_free(repeat);
	repeat->window = window;
	repeat->first = calloc(units + 1, sizeof(*repeat->first));
	repeat->next = calloc(units + 1, sizeof(*repeat->next));
	if (runs && last && f.values && f.reads_first && f.used && repeat->first && repeat->next)
		ret = rank_units(&f, runs, repeat->first);
	if (!ret) {
		rank_runs(runs, list->num_units, window, repeat->first);
		link_classes(repeat, list->num_units, last);
	}
	free(runs);
	free(last);
	free(f.values);
	free(f.reads_first);
	free(f.reads);
	free(f.used);
	return ret;
}

void loom_group_repeat_free(struct loom_group_repeat *repeat)
{
	free(repeat->first);
	free(repeat->next);
	*repeat = (struct loom_group_repeat){ .window = 0 };
}
