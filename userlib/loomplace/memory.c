// SPDX-License-Identifier: MIT
/* See memory.h. Each block has its size before it, because realloc() needs it. */
#include "memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define HEAD	alignof(max_align_t)

static __thread const struct loomplace_memory *used;

const struct loomplace_memory *place_memory_use(const struct loomplace_memory *memory)
{
	const struct loomplace_memory *before = used;

	used = memory;
	return before;
}

void *place_memory_malloc(size_t bytes)
{
	char *memory;

	if (!used)
		return malloc(bytes);
	if (bytes > SIZE_MAX - HEAD)
		return NULL;
	memory = used->allocate(used->context, HEAD + bytes);
	if (!memory)
		return NULL;
	memcpy(memory, &bytes, sizeof(bytes));
	return memory + HEAD;
}

void *place_memory_calloc(size_t count, size_t bytes)
{
	void *memory;

	if (!used)
		return calloc(count, bytes);
	if (__builtin_mul_overflow(count, bytes, &bytes))
		return NULL;
	memory = place_memory_malloc(bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

void place_memory_free(void *memory)
{
	if (!used)
		free(memory);
	else if (memory)
		used->release(used->context, (char *)memory - HEAD);
}

void *place_memory_realloc(void *memory, size_t bytes)
{
	size_t before = 0;
	void *grown;

	if (!used)
		return realloc(memory, bytes);
	grown = place_memory_malloc(bytes);
	if (!grown || !memory)
		return grown;
	memcpy(&before, (char *)memory - HEAD, sizeof(before));
	memcpy(grown, memory, before < bytes ? before : bytes);
	place_memory_free(memory);
	return grown;
}

static void swap(char *a, char *b, size_t bytes)
{
	char c;

	while (bytes--) {
		c = *a;
		*a++ = *b;
		*b++ = c;
	}
}

/* Sifts the element at @at down a heap of @count, the largest first. */
static void sink(char *base, size_t at, size_t count, size_t bytes,
		 int (*compare)(const void *a, const void *b))
{
	size_t child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count &&
		    compare(base + child * bytes, base + (child + 1) * bytes) < 0)
			child++;
		if (compare(base + at * bytes, base + child * bytes) >= 0)
			return;
		swap(base + at * bytes, base + child * bytes, bytes);
		at = child;
	}
}

/* Heap sort, in place and unstable. The placer sorts no equal elements whose order matters. */
void place_memory_qsort(void *base, size_t count, size_t bytes,
			int (*compare)(const void *a, const void *b))
{
	size_t i;

	if (!used) {
		qsort(base, count, bytes, compare);
		return;
	}
	for (i = count / 2; i-- > 0;)
		sink(base, i, count, bytes, compare);
	for (i = count; i-- > 1;) {
		swap(base, (char *)base + i * bytes, bytes);
		sink(base, 0, i, bytes, compare);
	}
}
