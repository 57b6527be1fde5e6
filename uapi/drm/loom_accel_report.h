/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_REPORT_H_
#define _LOOM_ACCEL_REPORT_H_

/*
 * Parts of the contract that a kernel may have been built without: reports of banks and blocks, of
 * what would fit, and of why a buffer did not; images, partitions. Use <drm/loom_accel.h>.
 */

#include "loom_accel.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ------------------------------------------------------- banks and blocks */

/**
 * struct drm_loom_bank_info - how full a bank is
 *
 * Without CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED.
 *
 * @total_bytes: bytes that can be allocated
 * @allocated_bytes: allocated bytes
 * @free_bytes: @total_bytes less @allocated_bytes
 * @largest_free_bytes: largest block that an allocation in this bank alone could get
 * @blocks: number of allocated blocks; since minor 6 without CAP_PERFMON those that the calling
 *	file has in all banks of the region
 * @pad: zero
 */
struct drm_loom_bank_info {
	__u64 total_bytes;
	__u64 allocated_bytes;
	__u64 free_bytes;
	__u64 largest_free_bytes;
	__u32 blocks;
	__u32 pad;
};

#define DRM_LOOM_BLOCK_ALLOCATED		(1 << 0)
/* DRM_LOOM_BLOCK_RESERVED: the bytes below the first address that can be allocated */
#define DRM_LOOM_BLOCK_RESERVED		(1 << 1)
/* DRM_LOOM_BLOCK_OWN: allocated by the calling file */
#define DRM_LOOM_BLOCK_OWN			(1 << 2)
/* DRM_LOOM_BLOCK_PARTIAL: on some banks only. Since minor 3 */
#define DRM_LOOM_BLOCK_PARTIAL		(1 << 3)
/* DRM_LOOM_BLOCK_HIDDEN: free, or of others: the caller has no CAP_PERFMON. Since minor 4 */
#define DRM_LOOM_BLOCK_HIDDEN		(1 << 4)

/**
 * struct drm_loom_block - one block, the same in each bank of its region
 *
 * The blocks of DRM_LOOM_QUERY_BLOCKS tile the bank from its base to its end, and a free block is
 * free in all banks. If buffers on different banks overlap in addresses, the one that begins first
 * is listed in full, and the others without the overlap: a client that needs one bank exactly
 * should use DRM_LOOM_QUERY_BANK_BLOCKS. The list is no snapshot: blocks may be allocated, freed or
 * split while it is made.
 *
 * Without CAP_PERFMON only the calling file's own blocks and the reserved bytes are told apart.
 * Each range between them, free or allocated by others, is one block with DRM_LOOM_BLOCK_HIDDEN
 * (since minor 4), so the blocks still tile the bank. How much is free is in
 * &struct drm_loom_region_info, see DRM_LOOM_DEVICE_ROUNDED.
 *
 * @address: first byte
 * @bytes: size in each bank
 * @flags: DRM_LOOM_BLOCK_*
 * @pad: zero
 * @label: of the buffer (BO_LABEL), padded with zeroes; of others with CAP_PERFMON only. Since
 *	minor 8
 */
struct drm_loom_block {
	__u64 address;
	__u64 bytes;
	__u32 flags;
	__u32 pad;
	char label[DRM_LOOM_LABEL_BYTES];
};

/* ------------------------------------------------------------------- room */

/**
 * enum drm_loom_no_space_reason - why a buffer did not fit
 */
