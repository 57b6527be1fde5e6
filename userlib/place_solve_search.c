// SPDX-License-Identifier: MIT
/*
 * DOC: The search
 *
 * See place_solve.c for what it rests on. State: by item the least offset that it can still have
 * (mins), by section the least of those (floors) and the bytes that are still to come (totals).
 */
#include "place_solve_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* option: nothing starts here */
#define OPTION_NONE	UINT32_MAX

/* What was changed: undone backwards. */
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

/**
 * struct frame - a decision: what starts at the floor of a section
 * @mark: number of changes before it
 * @next: index in options of what is tried next
 * @end: behind the last option
 * @section: whose floor
 * @from: first section of the piece that it belongs to
 * @to: behind the last
 * @key: of the state, both hashes
 */
struct frame {
	uint32_t mark;
	uint32_t next;
	uint32_t end;
	uint32_t section;
	uint32_t from;
	uint32_t to;
	uint64_t key[2];
};

struct solve_search {
	const struct solve_part *part;
	struct solve_memo *memo;
	uint64_t capacity;
	bool started;
	uint32_t *rank;
	uint32_t num_left;
	uint64_t *mins;
	uint64_t *offsets;
	uint64_t *floors;
	uint64_t *totals;
	uint32_t *counts;
	uint32_t *crossing;
	uint64_t *left;
	uint64_t *dirty;
	uint64_t hash[2];
	struct change *changes;
	uint32_t num_changes;
	uint32_t max_changes;
	struct frame *frames;
	uint32_t num_frames;
	uint32_t max_frames;
	uint32_t *options;
	uint32_t max_options;
	bool nomem;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ULL;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

static void hash_toggle(uint64_t hash[2], uint32_t item, uint64_t min)
{
	uint64_t x = mix(min * 0x100000001b3ULL + ((uint64_t)item << 40) + item + 1);

	hash[0] ^= x;
	hash[1] ^= mix(x + 0x632be59bd9b4e019ULL);
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

static void undo_to(struct solve_search *s, uint32_t mark)
{
	const struct solve_part *part = s->part;

	while (s->num_changes > mark) {
		const struct change *change = &s->changes[--s->num_changes];
		uint32_t i = change->index, k;

		switch (change->what) {
		case CHANGE_MIN:
			hash_toggle(s->hash, i, s->mins[i]);
			s->mins[i] = change->before;
			hash_toggle(s->hash, i, s->mins[i]);
			break;
		case CHANGE_FLOOR:
			s->floors[i] = change->before;
			break;
		default:
			s->left[i / 64] |= 1ULL << i % 64;
			s->num_left++;
			hash_toggle(s->hash, i, s->mins[i]);
			for (k = part->first[i]; k < part->first[i + 1]; k++) {
				s->totals[part->sections[k]] += part->sizes[i];
				s->counts[part->sections[k]]++;
				s->crossing[part->sections[k]] += k + 1 < part->first[i + 1];
			}
		}
	}
}

/* An item cannot be lower than this. Its sections are looked at later. */
static bool raise_min(struct solve_search *s, uint32_t item, uint64_t offset)
{
	const struct solve_part *part = s->part;
	uint64_t before = s->mins[item];
	uint32_t k;

	if (!part->free)
		offset = loom_solve_snap(part, item, offset);
	if (offset <= before)
		return true;
	if (offset + part->sizes[item] > s->capacity)
		return false;
	log_change(s, CHANGE_MIN, item, before);
	hash_toggle(s->hash, item, before);
	hash_toggle(s->hash, item, offset);
	s->mins[item] = offset;
	for (k = part->first[item]; k < part->first[item + 1]; k++)
		if (s->floors[part->sections[k]] == before)
			s->dirty[part->sections[k] / 64] |= 1ULL << part->sections[k] % 64;
	return true;
}

/* Floors that may have risen, and whether what is to come still fits above them. */
static bool update_floors(struct solve_search *s)
{
	const struct solve_part *part = s->part;
	uint32_t words = part->item_words, dw, w;

	for (dw = 0; dw < part->section_words; dw++) {
		while (s->dirty[dw]) {
			uint32_t section = dw * 64 + __builtin_ctzll(s->dirty[dw]);
			const uint64_t *members = part->members + (size_t)section * words;
			uint64_t before = s->floors[section], floor = SOLVE_NEVER;

			s->dirty[dw] &= s->dirty[dw] - 1;
			for (w = 0; w < words && floor > before; w++) {
				uint64_t set = members[w] & s->left[w];

				for (; set; set &= set - 1) {
					uint64_t min = s->mins[w * 64 + __builtin_ctzll(set)];

					if (min < floor) {
						floor = min;
						if (floor <= before)
							break;
					}
				}
			}
			if (floor == before)
				continue;
			log_change(s, CHANGE_FLOOR, section, before);
			s->floors[section] = floor;
			if (floor != SOLVE_NEVER && floor + s->totals[section] > s->capacity) {
				memset(s->dirty, 0, part->section_words * sizeof(*s->dirty));
				return false;
			}
		}
	}
	return true;
}

static bool place_item(struct solve_search *s, uint32_t item)
{
	const struct solve_part *part = s->part;
	const uint64_t *meets = part->meets + (size_t)item * part->item_words;
	uint64_t top = s->mins[item] + part->sizes[item];
	uint32_t k, w;

	s->offsets[item] = s->mins[item];
	s->left[item / 64] &= ~(1ULL << item % 64);
	s->num_left--;
	hash_toggle(s->hash, item, s->mins[item]);
	log_change(s, CHANGE_PLACED, item, 0);
	for (k = part->first[item]; k < part->first[item + 1]; k++) {
		uint32_t section = part->sections[k];

		s->totals[section] -= part->sizes[item];
		s->counts[section]--;
		s->crossing[section] -= k + 1 < part->first[item + 1];
		s->dirty[section / 64] |= 1ULL << section % 64;
	}
	for (w = 0; w < part->item_words; w++) {
		uint64_t set = meets[w] & s->left[w];

		for (; set; set &= set - 1)
			if (!raise_min(s, w * 64 + __builtin_ctzll(set), top)) {
				memset(s->dirty, 0, part->section_words * sizeof(*s->dirty));
				return false;
			}
	}
	return update_floors(s);
}

/* Nothing starts at the floor of a section: what could has to rest on something else. */
static bool place_nothing(struct solve_search *s, uint32_t section)
{
	const struct solve_part *part = s->part;
	const uint64_t *members = part->members + (size_t)section * part->item_words;
	uint64_t floor = s->floors[section], least = SOLVE_NEVER, set, other;
	uint32_t words = part->item_words, w, v, i, j;

	/* the first of them to be raised is raised by an item that is not one of them */
	for (w = 0; w < words; w++) {
		for (set = members[w] & s->left[w]; set; set &= set - 1) {
			i = w * 64 + __builtin_ctzll(set);
			if (s->mins[i] != floor)
				continue;
			for (v = 0; v < words; v++) {
				other = part->meets[(size_t)i * words + v] & s->left[v];
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
			if (s->mins[i] == floor && !raise_min(s, i, least)) {
				memset(s->dirty, 0, part->section_words * sizeof(*s->dirty));
				return false;
			}
		}
	}
	return update_floors(s);
}

static bool memo_has(const struct solve_memo *memo, const uint64_t key[2])
{
	const uint64_t *slot = memo->keys + (key[0] & memo->mask) * 2;

	return slot[0] == key[0] && slot[1] == key[1];
}

static void memo_add(struct solve_memo *memo, const uint64_t key[2])
{
	uint64_t *slot = memo->keys + (key[0] & memo->mask) * 2;

	slot[0] = key[0];
	slot[1] = key[1];
}

/* Hashes of what is left in sections @from to @to. */
static void piece_key(const struct solve_search *s, uint32_t from, uint32_t to, uint64_t key[2])
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

			if (section >= from && section < to)
				hash_toggle(key, i, s->mins[i]);
		}
	}
}

