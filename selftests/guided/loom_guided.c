// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage-guided fuzzing: sequences of ioctls on two files at once. A sequence that reaches new
 * code of the module is kept and mutated again. Calls are mostly well formed, so that they get past
 * the first checks: fields hold results of earlier calls, boundary values, or at times anything.
 *
 * tools/testing/kgcov/loom_gcov.c reports the coverage, if it is loaded and the module was built
 * for it. Otherwise all sequences count as new. A sequence must leave nothing behind, and the
 * device must work afterwards. A VM that runs this must check the log of its kernel.
 *
 * LOOM_GUIDED_SECONDS, LOOM_GUIDED_SEED.
 */
#include "../loom_selftest.h"

#define NEWS		"/sys/kernel/debug/loom_gcov/new"
#define CALLS		24
#define WORDS		10
#define KEPT		1024
#define OBJECTS		8
#define ROOM_BYTES	65536
/* as many calls have a share that can be told */
#define ENOUGH		200

struct call {
	uint32_t kind;
	uint32_t word[WORDS];
};

struct sequence {
	uint32_t count;
	struct call calls[CALLS];
};

/* Objects of a file, in order of creation; the oldest is forgotten first. */
struct objects {
	uint32_t id[OBJECTS];
	/* where a buffer lies, what a plan binds */
	enum { NOTHING, HOST, SRAM } what[OBJECTS];
	uint32_t count;
};

struct file {
	int fd;
	struct objects bos, plans, contexts, syncs;
};

struct world {
	struct file files[2];
	int dmabuf;
	int pipe[2];
	uint32_t lanes;
	/* memory for calls to read and write, and an address with nothing mapped behind it */
	unsigned char *room, *hole;
};

FIXTURE(guided)
{
	struct world world;
	struct drm_loom_region_info before[DRM_LOOM_REGION_COUNT];
	struct sequence *kept;
	uint32_t kept_count;
	uint64_t random;
};

/* ------------------------------------------------------------ words as fields */

/* One of the first @n numbers, or at times anything. */
static uint32_t field(uint32_t word, uint32_t n)
{
	return word >> 24 == 0xff ? word : (word & 0xffffff) % n;
}

static uint32_t number(uint32_t word)
{
	static const uint32_t edges[] = {
		0, 1, 2, 3, 4, 8, 32, 64, 256, 4096, 8192, 1 << 16, 1 << 20, 1u << 31, UINT32_MAX,
	};
	uint32_t i = (word & 0xff) % (LOOM_ARRAY_SIZE(edges) + 1);

	return i < LOOM_ARRAY_SIZE(edges) ? edges[i] + (word >> 31 ? (word >> 8 & 3) - 1 : 0) :
					    word >> 8;
}

static uint32_t object(const struct objects *objects, uint32_t word)
{
	uint32_t n = objects->count < OBJECTS ? objects->count : OBJECTS;

	return n && word >> 24 != 0xff ? objects->id[word % n] : word;
}

/* One that is @what, if there is one. */
static uint32_t object_that_is(const struct objects *objects, uint32_t what, uint32_t word)
{
	uint32_t n = objects->count < OBJECTS ? objects->count : OBJECTS, i;

	for (i = 0; i < n && word >> 24 != 0xff; i++)
		if (objects->what[(word + i) % n] == what)
			return objects->id[(word + i) % n];
	return object(objects, word);
}

static uint32_t object_what(const struct objects *objects, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < OBJECTS; i++)
		if (objects->id[i] == id)
			return objects->what[i];
	return NOTHING;
}

static void object_add(struct objects *objects, uint32_t id, uint32_t what)
{
	uint32_t i = objects->count++ % OBJECTS;

	objects->id[i] = id;
	objects->what[i] = what;
}

static void object_forget(struct objects *objects, uint32_t id)
{
	uint32_t n = objects->count < OBJECTS ? objects->count : OBJECTS, i;

	for (i = 0; i < n; i++) {
		if (objects->id[i] != id)
			continue;
		objects->id[i] = objects->id[n - 1];
		objects->what[i] = objects->what[n - 1];
		objects->count = n - 1;
		return;
	}
}

/* Mostly the room; else none, or its end lies behind what there is. */
static uint64_t address(const struct world *world, uint32_t word)
{
	switch (word % 16) {
	case 0:
		return 0;
	case 1:
		return (uintptr_t)world->hole;
	case 2:
		return (uintptr_t)(world->hole - 8);
	default:
		return (uintptr_t)world->room;
	}
}