enum drm_loom_no_space_reason {
	/** @DRM_LOOM_NO_SPACE_NONE: no failure */
	DRM_LOOM_NO_SPACE_NONE = 0,
	/** @DRM_LOOM_NO_SPACE_TOO_LARGE: more than an empty bank has */
	DRM_LOOM_NO_SPACE_TOO_LARGE = 1,
	/** @DRM_LOOM_NO_SPACE_EXHAUSTED: the fullest of the banks has fewer bytes free */
	DRM_LOOM_NO_SPACE_EXHAUSTED = 2,
	/** @DRM_LOOM_NO_SPACE_LOCKSTEP: enough is free in each bank, not at common addresses */
	DRM_LOOM_NO_SPACE_LOCKSTEP = 3,
	/** @DRM_LOOM_NO_SPACE_FRAGMENTED: enough is free at common addresses, not in one piece */
	DRM_LOOM_NO_SPACE_FRAGMENTED = 4,
	/**
	 * @DRM_LOOM_NO_SPACE_SCRATCH: enough is free in one piece, but it includes bytes that are
	 * kept for scratch. Since minor 4
	 */
	DRM_LOOM_NO_SPACE_SCRATCH = 5,
	/**
	 * @DRM_LOOM_NO_SPACE_LIMIT: the caller's control group, or one above it, may not have more
	 * of the region (dmem.max). Since minor 4
	 */
	DRM_LOOM_NO_SPACE_LIMIT = 6,
};

/**
 * struct drm_loom_no_space - why a buffer did not fit
 *
 * The state right after the failure, when all evictable buffers had been evicted. Without
 * CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED; @reason is derived from the rounded figures, too.
 *
 * @reason: an &enum drm_loom_no_space_reason
 * @region: an &enum drm_loom_region
 * @banks: number of banks that the buffer was requested on
 * @pad: zero
 * @size_bytes: size of the buffer
 * @bytes_per_bank: bytes that it needs in each of its banks; all ones if that exceeds 64 bits
 * @bank_bytes: bytes of a bank that can be allocated at all
 * @allocated_bytes: bytes allocated in the fullest of its banks
 * @free_bytes: bytes free in that bank
 * @common_free_bytes: bytes that are free in all of its banks at the same address
 * @largest_free_bytes: largest block of these
 * @scratch_bytes: bytes at the bottom of each bank that are kept for scratch and cannot be
 *	allocated: the larger of the floor and the scratch that jobs and plans hold
 * @blocker_bytes: bytes per bank of the largest buffer with a label in any of its banks; of the
 *	calling file, and with CAP_PERFMON of all files. Zero if there is none. Since minor 8, as
 *	all that follows
 * @blocker: the label of that buffer, padded with zeroes
 */
struct drm_loom_no_space {
	__u32 reason;
	__u32 region;
	__u32 banks;
	__u32 pad;
	__u64 size_bytes;
	__u64 bytes_per_bank;
	__u64 bank_bytes;
	__u64 allocated_bytes;
	__u64 free_bytes;
	__u64 common_free_bytes;
	__u64 largest_free_bytes;
	__u64 scratch_bytes;
	__u64 blocker_bytes;
	char blocker[DRM_LOOM_LABEL_BYTES];
};

/* DRM_LOOM_FIT_NOW: SUBMIT would not fail with EBUSY or EACCES, and the slots have room */
#define DRM_LOOM_FIT_NOW			(1 << 0)
/* DRM_LOOM_FIT_RESERVED: the plan's scratch is reserved (DRM_LOOM_PLAN_RESERVE) */
#define DRM_LOOM_FIT_RESERVED		(1 << 1)
/* DRM_LOOM_FIT_EXCLUSIVE: the scratch ends above the floor: needs an exclusive context; minor 4 */
#define DRM_LOOM_FIT_EXCLUSIVE		(1 << 2)

/**
 * struct drm_loom_fit - whether a plan would fit now
 *
 * Since minor 2.
 *
 * @flags: DRM_LOOM_FIT_*
 * @pad: zero
 * @scratch_bytes: bytes of the scratch in the bank where it uses most
 * @dram_bytes: bytes per bank for interleaved buffers of the default page size for all DRAM slots
 * @dram_short_bytes: the part of @dram_bytes that would not fit in DRAM even if all other evictable
 *	buffers were evicted; zero if all fit
 * @conflict: the SRAM buffer that overlaps the scratch
 * @rom_bytes: as @dram_bytes, for all ROM slots. Since minor 5, as all that follows
 * @rom_short_bytes: as @dram_short_bytes
 */
