// SPDX-License-Identifier: GPL-2.0
/*
 * Soft devices of any shape, made in configfs: several at once, each with its own figures, caps and
 * timeout; refused settings; and removal, which leaves nothing behind even if a device is in use.
 */
#include "loom_selftest.h"

#define DEVICES		3
#define STORM_THREADS	3
#define STORM_NS	(8 * LOOM_SECOND_NS)

/* All that a device shows itself in. */
static uint32_t count_entries(void)
{
	static const char * const folders[] = {
		LOOM_CONFIGFS, "/dev/accel", "/sys/class/accel", "/sys/bus/platform/devices",
		"/sys/devices/virtual/workqueue", "/sys/kernel/debug/accel",
	};
	uint32_t entries = 0, i;

	for (i = 0; i < LOOM_ARRAY_SIZE(folders); i++) {
		DIR *dir = opendir(folders[i]);

		while (dir && readdir(dir))
			entries++;
		if (dir)
			closedir(dir);
	}
	return entries;
}

#define CHIP(name, bytes)	{ #name, offsetof(struct drm_loom_chip, name), bytes }
#define REGION(name, bytes)	{ #name, offsetof(struct drm_loom_chip_region, name), bytes }
/* structures of a type have the same size, so their distance is that of the arrays */
#define BESIDE(array, name)	{ #name, offsetof(struct drm_loom_chip, array[0].name) - \
				  offsetof(struct drm_loom_chip, type), 4 }
#define TYPE(name, bytes)	{ #name, offsetof(struct drm_loom_chip_type, name), bytes }

struct figure {
	const char *name;
	size_t offset, size;
};

static const struct figure chip_figures[] = {
	CHIP(dtypes, 4), CHIP(flags, 4), CHIP(opcodes, 8), CHIP(frequency_hz, 8),
	CHIP(compute_units, 4), CHIP(dma_start, 4), CHIP(compute_start, 4),
	CHIP(storage_banks, 4),
};

static const struct figure region_figures[] = {
	REGION(banks, 4), REGION(sub_banks, 4), REGION(bank_bytes, 8),
	REGION(reserved_bytes, 8), REGION(align_bytes, 8), REGION(floor_bytes, 8),
	REGION(flags, 4), REGION(burst_bytes, 4), REGION(read_rate, 4), REGION(write_rate, 4),
	REGION(read_latency, 4), REGION(write_latency, 4), REGION(read_energy, 4),
	REGION(write_energy, 4),
};

static const struct figure type_figures[] = {
	TYPE(mac_rate, 4), TYPE(op_rate, 4), TYPE(mac_energy, 4), TYPE(op_energy, 4),
	BESIDE(array, in_channels), BESIDE(array, out_channels), BESIDE(array, positions),
	BESIDE(array, depthwise_rate), BESIDE(vector, pool_rate), BESIDE(vector, element_rate),
};

static const char * const regions[] = { "dram", "sram", "rom" };
static const char * const types[] = {
	NULL, "f32", "f16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool",
};

static int config_figures(const char *name, const char *folder, const void *of,
			  const struct figure *figures, size_t count)
{
	char file[64];
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++) {
		const void *at = (const char *)of + figures[i].offset;

		snprintf(file, sizeof(file), "%s%s", folder, figures[i].name);
		ret = config_set(name, file, figures[i].size == 8 ? *(const uint64_t *)at :
								    *(const uint32_t *)at);
	}
	return ret;
}

static int config_chip(const char *name, const struct drm_loom_chip *chip)
{
	char folder[32];
	uint32_t i;
	int ret = config_write(name, "name", chip->name) ?:
		  config_figures(name, "", chip, chip_figures, LOOM_ARRAY_SIZE(chip_figures));

	for (i = 0; !ret && i < LOOM_ARRAY_SIZE(regions); i++) {
		snprintf(folder, sizeof(folder), "%s/", regions[i]);
		ret = config_figures(name, folder, &chip->region[i], region_figures,
				     LOOM_ARRAY_SIZE(region_figures));
	}
	for (i = 1; !ret && i < LOOM_ARRAY_SIZE(types); i++) {
		snprintf(folder, sizeof(folder), "types/%s/", types[i]);
		ret = config_figures(name, folder, &chip->type[i], type_figures,
				     LOOM_ARRAY_SIZE(type_figures));
	}
	return ret;
}

