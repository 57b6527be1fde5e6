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
 * This file is the whole contract between driver and device: registers in BAR0, the banks of the
 * memory in BAR2, and two rings in the host's memory. The driver (loom_pci) and the model
 * (tools/sim) share this file and nothing else.
 *
 * Life of a device:
 *
 * 1. The driver reads ID, VERSION and FIRMWARE, and refuses unknown ones. It reads the chip's
 *    description and MAP, and must check both: a device is not trusted.
 * 2. It writes the addresses of the rings, and then an epoch to RESET: any number that is not zero
 *    and was not used recently. The device must abort all work, discard plans and ring positions,
 *    load the rings and the epoch, and then set EPOCH and STATUS_READY. Memory keeps its bytes. The
 *    driver polls EPOCH.
 * 3. The driver writes descriptors to the submission ring, and their total number since the reset
 *    to DOORBELL. The device must answer each with one record in the completion ring, and an
 *    interrupt. It may answer in another order, but must execute descriptors of one queue one after
 *    the other, in their order, and those of different queues at the same time, however many. Two
 *    rules hold across queues: a JOB waits for each JOB before it that has a bank in common with
 *    it, and for each PLAN and PLAN_DROP before it of its plan.
 * 4. A reset of the function (FLR) or D3hot ends everything: registers are as after power on,
 *    epoch zero. After D3hot the bytes in the memory are lost as well.
 *
 * Trust:
 *
 * * The driver keeps its own indices and only publishes them. The number of descriptors without a
 *   record must not exceed the entries of a ring, so neither ring can overflow and the device need
 *   not publish an index.
 * * A record is valid if its last word, &loom_pci_record.mark, is the number of records since the
 *   reset, this one included; the device must write it last. Epoch and sequence identify the
 *   descriptor. The driver reads a record once, copies it, and then checks the copy. A record of
 *   another epoch is dropped, and the device reset, because the ring was empty when its epoch
 *   began.
 * * An interrupt is only a hint to check the ring. One of a burst may be lost.
 * * A register that reads all ones means that the device was removed.
 * * HEARTBEAT counts milliseconds while the device's firmware is alive. If it stalls, or a job
 *   exceeds its timeout without progress, the device hangs, and is reset.
 * * The device must not trust the driver either: it must check descriptors, and answer invalid ones
 *   with an error. It must access the host's memory only at addresses from the driver.
 *
 * Rejected: indices in registers that the driver reads, because a read may take as long as a job
 * (72 us on a virtual machine); phase bits, which do not distinguish records of the last epoch from
 * new ones; MSI-X and INTx (see tools/sim); descriptors of different sizes; a register window as a
 * mailbox for the firmware.
 *
 * All numbers are little endian. Registers are 32 bits wide and are read and written as such;
 * those of 64 bits are two, the lower half first, and have no order between the halves.
 */

/*
 * LOOM_PCI_VENDOR: the PCI-SIG has no range for private use and assigns numbers to members only.
 * This one is unassigned in the public list of ids (pci.ids of April 2023 has no entry from 4c49 to
 * 4c51) and far from numbers that are being assigned, which are below 0x2fff. A vendor's chip must
 * have the vendor's number. With the device's number it spells "LOOM".
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

/*
 * LOOM_PCI_VERSION: of this contract: major << 16 | minor. A driver must refuse other majors and
 * lower minors. 1.1 has lanes of jobs and LOOM_PCI_PLACE_PER_BANK, 1.2 runs jobs of different
 * lanes at the same time and has LOOM_PCI_KIND_JOB_RESET
 */
#define LOOM_PCI_VERSION		0x004
#define LOOM_PCI_VERSION_MAJOR		1
#define LOOM_PCI_VERSION_MINOR		2

/* LOOM_PCI_FIRMWARE: major << 24 | minor << 16 | patch; must be FIRMWARE_MIN or later */
#define LOOM_PCI_FIRMWARE		0x008
#define LOOM_PCI_FIRMWARE_MIN		0x01000000

/* LOOM_PCI_CHIP_BYTES: size of the chip's description, which begins at LOOM_PCI_CHIP */
#define LOOM_PCI_CHIP_BYTES		0x00c

/* LOOM_PCI_MAX_PLANS: limit of plans on the device; their numbers must be below it */
#define LOOM_PCI_MAX_PLANS		0x010
/* LOOM_PCI_MAX_ENTRIES: limit of ring entries, a power of two, LOOM_PCI_MIN_ENTRIES or more */
#define LOOM_PCI_MAX_ENTRIES		0x014
#define LOOM_PCI_MIN_ENTRIES		8
/* LOOM_PCI_QUEUES: numbers of queues must be below it; at least two more than SRAM has banks */
#define LOOM_PCI_QUEUES			0x018

