/* SPDX-License-Identifier: MIT */
/**
 * DOC: A program: a plan, and how to feed it
 *
 * A *program* is the result of the planner (loom_planner.h): the bytes of the plan, which
 * PLAN_CREATE (or core's loom_plan_create() on the host) takes as they are, and what a runtime
 * needs to bind buffers to its slots: which tensor lies where, and which bytes must be there
 * before the first run.
 *
 * To run a program: allocate slots[i].size_bytes bytes for each slot; copy each of weights[] to its
 * slot and offset, once; then for each run copy inputs[], submit, and read outputs[] and
 * observed[]. Nothing else must be initialised.
 */
#ifndef LOOM_PROGRAM_H
#define LOOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct drm_loom_chip;

/**
 * enum loom_slot_kind - purpose of a slot
 * @LOOM_SLOT_KIND_WEIGHTS: constants; filled once
 * @LOOM_SLOT_KIND_INPUT: one graph input (or all of them, if there are very many)
 * @LOOM_SLOT_KIND_OUTPUT: one graph output (or all of them)
 * @LOOM_SLOT_KIND_OBSERVED: the observed values
 * @LOOM_SLOT_KIND_ARENA: neurons; its content is not needed after a run
 * @LOOM_SLOT_KIND_IMAGE: neurons of texture scope; must be bound to an image. Its content is not
 *	needed after a run
 */
enum loom_slot_kind {
	LOOM_SLOT_KIND_WEIGHTS,
	LOOM_SLOT_KIND_INPUT,
	LOOM_SLOT_KIND_OUTPUT,
	LOOM_SLOT_KIND_OBSERVED,
	LOOM_SLOT_KIND_ARENA,
	LOOM_SLOT_KIND_IMAGE,
};

/**
 * struct loom_program_slot - a slot of the plan
 * @kind: its purpose
 * @flags: DRM_LOOM_SLOT_READ, DRM_LOOM_SLOT_WRITE as in the plan
 * @size_bytes: bytes that must be bound to it
 * @dtype: LOOM_SLOT_KIND_IMAGE: type of its elements; for other kinds this and the rest are 0
 * @width: elements in a row
 * @height: rows
 * @pitch_bytes: bytes from a row to the next
 * @num_values: number of values that it holds one after the other
 */
struct loom_program_slot {
	enum loom_slot_kind kind;
	uint32_t flags;
	uint64_t size_bytes;
	uint32_t dtype;
	uint32_t width;
	uint32_t height;
	uint32_t pitch_bytes;
	uint32_t num_values;
};

/**
 * struct loom_program_tensor - an input, output, weight or observed value: dense, row-major
 * @name: of the value in the graph
 * @dtype: enum drm_loom_dtype
 * @rank: number of dimensions, 0 for a scalar
 * @dims: the dimensions
 * @slot: index of the slot it lies in
 * @open_dims: of an input, bit i: the model left dimension i open, and its size here is the one
 *	that the program was made for
 * @offset: first byte in the slot, a multiple of 64
 * @size_bytes: number of bytes; 0 if a dimension is 0, then @slot and @offset mean nothing
 * @data: weights: the bytes, owned by the program or the graph; else NULL
 */
struct loom_program_tensor {
	const char *name;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[8];
	uint32_t slot;
	uint32_t open_dims;
	uint64_t offset;
	uint64_t size_bytes;
	const void *data;
};

/**
 * struct loom_program_state - an output that is an input of the next run
 *
 * Both lie at the same offset of slots of the same size, in which there are only states whose other
 * ends are in the other one of the two: a runtime that exchanges them after each run
 * copies nothing. Of a state with a &struct loom_program_update both are the same bytes.
 *
 * @output: index of the output
 * @input: index of the input, of the same type and dimensions
 */
struct loom_program_state {
	uint32_t output;
	uint32_t input;
};

/**
 * struct loom_program_update - a state of which a run changes some rows
 *
 * After a run that succeeded, the runtime puts the rows into the state: row r of each group of the
 * axes before @axis at index places[r] along it, in order, unless that is outside. Places are for
 * all groups or, if there are that many times as many, for each.
 *
 * @state: index of the state
 * @axis: of rows, of the state
 * @rows: of the state's type and dimensions but for @axis
 * @places: I32 or I64
 */
