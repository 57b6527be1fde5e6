/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_VERIFY_STATE_H
#define LOOM_VERIFY_STATE_H

#include "coverage.h"
#include "loom_op.h"
#include "loom_verify.h"

/* Address spaces: the slots, and behind them the scratch. */
#define LOOM_SPACE_SCRATCH	DRM_LOOM_MAX_SLOTS
#define LOOM_SPACE_COUNT	(DRM_LOOM_MAX_SLOTS + 1)

/**
 * struct loom_tensor_state - what the verifier computes about a tensor
 * @extent: bytes from its first element to behind its last (per bank)
 * @coverage: its written elements. An alias has its own only for writes that have no footprint
 *	in its parent
 * @dense: every byte in @extent, in each bank, is of an element
 * @touched: something was written through it or through an alias of it
 */
struct loom_tensor_state {
	u64 extent;
	struct loom_coverage coverage;
	bool dense;
	bool touched;
};

/**
 * struct loom_access - bytes that an operand of a command of a step touches
 * @start: first byte, in its space; the operand knows the last
 * @command: index of the command
 * @operand: number of the operand
 * @space: slot, or LOOM_SPACE_SCRATCH
 * @compute: by the compute stream
 * @write: it is written
 */
struct loom_access {
	u64 start;
	u32 command;
	u8 operand;
	u8 space;
	bool compute;
	bool write;
};

/**
 * struct loom_verify - the verification of a plan
 *
 * The tables point into the driver's copy of the client's plan, which does not change, so it is
 * read in place. A value must not be used before its rule was checked.
 *
 * @chip: of the device
 * @native: native commands of the device, or NULL
 * @format: format of the payloads, NULL in a plan without native commands
 * @native_views: first view behind those of native commands so far
 * @native_attrs: first attribute byte behind theirs
 * @in_place: bit mask of the regions that compute commands may read in, besides the SRAM
 * @header: the plan's first bytes
 * @slots: table of slots
 * @tensors: table of tensors
 * @steps: table of steps
 * @commands: table of commands
 * @views: table of views
 * @attrs: bytes of attributes
 * @images: by slot: its record in the table of images, or NULL
 * @states: by tensor
 * @sweep: of the overlap rule, while the tensors are checked; else NULL
 * @work: work so far
 * @pool: memory and budget of the coverages
 * @footprints: of the two views that are compared
 * @accesses: of the step, for the hazard rule
 * @access_count: number of @accesses
 * @access_room: number of accesses that fit
 * @step: index of the step under proof
 * @command: index of the command under proof
 * @in_command: @step and @command are valid
 * @plan: the decoded plan, as far as it is filled
 * @reject: why it is refused
 */
struct loom_verify {
	const struct drm_loom_chip *chip;
	const struct loom_native *native;
	const struct drm_loom_format *format;
	u32 native_views;
	u64 native_attrs;
	u32 in_place;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_slot *slots;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	const u8 *attrs;
	const struct drm_loom_plan_image *images[DRM_LOOM_MAX_SLOTS];
	struct loom_tensor_state *states;
	struct loom_sweep *sweep;
	struct loom_work work;
	struct loom_coverage_pool pool;
	struct loom_footprint footprints[2];
	struct loom_access *accesses;
	u32 access_count;
	u32 access_room;
	u32 step;
	u32 command;
	bool in_command;
	struct loom_plan *plan;
	struct drm_loom_reject *reject;
};

/* Count work, and reschedule at times. -EINTR if the caller must give up. */
static inline int __must_check loom_verify_work(struct loom_verify *verify, u64 units)
{
	return loom_work_do(&verify->work, units) ? 0 : -EINTR;
}

/* Whether a tensor is in the binding of a slot. All others are in the scratch. */
static inline bool loom_tensor_in_slot(const struct drm_loom_plan_tensor *tensor)
{
	return tensor->region != DRM_LOOM_REGION_SRAM || tensor->flags & DRM_LOOM_TENSOR_SLOT;
}

static inline u32 loom_tensor_space(const struct drm_loom_plan_tensor *tensor)
{
	return loom_tensor_in_slot(tensor) ? tensor->slot : LOOM_SPACE_SCRATCH;
}

/* The slot that the tensor lies in, which must be valid. */
static inline const struct drm_loom_plan_slot *
loom_tensor_slot(const struct loom_verify *verify, const struct drm_loom_plan_tensor *tensor)
{
	return &verify->slots[loom_index_nospec(tensor->slot, verify->header->slots.count)];
}

/* The region that a slot is for. */
static inline u32 loom_slot_region(const struct drm_loom_plan_slot *slot)
{
	if (slot->flags & DRM_LOOM_SLOT_SRAM)
		return DRM_LOOM_REGION_SRAM;
	return slot->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
}