static int query_chip(int fd, struct drm_loom_chip *chip)
{
	uint32_t size = sizeof(*chip);

	return loom_query(fd, DRM_LOOM_QUERY_CHIP, 0, chip, &size);
}

/* One lane; 3 banks of odd sizes; 256 lanes whose streams take turns, with ROM. */
static void set_shape(struct drm_loom_chip *chip, uint32_t index)
{
	static const uint32_t lanes[DEVICES] = { 1, 3, 256 };
	static const uint64_t bytes[DEVICES] = { 1 << 20, 100008, 64 << 10 };
	struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];

	memset(chip->name, 0, sizeof(chip->name));
	snprintf(chip->name, sizeof(chip->name), "shape-%u", index);
	dram->banks = index + 1;
	dram->bank_bytes = (64 << 20) + 4096 * index;
	dram->read_latency = 10 + index;
	dram->read_energy = 7 * index;
	sram->banks = lanes[index];
	sram->sub_banks = 1;
	sram->bank_bytes = bytes[index];
	sram->floor_bytes = bytes[index] / 2;
	chip->type[DRM_LOOM_DTYPE_F32].mac_rate += index;
	chip->dma_start = 100 * index;
	if (index < 2)
		return;
	chip->flags = 0;
	chip->region[DRM_LOOM_REGION_ROM] = (struct drm_loom_chip_region) {
		.banks = 2, .sub_banks = 1, .bank_bytes = 8 << 20, .align_bytes = 64,
		.flags = DRM_LOOM_CHIP_IN_PLACE, .read_rate = 500,
	};
}

FIXTURE(configfs)
{
	/* the preset "soft", which the folder begins with */
	struct drm_loom_chip chip;
	char name[DEVICES][32];
};

FIXTURE_SETUP(configfs)
{
	uint32_t i;
	int fd;

	if (!config_is_there())
		SKIP(return, "no configfs");
	if (geteuid())
		SKIP(return, "not root");
	for (i = 0; i < DEVICES; i++)
		snprintf(self->name[i], sizeof(self->name[i]), "test-%d-%u", getpid(), i);
	ASSERT_EQ(0, config_make(self->name[0]));
	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	fd = config_open(self->name[0]);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, query_chip(fd, &self->chip));
	close(fd);
	/* the floor that it answers with is its own */
	self->chip.region[DRM_LOOM_REGION_SRAM].floor_bytes = 0;
	ASSERT_EQ(0, config_set(self->name[0], "live", 0));
}

FIXTURE_TEARDOWN(configfs)
{
	uint32_t i;

	for (i = 0; i < DEVICES; i++)
		config_remove(self->name[i]);
}

static float value(uint64_t i)
{
	return (float)i * (i % 3 ? -1.25f : 0.5f);
}

static bool fill(const struct loom_client *client, uint32_t handle)
{
	float *in = loom_bo_map(client->fd, handle, client->bytes);
	uint64_t i;

	if (in == MAP_FAILED)
		return false;
	for (i = 0; i < client->bytes / sizeof(float); i++)
		in[i] = value(i);
	munmap(in, client->bytes);
	return true;
}

/* Of @sign 1 what fill() wrote, of 0 the absolute values. */
static bool holds(const struct loom_client *client, uint32_t handle, bool sign)
{
	float *map = loom_bo_map(client->fd, handle, client->bytes);
	uint64_t wrong = 0, i;

	if (map == MAP_FAILED)
		return false;
	for (i = 0; i < client->bytes / sizeof(float); i++)
		wrong += map[i] != (value(i) < 0 && !sign ? -value(i) : value(i));
	munmap(map, client->bytes);
	return !wrong;
}

/* out = |in| on this device, and what is in is there. */
static bool works_again(struct loom_client *client, uint32_t plan)
{
	uint32_t fence = loom_sync_create(client->fd, 0);
	bool good = !loom_client_run(client, plan, 2, fence) &&
		    !loom_sync_wait(client->fd, fence, loom_soon()) &&
		    holds(client, client->out, false);

	loom_sync_destroy(client->fd, fence);
	return good;
}

