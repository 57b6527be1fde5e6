// SPDX-License-Identifier: MIT
/*
 * A host of ONNX Runtime with Loom's execution provider: each model runs by ONNX Runtime's own
 * provider and by Loom's, in one process, and outputs are compared.
 *
 *	ort_host ORT PROVIDER COMMAND [ARGUMENT...]
 *
 *	compare MODEL [OPTION...]	prints what was claimed and how far outputs are apart
 *	loaded OTHER MODEL [OPTION...]	as compare, but the CPU provider runs another model
 *	context MODEL NEW [OPTION...]	writes a model with programs
 *	refuse MODEL [OPTION...]	a session has to be refused, and alive=MODEL runs then
 *	threads MODEL [OPTION...]	four threads on two sessions; the CPU provider runs
 *					reference=MODEL if there is one. With lanes=N outputs must
 *					have the bits of a session on all lanes
 *	reload MODEL [OPTION...]	registers, runs and unregisters, three times
 *	devices				which there are; "found": by ONNX Runtime, on the bus
 *
 * Options: shape=NAME:1,3,48,320 of an input whose dimensions are open, once or more often (each
 * is run with in turn); runs=N; near=BOUND; scale=FACTOR of inputs; profile=PREFIX; itself=1 runs
 * ONNX Runtime without its optimiser, too, and lets Loom be as far from either as they are from
 * each other; peaks=OUTPUT,BEFORE says that an output has the numbers of another one where these
 * are the largest around; any other NAME=VALUE is one of the provider, or of the session if it has
 * a dot in it.
 * ORT_HOST_LOG=1 in the environment shows why nodes stay.
 */
#include "near.h"
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <onnxruntime_c_api.h>
#include <onnxruntime_ep_device_ep_metadata_keys.h>

#define MOST	64
#define NEAR	0.0001

static const OrtApi *api;

static void die(const char *what, OrtStatus *status)
{
	printf("%s: %s\n", what, status ? api->GetErrorMessage(status) : "failed");
	exit(1);
}

#define CHECK(call) do { OrtStatus *status_ = (call); if (status_) die(#call, status_); } while (0)

/**
 * struct host - what was asked for
 * @env: ONNX Runtime
 * @memory: of the processor
 * @device: of Loom
 * @options: NAME=VALUE
 * @num_options: number of @options
 */
struct host {
	OrtEnv *env;
	OrtMemoryInfo *memory;
	const OrtEpDevice *device;
	char **options;
	int num_options;
};

static const char *option(const struct host *host, const char *name)
{
	size_t length = strlen(name);
	int i;

	for (i = 0; i < host->num_options; i++)
		if (!strncmp(host->options[i], name, length) && host->options[i][length] == '=')
			return host->options[i] + length + 1;
	return NULL;
}

static const OrtEpDevice *find_device(const struct host *host)
{
	const OrtEpDevice *const *devices;
	size_t count, i;

	CHECK(api->GetEpDevices(host->env, &devices, &count));
	for (i = 0; i < count; i++)
		if (!strcmp(api->EpDevice_EpName(devices[i]), "LoomExecutionProvider"))
			return devices[i];
	die("no device of LoomExecutionProvider", NULL);
	return NULL;
}

static bool is_own(const char *option)
{
	static const char *const own[] = { "shape=", "runs=", "profile=", "alive=", "near=",
					   "scale=", "reference=", "itself=", "peaks=" };
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strncmp(option, own[i], strlen(own[i])))
			return true;
	return false;
}

static void append_loom(const struct host *host, OrtSessionOptions *options,
			const char *const *keys, const char *const *values, size_t count)
{
	const OrtEpDevice *const *device = &host->device;

	CHECK(api->SessionOptionsAppendExecutionProvider_V2(options, host->env, device, 1, keys,
							    values, count));
}

/* Which provider runs a model: Loom's, or ONNX Runtime's own, with its optimiser or without. */
enum runs_by { BY_ITSELF, BY_LOOM, BY_PLAIN, RUNS_BY };

