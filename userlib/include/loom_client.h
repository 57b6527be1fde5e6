/* SPDX-License-Identifier: MIT */
/**
 * DOC: Clients of a device
 *
 * The clients of a node, as their fdinfo says: process, buffers per region and bank, engine time.
 * For tools such as loom top; a program that runs networks does not need it.
 */
#ifndef LOOM_CLIENT_H
#define LOOM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <drm/loom_accel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct loom_device;

/**
 * define LOOM_CLIENT_RANGES - ranges of banks that are kept; further ones are left out
 */
#define LOOM_CLIENT_RANGES	32

/**
 * struct loom_client_range - neighbouring banks of which a client has equally many bytes
 * @first: first bank
 * @last: last bank
 * @bytes: in each of them
 */
struct loom_client_range {
	uint32_t first;
	uint32_t last;
	uint64_t bytes;
};

/**
 * struct loom_client_memory - memory of a client in a region
 * @total_bytes: of all its buffers
 * @shared_bytes: of those that other clients have, too
 * @resident_bytes: of those that are in the banks now
 * @active_bytes: of those that a job uses now
 * @num_ranges: number of @ranges
 * @ranges: bytes by bank, in ascending order of banks
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
 * @pid: a process that has it open: the lowest pid
 * @command: name of that process; may hold any byte but a zero
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
 * Return: false if it is not that of a Loom node.
 */
bool loom_client_parse(const char *text, struct loom_client *client);

/**
 * loom_client_bank_bytes() - bytes of a client in one bank
 * @memory: of a region
 * @bank: from 0
 *
 * Return: bytes of its buffers there.
 */
uint64_t loom_client_bank_bytes(const struct loom_client_memory *memory, uint32_t bank);

/**
 * loom_client_list() - all clients of a device that the caller may know of
 * @device: the device; its own file counts, too
 * @list: [out] by id, from malloc
 * @count: [out] number of @list
 *
 * Processes of other users are seen by root, or with CAP_SYS_PTRACE.
 *
 * Return: 0, -ENOMEM, or -errno if /proc cannot be read.
 */
int loom_client_list(const struct loom_device *device, struct loom_client **list, size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_CLIENT_H */
