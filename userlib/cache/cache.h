/* SPDX-License-Identifier: MIT */
/*
 * DOC: The cache of programs
 *
 * Programs as files (program_file/) in a folder of the user, by the digest of all that a program
 * depends on: the finished graph with its constants, the chip, the options, and the build of the
 * library. So nothing in the cache is ever out of date, and an entry does not change.
 *
 *	digest.c	SHA-256
 *	key.c		what a program depends on, as a digest
 *	store.c		the folder: finding, storing, removing entries
 *	cache.c		loom_program_obtain(), which plans where nothing is found
 *
 * Processes share the folder without locks. An entry appears by rename(), complete; two that store
 * the same one store the same bytes; one that is removed while another process has it mapped keeps
 * its bytes. An entry that is damaged fails the checks of program_file/ and is replaced. A full
 * disk, a folder that cannot be written and a missing home cost the entry and nothing else.
 *
 * The key is of the graph and not of the model's file, because constants may lie in other files and
 * options bind shapes and values: of these the graph has what matters.
 */
#ifndef LOOM_CACHE_ROOM_H
#define LOOM_CACHE_ROOM_H

#include "digest.h"
#include "loom_cache.h"

#include <stdbool.h>

/** cache_key() - digest of what a program of @graph and @options depends on */
void cache_key(const struct loom_graph *graph, const struct loom_planner_options *options,
	       char *text);

/** cache_folder() - the folder of entries, from malloc; NULL: there is none */
char *cache_folder(void);
/** cache_path() - the file of an entry, from malloc; NULL without memory */
char *cache_path(const char *folder, const char *key);
/** cache_put() - stores an entry and removes the oldest beyond the cap. Failures are not told */
void cache_put(const char *folder, const char *path, const void *bytes, size_t size_bytes);
/** cache_touch() - notes that an entry was used */
void cache_touch(const char *path);

#endif /* LOOM_CACHE_ROOM_H */
