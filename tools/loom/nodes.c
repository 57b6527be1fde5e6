// SPDX-License-Identifier: MIT
/* The Loom nodes of this machine, and the driver that each of them is bound to. */
#include "loom_device.h"
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char folder[] = "/sys/class/accel";

/* The name of the bus driver: loom-soft, loom_pci. */
static void find_backend(struct tool_node *node)
{
	char path[96], real[PATH_MAX];
	struct stat info;

	snprintf(node->backend, sizeof(node->backend), "?");
	if (fstat(loom_device_fd(node->device), &info))
		return;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/driver", major(info.st_rdev),
		 minor(info.st_rdev));
	if (realpath(path, real))
		snprintf(node->backend, sizeof(node->backend), "%.*s",
			 (int)sizeof(node->backend) - 1, strrchr(real, '/') + 1);
}

static int add_node(struct tool_nodes *nodes, const char *path)
{
	struct tool_node *grown, node = { .device = NULL };
	int ret = loom_device_open(path, &node.device);

	if (ret)
		return ret;
	grown = realloc(nodes->nodes, (nodes->count + 1) * sizeof(*grown));
	if (!grown) {
		loom_device_close(node.device);
		return -ENOMEM;
	}
	nodes->nodes = grown;
	find_backend(&node);
	grown[nodes->count++] = node;
	return 0;
}

static int is_node(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "accel", 5);
}

static int add_all(struct tool_nodes *nodes)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_node, versionsort), i, ret = -ENODEV;
	char path[300];

	for (i = 0; i < count; i++) {
		int one;

		snprintf(path, sizeof(path), "/dev/accel/%s", entries[i]->d_name);
		one = add_node(nodes, path);
		/* report the error of the first node that cannot be opened */
		if (!nodes->count && ret == -ENODEV && one != -ENOENT)
			ret = one;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return nodes->count ? 0 : ret;
}

int tool_nodes_open(const char *path, struct tool_nodes *nodes)
{
	int ret;

	*nodes = (struct tool_nodes){ .count = 0 };
	ret = path ? add_node(nodes, path) : add_all(nodes);
	if (!ret)
		return 0;
	tool_nodes_close(nodes);
	if (ret == -ENODEV)
		return tool_fail("%s", path ? "not a Loom device node" :
				 "no Loom device: is the module loaded?");
	return tool_fail("opening the device: %s", strerror(-ret));
}

void tool_nodes_close(struct tool_nodes *nodes)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		loom_device_close(nodes->nodes[i].device);
	free(nodes->nodes);
	*nodes = (struct tool_nodes){ .count = 0 };
}

void tool_nodes_json(const struct tool_nodes *nodes, struct json *json)
{
	size_t i;

	json_open(json, "devices", '[');
	for (i = 0; i < nodes->count; i++) {
		json_open(json, NULL, '{');
		json_string(json, "device", loom_device_path(nodes->nodes[i].device));
		json_string(json, "backend", nodes->nodes[i].backend);
		json_string(json, "topology", loom_device_info(nodes->nodes[i].device)->name);
		json_close(json, '}');
	}
	json_close(json, ']');
}
