/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BASE_ISA_H
#define LOOM_BASE_ISA_H

#include "loom_core.h"

/** loom_isa_has() - the last set of vector instructions that this machine has */
enum loom_isa loom_isa_has(void);

/**
 * loom_isa_limit() - use none behind @most from now on
 * @most: the last that may be used; LOOM_ISA_END - 1: as many as there are
 *
 * Results are the same. The environment variable LOOM_ISA (base, avx2, avx512 or vnni) does this
 * for a whole program. Not while the engine runs in another thread.
 */
void loom_isa_limit(enum loom_isa most);

/** loom_isa_name() - as in the variable; NULL past the last */
const char *loom_isa_name(unsigned int isa);

#endif /* LOOM_BASE_ISA_H */
