// SPDX-License-Identifier: MIT
/*
 * Random clients on the core alone, as the driver uses it (a million operations in check-long):
 * they create buffers, write and share them, run plans on them, close them and are killed; the
 * least recently used buffers are evicted to make room and return at another address. The banks are
 * arrays of bytes, so a buffer at another's address, in any bank, damages it. After every operation
 * the allocator is compared with a map of the owner of every byte.
 *
 *	memory_random [OPERATIONS [SEED]]
 */
#include <string.h>
#include <time.h>

#include "bank/model.h"
#include "loom_engine.h"
#include "loom_layout.h"
#include "plan_builder.h"
#include "random.h"
#include "tap.h"

#define BANKS		4
#define BANK_BYTES	2048
#define RESERVED	64
#define ALIGN		16
#define BUFFERS		64
#define CLIENTS		5
#define MAX_BYTES	1024
#define COLUMNS		8
#define WINDOW		(BANKS * COLUMNS * 4)
#define SCRATCH		(COLUMNS * 4)
#define FREE		0xff

struct buffer {
	bool live, resident;
	u32 region;
	/* bit mask: who has a handle */
	u32 clients;
	struct loom_layout layout;
	struct loom_bank_block block;
	u64 used;
	/* what it should hold; while it is not resident, all there is of it */
	u8 bytes[MAX_BYTES];
};

struct region {
	struct loom_bank bank;
	/* by byte of a bank: which buffer, FREE for none; the same in each, in lockstep */
	u8 owner[BANK_BYTES];
	u8 memory[BANKS][BANK_BYTES];
	u64 allocated;
	u32 blocks;
};

static struct region regions[DRM_LOOM_REGION_COUNT];
static struct buffer buffers[BUFFERS];
static struct loom_plan *negate;
static u64 clock_now, start_seed;
/* reservations of scratch, by client */
static u32 reserved;
static const char *fault;
static u64 counts[16], evictions, came_back, full, conflicts;

static u32 below(u32 n)
{
	return (u32)random_below(n);
}

static bool expect(bool good, const char *what)
{
	if (!good && !fault)
		fault = what;
	return good;
}

/* ------------------------------------------------------------ the banks */

static u8 *physical(const struct buffer *b, u64 offset)
{
	u64 address;
	u32 bank;

	loom_layout_map(&b->layout, b->block.start, offset, &bank, &address);
	if (!expect(bank < BANKS && address >= b->block.start &&
		    address < b->block.start + b->block.size, "a byte lies outside of its block"))
		return regions[0].memory[0];
	return &regions[b->region].memory[bank][address];
}

static void bytes_in(const struct buffer *b)
{
	u64 i;

	for (i = 0; i < b->layout.size; i++)
		*physical(b, i) = b->bytes[i];
}

/* Whether the banks still hold what the buffer should. */
static void look(const struct buffer *b)
{
	u64 i;

	if (!b->resident)
		return;
	for (i = 0; i < b->layout.size; i++)
		if (!expect(*physical(b, i) == b->bytes[i], "a buffer's bytes were damaged"))
			return;
}

/* The place that first fit must give, or -1. */
static s64 model_place(const struct region *r, u64 size, u64 low, bool top_down)
{
	s64 found = -1, start;
	u32 run = 0;

	for (start = BANK_BYTES - 1; start >= (s64)low; start--) {
		run = r->owner[start] == FREE ? run + 1 : 0;
		if (run < size || start % ALIGN)
			continue;
		found = start;
		if (top_down)
			break;
	}
	return found;
}

/* Start of the lowest block; the end of the bank if there is none. */
static u64 lowest_of(const struct loom_bank *bank)
{
	struct loom_bank_block *block;
	struct loom_bank_iter iter;

	loom_bank_walk(bank, NULL, &iter);
	block = loom_bank_next_block(&iter);
	return block ? block->start : bank->limit;
}

static u64 scratch_end(void)
{
	return RESERVED + (reserved ? SCRATCH : 0);
}

static bool place(u32 index, bool top_down)
{
	struct buffer *b = &buffers[index];
	struct region *r = &regions[b->region];
	struct loom_bank_request request = {
		.size = b->layout.bytes_per_bank,
		.align = ALIGN,
		.low = b->region == DRM_LOOM_REGION_SRAM ? scratch_end() : 0,
		.high = U64_MAX,
		.top_down = top_down,
	};
	u64 low = request.low ? request.low : RESERVED;
	s64 want = model_place(r, request.size, low, top_down);
	int ret = bank_take(&r->bank, &b->block, &request);

	expect(ret == (want < 0 ? -ENOSPC : 0), "room, or none, against the model");
	if (ret)
		return false;
	expect((s64)b->block.start == want, "an address that is not the first fit");
	expect(b->block.size == request.size, "size of a block");
	memset(&r->owner[b->block.start], index, b->block.size);
	r->allocated += b->block.size;
	r->blocks++;
	b->resident = true;
	bytes_in(b);
	return true;
}

