// SPDX-License-Identifier: MIT
/*
 * The emitter: the sink that cuts a kernel into slices, places their buffers in SRAM and adds
 * loads, stages and stores to the plan. See sink.h.
 */
#include "lower.h"

#include <errno.h>
#include <string.h>

#include "loom_place.h"
#include "notes.h"
#include "storage.h"

/**
 * struct box - a part of an operand or of the result
 * @lo: first index per axis
 * @hi: first index behind
 */
struct box {
	u64 lo[DRM_LOOM_MAX_RANK];
	u64 hi[DRM_LOOM_MAX_RANK];
};

/**
 * struct writer - the state of writing a kernel
 * @lower: the state of lowering
 * @kernel: the kernel
 * @tiling: its cut
 * @base: first step
 * @slice: number of the current slice
 * @place: by operand: offset of its buffers in the scratch
 * @tensor: by operand: SRAM tensor of the current slice
 * @box: by operand: the part of it that @tensor holds
 * @loaded: by operand: @tensor and @box are set
 * @turn: by operand: the buffer that @tensor is in
 */
struct writer {
	struct loom_lower *lower;
	const struct loom_kernel *kernel;
	const struct loom_slicing *tiling;
	u32 base;
	u32 slice;
	u64 place[LOOM_KERNEL_OPERANDS][2];
	u32 tensor[LOOM_KERNEL_OPERANDS];
	struct box box[LOOM_KERNEL_OPERANDS];
	bool loaded[LOOM_KERNEL_OPERANDS];
	u32 turn[LOOM_KERNEL_OPERANDS];
};

static struct box operand_box(const struct loom_kernel *kernel, u32 index, const struct box *out)
{
	const struct loom_operand *operand = &kernel->operands[index];
	struct box box = { .lo = { 0 } };
	u32 i;

	for (i = 0; i < operand->ref.rank; i++)
		loom_kernel_range(kernel, operand, i, out->lo[operand->map[i].axis],
				  out->hi[operand->map[i].axis], &box.lo[i], &box.hi[i]);
	return box;
}

/* A view of the whole of an SRAM tensor. */
static struct drm_loom_plan_view sram_view(const struct loom_build *build, u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &build->tensors[index];
	struct drm_loom_plan_view view = {
		.tensor = index,
		.dtype = tensor->dtype,
		.rank = tensor->rank,
		.lane_axis = tensor->lane_axis,
	};
	u32 i;

	for (i = 0; i < tensor->rank; i++) {
		view.dims[i] = tensor->dims[i];
		view.strides[i] = tensor->strides[i];
	}
	return view;
}

/* A view of a part of a value in DRAM. */
static struct drm_loom_plan_view dram_view(const struct loom_ref *ref, const struct box *box)
{
	return loom_ref_view(ref, ref->tensor, box->lo, box->hi);
}

static bool is_weights(const struct loom_storage *storage, u32 slot)
{
	return slot == storage->weights_slot || slot == storage->copied_slot;
}

/* Tensors that are loaded or stored have the name of the value in DRAM. */
static void label(struct writer *w, u32 index, u32 tensor)
{
	const struct loom_operand *operand = &w->kernel->operands[index];
	struct loom_build *build = w->lower->build;
	bool temp = operand->role != LOOM_ROLE_LOAD && operand->role != LOOM_ROLE_STORE;
	u32 from = operand->ref.tensor;

	if (build->status)
		return;
	if (temp)
		loom_build_label(build, tensor, w->lower->node->output->name, LOOM_LABEL_TEMP,
				 w->slice);
	else
		loom_build_label(build, tensor, build->labels[from].name,
				 is_weights(w->lower->storage, build->tensors[from].slot) ?
				 LOOM_LABEL_WEIGHT : LOOM_LABEL_ROWS, w->slice);
}

/* An SRAM tensor for a part of an operand, in one of the operand's buffers. */
static u32 make_tensor(struct writer *w, u32 index, const struct box *box)
{
	const struct loom_operand *operand = &w->kernel->operands[index];
	struct drm_loom_plan_tensor tensor = {
		.region = DRM_LOOM_REGION_SRAM,
		.offset = w->place[index][w->turn[index]],
		.dtype = operand->ref.dtype,
		.rank = operand->ref.rank,
		.lane_axis = operand->lane_axis,
	};
	u64 stride = loom_dtype_stride(operand->ref.dtype);
	u32 i, at;

	for (i = operand->ref.rank; i-- > 0;) {
		u64 dim = box->hi[i] - box->lo[i];

		tensor.dims[i] = dim;
		tensor.strides[i] = stride;
		stride *= i == operand->lane_axis ?
			  loom_div_round_up(dim, w->lower->sram.lanes) : dim;
	}
	tensor.size = stride;
	at = loom_build_tensor(w->lower->build, &tensor);
	label(w, index, at);
	return at;
}

