/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_H
#define LOOM_TOOL_H

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "loom.h"
#include "loom_planner.h"
#include "loom_chip.h"
#include "loom_chip_file.h"

/**
 * DOC: The loom tool
 *
 * The command line, a user of the public library: it includes public headers, and of core
 * loom_chip.h alone, for the macros that come with it.
 *
 * main.c has the table of subcommands; each is one file:
 *
 * * cmd_info.c, cmd_report.c, cmd_top.c: properties of a device, and contents of its memory
 * * record.c: lifetimes of buffers, for loom report
 * * cmd_fit.c: whether buffers would fit there
 * * cmd_chips.c, cmd_device.c: descriptions of chips, and software devices made of them
 * * cmd_model.c: contents of a model
 * * cmd_plan.c, cmd_run.c: plan a model; run it
 * * calibrate/: fits a description of a chip to measured times
 * * cmd_compile.c, cmd_join.c, cmd_inspect.c: write a program file; join some; print the contents
 * * view/cmd_view.c: write a page to explore a plan
 * * run_many.c: run it on several devices, or several items
 * * sweep/: plan models for a grid of chips, by a script
 * * cmd_place.c: placement problems from files
 *
 * They share:
 *
 * * model.c: the options for planning a model, and its summary
 * * program.c: a model that comes planned, from a file
 * * option.c: options, and messages about them; the bindings of a model
 * * stream.c: standard output and error, filtered
 * * inputs.c: --input
 * * input.c, output.c: files that become inputs, arrays that become files
 * * labels.c: the output of a text recogniser as text
 * * costs/explain.c, costs/peak.c, replay.c: groups and peaks explained, a plan checked
 * * tensors.c: where and when the tensors of a plan are
 * * arena.c, picture.c: the arena as a file, arena and plan as pictures
 * * print.c, json.c, save.c, progress.c: text, JSON, files that are written, progress
 *
 * A command returns its exit status: 0, TOOL_FAILED if it failed, TOOL_USAGE if the command line is
 * wrong. A failure comes with one line on stderr.
 */

struct json;

#define TOOL_FAILED	1
#define TOOL_USAGE	2

/**
 * struct tool_command - a subcommand
 * @name: as typed
 * @usage: the arguments, in one line
 * @text: its purpose, in one line
 * @help: the options, a line each
 * @examples: complete commands, a line each; NULL for none
 * @collects: names and letters of options that may be given more than once, besides those of
 *	option.c; NULL for none
 * @run: runs it; argv[0] is the name. Returns the exit status
 */
struct tool_command {
	const char *name;
	const char *usage;
	const char *text;
	const char *help;
	const char *examples;
	const char *collects;
	int (*run)(int argc, char **argv);
};

extern const struct tool_command tool_calibrate;
extern const struct tool_command tool_chips;
extern const struct tool_command tool_compile;
extern const struct tool_command tool_device;
extern const struct tool_command tool_fit;
extern const struct tool_command tool_info;
extern const struct tool_command tool_inspect;
extern const struct tool_command tool_join;
extern const struct tool_command tool_model_table;
extern const struct tool_command tool_place;
extern const struct tool_command tool_plan;
extern const struct tool_command tool_report;
extern const struct tool_command tool_run;
extern const struct tool_command tool_sweep;
extern const struct tool_command tool_top;
extern const struct tool_command tool_verify;
extern const struct tool_command tool_view;

/* nodes.c */

/**
 * struct tool_node - a Loom node that is open
 * @device: the device
 * @backend: the driver that it is bound to: loom-soft, loom_pci
 */
struct tool_node {
	struct loom_device *device;
	char backend[64];
};

/**
 * struct tool_nodes - nodes of this machine
 * @nodes: in the order of their numbers
 * @count: number of @nodes
 */
struct tool_nodes {
	struct tool_node *nodes;
	size_t count;
};

/**
 * tool_nodes_open() - opens nodes
 * @path: of one, or NULL for all Loom nodes that there are
 * @nodes: [out] at least one, to be given to tool_nodes_close()
 *
 * Return: 0 or TOOL_FAILED after a message.
 */
int tool_nodes_open(const char *path, struct tool_nodes *nodes);
/** tool_nodes_close() - undoes tool_nodes_open() */
void tool_nodes_close(struct tool_nodes *nodes);
/** tool_nodes_json() - "devices": path, back end and topology of each */
void tool_nodes_json(const struct tool_nodes *nodes, struct json *json);

