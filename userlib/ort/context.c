// SPDX-License-Identifier: MIT
/*
 * Programs inside of models: a node EPContext holds a program file, or the name of one next to the
 * model. Its contents are untrusted: loom_program_load() checks every field and verifies the plan,
 * and so does the device.
 */
#include "ort.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOMAIN	"com.microsoft"
#define OP	"EPContext"

/* Whether it is an error; releases it. */
static bool is_bad(OrtStatus *status)
{
	const bool bad = status;

	loom_ort.api->ReleaseStatus(status);
	return bad;
}

/* An attribute of a node as a string, from malloc; NULL if it has none. */
static char *read_string(const OrtNode *node, const char *name, size_t *bytes)
{
	const OrtApi *api = loom_ort.api;
	const OrtOpAttr *attr = NULL;
	size_t size = 0;
	char *text;
	bool bad;

	*bytes = 0;
	bad = is_bad(api->Node_GetAttributeByName(node, name, &attr));
	if (bad || !attr)
		return NULL;
	/* without a buffer it returns the size */
	api->ReleaseStatus(api->ReadOpAttr(attr, ORT_OP_ATTR_STRING, NULL, 0, &size));
	text = calloc(1, size + 1);
	if (!text)
		return NULL;
	bad = size && is_bad(api->ReadOpAttr(attr, ORT_OP_ATTR_STRING, text, size, bytes));
	if (!bad)
		return text;
	free(text);
	return NULL;
}

static int64_t read_int(const OrtNode *node, const char *name, int64_t otherwise)
{
	const OrtApi *api = loom_ort.api;
	const OrtOpAttr *attr = NULL;
	bool bad = is_bad(api->Node_GetAttributeByName(node, name, &attr));
	int64_t value = otherwise;
	size_t bytes;

	if (bad || !attr)
		return otherwise;
	bad = is_bad(api->ReadOpAttr(attr, ORT_OP_ATTR_INT, &value, sizeof(value), &bytes));
	return bad ? otherwise : value;
}

bool loom_ort_is_context(const struct loom_ort_node *node)
{
	size_t bytes;
	char *source;
	bool ours;

	if (strcmp(node->op, OP) || strcmp(node->domain, DOMAIN))
		return false;
	source = read_string(node->node, "source", &bytes);
	ours = source && !strcmp(source, LOOM_ORT_NAME);
	free(source);
	return ours;
}

/* The folder of a model: with a slash at the end, or ""; from malloc. */
static char *folder_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? strndup(path, slash + 1 - path) : strdup("");
}

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s%s", folder, name) < 0 ? NULL : path;
}

/* The path of the model, or of the one to be written; "" if neither is known. */
static OrtStatus *model_path(const struct loom_ort_part *part, const OrtGraph *graph,
			     const char **path)
{
	const char *asked = part->ep->options.context_path;

	*path = "";
	ORT_TRY(loom_ort.api->Graph_GetModelPath(graph, path));
	if (!*path || !**path)
		*path = asked ? asked : "";
	return NULL;
}

static int load_external(struct loom_ort_plan *plan, const char *model, const char *name,
			 struct loom_error *err)
{
	char *folder, *path;
	int ret;

	/* programs are written next to the model, and a model must not name other files */
	if (!*name || strchr(name, '/'))
		return loom_error_set(err, -EINVAL,
				      "EPContext: \"%.200s\" is not in the model's folder", name);
	folder = folder_of(model);
	path = folder ? join(folder, name) : NULL;
	ret = path ? loom_program_load(path, &plan->file, err) :
		     loom_error_set(err, -ENOMEM, "out of memory");
	free(path);
	free(folder);
	return ret;
}

static int load(struct loom_ort_part *part, struct loom_ort_plan *plan, const char *model,
		const OrtNode *node, struct loom_error *err)
{
	size_t bytes;
	int ret;

	/* the string has no alignment, but a program needs that of malloc */
	plan->bytes = read_string(node, "ep_cache_context", &bytes);
	if (!plan->bytes)
		return loom_error_set(err, -EINVAL, "EPContext: node \"%.200s\" holds no program",
				      part->name);
	if (read_int(node, "embed_mode", 1))
		ret = loom_program_parse(plan->bytes, bytes, part->name, &plan->file, err);
	else
		ret = load_external(plan, model, plan->bytes, err);
	if (ret)
		return ret;
	plan->program = loom_program_file_program(plan->file);
	return loom_program_file_fits(plan->file, &part->ep->chip, err);
}

/*
 * Creates a session at once, so that a device's refusal is reported before ONNX Runtime relies on
 * it.
 */
static int load_session(struct loom_ort_part *part, struct loom_error *err)
{
	struct loom_ort_plan *plan = part->plans;
	struct loom_session *session;
	int ret = loom_ort_session_take(part, plan, &session, err);

	if (!ret)
		loom_ort_session_give(part, plan, session, false);
	return ret;
}