struct loom_program_update {
	uint32_t state;
	uint32_t axis;
	struct loom_program_tensor rows;
	struct loom_program_tensor places;
};

/**
 * struct loom_program_kernel - how a node was sliced
 * @node: name of the node
 * @op: its operator in the model
 * @first_step: first step of the plan that belongs to it
 * @slices: number of slices
 * @overlap: double buffers: slices are loaded while others are computed
 * @rank: number of axes of the result as the kernel sees it
 * @dims: lengths of the axes
 * @chunk: lengths of the largest slice
 * @scratch_bytes: SRAM per lane
 */
struct loom_program_kernel {
	const char *node;
	const char *op;
	uint32_t first_step;
	uint32_t slices;
	bool overlap;
	uint32_t rank;
	uint64_t dims[6];
	uint64_t chunk[6];
	uint64_t scratch_bytes;
};

/**
 * struct loom_program_neuron - a value in the arena
 * @name: of the value
 * @offset: first byte in the arena
 * @size_bytes: number of bytes
 * @first_node: number of the node that makes it, in the order in which they run
 * @last_node: number of the last node that reads it, or any view of it, likewise
 */
struct loom_program_neuron {
	const char *name;
	uint64_t offset;
	uint64_t size_bytes;
	uint32_t first_node;
	uint32_t last_node;
};

/**
 * enum loom_label_kind - purpose of a tensor of the plan
 * @LOOM_LABEL_DRAM: DRAM: a value; the kind of its slot says which
 * @LOOM_LABEL_ROWS: SRAM: the rows of a value that a slice uses
 * @LOOM_LABEL_LINE: SRAM: line buffer: rows that the next slice reads, too
 * @LOOM_LABEL_RESIDENT: SRAM: a whole value that is kept from one group to a later one
 * @LOOM_LABEL_HELD: SRAM: weights that are loaded once for all slices
 * @LOOM_LABEL_WEIGHT: SRAM: weights that are loaded for one slice, or for a part of one
 * @LOOM_LABEL_TEMP: SRAM: between two commands of one node
 * @LOOM_LABELS: number of kinds
 */
enum loom_label_kind {
	LOOM_LABEL_DRAM,
	LOOM_LABEL_ROWS,
	LOOM_LABEL_LINE,
	LOOM_LABEL_RESIDENT,
	LOOM_LABEL_HELD,
	LOOM_LABEL_WEIGHT,
	LOOM_LABEL_TEMP,
	LOOM_LABELS,
};

/**
 * struct loom_program_label - description of a tensor of the plan, for people
 * @name: of the value; temporaries have that of the node's result
 * @kind: its purpose
 * @slice: slice of its group, or of its node
 */
struct loom_program_label {
	const char *name;
	enum loom_label_kind kind;
	uint32_t slice;
};

/**
 * struct loom_program_node - a node, in the order in which they run
 * @name: its name
 * @op: its operator in the model
 */
struct loom_program_node {
	const char *name;
	const char *op;
};

/**
 * define LOOM_NODE_NONE - instead of the number of a node where there is none
 */
#define LOOM_NODE_NONE	UINT32_MAX

/**
 * enum loom_bound - bottleneck of a group
 *
 * A group takes at least as long as the longer of its two streams. Activities of that stream
 * are the first parts of the group's time; the time in excess of them is the last part.
 *
 * The bottleneck is the change with the largest saving: a part at twice the rate, which saves half
 * of it, or streams that always work at the same time, which saves all of the last part.
 *
 * @LOOM_BOUND_DRAM: DMA from and to another memory than the SRAM
 * @LOOM_BOUND_COPY: DMA inside of the SRAM
 * @LOOM_BOUND_DMA_START: starts of DMA commands
 * @LOOM_BOUND_MACS: multiply-accumulates
 * @LOOM_BOUND_OPS: other operations on elements
 * @LOOM_BOUND_IN_PLACE: compute waits for another memory than the SRAM, which it uses in place
 * @LOOM_BOUND_COMPUTE_START: starts of compute commands
 * @LOOM_BOUND_TURNS: the streams do not work at the same time
 * @LOOM_BOUNDS: number of them
 */
