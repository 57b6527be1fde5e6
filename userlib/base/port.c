// SPDX-License-Identifier: MIT
/* What core asks of its surroundings, from libc. The module's version is loom_port.c. */
#include "loom_core.h"

#include <stdlib.h>

void *loom_port_alloc(size_t count, size_t size)
{
	/* some libcs return NULL for zero bytes, which would look like a failure */
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