static bool works(struct loom_client *client, uint32_t plan)
{
	return fill(client, client->in) && works_again(client, plan);
}

/* out = |in|, where in is in ROM, and computed on there instead of in the scratch if @in_place. */
static uint32_t plan_from_rom(const struct loom_client *client, bool in_place)
{
	uint64_t size, i;
	struct drm_loom_plan_header *header = loom_plan_blob_unary(client->info.lanes,
								   DRM_LOOM_UNARY_ABS, &size);
	struct drm_loom_plan_tensor *tensors = (void *)header + header->tensors.offset;
	struct drm_loom_plan_slot *slots = (void *)header + header->slots.offset;
	struct drm_loom_plan_view *views = (void *)header + header->views.offset;

	slots[0].flags |= DRM_LOOM_SLOT_ROM;
	for (i = 0; i < header->tensors.count; i++)
		if (tensors[i].region == DRM_LOOM_REGION_DRAM && !tensors[i].slot)
			tensors[i].region = DRM_LOOM_REGION_ROM;
	/* UNARY reads in step 1 the view that LOAD reads in step 0 */
	if (in_place) {
		views[3] = views[1];
		tensors[views[1].tensor].last_step = 1;
	}
	return loom_client_plan(client, header, size);
}

TEST_F(configfs, devices_of_different_shapes_side_by_side)
{
	struct drm_loom_chip chip, got;
	struct loom_client client[DEVICES];
	uint32_t i;

	for (i = 0; i < DEVICES; i++) {
		if (i)
			ASSERT_EQ(0, config_make(self->name[i]));
		chip = self->chip;
		set_shape(&chip, i);
		ASSERT_EQ(0, config_chip(self->name[i], &chip));
		ASSERT_EQ(0, config_set(self->name[i], "job_timeout_ms", 60000 + i));
		ASSERT_EQ(0, config_set(self->name[i], "max_bytes", (64 << 20) + i));
		ASSERT_EQ(0, config_set(self->name[i], "live", 1));
		ASSERT_EQ(0, loom_client_open_fd(&client[i], config_open(self->name[i])));
		ASSERT_EQ(0, query_chip(client[i].fd, &got));
		/* the floor is the device's */
		chip.region[DRM_LOOM_REGION_SRAM].floor_bytes =
			got.region[DRM_LOOM_REGION_SRAM].floor_bytes;
		EXPECT_EQ(0, memcmp(&chip, &got, sizeof(got)));
		EXPECT_EQ(60000 + i, client[i].info.job_timeout_ms);
		EXPECT_EQ((64 << 20) + i, client[i].info.max_bo_bytes);
	}
	for (i = 0; i < DEVICES; i++)
		EXPECT_TRUE(works(&client[i], loom_client_plan_unary(&client[i],
								     DRM_LOOM_UNARY_ABS)));
	for (i = 0; i < DEVICES; i++)
		loom_client_close(&client[i]);
}

TEST_F(configfs, what_was_written_is_read)
{
	static const char * const caps[] = {
		"max_bytes", "max_file_bytes", "max_plans_bytes", "max_file_plans_bytes",
		"max_file_jobs", "max_file_contexts",
	};
	const char *name = self->name[0];
	char text[64], want[64];
	uint32_t i;

	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++)
		ASSERT_EQ(0, config_set(name, caps[i], 1000 + i));
	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++) {
		snprintf(want, sizeof(want), "%u", 1000 + i);
		ASSERT_LT(0, config_read(name, caps[i], text, sizeof(text)));
		EXPECT_STREQ(want, text);
	}
	/* a name that has all of its bytes has no zero behind it */
	memset(want, 'x', sizeof(want));
	want[sizeof(self->chip.name)] = 0;
	EXPECT_EQ(-EINVAL, config_write(name, "name", want));
	want[sizeof(self->chip.name) - 1] = 0;
	ASSERT_EQ(0, config_write(name, "name", want));
	ASSERT_LT(0, config_read(name, "name", text, sizeof(text)));
	EXPECT_STREQ(want, text);
}

