// SPDX-License-Identifier: MIT
/* Options of a session: Loom's, and ONNX Runtime's about programs in models. */
#include "ort.h"

#include "base/error.h"
#include "loom_chip_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ONNX Runtime's prefix of a provider's options, in lower case. */
#define PREFIX	"ep.loomexecutionprovider."

#define PLANS_DEFAULT		8
#define SESSIONS_DEFAULT	4
#define COUNT_MAX		1024

static int set_string(char **string, const char *value, struct loom_error *err)
{
	free(*string);
	*string = strdup(value);
	return *string ? 0 : loom_error_set(err, -ENOMEM, "out of memory");
}

static int set_number(uint64_t *number, const char *name, const char *value, uint64_t most,
		      struct loom_error *err)
{
	char *end = NULL;

	errno = 0;
	*number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || *number > most)
		return loom_error_set(err, -EINVAL, "option %s: \"%.100s\" is no number up to %llu",
				      name, value, (unsigned long long)most);
	return 0;
}

static int set_count(uint32_t *count, const char *name, const char *value, struct loom_error *err)
{
	uint64_t number;
	int ret = set_number(&number, name, value, COUNT_MAX, err);

	if (!ret && !number)
		return loom_error_set(err, -EINVAL, "option %s: at least 1", name);
	*count = (uint32_t)number;
	return ret;
}

static int set_lanes(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_count(&options->lanes, "lanes", value, err);
}

static int set_device(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_string(&options->device, value, err);
}

static int set_chip(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	options->has_chip = true;
	return loom_chip_load(value, &options->chip, err);
}

static int set_objective(struct loom_ort_options *options, const char *value,
			 struct loom_error *err)
{
	uint32_t i;

	for (i = 0; loom_objective_name(i); i++) {
		if (!strcmp(loom_objective_name(i), value)) {
			options->objective = i;
			return 0;
		}
	}
	return loom_error_set(err, -EINVAL, "option objective: time, bytes or sram, not \"%.100s\"",
			      value);
}

static int set_sram(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_number(&options->sram_bytes, "sram", value, UINT32_MAX, err);
}

static int set_effort(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_number(&options->effort_ms, "effort_ms", value, UINT32_MAX, err);
}

static int set_level(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	uint64_t level;
	int ret = set_number(&level, "effort", value, 3, err);

	options->effort = LOOM_EFFORT_ONCE + (uint32_t)level;
	return ret;
}

static int set_jobs(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	uint64_t jobs;
	int ret = set_number(&jobs, "jobs", value, 1024, err);

	options->jobs = (uint32_t)jobs;
	return ret;
}

static int set_memory(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_number(&options->max_memory_bytes, "max_memory", value, INT64_MAX, err);
}

static int set_work(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_number(&options->max_work, "max_work", value, INT64_MAX, err);
}

static int set_cache(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	uint64_t number;
	int ret = set_number(&number, "cache", value, 1, err);

	options->no_cache = !number;
	return ret;
}

static int set_plans(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return set_count(&options->plans, "plans", value, err);
}

static int set_sessions(struct loom_ort_options *options, const char *value,
			struct loom_error *err)
{
	return set_count(&options->sessions, "sessions", value, err);
}

static int set_branches(struct loom_ort_options *options, const char *value,
			struct loom_error *err)
{
	uint64_t number;
	int ret = set_number(&number, "branches", value, 1, err);

	options->branches = number;
	return ret;
}

