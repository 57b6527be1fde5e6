// SPDX-License-Identifier: MIT
#include "soft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int loom_soft_fail(struct loom_error *err, int code, const char *doing)
{
	const char *why = strerror(-code);

	if (code == -ENOSPC)
		why = "the device's memory is full";
	else if (code == -EDQUOT)
		why = "the driver's cap on the memory of buffers is reached";
	return loom_error_set(err, code, "%s: %s", doing, why);
}

static int loom_soft_no_space(struct loom_error *err, const struct loom_device *device,
			      uint32_t slot)
{
	struct drm_loom_no_space record;
	char text[384];

	if (loom_device_no_space(device, &record))
		memset(&record, 0, sizeof(record));
	loom_no_space_print(text, sizeof(text), &record);
	return loom_error_set(err, -ENOSPC, "allocating slot %u: %s", slot, text);
}

/* A plan for all of the SRAM met a device that others use as well. */
static int loom_soft_floor(struct loom_error *err, int code, const struct loom_device *device,
			   const struct drm_loom_fit *fit)
{
	const struct drm_loom_chip_region *sram =
		&loom_device_chip(device)->region[DRM_LOOM_REGION_SRAM];

	return loom_error_set(err, code,
			      "the plan's scratch takes %llu bytes of each bank: more than the %llu that are kept for it need exclusive use of the device",
			      (unsigned long long)fit->scratch_bytes,
			      (unsigned long long)sram->floor_bytes);
}

/* Labels are for people, so a driver without them is no error. */
static void loom_soft_label(const struct loom_session *session, uint32_t slot,
			    const struct loom_bo *bo)
{
	static const char *const kinds[] = {
		[LOOM_SLOT_KIND_WEIGHTS] = "weights", [LOOM_SLOT_KIND_INPUT] = "input",
		[LOOM_SLOT_KIND_OUTPUT] = "output", [LOOM_SLOT_KIND_OBSERVED] = "observed values",
		[LOOM_SLOT_KIND_ARENA] = "arena", [LOOM_SLOT_KIND_IMAGE] = "image",
	};
	const struct loom_program *program = session->program;
	const struct loom_program_slot *from = &program->slots[slot];
	bool input = from->kind == LOOM_SLOT_KIND_INPUT;
	const struct loom_program_tensor *tensors = input ? program->inputs : program->outputs;
	uint32_t i, count = input ? program->num_inputs : program->num_outputs, state;
	char label[DRM_LOOM_LABEL_BYTES + 1], *at;

	snprintf(label, sizeof(label), "%s", kinds[from->kind]);
	if (!input && from->kind != LOOM_SLOT_KIND_OUTPUT)
		count = 0;
	for (i = 0; i < count; i++) {
		if (tensors[i].slot != slot || !tensors[i].size_bytes)
			continue;
		state = input ? loom_states_of_input(program, i) :
				loom_states_of_output(program, i);
		snprintf(label, sizeof(label), "%s %s%s",
			 state < program->num_states ? "state" : kinds[from->kind],
			 tensors[i].name, from->num_values > 1 ? " and others" : "");
		break;
	}
	for (at = label; *at; at++)
		if (*at < 0x20 || *at > 0x7e)
			*at = '?';
	(void)loom_bo_set_label(bo, label);
}

/* Binds a slot to its buffer, which is mapped at @map, or NULL. */
static void loom_soft_use(struct loom_session *session, uint32_t slot, void *map)
{
	struct loom_node_run *soft = session->priv;

	session->slots[slot] = map;
	soft->bindings[slot].slot = slot;
	soft->bindings[slot].handle = loom_bo_handle(soft->bos[slot]);
}

static void loom_soft_borrow(struct loom_session *session, uint32_t slot)
{
	const struct loom_loan *loan = &session->loans[slot];
	const struct loom_node_run *from = loan->owner->priv;
	struct loom_node_run *soft = session->priv;

	soft->bos[slot] = from->bos[loan->slot];
	loom_soft_use(session, slot, loan->owner->slots[loan->slot]);
	session->constant[slot] = loan->owner->constant[loan->slot];
}