/* The first piece that has something left: sections that no item crosses out of. */
static void find_piece(const struct solve_search *s, uint32_t *from, uint32_t *to)
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
	/* the last one of all reaches over empty sections */
}

static uint32_t section_options(const struct solve_search *s, uint32_t section)
{
	const struct solve_part *part = s->part;
	const uint64_t *members = part->members + (size_t)section * part->item_words;
	uint32_t w, count = 0;

	for (w = 0; w < part->item_words; w++) {
		uint64_t set = members[w] & s->left[w];

		for (; set; set &= set - 1)
			count += s->mins[w * 64 + __builtin_ctzll(set)] == s->floors[section];
	}
	return count;
}

/* Back to the last decision that has to do with these sections. */
static void skip_frames(struct solve_search *s, uint32_t from, uint32_t to)
{
	while (s->num_frames && (s->frames[s->num_frames - 1].to <= from ||
				 s->frames[s->num_frames - 1].from >= to))
		s->num_frames--;
}

/* Makes the next decision: at the lowest floor, in the section with the least room. */
static bool push_frame(struct solve_search *s)
{
	const struct solve_part *part = s->part;
	uint32_t from, to, section = 0, fewest = 0, k, w, start, end;
	uint64_t level = SOLVE_NEVER, best = SOLVE_NEVER;
	const uint64_t *members;
	struct frame *frame;

	find_piece(s, &from, &to);
	for (k = from; k < to; k++)
		if (s->floors[k] < level)
			level = s->floors[k];
	for (k = from; k < to; k++) {
		if (s->floors[k] != level)
			continue;
		uint64_t slack = s->capacity - level - s->totals[k];
		uint32_t count = section_options(s, k);

		if (slack < best || (slack == best && count < fewest)) {
			best = slack;
			fewest = count;
			section = k;
		}
	}
	if (s->num_frames == s->max_frames) {
		uint32_t more = s->max_frames * 2;
		struct frame *frames = realloc(s->frames, more * sizeof(*frames));

		if (!frames) {
			s->nomem = true;
			return false;
		}
		s->frames = frames;
		s->max_frames = more;
	}
	start = s->num_frames ? s->frames[s->num_frames - 1].end : 0;
	if (start + part->num_items + 1 > s->max_options) {
		uint32_t more = s->max_options * 2 + part->num_items;
		uint32_t *options = realloc(s->options, more * sizeof(*options));

		if (!options) {
			s->nomem = true;
			return false;
		}
		s->options = options;
		s->max_options = more;
	}
	frame = &s->frames[s->num_frames];
	frame->mark = s->num_changes;
	frame->section = section;
	frame->from = from;
	frame->to = to;
	piece_key(s, from, to, frame->key);
	if (s->memo && memo_has(s->memo, frame->key)) {
		skip_frames(s, from, to);
		return false;
	}
	end = start;
	members = part->members + (size_t)section * part->item_words;
	for (w = 0; w < part->item_words; w++) {
		uint64_t set = members[w] & s->left[w];

		for (; set; set &= set - 1) {
			uint32_t i = w * 64 + __builtin_ctzll(set), twin = part->twins[i], at;

			if (s->mins[i] != level)
				continue;
			if (twin != LOOM_PLACE_NONE && (s->left[twin / 64] >> twin % 64 & 1) &&
			    s->mins[twin] == level)
				continue;
			for (at = end++; at > start && s->rank[s->options[at - 1]] > s->rank[i]; at--)
				s->options[at] = s->options[at - 1];
			s->options[at] = i;
		}
	}
	if (best)
		s->options[end++] = OPTION_NONE;
	frame->next = start;
	frame->end = end;
	s->num_frames++;
	return true;
}

