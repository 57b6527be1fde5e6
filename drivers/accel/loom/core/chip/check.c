// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_chip.h"

static int chip_fault_of(struct loom_chip_fault *fault, u32 region, u32 type,
			 enum loom_chip_key key, const char *text)
{
	if (fault)
		*fault = (struct loom_chip_fault){
			.key = key,
			.region = region,
			.type = type,
			.text = text,
		};
	return -EINVAL;
}

static int chip_fault(struct loom_chip_fault *fault, enum loom_chip_key key, const char *text)
{
	return chip_fault_of(fault, U32_MAX, U32_MAX, key, text);
}

static int chip_fault_region(struct loom_chip_fault *fault, u32 region, enum loom_chip_key key,
			     const char *text)
{
	return chip_fault_of(fault, region, U32_MAX, key, text);
}

static int chip_fault_type(struct loom_chip_fault *fault, u32 type, enum loom_chip_key key,
			   const char *text)
{
	return chip_fault_of(fault, U32_MAX, type, key, text);
}

static bool chip_name_is_good(const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < size && name[i]; i++) {
		char c = name[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' &&
		    c != '.')
			return false;
	}
	if (!i || i == size || name[0] == '.')
		return false;
	for (; i < size; i++)
		if (name[i])
			return false;
	return true;
}

static bool chip_is_zero(const void *bytes, size_t size)
{
	const u8 *byte = bytes;

	while (size--)
		if (*byte++)
			return false;
	return true;
}

static int chip_check_whole(const struct drm_loom_chip *chip, struct loom_chip_fault *fault)
{
	const u32 dtypes = (1U << DRM_LOOM_DTYPE_END) - 2;

	if (!chip_name_is_good(chip->name, sizeof(chip->name)))
		return chip_fault(fault, LOOM_CHIP_KEY_NAME,
				  "is not 1 to 31 lower case letters, digits, '-', '_' and '.'");
	if (!chip->dtypes || chip->dtypes & ~dtypes)
		return chip_fault(fault, LOOM_CHIP_KEY_DTYPES, "has no types, or unknown ones");
	if (chip->flags & ~DRM_LOOM_CHIP_OVERLAP)
		return chip_fault(fault, LOOM_CHIP_KEY_FLAGS, "has unknown bits");
	if (!chip->opcodes || chip->opcodes & ~((1ULL << DRM_LOOM_OP_END) - 1) ||
	    !(chip->opcodes & 1ULL << DRM_LOOM_OP_COPY))
		return chip_fault(fault, LOOM_CHIP_KEY_OPCODES,
				  "has unknown operations, or lacks COPY");
	if (!chip->frequency_hz || chip->frequency_hz > LOOM_CHIP_MAX_FREQUENCY_HZ)
		return chip_fault(fault, LOOM_CHIP_KEY_FREQUENCY, "is not 1 Hz to 1 THz");
	if (!chip->compute_units || chip->compute_units > DRM_LOOM_MAX_BANKS)
		return chip_fault(fault, LOOM_CHIP_KEY_COMPUTE_UNITS, "is not 1 to 256");
	if (chip->dma_start > LOOM_CHIP_MAX_CYCLES)
		return chip_fault(fault, LOOM_CHIP_KEY_DMA_START, "is above 1000000");
	if (chip->compute_start > LOOM_CHIP_MAX_CYCLES)
		return chip_fault(fault, LOOM_CHIP_KEY_COMPUTE_START, "is above 1000000");
	if (chip->pad)
		return chip_fault(fault, LOOM_CHIP_KEY_PAD, "is not zero");
	return 0;
}

static int chip_check_sizes(const struct drm_loom_chip_region *region, u32 id,
			    struct loom_chip_fault *fault)
{
	if (region->banks > DRM_LOOM_MAX_BANKS)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_BANKS, "is above 256");
	if (!region->sub_banks || region->sub_banks > 64)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_SUB_BANKS, "is not 1 to 64");
	if (!region->bank_bytes || region->bank_bytes > LOOM_CHIP_MAX_BANK_BYTES)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_BANK_BYTES,
					 "is not 1 byte to 16 TiB");
	if (region->bank_bytes % region->sub_banks)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_SUB_BANKS,
					 "does not divide the size of a bank");
	if (!region->align_bytes || region->align_bytes & (region->align_bytes - 1) ||
	    region->align_bytes > LOOM_CHIP_MAX_ALIGN_BYTES)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_ALIGN_BYTES,
					 "is not a power of two up to 1 MiB");
	if (region->reserved_bytes >= region->bank_bytes)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_RESERVED_BYTES,
					 "leaves nothing of the bank");
	if (region->floor_bytes > region->bank_bytes - region->reserved_bytes)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_FLOOR_BYTES,
					 "is more than there is in a bank");
	return 0;
}

