/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_TRACE_MAKE_H
#define LOOM_BENCH_TRACE_MAKE_H

/*
 * The nine traces that the allocator is measured with.
 *
 * lifo			stacks of buffers, freed in reverse
 * rand10k		10000 live blocks of log-uniform sizes, random replacement, 73 % full
 * rand10k_tight	the same at 95 %
 * pow10k		small Pareto sizes, 10000 live, 90 %
 * l1_churn		an SRAM bank, from the top, Pareto sizes, 88 %
 * ml_dram		a language model: weights, KV cache, activations, binaries from the top
 * ml_l1		activations of a network in SRAM, tiny long-lived buffers between them
 * checker		every second of 20000 blocks free, sizes that mostly do not fit there
 * mixdir		binaries from the top, heavy-tailed data from the bottom
 *
 * Sizes and the order of random numbers are fixed: the traces are compared between
 * allocators and over the years.
 */

#include "random.h"
#include "trace.h"

#define TRACE_KIB		1024ULL
#define TRACE_MIB		(1ULL << 20)
#define TRACE_GIB		(1ULL << 30)
/* one bank: 1 GiB less a barrier of 32 bytes */
#define TRACE_DRAM_BYTES	(TRACE_GIB - 32)
/* one bank of SRAM less what is reserved at its bottom */
#define TRACE_SRAM_BYTES	(1499136ULL - 116416)

/* A trace under construction: what is live, and its random numbers. */
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

