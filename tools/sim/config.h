/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_CONFIG_H
#define LOOM_SIM_CONFIG_H

/* The configuration space: ids of the function, BARs, MSI, power management, PCI Express. */

#include "loom_core.h"

#define CONFIG_BYTES	4096

/**
 * struct sim_config - the configuration space
 * @bytes: as the client reads it
 * @bar: size of BAR2
 */
struct sim_config {
	u8 bytes[CONFIG_BYTES];
	u64 bar;
};

/** enum config_event - side effect of a write */
enum config_event {
	CONFIG_NOTHING,
	CONFIG_FUNCTION_RESET,
	CONFIG_POWER_OFF,
	CONFIG_POWER_ON,
};

/** sim_config_init() - as after power on */
void sim_config_init(struct sim_config *config, u64 bar);
/** sim_config_write() - @count bytes at @offset, in bounds */
enum config_event sim_config_write(struct sim_config *config, u32 offset, const u8 *bytes,
				   u32 count);
/** sim_config_is_master() - whether the host allows DMA */
bool sim_config_is_master(const struct sim_config *config);

#endif /* LOOM_SIM_CONFIG_H */
