// SPDX-License-Identifier: MIT
/*
 * The longest single call of the engine, by operation and type, beside its promised time: a kernel
 * that cannot be preempted makes others wait that long. Commands are built to be the worst that the
 * checks of the operations accept: as much work in a unit as is allowed, elements that are far
 * apart or in another bank each, strides of zero, dilations, taps that fall outside. The search is
 * random and seeded; a call's time is the least of three runs, so that other load does not count.
 *
 * The promise is what the worker of a soft device counts on: it gives a call so many element
 * operations, the engine charges each call what it does, and an element operation takes at most as
 * long as SHARE of the multiply-adds that are measured in the same run. So a call whose charge is
 * small has to be short.
 *
 *	bench_units [CASES [SEED [normal|denormal [LOOPS [RATIO]]]]]
 *
 * With "denormal" all numbers of binary32 and binary64 are: the processor is slow with them. A call
 * is a failure if it takes longer than LOOPS of the loop, or than RATIO times what was promised. No
 * bound is a time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "loom_engine.h"
#include "loom_op.h"

/* Budget of a call in the soft device; for engines that cannot divide a unit, the cap of a unit. */
#ifdef LOOM_ENGINE_PIECE
#define BUDGET		LOOM_ENGINE_PIECE
#else
#define BUDGET		DRM_LOOM_MAX_UNIT_COST
#endif

/*
 * Promised maximum time of an element operation, in dependent multiply-adds: the 10 ns of
 * loom_engine.h on a machine where one takes 2.4 ns.
 */
#define SHARE		4
/* Minimum charge of a call, because its start and the look at the clock take as long. */
#define LEAST		1024ULL

#define MEMORY		(64ULL << 20)
#define RUNS		3
#define CALLS		64
/* of one run; the first call is always measured */
#define RUN_NS		20000000

static u8 *bytes;
static u64 state;
static double loop_ns;
/* the longest call of all, in loops */
static double longest_loops;
/* the worst call of all, in what it was promised to take */
static double worst_ratio;

static u32 rnd(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1dULL >> 33) % n;
}

/* One of some numbers. */
#define PICK(...)								\
	pick((const u32[]){ __VA_ARGS__ }, ARRAY_SIZE(((const u32[]){ __VA_ARGS__ })))

static u32 pick(const u32 *numbers, u32 count)
{
	return numbers[rnd(count)];
}

struct trial {
	struct loom_memory memory;
	struct loom_view views[DRM_LOOM_MAX_OPERANDS];
	struct loom_command command;
	union {
		struct drm_loom_attr_conv conv;
		struct drm_loom_attr_pool pool;
		struct drm_loom_attr_matmul matmul;
		struct drm_loom_attr_binary binary;
		struct drm_loom_attr_unary unary;
		struct drm_loom_attr_reduce reduce;
		struct drm_loom_attr_softmax softmax;
		struct drm_loom_attr_resize resize;
		struct drm_loom_attr_fill fill;
		struct drm_loom_attr_topk topk;
		struct drm_loom_attr_gather gather;
	} attr;
	bool bad;
};

/* A view whose elements lie as badly as its part of the banks allows. */
static void view(struct trial *t, u32 operand, u32 dtype, u32 rank, const u32 *dims)
{
	struct loom_view *v = &t->views[operand];
	u64 cap = t->memory.lane_pitch / DRM_LOOM_MAX_OPERANDS & ~63ULL;
	u64 size = loom_dtype_stride(dtype);
	bool backwards = rnd(2), far = rnd(2), zero = operand && !rnd(4);
	u32 i, axis;

	*v = (struct loom_view){
		.region = DRM_LOOM_REGION_SRAM, .dtype = dtype, .elem_bytes = size, .rank = rank,
		.lane_axis = rnd(rank), .lane_start = rnd(t->memory.lanes),
		.offset = operand * cap,
	};
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		v->dims[i] = i < rank ? dims[i] : 1;
	for (i = 0; i < rank; i++) {
		u64 extent, step;

		axis = backwards ? i : rank - 1 - i;
		extent = dims[axis];
		if (axis == v->lane_axis)
			extent = (v->lane_start + dims[axis] - 1) / t->memory.lanes + 1;
		step = far && extent > 1 && extent * (4096 + 64) <= cap && size < 4096 ? 4096 + 64 :
										   size;
		if (zero || extent * step > cap) {
			/* only what is read may have elements in the same place */
			if (!operand)
				t->bad = true;
			continue;
		}
		v->strides[axis] = step;
		size = extent * step;
	}
}