/* The image that this slot is, or NULL. */
static inline const struct drm_loom_plan_image *
loom_tensor_image(const struct loom_verify *verify, const struct drm_loom_plan_tensor *tensor)
{
	if (tensor->region != DRM_LOOM_REGION_DRAM)
		return NULL;
	return verify->images[loom_index_nospec(tensor->slot, verify->header->slots.count)];
}

static inline bool loom_view_in_slot(const struct loom_view *view)
{
	return view->region != DRM_LOOM_REGION_SRAM || view->bound;
}

static inline u32 loom_view_space(const struct loom_view *view)
{
	return loom_view_in_slot(view) ? view->slot : LOOM_SPACE_SCRATCH;
}

/* plan.c: loom_plan_create() with counters for tests */
int __must_check loom_plan_create_counted(const void *blob, u64 size,
					  const struct drm_loom_chip *chip,
					  const struct loom_native *native, struct loom_plan **plan,
					  struct drm_loom_reject *reject, struct loom_work *work);

/* reject.c: refusals, of the command under proof, if there is one. All return -EBADMSG. */
int loom_reject(struct loom_verify *verify, u32 rule);
int loom_reject_slot(struct loom_verify *verify, u32 rule, u32 slot);
int loom_reject_step(struct loom_verify *verify, u32 rule, u32 step);
int loom_reject_tensor(struct loom_verify *verify, u32 rule, u32 tensor);
/* Names the tensor, the other one that it overlaps, and the bytes at fault. */
int loom_reject_overlap(struct loom_verify *verify, u32 rule, u32 tensor, u32 other, u64 start,
			u64 end);
int loom_reject_operand(struct loom_verify *verify, u32 rule, u32 operand);
/* The caller must have validated the operand and its tensor, so the bytes are reported, too. */
int loom_reject_view(struct loom_verify *verify, u32 rule, u32 operand,
		     const struct loom_view *view);
/* tensor.c: rules about one tensor */
int __must_check loom_verify_tensors(struct loom_verify *verify);
/* overlap.c: rule about all tensors. It begins before the first of them is added. */
int __must_check loom_overlap_begin(struct loom_verify *verify);
/* The rules about the tensor were checked. */
void loom_overlap_add(struct loom_verify *verify, u32 index);
int __must_check loom_overlap_end(struct loom_verify *verify);
void loom_overlap_free(struct loom_verify *verify);
u64 loom_verify_overlap_bytes(u32 tensors, u32 steps);
/* step.c: rules about steps, and all below them */
int __must_check loom_verify_steps(struct loom_verify *verify);
/* command.c: decodes a command and checks it against its operation */
int __must_check loom_verify_command(struct loom_verify *verify, bool compute);
/* native.c: of native plans and commands */
int __must_check loom_native_check_format(struct loom_verify *verify);
/* Views and attributes are in their tables. */
int __must_check loom_native_decode(struct loom_verify *verify);
int __must_check loom_native_check_payload(struct loom_verify *verify);
/* view.c: decodes an operand of the command under proof */
int __must_check loom_verify_view(struct loom_verify *verify, u32 operand, u32 index);
bool loom_verify_distinct(const struct loom_view *view, u32 lanes);
/* data.c: reads and writes of a command */
int __must_check loom_verify_data(struct loom_verify *verify);
/* hazard.c: conflicts between the streams of a step */
int __must_check loom_hazard_begin(struct loom_verify *verify,
				   const struct drm_loom_plan_step *step);
void loom_hazard_add(struct loom_verify *verify, bool compute);
int __must_check loom_hazard_end(struct loom_verify *verify);

#ifdef CONFIG_DRM_ACCEL_LOOM_LAYOUTS
/* image.c: the table of images, and what lies in them */
int __must_check loom_verify_images(struct loom_verify *verify);
bool loom_tensor_image_ok(const struct loom_verify *verify,
			  const struct drm_loom_plan_tensor *tensor);
bool loom_view_image_ok(const struct loom_verify *verify, const struct drm_loom_plan_view *raw,
			const struct drm_loom_plan_tensor *tensor);
#else
/* no slot is an image */
static inline int __must_check loom_verify_images(struct loom_verify *verify)
{
	return verify->header->images.count ? loom_reject(verify, DRM_LOOM_RULE_IMAGE) : 0;
}

static inline bool loom_tensor_image_ok(const struct loom_verify *verify,
					const struct drm_loom_plan_tensor *tensor)
{
	return true;
}

static inline bool loom_view_image_ok(const struct loom_verify *verify,
				      const struct drm_loom_plan_view *raw,
				      const struct drm_loom_plan_tensor *tensor)
{
	return true;
}
#endif

#endif /* LOOM_VERIFY_STATE_H */
