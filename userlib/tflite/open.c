// SPDX-License-Identifier: MIT
/* Public calls that read a model; its first bytes determine the format. */
#include "loom_tflite.h"

#include "base/error.h"
#include "convert.h"
#include "file.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_tflite(const void *bytes, size_t size_bytes)
{
	return size_bytes >= 8 && !memcmp((const char *)bytes + 4, LOOM_TFLITE_IDENTIFIER, 4);
}

/* The signature in FILE.tflite#SIGNATURE, or NULL. */
static const char *signature_of(const char *name)
{
	const char *hash = strrchr(name, '#');

	return hash && hash[1] && hash - name >= 7 && !memcmp(hash - 7, ".tflite", 7) ?
	       hash + 1 : NULL;
}

static int open_bytes(const void *bytes, size_t size_bytes, const char *name,
		      const char *signature, struct loom_graph **graph, struct loom_error *err)
{
	struct loom_tflite_model model;
	struct loom_graph *created;
	int code;

	*graph = NULL;
	code = loom_tflite_read(bytes, size_bytes, name, signature, &model, err);
	if (code)
		goto out;
	code = loom_graph_create(name, LOOM_TFLITE_OPSET, &created);
	if (code) {
		loom_error_set(err, code, "%s: out of memory", model.name);
		goto out;
	}
	code = loom_tflite_convert_model(&model, created);
	if (code) {
		if (err)
			*err = created->error;
		loom_graph_destroy(created);
	} else {
		*graph = created;
	}
out:
	loom_tflite_forget(&model);
	return code;
}

static int finish(struct loom_graph *opened, const struct loom_graph_options *options,
		  struct loom_graph **graph, struct loom_error *err)
{
	int code = loom_graph_finish(opened, options, err);

	if (code)
		loom_graph_destroy(opened);
	else
		*graph = opened;
	return code;
}

int loom_graph_import_bytes(const void *bytes, size_t size_bytes, const char *name,
			    const struct loom_graph_options *options, struct loom_graph **graph,
			    struct loom_error *err)
{
	struct loom_watch watch = loom_graph_watch(NULL, options);
	struct loom_graph *opened;
	int code;

	*graph = NULL;
	if (!is_tflite(bytes, size_bytes))
		return loom_graph_import_onnx_bytes(bytes, size_bytes, name, options, graph, err);
	loom_watch_begin(&watch);
	code = open_bytes(bytes, size_bytes, name, signature_of(name), &opened, err);
	if (!code)
		code = finish(opened, options, graph, err);
	return loom_graph_unwatch(&watch, code, graph, err);
}

/* Opens the file without its signature. */
static int open_signature(const char *path, const char *signature, struct loom_graph **graph,
			  struct loom_error *err)
{
	char *file = strndup(path, (size_t)(signature - 1 - path));
	size_t size_bytes;
	void *bytes;
	int code;

	if (!file)
		return loom_error_set(err, -ENOMEM, "%s: out of memory", path);
	code = loom_tflite_file_read(file, &bytes, &size_bytes, err);
	if (!code) {
		code = open_bytes(bytes, size_bytes, file, signature, graph, err);
		free(bytes);
	}
	free(file);
	return code;
}

int loom_graph_open(const char *path, struct loom_graph **graph, struct loom_error *err)
{
	const char *signature = signature_of(path);
	size_t size_bytes;
	void *bytes;
	int code;

	*graph = NULL;
	if (signature && access(path, F_OK))
		return open_signature(path, signature, graph, err);
	if (!loom_tflite_file_is(path))
		return loom_graph_open_onnx(path, graph, err);
	code = loom_tflite_file_read(path, &bytes, &size_bytes, err);
	if (code)
		return code;
	code = open_bytes(bytes, size_bytes, path, NULL, graph, err);
	free(bytes);
	return code;
}

int loom_graph_import(const char *path, const struct loom_graph_options *options,
		      struct loom_graph **graph, struct loom_error *err)
{
	struct loom_watch watch = loom_graph_watch(NULL, options);
	struct loom_graph *opened;
	int code;

	*graph = NULL;
	loom_watch_begin(&watch);
	code = loom_graph_open(path, &opened, err);
	if (!code)
		code = finish(opened, options, graph, err);
	return loom_graph_unwatch(&watch, code, graph, err);
}

int loom_graph_open_within(const char *path, const struct loom_graph_options *options,
			   struct loom_graph **graph, struct loom_error *err)
{
	struct loom_watch watch = loom_graph_watch(NULL, options);
	int code;

	loom_watch_begin(&watch);
	code = loom_graph_open(path, graph, err);
	return loom_graph_unwatch(&watch, code, graph, err);
}
