// SPDX-License-Identifier: MIT
/*
 * Measured, in the kernel: time per operation of the bank allocator, and which share of the time of
 * BO_CREATE and GEM_CLOSE is the allocator's.
 *
 * Baseline: drm_mm on the same traces. It has no banks, so one bank in lockstep is compared, every
 * block on all banks. A module of its own has both (tools/testing/bench/module); this program makes
 * the traces and hands them over. The share comes from a replay of the very allocations that the
 * ioctls made, in their order, by the core alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <drm/loom_accel.h>

#include "bench/module/loom_bench.h"
#include "clock.h"
#include "node.h"
#include "trace_make.h"

#define ROUNDS		3
#define LIVE		1000
#define REPLACEMENTS	4000

/* --------------------------------------------------------------- replays */

_Static_assert(sizeof(struct trace_op) == sizeof(struct loom_bench_op) &&
	       offsetof(struct trace_op, size) == offsetof(struct loom_bench_op, size) &&
	       offsetof(struct trace_op, id) == offsetof(struct loom_bench_op, id) &&
	       offsetof(struct trace_op, kind) == offsetof(struct loom_bench_op, kind),
	       "the module reads traces as they are in memory");
_Static_assert((int)TRACE_ALLOC_HIGH - (int)LOOM_BENCH_HIGH == 0 &&
	       (int)TRACE_FREE - (int)LOOM_BENCH_FREE == 0 &&
	       (int)TRACE_MARK - (int)LOOM_BENCH_MARK == 0, "and by the same numbers");

struct result {
	double ns;
	uint32_t failures;
};

static struct result replay(int bench, const struct trace *trace, enum loom_bench_engine engine)
{
	struct loom_bench_run run = {
		.ops = (uintptr_t)trace->ops,
		.count = (uint32_t)trace->count,
		.ids = trace->ids,
		.cap_bytes = trace->cap_bytes,
		.align_bytes = trace->align_bytes,
		.engine = engine,
	};

	if (ioctl(bench, LOOM_BENCH_RUN, &run))
		fail("LOOM_BENCH_RUN");
	return (struct result){ run.timed ? (double)run.ns / run.timed : 0, run.failures };
}

/*
 * Return: ns per operation, the best of some rounds. All take turns, so that other load on the
 * machine affects each of them.
 */
static void replay_all(int bench, const struct trace *trace, struct result *best)
{
	for (int round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < LOOM_BENCH_ENGINES; i++) {
			struct result result = replay(bench, trace, i);

			if (!round || result.ns < best[i].ns)
				best[i] = result;
		}
}

static enum loom_bench_engine default_engine(bool sram)
{
	return sram ? LOOM_BENCH_BANK_NEAR : LOOM_BENCH_BANK_BEST;
}

static void compare(int bench, const struct trace *trace)
{
	struct result best[LOOM_BENCH_ENGINES];
	const struct result *ours = &best[default_engine(trace->cap_bytes <= TRACE_SRAM_BYTES)];
	const struct result *first = &best[LOOM_BENCH_BANK_FIRST];
	const struct result *mm_best = &best[LOOM_BENCH_MM_BEST];
	const struct result *mm_first = &best[LOOM_BENCH_MM_FIRST];

	replay_all(bench, trace, best);
	printf("%-13s %7u  %6.0f %5u  %6.0f %5u  %7.0f %5u  %7.0f %5u  %5.2fx %5.2fx\n",
	       trace->name, trace->allocs, ours->ns, ours->failures, first->ns, first->failures,
	       mm_best->ns, mm_best->failures, mm_first->ns, mm_first->failures,
	       mm_best->ns / ours->ns, mm_first->ns / first->ns);
	fflush(stdout);
}

/* ---------------------------------------------------------------- ioctls */

struct ioctls {
	int fd;
	uint32_t region;
	uint64_t low, high;
	uint32_t live;
	struct trace trace;
	struct trace_maker maker;
	uint32_t handle[LIVE], id[LIVE];
	uint64_t create_ns, close_ns;
};

static void create(struct ioctls *ioctls, uint32_t at)
{
	struct drm_loom_bo_create args = {
		.size = trace_log_uniform(&ioctls->maker, ioctls->low, ioctls->high),
		.region = ioctls->region,
	};
	struct drm_loom_bo_info info = { 0 };
	uint64_t start = now_ns();

	if (ioctl(ioctls->fd, DRM_IOCTL_LOOM_BO_CREATE, &args))
		fail("BO_CREATE");
	ioctls->create_ns += now_ns() - start;
	info.handle = args.handle;
	if (ioctl(ioctls->fd, DRM_IOCTL_LOOM_BO_INFO, &info))
		fail("BO_INFO");
	ioctls->handle[at] = args.handle;
	ioctls->id[at] = trace_take(&ioctls->maker, info.bytes_per_bank,
				    ioctls->region == DRM_LOOM_REGION_SRAM);
}

