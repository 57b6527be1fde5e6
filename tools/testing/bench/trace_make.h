/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_TRACE_MAKE_H
#define LOOM_BENCH_TRACE_MAKE_H

/*
 * Traces of requests to an allocator: a list of operations. The free of an allocation that failed
 * does nothing; the set-up ends at the mark.
 *
 * Sizes and the order of random numbers are fixed, so that traces can be compared between
 * allocators and over the years: a trace is a function of its seed, the same on every machine whose
 * libm rounds exp, log and pow as glibc does.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum trace_kind {
	TRACE_ALLOC_LOW,
	TRACE_ALLOC_HIGH,
	TRACE_FREE,
	TRACE_MARK,
};

struct trace_op {
	uint64_t size;
	uint32_t id;
	enum trace_kind kind;
};

struct trace {
	char name[64];
	uint64_t cap_bytes;
	uint64_t align_bytes;
	uint64_t seed;
	uint32_t ids;
	uint32_t allocs;
	size_t count;
	size_t room;
	struct trace_op *ops;
};

static inline void *trace_realloc(void *ptr, size_t count, size_t size)
{
	ptr = reallocarray(ptr, count, size);
	if (!ptr) {
		fprintf(stderr, "trace: out of memory\n");
		exit(1);
	}
	return ptr;
}

static inline void trace_add(struct trace *trace, enum trace_kind kind, uint32_t id, uint64_t size)
{
	if (trace->count == trace->room) {
		trace->room = trace->room ? trace->room * 2 : 4096;
		trace->ops = trace_realloc(trace->ops, trace->room, sizeof(*trace->ops));
	}
	trace->ops[trace->count++] = (struct trace_op){ .size = size, .id = id, .kind = kind };
}

static inline void trace_free(struct trace *trace)
{
	free(trace->ops);
	*trace = (struct trace){ 0 };
}

#define TRACE_KIB		1024ULL
#define TRACE_MIB		(1ULL << 20)
#define TRACE_GIB		(1ULL << 30)
/* one bank: 1 GiB less a barrier of 32 bytes */
#define TRACE_DRAM_BYTES	(TRACE_GIB - 32)
/* one bank of SRAM less what is reserved at its bottom */
#define TRACE_SRAM_BYTES	(1499136ULL - 116416)

/* A trace under construction, its live bytes, and the state of its random numbers. */
struct trace_maker {
	struct trace *trace;
	uint64_t state;
	uint64_t live_bytes;
	uint64_t *sizes;
	size_t sizes_room;
};

/* An ordered list of ids; small enough for memmove. */
struct trace_ids {
	uint32_t *id;
	size_t count;
	size_t room;
};

static inline uint64_t trace_u64(struct trace_maker *maker)
{
	return random_next(&maker->state);
}

/* Uniform in [0, 1). */
static inline double trace_unit(struct trace_maker *maker)
{
	return (double)(trace_u64(maker) >> 11) / 9007199254740992.0;
}

static inline uint64_t trace_below(struct trace_maker *maker, uint64_t n)
{
	return trace_u64(maker) % n;
}

/* Both ends included. */
static inline uint64_t trace_range(struct trace_maker *maker, uint64_t low, uint64_t high)
{
	return low + trace_u64(maker) % (high - low + 1);
}

static inline uint64_t trace_log_uniform(struct trace_maker *maker, uint64_t low, uint64_t high)
{
	double u = trace_unit(maker);

	return (uint64_t)((double)low * exp(u * log((double)high / (double)low)));
}

static inline uint64_t trace_pareto(struct trace_maker *maker, uint64_t low, uint64_t high,
				    double alpha)
{
	double u = trace_unit(maker);
	double l = pow((double)low, alpha), h = pow((double)high, alpha);

	return (uint64_t)pow(-(u * h - u * l - h) / (h * l), -1.0 / alpha);
}

static inline struct trace_maker trace_begin(struct trace *trace, const char *name, uint64_t cap,
					     uint64_t align, uint64_t seed)
{
	*trace = (struct trace){ .cap_bytes = cap, .align_bytes = align, .seed = seed };
	snprintf(trace->name, sizeof(trace->name), "%s", name);
	return (struct trace_maker){ .trace = trace, .state = seed };
}