static bool check(struct trial *t, u32 opcode, u32 operands)
{
	struct loom_check check = { .command = &t->command, .opcodes = U64_MAX };

	t->command = (struct loom_command){
		.op = loom_op_get(opcode), .attr = &t->attr, .views = t->views,
		.operands = operands,
	};
	return !t->bad && t->command.op->check(&check);
}

/* @product as the product of @n factors. */
static void factors(u32 product, u32 *to, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = 1;
	while (product > 1) {
		u32 step = min(product, PICK(2, 3, 5, 16, 64, 1 << 22));

		if (rnd(3))
			to[rnd(n)] *= step;
		else
			to[n - 1] *= step;
		product /= step;
	}
}

/* Terms of a sum so that a unit costs nearly as much as it may. */
static u32 terms(u32 width)
{
	u32 most = DRM_LOOM_MAX_UNIT_COST / min(width, 64U);

	return rnd(4) ? most : 1 + rnd(most);
}

static u32 act(bool floating)
{
	return floating ? rnd(DRM_LOOM_ACT_END) : DRM_LOOM_ACT_NONE;
}

static bool floating(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_F32 || dtype == DRM_LOOM_DTYPE_F16 ||
	       dtype == DRM_LOOM_DTYPE_F64;
}

static bool make_conv(struct trial *t, u32 dtype)
{
	bool forward = t->command.units == DRM_LOOM_OP_CONV;
	u32 y[5] = { 1, 0, PICK(1, 1, 2), PICK(1, 2, 8), PICK(1, 2, 4, 5, 8, 33, 64, 200) };
	u32 groups = PICK(1, 1, 2), o = groups * PICK(1, 3, 4, 8), k[4], x[5], w[5], i;
	bool integer = !floating(dtype);

	factors(terms(y[4]), k, 4);
	if (rnd(8) == 0) {
		/* a wide stage for few taps */
		k[1] = 1;
		k[2] = 26;
		k[3] = 2;
		k[0] = terms(y[4]) / 52;
	}
	t->attr.conv = (struct drm_loom_attr_conv){ .groups = groups };
	t->attr.conv.act = act(!integer);
	x[0] = 1;
	x[1] = groups * k[0];
	y[1] = o;
	for (i = 0; i < 3; i++) {
		u32 stride = PICK(1, 1, 2, 3, 32), dilation = PICK(1, 1, 2, 3, 100);

		t->attr.conv.stride[i] = stride;
		t->attr.conv.dilation[i] = dilation;
		t->attr.conv.pad[i] = PICK(0, 0, 1, 50, k[1 + i]);
		x[2 + i] = rnd(4) ? min((u64)y[2 + i] * stride + (u64)k[1 + i] * dilation,
					1ULL << 24) : PICK(1, 2, 64);
	}
	w[0] = forward ? y[1] : x[1];
	w[1] = (forward ? x[1] : y[1]) / groups;
	memcpy(w + 2, k + 1, sizeof(u32[3]));
	view(t, 0, integer ? DRM_LOOM_DTYPE_I32 : dtype, 5, y);
	view(t, 1, dtype, 5, x);
	view(t, 2, dtype, 5, w);
	return check(t, forward ? DRM_LOOM_OP_CONV : DRM_LOOM_OP_DECONV, 3);
}

