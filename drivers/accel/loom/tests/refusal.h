/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_REFUSAL_H
#define LOOM_TESTS_REFUSAL_H

/*
 * Tables of the checks of operations: valid commands (forms), and rows that change one property of
 * a form, with the expected result of the verifier. A row that changes a type or a place stands for
 * all types in its mask, so that each type of each operand is covered. The rules were written
 * independently, from the documentation of the UAPI and not from the checks.
 */
#include "plan_builder.h"

/* Where an operand lies. */
enum refusal_place {
	IN_SRAM,
	IN_DRAM,
	IN_ROM,
	IN_IMAGE,
	PLACE_COUNT,
};

enum refusal_what {
	NOTHING,
	/* the type of an operand, or of all: each in the mask */
	TYPES,
	TYPES_ALL,
	/* an operand's place: each in the mask */
	PLACES,
	/* the number of its axes, one more and one less */
	RANK,
	/* one dim */
	DIM,
	/* one dim, of a tensor that has one element there, by a stride of zero */
	WIDE,
	/* a word of the attributes: each value of a range */
	WORD,
};

/**
 * struct refusal_change - a change of a form
 * @what: its kind
 * @at: which operand, or which word
 * @axis: for dims
 * @value: mask, or dim, or the first value
 * @last: of the values
 */
struct refusal_change {
	u8 what;
	u8 at;
	u8 axis;
	u32 value;
	u32 last;
};

#define REFUSAL_CHANGES	6
#define REFUSAL_WORDS	32
#define NOBODY		(-1)

/**
 * struct refusal_row - what happens to a form that was changed
 * @form: its number in the table of the opcode
 * @rule: that is broken, or DRM_LOOM_RULE_NONE
 * @operand: at fault, or NOBODY
 * @cost: of a unit then, if that is of interest
 * @changes: all of them
 */
struct refusal_row {
	u32 form;
	u32 rule;
	int operand;
	u64 cost;
	struct refusal_change changes[REFUSAL_CHANGES];
};

/**
 * struct refusal_operand - an operand of a form
 * @dtype: its type
 * @place: where it lies
 * @shape: its dims
 */
struct refusal_operand {
	u8 dtype;
	u8 place;
	struct pb_shape shape;
};

/**
 * struct refusal_form - a command that is valid
 * @operands: number of @operand
 * @images: how many of the first may be images; for operations that compute
 * @anywhere: an operand that may be in any region; 0 for none
 * @optional: fewer or more operands may be fine, too: rows say so
 * @lane_axis: of operands with more than one axis
 * @units: that it has
 * @cost: of each
 * @macs: in all
 * @operand: y first
 * @words: attributes
 */
struct refusal_form {
	u8 operands;
	u8 images;
	u8 anywhere;
	bool optional;
	u8 lane_axis;
	u64 units;
	u64 cost;
	u64 macs;
	struct refusal_operand operand[DRM_LOOM_MAX_OPERANDS];
	u32 words[REFUSAL_WORDS];
};

/* Dims of an operand, its type, where it lies. */
#define REFUSAL_RANK(...)	(sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32))
#define AT(_place, _type, ...) {						\
	.dtype = DRM_LOOM_DTYPE_##_type, .place = (_place),			\
	.shape = { .rank = REFUSAL_RANK(__VA_ARGS__), .dims = { __VA_ARGS__ } } }
#define IN(_type, ...)		AT(IN_SRAM, _type, __VA_ARGS__)

#define BIT_OF(_type)		(1U << DRM_LOOM_DTYPE_##_type)
#define FLOATS			(BIT_OF(F32) | BIT_OF(F16) | BIT_OF(F64))
#define BYTES			(BIT_OF(I8) | BIT_OF(U8))
#define SIGNEDS			(BIT_OF(I8) | BIT_OF(I16) | BIT_OF(I32) | BIT_OF(I64))
#define UNSIGNEDS		(BIT_OF(U8) | BIT_OF(U16) | BIT_OF(U32) | BIT_OF(U64))
#define INTEGERS		(SIGNEDS | UNSIGNEDS)
#define NUMBERS			(FLOATS | INTEGERS)
#define EVERY			(NUMBERS | BIT_OF(BOOL))
#define BUT(_types)		(EVERY & ~(_types))

