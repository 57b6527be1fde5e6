// SPDX-License-Identifier: MIT
#include "cache.h"

#include "graph/graph.h"
#include "loom_program_file.h"

#include <errno.h>
#include <stdlib.h>

/* An entry, if it is there and in order. */
static struct loom_program_file *find(const char *path)
{
	struct loom_program_file *file;

	if (loom_program_load(path, &file, NULL))
		return NULL;
	cache_touch(path);
	return file;
}

static void store(const struct loom_program *program, const struct loom_planner_options *options,
		  const char *folder, const char *path)
{
	const struct loom_program_origin origin = {
		.chip = options->chip, .objective = options->objective,
	};
	size_t size_bytes;
	void *bytes;

	if (loom_program_write(program, &origin, &bytes, &size_bytes, NULL))
		return;
	cache_put(folder, path, bytes, size_bytes);
	free(bytes);
}

/* Detects a caller that ended planning early: its program must not be stored. */
static int watch(void *data, const struct loom_progress *progress)
{
	struct loom_planner_options *options = data;
	int answer = options->progress(options->progress_data, progress);

	if (answer == LOOM_PROGRESS_FINISH)
		options->max_work = UINT64_MAX;
	return answer;
}

int loom_program_obtain(const struct loom_graph *graph, const struct loom_planner_options *options,
			struct loom_program **program, struct loom_program_file **file,
			struct loom_error *err)
{
	struct loom_planner_options given, how;
	char key[CACHE_DIGEST_TEXT], *folder, *path = NULL;
	int ret, saved_errno = errno;

	*program = NULL;
	*file = NULL;
	if (!options || !options->chip || loom_graph_check(graph, NULL))
		return loom_program_create(graph, options, program, err);
	folder = cache_folder();
	if (folder) {
		cache_key(graph, options, key);
		path = cache_path(folder, key);
	}
	if (path)
		*file = find(path);
	ret = 0;
	if (!*file) {
		given = *options;
		given.max_work = 0;
		how = *options;
		if (how.progress) {
			how.progress = watch;
			how.progress_data = &given;
		}
		ret = loom_program_create(graph, &how, program, err);
		if (!ret && path && !given.max_work)
			store(*program, options, folder, path);
	}
	free(path);
	free(folder);
	errno = saved_errno;
	return ret;
}
