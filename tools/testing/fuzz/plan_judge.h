/* SPDX-License-Identifier: MIT */
#ifndef LOOM_FUZZ_PLAN_JUDGE_H
#define LOOM_FUZZ_PLAN_JUDGE_H

/*
 * A second opinion on a plan that the verifier has accepted, from the bytes of the plan and the
 * chip alone. The replay (loom_replay.h) finds overlaps, lifetimes, bounds, races, bytes that
 * nobody has written, and operands that do not fit their operator; it knows neither images nor
 * alignment nor ranges of attributes. These are looked at here, element by element and word by
 * word, by the rules that the UAPI header states.
 */
#include "loom_chip.h"
#include "loom_program.h"
#include "loom_replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A larger plan is not replayed: that would take seconds. */
#define JUDGE_MAX_BYTES		(1ULL << 21)
#define JUDGE_MAX_ELEMENTS	(1ULL << 18)

/**
 * struct plan_judge - a plan under examination
 * @chip: the chip that it was accepted for
 * @header: its bytes, with the tables
 * @slots: table of slots
 * @tensors: table of tensors
 * @steps: table of steps
 * @commands: table of commands
 * @views: table of views
 * @images: table of images
 * @attrs: bytes of attributes
 * @fault: the first thing that is wrong
 */
struct plan_judge {
	const struct drm_loom_chip *chip;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_slot *slots;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	const struct drm_loom_plan_image *images;
	const u8 *attrs;
	char fault[320];
};

/* Return: false, which is what all of these say of a fault. */
static inline bool __attribute__((format(printf, 2, 3)))
judge_fault(struct plan_judge *judge, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(judge->fault, sizeof(judge->fault), format, args);
	va_end(args);
	return false;
}

/* --- tables, slots, images ---------------------------------------------------------------- */

static inline bool judge_tables(struct plan_judge *judge)
{
	const struct drm_loom_plan_header *h = judge->header;
	const struct drm_loom_table *tables[] = {
		&h->slots, &h->tensors, &h->steps, &h->commands, &h->views, &h->attrs, &h->images,
	};
	u64 ends[ARRAY_SIZE(tables)];
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		u64 bytes = (u64)tables[i]->count * tables[i]->stride;

		/* a plan without images may leave the last one out */
		if (i + 1 == ARRAY_SIZE(tables) && !tables[i]->offset && !bytes)
			break;
		if (tables[i]->offset > h->size || bytes > h->size - tables[i]->offset)
			return judge_fault(judge, "table %u ends behind the plan", i);
		ends[i] = tables[i]->offset + bytes;
		for (k = 0; k < i; k++)
			if (tables[k]->offset < ends[i] && tables[i]->offset < ends[k])
				return judge_fault(judge, "tables %u and %u overlap", k, i);
	}
	judge->slots = (const void *)((const u8 *)h + h->slots.offset);
	judge->tensors = (const void *)((const u8 *)h + h->tensors.offset);
	judge->steps = (const void *)((const u8 *)h + h->steps.offset);
	judge->commands = (const void *)((const u8 *)h + h->commands.offset);
	judge->views = (const void *)((const u8 *)h + h->views.offset);
	judge->images = (const void *)((const u8 *)h + h->images.offset);
	judge->attrs = (const u8 *)h + h->attrs.offset;
	return true;
}

static inline u32 judge_slot_region(u32 flags)
{
	return flags & DRM_LOOM_SLOT_SRAM ? DRM_LOOM_REGION_SRAM :
	       flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
}

static inline bool judge_slots(struct plan_judge *judge)
{
	const struct drm_loom_chip_region *sram = &judge->chip->region[DRM_LOOM_REGION_SRAM];
	u32 i;

	for (i = 0; i < judge->header->slots.count; i++) {
		const struct drm_loom_plan_slot *slot = &judge->slots[i];

		if (slot->flags >> 6 || !(slot->flags & 3) || !slot->size)
			return judge_fault(judge, "slot %u makes no sense", i);
		if (slot->flags & DRM_LOOM_SLOT_ROM && slot->flags & DRM_LOOM_SLOT_WRITE)
			return judge_fault(judge, "slot %u writes the ROM", i);
		if (slot->flags & DRM_LOOM_SLOT_SRAM && slot->size > sram->bank_bytes)
			return judge_fault(judge, "slot %u is larger than a bank", i);
	}
	return true;
}

