/* SPDX-License-Identifier: MIT */
#ifndef LOOM_CLIENT_H
#define LOOM_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "loom.h"

struct loom_device;

/* more ranges of banks than this are added to the last: far more than anybody makes */
#define LOOM_CLIENT_RANGES	32

/**
 * struct loom_client_range - banks that a client takes as much of as of the one beside
 * @first: bank
 * @last: bank
 * @bytes: in each of them
 */
struct loom_client_range {
	uint32_t first;
	uint32_t last;
	uint64_t bytes;
};

/**
 * struct loom_client_memory - what a client has in a region
 * @total_bytes: its buffers
 * @shared_bytes: of those: others have them, too
 * @resident_bytes: of those: in the banks now
 * @active_bytes: of those: in use by a job
 * @num_ranges: number of @ranges
 * @ranges: what it takes of which banks
 */
struct loom_client_memory {
	uint64_t total_bytes;
	uint64_t shared_bytes;
	uint64_t resident_bytes;
	uint64_t active_bytes;
	uint32_t num_ranges;
	struct loom_client_range ranges[LOOM_CLIENT_RANGES];
};

/**
 * struct loom_client - an open file of a node, as its fdinfo says
 * @id: the driver's number of it
 * @pid: a process that has it open: the oldest
 * @command: its name; may hold any byte but a zero
 * @seen_ns: when this was read, CLOCK_MONOTONIC
 * @engine_ns: time that the engine has worked for it
 * @jobs: its jobs that have ended
 * @memory: by &enum drm_loom_region
 */
struct loom_client {
	uint64_t id;
	pid_t pid;
	char command[64];
	int64_t seen_ns;
	uint64_t engine_ns;
	uint64_t jobs;
	struct loom_client_memory memory[DRM_LOOM_REGION_COUNT];
};

/**
 * loom_client_parse() - reads an fdinfo
 * @text: all of it
 * @client: [out] @pid, @command and @seen_ns are left alone
 *
 * Return: false where it is not that of a Loom node.
 */
bool loom_client_parse(const char *text, struct loom_client *client);

/** loom_client_bank_bytes() - what a client takes of one bank */
uint64_t loom_client_bank_bytes(const struct loom_client_memory *memory, uint32_t bank);

/**
 * loom_client_list() - all clients of a device that the caller may know of
 * @device: the device; its own file counts, too
 * @list: [out] by id, from malloc
 * @count: [out] number of @list
 *
 * Others' processes are seen with the right to (root, CAP_SYS_PTRACE) only.
 *
 * Return: 0, -ENOMEM, or -errno where there is no /proc.
 */
int loom_client_list(const struct loom_device *device, struct loom_client **list, size_t *count);

#endif /* LOOM_CLIENT_H */
