// SPDX-License-Identifier: MIT
#include "cost.h"
#include "loom_program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Calibration
 *
 * A measured time is compared with the time of a plan by a description whose rates are varied. The
 * plan stays as it is: only its cycles are counted again. A caller may plan again for the fitted
 * description, and calibrate once more.
 *
 * The parameters are the entries of &params. Each is a factor on figures that go together: one
 * factor for the rates of all types keeps the ratio of int8 to float, which a few measured networks
 * of one type cannot tell. Rates stay within a factor of RATE_BOUND.
 *
 * The method is least squares with damping (Levenberg and Marquardt) over the logarithms of the
 * factors. A residual is the logarithm of planned over measured time, so that long networks do not
 * outweigh short ones. PRIOR draws each factor to one: where the measured times say nothing on a
 * parameter, the description keeps its figure. Derivatives are differences, because rates are
 * integers and a step waits for the longer of two streams.
 *
 * Rejected: blocks of the array as parameters. They are integers that a maker publishes.
 */

/* Factors on rates are at most that, and at least its inverse. */
#define RATE_BOUND	8.0
/* Cycles that are added to a start before it is multiplied, because it may be zero. */
#define START_CYCLES	100.0
#define START_BOUND	64.0
/* Weight of the squared logarithm of a factor, in squared residuals. */
#define PRIOR		0.01
/* Difference of a logarithm for a derivative. */
#define DELTA		0.03
/* Limit on improvements, and on attempts at each. */
#define ROUNDS		40
#define ATTEMPTS	8

static u32 scaled(u32 value, double factor, u32 most)
{
	double product = value * factor + 0.5;

	/* zero says that there is no such rate */
	if (!value)
		return 0;
	return product < 1 ? 1 : product > most ? most : (u32)product;
}

static u32 scaled_start(u32 cycles, double factor)
{
	double start = (cycles + START_CYCLES) * factor - START_CYCLES + 0.5;

	return start < 0 ? 0 : start > LOOM_CHIP_MAX_CYCLES ? LOOM_CHIP_MAX_CYCLES : (u32)start;
}

static void scale_memory(struct drm_loom_chip *chip, double factor)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		struct drm_loom_chip_region *region = &chip->region[i];

		if (i == DRM_LOOM_REGION_SRAM)
			continue;
		region->read_rate = scaled(region->read_rate, factor, LOOM_CHIP_MAX_RATE);
		region->write_rate = scaled(region->write_rate, factor, LOOM_CHIP_MAX_RATE);
	}
}

static void scale_macs(struct drm_loom_chip *chip, double factor)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++)
		chip->type[i].mac_rate = scaled(chip->type[i].mac_rate, factor, LOOM_CHIP_MAX_RATE);
}

static void scale_depthwise(struct drm_loom_chip *chip, double factor)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++)
		chip->array[i].depthwise_rate = scaled(chip->array[i].depthwise_rate, factor,
						       LOOM_CHIP_MAX_RATE);
}

static void scale_operations(struct drm_loom_chip *chip, double factor)
{
	u32 i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++) {
		struct drm_loom_chip_vector *vector = &chip->vector[i];

		chip->type[i].op_rate = scaled(chip->type[i].op_rate, factor, LOOM_CHIP_MAX_RATE);
		vector->pool_rate = scaled(vector->pool_rate, factor, LOOM_CHIP_MAX_RATE);
		vector->element_rate = scaled(vector->element_rate, factor, LOOM_CHIP_MAX_RATE);
	}
}

static void scale_dma_start(struct drm_loom_chip *chip, double factor)
{
	chip->dma_start = scaled_start(chip->dma_start, factor);
}

static void scale_compute_start(struct drm_loom_chip *chip, double factor)
{
	chip->compute_start = scaled_start(chip->compute_start, factor);
}

/* The parameters: how each is scaled, and the bound on its factor. */
static const struct param {
	void (*scale)(struct drm_loom_chip *chip, double factor);
	double bound;
} params[] = {
	{ scale_memory, RATE_BOUND },
	{ scale_macs, RATE_BOUND },
	{ scale_depthwise, RATE_BOUND },
	{ scale_operations, RATE_BOUND },
	{ scale_dma_start, START_BOUND },
	{ scale_compute_start, START_BOUND },
};

#define PARAMS	ARRAY_SIZE(params)

/**
 * struct fit - a description that is fitted
 * @chip: as it was
 * @rows: measured times
 * @num_rows: number of @rows
 * @at: logarithms of the factors
 * @residuals: by row, at @at
 * @slopes: by parameter: derivatives of the residuals by row
 * @cost: sum of squares at @at, with the prior
 */
struct fit {
	const struct drm_loom_chip *chip;
	struct loom_measurement *rows;
	u32 num_rows;
	double at[PARAMS];
	double *residuals;
	double *slopes[PARAMS];
	double cost;
};

static void apply(const struct fit *fit, const double *at, struct drm_loom_chip *chip)
{
	u32 i;

	*chip = *fit->chip;
	for (i = 0; i < PARAMS; i++)
		params[i].scale(chip, exp(at[i]));
}

int loom_measurement_plan(struct loom_measurement *row, const struct drm_loom_chip *chip)
{
	struct loom_program_layer *layers;
	double cycles = 0;
	u32 count, i;
	int ret;

	ret = loom_program_layers(row->program, chip, &layers, &count);
	if (ret)
		return ret;
	for (i = 0; i < count && !row->num_nodes; i++)
		cycles += layers[i].cycles;
	for (i = 0; i < row->num_nodes; i++)
		cycles += (double)layers[row->nodes[i]].cycles / row->num_nodes;
	free(layers);
	row->planned_us = (cycles > 1 ? cycles : 1) * 1e6 / chip->frequency_hz;
	return 0;
}

