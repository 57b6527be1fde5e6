// SPDX-License-Identifier: MIT
/*
 * Runs that several threads compute together: networks of every operation give the bits and the
 * counters that one thread gives, however commands are shared. make tsan looks for data races.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/rewrite/nets.h"
#include "loom_planner.h"
#include "run/run.h"
#include "tap.h"

#define OUTPUTS	8

static const struct {
	const char *name;
	const char *net;
} nets[] = {
	{ "conv", net_conv }, { "pointwise", net_pointwise }, { "depthwise", net_depthwise },
	{ "conv1d", net_conv1d }, { "deconv", net_deconv }, { "matmul", net_matmul },
	{ "attention", net_attention }, { "gemm", net_gemm }, { "softmax", net_softmax },
	{ "pool max", net_pool_max }, { "pool avg", net_pool_avg }, { "reduce", net_reduce },
	{ "select", net_select }, { "nearest", net_nearest }, { "linear", net_linear },
	{ "quantise", net_quantise }, { "qconv", net_qconv }, { "qmatmul", net_qmatmul },
	{ "functions", net_functions }, { "pad", net_pad }, { "mobile", net_mobile },
};

/**
 * struct result - what a run leaves
 * @outputs: of the program
 * @counters: all but the time that it took
 */
struct result {
	struct loom_array outputs[OUTPUTS];
	struct drm_loom_counters counters;
};

/* All commands are shared, also those that are not worth it. */
static struct loom_target *open_target(const struct drm_loom_chip *chip, uint32_t threads)
{
	struct loom_target *target;
	struct loom_error err;

	if (loom_target_open("host", chip, &target, &err) ||
	    loom_target_set_threads(target, threads, &err))
		tap_fatal("%s", err.text);
	target->share_least = 0;
	return target;
}

static void run(const struct test_case *test, const struct loom_program *program,
		struct loom_target *target, struct result *result)
{
	struct loom_session *session;
	struct loom_error err;
	uint32_t i;

	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < program->num_inputs; i++)
		if (loom_session_set_input(session, i, &test->inputs[i], &err))
			tap_fatal("%s", err.text);
	if (loom_session_run(session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < program->num_outputs && i < OUTPUTS; i++)
		if (loom_session_get_output(session, i, &result->outputs[i], &err))
			tap_fatal("%s", err.text);
	loom_session_counters(session, &result->counters);
	result->counters.busy_ns = 0;
	loom_session_destroy(session);
}

static bool same(const struct result *a, const struct result *b)
{
	uint32_t i;

	for (i = 0; i < OUTPUTS; i++)
		if (a->outputs[i].size_bytes != b->outputs[i].size_bytes ||
		    (a->outputs[i].size_bytes && memcmp(a->outputs[i].data, b->outputs[i].data,
							a->outputs[i].size_bytes)))
			return false;
	return !memcmp(&a->counters, &b->counters, sizeof(a->counters));
}

static void clear(struct result *result)
{
	uint32_t i;

	for (i = 0; i < OUTPUTS; i++)
		loom_array_clear(&result->outputs[i]);
}

