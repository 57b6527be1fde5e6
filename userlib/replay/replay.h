/* SPDX-License-Identifier: MIT */
/*
 * DOC: How a plan is replayed
 *
 * Checks the bytes of a plan without running them (loom_replay.h). The input is a program, the
 * topology that it was planned for, and a reference program of the same graph
 * (loom_program_create_reference()); the output is a list of faults and counters. The folder
 * depends on the plan format only, and shares no code with planner, verifier and engine, so that it
 * can check all three.
 *
 * A plan is walked step by step, and memory is modelled cell by cell: a *cell* is the smallest
 * number of bytes that its tensors are made of. A cell holds no number but a *label*, 64 bits that
 * represent the origin of the number: a constant's label is a hash of its bytes, an input's of its
 * place in the input, and a computed element's of its operator, the attributes and the labels of
 * all elements it reads, each at its place: the tap of the window and the channel. A label of 0
 * means that the cell has not been written since the tensor there was born.
 *
 * Invariant: two elements have the same label if they are computed alike from the same elements of
 * inputs and weights, however the work was cut and placed in between. The labels of the outputs are
 * compared with those of the reference (layer by layer, unsliced). A wrong offset, a missing row, a
 * halo that is too short, weights of the wrong channels, a line buffer that was overwritten too
 * early: each gives another label, even if the numbers happen to be the same.
 *
 * A convolution reads too many labels to join them one by one, so labels that are summed are first
 * multiplied by a key of their place, and sums over channels are made once for all taps: a label of
 * a convolution costs as much as one tap. A label must not depend on a slice's geometry (padding,
 * strides, starts), but on the result only.
 *
 *	replay.c	options, the walk over steps, comparing, the report
 *	op.c		the table of opcodes; labels element by element and along an axis
 *	window.c	labels of convolution, pooling, resize
 *	label.c		components of labels
 *	plan.c		tables; views as lists of cells; lifetimes
 *	cells.c		reading and writing cells
 *	fault.c		the list of faults
 *
 * Rejected: running the plan with numbers. That takes as long as the network, needs the engine or a
 * second one, and misses errors without a numerical effect: zeroes read from the wrong place.
 * Rejected: naming elements by graph value and index. A plan does not name the value of a tensor,
 * and a fused chain in SRAM has values without a name in the graph.
 */
#ifndef LOOM_REPLAY_PRIV_H
#define LOOM_REPLAY_PRIV_H

#include "loom_replay.h"

#define REPLAY_NONE		UINT32_MAX
#define REPLAY_LANES		4096
#define REPLAY_CELLS		(1ULL << 31)
#define REPLAY_ELEMENTS		(1ULL << 28)

/**
 * struct replay_live - a tensor that lives
 * @start: its first byte
 * @end: first byte behind
 * @tensor: its index
 */
struct replay_live {
	uint64_t start;
	uint64_t end;
	uint32_t tensor;
};

/**
 * struct replay_space - a slot, or the scratch of all lanes
 * @known: it has content beforehand, in @facts
 * @writable: the plan may write it
 * @bytes: size, per bank
 * @banks: lanes of the scratch; 1 for a slot
 * @cells: per bank
 * @labels: by bank and cell; NULL if nothing can be written
 * @tags: by bank and cell: step * 16 + accesses in it, from 1; NULL until it is needed
 * @marks: by bank and cell: the last &replay.mark set; NULL until it is needed
 * @live: tensors alive, by address
 * @num_live: number of @live
 * @cap_live: capacity of @live
 * @facts: inputs and weights in it, by address
 * @num_facts: number of @facts
 * @last_fact: the last one found
 */
struct replay_space {
	bool known;
	bool writable;
	uint64_t bytes;
	uint32_t banks;
	uint64_t cells;
	uint64_t *labels;
	uint32_t *tags;
	uint32_t *marks;
	struct replay_live *live;
	uint32_t num_live;
	uint32_t cap_live;
	const struct loom_program_tensor **facts;
	uint32_t num_facts;
	uint32_t last_fact;
};

