/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_RANDOM_H
#define LOOM_RANDOM_H

/*
 * The model of loom_random.c: which buffers there are, who has them, what is in them, and a
 * comparison of all that with what the device says. It changes nothing on the device but to wait
 * for jobs and to open files with their plans.
 */
#include "loom_selftest.h"

#define FILES		4
#define OBJECTS		900
/* Elements of a row of a tensor. Plans use the first row per lane of a buffer: its window. */
#define COLUMNS		16
#define ROW_BYTES	(COLUMNS * sizeof(float))
#define NONE		(-1)

/*
 * struct object - a buffer of the model
 *
 * Element i of its window is a + b * i if that is known: a cancelled job may have written some.
 */
struct object {
	bool live, known;
	float a, b;
	uint32_t region;
	uint32_t page_bytes;
	uint64_t size;
	uint64_t bytes_per_bank;
	/* SRAM: fixed until it is freed; DRAM: 0, since it moves when it is evicted */
	uint64_t address;
	/* its handle in each file, zero for none */
	uint32_t handle[FILES];
	float *map;
	/* file of the mapping; the mapping keeps it open */
	int map_file;
	int dmabuf;
	/* file on whose context a job may still use it, or NONE */
	int busy;
};

struct file {
	int fd;
	uint32_t context;
	/* out = -in; SRAM = in; out = SRAM */
	uint32_t negate, load, store;
	uint32_t reserved;
};

struct world {
	struct __test_metadata *metadata;
	uint64_t seed;
	uint32_t op;
	const char *what;
	/* for queries only: it owns no buffer */
	int fd;
	uint32_t lanes;
	uint64_t window;
	struct drm_loom_region_info empty[DRM_LOOM_REGION_COUNT];
	struct file files[FILES];
	struct object objects[OBJECTS];
	uint32_t live[DRM_LOOM_REGION_COUNT];
	uint32_t counts[16];
	uint32_t evicted, refused, conflicts, full;
	bool failed;
};

static uint32_t next(struct world *w)
{
	return loom_random(&w->seed);
}

static uint32_t below(struct world *w, uint32_t n)
{
	return loom_random_below(&w->seed, n);
}

static void fail(struct world *w, const char *why, long long a, long long b)
{
	struct __test_metadata *_metadata = w->metadata;

	if (w->failed)
		return;
	w->failed = true;
	TH_LOG("operation %u, %s: %s (%lld, %lld)", w->op, w->what, why, a, b);
}

#define CHECK(w, good, why, a, b) do {			\
	if (!(good))					\
		fail(w, why, (long long)(a), (long long)(b)); \
} while (0)

/* ------------------------------------------------------------------ files */

/* @kind: 0: out = -in, 1: SRAM buffer = in, 2: out = SRAM buffer. Return: the plan, or 0. */
static uint32_t plan_make(int fd, uint32_t lanes, int kind, uint32_t flags)
{
	struct drm_loom_attr_unary attr = { .kind = DRM_LOOM_UNARY_NEG };
	struct drm_loom_plan_create args = { .flags = flags };
	struct loom_builder builder;
	uint32_t slot[2], x;
	uint64_t size;
	void *blob;
	int i;

	loom_builder_init(&builder, lanes, COLUMNS);
	for (i = 0; i < 2; i++) {
		struct drm_loom_plan_tensor *t;

		slot[i] = loom_builder_slot(&builder, i ? DRM_LOOM_SLOT_WRITE : DRM_LOOM_SLOT_READ,
					    kind == 1 ? 0 : i, kind == 1 ? 0 : i);
		if (kind != 1 + !i)
			continue;
		/* this tensor lies in an SRAM buffer */
		t = &builder.tensors[slot[i]];
		t->region = DRM_LOOM_REGION_SRAM;
		t->flags = DRM_LOOM_TENSOR_SLOT;
		t->size = ROW_BYTES;
		builder.slots[i].size = ROW_BYTES;
		builder.slots[i].flags |= DRM_LOOM_SLOT_SRAM;
	}
	loom_builder_step(&builder);
	if (kind == 1) {
		loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, slot[1], slot[0]);
	} else {
		x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
		loom_builder_command(&builder, kind ? DRM_LOOM_OP_COPY : DRM_LOOM_OP_LOAD, NULL, 0,
				     x, slot[0]);
		loom_builder_step(&builder);
		/* negate and store each have a step of their own */
		if (!kind) {
			loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), x,
					     x);
			builder.tensors[x].last_step = 2;
			builder.tensors[slot[1]].first_step = 2;
			builder.tensors[slot[1]].last_step = 2;
			loom_builder_step(&builder);
		}
		loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, slot[1], x);
	}
	blob = loom_builder_finish(&builder, &size);
	args.ptr = (uintptr_t)blob;
	args.size = size;
	i = loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	return i ? 0 : args.plan;
}

