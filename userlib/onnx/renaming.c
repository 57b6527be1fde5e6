// SPDX-License-Identifier: MIT
#include "renaming.h"

#include "base/pool.h"

#include <errno.h>

int loom_renaming_define(struct loom_renaming *names, const char *name)
{
	const char *own = loom_pool_print(names->table.pool, "%s~%u", name, names->number);
	const char *key = loom_pool_string(names->table.pool, name);

	if (!own || !key)
		return -ENOMEM;
	return loom_names_set(&names->table, key, (void *)own);
}

const char *loom_renaming_find(const struct loom_renaming *names, const char *name)
{
	const char *own;

	for (; names; names = names->outer) {
		own = loom_names_find(&names->table, name);
		if (own)
			return own;
	}
	return name;
}
