/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_PCI_REGS_H
#define LOOM_PCI_REGS_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#else
#include <assert.h>
#include <stddef.h>
#endif

#include <drm/loom_accel.h>

/**
 * DOC: The registers of a Loom device
 *
 * What driver and device have agreed on, and all that they have: registers in BAR0, the banks of
 * the memory in BAR2, and two rings in the host's memory. The driver (loom_pci) and the model
 * (tools/sim) include this file and nothing else of each other.
 *
 * Life of a device:
 *
 * 1. The driver reads ID, VERSION and FIRMWARE, and refuses what it does not know. It reads the
 *    chip's description and MAP, and checks both: a device is not trusted.
 * 2. It writes where the rings are, and then an epoch to RESET: any number that is not zero and
 *    was not used lately. The device gives up all that it has begun, forgets plans and rings'
 *    positions, takes up the rings and the epoch, and then shows the epoch in EPOCH and
 *    STATUS_READY. Memory keeps its bytes. Reading EPOCH until it is there is how a driver waits.
 * 3. The driver writes descriptors to the submission ring, and the number of all that it has
 *    written since the reset to DOORBELL. The device answers each with one record in the
 *    completion ring, and an interrupt. It may answer in another order; but descriptors of one
 *    queue are executed one after the other, in their order.
 * 4. A reset of the function (FLR) or D3hot ends everything: registers are as after power on,
 *    epoch zero. After D3hot the bytes in the memory are lost as well.
 *
 * Who may believe what:
 *
 * * The driver keeps its own indices and only publishes them. It has never more descriptors without
 *   a record than a ring has entries, so neither ring can overflow and the device publishes no
 *   index at all.
 * * A record is valid when its last word, &loom_pci_record.mark, is the number of records since
 *   the reset, this one included; the device writes it after the others. The epoch and the sequence
 *   say whose it is. Each is read once, copied, and then checked. One of another epoch is dropped,
 *   and the device reset: the ring was empty when its epoch began.
 * * An interrupt says that it may be worth looking, and no more. One of a burst may be lost.
 * * A register that reads all ones is that of a device that is gone.
 * * HEARTBEAT counts milliseconds while the device's firmware is alive. If it stands still, or a
 *   job is late and its PROGRESS does not move, the device hangs, and is reset.
 * * The device may be told anything, by a driver gone wrong: it checks what it is given, and
 *   answers with an error. It reaches the host's memory only at addresses that it was given.
 *
 * Rejected: indices in registers that the driver reads, as a read takes as long as a whole job may
 * (72 us on a virtual machine); phase bits, which cannot tell a record of the last epoch from one
 * of this; MSI-X and INTx (see tools/sim); descriptors of different size; a register window
 * to talk to the firmware in.
 *
 * All numbers are little endian. Registers are 32 bits wide and are read and written as such;
 * those of 64 bits are two, the lower half first, and have no order between the halves.
 */

/*
 * LOOM_PCI_VENDOR: the PCI-SIG keeps no range for private use and gives numbers to members only.
 * This one is given to nobody in the public list of ids (pci.ids of April 2023, which has nothing
 * from 4c49 to 4c51) and lies far from those that are being given out, which are below 0x2fff.
 * A chip of a maker has the maker's number. With the device's number it spells "LOOM".
 */
#define LOOM_PCI_VENDOR			0x4c4f
#define LOOM_PCI_DEVICE			0x4f4d
/* LOOM_PCI_CLASS: a processing accelerator, of no interface in particular */
#define LOOM_PCI_CLASS			0x120000

#define LOOM_PCI_BAR_REGS		0
#define LOOM_PCI_BAR_MEMORY		2
#define LOOM_PCI_REGS_BYTES		0x4000
/* LOOM_PCI_VECTORS: interrupts, by MSI */
#define LOOM_PCI_VECTORS		1

/* ------------------------------------------------------------------ identity, all read only */

#define LOOM_PCI_ID			0x000
#define LOOM_PCI_ID_VALUE		0x4d4f4f4c	/* "LOOM" */

/* LOOM_PCI_VERSION: of this file: major << 16 | minor. Another major is another device */
#define LOOM_PCI_VERSION		0x004
#define LOOM_PCI_VERSION_MAJOR		1
#define LOOM_PCI_VERSION_MINOR		0

/* LOOM_PCI_FIRMWARE: major << 24 | minor << 16 | patch. Drivers need at least FIRMWARE_MIN */
#define LOOM_PCI_FIRMWARE		0x008
#define LOOM_PCI_FIRMWARE_MIN		0x01000000