static int chip_check_clock(const struct drm_loom_chip_region *region, u32 id,
			    struct loom_chip_fault *fault)
{
	if (region->flags & ~(DRM_LOOM_CHIP_IN_PLACE | DRM_LOOM_CHIP_SHARED |
			      DRM_LOOM_CHIP_BROADCAST))
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_FLAGS, "has unknown bits");
	if (region->burst_bytes > LOOM_CHIP_MAX_BURST_BYTES)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_BURST_BYTES, "is above 1 MiB");
	if (!region->read_rate || region->read_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_READ_RATE,
					 "is not 0.001 to 2000000 bytes in a cycle");
	if (id == DRM_LOOM_REGION_ROM && region->write_rate)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_WRITE_RATE,
					 "is not zero in memory that is only read");
	if (id != DRM_LOOM_REGION_ROM &&
	    (!region->write_rate || region->write_rate > LOOM_CHIP_MAX_RATE))
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_WRITE_RATE,
					 "is not 0.001 to 2000000 bytes in a cycle");
	if (region->read_latency > LOOM_CHIP_MAX_CYCLES)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_READ_LATENCY, "is above 1000000");
	if (region->write_latency > LOOM_CHIP_MAX_CYCLES)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_WRITE_LATENCY,
					 "is above 1000000");
	if (region->read_energy > LOOM_CHIP_MAX_ENERGY)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_READ_ENERGY, "is above 2 uJ");
	if (region->write_energy > LOOM_CHIP_MAX_ENERGY)
		return chip_fault_region(fault, id, LOOM_CHIP_KEY_WRITE_ENERGY, "is above 2 uJ");
	return 0;
}

static int chip_check_units(const struct drm_loom_chip *chip, u32 id,
			    struct loom_chip_fault *fault)
{
	const struct drm_loom_chip_array *array = &chip->array[id];
	const struct drm_loom_chip_vector *vector = &chip->vector[id];

	if (array->in_channels > LOOM_CHIP_MAX_BLOCK)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_IN_CHANNELS, "is above 65536");
	if (array->out_channels > LOOM_CHIP_MAX_BLOCK)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_OUT_CHANNELS, "is above 65536");
	if (array->positions > LOOM_CHIP_MAX_BLOCK)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_POSITIONS, "is above 65536");
	if (array->depthwise_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_DEPTHWISE_RATE,
				       "is above 2000000 in a cycle");
	if (vector->pool_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_POOL_RATE,
				       "is above 2000000 in a cycle");
	if (vector->element_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_ELEMENT_RATE,
				       "is above 2000000 in a cycle");
	if (vector->reserved[0] || vector->reserved[1])
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_PAD, "is not zero");
	return 0;
}

static int chip_check_type(const struct drm_loom_chip *chip, u32 id, struct loom_chip_fault *fault)
{
	const struct drm_loom_chip_type *type = &chip->type[id];

	if (!(chip->dtypes >> id & 1))
		return chip_is_zero(type, sizeof(*type)) &&
		       chip_is_zero(&chip->array[id], sizeof(chip->array[id])) &&
		       chip_is_zero(&chip->vector[id], sizeof(chip->vector[id])) ? 0 :
		       chip_fault_type(fault, id, LOOM_CHIP_KEY_OP_RATE,
				       "is of a type that the chip does not have");
	if (type->mac_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_MAC_RATE,
				       "is above 2000000 in a cycle");
	if (!type->op_rate || type->op_rate > LOOM_CHIP_MAX_RATE)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_OP_RATE,
				       "is not 0.001 to 2000000 in a cycle");
	if (type->mac_energy > LOOM_CHIP_MAX_ENERGY)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_MAC_ENERGY, "is above 2 uJ");
	if (type->op_energy > LOOM_CHIP_MAX_ENERGY)
		return chip_fault_type(fault, id, LOOM_CHIP_KEY_OP_ENERGY, "is above 2 uJ");
	return chip_check_units(chip, id, fault);
}

int loom_chip_check(const struct drm_loom_chip *chip, struct loom_chip_fault *fault)
{
	int ret = chip_check_whole(chip, fault);
	u32 i;

	for (i = 0; !ret && i < DRM_LOOM_CHIP_REGIONS; i++) {
		const struct drm_loom_chip_region *region = &chip->region[i];

		if (!region->banks || i >= DRM_LOOM_REGION_COUNT) {
			if (!chip_is_zero(region, sizeof(*region)))
				ret = chip_fault_region(fault, i, LOOM_CHIP_KEY_BANKS,
							"is zero, or the region is unknown");
			continue;
		}
		ret = chip_check_sizes(region, i, fault);
		if (!ret)
			ret = chip_check_clock(region, i, fault);
	}
	if (ret)
		return ret;
	if (!chip->region[DRM_LOOM_REGION_SRAM].banks)
		return chip_fault_region(fault, DRM_LOOM_REGION_SRAM, LOOM_CHIP_KEY_BANKS,
					 "is zero: there is nothing to compute in");
	if (!chip->region[DRM_LOOM_REGION_DRAM].banks &&
	    chip->region[DRM_LOOM_REGION_SRAM].banks > 1)
		return chip_fault_region(fault, DRM_LOOM_REGION_SRAM, LOOM_CHIP_KEY_BANKS,
					 "is above 1 although there is no DRAM");
	for (i = 0; !ret && i < DRM_LOOM_CHIP_TYPES; i++)
		ret = chip_check_type(chip, i, fault);
	if (ret)
		return ret;
	if (chip->storage_banks > DRM_LOOM_MAX_BANKS - chip->region[DRM_LOOM_REGION_SRAM].banks)
		return chip_fault(fault, LOOM_CHIP_KEY_STORAGE_BANKS,
				  "is above 256, with the banks that compute");
	return chip->pad2 ? chip_fault(fault, LOOM_CHIP_KEY_PAD, "is not zero") : 0;
}
