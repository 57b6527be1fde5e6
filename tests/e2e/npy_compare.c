// SPDX-License-Identifier: MIT
/*
 * Compares arrays of floats that two programs computed.
 *
 *	npy_compare GOT WANT [BOUND]
 *	npy_compare --dirs GOT WANT [BOUND]	every .npy of GOT with that of the same name
 *
 * Two measures, both have to hold, with BOUND 1e-4 where it is not given:
 *
 *	whole	max |got - want| <= BOUND * max |want|
 *	mixed	|got - want| <= BOUND * (|want| + mean |want|) for each element
 *
 * The second one looks at small elements beside large ones, too; the mean keeps it from asking
 * for digits of what is zero but for rounding. Types and shapes have to be the same, integers and
 * what is not a number, too.
 */
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_file.h"

/**
 * struct measure - how far two arrays are apart
 * @worst: largest difference
 * @largest: largest magnitude of what is wanted
 * @ratio: the worst of the mixed measure, 1 is the bound
 * @at: element of @ratio
 */
struct measure {
	double worst;
	double largest;
	double ratio;
	size_t at;
};

static double element(const struct loom_array *array, size_t i)
{
	float f32;
	double f64;

	if (array->dtype == LOOM_DTYPE_F32) {
		memcpy(&f32, (const char *)array->data + i * 4, 4);
		return f32;
	}
	memcpy(&f64, (const char *)array->data + i * 8, 8);
	return f64;
}

static struct measure measure(const struct loom_array *got, const struct loom_array *want,
			      size_t count, double bound)
{
	struct measure m = { 0 };
	double mean = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		double w = fabs(element(want, i));

		if (isfinite(w)) {
			mean += w / count;
			m.largest = fmax(m.largest, w);
		}
	}
	for (i = 0; i < count; i++) {
		double g = element(got, i), w = element(want, i);
		double off = fabs(g - w), allowed = bound * (fabs(w) + mean);

		if ((isnan(g) && isnan(w)) || g == w)
			continue;
		if (!isfinite(off))
			off = INFINITY;
		m.worst = fmax(m.worst, off);
		/* what is wanted may be all zero */
		allowed = fmax(allowed, DBL_MIN);
		if (off / allowed > m.ratio) {
			m.ratio = off / allowed;
			m.at = i;
		}
	}
	return m;
}

static int compare(const char *name, const struct loom_array *got, const struct loom_array *want,
		   double bound)
{
	struct measure m;
	size_t count;

	if (got->dtype != want->dtype || got->rank != want->rank ||
	    memcmp(got->dims, want->dims, got->rank * sizeof(*got->dims))) {
		printf("%s: type or shape differ\n", name);
		return 1;
	}
	if (got->dtype != LOOM_DTYPE_F32 && got->dtype != LOOM_DTYPE_F64) {
		if (!memcmp(got->data, want->data, got->size_bytes))
			return 0;
		printf("%s: elements differ\n", name);
		return 1;
	}
	count = got->size_bytes / loom_dtype_size(got->dtype);
	m = measure(got, want, count, bound);
	if (m.worst <= bound * m.largest && m.ratio <= 1)
		return 0;
	printf("%s: off by %.3g, the largest is %.3g (%.3g relative); [%zu] is %.9g, not %.9g\n",
	       name, m.worst, m.largest, m.worst / m.largest, m.at, element(got, m.at),
	       element(want, m.at));
	return 1;
}

static int compare_files(const char *got_path, const char *want_path, double bound)
{
	struct loom_array got, want;
	struct loom_error err;
	int ret;

	if (loom_npy_load(got_path, &got, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	if (loom_npy_load(want_path, &want, &err)) {
		printf("%s\n", err.text);
		loom_array_clear(&got);
		return 1;
	}
	ret = compare(got_path, &got, &want, bound);
	loom_array_clear(&got);
	loom_array_clear(&want);
	return ret;
}

static int is_npy(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".npy");
}

/* What is not in WANT has no oracle (a name that the importer made up); it is counted. */
static int compare_dirs(const char *got, const char *want, double bound)
{
	int count, i, compared = 0, failed = 0;
	struct dirent **entries;
	char paths[2][4096];
	FILE *file;

	count = scandir(got, &entries, is_npy, alphasort);
	if (count < 0) {
		perror(got);
		return 1;
	}
	for (i = 0; i < count; i++) {
		snprintf(paths[0], sizeof(paths[0]), "%s/%s", got, entries[i]->d_name);
		snprintf(paths[1], sizeof(paths[1]), "%s/%s", want, entries[i]->d_name);
		free(entries[i]);
		file = fopen(paths[1], "rb");
		if (!file)
			continue;
		fclose(file);
		compared++;
		failed += compare_files(paths[0], paths[1], bound);
	}
	free(entries);
	printf("%d of %d tensors compared, %d differ\n", compared, count, failed);
	return failed || !compared;
}

int main(int argc, char **argv)
{
	int dirs = argc > 1 && !strcmp(argv[1], "--dirs");
	char **args = argv + 1 + dirs;
	int count = argc - 1 - dirs;
	double bound = count == 3 ? atof(args[2]) : 0.0001;

	if (count < 2 || count > 3) {
		fprintf(stderr, "usage: npy_compare [--dirs] GOT WANT [BOUND]\n");
		return 2;
	}
	return dirs ? compare_dirs(args[0], args[1], bound) :
		      compare_files(args[0], args[1], bound);
}