/* The buffer of a slot of weights is that of another process. */
static int loom_soft_import(struct loom_session *session, uint32_t slot, int fd,
			    struct loom_error *err)
{
	const struct loom_program_slot *from = &session->program->slots[slot];
	struct loom_node_run *soft = session->priv;
	uint32_t region = from->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM :
							    DRM_LOOM_REGION_DRAM;
	struct drm_loom_bo_info info;
	void *map;
	int ret;

	ret = loom_bo_import(session->target->device, fd, &soft->bos[slot]);
	if (!ret)
		ret = loom_bo_info(soft->bos[slot], &info);
	if (ret)
		return loom_soft_fail(err, ret, "importing shared weights");
	if (!(info.flags & DRM_LOOM_BO_SEALED))
		return loom_error_set(err, -EINVAL,
				      "the shared buffer is not constant: loom_session_export_weights() exports it");
	if (info.size != from->size_bytes || info.region != region)
		return loom_error_set(err, -EINVAL,
				      "the shared buffer has %llu bytes in region %u, and the weights %llu in region %u",
				      (unsigned long long)info.size, info.region,
				      (unsigned long long)from->size_bytes, region);
	ret = loom_bo_map(soft->bos[slot], &map);
	if (ret)
		return loom_soft_fail(err, ret, "mapping shared weights");
	loom_soft_use(session, slot, map);
	session->constant[slot] = true;
	return 0;
}

static int loom_soft_export(struct loom_session *session, uint32_t slot, int *fd,
			    struct loom_error *err)
{
	const struct loom_loan *loan = &session->loans[slot];
	struct loom_node_run *soft = session->priv;
	int ret = session->constant[slot] ? 0 : loom_bo_seal(soft->bos[slot]);

	if (ret == -EBUSY)
		return loom_error_set(err, ret,
				      "the weights may still be written: a job or a child process uses them");
	if (ret)
		return loom_soft_fail(err, ret, "making the weights constant");
	session->constant[slot] = true;
	/* those that borrow it from there must know, too */
	if (loan->owner)
		loan->owner->constant[loan->slot] = true;
	ret = loom_bo_export(soft->bos[slot], fd);
	return ret ? loom_soft_fail(err, ret, "exporting the weights") : 0;
}

static int loom_soft_load_slot(struct loom_session *session, uint32_t slot)
{
	struct loom_node_run *soft = session->priv;
	const struct loom_program_slot *from = &session->program->slots[slot];
	struct drm_loom_bo_create request = {
		.size = from->size_bytes,
		.region = DRM_LOOM_REGION_DRAM,
	};
	const struct drm_loom_chip *chip = session->target->chip;
	bool sram = from->flags & DRM_LOOM_SLOT_SRAM;
	uint64_t lanes[DRM_LOOM_MAX_BANKS / 64] = { 0 };
	uint32_t i;
	void *map;
	int ret;

	if (session->loans[slot].owner) {
		loom_soft_borrow(session, slot);
		return 0;
	}
	if (from->dtype) {
		request.size = 0;
		request.layout = DRM_LOOM_LAYOUT_IMAGE;
		request.width = from->width;
		request.height = from->height;
		request.dtype = from->dtype;
		request.pitch_bytes = from->pitch_bytes;
	}
	if (from->flags & DRM_LOOM_SLOT_ROM)
		request.region = DRM_LOOM_REGION_ROM;
	if (sram) {
		/* planned for one lane only, where pages are contiguous: no space is lost */
		request.region = DRM_LOOM_REGION_SRAM;
		request.bank_mask = soft->lanes ? (uintptr_t)soft->lane_mask : 0;
		request.bank_mask_words = soft->lanes ? ARRAY_SIZE(soft->lane_mask) : 0;
		request.page_bytes = (u32)chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	}
	if (sram && chip->storage_banks) {
		for (i = 0; i < chip->region[DRM_LOOM_REGION_SRAM].banks; i++)
			lanes[i / 64] |= 1ULL << i % 64;
		request.bank_mask = (uintptr_t)lanes;
		request.bank_mask_words = DRM_LOOM_MAX_BANKS / 64;
	}

	ret = loom_bo_create(session->target->device, &request, &soft->bos[slot]);
	if (ret)
		return ret;
	loom_soft_label(session, slot, soft->bos[slot]);
	ret = loom_bo_map(soft->bos[slot], &map);
	/* in an SRAM of the device's own, pages are not accessible to the processor */
	if (ret && !(ret == -EOPNOTSUPP && sram))
		return ret;
	loom_soft_use(session, slot, map);
	return 0;
}

