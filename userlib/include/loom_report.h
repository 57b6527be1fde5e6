/* SPDX-License-Identifier: MIT */
/**
 * DOC: Reports of the contents of banks
 *
 * Three CSV files, written at any moment (loom_report_write()) or each time a plan is loaded
 * (loom_report_enable(), or LOOM_MEMORY_REPORTS=DIR in the environment):
 *
 *	l1_usage_summary.csv		a row per plan: the rest of the SRAM
 *	memory_usage_summary.csv	a row per bank: how full it is
 *	detailed_memory_usage.csv	a row per block of each bank
 *
 * All sizes are bytes, per bank if the column does not say otherwise, and addresses are those of
 * loom_bo_info(): the bank's reserved bytes lie below them. The scratch of a plan (its
 * circular buffers) counts as allocated.
 */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

#include <drm/loom_accel.h>

#include "loom.h"

#ifdef __cplusplus
extern "C" {
#endif

struct loom_target;

/**
 * enum loom_report_kind - kind of a block
 * @LOOM_REPORT_FREE: free
 * @LOOM_REPORT_RESERVED: never allocated
 * @LOOM_REPORT_BUFFER: part of a buffer
 * @LOOM_REPORT_SCRATCH: scratch of plans, while they run
 * @LOOM_REPORT_CONFLICT: a buffer that overlaps the scratch of the plan, which cannot run then
 * @LOOM_REPORT_HIDDEN: free or others', which is told to those with CAP_PERFMON only; counts as
 *	allocated
 */
enum loom_report_kind {
	LOOM_REPORT_FREE,
	LOOM_REPORT_RESERVED,
	LOOM_REPORT_BUFFER,
	LOOM_REPORT_SCRATCH,
	LOOM_REPORT_CONFLICT,
	LOOM_REPORT_HIDDEN,
};

/**
 * struct loom_report_block - one block of a bank
 * @address: first byte
 * @size_bytes: number of bytes
 * @kind: an &enum loom_report_kind
 * @label: of the buffer, see loom_bo_set_label(); empty if it has none, or is not the caller's and
 *	there is no CAP_PERFMON
 */
struct loom_report_block {
	uint64_t address;
	uint64_t size_bytes;
	enum loom_report_kind kind;
	char label[DRM_LOOM_LABEL_BYTES + 1];
};

/**
 * struct loom_report_bank - one bank
 *
 * @allocatable_bytes is the sum of @allocated_bytes and @free_bytes.
 *
 * @blocks: in address order, they tile the bank
 * @num_blocks: number of @blocks
 * @allocatable_bytes: all bytes but the reserved ones
 * @allocated_bytes: of those: in buffers or scratch
 * @scratch_bytes: of @allocated_bytes: in scratch, and in no buffer
 * @free_bytes: free bytes
 * @largest_free_bytes: size of the largest free block
 */
struct loom_report_bank {
	const struct loom_report_block *blocks;
	size_t num_blocks;
	uint64_t allocatable_bytes;
	uint64_t allocated_bytes;
	uint64_t scratch_bytes;
	uint64_t free_bytes;
	uint64_t largest_free_bytes;
};

/**
 * struct loom_report_region - the banks of a region
 * @name: "dram" or "sram"
 * @banks: by number
 * @num_banks: number of @banks
 * @align_bytes: alignment of addresses and pages
 * @min_largest_free_bytes: the smallest @largest_free_bytes of all banks
 * @largest_interleaved_bytes: the largest buffer over all banks that would fit: the largest block
 *	of addresses that is free in every bank, in pages of the region's alignment, times the banks
 */
struct loom_report_region {
	const char *name;
	const struct loom_report_bank *banks;
	uint32_t num_banks;
	uint64_t align_bytes;
	uint64_t min_largest_free_bytes;
	uint64_t largest_interleaved_bytes;
};

/**
 * loom_report_region_get() - reports the contents of a region
 * @target: where
 * @region: an &enum drm_loom_region
 * @scratch_bytes: SRAM: scratch of a plan, per bank, that counts even if the plan does not run now
 * @report: [out] free with loom_report_region_put()
 *
 * Return: 0, -EINVAL for another region, -ENOMEM, -ENODEV.
 */
int loom_report_region_get(const struct loom_target *target, uint32_t region,
			   uint64_t scratch_bytes, struct loom_report_region **report);

/**
 * loom_report_region_put() - frees a report
 * @report: the report; NULL is fine
 */
void loom_report_region_put(struct loom_report_region *report);

/**
 * loom_report_fragmentation() - share of the free bytes that is not in the largest free block
 * @bank: the bank
 *
 * Return: thousandths: 0 if all free bytes are in one block, near 1000 if they are in many small
 * ones.
 */
unsigned int loom_report_fragmentation(const struct loom_report_bank *bank);

/**
 * loom_report_kind_name() - name of a kind of block
 * @kind: kind of the block
 *
 * Return: "free", "reserved", "buffer", "scratch", "conflict"; the library's.
 */
const char *loom_report_kind_name(enum loom_report_kind kind);

/**
 * loom_report_write() - writes the three files as of now
 * @target: owner of the memory
 * @dir: folder, created if it does not exist
 * @prefix: prefix of their names, NULL for nothing
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_report_write(const struct loom_target *target, const char *dir, const char *prefix,
		      struct loom_error *err);

/**
 * loom_report_enable() - from now on, rows are added for each plan that is loaded
 * @dir: folder, created if it does not exist
 * @err: [out] one line on failure, may be NULL
 *
 * For the whole process; overrides LOOM_MEMORY_REPORTS. Rows are appended to files that exist, so
 * several processes may share them. If a report cannot be written, loading the plan fails.
 *
 * Return: 0 or -errno.
 */
int loom_report_enable(const char *dir, struct loom_error *err);

/**
 * loom_report_disable() - undoes loom_report_enable(), whatever LOOM_MEMORY_REPORTS says
 */
void loom_report_disable(void);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_REPORT_H */
