// SPDX-License-Identifier: MIT
/* What core asks of its surroundings, from libc. The module's version is loom_port.c. */
#include "loom_core.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A multiple of all sizes of pages that there are, of those that are not large. */
#define PORT_PAGE	0x10000
/* From so many bytes on an array is worth large pages. */
#define PORT_LARGE	(4U << 20)

/*
 * Half of the time that a plan of a million tensors takes would be page faults, one for every 34
 * views. Whatever is allocated here is filled, so it is mapped at once, by large pages if the
 * kernel has any. Nothing is lost if it refuses.
 */
static void port_map(void *ptr, size_t bytes)
{
	size_t skip = -(uintptr_t)ptr % PORT_PAGE;
	void *start = (char *)ptr + skip;
	unsigned char resident;
	void *middle;

	bytes = (bytes - skip) / PORT_PAGE * PORT_PAGE;
	/* what was in use before is there already, and looking at each page of it takes time */
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
