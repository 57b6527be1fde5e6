// SPDX-License-Identifier: MIT
/*
 * Measured: how long the ioctls of a client take beside another client's long job on buffers that
 * fill the DRAM, against the same ioctls on an idle device.
 *
 *	vm_latency [UNITS]	length of the other's jobs, in sums of 2^30 elements (default 500,
 *				minutes on any machine)
 *
 * The buffers that fill the DRAM are sharded ones that are mostly padding, so that a machine needs
 * no more memory than a few pages for each. The baseline is the idle device, in the same run and by
 * turns, so that other load is the same for both: the job is ended by closing its file, and begun
 * anew. All rounds are paced alike, and begin when the client's own job of the round before has
 * ended. Time beside the job holds processor time that the job takes from the client, too, which on
 * a machine with as many processors as busy threads is little. Then: jobs beside somebody who has
 * all blocks of the SRAM listed, against the same beside a list of the DRAM.
 */
#include <signal.h>
#include <sys/wait.h>

#include "client.h"

#define BLOCKS		8
#define PER_BLOCK	50
#define ROUNDS		(BLOCKS * PER_BLOCK)
#define WARM_UP		5
#define PACE_US		500
#define PAGE		4096
/* jobs beside a list of so many blocks, the best of a few times */
#define LISTED_JOBS	128
#define LISTED_BLOCKS	16384
#define LISTED_ROUNDS	5

/* The one who is measured. */
struct probe {
	struct client client;
	struct drm_loom_region_info dram;
	uint32_t null, plan, in, out;
	/* what DRAM_CREATE_IDLE made last */
	uint32_t last;
};

/* The other: its buffers fill the DRAM but for a third and what the first client needs. */
struct hog {
	struct client client;
	uint32_t plan, bo[2];
};

/* On all banks of the DRAM, @part of it, most of that padding. */
static uint32_t bo_hollow(const struct client *client, const struct drm_loom_region_info *dram,
			  unsigned int part)
{
	uint64_t row = (uint64_t)dram->banks * PAGE;

	return client_bo(client, (struct drm_loom_bo_create) {
		.size = (client->bytes + row - 1) / row * row,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.page_bytes = PAGE,
		.page_columns = dram->banks,
		.shard_rows = (uint32_t)(dram->total_bytes / part / PAGE - 8),
		.shard_columns = 1,
		.grid_columns = dram->banks,
	});
}

static void hog_run(struct hog *hog)
{
	client_submit(&hog->client, hog->plan, 2, hog->bo[0], hog->bo[1]);
}

/* @units: of its job; zero is the shortest there is */
static void hog_open(struct hog *hog, const struct drm_loom_region_info *dram, uint32_t units)
{
	if (!client_open(&hog->client))
		fail("open");
	hog->plan = client_plan_sum(&hog->client, units ? 65536 : 1, units ? units : 1);
	for (int i = 0; i < 2; i++)
		hog->bo[i] = bo_hollow(&hog->client, dram, 3);
	hog_run(hog);
}

/* Ends its jobs, too. */
static void hog_close(struct hog *hog)
{
	close(hog->client.fd);
}

/* ------------------------------------------------------------ operations */

enum {
	SRAM_CREATE,
	SUBMIT_EMPTY,
	SUBMIT_RESIDENT,
	DRAM_CREATE_IDLE,
	DRAM_CREATE_BUSY,
	OPERATIONS
};

static const char *const operation_name[] = {
	[SRAM_CREATE] = "BO_CREATE in the SRAM",
	[SUBMIT_EMPTY] = "SUBMIT of an empty plan",
	[SUBMIT_RESIDENT] = "SUBMIT with resident buffers",
	[DRAM_CREATE_IDLE] = "BO_CREATE, an idle buffer goes",
	[DRAM_CREATE_BUSY] = "BO_CREATE, the other's go",
};