/* ------------------------------------------------------------------------------------ state */

#define LOOM_PCI_STATUS			0x020	/* read only */
/* LOOM_PCI_STATUS_READY: the epoch in EPOCH is in effect; descriptors are taken */
#define LOOM_PCI_STATUS_READY		0x1
/* LOOM_PCI_STATUS_FAULT: the device has stopped, FAULT has the reason; a reset clears it */
#define LOOM_PCI_STATUS_FAULT		0x2

/* LOOM_PCI_EPOCH: the epoch in effect, zero before the first reset */
#define LOOM_PCI_EPOCH			0x024	/* read only */
/* LOOM_PCI_RESET: writing an epoch, not zero, resets the device as described above */
#define LOOM_PCI_RESET			0x028	/* write only */
/* LOOM_PCI_HEARTBEAT: uptime of the firmware in milliseconds; does not count in RETAIN */
#define LOOM_PCI_HEARTBEAT		0x02c	/* read only */

/* LOOM_PCI_FAULT: reason of STATUS_FAULT, an enum loom_pci_fault */
#define LOOM_PCI_FAULT			0x030	/* read only */

/* LOOM_PCI_IRQ_STATUS: pending events; write one to clear */
#define LOOM_PCI_IRQ_STATUS		0x034
/* LOOM_PCI_IRQ_ENABLE: events that raise the interrupt; 0 after a reset */
#define LOOM_PCI_IRQ_ENABLE		0x038
#define LOOM_PCI_IRQ_RECORD		0x1	/* there is a new record */
#define LOOM_PCI_IRQ_FAULT		0x2	/* the device has stopped by itself */
#define LOOM_PCI_IRQ_ALL		(LOOM_PCI_IRQ_RECORD | LOOM_PCI_IRQ_FAULT)

/* LOOM_PCI_POWER: the state, one of LOOM_PCI_POWER_* */
#define LOOM_PCI_POWER			0x03c
/* LOOM_PCI_POWER_RUN: as after power on */
#define LOOM_PCI_POWER_RUN		0
/*
 * LOOM_PCI_POWER_RETAIN: clocks are stopped; memory, plans and rings are kept. The device must be
 * idle: with jobs in flight the write has no effect. In this state DOORBELL and RESET have no
 * effect, and reads of BAR2 are undefined.
 */
#define LOOM_PCI_POWER_RETAIN		1

/* ------------------------------------------------------------------------ rings, doorbell */

/* Ring registers: must be written before RESET, which loads them */
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

/* LOOM_PCI_MEMORY_BYTES: 64 bits: size of the memory, the end of the last bank */
#define LOOM_PCI_MEMORY_BYTES		0x0a0
/* LOOM_PCI_WINDOW_BYTES: 64 bits: size of the part, from address 0, that BAR2 maps */
#define LOOM_PCI_WINDOW_BYTES		0x0a8

/*
 * LOOM_PCI_MAP: addresses of banks, by enum drm_loom_region. Address A in bank B of a region is at
 * MAP_BASE + B * MAP_PITCH + A. Both must be multiples of LOOM_PCI_MAP_ALIGN, and zero for a region
 * that the chip does not have.
 */
#define LOOM_PCI_MAP_BASE(region)	(0x0c0 + (region) * 16)		/* 64 bits */
#define LOOM_PCI_MAP_PITCH(region)	(0x0c8 + (region) * 16)		/* 64 bits */
#define LOOM_PCI_MAP_ALIGN		65536

/*
 * LOOM_PCI_CHIP: struct drm_loom_chip, little endian, word by word. CHIP_BYTES may end at @array or
 * @storage_banks of older devices, whose fields behind it count as zero
 */
#define LOOM_PCI_CHIP			0x1000

/**
 * enum loom_pci_fault - reason of LOOM_PCI_STATUS_FAULT
 */
enum loom_pci_fault {
	/** @LOOM_PCI_FAULT_NONE: no fault */
	LOOM_PCI_FAULT_NONE = 0,
	/** @LOOM_PCI_FAULT_RINGS: invalid addresses or size of the rings */
	LOOM_PCI_FAULT_RINGS = 1,
	/** @LOOM_PCI_FAULT_DOORBELL: more descriptors without a record than a ring has entries */
	LOOM_PCI_FAULT_DOORBELL = 2,
	/** @LOOM_PCI_FAULT_DMA: DMA error on a ring */
	LOOM_PCI_FAULT_DMA = 3,
};

