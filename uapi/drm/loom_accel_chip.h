/* SPDX-License-Identifier: MIT WITH Linux-syscall-note */
#ifndef _LOOM_ACCEL_CHIP_H_
#define _LOOM_ACCEL_CHIP_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

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
 * One structure describes the memories, units and rates of a device. The planner plans for it, the
 * verifier takes sizes and alignments from it, and cycles are counted by it, so a plan must be made
 * for the description that its device answers to DRM_LOOM_QUERY_CHIP. libloom reads and writes it
 * as YAML; the soft back end makes devices of it through configfs.
 *
 * Rates are numbers per 1000 cycles, so that 3.75 bytes in a cycle are 3750. Energies are in
 * femtojoule (a thousandth of a picojoule), and must be zero where they are not known.
 */

/* DRM_LOOM_CHIP_IN_PLACE: of a region: compute commands may read in it, not in the SRAM only */
#define DRM_LOOM_CHIP_IN_PLACE		(1 << 0)
/* DRM_LOOM_CHIP_SHARED: of a region: reads and writes share one bus, and do not overlap */
#define DRM_LOOM_CHIP_SHARED		(1 << 1)
/*
 * DRM_LOOM_CHIP_BROADCAST: of a region: along an axis of stride 0 an operand is read once, and its
 * elements are counted once. Without it each repetition is read, and rounded up to bursts. Since
 * minor 7
 */
#define DRM_LOOM_CHIP_BROADCAST		(1 << 2)

/**
 * struct drm_loom_chip_region - banks of one kind and size
 * @banks: number of banks; zero: the chip has no such region, and all else must be zero
 * @sub_banks: conflict sub-banks of a bank, 1 where there are none
 * @bank_bytes: size of a bank
 * @reserved_bytes: bytes at the bottom of each bank that are never given out
 * @align_bytes: alignment of every address and page, must be a power of two
 * @floor_bytes: of the SRAM of a device that is shared: scratch that ends here can always run; 0 if
 *	nothing is known of others. Planners should aim at it by default
 * @flags: DRM_LOOM_CHIP_IN_PLACE, DRM_LOOM_CHIP_SHARED, DRM_LOOM_CHIP_BROADCAST
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

/**
 * struct drm_loom_chip_array - blocks of the multiply-accumulates of a lane
 * @in_channels: input channels are rounded up to that; 0 or 1: they are not, as for the next two
 * @out_channels: output channels in a lane, likewise
 * @positions: positions (of all axes but the channels) in a lane, likewise
 * @depthwise_rate: multiply-accumulates per 1000 cycles in a lane of a CONV with one input channel
 *	for each output; zero: there is no other rate for these
 */
struct drm_loom_chip_array {
	__u32 in_channels;
	__u32 out_channels;
	__u32 positions;
	__u32 depthwise_rate;
};

/**
 * struct drm_loom_chip_vector - other rates of some operations, instead of op_rate if not zero
 * @pool_rate: of POOL: taps per 1000 cycles in a lane
 * @element_rate: of BINARY, UNARY and SELECT: elements per 1000 cycles in a lane
 * @reserved: zero
 */
struct drm_loom_chip_vector {
	__u32 pool_rate;
	__u32 element_rate;
	__u32 reserved[2];
};

#define DRM_LOOM_CHIP_REGIONS			4
#define DRM_LOOM_CHIP_TYPES			16

/* DRM_LOOM_CHIP_OVERLAP: of the chip: both streams of a step run at the same time */
#define DRM_LOOM_CHIP_OVERLAP		(1 << 0)

/**
 * struct drm_loom_chip - the description of a chip
 * @name: NUL terminated, must not be empty; lower case letters, digits, '-', '_' and '.'
 * @dtypes: bit mask of &enum drm_loom_dtype: the types that it has
 * @flags: DRM_LOOM_CHIP_OVERLAP
 * @opcodes: bit mask of DRM_LOOM_OP_*: the operations that it has
 * @frequency_hz: cycles per second
 * @compute_units: engines that can run at the same time
 * @dma_start: cycles to start a command of the DMA stream
 * @compute_start: cycles to start a command of the compute stream
 * @pad: zero
 * @region: by &enum drm_loom_region; zero behind the last. The banks of the SRAM are the lanes of
 *	the engine. It copies inside of the SRAM at the SRAM's rates, which arithmetic does not wait
 *	for
 * @type: by &enum drm_loom_dtype; zero where @dtypes has no bit
 * @array: likewise; this and all that follows since minor 7
 * @vector: likewise
 * @storage_banks: banks of the SRAM behind the lanes, of the same size, that hold buffers and do
 *	not compute; this and all that follows since minor 8. @region counts the lanes only
 * @pad2: zero
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
	struct drm_loom_chip_array array[DRM_LOOM_CHIP_TYPES];
	struct drm_loom_chip_vector vector[DRM_LOOM_CHIP_TYPES];
	__u32 storage_banks;
	__u32 pad2;
};

#if defined(__cplusplus)
}
#endif

#endif