static int loom_soft_write(struct loom_session *session, uint32_t slot, uint64_t offset,
			   const void *data, uint64_t bytes)
{
	struct loom_node_run *soft = session->priv;

	return loom_bo_write(soft->bos[slot], offset, data, bytes);
}

static int loom_soft_read(struct loom_session *session, uint32_t slot, uint64_t offset,
			  void *data, uint64_t bytes)
{
	struct loom_node_run *soft = session->priv;

	return loom_bo_read(soft->bos[slot], offset, data, bytes);
}

static int loom_soft_bind(struct loom_session *session, uint32_t slot, struct loom_bo *bo,
			  struct loom_error *err)
{
	uint64_t needs = session->program->slots[slot].size_bytes;
	struct loom_node_run *soft = session->priv;
	void *map = NULL;
	int ret;

	if (bo && loom_bo_device(bo) != session->target->device)
		return loom_error_set(err, -EINVAL,
				      "the buffer is not one of the device of this session: import it there");
	if (bo && loom_bo_size(bo) < needs)
		return loom_error_set(err, -EINVAL,
				      "the buffer has %llu bytes, and the plan takes %llu",
				      (unsigned long long)loom_bo_size(bo),
				      (unsigned long long)needs);
	if (!soft->own[slot])
		soft->own[slot] = soft->bos[slot];
	if (!bo)
		bo = soft->own[slot];
	/* memory that the processor cannot access is copied by the device */
	ret = loom_bo_map(bo, &map);
	if (ret && ret != -EOPNOTSUPP)
		return loom_soft_fail(err, ret, "mapping the buffer");
	soft->bos[slot] = bo;
	soft->bindings[slot].handle = loom_bo_handle(bo);
	session->slots[slot] = ret ? NULL : map;
	return 0;
}

/* A plan for fewer lanes than the device has runs in a partition. */
static int loom_soft_partition(struct loom_session *session, struct loom_error *err)
{
	const struct drm_loom_plan_header *header = session->program->plan;
	struct loom_device *device = session->target->device;
	struct loom_node_run *soft = session->priv;
	uint32_t all = loom_device_info(device)->lanes;
	int ret;

	if (header->lanes == all)
		return 0;
	soft->lanes = header->lanes;
	ret = loom_context_create_lanes(device, DRM_LOOM_PRIORITY_NORMAL, soft->lanes,
					soft->lane_mask, &soft->context);
	if (ret == -EBUSY)
		return loom_error_set(err, ret,
				      "the plan takes %u of %u lanes, and other partitions leave fewer",
				      soft->lanes, all);
	if (ret == -EDQUOT)
		return loom_error_set(err, ret,
				      "the plan takes %u of %u lanes: a user may own %u without CAP_SYS_NICE",
				      soft->lanes, all, all / 2);
	return ret ? loom_soft_fail(err, ret, "making a partition of the device") : 0;
}

/* Exclusive only if the plan needs it: other jobs would be delayed or refused. */
static int loom_soft_context(struct loom_session *session, struct loom_error *err)
{
	struct loom_device *device = session->target->device;
	struct loom_node_run *soft = session->priv;
	struct drm_loom_fit fit;
	int ret;

	if (soft->lanes)
		return 0;
	ret = loom_device_plan_fit(device, soft->plan, &fit);
	if (ret)
		return loom_soft_fail(err, ret, "asking whether the plan fits");
	if (!(fit.flags & DRM_LOOM_FIT_EXCLUSIVE)) {
		ret = loom_context_create(device, DRM_LOOM_PRIORITY_NORMAL, &soft->context);
		return ret ? loom_soft_fail(err, ret, "making a queue on the device") : 0;
	}
	ret = loom_context_create_exclusive(device, DRM_LOOM_PRIORITY_NORMAL, &soft->context);
	if (ret == -EACCES || ret == -EBUSY)
		return loom_soft_floor(err, ret, device, &fit);
	return ret ? loom_soft_fail(err, ret, "making a queue on the device") : 0;
}