/* --------------------------------------------------------------------- calls */

static int call_query(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_query args = {
		.type = field(word[0], 10),
		.index = word[1] & 1 ? object(&file->plans, word[2]) : field(word[2], 4),
		.ptr = address(world, word[3]),
		.size = number(word[4]) % (ROOM_BYTES + 1),
		.stride = word[5] & 3 ? 0 : number(word[6]),
	};

	if (word[5] & 12) {
		args = (struct drm_loom_query) {
			.type = word[0] % (DRM_LOOM_QUERY_CHIP + 1),
			.ptr = (uintptr_t)world->room, .size = ROOM_BYTES,
		};
		if (args.type == DRM_LOOM_QUERY_FIT)
			args.index = object(&file->plans, word[2]);
		else if (args.type && args.type < DRM_LOOM_QUERY_NO_SPACE)
			args.index = word[2] % 2;
	} else if (!(word[1] & 7)) {
		args.index |= field(word[7], 70) << 16;
	}
	return loom_call(file->fd, DRM_IOCTL_LOOM_QUERY, &args);
}

static int call_bo_create(struct world *world, struct file *file, const uint32_t *word)
{
	uint64_t mask = word[7] | (uint64_t)word[8] << 32;
	bool good = word[9] & 0x1c0;
	struct drm_loom_bo_create args = {
		.size = (uint64_t)number(word[0]) * (1 + field(word[1], 40)),
		.region = field(word[2], 3),
		.layout = field(word[3], 5),
		.page_bytes = number(word[4]),
		.direction = field(word[5], 4),
	};
	int ret;

	if (good) {
		/* whole rows, as plans bind them */
		args = (struct drm_loom_bo_create) {
			.size = world->lanes * LOOM_ROW_BYTES * (1 + word[0] % 3),
			.region = word[2] % 2, .page_bytes = word[4] & 1 ? 0 : LOOM_ROW_BYTES,
		};
	} else if (args.layout == DRM_LOOM_LAYOUT_IMAGE) {
		args.size = 0;
		args.width = number(word[0]) % 2000;
		args.height = 1 + field(word[1], 200);
		args.dtype = field(word[6], DRM_LOOM_DTYPE_END);
		args.pitch_bytes = number(word[4]);
		args.page_bytes = 0;
	} else if (args.layout) {
		args.page_columns = 1 + field(word[6], 40);
		args.shard_rows = 1 + field(word[6] >> 4, 9);
		args.shard_columns = 1 + field(word[6] >> 8, 9);
		args.grid_columns = 1 + field(word[6] >> 12, 9);
		args.shard_order = field(word[6] >> 16, 2);
	}
	if (!good && word[9] & 1) {
		args.bank_mask = word[9] & 2 ? (uintptr_t)&mask : address(world, word[9] >> 8);
		args.bank_mask_words = 1 + field(word[9] >> 2, 4);
	}
	if (word[9] & 32) {
		args.no_space = address(world, word[9] >> 6);
		args.no_space_size = sizeof(struct drm_loom_no_space);
	}
	ret = loom_call(file->fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
	if (!ret)
		object_add(&file->bos, args.handle,
			   args.region == DRM_LOOM_REGION_SRAM ? SRAM : HOST);
	return ret;
}

static int call_bo_info(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_bo_info info;

	return loom_bo_info(file->fd, object(&file->bos, word[0]), &info);
}

static int call_bo_wait(struct world *world, struct file *file, const uint32_t *word)
{
	int64_t until = word[1] & 1 ? 0 : loom_now_ns() + word[2] % (4 * LOOM_MSEC_NS);

	return loom_bo_wait(file->fd, object(&file->bos, word[0]), until);
}

static int call_bo_copy(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_bo_copy args = {
		.handle = object(&file->bos, word[0]),
		.offset = word[5] & 3 ? word[1] % LOOM_ROW_BYTES : number(word[1]),
		.size = word[5] & 3 ? 1 + word[2] % LOOM_ROW_BYTES :
			number(word[2]) % (ROOM_BYTES + 1),
		.ptr = address(world, word[3]),
		.flags = word[4] & 63 ? 0 : word[5],
	};

	return loom_call(file->fd, word[6] & 1 ? DRM_IOCTL_LOOM_BO_READ : DRM_IOCTL_LOOM_BO_WRITE,
			 &args);
}

static int call_bo_label(struct world *world, struct file *file, const uint32_t *word)
{
	static const char text[DRM_LOOM_LABEL_BYTES + 2] =
		"weights of the first convolution, as lists and reports name them:";
	struct drm_loom_bo_label args = {
		.handle = object(&file->bos, word[0]),
		.size = field(word[1], DRM_LOOM_LABEL_BYTES + 2),
		/* the other bytes that there are can hardly be printed */
		.ptr = word[3] & 3 ? (uintptr_t)text : address(world, word[2]),
	};

	return loom_call(file->fd, DRM_IOCTL_LOOM_BO_LABEL, &args);
}

static int call_bo_seal(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_bo_seal args = {
		.handle = object(&file->bos, word[0]),
		.pad = word[1] & 63 ? 0 : word[2],
	};

	return loom_call(file->fd, DRM_IOCTL_LOOM_BO_SEAL, &args);
}

static int call_bo_close(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_gem_close args = { .handle = object(&file->bos, word[0]) };

	object_forget(&file->bos, args.handle);
	return loom_call(file->fd, DRM_IOCTL_GEM_CLOSE, &args);
}

/* Touched by the kernel, on behalf of a pipe: a fault is an errno there. */
static int call_touch(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_bo_info info;
	unsigned char *map;
	uint64_t at;
	int ret = 0;

	if (loom_bo_info(file->fd, object_that_is(&file->bos, HOST, word[0]), &info) ||
	    !info.size || info.size > 1 << 24)
		return -ENOENT;
	map = mmap(NULL, info.size, PROT_READ | PROT_WRITE,
		   word[1] & 15 ? MAP_SHARED : MAP_PRIVATE, file->fd, info.mmap_offset);
	if (map == MAP_FAILED)
		return -errno;
	at = word[2] % info.size;
	if (write(world->pipe[1], map + at, 1) != 1) {
		ret = -errno;
	} else if (read(world->pipe[0], map + (word[3] & 1 ? 0 : info.size - 1), 1) != 1) {
		ret = -errno;
		if (read(world->pipe[0], world->room, 1) != 1)
			exit(KSFT_FAIL);
	}
	munmap(map, info.size);
	return ret;
}

static int call_plan_create(struct world *world, struct file *file, const uint32_t *word)
{
	bool good = word[6] >> 30;
	struct drm_loom_plan_create args = {
		.reject = word[1] & 3 ? address(world, word[2]) : 0,
		.reject_size = word[1] & 12 ? sizeof(struct drm_loom_reject) : number(word[2]),
		.flags = word[3] & 3 ? 0 : field(word[3] >> 2, 3),
		.conflict = word[3] & 64 ? address(world, word[4]) : 0,
		.conflict_size = word[3] & 64 ? sizeof(struct drm_loom_scratch_conflict) : 0,
	};
	uint32_t what = HOST, i;
	unsigned char *blob;
	uint64_t size;
	int ret;

	switch (word[0] % 4) {
	case 0:
		blob = loom_plan_blob_null(world->lanes, &size);
		what = NOTHING;
		break;
	case 1:
		blob = loom_plan_blob_unary(world->lanes, field(word[5], 24), &size);
		break;
	case 2:
		blob = loom_plan_blob_work(world->lanes, 1 + word[5] % 4, 1 + word[6] % 3, &size);
		break;
	default:
		what = SRAM;
		blob = loom_plan_blob_bound(world->lanes, 1 + word[5] % 4, 1 + word[6] % 3, &size);
	}
	if (good)
		args = (struct drm_loom_plan_create) {};
	for (i = 0; !good && i < word[7] % 8 / 4; i++)
		blob[word[8 + i] % size] = word[8 + i] >> 24;
	args.ptr = good || word[7] & 63 ? (uintptr_t)blob : address(world, word[9]);
	args.size = size - (good || word[7] & 512 ? 0 : word[9] % 3 * 4 % size);
	ret = loom_call(file->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	if (!ret)
		object_add(&file->plans, args.plan, what);
	free(blob);
	return ret;
}

static int call_plan_destroy(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t id = object(&file->plans, word[0]);

	object_forget(&file->plans, id);
	return loom_plan_destroy(file->fd, id);
}

static int call_context_create(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_context_create args = {
		.priority = field(word[0], 3),
		.flags = word[1] & 7 ? 0 : field(word[1] >> 3, 4),
		.lanes = word[2] & 3 ? 0 : field(word[2] >> 2, 4),
		.lane_mask = { word[3] & 3 ? 0 : word[4] & 0xff },
	};
	int ret = loom_call(file->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	if (!ret)
		object_add(&file->contexts, args.context, NOTHING);
	return ret;
}

static int call_context_destroy(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t id = object(&file->contexts, word[0]);

	object_forget(&file->contexts, id);
	return loom_context_destroy(file->fd, id);
}

static int call_context_query(struct world *world, struct file *file, const uint32_t *word)
{
	struct drm_loom_context_query query;

	return loom_context_query(file->fd, object(&file->contexts, word[0]), &query);
}

static int call_submit(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t plan = object(&file->plans, word[9]), what = object_what(&file->plans, plan);
	struct drm_loom_binding bindings[2] = {
		{ 0, object_that_is(&file->bos, what, word[0]),
		  word[1] & 15 ? 0 : number(word[2]) },
		{ 1, object_that_is(&file->bos, what, word[3]), 0 },
	};
	struct drm_loom_sync syncs[2] = {
		{ object(&file->syncs, word[4]), word[5] & 0x700 ? 0 : field(word[5], 2),
		  word[5] & 0x7000 ? 0 : number(word[5]) % 4 },
		{ object(&file->syncs, word[6]), word[7] & 0x700 ? 0 : field(word[7], 2),
		  word[7] & 0x7000 ? 0 : number(word[7]) % 4 },
	};
	struct drm_loom_submit args = {
		.context = object(&file->contexts, word[8]),
		.plan = plan,
		.bindings = { sizeof(bindings[0]), word[1] & 0xf00 ? 2 * (what != NOTHING) :
			      field(word[1] >> 12, 3), (uintptr_t)bindings },
		.in_syncs = { sizeof(syncs[0]), !(word[1] & 0x1f0000), (uintptr_t)syncs },
		.out_syncs = { sizeof(syncs[0]), !(word[1] & 0x600000), (uintptr_t)(syncs + 1) },
	};

	return loom_call(file->fd, DRM_IOCTL_LOOM_SUBMIT, &args);
}

static int call_sync_create(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t sync = loom_sync_create(file->fd, word[0] & 1);

	if (!sync)
		return -errno;
	object_add(&file->syncs, sync, NOTHING);
	return 0;
}

static int call_sync_wait(struct world *world, struct file *file, const uint32_t *word)
{
	return loom_sync_wait(file->fd, object(&file->syncs, word[0]),
			      loom_now_ns() + word[1] % (4 * LOOM_MSEC_NS));
}

static int call_sync_destroy(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t id = object(&file->syncs, word[0]);

	object_forget(&file->syncs, id);
	return loom_sync_destroy(file->fd, id);
}

static int call_export(struct world *world, struct file *file, const uint32_t *word)
{
	int dmabuf = loom_bo_export(file->fd, object(&file->bos, word[0]));

	if (dmabuf < 0)
		return dmabuf;
	if (world->dmabuf >= 0)
		close(world->dmabuf);
	world->dmabuf = dmabuf;
	return 0;
}

static int call_import(struct world *world, struct file *file, const uint32_t *word)
{
	uint32_t handle;
	int ret;

	if (world->dmabuf < 0)
		call_export(world, file, word);
	ret = loom_bo_import(file->fd, world->dmabuf, &handle);

	if (!ret)
		object_add(&file->bos, handle, HOST);
	return ret;
}

static int call_fdinfo(struct world *world, struct file *file, const uint32_t *word)
{
	return loom_engine_ns(file->fd) < 0 ? -EIO : 0;
}

/* The objects that most calls need: a context, buffers, plans and a syncobj. */
static void file_begin(struct world *world, struct file *file)
{
	static const uint32_t signaled[WORDS] = { 1 }, host[WORDS] = { [9] = 0x40 },
		sram[WORDS] = { [2] = DRM_LOOM_REGION_SRAM, [9] = 0x40 };
	uint32_t i;

	*file = (struct file) { .fd = loom_open() };
	if (file->fd < 0)
		exit(KSFT_FAIL);
	call_context_create(world, file, (uint32_t[WORDS]) { DRM_LOOM_PRIORITY_NORMAL });
	for (i = 0; i < 2; i++) {
		call_bo_create(world, file, host);
		call_bo_create(world, file, sram);
	}
	for (i = 1; i < 4; i++)
		call_plan_create(world, file, (uint32_t[WORDS]) { [0] = i, [6] = 1u << 31 });
	call_sync_create(world, file, signaled);
}

static int call_reopen(struct world *world, struct file *file, const uint32_t *word)
{
	close(file->fd);
	file_begin(world, file);
	return 0;
}

/* A call of a sequence is one of these, in proportion to @weight. */
static const struct call_kind {
	const char *name;
	uint32_t weight;
	int (*run)(struct world *world, struct file *file, const uint32_t *word);
} call_kinds[] = {
	{ "QUERY", 1, call_query },
	{ "BO_CREATE", 3, call_bo_create },
	{ "BO_INFO", 1, call_bo_info },
	{ "BO_WAIT", 1, call_bo_wait },
	{ "BO_READ, WRITE", 1, call_bo_copy },
	{ "BO_LABEL", 1, call_bo_label },
	{ "BO_SEAL", 1, call_bo_seal },
	{ "GEM_CLOSE", 1, call_bo_close },
	{ "mmap", 1, call_touch },
	{ "PLAN_CREATE", 2, call_plan_create },
	{ "PLAN_DESTROY", 1, call_plan_destroy },
	{ "CONTEXT_CREATE", 1, call_context_create },
	{ "CONTEXT_DESTROY", 1, call_context_destroy },
	{ "CONTEXT_QUERY", 1, call_context_query },
	{ "SUBMIT", 4, call_submit },
	{ "SYNCOBJ_CREATE", 1, call_sync_create },
	{ "SYNCOBJ_WAIT", 1, call_sync_wait },
	{ "SYNCOBJ_DESTROY", 1, call_sync_destroy },
	{ "PRIME export", 1, call_export },
	{ "PRIME import", 1, call_import },
	{ "fdinfo", 1, call_fdinfo },
	{ "open", 1, call_reopen },
};

/* How often each was called, and how often it succeeded. */
struct tally {
	uint32_t calls[LOOM_ARRAY_SIZE(call_kinds)];
	uint32_t accepted[LOOM_ARRAY_SIZE(call_kinds)];
};

static uint32_t call_kind_of(uint32_t word)
{
	uint32_t weights = 0, i;

	for (i = 0; i < LOOM_ARRAY_SIZE(call_kinds); i++)
		weights += call_kinds[i].weight;
	word %= weights;
	for (i = 0; word >= call_kinds[i].weight; i++)
		word -= call_kinds[i].weight;
	return i;
}

/* -------------------------------------------------------------------- sequences */

static void call_make(struct call *call, uint64_t *random)
{
	uint32_t i;

	call->kind = loom_random(random);
	for (i = 0; i < WORDS; i++)
		call->word[i] = loom_random(random);
}

static void sequence_make(struct sequence *sequence, uint64_t *random)
{
	uint32_t i;

	sequence->count = 1 + loom_random_below(random, CALLS);
	for (i = 0; i < sequence->count; i++)
		call_make(&sequence->calls[i], random);
}

static void sequence_change(struct sequence *sequence, const struct sequence *other,
			    uint64_t *random)
{
	uint32_t at = loom_random_below(random, sequence->count), from, n;

	switch (loom_random_below(random, 6)) {
	case 0:
		if (sequence->count == CALLS)
			break;
		memmove(&sequence->calls[at + 1], &sequence->calls[at],
			(sequence->count++ - at) * sizeof(sequence->calls[0]));
		call_make(&sequence->calls[at], random);
		break;
	case 1:
		if (sequence->count == 1)
			break;
		memmove(&sequence->calls[at], &sequence->calls[at + 1],
			(--sequence->count - at) * sizeof(sequence->calls[0]));
		break;
	case 2:
		/* it begins as this one and ends as another */
		from = loom_random_below(random, other->count);
		n = other->count - from;
		if (n > CALLS - at)
			n = CALLS - at;
		memmove(&sequence->calls[at], &other->calls[from], n * sizeof(other->calls[0]));
		sequence->count = at + n;
		break;
	default:
		sequence->calls[at].word[loom_random_below(random, WORDS)] = loom_random(random);
	}
}

static void sequence_run(const struct sequence *sequence, struct world *world,
			 struct tally *tally)
{
	uint32_t i;

	for (i = 0; i < 2; i++)
		file_begin(world, &world->files[i]);
	for (i = 0; i < sequence->count; i++) {
		const struct call *call = &sequence->calls[i];
		struct file *file = &world->files[call->kind >> 28 == 0];
		uint32_t kind = call_kind_of(call->kind & 0xffff);
		int ret = call_kinds[kind].run(world, file, call->word);

		tally->calls[kind]++;
		/* a wait that has come to its end was one */
		tally->accepted[kind] += !ret || ret == -ETIME;
	}
	if (world->dmabuf >= 0)
		close(world->dmabuf);
	world->dmabuf = -1;
	close(world->files[0].fd);
	close(world->files[1].fd);
}

/* How much was reached for the first time, and how much at all. Return: false if nobody knows. */
static bool read_news(uint32_t *news, uint32_t *reached)
{
	char text[64];

	return !loom_read_file(NEWS, text, sizeof(text)) &&
	       sscanf(text, "%u %u", news, reached) == 2;
}

static uint32_t setting(const char *name, uint32_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

FIXTURE_SETUP(guided)
{
	struct drm_loom_device_info info;
	int fd = loom_open();
	uint32_t i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		ASSERT_EQ(0, loom_query_region(fd, i, &self->before[i]));
	ASSERT_EQ(0, loom_query_device(fd, &info));
	close(fd);
	self->world.lanes = info.lanes;
	self->world.dmabuf = -1;
	self->world.room = malloc(ROOM_BYTES);
	self->world.hole = (unsigned char *)loom_unmapped();
	self->kept = malloc(KEPT * sizeof(*self->kept));
	ASSERT_NE(NULL, self->world.room);
	ASSERT_NE(NULL, self->kept);
	ASSERT_EQ(0, pipe2(self->world.pipe, O_CLOEXEC | O_NONBLOCK));
	self->random = setting("LOOM_GUIDED_SEED", 1);
}

FIXTURE_TEARDOWN(guided)
{
	struct drm_loom_region_info after;
	int64_t until = loom_soon();
	int fd = loom_open();
	uint32_t i, left;

	ASSERT_GE(fd, 0);
	do {
		for (i = left = 0; i < DRM_LOOM_REGION_COUNT; i++) {
			ASSERT_EQ(0, loom_query_region(fd, i, &after));
			left += after.blocks != self->before[i].blocks ||
				after.allocated_bytes != self->before[i].allocated_bytes ||
				after.scratch_bytes != self->before[i].scratch_bytes;
		}
	} while (left && loom_now_ns() < until && !usleep(20000));
	EXPECT_EQ(0, left);
	close(fd);
	EXPECT_TRUE(loom_device_works());
	free(self->world.room);
	free(self->kept);
	close(self->world.pipe[0]);
	close(self->world.pipe[1]);
}

static const struct sequence *any_kept(FIXTURE_DATA(guided) * self)
{
	return &self->kept[loom_random_below(&self->random, self->kept_count)];
}

TEST_F_TIMEOUT(guided, sequences_of_ioctls, 3600)
{
	int64_t until = loom_now_ns() + setting("LOOM_GUIDED_SECONDS", 3) * LOOM_SECOND_NS;
	uint32_t runs = 0, news, first = 0, reached = 0;
	bool guided = read_news(&news, &first);
	struct tally tally = {};
	uint32_t i;

	do {
		struct sequence sequence;

		if (!self->kept_count || !loom_random_below(&self->random, 8)) {
			sequence_make(&sequence, &self->random);
		} else {
			sequence = *any_kept(self);
			for (i = 1 << loom_random_below(&self->random, 4); i; i--)
				sequence_change(&sequence, any_kept(self), &self->random);
		}
		sequence_run(&sequence, &self->world, &tally);
		runs++;
		if (guided && read_news(&news, &reached) && news)
			self->kept[self->kept_count < KEPT ? self->kept_count++ :
				   loom_random_below(&self->random, KEPT)] = sequence;
	} while (loom_now_ns() < until);
	EXPECT_NE(0, runs);
	if (guided)
		ksft_print_msg("%u sequences, %u kept; counters reached before and after: %u, %u\n",
			       runs, self->kept_count, first, reached);
	else
		ksft_print_msg("%u sequences, of which nobody knows what they reach\n", runs);
	for (i = 0; i < LOOM_ARRAY_SIZE(call_kinds); i++) {
		ksft_print_msg("%-16s %8u calls, %8u accepted\n", call_kinds[i].name,
			       tally.calls[i], tally.accepted[i]);
		/* refused ones stay at the surface */
		if (tally.calls[i] >= ENOUGH)
			EXPECT_GE(4 * tally.accepted[i], tally.calls[i]);
	}
}
