/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_H_
#define _LOOM_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: The Loom user-kernel contract
 *
 * A client opens /dev/accel/accelN, asks for its description (QUERY), allocates
 * lockstep buffers (BO_CREATE), hands over a plan (PLAN_CREATE) and runs it
 * (SUBMIT). Handles of buffers and syncobjs are those of DRM; plans and
 * contexts are numbers of the file they were made on.
 *
 * Rules that hold for every structure here:
 *
 * - fixed-width types, natural alignment, size a multiple of eight bytes, no
 *   implicit holes: what is padding is named, and must be zero;
 * - the layout is the same for 32- and 64-bit clients; user pointers are __u64;
 * - unknown flags, non-zero padding and non-zero reserved fields are EINVAL, so
 *   that later versions can define them;
 * - structures grow at the end only, each growth bumps the driver's minor;
 * - arrays are passed as &struct drm_loom_array with a stride, so that their
 *   elements can grow, too; every count has a documented cap;
 * - what the driver writes has the size that the caller gives with its address, and
 *   the arrays of QUERY a stride: a structure of which the caller knows less is cut
 *   there, and what the caller knows beyond the driver is zero. No structure is ever
 *   longer than 4096 bytes, and of a larger size no more than that is written;
 * - all waits take an absolute CLOCK_MONOTONIC time in nanoseconds;
 * - buffers, plans and contexts live as long as a job needs them, whatever the
 *   client does: GEM_CLOSE, PLAN_DESTROY and CONTEXT_DESTROY take away a name, and jobs
 *   that were submitted still run. Closing the file cancels them, see there.
 *
 * Errors:
 *
 * ========== ==================================================================
 * EINVAL     unknown flag, type or number, padding not zero, a value out of
 *            range, a binding that does not fit its slot
 * ENOENT     no such buffer, plan, context or syncobj on this file
 * EFAULT     a user pointer that is not mapped. If it is that of the argument itself, what the
 *            call has made is there until the file is closed
 * EACCES     CONTEXT_CREATE: a priority that the caller may not have, or an exclusive context
 *            without CAP_SYS_NICE while another file of the device is open. SUBMIT, and PLAN_CREATE
 *            with DRM_LOOM_PLAN_RESERVE: the plan's scratch ends above the floor, and the file has
 *            no exclusive context in effect
 * E2BIG      an array or plan past its cap, or a larger structure whose unknown
 *            tail is not zero
 * EBADMSG    PLAN_CREATE: the plan was refused, see the reject record
 * ENOSPC     no room in the banks
 * ENOMEM     no host memory
 * EDQUOT     a cap of the device or of the file is reached. BO_CREATE: bytes of all buffers, or the
 *            file's share of the SRAM; PLAN_CREATE: bytes of all plans; CONTEXT_CREATE: contexts of
 *            the file; SUBMIT: jobs of the file that have not ended, so wait for one, or the bytes
 *            of buffers, by what keeps the context's scratch between its turns, or a buffer lost
 *            its address in the SRAM to another client, and the share is used up by now (ENOSPC:
 *            the SRAM is full). See &struct drm_loom_device_info, &struct drm_loom_region_info
 * EBUSY      SUBMIT, and PLAN_CREATE with DRM_LOOM_PLAN_RESERVE: an SRAM buffer lies in the
 *            plan's scratch, see &struct drm_loom_scratch_conflict. CONTEXT_CREATE: another file
 *            has an exclusive context, made with CAP_SYS_NICE
 * ETIME      BO_WAIT: not idle in time
 * EINTR      interrupted; call again with unchanged arguments
 * ECANCELED  SUBMIT: this context had a job ended by the timeout. A fence: the job did not run, or
 *            not to its end, because its file was closed; the timeout has ended a job before it in
 *            its context; or another client needed the room in the SRAM that only an exclusive
 *            context could take, for a buffer of the job or its scratch; or it had begun when the
 *            device had to be reset because of the job of another context, which no job on a device
 *            made of software can bring about
 * ENODEV     the device was unplugged
 * EIO        SUBMIT, BO_READ, BO_WRITE, and a fence: the device is broken, and is not used any more
 *            until it is bound to its driver anew. Its uevent is WEDGED=rebind. Since minor 5.
 *            Also SUBMIT and a fence, without an uevent: two jobs of this user (the effective user
 *            ID that opened the node) did not stop and had the device reset, within a minute. The
 *            user's queued jobs end, and SUBMIT refuses more for a minute
 * EOPNOTSUPP SUBMIT: a buffer of another driver in memory that jobs cannot reach. BO_READ and
 *            BO_WRITE: a buffer of another driver, which can be mapped. mmap(), and PRIME: see
 *            DRM_LOOM_REGION_OWN
 * ========== ==================================================================
 */

/**
 * DOC: Closing the file
 *
 * A file is closed when its last descriptor is closed and its last mapping of a buffer is gone, at
 * the latest at the end of its process: a process that closes the descriptor and keeps a mapping
 * has not closed the file.
 *
 * Then its handles and ids are gone, and its jobs are cancelled: one that has begun, or waits for
 * its turn, stops at the next piece of work; one that waits for fences or for jobs before it ends
 * without having run when these have signalled. Their fences signal then, as those of jobs that ran
 * to their end do, but with the error ECANCELED. What a job had written before stays written.
 * Closing waits for none of this.
 *
 * Buffers, plans and contexts are released with the last job that needs them. A buffer that was
 * exported lives on until its dma-buf is closed, and wherever that was imported.
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

/**
 * enum drm_loom_dtype - element types
 *
 * The values are part of the plan format. Zero is not a type.
 */
enum drm_loom_dtype {
	/** @DRM_LOOM_DTYPE_F32: IEEE binary32 */
	DRM_LOOM_DTYPE_F32 = 1,
	/** @DRM_LOOM_DTYPE_F16: IEEE binary16 */
	DRM_LOOM_DTYPE_F16 = 2,
	/** @DRM_LOOM_DTYPE_F64: IEEE binary64 */
	DRM_LOOM_DTYPE_F64 = 3,
	/** @DRM_LOOM_DTYPE_I8: signed 8 bits */
	DRM_LOOM_DTYPE_I8 = 4,
	/** @DRM_LOOM_DTYPE_U8: unsigned 8 bits */
	DRM_LOOM_DTYPE_U8 = 5,
	/** @DRM_LOOM_DTYPE_I16: signed 16 bits */
	DRM_LOOM_DTYPE_I16 = 6,
	/** @DRM_LOOM_DTYPE_U16: unsigned 16 bits */
	DRM_LOOM_DTYPE_U16 = 7,
	/** @DRM_LOOM_DTYPE_I32: signed 32 bits */
	DRM_LOOM_DTYPE_I32 = 8,
	/** @DRM_LOOM_DTYPE_U32: unsigned 32 bits */
	DRM_LOOM_DTYPE_U32 = 9,
	/** @DRM_LOOM_DTYPE_I64: signed 64 bits */
	DRM_LOOM_DTYPE_I64 = 10,
	/** @DRM_LOOM_DTYPE_U64: unsigned 64 bits */
	DRM_LOOM_DTYPE_U64 = 11,
	/** @DRM_LOOM_DTYPE_BOOL: one byte, 0 or 1 */
	DRM_LOOM_DTYPE_BOOL = 12,
};

#define DRM_LOOM_DTYPE_END			13

/**
 * enum drm_loom_region - kinds of device memory
 */
enum drm_loom_region {
	/** @DRM_LOOM_REGION_DRAM: large memory outside of the engine */
	DRM_LOOM_REGION_DRAM = 0,
	/** @DRM_LOOM_REGION_SRAM: small memory inside of the engine, which it computes on */
	DRM_LOOM_REGION_SRAM = 1,
	/**
	 * @DRM_LOOM_REGION_ROM: memory that jobs only read, such as flash. Clients fill a buffer in
	 * it through mmap(), which stands for programming the flash. Since minor 5
	 */
	DRM_LOOM_REGION_ROM = 2,
};

/*
 * DRM_LOOM_REGION_COUNT: kinds of memory. A chip need not have all of them: a region without banks
 * is absent. QUERY_REGION answers with zeroes for it, QUERY_BLOCKS and QUERY_BANKS with empty
 * arrays, and BO_CREATE there is EINVAL. Before minor 5 there were two, and QUERY of a third EINVAL
 */
#define DRM_LOOM_REGION_COUNT		3

/* DRM_LOOM_MAX_BANKS: cap on the banks of a region */
#define DRM_LOOM_MAX_BANKS			256

/* ------------------------------------------------------------------- chip */

