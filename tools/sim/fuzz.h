/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_FUZZ_H
#define LOOM_SIM_FUZZ_H

/*
 * A device that says anything, in the forms that the protocol has: records with numbers that are
 * nearly right, or said twice; registers that read something else; all of it early or late. All is
 * drawn from a seed: the same questions in the same order get the same answers. (Threads and the
 * guest decide about that order.)
 */

#include "fault.h"
#include "pci/regs.h"

/** sim_fuzz_set() - begin with @seed, or end with zero */
void sim_fuzz_set(struct sim_faults *faults, u64 seed);
/** sim_fuzz_due() - whether it is time for something, one time in @times that it is asked */
bool sim_fuzz_due(struct sim_faults *faults, u32 times);
/** sim_fuzz_register() - what a register reads, that has @value */
u32 sim_fuzz_register(struct sim_faults *faults, u32 value);
/** sim_fuzz_record() - what is said instead of @record; @last is what was said before */
void sim_fuzz_record(struct sim_faults *faults, struct loom_pci_record *record,
		     const struct loom_pci_record *last);
/** sim_fuzz_nap() - something takes a while, @ms at most */
void sim_fuzz_nap(struct sim_faults *faults, u32 ms);

#endif /* LOOM_SIM_FUZZ_H */
