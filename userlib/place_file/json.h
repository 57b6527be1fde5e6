/* SPDX-License-Identifier: MIT */
/* Items as JSON, which are converted to CSV. */
#ifndef LOOM_PLACE_JSON_H
#define LOOM_PLACE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "loom_error.h"

/** loom_place_is_json() - a text begins as a list or an object does */
bool loom_place_is_json(const char *text, size_t size_bytes);
/** loom_place_json_to_csv() - the same items as CSV, from malloc; 0, -EINVAL or -ENOMEM */
int loom_place_json_to_csv(const char *text, size_t size_bytes, const char *path, char **csv,
			   size_t *csv_bytes, struct loom_error *err);

#endif /* LOOM_PLACE_JSON_H */