/* LOOM_PCI_CHIP_BYTES: size of the chip's description, which begins at LOOM_PCI_CHIP */
#define LOOM_PCI_CHIP_BYTES		0x00c

/* LOOM_PCI_MAX_PLANS: plans that the device can keep; their numbers are below that */
#define LOOM_PCI_MAX_PLANS		0x010
/* LOOM_PCI_MAX_ENTRIES: most entries of a ring, a power of two, LOOM_PCI_MIN_ENTRIES or more */
#define LOOM_PCI_MAX_ENTRIES		0x014
#define LOOM_PCI_MIN_ENTRIES		8
/* LOOM_PCI_QUEUES: numbers of queues are below that */
#define LOOM_PCI_QUEUES			0x018

/* ------------------------------------------------------------------------------------ state */

#define LOOM_PCI_STATUS			0x020	/* read only */
/* LOOM_PCI_STATUS_READY: the epoch in EPOCH is in effect; descriptors are taken */
#define LOOM_PCI_STATUS_READY		0x1
/* LOOM_PCI_STATUS_FAULT: it has stopped by itself, FAULT says why; a reset helps */
#define LOOM_PCI_STATUS_FAULT		0x2

/* LOOM_PCI_EPOCH: the epoch in effect, zero before the first reset */
#define LOOM_PCI_EPOCH			0x024	/* read only */
/* LOOM_PCI_RESET: writing an epoch, not zero, resets the device as described above */
#define LOOM_PCI_RESET			0x028	/* write only */
/* LOOM_PCI_HEARTBEAT: milliseconds that the firmware was alive; stands still in RETAIN */
#define LOOM_PCI_HEARTBEAT		0x02c	/* read only */

/* LOOM_PCI_FAULT: why the device has stopped, an enum loom_pci_fault */
#define LOOM_PCI_FAULT			0x030	/* read only */

/* LOOM_PCI_IRQ_STATUS: what has happened; writing a one clears a bit */
#define LOOM_PCI_IRQ_STATUS		0x034
/* LOOM_PCI_IRQ_ENABLE: of what the host is interrupted; after a reset of nothing */
#define LOOM_PCI_IRQ_ENABLE		0x038
#define LOOM_PCI_IRQ_RECORD		0x1	/* there is a new record */
#define LOOM_PCI_IRQ_FAULT		0x2	/* the device has stopped by itself */
#define LOOM_PCI_IRQ_ALL		(LOOM_PCI_IRQ_RECORD | LOOM_PCI_IRQ_FAULT)

/* LOOM_PCI_POWER: writing one of LOOM_PCI_POWER_*; reading tells which one it is in */
#define LOOM_PCI_POWER			0x03c
/* LOOM_PCI_POWER_RUN: as after power on */
#define LOOM_PCI_POWER_RUN		0
/*
 * LOOM_PCI_POWER_RETAIN: clocks stand still, memory, plans and rings are kept. For a device without
 * jobs: with any in flight the write has no effect. DOORBELL and RESET have none either until
 * it runs again, and what BAR2 gives then is not defined.
 */
#define LOOM_PCI_POWER_RETAIN		1

/* ------------------------------------------------------------------------ rings, doorbell */

/* LOOM_PCI_RINGS_*: written before RESET, which takes them up */
#define LOOM_PCI_SUBMIT_BASE		0x040	/* 64 bits: bus address, a multiple of 64 */
#define LOOM_PCI_RECORD_BASE		0x048	/* 64 bits: bus address, a multiple of 64 */
#define LOOM_PCI_ENTRIES		0x050	/* of each ring, a power of two */

/* LOOM_PCI_DOORBELL: descriptors since the reset, modulo 2^32; a page of its own */
#define LOOM_PCI_DOORBELL		0x3000	/* write only */

/* ------------------------------------------------------------------------- figures, read only */

#define LOOM_PCI_TEMPERATURE		0x080	/* thousandths of a degree Celsius, signed */
#define LOOM_PCI_POWER_UW		0x084	/* microwatts that it takes now */
#define LOOM_PCI_CLOCK_HZ		0x088	/* 64 bits: cycles per second now */
#define LOOM_PCI_ENERGY_UJ		0x090	/* 64 bits: microjoules since power on */

/* ---------------------------------------------------------------------- memory, read only */