struct drm_loom_fit {
	__u32 flags;
	__u32 pad;
	__u64 scratch_bytes;
	__u64 dram_bytes;
	__u64 dram_short_bytes;
	struct drm_loom_scratch_conflict conflict;
	__u64 rom_bytes;
	__u64 rom_short_bytes;
};

/* DRM_LOOM_FIT_EVICTS: only if buffers in DRAM or ROM are evicted; minor 8 */
#define DRM_LOOM_FIT_EVICTS		(1 << 3)

/* DRM_LOOM_MAX_FIT: cap on the arrays of &struct drm_loom_fit_list */
#define DRM_LOOM_MAX_FIT		256

/* DRM_LOOM_MAX_FIT_ADDRESSES: cap on the addresses of all allocations of a list together */
#define DRM_LOOM_MAX_FIT_ADDRESSES	2048

/**
 * struct drm_loom_fit_list - whether a list of buffers would fit now, all at the same time
 *
 * The driver allocates the buffers one after the other, as BO_CREATE would, and frees them again
 * before any client can see them. In DRAM and ROM, where buffers are evicted for others, it does so
 * in an empty region if they do not fit beside the resident ones. It considers neither limits of
 * control groups nor free host memory, and a buffer that another client may displace
 * (DRM_LOOM_CONTEXT_EXCLUSIVE) counts as in use. The answer may be outdated at once.
 *
 * Since minor 8. The caller must give at least the bytes before @flags.
 *
 * @allocations: in: &struct drm_loom_bo_create, as for BO_CREATE, but no records are written. At
 *	most DRM_LOOM_MAX_FIT, with DRM_LOOM_MAX_FIT_ADDRESSES addresses (a buffer with
 *	DRM_LOOM_BO_CREATE_PER_BANK has one in each bank, another one has one), otherwise E2BIG.
 *	Early drivers of minor 8 answer EINVAL to DRM_LOOM_BO_CREATE_PER_BANK
 * @own: __u32. In: room for so many handles, at most DRM_LOOM_MAX_FIT; zero: none are written.
 *	Out: number of the file's own buffers in the way, zero for other regions than the SRAM:
 *	those that reach above the scratch in a bank of the allocation that fails. Their handles are
 *	written in ascending order; if there are too many, those of the lowest addresses
 * @flags: out: DRM_LOOM_FIT_NOW, DRM_LOOM_FIT_EVICTS; zero if they do not fit
 * @failed: out: index of the first allocation that fails
 * @error: out: errno of its BO_CREATE: ENOSPC, or EDQUOT; zero if all fit
 * @pad: zero
 * @short_bytes: out: ENOSPC: bytes that are missing in each bank, in one piece. Without CAP_PERFMON
 *	rounded up to 1/64 of the bank if other files have buffers there, but not beyond the
 *	allocation. EDQUOT: bytes beyond the share or the cap, rounded for caps of all files
 * @no_space: out: ENOSPC: the record of BO_CREATE, with a label for the SRAM only; else zero
 */
struct drm_loom_fit_list {
	struct drm_loom_array allocations;
	struct drm_loom_array own;
	__u32 flags;
	__u32 failed;
	__u32 error;
	__u32 pad;
	__u64 short_bytes;
	struct drm_loom_no_space no_space;
};

/* ------------------------------------------------------ shards and images */

/**
 * DOC: Sharded buffers
 *
 * A sharded buffer is an array of pages: rows of @page_columns of them, page p in row
 * p / @page_columns. It is cut into shards of @shard_rows times @shard_columns pages, from the top
 * left on, row of shards after row. The banks are a grid, @grid_columns of them side by side, and
 * shard i goes to bank i of the grid, counted along its rows or down its columns. In the bank a
 * shard is an array of its full shape, row by row: pages outside of the array are padding.
 * Banks of the grid that get no shard are not part of the buffer.
 *
 * Page p is in row r = p / @page_columns and column c = p % @page_columns of the array; with
 * s = r / @shard_rows * @shards_across + c / @shard_columns it lies in bank s of the grid, at
 * @address + (r % @shard_rows * @shard_columns + c % @shard_columns) * @page_pitch_bytes, see
 * &struct drm_loom_bo_info.
 */

