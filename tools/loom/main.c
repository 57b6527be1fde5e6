// SPDX-License-Identifier: MIT
#include "tool.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static int tool_help_run(int argc, char **argv);
static int tool_version_run(int argc, char **argv);

static const struct tool_command tool_help = {
	.name = "help",
	.usage = "[COMMAND|--json]",
	.text = "list the commands, or the options of one",
	.help = "  --json               the list of commands as JSON\n",
	.examples =
		"  loom help plan\n"
		"  loom help --json\n",
	.run = tool_help_run,
};

static const struct tool_command tool_version = {
	.name = "version",
	.usage = "[--json]",
	.text = "print the version",
	.help = "  --json               as JSON\n",
	.examples =
		"  loom version\n"
		"  loom version --json\n",
	.run = tool_version_run,
};

static const struct tool_command *const tool_commands[] = {
	&tool_calibrate,
	&tool_chips,
	&tool_compile,
	&tool_device,
	&tool_info,
	&tool_inspect,
	&tool_join,
	&tool_model_table,
	&tool_place,
	&tool_plan,
	&tool_report,
	&tool_fit,
	&tool_run,
	&tool_sweep,
	&tool_top,
	&tool_verify,
	&tool_view,
	&tool_help,
	&tool_version,
};

static const struct tool_command *tool_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tool_commands); i++)
		if (!strcmp(tool_commands[i]->name, name))
			return tool_commands[i];
	return NULL;
}

static void tool_print_commands(FILE *file)
{
	size_t i;

	fputs("usage: loom COMMAND [OPTION...] [ARGUMENT...]\n\n", file);
	for (i = 0; i < ARRAY_SIZE(tool_commands); i++)
		fprintf(file, "  %-9s %s\n", tool_commands[i]->name, tool_commands[i]->text);
	fputs("\nloom help COMMAND lists its options.\n", file);
}

static void tool_json_command(struct json *json, const struct tool_command *command)
{
	json_open(json, NULL, '{');
	json_string(json, "name", command->name);
	json_string(json, "usage", command->usage);
	json_string(json, "text", command->text);
	json_close(json, '}');
}

static int tool_json_commands(void)
{
	struct json json;
	size_t i;

	json_begin(&json, stdout);
	json_open(&json, "commands", '[');
	for (i = 0; i < ARRAY_SIZE(tool_commands); i++)
		tool_json_command(&json, tool_commands[i]);
	json_close(&json, ']');
	json_end(&json);
	return 0;
}

static int tool_help_run(int argc, char **argv)
{
	const struct tool_command *command;

	if (argc < 2) {
		tool_print_commands(stdout);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--json"))
		return tool_json_commands();
	command = tool_find(argv[1]);
	if (!command || argc > 2)
		return tool_usage(&tool_help, "there is no command '%s'",
				  argv[command ? 2 : 1]);
	printf("usage: loom %s %s\n\n%s\n", command->name, command->usage, command->text);
	if (*command->help)
		printf("\n%s", command->help);
	if (command->examples)
		printf("\nExamples:\n%s", command->examples);
	return 0;
}

static int tool_version_run(int argc, char **argv)
{
	struct json json;

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "--json")))
		return tool_usage(&tool_version, "takes --json or nothing, not '%s'",
				  argv[argc - 1]);
	if (argc < 2) {
		printf("loom %s\n", loom_version_text());
		return 0;
	}
	json_begin(&json, stdout);
	json_string(&json, "version", loom_version_text());
	json_end(&json);
	return 0;
}

/*
 * Each candidate of a plan takes and frees tens of MiB: pages that are given back to the kernel in
 * between cost as much time as the search. Constants, which are larger, have mappings of their own.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 2 << 20);
#endif
}

int main(int argc, char **argv)
{
	const struct tool_command *command;
	int error, ret = tool_streams_filter();

	keep_memory();
	if (ret)
		return tool_fail("no memory");
	if (argc < 2) {
		tool_print_commands(stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		command = &tool_help;
	else if (!strcmp(argv[1], "--version"))
		command = &tool_version;
	else
		command = tool_find(argv[1]);
	if (!command) {
		fprintf(stderr, "loom: there is no command '%s' (see: loom help)\n", argv[1]);
		return TOOL_USAGE;
	}
	if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
		ret = tool_help_run(2, (char *[]){ argv[0], argv[1], NULL });
	else
		ret = command->run(argc - 1, argv + 1);
	/* A full disk or a closed pipe must not look like success. */
	error = tool_stdout_error();
	if (error)
		return tool_fail("standard output cannot be written: %s", strerror(-error));
	return ret;
}