/* LOOM_PCI_MEMORY_BYTES: 64 bits: of all regions together, behind the last bank */
#define LOOM_PCI_MEMORY_BYTES		0x0a0
/* LOOM_PCI_WINDOW_BYTES: 64 bits: how many of them, from the first, BAR2 shows */
#define LOOM_PCI_WINDOW_BYTES		0x0a8

/*
 * LOOM_PCI_MAP: where the banks are, by enum drm_loom_region. Address A in bank B of a region is at
 * MAP_BASE + B * MAP_PITCH + A. Both are multiples of LOOM_PCI_MAP_ALIGN, and zero for a region
 * that the chip has not.
 */
#define LOOM_PCI_MAP_BASE(region)	(0x0c0 + (region) * 16)		/* 64 bits */
#define LOOM_PCI_MAP_PITCH(region)	(0x0c8 + (region) * 16)		/* 64 bits */
#define LOOM_PCI_MAP_ALIGN		65536

/* LOOM_PCI_CHIP: struct drm_loom_chip, little endian, word by word */
#define LOOM_PCI_CHIP			0x1000

/**
 * enum loom_pci_fault - why the device has stopped
 */
enum loom_pci_fault {
	/** @LOOM_PCI_FAULT_NONE: it has not */
	LOOM_PCI_FAULT_NONE = 0,
	/** @LOOM_PCI_FAULT_RINGS: addresses or size of the rings cannot be */
	LOOM_PCI_FAULT_RINGS = 1,
	/** @LOOM_PCI_FAULT_DOORBELL: more descriptors without a record than a ring has entries */
	LOOM_PCI_FAULT_DOORBELL = 2,
	/** @LOOM_PCI_FAULT_DMA: a ring cannot be reached */
	LOOM_PCI_FAULT_DMA = 3,
};

/**
 * enum loom_pci_kind - what a descriptor asks for
 */
enum loom_pci_kind {
	/** @LOOM_PCI_KIND_NOP: nothing, in its turn */
	LOOM_PCI_KIND_NOP = 0,
	/**
	 * @LOOM_PCI_KIND_JOB: runs @plan on what is bound to its slots: @count &struct
	 * loom_pci_place at @address, as many as the plan has slots. The scratch begins above the
	 * reserved bytes of the SRAM, and the bytes that it finds there are not defined
	 */
	LOOM_PCI_KIND_JOB = 1,
	/**
	 * @LOOM_PCI_KIND_COPY_IN: the bytes that @count &struct loom_pci_extent at @scatter name,
	 * one after the other, to the one &struct loom_pci_place at @address
	 */
	LOOM_PCI_KIND_COPY_IN = 2,
	/** @LOOM_PCI_KIND_COPY_OUT: the same, the other way */
	LOOM_PCI_KIND_COPY_OUT = 3,
	/**
	 * @LOOM_PCI_KIND_CLEAR: zeroes the &struct loom_pci_place at @address, padding between its
	 * pages not included
	 */
	LOOM_PCI_KIND_CLEAR = 4,
	/**
	 * @LOOM_PCI_KIND_PLAN: takes up a plan under the number @plan, which must be free: @bytes
	 * of it in @count &struct loom_pci_extent at @scatter, as loom_code_encode() makes them
	 */
	LOOM_PCI_KIND_PLAN = 5,
	/**
	 * @LOOM_PCI_KIND_PLAN_DROP: forgets @plan. Jobs with it that have begun still run; those
	 * that have not end with LOOM_PCI_RESULT_PLAN
	 */
	LOOM_PCI_KIND_PLAN_DROP = 6,
	/**
	 * @LOOM_PCI_KIND_PROGRESS: how far is the descriptor with the sequence @target? Answered
	 * at once, whatever the device is at: LOOM_PCI_RESULT_RUNNING with position and counters,
	 * LOOM_PCI_RESULT_WAITS, or LOOM_PCI_RESULT_ABSENT for what has ended, or never was
	 */
	LOOM_PCI_KIND_PROGRESS = 7,
	/**
	 * @LOOM_PCI_KIND_STOP: ends the descriptor with the sequence @target soon, with
	 * LOOM_PCI_RESULT_STOPPED, whether it runs or waits. Answered at once, before that one is:
	 * LOOM_PCI_RESULT_OK, or LOOM_PCI_RESULT_ABSENT for what has ended, or never was
	 */
	LOOM_PCI_KIND_STOP = 8,
};

#define LOOM_PCI_KIND_END		9

/**
 * enum loom_pci_result - how a descriptor ended
 */
