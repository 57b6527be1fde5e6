/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_ENGINE_CASE_H
#define LOOM_TESTS_ENGINE_CASE_H

/*
 * Random operands for tests of the engine, and what holds for every operation: the result does
 * not depend on how the units are cut, nor on whether an operand is read in place, nothing but the
 * elements of y is written, and under a sanitizer nothing but elements of operands is read.
 *
 * Elements are read and written here with an address computed independently, from the text of the
 * contract, and as long double, which holds every element of every type exactly.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(addr, size)	((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size)	((void)(addr), (void)(size))
#endif

#include "base/isa.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "tap.h"

/* of a bank, and of the DRAM; only what a case uses is touched */
#define EC_BYTES	(4U << 20)
#define EC_LANES	64
/* behind what is used of either, a page that no load may reach */
#define EC_BEHIND	4096

struct ec {
	u64 seed;
	u32 lanes;
	u64 pitch;
	u64 used;
	u64 dram_used;
	u8 *bytes;
	u8 *dram;
	u8 *slots[1];
	struct loom_memory memory;
	struct loom_view views[DRM_LOOM_MAX_OPERANDS];
	struct loom_command command;
	/* plain strides only, as a planner makes them */
	bool plain;
	/* a chip that computes on DRAM and ROM, too: some operands are there */
	bool in_place;
	bool failed;
};

static u64 ec_state = 1;
/* of the bits of all results */
static u64 ec_hash = 0xcbf29ce484222325ULL;

static inline u64 ec_rnd(void)
{
	ec_state ^= ec_state << 13;
	ec_state ^= ec_state >> 7;
	ec_state ^= ec_state << 17;
	return ec_state * 0x2545f4914f6cdd1dULL >> 8;
}

/* From @low to @high, both included. */
static inline u32 ec_range(u32 low, u32 high)
{
	return low + ec_rnd() % (high - low + 1);
}

static inline bool ec_chance(u32 percent)
{
	return ec_rnd() % 100 < percent;
}

static inline double ec_real(double low, double high)
{
	return low + (high - low) * (double)(ec_rnd() & 0xfffffffffffULL) * 0x1p-44;
}

static inline bool ec_is_sanitized(void)
{
	return getenv("LOOM_SANITIZED");
}

/* Cases to run: fewer under a sanitizer. */
static inline u32 ec_cases(u32 cases)
{
	if (ec_is_sanitized())
		return cases / 4 + 1;
	return cases;
}

static inline void ec_begin(struct ec *ec, u64 seed)
{
	static const u32 lanes[] = { 1, 3, 16, 64 };
	u32 i;

	ec_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (i = 0; i < 8; i++)
		ec_rnd();
	ec->seed = seed;
	ec->lanes = lanes[ec_rnd() % 4];
	ec->pitch = EC_BYTES;
	ec->used = 0;
	ec->dram_used = 0;
	ec->plain = ec_chance(40);
	ec->in_place = ec_chance(30);
	ec->failed = false;
	if (!ec->bytes) {
		ec->bytes = malloc((size_t)EC_LANES * EC_BYTES);
		ec->dram = malloc(EC_BYTES);
	}
	ec->slots[0] = ec->dram;
	ec->memory = (struct loom_memory){
		.lanes = ec->lanes,
		.scratch = ec->bytes,
		.lane_pitch = ec->pitch,
		.slots = ec->slots,
	};
	memset(ec->views, 0, sizeof(ec->views));
	memset(&ec->command, 0, sizeof(ec->command));
	ec->command.views = ec->views;
}