TEST_F(configfs, weights_in_rom)
{
	struct drm_loom_chip chip = self->chip;
	struct loom_client client;
	uint32_t dram, plan;
	struct loom_job job;

	set_shape(&chip, 2);
	ASSERT_EQ(0, config_chip(self->name[0], &chip));
	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	ASSERT_EQ(0, loom_client_open_fd(&client, config_open(self->name[0])));
	dram = client.in;
	ASSERT_EQ(0, loom_bo_create(client.fd, client.bytes, DRM_LOOM_REGION_ROM, &client.in));
	plan = plan_from_rom(&client, true);
	ASSERT_NE(0, plan);
	EXPECT_TRUE(works(&client, plan));
	plan = plan_from_rom(&client, false);
	ASSERT_NE(0, plan);
	EXPECT_TRUE(works(&client, plan));

	/* each kind of buffer in the other's slot */
	loom_job_init(&job, &client, plan, 2, 0);
	job.bindings[0].handle = dram;
	EXPECT_EQ(-EINVAL, loom_job_submit(client.fd, &job));
	plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
	loom_job_init(&job, &client, plan, 2, 0);
	EXPECT_EQ(-EINVAL, loom_job_submit(client.fd, &job));
	job.bindings[0].handle = dram;
	job.bindings[1].handle = client.in;
	EXPECT_EQ(-EINVAL, loom_job_submit(client.fd, &job));
	job.bindings[1].handle = client.out;
	EXPECT_EQ(0, loom_job_submit(client.fd, &job));
	loom_client_close(&client);
}

static bool evicted(int fd, uint32_t handle)
{
	struct drm_loom_bo_info info;

	return !loom_bo_info(fd, handle, &info) && info.flags & DRM_LOOM_BO_EVICTED;
}

/*
 * A full ROM evicts like a full DRAM: the least recently used buffer loses its address and keeps
 * its bytes, and the next job that binds it brings it back.
 */
TEST_F(configfs, weights_leave_a_full_rom_and_come_back)
{
	const struct drm_loom_chip_region *rom = &self->chip.region[DRM_LOOM_REGION_ROM];
	uint32_t large[2], endless, plan, whole, i;
	struct loom_client client, other;
	struct drm_loom_region_info info;
	uint64_t bytes;

	set_shape(&self->chip, 2);
	bytes = rom->banks * rom->bank_bytes;
	ASSERT_EQ(0, config_chip(self->name[0], &self->chip));
	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	ASSERT_EQ(0, loom_client_open_fd(&client, config_open(self->name[0])));
	ASSERT_EQ(0, loom_client_open_fd(&other, config_open(self->name[0])));
	ASSERT_EQ(0, loom_bo_create(client.fd, client.bytes, DRM_LOOM_REGION_ROM, &client.in));
	plan = plan_from_rom(&client, false);
	ASSERT_NE(0, plan);
	ASSERT_TRUE(works(&client, plan));
	EXPECT_FALSE(evicted(client.fd, client.in));

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, loom_bo_create(other.fd, bytes / 2, DRM_LOOM_REGION_ROM, &large[i]));
		ASSERT_TRUE(fill(&other, large[i]));
	}
	EXPECT_TRUE(evicted(client.fd, client.in));
	EXPECT_TRUE(holds(&client, client.in, true));
	/* the DRAM has nothing to do with it */
	EXPECT_FALSE(evicted(client.fd, client.out));
	EXPECT_TRUE(works_again(&client, plan));
	EXPECT_FALSE(evicted(client.fd, client.in));
	EXPECT_TRUE(evicted(other.fd, large[0]));
	EXPECT_FALSE(evicted(other.fd, large[1]));

	/* a job that reads it does not keep it there, and keeps nobody waiting */
	endless = loom_client_plan_endless(&other);
	ASSERT_NE(0, endless);
	ASSERT_EQ(0, loom_client_run(&other, endless, 2, 0));
	ASSERT_EQ(0, loom_client_run(&client, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_create(other.fd, bytes, DRM_LOOM_REGION_ROM, &whole));
	EXPECT_TRUE(evicted(client.fd, client.in));
	EXPECT_TRUE(evicted(other.fd, large[1]));
	EXPECT_EQ(-ENOSPC, loom_bo_create(other.fd, bytes + rom->banks * LOOM_PAGE,
					  DRM_LOOM_REGION_ROM, &i));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(holds(&other, large[i], true));
	loom_client_close(&other);

	EXPECT_TRUE(works_again(&client, plan));
	EXPECT_EQ(0, loom_query_region(client.fd, DRM_LOOM_REGION_ROM, &info));
	EXPECT_EQ(client.bytes / rom->banks, info.allocated_bytes);
	loom_client_close(&client);
}

