// SPDX-License-Identifier: MIT
/*
 * Traces of plans: JSON whatever the names; on each thread events come one after the other and do
 * not overlap, steps are in order; all commands are there, and their cycles add up to what the plan
 * promises, also on chips whose streams take turns and whose cycles are no round time.
 */
#include "chips.h"
#include "json.h"
#include "programs.h"

#include <inttypes.h>

#define GRAPHS	16

enum { GROUPS = 1, DMA, COMPUTE, THREADS };

static struct {
	unsigned int traces, events, bad_json, bad_bytes, overlaps, bad_order, bad_counts;
	unsigned int bad_cycles, bad_ends, counters, bad_counters, nodes, bad_nodes;
} seen;

/* The events of a trace, by thread. */
struct sums {
	uint64_t end_ps[THREADS];
	uint64_t cycles[THREADS];
	unsigned int events[THREADS];
	unsigned int step[THREADS];
	uint64_t counter_ps;
	unsigned int named;
};

/* The number of a member of an event, which is one line; @member with its quotes. */
static bool number_of(const char *line, const char *member, uint64_t *value)
{
	const char *end = strchr(line, '\n'), *at = strstr(line, member);

	return at && (!end || at < end) &&
	       sscanf(at + strlen(member), ": %" SCNu64, value) == 1;
}

/* Microseconds with six decimals, as picoseconds. */
static uint64_t time_of(const char *line, const char *member)
{
	const char *end = strchr(line, '\n'), *at = strstr(line, member);
	uint64_t us, rest;
	int digits = 0;

	if (!at || (end && at > end) ||
	    sscanf(at + strlen(member), ": %" SCNu64 ".%" SCNu64 "%n", &us, &rest, &digits) != 2)
		tap_fatal("an event without %s", member);
	return us * 1000000 + rest;
}

static void read_span(const char *line, struct sums *sums)
{
	uint64_t thread, ts = time_of(line, "\"ts\""), step = 0, cycles;
	const char *name;

	if (!number_of(line, "\"tid\"", &thread) || thread >= THREADS ||
	    !number_of(line, "\"cycles\"", &cycles))
		tap_fatal("an event without its thread or its cycles: %.80s", line);
	seen.overlaps += ts < sums->end_ps[thread];
	if (thread == GROUPS)
		seen.overlaps += ts != sums->end_ps[thread];
	else if (!number_of(line, "\"step\"", &step))
		tap_fatal("a command without a step: %.80s", line);
	seen.bad_order += step < sums->step[thread];
	sums->step[thread] = (unsigned int)step;
	sums->end_ps[thread] = ts + time_of(line, "\"dur\"");
	sums->cycles[thread] += cycles;
	sums->events[thread]++;
	name = strstr(line, "\"operator\"");
	sums->named += name && name < strchr(line, '\n');
}

static void read_events(const char *text, struct sums *sums)
{
	const char *line;

	for (line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
		if (!strncmp(line, "\n{\"ph\": \"X\"", 11)) {
			read_span(line + 1, sums);
		} else if (!strncmp(line, "\n{\"ph\": \"C\"", 11)) {
			uint64_t ts = time_of(line + 1, "\"ts\"");

			seen.counters++;
			seen.bad_counters += ts < sums->counter_ps;
			sums->counter_ps = ts;
		}
	}
}

static unsigned int count_nodes(const struct loom_program *program)
{
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < program->num_commands; i++) {
		seen.bad_nodes += program->command_nodes[i] != LOOM_NODE_NONE &&
				  program->command_nodes[i] >= program->num_nodes;
		count += program->command_nodes[i] != LOOM_NODE_NONE;
	}
	return count;
}

static void check_program(const struct loom_program *program, const struct drm_loom_chip *chip)
{
	const struct loom_program_stats *stats = &program->stats;
	const uint64_t end_ps = (uint64_t)((__uint128_t)stats->cycles * 1000000000000ULL /
					   chip->frequency_hz);
	struct sums sums = { 0 };
	char *text, *again;
	size_t size;

	if (loom_program_trace(program, chip, "\"a\\\n\x01\xff", &text, &size) ||
	    loom_program_trace(program, chip, "\"a\\\n\x01\xff", &again, &size))
		tap_fatal("a trace failed");
	seen.traces++;
	seen.bad_json += !json_valid(text);
	seen.bad_bytes += strlen(text) != size || strcmp(text, again) != 0;
	read_events(text, &sums);
	seen.events += sums.events[DMA] + sums.events[COMPUTE];
	seen.bad_counts += sums.events[GROUPS] != program->num_groups ||
			   sums.events[DMA] + sums.events[COMPUTE] != stats->commands;
	seen.bad_cycles += sums.cycles[GROUPS] != stats->cycles ||
			   sums.cycles[DMA] != stats->dma_cycles ||
			   sums.cycles[COMPUTE] != stats->compute_cycles;
	seen.bad_ends += sums.end_ps[GROUPS] != end_ps || sums.end_ps[DMA] > end_ps ||
			 sums.end_ps[COMPUTE] > end_ps || sums.counter_ps != end_ps;
	seen.nodes += sums.named;
	seen.bad_nodes += sums.named != count_nodes(program);
	free(text);
	free(again);
}

int main(void)
{
	struct drm_loom_chip turns = *loom_preset_find("tiny");
	uint32_t i;

	turns.flags &= ~DRM_LOOM_CHIP_OVERLAP;
	turns.frequency_hz = 333333333;
	turns.dma_start = 17;
	turns.compute_start = 5;
	for (i = 1; i <= GRAPHS; i++) {
		check_programs(i, loom_preset_find("tiny"), check_program);
		check_programs(i, &turns, check_program);
	}
	tap_ok(seen.traces >= 2 * GRAPHS && seen.events > 20 * GRAPHS, "%u traces of %u commands",
	       seen.traces, seen.events);
	tap_ok(!seen.bad_json, "all of them are JSON");
	tap_ok(!seen.bad_counts, "an event for each group and each command");
	tap_ok(!seen.overlaps, "on a thread, no event begins before the last one has ended");
	tap_ok(!seen.bad_order, "steps are in order");
	tap_ok(!seen.bad_cycles, "cycles add up to those of the groups and of each stream");
	tap_ok(!seen.bad_ends, "the groups end, and the counters, when the plan ends");
	tap_ok(seen.counters && !seen.bad_counters, "%u counters, in order", seen.counters);
	tap_ok(seen.nodes > seen.events / 2 && !seen.bad_nodes,
	       "%u commands say for which operator they are", seen.nodes);
	tap_ok(!seen.bad_bytes, "the same plan gives the same bytes");
	return tap_end();
}