/* Parses "width=320,x:0=1". */
static int add_numbers(struct loom_ort_size **list, uint32_t *count, const char *name,
		       const char *value, struct loom_error *err)
{
	const char *at = value;

	while (*at) {
		size_t length = strcspn(at, ",");
		char *text = strndup(at, length), *equal = text ? strrchr(text, '=') : NULL;
		struct loom_ort_size *grown;
		uint64_t number;
		int ret;

		if (!text)
			return loom_error_set(err, -ENOMEM, "out of memory");
		if (!equal || equal == text) {
			free(text);
			return loom_error_set(err, -EINVAL,
					      "option %s: NAME=NUMBER,... is expected, not \"%.100s\"",
					      name, value);
		}
		*equal = '\0';
		ret = set_number(&number, name, equal + 1, INT32_MAX, err);
		grown = ret ? NULL : realloc(*list, (*count + 1) * sizeof(*grown));
		if (!grown) {
			free(text);
			return ret ? ret : loom_error_set(err, -ENOMEM, "out of memory");
		}
		grown[*count].name = text;
		grown[*count].value = (int64_t)number;
		*list = grown;
		(*count)++;
		at += length + (at[length] == ',');
	}
	return 0;
}

static int set_dims(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return add_numbers(&options->sizes, &options->num_sizes, "dims", value, err);
}

static int set_values(struct loom_ort_options *options, const char *value, struct loom_error *err)
{
	return add_numbers(&options->values, &options->num_values, "values", value, err);
}

static const struct {
	const char *name;
	int (*set)(struct loom_ort_options *options, const char *value, struct loom_error *err);
} known[] = {
	{ "branches", set_branches },
	{ "cache", set_cache },
	{ "chip", set_chip },
	{ "device", set_device },
	{ "dims", set_dims },
	{ "effort", set_level },
	{ "effort_ms", set_effort },
	{ "jobs", set_jobs },
	{ "lanes", set_lanes },
	{ "max_memory", set_memory },
	{ "max_work", set_work },
	{ "objective", set_objective },
	{ "plans", set_plans },
	{ "sessions", set_sessions },
	{ "sram", set_sram },
	{ "values", set_values },
};

static int set_own(struct loom_ort_options *options, const char *name, const char *value,
		   struct loom_error *err)
{
	uint32_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return known[i].set(options, value, err);
	return loom_error_set(err, -EINVAL, "there is no option %.100s", name);
}

static int set(struct loom_ort_options *options, const char *key, const char *value,
	       struct loom_error *err)
{
	if (!strncmp(key, PREFIX, sizeof(PREFIX) - 1))
		return set_own(options, key + sizeof(PREFIX) - 1, value, err);
	if (!strcmp(key, "ep.context_enable"))
		options->write_context = !strcmp(value, "1");
	else if (!strcmp(key, "ep.context_embed_mode"))
		options->embed = !strcmp(value, "1");
	else if (!strcmp(key, "ep.context_file_path"))
		return set_string(&options->context_path, value, err);
	else if (!strcmp(key, "ep.context_node_name_prefix"))
		return set_string(&options->prefix, value, err);
	return 0;
}

OrtStatus *loom_ort_options_read(const OrtSessionOptions *session,
				 struct loom_ort_options *options)
{
	const OrtApi *api = loom_ort.api;
	const char *const *keys, *const *values;
	OrtKeyValuePairs *pairs = NULL;
	struct loom_error err;
	size_t count, i;
	int ret = 0;

	memset(options, 0, sizeof(*options));
	options->plans = PLANS_DEFAULT;
	options->sessions = SESSIONS_DEFAULT;
	ORT_TRY(api->GetSessionOptionsConfigEntries(session, &pairs));
	api->GetKeyValuePairs(pairs, &keys, &values, &count);
	for (i = 0; i < count && !ret; i++)
		ret = set(options, keys[i], values[i], &err);
	api->ReleaseKeyValuePairs(pairs);
	return loom_ort_status(ret, &err);
}

void loom_ort_options_clear(struct loom_ort_options *options)
{
	uint32_t i;

	for (i = 0; i < options->num_sizes; i++)
		free(options->sizes[i].name);
	free(options->sizes);
	for (i = 0; i < options->num_values; i++)
		free(options->values[i].name);
	free(options->values);
	free(options->device);
	free(options->context_path);
	free(options->prefix);
	memset(options, 0, sizeof(*options));
}
