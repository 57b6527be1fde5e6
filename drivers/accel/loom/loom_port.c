// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/loom_core.h"

/**
 * DOC: Port
 *
 * Services of the kernel for core/. Memory is charged to the calling client's cgroup.
 */

void *loom_port_alloc(size_t count, size_t size)
{
	return kvcalloc(count, size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

void loom_port_free(void *ptr)
{
	kvfree(ptr);
}

bool loom_port_relax(void)
{
	cond_resched();
	return !fatal_signal_pending(current);
}
