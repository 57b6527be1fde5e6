/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_TAP_H
#define LOOM_TESTS_TAP_H

/*
 * TAP for test programs of one file: tap_ok() per behaviour, "return tap_end();" at the end of
 * main(). tap_fatal() ends the program where the rest of the tests would be meaningless.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define __printf(...) __attribute__((__format__(__printf__, __VA_ARGS__)))

static unsigned int tap_count, tap_failed;

static inline __printf(2, 3) bool tap_ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %u - ", good ? "" : "not ", ++tap_count);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
	tap_failed += !good;
	return good;
}

static inline __printf(1, 2) void tap_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("ok %u # SKIP ", ++tap_count);
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

static inline __printf(1, 2) void tap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

static inline __printf(1, 2) void tap_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("Bail out! ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	exit(1);
}

static inline int tap_end(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed || !tap_count;
}

#endif /* LOOM_TESTS_TAP_H */
