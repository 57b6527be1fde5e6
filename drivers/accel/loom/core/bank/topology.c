// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_topology.h"

#define KIB(n) ((u64)(n) << 10)
#define MIB(n) ((u64)(n) << 20)
#define GIB(n) ((u64)(n) << 30)

/*
 * Presets follow real chips where their figures are public. One alignment unit at the bottom of
 * each DRAM bank is reserved, as on real lockstep devices, which keep a barrier there.
 */
static const struct loom_topology loom_topologies[] = {
	{
		.name = "soft",
		.region = {
			{ 8, 1, MIB(256), 64, 64 },
			{ 16, 16, KIB(256), 0, 64 },
		},
		.compute_units = 1,
	},
	{
		.name = "tiny",
		.region = {
			{ 2, 1, MIB(16), 64, 64 },
			{ 4, 4, KIB(64), KIB(1), 16 },
		},
		.compute_units = 1,
	},
	{
		.name = "wormhole",
		.region = {
			{ 12, 1, 1073741824, 32, 32 },
			{ 64, 1, 1499136, 116416, 16 },
		},
		.compute_units = 1,
	},
	{
		.name = "blackhole",
		.region = {
			{ 8, 1, 4278190080, 64, 64 },
			{ 140, 1, 1572864, KIB(111), 16 },
		},
		.compute_units = 1,
	},
	{
		.name = "bm1684x",
		.region = {
			{ 1, 1, GIB(4), 4096, 4096 },
			{ 64, 16, KIB(256), 0, 64 },
		},
		.compute_units = 1,
	},
	{
		.name = "bm1688",
		.region = {
			{ 1, 1, GIB(4), 4096, 4096 },
			{ 32, 16, KIB(128), 0, 16 },
		},
		.compute_units = 1,
	},
	{
		.name = "cv181x",
		.region = {
			{ 1, 1, MIB(256), 4096, 4096 },
			{ 8, 8, KIB(32), 0, 16 },
		},
		.compute_units = 1,
	},
};

const struct loom_topology *loom_topology_get(unsigned int index)
{
	return index < ARRAY_SIZE(loom_topologies) ? &loom_topologies[index] : NULL;
}

const struct loom_topology *loom_topology_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(loom_topologies); i++)
		if (!strcmp(name, loom_topologies[i].name))
			return &loom_topologies[i];
	return NULL;
}
