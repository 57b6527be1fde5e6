/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_FUZZ_H
#define LOOM_SIM_FUZZ_H

/*
 * A fuzzing device, within the forms of the protocol: records with numbers that are off by a
 * little, or repeated; wrong register values; delays. All is drawn from a seed: the same calls in
 * the same order give the same results. (Threads and the guest determine that order.)
 */

#include "fault.h"
#include "pci/regs.h"

/** sim_fuzz_set() - begin with @seed, or end with zero */
void sim_fuzz_set(struct sim_faults *faults, u64 seed);
/** sim_fuzz_due() - whether it is time for something, one time in @times that it is asked */
bool sim_fuzz_due(struct sim_faults *faults, u32 times);
/** sim_fuzz_register() - fuzzed value of a register with @value */
u32 sim_fuzz_register(struct sim_faults *faults, u32 value);
/** sim_fuzz_record() - fuzzes @record; @last is the previous record */
void sim_fuzz_record(struct sim_faults *faults, struct loom_pci_record *record,
		     const struct loom_pci_record *last);
/** sim_fuzz_nap() - something takes a while, @ms at most */
void sim_fuzz_nap(struct sim_faults *faults, u32 ms);

#endif /* LOOM_SIM_FUZZ_H */
