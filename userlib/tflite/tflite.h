/* SPDX-License-Identifier: MIT */
/*
 * DOC: TensorFlow Lite
 *
 * Given: the bytes of a .tflite file. Gives: a graph as onnx/ has it, by the same calls, or a
 * problem for place/ and the file again with its answer; or one line that says what is wrong.
 *
 *	flat.c		flatbuffers: tables, vectors, texts, each offset checked
 *	schema.h	which field of which table is what
 *	codes.c		names of operators
 *	model.c		a file as plain structs
 *	file.c		files as bytes
 *	sparse.c	constants that leave out zeros
 *	nodes.c		nodes and constants of a graph
 *	forms.c		operands and results: channels first or last, bytes or real numbers
 *	convert_*.c	operators, see convert.h
 *	table.c		one line per operator
 *	convert.c	all operators, inputs and outputs
 *	open.c		the public calls that read a model, of this format or ONNX
 *	memory.c	lifetimes of tensors, and the record of a memory plan that is in a file
 *	memory_check.c	judges such a plan; another order of operators
 *	memory_write.c	a file with such a record
 *
 * To add an operator: a function in one of convert_*.c, its declaration in convert.h and a line in
 * table.c. It writes nodes of ONNX; what ONNX cannot say is refused.
 *
 * The schema is read by numbers of fields: they never change, as old files must be read.
 *
 * Rejected: code that flatc generates. It is C++, and what it reads must be verified by a pass of
 * its own before; here what is read is checked. Rejected as well: importing straight to canonical
 * nodes. Shapes, windows and their refusals would be there twice, and a layer of bytes would
 * be decided before it is known what uses it (graph/integer.c).
 */
#ifndef LOOM_TFLITE_INTERNAL_H
#define LOOM_TFLITE_INTERNAL_H

#include "convert.h"

#endif /* LOOM_TFLITE_INTERNAL_H */