static void load_operand(struct writer *w, u32 index, const struct box *out, u32 step)
{
	const struct loom_operand *operand = &w->kernel->operands[index];
	struct box box = operand_box(w->kernel, index, out);
	struct loom_build *build = w->lower->build;
	struct drm_loom_plan_view views[2];
	struct drm_loom_attr_fill fill = { .bits = operand->bits };

	if (w->loaded[index] && !memcmp(&box, &w->box[index], sizeof(box)))
		return;
	if (w->loaded[index])
		w->turn[index] = (w->turn[index] + 1) % w->tiling->buffers[index];
	w->loaded[index] = true;
	w->box[index] = box;
	w->tensor[index] = make_tensor(w, index, &box);
	if (build->status)
		return;
	views[0] = sram_view(build, w->tensor[index]);
	if (operand->role == LOOM_ROLE_FILL) {
		loom_build_command(build, step, DRM_LOOM_OP_FILL, views, 1, &fill, sizeof(fill));
		return;
	}
	views[1] = dram_view(&operand->ref, &box);
	loom_build_command(build, step, DRM_LOOM_OP_LOAD, views, 2, NULL, 0);
}

/* The view of an operand that a stage gets. */
static struct drm_loom_plan_view stage_view(const struct writer *w, u32 index)
{
	const struct loom_operand *operand = &w->kernel->operands[index];

	if (operand->role == LOOM_ROLE_DIRECT || (!index && w->kernel->direct))
		return dram_view(&operand->ref, &w->box[index]);
	return sram_view(w->lower->build, w->tensor[index]);
}

/* Makes a tensor for the result or an intermediate of this slice. */
static void make_result(struct writer *w, u32 index, const struct box *out)
{
	if (w->loaded[index])
		w->turn[index] = (w->turn[index] + 1) % w->tiling->buffers[index];
	w->loaded[index] = true;
	w->box[index] = operand_box(w->kernel, index, out);
	w->tensor[index] = make_tensor(w, index, &w->box[index]);
}

/* Whether the slice goes on with the sums of the one before. */
static bool goes_on(const struct loom_kernel *kernel, const struct box *out)
{
	return kernel->sums != LOOM_KERNEL_NO_SUMS && out->lo[LOOM_SUM_AXIS];
}

/* Whether slices behind this one go on with its sums. */
static bool is_incomplete(const struct loom_kernel *kernel, const struct box *out)
{
	return kernel->sums != LOOM_KERNEL_NO_SUMS &&
	       out->hi[LOOM_SUM_AXIS] < kernel->operands[0].ref.dims[LOOM_SUM_AXIS];
}

/* Whether the slice begins the result or a TEMP; sums are kept while there are more terms. */
static bool needs_result(const struct loom_kernel *kernel, u32 i, const struct box *out)
{
	if (loom_kernel_keeps_sums(kernel, i))
		return !goes_on(kernel, out) && is_incomplete(kernel, out);
	return i ? true : !goes_on(kernel, out);
}

static void write_slice(struct writer *w, const struct box *out, u64 slice)
{
	const struct loom_kernel *kernel = w->kernel;
	const bool sums = kernel->sums != LOOM_KERNEL_NO_SUMS;
	struct loom_build *build = w->lower->build;
	u32 load = w->base + (w->tiling->overlap ? slice : 2 * slice);
	struct drm_loom_plan_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	const u64 *first[LOOM_KERNEL_OPERANDS];
	u32 i, k;

	for (i = 0; i < kernel->num_operands; i++)
		first[i] = w->box[i].lo;
	w->slice = slice;
	for (i = 0; i < kernel->num_operands; i++) {
		if (kernel->operands[i].role == LOOM_ROLE_LOAD ||
		    kernel->operands[i].role == LOOM_ROLE_FILL)
			load_operand(w, i, out, load);
		else if (kernel->operands[i].role == LOOM_ROLE_DIRECT || (!i && kernel->direct))
			w->box[i] = operand_box(kernel, i, out);
		else if (needs_result(kernel, i, out))
			make_result(w, i, out);
	}
	for (i = 0; i < kernel->num_stages && !build->status; i++) {
		struct loom_stage stage;

		if (!loom_kernel_part_stage(kernel, i, sums ? out->lo[LOOM_SUM_AXIS] : 0,
					    sums ? out->hi[LOOM_SUM_AXIS] : 0, &stage))
			continue;
		loom_kernel_tune(kernel, &stage, out->lo, w->box[stage.operand[1]].lo,
				 w->box[stage.operand[1]].hi);
		for (k = 0; k < stage.operands; k++)
			views[k] = stage_view(w, stage.operand[k]);
		loom_lower_command(w->lower, kernel, &stage, load + 1, views, first);
	}
	if (build->status || kernel->direct || is_incomplete(kernel, out))
		return;
	views[0] = dram_view(&kernel->operands[0].ref, &w->box[0]);
	views[1] = sram_view(build, w->tensor[0]);
	loom_build_command(build, load + 2, DRM_LOOM_OP_STORE, views, 2, NULL, 0);
}

