/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_COUNTED_H
#define LOOM_TESTS_COUNTED_H

/* Memory that the verifier asks for, in place of the library's: it is measured. */
#include <stdlib.h>

#include "loom_core.h"

static u64 bytes_now, bytes_most;

void *loom_port_alloc(size_t count, size_t size)
{
	size_t *ptr = calloc(1, 16 + count * size);

	if (!ptr)
		abort();
	*ptr = count * size;
	bytes_now += *ptr;
	bytes_most = max(bytes_most, bytes_now);
	return (char *)ptr + 16;
}

void loom_port_free(void *ptr)
{
	size_t *begin;

	if (!ptr)
		return;
	begin = (void *)((char *)ptr - 16);
	bytes_now -= *begin;
	free(begin);
}

#endif /* LOOM_TESTS_COUNTED_H */
