// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "code.h"

#include "loom_clock.h"
#include "loom_op.h"
#include "loom_verify.h"

/**
 * struct loom_decode - a decoding
 * @chip: the device's
 * @header: the first bytes
 * @commands: table of commands
 * @views: table of views
 * @plan: as far as it is filled
 * @check: arguments and result of the checks of operations
 */
struct loom_decode {
	const struct drm_loom_chip *chip;
	const struct loom_code_header *header;
	const struct loom_code_command *commands;
	const struct loom_code_view *views;
	struct loom_plan *plan;
	struct loom_check check;
};

static bool loom_decode_header_ok(const struct loom_code_header *header, u64 size,
				  const struct drm_loom_chip *chip, struct loom_code_tables *tables)
{
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	u64 top;

	if (size < sizeof(*header) || header->magic != LOOM_CODE_MAGIC ||
	    header->version != LOOM_CODE_VERSION || header->size != size || header->pad)
		return false;
	if (!header->lanes || header->lanes != sram->banks ||
	    check_add_overflow(header->scratch_bytes, sram->reserved_bytes, &top) ||
	    top > sram->bank_bytes)
		return false;
	if (header->slots > DRM_LOOM_MAX_SLOTS || header->steps > DRM_LOOM_MAX_STEPS ||
	    header->commands > DRM_LOOM_MAX_COMMANDS || header->views > DRM_LOOM_MAX_VIEWS ||
	    header->attr_bytes > DRM_LOOM_MAX_ATTR_BYTES ||
	    header->tensors > DRM_LOOM_MAX_TENSORS)
		return false;
	loom_code_lay(header, tables);
	return tables->size == size &&
	       loom_code_sum(&header->scratch_bytes, loom_code_words(size)) == header->sum;
}

static int __must_check loom_decode_alloc(struct loom_decode *decode)
{
	const struct loom_code_header *header = decode->header;
	struct loom_plan *plan = loom_port_alloc(1, sizeof(*plan));

	if (!plan)
		return -ENOMEM;
	decode->plan = plan;
	plan->lanes = header->lanes;
	plan->overlap = decode->chip->flags & DRM_LOOM_CHIP_OVERLAP;
	plan->scratch_bytes = header->scratch_bytes;
	plan->slot_count = header->slots;
	plan->step_count = header->steps;
	plan->command_count = header->commands;
	plan->view_count = header->views;
	plan->tensor_count = header->tensors;
	plan->attr_bytes = header->attr_bytes;
	plan->slots = loom_port_alloc(plan->slot_count, sizeof(*plan->slots));
	plan->steps = loom_port_alloc(plan->step_count, sizeof(*plan->steps));
	plan->commands = loom_port_alloc(plan->command_count, sizeof(*plan->commands));
	plan->views = loom_port_alloc(plan->view_count, sizeof(*plan->views));
	plan->attrs = loom_port_alloc(plan->attr_bytes, 1);
	plan->scratch_ends = loom_port_alloc(plan->lanes, sizeof(*plan->scratch_ends));
	return plan->slots && plan->steps && plan->commands && plan->views && plan->attrs &&
	       plan->scratch_ends ? 0 : -ENOMEM;
}

static int __must_check loom_decode_ends(struct loom_plan *plan, const struct loom_code_end *ends)
{
	u32 i;

	for (i = 0; i < plan->lanes; i++) {
		if (ends[i].bytes > (i ? ends[i - 1].bytes : plan->scratch_bytes))
			return -EBADMSG;
		plan->scratch_ends[i] = ends[i].bytes;
	}
	return 0;
}

static u32 loom_decode_slot_region(const struct loom_slot *slot)
{
	if (slot->flags & DRM_LOOM_SLOT_SRAM)
		return DRM_LOOM_REGION_SRAM;
	return slot->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
}

static int __must_check loom_decode_slots(struct loom_decode *decode,
					  const struct loom_code_slot *slots)
{
	const u32 flags = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SRAM |
			  DRM_LOOM_SLOT_SPREAD | DRM_LOOM_SLOT_ROM | DRM_LOOM_SLOT_PER_BANK;
	u32 i;

	for (i = 0; i < decode->plan->slot_count; i++) {
		struct loom_slot *slot = &decode->plan->slots[i];

		if (!slots[i].size || slots[i].flags & ~flags || slots[i].pad ||
		    (slots[i].flags & DRM_LOOM_SLOT_ROM &&
		     slots[i].flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_WRITE)))
			return -EBADMSG;
		*slot = (struct loom_slot) {
			.size = slots[i].size,
			.flags = slots[i].flags,
			.dtype = slots[i].dtype,
			.width = slots[i].width,
			.height = slots[i].height,
			.pitch_bytes = slots[i].pitch_bytes,
		};
		if (!decode->chip->region[loom_decode_slot_region(slot)].banks)
			return -EBADMSG;
	}
	return 0;
}

