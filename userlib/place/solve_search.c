// SPDX-License-Identifier: MIT
/*
 * DOC: The search
 *
 * See DOC: The solver for the method. State: by item the least offset still possible (mins), by
 * section the least of these (floors) and the sum of sizes of the items left (totals).
 */
#include "base/watch.h"
#include "solve_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* option: no item starts at the floor */
#define OPTION_NONE	UINT32_MAX

/* A change of the state: undone in reverse order. */
struct change {
	uint32_t what;
	uint32_t index;
	uint64_t before;
};

enum {
	CHANGE_MIN,
	CHANGE_FLOOR,
	CHANGE_PLACED,
};

/* A decision: which item starts at the floor of a section. */
struct frame {
	uint32_t mark;		/* number of changes before it */
	uint32_t next;		/* index of the option that is tried next */
	uint32_t end;		/* behind the last option */
	uint32_t section;
	uint32_t from;		/* first section of the independent range that it is in */
	uint32_t to;		/* behind the last */
	uint64_t key[2];	/* both hashes of the state */
};

/* A search, perhaps suspended. */
struct solve_search {
	struct loom_arrays arrays;
	const struct solve_part *part;
	struct solve_branching branching;	/* its rules */
	struct solve_memo *memo;		/* states without a placement */
	bool started;				/* it has made a decision */
	bool nomem;				/* it ran out of memory */
	uint32_t *base;				/* by item: its index in the unperturbed order */
	uint32_t *rank;				/* by item: the lower, the earlier it is tried */
	uint64_t *limits;			/* by item: its end must not exceed this */
	uint32_t num_left;			/* items that are not placed */
	uint32_t least_left;			/* smallest @num_left so far */
	uint64_t *left;				/* set of these items */
	/* by item: its offset is not lower; once it is placed, its offset */
	uint64_t *mins;
	uint64_t (*hashes)[2];			/* by item: a pair of hashes of it and its min */
	uint64_t hash[2];			/* a pair of hashes of the state */
	uint64_t *roofs;			/* by section: the largest limit of its items */
	/* by section: the least min of its items left, or SOLVE_NEVER */
	uint64_t *floors;
	uint32_t *lows;				/* by section: number of items at the floor */
	uint64_t *totals;			/* by section: sum of the sizes left */
	uint32_t *counts;			/* by section: number of items left */
	/* by section: items left that are in the next one, too */
	uint32_t *crossing;
	uint32_t *weights;			/* by section: how often it failed */
	/* set of sections whose floors have to be updated */
	uint64_t *dirty;
	struct change *changes;			/* log */
	uint32_t num_changes;			/* number of @changes */
	uint32_t max_changes;			/* capacity of @changes */
	struct frame *frames;			/* decisions */
	uint32_t num_frames;			/* number of @frames */
	uint32_t max_frames;			/* capacity of @frames */
	uint32_t *options;			/* of all frames */
	uint32_t max_options;			/* capacity of @options */
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ULL;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

/* Changes the min of an item, and the hash of the state with it. */
static void set_min(struct solve_search *s, uint32_t item, uint64_t min)
{
	uint64_t x = mix(min * 0x100000001b3ULL + ((uint64_t)item << 40) + item + 1);
	uint64_t y = mix(x + 0x632be59bd9b4e019ULL);

	s->hash[0] ^= s->hashes[item][0] ^ x;
	s->hash[1] ^= s->hashes[item][1] ^ y;
	s->hashes[item][0] = x;
	s->hashes[item][1] = y;
	s->mins[item] = min;
}

static void set_left(struct solve_search *s, uint32_t item)
{
	s->left[item / 64] ^= 1ULL << item % 64;
	s->hash[0] ^= s->hashes[item][0];
	s->hash[1] ^= s->hashes[item][1];
}

static bool fail(struct solve_search *s)
{
	memset(s->dirty, 0, s->part->section_words * sizeof(*s->dirty));
	return false;
}

static void log_change(struct solve_search *s, uint32_t what, uint32_t index, uint64_t before)
{
	if (s->num_changes == s->max_changes) {
		uint32_t more = s->max_changes * 2;
		struct change *changes = realloc(s->changes, more * sizeof(*changes));

		if (!changes) {
			s->nomem = true;
			return;
		}
		s->changes = changes;
		s->max_changes = more;
	}
	s->changes[s->num_changes++] = (struct change){ what, index, before };
}

/*
 * Undo: the item and all floors it is at have their old values, because floors are undone as well.
 */
static void count_low(struct solve_search *s, uint32_t item)
{
	const struct solve_part *part = s->part;
	uint64_t min = s->mins[item];
	uint32_t k;

	for (k = part->first[item]; k < part->first[item + 1]; k++)
		s->lows[part->sections[k]] += s->floors[part->sections[k]] == min;
}

/* An item leaves its min. A floor without items is unknown until update_floors(). */
static void uncount_low(struct solve_search *s, uint32_t item)
{
	const struct solve_part *part = s->part;
	uint64_t min = s->mins[item];
	uint32_t k, section;

	for (k = part->first[item]; k < part->first[item + 1]; k++) {
		section = part->sections[k];
		if (s->floors[section] == min && !--s->lows[section])
			s->dirty[section / 64] |= 1ULL << section % 64;
	}
}

static void undo_to(struct solve_search *s, uint32_t mark)
{
	const struct solve_part *part = s->part;

	while (s->num_changes > mark) {
		const struct change *change = &s->changes[--s->num_changes];
		uint32_t i = change->index, k;

		switch (change->what) {
		case CHANGE_MIN:
			set_min(s, i, change->before);
			count_low(s, i);
			break;
		case CHANGE_FLOOR:
			s->floors[i] = change->before;
			s->lows[i] = 0;
			break;
		default:
			set_left(s, i);
			s->num_left++;
			for (k = part->first[i]; k < part->first[i + 1]; k++) {
				s->totals[part->sections[k]] += part->sizes[i];
				s->counts[part->sections[k]]++;
				s->crossing[part->sections[k]] += k + 1 < part->first[i + 1];
			}
			count_low(s, i);
		}
	}
}

/* Raises the min of an item; returns false past its limit. Its sections are updated later. */
static bool raise_min(struct solve_search *s, uint32_t item, uint64_t offset)
{
	const struct solve_part *part = s->part;
	uint64_t before = s->mins[item];

	if (offset <= before)
		return true;
	if (!part->free && offset < SOLVE_NEVER) {
		offset = loom_solve_snap(part, item, offset);
		if (offset <= before)
			return true;
	}
	if (offset >= SOLVE_NEVER || offset + part->sizes[item] > s->limits[item])
		return false;
	log_change(s, CHANGE_MIN, item, before);
	uncount_low(s, item);
	set_min(s, item, offset);
	return true;
}

/* Updates dirty floors; returns false if the items left do not fit above one. */
static bool update_floors(struct solve_search *s)
{
	const struct solve_part *part = s->part;
	uint32_t words = part->item_words, dw, w;

	for (dw = 0; dw < part->section_words; dw++) {
		while (s->dirty[dw]) {
			uint32_t section = dw * 64 + __builtin_ctzll(s->dirty[dw]), lows = 0;
			const uint64_t *members = part->members + (size_t)section * words;
			uint64_t floor = SOLVE_NEVER;

			s->dirty[dw] &= s->dirty[dw] - 1;
			for (w = 0; w < words; w++) {
				uint64_t set = members[w] & s->left[w];

				for (; set; set &= set - 1) {
					uint64_t min = s->mins[w * 64 + __builtin_ctzll(set)];

					lows = min < floor ? 1 : lows + (min == floor);
					floor = min < floor ? min : floor;
				}
			}
			log_change(s, CHANGE_FLOOR, section, s->floors[section]);
			s->floors[section] = floor;
			s->lows[section] = lows;
			if (lows && floor + s->totals[section] > s->roofs[section]) {
				s->weights[section]++;
				return fail(s);
			}
		}
	}
	return true;
}

static bool place_item(struct solve_search *s, uint32_t item)
{
	const struct solve_part *part = s->part;
	const uint64_t *overlaps = part->overlaps + (size_t)item * part->item_words;
	uint64_t top = s->mins[item] + part->sizes[item];
	uint32_t k, w;

	set_left(s, item);
	s->num_left--;
	log_change(s, CHANGE_PLACED, item, 0);
	uncount_low(s, item);
	for (k = part->first[item]; k < part->first[item + 1]; k++) {
		uint32_t section = part->sections[k];

		s->totals[section] -= part->sizes[item];
		s->counts[section]--;
		s->crossing[section] -= k + 1 < part->first[item + 1];
	}
	for (w = 0; w < part->item_words; w++) {
		uint64_t set = overlaps[w] & s->left[w];

		for (; set; set &= set - 1)
			if (!raise_min(s, w * 64 + __builtin_ctzll(set), top))
				return fail(s);
	}
	return update_floors(s);
}

/* No item starts at the floor of a section, so all candidates must rest on other items. */
static bool place_nothing(struct solve_search *s, uint32_t section)
{
	const struct solve_part *part = s->part;
	const uint64_t *members = part->members + (size_t)section * part->item_words;
	uint64_t floor = s->floors[section], least = SOLVE_NEVER, set, other;
	uint32_t words = part->item_words, w, v, i, j;

	/* the first of them to be placed rests on an item outside of the set */
	for (w = 0; w < words; w++) {
		for (set = members[w] & s->left[w]; set; set &= set - 1) {
			i = w * 64 + __builtin_ctzll(set);
			if (s->mins[i] != floor)
				continue;
			for (v = 0; v < words; v++) {
				other = part->overlaps[(size_t)i * words + v] & s->left[v];
				for (; other; other &= other - 1) {
					j = v * 64 + __builtin_ctzll(other);
					if ((members[v] >> j % 64 & 1) && s->mins[j] == floor)
						continue;
					if (s->mins[j] + part->sizes[j] < least)
						least = s->mins[j] + part->sizes[j];
				}
			}
		}
	}
	for (w = 0; w < words; w++) {
		for (set = members[w] & s->left[w]; set; set &= set - 1) {
			i = w * 64 + __builtin_ctzll(set);
			if (s->mins[i] == floor && !raise_min(s, i, least))
				return fail(s);
		}
	}
	return update_floors(s);
}

static bool memo_has(const struct solve_memo *memo, const uint64_t key[2])
{
	const uint64_t *slot = memo->keys + (key[0] & memo->mask) * 2;

	return slot[0] == key[0] && slot[1] == key[1];
}

/* If two states share a slot, the newer one is kept. */
static void memo_add(struct solve_memo *memo, const uint64_t key[2])
{
	uint64_t *slot = memo->keys + (key[0] & memo->mask) * 2;

	memo->used += !slot[0] && !slot[1];
	slot[0] = key[0];
	slot[1] = key[1];
}

/* Hashes of the items left in sections @from to @to. */
static void range_key(const struct solve_search *s, uint32_t from, uint32_t to, uint64_t key[2])
{
	const struct solve_part *part = s->part;
	uint32_t w;

	if (!from && to == part->num_sections) {
		key[0] = s->hash[0];
		key[1] = s->hash[1];
		return;
	}
	key[0] = 0;
	key[1] = 0;
	for (w = 0; w < part->item_words; w++) {
		uint64_t set = s->left[w];

		for (; set; set &= set - 1) {
			uint32_t i = w * 64 + __builtin_ctzll(set);
			uint32_t section = part->sections[part->first[i]];

			if (section < from || section >= to)
				continue;
			key[0] ^= s->hashes[i][0];
			key[1] ^= s->hashes[i][1];
		}
	}
}

/* The first independent range with items left: no item left crosses its ends. */
static void find_range(const struct solve_search *s, uint32_t *from, uint32_t *to)
{
	const struct solve_part *part = s->part;
	uint32_t a = 0, b;

	*from = 0;
	*to = part->num_sections;
	if (!part->plain)
		return;
	while (!s->counts[a])
		a++;
	for (b = a; s->crossing[b]; b++)
		;
	*from = a;
	*to = b + 1;
	}

/* Backtracks to the last decision about these sections. */
static void skip_frames(struct solve_search *s, uint32_t from, uint32_t to)
{
	while (s->num_frames && (s->frames[s->num_frames - 1].to <= from ||
				 s->frames[s->num_frames - 1].from >= to))
		s->num_frames--;
}

/* Whether no item can be placed below those at a section's floor any more. */
static bool is_settled(const struct solve_search *s, uint32_t section)
{
	const struct solve_part *part = s->part;
	const uint64_t *members = part->members + (size_t)section * part->item_words;
	uint64_t floor = s->floors[section], set;
	uint32_t w, k, i;

	for (w = 0; w < part->item_words; w++) {
		for (set = members[w] & s->left[w]; set; set &= set - 1) {
			i = w * 64 + __builtin_ctzll(set);
			if (s->mins[i] != floor)
				continue;
			for (k = part->first[i]; k < part->first[i + 1]; k++)
				if (s->floors[part->sections[k]] != floor)
					return false;
		}
	}
	return true;
}

/* The section to branch on: fewest options, then least room. */
static uint32_t choose_section(const struct solve_search *s, uint32_t from, uint32_t to)
{
	uint64_t level = SOLVE_NEVER, least = SOLVE_NEVER, best = UINT64_MAX;
	uint32_t section = from, k;

	for (k = from; k < to; k++)
		if (s->floors[k] < level)
			level = s->floors[k];
	for (k = from; k < to; k++) {
		uint64_t room, key;

		if (s->branching.local ? !s->lows[k] : s->floors[k] != level)
			continue;
		room = s->roofs[k] - s->floors[k] - s->totals[k];
		key = s->lows[k] + !!room;
		if (s->branching.weighted)
			key = ((key << 32) - (1ULL << 32) + (1 << 24)) / s->weights[k];
		if (key > best || (key == best && room >= least))
			continue;
		if (s->branching.local && s->floors[k] != level && !is_settled(s, k))
			continue;
		best = key;
		least = room;
		section = k;
	}
	return section;
}

static bool grow_frames(struct solve_search *s, uint32_t num_options)
{
	if (s->num_frames == s->max_frames) {
		uint32_t more = s->max_frames * 2;
		struct frame *frames = realloc(s->frames, more * sizeof(*frames));

		if (!frames)
			return false;
		s->frames = frames;
		s->max_frames = more;
	}
	if (num_options > s->max_options) {
		uint32_t more = s->max_options * 2;
		uint32_t *options;

		while (num_options > more)
			more *= 2;
		options = realloc(s->options, more * sizeof(*options));
		if (!options)
			return false;
		s->options = options;
		s->max_options = more;
	}
	return true;
}

/*
 * Options of a frame: each item that can start at the floor, by rank; then none, if there is room.
 */
static void add_options(struct solve_search *s, struct frame *frame)
{
	const struct solve_part *part = s->part;
	const uint64_t *members = part->members + (size_t)frame->section * part->item_words;
	uint64_t floor = s->floors[frame->section], set;
	uint32_t end = frame->next, w, i, at;

	for (w = 0; w < part->item_words; w++) {
		for (set = members[w] & s->left[w]; set; set &= set - 1) {
			i = w * 64 + __builtin_ctzll(set);
			if (s->mins[i] != floor)
				continue;
			for (at = end++; at > frame->next; at--) {
				if (s->rank[s->options[at - 1]] <= s->rank[i])
					break;
				s->options[at] = s->options[at - 1];
			}
			s->options[at] = i;
		}
	}
	if (floor + s->totals[frame->section] < s->roofs[frame->section])
		s->options[end++] = OPTION_NONE;
	frame->end = end;
}

/* Opens the next decision, unless the state is known to be infeasible. */
static void push_frame(struct solve_search *s)
{
	uint32_t start = s->num_frames ? s->frames[s->num_frames - 1].end : 0;
	struct frame *frame;

	if (!grow_frames(s, start + s->part->num_items + 1)) {
		s->nomem = true;
		return;
	}
	frame = &s->frames[s->num_frames];
	frame->mark = s->num_changes;
	frame->next = start;
	find_range(s, &frame->from, &frame->to);
	range_key(s, frame->from, frame->to, frame->key);
	if (memo_has(s->memo, frame->key)) {
		skip_frames(s, frame->from, frame->to);
		return;
	}
	frame->section = choose_section(s, frame->from, frame->to);
	add_options(s, frame);
	s->num_frames++;
}

/* All options of the top frame failed. */
static void pop_frame(struct solve_search *s)
{
	const struct frame *frame = &s->frames[--s->num_frames];

	memo_add(s->memo, frame->key);
	skip_frames(s, frame->from, frame->to);
}

/* Whether the floors allow the initial state. */
static bool has_room(const struct solve_search *s)
{
	const struct solve_part *part = s->part;
	uint32_t k;

	for (k = 0; k < part->num_items; k++)
		if (s->mins[k] == SOLVE_NEVER || s->mins[k] + part->sizes[k] > s->limits[k])
			return false;
	for (k = 0; k < part->num_sections; k++)
		if (s->floors[k] + s->totals[k] > s->roofs[k])
			return false;
	return true;
}

enum solve_answer loom_search_run(struct solve_search *s, uint64_t *nodes)
{
	if (!s->started) {
		s->started = true;
		if (!has_room(s))
			return SOLVE_NONE;
		push_frame(s);
	}
	while (s->num_frames) {
		struct frame *frame = &s->frames[s->num_frames - 1];
		uint32_t option;
		bool good;

		if (s->nomem || loom_watch_spend(20))
			return SOLVE_NOMEM;
		undo_to(s, frame->mark);
		if (frame->next == frame->end) {
			pop_frame(s);
			continue;
		}
		if (!*nodes)
			return SOLVE_LATER;
		--*nodes;
		option = s->options[frame->next++];
		if (option == OPTION_NONE)
			good = place_nothing(s, frame->section);
		else
			good = place_item(s, option);
		if (!good)
			continue;
		if (s->num_left < s->least_left)
			s->least_left = s->num_left;
		if (!s->num_left)
			return SOLVE_FOUND;
		push_frame(s);
	}
	return s->nomem ? SOLVE_NOMEM : SOLVE_NONE;
}

const uint64_t *loom_search_offsets(const struct solve_search *s)
{
	return s->mins;
}

uint32_t loom_search_least_left(const struct solve_search *s)
{
	return s->least_left;
}

/* Up to an eighth: enough to differ, while the order keeps its merits. */
void loom_search_shuffle(struct solve_search *s, uint64_t seed)
{
	uint32_t n = s->part->num_items, i;

	for (i = 0; i < n; i++)
		s->rank[i] = s->base[i] + (uint32_t)(mix(mix(seed) + i) % (n / 8 + 1));
}

static uint64_t item_limit(const struct solve_part *part, uint32_t i, uint64_t capacity_bytes)
{
	uint64_t size_bytes = part->sizes[i] * part->unit - part->pads[i];

	if (size_bytes > capacity_bytes)
		return 0;
	return (capacity_bytes - size_bytes) / part->unit + part->sizes[i];
}

void loom_search_reset(struct solve_search *s, uint64_t capacity_bytes, struct solve_memo *memo)
{
	const struct solve_part *part = s->part;
	uint32_t i, k, section;

	s->memo = memo;
	s->started = false;
	s->num_left = part->num_items;
	s->num_changes = 0;
	s->num_frames = 0;
	s->hash[0] = 0;
	s->hash[1] = 0;
	memset(s->dirty, 0, part->section_words * sizeof(*s->dirty));
	memset(s->left, 0, part->item_words * sizeof(*s->left));
	for (section = 0; section < part->num_sections; section++) {
		s->roofs[section] = 0;
		s->floors[section] = SOLVE_NEVER;
		s->lows[section] = 0;
		s->totals[section] = 0;
		s->counts[section] = 0;
		s->crossing[section] = 0;
	}
	for (i = 0; i < part->num_items; i++) {
		s->left[i / 64] |= 1ULL << i % 64;
		s->hashes[i][0] = 0;
		s->hashes[i][1] = 0;
		set_min(s, i, loom_solve_snap(part, i, 0));
		s->limits[i] = item_limit(part, i, capacity_bytes);
		for (k = part->first[i]; k < part->first[i + 1]; k++) {
			section = part->sections[k];
			s->totals[section] += part->sizes[i];
			s->counts[section]++;
			s->crossing[section] += k + 1 < part->first[i + 1];
			if (s->mins[i] < s->floors[section]) {
				s->floors[section] = s->mins[i];
				s->lows[section] = 0;
			}
			s->lows[section] += s->mins[i] == s->floors[section];
			if (s->limits[i] > s->roofs[section])
				s->roofs[section] = s->limits[i];
		}
	}
}

int loom_search_create(const struct solve_part *part, const struct solve_branching *branching,
		       const uint32_t *rank, struct solve_search **search)
{
	uint32_t n = part->num_items, sections = part->num_sections, k;
	struct solve_search *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->part = part;
	s->branching = *branching;
	s->max_changes = 4 * (n + sections) + 64;
	s->max_frames = n + 16;
	s->max_options = 4 * n + 16;
	s->base = loom_arrays_take(&s->arrays, n, sizeof(*s->base));
	s->rank = loom_arrays_take(&s->arrays, n, sizeof(*s->rank));
	s->limits = loom_arrays_take(&s->arrays, n, sizeof(*s->limits));
	s->left = loom_arrays_take(&s->arrays, part->item_words, sizeof(*s->left));
	s->mins = loom_arrays_take(&s->arrays, n, sizeof(*s->mins));
	s->hashes = loom_arrays_take(&s->arrays, n, sizeof(*s->hashes));
	s->roofs = loom_arrays_take(&s->arrays, sections, sizeof(*s->roofs));
	s->floors = loom_arrays_take(&s->arrays, sections, sizeof(*s->floors));
	s->lows = loom_arrays_take(&s->arrays, sections, sizeof(*s->lows));
	s->totals = loom_arrays_take(&s->arrays, sections, sizeof(*s->totals));
	s->counts = loom_arrays_take(&s->arrays, sections, sizeof(*s->counts));
	s->crossing = loom_arrays_take(&s->arrays, sections, sizeof(*s->crossing));
	s->weights = loom_arrays_take(&s->arrays, sections, sizeof(*s->weights));
	s->dirty = loom_arrays_take(&s->arrays, part->section_words, sizeof(*s->dirty));
	s->changes = malloc(s->max_changes * sizeof(*s->changes));
	s->frames = malloc(s->max_frames * sizeof(*s->frames));
	s->options = malloc(s->max_options * sizeof(*s->options));
	if (s->arrays.failed || !s->changes || !s->frames || !s->options) {
		loom_search_destroy(s);
		return -ENOMEM;
	}
	memcpy(s->base, rank, n * sizeof(*rank));
	memcpy(s->rank, rank, n * sizeof(*rank));
	for (k = 0; k < sections; k++)
		s->weights[k] = 1;
	s->least_left = n;
	*search = s;
	return 0;
}

void loom_search_destroy(struct solve_search *s)
{
	if (!s)
		return;
	loom_arrays_free(&s->arrays);
	free(s->changes);
	free(s->frames);
	free(s->options);
	free(s);
}
