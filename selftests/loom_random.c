// SPDX-License-Identifier: GPL-2.0
/*
 * The whole memory interface by chance, against a model: buffers are made, mapped, written, shared,
 * worked on by jobs, driven out by others, closed, lost with a file or with a process that is
 * killed. After every operation the device is asked for all that it tells about its
 * memory, and that must be what the model says; at the end there must be nothing.
 *
 *	LOOM_RANDOM_OPS		how many (default 3000)
 *	LOOM_RANDOM_SEED	which ones (default: from the clock; printed)
 */
#include "loom_selftest.h"

#define FILES		4
#define OBJECTS		900
/* elements of a row of a tensor: a window is a row in each lane */
#define COLUMNS		16
#define ROW_BYTES	(COLUMNS * sizeof(float))
#define NONE		(-1)

/*
 * struct object - a buffer of the model
 *
 * What a window holds is a + b * i, or not known: jobs that were cancelled may have written it.
 */
struct object {
	bool live, known;
	float a, b;
	uint32_t region;
	uint32_t page_bytes;
	uint64_t size;
	uint64_t bytes_per_bank;
	/* SRAM: for good */
	uint64_t address;
	/* by file, zero for none */
	uint32_t handle[FILES];
	float *map;
	/* whose file keeps the mapping, and is kept by it */
	int map_file;
	int dmabuf;
	/* file whose context it was last used on, if that may go on */
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
	/* of nobody, to look with */
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
	w->seed = w->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return w->seed >> 33;
}

static uint32_t below(struct world *w, uint32_t n)
{
	return next(w) % n;
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
		/* the one that lies in an SRAM buffer */
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
		/* in a step of their own: negate, store */
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

static void object_settle(struct world *w, struct object *o)
{
	if (o->live && object_file(o) == NONE && !o->map && o->dmabuf < 0) {
		o->live = false;
		w->live[o->region]--;
	}
}

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

/* What it holds, by whatever way there is to see it. */
static void object_look(struct world *w, struct object *o)
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
	/* and behind the window it was never written */
	for (; i < o->size / sizeof(float); i += 509)
		wrong += map[i] != 0;
	CHECK(w, !wrong, "bytes are wrong", wrong, o - w->objects);
	if (map != o->map)
		munmap(map, o->size);
}

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

/* The blocks tile the bank; @same: the sums are theirs. Return: how many are allocated. */
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
	/* if not, something was given back in between: another look */
	*same = info.blocks == n && info.allocated_bytes == allocated &&
		info.largest_free_bytes == largest;
	return n;
}

/* Is every buffer where it says, and nothing else there? False: not yet. */
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
		/* those in the DRAM move: they are asked, some each time */
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

/* What is given back by those who are gone may take a while, but not long. */
static void check(struct world *w, bool all)
{
	int64_t end = loom_soon();
	uint32_t region;

	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++)
		while (!check_region(w, region, all)) {
			if (loom_now_ns() > end) {
				fail(w, "blocks that are nobody's, or sums of nothing", region,
				     w->live[region]);
				break;
			}
			usleep(500);
		}
}

/* ------------------------------------------------------------- operations */

