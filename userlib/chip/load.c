// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "loom_chip_file.h"
#include "number.h"
#include "values.h"

/* limit on the files in a chain of "extends" */
#define LOAD_MAX_FILES	8

/* memory limit for these files */
#define LOAD_BUDGET_BYTES	((size_t)8 << 20)

/**
 * struct load_source - a file in a chain
 * @name: for errors
 * @text: all of it
 * @size_bytes: of @text
 * @is_file: it is a file
 * @device: of the file
 * @inode: of the file
 */
struct load_source {
	const char *name;
	const char *text;
	size_t size_bytes;
	bool is_file;
	dev_t device;
	ino_t inode;
};

/**
 * struct load - a description that is being loaded
 * @pool: where texts and trees live
 * @err: one line on failure, may be NULL
 * @sources: the files: each extends the next
 * @roots: their trees
 * @count: number of files
 */
struct load {
	struct loom_pool *pool;
	struct loom_error *err;
	struct load_source sources[LOAD_MAX_FILES];
	const struct loom_chip_node *roots[LOAD_MAX_FILES];
	unsigned int count;
};

static bool load_ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

/* Whether a text is a path; names of chips are none. */
static bool load_is_path(const char *text)
{
	return strchr(text, '/') || load_ends_in(text, ".yaml") || load_ends_in(text, ".yml");
}

static int load_no_memory(struct load *load)
{
	return loom_error_set(load->err, -ENOMEM, "no memory");
}

static int load_read(struct load *load, int fd, struct load_source *source)
{
	char *text = loom_pool_alloc(load->pool, LOOM_CHIP_MAX_FILE_BYTES + 1);
	ssize_t got = 1;

	if (!text)
		return -ENOMEM;
	/* reading one byte more than the limit detects a larger file */
	while (got && source->size_bytes <= LOOM_CHIP_MAX_FILE_BYTES) {
		got = read(fd, text + source->size_bytes,
			   LOOM_CHIP_MAX_FILE_BYTES + 1 - source->size_bytes);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			source->size_bytes += got;
	}
	source->text = text;
	return 0;
}

/* Only regular files are read, because others (a FIFO, a terminal) could block the caller. */
static int load_open(struct load *load, const char *path, struct load_source *source)
{
	struct stat status;
	int fd, ret = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		ret = -errno;
	else if (S_ISDIR(status.st_mode))
		ret = -EISDIR;
	else if (!S_ISREG(status.st_mode))
		ret = -EINVAL;
	if (!ret) {
		source->is_file = true;
		source->device = status.st_dev;
		source->inode = status.st_ino;
		ret = load_read(load, fd, source);
	}
	close(fd);
	return ret;
}

static const char *load_open_fault(int code)
{
	return code == -EINVAL ? "Not a regular file" : strerror(-code);
}

static bool load_is_same(const struct load_source *a, const struct load_source *b)
{
	if (!a->is_file || !b->is_file)
		return a->text == b->text;
	return a->device == b->device && a->inode == b->inode;
}

/* Adds the file named by @node, the "extends" of the last one. */
static int load_base(struct load *load, const struct loom_chip_node *node)
{
	const struct load_source *last = &load->sources[load->count - 1];
	struct load_source source = { .name = NULL };
	char shown[LOOM_CHIP_SHOWN];
	const char *slash = strrchr(last->name, '/');
	unsigned int i;
	int ret;

	loom_chip_show(shown, node->text ? node->text : "");
	if (node->kind != LOOM_CHIP_SCALAR)
		return loom_error_set(load->err, -EINVAL, "%s:%u: extends: takes a name or a path",
				      last->name, node->line);
	if (load->count == LOAD_MAX_FILES)
		return loom_error_set(load->err, -EINVAL,
				      "%s:%u: extends: '%s' is number %d in a chain of at most %d",
				      last->name, node->line, shown, LOAD_MAX_FILES + 1,
				      LOAD_MAX_FILES);
	if (load_is_path(node->text)) {
		source.name = loom_pool_print(load->pool, "%.*s%s", slash && *node->text != '/' ?
					      (int)(slash + 1 - last->name) : 0, last->name,
					      node->text);
		if (!source.name)
			return load_no_memory(load);
		ret = load_open(load, source.name, &source);
		if (ret)
			return loom_error_set(load->err, ret, "%s:%u: extends: '%s': %s",
					      last->name, node->line, shown,
					      load_open_fault(ret));
	} else {
		source.text = loom_chip_text(node->text);
		if (!source.text)
			return loom_error_set(load->err, -EINVAL,
					      "%s:%u: extends: there is no chip '%s'", last->name,
					      node->line, shown);
		source.size_bytes = strlen(source.text);
		source.name = loom_pool_print(load->pool, "%s.yaml", node->text);
		if (!source.name)
			return load_no_memory(load);
	}
	for (i = 0; i < load->count; i++)
		if (load_is_same(&load->sources[i], &source))
			return loom_error_set(load->err, -EINVAL,
					      "%s:%u: extends: '%s' extends this file, too",
					      last->name, node->line, shown);
	load->sources[load->count++] = source;
	return 0;
}

