/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_H_
#define _LOOM_ACCEL_H_

#include "drm.h"
#include "loom_accel_plan.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: The Loom user-kernel contract
 *
 * A client opens /dev/accel/accelN, asks for its description (QUERY), allocates lockstep buffers
 * (BO_CREATE), hands over a plan (PLAN_CREATE) and runs it (SUBMIT). Handles of buffers and
 * syncobjs are those of DRM; plans and contexts are numbers of the file they were made on.
 *
 * Rules that hold for every structure here:
 *
 * - types have a fixed width and natural alignment, sizes are multiples of eight bytes, and padding
 *   has a name, so the layout is the same for 32- and 64-bit clients; user pointers are __u64;
 * - unknown flags, and padding or reserved fields that are not zero, are EINVAL: the caller must
 *   clear a structure before it sets the fields that it knows;
 * - structures grow at the end only, each growth bumps the driver's minor. The driver pads a
 *   shorter argument, or element of an array, with zeroes; in a longer one the fields that it does
 *   not know must be zero (E2BIG);
 * - arrays are &struct drm_loom_array with a stride, and have a cap;
 * - the caller must give the size of a structure with its address, and a stride for the arrays of
 *   QUERY. The driver cuts a structure there if the caller knows fewer fields, and pads it with
 *   zeroes, at most to 4096 bytes, if the caller knows more;
 * - all waits take an absolute CLOCK_MONOTONIC time in nanoseconds;
 * - a job holds references to its buffers, plan and context until it ends, so GEM_CLOSE,
 *   PLAN_DESTROY and CONTEXT_DESTROY only remove a name: jobs that were submitted still run, unless
 *   the file is closed, see "Closing the file".
 *
 * Errors:
 *
 * ========== ==================================================================
 * EINVAL     unknown flag, type or number, padding not zero, a value out of
 *            range, a binding that does not fit its slot
 * ENOENT     no such buffer, plan, context or syncobj on this file
 * EFAULT     a user pointer that is not mapped. If the argument itself is not mapped, the object
 *            that the call has made stays until the file is closed
 * EACCES     CONTEXT_CREATE: a priority that the caller may not have, or an exclusive context
 *            without CAP_SYS_NICE while another file of the device is open. SUBMIT, and PLAN_CREATE
 *            with DRM_LOOM_PLAN_RESERVE: the plan's scratch ends above the floor, and the file has
 *            no exclusive context in effect
 * EPERM      SUBMIT, BO_WRITE, mmap(), and PRIME for another driver: the buffer is sealed. BO_SEAL:
 *            another client made the buffer. Since minor 12
 * E2BIG      an array or plan past its cap, or a larger structure whose unknown
 *            tail is not zero
 * EBADMSG    PLAN_CREATE: the plan was refused, see the reject record
 * ENOSPC     no room in the banks
 * ENOMEM     no host memory
 * EDQUOT     a cap of the device or of the file is reached. BO_CREATE: bytes of all buffers, or the
 *            file's share of the SRAM; PLAN_CREATE: bytes of all plans; CONTEXT_CREATE: contexts of
 *            the file, or lanes of the user; SUBMIT: jobs of the file that have not ended (the
 *            caller must wait for one), or bytes of buffers, for the copy of the context's scratch
 *            between its turns, or the share of the SRAM, for a buffer that was evicted from it by
 *            another client (ENOSPC: the SRAM is full). See &struct drm_loom_device_info, &struct
 *            drm_loom_region_info
 * EBUSY      SUBMIT, and PLAN_CREATE with DRM_LOOM_PLAN_RESERVE: an SRAM buffer lies in the
 *            plan's scratch, see &struct drm_loom_scratch_conflict. CONTEXT_CREATE: another file
 *            has an exclusive context, made with CAP_SYS_NICE; or other contexts own the lanes.
 *            BO_SEAL: a job or another driver uses the buffer, or a mapping of it may write
 * ETIME      BO_WAIT: not idle in time
 * EINTR      interrupted; call again with unchanged arguments
 * ECANCELED  SUBMIT: the timeout ended a job of this context; the client must create a new one. A
 *            fence: the job did not run, or not to its end, because its file was closed; because
 *            the timeout ended an earlier job of its context; because another client needed SRAM
 *            that the job had only by an exclusive context; or because the job of another context
 *            made the driver reset the device (never on a device made of software)
 * ENODEV     the device was unplugged
 * EIO        SUBMIT, BO_READ, BO_WRITE, and a fence: the device is broken. An administrator must
 *            bind it to its driver again; its uevent is WEDGED=rebind. Since minor 5.
 *            Also SUBMIT and a fence, without an uevent: two jobs of this user (the effective user
 *            ID that opened the node) did not stop and had the device reset, within a minute. The
 *            user's queued jobs end, and SUBMIT refuses more for a minute
 * EOPNOTSUPP SUBMIT: a buffer of another driver in memory that jobs cannot reach. BO_READ and
 *            BO_WRITE: a buffer of another driver, which can be mapped. mmap(), and PRIME: see
 *            DRM_LOOM_REGION_OWN. CONTEXT_CREATE: lanes, on a device without DRM_LOOM_DEVICE_LANES
 * ========== ==================================================================
 */