/**
 * struct replay_operand - an operand of the current command
 * @view: as in the plan
 * @tensor: the tensor of the view
 * @space: the space of the tensor
 * @bytes: of an element
 * @cells: of an element
 * @count: elements
 * @low: first byte in a bank
 * @high: first byte behind
 * @at: by element, row-major: its first cell
 * @labels: by element: labels read, or to be written
 * @cap: capacity of @at and @labels
 */
struct replay_operand {
	const struct drm_loom_plan_view *view;
	const struct drm_loom_plan_tensor *tensor;
	struct replay_space *space;
	uint32_t bytes;
	uint32_t cells;
	uint32_t count;
	uint64_t low;
	uint64_t high;
	uint32_t *at;
	uint64_t *labels;
	uint32_t cap;
};

struct replay_op;

/**
 * struct replay - a plan that is being replayed
 * @program: the program of the plan
 * @options: the expectations
 * @header: the plan
 * @slots: table
 * @tensors: table
 * @steps: table
 * @commands: table
 * @views: table
 * @attrs: table
 * @shift: a cell is 1 << shift bytes
 * @spaces: slots, then the scratch
 * @num_spaces: number of @spaces
 * @born: tensors by first step
 * @died: the same by last step
 * @next_born: the first of @born that is not alive yet
 * @next_died: the first of @died that has not died yet
 * @step: current step, or REPLAY_NONE
 * @command: current command, or REPLAY_NONE
 * @dma: it is one of the DMA stream
 * @both: the step has both streams
 * @opcode: of the command
 * @op: its entry in the table of opcodes, or NULL
 * @attr: its attributes
 * @num_operands: number of its operands
 * @written: number of operands that it writes, the first ones
 * @operands: its operands
 * @keys: random odd numbers by index
 * @num_keys: number of @keys
 * @sums: memory for sums, see replay_sums()
 * @cap_sums: by use: capacity of @sums
 * @mark: last number used in marks
 * @live_bytes: of tensors alive in SRAM
 * @report: the result
 * @faults: &loom_replay_report.faults
 * @max_faults: capacity of @faults
 * @broken: the replay cannot continue
 * @error: -errno of errors other than the plan's faults
 * @natives: digest of the attributes and payloads of native commands, in any order
 * @known: hash table of the labels of the reference, for finding the first wrong one
 * @known_mask: its size less one
 * @learning: @known is being filled
 */
struct replay {
	const struct loom_program *program;
	const struct loom_replay_options *options;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_slot *slots;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	const uint8_t *attrs;
	uint32_t shift;
	struct replay_space *spaces;
	uint32_t num_spaces;
	uint32_t *born;
	uint32_t *died;
	uint32_t next_born;
	uint32_t next_died;
	uint32_t step;
	uint32_t command;
	bool dma;
	bool both;
	uint32_t opcode;
	const struct replay_op *op;
	const void *attr;
	uint32_t num_operands;
	uint32_t written;
	struct replay_operand operands[DRM_LOOM_MAX_NATIVE_OPERANDS];
	uint64_t *keys;
	uint32_t num_keys;
	uint64_t *sums[4];
	uint32_t cap_sums[4];
	uint32_t mark;
	uint64_t live_bytes;
	struct loom_replay_report *report;
	struct loom_replay_fault *faults;
	uint32_t max_faults;
	bool broken;
	int error;
	uint64_t natives;
	uint64_t *known;
	uint64_t known_mask;
	bool learning;
};

/**
 * struct replay_op - an opcode
 * @name: as in the header
 * @dma: it belongs to the DMA stream
 * @low: minimum number of operands
 * @high: maximum number of operands
 * @attr_bytes: size of its attributes, without the payload of NATIVE
 * @in_place: bit per operand: operand 0 may be in its place
 * @label: labels operand 0, or reports a misfit; NULL for opcodes that only move
 */
struct replay_op {
	const char *name;
	bool dma;
	uint8_t low;
	uint8_t high;
	uint16_t attr_bytes;
	uint8_t in_place;
	bool (*label)(struct replay *r);
};