/**
 * enum loom_pci_kind - operation of a descriptor
 */
enum loom_pci_kind {
	/** @LOOM_PCI_KIND_NOP: no operation, in the order of its queue */
	LOOM_PCI_KIND_NOP = 0,
	/**
	 * @LOOM_PCI_KIND_JOB: run @plan with the bindings of its slots: @count &struct
	 * loom_pci_place at @address, as many as the plan has slots. The scratch begins above the
	 * reserved bytes of the SRAM; its initial bytes are undefined. @scatter:
	 * bus address of the set of banks that are the lanes of the plan, in ascending order:
	 * DRM_LOOM_MAX_BANKS bits in __le64; zero: lane i is bank i, and the plan is for all of
	 * them
	 */
	LOOM_PCI_KIND_JOB = 1,
	/**
	 * @LOOM_PCI_KIND_COPY_IN: copy the bytes of @count &struct loom_pci_extent at @scatter, one
	 * after the other, to the &struct loom_pci_place at @address
	 */
	LOOM_PCI_KIND_COPY_IN = 2,
	/** @LOOM_PCI_KIND_COPY_OUT: copy in the other direction */
	LOOM_PCI_KIND_COPY_OUT = 3,
	/**
	 * @LOOM_PCI_KIND_CLEAR: zero the &struct loom_pci_place at @address, without padding
	 * between its pages
	 */
	LOOM_PCI_KIND_CLEAR = 4,
	/**
	 * @LOOM_PCI_KIND_PLAN: upload a plan with the number @plan, which must be free: @bytes in
	 * @count &struct loom_pci_extent at @scatter, in the format of loom_code_encode()
	 */
	LOOM_PCI_KIND_PLAN = 5,
	/**
	 * @LOOM_PCI_KIND_PLAN_DROP: discard @plan. Begun jobs of it still run; later ones end with
	 * LOOM_PCI_RESULT_PLAN
	 */
	LOOM_PCI_KIND_PLAN_DROP = 6,
	/**
	 * @LOOM_PCI_KIND_PROGRESS: position of the descriptor with the sequence @target. Must be
	 * answered at once, even if the device is busy: LOOM_PCI_RESULT_RUNNING with position and
	 * counters, LOOM_PCI_RESULT_WAITS, or LOOM_PCI_RESULT_ABSENT for an ended or unknown one
	 */
	LOOM_PCI_KIND_PROGRESS = 7,
	/**
	 * @LOOM_PCI_KIND_STOP: end the descriptor with the sequence @target soon, with
	 * LOOM_PCI_RESULT_STOPPED, whether it runs or waits. Must be answered at once, before that
	 * one: LOOM_PCI_RESULT_OK, or LOOM_PCI_RESULT_ABSENT for an ended or unknown one
	 */
	LOOM_PCI_KIND_STOP = 8,
	/**
	 * @LOOM_PCI_KIND_JOB_RESET: reset the engines of the JOB with the sequence @target, which
	 * ends with LOOM_PCI_RESULT_STOPPED whatever it does. Jobs of other banks must go on.
	 * Answered as STOP
	 */
	LOOM_PCI_KIND_JOB_RESET = 9,
};

#define LOOM_PCI_KIND_END		10

/**
 * enum loom_pci_result - how a descriptor ended
 */
enum loom_pci_result {
	/** @LOOM_PCI_RESULT_OK: completed */
	LOOM_PCI_RESULT_OK = 0,
	/** @LOOM_PCI_RESULT_STOPPED: by LOOM_PCI_KIND_STOP; its writes are not undone */
	LOOM_PCI_RESULT_STOPPED = 1,
	/** @LOOM_PCI_RESULT_RUNNING: answer of PROGRESS */
	LOOM_PCI_RESULT_RUNNING = 2,
	/** @LOOM_PCI_RESULT_ABSENT: answer of PROGRESS and STOP */
	LOOM_PCI_RESULT_ABSENT = 3,
	/** @LOOM_PCI_RESULT_EPOCH: the descriptor is of another epoch; nothing was done */
	LOOM_PCI_RESULT_EPOCH = 4,
	/** @LOOM_PCI_RESULT_INVALID: unknown kind, number out of range, reserved field not zero */
	LOOM_PCI_RESULT_INVALID = 5,
	/** @LOOM_PCI_RESULT_DMA: DMA error at an address in the host's memory */
	LOOM_PCI_RESULT_DMA = 6,
	/** @LOOM_PCI_RESULT_PLACE: a place is outside of the device's memory, or does not fit */
	LOOM_PCI_RESULT_PLACE = 7,
	/** @LOOM_PCI_RESULT_PLAN: unknown plan, number in use, or invalid plan */
	LOOM_PCI_RESULT_PLAN = 8,
	/** @LOOM_PCI_RESULT_MEMORY: the device has no memory for the plan */
	LOOM_PCI_RESULT_MEMORY = 9,
	/** @LOOM_PCI_RESULT_WAITS: answer of PROGRESS: it has not begun */
	LOOM_PCI_RESULT_WAITS = 10,
};