enum loom_bound {
	LOOM_BOUND_DRAM,
	LOOM_BOUND_COPY,
	LOOM_BOUND_DMA_START,
	LOOM_BOUND_MACS,
	LOOM_BOUND_OPS,
	LOOM_BOUND_IN_PLACE,
	LOOM_BOUND_COMPUTE_START,
	LOOM_BOUND_TURNS,
	LOOM_BOUNDS,
};

/**
 * loom_bound_name() - name of a bottleneck
 * @bound: the bottleneck
 *
 * Return: "dram", "macs", ... for programs; the library's.
 */
const char *loom_bound_name(enum loom_bound bound);

/**
 * struct loom_program_group - nodes that run together, or a single one
 *
 * Groups compute one after the other, and their steps follow each other. Their transfers may run in
 * steps of other groups. Bytes, multiply-accumulates and energy are those of the group's own
 * commands, wherever they run; cycles and SRAM are those of its steps, whatever runs there.
 *
 * @first_node: number of the first, see &loom_program.nodes
 * @last_node: number of the last. Nodes between them may need no commands
 * @grouped: the nodes share slices and SRAM; else it is one node, lowered by itself
 * @slices: number of slices; of a single node: of its kernel that has most
 * @axis: axis of the first result that is sliced, -1: none, or more than one
 * @overlap: loads run in the steps of the operator before
 * @held_bytes: bytes of weights that are loaded once for all slices
 * @first_step: first step
 * @num_steps: number of steps
 * @weights_bytes: bytes of the weights that it reads, each counted once
 * @weights_read_bytes: the same, counted as often as they are read
 * @dram_read_bytes: bytes read from DRAM
 * @dram_write_bytes: bytes written to DRAM
 * @macs: multiply-accumulates
 * @cycles: see &loom_program_stats.cycles, as for the next two
 * @dma_cycles: of its DMA stream
 * @compute_cycles: of its compute stream
 * @dma_start_cycles: those of @dma_cycles in which commands start
 * @compute_start_cycles: the same of @compute_cycles
 * @mac_cycles: of multiply-accumulates, as if nothing else had to be waited for
 * @op_cycles: the same of other operations on elements
 * @energy_fj: femtojoule
 * @sram_bytes: SRAM per lane that is alive at once at most
 * @copy_cycles: those of @dma_cycles that commands take which stay in the SRAM, without starts
 * @lane_cycles: of each lane those of @mac_cycles and @op_cycles in which it has work; their sum.
 *	Divided by both, the lanes that have work on average
 * @part_cycles: by &enum loom_bound: @cycles, divided by their bottleneck
 * @bound: the part with the largest saving
 */
struct loom_program_group {
	uint32_t first_node;
	uint32_t last_node;
	bool grouped;
	uint32_t slices;
	int32_t axis;
	bool overlap;
	uint64_t held_bytes;
	uint32_t first_step;
	uint32_t num_steps;
	uint64_t weights_bytes;
	uint64_t weights_read_bytes;
	uint64_t dram_read_bytes;
	uint64_t dram_write_bytes;
	uint64_t macs;
	uint64_t cycles;
	uint64_t dma_cycles;
	uint64_t compute_cycles;
	uint64_t dma_start_cycles;
	uint64_t compute_start_cycles;
	uint64_t mac_cycles;
	uint64_t op_cycles;
	uint64_t energy_fj;
	uint64_t sram_bytes;
	uint64_t copy_cycles;
	uint64_t lane_cycles;
	uint64_t part_cycles[LOOM_BOUNDS];
	enum loom_bound bound;
};

/**
 * enum loom_cut_why - why the groups on both sides of a cut are not one
 * @LOOM_CUT_NO_CHOICE: the strategy does not divide by cost, or LOOM_PLANNER_EXPLAIN is not set
 * @LOOM_CUT_ALONE: a node that cannot be in a group is next to it
 * @LOOM_CUT_SHAPE: the nodes cannot be sliced along one axis, or are too many
 * @LOOM_CUT_SRAM: one group of both, with the same values in SRAM before and after it, would need
 *	@short_bytes more SRAM per lane, at the best number of slices. With that, fewer nodes may
 *	must be cut into pieces, and nodes have other numbers then
 * @LOOM_CUT_COST: one group of both would cost @joined, and two cost less
 */