/**
 * DOC: Closing the file
 *
 * A file is closed when its last descriptor is closed and its last mapping of a buffer is removed:
 * a process that has closed the descriptor must call munmap(), too.
 *
 * Closing removes the handles and ids of the file and cancels its jobs. A job that has begun, or
 * waits for its turn, stops at the next piece of work. A job that waits for fences or for earlier
 * jobs ends without running, once these have signalled. Its fences signal then with the error
 * ECANCELED. Bytes that a job had written before stay written. Closing waits for none of this.
 *
 * Buffers, plans and contexts are released with the last job that needs them. A buffer that was
 * exported lives until its dma-buf and all imports of it are closed.
 */

/* Ioctl numbers, relative to DRM_COMMAND_BASE. */
#define DRM_LOOM_QUERY			0x00
#define DRM_LOOM_BO_CREATE		0x01
#define DRM_LOOM_BO_INFO		0x02
#define DRM_LOOM_BO_WAIT		0x03
#define DRM_LOOM_PLAN_CREATE		0x04
#define DRM_LOOM_PLAN_DESTROY		0x05
#define DRM_LOOM_SUBMIT			0x06
#define DRM_LOOM_CONTEXT_CREATE		0x07
#define DRM_LOOM_CONTEXT_DESTROY	0x08
#define DRM_LOOM_CONTEXT_QUERY		0x09
#define DRM_LOOM_BO_READ		0x0a
#define DRM_LOOM_BO_WRITE		0x0b
#define DRM_LOOM_BO_LABEL		0x0c
#define DRM_LOOM_BO_SEAL		0x0d

/* most characters of a label */
#define DRM_LOOM_LABEL_BYTES		64

/**
 * struct drm_loom_array - an array in user memory
 * @stride: bytes between elements, at least the size of the first version
 * @count: number of elements
 * @ptr: user address of the first element; ignored when @count is zero
 */
struct drm_loom_array {
	__u32 stride;
	__u32 count;
	__u64 ptr;
};

/* ------------------------------------------------------------------ QUERY */

/**
 * enum drm_loom_query_type - types of answers of QUERY
 */
enum drm_loom_query_type {
	/** @DRM_LOOM_QUERY_DEVICE: one &struct drm_loom_device_info */
	DRM_LOOM_QUERY_DEVICE = 0,
	/** @DRM_LOOM_QUERY_REGION: one &struct drm_loom_region_info, @index is the region */
	DRM_LOOM_QUERY_REGION = 1,
	/**
	 * @DRM_LOOM_QUERY_BLOCKS: &struct drm_loom_block for every block of region @index in
	 * address order, free ones included
	 */
	DRM_LOOM_QUERY_BLOCKS = 2,
	/**
	 * @DRM_LOOM_QUERY_FIT: one &struct drm_loom_fit: whether the plan @index would fit now.
	 * Since minor 2
	 */
	DRM_LOOM_QUERY_FIT = 3,
	/**
	 * @DRM_LOOM_QUERY_BANKS: &struct drm_loom_bank_info for every bank of region @index.
	 * Since minor 3, as all that follow
	 */
	DRM_LOOM_QUERY_BANKS = 4,
	/**
	 * @DRM_LOOM_QUERY_BANK_BLOCKS: &struct drm_loom_block for every block of one bank: @index
	 * is the region plus 65536 times the number of the bank
	 */
	DRM_LOOM_QUERY_BANK_BLOCKS = 5,
	/**
	 * @DRM_LOOM_QUERY_NO_SPACE: one &struct drm_loom_no_space about the last BO_CREATE of this
	 * file that failed with ENOSPC; all zero if none did
	 */
	DRM_LOOM_QUERY_NO_SPACE = 6,
	/** @DRM_LOOM_QUERY_CHIP: one &struct drm_loom_chip. Since minor 5 */
	DRM_LOOM_QUERY_CHIP = 7,
	/**
	 * @DRM_LOOM_QUERY_FORMATS: &struct drm_loom_format for every format of payloads that the
	 * device takes. Since minor 7
	 */
	DRM_LOOM_QUERY_FORMATS = 8,
	/**
	 * @DRM_LOOM_QUERY_FIT_LIST: one &struct drm_loom_fit_list, of which the caller must set the
	 * first fields: whether a list of buffers would fit now. Since minor 8
	 */
	DRM_LOOM_QUERY_FIT_LIST = 9,
};

/**
 * struct drm_loom_query - argument of QUERY
 * @type: an &enum drm_loom_query_type
 * @index: see the type; zero if the type does not use it
 * @ptr: user address for the answer; zero asks for the size only
 * @size: in: bytes at @ptr; out: bytes of the whole answer as this driver knows it. A longer answer
 *	is cut at @size; nothing is written behind the last element of an array
 * @stride: of an array (BLOCKS, BANKS, BANK_BLOCKS, FORMATS): bytes of an element as the caller
 *	knows it. It must be at least the size of the first version (24 bytes of a block, 40 of a
 *	bank, 16 of a format) and at most 4096, or zero, which means the first version. Each element
 *	is cut or padded to it, and @size counts such elements. It must be zero with drivers before
 *	minor 4, and if the answer is no array
 */
struct drm_loom_query {
	__u32 type;
	__u32 index;
	__u64 ptr;
	__u32 size;
	__u32 stride;
};

/*
 * DRM_LOOM_DEVICE_TURNS: the engine preempts jobs for those of other contexts, so that a short job
 * does not wait for the end of a long one. Without it a job runs to completion, and the scheduler
 * picks the next job at that point. Since minor 5
 */
