// SPDX-License-Identifier: MIT
/* Runs that nobody waits for, results at the wrong time, and inputs and outputs in place. */
#include "loom_chip.h"
#include "loom_device.h"
#include "loom_planner.h"
#include "loom_run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "host/lower/case.h"
#include "tap.h"

#define SIDE		96
#define SESSIONS	3
#define ROUNDS		20

/* y = tanh(x x + c): enough to still be under way when the next call comes */
static struct loom_graph *make_graph(void)
{
	return case_finished(13, "x f32 %d %d; c = f32 : 0.25; p = MatMul x x; s = Add p c; "
			     "y = Tanh s; > y", SIDE, SIDE);
}

static struct loom_array make_input(uint64_t seed)
{
	const int64_t dims[] = { SIDE, SIDE };
	struct loom_array array;

	if (loom_array_alloc(&array, DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no memory");
	loom_array_randomize(&array, seed);
	return array;
}

static struct loom_session *make_session(struct loom_target *target,
					 const struct loom_program *program)
{
	struct loom_session *session;
	struct loom_error err;

	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	return session;
}

static bool has_ended(int fd, int timeout_ms)
{
	struct pollfd event = { .fd = fd, .events = POLLIN };

	return poll(&event, 1, timeout_ms) == 1 && event.revents == POLLIN;
}

/* Return: the result of a synchronous run. */
static struct loom_array expect(struct loom_session *session, uint64_t seed)
{
	struct loom_array x = make_input(seed), y;
	struct loom_error err;

	if (loom_session_set_input(session, 0, &x, &err) ||
	    loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, &y, &err))
		tap_fatal("%s", err.text);
	loom_array_clear(&x);
	return y;
}

static bool is_same(struct loom_session *session, const struct loom_array *want)
{
	struct loom_array y;
	bool same;

	if (loom_session_get_output(session, 0, &y, NULL))
		return false;
	same = y.size_bytes == want->size_bytes && !memcmp(y.data, want->data, y.size_bytes);
	loom_array_clear(&y);
	return same;
}

static int one_line(const struct loom_error *err)
{
	return *err->text && !strchr(err->text, '\n');
}

static void test_before(struct loom_session *session)
{
	struct loom_array y = { .rank = 3 };
	struct loom_error err;
	int fd;

	tap_ok(loom_session_get_output(session, 0, &y, &err) == -EINVAL && one_line(&err) &&
	       !y.data && !y.rank, "no result before a run: %s", err.text);
	tap_ok(loom_session_wait(session, 0, &err) == -EINVAL && one_line(&err),
	       "nothing to wait for: %s", err.text);
	tap_ok(loom_session_fd(session, &fd, &err) == -EINVAL && fd == -1 && one_line(&err),
	       "nothing to poll for");
	tap_ok(loom_session_submit(session, &err) == -ENODATA && strstr(err.text, "'x'"),
	       "an input that was not given is named");
	tap_ok(loom_session_wait(session, 0, &err) == -EINVAL, "and nothing is under way");
}

static void test_one(struct loom_session *session, const struct loom_array *want)
{
	struct drm_loom_counters before, after;
	struct loom_array x = make_input(1);
	struct loom_error err;
	int fd, ret;

	loom_session_counters(session, &before);
	errno = 77;
	tap_ok(!loom_session_submit(session, &err), "a run is submitted");
	tap_ok(!loom_session_fd(session, &fd, &err), "there is a descriptor");
	tap_ok(loom_session_submit(session, &err) == -EINVAL && one_line(&err), "twice: %s",
	       err.text);
	tap_ok(loom_session_run(session, NULL, NULL, &err) == -EINVAL && one_line(&err),
	       "nor is there another run beside it");
	tap_ok(loom_session_set_input(session, 0, &x, &err) == -EINVAL && one_line(&err),
	       "its input stays");
	tap_ok(!is_same(session, want), "there is no result yet");
	tap_ok(loom_session_reset_states(session) == -EINVAL, "states stay");
	ret = loom_session_wait(session, 0, &err);
	tap_ok(!ret || (ret == -ETIME && one_line(&err)), "polling says either");
	tap_ok(has_ended(fd, 60000), "the descriptor says when it has ended");
	if (ret)
		ret = loom_session_wait(session, 0, &err);
	tap_ok(!ret && is_same(session, want), "and then there is the result of a run");
	tap_ok(has_ended(fd, 0) && !close(fd), "the descriptor is the caller's");
	loom_session_counters(session, &after);
	tap_ok(after.commands == before.commands && after.cycles == before.cycles &&
	       after.jobs == 1, "with its counters");
	tap_ok(loom_session_wait(session, LOOM_WAIT_FOREVER, &err) == -EINVAL, "once");
	tap_ok(errno == 77, "errno is left alone");
	loom_array_clear(&x);
}

/* Several sessions at once, each for itself, waited for in another order than begun. */
static bool run_many(struct loom_session **sessions, const struct loom_array *want)
{
	struct loom_error err;
	uint32_t round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < SESSIONS; i++)
			if (loom_session_submit(sessions[i], &err))
				return false;
		for (i = SESSIONS; i-- > 0;)
			if (loom_session_wait(sessions[i], LOOM_WAIT_FOREVER, &err) ||
			    !is_same(sessions[i], &want[i]))
				return false;
	}
	return true;
}