/* Changes. */
#define T(_operand, _mask)	{ .what = TYPES, .at = (_operand), .value = (_mask) }
#define T_ALL(_mask)		{ .what = TYPES_ALL, .value = (_mask) }
#define P(_operand, _mask)	{ .what = PLACES, .at = (_operand), .value = (_mask) }
#define R(_operand)		{ .what = RANK, .at = (_operand) }
#define D(_operand, _axis, _dim) \
	{ .what = DIM, .at = (_operand), .axis = (_axis), .value = (_dim) }
#define W(_operand, _axis, _dim) \
	{ .what = WIDE, .at = (_operand), .axis = (_axis), .value = (_dim) }
#define A(_word, _value)	{ .what = WORD, .at = (_word), .value = (_value), .last = (_value) }
#define A_TO(_word, _first, _last) \
	{ .what = WORD, .at = (_word), .value = (_first), .last = (_last) }

/* Rows: fine, at that cost, and refused for the type, shape or place of an operand, or other. */
#define OK(_form, ...)		{ (_form), DRM_LOOM_RULE_NONE, NOBODY, 0, { __VA_ARGS__ } }
#define COSTS(_form, _cost, ...) { (_form), DRM_LOOM_RULE_NONE, NOBODY, (_cost), { __VA_ARGS__ } }
#define NO(_form, _rule, ...)	{ (_form), DRM_LOOM_RULE_##_rule, NOBODY, 0, { __VA_ARGS__ } }
#define BAD(_form, _rule, _operand, ...) \
	{ (_form), DRM_LOOM_RULE_VIEW_##_rule, (_operand), 0, { __VA_ARGS__ } }
#define ATTR(_form, ...)	NO(_form, ATTR, __VA_ARGS__)

/* A word that has to be from _low to _high, as signed numbers. */
#define BETWEEN(_form, _word, _low, _high)						\
	OK(_form, A(_word, _low)), OK(_form, A(_word, _high)),				\
	ATTR(_form, A(_word, (u32)(_low) - 1)), ATTR(_form, A(_word, (u32)(_high) + 1))
#define BETWEEN_3(_form, _word, _low, _high)						\
	BETWEEN(_form, (_word), _low, _high), BETWEEN(_form, (_word) + 1, _low, _high),	\
	BETWEEN(_form, (_word) + 2, _low, _high)
/* The first, and each further away from it than the last, is refused. */
#define UP_TO(_form, _word, _last)							\
	OK(_form, A_TO(_word, 0, _last)), ATTR(_form, A(_word, (_last) + 1)),		\
	ATTR(_form, A(_word, 0x80000000)), ATTR(_form, A(_word, ~0U))
#define ANYTHING(_form, _word)								\
	OK(_form, A(_word, ~0U)), OK(_form, A(_word, 0x80000000))
#define ANYTHING_3(_form, _word)							\
	ANYTHING(_form, (_word)), ANYTHING(_form, (_word) + 1), ANYTHING(_form, (_word) + 2)
#define ZERO(_form, _word)								\
	ATTR(_form, A(_word, 1)), ATTR(_form, A(_word, 0x80000000)), ATTR(_form, A(_word, ~0U))

/* One command as it is tried. */
struct refusal_try {
	struct refusal_form form;
	u32 opcode;
	u32 attr_bytes;
	/* operands that are further down than their tensors have it, see WIDE */
	u32 wide[DRM_LOOM_MAX_OPERANDS][DRM_LOOM_MAX_RANK];
};

#define REFUSAL_LANES		4
#define REFUSAL_SRAM_BYTES	(1ULL << 62)
#define REFUSAL_ALIGN_BYTES	64

/* Whatever is asked for fits; figures of a clock that is never looked at are those of a preset. */
static inline void refusal_chip(struct drm_loom_chip *chip, bool in_place)
{
	struct drm_loom_chip_region *region = chip->region;

	*chip = *loom_preset_find("tiny");
	region[DRM_LOOM_REGION_SRAM].banks = REFUSAL_LANES;
	region[DRM_LOOM_REGION_SRAM].bank_bytes = REFUSAL_SRAM_BYTES;
	region[DRM_LOOM_REGION_SRAM].reserved_bytes = 0;
	region[DRM_LOOM_REGION_DRAM].align_bytes = REFUSAL_ALIGN_BYTES;
	region[DRM_LOOM_REGION_ROM] = region[DRM_LOOM_REGION_DRAM];
	if (in_place) {
		region[DRM_LOOM_REGION_DRAM].flags |= DRM_LOOM_CHIP_IN_PLACE;
		region[DRM_LOOM_REGION_ROM].flags |= DRM_LOOM_CHIP_IN_PLACE;
	}
}

/* Rows of the last axis at a pitch, the others over them. */
static inline void refusal_add_image(struct plan_builder *pb, u32 slot,
				     struct drm_loom_plan_tensor *tensor)
{
	u32 last = tensor->rank - 1, width = tensor->dims[last], height = 1, i, pitch;

	pitch = loom_dtype_row_bytes(tensor->dtype, width) + REFUSAL_ALIGN_BYTES - 1;
	pitch -= pitch % REFUSAL_ALIGN_BYTES;
	for (i = last; i-- > 0;) {
		tensor->strides[i] = (u64)height * pitch;
		height *= tensor->dims[i];
	}
	tensor->size = (u64)(height - 1) * pitch + loom_dtype_row_bytes(tensor->dtype, width);
	pb_add_image(pb, slot, tensor->dtype, width, height, pitch);
}

/* A slot and a tensor of its own for an operand. */
static inline struct drm_loom_plan_view refusal_operand(struct plan_builder *pb,
							const struct refusal_try *try, u32 number)
{
	static const u32 flags[PLACE_COUNT] = {
		[IN_SRAM] = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SRAM,
		[IN_DRAM] = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE,
		[IN_ROM] = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_ROM,
		[IN_IMAGE] = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE,
	};
	const struct refusal_operand *operand = &try->form.operand[number];
	struct drm_loom_plan_tensor *tensor;
	u32 slot, i;
	struct drm_loom_plan_view view;

	slot = pb_add_slot(pb, 1, flags[operand->place]);
	pb_add_dram(pb, slot, 0, 1, 1, operand->dtype, operand->shape);
	tensor = pb_tensor(pb, number);
	if (operand->place == IN_SRAM) {
		tensor->region = DRM_LOOM_REGION_SRAM;
		tensor->flags = DRM_LOOM_TENSOR_SLOT;
		tensor->lane_axis = min((u32)try->form.lane_axis, operand->shape.rank - 1);
		pb_pack(pb, tensor);
	} else if (operand->place == IN_ROM) {
		tensor->region = DRM_LOOM_REGION_ROM;
	} else if (operand->place == IN_IMAGE) {
		refusal_add_image(pb, slot, tensor);
	}
	if (operand->place != IN_IMAGE)
		pb_slot(pb, slot)->size = tensor->size;
	view = pb_all(pb, number);
	for (i = 0; i < view.rank; i++) {
		if (try->wide[number][i]) {
			view.dims[i] = try->wide[number][i];
			view.strides[i] = 0;
		}
	}
	return view;
}

/* The command is number 1 in step 1, so that a record which says nothing, says something wrong. */
static inline void refusal_build(const struct refusal_try *try, struct plan_builder *pb)
{
	struct drm_loom_attr_fill fill = {};
	/* the kernel's stack has no room for two of these */
	struct pb_views *views = pb_alloc(sizeof(*views));
	u32 i, first;

	pb_init(pb, REFUSAL_LANES, 0);
	views->count = try->form.operands;
	for (i = 0; i < views->count; i++)
		views->view[i] = refusal_operand(pb, try, i);
	first = pb_add_slot(pb, 4, DRM_LOOM_SLOT_WRITE);
	first = pb_add_dram(pb, first, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(1));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, first)));
	pb_begin_step(pb);
	pb_add_views(pb, try->opcode, try->form.words, try->attr_bytes, views);
	pb_free(views);
}

