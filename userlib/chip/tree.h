/* SPDX-License-Identifier: MIT */
/* YAML as a tree in which each node knows its line. */
#ifndef LOOM_CHIP_TREE_H
#define LOOM_CHIP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "loom_error.h"

/** size limit of a description, far above the need */
#define LOOM_CHIP_MAX_FILE_BYTES	((size_t)64 << 10)
#define LOOM_CHIP_MAX_NODES		1000
#define LOOM_CHIP_MAX_DEPTH		6

/**
 * enum loom_chip_node_kind - kind of a node
 * @LOOM_CHIP_SCALAR: a text
 * @LOOM_CHIP_MAP: keys and values
 * @LOOM_CHIP_LIST: a list
 */
enum loom_chip_node_kind {
	LOOM_CHIP_SCALAR,
	LOOM_CHIP_MAP,
	LOOM_CHIP_LIST,
};

/**
 * struct loom_chip_node - a node
 * @kind: its kind
 * @line: line of its key, or of itself if it has none; from 1
 * @key: in a map; else NULL
 * @path: keys from the root to this one, "memory.sram.banks"; for people
 * @text: of a scalar
 * @is_none: an unquoted scalar that is empty, "~", "null" or "none"
 * @child: of a map or a list: its first child
 * @next: the next node of the same map or list
 */
struct loom_chip_node {
	enum loom_chip_node_kind kind;
	uint32_t line;
	const char *key;
	const char *path;
	const char *text;
	bool is_none;
	struct loom_chip_node *child;
	struct loom_chip_node *next;
};

/**
 * loom_chip_tree() - parses YAML
 * @pool: owner of the tree
 * @text: YAML
 * @size_bytes: of @text
 * @file: name for errors
 * @root: [out] a map
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0, -EINVAL, -EFBIG, -ENOMEM.
 */
int loom_chip_tree(struct loom_pool *pool, const char *text, size_t size_bytes, const char *file,
		   const struct loom_chip_node **root, struct loom_error *err);

#endif /* LOOM_CHIP_TREE_H */
