// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/slab.h>

#include "core/loom_plan.h"
#include "core/loom_verify.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_lanes.h"
#include "loom_user.h"

/**
 * DOC: Partitions
 *
 * A partition is a set of lanes that a context owns. The core knows who owns which lanes and checks
 * that a plan has as many; the back end has the order of jobs (soft/part.c), or the core where a
 * device takes a few (backend/flight.c); and scratch and SRAM buffers are compared on the
 * physical banks (sram/scratch.c).
 *
 * Lanes are owned, not shared in turns: the latency of a partition then depends on the turns of
 * contexts without lanes only. Rejected: partitions that overlap and take turns on the lanes they
 * have in common. The run queue would have to search a job that fits beside those that run, and one
 * that needs many lanes would wait behind a stream of jobs that need few.
 *
 * Owning lanes excludes nobody from the device: a context without lanes runs on all of them in its
 * turns. So the bound per user, half of the lanes, only keeps partitions available for a second
 * user; a client that opens the node many times gets no more.
 *
 * A context gives its lanes back with its last job, because they are in use until then.
 */

/* Protects &loom_device.lanes and &loom_file_user.lanes; innermost. */
static DEFINE_SPINLOCK(loom_lanes_lock);

static int loom_lanes_check_args(const struct loom_device *loom,
				 const struct drm_loom_context_create *args,
				 const struct loom_mask *mask)
{
	u32 banks = loom->chip->region[DRM_LOOM_REGION_SRAM].banks, count = loom_mask_count(mask);
	struct loom_mask all = loom_mask_all(banks);

	if (args->lanes > banks || !loom_mask_within(mask, &all) ||
	    (count && args->lanes && count != args->lanes))
		return -EINVAL;
	return loom->backend->has_lanes ? 0 : -EOPNOTSUPP;
}

/* Choose the lowest lanes that no context owns. Return: false if there are too few. */
static bool loom_lanes_choose_locked(const struct loom_device *loom, u32 count,
				     struct loom_mask *mask)
{
	u32 banks = loom->chip->region[DRM_LOOM_REGION_SRAM].banks, lane;

	lockdep_assert_held(&loom_lanes_lock);
	for (lane = 0; count && lane < banks; lane++) {
		if (loom_mask_has(&loom->lanes, lane))
			continue;
		loom_mask_set(mask, lane);
		count--;
	}
	return !count;
}

static int loom_lanes_take_locked(struct loom_device *loom, struct loom_file_user *user,
				  u32 limit, u32 count, struct loom_mask *mask)
{
	lockdep_assert_held(&loom_lanes_lock);
	if (user->lanes + count > limit)
		return -EDQUOT;
	if (!loom_mask_count(mask) && !loom_lanes_choose_locked(loom, count, mask))
		return -EBUSY;
	if (loom_mask_overlaps(mask, &loom->lanes))
		return -EBUSY;
	loom_mask_add(&loom->lanes, mask);
	user->lanes += count;
	return 0;
}

static int loom_lanes_own(struct loom_context *context, const struct drm_loom_context_create *args)
{
	struct loom_device *loom = context->loom;
	u32 limit = loom->chip->region[DRM_LOOM_REGION_SRAM].banks / 2, count;
	struct loom_mask mask;
	int ret;

	memcpy(mask.word, args->lane_mask, sizeof(mask.word));
	count = args->lanes ?: loom_mask_count(&mask);
	if (!count)
		return 0;
	ret = loom_lanes_check_args(loom, args, &mask);
	if (capable(CAP_SYS_NICE))
		limit = U32_MAX;
	if (!ret) {
		spin_lock(&loom_lanes_lock);
		ret = loom_lanes_take_locked(loom, context->client->user, limit, count, &mask);
		spin_unlock(&loom_lanes_lock);
	}
	if (ret)
		return loom_refuse(&loom->drm, ret, "context: %u lanes", count);
	context->lanes = mask;
	context->lane_count = count;
	return 0;
}

/**
 * loom_lanes_give() - give the lanes of a context back, after its last job
 * @context: the context, without jobs; with lanes or not
 */
void loom_lanes_give(struct loom_context *context)
{
	struct loom_device *loom = context->loom;
	u32 i;

	if (!context->lane_count)
		return;
	spin_lock(&loom_lanes_lock);
	for (i = 0; i < ARRAY_SIZE(loom->lanes.word); i++)
		loom->lanes.word[i] &= ~context->lanes.word[i];
	context->client->user->lanes -= context->lane_count;
	spin_unlock(&loom_lanes_lock);
}

/* ------------------------------------------------------ exclusive contexts */

/**
 * loom_region_open() - a client has opened the node
 * @region: the SRAM
 */
void loom_region_open(struct loom_region *region)
{
	mutex_lock(&region->lock);
	region->sram.files++;
	mutex_unlock(&region->lock);
}

/**
 * loom_region_close() - undo loom_region_open()
 * @region: the SRAM
 */
void loom_region_close(struct loom_region *region)
{
	mutex_lock(&region->lock);
	region->sram.files--;
	mutex_unlock(&region->lock);
}

/**
 * loom_region_entitled() - loom_sram_entitled() under the lock
 * @region: the SRAM
 * @share: of the file
 *
 * Return: true if it is.
 */
