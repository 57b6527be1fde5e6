// SPDX-License-Identifier: MIT
/* Sessions on the host: inputs, results, and refusals with their reasons. */
#include "loom_file.h"
#include "loom_chip.h"
#include "loom_planner.h"
#include "loom_run.h"

#include <errno.h>
#include <string.h>

#include "host/lower/case.h"
#include "tap.h"

#define ROWS	64
#define COLUMNS	48

/* y = relu(x + c), ROWS by COLUMNS, c = -COLUMNS / 2 for each element */
static struct loom_graph *make_graph(void)
{
	return case_finished(13, "x f32 %d %d; c = f32 : %d; s = Add x c; y = Relu s; > y", ROWS,
			     COLUMNS, -COLUMNS / 2);
}

static struct loom_array make_input(uint32_t dtype, int64_t rows)
{
	int64_t dims[] = { rows, COLUMNS };
	struct loom_array array;
	int64_t i;

	if (loom_array_alloc(&array, dtype, 2, dims))
		tap_fatal("no memory");
	for (i = 0; dtype == DRM_LOOM_DTYPE_F32 && i < rows * COLUMNS; i++)
		((float *)array.data)[i] = (float)(i % COLUMNS);
	return array;
}

static bool is_result(const struct loom_array *y)
{
	const float *data = y->data;
	int64_t i;

	if (strcmp(y->name, "y") || y->rank != 2 || y->dims[0] != ROWS || y->dims[1] != COLUMNS)
		return false;
	for (i = 0; i < ROWS * COLUMNS; i++) {
		float want = (float)(i % COLUMNS) - COLUMNS / 2;

		if (data[i] != (want > 0 ? want : 0))
			return false;
	}
	return true;
}

static void test_inputs(struct loom_session *session)
{
	struct loom_array right = make_input(DRM_LOOM_DTYPE_F32, ROWS);
	struct loom_array wrong_type = make_input(DRM_LOOM_DTYPE_I32, ROWS);
	struct loom_array wrong_rows = make_input(DRM_LOOM_DTYPE_F32, ROWS + 1);
	struct loom_error err;

	tap_ok(loom_session_run(session, NULL, NULL, &err) == -ENODATA && strstr(err.text, "'x'"),
	       "an input that was not given is named");
	tap_ok(loom_session_set_input(session, 0, &wrong_type, &err) == -EINVAL &&
	       strstr(err.text, "i32"), "elements of another type are refused");
	tap_ok(loom_session_set_input(session, 0, &wrong_rows, &err) == -EINVAL &&
	       strstr(err.text, "[65,48]"), "another shape is refused");
	tap_ok(loom_session_set_input(session, 1, &right, &err) == -ENOENT,
	       "there is no second input");
	right.size_bytes -= 4;
	tap_ok(loom_session_set_input(session, 0, &right, &err) == -EINVAL &&
	       strstr(err.text, "12288 bytes, not 12284"), "fewer bytes: %s", err.text);
	right.size_bytes += 4;
	right.rank = 99;
	tap_ok(loom_session_set_input(session, 0, &right, &err) == -EINVAL &&
	       strstr(err.text, "99 dimensions"), "a rank that no array has: %s", err.text);
	right.rank = 2;
	tap_ok(loom_session_set_input(session, 0, NULL, &err) == -EINVAL &&
	       strstr(err.text, "'x'"), "no array: %s", err.text);
	tap_ok(!loom_session_set_input(session, 0, &right, &err), "the right input is taken");
	loom_array_clear(&right);
	loom_array_clear(&wrong_type);
	loom_array_clear(&wrong_rows);
}

static void test_run(struct loom_session *session, const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;
	struct drm_loom_counters counters;
	struct loom_array y, again;
	struct loom_error err;

	tap_ok(!loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &y, &err) && is_result(&y),
	       "the result is right");
	loom_session_counters(session, &counters);
	tap_ok(counters.dram_read_bytes == stats->dram_read_bytes &&
	       counters.dram_write_bytes == stats->dram_write_bytes &&
	       counters.sram_read_bytes == stats->sram_read_bytes &&
	       counters.sram_write_bytes == stats->sram_write_bytes &&
	       counters.steps == stats->steps && counters.commands == stats->commands &&
	       counters.macs == stats->macs && counters.jobs == 1 &&
	       counters.cycles == stats->cycles && counters.dma_cycles == stats->dma_cycles &&
	       counters.compute_cycles == stats->compute_cycles &&
	       counters.energy_fj == stats->energy_fj && counters.cycles >= counters.steps,
	       "the engine counts what the planner promised");
	tap_ok(!loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &again, NULL) &&
	       !memcmp(y.data, again.data, y.size_bytes), "a second run gives the same bits");
	loom_array_clear(&y);
	loom_array_clear(&again);
	tap_ok(loom_session_get_output(session, 1, &again, &err) == -ENOENT && !again.data,
	       "there is no second output");
}

