// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A word for a shell. */
static void put_word(FILE *out, const char *word)
{
	fputs(" '", out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

/* The command line again, without what is for this call only. */
static void put_command(FILE *out, const char *program, int argc, char **argv)
{
	static const char *const dropped[] = { "--slurm", "--tasks", "--jobs", "-j" };
	size_t k, length;
	int i;

	fputs("exec", out);
	put_word(out, program);
	fputs(" sweep", out);
	for (i = 1; i < argc; i++) {
		for (k = 0; k < ARRAY_SIZE(dropped); k++) {
			length = strlen(dropped[k]);
			if (!strncmp(argv[i], dropped[k], length) &&
			    (!argv[i][length] || argv[i][length] == '='))
				break;
		}
		if (k == ARRAY_SIZE(dropped))
			put_word(out, argv[i]);
		else if (!argv[i][length])
			i++;
	}
}

static char *own_path(void)
{
	return realpath("/proc/self/exe", NULL);
}

/*
 * The script submits itself: as an array, whose tasks plan a shard each, and as a job that waits
 * for the array, plans what tasks that failed have left, and writes the table.
 */
int sweep_slurm(const struct sweep *sweep, const char *path, uint32_t tasks, int argc,
		char **argv)
{
	char *folder = getcwd(NULL, 0), *program = own_path(), *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);
	int ret;

	if (tasks > sweep->num_points)
		tasks = sweep->num_points;
	if (!folder || !program || !out) {
		ret = tool_fail("no memory");
		goto out;
	}
	fputs("#!/bin/sh\n#SBATCH --job-name=loom-sweep --cpus-per-task=1\n", out);
	fprintf(out, "#SBATCH --output=%s.log --open-mode=append\n", sweep->path);
	fprintf(out, "# %u points in %u tasks. Submit with: sh %s\n", sweep->num_points, tasks,
		path);
	fputs("set -eu\n\ncd", out);
	put_word(out, folder);
	fprintf(out, "\nif [ -z \"${SLURM_JOB_ID-}\" ]; then\n");
	fprintf(out, "\tarray=$(sbatch --parsable --array=0-%u \"$0\")\n", tasks - 1);
	fputs("\tlast=$(sbatch --parsable --dependency=\"afterany:$array\" \"$0\")\n", out);
	fputs("\techo \"array $array, table by $last\"\n\texit\nfi\n", out);
	fprintf(out, "set --\nif [ -n \"${SLURM_ARRAY_TASK_ID-}\" ]; then\n");
	fprintf(out, "\tset -- --shard \"$SLURM_ARRAY_TASK_ID/%u\"\nfi\n", tasks);
	put_command(out, program, argc, argv);
	fputs(" --jobs 1 \"$@\"\n", out);
	ret = fclose(out) ? tool_fail("no memory") : 0;
	out = NULL;
	if (!ret)
		ret = tool_save(path, script, size);
	if (!ret)
		printf("%s: %u points in %u tasks; submit with: sh %s\n", path, sweep->num_points,
		       tasks, path);
out:
	if (out)
		fclose(out);
	free(script);
	free(folder);
	free(program);
	return ret;
}
