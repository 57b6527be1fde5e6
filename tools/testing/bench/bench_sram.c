// SPDX-License-Identifier: MIT
/*
 * Measured: how little SRAM networks for microcontrollers are planned in (--objective sram), and
 * what they move in little SRAM, beside what others publish. Every plan is replayed by the checker
 * that shares no code with the planner, against a plan without groups.
 *
 *	bench_sram [NETWORK]...
 *
 * Accounting: a chip computes on weights in its flash. Where a table says so, the network's input
 * and output lie in a memory of their own; plans read the input from it once and write the output
 * to it once, and every other byte is in the SRAM. Others leave out input and output, too. Unlike
 * them, this program counts rows of the input that are waited for, scales, zero points and
 * alignment gaps, because they are in the SRAM. Where all is in the SRAM, input and output are
 * counted, because a chip without other memory has to hold them.
 *
 * Multiply-accumulates are those of the network as it is (F 1.000), or F times as many.
 *
 * Exits with 1 if there is more SRAM than msf-CNN's at F = 1, more traffic than Vela's, traffic
 * that grows with the SRAM, more than the least from 64 KiB on, or a fault in a plan.
 */
#include "chips.h"
#include "clock.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "loom_replay.h"
#include "networks.h"
#include "plan/build.h"
#include "wanted.h"

/* A published figure that is not there. */
#define NONE	0

/**
 * struct chain - a chain of msf-CNN
 * @name: its name
 * @once: peak RAM with nothing recomputed
 * @capped: by cap: peak RAM, or NONE
 * @factor: by cap: multiply-accumulates over those of the network
 */
struct chain {
	const char *name;
	uint64_t once;
	uint64_t capped[4];
	double factor[4];
};

static const uint64_t chain_caps[] = { 16000, 32000, 64000, 128000 };

static const struct chain chains[] = {
	{ "mbv2_w035", 181440, { 15340, 25674, 63741, 83065 },
	  { 1.382, 1.253, 1.230, 1.019 } },
	{ "mcunetv2_vww", 89600, { 13376, 26128, 38576, 89600 },
	  { 1.345, 1.113, 1.023, 1.000 } },
	{ "mcunet_320k", 247808, { NONE, NONE, 62880, 94184 },
	  { NONE, NONE, 2.019, 1.455 } },
};

/**
 * struct engine_row - a network in TinyEngine's table of peak SRAM, kB on an STM32H743
 * @name: its name
 * @published: TFLM, CMSIS-NN, X-CUBE-AI, TinyEngine; NONE: out of memory
 */
struct engine_row {
	const char *name;
	uint32_t published[4];
};

static const struct engine_row engines[] = {
	{ "mcunet_in0", { 161, 161, 69, 49 } },
	{ "mcunet_in1", { 219, 219, 106, 96 } },
	{ "mcunet_in2", { 460, 469, 238, 215 } },
	{ "mcunet_in3", { 493, 493, 243, 260 } },
	{ "mcunet_in4", { NONE, NONE, 342, 416 } },
	{ "mbv2_w035_r144", { NONE, NONE, 296, 295 } },
	{ "mbv2_w03_r64", { 173, 173, 88, 61 } },
};

/**
 * struct vela_row - what Vela moves of feature maps on an Ethos-U65-256 with SRAM of its own
 * @name: its name
 * @least: input and output, once
 * @bytes: by cap: bytes to and from DRAM, counted from the commands that it emits
 */
struct vela_row {
	const char *name;
	uint64_t least;
	uint64_t bytes[4];
};

static const uint64_t vela_caps[] = { 16 << 10, 32 << 10, 64 << 10, 128 << 10 };

static const struct vela_row velas[] = {
	{ "vww_96", 27650, { 175646, 86174, 102014, 27710 } },
	{ "kws", 502, { 65052, 1052, 1052, 1052 } },
	{ "resnet8", 3082, { 227910, 127046, 3142, 3142 } },
};

static unsigned int failures;

static struct drm_loom_chip load(const char *name)
{
	struct drm_loom_chip chip;
	struct loom_error err;

	if (loom_chip_load(name, &chip, &err)) {
		fprintf(stderr, "bench_sram: %s\n", err.text);
		exit(1);
	}
	return chip;
}

/* A microcontroller with more memory than any; input and output may have one of their own. */
static struct drm_loom_chip microcontroller(bool outside)
{
	struct drm_loom_chip chip = load("stm32f746");
	struct drm_loom_chip_region *rom = &chip.region[DRM_LOOM_REGION_ROM];
	struct drm_loom_chip_region *sram = &chip.region[DRM_LOOM_REGION_SRAM];

