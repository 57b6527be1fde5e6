// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on the whole memory interface: buffers are created, mapped, written, shared,
 * used by jobs, evicted by others, closed, and freed with a file or with a process that is killed.
 * After every operation what the device reports of its memory is compared with a model
 * (loom_random.h), and at the end nothing may be left.
 *
 *	LOOM_RANDOM_OPS		how many (default 3000, or 1200 with less LOOM_EFFORT)
 *	LOOM_RANDOM_SEED	which ones (default: from the clock; printed)
 */
#include "loom_random.h"

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
	struct drm_loom_no_space why = {};
	struct drm_loom_region_info before;
	struct drm_loom_bo_info info;
	int ret;

	args.no_space = (uintptr_t)&why;
	args.no_space_size = sizeof(why);
	while (o < w->objects + OBJECTS && o->live)
		o++;
	if (o == w->objects + OBJECTS)
		return;
	if (region) {
		/* mostly a row in each bank, which plans can use */
		args.page_bytes = sram_pages[below(w, LOOM_ARRAY_SIZE(sram_pages))] ?: ROW_BYTES;
		/* where the SRAM is the device's own, others cannot be mapped */
		if (w->empty[DRM_LOOM_REGION_SRAM].map_bytes &&
		    args.page_bytes % w->empty[DRM_LOOM_REGION_SRAM].map_bytes)
			args.page_bytes = w->empty[DRM_LOOM_REGION_SRAM].map_bytes;
		args.size = (uint64_t)w->lanes * args.page_bytes;
		/* sometimes at the bottom, where scratch has to be; file 0 gets there */
		if (!below(w, 16))
			args.direction = DRM_LOOM_DIRECTION_BOTTOM_UP;
	} else {
		/* takes much of a bank but little of the host's memory */
		args.page_bytes = below(w, 6) ? 1 << 20 : 4096u << below(w, 9);
		args.direction = below(w, 3);
		args.size = w->window > LOOM_PAGE ? w->window : LOOM_PAGE;
	}
	ret = loom_query_region(w->files[file].fd, region, &before);
	CHECK(w, !ret, "QUERY", ret, 0);
	ret = loom_call(w->files[file].fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
	if (ret) {
		w->full++;
		CHECK(w, (ret == -ENOSPC || (ret == -EDQUOT && file)) && region, "BO_CREATE", ret,
		      args.page_bytes);
		if (ret == -EDQUOT)
			CHECK(w, before.share_used_bytes + args.page_bytes > before.share_bytes,
			      "EDQUOT with some of the share left", before.share_used_bytes,
			      args.page_bytes);
		else
			/* scratch is at the bottom, and a hole may be partly above it */
			CHECK(w, why.reason == DRM_LOOM_NO_SPACE_SCRATCH ?
			      file || before.scratch_bytes :
			      before.largest_free_bytes < args.page_bytes,
			      "ENOSPC with room for it", before.largest_free_bytes,
			      args.page_bytes);
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
	/* zeroes, whatever was there before */
	object_check(w, o);
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
	object_check(w, o);
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

/* Makes a dma-buf, or imports the one that there is into another file. */
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

/* A random buffer of a file that a plan can use: in SRAM, a row per bank. */
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

/* The buffer that lies where scratch has to be, or NULL; SUBMIT must name it. */
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
	/* one context runs its jobs in order; for those of others it has to be waited */
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
		object_check(w, to);
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
	object_retire(w, o);
}

/* Closes a file with all its buffers; its jobs are cancelled. */
static void op_close_file(struct world *w)
{
	/* not 0: its buffers at the bottom would have to make room, and others may share them */
	uint32_t file = 1 + below(w, FILES - 1), i;

	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w->objects[i];

		if (!o->live)
			continue;
		/* a mapping would keep the file open, and its jobs running */
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
		/* a buffer with a mapping alone could not be waited for */
		if (o->map && object_file(o) == NONE && o->dmabuf < 0) {
			munmap(o->map, o->size);
			o->map = NULL;
		}
		object_retire(w, o);
	}
	file_open(w, file);
	for (i = 0; i < OBJECTS; i++)
		if (w->objects[i].live && w->objects[i].busy == (int)file)
			object_wait(w, &w->objects[i]);
}

/* Kills a process while it makes, maps and closes buffers, imports one of ours and submits jobs. */
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
	/* its jobs may have read our buffer but not written it */
	if (o)
		object_check(w, o);
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
	/* at first mostly create, until there are more buffers than the DRAM has room for */
	if (w->op < 600 && w->live[DRM_LOOM_REGION_DRAM] < OBJECTS / 2 && below(w, 4))
		pick = 0;
	for (i = 0; pick >= operations[i].weight; i++)
		pick -= operations[i].weight;
	w->what = operations[i].name;
	w->counts[i]++;
	operations[i].run(w);
	if (w->failed)
		return;
	w->what = "the check after it";
	check(w, !(w->op % 500));
	o = object_pick(w, NULL);
	if (o && !below(w, 4))
		object_check(w, o);
}

FIXTURE(chance)
{
	int fd;
};

FIXTURE_SETUP(chance)
{
	self->fd = loom_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(chance)
{
	close(self->fd);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

TEST_F_TIMEOUT(chance, everything_at_any_time, 3000)
{
	uint64_t ops = from_environment("LOOM_RANDOM_OPS", loom_effort(100) < 100 ? 1200 : 3000);
	static struct world w;
	struct drm_loom_device_info info;
	int64_t start = loom_now_ns();
	uint32_t i, context;
	int ret;

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
	ret = loom_exclusive(w.files[0].fd, &context);
	CHECK(&w, !ret, "an exclusive context", ret, 0);
	for (w.op = 0; w.op < ops && !w.failed; w.op++) {
		if (w.op && !(w.op % 10000))
			TH_LOG("%u operations in %lld ms", w.op,
			       (long long)((loom_now_ns() - start) / LOOM_MSEC_NS));
		step(&w);
	}

	/* free everything: nothing may be left */
	w.what = "the end";
	for (i = 0; i < OBJECTS; i++) {
		struct object *o = &w.objects[i];

		if (!o->live)
			continue;
		if (!w.failed)
			object_check(&w, o);
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
	/* these have to occur, or the run has tested little; the rare ones only in a long run */
	if (ops >= 3000)
		EXPECT_TRUE(w.full);
	if (ops >= 20000)
		EXPECT_TRUE(w.conflicts && w.evicted);
}
