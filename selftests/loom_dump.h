/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_DUMP_H
#define LOOM_DUMP_H

/* The devcoredump of a job that has timed out. */
#include "loom_node.h"

#define LOOM_DUMPS	"/sys/class/devcoredump"

/* The dump of a loom device, which there is one of at most: its text, or the empty string. */
static inline void loom_read_dump(char *text, size_t size, bool drop)
{
	DIR *dir = opendir(LOOM_DUMPS);
	struct dirent *entry;

	text[0] = 0;
	while (dir && (entry = readdir(dir))) {
		char path[300];

		snprintf(path, sizeof(path), LOOM_DUMPS "/%s/data", entry->d_name);
		if (entry->d_name[0] == '.' || loom_read_file(path, text, size))
			continue;
		if (!strncmp(text, "loom: 1\n", 8)) {
			if (drop)
				loom_write_file(path, "1");
			break;
		}
		text[0] = 0;
	}
	if (dir)
		closedir(dir);
}

static inline uint64_t loom_dump_value(const char *text, const char *key)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "\n%s: ", key);
	at = strstr(text, line);
	return at ? strtoull(at + strlen(line), NULL, 0) : UINT64_MAX;
}

#endif /* LOOM_DUMP_H */
