// SPDX-License-Identifier: GPL-2.0
#include "backend/backend.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_job.h"
#include "loom_region.h"

/* Addresses of buffers in single banks. */

/**
 * loom_region_bank_address() - address of a buffer in one of its banks
 * @resource: of the buffer
 * @bank: number of the bank in the region
 *
 * Return: the address.
 */
u64 loom_region_bank_address(struct ttm_resource *resource, u32 bank)
{
	const struct loom_region_block *block = to_loom_region_block(resource);
	u32 i = 0;

	while (i + 1 < block->count && !loom_mask_has(&block[i].mask, bank))
		i++;
	return block[i].block.start;
}

/**
 * loom_job_slot_bank_address() - address of the first byte of a slot's buffer in one of its banks
 * @job: the job, in &loom_backend.job_emit
 * @slot: the slot, less than loom_job_slot_count(), whose buffer is not in system pages
 * @bank: number of the bank in its region
 *
 * Return: the address; that in the lowest bank if the buffer has none in @bank.
 */
u64 loom_job_slot_bank_address(const struct loom_job *job, u32 slot, u32 bank)
{
	return loom_region_bank_address(job->slots[slot].bo->tbo.resource, bank);
}
EXPORT_SYMBOL_NS_GPL(loom_job_slot_bank_address, LOOM_COMPAT_NS);

/**
 * loom_job_slot_byte() - where a byte of the binding of a slot in local memory lies
 * @job: the job, until its end
 * @slot: the slot, less than loom_job_slot_count()
 * @offset: of the byte, from the start of the slot
 * @bank: out: its bank
 *
 * Return: its address in the bank, relative to loom_job_slot_bank_address().
 */
u64 loom_job_slot_byte(const struct loom_job *job, u32 slot, u64 offset, u32 *bank)
{
	const struct loom_shape *shape = &job->slots[slot].bo->shape;
	u64 address;

	loom_layout_map(&shape->layout, 0, job->slots[slot].offset + offset, bank, &address);
	*bank = loom_shape_bank(shape, *bank);
	return address;
}
EXPORT_SYMBOL_NS_GPL(loom_job_slot_byte, LOOM_COMPAT_NS);
