// SPDX-License-Identifier: MIT
/*
 * Plans and runs a model by every strategy in SRAM of every size. For each of these cells: the
 * engine counts what the planner promised, the replay finds no fault, and the outputs have the bits
 * of those that were compared with ONNX Runtime. The default strategy moves no more than any other
 * one, and for time it is not slower. If a model does not fit, the error names the operator and the
 * bytes that are missing.
 *
 *	model_matrix [--table|--hash] MODEL DIR WHERE...
 *
 * "counts" plans for all chips that are built in and lets the engine count without computing.
 *
 * DIR has what "loom run --save-inputs DIR/in --save-outputs DIR" wrote. WHERE is the name of a
 * preset, "counts", "presets" for the three that follow chips, a number of bytes of flat SRAM
 * (64k), or "flat" for those that figures are given for. With --hash nothing is run: a line for
 * each cell with an FNV-1a hash of the plan's bytes, to compare two builds by.
 */
#include <time.h>

#include "chips.h"
#include "counted.h"
#include "tap.h"
#include "loom_chip_file.h"
#include "loom_core.h"
#include "loom_file.h"
#include "loom_replay.h"
#include "loom_chip.h"

#define MAX_ENDS	16
#define DEFAULT		"layergroup"

/**
 * struct matrix - a model and its expected outputs
 * @name: of the model, for people
 * @dir: with the arrays
 * @graph: the model
 * @inputs: by index
 * @num_inputs: number of @inputs
 * @want: the outputs that were compared with ONNX Runtime
 * @table: print a line for each cell
 * @hash: print only a hash for each cell
 * @count: count only
 * @reference: plan to replay against, for @lanes lanes, or NULL
 * @lanes: of @reference
 * @cells: cells that ran
 * @refused: cells that do not fit
 * @cycles: of the last cell that ran
 */
struct matrix {
	const char *name;
	const char *dir;
	struct loom_graph *graph;
	struct loom_array inputs[MAX_ENDS];
	uint32_t num_inputs;
	struct outcome want;
	bool table;
	bool hash;
	bool count;
	struct loom_program *reference;
	uint32_t lanes;
	uint32_t cells;
	uint32_t refused;
	uint64_t cycles;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + now.tv_nsec / 1e9;
}

/* DIR[/in]/NAME.npy, in which slashes of NAME are percent signs. */
static void load(const struct matrix *m, const char *sub, const char *name,
		 struct loom_array *array)
{
	struct loom_error err;
	char path[512];
	size_t i, at;

	at = (size_t)snprintf(path, sizeof(path), "%s%s/", m->dir, sub);
	snprintf(path + at, sizeof(path) - at, "%s.npy", name);
	for (i = at; path[i]; i++)
		if (path[i] == '/')
			path[i] = '%';
	if (loom_npy_load(path, array, &err))
		tap_fatal("%s", err.text);
	array->name = strdup(name);
	if (!array->name)
		tap_fatal("no memory");
}

static void open_model(struct matrix *m, const char *path)
{
	struct loom_shape_binding shapes[MAX_ENDS];
	struct loom_graph_options options = { .shapes = shapes };
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	struct loom_error err;
	bool known;
	const char *slash = strrchr(path, '/');

	m->name = slash ? slash + 1 : path;
	if (loom_graph_open_onnx(path, &m->graph, &err))
		tap_fatal("%s", err.text);
	while (!loom_graph_declared(m->graph, m->num_inputs, &info, names, &known)) {
		struct loom_array *input = &m->inputs[m->num_inputs];

		if (m->num_inputs == MAX_ENDS)
			tap_fatal("too many inputs");
		load(m, "/in", info.name, input);
		shapes[m->num_inputs].input = info.name;
		shapes[m->num_inputs].rank = input->rank;
		memcpy(shapes[m->num_inputs++].dims, input->dims, sizeof(input->dims));
	}
	options.num_shapes = m->num_inputs;
	if (loom_graph_finish(m->graph, &options, &err))
		tap_fatal("%s", err.text);
	for (; !loom_graph_output(m->graph, m->want.num_outputs, &info); m->want.num_outputs++) {
		if (m->want.num_outputs == MAX_OUTPUTS)
			tap_fatal("too many outputs");
		load(m, "", info.name, &m->want.outputs[m->want.num_outputs]);
	}
}