static bool make_pool(struct trial *t, u32 dtype)
{
	u32 y[5] = { 1, PICK(1, 16), PICK(1, 2), PICK(1, 8), PICK(1, 8, 33, 64, 200) }, x[5], k[3];
	u32 i;

	factors(terms(y[4]), k, 3);
	t->attr.pool = (struct drm_loom_attr_pool){
		.kind = floating(dtype) ? PICK(DRM_LOOM_POOL_MAX, DRM_LOOM_POOL_AVG) :
					  DRM_LOOM_POOL_MAX,
	};
	x[0] = y[0];
	x[1] = y[1];
	for (i = 0; i < 3; i++) {
		t->attr.pool.kernel[i] = k[i];
		t->attr.pool.stride[i] = PICK(1, 2, 3);
		t->attr.pool.dilation[i] = PICK(1, 1, 2, 100);
		t->attr.pool.pad_before[i] = PICK(0, 0, 1, k[i]);
		x[2 + i] = rnd(4) ? min((u64)y[2 + i] * 3 + (u64)k[i] *
					(u64)t->attr.pool.dilation[i], 1ULL << 24) : PICK(1, 64);
	}
	view(t, 0, dtype, 5, y);
	view(t, 1, dtype, 5, x);
	return check(t, DRM_LOOM_OP_POOL, 2);
}

static bool make_matmul(struct trial *t, u32 dtype)
{
	bool integer = !floating(dtype);
	u32 y[4] = { 1, PICK(1, 2), PICK(1, 2, 4, 8), PICK(1, 5, 8, 16, 33, 64, 200) };
	u32 k = terms(y[3]);
	u32 a[4] = { 1, 1, y[2], k }, b[4] = { 1, 1, k, y[3] };

	t->attr.matmul = (struct drm_loom_attr_matmul){
		.alpha = 0x3f800000, .beta = 0x3f800000, .act = act(!integer),
	};
	view(t, 0, integer ? DRM_LOOM_DTYPE_I32 : dtype, 4, y);
	view(t, 1, dtype, 4, a);
	view(t, 2, dtype, 4, b);
	return check(t, DRM_LOOM_OP_MATMUL, 3);
}

static bool make_reduce(struct trial *t, u32 dtype)
{
	u32 rank = 1 + rnd(6), y[6], x[6], k[6], wide = PICK(1, 2, 64, 100), i;

	for (i = 0; i < rank; i++)
		y[i] = 1;
	if (rank > 1)
		y[rnd(2) ? rank - 1 : rnd(rank)] = wide;
	factors(terms(y[rank - 1]), k, rank);
	for (i = 0; i < rank; i++)
		x[i] = y[i] == 1 ? k[i] : y[i];
	t->attr.reduce = (struct drm_loom_attr_reduce){ .kind = rnd(DRM_LOOM_REDUCE_END) };
	view(t, 0, dtype, rank, y);
	view(t, 1, dtype, rank, x);
	return check(t, DRM_LOOM_OP_REDUCE, 2);
}

static bool make_softmax(struct trial *t, u32 dtype)
{
	u32 rank = 1 + rnd(3), dims[3] = { PICK(1, 2), PICK(1, 2), PICK(1, 2) };
	u32 axis = rnd(rank);

	dims[axis] = rnd(4) ? DRM_LOOM_MAX_UNIT_COST / 4 : 1 + rnd(DRM_LOOM_MAX_UNIT_COST / 4);
	t->attr.softmax = (struct drm_loom_attr_softmax){ .axis = axis, .flags = rnd(2) };
	view(t, 0, dtype, rank, dims);
	view(t, 1, dtype, rank, dims);
	return check(t, DRM_LOOM_OP_SOFTMAX, 2);
}

static bool make_topk(struct trial *t, u32 dtype)
{
	u32 count = PICK(1, 2, 1000, 1 + rnd(60000)), dims[2] = { PICK(1, 2), count };

	t->attr.topk = (struct drm_loom_attr_topk){ .axis = 1, .flags = rnd(2), .count = count };
	view(t, 0, DRM_LOOM_DTYPE_I32, 2, dims);
	dims[1] = DRM_LOOM_MAX_UNIT_COST / 2 / (1 + loom_log2_up(count));
	view(t, 1, dtype, 2, dims);
	return check(t, DRM_LOOM_OP_TOPK, 2);
}

static bool make_gather(struct trial *t, u32 dtype)
{
	u32 x[2] = { 1 + rnd(1000), PICK(1, 7, 64, 1000) }, y[2] = { 500, x[1] };
	u32 index[2] = { y[0], PICK(1, y[1]) };

	t->attr.gather = (struct drm_loom_attr_gather){ .axis = 0 };
	view(t, 0, dtype, 2, y);
	view(t, 1, dtype, 2, x);
	view(t, 2, PICK(DRM_LOOM_DTYPE_I32, DRM_LOOM_DTYPE_I64), 2, index);
	return check(t, DRM_LOOM_OP_GATHER, 3);
}

