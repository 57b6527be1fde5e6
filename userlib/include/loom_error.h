/* SPDX-License-Identifier: MIT */
#ifndef LOOM_ERROR_H
#define LOOM_ERROR_H

/**
 * struct loom_error - what went wrong, for a person
 * @text: one line without a newline, naming the file, node or argument at fault
 */
struct loom_error {
	char text[512];
};

#endif /* LOOM_ERROR_H */
