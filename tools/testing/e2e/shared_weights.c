// SPDX-License-Identifier: MIT
/*
 * On a device: weights of one process that another one computes with, that none of them can change,
 * and that outlive the process that made them.
 *
 *	shared_weights [DEVICE]
 */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"
#include "loom_device.h"
#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"
#include "tap.h"

#define ROWS	8
#define COLUMNS	1024
/* of the weights */
#define BYTES	(COLUMNS * COLUMNS * sizeof(float))

static const int64_t dims[] = { ROWS, COLUMNS };
static float weights[COLUMNS * COLUMNS];

/* Rows times a matrix; @seed chooses its elements. */
static struct loom_program *product(const struct loom_target *target, uint32_t seed)
{
	const char *const inputs[] = { "x", "w" }, *output = "y";
	struct loom_planner_options options = { .chip = loom_target_chip(target) };
	const struct loom_node_desc node = {
		.op_type = "MatMul", .inputs = inputs, .outputs = &output,
		.num_inputs = 2, .num_outputs = 1,
	};
	struct loom_graph *graph = model_create(13);
	struct loom_program *program;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < COLUMNS * COLUMNS; i++)
		weights[i] = (float)((i * 7 + seed) % 31) - 15;
	model_add_input(graph, "x", 2, dims);
	model_add_floats(graph, "w", 2, (int64_t[]){ COLUMNS, COLUMNS }, weights);
	loom_graph_add_node(graph, &node);
	loom_graph_add_output(graph, output);
	if (loom_graph_finish(graph, NULL, &err) ||
	    loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	/* the program has the graph's weights, so it lives as long as the process */
	return program;
}

/* One sum of all results. */
static double run(struct loom_session *session)
{
	struct loom_array x, y;
	struct loom_error err;
	double sum = 0;
	uint32_t i;

	if (loom_array_alloc(&x, DRM_LOOM_DTYPE_F32, 2, dims))
		tap_fatal("no memory");
	for (i = 0; i < ROWS * COLUMNS; i++)
		((float *)x.data)[i] = (float)(i % 13) - 6;
	if (loom_session_set_input(session, 0, &x, &err) ||
	    loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, &y, &err))
		tap_fatal("%s", err.text);
	for (i = 0; i < ROWS * COLUMNS; i++)
		sum += ((float *)y.data)[i] * (i % 101 + 1);
	loom_array_clear(&x);
	loom_array_clear(&y);
	return sum;
}

static uint64_t room(const struct loom_target *target)
{
	struct drm_loom_region_info info;

	if (loom_device_region(loom_target_device(target), DRM_LOOM_REGION_DRAM, &info))
		tap_fatal("no region");
	return info.free_bytes;
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static struct msghdr message(union control *control, struct iovec *iov)
{
	return (struct msghdr){
		.msg_iov = iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(*control),
	};
}

static void send_fd(int socket, int fd)
{
	union control control = { 0 };
	char byte = 'f';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = message(&control, &iov);

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(socket, &msg, 0) != 1)
		tap_fatal("no message");
}

