// SPDX-License-Identifier: MIT
#include "sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"

static int model_init(struct sim *sim, const struct sim_options *options, int socket)
{
	int ret;

	sim->options = options;
	sim->chip = options->chip;
	ret = sim_memory_init(&sim->memory, &sim->chip, options->window);
	if (ret)
		return ret;
	sim_dma_init(&sim->dma, socket, options->messages);
	sim_config_init(&sim->config, sim->memory.bar);
	sim_records_init(&sim->records);
	sim_faults_init(&sim->faults, options->seed);
	sim_power_init(&sim->power);
	sim_plans_init(&sim->plans);
	pthread_mutex_init(&sim->lock, NULL);
	pthread_cond_init(&sim->changed, NULL);
	sim->started = sim_now_ns();
	return 0;
}

static int model_start(struct sim *sim, struct sim_control *control)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, sim_firmware, sim);

	if (!ret)
		ret = sim_engine_start(sim);
	if (!ret)
		ret = pthread_create(&thread, NULL, sim_dma_worker, sim);
	if (!ret && control->socket >= 0)
		ret = pthread_create(&thread, NULL, sim_control, control);
	return -ret;
}

/* As if they came by the control socket. */
static void model_arm(struct sim *sim)
{
	char line[256];
	u32 i;

	for (i = 0; i < sim->options->fault_count; i++) {
		snprintf(line, sizeof(line), "fault %s", sim->options->faults[i]);
		sim_command(sim, line, stderr);
	}
	sim_fuzz_set(&sim->faults, sim->options->fuzz);
}

int sim_model(const struct sim_options *options, int socket, int control_socket)
{
	static struct sim sim;
	static struct sim_control control;
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	control = (struct sim_control){ .sim = &sim, .socket = control_socket };
	ret = model_init(&sim, options, socket);
	if (ret) {
		fprintf(stderr, "loom-sim: no memory for the banks: %s\n", strerror(-ret));
		return 1;
	}
	model_arm(&sim);
	ret = model_start(&sim, &control);
	if (ret) {
		fprintf(stderr, "loom-sim: no threads: %s\n", strerror(-ret));
		return 1;
	}
	sim_bus(&sim);
	/* the threads end with the process */
	return 0;
}
