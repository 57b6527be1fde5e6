/* SPDX-License-Identifier: MIT */
/* Messages about invalid descriptions of chips. */
#ifndef LOOM_BASE_CHIP_FAULT_H
#define LOOM_BASE_CHIP_FAULT_H

#include "loom_chip.h"
#include "loom_error.h"

/**
 * loom_chip_refuse() - format the fault of an invalid chip
 * @chip: the description
 * @fault: of loom_chip_check()
 * @err: [out] one line, may be NULL
 *
 * Return: -EINVAL.
 */
int loom_chip_refuse(const struct drm_loom_chip *chip, const struct loom_chip_fault *fault,
		     struct loom_error *err);

#endif /* LOOM_BASE_CHIP_FAULT_H */