TEST_F(configfs, a_chip_without_dram)
{
	struct drm_loom_chip chip = self->chip;
	struct loom_client client;
	uint32_t handle, in, out, fence;

	set_shape(&chip, 2);
	memset(&chip.region[DRM_LOOM_REGION_DRAM], 0, sizeof(chip.region[0]));
	ASSERT_EQ(0, config_chip(self->name[0], &chip));
	EXPECT_EQ(-EINVAL, config_set(self->name[0], "live", 1));
	ASSERT_EQ(0, config_set(self->name[0], "sram/banks", 1));
	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	/* there are no buffers in DRAM to be had */
	EXPECT_EQ(-EINVAL, loom_client_open_fd(&client, config_open(self->name[0])));
	ASSERT_GE(client.fd, 0);
	EXPECT_EQ(-EINVAL, loom_bo_create(client.fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle));
	EXPECT_EQ(0, loom_bo_create(client.fd, LOOM_PAGE, DRM_LOOM_REGION_ROM, &handle));
	ASSERT_EQ(0, loom_bo_create(client.fd, LOOM_PAGE, DRM_LOOM_REGION_SRAM, &in));
	ASSERT_EQ(0, loom_bo_create(client.fd, LOOM_PAGE, DRM_LOOM_REGION_SRAM, &out));
	client = loom_client_bound(&client, in, out);
	fence = loom_client_run_bound(&client, 1, 1);
	ASSERT_NE(0, fence);
	EXPECT_EQ(0, loom_sync_wait(client.fd, fence, loom_soon()));
	/* a plan with DRAM in it is refused, and says so */
	EXPECT_EQ(0, loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS));
	loom_client_close(&client);
}

/* Figures of a chip are loom_chip_check()'s, see host/chip/limits.c. */
TEST_F(configfs, what_makes_no_sense_is_not_made)
{
	static const struct {
		const char *file;
		uint64_t value;
	} wrong[] = {
		{ "job_timeout_ms", 0 }, { "job_timeout_ms", 1ULL << 31 }, { "threads", 0 },
		{ "threads", 65 }, { "dtypes", 0 }, { "dram/align_bytes", 48 }, { "rom/banks", 1 },
		{ "types/i8/mac_rate", 2000000001 },
		{ "types/i8/in_channels", 65537 }, { "types/f32/element_rate", 2000000001 },
	};
	char before[32];
	uint32_t i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		ASSERT_LT(0, config_read(self->name[0], wrong[i].file, before, sizeof(before)));
		ASSERT_EQ(0, config_set(self->name[0], wrong[i].file, wrong[i].value));
		EXPECT_EQ(-EINVAL, config_set(self->name[0], "live", 1)) {
			TH_LOG("%s", wrong[i].file);
		}
		ASSERT_EQ(0, config_write(self->name[0], wrong[i].file, before));
	}
	EXPECT_EQ(-EINVAL, config_write(self->name[0], "dtypes", "many"));
	EXPECT_EQ(-EINVAL, config_write(self->name[0], "dtypes", "-1"));
	EXPECT_EQ(-ERANGE, config_write(self->name[0], "dtypes", "4294967296"));
	EXPECT_EQ(-ERANGE, config_write(self->name[0], "opcodes", "18446744073709551616"));
	EXPECT_EQ(-EINVAL, config_write(self->name[0], "live", "perhaps"));
	EXPECT_EQ(-EINVAL, config_write(self->name[0], "name",
					"a name that is longer than thirty-one characters"));
	ASSERT_EQ(0, config_write(self->name[0], "name", "Upper"));
	EXPECT_EQ(-EINVAL, config_set(self->name[0], "live", 1));
	ASSERT_EQ(0, config_write(self->name[0], "name", "lower"));
	EXPECT_EQ(0, config_set(self->name[0], "live", 1));
}