static OrtSessionOptions *session_options(const struct host *host, enum runs_by by)
{
	const bool loom = by == BY_LOOM;
	const char *keys[MOST], *values[MOST];
	OrtSessionOptions *options;
	size_t count = 0;
	int i;

	CHECK(api->CreateSessionOptions(&options));
	CHECK(api->SetIntraOpNumThreads(options, 1));
	CHECK(api->AddSessionConfigEntry(options, "session.record_ep_graph_assignment_info", "1"));
	if (by == BY_PLAIN)
		CHECK(api->SetSessionGraphOptimizationLevel(options, ORT_DISABLE_ALL));
	if (loom && option(host, "profile"))
		CHECK(api->EnableProfiling(options, option(host, "profile")));
	for (i = 0; i < host->num_options && i < MOST; i++) {
		char *name = strdup(host->options[i]), *equal = strchr(name, '=');

		if (!equal || is_own(host->options[i])) {
			free(name);
			continue;
		}
		*equal = '\0';
		if (strchr(name, '.')) {
			if (loom)
				CHECK(api->AddSessionConfigEntry(options, name, equal + 1));
			free(name);
			continue;
		}
		keys[count] = name;
		values[count++] = equal + 1;
	}
	if (loom)
		append_loom(host, options, keys, values, count);
	while (count)
		free((char *)keys[--count]);
	return options;
}

static OrtStatus *open_session(const struct host *host, const char *model, enum runs_by by,
			       OrtSession **session)
{
	OrtSessionOptions *options = session_options(host, by);
	OrtStatus *status = api->CreateSession(host->env, model, options, session);

	api->ReleaseSessionOptions(options);
	return status;
}

/* Nodes and parts of Loom, and nodes of all. */
static void count_nodes(const OrtSession *session, size_t *nodes, size_t *parts, size_t *all)
{
	const OrtEpAssignedSubgraph *const *graphs;
	size_t count, i;

	*nodes = *parts = *all = 0;
	CHECK(api->Session_GetEpGraphAssignmentInfo(session, &graphs, &count));
	for (i = 0; i < count; i++) {
		const OrtEpAssignedNode *const *list;
		const char *name;
		size_t number;

		CHECK(api->EpAssignedSubgraph_GetEpName(graphs[i], &name));
		CHECK(api->EpAssignedSubgraph_GetNodes(graphs[i], &list, &number));
		*all += number;
		if (strcmp(name, "LoomExecutionProvider"))
			continue;
		*nodes += number;
		(*parts)++;
	}
}

/**
 * struct io - names, inputs and outputs of a model
 * @num_inputs: number of inputs
 * @num_outputs: number of outputs
 * @input_names: their names
 * @output_names: their names
 * @inputs: values
 * @buffers: where @inputs have their data
 */
struct io {
	size_t num_inputs;
	size_t num_outputs;
	char *input_names[MOST];
	char *output_names[MOST];
	OrtValue *inputs[MOST];
	void *buffers[MOST];
};

/* The @turn-th shape that was asked for of an input, or the last one. */
static bool asked_shape(const struct host *host, const char *name, int turn, int64_t *dims,
			size_t *rank)
{
	size_t length = strlen(name);
	bool found = false;
	int i, seen = 0;

	for (i = 0; i < host->num_options && seen <= turn; i++) {
		const char *at = host->options[i];

		if (strncmp(at, "shape=", 6) || strncmp(at + 6, name, length) ||
		    at[6 + length] != ':')
			continue;
		for (*rank = 0, at += 6 + length; *at && *rank < 8; at += strcspn(at, ","))
			dims[(*rank)++] = strtoll(at + 1, (char **)&at, 10);
		found = true;
		seen++;
	}
	return found;
}

static size_t elem_bytes(ONNXTensorElementDataType type)
{
	switch (type) {
	case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
	case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
		return 4;
	case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
	case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
		return 8;
	case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
		return 2;
	default:
		return 1;
	}
}

