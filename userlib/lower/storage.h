/* SPDX-License-Identifier: MIT */
/*
 * DOC: Storage
 *
 * Decides for each value of the graph where in DRAM it lives, before any command is written:
 *
 * - inputs and outputs in a slot each, so that they can be bound for each run. If there are too
 *   many, states that are exchanged (&loom_graph.states) share two slots, those that are updated
 *   in place one, and the others two more;
 * - constants in the weights slot, one after the other, 4 KiB aligned, each once, in the order of
 *   their first read. If the chip has a ROM in which they fit, the slot is there; those that are
 *   copied to DRAM have a slot of their own in DRAM, because no command copies between both;
 * - with groups, operands of concatenations in the result, if possible, and those of a RESHAPE that
 *   is no view (storage_join.c);
 * - observed values in a slot of their own, where nothing overwrites them;
 * - neurons in the arena, placed by lifetime (loom_place.h). Time is the number of the node;
 * - values of texture scope in images, which they share in turn (image_pool.h);
 * - the results of RESHAPE, TRANSPOSE, SLICE and EXPAND nowhere: they are views of their
 *   operand's bytes, which live as long as any view is read.
 *
 * A view that is an output or observed is copied, except for common cases: if an output is a
 * computed value, reshaped and transposed, its node writes into the output's slot directly, in any
 * order of elements; and if such an output is a CONCAT without other readers, this holds for each
 * operand. The operands are values of their own that lie in the result (@holder), not parts of it:
 * because the result is not read, its completion need not be known, and cuts between groups may lie
 * between the operands. Detection networks with several heads, each a convolution that is
 * transposed and reshaped to an output, benefit.
 *
 * A chip without DRAM has one lane, and all values are in slots in its SRAM, which are bound to
 * buffers there. A tensor in the SRAM must have a lane axis: it gets one of one element in front of
 * its own axes, so that views are as free as in DRAM. loom_build_command() adds such an axis to
 * them, and makes LOAD and STORE a COPY.
 *
 * Rejected: locations that are decided while commands are written. The placement of the arena needs
 * all live ranges, and groups must know which values are in DRAM before there are commands.
 */
#ifndef LOOM_STORAGE_H
#define LOOM_STORAGE_H

#include "image_pool.h"
#include "loom_place.h"
#include "loom_program.h"
#include "plan/build.h"
#include "ref.h"

struct loom_lower;

/**
 * enum loom_location_kind - where a value lives
 * @LOOM_LOCATION_NONE: nowhere: it is empty, or has no readers
 * @LOOM_LOCATION_INPUT: in an input's slot
 * @LOOM_LOCATION_WEIGHT: in the weights slot, once it is read
 * @LOOM_LOCATION_OUTPUT: in a slot that is visible outside
 * @LOOM_LOCATION_ARENA: in the arena
 * @LOOM_LOCATION_IMAGE: in an image, see image_pool.h
 * @LOOM_LOCATION_VIEW: in another value
 * @LOOM_LOCATION_PART: a part of a concatenation's result, or all of a RESHAPE's, computed there
 * @LOOM_LOCATION_SRAM: in SRAM only, inside a group
 */
enum loom_location_kind {
	LOOM_LOCATION_NONE,
	LOOM_LOCATION_INPUT,
	LOOM_LOCATION_WEIGHT,
	LOOM_LOCATION_OUTPUT,
	LOOM_LOCATION_ARENA,
	LOOM_LOCATION_IMAGE,
	LOOM_LOCATION_VIEW,
	LOOM_LOCATION_PART,
	LOOM_LOCATION_SRAM,
};

#define LOOM_LOCATION_NO_TENSOR	U32_MAX

/**
 * struct loom_location - where a value lives
 * @kind: kind of place
 * @root: id of the value that owns the bytes; its own if it is no view
 * @ref: its elements in the root's bytes; @ref.tensor is not used
 * @slot: slot, if it is a root
 * @offset: first byte in the slot, if it is a root
 * @tensor: tensor of the plan, if it is a root that has been read or written
 * @item: its number in the placement, or LOOM_PLACE_NONE
 * @part_of: PART, and OUTPUT that lies in another: the result of the concatenation or RESHAPE
 * @holder: value whose bytes in the slot it lies in, if it is a root: its own id or another OUTPUT
 * @axes: value whose axes the tensor has, if it is a root: its own id or a PART that fills it, so
 *	that each slice of the PART is a box of the tensor
 */
struct loom_location {
	enum loom_location_kind kind;
	u32 root;
	struct loom_ref ref;
	u32 slot;
	u64 offset;
	u32 tensor;
	u32 item;
	u32 part_of;
	u32 holder;
	u32 axes;
};

/**
 * struct loom_late_copy - an output that equals another
 * @value: the value
 * @output: index of the output
 */
struct loom_late_copy {
	const struct loom_value *value;
	u32 output;
};

