/* SPDX-License-Identifier: MIT */
/**
 * DOC: An execution provider for ONNX Runtime
 *
 * This room is a plugin: libloom_ep.so, which ONNX Runtime loads by
 * RegisterExecutionProviderLibrary(). It is given graphs by ONNX Runtime's calls, and gives back
 * which nodes Loom runs, and functions that run them. It is the only room that includes ONNX
 * Runtime's headers, and no part of libloom: `make ep` builds it, where the headers are.
 *
 *	partition.c	which nodes become one part; knows nothing of ONNX Runtime
 *	status.c	errors of the library as ONNX Runtime's, and lines for its log
 *	options.c	what a session asks for
 *	device.c	where it runs: which nodes there are
 *	graph.c		a graph of ONNX Runtime's as plain structs
 *	attribute.c	attributes of a node, and the graphs inside of it, as ONNX has them
 *	model.c		some of its nodes as the bytes of an ONNX model
 *	claim.c		which nodes are claimed
 *	program.c	from such bytes to a program: once, or for each shape that comes
 *	pool.c		sessions of a program, for as many threads as there are
 *	context.c	programs inside of models (EPContext)
 *	profile.c	what has run, for ONNX Runtime's profile
 *	compute.c	a part that runs
 *	ep.c		what ONNX Runtime calls in a session
 *	factory.c	what it calls before there is one: the two symbols of the library
 *
 * Nodes are handed to the importer as an ONNX model, packed in memory. So there is one way into the
 * library, and what is claimed is what the importer reads, graphs inside of If, Loop and Scan
 * among it. Rejected: the builder's calls, which know no such graphs, and would have to be made
 * again for each shape.
 *
 * Who can say what can run? The importer and the planner can, by doing it. What is not in the
 * importer's table, or of a type that Loom has not, is left out. What remains is put into parts,
 * and each of them is imported, and planned without groups, which is quick. If that fails, the
 * first node without which it does not is left out, found by halving, and parts are made again.
 * Rejected: a table of what is supported, kept beside the importers. It would be wrong soon.
 *
 * Where dimensions are open, a part is tried with sizes that stand for them, and planned when the
 * first tensors come. Plans are kept by shape, those that were used last.
 *
 * Inputs and outputs are used where the caller has them on the host, where the engine is this
 * process. On a device they are copied once, into or out of its mapped buffers: memory that
 * was not made by the device is none that it can reach.
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
/* the first version of ONNX Runtime that has all that is needed */
#define LOOM_ORT_LEAST	24

/**
 * struct loom_ort - ONNX Runtime, whose functions are called
 *
 * One process has one ONNX Runtime; this is set before anything else is called.
 *
 * @api: its functions
 * @ep: those for providers
 * @editor: those that make nodes
 * @version: which of them there are: LOOM_ORT_LEAST to ORT_API_VERSION
 */
struct loom_ort {
	const OrtApi *api;
	const OrtEpApi *ep;
	const OrtModelEditorApi *editor;
	uint32_t version;
};

extern struct loom_ort loom_ort;

/* passes an error on */
#define ORT_TRY(call) do { OrtStatus *status_ = (call); if (status_) return status_; } while (0)