enum loom_pci_result {
	/** @LOOM_PCI_RESULT_OK: as asked */
	LOOM_PCI_RESULT_OK = 0,
	/** @LOOM_PCI_RESULT_STOPPED: by LOOM_PCI_KIND_STOP; what it had written stays written */
	LOOM_PCI_RESULT_STOPPED = 1,
	/** @LOOM_PCI_RESULT_RUNNING: answer of PROGRESS */
	LOOM_PCI_RESULT_RUNNING = 2,
	/** @LOOM_PCI_RESULT_ABSENT: answer of PROGRESS and STOP */
	LOOM_PCI_RESULT_ABSENT = 3,
	/** @LOOM_PCI_RESULT_EPOCH: the descriptor is of another epoch; nothing was done */
	LOOM_PCI_RESULT_EPOCH = 4,
	/** @LOOM_PCI_RESULT_INVALID: an unknown kind, a number out of range, a field not zero */
	LOOM_PCI_RESULT_INVALID = 5,
	/** @LOOM_PCI_RESULT_DMA: the host's memory cannot be reached at an address given */
	LOOM_PCI_RESULT_DMA = 6,
	/** @LOOM_PCI_RESULT_PLACE: a place is not in the device's memory, or does not fit */
	LOOM_PCI_RESULT_PLACE = 7,
	/** @LOOM_PCI_RESULT_PLAN: no such plan, one that is there already, or not one at all */
	LOOM_PCI_RESULT_PLAN = 8,
	/** @LOOM_PCI_RESULT_MEMORY: the device has no room for that plan */
	LOOM_PCI_RESULT_MEMORY = 9,
	/** @LOOM_PCI_RESULT_WAITS: answer of PROGRESS: it is not executed yet */
	LOOM_PCI_RESULT_WAITS = 10,
};

#define LOOM_PCI_RESULT_END		11

/**
 * struct loom_pci_descriptor - an entry of the submission ring
 * @sequence: given by the driver, not zero; comes back in the record
 * @epoch: the one in effect
 * @kind: an &enum loom_pci_kind
 * @priority: an &enum drm_loom_priority: of the queues that have something to do, which comes first
 * @queue: descriptors of a queue are executed in their order
 * @plan: JOB, PLAN, PLAN_DROP: number of the plan
 * @count: elements of the array that the kind has: places of JOB, extents of the others
 * @sum: such that all words of 32 bits of the descriptor add up to LOOM_PCI_DESCRIPTOR_SUM, modulo
 *	2^32
 * @address: JOB, COPY_IN, COPY_OUT, CLEAR: bus address of the places, a multiple of 8
 * @scatter: COPY_IN, COPY_OUT, PLAN: bus address of the extents, a multiple of 8
 * @bytes: PLAN: size of the plan
 * @reserved: zero
 *
 * Fields that the kind has no use for are zero. @bytes is the sequence of another descriptor in
 * PROGRESS and STOP (loom_pci_target).
 */
struct loom_pci_descriptor {
	__le64 sequence;
	__le32 epoch;
	__le16 kind;
	__le16 priority;
	__le32 queue;
	__le32 plan;
	__le32 count;
	__le32 sum;
	__le64 address;
	__le64 scatter;
	__le64 bytes;
	__le64 reserved;
};

/*
 * LOOM_PCI_DESCRIPTOR_SUM: an address that is wrong by a bit could be that of another client's
 * places, so what is wrong is not executed: LOOM_PCI_RESULT_INVALID. Plans have a sum of their own.
 */
#define LOOM_PCI_DESCRIPTOR_SUM	0x4c505344

/* loom_pci_target: PROGRESS, STOP: the field with the sequence of whom it is about */
#define loom_pci_target		bytes

/**
 * struct loom_pci_extent - a piece of the host's memory
 * @address: bus address
 * @bytes: its size, not zero
 */
struct loom_pci_extent {
	__le64 address;
	__le64 bytes;
};

/* LOOM_PCI_PLACE_COLUMN_MAJOR: shards go down the columns of the grid */
#define LOOM_PCI_PLACE_COLUMN_MAJOR	0x1
/*
 * LOOM_PCI_PLACE_HOST: of JOB: the bytes are in the host's memory, or in another device's on the
 * bus: @bytes in @banks &struct loom_pci_extent at the bus address @address, one after the other,
 * @region that of the slot, which is not in the SRAM, and all other fields zero. They are read
 * before the job begins, and those that it may write are written back when it ends
 */
#define LOOM_PCI_PLACE_HOST		0x2