/* Loads the trees of a file and of all files that it extends. */
static int load_chain(struct load *load)
{
	const struct loom_chip_node *node;
	const struct load_source *source;
	unsigned int i;
	int ret;

	for (i = 0; i < load->count; i++) {
		source = &load->sources[i];
		ret = loom_chip_tree(load->pool, source->text, source->size_bytes, source->name,
				     &load->roots[i], load->err);
		if (ret)
			return ret;
		for (node = load->roots[i]->child; node; node = node->next) {
			if (strcmp(node->key, "extends") || node->is_none)
				continue;
			ret = load_base(load, node);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int load_source(struct load *load, const struct load_source *source,
		       struct drm_loom_chip *chip)
{
	struct loom_chip_values *values;
	unsigned int i;
	int ret;

	values = loom_pool_alloc(load->pool, sizeof(*values));
	if (!values)
		return load_no_memory(load);
	values->opcodes = loom_chip_all_opcodes();
	load->sources[load->count++] = *source;
	ret = load_chain(load);
	for (i = load->count; !ret && i--;)
		ret = loom_chip_merge(values, load->sources[i].name, load->roots[i], load->err);
	return ret ? ret : loom_chip_resolve(values, source->name, chip, load->err);
}

int loom_chip_parse(const char *text, size_t size_bytes, const char *name,
		    struct drm_loom_chip *chip, struct loom_error *err)
{
	const struct load_source source = {
		.name = name, .text = text, .size_bytes = size_bytes,
	};
	struct load load = { .pool = loom_pool_create(LOAD_BUDGET_BYTES), .err = err };
	int ret;

	ret = load.pool ? load_source(&load, &source, chip) : load_no_memory(&load);
	loom_pool_destroy(load.pool);
	return ret;
}

static int load_unknown(const char *name, struct loom_error *err)
{
	struct loom_chip_guess guess = { .word = name };
	char shown[LOOM_CHIP_SHOWN], text[440];
	unsigned int i;

	for (i = 0; loom_chip_name(i); i++)
		loom_chip_guess_add(&guess, loom_chip_name(i));
	return loom_error_set(err, -ENXIO, "there is no chip '%s', %s",
			      loom_chip_show(shown, name),
			      loom_chip_guess_print(&guess, text, sizeof(text)));
}

int loom_chip_load(const char *path_or_name, struct drm_loom_chip *chip, struct loom_error *err)
{
	struct load_source source = { .name = path_or_name };
	struct load load = { .err = err };
	int saved = errno;
	int ret;

	if (!path_or_name)
		return loom_error_set(err, -EINVAL, "a chip has no name");
	if (!load_is_path(path_or_name)) {
		ret = loom_chip_find(path_or_name, chip);
		return ret == -ENOENT ? load_unknown(path_or_name, err) :
		       ret ? load_no_memory(&load) : 0;
	}
	load.pool = loom_pool_create(LOAD_BUDGET_BYTES);
	if (!load.pool)
		return load_no_memory(&load);
	ret = load_open(&load, path_or_name, &source);
	if (ret)
		loom_error_set(err, ret, "%s: %s", path_or_name, load_open_fault(ret));
	else
		ret = load_source(&load, &source, chip);
	loom_pool_destroy(load.pool);
	errno = saved;
	return ret;
}

int loom_chip_find(const char *name, struct drm_loom_chip *chip)
{
	const char *text = loom_chip_text(name);

	return text ? loom_chip_parse(text, strlen(text), name, chip, NULL) : -ENOENT;
}