static void op_create(struct world *w)
{
	static const uint32_t sram_pages[] = { 0, 0, 256, 1024, 4096, 16384 };
	struct object *o = w->objects;
	uint32_t file = below(w, FILES), region = below(w, 4) == 0;
	struct drm_loom_bo_create args = {
		.region = region,
		.direction = DRM_LOOM_DIRECTION_DEFAULT,
	};
	struct drm_loom_region_info before;
	struct drm_loom_bo_info info;
	int ret;

	while (o < w->objects + OBJECTS && o->live)
		o++;
	if (o == w->objects + OBJECTS)
		return;
	if (region) {
		/* a row in each bank, so that plans can have it, or whatever */
		args.page_bytes = sram_pages[below(w, LOOM_ARRAY_SIZE(sram_pages))] ?: ROW_BYTES;
		args.size = (uint64_t)w->lanes * args.page_bytes;
		/* in the way of scratch, at times */
		if (!below(w, 16))
			args.direction = DRM_LOOM_DIRECTION_BOTTOM_UP;
	} else {
		/* large in a bank and small in the host */
		args.page_bytes = below(w, 6) ? 1 << 20 : 4096u << below(w, 9);
		args.direction = below(w, 3);
		args.size = w->window > LOOM_PAGE ? w->window : LOOM_PAGE;
	}
	ret = loom_query_region(w->fd, region, &before);
	CHECK(w, !ret, "QUERY", ret, 0);
	ret = loom_call(w->files[file].fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
	if (ret) {
		w->full++;
		CHECK(w, ret == -ENOSPC && region, "BO_CREATE", ret, args.page_bytes);
		/* scratch is at the bottom, and a hole may be partly above it */
		CHECK(w, before.scratch_bytes || before.largest_free_bytes < args.page_bytes,
		      "ENOSPC with room for it", before.largest_free_bytes, args.page_bytes);
		return;
	}
	*o = (struct object) {
		.live = true,
		.known = true,
		.region = region,
		.page_bytes = args.page_bytes,
		.size = args.size,
		.dmabuf = -1,
		.busy = NONE,
	};
	o->handle[file] = args.handle;
	w->live[region]++;
	ret = loom_bo_info(w->files[file].fd, args.handle, &info);
	CHECK(w, !ret && info.size == o->size, "BO_INFO", ret, info.size);
	o->bytes_per_bank = info.bytes_per_bank;
	o->address = region ? info.address : 0;
	CHECK(w, !region || !(info.flags & DRM_LOOM_BO_EVICTED), "SRAM that is evicted", 0, 0);
	/* zeroes, whoever had them */
	object_look(w, o);
}

static bool has_handle(const struct object *o)
{
	return object_file(o) != NONE;
}

static void op_map(struct world *w)
{
	struct object *o = object_pick(w, has_handle);
	int file = o ? object_file(o) : NONE;

	if (!o)
		return;
	if (o->map) {
		munmap(o->map, o->size);
		o->map = NULL;
		return;
	}
	o->map = loom_bo_map(w->files[file].fd, o->handle[file], o->size);
	o->map_file = file;
	CHECK(w, o->map != MAP_FAILED, "mmap", errno, 0);
	object_look(w, o);
}

static void op_write(struct world *w)
{
	struct object *o = object_pick(w, has_handle);
	int file = o ? object_file(o) : NONE;
	uint64_t i;
	float *map;

	if (!o)
		return;
	object_wait(w, o);
	map = o->map ?: loom_bo_map(w->files[file].fd, o->handle[file], o->size);
	CHECK(w, map != MAP_FAILED, "mmap", errno, 0);
	o->a = (float)below(w, 1 << 20);
	o->b = below(w, 2) ? 1 : -1;
	o->known = true;
	for (i = 0; i < w->window / sizeof(float); i++)
		map[i] = o->a + o->b * (float)i;
	if (map != o->map)
		munmap(map, o->size);
}

static bool is_dmabuf(const struct object *o)
{
	return o->dmabuf >= 0;
}

/* A dma-buf of what has none; of what has one a handle in another file. */
static void op_share(struct world *w)
{
	struct object *o = object_pick(w, below(w, 2) ? is_dmabuf : has_handle);
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };
	uint32_t to = below(w, FILES);
	int file = o ? object_file(o) : NONE, ret;

	if (!o)
		return;
	if (o->dmabuf < 0) {
		prime.handle = o->handle[file];
		ret = loom_call(w->files[file].fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
		CHECK(w, !ret, "PRIME_HANDLE_TO_FD", ret, 0);
		o->dmabuf = prime.fd;
		return;
	}
	prime.fd = o->dmabuf;
	ret = loom_call(w->files[to].fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	CHECK(w, !ret, "PRIME_FD_TO_HANDLE", ret, 0);
	/* the same buffer has one name in a file */
	CHECK(w, !o->handle[to] || o->handle[to] == prime.handle, "a second handle",
	      o->handle[to], prime.handle);
	o->handle[to] = prime.handle;
	if (below(w, 2)) {
		close(o->dmabuf);
		o->dmabuf = -1;
	}
}

/* Of a file's buffers. */
static struct object *pick_of(struct world *w, uint32_t file, uint32_t region)
{
	uint32_t at = below(w, OBJECTS), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w->objects[(at + i) % OBJECTS];

		if (o->live && o->handle[file] && o->region == region &&
		    (!region || o->page_bytes == ROW_BYTES))
			return o;
	}
	return NULL;
}

/* A buffer below the end of the scratch: SUBMIT must name it, or one as bad. */
static struct object *in_the_scratch(struct world *w)
{
	const struct drm_loom_region_info *empty = &w->empty[DRM_LOOM_REGION_SRAM];
	uint64_t end = empty->bank_bytes - empty->total_bytes + ROW_BYTES;
	uint32_t i;

	for (i = 0; i < OBJECTS; i++)
		if (w->objects[i].live && w->objects[i].region && w->objects[i].address < end)
			return &w->objects[i];
	return NULL;
}

static void op_submit(struct world *w)
{
	uint32_t file = below(w, FILES), kind = below(w, 4);
	struct file *f = &w->files[file];
	struct drm_loom_scratch_conflict conflict = {};
	struct object *from, *to, *culprit;
	struct drm_loom_fit fit;
	uint32_t size = sizeof(fit), plan;
	struct drm_loom_binding bindings[2] = { { .slot = 0 }, { .slot = 1 } };
	struct drm_loom_submit submit = {
		.context = f->context,
		.bindings = { sizeof(bindings[0]), 2, (uintptr_t)bindings },
		.conflict = (uintptr_t)&conflict,
		.conflict_size = sizeof(conflict),
	};
	int ret;

	plan = kind == 1 ? f->load : kind == 2 ? f->store : f->negate;
	from = pick_of(w, file, kind == 2);
	to = pick_of(w, file, kind == 1);
	if (!from || !to || from == to)
		return;
	/* on one context things happen in order; others are waited for */
	if (from->busy != (int)file)
		object_wait(w, from);
	if (to->busy != (int)file)
		object_wait(w, to);
	bindings[0].handle = from->handle[file];
	bindings[1].handle = to->handle[file];
	submit.plan = plan;
	culprit = plan == f->load ? NULL : in_the_scratch(w);
	ret = loom_query(f->fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size);
	CHECK(w, !ret && !(fit.flags & DRM_LOOM_FIT_NOW) == !!culprit, "QUERY whether it fits", ret,
	      fit.flags);
	ret = loom_call(f->fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
	if (culprit) {
		w->conflicts++;
		CHECK(w, ret == -EBUSY, "SUBMIT into a buffer", ret, culprit - w->objects);
		CHECK(w, conflict.address == culprit->address &&
		      conflict.handle == culprit->handle[file] &&
		      conflict.bytes == culprit->bytes_per_bank, "another one is said to conflict",
		      conflict.address, conflict.handle);
		return;
	}
	CHECK(w, !ret, "SUBMIT", ret, kind);
	if (ret)
		return;
	from->busy = file;
	to->busy = file;
	to->known = from->known;
	to->a = plan == f->negate ? -from->a : from->a;
	to->b = plan == f->negate ? -from->b : from->b;
	if (!below(w, 8))
		object_look(w, to);
}

static void op_reserve(struct world *w)
{
	struct file *f = &w->files[below(w, FILES)];
	struct drm_loom_region_info info;
	int ret;

	if (f->reserved) {
		ret = loom_plan_destroy(f->fd, f->reserved);
		CHECK(w, !ret, "PLAN_DESTROY", ret, 0);
		f->reserved = 0;
		return;
	}
	f->reserved = plan_make(f->fd, w->lanes, 0, DRM_LOOM_PLAN_RESERVE);
	CHECK(w, !f->reserved == !!in_the_scratch(w), "a reservation", f->reserved, 0);
	ret = loom_query_region(w->fd, DRM_LOOM_REGION_SRAM, &info);
	CHECK(w, !ret && (!f->reserved || info.scratch_bytes == ROW_BYTES), "what is held", ret,
	      info.scratch_bytes);
	if (!f->reserved)
		w->refused++;
}

static void op_close(struct world *w)
{
	struct object *o = object_pick(w, NULL);
	uint32_t file = below(w, FILES), i;
	int ret;

	if (!o)
		return;
	if (o->dmabuf >= 0 && below(w, 2)) {
		close(o->dmabuf);
		o->dmabuf = -1;
	}
	for (i = 0; i < FILES && !o->handle[file]; i++)
		file = (file + 1) % FILES;
	if (o->handle[file]) {
		ret = loom_bo_close(w->files[file].fd, o->handle[file]);
		CHECK(w, !ret, "GEM_CLOSE", ret, 0);
		o->handle[file] = 0;
		if (o->map && object_file(o) == NONE) {
			munmap(o->map, o->size);
			o->map = NULL;
		}
	} else if (o->map) {
		munmap(o->map, o->size);
		o->map = NULL;
	}
	object_settle(w, o);
}

/* All at once, with jobs that are then cancelled. */
static void op_close_file(struct world *w)
{
	uint32_t file = below(w, FILES), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w->objects[i];

		if (!o->live)
			continue;
		/* a mapping keeps the file open, and its jobs alive */
		if (o->map && o->map_file == (int)file) {
			munmap(o->map, o->size);
			o->map = NULL;
		}
		if (o->busy == (int)file)
			o->known = false;
	}
	close(w->files[file].fd);
	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w->objects[i];

		o->handle[file] = 0;
		if (!o->live)
			continue;
		/* with nothing but a mapping there is no way to wait for it */
		if (o->map && object_file(o) == NONE && o->dmabuf < 0) {
			munmap(o->map, o->size);
			o->map = NULL;
		}
		object_settle(w, o);
	}
	file_open(w, file);
	for (i = 0; i < OBJECTS; i++)
		if (w->objects[i].live && w->objects[i].busy == (int)file)
			object_wait(w, &w->objects[i]);
}

