// SPDX-License-Identifier: MIT
/*
 * Compares arrays of floats that two programs computed.
 *
 *	npy_compare GOT WANT [BOUND]
 *	npy_compare --dirs GOT WANT [BOUND]	every .npy of WANT with that of the same name
 *
 * Two measures, both have to hold, with BOUND 1e-4 by default:
 *
 *	worst	max |got - want| <= BOUND * max |want|
 *	mean	rms (got - want) <= BOUND * rms want
 *
 * The second one bounds the error of all elements together, which matters if a few are large and
 * most are not. A bound on each element would ask for more than float arithmetic gives: ONNX
 * Runtime with its optimiser differs from itself without it by 5e-3 there, on M-LSD. Types, shapes,
 * integers and NaNs have to be the same.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loom_file.h"
#include "near.h"

/**
 * struct measure - how far two arrays are apart
 * @worst: largest difference
 * @at: its element
 * @largest: largest magnitude in WANT
 * @rms_off: root of the mean of the squares of the differences
 * @rms_want: root of the mean of the squares of WANT
 */
struct measure {
	double worst;
	size_t at;
	double largest;
	double rms_off;
	double rms_want;
};

static struct measure measure(const struct loom_array *got, const struct loom_array *want,
			      size_t count)
{
	struct measure m = { 0 };
	double off, g, w;
	size_t i;

	for (i = 0; i < count; i++) {
		g = loom_array_element(got, i);
		w = loom_array_element(want, i);
		off = near_off(g, w);
		if (isfinite(w)) {
			m.largest = fmax(m.largest, fabs(w));
			m.rms_want += w * w;
		}
		if (off > m.worst) {
			m.worst = off;
			m.at = i;
		}
		m.rms_off += off * off;
	}
	m.rms_off = sqrt(m.rms_off / (count ? count : 1));
	m.rms_want = sqrt(m.rms_want / (count ? count : 1));
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
	if (got->dtype != DRM_LOOM_DTYPE_F32 && got->dtype != DRM_LOOM_DTYPE_F64) {
		if (!memcmp(got->data, want->data, got->size_bytes))
			return 0;
		printf("%s: elements differ\n", name);
		return 1;
	}
	count = got->size_bytes / loom_dtype_size(got->dtype);
	m = measure(got, want, count);
	if (m.worst <= bound * m.largest && m.rms_off <= bound * m.rms_want)
		return 0;
	printf("%s: off by %.3g, the largest is %.3g; rms %.3g of %.3g; [%zu] is %.9g, not %.9g\n",
	       name, m.worst, m.largest, m.rms_off, m.rms_want, m.at,
	       loom_array_element(got, m.at), loom_array_element(want, m.at));
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

/* Files in GOT alone are tensors that the importer made. */
static int compare_dirs(const char *got, const char *want, double bound)
{
	int count, i, missing = 0, failed = 0;
	struct dirent **entries;
	char paths[2][4096];

	count = scandir(want, &entries, is_npy, alphasort);
	if (count < 0) {
		perror(want);
		return 1;
	}
	for (i = 0; i < count; i++) {
		snprintf(paths[0], sizeof(paths[0]), "%s/%s", got, entries[i]->d_name);
		snprintf(paths[1], sizeof(paths[1]), "%s/%s", want, entries[i]->d_name);
		if (access(paths[0], F_OK)) {
			printf("%s: is not there\n", paths[0]);
			missing++;
		} else {
			failed += compare_files(paths[0], paths[1], bound);
		}
		free(entries[i]);
	}
	free(entries);
	printf("%d tensors: %d missing, %d differ\n", count, missing, failed);
	return missing || failed || !count;
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