/* fault.c */

/** replay_fault() - records a fault at the current step and command. Always returns false */
bool replay_fault(struct replay *r, enum loom_replay_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** replay_stop() - records an error other than a fault of the plan. Always returns false */
bool replay_stop(struct replay *r, int error);

/** replay_misfit() - reports operands that do not match. Always returns false */
bool replay_misfit(struct replay *r, uint32_t operand);

/* plan.c */

/** replay_plan_open() - finds the tables and creates the spaces. Returns false after a fault */
bool replay_plan_open(struct replay *r);
/** replay_plan_shift() - maximum shift of the cells of a program; 0 for an invalid plan */
uint32_t replay_plan_shift(const struct loom_program *program);
/** replay_plan_begin() - adds the tensors born in the current step */
bool replay_plan_begin(struct replay *r);
/** replay_plan_end() - removes the tensors that die with it */
void replay_plan_end(struct replay *r);
/** replay_plan_view() - makes view @view of the table an operand, or reports a fault */
bool replay_plan_view(struct replay *r, struct replay_operand *operand, uint32_t view);

/* cells.c */

/** replay_dtype_bytes() - of an element; 0 for no type */
uint32_t replay_dtype_bytes(uint32_t dtype);

/** replay_cells_read() - the labels of operand @index */
bool replay_cells_read(struct replay *r, uint32_t index);
/** replay_cells_write() - writes the labels of operand @index */
bool replay_cells_write(struct replay *r, uint32_t index, uint8_t in_place);
/** replay_cells_move() - operand 1 becomes operand 0, cell by cell */
bool replay_cells_move(struct replay *r);
/** replay_cells_fill() - operand 0 becomes constants */
bool replay_cells_fill(struct replay *r, uint64_t bits);
/** replay_cells_label() - the label of an element of @bytes bytes; 0: not all of it is written */
uint64_t replay_cells_label(struct replay *r, struct replay_space *space, uint32_t at,
			    uint32_t bytes);
/** replay_cells_const() - the label of a constant of @bytes bytes */
uint64_t replay_cells_const(const struct replay *r, uint64_t bits, uint32_t bytes);
/** replay_cells_room() - makes room for @count elements */
bool replay_cells_room(struct replay *r, struct replay_operand *operand, uint64_t count);

/* op.c */

/** replay_op_get() - the entry of an opcode in the table, or NULL */
const struct replay_op *replay_op_get(uint32_t opcode);

/* native.c */

/** replay_native() - a native command: whatever it writes depends on all that it reads */
bool replay_native(struct replay *r);

/* window.c */

bool replay_conv(struct replay *r);
bool replay_deconv(struct replay *r);
bool replay_pool(struct replay *r);
bool replay_resize(struct replay *r);

/* label.c */

/** replay_keys() - random odd numbers for indices below @count, or NULL */
const uint64_t *replay_keys(struct replay *r, uint64_t count);
/** replay_sums() - array @which of four, of @count zeroes, or NULL */
uint64_t *replay_sums(struct replay *r, uint32_t which, uint64_t count);
/** replay_attr_label() - initial label: opcode, types and @bytes bytes of attributes */
uint64_t replay_attr_label(const struct replay *r, const void *attr, size_t bytes);
/* Mixes all bits into all bits (avalanche). */
static inline uint64_t replay_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xe9846af9b1a615dULL;
	x ^= x >> 32;
	x *= 0xe9846af9b1a615dULL;
	x ^= x >> 28;
	return x;
}

/* Appends @next to a label; the order matters. Never 0. */
static inline uint64_t replay_join(uint64_t label, uint64_t next)
{
	uint64_t x = replay_mix(label * 0x9e3779b97f4a7c15ULL + next);

	return x + !x;
}

/* Distance of the labels of the cells of a computed element. */
#define REPLAY_CELL_STEP	0x5851f42d4c957f2dULL

#endif /* LOOM_REPLAY_PRIV_H */
