/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_DATA_SET_H
#define LOOM_TESTS_DATA_SET_H

/* Inputs and outputs of a case of the ONNX backend tests. */
#include "loom.h"

#include <stdio.h>

#define MAX_TENSORS	64

/* Those of @kind, "input" or "output", of the first data set. Return: how many there are. */
static inline uint32_t load_data_set(const char *folder, const char *kind,
				     struct loom_array *arrays)
{
	char path[600];
	uint32_t count;

	for (count = 0; count < MAX_TENSORS; count++) {
		snprintf(path, sizeof(path), "%s/test_data_set_0/%s_%u.pb", folder, kind, count);
		if (loom_tensor_load_pb(path, &arrays[count], NULL))
			break;
	}
	return count;
}

#endif /* LOOM_TESTS_DATA_SET_H */