/**
 * DOC: The description of a chip
 *
 * What a device is made of and how fast it is, in one structure: it is what a planner plans for, by
 * what the verifier knows sizes and alignments, and by what the engine counts cycles. A device
 * answers DRM_LOOM_QUERY_CHIP with it; libloom reads and writes it as YAML; the soft back end makes
 * devices out of it through configfs.
 *
 * Rates are numbers per 1000 cycles, so that 3.75 bytes in a cycle are 3750. Energies are in
 * femtojoule (a thousandth of a picojoule), and zero where nothing is known.
 *
 * The clock works as follows. A command takes a fixed number of cycles to start, and then:
 *
 * - of the DMA stream: the longer of what the source takes to be read and the destination to be
 *   written, or their sum if both are the same memory and its bus is shared;
 * - of the compute stream: the longer of its arithmetic and of what it reads and writes in place in
 *   another region than the SRAM.
 *
 * A memory takes its latency, once for all that a command reads and once for all that it writes,
 * and then its rate, each rounded up to a cycle. Each run of bytes of an operand that is contiguous
 * is rounded up to bursts: axes are merged from the smallest stride on, as long as one begins where
 * the one before ends, but in an SRAM of several banks the lane axis is not merged.
 *
 * Arithmetic is dealt over the lanes along the lane axis of y, or of x in REDUCE, and a row of
 * lanes takes as long however many of them have work: 33 channels on 32 lanes take two rounds, and
 * so do two channels of which the first is on the last lane. Elements that do not lie in the SRAM
 * are dealt over the lanes one by one. CONV, MATMUL and DECONV take their multiply-accumulates, by
 * the type of the first input, with bias, activation and requantisation included; those of DECONV
 * are divided evenly between the elements of y. Other commands take operations for each element, by
 * the slowest type of their operands: POOL one for each tap of its window; RESIZE two (LINEAR) or
 * four (CUBIC) times as many for each axis that changes its size; SOFTMAX four; QUANTIZE and
 * DEQUANTIZE two; all others one.
 *
 * The streams of a step take as long as the sum of their commands, and a step as long as the
 * longer stream if both can run at the same time, else both after each other; at least one cycle.
 *
 * Energy is that of the bytes of all operands, those in the SRAM included and rounded up to bursts
 * as above, and of the arithmetic of the elements that there are, idle lanes not included. What is
 * larger than 64 bits stays at the largest number.
 */

/* DRM_LOOM_CHIP_IN_PLACE: of a region: compute commands may read in it, not in the SRAM only */
#define DRM_LOOM_CHIP_IN_PLACE		(1 << 0)
/* DRM_LOOM_CHIP_SHARED: of a region: reads and writes share one bus, and do not overlap */
#define DRM_LOOM_CHIP_SHARED		(1 << 1)

/**
 * struct drm_loom_chip_region - banks of one kind and size
 * @banks: number of banks; zero: the chip has no such region, and all else is zero
 * @sub_banks: conflict sub-banks of a bank, 1 where there are none
 * @bank_bytes: size of a bank
 * @reserved_bytes: bytes at the bottom of each bank that are never given out
 * @align_bytes: alignment of every address and page, a power of two
 * @floor_bytes: of the SRAM of a device that is shared: scratch that ends here can always run; 0 if
 *	nothing is known of others. What planners aim at unless they are told otherwise
 * @flags: DRM_LOOM_CHIP_IN_PLACE, DRM_LOOM_CHIP_SHARED
 * @burst_bytes: contiguous runs of bytes are rounded up to that; 0 or 1: they are not
 * @read_rate: bytes per 1000 cycles that are read, of all banks together
 * @write_rate: the same for writing; zero in a region that is read only
 * @read_latency: cycles from a command to its first byte, when reading
 * @write_latency: the same when writing
 * @read_energy: femtojoule per byte that is read
 * @write_energy: the same for writing
 */
struct drm_loom_chip_region {
	__u32 banks;
	__u32 sub_banks;
	__u64 bank_bytes;
	__u64 reserved_bytes;
	__u64 align_bytes;
	__u64 floor_bytes;
	__u32 flags;
	__u32 burst_bytes;
	__u32 read_rate;
	__u32 write_rate;
	__u32 read_latency;
	__u32 write_latency;
	__u32 read_energy;
	__u32 write_energy;
};

/**
 * struct drm_loom_chip_type - how fast an element type is
 * @mac_rate: multiply-accumulates per 1000 cycles in a lane; zero: there is no unit for that, and
 *	one is two other operations
 * @op_rate: other operations on elements, per 1000 cycles in a lane
 * @mac_energy: femtojoule per multiply-accumulate
 * @op_energy: femtojoule per other operation
 */
struct drm_loom_chip_type {
	__u32 mac_rate;
	__u32 op_rate;
	__u32 mac_energy;
	__u32 op_energy;
};

#define DRM_LOOM_CHIP_REGIONS			4
#define DRM_LOOM_CHIP_TYPES			16

/* DRM_LOOM_CHIP_OVERLAP: of the chip: both streams of a step run at the same time */
#define DRM_LOOM_CHIP_OVERLAP		(1 << 0)

/**
 * struct drm_loom_chip - the description of a chip
 * @name: NUL terminated; lower case letters, digits, '-', '_' and '.', not empty
 * @dtypes: bit mask of &enum drm_loom_dtype: the types that it has
 * @flags: DRM_LOOM_CHIP_OVERLAP
 * @opcodes: bit mask of &enum drm_loom_opcode: the operations that it has
 * @frequency_hz: cycles per second
 * @compute_units: engines that can run at the same time
 * @dma_start: cycles to start a command of the DMA stream
 * @compute_start: cycles to start a command of the compute stream
 * @pad: zero
 * @region: by &enum drm_loom_region; zero behind the last. The banks of the SRAM are the lanes of
 *	the engine. It copies inside of the SRAM at the SRAM's rates, which arithmetic does not wait
 *	for
 * @type: by &enum drm_loom_dtype; zero where @dtypes has no bit
 */
struct drm_loom_chip {
	char name[32];
	__u32 dtypes;
	__u32 flags;
	__u64 opcodes;
	__u64 frequency_hz;
	__u32 compute_units;
	__u32 dma_start;
	__u32 compute_start;
	__u32 pad;
	struct drm_loom_chip_region region[DRM_LOOM_CHIP_REGIONS];
	struct drm_loom_chip_type type[DRM_LOOM_CHIP_TYPES];
};

/* ------------------------------------------------------------------ QUERY */

/**
 * enum drm_loom_query_type - what QUERY can be asked
 */
enum drm_loom_query_type {
	/** @DRM_LOOM_QUERY_DEVICE: one &struct drm_loom_device_info */
	DRM_LOOM_QUERY_DEVICE = 0,
	/** @DRM_LOOM_QUERY_REGION: one &struct drm_loom_region_info, @index is the region */
	DRM_LOOM_QUERY_REGION = 1,
	/**
	 * @DRM_LOOM_QUERY_BLOCKS: &struct drm_loom_block for every block of region
	 * @index in address order, free ones included. They tile the bank from
	 * its base to its end. A free block is free in all banks. If buffers on
	 * different banks overlap in addresses, the one that begins first is listed in
	 * full, and the others without the overlap. See DRM_LOOM_QUERY_BANK_BLOCKS.
	 *
	 * Without CAP_PERFMON only the calling file's own blocks and the reserved bytes are told
	 * apart, as if there were no others; whatever is between them, free or allocated by
	 * others, is one block with DRM_LOOM_BLOCK_HIDDEN (since minor 4). The blocks tile the bank
	 * all the same.
	 * How much is free is in &struct drm_loom_region_info, see DRM_LOOM_DEVICE_ROUNDED.
	 *
	 * The list is no snapshot: of many blocks, some may come, go or be cut while it is made
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
	 * is the region plus 65536 times the number of the bank. Without CAP_PERFMON as
	 * DRM_LOOM_QUERY_BLOCKS
	 */
	DRM_LOOM_QUERY_BANK_BLOCKS = 5,
	/**
	 * @DRM_LOOM_QUERY_NO_SPACE: one &struct drm_loom_no_space about the last BO_CREATE of this
	 * file that failed with ENOSPC; all zero if none did
	 */
	DRM_LOOM_QUERY_NO_SPACE = 6,
	/** @DRM_LOOM_QUERY_CHIP: one &struct drm_loom_chip. Since minor 5 */
	DRM_LOOM_QUERY_CHIP = 7,
};

/**
 * struct drm_loom_query - argument of QUERY
 * @type: an &enum drm_loom_query_type
 * @index: see the type; zero if the type does not use it
 * @ptr: where the answer goes; zero asks for the size only
 * @size: in: bytes at @ptr; out: bytes of the whole answer as this driver knows it. One that is
 *	longer than the room is cut there; a single structure that is shorter is filled up with
 *	zeroes, at most to 4096 bytes; behind the last element of an array nothing is written
 * @stride: of an array (BLOCKS, BANKS, BANK_BLOCKS): bytes of an element as the caller knows it, at
 *	least those of its first version and at most 4096. Each is cut there or filled up with
 *	zeroes, and @size counts such elements. Zero is the size of the first version, and all that
 *	drivers before minor 4 take. Zero if the answer is no array
 */
struct drm_loom_query {
	__u32 type;
	__u32 index;
	__u64 ptr;
	__u32 size;
	__u32 stride;
};

/*
 * DRM_LOOM_DEVICE_TURNS: the engine goes from job to job of different contexts before they end, so
 * that a short one does not wait for a long one. Without, a job has it from its begin to its end,
 * and who comes next is decided then. Since minor 5
 */
#define DRM_LOOM_DEVICE_TURNS		(1 << 0)
/*
 * DRM_LOOM_DEVICE_ROUNDED: the caller has no CAP_PERFMON, so what others have is rounded up to 1/64
 * of the whole in sums: of a region or a bank, of the host's memory in &struct
 * drm_loom_device_info. Of the largest free block the rest of the bank is rounded up. Exact are
 * the caller's own part, and all if nobody else has anything. Since minor 6
 */
#define DRM_LOOM_DEVICE_ROUNDED		(1 << 1)

