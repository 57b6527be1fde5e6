/* SPDX-License-Identifier: MIT */
/*
 * DOC: Reading ONNX
 *
 * The input is the bytes of an ONNX file, or the builder's calls of loom.h; the output is a
 * finished graph (graph/graph.h), or an error of one line. In between a model is in the *source
 * form*: inputs with open dimensions, and nodes with ONNX operators and attributes that refer to
 * tensors by name. From there on, reading a file and building a graph by hand share all code.
 *
 *	scan.c		is it safe to unpack these bytes?
 *	tensor.c	TensorProto, inside models and in files of its own
 *	external.c	data of a TensorProto in a file next to the model
 *	build.c		the builder's calls, which make the source form
 *	model.c		ModelProto into the builder's calls; the public calls that read a model
 *	renaming.c	names inside of branches (If) and bodies (Loop, Scan)
 *	source.c	the source form: topological order, shapes of inputs
 *	import.c	operands and attributes for importers
 *	window.c	windows of convolutions and pools: attributes, padding, size of the result
 *	import_*.c	importers: convert a source node to canonical nodes
 *	decoder/	importers of what transformers have: attention, caches, weights in few bits
 *	table.c		one line per operator, naming its importer
 *	operators.c	list of the operators of a model, for callers
 *	convert.c	walks the source nodes, calls the importers, names the outputs
 *	finish.c	loom_graph_finish(): all steps in order, and then the passes of graph/
 *
 * To add an operator, write its importer, a function of a few lines, in the closest import_*.c (or
 * call an existing importer with another argument); declare it in import.h; add a line to table.c,
 * with its attributes in each opset. If no canonical operator can express it, see graph/graph.h
 * first. The ONNX backend tests (tools/testing/e2e/onnx_backend.c) find their cases for it by
 * themselves.
 *
 * An attribute that an operator does not have in the model's opset is refused, as by the checker of
 * ONNX: it would be ignored silently.
 *
 * The file is untrusted. It is scanned before protobuf-c unpacks it, because protobuf-c recurses as
 * deep as the file says, and expands two bytes to a structure of hundreds. The scan omits raw data,
 * which protobuf-c would copy: large constants stay in the mapped file. Unpacked messages are
 * converted by the builder's calls and freed; only scan.c, tensor.c, external.c and model.c (and
 * the names of data types in import_math.c) depend on protobuf.
 *
 * Rejected: the onnx C++ library, with its shape inference. It would be the largest dependency by
 * far, in another language, and trusts its input. Rejected as well: importing directly from
 * protobuf's structures. Graphs built by hand would need a second path, and tests a file.
 */
#ifndef LOOM_ONNX_H
#define LOOM_ONNX_H

#include <stdbool.h>
#include <stdint.h>

struct loom_import;

/**
 * struct loom_importer - a line of the operator table
 * @op_type: ONNX operator
 * @import: turns a node into canonical ones
 * @arg: for importers that serve several operators
 * @tier: of the project's list, 5 for those beyond it
 * @attrs: names of its attributes, each followed by the opsets that have it if these are not all:
 *         "<11", ">=2" or ">=2<11"
 */
struct loom_importer {
	const char *op_type;
	void (*import)(struct loom_import *im, int arg);
	int arg;
	int tier;
	const char *attrs;
};

/** loom_importer_find() - the line for an operator, or NULL */
const struct loom_importer *loom_importer_find(const char *op_type);
/** loom_importer_get() - line @index, NULL past the end */
const struct loom_importer *loom_importer_get(uint32_t index);

/** loom_importer_knows() - the operator has an attribute of that name in that opset */
bool loom_importer_knows(const struct loom_importer *importer, const char *attr, int opset);

#endif /* LOOM_ONNX_H */