#define LOOM_PCI_RESULT_END		11

/**
 * struct loom_pci_descriptor - an entry of the submission ring
 * @sequence: given by the driver, not zero; comes back in the record
 * @epoch: the one in effect
 * @kind: an &enum loom_pci_kind
 * @priority: an &enum drm_loom_priority, selects among queues that are not empty
 * @queue: number of the in-order queue
 * @plan: JOB, PLAN, PLAN_DROP: number of the plan
 * @count: elements of the array: places of JOB, extents of other kinds
 * @sum: checksum: all words of 32 bits of the descriptor must add up to LOOM_PCI_DESCRIPTOR_SUM,
 *	modulo 2^32
 * @address: JOB, COPY_IN, COPY_OUT, CLEAR: bus address of the places, a multiple of 8
 * @scatter: COPY_IN, COPY_OUT, PLAN: bus address of the extents, a multiple of 8; JOB: of the lanes
 * @bytes: PLAN: size of the plan
 * @reserved: zero
 *
 * Unused fields must be zero. In PROGRESS, STOP and JOB_RESET, @bytes is the sequence of another
 * descriptor (loom_pci_target).
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
 * LOOM_PCI_DESCRIPTOR_SUM: a flipped bit in an address could select another client's places, so the
 * device must not execute a descriptor with a wrong sum: LOOM_PCI_RESULT_INVALID. Plans have their
 * own checksum.
 */
#define LOOM_PCI_DESCRIPTOR_SUM	0x4c505344

/* loom_pci_target: of PROGRESS, STOP and JOB_RESET: the other descriptor's sequence */
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

/* LOOM_PCI_PLACE_COLUMN_MAJOR: shards are numbered down the columns of the grid */
#define LOOM_PCI_PLACE_COLUMN_MAJOR	0x1
/*
 * LOOM_PCI_PLACE_HOST: for JOB: the bytes are in the host's memory, or in another device's: @bytes
 * in @banks &struct loom_pci_extent at the bus address @address, one after the other. @region is
 * that of the slot, which must not be in the SRAM; all other fields must be zero. The device reads
 * them before the job begins, and writes back those that the job may write when it ends
 */
#define LOOM_PCI_PLACE_HOST		0x2
/*
 * LOOM_PCI_PLACE_PER_BANK: @address is the bus address of @banks &struct loom_pci_extent: of each
 * entry of @bank the address of the buffer in that bank, and its bytes there. Not for a
 * DRM_LOOM_SLOT_SRAM
 */
#define LOOM_PCI_PLACE_PER_BANK		0x4

/**
 * struct loom_pci_place - bytes of a buffer in the device's memory
 *
 * With LOOM_PCI_PLACE_HOST the bytes are elsewhere. Otherwise the fields are a &struct loom_layout
 * and its address, as for loom_layout_map(): images are interleaved with a row as page. For a
 * DRM_LOOM_SLOT_SRAM @offset must be in the first page, @bytes are per bank, and @bank[i] must be
 * the bank of lane i, for all lanes of the plan.
 *
 * @region: an &enum drm_loom_region
 * @flags: LOOM_PCI_PLACE_*
 * @address: of the buffer, in each of its banks
 * @offset: first byte in the buffer
 * @bytes: number of bytes from @offset, not zero
 * @size: bytes of the buffer
 * @page_bytes: unit of interleaving, not zero
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
 * @bank: bank of the region, by number in the layout or position in the grid
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

/* The layout must not change within a major version. */
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
static_assert(sizeof(struct drm_loom_chip) == 1136, "chip");
static_assert(LOOM_PCI_CHIP + sizeof(struct drm_loom_chip) <= LOOM_PCI_DOORBELL, "chip in BAR0");

#endif /* LOOM_PCI_REGS_H */
