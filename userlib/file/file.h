/* SPDX-License-Identifier: MIT */
/*
 * DOC: Arrays and pictures in files
 *
 * Inputs and outputs of networks, for tools and applications; independent of graphs, plans and
 * devices. All calls are public (loom_file.h), so this header declares none of them.
 *
 *	npy.c		NumPy's .npy, and bare elements
 *	save.c		the only code that writes files
 *	image.c		PNG, PGM and PPM into a tensor: scaled, normalised, in its layout
 *
 * ONNX's own format for tensors (.pb) is read by onnx/tensor.c, next to the tensors inside of
 * models, so that protobuf is confined to one folder.
 *
 * The input is a path, and for pictures the shape of the receiving tensor. The output is a struct
 * loom_array or a struct loom_image, which the caller must free, or an error of one line that names
 * the file. Unsupported files are refused, never guessed at.
 *
 * Every file of library, tool, provider and Python is written by save.c: under a temporary name
 * next to its final one, and renamed, so a writer that fails leaves no partial file. Links are
 * followed; devices and pipes are written in place. Rows of memory reports and the journal of a
 * sweep are appended in place.
 *
 * Rejected: a parser for Python literals for the header of .npy. A scanner for the three keys that
 * every writer puts there is a tenth of it, and refuses everything else. Rejected as well: plain
 * bilinear scaling. It drops pixels when shrinking, and with them thin strokes of letters.
 */
#ifndef LOOM_FILE_ROOM_H
#define LOOM_FILE_ROOM_H

#include <sys/uio.h>

#include "loom_file.h"

/* a header and its data */
#define LOOM_SAVE_PARTS	2

/** loom_file_stage_parts() - loom_file_stage() of @num_parts parts, at most LOOM_SAVE_PARTS */
int loom_file_stage_parts(const char *path, const struct iovec *parts, size_t num_parts,
			  struct loom_saving **saving, struct loom_error *err);
/** loom_file_save_parts() - loom_file_save() of @num_parts parts */
int loom_file_save_parts(const char *path, const struct iovec *parts, size_t num_parts,
			 struct loom_error *err);

#endif /* LOOM_FILE_ROOM_H */
