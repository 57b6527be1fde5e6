// SPDX-License-Identifier: MIT
#include "names.h"

#include "pool.h"

#include <errno.h>
#include <string.h>

struct loom_name_slot {
	const char *name;
	void *thing;
};

static struct loom_name_slot *names_slot(const struct loom_names *names, const char *name)
{
	uint32_t hash = 2166136261u;
	const char *c;

	for (c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	for (;; hash++) {
		struct loom_name_slot *slot = &names->slots[hash & (names->num_slots - 1)];

		if (!slot->name || !strcmp(slot->name, name))
			return slot;
	}
}

void *loom_names_find(const struct loom_names *names, const char *name)
{
	return names->num_slots ? names_slot(names, name)->thing : NULL;
}

static int names_enlarge(struct loom_names *names)
{
	struct loom_names larger = *names;
	uint32_t i;

	larger.num_slots = names->num_slots ? names->num_slots * 2 : 64;
	larger.slots = loom_pool_array(names->pool, larger.num_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < names->num_slots; i++) {
		if (names->slots[i].name)
			*names_slot(&larger, names->slots[i].name) = names->slots[i];
	}
	*names = larger;
	return 0;
}

int loom_names_set(struct loom_names *names, const char *name, void *thing)
{
	struct loom_name_slot *slot;
	int err;

	if ((names->num_names + 1) * 2 > names->num_slots) {
		err = names_enlarge(names);
		if (err)
			return err;
	}
	slot = names_slot(names, name);
	if (!slot->name)
		names->num_names++;
	slot->name = name;
	slot->thing = thing;
	return 0;
}