/* A process with buffers, mappings, a buffer of ours and jobs, killed at some time in all that. */
static void op_kill(struct world *w)
{
	struct object *o = object_pick(w, is_dmabuf);
	uint32_t delay = below(w, 20000);
	uint64_t seed = next(w);
	int status;
	pid_t child;

	if (o)
		object_wait(w, o);
	child = loom_fork();
	if (!child) {
		static struct world mine;
		struct drm_prime_handle prime = { .fd = o ? o->dmabuf : -1 };

		mine.metadata = w->metadata;
		mine.seed = seed;
		mine.fd = loom_open();
		mine.lanes = w->lanes;
		mine.window = w->window;
		file_open(&mine, 0);
		for (;;) {
			uint32_t handles[6], i;
			float *map;

			for (i = 0; i < 6; i++) {
				loom_bo_create(mine.files[0].fd, LOOM_PAGE, !below(&mine, 6),
					       &handles[i]);
				map = loom_bo_map(mine.files[0].fd, handles[i], LOOM_PAGE);
				if (map != MAP_FAILED)
					__atomic_store_n((uint32_t *)map, i, __ATOMIC_RELAXED);
			}
			if (o && !loom_call(mine.files[0].fd, DRM_IOCTL_PRIME_FD_TO_HANDLE,
					    &prime))
				handles[0] = prime.handle;
			for (i = 1; i < 6; i++) {
				struct drm_loom_binding bindings[2] = {
					{ 0, handles[0], 0 }, { 1, handles[i], 0 },
				};
				struct drm_loom_submit submit = {
					.context = mine.files[0].context,
					.plan = mine.files[0].negate,
					.bindings = { sizeof(bindings[0]), 2, (uintptr_t)bindings },
				};

				loom_call(mine.files[0].fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
			}
			for (i = 1; i < 6; i += 2)
				loom_bo_close(mine.files[0].fd, handles[i]);
		}
	}
	CHECK(w, child > 0, "fork", errno, 0);
	usleep(delay);
	kill(child, SIGKILL);
	CHECK(w, waitpid(child, &status, 0) == child, "waitpid", errno, 0);
	/* it may have read ours, and no more than that */
	if (o)
		object_look(w, o);
}

static const struct {
	const char *name;
	void (*run)(struct world *w);
	uint32_t weight;
} operations[] = {
	{ "create", op_create, 300 },
	{ "map", op_map, 100 },
	{ "write", op_write, 150 },
	{ "share", op_share, 100 },
	{ "submit", op_submit, 400 },
	{ "reserve", op_reserve, 20 },
	{ "close", op_close, 190 },
	{ "close a file", op_close_file, 3 },
	{ "kill", op_kill, 3 },
};

static void step(struct world *w)
{
	uint32_t sum = 0, pick, i;
	struct object *o;

	for (i = 0; i < LOOM_ARRAY_SIZE(operations); i++)
		sum += operations[i].weight;
	pick = below(w, sum);
	/* first of all, more than the DRAM has room for */
	if (w->op < 600 && w->live[DRM_LOOM_REGION_DRAM] < OBJECTS / 2 && below(w, 4))
		pick = 0;
	for (i = 0; pick >= operations[i].weight; i++)
		pick -= operations[i].weight;
	w->what = operations[i].name;
	w->counts[i]++;
	operations[i].run(w);
	if (w->failed)
		return;
	w->what = "the look after it";
	/* a process that is gone, or buffers that jobs had, may take their time */
	check(w, !(w->op % 500));
	o = object_pick(w, NULL);
	if (o && !below(w, 4))
		object_look(w, o);
}

FIXTURE(chance)
{
	int fd;
};

FIXTURE_SETUP(chance)
{
	self->fd = loom_open();
	if (self->fd < 0)
		SKIP(return, "no loom device");
}

FIXTURE_TEARDOWN(chance)
{
	if (self->fd >= 0)
		close(self->fd);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

TEST_F_TIMEOUT(chance, everything_at_any_time, 3000)
{
	uint64_t ops = from_environment("LOOM_RANDOM_OPS", 3000);
	static struct world w;
	struct drm_loom_device_info info;
	int64_t start = loom_now_ns();
	uint32_t i;

	w.metadata = _metadata;
	w.seed = from_environment("LOOM_RANDOM_SEED", start);
	TH_LOG("LOOM_RANDOM_SEED=%llu LOOM_RANDOM_OPS=%llu", (unsigned long long)w.seed,
	       (unsigned long long)ops);
	w.fd = self->fd;
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	w.lanes = info.lanes;
	w.window = w.lanes * ROW_BYTES;
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		ASSERT_EQ(0, loom_query_region(self->fd, i, &w.empty[i]));
		if (w.empty[i].blocks || w.empty[i].scratch_bytes)
			SKIP(return, "somebody else uses the device");
	}
	for (i = 0; i < FILES; i++)
		file_open(&w, i);
	for (w.op = 0; w.op < ops && !w.failed; w.op++) {
		if (w.op && !(w.op % 10000))
			TH_LOG("%u operations in %lld ms", w.op,
			       (long long)((loom_now_ns() - start) / LOOM_MSEC_NS));
		step(&w);
	}

	/* all go: nothing may be left */
	w.what = "the end";
	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w.objects[i];

		if (!o->live)
			continue;
		if (!w.failed)
			object_look(&w, o);
		if (o->map)
			munmap(o->map, o->size);
		if (o->dmabuf >= 0)
			close(o->dmabuf);
		o->live = false;
	}
	for (i = 0; i < FILES; i++)
		close(w.files[i].fd);
	memset(w.live, 0, sizeof(w.live));
	if (!w.failed)
		check(&w, false);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		struct drm_loom_region_info after;
		int64_t end = loom_soon();

		do {
			ASSERT_EQ(0, loom_query_region(self->fd, i, &after));
		} while (memcmp(&after, &w.empty[i], sizeof(after)) && loom_now_ns() < end);
		EXPECT_EQ(0, memcmp(&after, &w.empty[i], sizeof(after)));
	}
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	EXPECT_EQ(0, info.bo_bytes);
	EXPECT_FALSE(w.failed);
	for (i = 0; i < LOOM_ARRAY_SIZE(operations); i++)
		TH_LOG("%-14s %6u", operations[i].name, w.counts[i]);
	TH_LOG("%u found evicted, %u SRAM full, %u conflicts, %u not reserved; %lld ms", w.evicted,
	       w.full, w.conflicts, w.refused, (long long)((loom_now_ns() - start) / LOOM_MSEC_NS));
	/* it would be no test if nothing of this had happened; of the rare ones, in a long run */
	if (ops >= 3000)
		EXPECT_TRUE(w.full);
	if (ops >= 20000)
		EXPECT_TRUE(w.conflicts && w.evicted);
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
