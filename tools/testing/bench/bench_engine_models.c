// SPDX-License-Identifier: MIT
/*
 * The engine on whole networks: processor milliseconds of a run on one thread in groups and layer
 * by layer, with every set of vector instructions that the machine has, beside those of ONNX
 * Runtime on one thread in the same run (bench_engine_models.js; without it that column is empty).
 * Runs are the best of some, as many as take long enough for the clock. Networks that
 * tools/testing/torchvision has exported are among them, those quantised there are named NAME_q.
 * The other networks in eight bits are the shapes of published ones, without a file that ONNX
 * Runtime could be given.
 *
 *	bench_engine_models [--networks=NAME,...] [--chips=NAME,...] [--threads=N]
 *
 * Without --networks: those in build/models and build/torchvision, and two in eight bits.
 * --threads: how many times as fast N threads would be, each with a processor.
 */
#include <glob.h>

#include "networks.h"
#include "loom_chip.h"
#include "loom_chip_file.h"
#include "loom_engine.h"
#include "loom_planner.h"
#include "loom_verify.h"
#include "models.h"
#include "wanted.h"

#include "clock.h"
#include "base/isa.h"

/* As userlib/run/host.c has it. */
#define SHARE_LEAST	(1ULL << 15)
#define MAX_THREADS	64
#define MAX_RATIOS	256
#define LEAST_NS	200000000
#define RUNS		3

static const char *networks, *chips = "soft";
static u32 threads;

/* Of ours to ONNX Runtime's, in groups; of groups to layer by layer; as the first, of bytes. */
enum { RATIO_ONNX, RATIO_LAYERS, RATIO_ONNX_BYTES, NUM_RATIOS };

static double ratios[NUM_RATIOS][MAX_RATIOS];
static u32 num_ratios[NUM_RATIOS];

/**
 * struct rig - a plan with the memory that it works on
 * @plan: decoded
 * @memory: its memory
 * @slots: by slot: its bytes
 * @pitches: by slot: from a bank to the next
 */
struct rig {
	struct loom_plan *plan;
	struct loom_memory memory;
	u8 *slots[DRM_LOOM_MAX_SLOTS];
	u64 pitches[DRM_LOOM_MAX_SLOTS];
};

static void *memory_of(u64 bytes)
{
	void *memory;

	if (posix_memalign(&memory, 4096, bytes + 64))
		abort();
	memset(memory, 0, bytes + 64);
	return memory;
}

/* Inputs are numbers of an ordinary size; zeroes would be quicker in nothing, and are not real. */
static void rig_fill(struct rig *rig, const struct loom_program_tensor *tensor, u64 *state)
{
	u8 *to = rig->slots[tensor->slot] + tensor->offset;
	u64 i;

	for (i = 0; i < tensor->size_bytes; i++) {
		*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
		to[i] = *state >> 56;
	}
	if (tensor->dtype != DRM_LOOM_DTYPE_F32)
		return;
	for (i = 0; i < tensor->size_bytes; i += 4) {
		float f = (float)to[i] / 256 - 0.5f;

		memcpy(to + i, &f, sizeof(f));
	}
}

static int rig_begin(struct rig *rig, const struct loom_program *program,
		     const struct drm_loom_chip *chip)
{
	struct drm_loom_reject reject;
	u64 state = 1, bytes;
	u32 i;

	memset(rig, 0, sizeof(*rig));
	if (loom_plan_create(program->plan, program->plan_bytes, chip, &rig->plan, &reject))
		return -EBADMSG;
	for (i = 0; i < program->num_slots; i++) {
		bytes = rig->plan->slots[i].size;
		if (rig->plan->slots[i].flags & DRM_LOOM_SLOT_SRAM) {
			rig->pitches[i] = loom_div_round_up(bytes, 64) * 64;
			bytes = rig->pitches[i] * rig->plan->lanes;
		}
		rig->slots[i] = memory_of(max(bytes, program->slots[i].size_bytes));
	}
	for (i = 0; i < program->num_weights; i++)
		memcpy(rig->slots[program->weights[i].slot] + program->weights[i].offset,
		       program->weights[i].data, program->weights[i].size_bytes);
	for (i = 0; i < program->num_inputs; i++)
		rig_fill(rig, &program->inputs[i], &state);
	rig->memory = (struct loom_memory){
		.lanes = rig->plan->lanes, .slots = rig->slots, .slot_pitches = rig->pitches,
		.lane_pitch = loom_engine_pitch(rig->plan->scratch_bytes),
	};
	rig->memory.scratch = memory_of(rig->memory.lane_pitch * rig->plan->lanes);
	return 0;
}

