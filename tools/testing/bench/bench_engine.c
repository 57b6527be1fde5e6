// SPDX-License-Identifier: MIT
/*
 * The engine's inner loops: multiply-accumulates per second of convolutions and matrix products,
 * in f32 and f16, beside the plain nest of loops over dense arrays, measured in the same run.
 *
 *	bench_engine [PART]	only rows whose name has that in it
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "engine/fp_math.h"
#include "loom_op.h"

#define LANES		16
/* an odd number of cache lines, so that the lanes do not share cache sets */
#define PITCH		((1U << 20) + 64)
#define ROUND_NS	60000000
#define ROUNDS		3

/* aligned, so that how fast it is does not depend on what else is linked */
static u8 scratch[(size_t)LANES * PITCH] __attribute__((aligned(4096)));

/* Nanoseconds of one call: the best of some rounds, each long enough for the clock. */
static double measure(void (*call)(void *), void *arg)
{
	double best = 1e18, ns;
	u32 round, n, i;
	u64 start;

	for (round = 0, n = 1; round < ROUNDS;) {
		start = thread_ns();
		for (i = 0; i < n; i++)
			call(arg);
		ns = thread_ns() - start;
		if (ns < ROUND_NS && n < 1U << 30) {
			n *= 2;
			continue;
		}
		best = ns / n < best ? ns / n : best;
		round++;
	}
	return best;
}

/* Of what is measured; memory is zero. */
static u32 dtype = DRM_LOOM_DTYPE_F32;

/* Dense, channels over lanes on axis 1 (weights: on axis 0). */
static u64 dense(struct loom_view *v, u64 offset, u32 rank, const u32 *dims, u32 lane_axis)
{
	u64 stride = dtype == DRM_LOOM_DTYPE_F16 ? 2 : 4;
	u32 i;

	memset(v, 0, sizeof(*v));
	v->region = DRM_LOOM_REGION_SRAM;
	v->dtype = dtype;
	v->elem_bytes = stride;
	v->rank = rank;
	v->lane_axis = lane_axis;
	v->offset = offset;
	for (i = DRM_LOOM_MAX_RANK; i-- > 0;) {
		v->dims[i] = i < rank ? dims[i] : 1;
		if (i >= rank)
			continue;
		v->strides[i] = stride;
		stride *= i == lane_axis ? (dims[i] + LANES - 1) / LANES : dims[i];
	}
	if (offset + stride > PITCH)
		abort();
	return (offset + stride + 63) & ~63ULL;
}

struct work {
	struct loom_memory memory;
	struct loom_view views[3];
	struct loom_command command;
	u64 chunk;
	/* shape and operands of the baseline, dense */
	const u32 *shape;
	float *x, *w, *y;
};

static void call_engine(void *arg)
{
	struct work *work = arg;
	u64 first, n;

	for (first = 0; first < work->command.units; first += n) {
		n = work->command.units - first;
		n = n < work->chunk ? n : work->chunk;
		loom_engine_compute(&work->command, &work->memory, first, n);
	}
}

static void work_begin(struct work *work)
{
	memset(work, 0, sizeof(*work));
	work->memory = (struct loom_memory){
		.lanes = LANES, .scratch = scratch, .lane_pitch = PITCH,
	};
	work->command.views = work->views;
	work->command.operands = 3;
}

static void work_check(struct work *work, u32 opcode, const void *attr)
{
	struct loom_check check = { .command = &work->command, .opcodes = U64_MAX };

	work->command.op = loom_op_get(opcode);
	work->command.attr = attr;
	if (!work->command.op->check(&check)) {
		fprintf(stderr, "bench_engine: refused by rule %u\n", check.rule);
		exit(1);
	}
}

/* C, O, H, W (of the output), kernel, stride, groups */
enum { C, O, H, W, K, S, G };