static inline bool judge_images(struct plan_judge *judge)
{
	const u64 align = judge->chip->region[DRM_LOOM_REGION_DRAM].align_bytes;
	u32 i, k;

	for (i = 0; i < judge->header->images.count; i++) {
		const struct drm_loom_plan_image *image = &judge->images[i];
		u64 bytes = loom_dtype_stride(image->dtype), pitch = image->pitch_bytes;

		for (k = 0; k < i; k++)
			if (judge->images[k].slot == image->slot)
				return judge_fault(judge, "slot %u is two images", image->slot);
		if (image->slot >= judge->header->slots.count || !bytes || !image->width ||
		    !image->height)
			return judge_fault(judge, "image %u makes no sense", i);
		if (judge_slot_region(judge->slots[image->slot].flags) != DRM_LOOM_REGION_DRAM)
			return judge_fault(judge, "image %u is not in DRAM", i);
		if (pitch % align || pitch % bytes || pitch < image->width * bytes)
			return judge_fault(judge, "the pitch of image %u is %llu", i,
					   (unsigned long long)pitch);
		if (judge->slots[image->slot].size != image->height * pitch)
			return judge_fault(judge, "image %u is not as large as its slot", i);
	}
	return true;
}

/* --- tensors -------------------------------------------------------------------------------- */

static inline bool judge_in_slot(const struct drm_loom_plan_tensor *tensor)
{
	return tensor->region != DRM_LOOM_REGION_SRAM || tensor->flags & DRM_LOOM_TENSOR_SLOT;
}

static inline bool judge_tensor(struct plan_judge *judge, u32 index)
{
	const struct drm_loom_plan_tensor *t = &judge->tensors[index];
	const u64 bytes = loom_dtype_stride(t->dtype);
	u64 extent = bytes, span;
	u32 i;

	if (!bytes || !(judge->chip->dtypes >> t->dtype & 1) || !t->rank ||
	    t->rank > DRM_LOOM_MAX_RANK || t->region >= DRM_LOOM_REGION_COUNT)
		return judge_fault(judge, "tensor %u makes no sense", index);
	if (t->lane_axis >= (t->region == DRM_LOOM_REGION_SRAM ? t->rank : 1))
		return judge_fault(judge, "tensor %u has lanes on no axis", index);
	if (judge_in_slot(t) && (t->slot >= judge->header->slots.count ||
				 judge_slot_region(judge->slots[t->slot].flags) != t->region))
		return judge_fault(judge, "tensor %u is not in such a slot", index);
	if (t->offset % bytes)
		return judge_fault(judge, "tensor %u is not aligned", index);
	for (i = t->rank; i-- > 0;) {
		u64 count = t->dims[i];

		if (!count)
			return judge_fault(judge, "tensor %u has no elements", index);
		if (t->region == DRM_LOOM_REGION_SRAM && i == t->lane_axis)
			count = (count - 1) / judge->header->lanes + 1;
		if (t->strides[i] % bytes || t->strides[i] < extent)
			return judge_fault(judge, "the strides of tensor %u", index);
		if (__builtin_mul_overflow(count - 1, t->strides[i], &span) ||
		    __builtin_add_overflow(extent, span, &extent))
			return judge_fault(judge, "the extent of tensor %u", index);
	}
	if (extent > t->size)
		return judge_fault(judge, "tensor %u is larger than its size", index);
	return true;
}

/* --- windows of images ---------------------------------------------------------------------- */

/**
 * struct judge_window - the columns of an image that elements are in
 * @pitch: bytes from row to row
 * @first: first byte, from the beginning of a row
 * @end: first byte behind
 */
