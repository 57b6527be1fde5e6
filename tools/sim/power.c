// SPDX-License-Identifier: MIT
#include "power.h"

#include <math.h>

#include "sim.h"

/* A small card: half a watt for nothing, five at work; 12 degrees for a watt in the long run. */
#define POWER_ASLEEP_UW		50000.0
#define POWER_IDLE_UW		500000.0
#define POWER_BUSY_UW		5000000.0
#define POWER_KELVIN_PER_WATT	12.0
#define POWER_SURROUNDINGS_MC	30000.0
#define POWER_SECOND_NS		1e9
/* How long until power and temperature are two thirds of the way. */
#define POWER_TIME_CONSTANT_NS	1e8
#define POWER_WARMS_NS		5e9

void sim_power_init(struct sim_power *power)
{
	*power = (struct sim_power){ .now = sim_now_ns(), .microwatts = POWER_IDLE_UW };
	pthread_mutex_init(&power->lock, NULL);
}

void sim_power_busy(struct sim_power *power, u64 ns)
{
	pthread_mutex_lock(&power->lock);
	power->busy_ns += ns;
	pthread_mutex_unlock(&power->lock);
}

void sim_power_read(struct sim_power *power, bool asleep, struct sim_sensors *sensors)
{
	u64 now = sim_now_ns();
	double ns, load, draw;

	pthread_mutex_lock(&power->lock);
	ns = now - power->now + 1.0;
	load = fmin(power->busy_ns / ns, 1.0);
	draw = asleep ? POWER_ASLEEP_UW : POWER_IDLE_UW + load * (POWER_BUSY_UW - POWER_IDLE_UW);
	power->microjoules += draw * ns / POWER_SECOND_NS;
	power->microwatts += (draw - power->microwatts) * (1 - exp(-ns / POWER_TIME_CONSTANT_NS));
	power->microkelvin += (draw * POWER_KELVIN_PER_WATT - power->microkelvin) *
			      (1 - exp(-ns / POWER_WARMS_NS));
	power->now = now;
	power->busy_ns = 0;
	*sensors = (struct sim_sensors){
		.millicelsius = POWER_SURROUNDINGS_MC + power->microkelvin / 1000,
		.microwatts = power->microwatts,
		.microjoules = power->microjoules,
	};
	pthread_mutex_unlock(&power->lock);
}