/**
 * struct drm_loom_device_info - capabilities and limits of the device
 * @name: of the chip, NUL terminated
 * @plan_version: newest plan format that PLAN_CREATE takes
 * @lanes: SRAM banks the engine computes on in lockstep
 * @dtypes: bit mask of &enum drm_loom_dtype
 * @compute_units: engines that can run at the same time
 * @opcodes: bit mask of &enum drm_loom_opcode
 * @max_plan_bytes: cap on the size of a plan
 * @max_unit_cost: cap on the work of a unit (64 elements of what is written, or a run of SOFTMAX),
 *	in element operations. An engine may stop inside of a unit
 * @max_tensors: cap on the tensors of a plan
 * @max_commands: cap on the commands of a plan
 * @max_slots: cap on the slots of a plan
 * @job_timeout_ms: a job that has the engine for longer is ended; waiting for its turn is free
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
 * @flags: DRM_LOOM_DEVICE_TURNS, DRM_LOOM_DEVICE_ROUNDED. Since minor 5, as all that follows
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
 * DRM_LOOM_REGION_OWN: resident buffers are in memory of the device's own, which mmap() maps. One
 * that is not made of @map_bytes is copied to system memory when it is touched through mmap(),
 * behind the jobs that use it, and back for the next job; in the SRAM, which jobs compute on,
 * mmap() of it is EOPNOTSUPP, and BO_READ and BO_WRITE reach it. A buffer that another driver or
 * device has imported is in system memory until that is over, has no address (DRM_LOOM_BO_EVICTED),
 * and jobs reach it there, as they do buffers of others. One in the SRAM cannot be imported by
 * others; nor can any, or others' be imported, where jobs reach the device's own memory only
 * (EOPNOTSUPP). Since minor 5
 */
#define DRM_LOOM_REGION_OWN		(1 << 0)

/**
 * struct drm_loom_region_info - a region and how full it is
 *
 * All numbers are for buffers on all banks: a byte is free if it is free in every bank. So if there
 * are buffers on some banks only, a bank may have more free bytes than are given here; see
 * DRM_LOOM_QUERY_BANKS. Without CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED.
 *
 * @banks: number of banks
 * @sub_banks: conflict sub-banks of a bank, 1 where there are none
 * @bank_bytes: size of a bank
 * @reserved_bytes: bytes at the bottom of each bank that are never given out
 * @align_bytes: alignment of every page and every address
 * @total_bytes: bytes that can be given out, per bank
 * @allocated_bytes: bytes given out, per bank, at addresses that are in use in any of them
 * @free_bytes: @total_bytes less @allocated_bytes
 * @largest_free_bytes: largest block that an allocation could get, per bank
 * @scratch_bytes: bytes at the bottom of the SRAM that running jobs hold; since minor 6 without
 *	CAP_PERFMON not less than @scratch_floor_bytes
 * @blocks: number of allocated blocks; since minor 6 without CAP_PERFMON those of the calling file
 * @flags: DRM_LOOM_REGION_OWN or zero
 * @scratch_floor_bytes: bytes from the first that can be given out, in each bank, that are kept for
 *	scratch: a plan that uses no more than that needs nobody's leave to run. Zero but for SRAM.
 *	See DRM_LOOM_CONTEXT_EXCLUSIVE. Since minor 4, as all that follow
 * @share_bytes: what the buffers of a file may take of each bank. Zero but for SRAM: no limit
 * @share_used_bytes: what the resident buffers that the calling file has made take of the bank in
 *	which they take most. Zero but for SRAM
 * @map_bytes: with DRM_LOOM_REGION_OWN: buffers of which the pages and their pitch, or the pitch of
 *	an image, are multiples of that are mapped where they lie; zero: no buffer is. See
 *	DRM_LOOM_REGION_OWN. Zero without. Since minor 5
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

/**
 * struct drm_loom_bank_info - how full a bank is
 *
 * Without CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED.
 *
 * @total_bytes: bytes that can be given out
 * @allocated_bytes: bytes given out
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
/* DRM_LOOM_BLOCK_HIDDEN: free or of others, which is not told without CAP_PERFMON. Since minor 4 */
#define DRM_LOOM_BLOCK_HIDDEN		(1 << 4)

/**
 * struct drm_loom_block - one block, the same in each bank of its region
 * @address: first byte
 * @bytes: size in each bank
 * @flags: DRM_LOOM_BLOCK_*
 * @pad: zero
 */
struct drm_loom_block {
	__u64 address;
	__u64 bytes;
	__u32 flags;
	__u32 pad;
};

/* ---------------------------------------------------------------- buffers */

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
 * the processor. But where a region is memory of the device's own (DRM_LOOM_REGION_OWN), touching
 * a mapping of an image whose rows do not is slow in the DRAM and ROM, as the image is copied,
 * and in the SRAM mmap() of it is EOPNOTSUPP; the same holds for pages of other layouts.
 *
 * A plan that uses images declares them in its table of images. Then only an image of
 * that type and pitch, and at least as wide and high, can be bound to the slot. A tensor in
 * an image is a window of it, a rectangle of rows and columns, and a view of it does not leave the
 * columns. CONV and POOL can read and write such views in DRAM, as texture units do;
 * LOAD, STORE, COPY and FILL take them like any other view.
 */

/**
 * DOC: Banks of a buffer
 *
 * A buffer is on all banks of its region, or on those of a mask. It has one address, the same in
 * each of these banks; in other banks it takes no memory, and other buffers may be at that address.
 * Bank i of a layout is the i-th bank of the mask, from the lowest.
 *
 * A sharded buffer is an array of pages: rows of @page_columns of them, page p in row
 * p / @page_columns. It is cut into shards of @shard_rows times @shard_columns pages, from the top
 * left on, row of shards after row. The banks are a grid, @grid_columns of them side by side, and
 * shard i goes to bank i of the grid, counted along its rows or down its columns. In the bank a
 * shard is an array of its full shape, row by row: pages outside of the array are padding.
 * Banks of the grid that get no shard are not part of the buffer.
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
	 * bank if it lives long. In SRAM plans have their scratch at that end, so this is for
	 * clients that run no plans meanwhile. Since minor 3
	 */
	DRM_LOOM_DIRECTION_TINY_APART = 3,
};

/* DRM_LOOM_TINY_BYTES: most bytes per bank of a tiny buffer (DRM_LOOM_DIRECTION_TINY_APART) */
#define DRM_LOOM_TINY_BYTES			256

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
 * The state right after the failure, when everything that can be evicted had been evicted. Without
 * CAP_PERFMON see DRM_LOOM_DEVICE_ROUNDED; @reason goes by the rounded figures, too.
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
 *	allocated: what jobs and plans hold, or the floor, whichever is more
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
};

/**
 * struct drm_loom_bo_create - argument of BO_CREATE
 *
 * Makes a buffer of zeroes that takes the same address range in all banks of its region, or in
 * those of a mask. Closed with GEM_CLOSE.
 *
 * @size: bytes as the client sees them, not zero. Of an image: in: zero, out: @height rows
 *	of @pitch_bytes
 * @region: an &enum drm_loom_region that the chip has
 * @layout: an &enum drm_loom_layout
 * @page_bytes: unit of distribution over the banks, a power of two from the
 *	region's alignment to 1 MiB; zero means 4096. Zero for an image: its unit is the row
 * @direction: an &enum drm_loom_direction
 * @flags: zero
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
 * @grid_columns: sharded: banks of the mask side by side, divides their number; else zero
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

/**
 * struct drm_loom_bo_info - argument of BO_INFO
 *
 * Byte b of the buffer is byte b % @page_bytes of page p = b / @page_bytes, which
 * lies in bank p % @banks at @address + p / @banks * @page_pitch_bytes. Of an image a
 * page is a row with its padding. Sharded, p is in row r = p / @page_columns and column c =
 * p % @page_columns of the array; with s = r / @shard_rows * @shards_across + c / @shard_columns it
 * lies in bank s of the grid, at @address + (r % @shard_rows * @shard_columns + c % @shard_columns)
 * * @page_pitch_bytes.
 *
 * @handle: in: GEM handle
 * @region: an &enum drm_loom_region
 * @size: bytes as asked for
 * @mmap_offset: offset for mmap() on the node: the linear view
 * @address: first byte, in each of its banks; zero while evicted
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
 * BO_READ copies bytes of a buffer to the caller, BO_WRITE those of the caller to a buffer: of the
 * linear view that mmap() has, too, and wherever the buffer is, in the SRAM of a device's own as
 * well. The buffer stays where it is. As mmap(), they wait for no job: who wants what a job has
 * written waits for that first. Jobs that are submitted after BO_WRITE has returned see its bytes.
 *
 * Bytes are copied in pieces. A signal that comes between two of them ends the call: it returns 0,
 * and @size is less than was asked for, but not zero. (EINTR if nothing was copied before.) A call
 * that fails may have copied some of the bytes. A process that is killed waits for nothing; the
 * piece that is under way then is copied, or not.
 *
 * @handle: GEM handle
 * @flags: zero
 * @offset: of the first byte in the buffer
 * @size: in: bytes to copy, not zero; @offset and they are in the buffer. Out: bytes copied
 * @ptr: user address where they go, or come from
 */
struct drm_loom_bo_copy {
	__u32 handle;
	__u32 flags;
	__u64 offset;
	__u64 size;
	__u64 ptr;
};

/* --------------------------------------------------------------- contexts */

/**
 * enum drm_loom_priority - of a context's jobs
 *
 * While a job of a higher priority can run, those of lower ones wait, begun or not. Users with jobs
 * of the same priority take turns, each for a time slice of the engine, whatever number of files
 * and contexts they have; and so do the files of a user with the slices of the user. A user is who
 * opened the file (since minor 6; before, all files took turns). A submitter's nice value above 0
 * makes its slices shorter.
 */
enum drm_loom_priority {
	/**
	 * @DRM_LOOM_PRIORITY_LOW: while no job of the others can run; since minor 6 a fiftieth of
	 * the engine beside jobs of DRM_LOOM_PRIORITY_NORMAL
	 */
	DRM_LOOM_PRIORITY_LOW = 0,
	/** @DRM_LOOM_PRIORITY_NORMAL: the usual */
	DRM_LOOM_PRIORITY_NORMAL = 1,
	/** @DRM_LOOM_PRIORITY_HIGH: needs CAP_SYS_NICE, else EACCES */
	DRM_LOOM_PRIORITY_HIGH = 2,
};