/*
 * The same numbers on every machine: floats are waves with a little noise, as pictures are. Of
 * noise alone, networks that look for lines make numbers that depend on the order of sums.
 * Integers are a sampling rate.
 */
static void fill(void *data, ONNXTensorElementDataType type, size_t count, uint64_t seed,
		 double scale)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
	size_t i;

	for (i = 0; i < count; i++) {
		double noise, wave;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		noise = (double)(state >> 40) / (1 << 24);
		wave = sin((double)i * 0.0123 + (double)seed) + sin((double)i * 0.00107);
		if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
			((float *)data)[i] = (float)((wave * 0.4 + noise * 0.1) * scale);
		else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
			((int64_t *)data)[i] = 16000;
		else
			memset((char *)data + i * elem_bytes(type), (int)(state >> 60) & 1,
			       elem_bytes(type));
	}
}

static void make_input(const struct host *host, const OrtSession *session, struct io *io, size_t i,
		       int turn)
{
	const OrtTensorTypeAndShapeInfo *tensor;
	ONNXTensorElementDataType type;
	size_t rank, count = 1, axis;
	const char *scale = option(host, "scale");
	int64_t dims[8] = { 0 };
	OrtTypeInfo *info;

	CHECK(api->SessionGetInputTypeInfo(session, i, &info));
	CHECK(api->CastTypeInfoToTensorInfo(info, &tensor));
	CHECK(api->GetTensorElementType(tensor, &type));
	CHECK(api->GetDimensionsCount(tensor, &rank));
	CHECK(api->GetDimensions(tensor, dims, rank));
	api->ReleaseTypeInfo(info);
	(void)asked_shape(host, io->input_names[i], turn, dims, &rank);
	for (axis = 0; axis < rank; axis++) {
		dims[axis] = dims[axis] < 0 ? 1 : dims[axis];
		count *= (size_t)dims[axis];
	}
	io->buffers[i] = aligned_alloc(64, (count * elem_bytes(type) + 64) / 64 * 64);
	fill(io->buffers[i], type, count, i + 1 + (size_t)turn * 17, scale ? atof(scale) : 1);
	CHECK(api->CreateTensorWithDataAsOrtValue(host->memory, io->buffers[i],
						  count * elem_bytes(type), dims, rank, type,
						  &io->inputs[i]));
}

static void io_open(const struct host *host, const OrtSession *session, struct io *io, int turn)
{
	OrtAllocator *allocator;
	size_t i;

	CHECK(api->GetAllocatorWithDefaultOptions(&allocator));
	CHECK(api->SessionGetInputCount(session, &io->num_inputs));
	CHECK(api->SessionGetOutputCount(session, &io->num_outputs));
	if (io->num_inputs > MOST || io->num_outputs > MOST)
		die("too many inputs or outputs", NULL);
	for (i = 0; i < io->num_inputs; i++) {
		CHECK(api->SessionGetInputName(session, i, allocator, &io->input_names[i]));
		make_input(host, session, io, i, turn);
	}
	for (i = 0; i < io->num_outputs; i++)
		CHECK(api->SessionGetOutputName(session, i, allocator, &io->output_names[i]));
}

static void io_close(struct io *io)
{
	OrtAllocator *allocator;
	size_t i;

	CHECK(api->GetAllocatorWithDefaultOptions(&allocator));
	for (i = 0; i < io->num_inputs; i++) {
		CHECK(api->AllocatorFree(allocator, io->input_names[i]));
		api->ReleaseValue(io->inputs[i]);
		free(io->buffers[i]);
	}
	for (i = 0; i < io->num_outputs; i++)
		CHECK(api->AllocatorFree(allocator, io->output_names[i]));
}

static OrtStatus *run(OrtSession *session, struct io *io, OrtValue **outputs)
{
	memset(outputs, 0, io->num_outputs * sizeof(*outputs));
	return api->Run(session, NULL, (const char *const *)io->input_names,
			(const OrtValue *const *)io->inputs, io->num_inputs,
			(const char *const *)io->output_names, io->num_outputs, outputs);
}

static void release(OrtValue **values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		api->ReleaseValue(values[i]);
}

