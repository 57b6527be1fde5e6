/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_TRACE_H
#define LOOM_BENCH_TRACE_H

/*
 * Allocation traces: a list of operations. The free of an allocation that failed does nothing; the
 * set-up ends at the mark.
 *
 * A trace is a function of its seed: the same on every machine whose libm rounds
 * exp, log and pow as glibc does.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif /* LOOM_BENCH_TRACE_H */