static void file_open(struct world *w, uint32_t i)
{
	struct file *f = &w->files[i];
	int ret;

	*f = (struct file) { .fd = loom_open() };
	CHECK(w, f->fd >= 0, "open", f->fd, 0);
	ret = loom_context_create(f->fd, DRM_LOOM_PRIORITY_NORMAL, &f->context);
	CHECK(w, !ret, "CONTEXT_CREATE", ret, 0);
	f->negate = plan_make(f->fd, w->lanes, 0, 0);
	f->load = plan_make(f->fd, w->lanes, 1, 0);
	f->store = plan_make(f->fd, w->lanes, 2, 0);
	CHECK(w, f->negate && f->load && f->store, "PLAN_CREATE", f->negate, f->load);
}

/* ---------------------------------------------------------------- objects */

/* A file with a handle of it, or NONE. */
static int object_file(const struct object *o)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (o->handle[i])
			return i;
	return NONE;
}

/* The driver frees a buffer with its last handle, mapping or dma-buf. */
static void object_retire(struct world *w, struct object *o)
{
	if (o->live && object_file(o) == NONE && !o->map && o->dmabuf < 0) {
		o->live = false;
		w->live[o->region]--;
	}
}

/* Waits for the jobs that use it, by a new handle if no file has one. */
static void object_wait(struct world *w, struct object *o)
{
	struct drm_prime_handle prime = { .fd = o->dmabuf };
	int i = object_file(o), ret;

	if (o->busy == NONE)
		return;
	if (i == NONE) {
		ret = loom_call(w->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
		CHECK(w, !ret, "PRIME_FD_TO_HANDLE to wait", ret, 0);
		ret = loom_bo_wait(w->fd, prime.handle, loom_soon());
		loom_bo_close(w->fd, prime.handle);
	} else {
		ret = loom_bo_wait(w->files[i].fd, o->handle[i], loom_soon());
	}
	CHECK(w, !ret, "BO_WAIT", ret, 0);
	o->busy = NONE;
}

/* Compares its bytes with the model, by its mapping, a handle or its dma-buf. */
static void object_check(struct world *w, struct object *o)
{
	uint64_t count = w->window / sizeof(float), i, wrong = 0;
	int file = object_file(o);
	float *map = o->map;

	object_wait(w, o);
	if (!o->known)
		return;
	if (!map && file != NONE)
		map = loom_bo_map(w->files[file].fd, o->handle[file], o->size);
	else if (!map)
		map = mmap(NULL, o->size, PROT_READ, MAP_SHARED, o->dmabuf, 0);
	CHECK(w, map != MAP_FAILED, "mmap", errno, 0);
	if (map == MAP_FAILED)
		return;
	for (i = 0; i < count; i++)
		wrong += map[i] != o->a + o->b * (float)i;
	/* behind the window nobody writes: zeroes; a sample of them */
	for (; i < o->size / sizeof(float); i += 509)
		wrong += map[i] != 0;
	CHECK(w, !wrong, "bytes are wrong", wrong, o - w->objects);
	if (map != o->map)
		munmap(map, o->size);
}

/* A random live buffer that @fits, or any if that is NULL. Return: NULL if there is none. */
static struct object *object_pick(struct world *w, bool (*fits)(const struct object *o))
{
	uint32_t at = below(w, OBJECTS), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w->objects[(at + i) % OBJECTS];

		if (o->live && (!fits || fits(o)))
			return o;
	}
	return NULL;
}

/* --------------------------------------------------------------- checking */