static void close_model(struct matrix *m)
{
	uint32_t i;

	for (i = 0; i < m->num_inputs; i++)
		loom_array_clear(&m->inputs[i]);
	outcome_clear(&m->want);
	loom_program_destroy(m->reference);
	loom_graph_destroy(m->graph);
}

static bool runs(const struct matrix *m, const struct drm_loom_chip *chip,
		 const struct loom_program *program, struct loom_error *err)
{
	struct outcome got;
	bool good;

	good = !outcome_run(&got, program, chip, m->inputs, m->num_inputs, err) &&
	       (outcome_same(&got, &m->want) || outcome_fail(err, "other bits"));
	outcome_clear(&got);
	return good;
}

static bool is_faultless(struct matrix *m, const struct loom_planner_options *options,
			 const struct loom_program *program, struct loom_replay_report **report,
			 struct loom_error *err)
{
	struct loom_replay_options how = { .chip = options->chip };
	uint32_t lanes = options->chip->region[DRM_LOOM_REGION_SRAM].banks;

	if (lanes != m->lanes) {
		loom_program_destroy(m->reference);
		m->reference = NULL;
		if (loom_program_create_reference(m->graph, options, NULL, &m->reference, err))
			return false;
		m->lanes = lanes;
	}
	how.reference = m->reference;
	if (loom_replay_program(program, &how, report, err))
		return false;
	return !(*report)->num_faults || outcome_fail(err, "%s", (*report)->faults[0].text);
}

/*
 * An error has to be one line that names the bytes that are missing, and the operator, or the chip
 * if it has no DRAM and so has to keep all at once.
 */
static bool is_good_refusal(const char *text)
{
	const bool named = strstr(text, "operator ") && strstr(text, "node \"");

	return (named || strstr(text, "has no DRAM")) && strstr(text, "bytes") &&
	       !strchr(text, '\n');
}

static uint64_t fnv1a(const void *data, size_t bytes)
{
	const unsigned char *p = data;
	uint64_t hash = 0xcbf29ce484222325;

	while (bytes--)
		hash = (hash ^ *p++) * 0x100000001b3;
	return hash;
}

/* Bytes of DRAM traffic, or cycles by time; UINT64_MAX if there is no plan. */
static uint64_t try_cell(struct matrix *m, const struct drm_loom_chip *chip,
			 const char *grouping, enum loom_planner_objective objective)
{
	struct loom_planner_options options = {
		.chip = chip, .grouping = grouping, .objective = objective,
		/* the bits of all cells are compared */
		.flags = LOOM_PLANNER_WHOLE_SUMS,
	};
	struct loom_replay_report *report = NULL;
	struct loom_program *program;
	struct loom_error err = { .text = "" };
	double start = seconds(), planned;
	uint64_t bytes, cost;
	char strategy[32];
	int ret;

	snprintf(strategy, sizeof(strategy), "%s%s", grouping,
		 objective == LOOM_OBJECTIVE_TIME ? " by time" : "");
	ret = loom_program_create(m->graph, &options, &program, &err);
	planned = seconds();
	if (ret == -ENOSPC) {
		m->refused++;
		tap_ok(is_good_refusal(err.text), "%s, %s, %s: refused: %s", m->name,
		       chip->name, strategy, err.text);
		return UINT64_MAX;
	}
	if (ret)
		tap_fatal("%s, %s, %s: %s", m->name, chip->name, strategy, err.text);
	m->cells++;
	if (m->hash) {
		printf("hash %016llx %s %s %s\n",
		       (unsigned long long)fnv1a(program->plan, program->plan_bytes), m->name,
		       chip->name, strategy);
		loom_program_destroy(program);
		return UINT64_MAX;
	}
	bytes = program->stats.dram_read_bytes + program->stats.dram_write_bytes;
	cost = objective == LOOM_OBJECTIVE_TIME ? program->stats.cycles : bytes;
	m->cycles = program->stats.cycles;
	if (m->count) {
		tap_ok(outcome_counts(program, chip),
		       "%s, %s, %s: counted as promised, %llu cycles", m->name, chip->name,
		       strategy, (unsigned long long)program->stats.cycles);
		loom_program_destroy(program);
		return cost;
	}
	tap_ok(runs(m, chip, program, &err) &&
	       is_faultless(m, &options, program, &report, &err),
	       "%s, %s, %s: as promised, the same bits, no faults %s", m->name, chip->name,
	       strategy, err.text);
	if (m->table && report)
		tap_note("| %-20s | %-8s | %-18s | %9.3f | %6llu | %8.1f | %8.1f | %6.0f |",
			 m->name, chip->name, strategy, bytes / 1e6,
			 (unsigned long long)program->stats.steps,
			 report->peak_bytes * (double)m->lanes / 1024,
			 report->recomputed_macs / 1e6, (planned - start) * 1e3);
	loom_replay_destroy(report);
	loom_program_destroy(program);
	return cost;
}

