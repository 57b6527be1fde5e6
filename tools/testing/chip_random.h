/* SPDX-License-Identifier: MIT */
/* Descriptions that make sense, and nothing else about them is sure. Draws from random_state. */
#ifndef LOOM_TEST_CHIP_RANDOM_H
#define LOOM_TEST_CHIP_RANDOM_H

#include "loom_chip.h"
#include "random.h"

/* Small numbers as often as large ones. */
static inline uint64_t chip_random_up_to(uint64_t most)
{
	uint64_t bits = random_below(64), value = random_u64() >> bits;

	return value > most ? value % (most + 1) : value;
}

static inline uint32_t chip_random_rate(void)
{
	uint32_t rate = chip_random_up_to(LOOM_CHIP_MAX_RATE);

	return rate ? rate : 1;
}

static inline void chip_random_region(struct drm_loom_chip_region *region, uint32_t banks)
{
	uint64_t part = 1 + chip_random_up_to((LOOM_CHIP_MAX_BANK_BYTES >> 6) - 1);

	region->banks = banks;
	region->sub_banks = 1 + random_below(64);
	region->bank_bytes = part * region->sub_banks;
	region->reserved_bytes = random_below(2) ? 0 : chip_random_up_to(region->bank_bytes - 1);
	region->align_bytes = 1U << random_below(21);
	region->floor_bytes = random_below(2) ? 0 :
			      chip_random_up_to(region->bank_bytes - region->reserved_bytes);
	region->flags = random_below(8);
	region->burst_bytes = random_below(2) ? 0 : chip_random_up_to(LOOM_CHIP_MAX_BURST_BYTES);
	region->read_rate = chip_random_rate();
	region->write_rate = random_below(2) ? region->read_rate : chip_random_rate();
	if (random_below(2)) {
		region->read_latency = chip_random_up_to(LOOM_CHIP_MAX_CYCLES);
		region->write_latency = chip_random_up_to(LOOM_CHIP_MAX_CYCLES);
	}
	if (random_below(2)) {
		region->read_energy = chip_random_up_to(LOOM_CHIP_MAX_ENERGY);
		region->write_energy = chip_random_up_to(LOOM_CHIP_MAX_ENERGY);
	}
}

static inline void chip_random_type(struct drm_loom_chip_type *type)
{
	type->mac_rate = random_below(2) ? 0 : chip_random_rate();
	type->op_rate = chip_random_rate();
	if (random_below(2))
		type->mac_energy = chip_random_up_to(LOOM_CHIP_MAX_ENERGY);
	if (random_below(2))
		type->op_energy = chip_random_up_to(LOOM_CHIP_MAX_ENERGY);
}

static inline void chip_random_units(struct drm_loom_chip_array *array,
				     struct drm_loom_chip_vector *vector)
{
	if (random_below(2))
		array->in_channels = chip_random_up_to(LOOM_CHIP_MAX_BLOCK);
	if (random_below(2))
		array->out_channels = chip_random_up_to(LOOM_CHIP_MAX_BLOCK);
	if (random_below(2))
		array->positions = chip_random_up_to(LOOM_CHIP_MAX_BLOCK);
	array->depthwise_rate = random_below(2) ? 0 : chip_random_rate();
	vector->pool_rate = random_below(2) ? 0 : chip_random_rate();
	vector->element_rate = random_below(2) ? 0 : chip_random_rate();
}

static inline void chip_random_name(char *name, size_t size)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	static const char *const hard[] = { "none", "null", "1.5", "-", "---", "_", "0", "yes" };
	size_t i, length = 1 + random_below(size - 1);

	memset(name, 0, size);
	if (!random_below(4)) {
		memcpy(name, hard[length % ARRAY_SIZE(hard)],
		       strlen(hard[length % ARRAY_SIZE(hard)]));
		return;
	}
	for (i = 0; i < length; i++)
		name[i] = letters[random_below(sizeof(letters) - 1 - !i)];
}

/* @opcodes are those that there are. */
static inline struct drm_loom_chip chip_random(uint64_t opcodes)
{
	struct drm_loom_chip chip;
	uint32_t i;

	memset(&chip, 0, sizeof(chip));
	chip_random_name(chip.name, sizeof(chip.name));
	chip.flags = random_below(2);
	chip.opcodes = opcodes & (random_below(2) ? random_u64() : UINT64_MAX);
	chip.opcodes |= 1ULL << DRM_LOOM_OP_COPY;
	chip.frequency_hz = 1 + chip_random_up_to(LOOM_CHIP_MAX_FREQUENCY_HZ - 1);
	chip.compute_units = 1 + random_below(DRM_LOOM_MAX_BANKS);
	chip.dma_start = chip_random_up_to(LOOM_CHIP_MAX_CYCLES);
	chip.compute_start = chip_random_up_to(LOOM_CHIP_MAX_CYCLES);
	if (random_below(4))
		chip_random_region(&chip.region[DRM_LOOM_REGION_DRAM],
				   1 + random_below(DRM_LOOM_MAX_BANKS));
	chip_random_region(&chip.region[DRM_LOOM_REGION_SRAM],
			   chip.region[DRM_LOOM_REGION_DRAM].banks ?
			   1 + random_below(DRM_LOOM_MAX_BANKS) : 1);
	chip.storage_banks = random_below(DRM_LOOM_MAX_BANKS + 1 -
					  chip.region[DRM_LOOM_REGION_SRAM].banks);
	for (i = 2; i < DRM_LOOM_REGION_COUNT; i++) {
		if (!random_below(2))
			continue;
		chip_random_region(&chip.region[i], 1 + random_below(DRM_LOOM_MAX_BANKS));
		/* it is only read */
		chip.region[i].write_rate = 0;
	}
	for (i = 1; i < DRM_LOOM_DTYPE_END; i++) {
		if (random_below(2) && (chip.dtypes || i + 1 < DRM_LOOM_DTYPE_END))
			continue;
		chip.dtypes |= 1U << i;
		chip_random_type(&chip.type[i]);
	}
	return chip;
}

#endif /* LOOM_TEST_CHIP_RANDOM_H */
