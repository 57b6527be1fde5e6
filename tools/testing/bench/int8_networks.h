/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_INT8_NETWORKS_H
#define LOOM_BENCH_INT8_NETWORKS_H

/* All published networks in eight bits by name, for benches and tests that go through them. */

#include "int8_irregular.h"

/**
 * struct int8_network - a network
 * @name: its name
 * @build: adds its layers
 */
struct int8_network {
	const char *name;
	void (*build)(struct int8_net *net);
};

static const struct int8_network int8_networks[] = {
	{ "mobilenet_v2", int8_mobilenet_v2 },
	{ "resnet50", int8_resnet50 },
	{ "vgg16", int8_vgg16 },
	{ "googlenet", int8_googlenet },
	{ "yolov5s", int8_yolov5s },
	{ "vgg19", int8_vgg19 },
	{ "densenet121", int8_densenet121 },
	{ "densenet121_all", int8_densenet121_all },
	{ "inception_v3", int8_inception_v3 },
	{ "unet512", int8_unet512 },
	{ "randwire_small", int8_randwire_small },
	{ "randwire_large", int8_randwire_large },
	{ "pnasnet", int8_pnasnet },
	{ "vit_tiny", int8_vit_tiny },
};

/* The network of a name, or NULL. */
static inline const struct int8_network *int8_find(const char *name)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(int8_networks); i++)
		if (!strcmp(int8_networks[i].name, name))
			return &int8_networks[i];
	return NULL;
}

#endif /* LOOM_BENCH_INT8_NETWORKS_H */
