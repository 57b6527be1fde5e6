/* SPDX-License-Identifier: MIT */
/* Scalars with units as numbers. Exact: no floating point is involved. */
#ifndef LOOM_CHIP_NUMBER_H
#define LOOM_CHIP_NUMBER_H

#include "field.h"

/** LOOM_CHIP_SHOWN - bytes that loom_chip_show() needs */
#define LOOM_CHIP_SHOWN	64
/** LOOM_CHIP_FAULT - bytes of what is wrong with a number */
#define LOOM_CHIP_FAULT	160

/** loom_chip_show() - foreign text for a line of an error: cut, without control characters */
const char *loom_chip_show(char shown[LOOM_CHIP_SHOWN], const char *text);

/**
 * loom_chip_number() - reads a number with a unit
 * @text: "34 GB/s"
 * @unit: what it is; not a text
 * @frequency_hz: cycles per second, zero where it cannot matter
 * @value: [out] as the structure keeps it
 * @fault: [out] what is wrong with it: a sentence without the name of the key
 *
 * Return: 0 or -EINVAL.
 */
int loom_chip_number(const char *text, enum loom_chip_unit unit, u64 frequency_hz, u64 *value,
		     char fault[LOOM_CHIP_FAULT]);

#endif /* LOOM_CHIP_NUMBER_H */