static inline void trace_end(struct trace_maker *maker)
{
	free(maker->sizes);
}

static inline uint32_t trace_take(struct trace_maker *maker, uint64_t size, bool top_down)
{
	uint32_t id = ++maker->trace->ids;

	if (id >= maker->sizes_room) {
		maker->sizes_room = maker->sizes_room ? maker->sizes_room * 2 : 4096;
		maker->sizes = trace_realloc(maker->sizes, maker->sizes_room,
					     sizeof(*maker->sizes));
	}
	maker->sizes[id] = size;
	maker->live_bytes += size;
	maker->trace->allocs++;
	trace_add(maker->trace, top_down ? TRACE_ALLOC_HIGH : TRACE_ALLOC_LOW, id, size);
	return id;
}

static inline void trace_drop(struct trace_maker *maker, uint32_t id)
{
	maker->live_bytes -= maker->sizes[id];
	trace_add(maker->trace, TRACE_FREE, id, 0);
}

static inline void trace_mark(struct trace_maker *maker)
{
	trace_add(maker->trace, TRACE_MARK, 0, 0);
}

static inline void trace_ids_push(struct trace_ids *ids, uint32_t id)
{
	if (ids->count == ids->room) {
		ids->room = ids->room ? ids->room * 2 : 64;
		ids->id = trace_realloc(ids->id, ids->room, sizeof(*ids->id));
	}
	ids->id[ids->count++] = id;
}

/* Take out number @at; the others keep their order. */
static inline uint32_t trace_ids_remove(struct trace_ids *ids, size_t at)
{
	uint32_t id = ids->id[at];

	ids->count--;
	memmove(&ids->id[at], &ids->id[at + 1], (ids->count - at) * sizeof(*ids->id));
	return id;
}

/* Take out number @at; the last takes its place. */
static inline uint32_t trace_ids_swap_remove(struct trace_ids *ids, size_t at)
{
	uint32_t id = ids->id[at];

	ids->id[at] = ids->id[--ids->count];
	return id;
}

/*
 * Fill to a number of live blocks or bytes, then replace random blocks.
 *
 * @alpha: of a Pareto distribution; zero for log-uniform sizes
 * @live: blocks, or zero
 * @live_bytes: bytes, if @live is zero
 */
struct trace_steady {
	const char *name;
	uint64_t seed;
	uint64_t cap_bytes;
	uint64_t low;
	uint64_t high;
	double alpha;
	size_t live;
	uint64_t live_bytes;
	uint32_t replacements;
	bool top_down;
};

static inline void trace_steady_take(struct trace_maker *maker, const struct trace_steady *steady,
				     struct trace_ids *ids)
{
	uint64_t size = steady->alpha != 0.0 ?
		trace_pareto(maker, steady->low, steady->high, steady->alpha) :
		trace_log_uniform(maker, steady->low, steady->high);

	trace_ids_push(ids, trace_take(maker, size, steady->top_down));
}

static inline void trace_steady_drop(struct trace_maker *maker, struct trace_ids *ids)
{
	trace_drop(maker, trace_ids_swap_remove(ids, trace_below(maker, ids->count)));
}

static inline void trace_make_steady(struct trace *trace, const struct trace_steady *steady)
{
	struct trace_maker maker = trace_begin(trace, steady->name, steady->cap_bytes, 32,
					       steady->seed);
	struct trace_ids ids = { 0 };

	while (steady->live ? ids.count < steady->live : maker.live_bytes < steady->live_bytes)
		trace_steady_take(&maker, steady, &ids);
	trace_mark(&maker);
	for (uint32_t i = 0; i < steady->replacements; i++) {
		if (steady->live)
			trace_steady_drop(&maker, &ids);
		else
			while (maker.live_bytes > steady->live_bytes)
				trace_steady_drop(&maker, &ids);
		trace_steady_take(&maker, steady, &ids);
	}
	free(ids.id);
	trace_end(&maker);
}

