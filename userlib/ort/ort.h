/* SPDX-License-Identifier: MIT */
/**
 * DOC: An execution provider for ONNX Runtime
 *
 * This folder is a plugin: libloom_ep.so, which ONNX Runtime loads by
 * RegisterExecutionProviderLibrary(). The input is graphs, by ONNX Runtime's calls; the output is
 * the nodes that Loom runs, and functions that run them. No other folder includes ONNX Runtime's
 * headers, and the plugin is no part of libloom: `make ep` builds it, if the headers are installed.
 *
 *	partition.c	grouping of nodes into parts; independent of ONNX Runtime
 *	status.c	conversion of errors, and lines for ONNX Runtime's log
 *	options.c	options of a session
 *	device.c	available devices
 *	graph.c		a graph of ONNX Runtime as plain structs
 *	attribute.c	attributes of a node and its subgraphs as ONNX messages
 *	model.c		some of its nodes as the bytes of an ONNX model
 *	claim.c		selection of the nodes to claim
 *	program.c	compilation of such bytes to a program: once, or for each shape
 *	pool.c		sessions of a program for concurrent runs
 *	context.c	programs inside of models (EPContext)
 *	profile.c	events for ONNX Runtime's profile
 *	compute.c	execution of a part
 *	ep.c		callbacks of a session
 *	factory.c	callbacks before a session: the two symbols of the library
 *
 * Nodes are passed to the importer as an ONNX model, packed in memory. So the library has a single
 * entry, and the importer determines the nodes that can be claimed, including the subgraphs of If,
 * Loop and Scan. Rejected: the builder's calls, which lack subgraphs, and would be repeated for
 * each shape.
 *
 * The importer and the planner decide by trial which nodes can run. Nodes that the importer does
 * not support, or with a type that Loom lacks, are excluded. The others are grouped into parts, and
 * each part is imported, and planned without groups, which is fast. If that fails, the culprit (the
 * first node without which the trial succeeds) is found by bisection and excluded, and parts are
 * made again. Rejected: a table of supported operators next to the importers, which would become
 * outdated.
 *
 * If dimensions are open, a part is tried with trial sizes, and planned when the first tensors
 * arrive. Plans are kept by shape, in an LRU list.
 *
 * On the host, where the engine is this process, inputs and outputs are used in the caller's
 * memory. On a device they are copied once, to or from its mapped buffers, because it can only
 * access memory that it allocated.
 */
#ifndef LOOM_ORT_H
#define LOOM_ORT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <onnxruntime_c_api.h>

#include "base/names.h"
#include "base/pool.h"
#include "loom.h"
#include "loom_chip.h"
#include "loom_file.h"
#include "loom_planner.h"
#include "loom_program_file.h"
#include "loom_run.h"

#define LOOM_ORT_NAME	"LoomExecutionProvider"
#define LOOM_ORT_VENDOR	"Loom"
#define LOOM_ORT_TEXT_(x)	#x
#define LOOM_ORT_TEXT(x)	LOOM_ORT_TEXT_(x)
#define LOOM_ORT_VERSION	LOOM_ORT_TEXT(LOOM_VERSION_MAJOR) "." \
				LOOM_ORT_TEXT(LOOM_VERSION_MINOR) "." \
				LOOM_ORT_TEXT(LOOM_VERSION_PATCH)
/* the oldest version of ONNX Runtime with all functions needed */
#define LOOM_ORT_LEAST	24

/**
 * struct loom_ort - ONNX Runtime's functions
 *
 * A process has one ONNX Runtime; this must be set before any other call.
 *
 * @api: its functions
 * @ep: those for providers
 * @editor: those that make nodes
 * @version: of the API: LOOM_ORT_LEAST to ORT_API_VERSION
 */
struct loom_ort {
	const OrtApi *api;
	const OrtEpApi *ep;
	const OrtModelEditorApi *editor;
	uint32_t version;
};

extern struct loom_ort loom_ort;

/* returns an error to the caller */
#define ORT_TRY(call) do { OrtStatus *status_ = (call); if (status_) return status_; } while (0)