struct judge_window {
	u64 pitch;
	u64 first;
	u64 end;
};

/* Widens the window by each element. Return: false if there are too many to look at. */
static inline bool judge_widen(struct judge_window *window, u64 offset, u64 bytes, u32 rank,
			       const __u32 *dims, const __s64 *strides)
{
	u32 index[DRM_LOOM_MAX_RANK] = { 0 }, i;
	u64 count = 1, at = offset;

	for (i = 0; i < rank; i++) {
		count *= dims[i];
		if (count > JUDGE_MAX_ELEMENTS)
			return false;
	}
	while (count--) {
		u64 column = at % window->pitch;

		window->first = min(window->first, column);
		window->end = max(window->end, column + bytes);
		for (i = rank; i-- > 0;) {
			at += (u64)strides[i];
			if (++index[i] < dims[i])
				break;
			at -= (u64)strides[i] * index[i];
			index[i] = 0;
		}
	}
	return true;
}

/* An operand in an image keeps to the columns of its tensor, and that to those of the image. */
static inline bool judge_window(struct plan_judge *judge, u32 tensor,
				const struct drm_loom_plan_image *image)
{
	const struct drm_loom_plan_tensor *t = &judge->tensors[tensor];
	const u64 bytes = loom_dtype_stride(t->dtype);
	struct judge_window window = { image->pitch_bytes, ~0ULL, 0 }, view;
	__s64 strides[DRM_LOOM_MAX_RANK];
	u32 i;

	memcpy(strides, t->strides, sizeof(strides));
	if (t->dtype != image->dtype)
		return judge_fault(judge, "tensor %u is not of the type of its image", tensor);
	if (!judge_widen(&window, t->offset, bytes, t->rank, t->dims, strides))
		return true;
	if (window.end > image->width * bytes)
		return judge_fault(judge, "tensor %u leaves the columns of its image", tensor);
	/* rows without a gap between them: there are no columns to leave */
	if (!window.first && window.end == window.pitch)
		return true;
	for (i = 0; i < judge->header->views.count; i++) {
		const struct drm_loom_plan_view *v = &judge->views[i];

		view = (struct judge_window){ window.pitch, window.first, window.end };
		if (v->tensor == tensor && v->rank <= DRM_LOOM_MAX_RANK &&
		    judge_widen(&view, t->offset + v->offset, bytes, v->rank, v->dims,
				v->strides) &&
		    (view.first != window.first || view.end != window.end))
			return judge_fault(judge, "view %u leaves the columns of tensor %u", i,
					   tensor);
	}
	return true;
}

static inline bool judge_windows(struct plan_judge *judge)
{
	u32 i, k;

	for (i = 0; i < judge->header->images.count; i++)
		for (k = 0; k < judge->header->tensors.count; k++)
			if (judge_in_slot(&judge->tensors[k]) &&
			    judge->tensors[k].slot == judge->images[i].slot &&
			    !judge_window(judge, k, &judge->images[i]))
				return false;
	return true;
}

/* --- commands ------------------------------------------------------------------------------- */

static inline bool judge_in(s32 value, s32 low, s32 high)
{
	return value >= low && value <= high;
}

static inline bool judge_zero_fits(u32 dtype, s32 zero)
{
	return dtype == DRM_LOOM_DTYPE_I8 ? judge_in(zero, -128, 127) :
	       dtype == DRM_LOOM_DTYPE_U8 ? judge_in(zero, 0, 255) : !zero;
}

static inline bool judge_conv(const struct drm_loom_attr_conv *attr, bool forward,
			      const struct drm_loom_plan_view *views)
{
	const s32 most = DRM_LOOM_MAX_SPATIAL;
	u32 i;

	for (i = 0; i < 3; i++)
		if (!judge_in(attr->stride[i], 1, most) || !judge_in(attr->dilation[i], 1, most) ||
		    !judge_in(attr->pad[i], forward ? 0 : -most, most))
			return false;
	return attr->groups && attr->act < DRM_LOOM_ACT_END && !(attr->flags >> 2) &&
	       judge_zero_fits(views[0].dtype, attr->y_zero) &&
	       judge_zero_fits(views[1].dtype, attr->x_zero) &&
	       judge_zero_fits(views[2].dtype, attr->w_zero);
}

