/* SPDX-License-Identifier: MIT */
/* Files as bytes. */
#ifndef LOOM_TFLITE_FILE_H
#define LOOM_TFLITE_FILE_H

#include "loom_error.h"

#include <stdbool.h>
#include <stddef.h>

/** loom_tflite_file_read() - all of a file, from malloc; 0 or -errno */
int loom_tflite_file_read(const char *path, void **bytes, size_t *size_bytes,
			  struct loom_error *err);

#endif /* LOOM_TFLITE_FILE_H */
