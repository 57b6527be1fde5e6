// SPDX-License-Identifier: MIT
/*
 * Measured: runs per second of two processes that together use FACTOR times the DRAM. Each loads
 * its network so many times and runs all of these sessions in turn, so buffers are evicted and
 * brought back. Every result is compared, bit by bit, with that of the host.
 *
 * Baseline: the same number of runs with half of the DRAM in use, where nothing is evicted.
 *
 *	vm_oversubscribe [FACTOR [MODEL MODEL]]
 *	vm_oversubscribe --check	only that all results are right
 *
 * Wants a DRAM that is smaller than the host's memory: topology=tiny.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_planner.h"
#include "loom_run.h"

#define PROCESSES	2
#define INPUTS		3
#define MAX_SESSIONS	1000

/**
 * struct network - what a process runs
 * @path: the model
 * @graph: the same, read
 * @program: planned for the device
 * @bytes: of all its slots
 * @in: some values for its first input
 * @want: the results of the host for each, all outputs one after the other
 */
struct network {
	const char *path;
	struct loom_graph *graph;
	struct loom_program *program;
	uint64_t bytes;
	struct loom_array in[INPUTS];
	struct loom_array *want[INPUTS];
};

/**
 * struct shared - memory that the processes share
 * @ready: how many have loaded all their networks
 * @go: all of them have, and the bytes in use were read
 * @wrong: results that differ from the host's, by process
 * @runs: by process
 * @busy_ns: by process: from @go to its last result
 */
struct shared {
	uint32_t ready;
	uint32_t go;
	uint32_t wrong[PROCESSES];
	uint32_t runs[PROCESSES];
	uint64_t busy_ns[PROCESSES];
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "vm_oversubscribe: %s: %s\n", what, why);
	exit(1);
}

/* ------------------------------------------------------------- networks */

static struct loom_session *load(struct loom_target *target, const struct network *network)
{
	struct loom_session *session;
	struct loom_error err;

	if (loom_session_create(target, network->program, &session, &err))
		fail(network->path, err.text);
	return session;
}

static void run(struct loom_session *session, const struct network *network, uint32_t which)
{
	struct loom_error err;

	if (loom_session_set_input(session, 0, &network->in[which], &err) ||
	    loom_session_run(session, NULL, NULL, &err))
		fail(network->path, err.text);
}

/* Bytes in the range of pictures and sounds, the same in each run. */
static void make_input(struct network *network, uint32_t which)
{
	const struct loom_program_tensor *from = &network->program->inputs[0];
	struct loom_array *in = &network->in[which];
	uint64_t i, seed = which + 1;

	if (from->dtype != DRM_LOOM_DTYPE_F32 || network->program->num_inputs != 1)
		fail(network->path, "one input of f32 is wanted");
	if (loom_array_alloc(in, from->dtype, from->rank, from->dims))
		fail(network->path, strerror(ENOMEM));
	for (i = 0; i < in->size_bytes / sizeof(float); i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		((float *)in->data)[i] = (float)(seed >> 40) / (float)(1 << 24) * 2 - 1;
	}
}

static void get_outputs(struct loom_session *session, const struct network *network,
			struct loom_array *outputs)
{
	uint32_t i;

	for (i = 0; i < network->program->num_outputs; i++)
		if (loom_session_get_output(session, i, &outputs[i], NULL))
			fail(network->path, "no output");
}

static void network_open(struct network *network, const char *path, struct loom_target *target)
{
	struct loom_planner_options options = {
		.chip = loom_target_chip(target),
		.grouping = "layerwise",
	};
	struct loom_session *session;
	struct loom_target *host;
	struct loom_error err;
	uint32_t i;

	*network = (struct network){ .path = path };
	if (loom_graph_import_onnx(path, NULL, &network->graph, &err) ||
	    loom_program_create(network->graph, &options, &network->program, &err) ||
	    loom_target_open("host", options.chip, &host, &err))
		fail(path, err.text);
	for (i = 0; i < network->program->num_slots; i++)
		network->bytes += network->program->slots[i].size_bytes;
	session = load(host, network);
	for (i = 0; i < INPUTS; i++) {
		make_input(network, i);
		network->want[i] = calloc(network->program->num_outputs,
					  sizeof(*network->want[i]));
		if (!network->want[i])
			fail(path, strerror(ENOMEM));
		run(session, network, i);
		get_outputs(session, network, network->want[i]);
	}
	loom_session_destroy(session);
	loom_target_close(host);
}

/* ------------------------------------------------------------ processes */

static bool is_right(struct loom_session *session, const struct network *network, uint32_t which)
{
	bool right = true;
	uint32_t i;

	for (i = 0; i < network->program->num_outputs; i++) {
		const struct loom_array *want = &network->want[which][i];
		struct loom_array have;

		if (loom_session_get_output(session, i, &have, NULL))
			fail(network->path, "no output");
		right &= have.size_bytes == want->size_bytes &&
			 !memcmp(have.data, want->data, want->size_bytes);
		loom_array_clear(&have);
	}
	return right;
}

