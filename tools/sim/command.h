/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_COMMAND_H
#define LOOM_SIM_COMMAND_H

#include <stdio.h>

struct sim;

/** sim_command() - executes a line of the control socket; the answer ends with ok or error */
void sim_command(struct sim *sim, char *line, FILE *out);

#endif /* LOOM_SIM_COMMAND_H */
