/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_INPUTS_H
#define LOOM_TOOL_INPUTS_H

/* Inputs of a model from --input. */

#include "tool.h"

/**
 * struct tool_inputs - the files of a command line, and the inputs that they become
 *
 * A run needs all of it. Planning only needs sizes of open dimensions, and the values that shapes
 * depend on.
 *
 * @typed: --input as typed; parts of the command line
 * @num_typed: number of @typed
 * @items: how many items the files hold
 * @picture: how pictures become inputs
 * @arrays: those that were given, found by their names
 * @num_arrays: number of @arrays
 */
struct tool_inputs {
	const char **typed;
	uint32_t num_typed;
	uint32_t items;
	struct tool_input_options picture;
	struct loom_array *arrays;
	uint32_t num_arrays;
};

/**
 * enum tool_inputs_option - getopt_long() options that say how pictures become inputs
 * @TOOL_INPUTS_SCALE: --scale
 * @TOOL_INPUTS_MEAN: --mean
 * @TOOL_INPUTS_STD: --std
 * @TOOL_INPUTS_ORDER: --order
 * @TOOL_INPUTS_FIT: --fit
 */
enum tool_inputs_option {
	TOOL_INPUTS_SCALE = 384,
	TOOL_INPUTS_MEAN,
	TOOL_INPUTS_STD,
	TOOL_INPUTS_ORDER,
	TOOL_INPUTS_FIT,
};

#define TOOL_INPUTS_PICTURE_HELP \
	"  --scale S            default 1/255\n" \
	"  --mean M[,M,M]       default 0.5\n" \
	"  --std S[,S,S]        default 0.5\n" \
	"  --order rgb|bgr      default bgr if channels come first, else rgb\n" \
	"  --fit pad|stretch    default pad if the model leaves the width open, else stretch\n"

/* For a command that only plans. */
#define TOOL_INPUTS_PLAN_HELP \
	"  -i, --input [NAME=]FILE   as for loom run; gives open dimensions, and values\n" \
	"                       that shapes depend on\n"

/** tool_inputs_init() - nothing is given, one item, and the defaults for pictures */
void tool_inputs_init(struct tool_inputs *inputs);
/** tool_inputs_add() - takes an --input; returns 0 or TOOL_FAILED */
int tool_inputs_add(struct tool_inputs *inputs, const char *typed);
/** tool_inputs_set() - takes an option for pictures; returns 0, or TOOL_USAGE after a message */
int tool_inputs_set(const struct tool_command *command, struct tool_inputs *inputs,
		    enum tool_inputs_option option, const char *value);
/**
 * tool_inputs_load() - reads the files, and binds the shapes of the inputs
 * @inputs: the files; kept as long as @model
 * @model: opened, not finished
 *
 * Return: 0, or TOOL_FAILED after a message.
 */
int tool_inputs_load(struct tool_inputs *inputs, struct tool_model *model);
/**
 * tool_inputs_given() - what was given for an input of the graph
 * @inputs: loaded
 * @model: finished
 * @info: the input
 *
 * Return: an array, which is empty for a state that was not given; NULL, and says that it was not
 * given.
 */
const struct loom_array *tool_inputs_given(const struct tool_inputs *inputs,
					   const struct tool_model *model,
					   const struct loom_tensor_info *info);
void tool_inputs_clear(struct tool_inputs *inputs);

#endif /* LOOM_TOOL_INPUTS_H */
