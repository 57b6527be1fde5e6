// SPDX-License-Identifier: MIT
/* Loading of files, and the caller's handles. */
#include "program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Takes ownership of @file's memory, also on failure. */
static int parse(struct loom_program_file *file, const void *bytes, size_t size_bytes,
		 const char *name, struct loom_program_file **out, struct loom_error *err)
{
	u32 i;
	int ret;

	file->name = name;
	if (loom_file_supported())
		ret = loom_file_read(file, bytes, size_bytes, err);
	else
		ret = loom_error_set(err, -EOPNOTSUPP,
				     "%s: program files are little endian, and this machine is not",
				     name);
	for (i = 0; i < file->count && !ret; i++) {
		file->programs[i].bytes = file->bytes;
		ret = loom_file_decode(&file->programs[i], err);
		if (!ret)
			ret = loom_file_check(&file->programs[i], err);
		if (!ret && memcmp(&file->programs->chip, &file->programs[i].chip,
				   sizeof(struct drm_loom_chip)))
			ret = loom_error_set(err, -EINVAL, "%s: its chip is another one",
					     file->programs[i].name);
		if (!ret && file->programs->origin.objective != file->programs[i].origin.objective)
			ret = loom_error_set(err, -EINVAL, "%s: its objective is another one",
					     file->programs[i].name);
	}
	if (!ret)
		ret = loom_file_place(file, err);
	/* the caller owns the name */
	file->name = NULL;
	if (ret) {
		loom_program_unload(file);
		return ret;
	}
	*out = file;
	return 0;
}

int loom_program_parse(const void *bytes, size_t size_bytes, const char *name,
		       struct loom_program_file **out, struct loom_error *err)
{
	struct loom_program_file *file = calloc(1, sizeof(*file));

	*out = NULL;
	if (!file)
		return loom_error_set(err, -ENOMEM, "%s: no memory", name);
	return parse(file, bytes, size_bytes, name, out, err);
}

static int map_file(struct loom_program_file *file, int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (S_ISDIR(stat.st_mode))
		return -EISDIR;
	/* an empty file or a device is no program: the reader reports that */
	if (!S_ISREG(stat.st_mode) || !stat.st_size)
		return 0;
	file->map = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file->map == MAP_FAILED) {
		file->map = NULL;
		return -errno;
	}
	file->map_bytes = (size_t)stat.st_size;
	return 0;
}

/* Must not block on a pipe. */
static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int loom_file_load(int fd, const char *name, struct loom_program_file **out,
		   struct loom_error *err)
{
	struct loom_program_file *file = calloc(1, sizeof(*file));
	int ret;

	*out = NULL;
	if (!file)
		return loom_error_set(err, -ENOMEM, "%s: no memory", name);
	ret = map_file(file, fd);
	if (ret) {
		loom_program_unload(file);
		return loom_error_set(err, ret, "%s: %s", name, strerror(-ret));
	}
	return parse(file, file->map, file->map_bytes, name, out, err);
}

int loom_program_load(const char *path, struct loom_program_file **out, struct loom_error *err)
{
	int saved = errno;
	int ret, fd;

	*out = NULL;
	if (!path)
		return loom_error_set(err, -EINVAL, "a program file has no path");
	fd = open_file(path);
	if (fd < 0) {
		ret = loom_error_set(err, -errno, "%s: %s", path, strerror(errno));
	} else {
		ret = loom_file_load(fd, path, out, err);
		close(fd);
	}
	errno = saved;
	return ret;
}

void loom_program_unload(struct loom_program_file *file)
{
	u32 i, k;

	if (!file)
		return;
	for (i = 0; file->programs && i < file->count; i++)
		for (k = 0; k < LOOM_FILE_PARTS; k++)
			free(file->programs[i].tables[k]);
	free(file->programs);
	free(file->bytes);
	if (file->map)
		munmap(file->map, file->map_bytes);
	free(file);
}