/* Taps of one channel, from x[@h][@w] of a plane. */
static float naive_taps(const u32 *s, const float *x, const float *k, u32 h, u32 w)
{
	u32 xh = s[H] * s[S], xw = s[W] * s[S], i, j;
	float sum = 0.0f;

	for (i = 0; i < s[K]; i++) {
		for (j = 0; j < s[K]; j++) {
			/* an index below zero wraps to a very large one */
			if (h + i < xh && w + j < xw)
				sum += x[(h + i) * xw + w + j] * k[i * s[K] + j];
		}
	}
	return sum;
}

static void call_naive_conv(void *arg)
{
	const struct work *work = arg;
	const u32 *s = work->shape;
	u32 cg = s[C] / s[G], og = s[O] / s[G], pad = s[K] / 2;
	u32 plane = s[H] * s[S] * s[W] * s[S], taps = s[K] * s[K], o, h, w, c;
	const float *x, *k;

	for (o = 0; o < s[O]; o++) {
		x = work->x + o / og * cg * plane;
		k = work->w + o * cg * taps;
		for (h = 0; h < s[H]; h++) {
			for (w = 0; w < s[W]; w++) {
				float sum = 0.0f;

				for (c = 0; c < cg; c++)
					sum += naive_taps(s, x + c * plane, k + c * taps,
							  h * s[S] - pad, w * s[S] - pad);
				work->y[(o * s[H] + h) * s[W] + w] = sum;
			}
		}
	}
}

static float *floats(size_t n)
{
	float *f = malloc(n * sizeof(*f));
	size_t i;

	if (!f)
		abort();
	for (i = 0; i < n; i++)
		f[i] = (float)(i % 97) * 0.01f;
	return f;
}

/* Million multiply-accumulates per second in one call, in calls of 100000 operations, and naive. */
static void bench_work(const char *name, struct work *work, void (*naive)(void *))
{
	double macs = (double)work->command.macs * 1e3, whole, chunks, plain;

	work->chunk = U64_MAX;
	whole = macs / measure(call_engine, work);
	work->chunk = 100000 / work->command.unit_cost + 1;
	chunks = macs / measure(call_engine, work);
	plain = macs / measure(naive, work);
	printf("%-28s %8.0f %8.0f %8.0f %7.1f%s\n", name, whole, chunks, plain, whole / plain,
	       dtype == DRM_LOOM_DTYPE_F16 ? "  f16, naive in f32" : "");
	free(work->x);
	free(work->w);
	free(work->y);
}

static void bench_conv(const char *name, const u32 *s)
{
	const u32 y[5] = { 1, s[O], 1, s[H], s[W] };
	const u32 x[5] = { 1, s[C], 1, s[H] * s[S], s[W] * s[S] };
	const u32 w[5] = { s[O], s[C] / s[G], 1, s[K], s[K] };
	struct drm_loom_attr_conv attr = {
		.stride = { 1, s[S], s[S] }, .dilation = { 1, 1, 1 },
		.pad = { 0, s[K] / 2, s[K] / 2 }, .groups = s[G],
	};
	struct work work;
	u64 end = 0;

	work_begin(&work);
	end = dense(&work.views[0], end, 5, y, 1);
	end = dense(&work.views[1], end, 5, x, 1);
	dense(&work.views[2], end, 5, w, 0);
	work_check(&work, DRM_LOOM_OP_CONV, &attr);
	work.shape = s;
	work.x = floats((size_t)s[C] * x[3] * x[4]);
	work.w = floats((size_t)s[O] * s[C] / s[G] * s[K] * s[K]);
	work.y = floats((size_t)s[O] * s[H] * s[W]);
	bench_work(name, &work, call_naive_conv);
}

static void call_naive_matmul(void *arg)
{
	const struct work *work = arg;
	const u32 *s = work->shape;
	u32 m, n, k;

	for (m = 0; m < s[0]; m++) {
		for (n = 0; n < s[1]; n++) {
			float sum = 0.0f;

			for (k = 0; k < s[2]; k++)
				sum += work->x[m * s[2] + k] * work->w[k * s[1] + n];
			work->y[m * s[1] + n] = sum;
		}
	}
}

