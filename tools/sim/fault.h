/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_FAULT_H
#define LOOM_SIM_FAULT_H

/*
 * Fault injection. A fault is armed for a number of times, or until it is cleared; the affected
 * code must call sim_fault_due().
 */

#include <pthread.h>
#include <stdio.h>

#include "loom_core.h"

enum sim_fault {
	FAULT_IRQ_LOST,
	FAULT_IRQ_LATE,
	FAULT_IRQ_DOUBLE,
	FAULT_IRQ_SPURIOUS,
	FAULT_RECORD_LOST,
	FAULT_RECORD_SKIP,
	FAULT_RECORD_DOUBLE,
	FAULT_RECORD_FLOOD,
	FAULT_RECORD_HALF,
	FAULT_RECORD_GARBAGE,
	FAULT_RECORD_SEQUENCE,
	FAULT_RECORD_EPOCH,
	FAULT_RECORD_RESULT,
	FAULT_COUNTERS_ONES,
	FAULT_HEARTBEAT_STUCK,
	FAULT_JOB_HANG,
	FAULT_MOVE_SILENT,
	FAULT_CLEAR_FALSE,
	FAULT_RESET_HANG,
	FAULT_REGISTERS_ONES,
	FAULT_BIT_FLIP,
	FAULT_DMA_STRAY,
	FAULT_STOP,
	FAULT_DEATH,
	FAULT_DEATH_DOORBELL,
	FAULT_COUNT,
};

/**
 * struct sim_faults - armed faults
 * @lock: protects it
 * @left: by fault: how many times more; U64_MAX: until it is cleared
 * @arg: by fault: its number, where it has one
 * @done: by fault: how often it was due
 * @random: state of the random numbers
 * @fuzz: the seed while all is random, or zero; see fuzz.h
 */
struct sim_faults {
	pthread_mutex_t lock;
	u64 left[FAULT_COUNT];
	u64 arg[FAULT_COUNT];
	u64 done[FAULT_COUNT];
	u64 random;
	u64 fuzz;
};

/** sim_number() - decimal or 0x, no sign; @end: behind it. False: no number, or too large */
bool sim_number(const char *text, char **end, u64 *number);
/** sim_faults_init() - nothing is armed */
void sim_faults_init(struct sim_faults *faults, u64 seed);
/** sim_faults_arm() - "NAME[=NUMBER] [TIMES|always]"; 0, or -EINVAL with a line in @why */
int sim_faults_arm(struct sim_faults *faults, const char *text, char *why, size_t size);
/** sim_faults_clear() - one by name, or all for NULL; 0 or -EINVAL */
int sim_faults_clear(struct sim_faults *faults, const char *name);
/** sim_fault_due() - whether it is armed; counts it */
bool sim_fault_due(struct sim_faults *faults, enum sim_fault fault);
/** sim_fault_arg() - its number */
u64 sim_fault_arg(struct sim_faults *faults, enum sim_fault fault);
/** sim_fault_random() - any number */
u64 sim_fault_random(struct sim_faults *faults);
/** sim_faults_list() - names and texts */
void sim_faults_list(FILE *out);
/** sim_faults_show() - lists armed faults, and counts */
void sim_faults_show(struct sim_faults *faults, FILE *out);

#endif /* LOOM_SIM_FAULT_H */
