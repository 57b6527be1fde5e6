// SPDX-License-Identifier: MIT
#include "pool.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define POOL_CHUNK_BYTES	((size_t)64 << 10)
#define POOL_ALIGN		((size_t)16)
/* Chunks of at least so many bytes ask for huge pages: a fault for each small one takes longer. */
#define POOL_HUGE_BYTES		((size_t)4 << 20)

struct loom_chunk {
	struct loom_chunk *next;
	size_t size_bytes;
	/* keeps the data 16-byte aligned */
	_Alignas(16) unsigned char data[];
};

struct loom_mapping {
	struct loom_mapping *next;
	struct stat file;
	void *bytes;
	size_t size_bytes;
	char path[];
};

struct loom_pool {
	struct loom_chunk *chunks;
	struct loom_mapping *mappings;
	unsigned char *free;
	size_t free_bytes;
	size_t budget_bytes;
	bool is_full;
	size_t taken_bytes;
};

struct loom_pool *loom_pool_create(size_t budget_bytes)
{
	struct loom_pool *pool = calloc(1, sizeof(*pool));

	if (pool)
		pool->budget_bytes = budget_bytes;
	return pool;
}

void loom_pool_destroy(struct loom_pool *pool)
{
	struct loom_mapping *mapping, *next_mapping;
	struct loom_chunk *chunk, *next;

	if (!pool)
		return;
	for (mapping = pool->mappings; mapping; mapping = next_mapping) {
		next_mapping = mapping->next;
		munmap(mapping->bytes, mapping->size_bytes);
		free(mapping);
	}
	for (chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(pool);
}

size_t loom_pool_bytes(const struct loom_pool *pool)
{
	return pool->taken_bytes;
}

bool loom_pool_is_full(const struct loom_pool *pool)
{
	return pool->is_full;
}

static void want_huge_pages(void *bytes, size_t size_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)bytes + page_bytes - 1) & ~(page_bytes - 1);

	/* a kernel without them has no other advice */
	madvise((void *)first, (uintptr_t)bytes + size_bytes - first, MADV_HUGEPAGE);
}

static struct loom_chunk *pool_chunk(struct loom_pool *pool, size_t size_bytes)
{
	struct loom_chunk *chunk;

	if (size_bytes > pool->budget_bytes) {
		pool->is_full = true;
		return NULL;
	}
	chunk = calloc(1, sizeof(*chunk) + size_bytes);
	if (!chunk)
		return NULL;
	if (size_bytes >= POOL_HUGE_BYTES)
		want_huge_pages(chunk, sizeof(*chunk) + size_bytes);
	pool->budget_bytes -= size_bytes;
	pool->taken_bytes += size_bytes;
	chunk->size_bytes = size_bytes;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	return chunk;
}

void *loom_pool_alloc(struct loom_pool *pool, size_t size_bytes)
{
	struct loom_chunk *chunk;
	void *memory;

	if (size_bytes > pool->budget_bytes + pool->free_bytes) {
		pool->is_full = true;
		return NULL;
	}
	size_bytes = (size_bytes + POOL_ALIGN - 1) & ~(POOL_ALIGN - 1);
	if (!size_bytes)
		size_bytes = POOL_ALIGN;
	if (size_bytes > POOL_CHUNK_BYTES / 4) {
		chunk = pool_chunk(pool, size_bytes);
		return chunk ? chunk->data : NULL;
	}
	if (size_bytes > pool->free_bytes) {
		chunk = pool_chunk(pool, POOL_CHUNK_BYTES);
		if (!chunk)
			return NULL;
		pool->free = chunk->data;
		pool->free_bytes = POOL_CHUNK_BYTES;
	}
	memory = pool->free;
	pool->free += size_bytes;
	pool->free_bytes -= size_bytes;
	return memory;
}

