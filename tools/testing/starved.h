/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_STARVED_H
#define LOOM_TESTS_STARVED_H

/*
 * An allocation fails, alone or with all after it. A test has malloc() and the like ask fails()
 * before they allocate, and passes what they return through keep().
 */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Threads allocate, too. A test sets @fail_at and @goes_on around a call only. */
static unsigned int allocations, fail_at = UINT32_MAX;
static bool goes_on;
static int kept;

static bool fails(void)
{
	unsigned int number = __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);

	if (number != fail_at && (!goes_on || number < fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

static void *keep(void *memory)
{
	if (memory)
		__atomic_fetch_add(&kept, 1, __ATOMIC_RELAXED);
	return memory;
}

static void release(void *memory)
{
	if (memory)
		__atomic_fetch_sub(&kept, 1, __ATOMIC_RELAXED);
}

#endif /* LOOM_TESTS_STARVED_H */
