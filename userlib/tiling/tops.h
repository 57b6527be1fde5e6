/* SPDX-License-Identifier: MIT */
/* Tops of moments, for tiling.c: four words for each. */
#ifndef LOOM_TILING_TOPS_H
#define LOOM_TILING_TOPS_H

#include <stdint.h>

/** loom_tops_find() - the highest top of the moments [first, end); all are 0 at first */
uint64_t loom_tops_find(const uint64_t *tops, uint32_t count, uint32_t first, uint32_t end);
/** loom_tops_raise() - raises all of them to @top, which must not be below any */
void loom_tops_raise(uint64_t *tops, uint32_t count, uint32_t first, uint32_t end, uint64_t top);

#endif /* LOOM_TILING_TOPS_H */
