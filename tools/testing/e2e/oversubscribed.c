// SPDX-License-Identifier: MIT
/*
 * On a device: two processes that together use three times the DRAM. Each loads its network so many
 * times and runs all of these sessions in turn, so buffers are evicted and brought back. Every
 * result is compared, bit by bit, with that of the host.
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

#include "loom_device.h"
#include "loom_file.h"
#include "loom_planner.h"
#include "loom_run.h"

#define PROCESSES	2
#define INPUTS		3
#define MAX_SESSIONS	1000
#define FACTOR		3

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
 */
struct shared {
	uint32_t ready;
	uint32_t go;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "oversubscribed: %s: %s\n", what, why);
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
static void work(struct shared *shared, const struct network *network, uint32_t count,
		 uint32_t runs)
{
	static struct loom_session *sessions[MAX_SESSIONS];
	struct loom_target *target;
	struct loom_error err;
	uint32_t i, wrong = 0;

	if (loom_target_open("device", NULL, &target, &err))
		fail("device", err.text);
	for (i = 0; i < count; i++)
		sessions[i] = load(target, network);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST))
		usleep(1000);

	for (i = 0; i < runs; i++) {
		struct loom_session *session = sessions[i % count];
		/* another input each time that a session has its turn */
		uint32_t which = (i + i / count) % INPUTS;

		run(session, network, which);
		wrong += !is_right(session, network, which);
	}
	for (i = 0; i < count; i++)
		loom_session_destroy(sessions[i]);
	loom_target_close(target);
	if (wrong)
		fprintf(stderr, "%s: %u of %u results are wrong\n", network->path, wrong, runs);
	exit(!!wrong);
}

/* Return: the bytes of all buffers when the processes have loaded their networks. */
static uint64_t run_all(struct shared *shared, struct loom_device *device,
			const struct network *networks, const uint32_t *count,
			const uint32_t *runs)
{
	struct drm_loom_device_info info;
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE,
		.size = sizeof(info),
		.ptr = (uintptr_t)&info,
	};
	pid_t child[PROCESSES];
	int i, status;

	fflush(stdout);
	for (i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		if (child[i] < 0)
			fail("fork", strerror(errno));
		if (!child[i])
			work(shared, &networks[i], count[i], runs[i]);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < PROCESSES) {
		if (waitpid(-1, &status, WNOHANG) > 0)
			fail("a process", "ended before it began");
		usleep(1000);
	}
	if (ioctl(loom_device_fd(device), DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY", strerror(errno));
	__atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < PROCESSES; i++)
		if (waitpid(child[i], &status, 0) != child[i] || status)
			fail(networks[i].path, "its process failed");
	return info.bo_bytes;
}

int main(void)
{
	static const char *const paths[PROCESSES] = {
		"build/models/blazeface.onnx", "build/models/oww_hey_mycroft.onnx",
	};
	uint32_t many[PROCESSES], runs[PROCESSES], i;
	struct network networks[PROCESSES];
	struct drm_loom_region_info dram;
	struct loom_target *target;
	uint64_t dram_bytes, held;
	struct shared *shared;
	struct loom_error err;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("mmap", strerror(errno));
	if (loom_target_open("device", NULL, &target, &err))
		fail("device", err.text);
	if (loom_device_region(loom_target_device(target), DRM_LOOM_REGION_DRAM, &dram))
		fail("QUERY", strerror(errno));
	dram_bytes = dram.total_bytes * dram.banks;
	if (FACTOR * dram_bytes > (uint64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE))
		fail("DRAM", "more than the host has; try topology=tiny");
	for (i = 0; i < PROCESSES; i++) {
		network_open(&networks[i], paths[i], target);
		many[i] = (uint32_t)(FACTOR * dram_bytes / PROCESSES / networks[i].bytes) + 1;
		if (many[i] > MAX_SESSIONS)
			fail(paths[i], "of no size for this DRAM");
	}
	/*
	 * Both processes have work until the end: the faster one runs more often. Each goes around
	 * more than once, so that evicted buffers are used again.
	 */
	runs[0] = many[0] + many[0] / 4;
	runs[1] = 2 * many[1];
	held = run_all(shared, loom_target_device(target), networks, many, runs);
	printf("%.1f MiB in use, %.2f of the DRAM\n", (double)held / (1 << 20),
	       (double)held / (double)dram_bytes);
	if (held < FACTOR * dram_bytes)
		fail("DRAM", "it was not oversubscribed");
	loom_target_close(target);
	return 0;
}