static int __must_check loom_decode_steps(struct loom_plan *plan,
					  const struct loom_code_step *steps)
{
	u32 i, end = 0;

	for (i = 0; i < plan->step_count; i++) {
		struct loom_step *step = &plan->steps[i];

		step->first_command = end;
		step->dma_commands = steps[i].dma_commands;
		if (check_add_overflow(steps[i].dma_commands, steps[i].compute_commands,
				       &step->commands) ||
		    check_add_overflow(end, step->commands, &end) || end > plan->command_count)
			return -EBADMSG;
	}
	return end == plan->command_count ? 0 : -EBADMSG;
}

static bool loom_decode_in_slot(const struct loom_view *view)
{
	return view->region != DRM_LOOM_REGION_SRAM || view->bound;
}

/* The slot or the scratch with a view, and its size. */
static bool loom_decode_space(const struct loom_plan *plan, const struct loom_view *view,
			      u64 *bytes)
{
	const struct loom_slot *slot;

	*bytes = plan->scratch_bytes;
	if (!loom_decode_in_slot(view))
		return !view->slot && !view->image;
	if (view->slot >= plan->slot_count)
		return false;
	slot = &plan->slots[view->slot];
	*bytes = slot->size;
	/* only in images may commands compute outside of the SRAM, and types are those of pixels */
	return loom_decode_slot_region(slot) == view->region &&
	       view->image == !!slot->dtype && (!view->image || slot->dtype == view->dtype);
}

/* Axes of one element but the lane axis have no stride, as in the verifier. */
static bool loom_decode_axes_ok(const struct loom_view *view)
{
	bool sram = view->region == DRM_LOOM_REGION_SRAM;
	u32 i, end;

	if (!view->rank || view->rank > DRM_LOOM_MAX_RANK ||
	    view->offset & (view->elem_bytes - 1))
		return false;
	if (!sram && (view->lane_axis || view->lane_start || view->bound))
		return false;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		bool lane = sram && i == view->lane_axis;

		if (!view->dims[i] || (i >= view->rank && view->dims[i] != 1) ||
		    (view->dims[i] == 1 && !lane && view->strides[i]) ||
		    (u64)view->strides[i] & (view->elem_bytes - 1))
			return false;
	}
	return !sram || (view->lane_axis < view->rank && view->strides[view->lane_axis] >= 0 &&
			 !check_add_overflow(view->lane_start, view->dims[view->lane_axis], &end));
}

/* How many bytes an axis goes on, and from where: only the lane axis begins elsewhere. */
static bool loom_decode_axis(const struct loom_view *view, u32 axis, u32 lanes, u64 *first,
			     u64 *span)
{
	u64 stride = view->strides[axis];
	u64 count = view->dims[axis] - 1;

	*first = 0;
	if (view->strides[axis] < 0)
		stride = 0 - stride;
	if (view->region == DRM_LOOM_REGION_SRAM && axis == view->lane_axis) {
		u32 row = view->lane_start / lanes;

		count = (view->lane_start + view->dims[axis] - 1) / lanes - row;
		if (check_mul_overflow((u64)row, stride, first))
			return false;
	}
	return !check_mul_overflow(count, stride, span);
}

static bool loom_decode_bounds_ok(struct loom_view *view, u32 lanes, u64 bytes)
{
	u64 first = view->offset, below = 0, above = view->elem_bytes, from, span;
	u32 i;

	for (i = 0; i < view->rank; i++) {
		if (!loom_decode_axis(view, i, lanes, &from, &span) ||
		    check_add_overflow(first, from, &first) ||
		    (view->strides[i] < 0 ? check_add_overflow(below, span, &below) :
					    check_add_overflow(above, span, &above)))
			return false;
	}
	if (first < below || check_add_overflow(first, above, &view->end) || view->end > bytes)
		return false;
	view->start = first - below;
	return true;
}

static int __must_check loom_decode_view(struct loom_decode *decode, u32 index)
{
	const struct loom_code_view *raw = &decode->views[index];
	struct loom_view *view = &decode->plan->views[index];
	u64 bytes;
	u32 i;

	*view = (struct loom_view) {
		.region = raw->region,
		.slot = raw->slot,
		.tensor = raw->tensor,
		.dtype = raw->dtype,
		.elem_bytes = loom_dtype_stride(raw->dtype),
		.rank = raw->rank,
		.lane_axis = raw->lane_axis,
		.image = raw->flags & LOOM_CODE_VIEW_IMAGE,
		.bound = raw->flags & LOOM_CODE_VIEW_BOUND,
		.lane_start = raw->lane_start,
		.offset = raw->offset,
	};
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		view->dims[i] = raw->dims[i];
		view->strides[i] = raw->strides[i];
	}
	if (raw->flags & ~(LOOM_CODE_VIEW_IMAGE | LOOM_CODE_VIEW_BOUND) || raw->pad ||
	    raw->region >= DRM_LOOM_REGION_COUNT || raw->tensor >= decode->plan->tensor_count ||
	    !view->elem_bytes || !(decode->chip->dtypes >> raw->dtype & 1) ||
	    !loom_decode_axes_ok(view) || !loom_decode_space(decode->plan, view, &bytes) ||
	    !loom_decode_bounds_ok(view, decode->plan->lanes, bytes))
		return -EBADMSG;
	return 0;
}

