// SPDX-License-Identifier: MIT
/*
 * Measured: what a switch between two contexts' jobs costs: the time of two clients' jobs that take
 * turns, with slices of 1 and of 10 ms.
 *
 * Baseline: the same two jobs one after the other, in the same run and by turns.
 */
#include "client.h"

#define ROUNDS	25
/* of each job, about, on an idle device */
#define JOB_NS	150000000ULL
#define SLICE	"/sys/module/loom/parameters/time_slice_ms"

struct worker {
	struct client client;
	uint32_t plan, in, out;
};

static void set_slice(unsigned int ms)
{
	FILE *file = fopen(SLICE, "w");

	if (!file || fprintf(file, "%u\n", ms) < 0 || fclose(file))
		fail(SLICE);
}

static void worker_open(struct worker *worker)
{
	if (!client_open(&worker->client))
		fail("open");
	worker->in = client_bo_plain(&worker->client);
	worker->out = client_bo_plain(&worker->client);
}

static void worker_begin(struct worker *worker)
{
	client_submit(&worker->client, worker->plan, 2, worker->in, worker->out);
}

static void worker_end(struct worker *worker)
{
	while (client_busy(&worker->client, worker->out, 1000000000))
		;
}

/* So many sums that a job takes JOB_NS. */
static void worker_calibrate(struct worker *worker)
{
	uint32_t repeat = 64;
	uint64_t start, took;

	do {
		repeat *= 2;
		worker->plan = client_plan_sum(&worker->client, repeat, 1);
		start = now_ns();
		worker_begin(worker);
		worker_end(worker);
		took = now_ns() - start;
	} while (took < JOB_NS / 4 && repeat < 65536);
	worker->plan = client_plan_sum(&worker->client, repeat,
				       (uint32_t)(JOB_NS / (took + 1)) + 1);
}

/* Return: ns for both; with a slice they take turns. */
static uint64_t both(struct worker *workers, unsigned int slice_ms)
{
	uint64_t start = now_ns();

	if (slice_ms)
		set_slice(slice_ms);
	worker_begin(&workers[0]);
	if (!slice_ms)
		worker_end(&workers[0]);
	worker_begin(&workers[1]);
	worker_end(&workers[0]);
	worker_end(&workers[1]);
	return now_ns() - start;
}

int main(void)
{
	static const unsigned int slices_ms[] = { 0, 10, 1 };
	uint64_t samples[3][ROUNDS], more[3][ROUNDS];
	struct worker workers[2];
	int probe = node_find();
	double alone_ms, ratio;

	if (probe < 0) {
		printf("vm_slice: no loom device here, nothing measured\n");
		return 0;
	}
	close(probe);
	for (int i = 0; i < 2; i++)
		worker_open(&workers[i]);
	worker_calibrate(&workers[0]);
	worker_calibrate(&workers[1]);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 3; i++)
			samples[i][round] = both(workers, slices_ms[i]);
		/* in thousandths of a thousandth, pair by pair: other load comes and goes */
		for (int i = 0; i < 3; i++)
			more[i][round] = samples[i][round] * 1000000 / samples[0][round];
	}
	set_slice(10);

	alone_ms = client_percentile(samples[0], ROUNDS, 50) / 1000;
	printf("two jobs, median of %d rounds      ms   ratio  a switch\n", ROUNDS);
	printf("one after the other         %10.2f\n", alone_ms);
	for (int i = 1; i < 3; i++) {
		ratio = client_percentile(more[i], ROUNDS, 50) / 1000;
		printf("by turns of %2u ms           %10.2f %7.3f %6.1f us\n", slices_ms[i],
		       client_percentile(samples[i], ROUNDS, 50) / 1000, ratio,
		       (ratio - 1) * 1000 * slices_ms[i]);
	}
	return 0;
}