/* Moves to the next slice; returns false after the last. */
static bool next_slice(const struct loom_kernel *kernel, const struct loom_slicing *tiling,
		       struct box *out)
{
	const struct loom_ref *y = &kernel->operands[0].ref;
	u32 i;

	for (i = loom_kernel_axes(kernel); i-- > 0;) {
		u32 axis = tiling->order[i];
		bool wraps = out->hi[axis] == y->dims[axis];

		out->lo[axis] = wraps ? 0 : out->hi[axis];
		out->hi[axis] = min(out->lo[axis] + tiling->chunk[axis], y->dims[axis]);
		if (!wraps)
			return true;
	}
	return false;
}

/* All buffers of a kernel are alive at the same time while it computes. */
static int place_buffers(struct writer *w)
{
	struct loom_place_item items[LOOM_KERNEL_OPERANDS * 2];
	struct loom_place_problem problem = { .items = items };
	const struct loom_place_options how = { .strategy = "greedy-size" };
	struct loom_place_result result;
	u32 i, k, n = 0;
	int ret;

	for (i = 0; i < w->kernel->num_operands; i++)
		for (k = 0; k < w->tiling->buffers[i]; k++)
			items[n++] = (struct loom_place_item){
				.size_bytes = w->tiling->bytes[i],
				.align_bytes = w->lower->sram.align_bytes,
				.upper = 1,
			};
	problem.num_items = n;
	ret = loom_place(&problem, &how, &result, NULL);
	if (ret)
		return ret;
	for (i = 0, n = 0; i < w->kernel->num_operands; i++)
		for (k = 0; k < w->tiling->buffers[i]; k++)
			w->place[i][k] = result.offsets[n++];
	w->lower->scratch_bytes = max(w->lower->scratch_bytes, result.height_bytes[0]);
	loom_place_result_free(&result);
	return 0;
}

static int choose_tiling(struct loom_lower *lower, struct loom_kernel *kernel,
			 struct loom_slicing *tiling)
{
	u64 need = 0, usual;
	int ret = loom_slice_choose(kernel, &lower->sram, tiling, &need);

	if (ret == -ENOSPC) {
		usual = need;
		loom_slice_spread(kernel, lower->sram.lanes);
		ret = loom_slice_choose(kernel, &lower->sram, tiling, &need);
		need = min(need, usual);
	}
	/* of several nodes that do not fit, the error names the one with the largest need */
	if (ret == -ENOSPC && need <= lower->need_bytes)
		return ret;
	if (ret == -ENOSPC) {
		lower->need_bytes = need;
		ret = loom_lower_fail(lower, ret,
				      "its smallest slice takes %llu bytes of SRAM per lane, %llu more than there are",
				      (unsigned long long)need,
				      (unsigned long long)(need - lower->sram.bytes));
		if (lower->err)
			lower->err->short_bytes = need - lower->sram.bytes;
		return ret;
	}
	if (ret == -EOVERFLOW)
		return loom_lower_fail(lower, -ENOSPC,
				       "an element of the result takes %llu operations, at most %llu are allowed",
				       (unsigned long long)kernel->unit_cost,
				       (unsigned long long)DRM_LOOM_MAX_UNIT_COST);
	return ret;
}

/* Number of uses of an operand by stages. */
static u32 count_uses(const struct loom_kernel *kernel, u32 index)
{
	u32 uses = 0, i, k;

	for (i = 0; i < kernel->num_stages; i++)
		for (k = 0; k < kernel->stages[i].operands; k++)
			uses += kernel->stages[i].operand[k] == index;
	return uses;
}

/*
 * CONV and POOL use images in DRAM directly, unless that moves more bytes: a loaded part can be
 * reused by several slices, but a direct operand is read by each.
 */
static bool go_direct(struct loom_lower *lower, struct loom_kernel *kernel,
		      struct loom_slicing *tiling)
{
	const struct loom_stage *first = &kernel->stages[0];
	u32 x = first->operand[1];
	struct loom_operand operands[LOOM_KERNEL_OPERANDS];
	struct loom_kernel direct = *kernel;
	struct loom_slicing loaded;
	bool any = false;
	u64 need;