static int receive_fd(int socket)
{
	union control control = { 0 };
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = message(&control, &iov);
	int fd;

	if (recvmsg(socket, &msg, 0) != 1 || control.header.cmsg_type != SCM_RIGHTS)
		tap_fatal("no descriptor");
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

static struct loom_target *open_target(const char *device)
{
	struct loom_target *target;
	struct loom_error err;

	if (loom_target_open(device, NULL, &target, &err))
		tap_fatal("%s", err.text);
	return target;
}

/* The process that makes them, and ends when @socket is closed. */
static void make(const char *device, int socket)
{
	struct loom_target *target = open_target(device);
	struct loom_session *session;
	struct loom_error err;
	uint32_t count;
	double sum;
	int fds[2];

	if (loom_session_create(target, product(target, 1), &session, &err) ||
	    loom_session_export_weights(session, fds, 2, &count, &err) || count != 1)
		tap_fatal("%s", err.text);
	sum = run(session);
	send_fd(socket, fds[0]);
	if (write(socket, &sum, sizeof(sum)) != sizeof(sum))
		tap_fatal("no socket");
	(void)!read(socket, &sum, 1);
	_exit(0);
}

static void test_refusals(struct loom_target *target, const struct loom_program *program, int fd)
{
	const struct drm_loom_bo_create request = { .size = BYTES };
	struct loom_session *session;
	struct loom_error err;
	struct loom_bo *bo;
	int fds[2] = { fd, fd }, nothing = 0, own;
	uint32_t count;

	tap_ok(loom_session_create_shared(target, product(target, 2), fds, 1, &session, &err) ==
		       -EINVAL && strstr(err.text, "has other weights"),
	       "a program with other weights: %s", err.text);
	tap_ok(loom_session_create_shared(target, program, fds, 2, &session, &err) == -EINVAL &&
	       strstr(err.text, "in 1 buffers, not 2"), "too many descriptors: %s", err.text);
	tap_ok(loom_session_create_shared(target, program, &nothing, 1, &session, &err) &&
	       !session, "a descriptor of something else: %s", err.text);
	if (loom_bo_create(loom_target_device(target), &request, &bo) ||
	    loom_bo_export(bo, &own))
		tap_fatal("no buffer");
	tap_ok(loom_session_create_shared(target, program, &own, 1, &session, &err) == -EINVAL &&
	       strstr(err.text, "not constant"), "a buffer that is written: %s", err.text);
	tap_ok(!loom_bo_write(bo, 0, "x", 1), "that refusal has not closed the buffer");
	loom_bo_destroy(bo);
	close(own);
	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	tap_ok(loom_session_export_weights(session, fds, 0, &count, &err) == -EINVAL && !count,
	       "no room for a descriptor: %s", err.text);
	loom_session_destroy(session);
}

static void test_sharing(struct loom_target *target, int socket, pid_t child)
{
	struct loom_program *program = product(target, 1);
	struct loom_session *first, *second, *beside;
	struct loom_error err;
	uint64_t before, own;
	int fd = receive_fd(socket), again[2];
	uint32_t count;
	double sum;
	struct loom_bo *bo;
	void *map;

	if (read(socket, &sum, sizeof(sum)) != sizeof(sum))
		tap_fatal("no sum");
	before = room(target);
	if (loom_session_create_shared(target, program, &fd, 1, &first, &err))
		tap_fatal("%s", err.text);
	own = before - room(target);
	tap_ok(own < BYTES, "a session takes %llu bytes besides weights of %zu",
	       (unsigned long long)own, BYTES);
	tap_ok(run(first) == sum, "its results are those of the process that has made them");
	if (loom_bo_import(loom_target_device(target), fd, &bo))
		tap_fatal("no buffer");
	tap_ok(loom_bo_write(bo, 0, "x", 1) == -EPERM, "the weights cannot be written");
	tap_ok(!loom_bo_map(bo, &map) && !memcmp(map, weights, 64), "they can be mapped and read");
	loom_bo_destroy(bo);
	tap_ok(run(first) == sum, "the session has its handle when another one is closed");
	if (loom_session_create_shared(target, program, &fd, 1, &second, &err) ||
	    loom_session_create_beside(second, program, 0, &beside, &err))
		tap_fatal("%s", err.text);
	loom_session_destroy(first);
	tap_ok(run(second) == sum && run(beside) == sum, "so have others of this process");
	test_refusals(target, program, fd);
	tap_ok(!loom_session_export_weights(second, again, 2, &count, &err) && count == 1,
	       "whoever has them may pass them on");
	close(again[0]);
	close(fd);
	close(socket);
	waitpid(child, NULL, 0);
	tap_ok(run(second) == sum && run(beside) == sum, "they outlive the process that made them");
	loom_session_destroy(beside);
	loom_session_destroy(second);
}

/* Sharing within one process. */
static void test_own(struct loom_target *target)
{
	struct loom_program *program = product(target, 3), *other = product(target, 4);
	struct loom_session *session, *second;
	struct loom_error err;
	uint32_t count;
	double sum;
	int fds[2];

	if (loom_session_create(target, program, &session, &err))
		tap_fatal("%s", err.text);
	sum = run(session);
	if (loom_session_export_weights(session, fds, 2, &count, &err) ||
	    loom_session_create_shared(target, program, fds, 1, &second, &err))
		tap_fatal("%s", err.text);
	close(fds[0]);
	loom_session_destroy(second);
	tap_ok(run(session) == sum, "a session goes on after sharing with its own process");
	tap_ok(loom_session_create_beside(session, other, 0, &second, &err) == -EINVAL,
	       "a program of another file: %s", err.text);
	loom_session_destroy(session);
}

/* An export that fails behind the seal: the buffer is constant for sessions beside it, too. */
static void test_half(struct loom_target *target)
{
	const struct loom_program_origin origin = { .chip = loom_target_chip(target) };
	const struct loom_program *programs[] = { product(target, 5), product(target, 6) };
	struct rlimit limit, none = { 0 };
	struct loom_program_file *file;
	struct loom_session *session, *second;
	struct loom_error err;
	uint32_t count;
	size_t size;
	void *bytes;
	int fds[2];

	if (loom_program_write_set(programs, 2, &origin, &bytes, &size, &err) ||
	    loom_program_parse(bytes, size, "set.loom", &file, &err) ||
	    loom_session_create(target, loom_program_file_at(file, 0), &session, &err) ||
	    getrlimit(RLIMIT_NOFILE, &limit))
		tap_fatal("%s", err.text);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	tap_ok(loom_session_export_weights(session, fds, 2, &count, &err) == -EMFILE && !count,
	       "no descriptor is free: %s", err.text);
	setrlimit(RLIMIT_NOFILE, &limit);
	tap_ok(loom_session_create_beside(session, loom_program_file_at(file, 1), 0, &second,
					  &err) == -EINVAL && strstr(err.text, "is constant"),
	       "weights that are not there yet: %s", err.text);
	tap_ok(!loom_session_export_weights(session, fds, 2, &count, &err) && count == 1,
	       "the next export has the buffer");
	close(fds[0]);
	loom_session_destroy(session);
	loom_program_unload(file);
	free(bytes);
}

int main(int argc, char **argv)
{
	const char *device = argc > 1 ? argv[1] : "device";
	struct loom_target *target;
	int sockets[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		tap_fatal("no sockets");
	child = fork();
	if (child < 0)
		tap_fatal("no process");
	if (!child) {
		close(sockets[0]);
		make(device, sockets[1]);
	}
	close(sockets[1]);
	target = open_target(device);
	test_sharing(target, sockets[0], child);
	test_own(target);
	test_half(target);
	loom_target_close(target);
	return tap_end();
}