/* Return: ns that the ioctl takes. */
static uint64_t measure(struct probe *probe, struct hog *hog, int operation)
{
	struct drm_loom_bo_create sram = { .size = PAGE, .region = DRM_LOOM_REGION_SRAM };
	const struct client *client = &probe->client;
	uint64_t start = now_ns(), took;
	uint32_t handle;

	switch (operation) {
	case SRAM_CREATE:
		handle = client_bo(client, sram);
		took = now_ns() - start;
		client_bo_close(client, handle);
		return took;
	case SUBMIT_EMPTY:
		client_submit(client, probe->null, 0, 0, 0);
		return now_ns() - start;
	case SUBMIT_RESIDENT:
		client_submit(client, probe->plan, 2, probe->in, probe->out);
		return now_ns() - start;
	case DRAM_CREATE_IDLE:
		handle = bo_hollow(client, &probe->dram, 4);
		took = now_ns() - start;
		if (probe->last)
			client_bo_close(client, probe->last);
		probe->last = handle;
		return took;
	default:
		/* its buffers come back, which evicts ours */
		hog_run(hog);
		start = now_ns();
		handle = bo_hollow(client, &probe->dram, 2);
		took = now_ns() - start;
		client_bo_close(client, handle);
		return took;
	}
}

/* Some rounds of an operation. The first few warm up after a change of blocks. */
static void run(struct probe *probe, struct hog *hog, int operation, uint64_t *samples)
{
	for (int i = -WARM_UP; i < PER_BLOCK; i++) {
		uint64_t took = measure(probe, hog, operation);

		if (i >= 0)
			samples[i] = took;
		while (client_busy(&probe->client, probe->out, 1000000000))
			;
		usleep(PACE_US);
	}
	if (probe->last)
		client_bo_close(&probe->client, probe->last);
	probe->last = 0;
}

static void probe_open(struct probe *probe)
{
	const struct client *client = &probe->client;

	probe->dram = node_region(client->fd, DRM_LOOM_REGION_DRAM);
	probe->null = client_plan_null(client);
	probe->plan = client_plan_sum(client, 1, 1);
	probe->in = client_bo_plain(client);
	probe->out = client_bo_plain(client);
	client_submit(client, probe->plan, 2, probe->in, probe->out);
}

static void report(uint64_t (*idle)[ROUNDS], uint64_t (*beside)[ROUNDS])
{
	printf("us, of %-26d %19s %19s %15s\n", ROUNDS, "idle", "beside", "ratio");
	printf("%-32s %9s %9s %9s %9s %7s %7s\n", "", "median", "99 %", "median", "99 %", "median",
	       "99 %");
	for (int operation = 0; operation < OPERATIONS; operation++) {
		double a = client_percentile(idle[operation], ROUNDS, 50);
		double a99 = client_percentile(idle[operation], ROUNDS, 99);
		double b = client_percentile(beside[operation], ROUNDS, 50);
		double b99 = client_percentile(beside[operation], ROUNDS, 99);

		printf("%-32s %9.1f %9.1f %9.1f %9.1f %7.2f %7.2f\n", operation_name[operation],
		       a, a99, b, b99, b / a, b99 / a99);
	}
}

/* ------------------------------------------------ beside a list of blocks */

