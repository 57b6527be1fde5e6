/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_ONNX_FILE_H
#define LOOM_TESTS_ONNX_FILE_H

#include <stdio.h>
#include <stdlib.h>

#include "onnx.pb-c.h"

/* A model as it is in a file, or NULL. */
static inline Onnx__ModelProto *model_read(const char *path)
{
	Onnx__ModelProto *model = NULL;
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long size;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	if (size > 0)
		bytes = malloc(size);
	if (bytes && fread(bytes, 1, size, file) == (size_t)size)
		model = onnx__model_proto__unpack(NULL, size, bytes);
	free(bytes);
	fclose(file);
	return model;
}

#endif /* LOOM_TESTS_ONNX_FILE_H */
