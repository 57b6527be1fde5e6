/* SPDX-License-Identifier: MIT */
#ifndef LOOM_RUN_FIT_H
#define LOOM_RUN_FIT_H

#include <stdio.h>

#include "loom_bank.h"
#include "loom_fit.h"

/**
 * struct loom_fit_row - an allocated block of a snapshot, in all banks that have it
 * @region: an &enum drm_loom_region
 * @address: first byte
 * @bytes: in each bank
 * @mask: the banks
 * @line: of the file, for errors
 */
struct loom_fit_row {
	uint32_t region;
	uint64_t address;
	uint64_t bytes;
	struct loom_mask mask;
	unsigned int line;
};

/** loom_fit_snapshot_read() - allocated blocks of a report; @rows is from malloc. 0 or -errno */
int loom_fit_snapshot_read(const char *path, struct loom_fit_row **rows, size_t *count,
			   struct loom_error *err);

#endif /* LOOM_RUN_FIT_H */
