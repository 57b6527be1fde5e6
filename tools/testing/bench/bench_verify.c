// SPDX-License-Identifier: MIT
/*
 * The verifier: tensors per second from a thousand to a million, and how the time grows.
 *
 * chain: a tensor per step, each computed from the one before it, 64 of them alive at a time at
 * addresses that are used again: what plans look like. crowd: all tensors alive at once, placed in
 * random order: the hardest case of the overlap rule. Each has one command per tensor.
 *
 *	bench_verify [COUNT]		only one size
 *
 * The baseline is qsort() of as many tensor records by their first byte: what a check of
 * overlap alone costs at least, in memory that is as large.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "plan_builder.h"
#include "random.h"

#define WINDOW		64
#define TENSOR_BYTES	256
#define TENSOR_ELEMS	64

static u64 seed;

static u32 rnd(u32 below)
{
	return random_xorshift(&seed, below);
}

static u32 add_tensor(struct plan_builder *pb, u64 offset, u32 first, u32 last)
{
	return pb_add_dram(pb, 0, offset, first, last, DRM_LOOM_DTYPE_F32, PB_SHAPE(TENSOR_ELEMS));
}

static void build_chain(struct plan_builder *pb, u32 count)
{
	struct drm_loom_attr_fill fill = {};
	u32 last, i;

	pb_add_slot(pb, WINDOW * TENSOR_BYTES, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < count; i++) {
		/* it ends before tensor i + WINDOW takes the same address */
		last = i + 1 + rnd(WINDOW - 2);
		add_tensor(pb, i % WINDOW * TENSOR_BYTES, i, last < count ? last : count - 1);
	}
	for (i = 0; i < count; i++) {
		pb_begin_step(pb);
		if (i)
			pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
			       PB_VIEWS(pb_all(pb, i), pb_all(pb, i - 1)));
		else
			pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, i)));
	}
}

static void build_crowd(struct plan_builder *pb, u32 count)
{
	struct drm_loom_attr_fill fill = {};
	u32 *place = calloc(count, sizeof(*place));
	u32 i, j, swap;

	if (!place)
		abort();
	for (i = 0; i < count; i++)
		place[i] = i;
	for (i = count; i-- > 1;) {
		j = rnd(i + 1);
		swap = place[i];
		place[i] = place[j];
		place[j] = swap;
	}
	pb_add_slot(pb, (u64)count * TENSOR_BYTES, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < count; i++)
		add_tensor(pb, (u64)place[i] * TENSOR_BYTES, 0, 0);
	free(place);
	pb_begin_step(pb);
	for (i = 0; i < count; i++) {
		if (i)
			pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
			       PB_VIEWS(pb_all(pb, i), pb_all(pb, i - 1)));
		else
			pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, i)));
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct drm_loom_plan_tensor *s = a, *t = b;

	return s->offset < t->offset ? -1 : s->offset > t->offset;
}

/* Best of some rounds: more of them if they are short. */
static int measure(const void *blob, u64 size, u32 count, double *verify_s, double *sort_s)
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	const struct drm_loom_plan_header *header = blob;
	const struct drm_loom_plan_tensor *tensors;
	struct drm_loom_plan_tensor *sorted;
	struct drm_loom_reject reject;
	struct loom_plan *plan;
	int rounds = count > 100000 ? 2 : count > 10000 ? 5 : 20;
	u64 start;
	double took;
	int ret;

	tensors = (const void *)((const u8 *)blob + header->tensors.offset);
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		abort();
	*verify_s = INFINITY;
	*sort_s = INFINITY;
	while (rounds-- > 0) {
		start = thread_ns();
		ret = loom_plan_create(blob, size, chip, &plan, &reject);
		took = (double)(thread_ns() - start) / 1e9;
		if (ret) {
			fprintf(stderr, "bench_verify: error %d, rule %s\n", ret,
				loom_rule_name(reject.rule));
			free(sorted);
			return ret;
		}
		loom_plan_destroy(plan);
		*verify_s = fmin(*verify_s, took);

		memcpy(sorted, tensors, count * sizeof(*sorted));
		start = thread_ns();
		qsort(sorted, count, sizeof(*sorted), by_offset);
		took = (double)(thread_ns() - start) / 1e9;
		*sort_s = fmin(*sort_s, took);
	}
	free(sorted);
	return 0;
}

/* Slope of the line through (log count, log time). */
static double exponent(const u32 *counts, const double *times, u32 n)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0;
	u32 i;

	for (i = 0; i < n; i++) {
		double x = log(counts[i]), y = log(times[i]);

		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static int bench(const char *name, void (*build)(struct plan_builder *pb, u32 count), u32 only)
{
	static const u32 counts[] = { 1000, 10000, 100000, 1000000 };
	double verify_s[ARRAY_SIZE(counts)], sort_s[ARRAY_SIZE(counts)];
	struct plan_builder pb;
	void *blob;
	u64 size;
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		if (only && only != counts[i])
			continue;
		seed = 0x76657269;
		pb_init(&pb, 4, 0);
		build(&pb, counts[i]);
		blob = pb_blob(&pb, &size);
		pb_fini(&pb);
		ret = measure(blob, size, counts[i], &verify_s[i], &sort_s[i]);
		free(blob);
		if (ret)
			return ret;
		printf("%-6s %8u tensors %10.3f ms %9.0f tensors/s  qsort %10.3f ms  ratio %5.2f\n",
		       name, counts[i], 1e3 * verify_s[i], counts[i] / verify_s[i],
		       1e3 * sort_s[i], verify_s[i] / sort_s[i]);
		fflush(stdout);
	}
	if (only)
		return 0;
	printf("%-6s time grows as n^%.3f, qsort as n^%.3f\n", name,
	       exponent(counts, verify_s, ARRAY_SIZE(counts)),
	       exponent(counts, sort_s, ARRAY_SIZE(counts)));
	return 0;
}

int main(int argc, char **argv)
{
	/* large arrays come from the heap, too, and stay there: see above */
	bool warm = mallopt(M_MMAP_MAX, 0) && mallopt(M_TRIM_THRESHOLD, -1);
	u32 only = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	int ret = warm ? bench("chain", build_chain, only) : -1;

	if (!ret)
		ret = bench("crowd", build_crowd, only);
	return ret ? 1 : 0;
}