#define DRM_LOOM_DEVICE_TURNS		(1 << 0)
/*
 * DRM_LOOM_DEVICE_ROUNDED: the caller has no CAP_PERFMON, so sums include the memory of other files
 * rounded up to 1/64 of the whole: of the region, of the bank, or of the host's memory (&struct
 * drm_loom_device_info). For the largest free block, the rest of the bank is rounded up. The
 * caller's own part is exact, and so are all sums if no other file has memory. Since minor 6
 */
#define DRM_LOOM_DEVICE_ROUNDED		(1 << 1)
/* DRM_LOOM_DEVICE_LANES: contexts can have lanes of their own, see "Partitions". Since minor 8 */
#define DRM_LOOM_DEVICE_LANES		(1 << 2)

/**
 * struct drm_loom_device_info - capabilities and limits of the device
 * @name: of the chip, NUL terminated
 * @plan_version: newest plan format that PLAN_CREATE takes
 * @lanes: SRAM banks the engine computes on in lockstep
 * @dtypes: bit mask of &enum drm_loom_dtype
 * @compute_units: engines that can run at the same time
 * @opcodes: bit mask of DRM_LOOM_OP_*
 * @max_plan_bytes: cap on the size of a plan
 * @max_unit_cost: cap on the work of a unit (64 elements of what is written, or a run of SOFTMAX
 *	or TOPK), in element operations. An engine may stop inside of a unit
 * @max_tensors: cap on the tensors of a plan
 * @max_commands: cap on the commands of a plan
 * @max_slots: cap on the slots of a plan
 * @job_timeout_ms: limit on the time of a job on the engine; waiting for its turn does not count
 * @max_bo_bytes: cap on the host memory of all buffers, zero for none. Since minor 2, as all that
 *	follows
 * @bo_bytes: host memory of all buffers, see DRM_LOOM_DEVICE_ROUNDED
 * @max_file_bo_bytes: cap on the host memory of the buffers that one file has made, zero for none
 * @file_bo_bytes: host memory of the buffers that the calling file has made
 * @max_plans_bytes: cap on the host memory of all plans, zero for none. Since minor 4, as all that
 *	follows
 * @plans_bytes: host memory of all plans, those that are being verified included, see
 *	DRM_LOOM_DEVICE_ROUNDED
 * @max_file_plans_bytes: cap on the host memory of the plans of one file, zero for none
 * @file_plans_bytes: host memory of the plans that the calling file has made
 * @max_file_jobs: cap on the jobs of one file that have not ended, zero for none
 * @file_jobs: jobs of the calling file that have not ended
 * @max_file_contexts: cap on the contexts of one file, zero for none
 * @file_contexts: contexts of the calling file
 * @flags: DRM_LOOM_DEVICE_TURNS, DRM_LOOM_DEVICE_ROUNDED, DRM_LOOM_DEVICE_LANES. Since minor 5, as
 *	all that follows
 * @pad: zero
 */
struct drm_loom_device_info {
	char name[32];
	__u32 plan_version;
	__u32 lanes;
	__u32 dtypes;
	__u32 compute_units;
	__u64 opcodes;
	__u64 max_plan_bytes;
	__u64 max_unit_cost;
	__u32 max_tensors;
	__u32 max_commands;
	__u32 max_slots;
	__u32 job_timeout_ms;
	__u64 max_bo_bytes;
	__u64 bo_bytes;
	__u64 max_file_bo_bytes;
	__u64 file_bo_bytes;
	__u64 max_plans_bytes;
	__u64 plans_bytes;
	__u64 max_file_plans_bytes;
	__u64 file_plans_bytes;
	__u32 max_file_jobs;
	__u32 file_jobs;
	__u32 max_file_contexts;
	__u32 file_contexts;
	__u32 flags;
	__u32 pad;
};

/*
 * DRM_LOOM_REGION_OWN: resident buffers are in local memory of the device, which mmap() maps. Since
 * minor 5.
 *
 * - A buffer whose pages are no multiples of @map_bytes is copied to system memory when a client
 *   touches it through mmap(), after the jobs that use it, and back for the next job. In the SRAM
 *   mmap() of such a buffer is EOPNOTSUPP: clients must use BO_READ and BO_WRITE.
 * - A buffer that another driver or device has imported stays in system memory while it is
 *   imported, and has no address (DRM_LOOM_BO_EVICTED). Jobs access it there, as they do buffers
 *   that were imported from others.
 * - Others cannot import a buffer in the SRAM. Where jobs reach local memory only, no buffer can be
 *   exported to or imported from another driver (EOPNOTSUPP).
 */
#define DRM_LOOM_REGION_OWN		(1 << 0)