static bool make_resize(struct trial *t, u32 dtype)
{
	u32 y[5] = { 1, PICK(1, 16), PICK(1, 8), PICK(1, 8, 32), PICK(1, 32, 64, 100) };
	u32 x[5] = { y[0], y[1], PICK(1, 4, 32), PICK(1, 8, 64), PICK(1, 32, 64, 1000) }, i;

	t->attr.resize = (struct drm_loom_attr_resize){
		.mode = floating(dtype) ? rnd(3) : DRM_LOOM_RESIZE_NEAREST,
		.coord = rnd(DRM_LOOM_COORD_TF_CROP_AND_RESIZE + 1),
		.nearest = rnd(DRM_LOOM_NEAREST_CEIL + 1), .cubic_a = 0xbf400000,
	};
	for (i = 0; i < 3; i++) {
		t->attr.resize.in_size[i] = x[2 + i];
		t->attr.resize.out_size[i] = y[2 + i];
		t->attr.resize.scale[i] = 0x3f000000;
		t->attr.resize.roi_end[i] = PICK(0x3f800000, 0x41000000);
	}
	view(t, 0, dtype, 5, y);
	view(t, 1, dtype, 5, x);
	return check(t, DRM_LOOM_OP_RESIZE, 2);
}

static bool make_elementwise(struct trial *t, u32 dtype)
{
	u32 opcode = t->command.units, rank = 1 + rnd(4), dims[4], i;
	u32 y = dtype, x = dtype, operands = 2;

	factors(PICK(64, 4096, 1 << 17), dims, rank);
	switch (opcode) {
	case DRM_LOOM_OP_FILL:
		t->attr.fill = (struct drm_loom_attr_fill){ .bits = 1 };
		operands = 1;
		break;
	case DRM_LOOM_OP_BINARY:
		t->attr.binary = (struct drm_loom_attr_binary){
			.kind = rnd(DRM_LOOM_BINARY_END),
			.act = rnd(2) ? act(dtype == DRM_LOOM_DTYPE_F32) : DRM_LOOM_ACT_NONE,
		};
		if (rnd(4) == 0)
			t->attr.binary.kind = PICK(DRM_LOOM_BINARY_FMOD, DRM_LOOM_BINARY_POW);
		if (t->attr.binary.kind >= DRM_LOOM_BINARY_EQ &&
		    t->attr.binary.kind <= DRM_LOOM_BINARY_GE)
			y = DRM_LOOM_DTYPE_BOOL;
		operands = 3;
		break;
	case DRM_LOOM_OP_UNARY:
		t->attr.unary = (struct drm_loom_attr_unary){ .kind = rnd(DRM_LOOM_UNARY_END) };
		break;
	case DRM_LOOM_OP_SELECT:
		x = DRM_LOOM_DTYPE_BOOL;
		operands = 4;
		break;
	case DRM_LOOM_OP_CAST:
		/* zero is not a type, and the verifier lets none pass */
		x = 1 + rnd(DRM_LOOM_DTYPE_BOOL);
		break;
	case DRM_LOOM_OP_QUANTIZE:
	case DRM_LOOM_OP_DEQUANTIZE:
		operands = 4;
		break;
	}
	for (i = 0; i < operands; i++) {
		u32 type = i == 0 ? y : i == 1 ? x : dtype;

		if (opcode == DRM_LOOM_OP_QUANTIZE)
			type = i == 1 || i == 2 ? DRM_LOOM_DTYPE_F32 : dtype;
		if (opcode == DRM_LOOM_OP_DEQUANTIZE)
			type = i == 0 || i == 2 ? DRM_LOOM_DTYPE_F32 : dtype;
		view(t, i, type, rank, dims);
	}
	return check(t, opcode, operands);
}

/* A call of the engine: its time, and the work that it was charged. */
struct call {
	u64 ns;
	u64 work;
};