	rom->bank_bytes = 16 << 20;
	sram->bank_bytes = 2 << 20;
	sram->reserved_bytes = 0;
	if (outside) {
		chip.region[DRM_LOOM_REGION_DRAM] = *sram;
		chip.region[DRM_LOOM_REGION_DRAM].bank_bytes = 16 << 20;
	}
	return chip;
}

/* Faults count, and are named. */
static void replay(const char *name, const struct loom_graph *graph,
		   const struct loom_planner_options *options, const struct loom_program *program)
{
	struct loom_replay_options how = { .chip = options->chip };
	struct loom_planner_options plain = { .grouping = "layerwise", .chip = options->chip };
	struct loom_replay_report *report;
	struct loom_program *reference;
	struct loom_error err;

	if (loom_program_create_reference(graph, &plain, NULL, &reference, &err)) {
		printf("  %s: no reference: %s\n", name, err.text);
		failures++;
		return;
	}
	how.reference = reference;
	if (loom_replay_program(program, &how, &report, &err)) {
		printf("  %s: not replayed: %s\n", name, err.text);
		failures++;
	} else {
		if (report->num_faults)
			printf("  %s: %s\n", name, report->faults[0].text);
		failures += report->num_faults > 0;
		loom_replay_destroy(report);
	}
	loom_program_destroy(reference);
}

static uint64_t tensor_bytes(const struct loom_tensor_info *info)
{
	uint64_t bytes = loom_dtype_size(info->dtype);
	uint32_t i;

	for (i = 0; i < info->rank; i++)
		bytes *= (uint64_t)info->dims[i];
	return bytes;
}

static uint64_t in_and_out(const struct loom_graph *graph)
{
	struct loom_tensor_info info;
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; !loom_graph_input(graph, i, &info); i++)
		bytes += tensor_bytes(&info);
	for (i = 0; !loom_graph_output(graph, i, &info); i++)
		bytes += tensor_bytes(&info);
	return bytes;
}

/* The program in the least SRAM, or NULL; seconds are added to. */
static struct loom_program *least(const char *name, const struct loom_graph *graph,
				  const struct drm_loom_chip *chip, double factor, double *seconds)
{
	struct loom_planner_options options = {
		.chip = chip, .grouping = "layergroup", .objective = LOOM_OBJECTIVE_SRAM,
		.max_recompute_permille = (uint32_t)(factor * 1000 + 0.5),
	};
	struct loom_program *program = NULL;
	double begin = cpu_seconds();
	struct loom_error err;

	if (chip->region[DRM_LOOM_REGION_DRAM].banks)
		options.max_bytes = in_and_out(graph);
	if (loom_program_create(graph, &options, &program, &err)) {
		printf("  %s, F %.3f: %s\n", name, factor, err.text);
		program = NULL;
	}
	*seconds += cpu_seconds() - begin;
	if (program)
		replay(name, graph, &options, program);
	return program;
}

static double factor_of(const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;

	return (double)stats->macs / (double)(stats->macs - stats->recomputed_macs);
}

/* --- msf-CNN -------------------------------------------------------------------------------- */

#define FACTORS	8

static void chain_table(const struct chain *chain)
{
	static const double factors[FACTORS] = { 1, 1.1, 1.2, 1.3, 1.4, 1.7, 2, 2.7 };
	const struct drm_loom_chip chip = microcontroller(true);
	struct loom_program *programs[FACTORS] = { NULL };
	struct net net;
	struct loom_graph *graph = net_open(&net, net_find(chain->name));
	double seconds = 0;
	uint64_t need;
	uint32_t i, k;

	for (i = 0; i < FACTORS; i++)
		programs[i] = least(chain->name, graph, &chip, factors[i], &seconds);
	need = programs[0] ? programs[0]->stats.sram_bytes : UINT64_MAX;
	if (need >= chain->once)
		failures++;
	printf("  %-14s %9llu %9llu  %4.1f %%", chain->name, (unsigned long long)chain->once,
	       (unsigned long long)need, 100.0 * (double)need / (double)chain->once);
	for (k = 0; k < ARRAY_SIZE(chain_caps); k++) {
		char theirs[32] = "none", ours[32] = "none";

		if (chain->capped[k])
			snprintf(theirs, sizeof(theirs), "%.3f", chain->factor[k]);
		for (i = 0; i < FACTORS; i++)
			if (programs[i] && programs[i]->stats.sram_bytes <= chain_caps[k])
				break;
		if (i < FACTORS)
			snprintf(ours, sizeof(ours), "%.3f", factor_of(programs[i]));
		printf(" | %5s %5s", theirs, ours);
	}
	for (i = 1, k = 0; i < FACTORS; i++)
		if (programs[i] &&
		    (!programs[k] ||
		     programs[i]->stats.sram_bytes < programs[k]->stats.sram_bytes))
			k = i;
	if (programs[k])
		printf(" | %6llu (%.3f) | %6.2f\n",
		       (unsigned long long)programs[k]->stats.sram_bytes, factor_of(programs[k]),
		       seconds);
	for (i = 0; i < FACTORS; i++)
		loom_program_destroy(programs[i]);
	net_close(&net);
	fflush(stdout);
}

