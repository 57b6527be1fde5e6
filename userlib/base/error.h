/* SPDX-License-Identifier: MIT */
/* The error text of one line, for people. */
#ifndef LOOM_BASE_ERROR_H
#define LOOM_BASE_ERROR_H

#include "loom_error.h"

#include <stdarg.h>

/**
 * loom_error_set() - write the text of an error
 * @err: receives the text, may be NULL
 * @code: negative errno
 * @format: one line without a newline; cut where it does not fit, and with '?' for each control
 *	character, which may come from a file
 *
 * Return: @code, so that a caller can return it directly.
 */
int loom_error_set(struct loom_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** loom_error_vset() - loom_error_set() with a list of arguments */
int loom_error_vset(struct loom_error *err, int code, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/** loom_error_clear() - clears the text, for example of a failed attempt before a success */
static inline void loom_error_clear(struct loom_error *err)
{
	if (!err)
		return;
	err->text[0] = '\0';
	err->short_bytes = 0;
}

#endif /* LOOM_BASE_ERROR_H */
