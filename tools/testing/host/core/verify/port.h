/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PORT_H
#define LOOM_TESTS_PORT_H

/* The port of core, in place of the library's: calls are counted, and refused on demand. */
#include <stdlib.h>

#include "loom_core.h"

/* Calls for memory so far; the one with this number gets none. */
static u32 port_allocs, port_fail_at = U32_MAX;
/* Blocks and bytes that are not given back, and the most bytes that there were. */
static s64 port_kept;
static u64 port_bytes, port_bytes_most;
/* Looks for signals so far; from this one on the client was killed; looks behind that. */
static u32 port_looks, port_stop_at = U32_MAX, port_late;

void *loom_port_alloc(size_t count, size_t size)
{
	size_t *ptr;

	if (port_allocs++ == port_fail_at)
		return NULL;
	ptr = calloc(1, 16 + count * size);
	if (!ptr)
		abort();
	*ptr = count * size;
	port_kept++;
	port_bytes += *ptr;
	port_bytes_most = max(port_bytes_most, port_bytes);
	return (char *)ptr + 16;
}

void loom_port_free(void *ptr)
{
	size_t *begin;

	if (!ptr)
		return;
	begin = (void *)((char *)ptr - 16);
	port_kept--;
	port_bytes -= *begin;
	free(begin);
}

bool loom_port_relax(void)
{
	port_late += port_looks > port_stop_at;
	return port_looks++ < port_stop_at;
}

#endif /* LOOM_TESTS_PORT_H */
