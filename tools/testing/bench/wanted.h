/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_WANTED_H
#define LOOM_BENCH_WANTED_H

/* Both ends of a bench: names that are asked for, and sorted figures. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a list of names with commas between them has @name; NULL has all names. */
static inline bool is_in(const char *list, const char *name)
{
	size_t length = strlen(name), part;

	for (; list; list += part + 1) {
		part = strcspn(list, ",");
		if (part == length && !strncmp(list, name, length))
			return true;
		if (!list[part])
			return false;
	}
	return true;
}

/* Whether @name is among the arguments that are no options, or there are none. */
static inline bool is_wanted(const char *name, int argc, char **argv)
{
	bool any = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
		any |= *argv[i] != '-';
	}
	return !any;
}

static inline int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts @list. Return: the middle of it, the upper one of two. */
static inline double median_of(double *list, size_t count)
{
	qsort(list, count, sizeof(*list), compare_doubles);
	return list[count / 2];
}

#endif /* LOOM_BENCH_WANTED_H */