/* Return: result of the verifier; 1 if an accepted plan does not survive the encoding. */
static inline int refusal_verify(const struct refusal_try *try, bool in_place,
				 struct loom_command *accepted, struct drm_loom_reject *reject)
{
	struct drm_loom_chip *chip = pb_alloc(sizeof(*chip));
	struct plan_builder pb;
	struct loom_plan *plan;
	int ret;

	refusal_chip(chip, in_place);
	refusal_build(try, &pb);
	ret = pb_verify(&pb, chip, &plan, reject);
	if (plan)
		*accepted = plan->commands[1];
	loom_plan_destroy(plan);
	pb_fini(&pb);
	pb_free(chip);
	return ret;
}

/* Whether a record names the command, the operand and all of its bytes. */
static inline bool refusal_record_fits(const struct refusal_try *try, int operand,
				       const struct drm_loom_reject *reject)
{
	u32 valid = DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_COMMAND;

	if (reject->step != 1 || reject->command != 1)
		return false;
	if (operand == NOBODY)
		return reject->valid == valid;
	valid |= DRM_LOOM_REJECT_OPERAND | DRM_LOOM_REJECT_TENSOR | DRM_LOOM_REJECT_RANGE |
		 DRM_LOOM_REJECT_SLOT;
	return reject->valid == valid && reject->operand == (u32)operand &&
	       reject->tensor == (u32)operand && reject->slot == (u32)operand &&
	       !reject->start && reject->end &&
	       reject->region == (try->form.operand[operand].place == IN_SRAM ?
				  DRM_LOOM_REGION_SRAM :
				  try->form.operand[operand].place == IN_ROM ?
				  DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM);
}

