// SPDX-License-Identifier: MIT
/*
 * Options of a command, and errors about them. A repeated option is an error, because one of the
 * values would be dropped silently. Exceptions are options that collect values, as their help says,
 * among them those that bind open dimensions of a model.
 */
#include "tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST	64

/* Those that collect values in each command that has them. */
static const char collect[] = "dim shape value state image input i vary pool forbid";

/* Options seen, by the value of getopt_long(); and whether the last one was a repetition. */
static int seen[MOST];
static int num_seen;
static bool repeated;

int tool_fail(const char *format, ...)
{
	va_list args;

	fputs("loom: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return TOOL_FAILED;
}

int tool_usage(const struct tool_command *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "loom %s: ", command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (see: loom help %s)\n", command->name);
	return TOOL_USAGE;
}

static bool is_in(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ' ')) {
		list += *list == ' ';
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ' '))
			return true;
	}
	return false;
}

static bool collects(const struct tool_command *command, const struct option *longs, int option)
{
	char letter[] = { (char)option, '\0' };

	for (; longs->name; longs++)
		if (longs->val == option &&
		    (is_in(collect, longs->name) || is_in(command->collects, longs->name)))
			return true;
	return option < 128 && (is_in(collect, letter) || is_in(command->collects, letter));
}

int tool_getopt(const struct tool_command *command, int argc, char **argv, const char *shorts,
		const struct option *longs)
{
	int option, i;

	if (optind == 1)
		num_seen = 0;
	option = getopt_long(argc, argv, shorts, longs, NULL);
	repeated = false;
	if (option == -1 || option == '?' || option == ':' || collects(command, longs, option))
		return option;
	for (i = 0; i < num_seen && !repeated; i++)
		repeated = seen[i] == option;
	if (num_seen < MOST)
		seen[num_seen++] = option;
	return repeated ? '?' : option;
}

int tool_bad_option(const struct tool_command *command, char **argv)
{
	/* its value stands behind it, or in it */
	const char *last = argv[optind - 1];

	if (repeated && *last != '-')
		last = argv[optind - 2];
	return tool_usage(command, repeated ? "option '%s' is given more than once" :
					      "unknown or incomplete option '%s'", last);
}

/* Names of inputs and outputs on the command line: NAME=FILE. */
int tool_name_length(const char *typed)
{
	const char *equals = strchr(typed, '=');

	/* "./a=b" is a file, and "/a=b" */
	return equals && *typed != '.' && *typed != '/' ? equals - typed : 0;
}

size_t tool_name_add(char *text, size_t at, const char *name)
{
	int length;

	if (at >= TOOL_TEXT)
		return at;
	length = snprintf(text + at, TOOL_TEXT - at, "%s'%s'", at ? ", " : "", name);
	return at + length;
}

int tool_set_number(const struct tool_command *command, const char *option, const char *what,
		    const char *text, bool suffix, uint64_t *number)
{
	int64_t value;

	if (tool_parse_number(text, suffix, &value) || !value)
		return tool_usage(command, "%s takes %s, not '%s'", option, what, text);
	*number = value;
	return 0;
}

int tool_set_jobs(const struct tool_command *command, const char *text, unsigned int *jobs)
{
	int64_t value;

	if (tool_parse_number(text, false, &value) || value < 1 || value > 1024)
		return tool_usage(command, "--jobs takes a number from 1 to 1024, not '%s'", text);
	*jobs = (unsigned int)value;
	return 0;
}

int tool_parse_number(const char *text, bool suffix, int64_t *number)
{
	static const char units[] = "kMG";
	const char *unit;
	char *end;

	/* no blanks and no signs; a leading zero does not make a number octal */
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*number = strtoll(text, &end, text[1] == 'x' || text[1] == 'X' ? 16 : 10);
	if (errno)
		return -EINVAL;
	unit = suffix && *end ? strchr(units, *end) : NULL;
	if (unit) {
		if (__builtin_mul_overflow(*number, 1LL << 10 * (unit - units + 1), number))
			return -EINVAL;
		end++;
	}
	return *end ? -EINVAL : 0;
}

int tool_model_bind_dim(struct tool_model *model, const struct loom_dim_binding *dim)
{
	struct loom_dim_binding *grown;

	grown = realloc(model->dims, (model->num_dims + 1) * sizeof(*grown));
	if (!grown)
		return tool_fail("no memory");
	model->dims = grown;
	model->dims[model->num_dims++] = *dim;
	return 0;
}

int tool_model_parse_dim(const struct tool_command *command, struct tool_model *model, char *value)
{
	/* The size comes last: names may hold any character. */
	char *equals = strrchr(value, '=');
	int64_t size;

	if (!equals || equals == value || tool_parse_number(equals + 1, false, &size))
		return tool_usage(command, "--dim takes NAME=N, not '%s'", value);
	*equals = '\0';
	return tool_model_bind_dim(model, &(struct loom_dim_binding){ value, size });
}

int tool_model_add_shape(struct tool_model *model, const char *input, uint32_t rank,
			 const int64_t *dims)
{
	struct loom_shape_binding *grown;

	grown = realloc(model->shapes, (model->num_shapes + 1) * sizeof(*grown));
	if (!grown)
		return tool_fail("no memory");
	model->shapes = grown;
	grown += model->num_shapes++;
	*grown = (struct loom_shape_binding){ .input = input, .rank = rank };
	memcpy(grown->dims, dims, rank * sizeof(*dims));
	return 0;
}

int tool_model_parse_shape(const struct tool_command *command, struct tool_model *model,
			   char *value)
{
	char *equals = strrchr(value, '=');
	int64_t dims[LOOM_GRAPH_RANK];
	char *at, *rest;
	uint32_t rank = 0;

	if (!equals || equals == value)
		return tool_usage(command, "--shape takes INPUT=N,N,.., not '%s'", value);
	*equals = '\0';
	/* nothing is the shape of a scalar; a size that is missing is a fault */
	rest = equals[1] ? equals + 1 : NULL;
	while ((at = strsep(&rest, ",x"))) {
		if (rank == LOOM_GRAPH_RANK)
			return tool_usage(command, "--shape %s: more than %d dimensions", value,
					  LOOM_GRAPH_RANK);
		if (tool_parse_number(at, false, &dims[rank++]))
			return tool_usage(command, "--shape %s: '%s' is not a size", value, at);
	}
	return tool_model_add_shape(model, value, rank, dims);
}

int tool_model_parse_value(const struct tool_command *command, struct tool_model *model,
			   char *value)
{
	struct tool_value *grown;
	char *equals = strrchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return tool_usage(command, "--value takes INPUT=V,V,.., not '%s'", value);
	*equals = '\0';
	grown = realloc(model->fixed, (model->num_fixed + 1) * sizeof(*grown));
	if (!grown)
		return tool_fail("no memory");
	model->fixed = grown;
	grown[model->num_fixed++] = (struct tool_value){ value, equals + 1 };
	return 0;
}

int tool_model_parse_state(const struct tool_command *command, struct tool_model *model,
			   char *value)
{
	struct loom_state_binding *grown;
	char *equals = strrchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return tool_usage(command, "--state takes OUTPUT=INPUT, not '%s'", value);
	*equals = '\0';
	grown = realloc(model->states, (model->num_states + 1) * sizeof(*grown));
	if (!grown)
		return tool_fail("no memory");
	model->states = grown;
	grown[model->num_states++] = (struct loom_state_binding){ value, equals + 1 };
	return 0;
}