/** alignment of values in the arena */
#define LOOM_NEURON_ALIGN_BYTES	64

/**
 * struct loom_storage_order - peak bytes of values alive at once, by the order of the nodes
 * @given_bytes: peak of the graph's order
 * @bytes: peak of the order selected
 * @proved: no order has a lower peak
 * @moved: the order selected is not the graph's
 */
struct loom_storage_order {
	u64 given_bytes;
	u64 bytes;
	bool proved;
	bool moved;
};

/**
 * struct loom_storage - places of all values
 * @graph: the graph
 * @build: receives slots and tensors
 * @locations: by value id
 * @slot_kinds: by slot
 * @in_sram: values are in the SRAM, because there is no other memory
 * @weights_slot: slot of the constants, or LOOM_LOCATION_NO_TENSOR
 * @weights_end: bytes of it in use
 * @in_rom: that slot is in ROM
 * @copied: by value id: a constant that is copied, and not only loaded; NULL: not needed
 * @copied_slot: slot of those, or LOOM_LOCATION_NO_TENSOR
 * @copied_end: bytes of it in use
 * @weights: constants in the order of their places
 * @num_weights: number of @weights
 * @weights_bytes: their sum
 * @outputs: by output: location of the value bound there: slot and offset
 * @observed: observed values in order
 * @num_observed: number of @observed
 * @copies: outputs to be copied at the end
 * @num_copies: number of @copies
 * @nodes: the nodes in the order in which they run
 * @order: peak bytes of that order
 * @span_first: by node: first node of its group, from which its values live; NULL: no groups
 * @span_last: by node: last node of its group
 * @placer: name of the strategy selected
 * @num_neurons: values in the arena
 * @neuron_bytes: their sum
 * @arena_bytes: size of the arena
 * @bound_bytes: lower bound of @arena_bytes
 * @pools: images
 * @num_pools: number of @pools
 * @num_images: values in images
 * @image_value_bytes: their sum
 * @image_bytes: sum of the sizes of @pools
 * @neurons: contents of the arena, from malloc
 */
struct loom_storage {
	const struct loom_graph *graph;
	struct loom_build *build;
	struct loom_location *locations;
	enum loom_slot_kind slot_kinds[DRM_LOOM_MAX_SLOTS];
	bool in_sram;
	u32 weights_slot;
	u64 weights_end;
	bool in_rom;
	bool *copied;
	u32 copied_slot;
	u64 copied_end;
	const struct loom_value **weights;
	u32 num_weights;
	u64 weights_bytes;
	struct loom_output_place {
		u32 slot;
		u64 offset;
	} *outputs;
	const struct loom_value **observed;
	u32 num_observed;
	struct loom_late_copy *copies;
	u32 num_copies;
	const struct loom_node **nodes;
	struct loom_storage_order order;
	u32 *span_first;
	u32 *span_last;
	const char *placer;
	u64 num_neurons;
	u64 neuron_bytes;
	u64 arena_bytes;
	u64 bound_bytes;
	struct loom_image_pool *pools;
	u32 num_pools;
	u32 num_images;
	u64 image_value_bytes;
	u64 image_bytes;
	struct loom_program_neuron *neurons;
};

/**
 * enum loom_storage_join - operands of a CONCAT that are computed in its result
 *
 * With all but LOOM_JOIN_NONE, those of a RESHAPE that is no view are computed in its result, too.
 *
 * @LOOM_JOIN_NONE: none: each is a value of its own, which the CONCAT copies
 * @LOOM_JOIN_NEAR: those that are computed shortly before it
 * @LOOM_JOIN_FAR: all that can be
 * @LOOM_JOIN_OWN: those that are computed shortly before it and have no other readers
 * @LOOM_JOINS: number of values
 */
enum loom_storage_join {
	LOOM_JOIN_NONE,
	LOOM_JOIN_NEAR,
	LOOM_JOIN_FAR,
	LOOM_JOIN_OWN,
	LOOM_JOINS,
};

/**
 * struct loom_storage_options - options of storage
 * @placer: name of the placement strategy of the arena; NULL: the default
 * @dram_align_bytes: alignment of rows of images; 0: none
 * @in_sram: there is no DRAM: its values are in slots in the SRAM
 * @in_rom: constants are in ROM
 * @observe_all: every value that the graph computes is observed
 * @observe: names of values that are observed
 * @num_observe: number of @observe
 * @reorder: the order of nodes may change if that reduces the arena
 * @join: operands of a CONCAT that are computed in its result, if possible
 */
struct loom_storage_options {
	const char *placer;
	u64 dram_align_bytes;
	bool in_sram;
	bool in_rom;
	bool observe_all;
	const char *const *observe;
	u32 num_observe;
	bool reorder;
	enum loom_storage_join join;
};

