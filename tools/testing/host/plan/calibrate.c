// SPDX-License-Identifier: MIT
/*
 * Calibration: times by a chip that differs from its description. The fitted description gives
 * them, and those of a network that it was not fitted to.
 */
#include "bench/networks.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "loom_program.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const names[] = { "kws", "resnet8", "vww_96", "mcunet_in0" };

#define COUNT	ARRAY_SIZE(names)

static struct net nets[COUNT];
static struct loom_program *programs[COUNT];
static struct drm_loom_chip described;

static void plan_all(void)
{
	struct loom_planner_options options = {
		.chip = &described, .effort = LOOM_EFFORT_ONCE,
	};
	size_t i;

	if (loom_chip_find("rk3588", &described))
		tap_fatal("no chip");
	for (i = 0; i < COUNT; i++)
		if (loom_program_create(net_open(&nets[i], net_find(names[i])), &options,
					&programs[i], NULL))
			tap_fatal("%s: no plan", names[i]);
}

static double time_us(const struct loom_program *program, const struct drm_loom_chip *chip,
		      uint32_t node)
{
	struct loom_program_layer *layers;
	double cycles = 0;
	uint32_t count, i;

	if (loom_program_layers(program, chip, &layers, &count))
		tap_fatal("no memory");
	for (i = 0; i < count; i++)
		if (node == UINT32_MAX || node == i)
			cycles += layers[i].cycles;
	free(layers);
	return cycles * 1e6 / chip->frequency_hz;
}

static struct drm_loom_chip real_chip(void)
{
	struct drm_loom_chip chip = described;
	uint32_t i;

	chip.compute_start *= 3;
	chip.region[DRM_LOOM_REGION_DRAM].read_rate /= 2;
	chip.region[DRM_LOOM_REGION_DRAM].write_rate /= 2;
	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++)
		chip.array[i].depthwise_rate /= 4;
	return chip;
}

static double off(double planned, double measured)
{
	return fabs(log(planned / measured));
}

static bool fits_networks(void)
{
	const struct drm_loom_chip real = real_chip();
	struct loom_measurement rows[COUNT - 1];
	struct drm_loom_chip chip = described, again = described;
	double before = 0, after = 0, last;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i] = (struct loom_measurement){
			.program = programs[i],
			.measured_us = time_us(programs[i], &real, UINT32_MAX),
		};
		before = fmax(before, off(time_us(programs[i], &described, UINT32_MAX),
					  rows[i].measured_us));
	}
	if (loom_chip_calibrate(&chip, rows, ARRAY_SIZE(rows)) ||
	    loom_chip_calibrate(&again, rows, ARRAY_SIZE(rows)))
		return false;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		after = fmax(after, off(rows[i].planned_us, rows[i].measured_us));
		if (rows[i].planned_us != time_us(programs[i], &chip, UINT32_MAX))
			return false;
	}
	last = off(time_us(programs[i], &chip, UINT32_MAX),
		   time_us(programs[i], &real, UINT32_MAX));
	tap_note("off by %.3f before, %.3f after, %.3f where it was not fitted", before, after,
		 last);
	return before > 0.4 && after < 0.03 && last < 0.1 && !memcmp(&chip, &again, sizeof(chip));
}

static bool fits_layers(void)
{
	const struct drm_loom_chip real = real_chip();
	struct loom_measurement rows[64];
	struct drm_loom_chip chip = described;
	uint32_t nodes[64], count = 0, i;
	double whole;

	for (i = 0; i < programs[2]->num_nodes && count < ARRAY_SIZE(rows); i++) {
		if (time_us(programs[2], &described, i) < 1)
			continue;
		nodes[count] = i;
		rows[count] = (struct loom_measurement){
			.program = programs[2], .nodes = &nodes[count], .num_nodes = 1,
			.measured_us = time_us(programs[2], &real, i),
		};
		count++;
	}
	if (loom_chip_calibrate(&chip, rows, count))
		return false;
	whole = off(time_us(programs[2], &chip, UINT32_MAX),
		    time_us(programs[2], &real, UINT32_MAX));
	tap_note("%u layers; the whole is off by %.3f", count, whole);
	return count > 10 && whole < 0.03;
}

static bool keeps_what_fits(void)
{
	struct loom_measurement rows[COUNT];
	struct drm_loom_chip chip = described;
	size_t i;

	for (i = 0; i < COUNT; i++)
		rows[i] = (struct loom_measurement){
			.program = programs[i],
			.measured_us = time_us(programs[i], &described, UINT32_MAX),
		};
	return !loom_chip_calibrate(&chip, rows, COUNT) &&
	       !memcmp(&chip, &described, sizeof(chip)) &&
	       !loom_chip_calibrate(&chip, NULL, 0) && !memcmp(&chip, &described, sizeof(chip));
}

static bool refuses_nonsense(void)
{
	const double times[] = { 0, -1, NAN, INFINITY };
	uint32_t node = programs[0]->num_nodes;
	struct loom_measurement row = { .program = programs[0] };
	struct drm_loom_chip chip = described;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		row.measured_us = times[i];
		if (loom_chip_calibrate(&chip, &row, 1) != -EINVAL)
			return false;
	}
	row.measured_us = 1;
	row.nodes = &node;
	row.num_nodes = 1;
	return loom_chip_calibrate(&chip, &row, 1) == -EINVAL &&
	       !memcmp(&chip, &described, sizeof(chip));
}

int main(void)
{
	size_t i;

	plan_all();
	tap_ok(fits_networks(), "times of networks are fitted, and predict another one");
	tap_ok(fits_layers(), "times of layers are fitted, and predict the whole");
	tap_ok(keeps_what_fits(), "a description that is right stays as it is");
	tap_ok(refuses_nonsense(), "times that are not positive and unknown nodes are refused");
	for (i = 0; i < COUNT; i++) {
		loom_program_destroy(programs[i]);
		net_close(&nets[i]);
	}
	return tap_end();
}
