/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TOOL_RUN_H
#define LOOM_TOOL_RUN_H

/* A run: declarations shared by cmd_run.c and run_many.c. */

#include "loom_run.h"
#include "inputs.h"
#include "tool.h"

/**
 * struct tool_run - a run from the command line to the results
 * @command: for messages about the command line
 * @model: the network
 * @planned: it is a program file
 * @program: --program was given
 * @device: --device
 * @devices: --devices, or NULL
 * @frames: the items of @inputs are --frames: they are a stream
 * @pipeline: --pipeline
 * @inputs: --input, and how many items there are
 * @outputs: --output as typed
 * @num_outputs: number of @outputs
 * @labels: --labels, or NULL
 * @top: --top, or 0
 * @observe: --observe-all, or NULL
 * @save_inputs: --save-inputs, or NULL
 * @save_outputs: --save-outputs, or NULL
 * @reports: --memory-reports, or NULL
 * @repeat: --repeat
 * @threads: --threads, or 0
 * @json: --json
 * @progress: --progress
 * @target: where it runs
 * @session: the program on @target
 * @results: outputs
 * @num_results: number of @results
 * @text: the output, decoded with @labels and without @top
 * @classes: with @top, the most likely classes
 * @best_ns: time of the fastest run
 */
struct tool_run {
	const struct tool_command *command;
	struct tool_model model;
	bool planned;
	bool program;
	const char *device;
	char *devices;
	bool frames;
	bool pipeline;
	struct tool_inputs inputs;
	const char **outputs;
	uint32_t num_outputs;
	const char *labels;
	uint32_t top;
	const char *observe;
	const char *save_inputs;
	const char *save_outputs;
	const char *reports;
	uint32_t repeat;
	uint32_t threads;
	bool json;
	bool progress;
	struct loom_target *target;
	struct loom_session *session;
	struct loom_array *results;
	uint32_t num_results;
	struct tool_text text;
	struct tool_top classes;
	int64_t best_ns;
};

/**
 * tool_run_check_outputs() - check that all outputs can be written, before the work
 * @run: its graph is finished
 *
 * Return: 0, or TOOL_FAILED after a message.
 */
int tool_run_check_outputs(const struct tool_run *run);
/** tool_run_save_outputs() - writes what --output names; 0 or TOOL_FAILED */
int tool_run_save_outputs(const struct tool_run *run);
/**
 * tool_run_repeat() - run as often as was asked for, and keep the time of the fastest
 * @run: from the command line
 * @once: runs once, and tells how far it is; returns 0 or an exit status
 * @arg: for @once
 *
 * Return: 0 or the exit status.
 */
int tool_run_repeat(struct tool_run *run, int (*once)(void *arg, struct tool_progress *progress),
		    void *arg);
/** tool_run_seconds() - time of cycles on a chip in seconds; 0 if it has no clock */
double tool_run_seconds(const struct drm_loom_chip *chip, uint64_t cycles);
/** tool_run_save() - writes all that is to be written of the results; 0, or an exit status */
int tool_run_save(struct tool_run *run);
/** tool_run_many() - plans and runs on several devices, or several items; 0, or an exit status */
int tool_run_many(struct tool_run *run);

#endif /* LOOM_TOOL_RUN_H */
