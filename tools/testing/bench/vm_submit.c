// SPDX-License-Identifier: MIT
/*
 * Measured: the latency of a job that does nothing, from the submit of an empty plan to the return
 * of the wait for its fence.
 *
 * Baseline: a round trip between two threads over eventfds. Both are two hand-overs between
 * threads, so their ratio is what the driver and the scheduler add, on any machine or emulator.
 */
#include <pthread.h>
#include <sys/eventfd.h>

#include "client.h"

#define BATCHES		20
#define PER_BATCH	100
#define SAMPLES		(BATCHES * PER_BATCH)
#define WARM_UP		50

/* ------------------------------------------------------------- the job */

struct node {
	struct client client;
	uint32_t plan;
	uint32_t syncobj;
};

static void node_prepare(struct node *node)
{
	struct drm_syncobj_create syncobj = { 0 };

	if (ioctl(node->client.fd, DRM_IOCTL_SYNCOBJ_CREATE, &syncobj))
		fail("SYNCOBJ_CREATE");
	node->plan = client_plan_null(&node->client);
	node->syncobj = syncobj.handle;
}

/* Return: ns until SUBMIT returns; @total_ns: until the wait for its fence returns. */
static uint64_t node_round(const struct node *node, uint64_t *total_ns)
{
	struct drm_loom_sync out = { .handle = node->syncobj };
	struct drm_loom_submit submit = {
		.context = node->client.context,
		.plan = node->plan,
		.out_syncs = { sizeof(out), 1, (uintptr_t)&out },
	};
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&node->syncobj,
		.count_handles = 1,
		.timeout_nsec = INT64_MAX,
	};
	uint64_t start = now_ns(), submitted;

	if (ioctl(node->client.fd, DRM_IOCTL_LOOM_SUBMIT, &submit))
		fail("SUBMIT");
	submitted = now_ns();
	if (ioctl(node->client.fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait))
		fail("SYNCOBJ_WAIT");
	*total_ns = now_ns() - start;
	return submitted - start;
}

/* -------------------------------------------------------- the ping-pong */

struct pingpong {
	int ping, pong;
};

static uint64_t eventfd_take(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		fail("eventfd");
	return value;
}

static void eventfd_give(int fd, uint64_t value)
{
	if (write(fd, &value, sizeof(value)) != sizeof(value))
		fail("eventfd");
}

/* Writes back what it reads, until that is 2. */
static void *pingpong_answer(void *data)
{
	const struct pingpong *pingpong = data;
	uint64_t value;

	do {
		value = eventfd_take(pingpong->ping);
		eventfd_give(pingpong->pong, value);
	} while (value != 2);
	return NULL;
}

static uint64_t pingpong_round(const struct pingpong *pingpong)
{
	uint64_t start = now_ns();

	eventfd_give(pingpong->ping, 1);
	eventfd_take(pingpong->pong);
	return now_ns() - start;
}

/* -------------------------------------------------------------- figures */

/* Return: the median, in us. */
static double report(const char *what, uint64_t *samples)
{
	double median = client_percentile(samples, SAMPLES, 50);

	printf("%-34s %9.1f %9.1f %9.1f\n", what, client_percentile(samples, SAMPLES, 10), median,
	       client_percentile(samples, SAMPLES, 90));
	return median;
}

int main(void)
{
	static uint64_t submit[SAMPLES], total[SAMPLES], pong[SAMPLES];
	struct pingpong pingpong = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	struct node node;
	double total_us, pong_us;
	pthread_t thread;
	uint64_t ignored;

	if (!client_open(&node.client)) {
		printf("vm_submit: no loom device here, nothing measured\n");
		return 0;
	}
	if (pingpong.ping < 0 || pingpong.pong < 0)
		fail("eventfd");
	node_prepare(&node);
	errno = pthread_create(&thread, NULL, pingpong_answer, &pingpong);
	if (errno)
		fail("pthread_create");

	for (int i = 0; i < WARM_UP; i++) {
		node_round(&node, &ignored);
		pingpong_round(&pingpong);
	}
	/* by turns, so that other load is the same for both */
	for (int batch = 0; batch < BATCHES; batch++) {
		for (int i = batch * PER_BATCH; i < (batch + 1) * PER_BATCH; i++)
			submit[i] = node_round(&node, &total[i]);
		for (int i = batch * PER_BATCH; i < (batch + 1) * PER_BATCH; i++)
			pong[i] = pingpong_round(&pingpong);
	}
	eventfd_give(pingpong.ping, 2);
	pthread_join(thread, NULL);

	printf("%-34s %9s %9s %9s\n", "us, of 2000 rounds", "10 %", "median", "90 %");
	report("SUBMIT of an empty plan", submit);
	total_us = report("SUBMIT until its fence was waited for", total);
	pong_us = report("eventfd ping-pong, two threads", pong);
	printf("an empty job costs %.1f times a ping-pong\n", total_us / pong_us);
	close(node.client.fd);
	return 0;
}