/** loom_ort_status() - an error of the library, as ONNX Runtime has them; NULL for 0 */
OrtStatus *loom_ort_status(int code, const struct loom_error *err);
/** loom_ort_fail() - one with a line of its own */
OrtStatus *loom_ort_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** loom_ort_no_memory() - there is no memory */
OrtStatus *loom_ort_no_memory(void);
/** loom_ort_log() - a line for ONNX Runtime's log */
void loom_ort_log(const OrtLogger *logger, OrtLoggingLevel level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * struct loom_ort_size - how large an open dimension is said to be, or what an input is
 * @name: ONNX Runtime's name of the dimension, or "input:axis"; or the name of the input
 * @value: its size, or its only element
 */
struct loom_ort_size {
	char *name;
	int64_t value;
};

/**
 * struct loom_ort_options - what a session asks for
 * @device: as for loom_target_open(); NULL: the one that was chosen by its hardware device
 * @chip: of the host
 * @has_chip: @chip was asked for
 * @objective: enum loom_planner_objective
 * @sram_bytes: &loom_planner_options.sram_limit_bytes
 * @effort_ms: &loom_planner_options.grouping_budget
 * @max_memory_bytes: &loom_planner_options.max_memory_bytes
 * @max_work: &loom_planner_options.max_work
 * @no_cache: programs are neither looked for nor kept in the user's cache
 * @plans: how many shapes are kept
 * @sessions: how many runs of a part may be under way
 * @sizes: of open dimensions, for trying whether a part can be planned
 * @num_sizes: number of @sizes
 * @values: of inputs of one integer, which never have another
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
	uint32_t objective;
	uint64_t sram_bytes;
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

/** loom_ort_options_read() - what a session asks for; @options is cleared in any case */
OrtStatus *loom_ort_options_read(const OrtSessionOptions *session,
				 struct loom_ort_options *options);
/** loom_ort_options_clear() - frees what they hold */
void loom_ort_options_clear(struct loom_ort_options *options);

/**
 * loom_ort_devices() - which devices there are
 * @factory: whose
 * @hardware: what ONNX Runtime has found
 * @num_hardware: number of @hardware
 * @made: [out] a device that was made, to be released, or NULL; @max of them
 * @devices: [out] @max at most
 * @max: room
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
 * @producer: the node that makes it, or LOOM_ORT_NONE
 * @data: of a constant; else NULL
 * @is_output: of the graph
 * @elem: its type as ONNX numbers them; 0: it is no tensor
 * @has_shape: its rank is known
 * @rank: number of dimensions
 * @dims: the dimensions, -1: open
 * @dim_names: of open dimensions, "" where there is none
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
 * @domain: whose operator it is
 * @inputs: numbers of values, LOOM_ORT_NONE for one left out
 * @num_inputs: number of @inputs
 * @num_named: how many of them are operands; further ones are read by graphs inside of it
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
 * @pool: where all of this is
 * @names: number of a value plus 1 by its name
 * @opset: version of the operators
 * @values: the values
 * @num_values: number of @values
 * @cap_values: room
 * @nodes: the nodes, in an order in which they can run
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

/** loom_ort_graph_read() - @graph is to be given to loom_ort_graph_clear() in any case */
OrtStatus *loom_ort_graph_read(const OrtGraph *from, struct loom_ort_graph *graph);
/** loom_ort_graph_clear() - frees what it holds */
void loom_ort_graph_clear(struct loom_ort_graph *graph);

/**
 * struct loom_ort_port - an input of a part
 * @name: its name
 * @dtype: enum drm_loom_dtype
 * @has_shape: its rank is known
 * @rank: number of dimensions
 * @dims: the dimensions, -1: open
 * @dim_names: of open dimensions, "" where there is none
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
 * @pool: where names are
 * @bytes: the model
 * @size_bytes: number of @bytes
 * @inputs: what has to be fed
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
 * loom_ort_model_make() - packs nodes
 * @graph: whose
 * @chosen: for each node, whether it is one of them; NULL: all
 * @limit: number of the first node that is not
 * @model: [out] to be given to loom_ort_model_clear() in any case
 *
 * Return: NULL or an error.
 */
OrtStatus *loom_ort_model_make(const struct loom_ort_graph *graph, const bool *chosen,
			       uint32_t limit, struct loom_ort_model *model);
/** loom_ort_model_clear() - frees what it holds */
void loom_ort_model_clear(struct loom_ort_model *model);

/**
 * struct loom_ort_plan - a program for one shape of the inputs of a part
 * @next: the one that was used before it
 * @dims: of all inputs of the model, one after the other
 * @users: runs under way
 * @graph: what the program refers to, or NULL
 * @program: the program
 * @file: where it comes from, if it was in a model; else NULL
 * @cached: where it comes from, if it was in the user's cache; else NULL
 * @bytes: of @file
 * @sessions: those that nobody uses now
 * @num_idle: number of @sessions
 * @num_made: of all, used or not
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
 * @base: what it calls
 * @options: what was asked for
 * @target: where it runs
 * @logger: where lines go
 * @num_contexts: number of EPContext nodes that were made
 * @profilers: how many are active; atomic
 */
struct loom_ort_ep {
	OrtEp base;
	struct loom_ort_options options;
	struct loom_target *target;
	const OrtLogger *logger;
	uint32_t num_contexts;
	uint32_t profilers;
};

/**
 * struct loom_ort_part - nodes that are one for ONNX Runtime
 * @base: what it calls
 * @ep: whose
 * @name: of the node
 * @model: what programs are made of; empty if they are not made here
 * @num_inputs: operands of the node
 * @inputs: their names
 * @num_outputs: results of the node
 * @outputs: their names
 * @lock: of all that follows, and of what is in @plans
 * @changed: a session or a plan is no longer used
 * @plans: the one that was used last first
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
 * loom_ort_claim() - which nodes Loom runs
 * @ep: for whom
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

/** loom_ort_known() - what an input always is, or NULL */
const struct loom_ort_size *loom_ort_known(const struct loom_ort_options *options,
					   const struct loom_ort_port *port);
/** loom_ort_import() - a model as a graph, inputs as large as @dims says; returns 0 or -errno */
int loom_ort_import(const struct loom_ort_options *options, const struct loom_ort_model *model,
		    const int64_t *dims,
		    struct loom_graph **graph, struct loom_error *err);
/** loom_ort_plan_dims() - how many dimensions the inputs of a model have, all together */
uint32_t loom_ort_plan_dims(const struct loom_ort_model *model);
/** loom_ort_plan_make() - plans a part for inputs as large as @dims says; returns 0 or -errno */
int loom_ort_plan_make(const struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err);
/** loom_ort_plan_destroy() - frees a plan that nobody uses; NULL is fine */
void loom_ort_plan_destroy(struct loom_ort_plan *plan);
/** loom_ort_plan_take() - the plan of a part for inputs of these dimensions, made if need be */
int loom_ort_plan_take(struct loom_ort_part *part, const int64_t *dims,
		       struct loom_ort_plan **plan, struct loom_error *err);
/** loom_ort_plan_give() - it is no longer used */
void loom_ort_plan_give(struct loom_ort_part *part, struct loom_ort_plan *plan);

/** loom_ort_session_take() - a session of a plan that nobody else uses, waited for if need be */
int loom_ort_session_take(struct loom_ort_part *part, struct loom_ort_plan *plan,
			  struct loom_session **session, struct loom_error *err);
/** loom_ort_session_give() - it is no longer used; @broken: nor will it be */
void loom_ort_session_give(struct loom_ort_part *part, struct loom_ort_plan *plan,
			   struct loom_session *session, bool broken);

/** loom_ort_context_read() - the plan that is in an EPContext node */
OrtStatus *loom_ort_context_read(struct loom_ort_part *part, const OrtGraph *graph,
				 const struct loom_ort_node *node);
/** loom_ort_context_write() - an EPContext node with the plan of a part */
OrtStatus *loom_ort_context_write(struct loom_ort_part *part, const OrtGraph *graph,
				  OrtNode **node);

/** loom_ort_part_create() - a part out of what ONNX Runtime has fused */
OrtStatus *loom_ort_part_create(struct loom_ort_ep *ep, const OrtGraph *graph,
				const OrtNode *fused, struct loom_ort_part **part);
/** loom_ort_part_destroy() - NULL is fine */
void loom_ort_part_destroy(struct loom_ort_part *part);

/**
 * loom_ort_profile_note() - for the profile: a part has run
 * @ep: whose
 * @part: the part
 * @session: what has run
 * @start_ns: when it began, CLOCK_MONOTONIC
 * @end_ns: when it ended
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
