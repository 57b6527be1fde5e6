// SPDX-License-Identifier: MIT
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a journal: OUT.journal, or OUT.journal.3-of-8. The first line says which grid it is of. */

#define SUFFIX	".journal"

static char *journal_head(const struct sweep *sweep)
{
	char *head;

	if (asprintf(&head, "loom-sweep 1 %016" PRIx64 " %u\n", sweep->hash, sweep->num_points) < 0)
		return NULL;
	return head;
}

static int fail_errno(const char *path, int code)
{
	return tool_fail("%s: %s", path, strerror(code));
}

static int take_row(struct sweep *sweep, const char *path, char *line)
{
	unsigned long index;
	char *end, *row;

	errno = 0;
	index = strtoul(line, &end, 10);
	if (end == line || *end != ',' || errno || index >= sweep->num_points)
		return tool_fail("%s: '%.40s' is no row of a sweep", path, line);
	row = strdup(end + 1);
	if (!row)
		return tool_fail("no memory");
	/* the same point twice: two shards that overlap; rows of a point are all alike */
	free(sweep->rows[index]);
	sweep->rows[index] = row;
	return 0;
}

static int read_file(struct sweep *sweep, const char *path)
{
	char *head = journal_head(sweep), *line = NULL;
	FILE *file = fopen(path, "r");
	size_t room = 0;
	ssize_t length;
	int ret = 0;

	if (!head || !file) {
		ret = fail_errno(path, errno);
		goto out;
	}
	length = getline(&line, &room, file);
	/* killed before the first line was complete */
	if (length <= 0 || line[length - 1] != '\n')
		goto out;
	if (strcmp(line, head)) {
		ret = tool_fail("%s is of another sweep: remove it to begin anew", path);
		goto out;
	}
	/* the last line may be torn: its point is planned again */
	while (!ret && (length = getline(&line, &room, file)) > 0 && line[length - 1] == '\n') {
		line[length - 1] = '\0';
		ret = take_row(sweep, path, line);
	}
out:
	if (file)
		fclose(file);
	free(head);
	free(line);
	return ret;
}

/* Calls @act for each journal of this CSV. */
static int each_journal(const struct sweep *sweep,
			int (*act)(struct sweep *sweep, const char *path), struct sweep *mine)
{
	char *folder = strdup(sweep->path), *name, *slash, *prefix = NULL, *path;
	struct dirent *entry;
	DIR *dir = NULL;
	int ret = 0;

	if (!folder)
		return tool_fail("no memory");
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	name = slash ? slash + 1 : folder;
	if (asprintf(&prefix, "%s" SUFFIX, name) < 0) {
		prefix = NULL;
		ret = tool_fail("no memory");
		goto out;
	}
	dir = opendir(!slash ? "." : *folder ? folder : "/");
	if (!dir) {
		ret = fail_errno(slash ? folder : ".", errno);
		goto out;
	}
	while (!ret && (entry = readdir(dir))) {
		const char *rest = entry->d_name + strlen(prefix);

		if (strncmp(entry->d_name, prefix, strlen(prefix)) || (*rest && *rest != '.'))
			continue;
		if (asprintf(&path, "%s" SUFFIX "%s", sweep->path, rest) < 0) {
			ret = tool_fail("no memory");
			break;
		}
		ret = act(mine, path);
		free(path);
	}
out:
	if (dir)
		closedir(dir);
	free(prefix);
	free(folder);
	return ret;
}

int sweep_journal_read(struct sweep *sweep)
{
	return each_journal(sweep, read_file, sweep);
}

static int remove_file(struct sweep *sweep, const char *path)
{
	(void)sweep;
	unlink(path);
	return 0;
}

void sweep_journal_remove(const struct sweep *sweep)
{
	each_journal(sweep, remove_file, NULL);
}

/* A write is short if the disk becomes full in it. */
static int append(int fd, const char *text, size_t length)
{
	ssize_t done = write(fd, text, length);

	if (done < 0)
		return -errno;
	return (size_t)done == length ? 0 : -ENOSPC;
}

/* Cuts off a torn last line, and writes the first line of an empty file. */
static int mend(const struct sweep *sweep, int fd)
{
	char *head = journal_head(sweep), block[4096];
	off_t size = lseek(fd, 0, SEEK_END), from;
	ssize_t got;
	int ret = 0;

	if (!head || size < 0) {
		free(head);
		return -EIO;
	}
	while (size > 0) {
		from = size > (off_t)sizeof(block) ? size - (off_t)sizeof(block) : 0;
		got = pread(fd, block, (size_t)(size - from), from);
		if (got != size - from) {
			ret = -EIO;
			break;
		}
		while (got > 0 && block[got - 1] != '\n')
			got--;
		size = from + got;
		if (got)
			break;
	}
	if (!ret && ftruncate(fd, size))
		ret = -errno;
	if (!ret && !size)
		ret = append(fd, head, strlen(head));
	free(head);
	return ret;
}

int sweep_journal_open(const struct sweep *sweep)
{
	char shard[40] = "", *path;
	int fd, ret;

	if (sweep->num_shards > 1)
		snprintf(shard, sizeof(shard), ".%u-of-%u", sweep->shard, sweep->num_shards);
	if (asprintf(&path, "%s" SUFFIX "%s", sweep->path, shard) < 0) {
		tool_fail("no memory");
		return -1;
	}
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0) {
		fail_errno(path, errno);
	} else if (flock(fd, LOCK_EX | LOCK_NB)) {
		tool_fail("%s: another sweep is writing there", path);
		close(fd);
		fd = -1;
	} else {
		ret = mend(sweep, fd);
		if (ret) {
			fail_errno(path, -ret);
			close(fd);
			fd = -1;
		}
	}
	free(path);
	return fd;
}

int sweep_journal_append(int fd, uint32_t index, const char *row)
{
	char *line;
	int length = asprintf(&line, "%u,%s\n", index, row), ret;

	if (length < 0)
		return -ENOMEM;
	/* one call: rows of several processes do not mix */
	ret = append(fd, line, (size_t)length);
	free(line);
	return ret;
}