enum loom_cut_why {
	LOOM_CUT_NO_CHOICE,
	LOOM_CUT_ALONE,
	LOOM_CUT_SHAPE,
	LOOM_CUT_SRAM,
	LOOM_CUT_COST,
};

/**
 * define LOOM_CUT_NONE - there is no such plan
 */
#define LOOM_CUT_NONE	UINT64_MAX

/**
 * struct loom_program_cut - between a group and the next
 *
 * @dram_bytes and @sram_bytes are those of every strategy. The rest is filled in with
 * LOOM_PLANNER_EXPLAIN, where the strategy divides by cost.
 *
 * @dram_bytes: values that are made before it, read after it and kept in DRAM meanwhile
 * @sram_bytes: the same for residents in SRAM
 * @why: why it is there
 * @node: ALONE: number of that node
 * @short_bytes: SRAM: missing bytes, per lane
 * @cycles: the next four are cycles, else bytes to and from memory outside of the SRAM; of whole
 *	plans, each written and counted as &loom_program_stats is
 * @joined: COST: of the plan in which both sides are one group. LOOM_CUT_NONE: it has no placement
 * @apart: of this plan, to compare @joined with
 * @without: of the best plan that was found without a cut here. LOOM_CUT_NONE: none was
 * @with: of this plan, to compare @without with
 * @around_first: number of the first node of the group around this place, of the plan of @without
 * @around_last: number of its last node
 */
struct loom_program_cut {
	uint64_t dram_bytes;
	uint64_t sram_bytes;
	enum loom_cut_why why;
	uint32_t node;
	uint64_t short_bytes;
	bool cycles;
	uint64_t joined;
	uint64_t apart;
	uint64_t without;
	uint64_t with;
	uint32_t around_first;
	uint32_t around_last;
};

/**
 * struct loom_program_stats - costs of a plan
 *
 * The last eleven are exactly the counters of the engine when it runs the plan.
 *
 * @nodes: nodes of the graph
 * @neurons: values with an address of their own in the arena
 * @neuron_sum_bytes: sum of their sizes
 * @arena_bytes: size of the arena: the peak of the placement
 * @bound_bytes: no placement can need less: the largest sum of bytes alive at once
 * @given_order_bytes: bytes alive at once at most if nodes run in the order of the model. This and
 *	the next two are 0 if no other order was searched for: LOOM_PLANNER_GIVEN_ORDER, groups
 * @order_bytes: the same for the order in which they do run
 * @order_proved: no order of the nodes needs less
 * @images: values in images
 * @image_pools: images that they share
 * @image_value_bytes: sum of the sizes of those values
 * @image_bytes: sum of the sizes of the images
 * @weights_bytes: constants, without the gaps between them
 * @scratch_bytes: SRAM per lane that is scratch
 * @sram_bytes: SRAM per lane in all: scratch, and on a chip without DRAM the slots
 * @sliced_nodes: nodes that did not fit in one piece
 * @cut_nodes: nodes of which not even the smallest slice fitted: their sums are computed as
 *	partial sums, so that floats may differ from those of a larger SRAM in the last bits
 * @plan_bytes: size of the plan
 * @tensors: tensors of the plan
 * @groups: number of groups, single nodes included
 * @sram_peak_bytes: SRAM per lane that is alive at once at most; @scratch_bytes includes gaps
 * @conflict_steps: steps in which both streams touch the same conflict sub-bank
 * @fill_cycles: of the steps before the first one that computes
 * @drain_cycles: of the steps behind the last one that computes
 * @recomputed_macs: those of @macs that another slice has computed, too
 * @macs: multiply-accumulates
 * @steps: steps
 * @commands: commands
 * @dram_read_bytes: bytes that DMA reads from DRAM
 * @dram_write_bytes: bytes that DMA writes to DRAM
 * @sram_read_bytes: bytes that DMA reads from SRAM
 * @sram_write_bytes: bytes that DMA writes to SRAM
 * @rom_read_bytes: bytes that DMA reads from ROM
 * @cycles: time of the steps, by the description of the chip
 * @dma_cycles: cycles in which the DMA stream works
 * @compute_cycles: cycles in which the compute stream works
 * @energy_fj: femtojoule; 0 where the description has no figures
 */