static const struct drm_loom_block *block_at(const struct drm_loom_block *blocks, uint32_t count,
					     uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (blocks[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && blocks[low].address == address ? &blocks[low] : NULL;
}

/* The blocks tile the bank; @same: their sums are those of QUERY. Return: allocated blocks. */
static uint32_t check_tiles(struct world *w, uint32_t region, const struct drm_loom_block *blocks,
			    uint32_t count, bool *same)
{
	const struct drm_loom_region_info *empty = &w->empty[region];
	uint64_t at = 0, allocated = 0, largest = 0;
	struct drm_loom_region_info info;
	uint32_t n = 0, i;
	bool was_free = false;
	int ret;

	for (i = 0; i < count; i++) {
		bool taken = blocks[i].flags & DRM_LOOM_BLOCK_ALLOCATED;
		bool is_free = !taken && !(blocks[i].flags & DRM_LOOM_BLOCK_RESERVED);

		CHECK(w, blocks[i].address == at && blocks[i].bytes, "blocks do not tile the bank",
		      blocks[i].address, at);
		CHECK(w, !(is_free && was_free), "two holes are neighbours", at, i);
		at += blocks[i].bytes;
		was_free = is_free;
		n += taken;
		if (taken)
			allocated += blocks[i].bytes;
		else if (is_free && blocks[i].bytes > largest)
			largest = blocks[i].bytes;
	}
	CHECK(w, at <= empty->bank_bytes && at + empty->align_bytes > empty->bank_bytes,
	      "blocks end before the bank", at, empty->bank_bytes);
	ret = loom_query_region(w->fd, region, &info);
	CHECK(w, !ret, "QUERY", ret, region);
	CHECK(w, info.free_bytes == info.total_bytes - info.allocated_bytes, "sum of holes",
	      info.free_bytes, info.allocated_bytes);
	/* if not, something was freed between the two queries: ask again */
	*same = info.blocks == n && info.allocated_bytes == allocated &&
		info.largest_free_bytes == largest;
	return n;
}

/* Compares the blocks of a region with the model. Return: false if something is not freed yet. */
static bool check_region(struct world *w, uint32_t region, bool all)
{
	struct drm_loom_block *blocks;
	uint32_t count, taken, resident = 0, i;
	bool good, same;

	blocks = loom_query_blocks(w->fd, region, &count);
	CHECK(w, blocks, "QUERY of blocks", region, 0);
	if (!blocks)
		return true;
	taken = check_tiles(w, region, blocks, count, &same);
	good = same && (region == DRM_LOOM_REGION_SRAM ? taken == w->live[region] :
			taken <= w->live[region]);
	if (!good)
		goto out;
	for (i = 0; i < OBJECTS; i++) {
		const struct object *o = &w->objects[i];
		const struct drm_loom_block *block;
		struct drm_loom_bo_info info = { .address = o->address };
		int file = object_file(o);

		if (!o->live || o->region != region)
			continue;
		/* buffers in DRAM move, so BO_INFO is asked, for some of them each time */
		if (region == DRM_LOOM_REGION_DRAM) {
			if (file == NONE || (!all && (i + w->op) % 128))
				continue;
			if (loom_bo_info(w->files[file].fd, o->handle[file], &info))
				fail(w, "BO_INFO", i, file);
			if (info.flags & DRM_LOOM_BO_EVICTED) {
				CHECK(w, !info.address, "evicted, and has an address",
				      info.address, i);
				w->evicted++;
				continue;
			}
		}
		resident++;
		block = block_at(blocks, count, info.address);
		CHECK(w, block && block->flags & DRM_LOOM_BLOCK_ALLOCATED &&
		      block->bytes == o->bytes_per_bank, "a buffer is not where it says",
		      info.address, i);
	}
	CHECK(w, resident <= taken, "more buffers than blocks", resident, taken);
out:
	free(blocks);
	return good;
}

/* Buffers of closed files and killed processes may be freed a little later, but must be freed. */
static void check(struct world *w, bool all)
{
	int64_t end = loom_soon();
	uint32_t region;

	/* an absent region has no blocks, which check_region() would miss */
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++)
		while (w->empty[region].banks && !check_region(w, region, all)) {
			if (loom_now_ns() > end) {
				fail(w, "blocks or sums that belong to no buffer", region,
				     w->live[region]);
				break;
			}
			usleep(500);
		}
}

#endif /* LOOM_RANDOM_H */