/* Residuals at @at, and the sum of their squares with the prior. Returns 0 or -ENOMEM. */
static int residuals_at(const struct fit *fit, const double *at, double *residuals, double *cost)
{
	struct drm_loom_chip chip;
	double sum = 0;
	u32 i;
	int ret;

	apply(fit, at, &chip);
	for (i = 0; i < PARAMS; i++)
		sum += PRIOR * at[i] * at[i];
	for (i = 0; i < fit->num_rows; i++) {
		ret = loom_measurement_plan(&fit->rows[i], &chip);
		if (ret)
			return ret;
		residuals[i] = log(fit->rows[i].planned_us / fit->rows[i].measured_us);
		sum += residuals[i] * residuals[i];
	}
	*cost = sum;
	return 0;
}

/* Solves a symmetric, positive definite system by elimination; @right becomes the solution. */
static void solve(double a[PARAMS][PARAMS], double *right)
{
	u32 i, k, m;

	for (i = 0; i < PARAMS; i++)
		for (k = i + 1; k < PARAMS; k++) {
			double part = a[k][i] / a[i][i];

			for (m = i; m < PARAMS; m++)
				a[k][m] -= part * a[i][m];
			right[k] -= part * right[i];
		}
	for (i = PARAMS; i--;) {
		for (k = i + 1; k < PARAMS; k++)
			right[i] -= a[i][k] * right[k];
		right[i] /= a[i][i];
	}
}

/* The next logarithms of factors, with @damping, inside of the bounds. */
static void propose(const struct fit *fit, double damping, double *at)
{
	double a[PARAMS][PARAMS] = { { 0 } }, step[PARAMS];
	u32 i, k, row;

	for (i = 0; i < PARAMS; i++) {
		step[i] = -PRIOR * fit->at[i];
		for (row = 0; row < fit->num_rows; row++)
			step[i] -= fit->slopes[i][row] * fit->residuals[row];
		for (k = 0; k < PARAMS; k++)
			for (row = 0; row < fit->num_rows; row++)
				a[i][k] += fit->slopes[i][row] * fit->slopes[k][row];
		a[i][i] += PRIOR + damping;
	}
	solve(a, step);
	for (i = 0; i < PARAMS; i++) {
		double bound = log(params[i].bound);

		at[i] = fmin(fmax(fit->at[i] + step[i], -bound), bound);
	}
}

/* Derivatives at fit->at. Returns 0 or -ENOMEM. */
static int differentiate(struct fit *fit)
{
	double at[PARAMS], cost;
	u32 i, row;
	int ret;

	for (i = 0; i < PARAMS; i++) {
		memcpy(at, fit->at, sizeof(at));
		at[i] += DELTA;
		ret = residuals_at(fit, at, fit->slopes[i], &cost);
		if (ret)
			return ret;
		for (row = 0; row < fit->num_rows; row++)
			fit->slopes[i][row] = (fit->slopes[i][row] - fit->residuals[row]) / DELTA;
	}
	return 0;
}

/* Improves the factors until nothing is gained. @spare: as many numbers as rows. */
static int improve(struct fit *fit, double *spare)
{
	double at[PARAMS], cost, damping = PRIOR;
	u32 round, attempt;
	int ret;

	ret = residuals_at(fit, fit->at, fit->residuals, &fit->cost);
	for (round = 0; round < ROUNDS && !ret; round++) {
		ret = differentiate(fit);
		for (attempt = 0; attempt < ATTEMPTS && !ret; attempt++, damping *= 8) {
			propose(fit, damping, at);
			ret = residuals_at(fit, at, spare, &cost);
			if (cost < fit->cost)
				break;
		}
		if (ret || attempt == ATTEMPTS)
			break;
		memcpy(fit->at, at, sizeof(at));
		memcpy(fit->residuals, spare, fit->num_rows * sizeof(*spare));
		damping /= 16;
		if (fit->cost - cost < fit->cost * 0.000001)
			break;
		fit->cost = cost;
	}
	return ret;
}

static bool is_sound(const struct loom_measurement *row)
{
	u32 i;

	if (!row->program || !isfinite(row->measured_us) || row->measured_us <= 0)
		return false;
	for (i = 0; i < row->num_nodes; i++)
		if (row->nodes[i] >= row->program->num_nodes)
			return false;
	return true;
}

int loom_chip_calibrate(struct drm_loom_chip *chip, struct loom_measurement *rows,
			uint32_t num_rows)
{
	struct drm_loom_chip fitted;
	struct fit fit = { .chip = chip, .rows = rows, .num_rows = num_rows };
	double *numbers;
	u32 i;
	int ret;

	for (i = 0; i < num_rows; i++)
		if (!is_sound(&rows[i]))
			return -EINVAL;
	numbers = calloc((size_t)num_rows * (PARAMS + 2) + 1, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	fit.residuals = numbers;
	for (i = 0; i < PARAMS; i++)
		fit.slopes[i] = &numbers[(size_t)num_rows * (i + 1)];
	ret = improve(&fit, &numbers[(size_t)num_rows * (PARAMS + 1)]);
	free(numbers);
	apply(&fit, fit.at, &fitted);
	for (i = 0; i < num_rows && !ret; i++)
		ret = loom_measurement_plan(&rows[i], &fitted);
	if (!ret)
		*chip = fitted;
	return ret;
}
