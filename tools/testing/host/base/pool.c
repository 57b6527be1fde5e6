// SPDX-License-Identifier: MIT
/* Memory pools, and tables of names in them. */
#include "base/pool.h"

#include "base/names.h"
#include "tap.h"

#include <string.h>

static void pools_have_a_budget(void)
{
	struct loom_pool *pool = loom_pool_create(1 << 20);
	struct loom_names names = { .pool = pool };
	unsigned int i;
	char *name;

	if (!pool)
		tap_fatal("no memory");
	tap_ok(loom_pool_alloc(pool, 1 << 19) && !loom_pool_alloc(pool, 1 << 19 | 1) &&
	       loom_pool_alloc(pool, 1 << 10) && !loom_pool_array(pool, SIZE_MAX / 2, 4),
	       "a pool gives no more than its budget");
	for (i = 0; i < 1000; i++) {
		name = loom_pool_print(pool, "%u", i);
		if (!name || loom_names_set(&names, name, name))
			break;
	}
	name = loom_names_find(&names, "777");
	tap_ok(i == 1000 && name && !strcmp(name, "777") && !loom_names_find(&names, "1000"),
	       "names are found again");
	loom_pool_destroy(pool);
}

int main(void)
{
	pools_have_a_budget();
	return tap_end();
}
