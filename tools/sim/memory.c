// SPDX-License-Identifier: MIT
#include "memory.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

/* Content of the SRAM at power on: an unlikely small number as a float. */
#define MEMORY_NOISE	0xa5
/* No number of a layout is larger: sums and products of a few fit in 64 bits. */
#define MEMORY_MAX	(1ULL << 40)

static u64 memory_round(u64 bytes)
{
	return (bytes + LOOM_PCI_MAP_ALIGN - 1) / LOOM_PCI_MAP_ALIGN * LOOM_PCI_MAP_ALIGN;
}

/* The small ones first, so that a window that is too small for all has them. */
static void memory_lay(struct sim_memory *memory)
{
	static const u32 order[] = {
		DRM_LOOM_REGION_SRAM, DRM_LOOM_REGION_ROM, DRM_LOOM_REGION_DRAM,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		const struct drm_loom_chip_region *region = &memory->chip->region[order[i]];

		if (!region->banks)
			continue;
		memory->base[order[i]] = memory->total;
		memory->pitch[order[i]] = memory_round(region->bank_bytes);
		memory->total += loom_chip_banks(memory->chip, order[i]) * memory->pitch[order[i]];
	}
}

u8 *sim_memory_bank(const struct sim_memory *memory, u32 region, u32 bank)
{
	return memory->bytes + memory->base[region] + bank * memory->pitch[region];
}

u8 *sim_memory_lanes(const struct sim_memory *memory, const struct loom_mask *lanes)
{
	const u64 pitch = memory->pitch[DRM_LOOM_REGION_SRAM];
	u64 bytes = loom_mask_count(lanes) * pitch, at = 0, bank;
	u8 *view = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (view == MAP_FAILED)
		return NULL;
	for (bank = loom_mask_next(lanes, 0); at < bytes; at += pitch) {
		if (mmap(view + at, pitch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 memory->fd, memory->base[DRM_LOOM_REGION_SRAM] + bank * pitch) ==
		    MAP_FAILED) {
			munmap(view, bytes);
			return NULL;
		}
		bank = loom_mask_next(lanes, bank + 1);
	}
	return view;
}

static void memory_noise(struct sim_memory *memory)
{
	memset(sim_memory_bank(memory, DRM_LOOM_REGION_SRAM, 0), MEMORY_NOISE,
	       loom_chip_banks(memory->chip, DRM_LOOM_REGION_SRAM) *
	       memory->pitch[DRM_LOOM_REGION_SRAM]);
}

int sim_memory_init(struct sim_memory *memory, const struct drm_loom_chip *chip, u64 window)
{
	*memory = (struct sim_memory){ .chip = chip };
	memory_lay(memory);
	for (memory->bar = 1 << 20; memory->bar < memory->total && memory->bar < window;)
		memory->bar *= 2;
	memory->mapped = max(memory->bar, memory->total);
	memory->fd = memfd_create("loom-sim", MFD_CLOEXEC);
	if (memory->fd < 0 || ftruncate(memory->fd, memory->mapped))
		return -errno;
	memory->bytes = mmap(NULL, memory->mapped, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, memory->fd, 0);
	if (memory->bytes == MAP_FAILED)
		return -errno;
	memory_noise(memory);
	return 0;
}

/* Holes, and not a shorter file: a client that has it mapped would get SIGBUS. */
void sim_memory_lose(struct sim_memory *memory)
{
	if (fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, memory->mapped))
		memset(memory->bytes, 0, memory->mapped);
	memory_noise(memory);
}

static bool place_layout_ok(const struct loom_layout *layout)
{
	if (!layout->page_bytes || layout->page_bytes > MEMORY_MAX || layout->size > MEMORY_MAX ||
	    layout->page_pitch_bytes > MEMORY_MAX || !layout->banks ||
	    layout->banks > DRM_LOOM_MAX_BANKS)
		return false;
	if (!layout->page_columns)
		return true;
	return layout->page_columns <= MEMORY_MAX && layout->shard_rows &&
	       layout->shard_rows <= MEMORY_MAX && layout->shard_columns &&
	       layout->shard_columns <= MEMORY_MAX && layout->shards_across &&
	       layout->shards_across <= DRM_LOOM_MAX_BANKS && layout->grid_columns &&
	       layout->grid_rows &&
	       (u64)layout->grid_columns * layout->grid_rows == layout->banks;
}