/*
 * How far two values are apart: the larger of the largest difference, as a part of the largest
 * number, and the root of the mean of the squares, likewise (tools/testing/e2e/npy_compare.c says
 * why). With @bits any other bit is infinite. Infinite: they are not alike.
 */
static double apart(const OrtValue *wanted, const OrtValue *got, bool bits)
{
	double worst = 0, largest = 0, off2 = 0, want2 = 0, count;
	const OrtValue *values[2] = { wanted, got };
	ONNXTensorElementDataType types[2];
	size_t bytes[2], i, ranks[2];
	const int64_t *dims[2];
	const void *data[2];

	for (i = 0; i < 2; i++) {
		CHECK(api->GetTensorElementTypeAndShapeDataReference(values[i], &types[i], &dims[i],
								     &ranks[i]));
		CHECK(api->GetTensorSizeInBytes(values[i], &bytes[i]));
		CHECK(api->GetTensorData(values[i], &data[i]));
	}
	if (types[0] != types[1] || ranks[0] != ranks[1] || bytes[0] != bytes[1] ||
	    (ranks[0] && memcmp(dims[0], dims[1], ranks[0] * sizeof(*dims[0]))))
		return INFINITY;
	if (bits || types[0] != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
		return memcmp(data[0], data[1], bytes[0]) ? INFINITY : 0;
	for (i = 0; i < bytes[0] / 4; i++) {
		double want = ((const float *)data[0])[i];
		double off = near_off(((const float *)data[1])[i], want);

		if (!isfinite(off))
			return INFINITY;
		if (!isfinite(want))
			continue;
		worst = fmax(worst, off);
		largest = fmax(largest, fabs(want));
		off2 += off * off;
		want2 += want * want;
	}
	/* of what is next to nothing everywhere, as a sigmoid's zeroes, a thousandth is as good */
	count = bytes[0] / 4 ? (double)(bytes[0] / 4) : 1;
	return fmax(worst / fmax(largest, 0.001),
		    sqrt(off2 / count) / fmax(sqrt(want2 / count), 0.001));
}

static const float *floats(const OrtValue *value, const int64_t **dims, size_t count)
{
	ONNXTensorElementDataType type;
	const void *data;
	size_t bytes, rank;

	CHECK(api->GetTensorElementTypeAndShapeDataReference(value, &type, dims, &rank));
	CHECK(api->GetTensorSizeInBytes(value, &bytes));
	CHECK(api->GetTensorData(value, &data));
	return type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT && rank == 4 && bytes == count * 4 ?
	       data : NULL;
}

/* Whether no number is larger of those around it. */
static bool is_peak(const float *plane, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
	int64_t i, k;

	for (i = row > 1 ? row - 1 : 0; i < rows && i <= row + 1; i++)
		for (k = column > 1 ? column - 1 : 0; k < columns && k <= column + 1; k++)
			if (plane[i * columns + k] > plane[row * columns + column])
				return false;
	return true;
}

/*
 * Of two neighbours that are equal but for rounding, which one is larger depends on the order of
 * sums, and so on the processor. So the numbers before are compared with ONNX Runtime's, and the
 * peaks, [1, rows, columns, 1], with the numbers that they were chosen of, exactly. Return: as
 * apart().
 */
static double peaks_apart(const OrtValue *peaks, const OrtValue *before)
{
	const int64_t *dims;
	const float *got, *plane;
	int64_t i, count;

	(void)floats(peaks, &dims, 0);
	count = dims[1] * dims[2];
	got = floats(peaks, &dims, (size_t)count);
	plane = floats(before, &dims, (size_t)count);
	if (!got || !plane || !count)
		return INFINITY;
	(void)floats(peaks, &dims, 0);
	for (i = 0; i < count; i++) {
		bool peak = is_peak(plane, dims[1], dims[2], i / dims[2], i % dims[2]);

		if (!(got[i] == (peak ? plane[i] : 0)))
			return INFINITY;
	}
	return 0;
}

/* The output that output @i has the peaks of, or NULL. */
static const OrtValue *is_peaks(const struct host *host, const struct io *io, size_t i,
				OrtValue *const *outputs)
{
	const char *peaks = option(host, "peaks"), *name = io->output_names[i];
	size_t length = strlen(name), k;

	if (!peaks || strncmp(peaks, name, length) || peaks[length] != ',')
		return NULL;
	for (k = 0; k < io->num_outputs; k++)
		if (!strcmp(peaks + length + 1, io->output_names[k]))
			return outputs[k];
	die("peaks: there is no such output", NULL);
	return NULL;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* As many turns as an input has shapes. */
static int turns(const struct host *host)
{
	const char *runs = option(host, "runs");

	return runs ? atoi(runs) : 1;
}

/**
 * struct comparison - a model by each of them
 * @sessions: by &enum runs_by; NULL: not asked for
 * @seconds: of the processor, for all runs
 * @most: how far Loom was from ONNX Runtime
 * @most_plain: the same without its optimiser
 * @itself: how far ONNX Runtime was from itself
 */
struct comparison {
	OrtSession *sessions[RUNS_BY];
	double seconds[RUNS_BY];
	double most;
	double most_plain;
	double itself;
};

static void compare_once(const struct host *host, struct comparison *all, int turn)
{
	OrtValue *outputs[RUNS_BY][MOST];
	struct io io;
	size_t i, k;

	io_open(host, all->sessions[BY_ITSELF], &io, turn);
	for (k = 0; k < RUNS_BY; k++) {
		double begin = cpu_seconds();

		if (all->sessions[k])
			CHECK(run(all->sessions[k], &io, outputs[k]));
		all->seconds[k] += cpu_seconds() - begin;
	}
	for (i = 0; i < io.num_outputs; i++) {
		const OrtValue *before = is_peaks(host, &io, i, outputs[BY_LOOM]);

		if (before) {
			all->most = fmax(all->most, peaks_apart(outputs[BY_LOOM][i], before));
			continue;
		}
		all->most = fmax(all->most,
				 apart(outputs[BY_ITSELF][i], outputs[BY_LOOM][i], false));
		if (!all->sessions[BY_PLAIN])
			continue;
		all->most_plain = fmax(all->most_plain,
				       apart(outputs[BY_PLAIN][i], outputs[BY_LOOM][i], false));
		all->itself = fmax(all->itself,
				   apart(outputs[BY_PLAIN][i], outputs[BY_ITSELF][i], false));
	}
	for (k = 0; k < RUNS_BY; k++)
		if (all->sessions[k])
			release(outputs[k], io.num_outputs);
	io_close(&io);
}

/* Rounding is no fault: where ONNX Runtime is not sure itself, no more is asked of Loom. */
static bool is_near(const struct host *host, const struct comparison *all)
{
	const char *near = option(host, "near");
	const double bound = near ? atof(near) : NEAR;

	if (!all->sessions[BY_PLAIN])
		return all->most <= bound;
	/* where one of its own results has a NaN and the other has not, nothing follows */
	return fmin(all->most, all->most_plain) <=
	       (isfinite(all->itself) ? fmax(bound, all->itself) : bound);
}

static int compare(const struct host *host, const char *reference, const char *model)
{
	struct comparison all = { .most = 0 };
	double begin = cpu_seconds(), planned;
	size_t nodes, parts, of;
	int turn, k;

	CHECK(open_session(host, model, BY_LOOM, &all.sessions[BY_LOOM]));
	planned = cpu_seconds() - begin;
	CHECK(open_session(host, reference, BY_ITSELF, &all.sessions[BY_ITSELF]));
	if (option(host, "itself"))
		CHECK(open_session(host, reference, BY_PLAIN, &all.sessions[BY_PLAIN]));
	count_nodes(all.sessions[BY_LOOM], &nodes, &parts, &of);
	for (turn = 0; turn < turns(host); turn++)
		compare_once(host, &all, turn);
	printf("nodes %zu of %zu, parts %zu, apart %.1e, ", nodes, of, parts,
	       all.sessions[BY_PLAIN] ? fmin(all.most, all.most_plain) : all.most);
	if (all.sessions[BY_PLAIN])
		printf("itself %.1e, ", all.itself);
	printf("planned %.2f s, run %.3f s, by itself %.3f s\n", planned, all.seconds[BY_LOOM],
	       all.seconds[BY_ITSELF]);
	if (option(host, "profile")) {
		OrtAllocator *allocator;
		char *name;

		CHECK(api->GetAllocatorWithDefaultOptions(&allocator));
		CHECK(api->SessionEndProfiling(all.sessions[BY_LOOM], allocator, &name));
		printf("profile %s\n", name);
		CHECK(api->AllocatorFree(allocator, name));
	}
	for (k = 0; k < RUNS_BY; k++)
		if (all.sessions[k])
			api->ReleaseSession(all.sessions[k]);
	return is_near(host, &all) ? 0 : 1;
}

static int refuse(struct host *host, const char *model)
{
	OrtSession *session;
	OrtStatus *status = open_session(host, model, BY_LOOM, &session);
	const char *alive = option(host, "alive");

	if (!status) {
		printf("it was not refused\n");
		return 1;
	}
	printf("refused: %s\n", api->GetErrorMessage(status));
	api->ReleaseStatus(status);
	return alive ? compare(host, alive, alive) : 0;
}

/**
 * struct worker - a thread that runs a session
 * @session: which; others run it, too
 * @io: inputs, which are only read
 * @wanted: outputs
 * @bits: outputs must have those of @wanted
 * @most: how far outputs were apart from them; with @bits 0 or infinite
 */
struct worker {
	OrtSession *session;
	struct io *io;
	OrtValue **wanted;
	bool bits;
	double most;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	int turn;

	for (turn = 0; turn < 4; turn++) {
		OrtValue *outputs[MOST];
		size_t i;

		CHECK(run(worker->session, worker->io, outputs));
		for (i = 0; i < worker->io->num_outputs; i++)
			worker->most = fmax(worker->most, apart(worker->wanted[i], outputs[i],
								worker->bits));
		release(outputs, worker->io->num_outputs);
	}
	return NULL;
}

static int threads(struct host *host, const char *model)
{
	const char *reference = option(host, "reference");
	const bool halves = option(host, "lanes");
	struct host whole = *host;
	char *others[MOST];
	OrtSession *sessions[3];
	OrtValue *wanted[MOST];
	struct worker workers[4];
	pthread_t ids[4];
	double most = 0;
	struct io io;
	int i;

	whole.options = others;
	for (i = whole.num_options = 0; i < host->num_options && i < MOST; i++)
		if (strncmp(host->options[i], "lanes=", 6))
			others[whole.num_options++] = host->options[i];
	CHECK(open_session(&whole, reference ? reference : model, halves ? BY_LOOM : BY_ITSELF,
			   &sessions[2]));
	io_open(host, sessions[2], &io, 0);
	CHECK(run(sessions[2], &io, wanted));
	for (i = 0; i < 2; i++)
		CHECK(open_session(host, model, BY_LOOM, &sessions[i]));
	for (i = 0; i < 4; i++) {
		workers[i] = (struct worker){ sessions[i % 2], &io, wanted, halves, 0 };
		if (pthread_create(&ids[i], NULL, work, &workers[i]))
			die("pthread_create", NULL);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(ids[i], NULL);
		most = fmax(most, workers[i].most);
	}
	release(wanted, io.num_outputs);
	io_close(&io);
	for (i = 0; i < 3; i++)
		api->ReleaseSession(sessions[i]);
	printf("4 workers, 2 sessions, apart %.1e\n", most);
	return most <= NEAR ? 0 : 1;
}

static int context(struct host *host, const char *model, const char *new)
{
	OrtSessionOptions *options = session_options(host, BY_LOOM);
	OrtSession *session;
	OrtStatus *status;

	CHECK(api->AddSessionConfigEntry(options, "ep.context_enable", "1"));
	CHECK(api->AddSessionConfigEntry(options, "ep.context_file_path", new));
	status = api->CreateSession(host->env, model, options, &session);
	api->ReleaseSessionOptions(options);
	if (status) {
		printf("refused: %s\n", api->GetErrorMessage(status));
		return 1;
	}
	api->ReleaseSession(session);
	return 0;
}

static int list_devices(const struct host *host)
{
	const OrtEpDevice *const *devices;
	size_t count, i;

	CHECK(api->GetEpDevices(host->env, &devices, &count));
	for (i = 0; i < count; i++) {
		const OrtHardwareDevice *hardware = api->EpDevice_Device(devices[i]);
		const char *node = api->GetKeyValue(api->EpDevice_EpMetadata(devices[i]),
						    "loom_device");
		const char *made = api->GetKeyValue(api->HardwareDevice_Metadata(hardware),
						    kOrtHardwareDevice_MetadataKey_IsVirtual);

		printf("%s %s type %d vendor %#x device %#x %s %s\n",
		       api->EpDevice_EpName(devices[i]), api->EpDevice_EpVendor(devices[i]),
		       (int)api->HardwareDevice_Type(hardware),
		       api->HardwareDevice_VendorId(hardware),
		       api->HardwareDevice_DeviceId(hardware), made ? "made" : "found",
		       node ? node : "");
	}
	return 0;
}

static int command(struct host *host, const char *provider, const char *name, int argc,
		   char **argv)
{
	bool two = !strcmp(name, "context") || !strcmp(name, "loaded");
	int ret = 2, given = two ? 2 : 1;

	CHECK(api->RegisterExecutionProviderLibrary(host->env, "loom", provider));
	host->device = find_device(host);
	host->options = argv + given;
	host->num_options = argc > given ? argc - given : 0;
	if (!strcmp(name, "devices"))
		ret = list_devices(host);
	else if (argc < given)
		printf("%s takes %d files\n", name, given);
	else if (!strcmp(name, "compare"))
		ret = compare(host, argv[0], argv[0]);
	else if (!strcmp(name, "loaded"))
		ret = compare(host, argv[0], argv[1]);
	else if (!strcmp(name, "context"))
		ret = context(host, argv[0], argv[1]);
	else if (!strcmp(name, "refuse"))
		ret = refuse(host, argv[0]);
	else if (!strcmp(name, "threads"))
		ret = threads(host, argv[0]);
	else
		printf("%s: there is no such thing\n", name);
	CHECK(api->UnregisterExecutionProviderLibrary(host->env, "loom"));
	return ret;
}

int main(int argc, char **argv)
{
	const OrtApiBase *(*get_base)(void);
	struct host host = { 0 };
	const char *level = getenv("ORT_HOST_LOG");
	void *library;
	int ret;

	if (argc < 4) {
		printf("usage: ort_host ORT PROVIDER COMMAND [ARGUMENT...]\n");
		return 2;
	}
	library = dlopen(argv[1], RTLD_NOW);
	get_base = library ? dlsym(library, "OrtGetApiBase") : NULL;
	api = get_base ? get_base()->GetApi(ORT_API_VERSION) : NULL;
	if (!api) {
		printf("%s\n", library ? "this ONNX Runtime is too old" : dlerror());
		return 2;
	}
	CHECK(api->CreateEnv(level ? (OrtLoggingLevel)atoi(level) : ORT_LOGGING_LEVEL_ERROR,
			     "ort_host", &host.env));
	CHECK(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &host.memory));
	if (!strcmp(argv[3], "reload")) {
		int i;

		for (i = 0, ret = 0; i < 3 && !ret; i++)
			ret = command(&host, argv[2], "compare", argc - 4, argv + 4);
	} else {
		ret = command(&host, argv[2], argv[3], argc - 4, argv + 4);
	}
	api->ReleaseMemoryInfo(host.memory);
	api->ReleaseEnv(host.env);
	/* leaks are looked for after this, and may change the status */
	if (!ret)
		printf("good\n");
	return ret;
}
