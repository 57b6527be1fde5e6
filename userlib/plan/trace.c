// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "draw/draw.h"
#include "timeline.h"

/**
 * DOC: Traces of plans
 *
 * The timeline of a plan as Chrome trace events, which Perfetto and chrome://tracing show: a
 * process for the chip; threads for the groups, for the DMA stream and for the compute stream; an
 * event for each command, from its first cycle to its last; and counters of the SRAM alive and of
 * the DRAM traffic, which is averaged over a step.
 *
 * Times are microseconds with six decimals, rounded down to picoseconds from absolute cycles, never
 * from durations: so an event ends exactly where the next one begins. One event is one line of the
 * text.
 *
 * Rejected: Perfetto's own format. It is smaller, but needs protocol buffers, and only one viewer
 * reads it.
 */

#define PS_PER_US	1000000ULL

/* The process, and its threads from above. */
#define TRACE_PROCESS	1

enum trace_thread {
	TRACE_GROUPS = 1,
	TRACE_DMA,
	TRACE_COMPUTE,
};

/**
 * struct trace - a trace that is being written
 * @out: the stream
 * @time: the plan
 * @tensors: tensors of the plan
 * @comma: an event was written before
 */
struct trace {
	FILE *out;
	struct loom_timeline time;
	const struct drm_loom_plan_tensor *tensors;
	bool comma;
};

static void trace_string(const struct trace *t, const char *text)
{
	fputc('"', t->out);
	if (text)
		loom_draw_json(t->out, text, strlen(text));
	fputc('"', t->out);
}

/* A member whose value is a time. */
static void trace_time(const struct trace *t, const char *key, u64 ps)
{
	fprintf(t->out, ", \"%s\": %llu.%06llu", key, (unsigned long long)(ps / PS_PER_US),
		(unsigned long long)(ps % PS_PER_US));
}

static void trace_u64(const struct trace *t, const char *key, u64 value)
{
	fprintf(t->out, ", \"%s\": %llu", key, (unsigned long long)value);
}

/* Begins an event and leaves it open for more members. */
static void trace_open(struct trace *t, const char *phase, u32 thread)
{
	fprintf(t->out, "%s\n{\"ph\": \"%s\", \"pid\": %u", t->comma ? "," : "", phase,
		TRACE_PROCESS);
	if (thread)
		trace_u64(t, "tid", thread);
	t->comma = true;
}

static void trace_span(const struct trace *t, u64 first, u64 end)
{
	const u64 ps = loom_timeline_ps(t->time.chip, first);

	trace_time(t, "ts", ps);
	trace_time(t, "dur", loom_timeline_ps(t->time.chip, end) - ps);
}

static void trace_thread_name(struct trace *t, enum trace_thread thread, const char *name)
{
	trace_open(t, "M", thread);
	fprintf(t->out, ", \"name\": \"thread_name\", \"args\": {\"name\": \"%s\"}}", name);
	trace_open(t, "M", thread);
	fprintf(t->out, ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %u}}",
		thread);
}

static void trace_names(struct trace *t, const char *title)
{
	trace_open(t, "M", 0);
	fputs(", \"name\": \"process_name\", \"args\": {\"name\": \"", t->out);
	loom_draw_json(t->out, t->time.chip->name, strlen(t->time.chip->name));
	if (title) {
		fputs(": ", t->out);
		loom_draw_json(t->out, title, strlen(title));
	}
	fputs("\"}}", t->out);
	trace_thread_name(t, TRACE_GROUPS, "groups");
	trace_thread_name(t, TRACE_DMA, "DMA");
	trace_thread_name(t, TRACE_COMPUTE, "compute");
}

static void trace_group(struct trace *t, u32 index)
{
	const struct loom_program_group *group = &t->time.program->groups[index];
	const struct loom_program_node *nodes = t->time.program->nodes;
	const u64 first = t->time.begin[group->first_step];
	const u64 end = t->time.begin[group->first_step + group->num_steps];

	trace_open(t, "X", TRACE_GROUPS);
	fprintf(t->out, ", \"name\": \"group %u\"", index + 1);
	trace_span(t, first, end);
	fprintf(t->out, ", \"args\": {\"first_step\": %u, \"steps\": %u, \"slices\": %u",
		group->first_step, group->num_steps, group->slices);
	fputs(", \"first_node\": ", t->out);
	trace_string(t, nodes[group->first_node].name);
	fputs(", \"last_node\": ", t->out);
	trace_string(t, nodes[group->last_node].name);
	trace_u64(t, "dram_read_bytes", group->dram_read_bytes);
	trace_u64(t, "dram_write_bytes", group->dram_write_bytes);
	trace_u64(t, "macs", group->macs);
	trace_u64(t, "cycles", end - first);
	fputs("}}", t->out);
}

/* Writes "Conv 'name'" of the node of a command, or the value that it computes. */
static void trace_command_name(const struct trace *t, u32 node, u32 tensor)
{
	const struct loom_program *program = t->time.program;

	fputs(", \"name\": \"", t->out);
	if (node == LOOM_NODE_NONE) {
		loom_draw_json(t->out, program->labels[tensor].name,
			       strlen(program->labels[tensor].name));
	} else {
		const char *op = program->nodes[node].op, *name = program->nodes[node].name;

		loom_draw_json(t->out, op ? op : "", op ? strlen(op) : 0);
		fputc(' ', t->out);
		loom_draw_json(t->out, name ? name : "", name ? strlen(name) : 0);
	}
	fputc('"', t->out);
}

