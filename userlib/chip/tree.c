// SPDX-License-Identifier: MIT
#include "tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "loom_core.h"
#include "number.h"

/**
 * struct tree - YAML that is being read
 * @parser: libyaml's
 * @pool: owner of the tree
 * @text: the whole text, to count lines where libyaml does not
 * @file: name for errors
 * @err: one line on failure, may be NULL
 * @count: nodes so far
 * @type: of the event that was read last
 * @line: of that event
 * @scalar: its text, if it is a scalar
 * @is_plain: it has no quotes
 */
struct tree {
	yaml_parser_t parser;
	struct loom_pool *pool;
	const char *text;
	const char *file;
	struct loom_error *err;
	uint32_t count;
	yaml_event_type_t type;
	uint32_t line;
	const char *scalar;
	bool is_plain;
};

static int __attribute__((format(printf, 3, 4)))
tree_fault(struct tree *tree, uint32_t line, const char *format, ...)
{
	char what[300];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return loom_error_set(tree->err, -EINVAL, "%s:%u: %s", tree->file, line, what);
}

static int tree_no_memory(struct tree *tree)
{
	return loom_error_set(tree->err, -ENOMEM, "%s: no memory", tree->file);
}

static int tree_not_yaml(struct tree *tree)
{
	const char *problem = tree->parser.problem ? tree->parser.problem : "unknown problem";
	uint32_t line = tree->parser.problem_mark.line + 1;
	size_t i;

	if (tree->parser.error == YAML_MEMORY_ERROR)
		return tree_no_memory(tree);
	/* for invalid UTF-8 only the offset is known */
	if (tree->parser.error == YAML_READER_ERROR)
		for (line = 1, i = 0; i < tree->parser.problem_offset; i++)
			line += tree->text[i] == '\n';
	return tree_fault(tree, line, "is not YAML: %s", problem);
}

static int tree_take_scalar(struct tree *tree, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;

	if (memchr(text, 0, length))
		return tree_fault(tree, tree->line, "a text has a NUL in it");
	tree->scalar = loom_pool_string(tree->pool, text);
	tree->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return tree->scalar ? 0 : tree_no_memory(tree);
}

static int tree_take(struct tree *tree, const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	tree->type = event->type;
	tree->line = event->start_mark.line + 1;
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return tree_fault(tree, tree->line, "aliases ('*') are not allowed");
	case YAML_SCALAR_EVENT:
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		return tree_fault(tree, tree->line, "anchors ('&') are not allowed");
	if (tag)
		return tree_fault(tree, tree->line, "tags ('!') are not allowed");
	return event->type == YAML_SCALAR_EVENT ? tree_take_scalar(tree, event) : 0;
}

/* Reads the next event and copies the needed parts, so that callers need not free it. */
static int tree_next(struct tree *tree)
{
	yaml_event_t event;
	int ret;

	if (!yaml_parser_parse(&tree->parser, &event))
		return tree_not_yaml(tree);
	ret = tree_take(tree, &event);
	yaml_event_delete(&event);
	return ret;
}

static bool tree_is_none(const struct tree *tree)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL", "none" };
	size_t i;

	for (i = 0; tree->is_plain && i < ARRAY_SIZE(words); i++)
		if (!strcmp(tree->scalar, words[i]))
			return true;
	return false;
}

/* Adds a node to @parent for the last event, without its children. */
static int tree_node(struct tree *tree, const struct loom_chip_node *parent, const char *key,
		     uint32_t key_line, struct loom_chip_node **out)
{
	struct loom_chip_node *node;
	char shown[LOOM_CHIP_SHOWN];

	if (++tree->count > LOOM_CHIP_MAX_NODES)
		return tree_fault(tree, tree->line, "more than %d values", LOOM_CHIP_MAX_NODES);
	node = loom_pool_alloc(tree->pool, sizeof(*node));
	if (!node)
		return tree_no_memory(tree);
	node->key = key;
	node->line = key ? key_line : tree->line;
	node->path = parent ? parent->path : "";
	if (key)
		node->path = loom_pool_print(tree->pool, "%s%s%s", node->path,
					     *node->path ? "." : "", loom_chip_show(shown, key));
	if (!node->path)
		return tree_no_memory(tree);
	node->kind = tree->type == YAML_SCALAR_EVENT ? LOOM_CHIP_SCALAR :
		     tree->type == YAML_MAPPING_START_EVENT ? LOOM_CHIP_MAP : LOOM_CHIP_LIST;
	if (node->kind == LOOM_CHIP_SCALAR) {
		node->text = tree->scalar;
		node->is_none = tree_is_none(tree);
	}
	*out = node;
	return 0;
}

