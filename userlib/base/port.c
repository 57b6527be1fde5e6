// SPDX-License-Identifier: MIT
/* The functions that core needs, from libc. The module's version is loom_port.c. */
#include "loom_core.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A common multiple of the sizes of small pages. */
#define PORT_PAGE	0x10000
/* Arrays of at least this size benefit from large pages. */
#define PORT_LARGE	(4U << 20)

/*
 * Page faults would dominate the time of a large plan. Memory allocated here is always filled, so
 * it is populated at once, by large pages if possible. Refusal by the kernel is harmless.
 */
static void port_map(void *ptr, size_t bytes)
{
	size_t skip = -(uintptr_t)ptr % PORT_PAGE;
	void *start = (char *)ptr + skip;
	unsigned char resident;
	void *middle;

	bytes = (bytes - skip) / PORT_PAGE * PORT_PAGE;
	/* reused memory is populated already, and checking each page takes time */
	middle = (char *)start + bytes / 2 / PORT_PAGE * PORT_PAGE;
	if (!mincore(middle, 1, &resident) && resident & 1)
		return;
#ifdef MADV_HUGEPAGE
	(void)madvise(start, bytes, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE
	(void)madvise(start, bytes, MADV_POPULATE_WRITE);
#endif
}

void *loom_port_alloc(size_t count, size_t size)
{
	void *ptr;

	/* some libcs return NULL for zero bytes, which would look like a failure */
	if (!count || !size)
		return calloc(1, 1);
	ptr = calloc(count, size);
	if (ptr && count * size >= PORT_LARGE)
		port_map(ptr, count * size);
	return ptr;
}

void loom_port_free(void *ptr)
{
	free(ptr);
}

bool loom_port_relax(void)
{
	return true;
}
