/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_TRACE_H
#define LOOM_BENCH_TRACE_H

/*
 * Allocation traces: a list of operations, read from a file or generated.
 *
 * One operation a line:
 *	# name=<s> cap=<bytes> align=<bytes> seed=<n>	first line
 *	a <id> <size> <td|bu>				allocate from the top, the bottom
 *	f <id>						free; not if that allocation failed
 *	# mark						the set-up ends here
 *
 * A generated trace is a function of its seed: the same on every machine whose libm rounds
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

/* Write it as text. */
static inline void trace_write(const struct trace *trace, FILE *file)
{
	fprintf(file, "# name=%s cap=%" PRIu64 " align=%" PRIu64 " seed=%" PRIu64 "\n",
		trace->name, trace->cap_bytes, trace->align_bytes, trace->seed);
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_op *op = &trace->ops[i];

		switch (op->kind) {
		case TRACE_ALLOC_LOW:
		case TRACE_ALLOC_HIGH:
			fprintf(file, "a %u %" PRIu64 " %s\n", op->id, op->size,
				op->kind == TRACE_ALLOC_LOW ? "bu" : "td");
			break;
		case TRACE_FREE:
			fprintf(file, "f %u\n", op->id);
			break;
		case TRACE_MARK:
			fprintf(file, "# mark\n");
			break;
		}
	}
}

/* Read text. Return: 0, or the number of the line that is wrong; -1: not readable. */
static inline long trace_read(struct trace *trace, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256], direction[8];
	uint8_t *live = NULL;
	uint32_t room = 0;
	long number = 0, wrong = -1;

	*trace = (struct trace){ 0 };
	if (!file)
		return -1;
	if (!fgets(line, sizeof(line), file) ||
	    sscanf(line, "# name=%63s cap=%" SCNu64 " align=%" SCNu64 " seed=%" SCNu64,
		   trace->name, &trace->cap_bytes, &trace->align_bytes, &trace->seed) != 4 ||
	    !trace->cap_bytes || !trace->align_bytes ||
	    (trace->align_bytes & (trace->align_bytes - 1))) {
		wrong = 1;
		goto out;
	}
	for (number = 2; fgets(line, sizeof(line), file); number++) {
		uint64_t size = 0;
		uint32_t id;

		wrong = number;
		if (line[0] == '#') {
			if (!strcmp(line, "# mark\n"))
				trace_add(trace, TRACE_MARK, 0, 0);
			continue;
		}
		if (sscanf(line, "a %u %" SCNu64 " %7s", &id, &size, direction) == 3) {
			bool high = !strcmp(direction, "td");

			/* ids count up, so a wrong one cannot ask for all memory */
			if (id != trace->ids + 1 || !size || (!high && strcmp(direction, "bu")))
				goto out;
			if (id >= room) {
				room = room ? room * 2 : 4096;
				live = trace_realloc(live, room, 1);
			}
			trace->ids = id;
			trace->allocs++;
			live[id] = true;
			trace_add(trace, high ? TRACE_ALLOC_HIGH : TRACE_ALLOC_LOW, id, size);
		} else if (sscanf(line, "f %u", &id) == 1) {
			if (!id || id > trace->ids || !live[id])
				goto out;
			live[id] = false;
			trace_add(trace, TRACE_FREE, id, 0);
		} else {
			goto out;
		}
	}
	wrong = 0;
out:
	free(live);
	fclose(file);
	if (wrong)
		trace_free(trace);
	return wrong;
}

#endif /* LOOM_BENCH_TRACE_H */
