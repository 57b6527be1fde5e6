/* SPDX-License-Identifier: MIT */
/* The files of userlib/chips/, compiled in: the Makefile makes build/gen/chips.c of them. */
#ifndef LOOM_CHIP_EMBEDDED_H
#define LOOM_CHIP_EMBEDDED_H

/**
 * struct loom_chip_embedded - a file that is compiled in
 * @name: of the chip, and of the file without its ending
 * @text: of the file
 */
struct loom_chip_embedded {
	const char *name;
	const char *text;
};

/** loom_chips_embedded - all of them, the default first; a name of NULL ends the list */
extern const struct loom_chip_embedded loom_chips_embedded[];

#endif /* LOOM_CHIP_EMBEDDED_H */