/**
 * tool_strategies_print() - lists the strategies of placement
 * @groupings: and those of grouping
 * @as_json: as JSON
 */
void tool_strategies_print(bool groupings, bool as_json);

/* option.c */

/**
 * tool_getopt() - getopt_long() that takes each option once, but for those that collect values
 * @command: the command
 * @argc: of the command
 * @argv: of the command
 * @shorts: as getopt_long() has them
 * @longs: likewise
 *
 * Return: as getopt_long(); '?', and tool_bad_option() has the line, for a repeated one as well.
 */
int tool_getopt(const struct tool_command *command, int argc, char **argv, const char *shorts,
		const struct option *longs);

/** tool_bad_option() - after '?': prints which option is wrong, and why; returns TOOL_USAGE */
int tool_bad_option(const struct tool_command *command, char **argv);

/** tool_fail() - prints "loom: ..." to stderr; returns TOOL_FAILED */
int tool_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** tool_usage() - the same for a wrong command line, with a hint at the help; returns TOOL_USAGE */
int tool_usage(const struct tool_command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** tool_set_jobs() - the value of --jobs. 0 or the status of an error that was said */
int tool_set_jobs(const struct tool_command *command, const char *text, unsigned int *jobs);
/** tool_parse_number() - a number from 0 up, with k, M or G if @suffix; 0 or -EINVAL */
int tool_parse_number(const char *text, bool suffix, int64_t *number);
/**
 * tool_set_number() - the value of an option that is a number above 0
 * @command: for the error
 * @option: its name, with dashes
 * @what: the expected value, for the error
 * @text: its value
 * @suffix: with k, M or G
 * @number: [out] the number
 *
 * Return: 0, or TOOL_USAGE after a line on stderr.
 */
int tool_set_number(const struct tool_command *command, const char *option, const char *what,
		    const char *text, bool suffix, uint64_t *number);

/* json.c */

/**
 * struct json - JSON text under construction
 * @file: where to
 * @depth: number of open objects and arrays
 * @first: the innermost of them is still empty
 */
struct json {
	FILE *file;
	int depth;
	bool first;
};

void json_begin(struct json *json, FILE *file);
void json_end(struct json *json);
/** json_open() - starts an object ('{') or an array ('['); @key is NULL inside arrays */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_string(struct json *json, const char *key, const char *value);
void json_dims(struct json *json, const char *key, uint32_t rank, const int64_t *dims);

/* print.c */

/** tool_file_size() - bytes of an open file, which is rewound; 0 or -errno */
int tool_file_size(FILE *file, size_t *size_bytes);

/** enough for tool_bytes(), tool_cycles(), tool_dims() */
#define TOOL_TEXT	192

/** tool_bytes() - "12.3 MiB" into @text, of TOOL_TEXT bytes; returns it */
const char *tool_bytes(char *text, uint64_t bytes);

/** tool_cycles() - "52.0 thousand cycles" into @text, of TOOL_TEXT bytes; returns it */
const char *tool_cycles(char *text, uint64_t cycles);

/** tool_dims() - "[1,3,48,?]" into @text; a negative dimension is open */
const char *tool_dims(char *text, uint32_t rank, const int64_t *dims);

/* stream.c */

/**
 * tool_streams_filter() - from now on nothing is printed that a terminal would obey
 *
 * In stdout and stderr newlines, tabs and characters that can be printed stay; all other bytes
 * become question marks.
 *
 * Return: 0 or -ENOMEM.
 */
int tool_streams_filter(void);

/**
 * tool_stream_raw() - bytes to a stream as they are: a file, or the tool's own control sequences
 * @file: stdout or stderr
 * @bytes: the bytes
 * @size: number of @bytes
 *
 * Return: 0 or -errno.
 */
int tool_stream_raw(FILE *file, const void *bytes, size_t size);

/**
 * tool_char_length() - bytes of a character of UTF-8 that can be printed
 * @text: its first byte
 * @left: bytes that may be read, at least one
 *
 * Return: bytes; 0 if it is not valid, or a control character, which a terminal would obey.
 */
size_t tool_char_length(const char *text, size_t left);

/**
 * tool_char_moves() - tell whether a character moves the text around it
 * @text: [in] the character
 * @length: [in] its bytes; must be what tool_char_length() has returned
 *
 * Return: true for line and paragraph separators and for bidirectional controls, which make a line
 * look like another one.
 */
bool tool_char_moves(const char *text, size_t length);

/** tool_stdout_error() - 0 if all that was printed was written, or -errno of what was not */
int tool_stdout_error(void);

/* save.c */

/**
 * struct tool_save - a file that is being written
 * @bytes: its content, not owned
 * @size_bytes: number of @bytes
 * @saving: from loom_file_stage(); NULL: standard output
 */
struct tool_save {
	const void *bytes;
	size_t size_bytes;
	struct loom_saving *saving;
};

/** tool_save_begin() - loom_file_stage(), or standard output for "-". Ends by tool_save_clear() */
int tool_save_begin(struct tool_save *save, const char *path, const void *bytes, size_t size_bytes);
/** tool_save_commit() - puts the file at its place */
int tool_save_commit(struct tool_save *save);
/** tool_save_clear() - removes a partial file that was not committed */
void tool_save_clear(struct tool_save *save);
/** tool_save() - all three calls; 0 or TOOL_FAILED after a message */
int tool_save(const char *path, const void *bytes, size_t size_bytes);

/* model.c */

/**
 * enum tool_stage - how far to go
 * @TOOL_STAGE_GRAPH: shapes bound, constants folded, fused
 * @TOOL_STAGE_SLICE: nodes were cut into slices that fit in SRAM
 * @TOOL_STAGE_PLACE: every tensor has its address
 * @TOOL_STAGE_PLAN: the plan is complete
 */
enum tool_stage {
	TOOL_STAGE_GRAPH,
	TOOL_STAGE_SLICE,
	TOOL_STAGE_PLACE,
	TOOL_STAGE_PLAN,
};

/**
 * struct tool_value - --value: an input that becomes a constant
 * @input: its name
 * @text: its elements, as typed
 */
struct tool_value {
	const char *input;
	const char *text;
};

/**
 * struct tool_model - a model on its way to a program
 * @path: of the file
 * @dims: --dim
 * @num_dims: number of @dims
 * @shapes: from --shape and from input files
 * @num_shapes: number of @shapes
 * @fixed: --value
 * @num_fixed: number of @fixed
 * @states: --state
 * @num_states: number of @states
 * @images: --image: names of tensors to keep in images; parts of the command line
 * @num_images: number of @images
 * @node_order: --node-order was given
 * @graph_flags: enum loom_graph_flags
 * @planner: options for the planner
 * @chip: --chip, or the default
 * @all_lanes: lanes of the chip that @part is of, 0 if it is not used
 * @part: the chip with fewer lanes, if it is planned for these
 * @lanes: --lanes, or 0
 * @preset: @chip, NULL where it was not given
 * @values: inputs whose content is known; not owned
 * @num_values: number of @values
 * @option: the first option that says how it is planned, as "--chip"; NULL: there is none
 * @graph: NULL until tool_model_open()
 * @file: in place of a graph, from tool_program_open()
 * @which: --program: of the programs of @file, from 0
 * @program: NULL until tool_model_plan() or tool_program_open()
 * @planned: @program, if it was planned now
 * @cached: @program, if it was planned before
 * @no_cache: plan in any case
 * @refusal: 0, or the -errno with which the planner refused it
 * @refused: why, where @refusal is not 0
 * @import_ns: time that graph and shapes took
 * @plan_ns: time that the planner took
 * @load_ns: time that @file took, in place of both
 */
struct tool_model {
	const char *path;
	struct loom_dim_binding *dims;
	uint32_t num_dims;
	struct loom_shape_binding *shapes;
	uint32_t num_shapes;
	struct tool_value *fixed;
	uint32_t num_fixed;
	struct loom_state_binding *states;
	uint32_t num_states;
	const char **images;
	uint32_t num_images;
	bool node_order;
	uint32_t graph_flags;
	struct loom_planner_options planner;
	struct drm_loom_chip chip;
	uint32_t all_lanes;
	struct drm_loom_chip part;
	uint64_t lanes;
	const struct drm_loom_chip *preset;
	const struct loom_array *values;
	uint32_t num_values;
	const char *option;
	struct loom_graph *graph;
	struct loom_program_file *file;
	uint64_t which;
	const struct loom_program *program;
	struct loom_program *planned;
	struct loom_program_file *cached;
	bool no_cache;
	int refusal;
	struct loom_error refused;
	int64_t import_ns;
	int64_t plan_ns;
	int64_t load_ns;
};

/* getopt_long() options from here on are the command's own, below are those of the model */
#define TOOL_OPT_FIRST	512

#define TOOL_MODEL_HELP \
	"  --dim NAME=N         size of an open dimension of the model\n" \
	"  --shape INPUT=N,N..  shape of an input\n" \
	"  --value INPUT=V,V..  the input becomes a constant: one branch of an If, for example\n" \
	"  --state OUTPUT=INPUT the output stays on the device as that input of the next run\n" \
	"  --chip FILE|NAME     plan for this chip: a YAML file, or a name that loom chips\n" \
	"                       lists; --topology is the same\n" \
	"  --lanes N            plan for N lanes of the chip; loom run takes so many of a\n" \
	"                       device, beside other partitions\n" \
	"  --strategy NAME      placement strategy for neurons in DRAM\n" \
	"  --grouping NAME      strategy for groups of nodes that run in SRAM: layergroup, or\n" \
	"                       layerwise with --image or --node-order; loom plan --strategies\n" \
	"                       lists all\n" \
	"  --objective NAME     minimise time on the chip's clock (default), bytes to and from\n" \
	"                       DRAM, or sram\n" \
	"  --max-recompute F    limit of multiply-accumulates: F times those without\n" \
	"                       recomputation; default with --objective sram: 1\n" \
	"  --max-bytes BYTES    with --objective sram: limit of bytes to and from DRAM\n" \
	"  --max-cycles CYCLES  with --objective sram: limit of cycles\n" \
	"  --effort 0..3        number of candidates: 0 plans at once, 2 is the default, 3 may\n" \
	"                       take minutes; a higher level is never worse\n" \
	"  --jobs N             threads; default: as many as processors. The plan does not\n" \
	"                       depend on it\n" \
	"  --time-budget MS     deprecated, use --effort: time to search for groups; counted as\n" \
	"                       work, so that every machine makes the same plan\n" \
	"  --max-memory BYTES   limit of memory for reading and planning\n" \
	"  --max-work UNITS     limit of work for reading and planning: about 20 million units\n" \
	"                       a second, counted, so that every machine refuses the same\n" \
	"  --no-cache           plan again, and do not store the program in the user's cache\n" \
	"  --sram BYTES         limit of SRAM per lane; default: the floor of a device (more\n" \
	"                       needs exclusive use of the device), or all of a chip\n" \
	"  --no-overlap         a step moves data or computes, not both\n" \
	"  --no-retime          do not move transfers to other steps\n" \
	"  --whole-sums         refuse a node that does not fit, instead of computing partial\n" \
	"                       sums, which may change the last bits of floats\n" \
	"  --node-order ORDER   without groups: memory (the lowest peak) or given\n" \
	"  --keep-all           do not fold or fuse nodes: every tensor keeps its name\n" \
	"  --image all|NAME,..  keep all computed tensors, or these, in images; NAME:nhwc\n" \
	"                       and NAME:weight say which axes are rows\n" \
	"  --load-images        load images to SRAM even if they could be used in place\n" \
	"  --load-weights       load constants to SRAM even if they could be used in place\n"

/** tool_model_getopt() - tool_getopt() with the options of the model besides @own */
int tool_model_getopt(const struct tool_command *command, int argc, char **argv,
		      const char *shorts, const struct option *own);
/** tool_model_option() - takes an option; returns 0, or TOOL_USAGE after a message */
int tool_model_option(const struct tool_command *command, struct tool_model *model, int option,
		      char *value);
/* option.c, too: options that bind open parts of a model */

/** tool_model_add_shape() - the same as --shape; returns 0 or TOOL_FAILED */
int tool_model_add_shape(struct tool_model *model, const char *input, uint32_t rank,
			 const int64_t *dims);
/** tool_model_parse_shape() - the same from "INPUT=N,N..", which is cut; or TOOL_USAGE */
int tool_model_parse_shape(const struct tool_command *command, struct tool_model *model,
			   char *value);
/** tool_model_parse_dim() - the same of --dim, "NAME=N" */
int tool_model_parse_dim(const struct tool_command *command, struct tool_model *model,
			 char *value);
/** tool_model_parse_value() - the same of --value, "INPUT=V,V.." */
int tool_model_parse_value(const struct tool_command *command, struct tool_model *model,
			   char *value);
/** tool_model_bind_dim() - the same as --dim; returns 0 or TOOL_FAILED */
int tool_model_bind_dim(struct tool_model *model, const struct loom_dim_binding *dim);
/** tool_model_parse_state() - the same of --state, "OUTPUT=INPUT" */
int tool_model_parse_state(const struct tool_command *command, struct tool_model *model,
			   char *value);

/* model.c */

/** tool_model_is_state() - --state was given for the input of that name */
bool tool_model_is_state(const struct tool_model *model, const char *input);
/** tool_model_default_chip() - &tool_model.chip where --chip was not given; 0 or TOOL_FAILED */
int tool_model_default_chip(struct tool_model *model);
/** tool_model_open() - reads the file; shapes are still open */
int tool_model_open(struct tool_model *model);
/**
 * tool_model_bind() - binds shapes, folds, fuses; the caller must report errors
 * @model: opened
 * @code: [out] what loom_graph_finish() returned
 * @err: [out] why, where that is not 0
 *
 * Return: 0, or TOOL_FAILED after a message: a --value that is none.
 */
int tool_model_bind(struct tool_model *model, int *code, struct loom_error *err);
/** tool_model_finish() - the same, with a message on failure */
int tool_model_finish(struct tool_model *model);
/** tool_model_plan() - plans for &tool_model.planner.chip */
int tool_model_plan(struct tool_model *model);
void tool_model_clear(struct tool_model *model);
/** tool_model_print() - the summary as text, up to @stage */
void tool_model_print(const struct tool_model *model, enum tool_stage stage);
/** tool_model_print_start() - how long it took until it could run */
void tool_model_print_start(const struct tool_model *model);
/** tool_model_json_start() - the same as members of the open object */
void tool_model_json_start(const struct tool_model *model, struct json *json);
/** tool_model_json() - the summary as members of the open object */
void tool_model_json(const struct tool_model *model, enum tool_stage stage, struct json *json);
/* program.c */

/** tool_program_open() - a model that comes planned, from a program file; 0 or TOOL_FAILED */
int tool_program_open(struct tool_model *model);
/** tool_program_parse() - --program: which one of a file; 0 or TOOL_USAGE */
int tool_program_parse(const struct tool_command *command, struct tool_model *model,
		       const char *value);
/** tool_program_fits() - whether the program of a file was made for that chip; 0 or TOOL_FAILED */
int tool_program_fits(const struct tool_model *model, const struct drm_loom_chip *chip);
/** tool_model_input() - loom_graph_input() of a graph, or the same of a program file */
int tool_model_input(const struct tool_model *model, uint32_t index,
		     struct loom_tensor_info *info);
/** tool_model_output() - loom_graph_output(), likewise */
int tool_model_output(const struct tool_model *model, uint32_t index,
		      struct loom_tensor_info *info);
/** tool_model_num_inputs() - loom_graph_num_inputs(), likewise */
uint32_t tool_model_num_inputs(const struct tool_model *model);
/** tool_model_num_outputs() - loom_graph_num_outputs(), likewise */
uint32_t tool_model_num_outputs(const struct tool_model *model);
/** tool_model_num_declared() - loom_graph_num_declared(), likewise */
uint32_t tool_model_num_declared(const struct tool_model *model);
/** tool_model_declared() - loom_graph_declared(), likewise: all shapes of a file are known */
int tool_model_declared(const struct tool_model *model, uint32_t index,
			struct loom_tensor_info *info, const char **dim_names, bool *has_shape);

/* picture.c */

/** tool_picture_parse_steps() - "10-20"; 0, or -1 for what is no range */
int tool_picture_parse_steps(const char *text, struct loom_program_svg_options *options);
/** tool_picture_save() - draws the plan of a planned model; 0 or TOOL_FAILED after a message */
int tool_picture_save(const struct tool_model *model, const char *path,
		      const struct loom_program_svg_options *steps);
/** tool_picture_trace() - writes the trace of a planned model; 0 or TOOL_FAILED after a message */
int tool_picture_trace(const struct tool_model *model, const char *path);

/* costs/explain.c */

/** tool_explain_print() - groups and the cuts between them, as text */
void tool_explain_print(const struct tool_model *model);
/** tool_explain_json() - the cuts as a member of the open object */
void tool_explain_json(const struct tool_model *model, struct json *json);

/** tool_explain_json_groups() - the groups alone */
void tool_explain_json_groups(const struct loom_program *program, struct json *json);

/* costs/peak.c */

struct tool_peaks;

/** tool_peaks_open() - what is alive in which group; NULL: no memory */
struct tool_peaks *tool_peaks_open(const struct loom_program *program);
/** tool_peaks_close() - undoes tool_peaks_open(); NULL is fine */
void tool_peaks_close(struct tool_peaks *peaks);
/** tool_peaks_print_arena() - the values that make the peak of the arena */
void tool_peaks_print_arena(const struct tool_peaks *peaks);
/** tool_peaks_print_group() - the tensors that make the peak of a group's SRAM */
void tool_peaks_print_group(const struct tool_peaks *peaks, uint32_t group);
/** tool_peaks_json_arena() - "arena_peak", with @most of its values, in the open object */
void tool_peaks_json_arena(const struct loom_program *program, uint32_t most, struct json *json);
/** tool_peaks_json() - "arena_peak" and "group_peaks" in the open object; 0 or TOOL_FAILED */
int tool_peaks_json(const struct loom_program *program, struct json *json);

/* curves/curves.c */

/**
 * struct tool_curves - a recording of buffers, and what to show of it
 * @path: file of the recording, "-": standard input or output
 * @picture: file for the curves as SVG, or NULL
 * @json: print them as JSON
 */
struct tool_curves {
	const char *path;
	const char *picture;
	bool json;
};

/** tool_curves_show() - prints, draws the recording in @text or the file; 0 or TOOL_FAILED */
int tool_curves_show(const struct tool_curves *curves, const char *text, size_t size_bytes);

/* record.c */

struct loom_device;

/**
 * tool_record() - follows the buffers of a region until a signal comes
 * @device: the device
 * @region: an &enum drm_loom_region
 * @seconds: to follow it, 0: until SIGINT or SIGTERM
 * @curves: file for the lifetimes, as CSV for loom place, and what is shown of them
 *
 * Return: 0, or TOOL_FAILED after a message.
 */
int tool_record(const struct loom_device *device, uint32_t region, double seconds,
		const struct tool_curves *curves);

/* tensors.c */

/** tool_tensors_json() - all tensors of a plan as a member of the open object; 0 or TOOL_FAILED */
int tool_tensors_json(const struct loom_program *program, struct json *json);

/* costs/bound.c */

/** tool_bound_memory() - name of the memory of slots: "DRAM", or its replacement on the chip */
const char *tool_bound_memory(const struct tool_model *model);
/** tool_bound_print() - bottleneck of a group, and remedies */
void tool_bound_print(const struct tool_model *model, uint32_t index);
/** tool_bound_print_all() - bottleneck of the whole plan */
void tool_bound_print_all(const struct tool_model *model);
/** tool_bound_json() - bottleneck of a group as members of the open object */
void tool_bound_json(const struct loom_program_group *group, struct json *json);

/* costs/least.c */

/** tool_least_print() - ratio of the plan to the lower bound */
void tool_least_print(const struct tool_model *model);
/** tool_least_explain() - reasons for the distance from the lower bound */
void tool_least_explain(const struct tool_model *model);
/** tool_least_json() - the same as members of the open object */
void tool_least_json(const struct loom_program *program, struct json *json);

/* costs/layers.c */

/** tool_speed_print() - milliseconds, inferences per second, utilisation; 0 or TOOL_FAILED */
int tool_speed_print(const struct tool_model *model);
/** tool_speed_json() - the same as members of the open object; 0 or TOOL_FAILED */
int tool_speed_json(const struct tool_model *model, struct json *json);
/**
 * tool_layer_shape() - "1x32x112x112"; axes of length 1 in the middle, which kernels insert, stay
 * @layer: the layer
 * @text: [out] TOOL_TEXT bytes
 *
 * Return: @text.
 */
const char *tool_layer_shape(const struct loom_program_layer *layer, char *text);
/** tool_layers_print() - a row for each layer, as a table or as CSV; 0 or TOOL_FAILED */
int tool_layers_print(const struct tool_model *model, bool csv);
/** tool_layers_json() - the same as a member of the open object; 0 or TOOL_FAILED */
int tool_layers_json(const struct tool_model *model, struct json *json);

/* arena.c */

/** tool_arena_save() - writes a planned model's arena as CSV and as a picture, unless NULL */
int tool_arena_save(const struct tool_model *model, const char *csv_path, const char *svg_path);

/* cmd_report.c */

struct loom_report_region;
/* follows figures of a client without CAP_PERFMON (DRM_LOOM_DEVICE_ROUNDED) */
#define TOOL_ROUNDED	"without CAP_PERFMON: what others have is rounded up or counts as allocated\n"

/** tool_report_rounded() - whether others' blocks are hidden in it, and so others' sums rounded */
bool tool_report_rounded(const struct loom_report_region *report);
/** tool_report_json() - a region as an element of the open array */
void tool_report_json(const struct loom_report_region *report, struct json *json);

/* input.c */

/**
 * struct tool_input_options - how pictures become tensors
 * @scale: factor for pixels
 * @mean: taken off after scaling, per channel
 * @std: divides after that, per channel
 * @order: "rgb", "bgr", or NULL: by the layout
 * @fit: "pad", "stretch", or NULL: by whether the model leaves the width open
 */
struct tool_input_options {
	float scale;
	float mean[4];
	float std[4];
	const char *order;
	const char *fit;
};

/**
 * tool_input_load() - reads a file for an input, with what the model and --dim say of its shape
 * @model: opened, not finished
 * @index: declared input
 * @path: the file
 * @items: items that it may hold, one after the other along the first dimension, or along one more
 *	in front of it
 * @options: for pictures
 * @array: [out] its name is the input's
 *
 * Return: 0, or TOOL_FAILED after a message.
 */
int tool_input_load(const struct tool_model *model, uint32_t index, const char *path,
		    uint32_t items, const struct tool_input_options *options,
		    struct loom_array *array);
/**
 * tool_input_values() - reads what --value has given
 * @model: opened, not finished
 * @constants: [out] an array for each, to be cleared and freed; NULL if there are none
 *
 * Return: 0, or TOOL_FAILED after a message; @constants has to be freed in any case.
 */
int tool_input_values(const struct tool_model *model, struct loom_array **constants);
/** tool_input_is_fixed() - --value was given for the input of that name */
bool tool_input_is_fixed(const struct tool_model *model, const char *name);
/**
 * tool_input_item() - the shape of one item
 * @model: opened, not finished
 * @index: declared input
 * @items: items that the array may hold; an array of another shape is the same for all
 * @array: that was loaded
 * @dims: [out] LOOM_GRAPH_RANK dimensions
 *
 * Return: how many dimensions there are.
 */
uint32_t tool_input_item(const struct tool_model *model, uint32_t index, uint32_t items,
			 const struct loom_array *array, int64_t *dims);

/* option.c: names in front of files */

/** tool_name_length() - bytes of NAME in "NAME=FILE"; 0 if that is a file by the looks of it */
int tool_name_length(const char *typed);
/**
 * tool_name_add() - add a name to a list of them
 * @text: the list, of TOOL_TEXT bytes; cut if they are too many
 * @at: bytes of it
 * @name: the name
 *
 * Return: bytes of the list.
 */
size_t tool_name_add(char *text, size_t at, const char *name);

/* output.c */

/**
 * tool_output_check() - whether a file can be written, so that no work is done in vain
 * @path: of the file, which is not touched; NULL and "-" can be
 *
 * Return: 0, or TOOL_FAILED and there is a line.
 */
int tool_output_check(const char *path);
/** tool_output_check_dir() - the same for a folder that is created if it is not there */
int tool_output_check_dir(const char *dir);
/** tool_output_save() - writes an array, as .npy or bare bytes by the name; 0 or TOOL_FAILED */
int tool_output_save(const struct loom_array *array, const char *path);
/** tool_output_save_in() - the same as NAME.npy in a folder, which is created; 0 or TOOL_FAILED */
int tool_output_save_in(const char *dir, const struct loom_array *array);
/** tool_output_save_all() - the same for all of @arrays, unless @dir is NULL; 0 or TOOL_FAILED */
int tool_output_save_all(const char *dir, const struct loom_array *arrays, uint32_t count);

/* labels.c */

/**
 * struct tool_labels - a file with a label in each line
 * @bytes: the file, its line ends replaced by zeroes
 * @lines: first byte of each line
 * @num_lines: number of @lines
 */
struct tool_labels {
	char *bytes;
	char **lines;
	uint32_t num_lines;
};

/** tool_labels_load() - reads a file of UTF-8; 0, or TOOL_FAILED after a message */
int tool_labels_load(const char *path, struct tool_labels *labels);
/** tool_labels_clear() - frees what tool_labels_load() has made */
void tool_labels_clear(struct tool_labels *labels);

/**
 * struct tool_text - the text of a CTC output
 * @text: UTF-8, from malloc
 * @confidence: mean probability of its characters
 * @num_chars: number of characters
 */
struct tool_text {
	char *text;
	double confidence;
	uint32_t num_chars;
};

/** tool_labels_decode() - greedy CTC decoding of an f32 [1,T,C] or [T,C] with a dictionary */
int tool_labels_decode(const char *dictionary, const struct loom_array *array,
		       struct tool_text *text);

/* outcome.c */

/** tool_outcome_print() - a line for each of @arrays, with its figures */
void tool_outcome_print(const struct loom_array *arrays, uint32_t count);
/** tool_outcome_json() - the same as a member of the open object */
void tool_outcome_json(const struct loom_array *arrays, uint32_t count, struct json *json);

/**
 * struct tool_class - a class of a classifier
 * @index: which one
 * @value: its value in the output
 */
struct tool_class {
	uint64_t index;
	double value;
};

/**
 * struct tool_top - the classes with the largest values
 * @classes: the largest first
 * @count: number of @classes
 * @labels: by class, or none
 */
struct tool_top {
	struct tool_class *classes;
	uint32_t count;
	struct tool_labels labels;
};

/**
 * tool_top_find() - the @count classes with the largest values of a row
 * @array: an output
 * @count: how many; fewer if there are not so many
 * @labels: a file with a label for each class, or NULL
 * @top: [out] zero before; tool_top_clear() also after a failure
 *
 * Return: 0, or TOOL_FAILED after a message.
 */
int tool_top_find(const struct loom_array *array, uint32_t count, const char *labels,
		  struct tool_top *top);
/** tool_top_print() - a line for each */
void tool_top_print(const struct tool_top *top);
/** tool_top_json() - the same as a member of the open object */
void tool_top_json(const struct tool_top *top, struct json *json);
/** tool_top_clear() - frees what tool_top_find() has made */
void tool_top_clear(struct tool_top *top);

/* progress.c */

/** tool_now_ns() - CLOCK_MONOTONIC */
int64_t tool_now_ns(void);

/**
 * struct tool_progress - a line on the terminal with the progress of a run
 * @what: name of the work
 * @start_ns: when it began
 * @drawn_ns: when it was drawn, by tool_progress_plan() alone
 * @visible: print at all
 * @shown: the line is not empty
 */
struct tool_progress {
	const char *what;
	int64_t start_ns;
	int64_t drawn_ns;
	bool visible;
	bool shown;
};

/** tool_progress_begin() - visible if stderr is a terminal, or @always */
void tool_progress_begin(struct tool_progress *progress, const char *what, bool always);
/** tool_progress_tick() - a loom_progress_fn; @arg is the struct tool_progress */
int tool_progress_tick(void *arg, uint64_t done, uint64_t total);
/** tool_progress_plan() - a loom_planning_fn, for a line that is visible; @arg likewise */
int tool_progress_plan(void *arg, const struct loom_progress *planning);
void tool_progress_end(struct tool_progress *progress);

/**
 * struct tool_ticker - such a line for a call that does not tell how far it is
 * @progress: the line
 * @runs: there is a thread
 * @thread: that draws it
 * @lock: protects @ended
 * @changed: @ended has
 * @ended: the call is over
 */
struct tool_ticker {
	struct tool_progress progress;
	bool runs;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ended;
};

/** tool_ticker_begin() - draws the seconds that go by, after the first, on a terminal */
void tool_ticker_begin(struct tool_ticker *ticker, const char *what);
/** tool_ticker_end() - and removes them */
void tool_ticker_end(struct tool_ticker *ticker);

/* replay.c */

struct loom_replay_report;

/** tool_replay() - checks the plan; each fault is a line on stderr. 0 or TOOL_FAILED */
int tool_replay(const struct tool_model *model, struct loom_replay_report **report);
void tool_replay_print(const struct loom_replay_report *report);
void tool_replay_json(const struct loom_replay_report *report, struct json *json);

#endif /* LOOM_TOOL_H */
