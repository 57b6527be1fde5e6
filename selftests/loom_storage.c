// SPDX-License-Identifier: GPL-2.0
/*
 * Banks of the SRAM that hold buffers and do not compute: a device with four lanes and three of
 * them behind, whose SRAM has the alignment of its DRAM.
 */
#include "loom_selftest.h"

#define NAME	"storage"
#define LANES	4
#define STORAGE	3
#define ALIGN	512

FIXTURE(storage)
{
	struct loom_client client;
	struct drm_loom_region_info sram;
	uint64_t base;
};

FIXTURE_SETUP(storage)
{
	if (!config_is_there())
		SKIP(return, "no configfs");
	ASSERT_EQ(0, config_make(NAME));
	ASSERT_EQ(0, config_set(NAME, "sram/banks", LANES));
	ASSERT_EQ(0, config_set(NAME, "storage_banks", STORAGE));
	ASSERT_EQ(0, config_set(NAME, "dram/align_bytes", ALIGN));
	ASSERT_EQ(0, config_set(NAME, "sram/align_bytes", ALIGN));
	ASSERT_EQ(0, config_set(NAME, "live", 1));
	ASSERT_EQ(0, loom_client_open_fd(&self->client, config_open(NAME)));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	self->base = self->sram.bank_bytes - self->sram.total_bytes;
}

FIXTURE_TEARDOWN(storage)
{
	loom_client_close(&self->client);
	EXPECT_EQ(0, config_remove(NAME));
}

/* Each page of 64 bytes is padded. */
static int on_banks(int fd, uint64_t size, uint64_t mask, struct drm_loom_bo_info *info)
{
	struct drm_loom_bo_create args = {
		.size = size, .region = DRM_LOOM_REGION_SRAM, .page_bytes = 64,
		.direction = DRM_LOOM_DIRECTION_BOTTOM_UP,
		.bank_mask = (uintptr_t)&mask, .bank_mask_words = 1,
	};

	return loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args) ?:
	       loom_bo_info(fd, args.handle, info);
}

TEST_F(storage, lanes_and_banks)
{
	struct drm_loom_chip chip = {};
	struct drm_loom_bank_info banks[LANES + STORAGE + 1];
	uint32_t size = sizeof(chip);

	EXPECT_EQ(LANES, self->client.info.lanes);
	EXPECT_EQ(LANES + STORAGE, self->sram.banks);
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_CHIP, 0, &chip, &size));
	EXPECT_EQ(LANES, chip.region[DRM_LOOM_REGION_SRAM].banks);
	EXPECT_EQ(STORAGE, chip.storage_banks);
	size = sizeof(banks);
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_BANKS, DRM_LOOM_REGION_SRAM, banks,
				&size));
	EXPECT_EQ((LANES + STORAGE) * sizeof(banks[0]), size);
}

TEST_F(storage, buffers_behind_the_lanes_have_all_of_the_bank)
{
	const uint64_t behind = ((1 << STORAGE) - 1) << LANES, half = self->sram.total_bytes / 2;
	const int fd = self->client.fd;
	struct drm_loom_bo_info info;

	/* from the first byte, where lanes have scratch, and up to half of the bank */
	ASSERT_EQ(0, on_banks(fd, 64 * STORAGE, behind, &info));
	EXPECT_EQ(self->base, info.address);
	EXPECT_EQ(STORAGE, info.banks);
	EXPECT_EQ(behind, info.bank_mask[0]);
	ASSERT_EQ(0, on_banks(fd, (half - ALIGN) / ALIGN * 64, 1 << LANES, &info));
	EXPECT_EQ(self->base + ALIGN, info.address);
	EXPECT_EQ(-EDQUOT, on_banks(fd, 64, 1 << LANES, &info));
	/* with a lane it is above the floor, and so in all banks */
	ASSERT_EQ(0, on_banks(fd, 64 * 2, 1 << LANES >> 1 | 2 << LANES, &info));
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, info.address);
	EXPECT_EQ(-EINVAL, on_banks(fd, 64, 1ull << (LANES + STORAGE), &info));
}

TEST_F(storage, a_buffer_has_the_alignment_of_the_dram)
{
	struct drm_loom_bo_info info;
	uint32_t region;

	EXPECT_EQ(ALIGN, self->sram.align_bytes);
	/* seven pages in two banks, the last one in part */
	ASSERT_EQ(0, on_banks(self->client.fd, 64 * 6 + 1, 3 << LANES, &info));
	EXPECT_EQ(0, info.address % ALIGN);
	EXPECT_EQ(ALIGN, info.page_pitch_bytes);
	EXPECT_EQ(4 * ALIGN, info.bytes_per_bank);
	EXPECT_EQ(2 * 4 * ALIGN - (64 * 6 + 1), info.padding_bytes);
	/* the same offsets as in the DRAM */
	for (region = DRM_LOOM_REGION_DRAM; region <= DRM_LOOM_REGION_SRAM; region++) {
		struct drm_loom_bo_create args = {
			.size = 1000, .region = region, .page_bytes = 100,
		};

		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
		ASSERT_EQ(0, loom_bo_info(self->client.fd, args.handle, &info));
		EXPECT_EQ(0, info.address % ALIGN);
		EXPECT_EQ(ALIGN, info.page_pitch_bytes);
	}
}

/* All banks are more than the lanes. */
TEST_F(storage, plans_compute_beside_them)
{
	const struct loom_client *client = &self->client;
	uint32_t plan = loom_client_plan_unary(client, DRM_LOOM_UNARY_NEG);
	struct drm_loom_bo_info info;
	uint32_t all;

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, on_banks(client->fd, 64, 1 << LANES, &info));
	EXPECT_EQ(self->base, info.address);
	ASSERT_EQ(0, loom_bo_create(client->fd, 4096, DRM_LOOM_REGION_SRAM, &all));
	ASSERT_EQ(0, loom_bo_info(client->fd, all, &info));
	EXPECT_EQ(LANES + STORAGE, info.banks);
	/* the scratch of the plan is where the buffer behind the lanes is */
	EXPECT_EQ(0, loom_client_run(client, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
}

TEST_F(storage, too_many)
{
	ASSERT_EQ(0, config_make("toomany"));
	ASSERT_EQ(0, config_set("toomany", "storage_banks", 256));
	EXPECT_EQ(-EINVAL, config_set("toomany", "live", 1));
	EXPECT_EQ(0, config_remove("toomany"));
}
