// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process ends with that could not plan a point. */
#define NO_ROW		3
#define NO_JOURNAL	4

static bool is_mine(const struct sweep *sweep, uint32_t index)
{
	return index % sweep->num_shards == sweep->shard && !sweep->rows[index];
}

/* Takes points until none is left. @next: shared by all processes: the next that nobody has */
static int work_through(const struct sweep *sweep, atomic_uint *next, int journal)
{
	uint32_t index;
	char *row;

	while ((index = atomic_fetch_add(next, 1)) < sweep->num_points) {
		if (!is_mine(sweep, index))
			continue;
		row = sweep_point_row(sweep, index);
		if (!row)
			return NO_ROW;
		if (sweep_journal_append(journal, index, row))
			return NO_JOURNAL;
		free(row);
	}
	return 0;
}

/* Waits for all processes. Return: 0, or the status of the first that failed. */
static int wait_for(uint32_t jobs)
{
	int status, failed = 0;

	while (jobs) {
		if (waitpid(-1, &status, 0) < 0) {
			if (errno == EINTR)
				continue;
			return errno;
		}
		jobs--;
		if (status && !failed)
			failed = status;
	}
	return failed;
}

static int say_failed(int status)
{
	const char *why = "no memory to plan a point, try fewer --jobs";

	if (WIFSIGNALED(status))
		why = strsignal(WTERMSIG(status));
	else if (WEXITSTATUS(status) == NO_JOURNAL)
		why = "the journal cannot be written";
	return tool_fail("sweep: a process has ended: %s; the same command goes on from here", why);
}

int sweep_work(struct sweep *sweep)
{
	uint32_t missing = 0, started, i;
	pid_t parent = getpid(), child;
	int journal, status;
	atomic_uint *next;

	for (i = 0; i < sweep->num_points; i++)
		missing += is_mine(sweep, i);
	if (!missing)
		return 0;
	journal = sweep_journal_open(sweep);
	if (journal < 0)
		return TOOL_FAILED;
	next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED) {
		close(journal);
		return tool_fail("no memory");
	}
	fflush(NULL);
	for (started = 0; started < sweep->jobs && started < missing; started++) {
		child = fork();
		if (child < 0)
			break;
		if (!child) {
			/* no point is planned for nobody, and the journal's lock goes with us */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(getppid() == parent ? work_through(sweep, next, journal) : NO_ROW);
		}
	}
	status = started ? wait_for(started) : 0;
	munmap(next, sizeof(*next));
	close(journal);
	if (!started)
		return tool_fail("sweep: no process can be started: %s", strerror(errno));
	return status ? say_failed(status) : 0;
}
