/* SPDX-License-Identifier: MIT */
/* Importers' part in states that are updated in place, see graph/update.h. */
#ifndef LOOM_ONNX_UPDATE_H
#define LOOM_ONNX_UPDATE_H

#include "graph/update.h"
#include "import.h"

/** loom_update_note() - loom_graph_note_update(), if there are states */
void loom_update_note(struct loom_import *im, const struct loom_graph_update *update);
/** loom_update_where() - notes @y = where(positions == place, @row, @past): one row is replaced */
void loom_update_where(struct loom_import *im, struct loom_value *hit, struct loom_value *row,
		       struct loom_value *past, struct loom_value *y);
/** loom_update_elements() - a ScatterElements of one row along @axis; NULL: it is none */
struct loom_value *loom_update_elements(struct loom_import *im, uint32_t axis);
/** loom_update_tuples() - a ScatterND of one row along any of @depth axes; NULL: it is none */
struct loom_value *loom_update_tuples(struct loom_import *im, uint32_t depth);
/** loom_update_rows() - notes @y, a ScatterND that replaces rows of the first axis */
void loom_update_rows(struct loom_import *im, struct loom_value *places, struct loom_value *y);

#endif /* LOOM_ONNX_UPDATE_H */