OrtStatus *loom_ort_context_read(struct loom_ort_part *part, const OrtGraph *graph,
				 const struct loom_ort_node *node)
{
	struct loom_ort_plan *plan = calloc(1, sizeof(*plan));
	const char *path;
	struct loom_error err;
	int ret;

	if (!plan)
		return loom_ort_no_memory();
	part->plans = plan;
	part->num_plans = 1;
	plan->sessions = calloc(part->ep->options.sessions, sizeof(*plan->sessions));
	if (!plan->sessions)
		return loom_ort_no_memory();
	ORT_TRY(model_path(part, graph, &path));
	ret = load(part, plan, path, node->node, &err);
	if (!ret)
		ret = load_session(part, &err);
	return loom_ort_status(ret, &err);
}

/* Writes a program next to the future model; @name: [out] from malloc. */
static OrtStatus *write_external(const struct loom_ort_part *part, const OrtGraph *graph,
				 const void *bytes, size_t size_bytes, char **name)
{
	const char *asked = part->ep->options.context_path, *model, *base;
	char *folder, *path, *dot;
	OrtStatus *status = NULL;
	struct loom_error err;

	ORT_TRY(model_path(part, graph, &model));
	if (asked)
		model = asked;
	if (!*model)
		return loom_ort_fail(-EINVAL,
				     "a model without a path: ep.context_file_path says where programs go, or ep.context_embed_mode=1");
	folder = folder_of(model);
	base = strrchr(model, '/') ? strrchr(model, '/') + 1 : model;
	dot = strrchr(base, '.');
	if (asprintf(name, "%.*s_%u.loom", (int)(dot ? dot - base : (long)strlen(base)), base,
		     part->ep->num_contexts) < 0)
		*name = NULL;
	path = folder && *name ? join(folder, *name) : NULL;
	if (!path) {
		free(folder);
		return loom_ort_no_memory();
	}
	if (loom_file_save(path, bytes, size_bytes, &err))
		status = loom_ort_fail(-EIO, "%s", err.text);
	free(path);
	free(folder);
	return status;
}

/**
 * struct attrs - attributes under construction
 * @list: the attributes
 * @count: number of @list
 */
struct attrs {
	OrtOpAttr *list[8];
	size_t count;
};

static OrtStatus *add_attr(struct attrs *attrs, const char *name, OrtOpAttrType type,
			   const void *data, size_t bytes)
{
	if (bytes > INT32_MAX)
		return loom_ort_fail(-E2BIG, "a program of %zu bytes does not fit into a model",
				     bytes);
	ORT_TRY(loom_ort.api->CreateOpAttr(name, data, (int)bytes, type,
					   &attrs->list[attrs->count]));
	attrs->count++;
	return NULL;
}

static OrtStatus *add_string(struct attrs *attrs, const char *name, const char *text)
{
	return add_attr(attrs, name, ORT_OP_ATTR_STRING, text, strlen(text));
}

static OrtStatus *make_node(struct loom_ort_part *part, struct attrs *attrs, const void *payload,
			    size_t bytes, OrtNode **node)
{
	const struct loom_ort_options *options = &part->ep->options;
	const int64_t one = 1, embed = options->embed;
	char name[256];

	snprintf(name, sizeof(name), "%.100s%.100s", options->prefix ? options->prefix : "",
		 part->name);
	ORT_TRY(add_attr(attrs, "main_context", ORT_OP_ATTR_INT, &one, 1));
	ORT_TRY(add_attr(attrs, "embed_mode", ORT_OP_ATTR_INT, &embed, 1));
	ORT_TRY(add_attr(attrs, "ep_cache_context", ORT_OP_ATTR_STRING, payload, bytes));
	ORT_TRY(add_string(attrs, "source", LOOM_ORT_NAME));
	ORT_TRY(add_string(attrs, "ep_sdk_version", LOOM_ORT_VERSION));
	ORT_TRY(add_string(attrs, "partition_name", part->name));
	return loom_ort.editor->CreateNode(OP, DOMAIN, name, (const char *const *)part->inputs,
					   part->num_inputs, (const char *const *)part->outputs,
					   part->num_outputs, attrs->list, attrs->count, node);
}

OrtStatus *loom_ort_context_write(struct loom_ort_part *part, const OrtGraph *graph,
				  OrtNode **node)
{
	const struct loom_ort_options *options = &part->ep->options;
	const struct loom_program_origin origin = {
		.chip = &part->ep->chip,
		.objective = options->objective,
	};
	struct attrs attrs = { .count = 0 };
	struct loom_error err;
	OrtStatus *status = NULL;
	size_t size_bytes;
	char *name = NULL;
	void *bytes;
	int ret;

	if (!part->plans)
		return loom_ort_fail(-EOPNOTSUPP,
				     "EPContext: dimensions of \"%s\" are open: a program is for one shape, which free dimension overrides can say",
				     part->name);
	ret = loom_program_write(part->plans->program, &origin, &bytes, &size_bytes, &err);
	if (ret)
		return loom_ort_status(ret, &err);
	if (options->embed) {
		status = make_node(part, &attrs, bytes, size_bytes, node);
	} else {
		status = write_external(part, graph, bytes, size_bytes, &name);
		if (!status)
			status = make_node(part, &attrs, name, strlen(name), node);
	}
	if (!status)
		part->ep->num_contexts++;
	while (attrs.count)
		loom_ort.api->ReleaseOpAttr(attrs.list[--attrs.count]);
	free(name);
	free(bytes);
	return status;
}