bool loom_region_entitled(struct loom_region *region, const struct loom_region_share *share)
{
	bool entitled;

	mutex_lock(&region->lock);
	entitled = loom_sram_entitled(&region->sram, share);
	mutex_unlock(&region->lock);
	return entitled;
}

/* Suspend the limits of the SRAM for the file of an exclusive context. */
static int loom_lanes_claim(struct loom_context *context,
			    const struct drm_loom_context_create *args)
{
	struct loom_region *region = &context->loom->region[DRM_LOOM_REGION_SRAM];
	int ret;

	if (!(args->flags & DRM_LOOM_CONTEXT_EXCLUSIVE))
		return 0;
	context->privileged = capable(CAP_SYS_NICE);
	mutex_lock(&region->lock);
	ret = loom_sram_enter(&region->sram, &context->client->share, context->privileged);
	mutex_unlock(&region->lock);
	if (ret)
		return loom_refuse(&context->loom->drm, ret,
				   "context: the file cannot be exclusive");
	context->exclusive = true;
	return 0;
}

/**
 * loom_lanes_take() - make a context own lanes, or exclusive, if the client asks for that
 * @context: the context, new
 * @args: of CONTEXT_CREATE; out: its lanes
 *
 * Return: 0, or -errno; loom_lanes_unclaim() and loom_lanes_give() must be called in any case.
 */
int loom_lanes_take(struct loom_context *context, struct drm_loom_context_create *args)
{
	int ret = loom_lanes_own(context, args) ?: loom_lanes_claim(context, args);

	if (ret)
		return ret;
	args->lanes = context->lane_count;
	memcpy(args->lane_mask, context->lanes.word, sizeof(args->lane_mask));
	return 0;
}

/**
 * loom_lanes_unclaim() - a context has lost its id: the limits of the SRAM apply again
 * @context: the context, exclusive or not
 */
void loom_lanes_unclaim(struct loom_context *context)
{
	struct loom_region *region = &context->loom->region[DRM_LOOM_REGION_SRAM];

	if (!context->exclusive)
		return;
	mutex_lock(&region->lock);
	loom_sram_leave(&region->sram, &context->client->share, context->privileged);
	mutex_unlock(&region->lock);
}

/**
 * loom_lanes_flags() - flags for CONTEXT_QUERY
 * @context: the context
 *
 * Return: DRM_LOOM_CONTEXT_EXCLUSIVE if it is exclusive and that is in effect; otherwise zero.
 */
u32 loom_lanes_flags(const struct loom_context *context)
{
	if (context->exclusive &&
	    loom_region_entitled(&context->loom->region[DRM_LOOM_REGION_SRAM],
				 &context->client->share))
		return DRM_LOOM_CONTEXT_EXCLUSIVE;
	return 0;
}

/* -------------------------------------------------------- plans, queries */

/**
 * loom_lanes_check() - check that a plan is for as many lanes as its context has: its own, or all
 * @context: the context
 * @plan: the plan
 * @to: of the client: the record if it is not, or zero
 * @size: bytes there
 *
 * Return: 0, -EINVAL or -EFAULT.
 */
int loom_lanes_check(const struct loom_context *context, const struct loom_plan *plan, u64 to,
		     u32 size)
{
	u32 all = context->loom->chip->region[DRM_LOOM_REGION_SRAM].banks;
	const struct drm_loom_conflict record = {
		.plan_lanes = plan->lanes,
		.context_lanes = context->lane_count ?: all,
	};

	if (plan->lanes == record.context_lanes)
		return 0;
	if (loom_user_write(to, size, &record, sizeof(record)))
		return -EFAULT;
	return loom_refuse(&context->loom->drm, -EINVAL,
			   "submit: the plan is for %u lanes, the context has %u", plan->lanes,
			   record.context_lanes);
}

/**
 * loom_lanes_plan_create() - verify a plan for a device, or for as many of its lanes as it is for
 * @loom: the device
 * @blob: the plan
 * @size: its bytes
 * @plan: out
 * @reject: out: on -EBADMSG; a plan for too many lanes is refused by the verifier
 *
 * Return: as loom_plan_create_native().
 */
int loom_lanes_plan_create(const struct loom_device *loom, const void *blob, u64 size,
			   struct loom_plan **plan, struct drm_loom_reject *reject)
{
	const struct drm_loom_plan_header *header = blob;
	const struct loom_native *native = loom->backend->native;
	struct drm_loom_chip *part;
	int ret;

	if (!loom->backend->has_lanes || size < sizeof(*header) || !header->lanes ||
	    header->lanes >= loom->chip->region[DRM_LOOM_REGION_SRAM].banks)
		return loom_plan_create_native(blob, size, loom->chip, native, plan, reject);
	part = kmemdup(loom->chip, sizeof(*part), GFP_KERNEL_ACCOUNT);
	if (!part)
		return -ENOMEM;
	part->region[DRM_LOOM_REGION_SRAM].banks = header->lanes;
	ret = loom_plan_create_native(blob, size, part, native, plan, reject);
	kfree(part);
	return ret;
}

/* Flags for QUERY. Return: DRM_LOOM_DEVICE_LANES if contexts can own lanes; otherwise zero. */
u32 loom_lanes_device_flags(const struct loom_device *loom)
{
	return loom->backend->has_lanes ? DRM_LOOM_DEVICE_LANES : 0;
}