/* Each of @count cases, fewer under a sanitizer, from @first on: @call checks number i. */
#define EC_TRY(first, count, call, what, ...)						\
	do {										\
		u32 i, wrong_ = 0, cases_ = ec_cases(count);				\
		u64 first_ = (first);							\
											\
		for (i = 0; i < cases_; i++) {						\
			ec_begin(&ec, first_ + i);					\
			call;								\
			wrong_ += ec.failed;						\
		}									\
		tap_ok(!wrong_, what ": %u cases, %u wrong", ##__VA_ARGS__, cases_, wrong_);	\
	} while (0)

static inline void ec_end(struct ec *ec)
{
	free(ec->bytes);
	free(ec->dram);
	ec->bytes = NULL;
	ec->dram = NULL;
}

static inline void ec_fail(struct ec *ec, const char *what)
{
	if (!ec->failed)
		tap_note("seed %llu, %u lanes: %s", (unsigned long long)ec->seed, ec->lanes, what);
	ec->failed = true;
}

enum { EC_READ, EC_WRITE };

/*
 * Makes a view of a new tensor. Operands that are read get steps, reversals, and broadcasts, and
 * some of those in the SRAM are read in place instead.
 */
static inline struct loom_view *ec_view(struct ec *ec, u32 operand, u32 region, u32 dtype, u32 rank,
					const u32 *dims, int access)
{
	struct loom_view *v = &ec->views[operand];
	u32 order[DRM_LOOM_MAX_RANK], i;
	u64 size = loom_dtype_stride(dtype), offset = 0;
	bool sram;
	u64 *used;

	if (ec->in_place && operand && access == EC_READ && region == DRM_LOOM_REGION_SRAM &&
	    ec_chance(60))
		region = ec_chance(50) ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
	sram = region == DRM_LOOM_REGION_SRAM;
	used = sram ? &ec->used : &ec->dram_used;
	v->region = region;
	v->dtype = dtype;
	v->elem_bytes = size;
	v->rank = rank;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		v->dims[i] = i < rank ? dims[i] : 1;
	if (sram) {
		v->lane_axis = ec->plain && rank > 1 ? 1 : ec_rnd() % rank;
		v->lane_start = ec->plain ? 0 : ec_rnd() % (2 * ec->lanes);
	}
	for (i = 0; i < rank; i++)
		order[i] = i;
	for (i = 0; i < rank && !ec->plain && ec_chance(40); i++) {
		u32 j = ec_rnd() % rank, t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (i = rank; i-- > 0;) {
		u32 axis = order[i], extent = dims[axis];

		if (sram && axis == v->lane_axis) {
			v->strides[axis] = size;
			extent = (v->lane_start + dims[axis] - 1) / ec->lanes + 1;
		} else if (!ec->plain && ec_chance(12)) {
			u32 step = ec_range(2, 3);

			v->strides[axis] = step * size;
			extent *= step;
		} else if (!ec->plain && access == EC_READ && ec_chance(8)) {
			v->strides[axis] = 0;
			extent = 1;
		} else {
			v->strides[axis] = size;
		}
		if (!ec->plain && access == EC_READ && !(sram && axis == v->lane_axis) &&
		    ec_chance(12)) {
			v->strides[axis] = -v->strides[axis];
			offset -= v->strides[axis] * (s64)(dims[axis] - 1);
		}
		size *= extent;
		if (!ec->plain && ec_chance(15))
			size += ec_range(1, 3) * v->elem_bytes;
	}
	*used = (*used + 7) & ~7ULL;
	v->offset = *used + offset;
	*used += size;
	if (ec->used + EC_BEHIND > ec->pitch || ec->dram_used + EC_BEHIND > EC_BYTES)
		tap_fatal("test case too large");
	return v;
}

/* Where the contract says that an element is. */
static inline u8 *ec_address(const struct ec *ec, const struct loom_view *v, const u32 *index)
{
	s64 at = v->offset;
	u32 lane = 0, i;

	for (i = 0; i < v->rank; i++) {
		if (v->region == DRM_LOOM_REGION_SRAM && i == v->lane_axis) {
			u64 l = (u64)v->lane_start + index[i];

			lane = l % ec->lanes;
			at += (s64)(l / ec->lanes) * v->strides[i];
		} else {
			at += (s64)index[i] * v->strides[i];
		}
	}
	return (v->region == DRM_LOOM_REGION_SRAM ? ec->bytes + lane * ec->pitch : ec->dram) + at;
}

/* The next index in row-major order; false behind the last. */
static inline bool ec_next(const u32 *dims, u32 rank, u32 *index)
{
	u32 i;

	for (i = rank; i-- > 0;) {
		if (++index[i] < dims[i])
			return true;
		index[i] = 0;
	}
	return false;
}

static inline long double ec_half(u16 h)
{
	u32 e = h >> 10 & 31, m = h & 1023;
	double f = e == 31 ? (m ? NAN : INFINITY) :
		   e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);

	return h & 0x8000 ? -f : f;
}

/* An element, as the type it is of. */
union ec_element {
	float f32;
	double f64;
	s8 i8;
	u8 u8;
	s16 i16;
	u16 u16;
	s32 i32;
	u32 u32;
	s64 i64;
	u64 u64;
};

static inline long double ec_get(const struct ec *ec, const struct loom_view *v, const u32 *index)
{
	union ec_element e;

	memcpy(&e, ec_address(ec, v, index), v->elem_bytes);
	switch (v->dtype) {
	case DRM_LOOM_DTYPE_F32:
		return e.f32;
	case DRM_LOOM_DTYPE_F64:
		return e.f64;
	case DRM_LOOM_DTYPE_I8:
		return e.i8;
	case DRM_LOOM_DTYPE_U8:
	case DRM_LOOM_DTYPE_BOOL:
		return e.u8;
	case DRM_LOOM_DTYPE_I16:
		return e.i16;
	case DRM_LOOM_DTYPE_U16:
		return e.u16;
	case DRM_LOOM_DTYPE_I32:
		return e.i32;
	case DRM_LOOM_DTYPE_U32:
		return e.u32;
	case DRM_LOOM_DTYPE_I64:
		return e.i64;
	case DRM_LOOM_DTYPE_U64:
		return e.u64;
	}
	return ec_half(e.u16);
}

/* Towards zero, but for the last bits, which are random: good enough for inputs. */
static inline u16 ec_to_half(long double value)
{
	u16 h;

	for (h = 0; h < 0x7c00 - 64 && ec_half(h + 64) <= fabsl(value); h += 64)
		;
	h |= (u16)(ec_rnd() & 63);
	if (isnan(value))
		h = 0x7e00;
	else if (isinf(value))
		h = 0x7c00;
	else if (value == 0)
		h = 0;
	else if (value == 1)
		h = 0x3c00;
	return h | (signbit(value) ? 0x8000 : 0);
}

/* @value must be one of the type's, but for floating point, which is rounded. */
static inline void ec_put(const struct ec *ec, const struct loom_view *v, const u32 *index,
			  long double value)
{
	union ec_element e;

	switch (v->dtype) {
	case DRM_LOOM_DTYPE_F32:
		e.f32 = (float)value;
		break;
	case DRM_LOOM_DTYPE_F64:
		e.f64 = (double)value;
		break;
	case DRM_LOOM_DTYPE_F16:
		e.u16 = ec_to_half(value);
		break;
	case DRM_LOOM_DTYPE_U64:
		e.u64 = (u64)value;
		break;
	default:
		/* of the others the low bytes are the value */
		e.i64 = (s64)value;
		break;
	}
	memcpy(ec_address(ec, v, index), &e, v->elem_bytes);
}

/* A random value of @dtype; integers of 32 and 64 bits are of all magnitudes. */
static inline long double ec_value(u32 dtype)
{
	switch (dtype) {
	case DRM_LOOM_DTYPE_BOOL:
		return ec_rnd() & 1;
	case DRM_LOOM_DTYPE_I8:
		return (s8)ec_rnd();
	case DRM_LOOM_DTYPE_U8:
		return (u8)ec_rnd();
	case DRM_LOOM_DTYPE_I16:
		return (s16)ec_rnd();
	case DRM_LOOM_DTYPE_U16:
		return (u16)ec_rnd();
	case DRM_LOOM_DTYPE_I32:
		return (s32)ec_rnd() >> (ec_rnd() & 31);
	case DRM_LOOM_DTYPE_U32:
		return (u32)ec_rnd() >> (ec_rnd() & 31);
	case DRM_LOOM_DTYPE_I64:
		return (s64)(ec_rnd() << 8) >> (ec_rnd() & 63);
	case DRM_LOOM_DTYPE_U64:
		return (u64)(ec_rnd() << 8) >> (ec_rnd() & 63);
	}
	return ec_real(-2.0, 2.0);
}

/* Random elements; where @value is given, from it. */
static inline void ec_fill(struct ec *ec, u32 operand, long double (*value)(u32 dtype))
{
	const struct loom_view *v = &ec->views[operand];
	u32 index[DRM_LOOM_MAX_RANK] = {};

	do {
		ec_put(ec, v, index, (value ? value : ec_value)(v->dtype));
	} while (ec_next(v->dims, v->rank, index));
}

/* Bytes that are in use: a copy of them. */
static inline u8 *ec_save(const struct ec *ec)
{
	u8 *copy = malloc(ec->lanes * ec->used + ec->dram_used + 1);
	u32 i;

	for (i = 0; i < ec->lanes; i++)
		memcpy(copy + i * ec->used, ec->bytes + i * ec->pitch, ec->used);
	memcpy(copy + ec->lanes * ec->used, ec->dram, ec->dram_used);
	return copy;
}

static inline void ec_restore(struct ec *ec, const u8 *copy)
{
	u32 i;

	for (i = 0; i < ec->lanes; i++)
		memcpy(ec->bytes + i * ec->pitch, copy + i * ec->used, ec->used);
	memcpy(ec->dram, copy + ec->lanes * ec->used, ec->dram_used);
}

static inline bool ec_same(const struct ec *ec, const u8 *copy)
{
	u32 i;

	for (i = 0; i < ec->lanes; i++) {
		if (memcmp(ec->bytes + i * ec->pitch, copy + i * ec->used, ec->used))
			return false;
	}
	return !memcmp(ec->dram, copy + ec->lanes * ec->used, ec->dram_used);
}

/* Elements of operands, and no byte beside them, may be touched until ec_unguard(). */
static inline void ec_guard(struct ec *ec)
{
	u32 operand, i;

	if (!ec_is_sanitized())
		return;
	for (i = 0; i < EC_LANES; i++)
		ASAN_POISON_MEMORY_REGION(ec->bytes + (u64)i * EC_BYTES, ec->used + EC_BEHIND);
	ASAN_POISON_MEMORY_REGION(ec->dram, ec->dram_used + EC_BEHIND);
	for (operand = 0; operand < ec->command.operands; operand++) {
		const struct loom_view *v = &ec->views[operand];
		u32 index[DRM_LOOM_MAX_RANK] = {};

		do {
			ASAN_UNPOISON_MEMORY_REGION(ec_address(ec, v, index), v->elem_bytes);
		} while (ec_next(v->dims, v->rank, index));
	}
}

static inline void ec_unguard(struct ec *ec)
{
	u32 i;

	for (i = 0; i < EC_LANES; i++)
		ASAN_UNPOISON_MEMORY_REGION(ec->bytes + (u64)i * EC_BYTES, ec->used + EC_BEHIND);
	ASAN_UNPOISON_MEMORY_REGION(ec->dram, ec->dram_used + EC_BEHIND);
}

static inline void ec_run_whole(struct ec *ec)
{
	ec_guard(ec);
	loom_engine_compute(&ec->command, &ec->memory, 0, ec->command.units);
	ec_unguard(ec);
}

static inline void ec_run_split(struct ec *ec, u64 most)
{
	struct loom_command *c = &ec->command;
	u64 first, n;

	ec_guard(ec);
	for (first = 0; first < c->units; first += n) {
		n = most ? 1 + ec_rnd() % most : 1;
		if (n > c->units - first)
			n = c->units - first;
		loom_engine_compute(c, &ec->memory, first, n);
	}
	ec_unguard(ec);
}

/* Bytes of all operands in a region. */
static inline u64 ec_region_bytes(const struct ec *ec, u32 region)
{
	u64 bytes = 0;
	u32 i, k, from;

	for (i = 1; i < ec->command.operands; i++) {
		u64 size = ec->views[i].elem_bytes;

		if (ec->views[i].region != region)
			continue;
		/* of what is gathered from, an element for each of the result */
		from = i == 1 && ec->command.op->opcode == DRM_LOOM_OP_GATHER ? 0 : i;
		for (k = 0; k < ec->views[from].rank; k++)
			size *= ec->views[from].dims[k];
		bytes += size;
	}
	return bytes;
}

/* As a plan of one command, call by call. Return: whether no call does more than it may. */
static inline bool ec_run_calls(struct ec *ec, u64 budget)
{
	struct loom_step step = { .commands = 1 };
	struct loom_plan plan = {
		.lanes = ec->lanes, .step_count = 1, .command_count = 1, .steps = &step,
		.commands = &ec->command,
	};
	struct loom_engine engine;
	bool done, bounded = true;
	u64 before;

	loom_engine_init(&engine, &plan, &ec->memory);
	ec_guard(ec);
	do {
		before = engine.work;
		done = loom_engine_run(&engine, budget);
		if (engine.work - before >= budget + LOOM_ENGINE_EXCESS)
			bounded = false;
	} while (!done);
	ec_unguard(ec);
	if (engine.counters.rom_read_bytes != ec_region_bytes(ec, DRM_LOOM_REGION_ROM) ||
	    engine.counters.dram_read_bytes != ec_region_bytes(ec, DRM_LOOM_REGION_DRAM))
		ec_fail(ec, "what it reads in place is not counted");
	return bounded;
}

/* Adds the bits of y, element by element, wherever they lie. */
static inline void ec_hash_result(const struct ec *ec)
{
	const struct loom_view *y = &ec->views[0];
	u32 index[DRM_LOOM_MAX_RANK] = {}, i;

	do {
		const u8 *at = ec_address(ec, y, index);

		for (i = 0; i < y->elem_bytes; i++)
			ec_hash = (ec_hash ^ at[i]) * 0x100000001b3ULL;
	} while (ec_next(y->dims, y->rank, index));
}

/*
 * All results of the program until here are those that the engine has always had, to the bit: on
 * every machine, with every set of instructions. A change of the cases changes @want.
 */
static inline void ec_same_bits(u64 want)
{
	/* fewer cases then */
	if (!ec_is_sanitized())
		tap_ok(ec_hash == want, "all results have their bits: %#llx",
		       (unsigned long long)ec_hash);
}

/* As several processors do it: each goes on with a share of its own, in any order. */
static inline void ec_run_shares(struct ec *ec)
{
	struct loom_command_share shares[3] = {};
	u64 next = 0, take = loom_engine_share(&ec->command, ARRAY_SIZE(shares));
	u32 left = ec->command.units ? ARRAY_SIZE(shares) : 0, dice = 1;

	ec_guard(ec);
	while (left) {
		struct loom_command_share *share;

		/* not ec_rnd(): the numbers of later cases must stay as they were */
		dice = dice * 1664525 + 1013904223;
		share = &shares[(dice >> 16) % ARRAY_SIZE(shares)];

		if (share->unit == share->end && next < ec->command.units) {
			share->unit = next;
			share->end = min(next + take, ec->command.units);
			next = share->end;
		}
		if (share->unit < share->end)
			loom_share_run(share, &ec->command, &ec->memory, 1 + (dice >> 8) % 8192);
		for (left = 0; left < ARRAY_SIZE(shares); left++)
			if (shares[left].unit < shares[left].end)
				break;
		left = left < ARRAY_SIZE(shares) || next < ec->command.units;
	}
	ec_unguard(ec);
}

/* Every set of instructions that the machine has gives the bits of @whole. */
static inline void ec_run_isas(struct ec *ec, const u8 *before, const u8 *whole)
{
	enum loom_isa isa, used = loom_port_isa();
	char text[60];

	for (isa = 0; isa <= loom_isa_has(); isa++) {
		if (isa == used)
			continue;
		loom_isa_limit(isa);
		ec_restore(ec, before);
		ec_run_whole(ec);
		snprintf(text, sizeof(text), "with %s it is not the same", loom_isa_name(isa));
		if (!ec_same(ec, whole))
			ec_fail(ec, text);
	}
	loom_isa_limit(used);
}

/*
 * Checks the command and runs it: whole, with each set of instructions, unit by unit, in runs of
 * random length, and in calls that stop inside of units, which must come to the same bits. Leaves
 * the result in place. Everything but y must be as before.
 */
static inline bool ec_run(struct ec *ec, u32 opcode, const void *attr, u32 operands)
{
	struct loom_check check = {
		.opcodes = U64_MAX,
		.command = &ec->command,
		.in_place = ec->in_place ? 1U << DRM_LOOM_REGION_DRAM | 1U << DRM_LOOM_REGION_ROM :
					   0,
	};
	u8 *before, *whole;
	u32 index[DRM_LOOM_MAX_RANK] = {};
	char text[100];

	ec->command.op = loom_op_get(opcode);
	ec->command.attr = attr;
	ec->command.operands = operands;
	if (!ec->command.op->check(&check)) {
		snprintf(text, sizeof(text), "refused: rule %u, operand %u", check.rule,
			 check.operand);
		ec_fail(ec, text);
		return false;
	}
	before = ec_save(ec);
	ec_run_whole(ec);
	whole = ec_save(ec);
	ec_hash_result(ec);
	ec_run_isas(ec, before, whole);

	ec_restore(ec, before);
	ec_run_split(ec, 0);
	if (!ec_same(ec, whole))
		ec_fail(ec, "unit by unit it is not the same");
	ec_restore(ec, before);
	ec_run_split(ec, 1 + ec->command.units / 3);
	if (!ec_same(ec, whole))
		ec_fail(ec, "in parts it is not the same");
	ec_restore(ec, before);
	ec_run_shares(ec);
	if (!ec_same(ec, whole))
		ec_fail(ec, "in shares it is not the same");
	ec_restore(ec, before);
	if (!ec_run_calls(ec, ec_range(1, 8192)))
		ec_fail(ec, "a call does more than it may");
	if (!ec_same(ec, whole))
		ec_fail(ec, "in calls it is not the same");

	/* put back what y had: then all must be as before */
	ec_restore(ec, whole);
	do {
		u8 *at = ec_address(ec, &ec->views[0], index);
		u64 offset = ec->views[0].region == DRM_LOOM_REGION_DRAM ?
			     ec->lanes * ec->used + (u64)(at - ec->dram) :
			     (u64)(at - ec->bytes) / ec->pitch * ec->used +
			     (u64)(at - ec->bytes) % ec->pitch;

		memcpy(at, before + offset, ec->views[0].elem_bytes);
	} while (ec_next(ec->views[0].dims, ec->views[0].rank, index));
	if (!ec_same(ec, before))
		ec_fail(ec, "something beside y was written");
	ec_restore(ec, whole);
	free(before);
	free(whole);
	return true;
}

/* Relative error of one rounding. */
static inline long double ec_epsilon(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_F64 ? 0x1p-53L :
	       dtype == DRM_LOOM_DTYPE_F32 ? 0x1p-24L :
					     0x1p-11L;
}

/* One element of y against what it should be. */
static inline void ec_expect(struct ec *ec, const u32 *index, long double want, long double bound)
{
	long double got = ec_get(ec, &ec->views[0], index);
	char text[200];
	u32 used = 0, i;

	if (isnan(want) ? isnan(got) : got == want || fabsl(got - want) <= bound)
		return;
	for (i = 0; i < ec->views[0].rank; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%u",
				 i ? "," : "y[", index[i]);
	snprintf(text + used, sizeof(text) - used, "] is %.17Lg, not %.17Lg +- %.3Lg", got, want,
		 bound);
	ec_fail(ec, text);
}

static inline u32 ec_bits(float f)
{
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* An activation at random, with parameters under which errors do not grow by more than 1.5. */
struct ec_act {
	u32 act;
	float p0;
	float p1;
};

static inline struct ec_act ec_act_random(void)
{
	struct ec_act a = { .act = ec_chance(50) ? DRM_LOOM_ACT_NONE :
						   ec_rnd() % DRM_LOOM_ACT_END };

	a.p0 = a.act == DRM_LOOM_ACT_CLIP ? -0.5f : 0.25f;
	a.p1 = a.act == DRM_LOOM_ACT_CLIP ? 1.5f : 0.5f;
	return a;
}

static inline long double ec_act_apply(const struct ec_act *a, long double x)
{
	switch (a->act) {
	case DRM_LOOM_ACT_RELU:
		return fmaxl(x, 0);
	case DRM_LOOM_ACT_CLIP:
		return fminl(fmaxl(x, a->p0), a->p1);
	case DRM_LOOM_ACT_LEAKY:
		return x < 0 ? a->p0 * x : x;
	case DRM_LOOM_ACT_SIGMOID:
		return 1 / (1 + expl(-x));
	case DRM_LOOM_ACT_HARDSIGMOID:
		return fminl(fmaxl(a->p0 * x + a->p1, 0), 1);
	case DRM_LOOM_ACT_HARDSWISH:
		return x * fminl(fmaxl(x / 6 + 0.5L, 0), 1);
	case DRM_LOOM_ACT_TANH:
		return tanhl(x);
	}
	return x;
}

/* A sum of @terms terms, of magnitude @sum, through an activation: against y. */
static inline void ec_expect_sum(struct ec *ec, const u32 *index, const struct ec_act *act,
				 long double value, long double magnitude, u64 terms)
{
	bool wide = ec->views[0].dtype == DRM_LOOM_DTYPE_F64;
	double eps = wide ? 0x1p-53 : 0x1p-24, least = wide ? 0 : 0x1p-24;

	value = ec_act_apply(act, value);
	ec_expect(ec, index, value,
		  1.5L * (terms + 4) * eps * (magnitude + 1) +
		  2 * ec_epsilon(ec->views[0].dtype) * fabsl(value) + least);
}

static inline bool ec_is_signed(u32 dtype)
{
	return dtype == DRM_LOOM_DTYPE_I8 || dtype == DRM_LOOM_DTYPE_I16 ||
	       dtype == DRM_LOOM_DTYPE_I32 || dtype == DRM_LOOM_DTYPE_I64;
}

/* A sum of products of bytes as the contract quantises it. */
static inline double ec_requantise(s32 sum, float scale, s32 zero, u32 dtype)
{
	double want = (double)rintf((float)sum * scale) + zero;

	want = fmin(want, dtype == DRM_LOOM_DTYPE_I8 ? 127 : 255);
	return fmax(want, dtype == DRM_LOOM_DTYPE_I8 ? -128 : 0);
}

#endif /* LOOM_TESTS_ENGINE_CASE_H */