	if (lower->load_images ||
	    (first->opcode != DRM_LOOM_OP_CONV && first->opcode != DRM_LOOM_OP_POOL))
		return false;
	memcpy(operands, kernel->operands, kernel->num_operands * sizeof(*operands));
	direct.operands = operands;
	if (kernel->operands[x].role == LOOM_ROLE_LOAD && count_uses(kernel, x) == 1 &&
	    loom_storage_in_image(lower, &kernel->operands[x].ref)) {
		direct.operands[x].role = LOOM_ROLE_DIRECT;
		any = true;
	}
	if (kernel->num_stages == 1 && loom_storage_in_image(lower, &kernel->operands[0].ref)) {
		direct.direct = true;
		any = true;
	}
	if (!any || loom_slice_choose(&direct, &lower->sram, tiling, &need))
		return false;
	if (!loom_slice_choose(kernel, &lower->sram, &loaded, &need) &&
	    loaded.dram_bytes < tiling->dram_bytes)
		return false;
	kernel->operands[x].role = operands[x].role;
	kernel->direct = direct.direct;
	return true;
}

static int note_kernel(struct loom_lower *lower, const struct loom_kernel *kernel,
		       const struct loom_slicing *tiling)
{
	const struct loom_ref *y = &kernel->operands[0].ref;
	struct loom_program_kernel note = {
		.node = lower->node->name,
		.op = lower->node->source_op,
		.first_step = lower->step,
		.slices = tiling->slices,
		.overlap = tiling->overlap,
		.rank = y->rank,
		.scratch_bytes = tiling->scratch_bytes,
	};
	u32 i;

	for (i = 0; i < y->rank; i++) {
		note.dims[i] = y->dims[i];
		note.chunk[i] = tiling->chunk[i];
	}
	return loom_note_kernel(lower, &note);
}

static int emit_kernel(void *context, struct loom_kernel *kernel)
{
	struct loom_lower *lower = context;
	struct loom_slicing tiling;
	struct writer w = {
		.lower = lower,
		.kernel = kernel,
		.tiling = &tiling,
		.base = lower->step,
	};
	struct box out = { .lo = { 0 } };
	u64 slice = 0;
	int ret;
	u32 i;

	if (!go_direct(lower, kernel, &tiling)) {
		ret = choose_tiling(lower, kernel, &tiling);
		if (ret)
			return ret;
	}
	if (lower->probe)
		return 0;
	if (tiling.slices > DRM_LOOM_MAX_STEPS)
		return loom_lower_fail(lower, -E2BIG, "it takes %llu slices, a plan can have %u",
				       (unsigned long long)tiling.slices, DRM_LOOM_MAX_STEPS);
	ret = place_buffers(&w);
	if (!ret)
		ret = note_kernel(lower, kernel, &tiling);
	if (ret)
		return ret;
	for (i = 0; i < loom_kernel_axes(kernel); i++)
		out.hi[i] = tiling.chunk[i];
	do {
		write_slice(&w, &out, slice++);
	} while (!lower->build->status && next_slice(kernel, &tiling, &out));

	lower->step += (tiling.overlap ? slice - 1 : 2 * (slice - 1)) + 3;
	lower->sliced_nodes += slice > 1;
	return lower->build->status;
}

static struct drm_loom_plan_view view_of(const struct loom_ref *ref)
{
	struct drm_loom_plan_view view = {
		.tensor = ref->tensor,
		.dtype = ref->dtype,
		.rank = ref->rank,
		.offset = ref->offset,
	};
	u32 i;

	for (i = 0; i < ref->rank; i++) {
		view.dims[i] = ref->dims[i];
		view.strides[i] = ref->strides[i];
	}
	return view;
}

static int emit_copy(void *context, const struct loom_ref *to, const struct loom_ref *from)
{
	const struct loom_lower *lower = context;
	struct drm_loom_plan_view views[] = { view_of(to), view_of(from) };

	loom_build_command(lower->build, lower->step, DRM_LOOM_OP_COPY, views, 2, NULL, 0);
	return lower->build->status;
}

static int emit_fill(void *context, const struct loom_ref *to, u64 bits)
{
	const struct loom_lower *lower = context;
	struct drm_loom_attr_fill attr = { .bits = bits };
	struct drm_loom_plan_view view = view_of(to);

	loom_build_command(lower->build, lower->step, DRM_LOOM_OP_FILL, &view, 1, &attr,
			   sizeof(attr));
	return lower->build->status;
}

struct loom_sink loom_emitter(struct loom_lower *lower)
{
	static const struct loom_sink_ops ops = {
		.kernel = emit_kernel,
		.copy = emit_copy,
		.fill = emit_fill,
	};

	return (struct loom_sink){ .ops = &ops, .context = lower };
}