static int loom_soft_load(struct loom_session *session, struct loom_error *err)
{
	const struct loom_program *program = session->program;
	struct loom_device *device = session->target->device;
	struct loom_node_run *soft = calloc(1, sizeof(*soft));
	struct drm_loom_reject reject;
	uint32_t i, shared = 0;
	int ret;

	if (!soft)
		return loom_error_set(err, -ENOMEM, "no memory");
	session->priv = soft;
	soft->bos = calloc(program->num_slots + 1, sizeof(*soft->bos));
	soft->own = calloc(program->num_slots + 1, sizeof(*soft->own));
	soft->bindings = calloc(program->num_slots + 1, sizeof(*soft->bindings));
	if (!soft->bos || !soft->own || !soft->bindings)
		return loom_error_set(err, -ENOMEM, "no memory");

	ret = loom_device_plan_create(device, program->plan, program->plan_bytes, &reject,
				      &soft->plan);
	if (ret == -EBADMSG)
		return loom_session_reject(session, &reject, err);
	if (ret)
		return loom_soft_fail(err, ret, "handing the plan to the device");
	ret = loom_soft_partition(session, err);
	if (ret)
		return ret;
	for (i = 0; i < program->num_slots; i++) {
		if (session->weights && loom_slot_is_shared(&program->slots[i])) {
			ret = loom_soft_import(session, i, session->weights[shared++], err);
			if (ret)
				return ret;
			continue;
		}
		ret = loom_soft_load_slot(session, i);
		if (ret == -ENOSPC)
			return loom_soft_no_space(err, device, i);
		if (ret)
			return loom_soft_fail(err, ret, "allocating device memory");
	}
	ret = loom_soft_context(session, err);
	if (ret)
		return ret;
	ret = loom_sync_create(device, &soft->sync);
	if (ret)
		return loom_soft_fail(err, ret, "making a queue on the device");
	return 0;
}

static void loom_soft_unload(struct loom_session *session)
{
	struct loom_device *device = session->target->device;
	struct loom_node_run *soft = session->priv;
	uint32_t i;

	if (!soft)
		return;
	if (soft->sync)
		loom_sync_destroy(device, soft->sync);
	loom_context_destroy(soft->context);
	for (i = 0; soft->bos && i < session->program->num_slots; i++)
		if (!session->loans[i].owner)
			loom_bo_destroy(soft->own[i] ? soft->own[i] : soft->bos[i]);
	if (soft->plan)
		loom_device_plan_destroy(device, soft->plan);
	free(soft->bindings);
	free(soft->own);
	free(soft->bos);
	free(soft);
}

/* The device reports the end of a job, but no progress: @progress is called with 0 of 0. */
static int loom_soft_wait(struct loom_session *session, loom_progress_fn progress, void *arg)
{
	struct loom_device *device = session->target->device;
	struct loom_node_run *soft = session->priv;
	int ret;

	if (!progress)
		return loom_sync_wait(device, soft->sync, 0, LOOM_WAIT_FOREVER);
	for (;;) {
		ret = loom_sync_wait(device, soft->sync, 0, loom_run_now_ns() + LOOM_RUN_TICK_NS);
		if (ret != -ETIME)
			return ret;
		ret = progress(arg, 0, 0);
		if (ret)
			return ret;
	}
}

static void loom_soft_count(struct loom_session *session, const struct drm_loom_counters *now)
{
	struct loom_node_run *soft = session->priv;
	struct drm_loom_counters *before = &soft->before;

	session->counters = (struct drm_loom_counters){
		.dram_read_bytes = now->dram_read_bytes - before->dram_read_bytes,
		.dram_write_bytes = now->dram_write_bytes - before->dram_write_bytes,
		.sram_read_bytes = now->sram_read_bytes - before->sram_read_bytes,
		.sram_write_bytes = now->sram_write_bytes - before->sram_write_bytes,
		.rom_read_bytes = now->rom_read_bytes - before->rom_read_bytes,
		.macs = now->macs - before->macs,
		.steps = now->steps - before->steps,
		.commands = now->commands - before->commands,
		.jobs = now->jobs - before->jobs,
		.busy_ns = now->busy_ns - before->busy_ns,
		.cycles = now->cycles - before->cycles,
		.dma_cycles = now->dma_cycles - before->dma_cycles,
		.compute_cycles = now->compute_cycles - before->compute_cycles,
		.energy_fj = now->energy_fj - before->energy_fj,
	};
	*before = *now;
}