/* The kernel has numbers for 257 accel nodes. */
TEST_F_TIMEOUT(configfs, a_node_too_many_says_so, 200)
{
	uint32_t before = count_entries(), count, i;
	char name[32];
	int ret = 0;

	if (loom_effort(100) < 100)
		SKIP(return, "making all nodes that there can be takes a minute here");
	for (count = 0; !ret && count < 300; count++) {
		snprintf(name, sizeof(name), "many-%d-%u", getpid(), count);
		ASSERT_EQ(0, config_make(name));
		ret = config_set(name, "live", 1);
	}
	EXPECT_EQ(-EBUSY, ret);
	EXPECT_LT(1, count);
	TH_LOG("%u devices at once", count - 1);
	EXPECT_TRUE(loom_device_works());
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "many-%d-%u", getpid(), i);
		EXPECT_EQ(0, config_remove(name));
	}
	EXPECT_EQ(before, count_entries());
	EXPECT_EQ(0, config_set(self->name[0], "live", 1));
}

TEST_F(configfs, nothing_changes_while_it_is_live)
{
	static const char * const files[] = {
		"dtypes", "opcodes", "max_file_jobs", "job_timeout_ms", "dram/banks",
		"rom/bank_bytes", "types/f64/op_energy",
	};
	char text[32];
	uint32_t i;

	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	for (i = 0; i < LOOM_ARRAY_SIZE(files); i++)
		EXPECT_EQ(-EBUSY, config_set(self->name[0], files[i], 1));
	EXPECT_EQ(-EBUSY, config_write(self->name[0], "name", "other"));
	EXPECT_EQ(0, config_set(self->name[0], "live", 1));
	EXPECT_EQ(1, config_read(self->name[0], "live", text, sizeof(text)));
	EXPECT_STREQ("1", text);
	EXPECT_LT(0, config_read(self->name[0], "node", text, sizeof(text)));
	EXPECT_EQ(0, config_set(self->name[0], "live", 0));
	EXPECT_EQ(0, config_read(self->name[0], "node", text, sizeof(text)));
	EXPECT_EQ(0, config_set(self->name[0], "dma_start", 1));
}

