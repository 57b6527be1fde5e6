// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loom_device.h"

/**
 * DOC: Recordings
 *
 * loom report --record follows the tracepoints of a device in a tracefs instance of its own, so
 * that other users of tracefs see nothing of it. It keeps the lifetime of each buffer, and writes
 * them as a file that loom place reads: a fixed item for each, in microseconds from the start.
 */

#define RECORD_TRACEFS	"/sys/kernel/tracing"

/* A buffer: @freed is 0 until it is freed. */
struct record_buffer {
	unsigned long long client;
	uint64_t start;
	uint64_t bytes;
	uint64_t born_us;
	uint64_t freed_us;
};

/**
 * struct record - what happens to a region
 * @device: number of its node
 * @region: an &enum drm_loom_region
 * @info: of the region
 * @buffers: in the order in which they were allocated
 * @count: number of @buffers
 * @room: capacity of @buffers
 * @begin: time of the first moment, in seconds of the trace
 * @instance: folder in tracefs
 * @full: number of events for which there was no room
 */
struct record {
	unsigned int device;
	uint32_t region;
	struct drm_loom_region_info info;
	struct record_buffer *buffers;
	size_t count;
	size_t room;
	double begin;
	char instance[128];
	uint64_t full;
};

static int record_write(const struct record *record, const char *file, const char *text)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", record->instance, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ret = tool_fail("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

static struct record_buffer *record_add(struct record *record)
{
	struct record_buffer *grown;

	if (record->count == record->room) {
		record->room = 2 * record->room + 256;
		grown = realloc(record->buffers, record->room * sizeof(*grown));
		if (!grown)
			return NULL;
		record->buffers = grown;
	}
	return &record->buffers[record->count++];
}

/* The last living buffer there. */
static struct record_buffer *record_find(struct record *record, uint64_t start, uint64_t bytes)
{
	size_t i = record->count;

	while (i--)
		if (record->buffers[i].start == start && record->buffers[i].bytes == bytes &&
		    !record->buffers[i].freed_us)
			return &record->buffers[i];
	return NULL;
}

/* A line of the trace: "task-7 [000] ..... 77.722896: loom_alloc: dev=0 client=5 region=0 ...". */
static int record_line(struct record *record, const char *line)
{
	const char *event = strstr(line, ": loom_"), *stamp = event;
	unsigned long long client, start, bytes;
	unsigned int device, region;
	struct record_buffer *buffer;
	uint64_t now;
	char name[16];

	if (!event)
		return 0;
	while (stamp > line && stamp[-1] != ' ')
		stamp--;
	if (!record->begin)
		record->begin = strtod(stamp, NULL);
	now = (uint64_t)((strtod(stamp, NULL) - record->begin) * 1e6) + 1;
	if (sscanf(event, ": loom_%15[a-z]: dev=%u client=%llu region=%u", name, &device, &client,
		   &region) != 4 || device != record->device || region != record->region)
		return 0;
	if (!strcmp(name, "full"))
		record->full++;
	event = strstr(event, "start=");
	if (!event || sscanf(event, "start=%llx bytes=%llu", &start, &bytes) != 2)
		return 0;
	buffer = strcmp(name, "alloc") ? record_find(record, start, bytes) : record_add(record);
	if (!strcmp(name, "alloc")) {
		if (!buffer)
			return tool_fail("no memory");
		*buffer = (struct record_buffer){ client, start, bytes, now, 0 };
	} else if (!strcmp(name, "free") && buffer) {
		buffer->freed_us = now;
	}
	return 0;
}

/* Buffers that are there before the first event. */
static int record_begin(struct record *record, const struct loom_device *device)
{
	struct drm_loom_block *blocks;
	struct record_buffer *buffer;
	size_t count, i;
	int ret;

	ret = loom_device_region(device, record->region, &record->info);
	if (!ret)
		ret = loom_device_blocks(device, record->region, &blocks, &count);
	if (ret)
		return tool_fail("%s: %s", loom_device_path(device), strerror(-ret));
	for (i = 0; i < count && !ret; i++) {
		if (!(blocks[i].flags & DRM_LOOM_BLOCK_ALLOCATED) ||
		    record_find(record, blocks[i].address, blocks[i].bytes))
			continue;
		buffer = record_add(record);
		if (buffer)
			*buffer = (struct record_buffer){ .start = blocks[i].address,
							  .bytes = blocks[i].bytes };
		else
			ret = tool_fail("no memory");
	}
	free(blocks);
	return ret;
}