static const char *check_net(const struct test_case *test, const struct drm_loom_chip *chip,
			     const char *grouping)
{
	const struct loom_planner_options options = { .chip = chip, .grouping = grouping };
	struct result alone = { 0 }, together;
	struct loom_program *program;
	struct loom_target *target;
	const char *wrong = NULL;
	struct loom_error err;
	uint32_t threads;

	if (loom_program_create(test->graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	target = open_target(chip, 1);
	run(test, program, target, &alone);
	loom_target_close(target);
	for (threads = 2; threads <= 5 && !wrong; threads += 3) {
		memset(&together, 0, sizeof(together));
		target = open_target(chip, threads);
		run(test, program, target, &together);
		loom_target_close(target);
		if (!same(&alone, &together))
			wrong = threads == 2 ? "two threads differ" : "five threads differ";
		clear(&together);
	}
	clear(&alone);
	loom_program_destroy(program);
	return wrong;
}

static void test_nets(void)
{
	static const char *const groupings[] = { "layerwise", "layergroup" };
	static const char *const chips[] = { "soft", "tiny" };
	const char *wrong;
	uint32_t i, j;

	for (i = 0; i < ARRAY_SIZE(nets); i++) {
		struct test_case test = net_make(nets[i].net);

		wrong = NULL;
		for (j = 0; j < 4 && !wrong; j++)
			wrong = check_net(&test, loom_preset_find(chips[j / 2]), groupings[j % 2]);
		tap_ok(!wrong, "%s: %s", nets[i].name, wrong ? wrong : "the bits of one thread");
		free_case(&test);
	}
}

/**
 * struct stopper - a caller that does not want a run to end
 * @calls: how often it was asked
 */
struct stopper {
	uint32_t calls;
};

static int stop(void *arg, uint64_t done, uint64_t total)
{
	struct stopper *stopper = arg;

	(void)done;
	(void)total;
	stopper->calls++;
	return -ECANCELED;
}

/*
 * 60 G multiplications: many times as long, on any processor of today, as a caller waits to be
 * asked.
 */
static const char net_long[] =
	"x f32 1 48 384 384; w = f32 48 48 5 5; a = Conv x w; b = Conv a w; c = Conv b w; "
	"d = Conv c w; e = Conv d w; f = Conv e w; g = Conv f w; y = Conv g w";

static void test_stop(void)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct test_case test;
	struct stopper stopper = { 0 };
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;
	int ret;

	test = net_make(net_long);
	target = open_target(loom_preset_find("soft"), 3);
	options.chip = loom_target_chip(target);
	if (loom_program_create(test.graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err) ||
	    loom_session_set_input(session, 0, &test.inputs[0], &err))
		tap_fatal("%s", err.text);
	ret = loom_session_run(session, stop, &stopper, &err);
	tap_ok(ret == -ECANCELED && stopper.calls == 1,
	       "a run is stopped when its caller says so: %d, asked %u times", ret, stopper.calls);
	loom_session_destroy(session);
	loom_program_destroy(program);
	loom_target_close(target);
	free_case(&test);
}

/* Ten minutes are much, and an alarm is the end of a child that hangs. */
static bool child_runs(struct loom_session *session, const struct loom_array *expect)
{
	struct loom_array output = { 0 };
	struct loom_error err;
	bool good;

	alarm(600);
	good = !loom_session_run(session, NULL, NULL, &err) &&
	       !loom_session_get_output(session, 0, &output, &err) &&
	       output.size_bytes == expect->size_bytes &&
	       !memcmp(output.data, expect->data, expect->size_bytes);
	loom_array_clear(&output);
	loom_session_destroy(session);
	return good;
}

static void test_fork(void)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct test_case test = net_make(net_mobile);
	struct loom_array output = { 0 };
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;
	int status = -1;
	uint32_t i;
	pid_t pid;

	target = open_target(loom_preset_find("soft"), 4);
	options.chip = loom_target_chip(target);
	if (loom_program_create(test.graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < program->num_inputs; i++)
		if (loom_session_set_input(session, i, &test.inputs[i], &err))
			tap_fatal("%s", err.text);
	if (loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, &output, &err))
		tap_fatal("%s", err.text);
	pid = fork();
	if (!pid)
		_exit(!child_runs(session, &output));
	tap_ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status), "a child of fork() runs and ends a session of its parent");
	tap_ok(!loom_session_run(session, NULL, NULL, &err), "and its parent goes on");
	loom_array_clear(&output);
	loom_session_destroy(session);
	loom_program_destroy(program);
	loom_target_close(target);
	free_case(&test);
}

static void test_counts(void)
{
	struct loom_target *target;
	struct loom_error err;

	target = open_target(NULL, 0);
	tap_ok(target->threads >= 1, "as many threads as processors");
	tap_ok(loom_target_set_threads(target, 257, &err) == -EINVAL && strstr(err.text, "257"),
	       "too many threads are refused");
	loom_target_close(target);
	setenv("LOOM_THREADS", "3", 1);
	target = NULL;
	tap_ok(!loom_target_open("host", NULL, &target, &err) && target->threads == 3,
	       "the environment says how many");
	loom_target_close(target);
	setenv("LOOM_THREADS", "3x", 1);
	tap_ok(loom_target_open("host", NULL, &target, &err) == -EINVAL && !target &&
	       strstr(err.text, "3x"), "what is not a count is refused");
	unsetenv("LOOM_THREADS");
}

int main(void)
{
	test_counts();
	test_nets();
	test_stop();
	test_fork();
	return tap_end();
}