/* Reads a key of @map from the last event; then reads the next event. */
static int tree_key(struct tree *tree, const struct loom_chip_node *map, const char **key,
		    uint32_t *line)
{
	const struct loom_chip_node *other;
	char shown[LOOM_CHIP_SHOWN];

	if (tree->type != YAML_SCALAR_EVENT)
		return tree_fault(tree, tree->line, "a key is not a word");
	*key = tree->scalar;
	*line = tree->line;
	for (other = map->child; other; other = other->next)
		if (!strcmp(other->key, *key))
			return tree_fault(tree, *line, "%s%s%s: is there twice, first in line %u",
					  map->path, *map->path ? "." : "",
					  loom_chip_show(shown, *key), other->line);
	return tree_next(tree);
}

/* Reads the children of a map or a list, up to its end. */
static int tree_fill(struct tree *tree, struct loom_chip_node *node, unsigned int depth)
{
	const yaml_event_type_t end = node->kind == LOOM_CHIP_MAP ? YAML_MAPPING_END_EVENT :
							      YAML_SEQUENCE_END_EVENT;
	struct loom_chip_node **last = &node->child;
	const char *key = NULL;
	uint32_t line = 0;
	int ret;

	if (depth == LOOM_CHIP_MAX_DEPTH)
		return tree_fault(tree, tree->line, "is nested too deep");
	for (;;) {
		ret = tree_next(tree);
		if (ret || tree->type == end)
			return ret;
		if (node->kind == LOOM_CHIP_MAP)
			ret = tree_key(tree, node, &key, &line);
		if (!ret)
			ret = tree_node(tree, node, key, line, last);
		if (!ret && (*last)->kind != LOOM_CHIP_SCALAR)
			ret = tree_fill(tree, *last, depth + 1);
		if (ret)
			return ret;
		last = &(*last)->next;
	}
}

static int tree_read(struct tree *tree, const struct loom_chip_node **root)
{
	struct loom_chip_node *node;
	int ret;

	/* begin of the stream and of the first document */
	ret = tree_next(tree);
	if (!ret)
		ret = tree_next(tree);
	if (!ret && tree->type == YAML_STREAM_END_EVENT)
		return tree_fault(tree, 1, "is empty");
	if (!ret)
		ret = tree_next(tree);
	if (!ret && tree->type != YAML_MAPPING_START_EVENT)
		return tree_fault(tree, tree->line, "is not a map of keys and values");
	if (!ret)
		ret = tree_node(tree, NULL, NULL, 0, &node);
	if (!ret)
		ret = tree_fill(tree, node, 0);
	/* end of the document and of the stream */
	if (!ret)
		ret = tree_next(tree);
	if (!ret)
		ret = tree_next(tree);
	if (!ret && tree->type != YAML_STREAM_END_EVENT)
		return tree_fault(tree, tree->line, "there is a second document");
	if (!ret)
		*root = node;
	return ret;
}

int loom_chip_tree(struct loom_pool *pool, const char *text, size_t size_bytes, const char *file,
		   const struct loom_chip_node **root, struct loom_error *err)
{
	struct tree tree = { .pool = pool, .text = text, .file = file, .err = err };
	int ret;

	if (size_bytes > LOOM_CHIP_MAX_FILE_BYTES)
		return loom_error_set(err, -EFBIG, "%s: is larger than %zu KiB", file,
				      LOOM_CHIP_MAX_FILE_BYTES >> 10);
	if (!yaml_parser_initialize(&tree.parser))
		return tree_no_memory(&tree);
	yaml_parser_set_encoding(&tree.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&tree.parser, (const unsigned char *)text, size_bytes);
	ret = tree_read(&tree, root);
	yaml_parser_delete(&tree.parser);
	return ret;
}