static int stop(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	(void)done;
	(void)total;
	return -EINTR;
}

/* A run that was stopped leaves no result; a network that takes less than a tick is not asked. */
static void test_stopped(struct loom_session *session, const struct loom_array *want)
{
	struct loom_error err;
	int ret = loom_session_run(session, stop, NULL, &err);

	tap_ok(ret ? ret == -EINTR && !is_same(session, want) : is_same(session, want),
	       "after a run that was stopped there is no result");
	tap_ok(!loom_session_run(session, NULL, NULL, &err) && is_same(session, want),
	       "and after the next there is");
}

static void test_mapped(struct loom_session *session, const struct loom_array *want)
{
	struct loom_array x = make_input(SESSIONS + 1);
	struct loom_error err;
	void *in, *out;
	float *data;

	tap_ok(!loom_session_map_input(session, 0, &in, &err) &&
	       !loom_session_map_output(session, 0, &out, &err), "both ends are mapped");
	data = in;
	memset(data, 0, x.size_bytes);
	if (loom_session_run(session, NULL, NULL, &err))
		tap_fatal("%s", err.text);
	tap_ok(((float *)out)[0] == ((float *)out)[SIDE] && ((float *)out)[0] != 0,
	       "what is written there is read");
	memcpy(in, x.data, x.size_bytes);
	tap_ok(!loom_session_submit(session, &err) &&
	       loom_session_map_input(session, 0, &in, &err) == -EINVAL && !in &&
	       !loom_session_wait(session, LOOM_WAIT_FOREVER, &err) &&
	       !memcmp(out, want->data, want->size_bytes), "and results are there");
	tap_ok(loom_session_map_input(session, 1, &in, &err) == -ENOENT && one_line(&err) &&
	       loom_session_map_output(session, 1, &out, &err) == -ENOENT, "there is no more");
	tap_ok(loom_session_bind_input(session, 0, NULL, &err) == -EOPNOTSUPP && one_line(&err) &&
	       loom_session_bind_output(session, 0, NULL, &err) == -EOPNOTSUPP,
	       "the host has no buffers: %s", err.text);
	loom_array_clear(&x);
}

/* A mistake of new users: the session that could not be made is used. */
static void test_no_session(void)
{
	struct loom_session_moved moved = { .in_bytes = 1 };
	struct loom_array got = { .data = &moved }, none = { 0 };
	struct drm_loom_counters counters, zero = { 0 };
	struct loom_error err;
	void *at = &err;

	tap_ok(loom_session_map_input(NULL, 0, &at, &err) == -EINVAL && !at && one_line(&err) &&
	       loom_session_map_output(NULL, 0, &at, &err) == -EINVAL &&
	       loom_session_bind_input(NULL, 0, NULL, &err) == -EINVAL && one_line(&err) &&
	       loom_session_bind_output(NULL, 0, NULL, &err) == -EINVAL,
	       "ends of no session: %s", err.text);
	tap_ok(loom_session_get_output(NULL, 0, &got, &err) == -EINVAL && !got.data &&
	       one_line(&err) && loom_session_get_observed(NULL, 0, &got, &err) == -EINVAL &&
	       loom_session_get_state(NULL, 0, &got, &err) == -EINVAL &&
	       loom_session_set_state(NULL, 0, &none, &err) == -EINVAL && one_line(&err) &&
	       loom_session_reset_states(NULL) == -EINVAL,
	       "results and states of no session: %s", err.text);
	memset(&counters, 1, sizeof(counters));
	loom_session_counters(NULL, &counters);
	loom_session_moved(NULL, &moved);
	tap_ok(!memcmp(&counters, &zero, sizeof(zero)) && !moved.in_bytes,
	       "no session has counted nothing");
}

int main(void)
{
	struct loom_planner_options options = { .chip = loom_preset_find("soft") };
	struct loom_graph *graph = make_graph();
	struct loom_array want[SESSIONS + 1], x;
	struct loom_session *sessions[SESSIONS];
	struct loom_session *other;
	struct loom_program *program;
	struct loom_target *target;
	struct loom_error err;
	uint32_t i;

	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_target_open("host", options.chip, &target, &err))
		tap_fatal("%s", err.text);
	other = make_session(target, program);
	test_no_session();
	test_before(other);
	for (i = 0; i <= SESSIONS; i++)
		want[i] = expect(other, i + 1);
	for (i = 0; i < SESSIONS; i++) {
		sessions[i] = make_session(target, program);
		x = make_input(i + 1);
		if (loom_session_set_input(sessions[i], 0, &x, &err))
			tap_fatal("%s", err.text);
		loom_array_clear(&x);
	}
	if (loom_session_run(sessions[0], NULL, NULL, &err))
		tap_fatal("%s", err.text);
	test_one(sessions[0], &want[0]);
	tap_ok(run_many(sessions, want), "%d sessions at once, %d times", SESSIONS, ROUNDS);
	test_stopped(sessions[1], &want[1]);
	test_mapped(sessions[2], &want[SESSIONS]);

	tap_ok(!loom_session_submit(sessions[0], &err), "a session may end while it runs");
	for (i = 0; i < SESSIONS; i++)
		loom_session_destroy(sessions[i]);
	for (i = 0; i <= SESSIONS; i++)
		loom_array_clear(&want[i]);
	loom_session_destroy(other);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return tap_end();
}