static inline bool judge_pool(const struct drm_loom_attr_pool *attr)
{
	const s32 most = DRM_LOOM_MAX_SPATIAL;
	u32 i;

	for (i = 0; i < 3; i++)
		if (!judge_in(attr->kernel[i], 1, most) || !judge_in(attr->stride[i], 1, most) ||
		    !judge_in(attr->dilation[i], 1, most) ||
		    !judge_in(attr->pad_before[i], 0, most) ||
		    !judge_in(attr->pad_after[i], 0, most))
			return false;
	return attr->kind <= DRM_LOOM_POOL_AVG && !(attr->flags >> 1);
}

static inline bool judge_resize(const struct drm_loom_attr_resize *attr,
				const struct drm_loom_plan_view *views)
{
	u32 i;

	for (i = 0; i < 3; i++)
		if (attr->in_start[i] < 0 || attr->out_start[i] < 0 ||
		    (s64)attr->out_start[i] + views[0].dims[2 + i] > attr->out_size[i] ||
		    (s64)attr->in_start[i] + views[1].dims[2 + i] > attr->in_size[i])
			return false;
	return attr->mode <= DRM_LOOM_RESIZE_CUBIC &&
	       attr->coord <= DRM_LOOM_COORD_TF_CROP_AND_RESIZE &&
	       attr->nearest <= DRM_LOOM_NEAREST_CEIL && !(attr->flags >> 1);
}

static inline bool judge_attr(const struct drm_loom_plan_command *command, const void *attr,
			      const struct drm_loom_plan_view *views)
{
	const struct drm_loom_attr_softmax *softmax = attr;
	const struct drm_loom_attr_matmul *matmul = attr;
	const struct drm_loom_attr_binary *binary = attr;
	const struct drm_loom_attr_reduce *reduce = attr;
	const struct drm_loom_attr_unary *unary = attr;
	const struct drm_loom_attr_topk *topk = attr;
	const struct drm_loom_attr_gather *gather = attr;

	switch (command->opcode) {
	case DRM_LOOM_OP_CONV:
	case DRM_LOOM_OP_DECONV:
		return judge_conv(attr, command->opcode == DRM_LOOM_OP_CONV, views);
	case DRM_LOOM_OP_POOL:
		return judge_pool(attr);
	case DRM_LOOM_OP_MATMUL:
	case DRM_LOOM_OP_MATMUL_ADD:
		return matmul->act < DRM_LOOM_ACT_END && !(matmul->flags >> 2) &&
		       judge_zero_fits(views[0].dtype, matmul->y_zero) &&
		       judge_zero_fits(views[1].dtype, matmul->a_zero) &&
		       judge_zero_fits(views[2].dtype, matmul->b_zero);
	case DRM_LOOM_OP_BINARY:
		return binary->kind < DRM_LOOM_BINARY_END && binary->act < DRM_LOOM_ACT_END;
	case DRM_LOOM_OP_UNARY:
		return unary->kind < DRM_LOOM_UNARY_END;
	case DRM_LOOM_OP_REDUCE:
		return reduce->kind < DRM_LOOM_REDUCE_END;
	case DRM_LOOM_OP_SOFTMAX:
		return softmax->axis < views[0].rank && !(softmax->flags >> 1);
	case DRM_LOOM_OP_TOPK:
		/* an element of y holds every position */
		return topk->axis < views[0].rank && topk->axis < views[1].rank &&
		       !(topk->flags >> 1) && topk->count <= views[1].dims[topk->axis] &&
		       topk->count == views[0].dims[topk->axis] &&
		       (loom_dtype_stride(views[0].dtype) > 2 || views[1].dims[topk->axis] <=
			1U << 8 * loom_dtype_stride(views[0].dtype));
	case DRM_LOOM_OP_GATHER:
		return gather->axis < views[0].rank && !gather->reserved;
	case DRM_LOOM_OP_RESIZE:
		return judge_resize(attr, views);
	}
	return true;
}