/* The state of the top frame holds nothing. */
static void pop_frame(struct solve_search *s)
{
	const struct frame *frame = &s->frames[--s->num_frames];

	if (s->memo)
		memo_add(s->memo, frame->key);
	skip_frames(s, frame->from, frame->to);
}

enum solve_answer loom_search_run(struct solve_search *s, uint64_t *nodes)
{
	if (!s->started) {
		uint32_t k;

		s->started = true;
		for (k = 0; k < s->part->num_items; k++)
			if (s->mins[k] == SOLVE_NEVER ||
			    s->mins[k] + s->part->sizes[k] > s->capacity)
				return SOLVE_NONE;
		for (k = 0; k < s->part->num_sections; k++)
			if (s->floors[k] + s->totals[k] > s->capacity)
				return SOLVE_NONE;
		if (!push_frame(s))
			return s->nomem ? SOLVE_NOMEM : SOLVE_NONE;
	}
	while (s->num_frames) {
		struct frame *frame = &s->frames[s->num_frames - 1];
		uint32_t option;
		bool good;

		if (s->nomem)
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
		if (!s->num_left)
			return SOLVE_FOUND;
		push_frame(s);
	}
	return SOLVE_NONE;
}

const uint64_t *loom_search_offsets(const struct solve_search *s)
{
	return s->offsets;
}