/* The program with a header of its own, to be changed and freed. */
static struct drm_loom_plan_header *copy_plan(const struct loom_program *program,
					      struct loom_program *copy)
{
	struct drm_loom_plan_header *header = malloc(program->plan_bytes);

	if (!header)
		tap_fatal("no memory");
	memcpy(header, program->plan, program->plan_bytes);
	*copy = *program;
	copy->plan = header;
	return header;
}

static void test_reject(struct loom_target *target, const struct loom_program *program)
{
	struct loom_program broken;
	struct drm_loom_plan_header *header = copy_plan(program, &broken);
	struct loom_session *session;
	struct loom_error err;

	header->lanes = 99;
	tap_ok(loom_session_create(target, &broken, &session, &err) == -EBADMSG && !session &&
	       strstr(err.text, "topology") &&
	       strstr(err.text, "for 99 lanes, and chip 'soft' has"),
	       "a plan that is refused: the rule is named, and both chips: %s", err.text);
	broken.plan_bytes = 8;
	tap_ok(loom_session_create(target, &broken, &session, &err) == -EBADMSG && !session,
	       "what is shorter than a header of a plan: %s", err.text);
	free(header);
	tap_ok(loom_session_create(NULL, program, &session, &err) == -EINVAL && !session,
	       "%s", err.text);
	tap_ok(loom_session_create(target, NULL, &session, &err) == -EINVAL && !session,
	       "%s", err.text);
	tap_ok(loom_session_run(NULL, NULL, NULL, &err) == -EINVAL, "%s", err.text);
}

/* The scratch in a bank may end at any byte: in the next bank, elements are aligned again. */
static void test_odd_scratch(struct loom_target *target, const struct loom_program *program)
{
	struct loom_array x = make_input(DRM_LOOM_DTYPE_F32, ROWS), y;
	struct loom_program odd;
	struct drm_loom_plan_header *header = copy_plan(program, &odd);
	struct loom_session *session;
	struct loom_error err;

	header->scratch_bytes += 1 - header->scratch_bytes % 2;
	odd.stats.scratch_bytes = header->scratch_bytes;
	if (loom_session_create(target, &odd, &session, &err) ||
	    loom_session_set_input(session, 0, &x, &err))
		tap_fatal("%s", err.text);
	tap_ok(header->lanes > 1 && header->scratch_bytes % 2 &&
	       !loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &y, NULL) && is_result(&y),
	       "a scratch of an odd number of bytes in each of several banks");
	loom_array_clear(&x);
	loom_array_clear(&y);
	loom_session_destroy(session);
	free(header);
}

/* A target copies its chip, because later plans need it. */
static void test_chip_is_copied(void)
{
	const struct drm_loom_chip *tiny = loom_preset_find("tiny");
	struct loom_target *target;
	struct drm_loom_chip chip;
	struct loom_error err;

	if (!tiny)
		tap_fatal("no chip");
	chip = *tiny;
	if (loom_target_open("host", &chip, &target, &err))
		tap_fatal("%s", err.text);
	memset(&chip, 0, sizeof(chip));
	tap_ok(!memcmp(loom_target_chip(target), tiny, sizeof(*tiny)),
	       "a target has a chip of its own");
	loom_target_close(target);
}

static void test_targets(void)
{
	struct drm_loom_chip chip = *loom_preset_find("tiny");
	struct loom_target *target;
	struct loom_error err;
	int ret;

	chip.region[DRM_LOOM_REGION_SRAM].banks = 0;
	tap_ok(loom_target_open("host", &chip, &target, &err) == -EINVAL && !target &&
	       strstr(err.text, "the number of banks of SRAM"), "no chip: %s", err.text);
	tap_ok(loom_target_open(NULL, NULL, &target, &err) == -EINVAL && !target, "%s", err.text);
	memset(&err, 'x', sizeof(err));
	ret = loom_target_open("auto", NULL, &target, &err);
	tap_ok(ret || strcmp(loom_target_name(target), "host") || !*err.text,
	       "the host in place of a device leaves no line");
	loom_target_close(target);

	tap_ok(loom_target_open("moon", NULL, &target, &err) == -EINVAL && !target &&
	       strstr(err.text, "'moon'") && strstr(err.text, "host, auto, soft, device"),
	       "a device that nobody knows: %s", err.text);
	tap_ok(loom_target_open("/dev/null", NULL, &target, &err) == -ENODEV && !target &&
	       strstr(err.text, "/dev/null"), "a node of another driver: %s", err.text);
	tap_ok(loom_target_open("/dev/nowhere", NULL, &target, &err) == -ENOENT && !target &&
	       strstr(err.text, "nowhere"), "a node that is not there");
}

int main(void)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct loom_graph *graph = make_graph();
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;

	test_targets();
	test_chip_is_copied();
	if (loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	options.chip = loom_target_chip(target);
	if (loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	test_reject(target, program);
	test_odd_scratch(target, program);
	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	test_inputs(session);
	test_run(session, program);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return tap_end();
}