/* Taps of a window of pooling, which no view bounds. */
static inline u64 judge_taps(const struct drm_loom_plan_command *command, const void *attr)
{
	const struct drm_loom_attr_pool *pool = attr;
	u64 taps = 1;
	u32 i;

	for (i = 0; i < 3 && command->opcode == DRM_LOOM_OP_POOL; i++)
		taps = min(taps * (u64)pool->kernel[i], JUDGE_MAX_ELEMENTS + 1);
	return taps;
}

static inline bool judge_in_image(const struct plan_judge *judge,
				  const struct drm_loom_plan_tensor *tensor)
{
	u32 i;

	for (i = 0; i < judge->header->images.count; i++)
		if (judge->images[i].slot == tensor->slot)
			return tensor->region == DRM_LOOM_REGION_DRAM;
	return false;
}

/* Whether an operand may be in the region where it is; @views of the command. */
static inline bool judge_region(const struct plan_judge *judge, u32 opcode, u32 operand,
				u32 written, const struct drm_loom_plan_view *views)
{
	const struct drm_loom_plan_tensor *tensor = &judge->tensors[views[operand].tensor];
	u32 region = tensor->region, y_region = judge->tensors[views[0].tensor].region;
	bool sram = region == DRM_LOOM_REGION_SRAM;

	switch (opcode) {
	case DRM_LOOM_OP_LOAD:
		return sram == !operand;
	case DRM_LOOM_OP_STORE:
		return region == (operand ? DRM_LOOM_REGION_SRAM : DRM_LOOM_REGION_DRAM);
	case DRM_LOOM_OP_COPY:
	case DRM_LOOM_OP_FILL:
		return region == y_region && region != DRM_LOOM_REGION_ROM;
	}
	return sram || judge_in_image(judge, tensor) ||
	       (operand == 1 && opcode == DRM_LOOM_OP_GATHER) ||
	       (operand >= written && judge->chip->region[region].flags & DRM_LOOM_CHIP_IN_PLACE);
}

static inline bool judge_is_dma(u32 opcode)
{
	return opcode == DRM_LOOM_OP_LOAD || opcode == DRM_LOOM_OP_STORE ||
	       opcode == DRM_LOOM_OP_COPY || opcode == DRM_LOOM_OP_FILL;
}

static inline bool judge_streams(struct plan_judge *judge)
{
	u32 i, k;

	for (i = 0; i < judge->header->steps.count; i++) {
		const struct drm_loom_plan_step *step = &judge->steps[i];

		for (k = 0; k < step->dma_commands + step->compute_commands; k++) {
			bool dma = k < step->dma_commands;

			if (judge_is_dma(judge->commands[step->first_command + k].opcode) != dma)
				return judge_fault(judge, "step %u: command %u: wrong stream",
						   i, k);
		}
	}
	return true;
}

