// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES	100000

/**
 * struct sweep_key - a figure that can be varied
 * @name: on the command line and in the table
 * @bytes: powers of 1024 behind k, M, G
 * @text: what it is, in one line
 * @apply: sets it
 */
struct sweep_key {
	const char *name;
	bool bytes;
	const char *text;
	void (*apply)(struct drm_loom_chip *chip, double value);
};

static uint32_t clamp_u32(double value)
{
	return value < UINT32_MAX ? (uint32_t)(value + 0.5) : UINT32_MAX;
}

static struct drm_loom_chip_region *sram_of(struct drm_loom_chip *chip)
{
	return &chip->region[DRM_LOOM_REGION_SRAM];
}

static void apply_lanes(struct drm_loom_chip *chip, double value)
{
	struct drm_loom_chip_region *sram = sram_of(chip);
	uint32_t before = sram->banks;

	sram->banks = clamp_u32(value);
	/* a lane brings its port with it */
	sram->read_rate = clamp_u32((double)sram->read_rate / before * sram->banks);
	sram->write_rate = clamp_u32((double)sram->write_rate / before * sram->banks);
}

static void apply_sram(struct drm_loom_chip *chip, double value)
{
	struct drm_loom_chip_region *sram = sram_of(chip);

	/* as many sub-banks as can be of equal size; planners aim at all there is */
	sram->bank_bytes = (uint64_t)value;
	while (sram->sub_banks > 1 && sram->bank_bytes % sram->sub_banks)
		sram->sub_banks--;
	sram->floor_bytes = 0;
}

static void apply_sram_total(struct drm_loom_chip *chip, double value)
{
	uint32_t lanes = sram_of(chip)->banks;

	apply_sram(chip, floor(value / (lanes ? lanes : 1)));
}

static void apply_dram(struct drm_loom_chip *chip, double value)
{
	chip->region[DRM_LOOM_REGION_DRAM].read_rate = clamp_u32(value * 1000);
	chip->region[DRM_LOOM_REGION_DRAM].write_rate = clamp_u32(value * 1000);
}

static void apply_sram_rate(struct drm_loom_chip *chip, double value)
{
	sram_of(chip)->read_rate = clamp_u32(value * 1000);
	sram_of(chip)->write_rate = clamp_u32(value * 1000);
}

static void apply_macs(struct drm_loom_chip *chip, double value)
{
	uint32_t i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++)
		chip->type[i].mac_rate = clamp_u32(chip->type[i].mac_rate * value);
}

static void apply_ops(struct drm_loom_chip *chip, double value)
{
	uint32_t i;

	for (i = 0; i < DRM_LOOM_CHIP_TYPES; i++)
		chip->type[i].op_rate = clamp_u32(chip->type[i].op_rate * value);
}

static void apply_burst(struct drm_loom_chip *chip, double value)
{
	chip->region[DRM_LOOM_REGION_DRAM].burst_bytes = clamp_u32(value);
}

static void apply_latency(struct drm_loom_chip *chip, double value)
{
	chip->region[DRM_LOOM_REGION_DRAM].read_latency = clamp_u32(value);
	chip->region[DRM_LOOM_REGION_DRAM].write_latency = clamp_u32(value);
}

static void apply_dma_start(struct drm_loom_chip *chip, double value)
{
	chip->dma_start = clamp_u32(value);
}

static void apply_compute_start(struct drm_loom_chip *chip, double value)
{
	chip->compute_start = clamp_u32(value);
}

static void apply_frequency(struct drm_loom_chip *chip, double value)
{
	chip->frequency_hz = (uint64_t)(value * 1e6);
}

static void apply_overlap(struct drm_loom_chip *chip, double value)
{
	chip->flags &= ~DRM_LOOM_CHIP_OVERLAP;
	if (value)
		chip->flags |= DRM_LOOM_CHIP_OVERLAP;
}

/* In the order in which they are set, whatever the order on the command line: lanes come first. */
static const struct sweep_key keys[] = {
	{ "lanes", false, "lanes; SRAM, its rate and arithmetic grow with them", apply_lanes },
	{ "sram", true, "SRAM per lane, in bytes", apply_sram },
	{ "sram-total", true, "SRAM of all lanes together, in bytes", apply_sram_total },
	{ "dram", false, "DRAM bytes per cycle, read and written", apply_dram },
	{ "sram-rate", false, "bytes per cycle that are copied inside of the SRAM",
	  apply_sram_rate },
	{ "macs", false, "factor on the multiply-accumulates per cycle", apply_macs },
	{ "ops", false, "factor on the other operations per cycle", apply_ops },
	{ "burst", true, "DRAM burst, in bytes", apply_burst },
	{ "latency", false, "DRAM latency, in cycles", apply_latency },
	{ "dma-start", false, "cycles to start a DMA command", apply_dma_start },
	{ "compute-start", false, "cycles to start a compute command", apply_compute_start },
	{ "frequency", false, "MHz", apply_frequency },
	{ "overlap", false, "1: both streams run at the same time; 0: one after the other",
	  apply_overlap },
};