/* Each call in one run. Return: how many calls. */
static u32 measure(const struct trial *t, struct call *call)
{
	struct loom_command command = t->command;
	struct loom_step step = { .commands = 1 };
	struct loom_plan plan = {
		.lanes = t->memory.lanes, .step_count = 1, .command_count = 1, .steps = &step,
		.commands = &command,
	};
	struct loom_engine engine;
	u64 start, before, total = 0;
	u32 calls = 0;
	bool done;

	loom_engine_init(&engine, &plan, &t->memory);
	do {
		before = engine.work;
		start = thread_ns();
		done = loom_engine_run(&engine, BUDGET);
		call[calls].ns = thread_ns() - start;
		call[calls].work = engine.work - before;
		total += call[calls++].ns;
	} while (!done && calls < CALLS && total < RUN_NS);
	return calls;
}

/* Promised time of a call, where an element operation is SHARE dependent multiply-adds. */
static double promised_ns(const struct call *call)
{
	return (double)max(call->work, LEAST) * SHARE * loop_ns / 65536;
}

static double ratio(const struct call *call)
{
	return (double)call->ns / promised_ns(call);
}

/* The longest call of a trial, and the one that is the worst for what it was charged. */
static void judge(const struct trial *t, struct call *longest, struct call *worst)
{
	struct call best[CALLS], call[CALLS];
	u32 run, i, n, calls = CALLS;

	for (run = 0; run < RUNS; run++) {
		n = measure(t, call);
		calls = min(calls, n);
		for (i = 0; i < calls; i++)
			if (!run || call[i].ns < best[i].ns)
				best[i] = call[i];
	}
	*longest = best[0];
	*worst = best[0];
	for (i = 1; i < calls; i++) {
		if (best[i].ns > longest->ns)
			*longest = best[i];
		if (ratio(&best[i]) > ratio(worst))
			*worst = best[i];
	}
}

static void note(const struct trial *t)
{
	u32 i, j;

	for (i = 0; i < t->command.operands; i++) {
		const struct loom_view *v = &t->views[i];

		printf(" ");
		for (j = 0; j < v->rank; j++)
			printf("%s%u%s%lld", j ? "," : "", v->dims[j],
			       j == v->lane_axis ? "l" : ":", (long long)v->strides[j]);
	}
	printf("; %u lanes", t->memory.lanes);
	if (t->command.op->opcode == DRM_LOOM_OP_CONV ||
	    t->command.op->opcode == DRM_LOOM_OP_DECONV)
		printf(" s%d d%d p%d", t->attr.conv.stride[2], t->attr.conv.dilation[2],
		       t->attr.conv.pad[2]);
	if (t->command.op->opcode == DRM_LOOM_OP_BINARY)
		printf(" kind %u act %u", t->attr.binary.kind, t->attr.binary.act);
	if (t->command.op->opcode == DRM_LOOM_OP_UNARY)
		printf(" kind %u", t->attr.unary.kind);
	if (t->command.op->opcode == DRM_LOOM_OP_RESIZE)
		printf(" mode %u", t->attr.resize.mode);
	printf("\n");
}

