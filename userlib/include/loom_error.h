/* SPDX-License-Identifier: MIT */
#ifndef LOOM_ERROR_H
#define LOOM_ERROR_H

#include <stdint.h>

/**
 * struct loom_error - a fault, for a person
 * @text: one line without a newline, naming the file, node or argument at fault
 * @short_bytes: with -ENOSPC: SRAM per lane that is missing at least; 0 if that is not what it was
 */
struct loom_error {
	char text[512];
	uint64_t short_bytes;
};

#endif /* LOOM_ERROR_H */
