/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files of loom place. */
#ifndef TOOL_PLACE_H
#define TOOL_PLACE_H

#include "tool.h"

#include "loom_place_file.h"
#include "loom_tflite.h"

/* ranges of --forbid, at most */
#define TOOL_PLACE_RANGES	64

/**
 * struct tool_placing - the command line, the problem and the answer
 * @command: for messages about the command line
 * @path: of the file, or "-"
 * @output: file for the answer, or NULL
 * @picture: file for the picture, or NULL
 * @picture_before: file for the picture of the previous placement, or NULL
 * @json: the summary is JSON
 * @anew: ignore the offsets in the file
 * @minimize: as low as possible, even below the capacity
 * @check: of a TensorFlow Lite file: judge the plan that it has
 * @reorder: of a TensorFlow Lite file: other orders of its operators may be taken
 * @library: of a TensorFlow Lite file: library of kernels for its whole arena, or NULL
 * @capacity_bytes: limit of the placement, or LOOM_PLACE_ANYWHERE
 * @options: for the placer
 * @memory: a TensorFlow Lite file, or NULL; @csv is made of it
 * @runtime: of that, with @library: the whole arena
 * @before: of that: placement by its runtime, or by its own plan
 * @csv: the file
 * @pools: of --pool; else one, which has the capacity
 * @pool_names: their names; NULL where there is one without
 * @num_pools: number of @pools
 * @forbidden: offsets that nothing may touch, ascending
 * @num_forbidden: number of @forbidden
 * @items: those of @csv with @forbidden, if there are any
 * @explain: print the items of the peak
 * @problem: of @csv, with @pools
 * @result: the answer
 * @asked_ns: limit from --time, or 0
 * @read_ns: time of the processor that reading took
 * @used_ns: time of the processor until the placement was checked
 * @took_ns: time of the search, and of the check
 */
struct tool_placing {
	const struct tool_command *command;
	const char *path;
	const char *output;
	const char *picture;
	const char *picture_before;
	bool json;
	bool anew;
	bool minimize;
	bool check;
	bool reorder;
	const char *library;
	uint64_t capacity_bytes;
	struct loom_place_options options;
	struct loom_tflite_memory *memory;
	struct loom_tflite_runtime runtime;
	struct loom_place_result before;
	struct loom_place_csv *csv;
	struct loom_place_pool pools[LOOM_PLACE_MAX_POOLS];
	const char *pool_names[LOOM_PLACE_MAX_POOLS];
	unsigned int num_pools;
	struct loom_place_range forbidden[TOOL_PLACE_RANGES];
	unsigned int num_forbidden;
	struct loom_place_item *items;
	bool explain;
	struct loom_place_problem problem;
	struct loom_place_result result;
	int64_t asked_ns;
	int64_t read_ns;
	int64_t used_ns;
	int64_t took_ns;
};

/**
 * struct tool_place_text - a file to be written
 * @text: from malloc
 * @size_bytes: its size
 * @save: where
 */
struct tool_place_text {
	char *text;
	size_t size_bytes;
	struct tool_save save;
};

/** tool_place_load_tflite() - a TensorFlow Lite file, and a problem made of it */
int tool_place_load_tflite(struct tool_placing *place);
/** tool_place_check_tflite() - judges the plan in it; 0 or TOOL_FAILED after a line */
int tool_place_check_tflite(const struct tool_placing *place);
/** tool_place_solve_before() - where tensors are without the answer */
int tool_place_solve_before(struct tool_placing *place);
/** tool_place_make_tflite() - the file with the answer */
int tool_place_make_tflite(const struct tool_placing *place, struct tool_place_text *answer);
/** tool_place_print_before() - a line about the previous placement, and about moved operators */
void tool_place_print_before(const struct tool_placing *place);
/** tool_place_print_runtime() - lines about the whole arena */
void tool_place_print_runtime(const struct tool_placing *place);
/** tool_place_put_runtime() - the same as JSON */
void tool_place_put_runtime(const struct tool_placing *place, struct json *json);

/* placing/pools.c */

/** tool_place_add_pool() - an argument of --pool, which is taken apart; 0 or TOOL_USAGE */
int tool_place_add_pool(struct tool_placing *place, char *text);
/** tool_place_add_forbidden() - an argument of --forbid, likewise */
int tool_place_add_forbidden(struct tool_placing *place, char *text);
/** tool_place_set_pools() - pools and forbidden ranges for the problem that was read */
int tool_place_set_pools(struct tool_placing *place);
/** tool_place_print_pools() - a line for each pool, and the cost */
void tool_place_print_pools(const struct tool_placing *place);
/** tool_place_put_pools() - the same as JSON */
void tool_place_put_pools(const struct tool_placing *place, struct json *json);

/* placing/explain.c */

/** tool_place_explain() - prints which items make the peak of each pool */
int tool_place_explain(const struct tool_placing *place);
/** tool_place_refuse_pools() - TOOL_FAILED after a line with the pools and their items */
int tool_place_refuse_pools(const struct tool_placing *place, const struct loom_place_fault *fault);

#endif /* TOOL_PLACE_H */