TEST_F(configfs, takes_privileges)
{
	pid_t child = loom_fork();
	int status;

	ASSERT_GE(child, 0);
	if (!child) {
		int made, set;

		if (loom_become_nobody())
			_exit(1);
		made = config_make("nobodys");
		set = config_set(self->name[0], "live", 1);
		_exit((made != -EACCES && made != -EPERM) || (set != -EACCES && set != -EPERM));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* Copies the result of a longer job on the device @name to @sums. */
static bool sums_of(const char *name, float *sums, uint64_t bytes)
{
	struct loom_client client;
	uint32_t plan, fence;
	void *map;
	bool good;

	if (loom_client_open_fd(&client, config_open(name)))
		return false;
	plan = loom_client_plan_busy(&client);
	fence = loom_sync_create(client.fd, 0);
	map = loom_bo_map(client.fd, client.out, client.bytes);
	good = plan && bytes == client.bytes && map != MAP_FAILED && fill(&client, client.in) &&
	       !loom_client_run(&client, plan, 2, fence) &&
	       !loom_sync_wait(client.fd, fence, loom_soon());
	if (good)
		memcpy(sums, map, bytes);
	if (map != MAP_FAILED)
		munmap(map, client.bytes);
	loom_client_close(&client);
	return good;
}

/* Workers that share commands: the bits of one, jobs take turns, and all of them stop. */
TEST_F(configfs, several_workers_are_one_engine)
{
	struct loom_client client, other;
	uint32_t plan, fence, i;
	float *sums[2];

	ASSERT_EQ(0, config_make(self->name[1]));
	ASSERT_EQ(0, config_chip(self->name[1], &self->chip));
	ASSERT_EQ(0, config_chip(self->name[0], &self->chip));
	ASSERT_EQ(0, config_set(self->name[0], "threads", 3));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, config_set(self->name[i], "live", 1));
	ASSERT_EQ(0, loom_client_open_fd(&client, config_open(self->name[0])));
	for (i = 0; i < 2; i++) {
		sums[i] = malloc(client.bytes);
		ASSERT_TRUE(sums[i] && sums_of(self->name[i], sums[i], client.bytes));
	}
	EXPECT_EQ(0, memcmp(sums[0], sums[1], client.bytes));

	/* the endless job gives up its turn in the middle of what is shared, and goes on */
	fence = loom_sync_create(client.fd, 0);
	ASSERT_EQ(0, loom_client_run(&client, loom_client_plan_endless(&client), 2, fence));
	ASSERT_EQ(0, loom_client_open_fd(&other, config_open(self->name[0])));
	plan = loom_client_plan_unary(&other, DRM_LOOM_UNARY_ABS);
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(works(&other, plan));
	memset(sums[0], 0, client.bytes);
	EXPECT_TRUE(sums_of(self->name[0], sums[0], client.bytes));
	EXPECT_EQ(0, memcmp(sums[0], sums[1], client.bytes));
	ASSERT_EQ(0, config_set(self->name[0], "live", 0));
	EXPECT_EQ(-ENODEV, loom_query_device(client.fd, &client.info));
	EXPECT_GT(0, loom_sync_status(client.fd, fence));
	loom_client_close(&other);
	loom_client_close(&client);
	for (i = 0; i < 2; i++)
		free(sums[i]);
}

/* A device that has gone while its file is open: calls fail, memory stays, and nothing is left. */
TEST_F(configfs, removed_while_a_job_runs)
{
	struct loom_client client;
	uint32_t fence, plan;
	unsigned char *map;

	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	ASSERT_EQ(0, loom_client_open_fd(&client, config_open(self->name[0])));
	plan = loom_client_plan_endless(&client);
	fence = loom_sync_create(client.fd, 0);
	map = loom_bo_map(client.fd, client.in, client.bytes);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, loom_client_run(&client, plan, 2, fence));
	ASSERT_EQ(0, config_remove(self->name[0]));
	EXPECT_EQ(-ENODEV, loom_query_device(client.fd, &client.info));
	map[0] = 1;
	loom_client_close(&client);
	munmap(map, client.bytes);
	/* the name is free again */
	EXPECT_EQ(0, config_make(self->name[0]));
}

/*
 * A storm: threads make devices and unmake them, others run jobs on those, and bystanders on
 * devices that stay compare all that comes out.
 */
struct storm {
	const char *name;
	const struct drm_loom_chip *chip;
	uint32_t index;
	const bool *stop;
	uint32_t rounds;
	/* number submitted to the devices that go */
	uint32_t jobs;
	int failed;
};

struct bystander {
	/* NULL: the module's own */
	const char *name;
	const bool *stop;
	uint32_t right, wrong;
};

#define READ(at)	__atomic_load_n(&(at), __ATOMIC_RELAXED)
#define COUNT(at)	__atomic_fetch_add(&(at), 1, __ATOMIC_RELAXED)

/* Jobs on whatever device there is, until it goes. */
static void *storm_client(void *data)
{
	struct storm *storm = data;
	struct loom_client client;
	uint32_t plan;

	while (!READ(*storm->stop)) {
		if (!loom_client_open_fd(&client, config_open(storm->name))) {
			plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
			while (plan && !loom_client_run(&client, plan, 2, 0) &&
			       !READ(*storm->stop)) {
				COUNT(storm->jobs);
				usleep(1000);
			}
		}
		loom_client_close(&client);
		usleep(1000);
	}
	return NULL;
}

/*
 * Every other device goes after a time that differs, whatever it is in the middle of; the others
 * when jobs run on them, which takes a slow machine much longer.
 */
static void storm_pause(struct storm *storm)
{
	int64_t end = loom_soon();
	uint32_t jobs = READ(storm->jobs);

	if (storm->rounds % 2)
		usleep(1000 * (storm->rounds % 64));
	else
		while (READ(storm->jobs) == jobs && !READ(*storm->stop) && loom_now_ns() < end)
			usleep(1000);
}

