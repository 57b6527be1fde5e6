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
 * A folder or an entry that another user owns or may write to is not used. The folder is opened
 * once and its files are reached through it, so that the one that was checked is the one in use.
 *
 * The key is of the graph and not of the model's file, because constants may lie in other files and
 * options bind shapes and values: of these the graph has what matters.
 */
#ifndef LOOM_CACHE_ROOM_H
#define LOOM_CACHE_ROOM_H

#include "digest.h"
#include "loom_cache.h"

/* The largest entry. */
#define CACHE_ENTRY_BYTES	((uint64_t)256 << 20)
/* Bytes that are hashed or written before the caller of the library is asked again. */
#define CACHE_STEP_BYTES	((size_t)256 << 10)
/* The name of an entry: its key and a suffix. */
#define CACHE_NAME_BYTES	(CACHE_DIGEST_TEXT + sizeof(".loom"))

/** cache_name() - the entry of @graph and @options: a digest of what their program depends on */
void cache_name(const struct loom_graph *graph, const struct loom_planner_options *options,
		char *name);

/** cache_open() - the folder of entries, to be closed; negative: there is none that can be used */
int cache_open(void);
/** cache_find() - an entry, to be closed, which counts as used; negative: there is none */
int cache_find(int folder, const char *name);
/** cache_put() - stores an entry and removes the oldest beyond the cap. Failures are not told */
void cache_put(int folder, const char *name, const void *bytes, size_t size_bytes);

#endif /* LOOM_CACHE_ROOM_H */
