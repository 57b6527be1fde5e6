// SPDX-License-Identifier: GPL-2.0
#include <linux/iosys-map.h>

#include "backend/backend.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_job.h"
#include "loom_plan_object.h"

/*
 * The core's objects as back ends outside of its tree see them. They may depend on nothing but the
 * results of these calls.
 */

/* ----------------------------------------------------------------- device */

void **loom_device_data(struct loom_device *loom)
{
	return &loom->backend_data;
}
EXPORT_SYMBOL_NS_GPL(loom_device_data, LOOM_COMPAT_NS);

struct drm_device *loom_device_drm(struct loom_device *loom)
{
	return &loom->drm;
}
EXPORT_SYMBOL_NS_GPL(loom_device_drm, LOOM_COMPAT_NS);

const struct drm_loom_chip *loom_device_chip(const struct loom_device *loom)
{
	return loom->chip;
}
EXPORT_SYMBOL_NS_GPL(loom_device_chip, LOOM_COMPAT_NS);

/* The epoch that records must have. */
u32 loom_device_epoch(const struct loom_device *loom)
{
	return loom->epoch;
}
EXPORT_SYMBOL_NS_GPL(loom_device_epoch, LOOM_COMPAT_NS);

/* ------------------------------------------------------ plans and contexts */

void **loom_plan_object_data(struct loom_plan_object *object)
{
	return &object->backend_data;
}
EXPORT_SYMBOL_NS_GPL(loom_plan_object_data, LOOM_COMPAT_NS);

struct loom_device *loom_plan_object_device(const struct loom_plan_object *object)
{
	return object->loom;
}
EXPORT_SYMBOL_NS_GPL(loom_plan_object_device, LOOM_COMPAT_NS);

const struct loom_plan *loom_plan_object_plan(const struct loom_plan_object *object)
{
	return object->plan;
}
EXPORT_SYMBOL_NS_GPL(loom_plan_object_plan, LOOM_COMPAT_NS);

/* ------------------------------------------------------------------- jobs */

void **loom_job_data(struct loom_job *job)
{
	return &job->run;
}
EXPORT_SYMBOL_NS_GPL(loom_job_data, LOOM_COMPAT_NS);

struct loom_device *loom_job_device(const struct loom_job *job)
{
	return job->loom;
}
EXPORT_SYMBOL_NS_GPL(loom_job_device, LOOM_COMPAT_NS);

struct loom_plan_object *loom_job_plan(const struct loom_job *job)
{
	return job->plan;
}
EXPORT_SYMBOL_NS_GPL(loom_job_plan, LOOM_COMPAT_NS);

/* Number of the job on its device, for its record; 0 before &loom_backend.job_run. */
u64 loom_job_id(const struct loom_job *job)
{
	return job->id;
}
EXPORT_SYMBOL_NS_GPL(loom_job_id, LOOM_COMPAT_NS);

u32 loom_job_slot_count(const struct loom_job *job)
{
	return job->slot_count;
}
EXPORT_SYMBOL_NS_GPL(loom_job_slot_count, LOOM_COMPAT_NS);

/**
 * loom_job_slot_address() - address of the binding of a slot
 *
 * @job: the job, in &loom_backend.job_emit
 * @slot: the slot, less than loom_job_slot_count()
 * @address: out: the address; of the first byte in the buffer if this returns false
 *
 * It is the same in each bank of the buffer, except with DRM_LOOM_SLOT_PER_BANK: then it may be
 * that in the lowest bank, and loom_job_slot_bank_address() has the others.
 *
 * Return: false if the buffer is in system pages (&loom_device_config.host_slots).
 */
bool loom_job_slot_address(const struct loom_job *job, u32 slot, u64 *address)
{
	const struct loom_bo *bo = job->slots[slot].bo;

	*address = job->slots[slot].offset;
	if (bo->resident)
		*address += loom_region_address(bo->tbo.resource);
	return bo->resident;
}
EXPORT_SYMBOL_NS_GPL(loom_job_slot_address, LOOM_COMPAT_NS);

struct loom_context *loom_job_context(const struct loom_job *job)
{
	return job->context;
}
EXPORT_SYMBOL_NS_GPL(loom_job_context, LOOM_COMPAT_NS);

void **loom_context_data(struct loom_context *context)
{
	return &context->backend_data;
}
EXPORT_SYMBOL_NS_GPL(loom_context_data, LOOM_COMPAT_NS);
