// SPDX-License-Identifier: MIT
#include "cache.h"

#include "base/pool.h"
#include "base/watch.h"
#include "graph/graph.h"
#include "planner/planner.h"
#include "program_file/program_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether a program of it may be small enough for an entry, so that the hash is worth its time. */
static bool is_small(const struct loom_graph *graph)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < graph->num_values; i++)
		if (graph->values[i]->data && graph->values[i]->num_uses)
			bytes += graph->values[i]->size_bytes;
	return bytes <= CACHE_ENTRY_BYTES;
}

/* An entry, if it is there and in order. */
static struct loom_program_file *find(int folder, const char *name)
{
	struct loom_program_file *file = NULL;
	int fd = cache_find(folder, name);

	if (fd < 0)
		return NULL;
	loom_file_load(fd, name, &file, NULL);
	close(fd);
	return file;
}

static void store(const struct loom_graph *graph, const struct loom_program *program,
		  const struct loom_planner_options *options, int folder, const char *name)
{
	const struct loom_program_origin origin = {
		.chip = options->chip, .objective = options->objective,
	};
	size_t size_bytes;
	void *bytes;

	/* a plan that was finished early is not the one that others want */
	if (loom_watch_is_over() ||
	    loom_program_write(program, &origin, &bytes, &size_bytes, NULL))
		return;
	/* of a file that has changed, the key may be of other bytes than the program */
	if (size_bytes <= CACHE_ENTRY_BYTES && !loom_watch_is_over() &&
	    loom_pool_is_unchanged(graph->pool))
		cache_put(folder, name, bytes, size_bytes);
	free(bytes);
}

int loom_program_obtain(const struct loom_graph *graph, const struct loom_planner_options *options,
			struct loom_program **program, struct loom_program_file **file,
			struct loom_error *err)
{
	char name[CACHE_NAME_BYTES];
	int ret = 0, folder, code, saved_errno = errno;
	struct loom_watch watch;

	*program = NULL;
	*file = NULL;
	if (!options || !options->chip || loom_graph_check(graph, NULL))
		return loom_program_create(graph, options, program, err);
	watch = loom_planner_watch(graph, options);
	loom_watch_begin(&watch);
	loom_watch_at(LOOM_STAGE_READ);
	/* nothing is known of what native kernels depend on */
	folder = !graph->natives && is_small(graph) ? cache_open() : -1;
	if (folder >= 0) {
		cache_name(graph, options, name);
		if (!loom_watch_is_over())
			*file = find(folder, name);
	}
	loom_watch_at(LOOM_STAGE_SIMPLIFY);
	if (!*file)
		ret = loom_program_create(graph, options, program, err);
	if (folder >= 0 && *program && !loom_watch_spend(0)) {
		store(graph, *program, options, folder, name);
		/* a limit that the entry alone is beyond costs the entry alone */
		loom_watch_forgive();
	}
	if (folder >= 0)
		close(folder);
	code = loom_planner_unwatch(&watch, ret, program, err);
	if (code) {
		loom_program_unload(*file);
		*file = NULL;
	}
	errno = saved_errno;
	return code;
}