static void place_read(struct sim_place *place, const struct loom_pci_place *raw)
{
	place->region = le32toh(raw->region);
	place->address = le64toh(raw->address);
	place->offset = le64toh(raw->offset);
	place->bytes = le64toh(raw->bytes);
	place->layout = (struct loom_layout){
		.size = le64toh(raw->size),
		.page_bytes = le64toh(raw->page_bytes),
		.page_pitch_bytes = le64toh(raw->page_pitch_bytes),
		.page_columns = le64toh(raw->page_columns),
		.shard_rows = le64toh(raw->shard_rows),
		.shard_columns = le64toh(raw->shard_columns),
		.shards_across = le64toh(raw->shards_across),
		.grid_columns = le32toh(raw->grid_columns),
		.grid_rows = le32toh(raw->grid_rows),
		.banks = le32toh(raw->banks),
		.column_major = le32toh(raw->flags) & LOOM_PCI_PLACE_COLUMN_MAJOR,
	};
	memcpy(place->bank, raw->bank, sizeof(place->bank));
}

/* Where page and byte lie in their bank, or NULL: outside. */
static u8 *place_at(const struct sim_place *place, u64 at, u64 bytes)
{
	const struct drm_loom_chip_region *region = &place->memory->chip->region[place->region];
	u64 address;
	u32 bank;

	loom_layout_map(&place->layout, place->address, at, &bank, &address);
	if (bank >= place->layout.banks ||
	    place->bank[bank] >= loom_chip_banks(place->memory->chip, place->region) ||
	    check_add_overflow(address, place->banks[bank], &address) ||
	    address > region->bank_bytes || bytes > region->bank_bytes - address)
		return NULL;
	return sim_memory_bank(place->memory, place->region, place->bank[bank]) + address;
}

u8 *sim_place_piece(const struct sim_place *place, u64 at, u64 *bytes)
{
	u64 from = place->offset + at;
	u64 in_page = place->layout.page_bytes - from % place->layout.page_bytes;

	*bytes = min(min(*bytes, in_page), place->bytes - at);
	return place_at(place, from, *bytes);
}

u32 sim_place_banks(const struct loom_pci_place *raw)
{
	u32 banks = le32toh(raw->banks);

	if (!(le32toh(raw->flags) & LOOM_PCI_PLACE_PER_BANK))
		return 0;
	return banks < DRM_LOOM_MAX_BANKS ? banks : DRM_LOOM_MAX_BANKS;
}

bool sim_place_init(struct sim_place *place, const struct sim_memory *memory,
		    const struct loom_pci_place *raw, const struct loom_pci_extent *banks)
{
	const u32 count = sim_place_banks(raw);
	u64 at, bytes, end;
	u32 i;

	place->memory = memory;
	place_read(place, raw);
	place->address = count ? 0 : place->address;
	for (i = 0; i < DRM_LOOM_MAX_BANKS; i++)
		place->banks[i] = i < count ? le64toh(banks[i].address) : 0;
	if (place->region >= DRM_LOOM_REGION_COUNT || !memory->chip->region[place->region].banks ||
	    le32toh(raw->flags) & ~(LOOM_PCI_PLACE_COLUMN_MAJOR | LOOM_PCI_PLACE_PER_BANK) ||
	    !place->bytes ||
	    place->address > MEMORY_MAX || !place_layout_ok(&place->layout) ||
	    check_add_overflow(place->offset, place->bytes, &end) || end > place->layout.size)
		return false;
	for (at = 0; at < place->bytes; at += bytes) {
		bytes = place->bytes;
		if (!sim_place_piece(place, at, &bytes))
			return false;
	}
	return true;
}

u8 *sim_place_linear(const struct sim_place *place)
{
	u64 at, bytes = place->bytes;
	u8 *start = sim_place_piece(place, 0, &bytes);

	for (at = bytes; at < place->bytes; at += bytes) {
		bytes = place->bytes;
		if (sim_place_piece(place, at, &bytes) != start + at)
			return NULL;
	}
	return start;
}