/**
 * struct drm_loom_region_info - a region and how full it is
 *
 * All numbers are for buffers on all banks: a byte is free if it is free in every bank. With
 * buffers on some banks only, a bank may have more free bytes than these, and a client should ask
 * for DRM_LOOM_QUERY_BANKS. Without CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED.
 *
 * @banks: number of banks; of the SRAM with &drm_loom_chip.storage_banks, which follow the lanes
 * @sub_banks: conflict sub-banks of a bank, 1 where there are none
 * @bank_bytes: size of a bank
 * @reserved_bytes: bytes at the bottom of each bank that are never allocated
 * @align_bytes: alignment of every page and every address
 * @total_bytes: bytes that can be allocated, per bank
 * @allocated_bytes: allocated bytes, per bank, at addresses that are in use in any bank
 * @free_bytes: @total_bytes less @allocated_bytes
 * @largest_free_bytes: largest block that an allocation could get, per bank
 * @scratch_bytes: bytes at the bottom of the SRAM that running jobs hold; since minor 6 without
 *	CAP_PERFMON not less than @scratch_floor_bytes
 * @blocks: number of allocated blocks; since minor 6 without CAP_PERFMON those of the calling file
 * @flags: DRM_LOOM_REGION_OWN or zero
 * @scratch_floor_bytes: bytes of each bank, from the first that can be allocated, that are kept for
 *	scratch. A plan must not use more, unless its file has an exclusive context, see
 *	DRM_LOOM_CONTEXT_EXCLUSIVE. Zero for other regions. Since minor 4, as all that follow. A
 *	buffer on no lane may have all of its banks
 * @share_bytes: limit on the bytes of each bank for the buffers of a file. Zero for other regions
 *	than the SRAM: no limit. Of buffers on no lane: half of the bank
 * @share_used_bytes: bytes of the resident buffers of the calling file, in the bank where they have
 *	most. Zero for other regions than the SRAM
 * @map_bytes: with DRM_LOOM_REGION_OWN: unit of direct mappings. A buffer is mapped where it lies
 *	only if its pages and their pitch, or the pitch of an image, are multiples of it; zero: no
 *	buffer is. Zero without DRM_LOOM_REGION_OWN. Since minor 5
 */
struct drm_loom_region_info {
	__u32 banks;
	__u32 sub_banks;
	__u64 bank_bytes;
	__u64 reserved_bytes;
	__u64 align_bytes;
	__u64 total_bytes;
	__u64 allocated_bytes;
	__u64 free_bytes;
	__u64 largest_free_bytes;
	__u64 scratch_bytes;
	__u32 blocks;
	__u32 flags;
	__u64 scratch_floor_bytes;
	__u64 share_bytes;
	__u64 share_used_bytes;
	__u64 map_bytes;
};

/* ---------------------------------------------------------------- buffers */

/**
 * DOC: Banks of a buffer
 *
 * A buffer is on all banks of its region, or on those of a mask. It has one address, the same in
 * each of these banks, or one in each (DRM_LOOM_BO_CREATE_PER_BANK); in other banks it takes no
 * memory, and other buffers may be there. Bank i of a layout is the i-th bank of the mask, from the
 * lowest.
 */

/**
 * enum drm_loom_shard_order - how shards go over the grid of banks
 */
enum drm_loom_shard_order {
	/** @DRM_LOOM_SHARD_ROW_MAJOR: along the rows of the grid */
	DRM_LOOM_SHARD_ROW_MAJOR = 0,
	/** @DRM_LOOM_SHARD_COLUMN_MAJOR: down its columns */
	DRM_LOOM_SHARD_COLUMN_MAJOR = 1,
};

/**
 * enum drm_loom_layout - how a buffer's bytes are distributed over the banks
 */
enum drm_loom_layout {
	/** @DRM_LOOM_LAYOUT_INTERLEAVED: page p goes to bank p modulo banks */
	DRM_LOOM_LAYOUT_INTERLEAVED = 0,
	/** @DRM_LOOM_LAYOUT_IMAGE: row r goes to bank r modulo banks */
	DRM_LOOM_LAYOUT_IMAGE = 1,
	/** @DRM_LOOM_LAYOUT_SHARDED_HEIGHT: runs of whole rows of pages, one to a bank; minor 3 */
	DRM_LOOM_LAYOUT_SHARDED_HEIGHT = 2,
	/** @DRM_LOOM_LAYOUT_SHARDED_WIDTH: runs of whole columns of pages, one to a bank */
	DRM_LOOM_LAYOUT_SHARDED_WIDTH = 3,
	/** @DRM_LOOM_LAYOUT_SHARDED_BLOCK: rectangles of pages, one to a bank */
	DRM_LOOM_LAYOUT_SHARDED_BLOCK = 4,
};

/**
 * enum drm_loom_direction - from which end of the banks to allocate
 */
enum drm_loom_direction {
	/** @DRM_LOOM_DIRECTION_DEFAULT: SRAM from the top, other regions from the bottom */
	DRM_LOOM_DIRECTION_DEFAULT = 0,
	/** @DRM_LOOM_DIRECTION_BOTTOM_UP: lowest fitting address; if large, the tightest hole */
	DRM_LOOM_DIRECTION_BOTTOM_UP = 1,
	/** @DRM_LOOM_DIRECTION_TOP_DOWN: highest address that fits; likewise */
	DRM_LOOM_DIRECTION_TOP_DOWN = 2,
	/**
	 * @DRM_LOOM_DIRECTION_TINY_APART: as DEFAULT, but a buffer that takes at most
	 * DRM_LOOM_TINY_BYTES in each bank goes to the other end, so that it does not fragment the
	 * bank if it lives long. Plans have their scratch at that end of the SRAM, so a client must
	 * not use this while it runs plans. Since minor 3
	 */
	DRM_LOOM_DIRECTION_TINY_APART = 3,
};

/* DRM_LOOM_TINY_BYTES: most bytes per bank of a tiny buffer (DRM_LOOM_DIRECTION_TINY_APART) */
#define DRM_LOOM_TINY_BYTES			256

/*
 * DRM_LOOM_BO_CREATE_PER_BANK: the buffer has an address of its own in each bank, so it fits where
 * the same addresses are not free in all of its banks. A plan takes it for slots with
 * DRM_LOOM_SLOT_PER_BANK only. No effect on a buffer in one bank. Since minor 8
 */