/* One axis more, of one element, or one less: the first. False if there is none. */
static inline bool refusal_change_rank(struct pb_shape *shape, bool more)
{
	u32 i;

	if (more) {
		for (i = shape->rank++; i > 0; i--)
			shape->dims[i] = shape->dims[i - 1];
		shape->dims[0] = 1;
		return true;
	}
	if (shape->rank == 1)
		return false;
	shape->rank--;
	for (i = 0; i < shape->rank; i++)
		shape->dims[i] = shape->dims[i + 1];
	shape->dims[i] = 0;
	return true;
}

/* Makes one of the changes; @bit and @value say which of its variants. False if there is none. */
static inline bool refusal_apply(struct refusal_try *try, const struct refusal_change *change,
				 u32 bit, u32 value)
{
	struct refusal_operand *operand;
	u32 i;

	if (change->what == WORD) {
		try->form.words[change->at] = value;
		return true;
	}
	operand = &try->form.operand[change->at];
	switch (change->what) {
	case TYPES:
		operand->dtype = bit;
		break;
	case TYPES_ALL:
		for (i = 0; i < try->form.operands; i++)
			try->form.operand[i].dtype = bit;
		break;
	case PLACES:
		operand->place = bit;
		break;
	case RANK:
		return refusal_change_rank(&operand->shape, bit);
	case DIM:
		operand->shape.dims[change->axis] = change->value;
		break;
	case WIDE:
		operand->shape.dims[change->axis] = 1;
		try->wide[change->at][change->axis] = change->value;
		break;
	}
	return true;
}

#endif /* LOOM_TESTS_REFUSAL_H */
