// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "loom_core.h"

/* What core asks of its surroundings, from libc. The module's side is loom_port.c. */

void *loom_port_alloc(size_t count, size_t size)
{
	/* Some libc return NULL for nothing, which would look like a failure. */
	if (!count || !size)
		return calloc(1, 1);
	return calloc(count, size);
}

void loom_port_free(void *ptr)
{
	free(ptr);
}

bool loom_port_relax(void)
{
	return true;
}
