/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SELFTEST_H
#define LOOM_SELFTEST_H

/*
 * Helpers of the selftests. They must know the driver by its UAPI header only.
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

/* Replaces TEST_HARNESS_MAIN: without a device the whole program skips. */
int main(int argc, char **argv)
{
	int fd = loom_open();

	if (fd < 0) {
		ksft_print_header();
		ksft_exit_skip("no loom device\n");
	}
	close(fd);
	return test_harness_run(argc, argv);
}

#endif /* LOOM_SELFTEST_H */