#define DRM_LOOM_BO_CREATE_PER_BANK		(1 << 0)

/**
 * struct drm_loom_bo_create - argument of BO_CREATE
 *
 * Makes a buffer of zeroes that takes the same address range in all banks of its region, or in
 * those of a mask; with DRM_LOOM_BO_CREATE_PER_BANK a range in each of them. The client must close
 * the handle with GEM_CLOSE, or the file.
 *
 * @size: bytes as the client sees them, must not be zero. For an image it must be zero; out:
 *	@height rows of @pitch_bytes
 * @region: an &enum drm_loom_region that the chip has
 * @layout: an &enum drm_loom_layout
 * @page_bytes: unit of distribution over the banks, at most 1 MiB; zero means 4096, or the
 *	region's alignment if that is more. Each page is padded to the region's alignment. Before
 *	minor 8 it must be a power of two, and not less than that. Must be zero for an image: its
 *	unit is the row
 * @direction: an &enum drm_loom_direction
 * @flags: DRM_LOOM_BO_CREATE_PER_BANK or zero
 * @handle: out: GEM handle
 * @width: elements in a row of an image, not zero; else zero. Since minor 1, as all that follows
 * @height: rows of an image, not zero; else zero
 * @dtype: type of an image, an &enum drm_loom_dtype; else zero
 * @pitch_bytes: of an image: bytes from a row to the next, a multiple of the region's alignment,
 *	and at least a row; zero means the smallest possible one. Out: the pitch. Else zero
 * @bank_mask: user address of @bank_mask_words __u64: bit b % 64 of word b / 64 is bank b; zero for
 *	all banks. Since minor 3, as all that follows
 * @bank_mask_words: 1 to 4, else zero. An empty mask and a bank that does not exist are EINVAL
 * @page_columns: sharded: pages in a row of the array, not zero; else zero
 * @shard_rows: sharded by height and block: rows of pages in a shard, not zero; else zero
 * @shard_columns: sharded by width and block: columns of pages in a shard, not zero; else zero
 * @grid_columns: sharded: banks of the mask side by side, must divide their number; else zero
 * @shard_order: sharded: an &enum drm_loom_shard_order; else zero
 * @no_space: user address for a &struct drm_loom_no_space, or zero; written when the call fails
 *	with ENOSPC
 * @no_space_size: bytes at @no_space
 * @pad: zero
 */
struct drm_loom_bo_create {
	__u64 size;
	__u32 region;
	__u32 layout;
	__u32 page_bytes;
	__u32 direction;
	__u32 flags;
	__u32 handle;
	__u32 width;
	__u32 height;
	__u32 dtype;
	__u32 pitch_bytes;
	__u64 bank_mask;
	__u32 bank_mask_words;
	__u32 page_columns;
	__u32 shard_rows;
	__u32 shard_columns;
	__u32 grid_columns;
	__u32 shard_order;
	__u64 no_space;
	__u32 no_space_size;
	__u32 pad;
};

/* DRM_LOOM_BO_EVICTED: in system memory now; gets an address when a job needs it, if it can */
#define DRM_LOOM_BO_EVICTED			(1 << 0)
/* DRM_LOOM_BO_PER_BANK: it has an address of its own in each bank. Since minor 8 */
#define DRM_LOOM_BO_PER_BANK			(1 << 1)
/* DRM_LOOM_BO_SEALED: it is never written again, see &struct drm_loom_bo_seal. Since minor 12 */
#define DRM_LOOM_BO_SEALED			(1 << 2)

/**
 * struct drm_loom_bo_info - argument of BO_INFO
 *
 * Byte b of the buffer is byte b % @page_bytes of page p = b / @page_bytes, which lies in bank
 * p % @banks at @address + p / @banks * @page_pitch_bytes. Of an image a page is a row with its
 * padding. For a sharded buffer see "Sharded buffers".
 *
 * @handle: in: GEM handle
 * @region: an &enum drm_loom_region
 * @size: bytes as asked for
 * @mmap_offset: offset for mmap() on the node: the linear view
 * @address: first byte, in each of its banks; of DRM_LOOM_BO_PER_BANK in the lowest one, and
 *	@addresses has that of each bank. Zero while evicted
 * @bytes_per_bank: bytes it takes in each of its banks
 * @padding_bytes: bytes that it takes in all banks together and that hold no data
 * @page_bytes: unit of distribution over the banks
 * @page_pitch_bytes: bytes between pages in a bank
 * @banks: number of its banks
 * @layout: an &enum drm_loom_layout
 * @flags: DRM_LOOM_BO_*
 * @pad: zero
 * @width: elements in a row of an image, else zero. Since minor 1, as all that follows
 * @height: rows of an image, else zero
 * @dtype: type of an image, an &enum drm_loom_dtype, else zero
 * @pitch_bytes: bytes from a row to the next, else zero
 * @rows_per_bank: rows of an image that a bank has room for, else zero
 * @pad2: zero
 * @bank_mask: its banks: bit b % 64 of word b / 64 is bank b. Since minor 3, as all that follows
 * @align_padding_bytes: of @padding_bytes: between pages, or the rows of an image, and the next
 * @page_columns: sharded: pages in a row of the array, else zero, as all that follow
 * @shard_rows: sharded: rows of pages in a shard
 * @shard_columns: sharded: columns of pages in a shard
 * @shards_across: shards side by side
 * @grid_columns: banks side by side
 * @shard_order: an &enum drm_loom_shard_order
 * @addresses: in: user address of @address_count __u64, or zero. The first byte in each of its
 *	banks is written there, in the order of the banks. Since minor 8, as all that follows
 * @address_count: in: capacity of @addresses, zero if that is zero. Out: number of banks, of which
 *	more than the capacity are not written; zero while evicted
 * @pad3: zero
 */
