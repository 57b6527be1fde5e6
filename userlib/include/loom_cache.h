/* SPDX-License-Identifier: MIT */
/**
 * DOC: The cache of programs
 *
 * Planning takes seconds, and the same graph, chip and options give the same program. So programs
 * are kept in $XDG_CACHE_HOME/loom, or ~/.cache/loom, up to 1 GiB in all; those used longest ago go
 * first, and one of more than 256 MiB, or of so large constants, is not kept. The folder may be
 * removed at any time. A folder or an entry that another user owns or may write to is not used.
 */
#ifndef LOOM_CACHE_H
#define LOOM_CACHE_H

#include "loom_planner.h"
#include "loom_program_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * loom_program_obtain() - a program from the cache, or planned and put there
 * @graph: finished
 * @options: the options
 * @program: [out] a program that was planned, destroy with loom_program_destroy(); else NULL
 * @file: [out] an entry of the cache, close with loom_program_unload(); else NULL
 * @err: [out] one line on failure, may be NULL
 *
 * One of @program and @file is set, and both have the same plan. A cache that cannot be read or
 * written is no failure. A plan that was finished early at the wish of the caller is not kept, nor
 * is one of a model whose file has changed since it was opened. Limits and callback of the options
 * hold for hashing, loading and storing too; an entry alone that is beyond a limit is not stored.
 *
 * Return: as loom_program_create() does.
 */
int loom_program_obtain(const struct loom_graph *graph, const struct loom_planner_options *options,
			struct loom_program **program, struct loom_program_file **file,
			struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_CACHE_H */