/* M, N, K; @columns: b is dealt over the lanes by its columns, else by its rows */
static void bench_matmul(const char *name, const u32 *s, bool columns)
{
	const u32 y[4] = { 1, 1, s[0], s[1] };
	const u32 a[4] = { 1, 1, s[0], s[2] };
	const u32 b[4] = { 1, 1, s[2], s[1] };
	struct drm_loom_attr_matmul attr = { .alpha = 0x3f800000, .beta = 0x3f800000 };
	struct work work;
	u64 end = 0;

	work_begin(&work);
	end = dense(&work.views[0], end, 4, y, 2);
	end = dense(&work.views[1], end, 4, a, 2);
	dense(&work.views[2], end, 4, b, columns ? 3 : 2);
	work_check(&work, DRM_LOOM_OP_MATMUL, &attr);
	work.shape = s;
	work.x = floats((size_t)s[0] * s[2]);
	work.w = floats((size_t)s[1] * s[2]);
	work.y = floats((size_t)s[0] * s[1]);
	bench_work(name, &work, call_naive_matmul);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		u32 shape[7];
	} conv[] = {
		/* names give channels in and out, size of the output */
		{ "3x3 32-32 80x80", { 32, 32, 80, 80, 3, 1, 1 } },
		{ "3x3 64-64 40x40", { 64, 64, 40, 40, 3, 1, 1 } },
		{ "3x3 128-128 10x10", { 128, 128, 10, 10, 3, 1, 1 } },
		{ "3x3 256-256 4x4", { 256, 256, 4, 4, 3, 1, 1 } },
		{ "3x3 stride 2 32-64 40x40", { 32, 64, 40, 40, 3, 2, 1 } },
		{ "1x1 96-96 24x80", { 96, 96, 24, 80, 1, 1, 1 } },
		{ "1x1 480-480 3x80", { 480, 480, 3, 80, 1, 1, 1 } },
		{ "1x1 256-256 5x5", { 256, 256, 5, 5, 1, 1, 1 } },
		{ "1x1 256-64 1x1", { 256, 64, 1, 1, 1, 1, 1 } },
		{ "depthwise 3x3 96 24x80", { 96, 96, 24, 80, 3, 1, 96 } },
		{ "depthwise 3x3 s2 96 40x40", { 96, 96, 40, 40, 3, 2, 96 } },
		{ "depthwise 5x5 240 3x40", { 240, 240, 3, 40, 5, 1, 240 } },
		{ "depthwise 3x3 256 7x7", { 256, 256, 7, 7, 3, 1, 256 } },
	};
	static const struct {
		const char *name;
		u32 shape[3];
		bool columns;
	} matmul[] = {
		{ "40x120 by 120x360", { 40, 360, 120 }, false },
		{ "40x120 by 120x6625", { 40, 6625, 120 }, false },
		{ "40x120 by 120x360, columns", { 40, 360, 120 }, true },
		{ "1x1024 by 1024x256", { 1, 256, 1024 }, false },
		{ "1x1024 by 1024x256, columns", { 1, 256, 1024 }, true },
	};
	u32 i;

	printf("%-28s %8s %8s %8s %7s\n", "convolution: MMAC/s", "whole", "chunks", "naive",
	       "ratio");
	for (i = 0; i < 2 * ARRAY_SIZE(conv); i++) {
		dtype = i % 2 ? DRM_LOOM_DTYPE_F16 : DRM_LOOM_DTYPE_F32;
		if (strstr(conv[i / 2].name, part))
			bench_conv(conv[i / 2].name, conv[i / 2].shape);
	}
	printf("matrix product: MMAC/s\n");
	for (i = 0; i < 2 * ARRAY_SIZE(matmul); i++) {
		dtype = i % 2 ? DRM_LOOM_DTYPE_F16 : DRM_LOOM_DTYPE_F32;
		if (strstr(matmul[i / 2].name, part))
			bench_matmul(matmul[i / 2].name, matmul[i / 2].shape,
				     matmul[i / 2].columns);
	}
	return 0;
}