static void *storm_maker(void *data)
{
	struct storm *storm = data;
	struct drm_loom_chip chip;

	while (!READ(*storm->stop) && !storm->failed) {
		chip = *storm->chip;
		set_shape(&chip, (storm->index + storm->rounds) % DEVICES);
		storm->failed = config_make(storm->name) ?: config_chip(storm->name, &chip) ?:
				config_set(storm->name, "live", 1);
		storm_pause(storm);
		if (!storm->failed && storm->rounds % 3)
			storm->failed = config_set(storm->name, "live", 0);
		storm->failed = storm->failed ?: config_remove(storm->name);
		COUNT(storm->rounds);
	}
	return NULL;
}

static void *storm_bystander(void *data)
{
	struct bystander *bystander = data;
	struct loom_client client;
	uint32_t plan;

	if (loom_client_open_fd(&client, bystander->name ? config_open(bystander->name) :
							   loom_open())) {
		bystander->wrong++;
		return NULL;
	}
	plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
	do {
		if (plan && works(&client, plan))
			bystander->right++;
		else
			bystander->wrong++;
		usleep(1000);
	} while (!READ(*bystander->stop));
	loom_client_close(&client);
	return NULL;
}

/* LOOM_STORM_DEVICES: how many it makes at least, however long that takes. */
TEST_F_TIMEOUT(configfs, a_storm_of_devices_leaves_nothing, 450)
{
	struct bystander bystander[] = { { .name = self->name[0] }, { .name = NULL } };
	pthread_t maker[STORM_THREADS], user[STORM_THREADS], other[LOOM_ARRAY_SIZE(bystander)];
	uint32_t wanted = strtoul(getenv("LOOM_STORM_DEVICES") ?: "6", NULL, 10);
	int64_t end = loom_now_ns() + STORM_NS;
	struct storm storm[STORM_THREADS] = {};
	uint32_t before, rounds, jobs, i;
	char name[STORM_THREADS][32];
	bool stop = false, failed;

	ASSERT_EQ(0, config_set(self->name[0], "live", 1));
	before = count_entries();
	for (i = 0; i < LOOM_ARRAY_SIZE(bystander); i++) {
		bystander[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&other[i], NULL, storm_bystander, &bystander[i]));
	}
	for (i = 0; i < STORM_THREADS; i++) {
		snprintf(name[i], sizeof(name[i]), "storm-%d-%u", getpid(), i);
		storm[i] = (struct storm) {
			.name = name[i], .chip = &self->chip, .index = i, .stop = &stop,
		};
		ASSERT_EQ(0, pthread_create(&maker[i], NULL, storm_maker, &storm[i]));
		ASSERT_EQ(0, pthread_create(&user[i], NULL, storm_client, &storm[i]));
	}
	do {
		usleep(10000);
		failed = false;
		for (rounds = jobs = i = 0; i < STORM_THREADS; i++) {
			rounds += READ(storm[i].rounds);
			jobs += READ(storm[i].jobs);
			failed |= READ(storm[i].failed);
		}
	} while (!failed && (loom_now_ns() < end || rounds < wanted || !jobs));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);

	for (rounds = jobs = i = 0; i < STORM_THREADS; i++) {
		pthread_join(maker[i], NULL);
		pthread_join(user[i], NULL);
		EXPECT_EQ(0, storm[i].failed);
		rounds += storm[i].rounds;
		jobs += storm[i].jobs;
		EXPECT_EQ(-ENOENT, config_remove(name[i]));
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(bystander); i++) {
		pthread_join(other[i], NULL);
		EXPECT_EQ(0, bystander[i].wrong);
		EXPECT_LT(0, bystander[i].right);
	}
	TH_LOG("%u devices made and removed under %u jobs; %u jobs on others", rounds, jobs,
	       bystander[0].right + bystander[1].right);
	EXPECT_LE(wanted, rounds);
	EXPECT_LT(0, jobs);
	end = loom_soon();
	while (count_entries() != before && loom_now_ns() < end)
		usleep(1000);
	EXPECT_EQ(before, count_entries());
	EXPECT_TRUE(loom_device_works());
}