static void try_chip(struct matrix *m, const struct drm_loom_chip *chip)
{
	uint64_t best = UINT64_MAX, own = UINT64_MAX, fastest = UINT64_MAX, bytes, cycles;
	const char *name;
	uint32_t i;

	for (i = 0; (name = loom_grouping_name(i)); i++) {
		bytes = try_cell(m, chip, name, LOOM_OBJECTIVE_BYTES);
		if (bytes != UINT64_MAX && m->cycles < fastest)
			fastest = m->cycles;
		if (!strcmp(name, DEFAULT))
			own = bytes;
		else if (bytes < best)
			best = bytes;
	}
	if (own != UINT64_MAX || best != UINT64_MAX)
		tap_ok(own <= best, "%s, %s: " DEFAULT " moves %llu bytes, the others %llu",
		       m->name, chip->name, (unsigned long long)own, (unsigned long long)best);
	cycles = try_cell(m, chip, DEFAULT, LOOM_OBJECTIVE_TIME);
	if (cycles != UINT64_MAX && !m->hash)
		tap_ok(cycles <= fastest, "%s, %s: by time %llu cycles, by bytes and others %llu",
		       m->name, chip->name, (unsigned long long)cycles,
		       (unsigned long long)fastest);
}

static void try_flat(struct matrix *m, uint64_t bytes)
{
	struct drm_loom_chip flat = chip_flat(bytes);

	snprintf(flat.name, sizeof(flat.name), "%lluk", (unsigned long long)bytes >> 10);
	try_chip(m, &flat);
}

static void try_where(struct matrix *m, const char *where)
{
	static const char *const presets[] = { "cv181x", "bm1688", "bm1684x" };
	const struct drm_loom_chip *chip = loom_preset_find(where);
	struct drm_loom_chip built_in;
	const char *name;
	uint64_t bytes;
	uint32_t i;
	char *end;

	if (chip) {
		try_chip(m, chip);
		return;
	}
	if (!strcmp(where, "presets")) {
		for (i = 0; i < ARRAY_SIZE(presets); i++)
			try_chip(m, loom_preset_find(presets[i]));
		return;
	}
	if (!strcmp(where, "counts")) {
		m->count = true;
		for (i = 0; (name = loom_chip_name(i)); i++) {
			if (loom_chip_find(name, &built_in))
				tap_fatal("there is no chip '%s'", name);
			try_chip(m, &built_in);
		}
		m->count = false;
		return;
	}
	if (!strcmp(where, "flat")) {
		for (bytes = 64 << 10; bytes <= 4 << 20; bytes *= 2)
			try_flat(m, bytes);
		return;
	}
	bytes = strtoull(where, &end, 0);
	if (!bytes || strcmp(end, "k"))
		tap_fatal("there is no topology '%s'", where);
	try_flat(m, bytes << 10);
}

int main(int argc, char **argv)
{
	struct matrix m = { .table = false };
	int i = 1;

	if (argc > i && (!strcmp(argv[i], "--table") || !strcmp(argv[i], "--hash"))) {
		m.table = argv[i][2] == 't';
		m.hash = argv[i][2] == 'h';
		i++;
	}
	if (argc < i + 3)
		tap_fatal("model_matrix [--table|--hash] MODEL DIR WHERE...");
	m.dir = argv[i + 1];
	open_model(&m, argv[i]);
	if (m.table)
		tap_note("| %-20s | %-8s | %-18s | %9s | %6s | %8s | %8s | %6s |", "model", "SRAM",
			 "strategy", "DRAM MB", "steps", "peak KiB", "MMAC too", "ms");
	for (i += 2; i < argc; i++)
		try_where(&m, argv[i]);
	tap_note("%s: %u cells ran, %u do not fit", m.name, m.cells, m.refused);
	close_model(&m);
	return m.hash ? !m.cells : tap_end();
}