struct drm_loom_bo_info {
	__u32 handle;
	__u32 region;
	__u64 size;
	__u64 mmap_offset;
	__u64 address;
	__u64 bytes_per_bank;
	__u64 padding_bytes;
	__u64 page_bytes;
	__u64 page_pitch_bytes;
	__u32 banks;
	__u32 layout;
	__u32 flags;
	__u32 pad;
	__u32 width;
	__u32 height;
	__u32 dtype;
	__u32 pitch_bytes;
	__u32 rows_per_bank;
	__u32 pad2;
	__u64 bank_mask[DRM_LOOM_MAX_BANKS / 64];
	__u64 align_padding_bytes;
	__u64 page_columns;
	__u64 shard_rows;
	__u64 shard_columns;
	__u64 shards_across;
	__u32 grid_columns;
	__u32 shard_order;
	__u64 addresses;
	__u32 address_count;
	__u32 pad3;
};

/**
 * struct drm_loom_bo_wait - argument of BO_WAIT
 * @handle: GEM handle
 * @pad: zero
 * @timeout_ns: absolute CLOCK_MONOTONIC time; zero or the past polls
 */
struct drm_loom_bo_wait {
	__u32 handle;
	__u32 pad;
	__s64 timeout_ns;
};

/**
 * struct drm_loom_bo_copy - argument of BO_READ and BO_WRITE, since minor 5
 *
 * BO_READ copies bytes of a buffer to the caller, BO_WRITE bytes of the caller to a buffer. Both
 * use the linear view that mmap() shows, and leave the buffer where it is, local SRAM of a device
 * included. Neither waits for jobs: a caller that wants the results of a job must wait for it
 * first. Jobs that are submitted after BO_WRITE has returned see its bytes.
 *
 * A signal ends the call between two pieces: it returns 0, and @size is less than was asked for,
 * but not zero (EINTR if nothing was copied before), so the caller must check @size and call again
 * for the rest. A call that fails may have copied some of the bytes; if the process is killed, the
 * piece under way is copied or not.
 *
 * @handle: GEM handle
 * @flags: zero
 * @offset: of the first byte in the buffer
 * @size: in: bytes to copy, must not be zero; the range must be inside the buffer. Out: bytes that
 *	were copied
 * @ptr: user address of the destination (BO_READ) or the source (BO_WRITE)
 */
struct drm_loom_bo_copy {
	__u32 handle;
	__u32 flags;
	__u64 offset;
	__u64 size;
	__u64 ptr;
};

/**
 * struct drm_loom_bo_label - argument of BO_LABEL, since minor 8
 *
 * Names a buffer for people, in lists of blocks, reject records, tracepoints, debugfs and
 * devcoredumps. All files that have a handle for the buffer may label it, and the last label is in
 * effect. Other files need CAP_PERFMON to see it.
 *
 * @handle: GEM handle
 * @size: characters, at most DRM_LOOM_LABEL_BYTES (else EINVAL); zero removes the label
 * @ptr: user address of @size printable ASCII characters (0x20 to 0x7e, else EINVAL)
 */
struct drm_loom_bo_label {
	__u32 handle;
	__u32 size;
	__u64 ptr;
};

/**
 * struct drm_loom_bo_seal - argument of BO_SEAL, since minor 12
 *
 * Makes a buffer constant for ever, for processes that share it through PRIME: mmap() with
 * PROT_WRITE, mprotect(), BO_WRITE, SUBMIT with the buffer in a slot with DRM_LOOM_SLOT_WRITE, and
 * PRIME for another driver are EPERM from then on (mprotect(): EACCES). Reading is not restricted.
 * No call undoes it.
 *
 * The client that made the buffer must unmap it before, wait for its jobs, and have no other driver
 * use it (else EBUSY). A mapping that was made through a descriptor that is not open for writing
 * does not matter. Other clients get EPERM. Sealing again has no effect.
 *
 * @handle: GEM handle
 * @pad: zero
 */
struct drm_loom_bo_seal {
	__u32 handle;
	__u32 pad;
};

/* --------------------------------------------------------------- contexts */

/**
 * enum drm_loom_priority - of a context's jobs
 *
 * While a job of a higher priority can run, jobs of lower priorities wait, begun or not. Within a
 * priority the engine is shared between users in time slices, independent of their numbers of files
 * and contexts, and the slices of a user are shared between the user's files. The user of a file is
 * the one that opened it (since minor 6; before, all files took turns). A submitter's nice value
 * above 0 makes its slices shorter.
 */
enum drm_loom_priority {
	/**
	 * @DRM_LOOM_PRIORITY_LOW: runs while no job of a higher priority can run; since minor 6 it
	 * also gets a fiftieth of the engine beside jobs of DRM_LOOM_PRIORITY_NORMAL
	 */
	DRM_LOOM_PRIORITY_LOW = 0,
	/** @DRM_LOOM_PRIORITY_NORMAL: for most clients */
	DRM_LOOM_PRIORITY_NORMAL = 1,
	/** @DRM_LOOM_PRIORITY_HIGH: needs CAP_SYS_NICE, else EACCES */
	DRM_LOOM_PRIORITY_HIGH = 2,
};

