// SPDX-License-Identifier: MIT
/* loom join: several program files become one. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"

/**
 * struct tool_join - the programs of all files, in their order
 * @files: the files
 * @num_files: number of @files
 * @programs: the programs
 * @num_programs: number of @programs
 * @bytes: sum of the weights of all programs
 */
struct tool_join {
	struct loom_program_file **files;
	uint32_t num_files;
	const struct loom_program **programs;
	uint32_t num_programs;
	uint64_t bytes;
};

/* One file has one chip and one objective. */
static int tool_join_check(const struct tool_join *join, const char *first, const char *path)
{
	const struct loom_program_origin *a = loom_program_file_origin(join->files[0]);
	const struct loom_program_origin *b =
		loom_program_file_origin(join->files[join->num_files - 1]);

	if (memcmp(a->chip, b->chip, sizeof(*a->chip)))
		return tool_fail("%s is for chip '%s', and %s for %s", first, a->chip->name, path,
				 strcmp(a->chip->name, b->chip->name) ? b->chip->name :
				 "another one of that name");
	if (a->objective != b->objective)
		return tool_fail("%s was planned for %s, and %s for %s", first,
				 loom_objective_name(a->objective), path,
				 loom_objective_name(b->objective));
	return 0;
}

static int tool_join_add(struct tool_join *join, const char *first, const char *path)
{
	const struct loom_program **grown;
	struct loom_program_file *file;
	struct loom_error err;
	uint32_t i, count;

	if (loom_program_load(path, &file, &err))
		return tool_fail("%s", err.text);
	join->files[join->num_files++] = file;
	count = loom_program_file_count(file);
	grown = realloc(join->programs, (join->num_programs + count) * sizeof(*grown));
	if (!grown)
		return tool_fail("no memory");
	join->programs = grown;
	for (i = 0; i < count; i++) {
		grown[join->num_programs + i] = loom_program_file_at(file, i);
		join->bytes += loom_program_file_at(file, i)->stats.weights_bytes;
	}
	join->num_programs += count;
	return tool_join_check(join, first, path);
}

static void tool_join_report(const struct tool_join *join, const char *output, size_t size_bytes,
			     bool as_json)
{
	char a[TOOL_TEXT], b[TOOL_TEXT];
	struct json json;

	if (as_json) {
		json_begin(&json, stdout);
		json_string(&json, "file", output);
		json_u64(&json, "file_bytes", size_bytes);
		json_u64(&json, "programs", join->num_programs);
		json_u64(&json, "weights_bytes", join->bytes);
		json_end(&json);
		return;
	}
	printf("wrote      %s: %u programs, %s; their weights are %s one by one\n", output,
	       join->num_programs, tool_bytes(a, size_bytes), tool_bytes(b, join->bytes));
}

static int tool_join_files(struct tool_join *join, char **paths, int count, const char *output,
			   bool json)
{
	struct loom_error err;
	size_t size_bytes;
	void *bytes;
	int i, ret = tool_output_check(output);

	join->files = calloc(count, sizeof(struct loom_program_file *));
	if (!join->files)
		return tool_fail("no memory");
	for (i = 0; i < count && !ret; i++)
		ret = tool_join_add(join, paths[0], paths[i]);
	if (ret)
		return ret;
	if (loom_program_write_set(join->programs, join->num_programs,
				   loom_program_file_origin(join->files[0]), &bytes, &size_bytes,
				   &err))
		return tool_fail("%s: %s", output, err.text);
	ret = tool_save(output, bytes, size_bytes);
	free(bytes);
	if (!ret && strcmp(output, "-"))
		tool_join_report(join, output, size_bytes, json);
	return ret;
}

static int tool_join_run(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_join join = { 0 };
	const char *output = NULL;
	bool json = false;
	int option, ret;
	uint32_t i;

	opterr = 0;
	while ((option = tool_getopt(&tool_join, argc, argv, "o:", longs)) != -1) {
		if (option == 'o')
			output = optarg;
		else if (option == 'j')
			json = true;
		else
			return tool_bad_option(&tool_join, argv);
	}
	if (argc - optind < 2)
		return tool_usage(&tool_join, "takes two program files or more");
	if (!output)
		return tool_usage(&tool_join, "--output FILE says where the programs go");
	ret = tool_join_files(&join, argv + optind, argc - optind, output, json);
	for (i = 0; i < join.num_files; i++)
		loom_program_unload(join.files[i]);
	free(join.files);
	free(join.programs);
	return ret;
}

const struct tool_command tool_join = {
	.name = "join",
	.usage = "FILE FILE... --output FILE",
	.text = "put the programs of several files, such as one model's of several shapes, in one",
	.help =
		"  -o, --output FILE    the program file; weights that programs share are there once\n"
		"  --json               print the summary as JSON\n",
	.examples =
		"  loom join prompt.loom token.loom -o decoder.loom\n"
		"  loom run decoder.loom --program 1 --input random:1\n",
	.run = tool_join_run,
};