static inline void trace_make_lifo(struct trace *trace, uint64_t seed)
{
	struct trace_maker maker = trace_begin(trace, "lifo", TRACE_DRAM_BYTES, 32, seed);

	for (int round = 0; round < 3000; round++) {
		struct trace_ids ids = { 0 };
		uint64_t depth = trace_range(&maker, 8, 64);

		while (depth--)
			trace_ids_push(&ids, trace_take(&maker, trace_log_uniform(&maker, TRACE_KIB,
										  8 * TRACE_MIB),
							false));
		while (ids.count)
			trace_drop(&maker, trace_ids_remove(&ids, ids.count - 1));
		free(ids.id);
	}
	trace_end(&maker);
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

/* Bytes per bank of a tensor of so many tiles on 12 banks. */
static inline uint64_t trace_tiles(uint64_t tiles, uint64_t page_bytes)
{
	return (tiles + 11) / 12 * page_bytes;
}

/* One decoder layer: activations come and go as its operators run. Return: the new x. */
static inline uint32_t trace_decoder_layer(struct trace_maker *maker, uint32_t x, uint64_t s)
{
	const uint64_t page = 2048;
	uint64_t wide = trace_tiles(s * 448, page), narrow = trace_tiles(s * 128, page);
	uint64_t head = trace_tiles(s * 32, page);
	uint32_t norm, qkv, q, k, v, scores, attention, out, sum, gate, up, mul, down;

	norm = trace_take(maker, narrow, false);
	qkv = trace_take(maker, trace_tiles(s * 192, page), false);
	trace_drop(maker, norm);
	q = trace_take(maker, narrow, false);
	k = trace_take(maker, head, false);
	v = trace_take(maker, head, false);
	trace_drop(maker, qkv);
	scores = trace_take(maker, trace_tiles(s * (s > 4 ? s : 4) * 8, page), false);
	attention = trace_take(maker, narrow, false);
	trace_drop(maker, q);
	trace_drop(maker, k);
	trace_drop(maker, v);
	trace_drop(maker, scores);
	out = trace_take(maker, narrow, false);
	trace_drop(maker, attention);
	sum = trace_take(maker, narrow, false);
	trace_drop(maker, out);
	trace_drop(maker, x);
	norm = trace_take(maker, narrow, false);
	gate = trace_take(maker, wide, false);
	up = trace_take(maker, wide, false);
	trace_drop(maker, norm);
	mul = trace_take(maker, wide, false);
	trace_drop(maker, gate);
	trace_drop(maker, up);
	down = trace_take(maker, narrow, false);
	trace_drop(maker, mul);
	x = trace_take(maker, narrow, false);
	trace_drop(maker, down);
	trace_drop(maker, sum);
	return x;
}

static inline void trace_make_ml_dram(struct trace *trace, uint64_t seed)
{
	static const uint16_t layer[][2] = {
		{ 128, 192 }, { 128, 128 }, { 128, 448 }, { 128, 448 }, { 448, 128 },
	};
	static const uint16_t other[][2] = {
		{ 128, 4008 }, { 4008, 128 }, { 128, 1 }, { 64, 4 }, { 64, 4 },
		{ 32, 32 }, { 32, 32 }, { 1, 128 }, { 1, 1 }, { 1, 1 },
	};
	const uint64_t weight = 1088, activation = 2048;
	struct trace_maker maker = trace_begin(trace, "ml_dram", TRACE_DRAM_BYTES, 32, seed);
	struct trace_ids binaries = { 0 };
	size_t i;

	for (int l = 0; l < 32; l++) {
		for (i = 0; i < sizeof(layer) / sizeof(*layer); i++)
			trace_take(&maker, trace_tiles(layer[i][0] * layer[i][1], weight), false);
		trace_take(&maker, trace_tiles(128, activation), false);
	}
	for (i = 0; i < sizeof(other) / sizeof(*other); i++)
		trace_take(&maker, trace_tiles((uint64_t)other[i][0] * other[i][1], weight),
			   false);
	for (i = 0; i < 64; i++)
		trace_take(&maker, trace_tiles(256 * 32, weight), false);
	trace_mark(&maker);

	for (int step = 0; step < 300; step++) {
		uint64_t s = trace_unit(&maker) < 0.7 ? 1 : trace_range(&maker, 2, 64);
		uint64_t fresh = trace_range(&maker, 0, 3);
		uint32_t x, logits;

		while (fresh--) {
			uint64_t size = trace_log_uniform(&maker, 2 * TRACE_KIB, 128 * TRACE_KIB);

			trace_ids_push(&binaries, trace_take(&maker, size, true));
		}
		if (binaries.count > 400)
			trace_drop(&maker, trace_ids_remove(&binaries,
							    trace_below(&maker, binaries.count)));
		x = trace_take(&maker, trace_tiles(s * 128, activation), false);
		for (int l = 0; l < 32; l++)
			x = trace_decoder_layer(&maker, x, s);
		logits = trace_take(&maker, trace_tiles(s * 4008, activation), false);
		trace_drop(&maker, x);
		trace_drop(&maker, logits);
	}
	free(binaries.id);
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

static inline void trace_make_checker(struct trace *trace, uint64_t seed)
{
	enum { BLOCKS = 20000 };
	struct trace_maker maker = trace_begin(trace, "checker", TRACE_DRAM_BYTES, 32, seed);
	struct trace_ids live = { 0 };

	for (int i = 0; i < BLOCKS; i++)
		trace_take(&maker, 4 * TRACE_KIB, false);
	for (uint32_t i = 0; i < BLOCKS; i += 2)
		trace_drop(&maker, i + 1);
	trace_mark(&maker);
	for (int i = 0; i < 2 * BLOCKS; i++) {
		trace_ids_push(&live, trace_take(&maker,
						 trace_range(&maker, TRACE_KIB, 12 * TRACE_KIB),
						 false));
		if (live.count > 500)
			trace_drop(&maker, trace_ids_remove(&live, trace_below(&maker,
									       live.count)));
	}
	for (uint32_t i = 1; i < BLOCKS; i += 2)
		trace_drop(&maker, i + 1);
	for (size_t i = 0; i < live.count; i++)
		trace_drop(&maker, live.id[i]);
	free(live.id);
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

#define TRACE_MAKE_COUNT	9

/* Trace number @index, from 0 to TRACE_MAKE_COUNT - 1, drawn with another seed. */
static inline void trace_make_seeded(struct trace *trace, unsigned int index, uint64_t seed)
{
	const uint64_t kib = TRACE_KIB, mib = TRACE_MIB, gib = TRACE_GIB;
	const struct trace_steady steady[] = {
		{ "rand10k", seed, 12 * gib, kib, 8 * mib, 0, 10000, 0, 100000, false },
		{ "rand10k_tight", seed, 12 * gib, kib, 8 * mib, 0, 0,
		  (uint64_t)(11.4 * (double)gib), 100000, false },
		{ "pow10k", seed, 96 * mib, kib, 8 * mib, 1.1, 0,
		  (uint64_t)(0.90 * 96 * (double)mib), 100000, false },
		{ "l1_churn", seed, TRACE_SRAM_BYTES, 64, 256 * kib, 0.6, 0,
		  (uint64_t)(0.88 * (double)TRACE_SRAM_BYTES), 100000, true },
	};

	switch (index) {
	case 0:
		trace_make_lifo(trace, seed);
		break;
	case 1:
	case 2:
	case 3:
	case 4:
		trace_make_steady(trace, &steady[index - 1]);
		break;
	case 5:
		trace_make_ml_dram(trace, seed);
		break;
	case 6:
		trace_make_ml_l1(trace, seed);
		break;
	case 7:
		trace_make_checker(trace, seed);
		break;
	case 8:
		trace_make_mixdir(trace, seed);
		break;
	}
}

/* Trace number @index, as it was published. */
static inline void trace_make(struct trace *trace, unsigned int index)
{
	static const uint64_t seeds[] = { 101, 201, 202, 203, 505, 303, 404, 606, 707 };

	trace_make_seeded(trace, index, seeds[index]);
}

#endif /* LOOM_BENCH_TRACE_MAKE_H */
