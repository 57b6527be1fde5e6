// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_op.h"

static loom_fp_fn *const *compute_table(void)
{
#ifdef LOOM_ENGINE_AVX512
	if (loom_port_isa() >= LOOM_ISA_VNNI)
		return loom_fp_table_vnni;
	if (loom_port_isa() >= LOOM_ISA_AVX512)
		return loom_fp_table_avx512;
#endif
#ifdef LOOM_ENGINE_AVX2
	if (loom_port_isa() >= LOOM_ISA_AVX2)
		return loom_fp_table_avx2;
#endif
	return loom_fp_table;
}

/**
 * loom_engine_go_on() - compute some units of one command
 * @command: the command
 * @memory: where its operands lie
 * @first: first unit
 * @count: number of units, not zero
 * @part: budget, and where a call before stopped
 *
 * Return: number of units that are complete.
 */
u64 loom_engine_go_on(const struct loom_command *command, const struct loom_memory *memory,
		      u64 first, u64 count, struct loom_part *part)
{
	return compute_table()[command->op->opcode](command, memory, first, count,
							part);
}

void loom_engine_compute(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count)
{
	struct loom_part part = {};
	u64 done;

	for (; count; count -= done) {
		part.left = S64_MAX;
		done = loom_engine_go_on(command, memory, first, count, &part);
		first += done;
	}
}