/*
 * DRM_LOOM_CONTEXT_EXCLUSIVE: as long as the context has an id, the file may have more of the SRAM
 * than others: buffers from the first address on, of any size; plans whose scratch ends above
 * &drm_loom_region_info.scratch_floor_bytes, and reservations for them. Needs CAP_SYS_NICE, and
 * then no other file may have such a context (EBUSY); or the file is the only open one of the
 * device (else EACCES). In the latter case it has no effect while another file is open: what was
 * taken stays, but another client that needs the room gets it, and then buffers lose their address
 * and keep their bytes (DRM_LOOM_BO_EVICTED), jobs that use them and jobs with scratch above the
 * floor end with ECANCELED, and reservations above it do not count. CONTEXT_QUERY says whether it
 * is in effect. Since minor 4
 */
#define DRM_LOOM_CONTEXT_EXCLUSIVE	(1 << 1)

/**
 * struct drm_loom_context_create - argument of CONTEXT_CREATE
 * @priority: an &enum drm_loom_priority
 * @flags: DRM_LOOM_CONTEXT_EXCLUSIVE or zero
 * @context: out: id, never zero
 * @pad: zero
 */
struct drm_loom_context_create {
	__u32 priority;
	__u32 flags;
	__u32 context;
	__u32 pad;
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
 * struct drm_loom_counters - what the engine counted
 *
 * Sums over the jobs of a context that have ended. A job that was ended counts what it completed.
 *
 * @dram_read_bytes: read from DRAM: by the DMA stream, and by commands that take images where they
 *	are, which count the elements of a view once per command
 * @dram_write_bytes: written to DRAM, likewise
 * @sram_read_bytes: read from SRAM by the DMA stream
 * @sram_write_bytes: written to SRAM by the DMA stream
 * @macs: multiply-accumulates
 * @steps: steps
 * @commands: commands
 * @jobs: jobs
 * @busy_ns: time the engine took
 * @cycles: cycles of the steps, by the description of the chip. Since minor 5, as all that follows
 * @dma_cycles: cycles in which the DMA stream had something to do
 * @compute_cycles: the same of the compute stream
 * @energy_fj: femtojoule; zero where the description has no figures
 * @rom_read_bytes: read from ROM, counted as @dram_read_bytes is
 */
struct drm_loom_counters {
	__u64 dram_read_bytes;
	__u64 dram_write_bytes;
	__u64 sram_read_bytes;
	__u64 sram_write_bytes;
	__u64 macs;
	__u64 steps;
	__u64 commands;
	__u64 jobs;
	__u64 busy_ns;
	__u64 cycles;
	__u64 dma_cycles;
	__u64 compute_cycles;
	__u64 energy_fj;
	__u64 rom_read_bytes;
};

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
 * DOC: The plan format
 *
 * A plan is a blob: a header and six tables, seven if it has images, each named in the header by
 * the offset of its first entry, the number of entries and the size of an entry. Tables
 * start on eight bytes and lie inside the blob behind the header. There are no
 * addresses in it: commands name operands, an operand is a view of a tensor, and
 * a tensor lies at an offset in a slot (DRAM, ROM) or in the plan's scratch (SRAM).
 * An SRAM tensor that has to outlive the run lies in a slot, too (DRM_LOOM_TENSOR_SLOT): it is then
 * in the bound buffer, and another plan can read what this one has left there.
 *
 * Time is counted in steps. The commands of step s are a run in the command
 * table: first those of the DMA stream, then those of the compute stream. Both
 * streams start a step together and the next step starts when both have
 * ended; inside a stream, commands run one after the other.
 *
 * A tensor is an n-d box of elements with a byte stride per axis. Strides nest: an
 * axis steps over all of what is inside it, so no two elements share a byte.
 * The axes are in row-major order (strides do not grow from axis 0 to the last).
 *
 * SRAM tensors have a lane axis. Index i on it lies in bank i % lanes, at row
 * i / lanes, and the stride of that axis is what a row takes. Sizes and offsets of
 * SRAM tensors are per bank, and the same in each.
 *
 * A view picks elements of a tensor: a byte offset from the tensor's first byte,
 * and a count and a signed byte stride per axis. Its axes need not be those of
 * the tensor: permuted, merged and stepped axes, and axes of stride zero express
 * transposes, reshapes, slices and broadcasts. In SRAM one axis of the view is
 * its lane axis: it starts at index @lane_start of the tensor's and runs over it one
 * by one; a view that does not run over lanes has a lane axis of one element.
 *
 * &enum drm_loom_rule lists what the kernel proves before it accepts a plan.
 */

#define DRM_LOOM_PLAN_MAGIC			0x4d4f4f4c	/* "LOOM", little endian */
#define DRM_LOOM_PLAN_VERSION		1

#define DRM_LOOM_MAX_RANK			6
#define DRM_LOOM_MAX_OPERANDS		6
#define DRM_LOOM_MAX_PLAN_BYTES		(512ULL << 20)
#define DRM_LOOM_MAX_TENSORS		(1U << 20)
#define DRM_LOOM_MAX_VIEWS			(1U << 22)
#define DRM_LOOM_MAX_COMMANDS		(1U << 20)
#define DRM_LOOM_MAX_STEPS			(1U << 20)
#define DRM_LOOM_MAX_SLOTS			64
#define DRM_LOOM_MAX_ATTR_BYTES		(64U << 20)
#define DRM_LOOM_MAX_UNIT_COST		(1ULL << 22)
#define DRM_LOOM_MAX_SPATIAL		(1 << 24)
#define DRM_LOOM_MAX_SYNCS			256

/**
 * struct drm_loom_table - where a table of the plan lies
 * @offset: bytes from the start of the blob, a multiple of eight
 * @count: number of entries
 * @stride: bytes of an entry: exactly the size of its structure in this version
 */
struct drm_loom_table {
	__u64 offset;
	__u32 count;
	__u32 stride;
};

/**
 * struct drm_loom_plan_header - the first bytes of a plan
 * @magic: DRM_LOOM_PLAN_MAGIC
 * @version: DRM_LOOM_PLAN_VERSION
 * @size: bytes of the whole blob
 * @lanes: SRAM banks it was made for
 * @flags: zero
 * @scratch_bytes: SRAM that its tensors may lie in while it runs, per bank, from the first byte
 *	above the reserved ones. Of each bank a job holds the bytes up to the end of the last tensor
 *	there
 * @slots: &struct drm_loom_plan_slot
 * @tensors: &struct drm_loom_plan_tensor
 * @steps: &struct drm_loom_plan_step
 * @commands: &struct drm_loom_plan_command
 * @views: &struct drm_loom_plan_view
 * @attrs: bytes (stride 1) of the attribute structures
 * @images: &struct drm_loom_plan_image; all zero for none. Since minor 1
 */
struct drm_loom_plan_header {
	__u32 magic;
	__u32 version;
	__u64 size;
	__u32 lanes;
	__u32 flags;
	__u64 scratch_bytes;
	struct drm_loom_table slots;
	struct drm_loom_table tensors;
	struct drm_loom_table steps;
	struct drm_loom_table commands;
	struct drm_loom_table views;
	struct drm_loom_table attrs;
	struct drm_loom_table images;
};

/* DRM_LOOM_SLOT_READ: the plan may read what the bound buffer holds before the job */
#define DRM_LOOM_SLOT_READ			(1 << 0)
/* DRM_LOOM_SLOT_WRITE: the plan may write it */
#define DRM_LOOM_SLOT_WRITE			(1 << 1)
/* DRM_LOOM_SLOT_SRAM: an SRAM buffer is bound to it; since minor 2 */
#define DRM_LOOM_SLOT_SRAM			(1 << 2)
/*
 * DRM_LOOM_SLOT_SPREAD: buffers that are sharded or on some banks only can be bound, too: the plan
 * does not assume that its bytes are spread over all banks. Without it such a buffer is EINVAL.
 * Since minor 3
 */
#define DRM_LOOM_SLOT_SPREAD		(1 << 3)
/* DRM_LOOM_SLOT_ROM: a ROM buffer is bound to it, which the plan only reads; since minor 5 */
#define DRM_LOOM_SLOT_ROM			(1 << 4)

/**
 * struct drm_loom_plan_slot - a place that a buffer is bound to at submit
 *
 * Weights and inputs are READ; outputs and arenas are WRITE: their content before
 * the job is not defined, and what the plan has written it may read. READ and WRITE
 * together is a buffer that is updated in place.
 *
 * With DRM_LOOM_SLOT_SRAM it is a piece of each SRAM bank at the same address, for SRAM tensors
 * that say DRM_LOOM_TENSOR_SLOT, and for no others.
 *
 * With DRM_LOOM_SLOT_ROM it is for tensors in ROM, and for no others; without SRAM and ROM for
 * those in DRAM. The chip must have that region.
 *
 * @size: bytes that the plan uses of it, not zero; with DRM_LOOM_SLOT_SRAM per bank
 * @flags: DRM_LOOM_SLOT_*, READ or WRITE at least; not SRAM and SPREAD; ROM neither with WRITE nor
 *	with SRAM
 * @pad: zero
 */
struct drm_loom_plan_slot {
	__u64 size;
	__u32 flags;
	__u32 pad;
};

/**
 * struct drm_loom_plan_image - declares a slot to be an image
 *
 * Only an image can be bound to the slot then, and all tensors in the slot are windows of it.
 *
 * @slot: index of a DRAM slot, which is declared once; its size is @height rows of @pitch_bytes
 * @dtype: an &enum drm_loom_dtype
 * @width: elements in a row, not zero
 * @height: rows, not zero
 * @pitch_bytes: bytes from a row to the next: a multiple of the DRAM's alignment, at least a row
 * @pad: zero
 */
struct drm_loom_plan_image {
	__u32 slot;
	__u32 dtype;
	__u32 width;
	__u32 height;
	__u32 pitch_bytes;
	__u32 pad;
};

/* DRM_LOOM_TENSOR_ALIAS: a view of @parent's bytes */
#define DRM_LOOM_TENSOR_ALIAS		(1 << 0)
/* DRM_LOOM_TENSOR_SLOT: SRAM: it lies in @slot, not in the scratch; since minor 2 */
#define DRM_LOOM_TENSOR_SLOT		(1 << 1)

/**
 * struct drm_loom_plan_tensor - a typed n-d value at a place, for a time
 *
 * @region: an &enum drm_loom_region
 * @slot: index of the slot (DRAM, and SRAM with DRM_LOOM_TENSOR_SLOT); zero for the plan's scratch
 * @flags: DRM_LOOM_TENSOR_*
 * @parent: with DRM_LOOM_TENSOR_ALIAS: a tensor that is not an alias itself, of the same
 *	region and slot, and that contains this one in bytes and in steps; else zero
 * @offset: first byte in the slot or the scratch (per bank)
 * @size: bytes (per bank)
 * @first_step: first step that touches it
 * @last_step: last step that touches it
 * @dtype: an &enum drm_loom_dtype
 * @rank: number of axes, 1 to DRM_LOOM_MAX_RANK
 * @lane_axis: SRAM: the axis that is distributed over the banks; zero for DRAM
 * @pad: zero
 * @dims: elements per axis, not zero; zero past the rank
 * @pad2: zero
 * @strides: bytes per axis; zero past the rank
 */
struct drm_loom_plan_tensor {
	__u32 region;
	__u32 slot;
	__u32 flags;
	__u32 parent;
	__u64 offset;
	__u64 size;
	__u32 first_step;
	__u32 last_step;
	__u8 dtype;
	__u8 rank;
	__u8 lane_axis;
	__u8 pad;
	__u32 pad2;
	__u32 dims[DRM_LOOM_MAX_RANK];
	__u64 strides[DRM_LOOM_MAX_RANK];
};

/**
 * struct drm_loom_plan_step - one tick
 * @first_command: index of its first command: the number of commands in the
 *	steps before it
 * @dma_commands: commands of the DMA stream
 * @compute_commands: commands of the compute stream, behind them
 * @pad: zero
 */
struct drm_loom_plan_step {
	__u32 first_command;
	__u32 dma_commands;
	__u32 compute_commands;
	__u32 pad;
};

/**
 * struct drm_loom_plan_command - an operation on views
 * @opcode: an &enum drm_loom_opcode
 * @operands: number of operands
 * @pad: zero
 * @first_view: index of the first operand in the view table: what it writes,
 *	then what it reads in the order given with the opcode
 * @attr_offset: byte offset in the attribute table, a multiple of eight; zero without
 *	attributes
 * @attr_size: size of the opcode's attribute structure, zero if it has none
 */
struct drm_loom_plan_command {
	__u16 opcode;
	__u16 operands;
	__u32 pad;
	__u32 first_view;
	__u32 attr_size;
	__u64 attr_offset;
};

/**
 * struct drm_loom_plan_view - an operand
 * @tensor: index of the tensor
 * @dtype: must be the tensor's
 * @rank: number of axes, 1 to DRM_LOOM_MAX_RANK
 * @lane_axis: SRAM: the axis of this view that runs over the lanes; else zero
 * @pad: zero
 * @offset: bytes from the tensor's first byte. For SRAM it does not count the lane
 *	axis, which starts at @lane_start
 * @lane_start: SRAM: first index on the tensor's lane axis; else zero
 * @pad2: zero
 * @dims: elements per axis, not zero; zero past the rank
 * @strides: bytes per axis, may be zero or negative in what is read; zero past the rank.
 *	On the lane axis it must be the tensor's
 */
struct drm_loom_plan_view {
	__u32 tensor;
	__u8 dtype;
	__u8 rank;
	__u8 lane_axis;
	__u8 pad;
	__u64 offset;
	__u32 lane_start;
	__u32 pad2;
	__u32 dims[DRM_LOOM_MAX_RANK];
	__s64 strides[DRM_LOOM_MAX_RANK];
};

/**
 * enum drm_loom_opcode - what a command does
 *
 * y is what is written. DMA commands move elements of one size; LOAD is DRAM to
 * SRAM, STORE is SRAM to DRAM, COPY stays in a region. Compute commands have all
 * operands in SRAM, but for y and x of CONV and POOL, which may each be in an image, too.
 * [x] is optional and says so in the attributes.
 */
enum drm_loom_opcode {
	/** @DRM_LOOM_OP_LOAD: y, x; the same dims */
	DRM_LOOM_OP_LOAD = 1,
	/** @DRM_LOOM_OP_STORE: y, x; the same dims */
	DRM_LOOM_OP_STORE = 2,
	/** @DRM_LOOM_OP_COPY: y, x; the same dims and region */
	DRM_LOOM_OP_COPY = 3,
	/** @DRM_LOOM_OP_FILL: y; &struct drm_loom_attr_fill; either region, DMA stream */
	DRM_LOOM_OP_FILL = 4,
	/**
	 * @DRM_LOOM_OP_CONV: y[N,O,D,H,W], x[N,C,D,H,W], w[O,C/groups,KD,KH,KW], [bias[O]],
	 * [scale[O]]; &struct drm_loom_attr_conv. What an output needs of x outside
	 * of its dims is zero (the zero point)
	 */
	DRM_LOOM_OP_CONV = 16,
	/** @DRM_LOOM_OP_DECONV: as CONV with w[C,O/groups,KD,KH,KW], floating point only */
	DRM_LOOM_OP_DECONV = 17,
	/** @DRM_LOOM_OP_POOL: y[N,C,D,H,W], x[N,C,D,H,W]; &struct drm_loom_attr_pool */
	DRM_LOOM_OP_POOL = 18,
	/**
	 * @DRM_LOOM_OP_MATMUL: y[A,B,M,N], a[A|1,B|1,M,K], b[A|1,B|1,K,N],
	 * [bias[A|1,B|1,M|1,N|1]], [scale[A|1,B|1,M|1,N|1]]; &struct drm_loom_attr_matmul
	 */
	DRM_LOOM_OP_MATMUL = 19,
	/** @DRM_LOOM_OP_BINARY: y, a, b; a and b have y's dim or 1; &struct drm_loom_attr_binary */
	DRM_LOOM_OP_BINARY = 20,
	/** @DRM_LOOM_OP_UNARY: y, x; &struct drm_loom_attr_unary */
	DRM_LOOM_OP_UNARY = 21,
	/** @DRM_LOOM_OP_SELECT: y, cond (BOOL), a, b; each has y's dim or 1 */
	DRM_LOOM_OP_SELECT = 22,
	/**
	 * @DRM_LOOM_OP_REDUCE: y, x; y has x's dim, or 1 where it is reduced;
	 * &struct drm_loom_attr_reduce
	 */
	DRM_LOOM_OP_REDUCE = 23,
	/** @DRM_LOOM_OP_SOFTMAX: y, x; &struct drm_loom_attr_softmax */
	DRM_LOOM_OP_SOFTMAX = 24,
	/** @DRM_LOOM_OP_RESIZE: y[N,C,D,H,W], x[N,C,D,H,W]; &struct drm_loom_attr_resize */
	DRM_LOOM_OP_RESIZE = 25,
	/** @DRM_LOOM_OP_CAST: y, x; types differ, ONNX Cast semantics */
	DRM_LOOM_OP_CAST = 26,
	/**
	 * @DRM_LOOM_OP_QUANTIZE: y (I8, U8, I16, U16), x (F32), scale (F32), [zero point (y's
	 * type)]; scale and zero point have y's dim or 1
	 */
	DRM_LOOM_OP_QUANTIZE = 27,
	/**
	 * @DRM_LOOM_OP_DEQUANTIZE: y (F32), x (I8, U8, I16, U16, I32), scale (F32), [zero point
	 * (x's type)]; as above
	 */
	DRM_LOOM_OP_DEQUANTIZE = 28,
};

#define DRM_LOOM_OP_END			29

/**
 * enum drm_loom_act - what is applied to each result, in floating point
 *
 * Takes two parameters p0 and p1, the bits of an IEEE binary32.
 */
enum drm_loom_act {
	/** @DRM_LOOM_ACT_NONE: the sum as it is */
	DRM_LOOM_ACT_NONE = 0,
	/** @DRM_LOOM_ACT_RELU: max(x, 0) */
	DRM_LOOM_ACT_RELU = 1,
	/** @DRM_LOOM_ACT_CLIP: min(max(x, p0), p1) */
	DRM_LOOM_ACT_CLIP = 2,
	/** @DRM_LOOM_ACT_LEAKY: x < 0 ? p0 * x : x */
	DRM_LOOM_ACT_LEAKY = 3,
	/** @DRM_LOOM_ACT_SIGMOID: 1 / (1 + exp(-x)) */
	DRM_LOOM_ACT_SIGMOID = 4,
	/** @DRM_LOOM_ACT_HARDSIGMOID: min(max(p0 * x + p1, 0), 1) */
	DRM_LOOM_ACT_HARDSIGMOID = 5,
	/** @DRM_LOOM_ACT_HARDSWISH: x * min(max(x / 6 + 0.5, 0), 1) */
	DRM_LOOM_ACT_HARDSWISH = 6,
	/** @DRM_LOOM_ACT_TANH: hyperbolic tangent */
	DRM_LOOM_ACT_TANH = 7,
};

#define DRM_LOOM_ACT_END			8

/**
 * struct drm_loom_attr_fill - attributes of FILL
 * @bits: element, in the low bytes; the others zero
 */
struct drm_loom_attr_fill {
	__u64 bits;
};

/* DRM_LOOM_ATTR_BIAS: the bias operand is there (F32, or I32 when quantised) */
#define DRM_LOOM_ATTR_BIAS			(1 << 0)
/*
 * DRM_LOOM_ATTR_SCALE: quantised, with a scale operand (F32): y is I8 or U8 and
 * holds saturate(round_half_even(sum * scale) + y_zero)
 */
#define DRM_LOOM_ATTR_SCALE			(1 << 1)

/**
 * struct drm_loom_attr_conv - attributes of CONV and DECONV
 *
 * CONV:   y[o] = sum over k of x[o * stride + k * dilation - pad] * w[k]
 * DECONV: y[i * stride + k * dilation - pad] += x[i] * w[k]
 *
 * Operands are floating point (all F32, all F16 or all F64), or x and w are I8 or U8 and y is I32
 * (or I8, U8 with DRM_LOOM_ATTR_SCALE).
 *
 * None of @stride, @dilation and @pad is larger than DRM_LOOM_MAX_SPATIAL, either way.
 *
 * @stride: D, H, W, from 1
 * @dilation: D, H, W, from 1
 * @pad: D, H, W before the first element; DECONV takes negative ones, too
 * @groups: from 1; divides C and O
 * @flags: DRM_LOOM_ATTR_*
 * @act: an &enum drm_loom_act; NONE when quantised
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 * @x_zero: zero point of x; zero in floating point
 * @w_zero: zero point of w; zero in floating point
 * @y_zero: zero point of y; zero without DRM_LOOM_ATTR_SCALE
 * @reserved: zero
 */
struct drm_loom_attr_conv {
	__s32 stride[3];
	__s32 dilation[3];
	__s32 pad[3];
	__u32 groups;
	__u32 flags;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
	__s32 x_zero;
	__s32 w_zero;
	__s32 y_zero;
	__u32 reserved;
};

/**
 * enum drm_loom_pool - kinds of pooling
 */
enum drm_loom_pool {
	/** @DRM_LOOM_POOL_MAX: the largest */
	DRM_LOOM_POOL_MAX = 0,
	/** @DRM_LOOM_POOL_AVG: the mean */
	DRM_LOOM_POOL_AVG = 1,
};

/* DRM_LOOM_POOL_COUNT_PAD: AVG divides by what lies in the padded input, not by what lies in x */
#define DRM_LOOM_POOL_COUNT_PAD		(1 << 0)

/**
 * struct drm_loom_attr_pool - attributes of POOL
 *
 * None of the first five is larger than DRM_LOOM_MAX_SPATIAL.
 *
 * @kernel: D, H, W, from 1
 * @stride: D, H, W, from 1
 * @dilation: D, H, W, from 1
 * @pad_before: D, H, W
 * @pad_after: D, H, W; what reaches past it counts for nothing
 * @kind: an &enum drm_loom_pool
 * @flags: DRM_LOOM_POOL_*
 * @reserved: zero
 */
struct drm_loom_attr_pool {
	__s32 kernel[3];
	__s32 stride[3];
	__s32 dilation[3];
	__s32 pad_before[3];
	__s32 pad_after[3];
	__u32 kind;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct drm_loom_attr_matmul - attributes of MATMUL
 *
 * y = act(alpha * (a x b) + beta * bias), or quantised as CONV is (alpha and beta 1).
 *
 * @flags: DRM_LOOM_ATTR_*
 * @act: an &enum drm_loom_act
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 * @alpha: bits of a binary32
 * @beta: bits of a binary32; 1.0 without a bias
 * @a_zero: zero point of a
 * @b_zero: zero point of b
 * @y_zero: zero point of y
 * @reserved: zero
 */
struct drm_loom_attr_matmul {
	__u32 flags;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
	__u32 alpha;
	__u32 beta;
	__s32 a_zero;
	__s32 b_zero;
	__s32 y_zero;
	__u32 reserved;
};

/**
 * enum drm_loom_binary - operations of BINARY
 *
 * Up to MOD, y, a and b are of one type; comparisons write BOOL; the logical ones
 * take BOOL only. Integer results wrap; integer division truncates, x / 0 is 0.
 */
enum drm_loom_binary {
	/** @DRM_LOOM_BINARY_ADD: a + b */
	DRM_LOOM_BINARY_ADD = 0,
	/** @DRM_LOOM_BINARY_SUB: a - b */
	DRM_LOOM_BINARY_SUB = 1,
	/** @DRM_LOOM_BINARY_MUL: a * b */
	DRM_LOOM_BINARY_MUL = 2,
	/** @DRM_LOOM_BINARY_DIV: a / b */
	DRM_LOOM_BINARY_DIV = 3,
	/** @DRM_LOOM_BINARY_POW: a to the power of b */
	DRM_LOOM_BINARY_POW = 4,
	/** @DRM_LOOM_BINARY_MAX: the larger; a NaN wins */
	DRM_LOOM_BINARY_MAX = 5,
	/** @DRM_LOOM_BINARY_MIN: the smaller; a NaN wins */
	DRM_LOOM_BINARY_MIN = 6,
	/** @DRM_LOOM_BINARY_MOD: sign of the divisor (integers) */
	DRM_LOOM_BINARY_MOD = 7,
	/** @DRM_LOOM_BINARY_FMOD: sign of the dividend */
	DRM_LOOM_BINARY_FMOD = 8,
	/** @DRM_LOOM_BINARY_PRELU: a < 0 ? a * b : a */
	DRM_LOOM_BINARY_PRELU = 9,
	/** @DRM_LOOM_BINARY_EQ: a == b */
	DRM_LOOM_BINARY_EQ = 10,
	/** @DRM_LOOM_BINARY_LT: a < b */
	DRM_LOOM_BINARY_LT = 11,
	/** @DRM_LOOM_BINARY_LE: a <= b */
	DRM_LOOM_BINARY_LE = 12,
	/** @DRM_LOOM_BINARY_GT: a > b */
	DRM_LOOM_BINARY_GT = 13,
	/** @DRM_LOOM_BINARY_GE: a >= b */
	DRM_LOOM_BINARY_GE = 14,
	/** @DRM_LOOM_BINARY_AND: a and b */
	DRM_LOOM_BINARY_AND = 15,
	/** @DRM_LOOM_BINARY_OR: a or b */
	DRM_LOOM_BINARY_OR = 16,
	/** @DRM_LOOM_BINARY_XOR: one of both */
	DRM_LOOM_BINARY_XOR = 17,
};

#define DRM_LOOM_BINARY_END			18

/**
 * struct drm_loom_attr_binary - attributes of BINARY
 * @kind: an &enum drm_loom_binary
 * @act: an &enum drm_loom_act, F32 only
 * @act_p0: bits of a binary32
 * @act_p1: bits of a binary32
 */
struct drm_loom_attr_binary {
	__u32 kind;
	__u32 act;
	__u32 act_p0;
	__u32 act_p1;
};

/**
 * enum drm_loom_unary - operations of UNARY
 *
 * Floating point, if not said otherwise; p0 and p1 are attributes.
 */
enum drm_loom_unary {
	/** @DRM_LOOM_UNARY_RELU: any type */
	DRM_LOOM_UNARY_RELU = 0,
	/** @DRM_LOOM_UNARY_CLIP: min(max(x, p0), p1) */
	DRM_LOOM_UNARY_CLIP = 1,
	/** @DRM_LOOM_UNARY_LEAKY: x < 0 ? p0 * x : x */
	DRM_LOOM_UNARY_LEAKY = 2,
	/** @DRM_LOOM_UNARY_SIGMOID: 1 / (1 + exp(-x)) */
	DRM_LOOM_UNARY_SIGMOID = 3,
	/** @DRM_LOOM_UNARY_HARDSIGMOID: min(max(p0 * x + p1, 0), 1) */
	DRM_LOOM_UNARY_HARDSIGMOID = 4,
	/** @DRM_LOOM_UNARY_HARDSWISH: x * min(max(x / 6 + 0.5, 0), 1) */
	DRM_LOOM_UNARY_HARDSWISH = 5,
	/** @DRM_LOOM_UNARY_TANH: hyperbolic tangent */
	DRM_LOOM_UNARY_TANH = 6,
	/** @DRM_LOOM_UNARY_SQRT: square root */
	DRM_LOOM_UNARY_SQRT = 7,
	/** @DRM_LOOM_UNARY_EXP: e to the power of x */
	DRM_LOOM_UNARY_EXP = 8,
	/** @DRM_LOOM_UNARY_LOG: natural logarithm */
	DRM_LOOM_UNARY_LOG = 9,
	/** @DRM_LOOM_UNARY_NEG: any signed type */
	DRM_LOOM_UNARY_NEG = 10,
	/** @DRM_LOOM_UNARY_ABS: any type */
	DRM_LOOM_UNARY_ABS = 11,
	/** @DRM_LOOM_UNARY_ERF: error function */
	DRM_LOOM_UNARY_ERF = 12,
	/** @DRM_LOOM_UNARY_RECIPROCAL: 1 / x */
	DRM_LOOM_UNARY_RECIPROCAL = 13,
	/** @DRM_LOOM_UNARY_FLOOR: round down */
	DRM_LOOM_UNARY_FLOOR = 14,
	/** @DRM_LOOM_UNARY_CEIL: round up */
	DRM_LOOM_UNARY_CEIL = 15,
	/** @DRM_LOOM_UNARY_ROUND: half to even */
	DRM_LOOM_UNARY_ROUND = 16,
	/** @DRM_LOOM_UNARY_NOT: BOOL only */
	DRM_LOOM_UNARY_NOT = 17,
	/** @DRM_LOOM_UNARY_ELU: x < 0 ? p0 * (exp(x) - 1) : x */
	DRM_LOOM_UNARY_ELU = 18,
	/** @DRM_LOOM_UNARY_SELU: p1 * (x < 0 ? p0 * (exp(x) - 1) : x) */
	DRM_LOOM_UNARY_SELU = 19,
	/** @DRM_LOOM_UNARY_SOFTPLUS: log(exp(x) + 1) */
	DRM_LOOM_UNARY_SOFTPLUS = 20,
	/** @DRM_LOOM_UNARY_SOFTSIGN: x / (1 + abs(x)) */
	DRM_LOOM_UNARY_SOFTSIGN = 21,
	/** @DRM_LOOM_UNARY_SIGN: any signed type */
	DRM_LOOM_UNARY_SIGN = 22,
};

#define DRM_LOOM_UNARY_END			23

/**
 * struct drm_loom_attr_unary - attributes of UNARY
 * @kind: an &enum drm_loom_unary
 * @p0: bits of a binary32
 * @p1: bits of a binary32
 * @reserved: zero
 */
struct drm_loom_attr_unary {
	__u32 kind;
	__u32 p0;
	__u32 p1;
	__u32 reserved;
};

/**
 * enum drm_loom_reduce - operations of REDUCE
 */
enum drm_loom_reduce {
	/** @DRM_LOOM_REDUCE_SUM: sum */
	DRM_LOOM_REDUCE_SUM = 0,
	/** @DRM_LOOM_REDUCE_MEAN: sum over count */
	DRM_LOOM_REDUCE_MEAN = 1,
	/** @DRM_LOOM_REDUCE_MAX: the largest */
	DRM_LOOM_REDUCE_MAX = 2,
	/** @DRM_LOOM_REDUCE_MIN: the smallest */
	DRM_LOOM_REDUCE_MIN = 3,
	/** @DRM_LOOM_REDUCE_PROD: product */
	DRM_LOOM_REDUCE_PROD = 4,
	/** @DRM_LOOM_REDUCE_SUMSQ: sum of squares */
	DRM_LOOM_REDUCE_SUMSQ = 5,
	/** @DRM_LOOM_REDUCE_L1: sum of absolute values */
	DRM_LOOM_REDUCE_L1 = 6,
	/** @DRM_LOOM_REDUCE_L2: square root of the sum of squares */
	DRM_LOOM_REDUCE_L2 = 7,
};

#define DRM_LOOM_REDUCE_END			8

/**
 * struct drm_loom_attr_reduce - attributes of REDUCE
 * @kind: an &enum drm_loom_reduce
 * @reserved: zero
 */
struct drm_loom_attr_reduce {
	__u32 kind;
	__u32 reserved;
};

/* DRM_LOOM_SOFTMAX_LOG: the logarithm of it */
#define DRM_LOOM_SOFTMAX_LOG		(1 << 0)

/**
 * struct drm_loom_attr_softmax - attributes of SOFTMAX
 * @axis: axis of the views
 * @flags: DRM_LOOM_SOFTMAX_*
 */
struct drm_loom_attr_softmax {
	__u32 axis;
	__u32 flags;
};

/**
 * enum drm_loom_resize_mode - interpolation
 */
enum drm_loom_resize_mode {
	/** @DRM_LOOM_RESIZE_NEAREST: the nearest element */
	DRM_LOOM_RESIZE_NEAREST = 0,
	/** @DRM_LOOM_RESIZE_LINEAR: linear along each axis */
	DRM_LOOM_RESIZE_LINEAR = 1,
	/** @DRM_LOOM_RESIZE_CUBIC: cubic along H and W */
	DRM_LOOM_RESIZE_CUBIC = 2,
};

/**
 * enum drm_loom_resize_coord - coordinate of an output element in the input, ONNX names
 */
enum drm_loom_resize_coord {
	/** @DRM_LOOM_COORD_HALF_PIXEL: (y + 0.5) / scale - 0.5 */
	DRM_LOOM_COORD_HALF_PIXEL = 0,
	/** @DRM_LOOM_COORD_PYTORCH_HALF_PIXEL: the same, or 0 where the output has one element */
	DRM_LOOM_COORD_PYTORCH_HALF_PIXEL = 1,
	/** @DRM_LOOM_COORD_ALIGN_CORNERS: y * (in - 1) / (out - 1) */
	DRM_LOOM_COORD_ALIGN_CORNERS = 2,
	/** @DRM_LOOM_COORD_ASYMMETRIC: y / scale */
	DRM_LOOM_COORD_ASYMMETRIC = 3,
	/** @DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC: since opset 19 */
	DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC = 4,
	/** @DRM_LOOM_COORD_TF_CROP_AND_RESIZE: in the region of interest */
	DRM_LOOM_COORD_TF_CROP_AND_RESIZE = 5,
};

/**
 * enum drm_loom_resize_nearest - rounding of NEAREST, ONNX names
 */
enum drm_loom_resize_nearest {
	/** @DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR: round half down */
	DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR = 0,
	/** @DRM_LOOM_NEAREST_ROUND_PREFER_CEIL: round half up */
	DRM_LOOM_NEAREST_ROUND_PREFER_CEIL = 1,
	/** @DRM_LOOM_NEAREST_FLOOR: round down */
	DRM_LOOM_NEAREST_FLOOR = 2,
	/** @DRM_LOOM_NEAREST_CEIL: round up */
	DRM_LOOM_NEAREST_CEIL = 3,
};

/* DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE: weights outside of the input are zero (CUBIC) */
#define DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE	(1 << 0)

/**
 * struct drm_loom_attr_resize - attributes of RESIZE
 *
 * The views may be slices of the input and output; sizes and starts say which.
 *
 * @mode: an &enum drm_loom_resize_mode
 * @coord: an &enum drm_loom_resize_coord
 * @nearest: an &enum drm_loom_resize_nearest
 * @flags: DRM_LOOM_RESIZE_*
 * @in_size: D, H, W of the whole input
 * @out_size: D, H, W of the whole output
 * @in_start: D, H, W of x's first element in the whole input
 * @out_start: D, H, W of y's first element in the whole output
 * @scale: D, H, W: bits of binary32, output over input
 * @roi_start: D, H, W: bits of binary32 (TF_CROP_AND_RESIZE)
 * @roi_end: D, H, W: bits of binary32
 * @cubic_a: bits of a binary32
 * @extrapolation: bits of a binary32 (TF_CROP_AND_RESIZE)
 * @reserved: zero
 */
struct drm_loom_attr_resize {
	__u32 mode;
	__u32 coord;
	__u32 nearest;
	__u32 flags;
	__s32 in_size[3];
	__s32 out_size[3];
	__s32 in_start[3];
	__s32 out_start[3];
	__u32 scale[3];
	__u32 roi_start[3];
	__u32 roi_end[3];
	__u32 cubic_a;
	__u32 extrapolation;
	__u32 reserved;
};

/**
 * enum drm_loom_rule - why a plan was refused
 *
 * The numbers never change. Rules are checked in the order of the tables; the first
 * one that is broken is reported.
 */
enum drm_loom_rule {
	/** @DRM_LOOM_RULE_NONE: nothing was broken */
	DRM_LOOM_RULE_NONE = 0,
	/** @DRM_LOOM_RULE_HEADER: magic, version, size, flags and reserved fields are right */
	DRM_LOOM_RULE_HEADER = 1,
	/** @DRM_LOOM_RULE_TABLE: tables lie in the blob, aligned, disjoint, of the right stride */
	DRM_LOOM_RULE_TABLE = 2,
	/** @DRM_LOOM_RULE_LIMIT: no count is past its cap */
	DRM_LOOM_RULE_LIMIT = 3,
	/** @DRM_LOOM_RULE_TOPOLOGY: the plan was made for this device's lanes */
	DRM_LOOM_RULE_TOPOLOGY = 4,
	/** @DRM_LOOM_RULE_SCRATCH: scratch fits in a bank above its reserved bytes */
	DRM_LOOM_RULE_SCRATCH = 5,
	/** @DRM_LOOM_RULE_SLOT: slots have a size, known flags, no padding, a region of the chip */
	DRM_LOOM_RULE_SLOT = 6,
	/** @DRM_LOOM_RULE_TENSOR_FIELD: region, slot, flags and padding of a tensor are valid */
	DRM_LOOM_RULE_TENSOR_FIELD = 7,
	/**
	 * @DRM_LOOM_RULE_TENSOR_TYPE: type, rank, dims and lane axis of a tensor are valid, and
	 * since minor 5 the type is one that the chip has
	 */
	DRM_LOOM_RULE_TENSOR_TYPE = 8,
	/** @DRM_LOOM_RULE_TENSOR_STRIDE: strides of a tensor nest and keep elements aligned */
	DRM_LOOM_RULE_TENSOR_STRIDE = 9,
	/** @DRM_LOOM_RULE_TENSOR_EXTENT: the elements of a tensor lie in its size */
	DRM_LOOM_RULE_TENSOR_EXTENT = 10,
	/** @DRM_LOOM_RULE_TENSOR_BOUNDS: a tensor lies in its slot or in the scratch */
	DRM_LOOM_RULE_TENSOR_BOUNDS = 11,
	/** @DRM_LOOM_RULE_TENSOR_LIFETIME: first step <= last step < steps */
	DRM_LOOM_RULE_TENSOR_LIFETIME = 12,
	/** @DRM_LOOM_RULE_TENSOR_ALIAS: an alias lies in its parent, in bytes and steps */
	DRM_LOOM_RULE_TENSOR_ALIAS = 13,
	/** @DRM_LOOM_RULE_TENSOR_OVERLAP: tensors alive in the same step do not share bytes */
	DRM_LOOM_RULE_TENSOR_OVERLAP = 14,
	/** @DRM_LOOM_RULE_STEP: the steps tile the command table in order */
	DRM_LOOM_RULE_STEP = 15,
	/** @DRM_LOOM_RULE_STREAM: a command stands in its opcode's stream */
	DRM_LOOM_RULE_STREAM = 16,
	/** @DRM_LOOM_RULE_OPCODE: the opcode is known, and since minor 5 one that the chip has */
	DRM_LOOM_RULE_OPCODE = 17,
	/** @DRM_LOOM_RULE_COMMAND_FIELD: padding of a command is zero */
	DRM_LOOM_RULE_COMMAND_FIELD = 18,
	/** @DRM_LOOM_RULE_OPERANDS: number of operands is the opcode's, they are in the table */
	DRM_LOOM_RULE_OPERANDS = 19,
	/** @DRM_LOOM_RULE_ATTR: attributes are in the table, of the right size, valid */
	DRM_LOOM_RULE_ATTR = 20,
	/** @DRM_LOOM_RULE_VIEW_TENSOR: a view names a tensor */
	DRM_LOOM_RULE_VIEW_TENSOR = 21,
	/** @DRM_LOOM_RULE_VIEW_FIELD: rank, dims, padding of a view valid, its type the tensor's */
	DRM_LOOM_RULE_VIEW_FIELD = 22,
	/** @DRM_LOOM_RULE_VIEW_LIFETIME: the tensor is alive in the step */
	DRM_LOOM_RULE_VIEW_LIFETIME = 23,
	/** @DRM_LOOM_RULE_VIEW_ALIGN: offset and strides keep elements aligned */
	DRM_LOOM_RULE_VIEW_ALIGN = 24,
	/** @DRM_LOOM_RULE_VIEW_LANE: the lane axis runs over the tensor's, and stays on it */
	DRM_LOOM_RULE_VIEW_LANE = 25,
	/** @DRM_LOOM_RULE_VIEW_BOUNDS: a view's elements lie in its tensor */
	DRM_LOOM_RULE_VIEW_BOUNDS = 26,
	/** @DRM_LOOM_RULE_VIEW_REGION: the operand is in a region that the opcode takes */
	DRM_LOOM_RULE_VIEW_REGION = 27,
	/** @DRM_LOOM_RULE_VIEW_DTYPE: the opcode takes these types together */
	DRM_LOOM_RULE_VIEW_DTYPE = 28,
	/** @DRM_LOOM_RULE_VIEW_SHAPE: the operands' dims fit the opcode and its attributes */
	DRM_LOOM_RULE_VIEW_SHAPE = 29,
	/** @DRM_LOOM_RULE_VIEW_DISTINCT: no two elements of a written view share a byte */
	DRM_LOOM_RULE_VIEW_DISTINCT = 30,
	/** @DRM_LOOM_RULE_COST: the smallest piece of a command is small enough to stop between */
	DRM_LOOM_RULE_COST = 31,
	/** @DRM_LOOM_RULE_READ_ONLY: nothing is written in a slot without DRM_LOOM_SLOT_WRITE */
	DRM_LOOM_RULE_READ_ONLY = 32,
	/** @DRM_LOOM_RULE_UNINITIALISED: nothing is read that was not written before */
	DRM_LOOM_RULE_UNINITIALISED = 33,
	/**
	 * @DRM_LOOM_RULE_IN_PLACE: a command does not read what it writes, except elementwise
	 * ones from the very same view
	 */
	DRM_LOOM_RULE_IN_PLACE = 34,
	/** @DRM_LOOM_RULE_HAZARD: in a step, one stream does not touch what the other writes */
	DRM_LOOM_RULE_HAZARD = 35,
	/** @DRM_LOOM_RULE_IMAGE: an image names a slot of its size, once; its fields are valid */
	DRM_LOOM_RULE_IMAGE = 36,
	/** @DRM_LOOM_RULE_TENSOR_IMAGE: a tensor in an image has its type and is a window of it */
	DRM_LOOM_RULE_TENSOR_IMAGE = 37,
	/** @DRM_LOOM_RULE_VIEW_IMAGE: a view in an image stays in the columns of its tensor */
	DRM_LOOM_RULE_VIEW_IMAGE = 38,
	/**
	 * @DRM_LOOM_RULE_WORK: what is written when, in pieces of tensors, is simple enough to be
	 * proved within the work that the bytes of the plan pay for. The command is the one at
	 * which that was used up. Since minor 4
	 */
	DRM_LOOM_RULE_WORK = 39,
};

#define DRM_LOOM_RULE_END			40

/* Which fields of a reject record are valid. */
#define DRM_LOOM_REJECT_STEP		(1 << 0)
#define DRM_LOOM_REJECT_COMMAND		(1 << 1)
#define DRM_LOOM_REJECT_OPERAND		(1 << 2)
#define DRM_LOOM_REJECT_TENSOR		(1 << 3)
#define DRM_LOOM_REJECT_OTHER		(1 << 4)
#define DRM_LOOM_REJECT_RANGE		(1 << 5)
#define DRM_LOOM_REJECT_SLOT		(1 << 6)

/**
 * struct drm_loom_reject - why and where a plan was refused
 * @rule: an &enum drm_loom_rule
 * @valid: DRM_LOOM_REJECT_*: which of the following fields are valid
 * @step: index of the step
 * @command: index of the command
 * @operand: number of the operand
 * @tensor: index of the tensor at fault
 * @other: index of the tensor that it overlaps
 * @slot: index of the slot
 * @region: with DRM_LOOM_REJECT_RANGE: region of the range
 * @pad: zero
 * @start: first byte of the range at fault, in the slot or the scratch (per bank)
 * @end: first byte behind it
 */
struct drm_loom_reject {
	__u32 rule;
	__u32 valid;
	__u32 step;
	__u32 command;
	__u32 operand;
	__u32 tensor;
	__u32 other;
	__u32 slot;
	__u32 region;
	__u32 pad;
	__u64 start;
	__u64 end;
};

/**
 * struct drm_loom_scratch_conflict - which SRAM buffer lies in a plan's scratch
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
 * @short_bytes: from its first byte to @scratch_end: the plan has to use so many bytes less in that
 *	bank at least; with so many less in all banks no buffer overlaps its scratch. Since minor 6
 *	rounded up to 1/64 of the bank where @address is zero, but not beyond the scratch. Zero if
 *	there is no conflict, and then all other fields are zero, too
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
 * @dram_short_bytes: how many of them would not fit in DRAM even if everything else that can be
 *	evicted was evicted; zero if all fit
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

/*
 * DRM_LOOM_PLAN_RESERVE: the plan's scratch is kept free of SRAM buffers as long as the plan lives,
 * so that no SUBMIT of it is EBUSY. Scratch that ends above the floor needs an exclusive context
 * (EACCES), and is kept while that has an effect. Since minor 2
 */
#define DRM_LOOM_PLAN_RESERVE		(1 << 0)

/**
 * struct drm_loom_plan_create - argument of PLAN_CREATE
 *
 * Copies the plan in once, proves it safe and keeps a decoded, immutable form.
 *
 * @ptr: user address of the plan
 * @size: its bytes, as in its header
 * @reject: user address for a &struct drm_loom_reject, or zero; written when the
 *	call fails with EBADMSG
 * @reject_size: bytes at @reject
 * @flags: DRM_LOOM_PLAN_*
 * @plan: out: id, never zero
 * @pad: zero
 * @conflict: user address for a &struct drm_loom_scratch_conflict, or zero; written when the call
 *	fails with EBUSY. Since minor 2, as all that follows
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

/**
 * struct drm_loom_binding - a buffer for a slot
 * @slot: index of the slot
 * @handle: GEM handle of a buffer in DRAM, in ROM for a DRM_LOOM_SLOT_ROM. For a slot that is an
 *	image: an image of the same type and pitch, with rows at least as wide; else of any layout.
 *	On some banks only, or sharded: if the slot is DRM_LOOM_SLOT_SPREAD. For a
 *	DRM_LOOM_SLOT_SRAM: an interleaved SRAM buffer whose first page in each bank has room for
 *	the slot (since minor 5: all its pages, if there is one bank only). The linear view of such
 *	a buffer is bank after bank, @page_bytes each
 * @offset: first byte in the buffer that the slot uses, a multiple of 64, and of the pitch if
 *	the slot is an image; for a DRM_LOOM_SLOT_SRAM in each bank
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
 * Runs a plan. Every slot is bound once. Two slots may share bytes of a buffer
 * only if neither is DRM_LOOM_SLOT_WRITE.
 *
 * @context: id
 * @plan: id
 * @bindings: &struct drm_loom_binding, as many as the plan has slots
 * @in_syncs: &struct drm_loom_sync to wait for before it starts, at most DRM_LOOM_MAX_SYNCS
 * @out_syncs: &struct drm_loom_sync that signal when it has ended, at most DRM_LOOM_MAX_SYNCS
 * @flags: zero
 * @pad: zero
 * @conflict: user address for a &struct drm_loom_scratch_conflict, or zero; written when the call
 *	fails with EBUSY. Since minor 2, as all that follows
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

#if defined(__cplusplus)
}
#endif

#endif /* _LOOM_ACCEL_H_ */
