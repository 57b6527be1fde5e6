// SPDX-License-Identifier: MIT
/*
 * Measured: how long the ioctls of a client take beside others that attack the device, against the
 * same ioctls beside as many processes that only take processor time.
 *
 *	vm_bystander [ATTACKERS]	processes of each attack (default: as many as processors)
 *
 * Each attack runs without end in processes of its own. The bystander makes CALLS calls of each
 * kind beside it and CALLS beside the baseline, by turns, so that other load is the same for both.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "client.h"

#define CALLS		1000
#define TURNS		20
#define MOST_ATTACKERS	16
#define HANDLES		20000
#define PAGE		4096

/* --------------------------------------------------------------- attacks */

static int ready_fd[2];

/* An attack has what it needs, and begins. */
static void ready(void)
{
	if (write(ready_fd[1], "", 1) != 1)
		fail("a pipe");
}

static void burn(struct client *client)
{
	(void)client;
	ready();
	for (;;)
		(void)now_ns();
}

/* Sums of a file with many handles. */
static void read_fdinfo(struct client *client)
{
	struct drm_loom_bo_create create = { .size = PAGE };
	static char text[65536];
	char path[64];
	int i;

	for (i = 0; i < HANDLES; i++)
		if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &create))
			break;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", client->fd);
	ready();
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		while (read(fd, text, sizeof(text)) > 0)
			;
		close(fd);
	}
}

static void list_blocks(struct client *client)
{
	struct drm_loom_query query = { .type = DRM_LOOM_QUERY_BLOCKS };
	struct drm_loom_bo_create create = { .size = PAGE };
	int i;

	for (i = 0; i < HANDLES; i++)
		if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &create))
			break;
	ready();
	for (;;)
		(void)ioctl(client->fd, DRM_IOCTL_LOOM_QUERY, &query);
}

static void create_buffers(struct client *client)
{
	ready();
	for (;;)
		client_bo_close(client, client_bo_plain(client));
}

/* Each has to make room: together they are larger than the region. */
static void displace_buffers(struct client *client)
{
	struct drm_loom_region_info dram = node_region(client->fd, DRM_LOOM_REGION_DRAM);
	uint64_t row = (uint64_t)dram.banks * PAGE;
	struct drm_loom_bo_create create = {
		.size = row,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.page_bytes = PAGE,
		.page_columns = dram.banks,
		.shard_rows = (uint32_t)(dram.total_bytes / 3 / PAGE),
		.shard_columns = 1,
		.grid_columns = dram.banks,
	};
	uint32_t handles[4] = { 0 };
	int i;

	ready();
	for (i = 0;; i = (i + 1) % 4) {
		if (handles[i])
			client_bo_close(client, handles[i]);
		handles[i] = 0;
		if (!ioctl(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &create))
			handles[i] = create.handle;
	}
}

/* Verified as a whole, accepted and given back. */
static void create_plans(struct client *client)
{
	ready();
	for (;;) {
		struct drm_loom_plan_destroy destroy = {
			.plan = client_plan_sum(client, 16, 5000),
		};

		if (ioctl(client->fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy))
			fail("PLAN_DESTROY");
	}
}

static void submit_jobs(struct client *client)
{
	uint32_t plan = client_plan_null(client);
	struct drm_loom_submit args = { .context = client->context, .plan = plan };

	ready();
	for (;;)
		(void)ioctl(client->fd, DRM_IOCTL_LOOM_SUBMIT, &args);
}

/* Jobs without end, each of which is ended by closing its file. */
static void close_in_a_job(struct client *client)
{
	close(client->fd);
	ready();
	while (client_open(client)) {
		uint32_t plan = client_plan_sum(client, 65536, 500);
		uint32_t in = client_bo_plain(client), out = client_bo_plain(client);

		client_submit(client, plan, 2, in, out);
		close(client->fd);
	}
}

static void map_buffers(struct client *client)
{
	uint32_t handle = client_bo_plain(client);
	struct drm_loom_bo_info info = { .handle = handle };
	size_t i;

	if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_INFO, &info))
		fail("BO_INFO");
	ready();
	for (;;) {
		char *map = mmap(NULL, client->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				 client->fd, (off_t)info.mmap_offset);

		if (map == MAP_FAILED)
			fail("mmap");
		for (i = 0; i < client->bytes; i += PAGE)
			map[i]++;
		munmap(map, client->bytes);
	}
}

static void copy_bytes(struct client *client)
{
	uint32_t handle = client_bo_plain(client);
	void *bytes = calloc(1, client->bytes);
	struct drm_loom_bo_copy args = {
		.handle = handle,
		.size = client->bytes,
		.ptr = (uintptr_t)bytes,
	};

	ready();
	for (;;)
		if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_WRITE, &args) ||
		    ioctl(client->fd, DRM_IOCTL_LOOM_BO_READ, &args))
			fail("BO_READ, BO_WRITE");
}

static void share_buffers(struct client *client)
{
	uint32_t handle = client_bo_plain(client);
	int other = node_find();

	ready();
	for (;;) {
		struct drm_prime_handle prime = { .handle = handle, .flags = DRM_CLOEXEC };
		struct drm_gem_close close_args;

		if (ioctl(client->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) ||
		    ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime))
			fail("PRIME");
		close_args = (struct drm_gem_close){ .handle = prime.handle };
		close(prime.fd);
		if (ioctl(other, DRM_IOCTL_GEM_CLOSE, &close_args))
			fail("GEM_CLOSE");
	}
}