static void trace_command(struct trace *t, u32 step, u32 index, enum loom_stream stream, u64 begin)
{
	const struct drm_loom_plan_command *command = &t->time.commands[index];
	const struct drm_loom_plan_view *views = &t->time.views[command->first_view];
	const u32 node = t->time.program->command_nodes[index];
	const u32 group = loom_plan_group(t->time.program, step, index);
	u64 moved[DRM_LOOM_CHIP_REGIONS] = { 0 };
	u32 i;

	for (i = 0; i < command->operands; i++)
		moved[t->tensors[views[i].tensor].region] +=
			loom_build_bytes(command->opcode, views, i);
	trace_open(t, "X", stream == LOOM_STREAM_DMA ? TRACE_DMA : TRACE_COMPUTE);
	trace_command_name(t, node, views[0].tensor);
	fprintf(t->out, ", \"cat\": \"%s\"", loom_op_get(command->opcode)->name);
	trace_span(t, begin, begin + t->time.cycles[index]);
	fprintf(t->out, ", \"args\": {\"step\": %u, \"group\": %u, \"opcode\": \"%s\"", step,
		group + 1, loom_op_get(command->opcode)->name);
	if (node != LOOM_NODE_NONE) {
		fputs(", \"operator\": ", t->out);
		trace_string(t, t->time.program->nodes[node].name);
	}
	fputs(", \"result\": ", t->out);
	trace_string(t, t->time.program->labels[views[0].tensor].name);
	trace_u64(t, "bytes", loom_build_bytes(command->opcode, views, 0));
	trace_u64(t, "dram_bytes", moved[DRM_LOOM_REGION_DRAM]);
	if (t->time.chip->region[DRM_LOOM_REGION_ROM].banks)
		trace_u64(t, "rom_bytes", moved[DRM_LOOM_REGION_ROM]);
	trace_u64(t, "macs", loom_build_macs(command->opcode, views));
	trace_u64(t, "cycles", t->time.cycles[index]);
	fputs("}}", t->out);
}

static void trace_stream(struct trace *t, u32 step, enum loom_stream stream)
{
	u32 count, first = loom_timeline_commands(&t->time, step, stream, &count), i;
	u64 at = loom_timeline_start(&t->time, step, stream);

	for (i = first; i < first + count; i++) {
		trace_command(t, step, i, stream, at);
		at += t->time.cycles[i];
	}
}

/* Bytes that a step moves in its time, as bytes per second; a step has at least one cycle. */
static u64 trace_rate(const struct trace *t, u64 bytes, u64 cycles)
{
	return (u64)((__uint128_t)bytes * t->time.chip->frequency_hz / cycles);
}

static void trace_counters(struct trace *t, u64 cycle, u64 sram_bytes, u64 read, u64 write)
{
	const u64 ps = loom_timeline_ps(t->time.chip, cycle);

	trace_open(t, "C", 0);
	fputs(", \"name\": \"SRAM alive per lane\"", t->out);
	trace_time(t, "ts", ps);
	fprintf(t->out, ", \"args\": {\"bytes\": %llu}}", (unsigned long long)sram_bytes);
	trace_open(t, "C", 0);
	fputs(", \"name\": \"DRAM bytes/s\"", t->out);
	trace_time(t, "ts", ps);
	fprintf(t->out, ", \"args\": {\"read\": %llu, \"write\": %llu}}", (unsigned long long)read,
		(unsigned long long)write);
}

static void trace_steps(struct trace *t)
{
	u32 i;

	for (i = 0; i < t->time.num_steps; i++) {
		const struct loom_step_cost *cost = &t->time.costs[i];

		trace_counters(t, t->time.begin[i], cost->sram_bytes,
			       trace_rate(t, cost->dram_read_bytes, cost->cycles),
			       trace_rate(t, cost->dram_write_bytes, cost->cycles));
		trace_stream(t, i, LOOM_STREAM_DMA);
		trace_stream(t, i, LOOM_STREAM_COMPUTE);
	}
	trace_counters(t, t->time.begin[t->time.num_steps], 0, 0, 0);
}

static void trace_write(struct trace *t, const char *title)
{
	const struct drm_loom_chip *chip = t->time.chip;
	u32 i;

	fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"chip\": ", t->out);
	trace_string(t, chip->name);
	trace_u64(t, "frequency_hz", chip->frequency_hz);
	trace_u64(t, "cycles", t->time.begin[t->time.num_steps]);
	fputs("}, \"traceEvents\": [", t->out);
	trace_names(t, title);
	for (i = 0; i < t->time.program->num_groups; i++)
		trace_group(t, i);
	trace_steps(t);
	fputs("\n]}\n", t->out);
}

int loom_program_trace(const struct loom_program *program, const struct drm_loom_chip *chip,
		       const char *title, char **text, size_t *size_bytes)
{
	const struct drm_loom_plan_header *header = program->plan;
	struct trace trace = {
		.tensors = (const void *)((const u8 *)program->plan + header->tensors.offset),
	};
	const int saved = errno;
	bool failed;
	int ret;

	*text = NULL;
	ret = loom_timeline_open(&trace.time, program, chip);
	if (!ret) {
		trace.out = open_memstream(text, size_bytes);
		ret = trace.out ? 0 : -ENOMEM;
	}
	if (!ret) {
		trace_write(&trace, title);
		failed = ferror(trace.out);
		if (fclose(trace.out) || failed) {
			free(*text);
			*text = NULL;
			ret = -ENOMEM;
		}
	}
	loom_timeline_close(&trace.time);
	errno = saved;
	return ret;
}