static int __must_check loom_decode_command(struct loom_decode *decode, u32 index, bool compute)
{
	const struct loom_code_command *raw = &decode->commands[index];
	struct loom_command *command = &decode->plan->commands[index];
	const struct loom_op *op = loom_op_get(raw->opcode);
	struct loom_clock_cost cost;
	u64 end;
	u32 i;

	if (!op || op == &loom_op_native || !(decode->chip->opcodes >> op->opcode & 1) ||
	    raw->pad ||
	    op->stream != (compute ? LOOM_STREAM_COMPUTE : LOOM_STREAM_DMA) ||
	    raw->operands < op->min_operands || raw->operands > op->max_operands ||
	    raw->first_view > decode->plan->view_count ||
	    raw->operands > decode->plan->view_count - raw->first_view)
		return -EBADMSG;
	end = (u64)raw->attr_offset + op->attr_size;
	if (raw->attr_offset & 7 || end > decode->plan->attr_bytes ||
	    (!op->attr_size && raw->attr_offset))
		return -EBADMSG;
	command->op = op;
	command->attr = op->attr_size ? (u8 *)decode->plan->attrs + raw->attr_offset : NULL;
	command->views = &decode->plan->views[raw->first_view];
	command->operands = raw->operands;
	command->outputs = 1;
	command->reads = 1;
	command->written = 1;
	for (i = 0; i < raw->operands; i++) {
		int ret = loom_decode_view(decode, raw->first_view + i);

		if (ret)
			return ret;
	}
	decode->check.command = command;
	if (!op->check(&decode->check))
		return -EBADMSG;
	if (loom_decode_in_slot(&command->views[0]) &&
	    !(decode->plan->slots[command->views[0].slot].flags & DRM_LOOM_SLOT_WRITE))
		return -EBADMSG;
	loom_clock_command(decode->chip, command, &cost);
	command->cycles = cost.cycles;
	command->energy_fj = cost.energy_fj;
	return 0;
}

static int __must_check loom_decode_commands(struct loom_decode *decode)
{
	const struct loom_plan *plan = decode->plan;
	u32 step, i;
	int ret;

	decode->check.opcodes = decode->chip->opcodes;
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (decode->chip->region[i].flags & DRM_LOOM_CHIP_IN_PLACE)
			decode->check.in_place |= 1U << i;
	for (step = 0; step < plan->step_count; step++) {
		for (i = 0; i < plan->steps[step].commands; i++) {
			u32 index = plan->steps[step].first_command + i;

			if (index % LOOM_CODE_PIECE == LOOM_CODE_PIECE - 1 && !loom_port_relax())
				return -EINTR;
			ret = loom_decode_command(decode, index,
						  i >= plan->steps[step].dma_commands);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int __must_check loom_decode_all(struct loom_decode *decode, const u8 *bytes,
					const struct loom_code_tables *tables)
{
	int ret = loom_decode_alloc(decode);

	if (ret)
		return ret;
	decode->commands = (const void *)(bytes + tables->commands);
	decode->views = (const void *)(bytes + tables->views);
	memcpy(decode->plan->attrs, bytes + tables->attrs, decode->plan->attr_bytes);
	ret = loom_decode_ends(decode->plan, (const void *)(bytes + tables->ends));
	if (ret)
		return ret;
	ret = loom_decode_slots(decode, (const void *)(bytes + tables->slots));
	if (ret)
		return ret;
	ret = loom_decode_steps(decode->plan, (const void *)(bytes + tables->steps));
	if (ret)
		return ret;
	return loom_decode_commands(decode);
}

int loom_code_decode(const void *bytes, u64 size, const struct drm_loom_chip *chip,
		     struct loom_plan **plan)
{
	struct loom_decode decode = { .chip = chip, .header = bytes };
	struct loom_code_tables tables;
	int ret;

	*plan = NULL;
	if (!LOOM_CODE_LITTLE_ENDIAN)
		return -EOPNOTSUPP;
	if (!loom_decode_header_ok(bytes, size, chip, &tables))
		return -EBADMSG;
	ret = loom_decode_all(&decode, bytes, &tables);
	if (ret) {
		loom_plan_destroy(decode.plan);
		return ret;
	}
	*plan = decode.plan;
	return 0;
}