struct loom_program_stats {
	uint64_t nodes;
	uint64_t neurons;
	uint64_t neuron_sum_bytes;
	uint64_t arena_bytes;
	uint64_t bound_bytes;
	uint64_t given_order_bytes;
	uint64_t order_bytes;
	bool order_proved;
	uint64_t images;
	uint64_t image_pools;
	uint64_t image_value_bytes;
	uint64_t image_bytes;
	uint64_t weights_bytes;
	uint64_t scratch_bytes;
	uint64_t sram_bytes;
	uint64_t sliced_nodes;
	uint64_t cut_nodes;
	uint64_t plan_bytes;
	uint64_t tensors;
	uint64_t groups;
	uint64_t sram_peak_bytes;
	uint64_t conflict_steps;
	uint64_t fill_cycles;
	uint64_t drain_cycles;
	uint64_t recomputed_macs;
	uint64_t macs;
	uint64_t steps;
	uint64_t commands;
	uint64_t dram_read_bytes;
	uint64_t dram_write_bytes;
	uint64_t sram_read_bytes;
	uint64_t sram_write_bytes;
	uint64_t rom_read_bytes;
	uint64_t cycles;
	uint64_t dma_cycles;
	uint64_t compute_cycles;
	uint64_t energy_fj;
};

/**
 * struct loom_program_least - lower bounds on all plans of the graph on the chip
 *
 * Of no plan that computes the nodes of the graph as they are, whatever it cuts, orders, keeps or
 * loads ahead. All are zero if a graph cannot be looked at.
 *
 * @dram_read_bytes: bytes that are read from DRAM
 * @dram_write_bytes: bytes that are written to DRAM
 * @rom_read_bytes: bytes that are read from ROM
 * @dma_cycles: of the DMA stream
 * @compute_cycles: of the compute stream
 * @first_load_cycles: before the first compute command
 * @last_store_cycles: behind the last compute command
 * @stream_cycles: of the longer stream; of both, where they take turns (LB0)
 * @end_cycles: with the first load and the last store, which overlap nothing (LB1)
 * @held_cycles: and prefetched weights must be held until their use (LB2)
 * @relaxed_cycles: and a value that is too large for the SRAM goes to DRAM, or is computed again,
 *	or the weights that it meets are loaded again
 */
struct loom_program_least {
	uint64_t dram_read_bytes;
	uint64_t dram_write_bytes;
	uint64_t rom_read_bytes;
	uint64_t dma_cycles;
	uint64_t compute_cycles;
	uint64_t first_load_cycles;
	uint64_t last_store_cycles;
	uint64_t stream_cycles;
	uint64_t end_cycles;
	uint64_t held_cycles;
	uint64_t relaxed_cycles;
};

/**
 * struct loom_program - a plan and how to feed it
 *
 * Immutable. The graph it was made of must outlive it.
 *
 * @plan: the plan, see &struct drm_loom_plan_header; aligned as malloc() does
 * @plan_bytes: its size
 * @placer: name of the strategy whose placement was taken
 * @grouping: name of the strategy whose groups were taken; it may be another one than was asked
 *	for, if its groups move less
 * @slots: by slot index
 * @num_slots: number of @slots
 * @inputs: by index of the graph's inputs
 * @num_inputs: number of @inputs
 * @outputs: by index of the graph's outputs
 * @num_outputs: number of @outputs
 * @states: as &loom_graph_options.states named them
 * @num_states: number of @states
 * @observed: observed values, in the order of their nodes in the graph
 * @num_observed: number of @observed
 * @weights: to be copied to the weights slot before the first run
 * @num_weights: number of @weights
 * @kernels: nodes that compute, in order; a node may be several
 * @num_kernels: number of @kernels
 * @neurons: values in the arena: where and when
 * @num_neurons: number of @neurons
 * @labels: by tensor of the plan: its purpose
 * @num_labels: number of @labels
 * @nodes: all nodes, in the order in which they run
 * @num_nodes: number of @nodes
 * @groups: in the order in which they run
 * @num_groups: number of @groups
 * @cuts: between @groups: one less
 * @stats: costs
 * @least: lower bounds
 * @command_nodes: by command of the plan: number of the node that it belongs to, LOOM_NODE_NONE of
 *	those that belong to none, such as outputs copied at the end
 * @num_commands: number of @command_nodes
 * @updates: states that are updated in place
 * @num_updates: number of @updates
 * @set: of programs of one file with several the same; NULL: of none. Weights at the same offset of
 *	the buffers of two such programs are the same bytes
 */