/* A program is written to fit: never more than 93 % of the bank is live. */
static inline uint32_t trace_take_fitting(struct trace_maker *maker, uint64_t size)
{
	int64_t left = (int64_t)(0.93 * TRACE_SRAM_BYTES) - (int64_t)maker->live_bytes;

	if ((int64_t)size > left)
		size = left > 32 ? (uint64_t)left : 32;
	return trace_take(maker, size > 32 ? size : 32, true);
}

static inline void trace_make_ml_l1(struct trace *trace, uint64_t seed)
{
	struct trace_maker maker = trace_begin(trace, "ml_l1", TRACE_SRAM_BYTES, 32, seed);
	/* tiny buffers, and the step that frees each */
	struct trace_ids tiny = { 0 }, until = { 0 };

	for (int i = 0; i < 12; i++)
		trace_take_fitting(&maker, trace_range(&maker, 64, 16 * TRACE_KIB));
	trace_mark(&maker);
	for (uint32_t step = 0; step < 400; step++) {
		uint64_t base = trace_log_uniform(&maker, 60 * TRACE_KIB, 260 * TRACE_KIB);
		uint32_t x = trace_take_fitting(&maker, base);
		struct trace_ids skips = { 0 };

		for (int layer = 0; layer < 24; layer++) {
			uint32_t h, y;

			if (trace_unit(&maker) < 0.3)
				trace_ids_push(&skips, trace_take_fitting(&maker, base / 2));
			h = trace_take_fitting(&maker, (uint64_t)((double)base *
								  (1.0 + trace_unit(&maker))));
			trace_drop(&maker, x);
			if (trace_unit(&maker) < 0.35) {
				trace_ids_push(&until, step + trace_range(&maker, 1, 30));
				trace_ids_push(&tiny,
					       trace_take_fitting(&maker,
								  trace_range(&maker, 32, 256)));
			}
			y = trace_take_fitting(&maker, base + trace_below(&maker, base));
			trace_drop(&maker, h);
			if (skips.count > 2)
				trace_drop(&maker, trace_ids_remove(&skips, 0));
			x = y;
			if (trace_unit(&maker) < 0.2) {
				base = (uint64_t)((double)base * (0.6 + trace_unit(&maker)));
				if (base < 24 * TRACE_KIB)
					base = 24 * TRACE_KIB;
				if (base > 300 * TRACE_KIB)
					base = 300 * TRACE_KIB;
			}
		}
		trace_drop(&maker, x);
		for (size_t i = 0; i < skips.count; i++)
			trace_drop(&maker, skips.id[i]);
		free(skips.id);
		for (size_t i = 0; i < tiny.count;) {
			if (until.id[i] > step) {
				i++;
				continue;
			}
			trace_drop(&maker, trace_ids_remove(&tiny, i));
			trace_ids_remove(&until, i);
		}
	}
	free(tiny.id);
	free(until.id);
	trace_end(&maker);
}

static inline void trace_make_mixdir(struct trace *trace, uint64_t seed)
{
	struct trace_maker maker = trace_begin(trace, "mixdir", TRACE_DRAM_BYTES, 32, seed);
	struct trace_ids live = { 0 }, binaries = { 0 };
	uint64_t binary_bytes = 0;

	for (int i = 0; i < 120000; i++) {
		if (trace_unit(&maker) < 0.15) {
			uint64_t size = trace_log_uniform(&maker, 2 * TRACE_KIB, 256 * TRACE_KIB);

			trace_ids_push(&binaries, trace_take(&maker, size, true));
			binary_bytes += size;
			if (binaries.count > 1500) {
				uint32_t id = trace_ids_remove(&binaries,
							       trace_below(&maker, binaries.count));

				binary_bytes -= maker.sizes[id];
				trace_drop(&maker, id);
			}
			continue;
		}
		trace_ids_push(&live, trace_take(&maker, trace_pareto(&maker, TRACE_KIB,
								      32 * TRACE_MIB, 0.7),
						 false));
		while (maker.live_bytes - binary_bytes > 780 * TRACE_MIB)
			trace_drop(&maker, trace_ids_remove(&live, trace_below(&maker,
									       live.count)));
	}
	free(live.id);
	free(binaries.id);
	trace_end(&maker);
}

#endif /* LOOM_BENCH_TRACE_MAKE_H */
