/* SPDX-License-Identifier: MIT */
/* Scalars with units as numbers. Exact: no floating point is involved. */
#ifndef LOOM_CHIP_NUMBER_H
#define LOOM_CHIP_NUMBER_H

#include "field.h"

/** LOOM_CHIP_SHOWN - size of the buffer of loom_chip_show() */
#define LOOM_CHIP_SHOWN	64
/** LOOM_CHIP_FAULT - size of a message about a number */
#define LOOM_CHIP_FAULT	160

/** loom_chip_show() - untrusted text for an error: cut, without control characters */
const char *loom_chip_show(char shown[LOOM_CHIP_SHOWN], const char *text);

/**
 * loom_chip_number() - parse a number with a unit
 * @text: "34 GB/s"
 * @unit: its unit; not a text
 * @frequency_hz: cycles per second, zero if irrelevant
 * @value: [out] as stored in the structure
 * @fault: [out] the fault: a sentence without the name of the key
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_number(const char *text, enum loom_chip_unit unit, u64 frequency_hz, u64 *value,
		     char fault[LOOM_CHIP_FAULT]);

#endif /* LOOM_CHIP_NUMBER_H */