/* Counts and payload of a native command; that it shares nothing with those before it. */
static inline bool judge_native(struct plan_judge *judge, u32 index, u32 *written)
{
	const struct drm_loom_plan_command *c = &judge->commands[index];
	const struct drm_loom_attr_native *attr = (const void *)(judge->attrs + c->attr_offset);
	u32 reads = (u32)attr->outputs + attr->temporaries, i;

	*written = reads + attr->inouts;
	if (c->attr_size != sizeof(*attr) + attr->payload_bytes ||
	    attr->payload_bytes > DRM_LOOM_MAX_PAYLOAD_BYTES || attr->pad ||
	    *written > c->operands || *written == attr->temporaries ||
	    c->operands > DRM_LOOM_MAX_NATIVE_OPERANDS)
		return judge_fault(judge, "command %u: attributes make no sense", index);
	for (i = attr->outputs; i < reads; i++) {
		const struct drm_loom_plan_tensor *t =
			&judge->tensors[judge->views[c->first_view + i].tensor];

		if (t->flags & DRM_LOOM_TENSOR_ALIAS ||
		    (judge_in_slot(t) && judge->slots[t->slot].flags & DRM_LOOM_SLOT_READ))
			return judge_fault(judge, "command %u: temporary %u is read by others",
					   index, i);
	}
	for (i = 0; i < index; i++) {
		const struct drm_loom_plan_command *other = &judge->commands[i];

		if (other->opcode == DRM_LOOM_OP_NATIVE &&
		    (other->first_view + other->operands > c->first_view ||
		     other->attr_offset + other->attr_size > c->attr_offset))
			return judge_fault(judge, "commands %u and %u share operands", i, index);
	}
	return true;
}

/* @work: [out] elements that a replay looks at. */
static inline bool judge_command(struct plan_judge *judge, u32 index, u64 *work)
{
	const struct drm_loom_plan_header *h = judge->header;
	const struct drm_loom_plan_command *c = &judge->commands[index];
	const struct drm_loom_plan_view *views = &judge->views[c->first_view];
	bool native = c->opcode == DRM_LOOM_OP_NATIVE;
	u32 written = 1, i, k;
	u64 count, taps;

	if (native ? h->version != DRM_LOOM_PLAN_VERSION_NATIVE : c->opcode >= DRM_LOOM_OP_END ||
	    !(judge->chip->opcodes >> c->opcode & 1))
		return judge_fault(judge, "command %u: the chip has no operation %u", index,
				   c->opcode);
	if (c->first_view > h->views.count || c->operands > h->views.count - c->first_view ||
	    c->attr_offset > h->attrs.count || c->attr_size > h->attrs.count - c->attr_offset)
		return judge_fault(judge, "command %u leaves its tables", index);
	for (i = 0; i < c->operands; i++)
		if (views[i].tensor >= h->tensors.count)
			return judge_fault(judge, "command %u: operand %u is of no tensor", index,
					   i);
	if (native && !judge_native(judge, index, &written))
		return false;
	for (i = 0; i < c->operands; i++) {
		const struct drm_loom_plan_view *v = &views[i];
		u64 bytes = loom_dtype_stride(v->dtype), bits = v->offset;

		if (v->rank > DRM_LOOM_MAX_RANK || !v->rank ||
		    v->dtype != judge->tensors[v->tensor].dtype)
			return judge_fault(judge, "command %u: operand %u makes no sense", index,
					   i);
		for (k = 0, count = 1; k < v->rank; k++) {
			if (!v->dims[k])
				return judge_fault(judge, "command %u: operand %u is empty", index,
						   i);
			count = min(count * v->dims[k], JUDGE_MAX_ELEMENTS + 1);
			bits |= (u64)v->strides[k];
		}
		if (bits % bytes)
			return judge_fault(judge, "command %u: operand %u is not aligned", index,
					   i);
		if (!judge_region(judge, c->opcode, i, written, views))
			return judge_fault(judge, "command %u: operand %u is in another region",
					   index, i);
		*work += count;
	}
	if (c->operands == 2 && judge_is_dma(c->opcode) &&
	    loom_dtype_stride(views[0].dtype) != loom_dtype_stride(views[1].dtype))
		return judge_fault(judge, "command %u moves elements of two sizes", index);
	if (!judge_attr(c, judge->attrs + c->attr_offset, views))
		return judge_fault(judge, "command %u: an attribute is out of range", index);
	taps = judge_taps(c, judge->attrs + c->attr_offset);
	for (k = 0, count = 1; k < views[0].rank; k++)
		count = min(count * views[0].dims[k], JUDGE_MAX_ELEMENTS + 1);
	*work += taps * count;
	return true;
}

/* --- the replay ----------------------------------------------------------------------------- */

