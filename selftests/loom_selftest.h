/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SELFTEST_H
#define LOOM_SELFTEST_H

/*
 * What the selftests share. Nothing here knows the driver but by the UAPI header.
 *
 *	loom_node.h	the node, queries, time, child processes
 *	loom_ioctl.h	buffers, contexts, plans, syncobjs; vgem
 *	loom_builder.h	plans
 *	loom_client.h	a file with all that a job needs
 */

#include "loom_builder.h"
#include "loom_client.h"
#include "loom_ioctl.h"
#include "loom_node.h"

#endif /* LOOM_SELFTEST_H */
