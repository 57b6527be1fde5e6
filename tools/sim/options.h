/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_OPTIONS_H
#define LOOM_SIM_OPTIONS_H

#include "loom_chip.h"

#define OPTIONS_FAULTS	16

/**
 * struct sim_options - options of the device
 * @socket: where the client connects
 * @control: where faults are asked for, or NULL
 * @chip: description
 * @window: most bytes of BAR2
 * @pace: a job takes that many times what the chip's clock says; zero: as fast as it can
 * @messages: reach the host's memory by messages, whatever the client offers
 * @firmware: LOOM_PCI_FIRMWARE
 * @faults: lines for the control socket, done at the start of each connection
 * @fault_count: number of @faults
 * @seed: of random numbers
 * @fuzz: as on the control socket, at the start of each connection; or zero
 * @once: end with the first connection
 * @verbose: say what happens
 */
struct sim_options {
	const char *socket;
	const char *control;
	struct drm_loom_chip chip;
	u64 window;
	double pace;
	bool messages;
	u32 firmware;
	const char *faults[OPTIONS_FAULTS];
	u32 fault_count;
	u64 seed;
	u64 fuzz;
	bool once;
	bool verbose;
};

/** options_parse() - 0; 2 for a wrong command line, with a line on stderr; -1: asked for help */
int options_parse(struct sim_options *options, int argc, char **argv);

#endif /* LOOM_SIM_OPTIONS_H */