static int record_follow(struct record *record, double seconds)
{
	struct pollfd poller[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct timespec end, now;
	char path[256], line[1024];
	sigset_t signals;
	FILE *pipe;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/trace_pipe", record->instance);
	poller[0].fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	pipe = poller[0].fd < 0 ? NULL : fdopen(poller[0].fd, "r");
	if (!pipe)
		return tool_fail("%s: %s", path, strerror(errno));
	/* blocked by tool_record(), so that the instance is always removed */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	poller[1].fd = signalfd(-1, &signals, SFD_CLOEXEC);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	end.tv_nsec += (long)((seconds - (time_t)seconds) * 1e9);
	do {
		poll(poller, 2, 100);
		while (!ret && fgets(line, sizeof(line), pipe))
			ret = record_line(record, line);
		clearerr(pipe);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!ret && !(poller[1].revents & POLLIN) &&
		 (!seconds || now.tv_sec - end.tv_sec + (now.tv_nsec - end.tv_nsec) / 1e9 < 0));
	fclose(pipe);
	close(poller[1].fd);
	return ret;
}

/* ----------------------------------------------------------------------- result */

/* State of the region at one moment. */
struct record_state {
	uint64_t allocated;
	uint64_t largest;
};

static int record_compare(const void *a, const void *b)
{
	const struct record_buffer *x = *(struct record_buffer *const *)a;
	const struct record_buffer *y = *(struct record_buffer *const *)b;

	return (x->start > y->start) - (x->start < y->start);
}

/* @alive: room for pointers to all buffers */
static struct record_state record_state_at(struct record *record, uint64_t moment,
					   struct record_buffer **alive)
{
	uint64_t at = record->info.bank_bytes - record->info.total_bytes;
	struct record_state state = { 0 };
	size_t i, n = 0;

	for (i = 0; i < record->count; i++)
		if (record->buffers[i].born_us <= moment &&
		    (!record->buffers[i].freed_us || record->buffers[i].freed_us > moment))
			alive[n++] = &record->buffers[i];
	qsort(alive, n, sizeof(*alive), record_compare);
	for (i = 0; i <= n; i++) {
		uint64_t start = i < n ? alive[i]->start : record->info.bank_bytes;
		uint64_t end = i < n ? start + alive[i]->bytes : start;

		if (start > at && start - at > state.largest)
			state.largest = start - at;
		if (end > at) {
			state.allocated += end - (start > at ? start : at);
			at = end;
		}
	}
	return state;
}

static int record_summary(struct record *record)
{
	struct record_buffer **alive = calloc(record->count + 1, sizeof(*alive));
	uint64_t peak = 0, peak_us = 0, largest = record->info.total_bytes, largest_us = 0;
	double fragmentation = 0, worst;
	char a[TOOL_TEXT], b[TOOL_TEXT];
	size_t i;

	if (!alive)
		return tool_fail("no memory");
	for (i = 0; i < record->count; i++) {
		const uint64_t moment = record->buffers[i].born_us;
		struct record_state state = record_state_at(record, moment, alive);
		uint64_t free_bytes = record->info.total_bytes - state.allocated;

		worst = free_bytes ? 1 - (double)state.largest / free_bytes : 0;
		fragmentation = worst > fragmentation ? worst : fragmentation;
		if (state.allocated > peak) {
			peak = state.allocated;
			peak_us = moment;
		}
		if (state.largest < largest) {
			largest = state.largest;
			largest_us = moment;
		}
	}
	free(alive);
	printf("%zu buffers in %s, no room for %llu\n", record->count,
	       loom_region_name(record->region), (unsigned long long)record->full);
	printf("  most allocated in a bank %s, after %.6f s\n", tool_bytes(a, peak), peak_us / 1e6);
	printf("  smallest largest free block %s, after %.6f s; fragmentation at most %.3f\n",
	       tool_bytes(b, largest), largest_us / 1e6, fragmentation);
	return 0;
}

static int record_save(const struct record *record, const char *path)
{
	uint64_t last = 1;
	size_t size, i;
	char *text;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return tool_fail("no memory");
	for (i = 0; i < record->count; i++) {
		const struct record_buffer *buffer = &record->buffers[i];

		last = buffer->born_us >= last ? buffer->born_us + 1 : last;
		last = buffer->freed_us > last ? buffer->freed_us : last;
	}
	fprintf(out, "id,lower,upper,size,offset,client\n");
	for (i = 0; i < record->count; i++) {
		const struct record_buffer *buffer = &record->buffers[i];

		fprintf(out, "b%zu,%llu,%llu,%llu,%llu,%llu\n", i,
			(unsigned long long)buffer->born_us,
			(unsigned long long)(buffer->freed_us ? buffer->freed_us : last),
			(unsigned long long)buffer->bytes, (unsigned long long)buffer->start,
			buffer->client);
	}
	ret = fclose(out) ? tool_fail("no memory") : tool_save(path, text, size);
	free(text);
	return ret;
}

int tool_record(const struct loom_device *device, uint32_t region, double seconds,
		const char *path)
{
	static const char *const events[] = { "loom_alloc", "loom_free", "loom_full" };
	const char *number = strrchr(loom_device_path(device), 'l');
	struct record record = { .region = region };
	sigset_t signals;
	char file[64];
	size_t i;
	int ret;

	record.device = number ? strtoul(number + 1, NULL, 10) : 0;
	snprintf(record.instance, sizeof(record.instance), RECORD_TRACEFS "/instances/loom-%d",
		 (int)getpid());
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (mkdir(record.instance, 0700))
		return tool_fail("%s: %s; recording takes root, and tracefs", record.instance,
				 strerror(errno));
	for (i = 0, ret = 0; i < sizeof(events) / sizeof(*events) && !ret; i++) {
		snprintf(file, sizeof(file), "events/loom/%s/enable", events[i]);
		ret = record_write(&record, file, "1");
	}
	if (!ret)
		ret = record_begin(&record, device);
	if (!ret)
		ret = record_follow(&record, seconds);
	if (rmdir(record.instance) && !ret)
		ret = tool_fail("%s: %s", record.instance, strerror(errno));
	if (!ret)
		ret = record_summary(&record);
	if (!ret)
		ret = record_save(&record, path);
	free(record.buffers);
	return ret;
}