static void rig_end(struct rig *rig)
{
	u32 i;

	for (i = 0; i < rig->plan->slot_count; i++)
		free(rig->slots[i]);
	free(rig->memory.scratch);
	loom_plan_destroy(rig->plan);
}

static double rig_run(const struct rig *rig)
{
	struct loom_engine engine;
	u64 start = thread_ns();

	loom_engine_init(&engine, rig->plan, &rig->memory);
	while (!loom_engine_run(&engine, 1 << 22))
		;
	return thread_ns() - start;
}

/* Nanoseconds of a run: the best of some, which are as many as take long enough. */
static double rig_measure(const struct rig *rig)
{
	double best = 0, ns, total = 0;
	u32 runs;

	for (runs = 0; runs < RUNS || total < LEAST_NS; runs++) {
		ns = rig_run(rig);
		best = runs && best < ns ? best : ns;
		total += ns;
	}
	return best;
}

/*
 * How many times as fast @threads threads are, if each has a processor, and to wake one takes no
 * time: shares are measured one by one, and each goes to the thread that is free first. (What else
 * runs on the machine would decide what a clock on the wall says.)
 */
static double rig_gain(const struct rig *rig)
{
	u64 busy[MAX_THREADS], one = 0, all = 0, start, ns, first, take;
	u32 i, j, k;

	for (i = 0; i < rig->plan->command_count; i++) {
		const struct loom_command *command = &rig->plan->commands[i];
		bool shared = command->units * command->unit_cost >= SHARE_LEAST;

		memset(busy, 0, sizeof(busy));
		take = shared ? loom_engine_share(command, threads) : command->units;
		for (first = 0; first < command->units; first += take) {
			start = thread_ns();
			loom_engine_compute(command, &rig->memory, first,
					    min(take, command->units - first));
			ns = thread_ns() - start;
			one += ns;
			for (k = 0, j = 1; j < threads; j++)
				k = busy[j] < busy[k] ? j : k;
			busy[k] += ns;
		}
		for (k = 0, j = 1; j < threads; j++)
			k = busy[j] > busy[k] ? j : k;
		all += busy[k];
	}
	return all ? (double)one / all : 0;
}

/* Milliseconds of a run with each set of instructions. Return: of the last, 0: it does not run. */
static double measure(const struct loom_graph *graph, const struct drm_loom_chip *chip,
		      const char *grouping)
{
	const struct loom_planner_options options = {
		.chip = chip, .grouping = grouping, .objective = LOOM_OBJECTIVE_TIME,
	};
	enum loom_isa isa, most = loom_port_isa();
	struct loom_program *program;
	struct loom_error err;
	struct rig rig;
	double ms = 0;

	if (loom_program_create(graph, &options, &program, &err)) {
		printf(" %s", err.text);
		return 0;
	}
	if (!rig_begin(&rig, program, chip)) {
		for (isa = LOOM_ISA_BASE; isa <= most; isa++) {
			loom_isa_limit(isa);
			ms = rig_measure(&rig) / 1e6;
			printf(" %9.2f", ms);
		}
		printf(" %7.2f", program->stats.macs / ms / 1e6);
		if (threads)
			printf("  %u threads: %.2f", threads, rig_gain(&rig));
		rig_end(&rig);
	}
	loom_program_destroy(program);
	return ms;
}

/* ONNX Runtime's milliseconds, 0: it is not there. */
static double measure_onnx(const struct model *model, const struct loom_graph *graph,
			   const struct drm_loom_chip *chip)
{
	const struct loom_planner_options options = { .chip = chip, .grouping = "layerwise" };
	struct loom_program *program;
	struct loom_error err;
	char command[1024];
	double ms = 0;
	FILE *pipe;
	u32 i, j;
	int at;

	/* the program has the shapes and types of the inputs */
	if (loom_program_create(graph, &options, &program, &err))
		return 0;
	at = snprintf(command, sizeof(command),
		      "node tools/testing/bench/bench_engine_models.js build/models/%s",
		      model->file);
	for (i = 0; i < program->num_inputs; i++) {
		const struct loom_program_tensor *input = &program->inputs[i];

		at += snprintf(command + at, sizeof(command) - at, " '%s=", input->name);
		for (j = 0; j < input->rank; j++)
			at += snprintf(command + at, sizeof(command) - at, "%s%lld",
				       j ? "," : "", (long long)input->dims[j]);
		at += snprintf(command + at, sizeof(command) - at, "'");
	}
	loom_program_destroy(program);
	snprintf(command + at, sizeof(command) - at, " 2>/dev/null");
	pipe = popen(command, "r");
	if (!pipe)
		return 0;
	if (fscanf(pipe, "%lf", &ms) != 1)
		ms = 0;
	pclose(pipe);
	return ms;
}

