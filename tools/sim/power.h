/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_POWER_H
#define LOOM_SIM_POWER_H

/* A model of a card's sensors: a chip that warms up under load, and cools down after. */

#include <pthread.h>

#include "loom_core.h"

/**
 * struct sim_power - sensors
 * @lock: protects it
 * @now: time of the last update
 * @busy_ns: the engine's work since
 * @microwatts: power, averaged over the last tenth of a second
 * @microkelvin: above the surroundings
 * @microjoules: since power on
 */
struct sim_power {
	pthread_mutex_t lock;
	u64 now;
	u64 busy_ns;
	double microwatts;
	double microkelvin;
	double microjoules;
};

/**
 * struct sim_sensors - values of the sensors
 * @millicelsius: temperature
 * @microwatts: power
 * @microjoules: energy since power on
 */
struct sim_sensors {
	s32 millicelsius;
	u32 microwatts;
	u64 microjoules;
};

/** sim_power_init() - cold */
void sim_power_init(struct sim_power *power);
/** sim_power_busy() - the engine has worked for that long */
void sim_power_busy(struct sim_power *power, u64 ns);
/** sim_power_read() - values of the sensors; with @asleep its clocks are stopped */
void sim_power_read(struct sim_power *power, bool asleep, struct sim_sensors *sensors);

#endif /* LOOM_SIM_POWER_H */