/**
 * loom_storage_init() - decide for all values
 * @storage: [out] clear with loom_storage_clear(), on failure, too
 * @graph: the graph
 * @build: receives slots
 * @options: observed values, order, joined concatenations
 * @err: [out] one line on failure
 *
 * Return: 0; -EINVAL for invalid options; -E2BIG; -ENOMEM.
 */
int loom_storage_init(struct loom_storage *storage, const struct loom_graph *graph,
		      struct loom_build *build, const struct loom_storage_options *options,
		      struct loom_error *err);
/** loom_storage_slot() - a new slot of the plan; its size may be set later. Returns its index */
u32 loom_storage_slot(struct loom_storage *storage, enum loom_slot_kind kind, u32 flags);
/**
 * loom_storage_place() - places the arena
 * @storage: locations must be decided, also those in SRAM only
 * @options: placer
 * @err: [out] one line on failure
 *
 * Return: 0 or -errno.
 */
int loom_storage_place(struct loom_storage *storage, const struct loom_storage_options *options,
		       struct loom_error *err);
/**
 * loom_storage_tensor_at() - a tensor of the plan in a slot
 * @storage: the slots
 * @tensor: all but its region, dims and strides, which are those of a DRAM tensor; changed
 * @elems: number of its elements
 *
 * Return: its index.
 */
u32 loom_storage_tensor_at(struct loom_storage *storage, struct drm_loom_plan_tensor *tensor,
			   u64 elems);
/** loom_storage_weights_bytes() - upper limit on the bytes of the constants of a graph */
u64 loom_storage_weights_bytes(const struct loom_graph *graph);
/** loom_storage_set_root() - makes a location own its bytes, row-major */
void loom_storage_set_root(struct loom_location *location, enum loom_location_kind kind,
			   const struct loom_value *value);
/** loom_storage_moves_only() - RESHAPE, TRANSPOSE, SLICE, EXPAND */
bool loom_storage_moves_only(const struct loom_node *node);
/** loom_storage_join() - makes operands of concatenations parts of it if possible. 0 or -ENOMEM */
int loom_storage_join(struct loom_storage *storage, enum loom_storage_join join);
/** loom_storage_joins_differ() - whether some operand is joined by one of both only */
bool loom_storage_joins_differ(const struct loom_graph *graph, enum loom_storage_join a,
			       enum loom_storage_join b);
/** loom_storage_joins_sources() - whether the operand of some RESHAPE can be joined */
bool loom_storage_joins_sources(const struct loom_graph *graph);
/** loom_storage_keep_order() - keeps the graph's order of nodes */
void loom_storage_keep_order(struct loom_storage *storage);
/** loom_storage_order() - finds an order of the nodes with a low peak, see order.h; 0 or -errno */
int loom_storage_order(struct loom_storage *storage);
/** loom_storage_order_chains() - runs chains to outputs as early as possible. 0 or -ENOMEM */
int loom_storage_order_chains(struct loom_storage *storage);
/** loom_storage_finish() - sets the sizes that are known only at the end */
void loom_storage_finish(struct loom_storage *storage);
/** loom_storage_clear() - frees what @storage holds */
void loom_storage_clear(struct loom_storage *storage);

/** loom_storage_read() - the place of an operand's elements; its tensor is made on first use */
int loom_storage_read(struct loom_lower *lower, const struct loom_value *value,
		      struct loom_ref *ref);
/** loom_storage_write() - the place of a node's result: row-major; dense except for images */
int loom_storage_write(struct loom_lower *lower, const struct loom_value *value,
		       struct loom_ref *ref);
/** loom_storage_tensor() - the plan's tensor of a value that owns its bytes; made on first use */
u32 loom_storage_tensor(struct loom_lower *lower, u32 value);
/** loom_storage_in_image() - whether the value of @ref lies in an image */
bool loom_storage_in_image(const struct loom_lower *lower, const struct loom_ref *ref);
/** loom_storage_is_view() - no command is needed for this value: it is a view of another */
bool loom_storage_is_view(const struct loom_lower *lower, const struct loom_value *value);
/** loom_storage_is_joined() - an operand of a CONCAT is computed in its place in the result */
bool loom_storage_is_joined(const struct loom_lower *lower, const struct loom_value *value,
			    const struct loom_value *concat);
/** loom_storage_view() - RESHAPE, TRANSPOSE, SLICE, EXPAND: the result as a view of the operand */
bool loom_storage_view(const struct loom_node *node, const struct loom_ref *operand,
		       struct loom_ref *ref);
/** loom_storage_unview() - RESHAPE, TRANSPOSE: place of the operand if the result is at @ref */
bool loom_storage_unview(const struct loom_node *node, const struct loom_ref *result,
			 struct loom_ref *ref);
/** loom_storage_copy_late() - copies the outputs that equal another */
int loom_storage_copy_late(struct loom_lower *lower);

#endif /* LOOM_STORAGE_H */