/* The label of a buffer in the scratch, or nothing. */
static void loom_soft_find_label(const struct loom_device *device,
				 const struct drm_loom_scratch_conflict *conflict,
				 char label[DRM_LOOM_LABEL_BYTES + 1])
{
	struct drm_loom_block *blocks;
	size_t count, i;

	memset(label, 0, DRM_LOOM_LABEL_BYTES + 1);
	if (!conflict->bytes ||
	    loom_device_bank_blocks(device, DRM_LOOM_REGION_SRAM, conflict->bank, &blocks, &count))
		return;
	for (i = 0; i < count; i++)
		if (blocks[i].address == conflict->address &&
		    blocks[i].flags & DRM_LOOM_BLOCK_ALLOCATED)
			memcpy(label, blocks[i].label, DRM_LOOM_LABEL_BYTES);
	free(blocks);
}

/* SUBMIT returned -EBUSY: finds the buffer that overlaps the scratch of the plan. */
static int loom_soft_scratch_conflict(struct loom_session *session, struct loom_error *err)
{
	struct loom_node_run *soft = session->priv;
	char text[sizeof(err->text)], label[DRM_LOOM_LABEL_BYTES + 1];
	struct drm_loom_fit fit;

	/* the banks of a partition are not those that the driver assumes of the plan */
	if (soft->lanes || loom_device_plan_fit(session->target->device, soft->plan, &fit) ||
	    !fit.conflict.short_bytes)
		return loom_soft_fail(err, -EBUSY, "submitting the job");
	loom_fit_print(text, sizeof(text), &fit);
	loom_soft_find_label(session->target->device, &fit.conflict, label);
	return loom_error_set(err, -EBUSY, "%s%s%s", text, label[0] ? ": its label is " : "",
			      label);
}

/* Sets the buffers and fences of an item that uses links. */
static void loom_soft_link(struct loom_session *session, uint32_t item,
			   struct loom_submit *submit, struct drm_loom_sync *in,
			   struct drm_loom_sync *out)
{
	struct loom_node_run *soft = session->priv;
	const struct loom_link *link;
	void *map;

	for (link = soft->gives; link; link = link->next_given) {
		struct loom_bo *bo = link->from.bos[item % link->depth];

		soft->bindings[link->from.slot].handle = loom_bo_handle(bo);
		if (!loom_bo_map(bo, &map))
			session->slots[link->from.slot] = map;
		out[submit->num_out++] = (struct drm_loom_sync){
			.handle = link->from.line, .point = (uint64_t)item + 1,
		};
	}
	for (link = soft->takes; link; link = link->next_taken) {
		soft->bindings[link->to.slot].handle =
			loom_bo_handle(link->to.bos[item % link->depth]);
		in[submit->num_in++] = (struct drm_loom_sync){
			.handle = link->to.line, .point = (uint64_t)item + 1,
		};
	}
}

/* The device completes a run that was stopped: its counters must not be added to the next run. */
static int loom_soft_drain(struct loom_session *session)
{
	struct loom_node_run *soft = session->priv;
	struct drm_loom_context_query query;
	int ret;

	if (!soft->left)
		return 0;
	ret = loom_sync_wait(session->target->device, soft->sync, 0, LOOM_WAIT_FOREVER);
	if (!ret)
		ret = loom_context_query(soft->context, &query);
	if (ret)
		return ret;
	soft->before = query.counters;
	soft->left = false;
	return 0;
}

static int loom_soft_submit(struct loom_session *session, uint32_t item, struct loom_error *err)
{
	struct loom_node_run *soft = session->priv;
	struct drm_loom_sync in[LOOM_LINKS], out[LOOM_LINKS + 1] = { { .handle = soft->sync } };
	struct drm_loom_fit fit;
	struct loom_submit submit = {
		.plan = soft->plan,
		.num_bindings = session->program->num_slots,
		.bindings = soft->bindings,
		.num_out = 1,
		.out = out,
		.in = in,
	};
	int ret = loom_soft_drain(session);

	if (ret)
		return loom_soft_fail(err, ret, "waiting for the job that was stopped");
	loom_soft_link(session, item, &submit, in, out);
	ret = loom_context_submit(soft->context, &submit);
	if (ret == -EBUSY)
		return loom_soft_scratch_conflict(session, err);
	if (ret == -EACCES && !loom_device_plan_fit(session->target->device, soft->plan, &fit))
		return loom_soft_floor(err, ret, session->target->device, &fit);
	return ret ? loom_soft_fail(err, ret, "submitting the job") : 0;
}