/**
 * struct drm_loom_context_create - argument of CONTEXT_CREATE
 * @priority: an &enum drm_loom_priority
 * @flags: DRM_LOOM_CONTEXT_EXCLUSIVE or zero
 * @context: out: id, never zero
 * @pad: zero
 * @lanes: number of lanes that the context shall own; zero for the number in @lane_mask, and for
 *	none if that is empty. Out: number of its lanes. Since minor 8, as all that follows
 * @pad2: zero
 * @lane_mask: lanes that the context shall own: bit b % 64 of word b / 64 is lane b; empty: the
 *	driver chooses @lanes lanes that no context owns. Out: its lanes
 */
struct drm_loom_context_create {
	__u32 priority;
	__u32 flags;
	__u32 context;
	__u32 pad;
	__u32 lanes;
	__u32 pad2;
	__u64 lane_mask[DRM_LOOM_MAX_BANKS / 64];
};

/**
 * struct drm_loom_context_destroy - argument of CONTEXT_DESTROY
 *
 * Jobs that were submitted still run.
 *
 * @context: id
 * @pad: zero
 */
struct drm_loom_context_destroy {
	__u32 context;
	__u32 pad;
};

/* DRM_LOOM_CONTEXT_GUILTY: a job of this context was ended by the timeout */
#define DRM_LOOM_CONTEXT_GUILTY		(1 << 0)

/**
 * struct drm_loom_context_query - argument of CONTEXT_QUERY
 * @context: in: id
 * @flags: out: DRM_LOOM_CONTEXT_*
 * @resets: out: times a job of this context was ended by the timeout
 * @pad: zero
 * @counters: out
 */
struct drm_loom_context_query {
	__u32 context;
	__u32 flags;
	__u32 resets;
	__u32 pad;
	struct drm_loom_counters counters;
};

/* ------------------------------------------------------------------ plans */

/**
 * struct drm_loom_scratch_conflict - the SRAM buffer that lies in a plan's scratch
 *
 * Of all buffers that overlap the scratch, the one that begins furthest below the end of the
 * scratch, in a bank that both use. Since minor 2.
 *
 * @bank: index of that bank; the lowest, if there are several
 * @handle: GEM handle of the buffer, if the caller's file has one; else zero
 * @scratch_start: first byte of the plan's scratch in that bank
 * @scratch_end: first byte behind it
 * @address: first byte of the buffer, in each of its banks; since minor 4 zero without CAP_PERFMON,
 *	if @handle is zero
 * @bytes: bytes of it, per bank; since minor 4 zero where @address is
 * @short_bytes: bytes from its start to @scratch_end. The plan must use so many bytes less in that
 *	bank; if it does so in all banks, no buffer overlaps its scratch. Since minor 6 rounded up
 *	to 1/64 of the bank where @address is zero, but not beyond the scratch. Zero if there is no
 *	conflict, and then all other fields are zero, too
 */
struct drm_loom_scratch_conflict {
	__u32 bank;
	__u32 handle;
	__u64 scratch_start;
	__u64 scratch_end;
	__u64 address;
	__u64 bytes;
	__u64 short_bytes;
};

/**
 * struct drm_loom_conflict - the same with the label of the buffer, since minor 8
 *
 * PLAN_CREATE and SUBMIT write as much of it as the caller has room for.
 *
 * @scratch: the buffer
 * @label: its label (BO_LABEL), padded with zeroes; empty where the bytes of
 *	the buffer are zero
 * @plan_lanes: lanes of the plan, if SUBMIT failed with EINVAL because the context has another
 *	number of lanes; then @scratch and @label are zero. Else zero
 * @context_lanes: lanes of the context, in the same case: those it owns, or all of the device
 * @per_bank_slot: SUBMIT failed with EINVAL because a buffer with an address of its own in each
 *	bank was bound to this slot, which has not DRM_LOOM_SLOT_PER_BANK; then all fields above
 *	are zero
 * @per_bank_handle: GEM handle of that buffer; zero in other cases
 */
struct drm_loom_conflict {
	struct drm_loom_scratch_conflict scratch;
	char label[DRM_LOOM_LABEL_BYTES];
	__u32 plan_lanes;
	__u32 context_lanes;
	__u32 per_bank_slot;
	__u32 per_bank_handle;
};

/*
 * DRM_LOOM_PLAN_RESERVE: the plan's scratch is kept free of SRAM buffers as long as the plan lives,
 * so that no SUBMIT of it is EBUSY. For scratch that ends above the floor the file must have an
 * exclusive context (EACCES), and the reservation holds while that is in effect. Since minor 2.
 * EINVAL for a plan for fewer lanes than the device has: its banks depend on the context
 */
#define DRM_LOOM_PLAN_RESERVE		(1 << 0)

/**
 * struct drm_loom_plan_create - argument of PLAN_CREATE
 *
 * Copies the plan in once, proves it safe and keeps a decoded, immutable form.
 *
 * @ptr: user address of the plan
 * @size: its bytes, must be equal to the size in its header
 * @reject: user address for a &struct drm_loom_reject, or zero; written when the
 *	call fails with EBADMSG
 * @reject_size: bytes at @reject
 * @flags: DRM_LOOM_PLAN_*
 * @plan: out: id, never zero
 * @pad: zero
 * @conflict: user address for a &struct drm_loom_conflict, or zero; written when the call fails
 *	with EBUSY. Since minor 2, as all that follows
 * @conflict_size: bytes at @conflict
 * @pad2: zero
 */