bool loom_program_file_is(const char *path)
{
	char magic[sizeof(LOOM_FILE_MAGIC) - 1];
	int saved = errno, fd = path ? open_file(path) : -1;
	ssize_t got = 0;

	if (fd >= 0) {
		got = read(fd, magic, sizeof(magic));
		close(fd);
	}
	errno = saved;
	return got == (ssize_t)sizeof(magic) && !memcmp(magic, LOOM_FILE_MAGIC, sizeof(magic));
}

const struct loom_program *loom_program_file_program(const struct loom_program_file *file)
{
	return &file->programs->program;
}

uint32_t loom_program_file_count(const struct loom_program_file *file)
{
	return file->count;
}

const struct loom_program *loom_program_file_at(const struct loom_program_file *file,
						uint32_t index)
{
	return index < file->count ? &file->programs[index].program : NULL;
}

const struct loom_program_origin *loom_program_file_origin(const struct loom_program_file *file)
{
	return &file->programs->origin;
}

int loom_program_file_section(const struct loom_program_file *file, uint32_t index,
			      struct loom_program_section *section)
{
	const struct loom_file_section *sections;
	uint32_t part;

	if (index > file->count * LOOM_FILE_DATA)
		return -ENOENT;
	part = index == file->count * LOOM_FILE_DATA ? LOOM_FILE_DATA : index % LOOM_FILE_DATA;
	sections = file->programs[part == LOOM_FILE_DATA ? 0 : index / LOOM_FILE_DATA].sections;
	*section = (struct loom_program_section){
		.name = loom_file_records[part].name,
		.offset = sections[part].offset,
		.size_bytes = sections[part].size_bytes,
		.count = sections[part].count,
	};
	return 0;
}

static int differs(struct loom_error *err, const struct drm_loom_chip *want,
		   const struct drm_loom_chip *has, const char *what, u64 a, u64 b)
{
	return loom_error_set(err, -EXDEV, "it is for chip '%s' with %llu %s, and '%s' has %llu",
			      want->name, (unsigned long long)a, what, has->name,
			      (unsigned long long)b);
}

static int compare_region(u32 id, const struct drm_loom_chip *want,
			  const struct drm_loom_chip *has, struct loom_error *err)
{
	const struct drm_loom_chip_region *a = &want->region[id], *b = &has->region[id];
	char what[64];
	const struct {
		const char *name;
		u64 a, b;
	} figures[] = {
		{ "banks", a->banks, b->banks },
		{ "sub-banks in a bank", a->sub_banks, b->sub_banks },
		{ "bytes of alignment", a->align_bytes, b->align_bytes },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		if (figures[i].a == figures[i].b)
			continue;
		snprintf(what, sizeof(what), "%s of %s", figures[i].name, loom_region_name(id));
		return differs(err, want, has, what, figures[i].a, figures[i].b);
	}
	if (a->flags & ~b->flags & DRM_LOOM_CHIP_IN_PLACE)
		return loom_error_set(err, -EXDEV,
				      "it is for chip '%s', which computes in %s, and '%s' does not",
				      want->name, loom_region_name(id), has->name);
	return 0;
}

int loom_program_file_fits(const struct loom_program_file *file, const struct drm_loom_chip *chip,
			   struct loom_error *err)
{
	const struct drm_loom_chip *want = &file->programs->chip;
	u32 i;
	int ret = 0;

	for (i = 0; i < DRM_LOOM_REGION_COUNT && !ret; i++)
		ret = compare_region(i, want, chip, err);
	if (ret)
		return ret;
	if (want->dtypes & ~chip->dtypes || want->opcodes & ~chip->opcodes)
		return loom_error_set(err, -EXDEV,
				      "it is for chip '%s', which has %s that '%s' has not",
				      want->name, want->dtypes & ~chip->dtypes ? "types" :
				      "operations", chip->name);
	return 0;
}