static void take_out(u32 index)
{
	struct buffer *b = &buffers[index];
	struct region *r = &regions[b->region];

	look(b);
	memset(&r->owner[b->block.start], FREE, b->block.size);
	r->allocated -= b->block.size;
	r->blocks--;
	expect(!loom_bank_free(&r->bank, &b->block), "a block cannot be freed");
	b->resident = false;
}

/* The DRAM buffer that was used longest ago, but @keep. */
static bool evict_one(u32 keep_a, u32 keep_b)
{
	u32 i, oldest = BUFFERS;

	for (i = 0; i < BUFFERS; i++) {
		const struct buffer *b = &buffers[i];

		if (b->live && b->resident && b->region == DRM_LOOM_REGION_DRAM && i != keep_a &&
		    i != keep_b && (oldest == BUFFERS || b->used < buffers[oldest].used))
			oldest = i;
	}
	if (oldest == BUFFERS)
		return false;
	take_out(oldest);
	evictions++;
	return true;
}

static bool bring(u32 index, u32 keep, bool top_down)
{
	buffers[index].used = ++clock_now;
	if (buffers[index].resident)
		return true;
	while (!place(index, top_down)) {
		if (buffers[index].region == DRM_LOOM_REGION_SRAM || !evict_one(index, keep))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------- operations */

static u32 pick(bool (*fits)(const struct buffer *b))
{
	u32 at = below(BUFFERS), i;

	for (i = 0; i < BUFFERS; i++) {
		const struct buffer *b = &buffers[(at + i) % BUFFERS];

		if (b->live && (!fits || fits(b)))
			return (at + i) % BUFFERS;
	}
	return BUFFERS;
}

static void end(u32 index)
{
	if (buffers[index].resident)
		take_out(index);
	buffers[index].live = false;
}

static bool shape(struct loom_layout *layout)
{
	u32 page = ALIGN << below(6), height = 1 + below(24), width = 1 + below(12);
	int ret;

	if (below(4))
		ret = loom_layout_interleaved(layout, 1 + below(below(3) ? 300 : MAX_BYTES), page,
					      BANKS, ALIGN);
	else
		ret = loom_layout_image(layout, width, height, DRM_LOOM_DTYPE_F32,
					below(2) ? 0 : 48 + ALIGN * below(4), BANKS, ALIGN);
	return !ret && layout->size <= MAX_BYTES;
}

static void op_create(void)
{
	u32 index = 0;
	struct buffer *b;

	while (index < BUFFERS && buffers[index].live)
		index++;
	if (index == BUFFERS)
		return;
	b = &buffers[index];
	memset(b, 0, sizeof(*b));
	b->region = !below(4);
	b->clients = 1u << below(CLIENTS);
	if (!shape(&b->layout))
		return;
	b->live = true;
	if (bring(index, BUFFERS, b->region ? below(8) : !below(4)))
		return;
	full++;
	expect(b->region == DRM_LOOM_REGION_SRAM, "an empty DRAM without room");
	b->live = false;
}

static void op_write(void)
{
	u32 index = pick(NULL), from, count, i;
	struct buffer *b = &buffers[index];

	if (index == BUFFERS)
		return;
	from = below(b->layout.size);
	count = min(1 + below(200), (u32)(b->layout.size - from));
	for (i = from; i < from + count; i++) {
		b->bytes[i] = random_u64();
		/* a mapping of what is driven out is of other memory */
		if (b->resident)
			*physical(b, i) = b->bytes[i];
	}
	look(b);
}

static bool holds_window(const struct buffer *b)
{
	return b->region == DRM_LOOM_REGION_DRAM && b->layout.size >= WINDOW;
}

/* out = -in, run by the engine on what the banks hold. */
static void op_submit(void)
{
	static float in[WINDOW / 4], out[WINDOW / 4], scratch[BANKS * SCRATCH / 4];
	u8 *slots[2] = { (u8 *)in, (u8 *)out };
	struct loom_memory memory = {
		.lanes = BANKS, .scratch = (u8 *)scratch, .lane_pitch = SCRATCH, .slots = slots,
	};
	u32 a = pick(holds_window), b = pick(holds_window), i;
	struct loom_engine engine;
	u32 bits;

	if (a == BUFFERS || a == b)
		return;
	/* as a driver would before a run: scratch and buffers may not meet */
	if (lowest_of(&regions[DRM_LOOM_REGION_SRAM].bank) < RESERVED + SCRATCH) {
		for (i = RESERVED; i < RESERVED + SCRATCH; i++)
			if (regions[DRM_LOOM_REGION_SRAM].owner[i] != FREE)
				break;
		expect(i < RESERVED + SCRATCH, "a conflict with nothing");
		conflicts++;
		return;
	}
	for (i = RESERVED; i < RESERVED + SCRATCH; i++)
		expect(regions[DRM_LOOM_REGION_SRAM].owner[i] == FREE,
		       "a conflict that was not seen");
	came_back += !buffers[a].resident + !buffers[b].resident;
	if (!bring(a, b, false) || !bring(b, a, false)) {
		expect(false, "two buffers do not fit an empty DRAM");
		return;
	}
	for (i = 0; i < WINDOW; i++)
		slots[0][i] = *physical(&buffers[a], i);
	loom_engine_init(&engine, negate, &memory);
	while (!loom_engine_run(&engine, 1 + below(500)))
		;
	for (i = 0; i < WINDOW; i++)
		*physical(&buffers[b], i) = slots[1][i];
	/* NaNs are all the same to the engine */
	for (i = 0; i < WINDOW; i += 4) {
		memcpy(&bits, &buffers[a].bytes[i], 4);
		bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits ^ 1u << 31;
		memcpy(&buffers[b].bytes[i], &bits, 4);
	}
	look(&buffers[a]);
	look(&buffers[b]);
}

static void op_share(void)
{
	u32 index = pick(NULL);

	if (index < BUFFERS)
		buffers[index].clients |= 1u << below(CLIENTS);
}

static void op_evict(void)
{
	evict_one(BUFFERS, BUFFERS);
}

static void drop(u32 index, u32 clients)
{
	buffers[index].clients &= ~clients;
	if (!buffers[index].clients)
		end(index);
}

static void op_close(void)
{
	u32 index = pick(NULL);

	if (index < BUFFERS)
		drop(index, below(2) ? 1u << below(CLIENTS) : buffers[index].clients);
}

static void op_reserve(void)
{
	u32 client = 1u << below(CLIENTS);

	if (reserved & client)
		reserved &= ~client;
	else if (lowest_of(&regions[DRM_LOOM_REGION_SRAM].bank) >= RESERVED + SCRATCH)
		reserved |= client;
}

static void op_kill(void)
{
	u32 client = 1u << below(CLIENTS), i;

	reserved &= ~client;
	for (i = 0; i < BUFFERS; i++)
		if (buffers[i].live && buffers[i].clients & client)
			drop(i, client);
}

static const struct {
	const char *name;
	void (*run)(void);
	u32 weight;
} operations[] = {
	{ "create", op_create, 250 },
	{ "write", op_write, 200 },
	{ "submit", op_submit, 250 },
	{ "share", op_share, 60 },
	{ "evict", op_evict, 40 },
	{ "close", op_close, 180 },
	{ "reserve", op_reserve, 12 },
	{ "kill", op_kill, 8 },
};

/* ------------------------------------------------------------- checking */

static void check_stats(struct region *r)
{
	struct loom_bank_stats stats;
	u32 run = 0, largest = 0, lowest = BANK_BYTES, i;

	for (i = RESERVED; i < BANK_BYTES; i++) {
		run = r->owner[i] == FREE ? run + 1 : 0;
		largest = max(largest, run);
		if (r->owner[i] != FREE && lowest == BANK_BYTES)
			lowest = i;
	}
	loom_bank_stats(&r->bank, NULL, &stats);
	expect(stats.total == BANK_BYTES - RESERVED && stats.allocated == r->allocated &&
	       stats.free == stats.total - r->allocated && stats.blocks == r->blocks,
	       "sums of a region");
	expect(stats.largest_free == largest, "largest hole of a region");
	expect(lowest_of(&r->bank) == lowest, "lowest block of a region");
}

/* The walk says of every byte what the map says. */
static void check_walk(struct region *r)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 at = RESERVED, i;

	loom_bank_walk(&r->bank, NULL, &iter);
	while (loom_bank_next(&iter, &span)) {
		u8 owner = span.block ? (u8)(container_of(span.block, struct buffer, block) -
					     buffers) : FREE;

		expect(span.start == at && span.end > at && span.end <= BANK_BYTES,
		       "blocks do not tile a bank");
		for (i = span.start; i < span.end && i < BANK_BYTES; i++)
			expect(r->owner[i] == owner, "a walk tells of another owner");
		at = span.end;
	}
	expect(at == BANK_BYTES, "a walk ends early");
}

static bool run(u64 count)
{
	u32 sum = 0, i, n, client;
	u64 op;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		sum += operations[i].weight;
	for (op = 0; op < count && !fault; op++) {
		n = below(sum);
		for (i = 0; n >= operations[i].weight; i++)
			n -= operations[i].weight;
		counts[i]++;
		operations[i].run();
		for (n = 0; n < DRM_LOOM_REGION_COUNT; n++) {
			check_stats(&regions[n]);
			if (op % 16 == n)
				check_walk(&regions[n]);
		}
		n = pick(NULL);
		if (n < BUFFERS)
			look(&buffers[n]);
	}
	if (fault)
		tap_note("operation %llu, %s: %s; again with: memory_random %llu %llu",
			 (unsigned long long)op - 1, operations[i].name, fault,
			 (unsigned long long)op, (unsigned long long)start_seed);
	/* all clients go */
	for (client = 0; client < CLIENTS; client++)
		for (i = 0; i < BUFFERS; i++)
			if (buffers[i].live)
				drop(i, 1u << client);
	return !fault;
}

/* Two slots of a row for each bank, one row of scratch. */
static struct loom_plan *make_plan(const struct drm_loom_chip *chip)
{
	struct drm_loom_attr_unary neg = { .kind = DRM_LOOM_UNARY_NEG };
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 in, out, x;

	pb_init(&pb, BANKS, SCRATCH);
	pb_add_slot(&pb, WINDOW, DRM_LOOM_SLOT_READ);
	pb_add_slot(&pb, WINDOW, DRM_LOOM_SLOT_WRITE);
	in = pb_add_dram(&pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(BANKS, COLUMNS));
	out = pb_add_dram(&pb, 1, 0, 2, 2, DRM_LOOM_DTYPE_F32, PB_SHAPE(BANKS, COLUMNS));
	x = pb_add_sram(&pb, 0, 0, 2, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(BANKS, COLUMNS));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(&pb, x), pb_all(&pb, in)));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_UNARY, &neg, sizeof(neg), PB_VIEWS(pb_all(&pb, x), pb_all(&pb, x)));
	pb_begin_step(&pb);
	pb_add(&pb, DRM_LOOM_OP_STORE, NULL, 0, PB_VIEWS(pb_all(&pb, out), pb_all(&pb, x)));
	if (pb_verify(&pb, chip, &plan, &reject))
		tap_fatal("plan refused: %s", loom_rule_name(reject.rule));
	pb_fini(&pb);
	return plan;
}