struct drm_loom_plan_create {
	__u64 ptr;
	__u64 size;
	__u64 reject;
	__u32 reject_size;
	__u32 flags;
	__u32 plan;
	__u32 pad;
	__u64 conflict;
	__u32 conflict_size;
	__u32 pad2;
};

/**
 * struct drm_loom_plan_destroy - argument of PLAN_DESTROY
 *
 * Jobs that were submitted still run.
 *
 * @plan: id
 * @pad: zero
 */
struct drm_loom_plan_destroy {
	__u32 plan;
	__u32 pad;
};

/* ----------------------------------------------------------------- submit */

/* DRM_LOOM_MAX_SYNCS: cap on each array of syncobjs */
#define DRM_LOOM_MAX_SYNCS			256

/**
 * struct drm_loom_binding - a buffer for a slot
 * @slot: index of the slot
 * @handle: GEM handle of a buffer, which must be in DRAM, in ROM for a DRM_LOOM_SLOT_ROM. For a
 *	slot that is an image it must be an image of the same type and pitch, with rows at least as
 *	wide; else it may have any layout, but the slot must be DRM_LOOM_SLOT_SPREAD for a buffer
 *	that is sharded or on some banks only, and DRM_LOOM_SLOT_PER_BANK for one with an address
 *	of its own in each bank. For a DRM_LOOM_SLOT_SRAM it must be an interleaved
 *	SRAM buffer on all lanes with pages that are multiples of the region's alignment, whose
 *	first page in each has room for the slot (since minor 5: all its pages, if there is one
 *	lane). The linear view of such a buffer is bank after bank, @page_bytes each
 * @offset: first byte in the buffer that the slot uses. It must be a multiple of 64, and of the
 *	pitch if the slot is an image; for a DRM_LOOM_SLOT_SRAM in each bank
 */
struct drm_loom_binding {
	__u32 slot;
	__u32 handle;
	__u64 offset;
};

/**
 * struct drm_loom_sync - a fence to wait for or to signal
 * @handle: syncobj handle
 * @flags: zero
 * @point: timeline point, zero for a binary syncobj
 */
struct drm_loom_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/**
 * struct drm_loom_submit - argument of SUBMIT
 *
 * Runs a plan. Every slot must be bound exactly once. Two slots must not share bytes of a buffer,
 * unless neither is DRM_LOOM_SLOT_WRITE. The call does not wait for the job; a client that needs
 * its end must pass an out-sync or use BO_WAIT.
 *
 * @context: id
 * @plan: id
 * @bindings: &struct drm_loom_binding, as many as the plan has slots
 * @in_syncs: &struct drm_loom_sync to wait for before the job starts, at most DRM_LOOM_MAX_SYNCS
 * @out_syncs: &struct drm_loom_sync that signal when the job has ended, at most DRM_LOOM_MAX_SYNCS
 * @flags: zero
 * @pad: zero
 * @conflict: user address for a &struct drm_loom_conflict, or zero; written when the call fails
 *	with EBUSY, because the lanes of plan and context differ, or because of a buffer with an
 *	address of its own in each bank. Since minor 2, as all that follows
 * @conflict_size: bytes at @conflict
 * @pad2: zero
 */
struct drm_loom_submit {
	__u32 context;
	__u32 plan;
	struct drm_loom_array bindings;
	struct drm_loom_array in_syncs;
	struct drm_loom_array out_syncs;
	__u32 flags;
	__u32 pad;
	__u64 conflict;
	__u32 conflict_size;
	__u32 pad2;
};

#define DRM_IOCTL_LOOM_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_QUERY, struct drm_loom_query)
#define DRM_IOCTL_LOOM_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_BO_CREATE, struct drm_loom_bo_create)
#define DRM_IOCTL_LOOM_BO_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_BO_INFO, struct drm_loom_bo_info)
#define DRM_IOCTL_LOOM_BO_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_BO_WAIT, struct drm_loom_bo_wait)
#define DRM_IOCTL_LOOM_PLAN_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_PLAN_CREATE, struct drm_loom_plan_create)
#define DRM_IOCTL_LOOM_PLAN_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_PLAN_DESTROY, struct drm_loom_plan_destroy)
#define DRM_IOCTL_LOOM_SUBMIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_SUBMIT, struct drm_loom_submit)
#define DRM_IOCTL_LOOM_CONTEXT_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_CONTEXT_CREATE, struct drm_loom_context_create)
#define DRM_IOCTL_LOOM_CONTEXT_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_CONTEXT_DESTROY, struct drm_loom_context_destroy)
#define DRM_IOCTL_LOOM_CONTEXT_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_CONTEXT_QUERY, struct drm_loom_context_query)
#define DRM_IOCTL_LOOM_BO_READ \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_BO_READ, struct drm_loom_bo_copy)
#define DRM_IOCTL_LOOM_BO_WRITE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_BO_WRITE, struct drm_loom_bo_copy)
#define DRM_IOCTL_LOOM_BO_LABEL \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_BO_LABEL, struct drm_loom_bo_label)
#define DRM_IOCTL_LOOM_BO_SEAL \
	DRM_IOW(DRM_COMMAND_BASE + DRM_LOOM_BO_SEAL, struct drm_loom_bo_seal)

#if defined(__cplusplus)
}
#endif

#include "loom_accel_report.h"

#endif /* _LOOM_ACCEL_H_ */
