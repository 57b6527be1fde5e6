// SPDX-License-Identifier: MIT
#include "memory.h"

#include "watch.h"

/* Here they are those of libc. */
#undef malloc
#undef calloc
#undef realloc
#undef free

#include <malloc.h>

/* Size of a block, with what libc puts in front of it. */
static int64_t size_of(void *memory)
{
	return memory ? (int64_t)(malloc_usable_size(memory) + sizeof(size_t)) : 0;
}

static void count(struct loom_watch *watch, int64_t bytes)
{
	atomic_fetch_add_explicit(&watch->memory_bytes, bytes, memory_order_relaxed);
}

void *loom_memory_malloc(size_t size_bytes)
{
	struct loom_watch *watch = loom_watch_now;
	void *memory;

	if (!watch)
		return malloc(size_bytes);
	if (!loom_memory_admit(watch, size_bytes))
		return NULL;
	memory = malloc(size_bytes);
	count(watch, size_of(memory));
	return memory;
}

void *loom_memory_calloc(size_t num, size_t each_bytes)
{
	struct loom_watch *watch = loom_watch_now;
	size_t size_bytes;
	void *memory;

	if (!watch || __builtin_mul_overflow(num, each_bytes, &size_bytes))
		return calloc(num, each_bytes);
	if (!loom_memory_admit(watch, size_bytes))
		return NULL;
	memory = calloc(num, each_bytes);
	count(watch, size_of(memory));
	return memory;
}

void *loom_memory_realloc(void *memory, size_t size_bytes)
{
	struct loom_watch *watch = loom_watch_now;
	int64_t before;
	void *larger;

	if (!watch)
		return realloc(memory, size_bytes);
	/* both may exist for a moment */
	if (!loom_memory_admit(watch, size_bytes))
		return NULL;
	before = size_of(memory);
	larger = realloc(memory, size_bytes);
	if (larger || !size_bytes)
		count(watch, size_of(larger) - before);
	return larger;
}

void loom_memory_free(void *memory)
{
	struct loom_watch *watch = loom_watch_now;

	if (watch)
		count(watch, -size_of(memory));
	free(memory);
}

void *loom_memory_grow(void *array, uint32_t count, uint32_t *cap, size_t elem_bytes)
{
	uint32_t more = *cap ? 2 * *cap : 64;
	void *larger;

	if (count < *cap)
		return array;
	larger = loom_memory_realloc(array, more * elem_bytes);
	if (larger)
		*cap = more;
	return larger;
}