struct loom_program {
	const void *plan;
	size_t plan_bytes;
	const char *placer;
	const char *grouping;
	const struct loom_program_slot *slots;
	uint32_t num_slots;
	const struct loom_program_tensor *inputs;
	uint32_t num_inputs;
	const struct loom_program_tensor *outputs;
	uint32_t num_outputs;
	const struct loom_program_state *states;
	uint32_t num_states;
	const struct loom_program_tensor *observed;
	uint32_t num_observed;
	const struct loom_program_tensor *weights;
	uint32_t num_weights;
	const struct loom_program_kernel *kernels;
	uint32_t num_kernels;
	const struct loom_program_neuron *neurons;
	uint32_t num_neurons;
	const struct loom_program_label *labels;
	uint32_t num_labels;
	const struct loom_program_node *nodes;
	uint32_t num_nodes;
	const struct loom_program_group *groups;
	uint32_t num_groups;
	const struct loom_program_cut *cuts;
	struct loom_program_stats stats;
	struct loom_program_least least;
	const uint32_t *command_nodes;
	uint32_t num_commands;
	const struct loom_program_update *updates;
	uint32_t num_updates;
	const void *set;
};

/**
 * loom_plan_dump() - a plan's bytes as text, the same text for the same bytes
 * @plan: the plan
 * @size_bytes: its size
 * @text: [out] from malloc
 *
 * Takes any bytes: invalid fields are marked in the text, and nothing outside of @plan is read.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_plan_dump(const void *plan, size_t size_bytes, char **text);

/**
 * struct loom_program_svg_options - options of a picture of a plan
 * @title: above it, or NULL
 * @first_step: first step that is drawn
 * @num_steps: number of steps that are drawn at most; 0: all
 */
struct loom_program_svg_options {
	const char *title;
	uint32_t first_step;
	uint32_t num_steps;
};

/**
 * loom_program_svg() - draws a plan: time against addresses in SRAM and DRAM, groups, streams
 * @program: as loom_program_create() made it
 * @chip: of the device that it was planned for
 * @options: NULL for the defaults
 * @text: [out] SVG, from malloc
 * @size_bytes: [out] its size
 *
 * A step is as wide as its cycles. A tensor of the plan is a rectangle. Of more than 20000 tensors
 * the largest are drawn.
 *
 * Return: 0; -EINVAL for a first step that the plan does not have; -ENOMEM.
 */
int loom_program_svg(const struct loom_program *program, const struct drm_loom_chip *chip,
		     const struct loom_program_svg_options *options, char **text,
		     size_t *size_bytes);

/**
 * loom_program_trace() - the time of a plan on the chip as Chrome trace events
 * @program: as loom_program_create() made it
 * @chip: of the device that it was planned for
 * @title: shown behind the name of the chip, or NULL
 * @text: [out] JSON, from malloc: Perfetto and chrome://tracing show it
 * @size_bytes: [out] its size
 *
 * Threads for groups, DMA and compute, an event for each group and for each command; counters of
 * the SRAM that is alive and of the traffic of the DRAM.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_program_trace(const struct loom_program *program, const struct drm_loom_chip *chip,
		       const char *title, char **text, size_t *size_bytes);

/**
 * struct loom_native_figures - the native commands of a plan
 * @commands: number of them
 * @cycles: sum of the cycles that they declare. A device that counts reports its own in the
 *	counters of a run
 */
struct loom_native_figures {
	uint32_t commands;
	uint64_t cycles;
};

/**
 * loom_program_native() - counts the native commands of a program
 * @program: from the planner, or from loom_program_load()
 * @native: [out] zero without native commands
 */
void loom_program_native(const struct loom_program *program, struct loom_native_figures *native);

/**
 * struct loom_program_span - a time on the chip, in cycles from the beginning of the plan
 * @first: the cycle in which it begins
 * @end: the first cycle behind it
 */
