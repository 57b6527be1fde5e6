/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_SIM_DRIVER_H
#define LOOM_TESTS_SIM_DRIVER_H

/* A minimal driver for the registers and rings of the device. */

#include "client.h"
#include "loom_chip.h"
#include "loom_layout.h"

#define ENTRIES		64
/* Where things are in the client's memory. */
#define SUBMIT_AT	0
#define RECORD_AT	(1 << 20)
#define PLACES_AT	(2 << 20)
#define EXTENTS_AT	(3 << 20)
/* Set of banks of a job in a partition. */
#define LANES_AT	(7 << 20)
#define DATA_AT		(8 << 20)
/* How long a device may take for anything in these tests. */
#define PATIENCE_MS	60000

/**
 * struct driver - a driver
 * @client: of which device
 * @chip: the device's description of itself
 * @epoch: the one in effect
 * @submitted: descriptors since the reset
 * @seen: records since the reset
 * @sequence: the last that was given
 * @top: by region: first address in its banks that is not in use
 */
struct driver {
	struct client *client;
	struct drm_loom_chip chip;
	u32 epoch;
	u32 submitted;
	u32 seen;
	u64 sequence;
	u64 top[DRM_LOOM_REGION_COUNT];
};

static inline void driver_probe(struct driver *driver, struct client *client)
{
	u32 i;

	*driver = (struct driver){ .client = client, .sequence = 1000 };
	for (i = 0; i < sizeof(driver->chip); i += 4) {
		u32 word = client_get(client, LOOM_PCI_CHIP + i);

		memcpy((u8 *)&driver->chip + i, &word, 4);
	}
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		driver->top[i] = driver->chip.region[i].reserved_bytes;
}

/* Writes where the rings are, and asks for an epoch. */
static inline void driver_ask_reset(struct driver *driver, u32 epoch)
{
	struct client *client = driver->client;

	memset(client->ram + RECORD_AT, 0, ENTRIES * sizeof(struct loom_pci_record));
	client_set64(client, LOOM_PCI_SUBMIT_BASE, RAM_BASE + SUBMIT_AT);
	client_set64(client, LOOM_PCI_RECORD_BASE, RAM_BASE + RECORD_AT);
	client_set(client, LOOM_PCI_ENTRIES, ENTRIES);
	client_set(client, LOOM_PCI_RESET, epoch);
	driver->epoch = epoch;
	driver->submitted = 0;
	driver->seen = 0;
}

static inline bool driver_wait_reset(struct driver *driver, u64 ms)
{
	u64 end = client_now_ms() + ms;

	while (client_get(driver->client, LOOM_PCI_EPOCH) != driver->epoch) {
		if (client_now_ms() > end)
			return false;
		usleep(1000);
	}
	client_set(driver->client, LOOM_PCI_IRQ_ENABLE, LOOM_PCI_IRQ_ALL);
	return client_get(driver->client, LOOM_PCI_STATUS) == LOOM_PCI_STATUS_READY;
}

static inline bool driver_reset(struct driver *driver, u32 epoch)
{
	driver_ask_reset(driver, epoch);
	return driver_wait_reset(driver, PATIENCE_MS);
}