/* --- networks with all that they have ------------------------------------------------------- */

static void print_kb(uint32_t figure)
{
	if (figure)
		printf(" %8u", figure);
	else
		printf(" %8s", "-");
}

static void engine_table(const struct engine_row *row)
{
	const struct drm_loom_chip outside = microcontroller(true), inside = microcontroller(false);
	struct loom_program *program;
	struct net net;
	struct loom_graph *graph = net_open(&net, net_find(row->name));
	double seconds = 0;
	uint32_t i;

	printf("  %-14s", row->name);
	for (i = 0; i < ARRAY_SIZE(row->published); i++)
		print_kb(row->published[i]);
	for (i = 0; i < 2; i++) {
		program = least(row->name, graph, i ? &inside : &outside, 1, &seconds);
		if (program)
			printf(" %9.1f", (double)program->stats.sram_bytes / 1000);
		else
			printf(" %9s", "-");
		loom_program_destroy(program);
	}
	printf(" %9.2f\n", seconds);
	net_close(&net);
	fflush(stdout);
}

/* --- Vela ----------------------------------------------------------------------------------- */

/* Bytes to and from DRAM, but for weights. */
static uint64_t map_bytes(const struct loom_program *program)
{
	const char *plan = program->plan;
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensors = (const void *)(plan + header->tensors.offset);
	const struct drm_loom_plan_view *views = (const void *)(plan + header->views.offset);
	const struct drm_loom_plan_command *commands =
		(const void *)(plan + header->commands.offset);
	uint64_t bytes = 0;
	uint32_t i, k;

	for (i = 0; i < header->commands.count; i++) {
		for (k = 0; k < commands[i].operands; k++) {
			const struct drm_loom_plan_view *own = &views[commands[i].first_view];
			const struct drm_loom_plan_tensor *tensor = &tensors[own[k].tensor];

			if (tensor->region == DRM_LOOM_REGION_DRAM &&
			    program->slots[tensor->slot].kind != LOOM_SLOT_KIND_WEIGHTS)
				bytes += loom_build_bytes(commands[i].opcode, own, k);
		}
	}
	return bytes;
}

static void vela_table(const struct vela_row *row)
{
	const struct drm_loom_chip chip = load("ethos-u65-256");
	struct loom_planner_options options = {
		.chip = &chip, .grouping = "layergroup", .objective = LOOM_OBJECTIVE_BYTES,
	};
	struct loom_program *program;
	struct net net;
	struct loom_graph *graph = net_open(&net, net_find(row->name));
	uint64_t before = UINT64_MAX, bytes;
	double begin = cpu_seconds();
	struct loom_error err;
	uint32_t i;

	printf("  %-14s %8llu", row->name, (unsigned long long)row->least);
	for (i = 0; i < ARRAY_SIZE(vela_caps); i++) {
		options.sram_limit_bytes = vela_caps[i];
		if (loom_program_create(graph, &options, &program, &err)) {
			printf(" | %7llu %s", (unsigned long long)row->bytes[i], err.text);
			failures++;
			continue;
		}
		bytes = map_bytes(program);
		failures += bytes > row->bytes[i] || bytes > before ||
			    (vela_caps[i] >= 64 << 10 && bytes > row->least);
		printf(" | %7llu %7llu", (unsigned long long)row->bytes[i],
		       (unsigned long long)bytes);
		before = bytes;
		replay(row->name, graph, &options, program);
		loom_program_destroy(program);
	}
	printf(" | %6.2f\n", cpu_seconds() - begin);
	net_close(&net);
	fflush(stdout);
}

/* --- fused-layer CNN ------------------------------------------------------------------------ */

/* Published: bytes that its buffers have, MB that move layer by layer and fused. */
#define FUSED_BYTES	362000
#define FUSED_MB_BEFORE	77.0
#define FUSED_MB	3.6

static struct map fused_conv(struct net *net, struct map x, int64_t channels)
{
	const int64_t dims[] = { channels, x.channels, 3, 3 };
	struct map y = net_map(net, channels, x.rows, x.columns), w = net_map(net, 0, 0, 0);

	net_const(net, w.name, DRM_LOOM_DTYPE_F32, 4, dims, NULL);
	net_ints(net, "pads", 4, (int64_t[]){ 1, 1, 1, 1 });
	y = net_node(net, "Conv", 2, (const char *const[]){ x.name, w.name }, y);
	return net_unary(net, "Relu", y);
}