static int loom_soft_finish(struct loom_session *session, loom_progress_fn progress, void *arg,
			    struct loom_error *err)
{
	struct loom_node_run *soft = session->priv;
	struct drm_loom_context_query query;
	int ret = loom_soft_wait(session, progress, arg);

	soft->left = ret;
	/* others must not begin on the states that the job still uses */
	if (ret && session->root->shared)
		(void)loom_soft_drain(session);
	if (ret)
		return loom_soft_fail(err, ret, "waiting for the job");
	ret = loom_context_query(soft->context, &query);
	soft->left = ret;
	if (ret)
		return loom_soft_fail(err, ret, "querying the status of the job");
	loom_soft_count(session, &query.counters);
	if (query.flags & DRM_LOOM_CONTEXT_GUILTY)
		return loom_error_set(err, -ECANCELED,
				      "the device ended the job: it took longer than %u ms",
				      loom_device_info(session->target->device)->job_timeout_ms);
	/* the device failed or was removed, so outputs were not written */
	ret = loom_sync_status(session->target->device, soft->sync);
	return ret ? loom_soft_fail(err, ret, "running the job") : 0;
}

static int loom_soft_wait_until(struct loom_session *session, int64_t deadline_ns)
{
	struct loom_node_run *soft = session->priv;

	return loom_sync_wait(session->target->device, soft->sync, 0, deadline_ns);
}

static int loom_soft_fd(struct loom_session *session, int *fd)
{
	struct loom_node_run *soft = session->priv;

	return loom_sync_export(session->target->device, soft->sync, fd);
}

/* The next job binds them the other way round. */
static void loom_soft_exchange(struct loom_session *session, uint32_t a, uint32_t b)
{
	struct loom_node_run *soft = session->priv;
	uint32_t handle = soft->bindings[a].handle;
	struct loom_bo *bo = soft->bos[a];

	soft->bindings[a].handle = soft->bindings[b].handle;
	soft->bindings[b].handle = handle;
	soft->bos[a] = soft->bos[b];
	soft->bos[b] = bo;
}

static int loom_soft_blocks(const struct loom_target *target, uint32_t region,
			    struct drm_loom_block **blocks, size_t *count, uint64_t *scratch_bytes)
{
	struct drm_loom_region_info info;
	int ret = loom_device_region(target->device, region, &info);

	if (ret)
		return ret;
	*scratch_bytes = info.scratch_bytes;
	return loom_device_blocks(target->device, region, blocks, count);
}

static int loom_soft_bank_blocks(const struct loom_target *target, uint32_t region, uint32_t bank,
				 struct drm_loom_block **blocks, size_t *count)
{
	return loom_device_bank_blocks(target->device, region, bank, blocks, count);
}

static void loom_soft_close(struct loom_target *target)
{
	loom_device_close(target->device);
}

static const struct loom_target_ops loom_soft_ops = {
	.load = loom_soft_load,
	.write = loom_soft_write,
	.read = loom_soft_read,
	.submit = loom_soft_submit,
	.finish = loom_soft_finish,
	.wait = loom_soft_wait_until,
	.fd = loom_soft_fd,
	.bind = loom_soft_bind,
	.export = loom_soft_export,
	.exchange = loom_soft_exchange,
	.borrow = loom_soft_borrow,
	.unload = loom_soft_unload,
	.blocks = loom_soft_blocks,
	.bank_blocks = loom_soft_bank_blocks,
	.close = loom_soft_close,
};

int loom_soft_open(struct loom_target *target, const char *path, struct loom_error *err)
{
	int ret = loom_device_open(path, &target->device);

	if (ret == -ENODEV && path)
		return loom_error_set(err, ret, "%s: this is no node of a Loom device", path);
	if (ret == -ENODEV)
		return loom_error_set(err, ret, "no Loom device: is the module loaded?");
	if (ret)
		return loom_error_set(err, ret, "%s: %s", path ? path : "/dev/accel",
				      strerror(-ret));
	target->ops = &loom_soft_ops;
	target->name = loom_device_path(target->device);
	target->chip = loom_device_chip(target->device);
	return 0;
}
