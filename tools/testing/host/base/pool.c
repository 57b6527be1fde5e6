// SPDX-License-Identifier: MIT
/* Memory pools, and tables of names in them. */
#include "base/pool.h"

#include "base/names.h"
#include "tap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void pools_have_a_budget(void)
{
	struct loom_pool *pool = loom_pool_create(1 << 20);
	struct loom_names names = { .pool = pool };
	unsigned int i;
	void *half;
	char *name;

	if (!pool)
		tap_fatal("no memory");
	half = loom_pool_alloc(pool, 1 << 19);
	tap_ok(half && !loom_pool_alloc(pool, 1 << 19 | 1) &&
	       loom_pool_alloc(pool, 1 << 10) && !loom_pool_array(pool, SIZE_MAX / 2, 4),
	       "a pool gives no more than its budget");
	loom_pool_free(pool, half);
	tap_ok(loom_pool_bytes(pool) < 1 << 19 && loom_pool_alloc(pool, 1 << 19),
	       "memory that is freed early can be had again");
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

static void files_are_mapped_once(void)
{
	struct loom_pool *pool = loom_pool_create(0);
	const void *bytes = NULL, *again = NULL;
	FILE *file = tmpfile();
	size_t size_bytes = 0;
	int pipes[2];

	if (!pool || !file || pipe(pipes))
		tap_fatal("no memory or no file");
	tap_ok(loom_pool_map(pool, fileno(file), &bytes, &size_bytes) == -ENODEV &&
	       loom_pool_map(pool, pipes[0], &bytes, &size_bytes) == -ENODEV &&
	       loom_pool_map(pool, -1, &bytes, &size_bytes) == -EBADF,
	       "an empty file, a pipe, no file: nothing to map");
	if (fputs("loom", file) < 0 || fflush(file))
		tap_fatal("no file");
	tap_ok(!loom_pool_map(pool, fileno(file), &bytes, &size_bytes) &&
	       !loom_pool_map(pool, fileno(file), &again, &size_bytes) && bytes == again &&
	       size_bytes == 4 && !memcmp(bytes, "loom", 4), "a file is mapped once");
	tap_ok(loom_pool_has_mapped(pool, (const char *)bytes + 3) &&
	       !loom_pool_has_mapped(pool, (const char *)bytes + 4) &&
	       !loom_pool_has_mapped(pool, &pool), "what is in it is known");
	close(pipes[0]);
	close(pipes[1]);
	fclose(file);
	loom_pool_destroy(pool);
}

int main(void)
{
	pools_have_a_budget();
	files_are_mapped_once();
	return tap_end();
}