int main(int argc, char **argv)
{
	struct drm_loom_chip chip = *loom_preset_find("tiny");
	u64 count = getenv("LOOM_SANITIZED") ? 20000 : 200000;
	struct timespec begin, now;
	u32 i, left = 0;

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	start_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x6c6f6f6d;
	random_state = start_seed;
	chip.region[DRM_LOOM_REGION_SRAM].banks = BANKS;
	negate = make_plan(&chip);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		memset(regions[i].owner, FREE, sizeof(regions[i].owner));
		if (loom_bank_init(&regions[i].bank, RESERVED, BANK_BYTES, 1,
				   LOOM_BANK_FIRST_FIT))
			tap_fatal("loom_bank_init");
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	tap_ok(run(count), "%llu operations, as the model says after each",
	       (unsigned long long)count);
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		left += regions[i].blocks + !!regions[i].allocated;
		check_stats(&regions[i]);
		left += loom_bank_fini(&regions[i].bank);
	}
	tap_ok(!left && !fault, "nothing is left when all clients are gone");
	tap_ok(evictions && came_back && full && conflicts,
	       "%llu were driven out, %llu came back, %llu found the SRAM full, %llu conflicted",
	       (unsigned long long)evictions, (unsigned long long)came_back,
	       (unsigned long long)full, (unsigned long long)conflicts);
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		tap_note("%-8s %8llu", operations[i].name, (unsigned long long)counts[i]);
	tap_note("%.1f s", (double)(now.tv_sec - begin.tv_sec) +
		 (double)(now.tv_nsec - begin.tv_nsec) / 1e9);
	loom_plan_destroy(negate);
	return tap_end();
}
