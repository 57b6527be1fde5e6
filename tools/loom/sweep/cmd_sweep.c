// SPDX-License-Identifier: MIT
#include "../tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Run the script, next to this program or above it in build/; it calls this program again. */
static int tool_sweep_run(int argc, char **argv)
{
	static const char *const candidates[] = { "/loom-sweep", "/../loom-sweep" };
	char *self = realpath("/proc/self/exe", NULL), *script;
	size_t i;

	(void)argc;
	if (!self || setenv("LOOM_TOOL", self, 1))
		return tool_fail("sweep: %s", strerror(errno));
	*strrchr(self, '/') = '\0';
	for (i = 0; i < ARRAY_SIZE(candidates); i++) {
		if (asprintf(&script, "%s%s", self, candidates[i]) < 0)
			return tool_fail("no memory");
		execv(script, argv);
		free(script);
	}
	tool_fail("%s%s: %s", self, candidates[0], strerror(errno));
	free(self);
	return TOOL_FAILED;
}

const struct tool_command tool_sweep = {
	.name = "sweep",
	.usage = "MODEL... --vary WHAT=VALUES[,..] [OPTION...]",
	.text = "plan models for a grid of chips, into a table and plots",
	.help =
		"  MODEL[@INPUT=N,N..]  a model, with shapes of inputs\n"
		"  --vary WHAT=VALUES[,WHAT=VALUES..]\n"
		"                       FROM..TO:xFACTOR, FROM..TO:+STEP, or A/B/C..;\n"
		"                       --vary help lists the figures\n"
		TOOL_MODEL_HELP
		"                       --chip may be given several times\n"
		"  -o, --output FILE    the table (CSV; default: sweep.csv); FILE.journal has the rows\n"
		"                       so far: the same command continues a stopped sweep\n"
		"  --json               print the summary as JSON\n"
		"  --plots DIR          draw time, DRAM bytes and energy: a picture per model\n"
		"  -j, --jobs N         processes (default: as many as processors)\n"
		"  --shard I/N          plan each Nth point from I on, into a journal; the sweep without\n"
		"                       this option writes the table\n"
		"  --slurm FILE         write a script that runs the sweep as a job array of Slurm\n"
		"  --tasks N            tasks of the array (default: 100)\n",
	.examples =
		"  loom sweep net.onnx --vary sram=16k..256k:x2 -o sweep.csv\n"
		"  loom sweep net.onnx --chip mychip.yaml --vary dram=2/4/8 -o sweep.csv --plots plots\n",
	.run = tool_sweep_run,
};
