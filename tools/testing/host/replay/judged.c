// SPDX-License-Identifier: MIT
/*
 * The judge (judge.c) is in the tests: a program that promises something else than it does ends
 * the process, whether it is loaded, run, or run as a batch, and with a line that says why.
 */
#include "host/lower/case.h"
#include "judge.h"
#include "loom_parallel.h"
#include "loom_planner.h"
#include "loom_run.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT	100
#define STATUS	3

static const int64_t dims[] = { COUNT };
static struct loom_target *target;

static struct loom_session *open_session(const struct loom_program *program)
{
	struct loom_session *session;
	struct loom_error err;
	struct loom_array x;

	if (loom_session_create(target, program, &session, &err) ||
	    loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 1, dims))
		tap_fatal("no session");
	memset(x.data, 0, x.size_bytes);
	if (loom_session_set_input(session, 0, &x, &err))
		tap_fatal("%s", err.text);
	loom_array_clear(&x);
	return session;
}

static void load(struct loom_program *program)
{
	program->stats.dram_read_bytes++;
	open_session(program);
}

static void load_for_time(struct loom_program *program)
{
	program->stats.cycles++;
	open_session(program);
}

/* The session is there before what it promises is changed. */
static void run(struct loom_program *program)
{
	struct loom_session *session = open_session(program);
	struct loom_error err;

	program->stats.energy_fj++;
	loom_session_run(session, NULL, NULL, &err);
}

static void run_later(struct loom_program *program)
{
	struct loom_session *session = open_session(program);
	struct loom_error err;

	program->stats.energy_fj++;
	if (!loom_session_submit(session, &err))
		loom_session_wait(session, INT64_MAX, &err);
}

static void run_batch(struct loom_program *program)
{
	struct loom_session *session = open_session(program);
	struct loom_batch batch = { .num_inputs = 1, .num_items = 2 };
	const int64_t all[] = { 2 * COUNT };
	struct loom_array x, y;
	struct loom_error err;

	if (loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 1, all))
		return;
	memset(x.data, 0, x.size_bytes);
	x.name = (char *)"x";
	batch.inputs = &x;
	program->stats.energy_fj++;
	loom_batch_run(&session, 1, &batch, &y, NULL, &err);
}

static void run_as_it_is(struct loom_program *program)
{
	struct loom_error err;

	loom_session_run(open_session(program), NULL, NULL, &err);
}

/* In a process of its own: its status, and the line on standard error. */
static int ended(void (*act)(struct loom_program *program), const struct loom_program *program,
		 char *line, size_t size)
{
	struct loom_program own = *program;
	int ends[2], status;
	ssize_t got;
	pid_t child;

	fflush(stdout);
	if (pipe(ends))
		tap_fatal("no pipe");
	child = fork();
	if (child < 0)
		tap_fatal("no process");
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		act(&own);
		_exit(0);
	}
	close(ends[1]);
	got = read(ends[0], line, size - 1);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	close(ends[0]);
	if (waitpid(child, &status, 0) != child)
		tap_fatal("no child");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ends(const struct loom_program *program, void (*act)(struct loom_program *program),
		 const char *want, const char *what)
{
	char line[256];

	tap_ok(ended(act, program, line, sizeof(line)) == STATUS && strstr(line, want), "%s: %s",
	       what, line);
}

int main(void)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct loom_program *program;
	struct loom_graph *graph;
	struct loom_error err;
	char line[256];

	if (!judge_has_seen || getenv("LOOM_VM")) {
		tap_skip("there is no judge in here");
		return tap_end();
	}
	if (loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	options.chip = loom_target_chip(target);
	graph = case_finished(13, "x f32 %d; y = Neg x; > y", COUNT);
	if (loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	tap_ok(judge_has_seen(program, options.chip), "a plan is judged when it is made");
	tap_ok(!ended(run_as_it_is, program, line, sizeof(line)) && !*line, "it runs");
	ends(program, load, "were promised", "a program of other traffic is loaded");
	ends(program, load_for_time, "the engine counts otherwise", "one of other cycles");
	ends(program, run, "the run counted otherwise", "a run");
	ends(program, run_later, "the run counted otherwise", "a run that is waited for");
	ends(program, run_batch, "the run counted otherwise", "runs of a batch");
	loom_program_destroy(program);
	loom_target_close(target);
	loom_graph_destroy(graph);
	return tap_end();
}