static void search(const char *name, u32 opcode, bool (*make)(struct trial *, u32), u32 cases,
		   u64 seed)
{
	static const char *const types[] = {
		[DRM_LOOM_DTYPE_F32] = "f32", [DRM_LOOM_DTYPE_F16] = "f16",
		[DRM_LOOM_DTYPE_F64] = "f64", [DRM_LOOM_DTYPE_I8] = "i8",
		[DRM_LOOM_DTYPE_I32] = "i32", [DRM_LOOM_DTYPE_I64] = "i64",
	};
	struct trial longest_of = {}, worst_of = {};
	struct call longest, worst, call[2];
	u32 type, i, j, done;

	for (type = 0; type < ARRAY_SIZE(types); type++) {
		if (!types[type])
			continue;
		longest = (struct call){};
		worst = (struct call){};
		done = 0;
		for (i = 0; i < cases; i++) {
			struct trial t = {};

			state = (seed * 1000003 + opcode * 4099 + type * 257 + i) *
				0x9e3779b97f4a7c15ULL + 1;
			for (j = 0; j < 8; j++)
				rnd(2);
			t.memory.lanes = PICK(1, 16, 64, 140, 256);
			t.memory.scratch = bytes;
			t.memory.lane_pitch = MEMORY / t.memory.lanes & ~63ULL;
			t.command.units = opcode;
			if (!make(&t, type))
				continue;
			judge(&t, &call[0], &call[1]);
			if (!done || call[0].ns > longest.ns) {
				longest = call[0];
				longest_of = t;
			}
			if (!done || ratio(&call[1]) > ratio(&worst)) {
				worst = call[1];
				worst_of = t;
			}
			done++;
		}
		if (!done)
			continue;
		longest_loops = fmax(longest_loops, longest.ns / loop_ns);
		worst_ratio = fmax(worst_ratio, ratio(&worst));
		printf("%-10s %-4s %6u %10.1f %8.2f %10.1f %7.2f %7.2f  ", name, types[type], done,
		       longest.ns / 1e3, longest.ns / loop_ns, promised_ns(&longest) / 1e3,
		       ratio(&longest), ratio(&worst));
		note(&longest_of);
		if (ratio(&worst) > 2) {
			printf("%-10s %-4s above twice its share: %.1f us for %llu operations of ",
			       name, types[type], worst.ns / 1e3, (unsigned long long)worst.work);
			note(&worst_of);
		}
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		u32 opcode;
		bool (*make)(struct trial *t, u32 dtype);
	} ops[] = {
		{ "copy", DRM_LOOM_OP_COPY, make_elementwise },
		{ "fill", DRM_LOOM_OP_FILL, make_elementwise },
		{ "conv", DRM_LOOM_OP_CONV, make_conv },
		{ "deconv", DRM_LOOM_OP_DECONV, make_conv },
		{ "pool", DRM_LOOM_OP_POOL, make_pool },
		{ "matmul", DRM_LOOM_OP_MATMUL, make_matmul },
		{ "binary", DRM_LOOM_OP_BINARY, make_elementwise },
		{ "unary", DRM_LOOM_OP_UNARY, make_elementwise },
		{ "select", DRM_LOOM_OP_SELECT, make_elementwise },
		{ "reduce", DRM_LOOM_OP_REDUCE, make_reduce },
		{ "softmax", DRM_LOOM_OP_SOFTMAX, make_softmax },
		{ "topk", DRM_LOOM_OP_TOPK, make_topk },
		{ "gather", DRM_LOOM_OP_GATHER, make_gather },
		{ "resize", DRM_LOOM_OP_RESIZE, make_resize },
		{ "cast", DRM_LOOM_OP_CAST, make_elementwise },
		{ "quantize", DRM_LOOM_OP_QUANTIZE, make_elementwise },
		{ "dequantize", DRM_LOOM_OP_DEQUANTIZE, make_elementwise },
	};
	u32 cases = 30, i;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, at;
	bool denormal = argc > 3 && !strcmp(argv[3], "denormal");
	const char *only = getenv("LOOM_BENCH_OP");

	if (argc > 1)
		cases = atoi(argv[1]);
	bytes = malloc(MEMORY + 4096);
	for (at = 0; at < MEMORY; at += 4) {
		float normal = 1.0f + (float)(at % 4093) / 4096;
		u32 bits = 0x00012345 + (u32)at % 4093;

		/* products of the two are denormal, too */
		if (denormal && at % 12)
			memcpy(bytes + at, &bits, sizeof(bits));
		else
			memcpy(bytes + at, &normal, sizeof(normal));
	}
	loop_ns = calibrated_loop_ns();
	printf("65536 dependent multiply-adds take %.1f us; budget of a call %llu\n", loop_ns / 1e3,
	       (unsigned long long)BUDGET);
	printf("an element operation is promised to take no more than %d of them: %.1f ns\n", SHARE,
	       SHARE * loop_ns / 65536);
	printf("operation  type  cases longest us    loops   promised   ratio   worst  of\n");
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!only || !strcmp(only, ops[i].name))
			search(ops[i].name, ops[i].opcode, ops[i].make, cases, seed);
	}
	free(bytes);
	printf("the longest takes %.2f of the loop, the worst %.2f of what was promised\n",
	       longest_loops, worst_ratio);
	return (argc > 4 && longest_loops > strtod(argv[4], NULL)) ||
	       (argc > 5 && worst_ratio > strtod(argv[5], NULL));
}
