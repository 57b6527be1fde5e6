/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_TRACE_FAMILY_H
#define LOOM_BENCH_TRACE_FAMILY_H

/*
 * Families of traces: each is a way to draw a trace from a seed. Policies are judged by the mean
 * over seeds, as one trace says little: the order of policies changes with the seed.
 *
 * l1_churn		buffers of all sizes at random in SRAM: many small programs at once
 * ml_l1		activations of one network after the other in SRAM, tiny long-lived buffers
 * conv_stages		convolutions in stages that keep both halves of what they begin with and the
 *			result of each step, until all are joined at the end of the stage
 * conv_splits		convolutions that cut what they compute: one half goes on, the other
 *			lives for a random number of layers
 * rand10k_tight	buffers of all sizes at random in DRAM, 95 % full: many models
 * pow10k		small buffers and a few large ones in DRAM, 90 % full
 * mixdir		programs from the top of DRAM, heavy-tailed data from its bottom
 * kv_cache		pages of sequences that grow by one at a time and end at once
 *
 * Traces of the first two, rand10k_tight, pow10k and mixdir were published, by one seed each.
 */

#include "trace_make.h"

/* Most bytes of buffers that are wanted at a time by programs of convolutions. */
#define TRACE_CONV_FULL		0.93

static inline uint32_t trace_conv_take(struct trace_maker *maker, uint64_t size)
{
	return trace_take_fitting(maker, size);
}

/* The input of a convolution with the rows that its neighbours hold, too. */
static inline uint32_t trace_conv_halo(struct trace_maker *maker, uint64_t size)
{
	return trace_conv_take(maker, (uint64_t)((double)size *
						 (1.0 + 0.4 * trace_unit(maker))));
}

/* Steps of half of the channels, each of which leaves its result. */
static inline void trace_conv_steps(struct trace_maker *maker, struct trace_ids *keep,
				    uint64_t half)
{
	for (uint64_t steps = trace_range(maker, 1, 4); steps--;) {
		uint32_t halo = trace_conv_halo(maker, half), second;
		uint32_t config = trace_conv_take(maker, trace_range(maker, 32, 2048));
		uint32_t middle = trace_conv_take(maker, half);

		trace_drop(maker, halo);
		second = trace_conv_halo(maker, half);
		trace_drop(maker, middle);
		trace_ids_push(keep, trace_conv_take(maker, half));
		trace_drop(maker, second);
		trace_drop(maker, config);
	}
}

/* One stage. Return: its output, of @base bytes. */
static inline uint32_t trace_conv_stage(struct trace_maker *maker, uint32_t x, uint64_t *base)
{
	uint32_t halo = trace_conv_halo(maker, *base), joined;
	uint32_t config = trace_conv_take(maker, trace_range(maker, 32, 2048));
	uint32_t y = trace_conv_take(maker, *base);
	struct trace_ids keep = { 0 };

	trace_drop(maker, halo);
	trace_drop(maker, x);
	trace_drop(maker, config);
	trace_ids_push(&keep, trace_conv_take(maker, *base / 2));
	trace_ids_push(&keep, trace_conv_take(maker, *base / 2));
	trace_drop(maker, y);
	trace_conv_steps(maker, &keep, *base / 2);
	joined = trace_conv_take(maker, *base / 2 * keep.count);
	for (size_t i = 0; i < keep.count; i++)
		trace_drop(maker, keep.id[i]);
	free(keep.id);
	if (trace_unit(maker) < 0.5)
		*base = (uint64_t)((double)*base * (0.6 + 0.9 * trace_unit(maker)));
	if (*base < 16 * TRACE_KIB)
		*base = 16 * TRACE_KIB;
	if (*base > 220 * TRACE_KIB)
		*base = 220 * TRACE_KIB;
	x = trace_conv_take(maker, *base);
	trace_drop(maker, joined);
	return x;
}

static inline void trace_make_conv_stages(struct trace *trace, uint64_t seed)
{
	struct trace_maker maker = trace_begin(trace, "conv_stages", TRACE_SRAM_BYTES, 32, seed);

	for (int i = 0; i < 8; i++)
		trace_conv_take(&maker, trace_range(&maker, 64, 16 * TRACE_KIB));
	trace_mark(&maker);
	for (int program = 0; program < 300; program++) {
		uint64_t base = trace_log_uniform(&maker, 24 * TRACE_KIB, 200 * TRACE_KIB);
		uint32_t x = trace_conv_take(&maker, base);

		for (uint64_t stages = trace_range(&maker, 2, 6); stages--;)
			x = trace_conv_stage(&maker, x, &base);
		trace_drop(&maker, x);
	}
	trace_end(&maker);
}