static void destroy(struct ioctls *ioctls, uint32_t at)
{
	struct drm_gem_close args = { .handle = ioctls->handle[at] };
	uint64_t start = now_ns();

	if (ioctl(ioctls->fd, DRM_IOCTL_GEM_CLOSE, &args))
		fail("GEM_CLOSE");
	ioctls->close_ns += now_ns() - start;
	trace_drop(&ioctls->maker, ioctls->id[at]);
}

static void measure_ioctls(int fd, int bench, uint32_t region, const char *name, uint64_t low,
			   uint64_t high)
{
	struct drm_loom_region_info info = node_region(fd, region);
	struct ioctls ioctls = { .fd = fd, .region = region, .low = low, .high = high };
	struct result best[LOOM_BENCH_ENGINES];
	double create_ns, close_ns, ours, mm;

	ioctls.maker = trace_begin(&ioctls.trace, name, info.total_bytes,
				   info.align_bytes, 808);
	/* the SRAM would be full: a third is left, so that no request is refused */
	while (ioctls.live < LIVE &&
	       ioctls.maker.live_bytes < info.total_bytes - info.total_bytes / 3)
		create(&ioctls, ioctls.live++);
	if (!ioctls.live) {
		fprintf(stderr, "vm_alloc: %s: no bytes to give out\n", name);
		exit(1);
	}
	trace_mark(&ioctls.maker);
	ioctls.create_ns = 0;
	for (uint32_t i = 0; i < REPLACEMENTS; i++) {
		uint32_t at = (uint32_t)trace_below(&ioctls.maker, ioctls.live);

		destroy(&ioctls, at);
		create(&ioctls, at);
	}
	create_ns = (double)ioctls.create_ns / REPLACEMENTS;
	close_ns = (double)ioctls.close_ns / REPLACEMENTS;
	for (uint32_t i = 0; i < ioctls.live; i++)
		destroy(&ioctls, i);
	/* these calls are not timed */
	ioctls.trace.count -= ioctls.live;
	replay_all(bench, &ioctls.trace, best);
	/* an allocation and a release */
	ours = 2 * best[default_engine(region == DRM_LOOM_REGION_SRAM)].ns;
	mm = 2 * best[LOOM_BENCH_MM_BEST].ns;
	printf("%-6s %6u %7.0f %7.0f  %6.0f %6.1f%%  %6.0f %6.1f%%\n", name, ioctls.live,
	       create_ns, close_ns, ours, 100 * ours / (create_ns + close_ns), mm,
	       100 * mm / (create_ns + close_ns));
	fflush(stdout);
	trace_end(&ioctls.maker);
	trace_free(&ioctls.trace);
}

int main(int argc, char **argv)
{
	struct drm_loom_context_create exclusive = { .flags = DRM_LOOM_CONTEXT_EXCLUSIVE };
	const char *module = argc > 1 ? argv[1] :
			     "build/bench-module/tools/testing/bench/module/loom_bench.ko";
	int file = open(module, O_RDONLY | O_CLOEXEC), bench, fd;

	if (file < 0)
		fail(module);
	if (syscall(SYS_finit_module, file, "", 0))
		fail("finit_module");
	close(file);
	bench = open("/dev/" LOOM_BENCH_NODE, O_RDWR | O_CLOEXEC);
	if (bench < 0)
		fail("/dev/" LOOM_BENCH_NODE);
	fd = node_find();
	if (fd < 0) {
		fprintf(stderr, "vm_alloc: no loom device\n");
		return 1;
	}

	/* more of the SRAM than the share of a file */
	if (ioctl(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &exclusive))
		fail("CONTEXT_CREATE");

	printf("one buffer replaced by another: ns of each ioctl, of which the bank's alloc\n"
	       "and free together, and what drm_mm takes for the same\n");
	printf("%-6s %6s %7s %7s  %14s  %14s\n", "region", "live", "create", "close",
	       "-- allocator -",
	       "--- drm_mm ---");
	measure_ioctls(fd, bench, DRM_LOOM_REGION_DRAM, "DRAM", 4096, 64 * TRACE_KIB);
	measure_ioctls(fd, bench, DRM_LOOM_REGION_SRAM, "SRAM", 64, 4 * TRACE_KIB);

	printf("\nin the kernel: ns per operation, alloc and free alike, and refusals; best of %d\n"
	       "rounds. default: the driver's policy; drm_mm from the bottom by best or first fit,\n"
	       "from the top by first fit. The ratios: drm_mm best to default, first to first\n",
	       ROUNDS);
	printf("%-13s %7s  %12s  %12s  %13s  %13s  %13s\n", "trace", "allocs", "-- default -",
	       "- first fit -", "- drm_mm best", "drm_mm first ", "--- ratio ---");
	for (unsigned int i = 0; i < TRACE_MAKE_COUNT; i++) {
		struct trace trace;

		trace_make(&trace, i);
		compare(bench, &trace);
		trace_free(&trace);
	}
	close(fd);
	close(bench);
	return syscall(SYS_delete_module, "loom_bench", 0) ? 1 : 0;
}
