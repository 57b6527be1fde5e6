// SPDX-License-Identifier: MIT
#include "error.h"

#include <stdio.h>

/* Keeps the text on one line, because names and contents of files may be part of it. */
static void error_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

int loom_error_vset(struct loom_error *err, int code, const char *format, va_list args)
{
	if (err) {
		vsnprintf(err->text, sizeof(err->text), format, args);
		error_clean(err->text);
		err->short_bytes = 0;
	}
	return code;
}

int loom_error_set(struct loom_error *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	loom_error_vset(err, code, format, args);
	va_end(args);
	return code;
}
