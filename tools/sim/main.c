// SPDX-License-Identifier: MIT
#include "sim.h"

int main(int argc, char **argv)
{
	static struct sim_options options;
	int ret = options_parse(&options, argc, argv);

	if (ret)
		return ret < 0 ? 0 : ret;
	return sim_supervise(&options);
}