static void open_nodes(struct client *client)
{
	ready();
	for (;;) {
		struct client other;

		(void)client;
		if (!client_open(&other))
			fail("open");
		close(other.fd);
	}
}

static const struct attack {
	const char *name;
	void (*run)(struct client *client);
} attacks[] = {
	{ "fdinfo of 20,000 handles", read_fdinfo },
	{ "lists of 20,000 blocks", list_blocks },
	{ "buffers come and go", create_buffers },
	{ "buffers displace each other", displace_buffers },
	{ "plans of 5,000 commands", create_plans },
	{ "as many jobs as there may be", submit_jobs },
	{ "files closed in a job", close_in_a_job },
	{ "mappings and faults", map_buffers },
	{ "BO_READ and BO_WRITE", copy_bytes },
	{ "PRIME exports and imports", share_buffers },
	{ "nodes opened and closed", open_nodes },
};

static void begin(void (*run)(struct client *client), pid_t *pids, int count)
{
	char byte;
	int i;

	for (i = 0; i < count; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			fail("fork");
		if (!pids[i]) {
			struct client client;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (!client_open(&client))
				fail("open");
			run(&client);
			_exit(1);
		}
	}
	for (i = 0; i < count; i++)
		if (read(ready_fd[0], &byte, 1) != 1)
			fail("a pipe");
}

static void end(pid_t *pids, int count)
{
	int i;

	for (i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < count; i++)
		waitpid(pids[i], NULL, 0);
}

/* ------------------------------------------------------------- bystander */

enum {
	QUERY,
	BO_CREATE,
	BO_INFO,
	PLAN_CREATE,
	SUBMIT,
	OPERATIONS
};

static const char *const operation_name[] = { "QUERY", "BO_CREATE", "BO_INFO", "PLAN_CREATE",
					      "SUBMIT" };

struct bystander {
	struct client client;
	uint32_t plan, bo;
};

/* Return: ns that the ioctl takes. */
static uint64_t measure(const struct bystander *b, int operation)
{
	struct drm_loom_bo_info info = { .handle = b->bo };
	struct drm_loom_plan_destroy destroy;
	uint64_t start = now_ns(), took;
	uint32_t handle;

	switch (operation) {
	case QUERY:
		(void)node_region(b->client.fd, DRM_LOOM_REGION_DRAM);
		return now_ns() - start;
	case BO_CREATE:
		handle = client_bo_plain(&b->client);
		took = now_ns() - start;
		client_bo_close(&b->client, handle);
		return took;
	case BO_INFO:
		if (ioctl(b->client.fd, DRM_IOCTL_LOOM_BO_INFO, &info))
			fail("BO_INFO");
		return now_ns() - start;
	case PLAN_CREATE:
		destroy = (struct drm_loom_plan_destroy){ .plan = client_plan_null(&b->client) };
		took = now_ns() - start;
		if (ioctl(b->client.fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy))
			fail("PLAN_DESTROY");
		return took;
	default:
		client_submit(&b->client, b->plan, 0, 0, 0);
		return now_ns() - start;
	}
}

static void calls(const struct bystander *b, uint64_t (*samples)[CALLS], int turn)
{
	int operation, i;

	for (operation = 0; operation < OPERATIONS; operation++)
		for (i = 0; i < CALLS / TURNS; i++)
			samples[operation][turn * (CALLS / TURNS) + i] = measure(b, operation);
	/* its jobs end */
	usleep(50000);
}

static double beside(const struct bystander *b, const struct attack *attack, int attackers)
{
	static uint64_t samples[2][OPERATIONS][CALLS];
	pid_t pids[MOST_ATTACKERS];
	double worst = 0;
	int turn, operation;

	for (turn = 0; turn < TURNS; turn++) {
		begin(burn, pids, attackers);
		calls(b, samples[0], turn);
		end(pids, attackers);
		begin(attack->run, pids, attackers);
		calls(b, samples[1], turn);
		end(pids, attackers);
	}
	printf("%-30s", attack->name);
	for (operation = 0; operation < OPERATIONS; operation++) {
		double base = client_percentile(samples[0][operation], CALLS, 50);
		double ratio = client_percentile(samples[1][operation], CALLS, 50) / base;

		printf(" %6.1f %5.2f", base, ratio);
		worst = ratio > worst ? ratio : worst;
	}
	printf("\n");
	fflush(stdout);
	return worst;
}

int main(int argc, char **argv)
{
	int attackers = argc > 1 ? atoi(argv[1]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct bystander b = { 0 };
	double worst = 0, one;
	size_t i;

	if (attackers < 1 || attackers > MOST_ATTACKERS) {
		fprintf(stderr, "vm_bystander: 1 to %d attackers\n", MOST_ATTACKERS);
		return 2;
	}
	if (!client_open(&b.client)) {
		printf("vm_bystander: no loom device here, nothing measured\n");
		return 0;
	}
	if (pipe(ready_fd))
		fail("a pipe");
	b.plan = client_plan_null(&b.client);
	b.bo = client_bo_plain(&b.client);
	printf("median of %d calls, us beside %d loops, and its multiple beside the attack\n",
	       CALLS, attackers);
	printf("%-30s", "");
	for (i = 0; i < OPERATIONS; i++)
		printf(" %12s", operation_name[i]);
	printf("\n");
	for (i = 0; i < ARRAY_SIZE(attacks); i++) {
		one = beside(&b, &attacks[i], attackers);
		worst = one > worst ? one : worst;
	}
	printf("worst: %.2f\n", worst);
	return 0;
}