/** loom_ort_status() - converts an error of the library; NULL for 0 */
OrtStatus *loom_ort_status(int code, const struct loom_error *err);
/** loom_ort_fail() - makes an error with its own text */
OrtStatus *loom_ort_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** loom_ort_no_memory() - makes an error for lack of memory */
OrtStatus *loom_ort_no_memory(void);
/** loom_ort_log() - a line for ONNX Runtime's log */
void loom_ort_log(const OrtLogger *logger, OrtLoggingLevel level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * struct loom_ort_size - the trial size of an open dimension, or the value of an input
 * @name: ONNX Runtime's name of the dimension, or "input:axis"; or the name of the input
 * @value: its size, or its only element
 */
struct loom_ort_size {
	char *name;
	int64_t value;
};

/**
 * struct loom_ort_options - options of a session
 * @device: as for loom_target_open(); NULL: that of the hardware device chosen
 * @chip: of the host
 * @has_chip: @chip was set
 * @lanes: of the chip, that plans are for; 0: all
 * @objective: enum loom_planner_objective
 * @sram_bytes: &loom_planner_options.sram_limit_bytes
 * @effort: &loom_planner_options.effort
 * @effort_ms: &loom_planner_options.grouping_budget
 * @jobs: &loom_planner_options.jobs
 * @max_memory_bytes: &loom_planner_options.max_memory_bytes
 * @max_work: &loom_planner_options.max_work
 * @no_cache: the user's cache is neither read nor written
 * @plans: limit on the shapes kept
 * @sessions: limit on the concurrent runs of a part
 * @sizes: trial sizes of open dimensions
 * @num_sizes: number of @sizes
 * @values: of inputs of one integer, which are constant
 * @num_values: number of @values
 * @branches: branches and bodies are claimed by themselves
 * @write_context: models with programs are written
 * @embed: programs are inside of the model, not in files beside it
 * @context_path: of that model, or NULL
 * @prefix: of names of its nodes
 */
struct loom_ort_options {
	char *device;
	struct drm_loom_chip chip;
	bool has_chip;
	uint32_t lanes;
	uint32_t objective;
	uint64_t sram_bytes;
	uint32_t effort;
	uint32_t jobs;
	uint64_t effort_ms;
	uint64_t max_memory_bytes;
	uint64_t max_work;
	bool no_cache;
	uint32_t plans;
	uint32_t sessions;
	struct loom_ort_size *sizes;
	uint32_t num_sizes;
	struct loom_ort_size *values;
	uint32_t num_values;
	bool branches;
	bool write_context;
	bool embed;
	char *context_path;
	char *prefix;
};

/** loom_ort_options_read() - reads the options; the caller must clear @options in any case */
OrtStatus *loom_ort_options_read(const OrtSessionOptions *session,
				 struct loom_ort_options *options);
/** loom_ort_options_clear() - frees their memory */
void loom_ort_options_clear(struct loom_ort_options *options);

/**
 * loom_ort_devices() - list the devices
 * @factory: the factory
 * @hardware: the devices that ONNX Runtime has found
 * @num_hardware: number of @hardware
 * @made: [out] a virtual device, which the caller must release, or NULL; @max of them
 * @devices: [out] @max at most
 * @max: capacity
 * @count: [out] number of @devices
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_devices(OrtEpFactory *factory, const OrtHardwareDevice *const *hardware,
			    size_t num_hardware, OrtHardwareDevice **made, OrtEpDevice **devices,
			    size_t max, size_t *count);
/** loom_ort_device_name() - the name for loom_target_open() that belongs to a hardware device */
const char *loom_ort_device_name(const OrtHardwareDevice *hardware,
				 const OrtKeyValuePairs *metadata);

/* no node, no value */
#define LOOM_ORT_NONE	UINT32_MAX

/**
 * struct loom_ort_value - a value of a graph
 * @name: its name; ONNX Runtime's
 * @info: ONNX Runtime's
 * @producer: the node that computes it, or LOOM_ORT_NONE
 * @data: of a constant; else NULL
 * @is_output: of the graph
 * @elem: its type as ONNX numbers them; 0: it is no tensor
 * @has_shape: its rank is known
 * @rank: number of dimensions
 * @dims: the dimensions, -1: open
 * @dim_names: of open dimensions, "" if there is none
 */
struct loom_ort_value {
	const char *name;
	const OrtValueInfo *info;
	uint32_t producer;
	const OrtValue *data;
	bool is_output;
	int32_t elem;
	bool has_shape;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	const char *dim_names[LOOM_GRAPH_RANK];
};

/**
 * struct loom_ort_node - a node of a graph
 * @node: ONNX Runtime's
 * @name: its name
 * @op: its operator
 * @domain: of its operator
 * @inputs: numbers of values, LOOM_ORT_NONE for an omitted one
 * @num_inputs: number of @inputs
 * @num_named: number of operands among them; the others are read by its subgraphs
 * @outputs: likewise
 * @num_outputs: number of @outputs
 */
struct loom_ort_node {
	const OrtNode *node;
	const char *name;
	const char *op;
	const char *domain;
	uint32_t *inputs;
	uint32_t num_inputs;
	uint32_t num_named;
	uint32_t *outputs;
	uint32_t num_outputs;
};

/**
 * struct loom_ort_graph - a graph; its strings live as long as ONNX Runtime's
 * @graph: ONNX Runtime's
 * @pool: owner of the arrays
 * @names: number of a value plus 1 by its name
 * @opset: version of the operators
 * @values: the values
 * @num_values: number of @values
 * @cap_values: capacity of @values
 * @nodes: the nodes, in topological order
 * @num_nodes: number of @nodes
 */
struct loom_ort_graph {
	const OrtGraph *graph;
	struct loom_pool *pool;
	struct loom_names names;
	int64_t opset;
	struct loom_ort_value *values;
	uint32_t num_values;
	uint32_t cap_values;
	struct loom_ort_node *nodes;
	uint32_t num_nodes;
};

/** loom_ort_graph_read() - reads a graph; the caller must clear @graph in any case */
OrtStatus *loom_ort_graph_read(const OrtGraph *from, struct loom_ort_graph *graph);
/** loom_ort_graph_clear() - frees its memory */
void loom_ort_graph_clear(struct loom_ort_graph *graph);

/**
 * struct loom_ort_port - an input of a part
 * @name: its name
 * @dtype: enum drm_loom_dtype
 * @has_shape: its rank is known
 * @rank: number of dimensions
 * @dims: the dimensions, -1: open
 * @dim_names: of open dimensions, "" if there is none
 */
struct loom_ort_port {
	char *name;
	uint32_t dtype;
	bool has_shape;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	char *dim_names[LOOM_GRAPH_RANK];
};

/**
 * struct loom_ort_model - some nodes as an ONNX model
 * @pool: owner of the names
 * @bytes: the model
 * @size_bytes: number of @bytes
 * @inputs: inputs that must be set
 * @num_inputs: number of @inputs
 * @is_open: a dimension of an input is open
 */
struct loom_ort_model {
	struct loom_pool *pool;
	void *bytes;
	size_t size_bytes;
	struct loom_ort_port *inputs;
	uint32_t num_inputs;
	bool is_open;
};

/**
 * loom_ort_model_make() - pack nodes
 * @graph: their graph
 * @chosen: for each node, whether it is packed; NULL: all
 * @limit: nodes from this number on are ignored
 * @model: [out] the caller must clear it in any case
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_model_make(const struct loom_ort_graph *graph, const bool *chosen,
			       uint32_t limit, struct loom_ort_model *model);
/** loom_ort_model_clear() - frees its memory */
void loom_ort_model_clear(struct loom_ort_model *model);

/**
 * struct loom_ort_plan - a program for one shape of the inputs of a part
 * @next: the plan used before it
 * @dims: of all inputs of the model, one after the other
 * @users: runs in flight
 * @graph: owner of data of the program, or NULL
 * @program: the program
 * @file: its file, if it was in a model; else NULL
 * @cached: its file, if it was in the user's cache; else NULL
 * @bytes: of @file
 * @sessions: idle sessions
 * @num_idle: number of @sessions
 * @num_made: number of all sessions, idle or not
 */
struct loom_ort_plan {
	struct loom_ort_plan *next;
	int64_t *dims;
	uint32_t users;
	struct loom_graph *graph;
	const struct loom_program *program;
	struct loom_program_file *file;
	struct loom_program_file *cached;
	void *bytes;
	struct loom_session **sessions;
	uint32_t num_idle;
	uint32_t num_made;
};

/**
 * struct loom_ort_ep - a session of ONNX Runtime
 * @base: ONNX Runtime's callbacks
 * @options: the options
 * @target: the target
 * @chip: its chip, with the lanes of the options
 * @logger: receives lines of the log
 * @num_contexts: number of EPContext nodes made
 * @profilers: number of active profilers; atomic
 */
struct loom_ort_ep {
	OrtEp base;
	struct loom_ort_options options;
	struct loom_target *target;
	struct drm_loom_chip chip;
	const OrtLogger *logger;
	uint32_t num_contexts;
	uint32_t profilers;
};

/**
 * struct loom_ort_part - nodes that ONNX Runtime has fused into one
 * @base: ONNX Runtime's callbacks
 * @ep: the session
 * @name: of the node
 * @model: source of programs; empty if they are not made here
 * @num_inputs: operands of the node
 * @inputs: their names
 * @num_outputs: results of the node
 * @outputs: their names
 * @lock: protects the fields below and the contents of @plans
 * @changed: a session or a plan became idle
 * @plans: the most recently used first
 * @num_plans: number of @plans
 * @planning: a thread makes a plan
 */
struct loom_ort_part {
	OrtNodeComputeInfo base;
	struct loom_ort_ep *ep;
	char *name;
	struct loom_ort_model model;
	uint32_t num_inputs;
	char **inputs;
	uint32_t num_outputs;
	char **outputs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct loom_ort_plan *plans;
	uint32_t num_plans;
	bool planning;
};

/**
 * loom_ort_claim() - select the nodes that Loom runs
 * @ep: the session
 * @graph: of a session
 * @parts: [out] for each node, its part or LOOM_PARTITION_NONE
 * @num_parts: [out] number of parts
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_claim(struct loom_ort_ep *ep, const struct loom_ort_graph *graph,
			  uint32_t *parts, uint32_t *num_parts);
/** loom_ort_is_context() - whether a node holds a program of ours */
bool loom_ort_is_context(const struct loom_ort_node *node);

/** loom_ort_known() - the constant value of an input, or NULL */
const struct loom_ort_size *loom_ort_known(const struct loom_ort_options *options,
					   const struct loom_ort_port *port);
/** loom_ort_import() - imports a model with inputs of size @dims; returns 0 or -errno */
int loom_ort_import(const struct loom_ort_options *options, const struct loom_ort_model *model,
		    const int64_t *dims,
		    struct loom_graph **graph, struct loom_error *err);
/** loom_ort_plan_dims() - number of dimensions of all inputs of a model */
uint32_t loom_ort_plan_dims(const struct loom_ort_model *model);
/** loom_ort_plan_make() - plans a part for inputs of size @dims; returns 0 or -errno */
int loom_ort_plan_make(const struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err);
/** loom_ort_plan_destroy() - frees a plan, which must be idle; NULL is fine */
void loom_ort_plan_destroy(struct loom_ort_plan *plan);
/** loom_ort_plan_take() - the plan of a part for inputs of these dimensions, made if necessary */
int loom_ort_plan_take(struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err);
/** loom_ort_plan_give() - ends a use */
void loom_ort_plan_give(struct loom_ort_part *part, struct loom_ort_plan *plan);

/** loom_ort_session_take() - an idle session of a plan; waits for one if necessary */
int loom_ort_session_take(struct loom_ort_part *part, struct loom_ort_plan *plan,
			  struct loom_session **session, struct loom_error *err);
/** loom_ort_session_give() - returns a session; @broken: it must not be used again */
void loom_ort_session_give(struct loom_ort_part *part, struct loom_ort_plan *plan,
			   struct loom_session *session, bool broken);

/** loom_ort_context_read() - reads the plan of an EPContext node */
OrtStatus *loom_ort_context_read(struct loom_ort_part *part, const OrtGraph *graph,
				 const struct loom_ort_node *node);
/** loom_ort_context_write() - makes an EPContext node with the plan of a part */
OrtStatus *loom_ort_context_write(struct loom_ort_part *part, const OrtGraph *graph,
				  OrtNode **node);

/** loom_ort_part_create() - makes a part of the nodes that ONNX Runtime has fused */
OrtStatus *loom_ort_part_create(struct loom_ort_ep *ep, const OrtGraph *graph,
				const OrtNode *fused, struct loom_ort_part **part);
/** loom_ort_part_destroy() - NULL is fine */
void loom_ort_part_destroy(struct loom_ort_part *part);

/**
 * loom_ort_profile_note() - record a run of a part for the profile
 * @ep: the session
 * @part: the part
 * @session: the session of the run
 * @start_ns: its begin, CLOCK_MONOTONIC
 * @end_ns: its end
 */
void loom_ort_profile_note(struct loom_ort_ep *ep, const struct loom_ort_part *part,
			   const struct loom_session *session, int64_t start_ns, int64_t end_ns);
/** loom_ort_profile_create() - &OrtEp.CreateProfiler */
OrtStatus *loom_ort_profile_create(OrtEp *ep, OrtEpProfilerImpl **profiler);

/** loom_ort_ep_create() - a session of ONNX Runtime */
OrtStatus *loom_ort_ep_create(const char *device, const OrtSessionOptions *options,
			      const OrtLogger *logger, OrtEp **ep);
/** loom_ort_ep_destroy() - NULL is fine */
void loom_ort_ep_destroy(OrtEp *ep);

#endif /* LOOM_ORT_H */