/* Return: ns that the list of a region's blocks takes. */
static uint64_t list_blocks(const struct client *client, uint32_t region)
{
	struct drm_loom_query query = { .type = DRM_LOOM_QUERY_BLOCKS, .index = region };
	uint64_t start = now_ns();

	if (ioctl(client->fd, DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY of blocks");
	return now_ns() - start;
}

/* Return: ns that some jobs take beside somebody who has a region listed without end. */
static uint64_t jobs_beside_lister(const struct probe *probe, uint32_t region)
{
	const struct client *client = &probe->client;
	pid_t lister = fork();
	uint64_t start;

	if (lister < 0)
		fail("fork");
	while (!lister)
		list_blocks(client, region);
	usleep(20000);
	start = now_ns();
	for (int i = 0; i < LISTED_JOBS; i++)
		client_submit(client, probe->plan, 2, probe->in, probe->out);
	while (client_busy(client, probe->out, 1000000000))
		;
	start = now_ns() - start;
	kill(lister, SIGKILL);
	waitpid(lister, NULL, 0);
	return start;
}

/*
 * A job takes its scratch in the SRAM when it begins and gives it back when it ends, and would wait
 * for whoever has the SRAM listed. The DRAM is none of its business: the baseline.
 */
static void report_listing(const struct probe *probe)
{
	const struct client *client = &probe->client;
	struct drm_loom_region_info sram = node_region(client->fd, DRM_LOOM_REGION_SRAM);
	uint64_t best[2] = { UINT64_MAX, UINT64_MAX }, one = UINT64_MAX, ns;
	uint32_t blocks = (uint32_t)(sram.total_bytes / sram.align_bytes / 4 * 3);
	struct drm_loom_context_create exclusive = {
		.priority = DRM_LOOM_PRIORITY_NORMAL,
		.flags = DRM_LOOM_CONTEXT_EXCLUSIVE,
	};
	struct drm_loom_bo_create create = {
		.size = (uint64_t)sram.align_bytes * sram.banks,
		.page_bytes = sram.align_bytes,
		.region = DRM_LOOM_REGION_SRAM,
		.direction = DRM_LOOM_DIRECTION_TOP_DOWN,
	};

	if (ioctl(client->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &exclusive))
		fail("a context that may fill the SRAM");
	blocks = blocks < LISTED_BLOCKS ? blocks : LISTED_BLOCKS;
	for (uint32_t i = 0; i < blocks; i++)
		client_bo(client, create);
	for (int round = 0; round < LISTED_ROUNDS; round++) {
		ns = list_blocks(client, DRM_LOOM_REGION_SRAM);
		one = ns < one ? ns : one;
		for (int region = 0; region < 2; region++) {
			ns = jobs_beside_lister(probe, region ? DRM_LOOM_REGION_SRAM :
							DRM_LOOM_REGION_DRAM);
			best[region] = ns < best[region] ? ns : best[region];
		}
	}
	printf("%u blocks of the SRAM are listed in %.1f us\n", blocks, (double)one / 1000);
	printf("%d jobs beside that take %.1f us, beside a list of the DRAM %.1f us: ratio %.2f\n",
	       LISTED_JOBS, (double)best[1] / 1000, (double)best[0] / 1000,
	       (double)best[1] / (double)best[0]);
}

int main(int argc, char **argv)
{
	static uint64_t samples[2][OPERATIONS][ROUNDS];
	uint32_t units = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500;
	uint64_t chunk_ns = UINT64_MAX, ns;
	struct probe probe = { 0 };
	struct hog hog;

	if (!client_open(&probe.client)) {
		printf("vm_latency: no loom device here, nothing measured\n");
		return 0;
	}
	probe_open(&probe);
	for (int block = 0; block < 2 * BLOCKS; block++) {
		bool beside = block & 1;

		hog_open(&hog, &probe.dram, beside ? units : 0);
		while (!beside && client_busy(&hog.client, hog.bo[1], 1000000000))
			;
		for (int operation = 0; operation < OPERATIONS; operation++) {
			(void)client_longest_chunk_ns();
			run(&probe, &hog, operation,
			    samples[beside][operation] + block / 2 * PER_BLOCK);
			ns = client_longest_chunk_ns();
			/* a busy machine has taken the VM's processor away in the others */
			if (beside && ns < chunk_ns)
				chunk_ns = ns;
		}
		if (beside && !client_busy(&hog.client, hog.bo[1], 0)) {
			printf("the other's job HAS ENDED: ask for more units\n");
			return 1;
		}
		hog_close(&hog);
	}
	report(samples[0], samples[1]);
	printf("the longest chunk of the other's job: %.1f us, the least of %d times\n",
	       (double)chunk_ns / 1000, BLOCKS * OPERATIONS);
	report_listing(&probe);
	close(probe.client.fd);
	return 0;
}