/* Puts a descriptor into the ring, without telling the device; gives it a sequence. */
static inline u64 driver_put(struct driver *driver, struct loom_pci_descriptor descriptor)
{
	u32 words[sizeof(descriptor) / sizeof(u32)], wrong = 0, i;

	descriptor.sequence = ++driver->sequence;
	if (!descriptor.epoch)
		descriptor.epoch = driver->epoch;
	/* with a sum that is not right, where a test has asked for that */
	memcpy(words, &descriptor, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		wrong += words[i];
	descriptor.sum += LOOM_PCI_DESCRIPTOR_SUM - (wrong - descriptor.sum);
	memcpy(driver->client->ram + SUBMIT_AT +
	       driver->submitted++ % ENTRIES * sizeof(descriptor), &descriptor,
	       sizeof(descriptor));
	return descriptor.sequence;
}

static inline void driver_ring(struct driver *driver)
{
	client_set(driver->client, LOOM_PCI_DOORBELL, driver->submitted);
}

static inline u64 driver_submit(struct driver *driver, struct loom_pci_descriptor descriptor)
{
	u64 sequence = driver_put(driver, descriptor);

	driver_ring(driver);
	return sequence;
}

/* The next record, if it is there. */
static inline bool driver_look(struct driver *driver, struct loom_pci_record *record)
{
	const struct loom_pci_record *at = (const void *)(driver->client->ram + RECORD_AT +
						driver->seen % ENTRIES * sizeof(*record));

	/* a record is written before its mark */
	if (__atomic_load_n(&at->mark, __ATOMIC_ACQUIRE) != driver->seen + 1)
		return false;
	memcpy(record, at, sizeof(*record));
	driver->seen++;
	return true;
}

/* The next record; false if none comes. */
static inline bool driver_wait(struct driver *driver, struct loom_pci_record *record, u64 ms)
{
	u64 end = client_now_ms() + ms;

	for (;;) {
		u64 now = client_now_ms();

		if (driver_look(driver, record))
			return true;
		if (now >= end || client_wait_irq(driver->client, end - now) < 0)
			return false;
	}
}

/* Submits and waits: the result, or LOOM_PCI_RESULT_END if something else comes, or nothing. */
static inline u32 driver_do(struct driver *driver, struct loom_pci_descriptor descriptor,
			    struct loom_pci_record *record)
{
	u64 sequence = driver_submit(driver, descriptor);

	if (!driver_wait(driver, record, PATIENCE_MS) || record->sequence != sequence ||
	    record->epoch != driver->epoch || record->kind != descriptor.kind)
		return LOOM_PCI_RESULT_END;
	return record->result;
}

static inline u32 driver_nop(struct driver *driver)
{
	struct loom_pci_record record;

	return driver_do(driver, (struct loom_pci_descriptor){ .kind = LOOM_PCI_KIND_NOP },
			 &record);
}

/* ------------------------------------------------------------------ buffers */

/* Room in all banks of a region, interleaved. */
static inline struct loom_pci_place driver_buffer(struct driver *driver, u32 region, u64 bytes,
						  u64 page_bytes)
{
	const struct drm_loom_chip_region *banks = &driver->chip.region[region];
	struct loom_pci_place place = { .region = region, .bytes = bytes, .size = bytes };
	struct loom_layout layout;
	u64 at = (driver->top[region] + 63) / 64 * 64;
	u32 i;

	if (loom_layout_interleaved(&layout, bytes, page_bytes, banks->banks, banks->align_bytes) ||
	    at + layout.bytes_per_bank > banks->bank_bytes)
		tap_fatal("no room for %llu bytes", (unsigned long long)bytes);
	driver->top[region] = at + layout.bytes_per_bank;
	place.address = at;
	place.page_bytes = layout.page_bytes;
	place.page_pitch_bytes = layout.page_pitch_bytes;
	place.banks = layout.banks;
	for (i = 0; i < layout.banks; i++)
		place.bank[i] = i;
	return place;
}

static inline void driver_put_place(struct driver *driver, u32 index,
				    const struct loom_pci_place *place)
{
	memcpy(driver->client->ram + PLACES_AT + index * sizeof(*place), place, sizeof(*place));
}

/* Pieces of the client's memory from DATA_AT on, cut at odd places; their number. */
static inline u32 driver_put_extents(struct driver *driver, u64 bytes, u64 piece)
{
	struct loom_pci_extent *extents = (void *)(driver->client->ram + EXTENTS_AT);
	u64 at;
	u32 n = 0;

	for (at = 0; at < bytes; at += piece)
		extents[n++] = (struct loom_pci_extent){
			.address = RAM_BASE + DATA_AT + at,
			.bytes = min(piece, bytes - at),
		};
	return n;
}

/* Copies @bytes between the client's memory and a place: a result. */
static inline u32 driver_copy(struct driver *driver, const struct loom_pci_place *place, void *in,
			      void *out)
{
	struct loom_pci_record record;
	u32 result;

	driver_put_place(driver, 0, place);
	if (in)
		memcpy(driver->client->ram + DATA_AT, in, place->bytes);
	else
		memset(driver->client->ram + DATA_AT, 0xee, place->bytes);
	result = driver_do(driver, (struct loom_pci_descriptor){
		.kind = in ? LOOM_PCI_KIND_COPY_IN : LOOM_PCI_KIND_COPY_OUT,
		.address = RAM_BASE + PLACES_AT,
		.scatter = RAM_BASE + EXTENTS_AT,
		.count = driver_put_extents(driver, place->bytes, 100003),
	}, &record);
	if (out)
		memcpy(out, driver->client->ram + DATA_AT, place->bytes);
	return result;
}

#endif /* LOOM_TESTS_SIM_DRIVER_H */
