/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_GROUP_LIST_H
#define LOOM_TESTS_GROUP_LIST_H

/* A finished graph as the list of ops that groups are made of, on a device of one's own. */

#include "group/search/search.h"
#include "group/search/strategy.h"
#include "host/lower/case.h"
#include "lower/storage.h"

/**
 * struct list_case - a list and what it stands on
 * @options: how it was made
 * @build: the plan, of which nothing is written
 * @storage: where values are
 * @list: the list
 * @lower: the device
 * @err: errors
 * @group: room for a group
 */
struct list_case {
	struct loom_storage_options options;
	struct loom_build build;
	struct loom_storage storage;
	struct loom_group_list list;
	struct loom_lower lower;
	struct loom_error err;
	struct loom_group *group;
};

/* Not to be moved afterwards: things in it point to each other. */
static inline void list_begin(struct list_case *c, const struct loom_graph *graph,
			      const struct loom_slice_limits *sram)
{
	memset(c, 0, sizeof(*c));
	c->options.join = LOOM_JOIN_NEAR;
	c->lower.graph = graph;
	c->lower.chip = loom_preset_get(0);
	c->lower.build = &c->build;
	c->lower.storage = &c->storage;
	c->lower.err = &c->err;
	c->lower.sram = *sram;
	loom_build_init(&c->build, sram->lanes);
	if (loom_storage_init(&c->storage, graph, &c->build, &c->options, &c->err) ||
	    loom_group_list_make(&c->list, &c->lower))
		tap_fatal("no list: %s", c->err.text);
	c->group = loom_group_make(&c->list, loom_group_own.rules);
	if (!c->group)
		tap_fatal("no memory");
}

static inline void list_end(struct list_case *c)
{
	loom_group_free(c->group);
	loom_group_list_clear(&c->list);
	loom_storage_clear(&c->storage);
	loom_build_clear(&c->build);
}

#endif /* LOOM_TESTS_GROUP_LIST_H */
