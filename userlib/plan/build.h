/* SPDX-License-Identifier: MIT */
/*
 * DOC: Building a plan's bytes
 *
 * Commands may be added in any order of steps, and tensors get their address when it is known; the
 * tables are sorted once, at the end. Within a step and a stream, commands keep the order in which
 * they were added.
 *
 * Bytes and operations of a command are counted when it is added, from the same views that the
 * engine gets: so the promise of a plan equals the device's counters.
 */
#ifndef LOOM_PLAN_BUILD_H
#define LOOM_PLAN_BUILD_H

#include "loom_core.h"
#include "loom_program.h"

/**
 * struct loom_build_command - a command, before commands are sorted
 * @step: step it belongs to
 * @stream: 0 DMA, 1 compute
 * @opcode: one of DRM_LOOM_OP_*
 * @operands: number of views
 * @first_view: first of them
 * @attr_offset: offset of its attributes
 * @attr_bytes: size of its attributes
 * @node: the node it belongs to, or LOOM_NODE_NONE
 */
struct loom_build_command {
	u32 step;
	u16 opcode;
	u8 stream;
	u8 operands;
	size_t first_view;
	size_t attr_offset;
	u32 attr_bytes;
	u32 node;
};

/**
 * struct loom_build - tables of a plan under construction
 * @status: 0 or the first error; all calls are no-ops after one
 * @lanes: SRAM banks
 * @slots: slot table
 * @tensors: tensor table. Lifetimes grow with the commands that touch a tensor
 * @commands: commands in the order added, with the step and stream of each
 * @views: operands of the commands as they came
 * @attrs: attributes of the commands as they came
 * @images: slots that are images
 * @labels: by tensor: its label, for people
 * @node: number of the node of commands added from now on, or LOOM_NODE_NONE
 * @command_nodes: result of loom_build_finish(): by command of the plan, its node
 * @num_slots: number of @slots
 * @num_tensors: number of @tensors
 * @num_commands: number of @commands
 * @num_views: number of @views
 * @num_images: number of @images
 * @attr_bytes: bytes of @attrs
 * @cap_slots: capacity of @slots
 * @cap_tensors: capacity of @tensors
 * @cap_commands: capacity of @commands
 * @cap_views: capacity of @views
 * @cap_attrs: capacity of @attrs
 * @cap_images: capacity of @images
 * @cap_labels: capacity of @labels
 * @num_steps: one past the last step that has a command
 * @format: of the payloads of native commands; its id is 0 in a plan without any
 * @counters: the engine's counters after a run: bytes, macs
 */
struct loom_build {
	int status;
	u32 lanes;
	struct drm_loom_plan_slot *slots;
	struct drm_loom_plan_tensor *tensors;
	struct loom_build_command *commands;
	struct drm_loom_plan_view *views;
	u8 *attrs;
	struct drm_loom_plan_image *images;
	struct loom_program_label *labels;
	u32 node;
	u32 *command_nodes;
	size_t num_slots;
	size_t num_tensors;
	size_t num_commands;
	size_t num_views;
	size_t num_images;
	size_t attr_bytes;
	size_t cap_slots;
	size_t cap_tensors;
	size_t cap_commands;
	size_t cap_views;
	size_t cap_attrs;
	size_t cap_images;
	size_t cap_labels;
	u32 num_steps;
	struct drm_loom_format format;
	struct drm_loom_counters counters;
};

/** alignment of weights in their slots, for pages: transfers take the same cycles anywhere */
#define LOOM_PLAN_WEIGHT_ALIGN	4096

/** loom_build_init() - an empty plan for a device with @lanes lanes */
void loom_build_init(struct loom_build *build, u32 lanes);
/** loom_build_clear() - frees what @build holds */
void loom_build_clear(struct loom_build *build);

/** loom_build_slot() - adds a slot; its size may be set later. Returns its index */
u32 loom_build_slot(struct loom_build *build, u64 size_bytes, u32 flags);

/** loom_build_image() - declares a slot to be an image */
void loom_build_image(struct loom_build *build, const struct drm_loom_plan_image *image);

/**
 * loom_build_tensor() - adds a tensor
 * @build: the plan
 * @tensor: all but its steps, which follow from the commands; the address may be set later
 *
 * Return: its index.
 */
u32 loom_build_tensor(struct loom_build *build, const struct drm_loom_plan_tensor *tensor);

/** loom_build_in_slot() - whether a tensor is in the memory bound to a slot, not in the scratch */
static inline bool loom_build_in_slot(const struct drm_loom_plan_tensor *tensor)
{
	return tensor->region != DRM_LOOM_REGION_SRAM || tensor->flags & DRM_LOOM_TENSOR_SLOT;
}

/** loom_build_bytes() - bytes of the elements that a command reads or writes of operand @i */
u64 loom_build_bytes(u32 opcode, const struct drm_loom_plan_view *views, u32 i);

/** loom_build_macs() - multiply-accumulates of a command */
u64 loom_build_macs(u32 opcode, const struct drm_loom_plan_view *views);

/** loom_build_label() - labels a tensor; @name must outlive the program */
void loom_build_label(struct loom_build *build, u32 tensor, const char *name,
		      enum loom_label_kind kind, u32 slice);

/**
 * loom_build_command() - adds a command
 * @build: the plan
 * @step: the step it belongs to
 * @opcode: one of DRM_LOOM_OP_*; the stream follows from it
 * @views: its operands, results first
 * @operands: number of @views
 * @attr: its attribute structure, or NULL; of a native command the payload must lie behind it
 * @attr_bytes: size of @attr
 */
void loom_build_command(struct loom_build *build, u32 step, u32 opcode,
			const struct drm_loom_plan_view *views, u32 operands,
			const void *attr, u32 attr_bytes);

/**
 * loom_build_order() - order in which commands run: by step, DMA first, then as added
 * @build: the plan
 *
 * Return: indices of commands, from malloc, or NULL.
 */
size_t *loom_build_order(const struct loom_build *build);

/**
 * loom_build_squeeze() - remove steps without commands
 * @build: the plan
 * @first: first step to examine; commands of these steps are the last ones
 *
 * Return: one past the last step.
 */
u32 loom_build_squeeze(struct loom_build *build, u32 first);

/**
 * loom_build_finish() - assemble the plan
 * @build: the plan
 * @scratch_bytes: SRAM that it uses, per lane
 * @blob: [out] the plan, from malloc
 * @size_bytes: [out] its size
 *
 * Return: 0, @status, -E2BIG past a cap of the format, -ENOMEM.
 */
int loom_build_finish(struct loom_build *build, u64 scratch_bytes, void **blob,
		      size_t *size_bytes);

#endif /* LOOM_PLAN_BUILD_H */