struct loom_program_span {
	uint64_t first;
	uint64_t end;
};

/**
 * loom_program_times() - when the steps and the commands of a plan run
 * @program: as loom_program_create() made it
 * @chip: of the device that it was planned for
 * @steps: [out] by step of the plan; free() it
 * @commands: [out] by command of the plan; free() it
 *
 * The times are those of loom_program_svg() and loom_program_trace().
 *
 * Return: 0 or -ENOMEM.
 */
int loom_program_times(const struct loom_program *program, const struct drm_loom_chip *chip,
		       struct loom_program_span **steps, struct loom_program_span **commands);

/**
 * struct loom_program_layer - costs of a node of a plan
 *
 * @dims has zeroes, and @rank is 0, of a node whose shape is not known, such as one without work.
 *
 * @commands: number of its commands
 * @rank: number of axes of its result, as it is computed
 * @dims: lengths of these axes
 * @macs: multiply-accumulates
 * @cycles: its share of &loom_program_stats.cycles: a step is divided between the commands that it
 *	waits for
 * @dma_cycles: of its commands of the DMA stream, also where nothing waits for them
 * @compute_cycles: the same of the compute stream
 * @full_cycles: that @macs would take with all lanes full all the time: divided by
 *	@compute_cycles, the utilisation of the MACs while the node computes
 * @dram_read_bytes: bytes read from DRAM
 * @dram_write_bytes: bytes written to DRAM
 * @rom_read_bytes: bytes read from ROM
 * @energy_fj: femtojoule; 0 where the description has no figures
 */
struct loom_program_layer {
	uint32_t commands;
	uint32_t rank;
	uint64_t dims[6];
	uint64_t macs;
	uint64_t cycles;
	uint64_t dma_cycles;
	uint64_t compute_cycles;
	double full_cycles;
	uint64_t dram_read_bytes;
	uint64_t dram_write_bytes;
	uint64_t rom_read_bytes;
	uint64_t energy_fj;
};

/**
 * loom_program_layers() - costs of each node of a plan
 * @program: as loom_program_create() made it
 * @chip: of the device that it was planned for
 * @layers: [out] by node of the program, and one more for commands of no node; free() it
 * @num_layers: [out] number of @layers
 *
 * Cycles, bytes, multiply-accumulates and energy add up to those of &loom_program.stats.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_program_layers(const struct loom_program *program, const struct drm_loom_chip *chip,
			struct loom_program_layer **layers, uint32_t *num_layers);

/**
 * struct loom_measurement - a time that was measured on a chip
 * @program: a plan of the network that was measured
 * @nodes: nodes of @program, whose mean time was measured; NULL: that of the whole plan was
 * @num_nodes: number of @nodes
 * @measured_us: microseconds, more than zero
 * @planned_us: [out] microseconds by the fitted description
 */
struct loom_measurement {
	const struct loom_program *program;
	const uint32_t *nodes;
	uint32_t num_nodes;
	double measured_us;
	double planned_us;
};

/**
 * loom_measurement_plan() - the time of a plan, or of its nodes, by a description
 * @row: [in, out] its planned_us is computed; its nodes must exist
 * @chip: the description; may differ in rates from that which the program was planned for
 *
 * Return: 0 or -ENOMEM.
 */
int loom_measurement_plan(struct loom_measurement *row, const struct drm_loom_chip *chip);

/**
 * loom_chip_calibrate() - fit the rates of a description to measured times
 * @chip: [in, out] the description that the programs were planned for; unchanged on failure
 * @rows: [in, out] measured times
 * @num_rows: number of @rows; without rows nothing changes
 *
 * Fits the rates of DRAM and ROM, of multiply-accumulates, of depthwise convolutions and of other
 * operations, each by one factor for all types, and the cycles that commands take to start. Memory
 * sizes, blocks and the frequency stay. Figures that @rows say nothing about stay, too. The result
 * is deterministic. Any number of threads may call it for the same programs.
 *
 * Return: 0, -EINVAL for a time that is not positive or a node that @program has not, or -ENOMEM.
 */
int loom_chip_calibrate(struct drm_loom_chip *chip, struct loom_measurement *rows,
			uint32_t num_rows);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PROGRAM_H */