static inline void trace_make_conv_splits(struct trace *trace, uint64_t seed)
{
	struct trace_maker maker = trace_begin(trace, "conv_splits", TRACE_SRAM_BYTES, 32, seed);
	/* halves, and the layer that is the last to need each */
	struct trace_ids kept = { 0 }, until = { 0 };
	uint64_t base = 100 * TRACE_KIB;
	uint32_t x = trace_conv_take(&maker, base);

	trace_mark(&maker);
	for (uint32_t layer = 0; layer < 6000; layer++) {
		uint32_t halo, y;

		if (trace_unit(&maker) < 0.2)
			base = trace_log_uniform(&maker, 16 * TRACE_KIB, 240 * TRACE_KIB);
		halo = trace_conv_halo(&maker, base);
		trace_drop(&maker, x);
		y = trace_conv_take(&maker, base);
		trace_drop(&maker, halo);
		x = trace_conv_take(&maker, base / 2);
		trace_ids_push(&kept, trace_conv_take(&maker, base / 2));
		trace_ids_push(&until, layer + (uint32_t)trace_range(&maker, 2, 24));
		trace_drop(&maker, y);
		for (size_t i = 0; i < kept.count;) {
			if (until.id[i] > layer) {
				i++;
				continue;
			}
			trace_drop(&maker, trace_ids_remove(&kept, i));
			trace_ids_remove(&until, i);
		}
	}
	free(kept.id);
	free(until.id);
	trace_end(&maker);
}

static inline void trace_make_kv_cache(struct trace *trace, uint64_t seed)
{
	enum { SEQUENCES = 16, PAGE = 64 * 1024 };
	struct trace_maker maker = trace_begin(trace, "kv_cache", 16 * TRACE_MIB, 64, seed);
	struct trace_ids pages[SEQUENCES] = { 0 };

	for (int i = 0; i < 24; i++)
		trace_take(&maker, trace_log_uniform(&maker, 4 * TRACE_KIB, 256 * TRACE_KIB),
			   false);
	trace_mark(&maker);
	for (int token = 0; token < 30000; token++) {
		struct trace_ids *ids = &pages[trace_below(&maker, SEQUENCES)];

		trace_ids_push(ids, trace_take(&maker, PAGE, false));
		if (ids->count < trace_range(&maker, 2, 24) && maker.live_bytes < 15 * TRACE_MIB)
			continue;
		while (ids->count)
			trace_drop(&maker, trace_ids_remove(ids, ids->count - 1));
	}
	for (int i = 0; i < SEQUENCES; i++)
		free(pages[i].id);
	trace_end(&maker);
}

#define TRACE_FAMILY_COUNT	8

/* A trace of family @index, from 0 to TRACE_FAMILY_COUNT - 1. */
static inline void trace_family(struct trace *trace, unsigned int index, uint64_t seed)
{
	const uint64_t kib = TRACE_KIB, mib = TRACE_MIB, gib = TRACE_GIB;
	const struct trace_steady l1_churn = {
		"l1_churn", seed, TRACE_SRAM_BYTES, 64, 256 * kib, 0.6, 0,
		(uint64_t)(0.88 * (double)TRACE_SRAM_BYTES), 100000, true,
	}, rand10k_tight = {
		"rand10k_tight", seed, 12 * gib, kib, 8 * mib, 0, 0,
		(uint64_t)(11.4 * (double)gib), 100000, false,
	}, pow10k = {
		"pow10k", seed, 96 * mib, kib, 8 * mib, 1.1, 0,
		(uint64_t)(0.90 * 96 * (double)mib), 100000, false,
	};

	switch (index) {
	case 0:
		trace_make_steady(trace, &l1_churn);
		break;
	case 1:
		trace_make_ml_l1(trace, seed);
		break;
	case 2:
		trace_make_conv_stages(trace, seed);
		break;
	case 3:
		trace_make_conv_splits(trace, seed);
		break;
	case 4:
		trace_make_steady(trace, &rand10k_tight);
		break;
	case 5:
		trace_make_steady(trace, &pow10k);
		break;
	case 6:
		trace_make_mixdir(trace, seed);
		break;
	case 7:
		trace_make_kv_cache(trace, seed);
		break;
	}
}

#endif /* LOOM_BENCH_TRACE_FAMILY_H */
