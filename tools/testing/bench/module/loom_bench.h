/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
#ifndef LOOM_BENCH_H
#define LOOM_BENCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * What vm_alloc asks of the module: to replay a trace on an allocator. The trace is the caller's,
 * as trace.h has it in memory, because the kernel has no floating point to make one.
 */

#define LOOM_BENCH_NODE	"loom_bench"

enum loom_bench_kind {
	LOOM_BENCH_LOW,
	LOOM_BENCH_HIGH,
	LOOM_BENCH_FREE,
	LOOM_BENCH_MARK,
};

struct loom_bench_op {
	__u64 size;
	__u32 id;
	__u32 kind;
};

enum loom_bench_engine {
	/* the bank with best fit, with near fit, with first fit */
	LOOM_BENCH_BANK_BEST,
	LOOM_BENCH_BANK_NEAR,
	LOOM_BENCH_BANK_FIRST,
	/* drm_mm: from the bottom the best hole or the lowest one; from the top the highest */
	LOOM_BENCH_MM_BEST,
	LOOM_BENCH_MM_FIRST,
	LOOM_BENCH_ENGINES,
};

/*
 * @ops: address of the operations
 * @count: how many
 * @ids: the largest id; ids begin with 1
 * @cap_bytes: size of the bank
 * @align_bytes: of every address; sizes are rounded up to it
 * @engine: an enum loom_bench_engine
 * @timed: operations that count: those that did not fail, behind the mark if there is one
 * @failures: out: allocations that failed, all of them
 * @ns: out: what the timed operations took in all
 */
struct loom_bench_run {
	__u64 ops;
	__u32 count;
	__u32 ids;
	__u64 cap_bytes;
	__u64 align_bytes;
	__u32 engine;
	__u32 timed;
	__u32 failures;
	__u32 pad;
	__u64 ns;
};

#define LOOM_BENCH_RUN	_IOWR('L', 0, struct loom_bench_run)

#endif /* LOOM_BENCH_H */