/* The first five convolutions of VGG-E, in f32 as published; weights are constants. */
static void fused_vgg(struct net *net)
{
	struct map x = net_words(net, no_map, "i3,224");

	x = fused_conv(net, fused_conv(net, x, 64), 64);
	x = net_words(net, x, "p2s2");
	x = fused_conv(net, fused_conv(net, x, 128), 128);
	x = net_words(net, x, "p2s2");
	net_words(net, fused_conv(net, x, 256), "o");
}

static void print_fused(const char *what, const struct loom_program *program)
{
	const struct loom_program_stats *stats = &program->stats;

	printf("  %-34s %8.1f kB %8.2f MB\n", what, (double)stats->sram_bytes / 1000,
	       (double)(stats->dram_read_bytes + stats->dram_write_bytes) / 1e6);
}

/* Weights lie in a memory that is read in place: the figures published do not count them. */
static void fused_table(void)
{
	const struct drm_loom_chip chip = microcontroller(true);
	struct loom_planner_options options = {
		.chip = &chip, .grouping = "layerwise", .objective = LOOM_OBJECTIVE_BYTES,
		.sram_limit_bytes = FUSED_BYTES,
	};
	struct loom_program *program;
	struct net net;
	struct loom_graph *graph = net_open(&net, &(const struct network){
		"fused_vgg", .build = fused_vgg, .real = true });
	struct loom_error err;
	double seconds = 0;
	uint32_t i;

	printf("  %-34s %8.1f kB %8.2f MB (from %.0f)\n", "Fused-layer CNN, as published",
	       FUSED_BYTES / 1000.0, FUSED_MB, FUSED_MB_BEFORE);
	for (i = 0; i < 2; i++) {
		options.grouping = i ? "layergroup" : "layerwise";
		if (loom_program_create(graph, &options, &program, &err)) {
			printf("  %s\n", err.text);
			continue;
		}
		print_fused(i ? "the same SRAM, in groups" : "the same SRAM, layer by layer",
			    program);
		replay("fused_vgg", graph, &options, program);
		loom_program_destroy(program);
	}
	program = least("fused_vgg", graph, &chip, 1, &seconds);
	if (program)
		print_fused("the least SRAM for the least bytes", program);
	loom_program_destroy(program);
	net_close(&net);
}

int main(int argc, char **argv)
{
	static const struct engine_row mobilenet = { "mobilenet_v2", { 1510, NONE, NONE, 172 } };
	uint32_t i;

	printf("The least SRAM, bytes; weights in flash, input and output elsewhere. By cap\n"
	       "on it, kB: multiply-accumulates over those of the network; msf-CNN's, Loom's\n");
	printf("  %-14s %9s %9s  %6s | %11s | %11s | %11s | %11s | %14s | %6s\n", "network",
	       "msf-CNN", "Loom", "", "16", "32", "64", "128", "least (at)", "s");
	for (i = 0; i < ARRAY_SIZE(chains); i++)
		if (is_wanted(chains[i].name, argc, argv))
			chain_table(&chains[i]);
	printf("\nThe least SRAM, kB, nothing recomputed; Loom's with input and output\n"
	       "elsewhere, then in the SRAM as the others have them. mobilenet_v2: TFLM, and\n"
	       "MCUNetV2 by patches, which recompute a tenth\n");
	printf("  %-14s %8s %8s %8s %8s %9s %9s %9s\n", "network", "TFLM", "CMSIS-NN", "X-CUBE",
	       "TinyEng.", "Loom", "Loom all", "s");
	if (is_wanted(mobilenet.name, argc, argv))
		engine_table(&mobilenet);
	for (i = 0; i < ARRAY_SIZE(engines); i++)
		if (is_wanted(engines[i].name, argc, argv))
			engine_table(&engines[i]);
	printf("\nBytes of feature maps to and from DRAM by SRAM, Ethos-U65-256; Vela's, Loom's\n");
	printf("  %-14s %8s | %15s | %15s | %15s | %15s | %6s\n", "network", "least", "16 KiB",
	       "32 KiB", "64 KiB", "128 KiB", "s");
	for (i = 0; i < ARRAY_SIZE(velas); i++)
		if (is_wanted(velas[i].name, argc, argv))
			vela_table(&velas[i]);
	if (is_wanted("fused_vgg", argc, argv)) {
		printf("\nConvolutions 1 to 5 of VGG-E in f32: SRAM, bytes of feature maps\n");
		fused_table();
	}
	if (failures)
		printf("\n%u figures are not what they have to be\n", failures);
	return failures > 0;
}