/* A number from 0 up, with k, M or G; @bytes: whole. Return: what follows it, or NULL. */
static const char *parse_value(bool bytes, const char *text, double *value)
{
	static const char letters[] = "kMG", digits[] = "0123456789";
	size_t length = strspn(text, digits);
	char number[64];
	const char *letter, *end;

	/* digits alone, so that "1..8" is not "1." and ".8"; no signs, exponents or infinities */
	if (length && text[length] == '.' && strspn(text + length + 1, digits))
		length += 1 + strspn(text + length + 1, digits);
	if (!length || length >= sizeof(number))
		return NULL;
	memcpy(number, text, length);
	number[length] = '\0';
	*value = strtod(number, NULL);
	end = text + length;
	letter = *end ? strchr(letters, *end) : NULL;
	if (letter) {
		*value *= pow(bytes ? 1024 : 1000, (double)(letter - letters + 1));
		end++;
	}
	return *value <= 1e15 && (!bytes || *value == floor(*value)) ? end : NULL;
}

static bool add_value(struct sweep_axis *axis, double value)
{
	double *grown;

	if (axis->num_values == MOST_VALUES)
		return false;
	grown = realloc(axis->values, (axis->num_values + 1) * sizeof(*grown));
	if (!grown)
		return false;
	axis->values = grown;
	grown[axis->num_values++] = value;
	return true;
}

/* From..TO:xFACTOR, or FROM..TO:+STEP. Return: what follows it, or NULL. */
static const char *parse_range(struct sweep_axis *axis, double from, const char *text)
{
	double to, by, at;
	uint32_t i;
	char kind;

	text = parse_value(axis->key->bytes, text, &to);
	if (!text || text[0] != ':' || (text[1] != 'x' && text[1] != '+'))
		return NULL;
	kind = text[1];
	text = parse_value(axis->key->bytes && kind == '+', text + 2, &by);
	if (!text || to < from || (kind == 'x' ? by <= 1 || from <= 0 : by <= 0))
		return NULL;
	axis->geometric = kind == 'x';
	/* by multiplication, so that errors do not add up, and with some tolerance for the last */
	for (i = 0; ; i++) {
		at = kind == 'x' ? from * pow(by, i) : from + by * i;
		if (at > to * 1.000000001)
			return text;
		if (!add_value(axis, axis->key->bytes ? floor(at) : at))
			return NULL;
	}
}

static const char *parse_values(struct sweep_axis *axis, const char *text)
{
	double value;

	for (;;) {
		text = parse_value(axis->key->bytes, text, &value);
		if (text && !strncmp(text, "..", 2))
			return parse_range(axis, value, text + 2);
		if (!text || !add_value(axis, value))
			return NULL;
		if (*text != '/')
			return text;
		text++;
	}
}

static const struct sweep_key *find_key(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].name) == length && !strncmp(keys[i].name, name, length))
			return &keys[i];
	return NULL;
}

static int parse_axis(const struct tool_command *command, struct sweep *sweep, const char **at)
{
	const char *text = *at, *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strcspn(text, ",");
	const struct sweep_key *key = find_key(text, length);
	struct sweep_axis *axis = &sweep->axes[sweep->num_axes];
	const char *end;
	uint32_t i;

	if (!key || !equals)
		return tool_usage(command,
				  "--vary: '%.*s' is nothing that can be varied, see --vary help",
				  (int)length, text);
	for (i = 0; i < sweep->num_axes; i++)
		if (sweep->axes[i].key == key)
			return tool_usage(command, "--vary: %s is varied twice", key->name);
	if (sweep->num_axes == SWEEP_AXES)
		return tool_usage(command, "--vary: more than %u things", SWEEP_AXES);
	*axis = (struct sweep_axis){ .key = key };
	sweep->num_axes++;
	end = parse_values(axis, equals + 1);
	if (!end || (*end && *end != ','))
		return tool_usage(command,
				  "--vary: %s takes FROM..TO:xFACTOR, FROM..TO:+STEP or A/B/.., not '%.*s'",
				  key->name, (int)strcspn(equals + 1, ","), equals + 1);
	*at = *end ? end + 1 : end;
	return 0;
}

int sweep_vary_parse(const struct tool_command *command, struct sweep *sweep, const char *text)
{
	int ret = 0;

	if (!*text)
		return tool_usage(command, "--vary: nothing is varied");
	while (!ret && *text)
		ret = parse_axis(command, sweep, &text);
	return ret;
}

const char *sweep_vary_name(const struct sweep_axis *axis)
{
	return axis->key->name;
}

const char *sweep_vary_label(const struct sweep_axis *axis, uint32_t index, char *text)
{
	double value = axis->values[index];
	int power = 0;

	while (axis->key->bytes && value >= 1024 && power < 3 && fmod(value * 64, 1024) == 0) {
		value /= 1024;
		power++;
	}
	snprintf(text, TOOL_TEXT, power ? "%.6g%c" : "%.6g", value, "-kMG"[power]);
	return text;
}

const char *sweep_vary_text(const struct sweep_axis *axis, uint32_t index, char *text)
{
	snprintf(text, TOOL_TEXT, "%.15g", axis->values[index]);
	return text;
}

void sweep_vary_apply(const struct sweep *sweep, const struct sweep_place *place,
		      struct drm_loom_chip *chip)
{
	uint32_t i;
	size_t k;

	*chip = sweep->chips[place->chip];
	for (k = 0; k < ARRAY_SIZE(keys); k++)
		for (i = 0; i < sweep->num_axes; i++)
			if (sweep->axes[i].key == &keys[k])
				keys[k].apply(chip, sweep->axes[i].values[place->at[i]]);
}

void sweep_vary_help(FILE *file)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		fprintf(file, "%-14s %s\n", keys[i].name, keys[i].text);
}

void sweep_vary_clear(struct sweep *sweep)
{
	uint32_t i;

	for (i = 0; i < sweep->num_axes; i++)
		free(sweep->axes[i].values);
}