/**
 * DOC: Images
 *
 * An image is a buffer of rows: @height rows of @width elements of one type, @pitch_bytes from the
 * begin of a row to the begin of the next. The bytes between the end of a row and the next row are
 * padding. The pitch is a multiple of the region's alignment, so that each row is in one bank:
 * row r lies in bank r modulo banks, at the same address as its neighbours in the other
 * banks, and an image takes ceil(@height / banks) rows in each.
 *
 * The linear view (mmap(), and what a plan calls bytes) is the image row after row: element x of
 * row y is at byte y * @pitch_bytes + x * size of an element. A row need not start on a page of
 * the processor. In local memory of a device (DRM_LOOM_REGION_OWN) it should: otherwise touching a
 * mapping is slow in DRAM and ROM, because the image is copied, and mmap() in the SRAM is
 * EOPNOTSUPP. The same holds for pages of other layouts.
 *
 * A plan that uses images must declare them in its table of images. Only an image of
 * that type and pitch, and at least as wide and high, can be bound to the slot. A tensor in
 * an image is a window of it, a rectangle of rows and columns, and a view must not leave the
 * columns of its tensor. CONV and POOL can read and write such views in DRAM, as texture units do;
 * LOAD, STORE, COPY and FILL take them like any other view.
 */

/* ------------------------------------------------- partitions of the SRAM */

/*
 * DRM_LOOM_CONTEXT_EXCLUSIVE: as long as the context has an id, the file is not held to the limits
 * of the SRAM: it may have buffers of any size at any address, plans whose scratch ends above
 * &drm_loom_region_info.scratch_floor_bytes, and reservations for these. Since minor 4.
 *
 * With CAP_SYS_NICE, no other file may have such a context (EBUSY). Without, the file must be the
 * only open one of the device (else EACCES), and the context has no effect while another file is
 * open. Memory beyond the limits stays allocated then until another client needs it. That evicts
 * buffers, which keep their bytes (DRM_LOOM_BO_EVICTED), ends jobs that use them and jobs with
 * scratch above the floor with ECANCELED, and voids reservations above the floor. A client should
 * ask CONTEXT_QUERY whether its context is in effect.
 */
#define DRM_LOOM_CONTEXT_EXCLUSIVE	(1 << 1)

/**
 * DOC: Partitions
 *
 * A context may own lanes of the device (&struct drm_loom_context_create, since minor 8): that is a
 * partition, and no other context can own the same lanes. It runs plans for exactly so many lanes,
 * which PLAN_CREATE takes for any number up to the device's. Lane i of a plan is the i-th lane of
 * the partition, from the lowest: the plan's scratch is in these banks, and a buffer for a
 * DRM_LOOM_SLOT_SRAM must be on exactly these banks.
 *
 * Jobs of different partitions run at the same time. A job of a context without lanes has the whole
 * device while it runs. With DRM_LOOM_DEVICE_TURNS both take turns: at a priority, all partitions
 * together get the time slices of one user, however many partitions there are. So partitions cannot
 * starve other contexts, nor these the partitions. Without the flag, each job runs to its end; one
 * without lanes waits for those of partitions before it, and those behind it wait for that one.
 *
 * Without CAP_SYS_NICE the contexts of a user may own half of the device's lanes, rounded down. A
 * context gives its lanes back when its last job has ended after CONTEXT_DESTROY or the close of
 * the file.
 *
 * Counters, and the cycles that a planner expects, are those of a partition by itself with the
 * whole rate of the DRAM.
 */

#if defined(__cplusplus)
}
#endif

#endif /* _LOOM_ACCEL_REPORT_H_ */