/* RESIZE takes the nearest element that its operand has for one that it lacks. */
static inline bool judge_is_clamped(const struct plan_judge *judge,
				    const struct loom_replay_fault *fault)
{
	return fault->kind == LOOM_REPLAY_BOUNDS && strstr(fault->text, "an element is needed") &&
	       judge->commands[fault->command].opcode == DRM_LOOM_OP_RESIZE;
}

/* Every byte of a slot that may be read is an input: clients may have written it. */
static inline bool judge_replay(struct plan_judge *judge)
{
	const struct loom_replay_options options = { .chip = judge->chip, .max_faults = 1 };
	struct loom_program_tensor inputs[DRM_LOOM_MAX_SLOTS];
	struct loom_program_slot slots[DRM_LOOM_MAX_SLOTS];
	struct loom_program program = {
		.plan = (void *)judge->header,
		.plan_bytes = judge->header->size,
		.slots = slots,
		.num_slots = judge->header->slots.count,
		.inputs = inputs,
	};
	struct loom_replay_report *report;
	bool good = true;
	u32 i;

	memset(slots, 0, sizeof(slots));
	for (i = 0; i < program.num_slots; i++) {
		slots[i].size_bytes = judge->slots[i].size;
		if (judge->slots[i].flags & DRM_LOOM_SLOT_READ)
			inputs[program.num_inputs++] = (struct loom_program_tensor){
				.name = "x", .dtype = DRM_LOOM_DTYPE_U8, .slot = i,
				.size_bytes = 1ULL << 62,
			};
	}
	if (loom_replay_program(&program, &options, &report, NULL))
		return true;
	/* no numbers were promised; and what follows a clamped RESIZE is unknown to the replay */
	if (report->num_faults && report->faults[0].kind != LOOM_REPLAY_COUNT &&
	    !judge_is_clamped(judge, &report->faults[0]))
		good = judge_fault(judge, "%s", report->faults[0].text);
	loom_replay_destroy(report);
	return good;
}

/* Bytes of all slots and of the scratch, in all banks; more than JUDGE_MAX_BYTES: too many. */
static inline u64 judge_bytes(const struct plan_judge *judge)
{
	const u64 lanes = judge->header->lanes, most = JUDGE_MAX_BYTES + 1;
	u64 bytes = min(judge->header->scratch_bytes, most) * lanes;
	u32 i;

	for (i = 0; i < judge->header->slots.count; i++)
		bytes += min(judge->slots[i].size, most) *
			 (judge->slots[i].flags & DRM_LOOM_SLOT_SRAM ? lanes : 1);
	return bytes;
}

/**
 * plan_judge() - looks at a plan that was accepted
 * @judge: the first fault is written to its @fault
 * @plan: the bytes, at an address that is a multiple of eight
 * @chip: that it was accepted for
 *
 * Return: false if it should not have been.
 */
static inline bool plan_judge(struct plan_judge *judge, const void *plan,
			      const struct drm_loom_chip *chip)
{
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	u64 work = 0;
	u32 i;

	*judge = (struct plan_judge){ .chip = chip, .header = plan };
	if (judge->header->lanes != sram->banks)
		return judge_fault(judge, "it is for %u lanes", judge->header->lanes);
	if (judge->header->scratch_bytes > sram->bank_bytes - sram->reserved_bytes)
		return judge_fault(judge, "the scratch is larger than a bank");
	if (!judge_tables(judge) || !judge_slots(judge) || !judge_images(judge))
		return false;
	for (i = 0; i < judge->header->tensors.count; i++)
		if (!judge_tensor(judge, i))
			return false;
	for (i = 0; i < judge->header->commands.count; i++)
		if (!judge_command(judge, i, &work))
			return false;
	if (!judge_streams(judge) || !judge_windows(judge))
		return false;
	return work > JUDGE_MAX_ELEMENTS || judge_bytes(judge) > JUDGE_MAX_BYTES ||
	       judge_replay(judge);
}

#endif /* LOOM_FUZZ_PLAN_JUDGE_H */
