/* SPDX-License-Identifier: MIT */
/* One temporary file per test program, under /tmp; removed when the program ends well. */
#ifndef LOOM_TEST_TEMPORARY_H
#define LOOM_TEST_TEMPORARY_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static char path[64] = "/tmp/loom-file-XXXXXX";

/* makes the file; afterwards @path names it */
static void temporary_create(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		tap_fatal("%s: %s", path, strerror(errno));
	close(fd);
}

/* the file holds these bytes and no others */
static void put(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		tap_fatal("%s: %s", path, strerror(errno));
}

#endif /* LOOM_TEST_TEMPORARY_H */