/**
 * struct loom_pci_place - bytes of a buffer in the device's memory
 *
 * Or elsewhere: see LOOM_PCI_PLACE_HOST. Else a &struct loom_layout and where it lies, as
 * loom_layout_map() reads them: images are interleaved with a row as page. For a
 * DRM_LOOM_SLOT_SRAM: @offset lies in the first page, @bytes are those in each bank, and bank i is
 * @bank[i] = i, for all banks.
 *
 * @region: an &enum drm_loom_region
 * @flags: LOOM_PCI_PLACE_*
 * @address: of the buffer, in each of its banks
 * @offset: first byte that is meant
 * @bytes: how many are meant, from there on, not zero
 * @size: bytes of the buffer
 * @page_bytes: unit that is dealt out, not zero
 * @page_pitch_bytes: bytes between pages in a bank
 * @page_columns: sharded: pages in a row of the array, else zero
 * @shard_rows: sharded: rows of pages in a shard, else zero
 * @shard_columns: sharded: columns of pages in a shard, else zero
 * @shards_across: sharded: shards side by side in the array, else zero
 * @grid_columns: sharded: banks side by side in the grid, else zero
 * @grid_rows: sharded: rows of banks in the grid, else zero
 * @banks: number of entries of @bank; sharded: @grid_columns times @grid_rows
 * @pad: zero
 * @reserved: zero
 * @bank: by number in the layout, or place in the grid: number of the bank in the region
 */
struct loom_pci_place {
	__le32 region;
	__le32 flags;
	__le64 address;
	__le64 offset;
	__le64 bytes;
	__le64 size;
	__le64 page_bytes;
	__le64 page_pitch_bytes;
	__le64 page_columns;
	__le64 shard_rows;
	__le64 shard_columns;
	__le64 shards_across;
	__le32 grid_columns;
	__le32 grid_rows;
	__le32 banks;
	__le32 pad;
	__le64 reserved[3];
	__u8 bank[DRM_LOOM_MAX_BANKS];
};

/* LOOM_PCI_COUNTERS: words of struct drm_loom_counters, in its order */
#define LOOM_PCI_COUNTERS		14

/**
 * struct loom_pci_record - an entry of the completion ring
 * @sequence: of the descriptor
 * @epoch: of the device
 * @result: an &enum loom_pci_result
 * @kind: of the descriptor
 * @pad: zero
 * @step: JOB that was stopped, PROGRESS: step of the plan
 * @command: the same: command, from the first one of the plan
 * @unit: the same: unit of it
 * @counters: JOB, PROGRESS: &struct drm_loom_counters, of this job alone, with jobs zero
 * @reserved: zero
 * @pad2: zero
 * @mark: records since the reset, this one included, modulo 2^32; written last
 */
struct loom_pci_record {
	__le64 sequence;
	__le32 epoch;
	__le32 result;
	__le32 kind;
	__le32 pad;
	__le32 step;
	__le32 command;
	__le64 unit;
	__le64 counters[LOOM_PCI_COUNTERS];
	__le64 reserved[4];
	__le32 pad2;
	__le32 mark;
};

/* The layout may not change within a major version. */
static_assert(sizeof(struct loom_pci_descriptor) == 64, "descriptor");
static_assert(offsetof(struct loom_pci_descriptor, queue) == 16, "descriptor.queue");
static_assert(offsetof(struct loom_pci_descriptor, address) == 32, "descriptor.address");
static_assert(offsetof(struct loom_pci_descriptor, bytes) == 48, "descriptor.bytes");
static_assert(sizeof(struct loom_pci_extent) == 16, "extent");
static_assert(sizeof(struct loom_pci_place) == 384, "place");
static_assert(offsetof(struct loom_pci_place, page_columns) == 56, "place.page_columns");
static_assert(offsetof(struct loom_pci_place, grid_columns) == 88, "place.grid_columns");
static_assert(offsetof(struct loom_pci_place, bank) == 128, "place.bank");
static_assert(sizeof(struct loom_pci_record) == 192, "record");
static_assert(offsetof(struct loom_pci_record, counters) == 40, "record.counters");
static_assert(offsetof(struct loom_pci_record, mark) == 188, "record.mark");
static_assert(sizeof(struct drm_loom_counters) == LOOM_PCI_COUNTERS * 8, "counters");
static_assert(sizeof(struct drm_loom_chip) == 616, "chip");
static_assert(LOOM_PCI_CHIP + sizeof(struct drm_loom_chip) <= LOOM_PCI_DOORBELL, "chip in BAR0");

#endif /* LOOM_PCI_REGS_H */