/* Runs in a process of its own, with a file, a queue and buffers of its own. */
static void work(struct shared *shared, uint32_t self, const struct network *network,
		 uint32_t count, uint32_t runs)
{
	static struct loom_session *sessions[MAX_SESSIONS];
	struct loom_target *target;
	struct loom_error err;
	uint64_t start;
	uint32_t i;

	if (loom_target_open("device", NULL, &target, &err))
		fail("device", err.text);
	for (i = 0; i < count; i++)
		sessions[i] = load(target, network);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST))
		usleep(1000);

	start = now_ns();
	for (i = 0; i < runs; i++) {
		struct loom_session *session = sessions[i % count];
		/* another input each time that a session has its turn */
		uint32_t which = (i + i / count) % INPUTS;

		run(session, network, which);
		if (!is_right(session, network, which))
			shared->wrong[self]++;
		shared->runs[self]++;
	}
	shared->busy_ns[self] = now_ns() - start;
	for (i = 0; i < count; i++)
		loom_session_destroy(sessions[i]);
	loom_target_close(target);
	exit(0);
}

struct figures {
	double runs_per_s[PROCESSES];
	uint64_t held_bytes;
	uint32_t wrong;
};

static struct figures measure(struct shared *shared, struct loom_device *device,
			      const struct network *networks, const uint32_t *count,
			      const uint32_t *runs)
{
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE,
		.size = sizeof(struct drm_loom_device_info),
	};
	struct figures figures = { 0 };
	struct drm_loom_device_info info;
	pid_t child[PROCESSES];
	int i, status, dead;

	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	for (i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		if (child[i] < 0)
			fail("fork", strerror(errno));
		if (!child[i])
			work(shared, i, &networks[i], count[i], runs[i]);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < PROCESSES) {
		dead = waitpid(-1, &status, WNOHANG);
		if (dead > 0)
			fail("a process", "ended before it began");
		usleep(1000);
	}
	query.ptr = (uintptr_t)&info;
	if (ioctl(loom_device_fd(device), DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY", strerror(errno));
	figures.held_bytes = info.bo_bytes;
	__atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < PROCESSES; i++) {
		if (waitpid(child[i], &status, 0) != child[i] || status)
			fail(networks[i].path, "its process failed");
		figures.runs_per_s[i] = shared->runs[i] * 1e9 / (double)shared->busy_ns[i];
		figures.wrong += shared->wrong[i];
		if (shared->runs[i] != runs[i])
			figures.wrong++;
	}
	return figures;
}

static void report(const char *what, const struct figures *figures, uint64_t dram_bytes,
		   const struct network *networks)
{
	const char *name;
	int i;

	printf("%-16s %6.1f MiB in use, %.2f of the DRAM", what,
	       (double)figures->held_bytes / (1 << 20),
	       (double)figures->held_bytes / (double)dram_bytes);
	for (i = 0; i < PROCESSES; i++) {
		name = strrchr(networks[i].path, '/');
		printf("; %s %.2f runs/s", name ? name + 1 : networks[i].path,
		       figures->runs_per_s[i]);
	}
	printf("; %u wrong\n", figures->wrong);
}

int main(int argc, char **argv)
{
	const char *paths[PROCESSES] = {
		"build/models/blazeface.onnx", "build/models/oww_hey_mycroft.onnx",
	};
	bool check = argc > 1 && !strcmp(argv[1], "--check");
	double factor = argc > 1 && !check ? atof(argv[1]) : 3;
	uint32_t few[PROCESSES], many[PROCESSES], runs[PROCESSES];
	struct network networks[PROCESSES];
	struct drm_loom_region_info dram;
	struct figures under = { 0 }, over;
	struct loom_target *target;
	struct shared *shared;
	struct loom_error err;
	uint64_t dram_bytes;
	int i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("mmap", strerror(errno));
	if (loom_target_open("device", NULL, &target, &err)) {
		printf("vm_oversubscribe: no loom device here, nothing measured\n");
		return 0;
	}
	if (loom_device_region(loom_target_device(target), DRM_LOOM_REGION_DRAM, &dram))
		fail("QUERY", strerror(errno));
	dram_bytes = dram.total_bytes * dram.banks;
	if (factor * (double)dram_bytes > (double)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE))
		fail("DRAM", "more than the host has; try topology=tiny");
	for (i = 0; i < PROCESSES; i++) {
		if (argc > 2 + i)
			paths[i] = argv[2 + i];
		network_open(&networks[i], paths[i], target);
		few[i] = (uint32_t)(dram_bytes / 4 / networks[i].bytes);
		many[i] = (uint32_t)(factor * (double)dram_bytes / PROCESSES /
				     (double)networks[i].bytes) + 1;
		if (!few[i] || many[i] > MAX_SESSIONS)
			fail(paths[i], "of no size for this DRAM");
	}
	/*
	 * Both processes have work until the end: the faster one runs more often. Each goes around
	 * more than once, so that evicted buffers are used again.
	 */
	runs[0] = many[0] + many[0] / 4;
	runs[1] = check ? 2 * many[1] : 3 * many[1];
	if (!check) {
		under = measure(shared, loom_target_device(target), networks, few, runs);
		report("undersubscribed", &under, dram_bytes, networks);
	}
	over = measure(shared, loom_target_device(target), networks, many, runs);
	report("oversubscribed", &over, dram_bytes, networks);
	for (i = 0; i < PROCESSES && !check; i++)
		printf("%s: oversubscribed %.2f times as fast\n", networks[i].path,
		       over.runs_per_s[i] / under.runs_per_s[i]);
	if ((double)over.held_bytes < factor * (double)dram_bytes)
		fail("DRAM", "it was not oversubscribed");
	loom_target_close(target);
	return over.wrong || under.wrong;
}