void loom_pool_free(struct loom_pool *pool, const void *memory)
{
	struct loom_chunk **at = &pool->chunks, *chunk;

	while (*at && (*at)->data != memory)
		at = &(*at)->next;
	chunk = *at;
	if (!chunk || chunk->size_bytes == POOL_CHUNK_BYTES)
		return;
	*at = chunk->next;
	pool->budget_bytes += chunk->size_bytes;
	pool->taken_bytes -= chunk->size_bytes;
	free(chunk);
}

void *loom_pool_array(struct loom_pool *pool, size_t count, size_t elem_bytes)
{
	size_t size_bytes;

	if (__builtin_mul_overflow(count, elem_bytes, &size_bytes))
		return NULL;
	return loom_pool_alloc(pool, size_bytes);
}

void *loom_pool_copy(struct loom_pool *pool, const void *data, size_t size_bytes)
{
	void *copy = loom_pool_alloc(pool, size_bytes);

	if (copy && size_bytes)
		memcpy(copy, data, size_bytes);
	return copy;
}

char *loom_pool_string(struct loom_pool *pool, const char *text)
{
	return text ? loom_pool_copy(pool, text, strlen(text) + 1) : loom_pool_alloc(pool, 1);
}

char *loom_pool_print(struct loom_pool *pool, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		return NULL;
	text = loom_pool_alloc(pool, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

static int map(struct loom_pool *pool, int fd, const struct stat *file,
	       struct loom_mapping **mapping)
{
	char link[32], path[PATH_MAX];
	struct loom_mapping *made;
	ssize_t length;
	int err;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	length = length < 0 ? 0 : length;
	made = calloc(1, sizeof(*made) + (size_t)length + 1);
	if (!made)
		return -ENOMEM;
	memcpy(made->path, path, (size_t)length);
	made->file = *file;
	made->size_bytes = (size_t)file->st_size;
	made->bytes = mmap(NULL, made->size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (made->bytes == MAP_FAILED) {
		err = -errno;
		free(made);
		return err;
	}
	made->next = pool->mappings;
	pool->mappings = made;
	*mapping = made;
	return 0;
}

/* The status changes with the content, and its time cannot be set back. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool loom_pool_is_unchanged(const struct loom_pool *pool)
{
	const struct loom_mapping *mapping;
	struct stat now;

	for (mapping = pool->mappings; mapping; mapping = mapping->next)
		if (stat(mapping->path, &now) || !is_same(&mapping->file, &now))
			return false;
	return true;
}

int loom_pool_map(struct loom_pool *pool, int fd, const void **bytes, size_t *size_bytes)
{
	struct loom_mapping *mapping;
	struct stat file;
	int err = 0;

	if (fstat(fd, &file))
		return -errno;
	if (!S_ISREG(file.st_mode) || file.st_size <= 0)
		return -ENODEV;
	for (mapping = pool->mappings; mapping; mapping = mapping->next)
		if (is_same(&mapping->file, &file))
			break;
	if (!mapping)
		err = map(pool, fd, &file, &mapping);
	if (err)
		return err;
	*bytes = mapping->bytes;
	*size_bytes = mapping->size_bytes;
	return 0;
}

bool loom_pool_has_mapped(const struct loom_pool *pool, const void *data)
{
	const struct loom_mapping *mapping;

	for (mapping = pool->mappings; mapping; mapping = mapping->next)
		if ((uintptr_t)data - (uintptr_t)mapping->bytes < mapping->size_bytes)
			return true;
	return false;
}

void *loom_pool_grow(struct loom_pool *pool, void *array, uint32_t count, uint32_t *cap,
		     size_t elem_bytes)
{
	uint32_t room = *cap ? *cap * 2 : 16;
	void *larger;

	if (count < *cap)
		return array;
	if (room < *cap)
		return NULL;
	larger = loom_pool_array(pool, room, elem_bytes);
	if (!larger)
		return NULL;
	if (count)
		memcpy(larger, array, count * elem_bytes);
	*cap = room;
	return larger;
}
