/* SPDX-License-Identifier: MIT */
/*
 * DOC: Lowering
 *
 * Lowering turns the nodes of a graph into kernels (kernel.h), decides where values live in DRAM
 * (storage.h), and cuts kernels so that they run out of SRAM (slice.h).
 *
 * The input is a finished graph, the limits of the SRAM, and a sink (sink.h); the output is
 * kernels, copies and fills, passed to the sink node by node. With the emitter as the sink the
 * result is a plan in which each node runs by itself; with the list of a grouping as the sink no
 * commands are written yet.
 *
 *	node -> OPERATOR.c -> struct loom_kernel -> sink -> emit.c: slice.c -> plan
 *	                                        or -> list of a grouping (group/)
 *
 * Nodes that only move elements never become kernels. RESHAPE, TRANSPOSE, SLICE and EXPAND are
 * free: their result is a view of their operand's bytes, and readers load through that view. CONCAT
 * and PAD are copies in DRAM, and so are views that must be visible outside, unless their value can
 * be computed in the output's place (storage.h).
 *
 *	lower.c		the table of operators
 *	conv.c, pool.c, matmul.c, elementwise.c, function.c, reduce.c, resize.c, move.c
 *			operators (operators.h)
 *	window.c	shared by convolution and pooling (window.h)
 *	native.c	nodes that a native kernel computes (native/)
 *	nest.c		operators that are loops over the same axes (nest.h)
 *	kernel.c	building kernels
 *	range.c		part of an operand that a part of the result needs
 *	slice.c		cutting a kernel into slices
 *	in_place.c	constants that are read in place
 *	sink.c		passing kernels, copies and fills to a sink
 *	emit.c		the sink that writes commands
 *	error.c		errors of a node
 *	notes.c		notes for people
 *	ref.c		arithmetic of strided views
 *	storage.c	decides where values live
 *	location.c	locations, views and slots
 *	storage_join.c	operands of concatenations computed in the result
 *	storage_tensor.c  tensors of the plan for values that are read or written
 *	arena.c		the placement of the arena
 *	image_pool.c	values in images
 *	order.c, order_chains.c
 *			the order in which nodes run
 *
 * Rejected: operators that write their own commands. Each would need its own slicing, and a group
 * could not determine which part of its operands an operator needs.
 */
#ifndef LOOM_LOWER_H
#define LOOM_LOWER_H

#include "graph/graph.h"
#include "kernel.h"
#include "loom.h"
#include "loom_program.h"
#include "loom_chip.h"
#include "plan/build.h"
#include "sink.h"
#include "slice.h"

struct loom_storage;

/**
 * enum loom_lower_in_place - selection of constants that are read in place
 * @LOOM_IN_PLACE_NEVER: none
 * @LOOM_IN_PLACE_ALWAYS: all
 * @LOOM_IN_PLACE_STREAMED: those that would be loaded for each slice, and moved as often anyway
 */
enum loom_lower_in_place {
	LOOM_IN_PLACE_NEVER,
	LOOM_IN_PLACE_ALWAYS,
	LOOM_IN_PLACE_STREAMED,
};

/**
 * struct loom_lower - the state of lowering
 * @graph: the graph
 * @build: receives commands
 * @storage: places of values
 * @chip: the chip
 * @sram: limits of kernels in it
 * @load_images: CONV and POOL load images to SRAM instead of using them in DRAM
 * @in_place: selection of constants that are read in place, if the chip supports it
 * @node: the node that is lowered, for errors
 * @step: next free step
 * @scratch_bytes: SRAM used so far, per lane
 * @sliced_nodes: kernels of more than one slice
 * @probe: a kernel did not fit: commands are not written any more, only needs are compared
 * @need_bytes: largest need, in SRAM per lane, of a kernel that does not fit
 * @kernels: cut of each kernel, from malloc
 * @num_kernels: number of @kernels
 * @cap_kernels: capacity of @kernels
 * @groups: nodes that run together, from malloc
 * @num_groups: number of @groups
 * @cap_groups: capacity of @groups
 * @cuts: notes of the cuts between @groups, from malloc, or NULL
 * @macs_once: multiply-accumulates of all kernels, without those that slices recompute
 * @sink: receives kernels, copies and fills
 * @err: receives errors, or NULL
 */
struct loom_lower {
	const struct loom_graph *graph;
	struct loom_build *build;
	struct loom_storage *storage;
	const struct drm_loom_chip *chip;
	struct loom_slice_limits sram;
	bool load_images;
	enum loom_lower_in_place in_place;
	const struct loom_node *node;
	u32 step;
	u64 scratch_bytes;
	u64 sliced_nodes;
	bool probe;
	u64 need_bytes;
	struct loom_program_kernel *kernels;
	u32 num_kernels;
	u32 cap_kernels;
	struct loom_program_group *groups;
	u32 num_groups;
	u32 cap_groups;
	struct loom_program_cut *cuts;
	u64 macs_once;
	struct loom_sink sink;
	struct loom_error *err;
};

/** loom_lower_fail() - sets the error text for the current node; returns @code */
int loom_lower_fail(struct loom_lower *lower, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * loom_lower_zero_point() - convert a zero point to an attribute
 * @lower: for errors
 * @value: one constant, or several equal ones; NULL is 0
 * @zero: [out] the number
 *
 * Return: 0, or -EOPNOTSUPP for values that an attribute cannot hold.
 */
int loom_lower_zero_point(struct loom_lower *lower, const struct loom_value *value, s32 *zero);

/**
 * loom_lower_command() - add the command of a stage for a slice to a plan
 * @lower: for errors
 * @kernel: the kernel
 * @stage: one of its stages, tuned; a native command gets its payload here
 * @step: the step it belongs to
 * @views: operands of the stage
 * @first: by operand of the kernel and axis: index of the first element of the slice
 *
 * Errors go to &loom_build.status.
 */
void loom_lower_command(struct loom_lower *lower, const struct loom_kernel *kernel,
			const struct loom_stage *stage, u32 step,
			const struct drm_loom_plan_view *views,
			const u64 *const first[LOOM_KERNEL_OPERANDS]);

/** loom_lower_in_place() - makes a kernel, before it goes to the sink, read constants in place */
void loom_lower_in_place(const struct loom_lower *lower, struct loom_kernel *kernel);
/** loom_lower_node() - passes the kernels, copies and fills of a node to the sink */
int loom_lower_node(struct loom_lower *lower, const struct loom_node *node);
/** loom_lower_alone() - lowers the node at place @node of the order, and records it as a group */
int loom_lower_alone(struct loom_lower *lower, u32 node);
#endif /* LOOM_LOWER_H */
