// SPDX-License-Identifier: MIT
/*
 * Options of a command. One that is given twice is an error: of two values one would be dropped
 * without a word. The exceptions collect values, and their help says so.
 */
#include "tool.h"

#include <string.h>

#define MOST	64

/* Those that collect values in each command that has them. */
static const char collect[] = "dim shape value state image input i vary pool forbid";

/* What was given, by what getopt_long() returns; and whether the last one was given before. */
static int seen[MOST];
static int num_seen;
static bool repeated;

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
