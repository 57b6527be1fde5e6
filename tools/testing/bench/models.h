/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_MODELS_H
#define LOOM_BENCH_MODELS_H

/* The models that the end-to-end tests run, with a shape for those that leave it open. */

#include "loom.h"
#include "loom_core.h"

#include <stdio.h>

/**
 * struct model - a file in build/models
 * @name: as in the table
 * @file: its name
 * @shape: of its input, if that is open
 */
struct model {
	const char *name;
	const char *file;
	struct loom_shape_binding shape;
};

static const struct model models[] = {
	{ "PP-OCR rec 48x320", "ppocr_rec.onnx", { "x", 4, { 1, 3, 48, 320 } } },
	{ "PP-OCR det 640x640", "ppocr_det.onnx", { "x", 4, { 1, 3, 640, 640 } } },
	{ "PP-OCR cls 48x192", "ppocr_cls.onnx", { "x", 4, { 1, 3, 48, 192 } } },
	{ "BlazeFace front", "blazeface.onnx", { NULL } },
	{ "M-LSD 320 tiny", "mlsd_tiny.onnx", { NULL } },
	{ "alexa", "oww_alexa.onnx", { NULL } },
	{ "weather", "oww_weather.onnx", { NULL } },
	{ "hey_mycroft", "oww_hey_mycroft.onnx", { NULL } },
	{ "embedding", "oww_embedding.onnx", { "input_1", 4, { 1, 76, 32, 1 } } },
	{ "melspectrogram", "melspectrogram.onnx", { "input", 2, { 1, 1760 } } },
};

/* Imports a model with its shape. Return: 0 or what the import said. */
static inline int model_open(const struct model *model, struct loom_graph **graph,
			     struct loom_error *err)
{
	struct loom_graph_options options = { .shapes = &model->shape, .num_shapes = 1 };
	char path[256];

	snprintf(path, sizeof(path), "build/models/%s", model->file);
	if (!model->shape.input)
		options.num_shapes = 0;
	return loom_graph_import_onnx(path, &options, graph, err);
}

/*
 * Imports a model and measures it by @measure. One that is refused is named on stderr and left out:
 * the list has models that Loom cannot run.
 */
static inline void model_measure(const struct model *model, const char *bench,
				 void (*measure)(const char *name,
						 const struct loom_graph *graph))
{
	struct loom_graph *graph;
	struct loom_error err;

	if (model_open(model, &graph, &err)) {
		fprintf(stderr, "%s: left out: %s\n", bench, err.text);
		return;
	}
	measure(model->name, graph);
	loom_graph_destroy(graph);
}

#endif /* LOOM_BENCH_MODELS_H */