static void note_ratio(u32 kind, double ratio)
{
	if (num_ratios[kind] < MAX_RATIOS)
		ratios[kind][num_ratios[kind]++] = ratio;
}

static void print_ratios(u32 kind, const char *text)
{
	u32 n = num_ratios[kind];

	if (!n)
		return;
	printf("%s: median %.2f", text, median_of(ratios[kind], n));
	printf(", worst %.2f of %u\n", ratios[kind][n - 1], n);
}

static void bench(const char *name, const struct model *model, const struct loom_graph *graph)
{
	bool bytes = strlen(name) > 2 && !strcmp(name + strlen(name) - 2, "_q");
	double groups, layers, onnx = 0;
	struct drm_loom_chip chip;
	u32 i;

	for (i = 0; loom_chip_name(i); i++) {
		if (!is_in(chips, loom_chip_name(i)) || loom_chip_find(loom_chip_name(i), &chip))
			continue;
		printf("%-15s %-8s %-7s", name, chip.name, "groups");
		groups = measure(graph, &chip, "layergroup");
		if (model && !onnx)
			onnx = measure_onnx(model, graph, &chip);
		if (onnx > 0)
			printf(" %9.2f %6.2f", onnx, groups / onnx);
		printf("\n%-15s %-8s %-7s", name, chip.name, "layers");
		layers = measure(graph, &chip, "layerwise");
		if (onnx > 0)
			printf(" %9.2f %6.2f", onnx, layers / onnx);
		printf("\n");
		fflush(stdout);
		/* below that it is not the arithmetic that takes the time */
		if (onnx > 1 && groups > 0)
			note_ratio(bytes ? RATIO_ONNX_BYTES : RATIO_ONNX, groups / onnx);
		if (groups > 1 && layers > 1)
			note_ratio(RATIO_LAYERS, groups / layers);
	}
}

static void print_head(void)
{
	enum loom_isa isa;

	printf("%-32s", "network         chip     plan");
	for (isa = LOOM_ISA_BASE; isa <= loom_port_isa(); isa++)
		printf(" %6s ms", loom_isa_name(isa));
	printf("  GMAC/s   ONNX ms  ratio\n");
}

static void bench_file(const struct model *model)
{
	const char *file = strrchr(model->file, '/') ? strrchr(model->file, '/') + 1 : model->file;
	struct loom_graph *graph;
	struct loom_error err;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(file, "."), file);
	if (!is_in(networks, name))
		return;
	if (model_open(model, &graph, &err)) {
		printf("%-15s %s\n", name, err.text);
		return;
	}
	bench(name, model, graph);
	loom_graph_destroy(graph);
}

/* Whatever was exported; `make bench-engine` does not, as that takes an hour. */
static void bench_exports(void)
{
	char file[512];
	glob_t files;
	size_t i;

	if (glob("build/torchvision/*.onnx", 0, NULL, &files))
		return;
	for (i = 0; i < files.gl_pathc; i++) {
		struct model model = { .file = file };

		snprintf(file, sizeof(file), "../%s", strchr(files.gl_pathv[i], '/') + 1);
		bench_file(&model);
	}
	globfree(&files);
}

int main(int argc, char **argv)
{
	struct net net;
	u32 i;

	for (i = 1; i < (u32)argc; i++) {
		if (!strncmp(argv[i], "--networks=", 11)) {
			networks = argv[i] + 11;
		} else if (!strncmp(argv[i], "--chips=", 8)) {
			chips = argv[i] + 8;
		} else if (!strncmp(argv[i], "--threads=", 10) && atoi(argv[i] + 10) > 0 &&
			   atoi(argv[i] + 10) <= MAX_THREADS) {
			threads = atoi(argv[i] + 10);
		} else {
			fprintf(stderr, "%s: --networks=A,.. --chips=NAME,.. --threads=N\n",
				argv[0]);
			return 2;
		}
	}
	print_head();
	for (i = 0; i < ARRAY_SIZE(models); i++)
		bench_file(&models[i]);
	bench_exports();
	for (i = 0; i < ARRAY_SIZE(int8_networks); i++) {
		const char *int8 = int8_networks[i].name;

		if (!is_in(networks ? networks : "mobilenet_v2,googlenet", int8))
			continue;
		bench(int8, NULL, net_open(&net, &int8_networks[i]));
		net_close(&net);
	}
	print_ratios(RATIO_ONNX,
		     "in groups / ONNX Runtime, where that takes over 1 ms");
	print_ratios(RATIO_ONNX_BYTES, "the same, quantised networks");
	print_ratios(RATIO_LAYERS, "in groups / layer by layer, where both take over 1 ms");
	return 0;
}
