// SPDX-License-Identifier: MIT
#include "sim.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Holds the connection while the model plays the device. A model that dies in the middle of an
 * access leaves the client waiting. If the kernel closed the connection then with bytes unread, the
 * client would see it reset, and QEMU aborts; so it is shut down, read empty and closed here.
 */

static atomic_bool supervisor_end;

static void supervisor_signal(int number)
{
	(void)number;
	supervisor_end = 1;
}

static void supervisor_signals(void)
{
	struct sigaction action = { .sa_handler = supervisor_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void supervisor_close(int socket)
{
	char bytes[4096];

	shutdown(socket, SHUT_RDWR);
	while (recv(socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	close(socket);
}

static void supervisor_wait(pid_t model)
{
	int status = 0;

	while (waitpid(model, &status, 0) < 0 && errno == EINTR)
		if (supervisor_end)
			kill(model, SIGKILL);
	if (WIFSIGNALED(status) && !supervisor_end)
		fprintf(stderr, "loom-sim: the model has died: %s\n",
			strsignal(WTERMSIG(status)));
}

static int supervisor_serve(const struct sim_options *options, int listening, int socket,
			    int control)
{
	pid_t model = fork();

	if (model < 0) {
		fprintf(stderr, "loom-sim: no process for the model: %s\n", strerror(errno));
		close(socket);
		return 1;
	}
	if (!model) {
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		close(listening);
		exit(sim_model(options, socket, control));
	}
	supervisor_wait(model);
	supervisor_close(socket);
	return 0;
}

static int supervisor_listen(const char *path)
{
	int fd = wire_listen(path);

	if (fd < 0)
		fprintf(stderr, "loom-sim: %s: %s\n", path, strerror(-fd));
	return fd;
}

int sim_supervise(const struct sim_options *options)
{
	int listening, socket, control = -1, ret = 0;

	if (options->control) {
		control = supervisor_listen(options->control);
		if (control < 0)
			return 1;
	}
	listening = supervisor_listen(options->socket);
	if (listening < 0)
		return 1;
	supervisor_signals();
	while (!ret && !supervisor_end) {
		socket = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (socket < 0 && errno == EINTR)
			continue;
		if (socket < 0)
			break;
		ret = supervisor_serve(options, listening, socket, control);
		if (options->once)
			break;
	}
	unlink(options->socket);
	if (options->control)
		unlink(options->control);
	return ret;
}