void loom_search_reset(struct solve_search *s, uint64_t capacity, struct solve_memo *memo)
{
	const struct solve_part *part = s->part;
	uint32_t i, k;

	s->capacity = capacity;
	s->memo = memo;
	s->started = false;
	s->num_left = part->num_items;
	s->num_changes = 0;
	s->num_frames = 0;
	s->hash[0] = 0;
	s->hash[1] = 0;
	memset(s->dirty, 0, part->section_words * sizeof(*s->dirty));
	memset(s->left, 0, part->item_words * sizeof(*s->left));
	for (k = 0; k < part->num_sections; k++) {
		s->floors[k] = SOLVE_NEVER;
		s->totals[k] = 0;
		s->counts[k] = 0;
		s->crossing[k] = 0;
	}
	for (i = 0; i < part->num_items; i++) {
		s->left[i / 64] |= 1ULL << i % 64;
		s->mins[i] = loom_solve_snap(part, i, 0);
		hash_toggle(s->hash, i, s->mins[i]);
		for (k = part->first[i]; k < part->first[i + 1]; k++) {
			uint32_t section = part->sections[k];

			s->totals[section] += part->sizes[i];
			s->counts[section]++;
			s->crossing[section] += k + 1 < part->first[i + 1];
			if (s->mins[i] < s->floors[section])
				s->floors[section] = s->mins[i];
		}
	}
}

int loom_search_create(const struct solve_part *part, const uint32_t *rank,
		       struct solve_search **search)
{
	uint32_t n = part->num_items, sections = part->num_sections;
	struct solve_search *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->part = part;
	s->max_changes = 4 * (n + sections) + 64;
	s->max_frames = n + 16;
	s->max_options = 4 * n + 16;
	s->rank = malloc(n * sizeof(*s->rank));
	s->mins = malloc(n * sizeof(*s->mins));
	s->offsets = calloc(n, sizeof(*s->offsets));
	s->floors = malloc(sections * sizeof(*s->floors));
	s->totals = malloc(sections * sizeof(*s->totals));
	s->counts = malloc(sections * sizeof(*s->counts));
	s->crossing = malloc(sections * sizeof(*s->crossing));
	s->left = malloc(part->item_words * sizeof(*s->left));
	s->dirty = malloc(part->section_words * sizeof(*s->dirty));
	s->changes = malloc(s->max_changes * sizeof(*s->changes));
	s->frames = malloc(s->max_frames * sizeof(*s->frames));
	s->options = malloc(s->max_options * sizeof(*s->options));
	if (!s->rank || !s->mins || !s->offsets || !s->floors || !s->totals || !s->counts ||
	    !s->crossing || !s->left || !s->dirty || !s->changes || !s->frames || !s->options) {
		loom_search_destroy(s);
		return -ENOMEM;
	}
	memcpy(s->rank, rank, n * sizeof(*rank));
	*search = s;
	return 0;
}

void loom_search_destroy(struct solve_search *s)
{
	if (!s)
		return;
	free(s->rank);
	free(s->mins);
	free(s->offsets);
	free(s->floors);
	free(s->totals);
	free(s->counts);
	free(s->crossing);
	free(s->left);
	free(s->dirty);
	free(s->changes);
	free(s->frames);
	free(s->options);
	free(s);
}
