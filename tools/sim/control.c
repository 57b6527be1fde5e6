// SPDX-License-Identifier: MIT
#include "sim.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"

/* A socket for fault injection by tests, line by line. */

static void command_dma_stray(struct sim *sim, FILE *out)
{
	u64 address = sim_fault_arg(&sim->faults, FAULT_DMA_STRAY), bytes;
	int read = sim_dma_read(&sim->dma, address, &bytes, sizeof(bytes)), write;

	bytes = sim_fault_random(&sim->faults);
	write = sim_dma_write(&sim->dma, address, &bytes, sizeof(bytes));
	fprintf(out, "read %s, write %s\n", read ? "refused" : "done", write ? "refused" : "done");
}

/* Faults that take effect at once. */
static void command_now(struct sim *sim, FILE *out)
{
	while (sim_fault_due(&sim->faults, FAULT_DMA_STRAY))
		command_dma_stray(sim, out);
	while (sim_fault_due(&sim->faults, FAULT_IRQ_SPURIOUS))
		sim_irq(sim, LOOM_PCI_IRQ_RECORD);
	while (sim_fault_due(&sim->faults, FAULT_STOP)) {
		pthread_mutex_lock(&sim->lock);
		sim_fault_locked(sim, LOOM_PCI_FAULT_NONE);
		pthread_mutex_unlock(&sim->lock);
	}
	if (sim_fault_due(&sim->faults, FAULT_DEATH)) {
		fputs("ok\n", out);
		fflush(out);
		kill(getpid(), SIGKILL);
	}
}

static void command_fault(struct sim *sim, const char *arg, FILE *out)
{
	char why[160];

	if (sim_faults_arm(&sim->faults, arg, why, sizeof(why))) {
		fprintf(out, "error: %s\n", why);
		return;
	}
	command_now(sim, out);
	fputs("ok\n", out);
}

static void command_clear(struct sim *sim, const char *arg, FILE *out)
{
	if (sim_faults_clear(&sim->faults, *arg ? arg : NULL))
		fprintf(out, "error: there is no fault '%.60s'\n", arg);
	else
		fputs("ok\n", out);
}

static void command_fuzz(struct sim *sim, const char *arg, FILE *out)
{
	char *end;
	u64 seed;

	if (!sim_number(arg, &end, &seed) || !seed || *end) {
		fprintf(out, "error: a seed is a number that is not zero, not '%.60s'\n", arg);
		return;
	}
	sim_fuzz_set(&sim->faults, seed);
	fputs("ok\n", out);
}

static void command_show(struct sim *sim, const char *arg, FILE *out)
{
	(void)arg;
	sim_faults_show(&sim->faults, out);
	fputs("ok\n", out);
}

static void command_state(struct sim *sim, const char *arg, FILE *out)
{
	(void)arg;
	pthread_mutex_lock(&sim->lock);
	fprintf(out, "epoch %u\nstatus %u\nfault %u\n", sim->epoch, sim->status, sim->fault);
	fprintf(out, "power %s\n", sim->off ? "off" : sim->retain ? "retain" : "run");
	fprintf(out, "doorbell %u\nfetched %u\nwaiting %u\n", sim->doorbell, sim->fetched,
		sim->doorbell - sim->fetched + sim->fetching + sim->item_count);
	pthread_mutex_unlock(&sim->lock);
	fprintf(out, "records %u\ninterrupts %llu\nplans %u\nranges %u\nmaster %d\n",
		sim->records.mark, (unsigned long long)sim->records.raised, sim->plans.count,
		sim->dma.map_count, atomic_load(&sim->dma.master));
	fputs("ok\n", out);
}

static void command_help(struct sim *sim, const char *arg, FILE *out);

/**
 * struct command - a command of the control socket
 * @name: its first word
 * @text: its description
 * @run: does it; @arg is the rest of the line
 */
struct command {
	const char *name;
	const char *text;
	void (*run)(struct sim *sim, const char *arg, FILE *out);
};

static const struct command commands[] = {
	{ "fault", "NAME[=NUMBER] [TIMES|always]: something breaks once, or so often",
	  command_fault },
	{ "clear", "[NAME]: a fault, or all and fuzz, are not armed any more", command_clear },
	{ "fuzz", "SEED: from now on what it says, and when, is random at times", command_fuzz },
	{ "show", "faults that are armed or were due", command_show },
	{ "state", "what the device is at", command_state },
	{ "help", "this list, and faults", command_help },
};

static void command_help(struct sim *sim, const char *arg, FILE *out)
{
	size_t i;

	(void)sim;
	(void)arg;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "%s %s\n", commands[i].name, commands[i].text);
	sim_faults_list(out);
	fputs("ok\n", out);
}

void sim_command(struct sim *sim, char *line, FILE *out)
{
	size_t length, i;

	line[strcspn(line, "\r\n")] = 0;
	length = strcspn(line, " ");
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strlen(commands[i].name) != length || strncmp(commands[i].name, line, length))
			continue;
		commands[i].run(sim, line + length + strspn(line + length, " "), out);
		fflush(out);
		return;
	}
	fprintf(out, "error: there is no command '%.*s', see help\n",
		(int)min(length, (size_t)60), line);
	fflush(out);
}

/* A thread per connection, because a client may keep it open as long as the device exists. */
static void *control_serve(void *data)
{
	struct sim_control control = *(struct sim_control *)data;
	FILE *in = fdopen(control.socket, "r"), *out = fdopen(dup(control.socket), "w");
	char line[256];

	free(data);
	while (in && out && fgets(line, sizeof(line), in))
		sim_command(control.sim, line, out);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return NULL;
}

static void control_accepted(struct sim *sim, int socket)
{
	struct sim_control *control = malloc(sizeof(*control));
	pthread_t thread;

	if (control)
		*control = (struct sim_control){ .sim = sim, .socket = socket };
	if (control && !pthread_create(&thread, NULL, control_serve, control)) {
		pthread_detach(thread);
		return;
	}
	free(control);
	close(socket);
}

void *sim_control(void *data)
{
	struct sim_control *control = data;
	int socket;

	while ((socket = accept4(control->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		control_accepted(control->sim, socket);
	return NULL;
}
