/* SPDX-License-Identifier: MIT */
/*
 * DOC: Arrays and pictures in files
 *
 * What goes into a network and what comes out of it, for tools and applications; nothing here knows
 * graphs, plans or devices. The calls are all public (loom_file.h), so this header declares none.
 *
 *	npy.c		NumPy's .npy, and bare elements
 *	save.c		the one way in which files are written
 *	image.c		PNG, PGM and PPM into a tensor: scaled, normalised, in its layout
 *
 * ONNX's own format for tensors (.pb) is read by onnx/tensor.c, beside the tensors inside of
 * models, so that protobuf is known in one room only.
 *
 * Given: a path, and for pictures the shape of the tensor that is to take them. Gives: a struct
 * loom_array or a struct loom_image, whose memory is freed by the caller; or one line that names
 * the file. What cannot be read is refused, never guessed at.
 *
 * Every file that library, tool, provider and Python write goes through save.c: beside its final
 * name and renamed, so a writer that fails leaves no half of a file behind. Links are followed;
 * devices and pipes are written in place. Rows are appended to memory reports and the journal of a
 * sweep in place.
 *
 * Rejected: a parser for Python literals for the header of .npy. A scanner for the three keys that
 * every writer puts there is a tenth of it; what it does not know it refuses. Rejected as well:
 * plain bilinear scaling. It drops pixels when shrinking, and with them thin strokes of letters.
 */
#ifndef LOOM_FILE_ROOM_H
#define LOOM_FILE_ROOM_H

#include <sys/uio.h>

#include "loom_file.h"

/* a header and its data */
#define LOOM_SAVE_PARTS	2

/** loom_file_stage_parts() - loom_file_stage() of @num_parts pieces, at most LOOM_SAVE_PARTS */
int loom_file_stage_parts(const char *path, const struct iovec *parts, size_t num_parts,
			  struct loom_saving **saving, struct loom_error *err);
/** loom_file_save_parts() - the same of loom_file_save() */
int loom_file_save_parts(const char *path, const struct iovec *parts, size_t num_parts,
			 struct loom_error *err);

#endif /* LOOM_FILE_ROOM_H */
