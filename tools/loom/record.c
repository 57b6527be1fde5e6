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
 *
 * No event tells that a handle is closed, or which job uses which buffer. But a buffer that is
 * freed while its client has no job, queued or running, was not in use since the last one ended: it
 * is freed late by that time. The columns "idle" and "upper" are the begin and end of it. Buffers
 * from before the recording, evicted ones, and those that are left at the end are never late.
 */

#define RECORD_TRACEFS	"/sys/kernel/tracing"

/* A buffer. Before it is freed @freed_us is 0; if it is freed in time @idle_us stays 0. */
struct record_buffer {
	unsigned long long client;
	uint64_t start;
	uint64_t bytes;
	uint64_t born_us;
	uint64_t idle_us;
	uint64_t freed_us;
	bool evicted;
	char label[DRM_LOOM_LABEL_BYTES + 1];
};

/* A client: jobs that began before the recording have numbers below @first_job. */
struct record_client {
	unsigned long long id;
	unsigned long long first_job;
	int64_t jobs;
	uint64_t idle_us;
};

/**
 * struct record - what happens to a region
 * @device: number of its node
 * @region: an &enum drm_loom_region
 * @info: of the region
 * @buffers: in the order in which they were allocated
 * @count: number of @buffers
 * @room: capacity of @buffers
 * @clients: that have queued jobs
 * @num_clients: number of @clients
 * @begin: time of the first moment, in seconds of the trace
 * @instance: folder in tracefs
 * @full: number of allocations for which there was no room
 * @lost: number of events that the kernel has dropped
 */
struct record {
	unsigned int device;
	uint32_t region;
	struct drm_loom_region_info info;
	struct record_buffer *buffers;
	size_t count;
	size_t room;
	struct record_client *clients;
	size_t num_clients;
	double begin;
	char instance[128];
	uint64_t full;
	uint64_t lost;
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

/* The last living buffer there, if possible one with that label. @bytes is 0: of any size. */
static struct record_buffer *record_find(struct record *record, uint64_t start, uint64_t bytes,
					 const char *label)
{
	struct record_buffer *found = NULL, *buffer;
	size_t i = record->count;

	while (i--) {
		buffer = &record->buffers[i];
		if (buffer->start != start || (bytes && buffer->bytes != bytes) || buffer->freed_us)
			continue;
		if (!strcmp(buffer->label, label))
			return buffer;
		found = found ? found : buffer;
	}
	return found;
}

static struct record_client *record_client(struct record *record, unsigned long long id)
{
	size_t i;

	for (i = 0; i < record->num_clients; i++)
		if (record->clients[i].id == id)
			return &record->clients[i];
	return NULL;
}

static int record_job(struct record *record, unsigned long long id, unsigned long long job,
		      bool submit, uint64_t now)
{
	struct record_client *client = record_client(record, id), *grown;

	if (!client && submit) {
		grown = realloc(record->clients, (record->num_clients + 1) * sizeof(*grown));
		if (!grown)
			return tool_fail("no memory");
		record->clients = grown;
		client = &grown[record->num_clients++];
		*client = (struct record_client){ .id = id, .first_job = job };
	}
	/* threads may trace in another order than that of the numbers */
	if (client && submit && job < client->first_job)
		client->first_job = job;
	if (!client || job < client->first_job)
		return 0;
	client->jobs += submit ? 1 : -1;
	client->idle_us = now;
	return 0;
}

static void record_free(struct record *record, struct record_buffer *buffer, uint64_t now)
{
	const struct record_client *client = record_client(record, buffer->client);

	buffer->freed_us = now;
	if (!buffer->client || buffer->evicted || (client && client->jobs > 0))
		return;
	buffer->idle_us = client && client->idle_us > buffer->born_us ? client->idle_us :
			  buffer->born_us;
}

static int record_block(struct record *record, const char *name, const struct record_buffer *seen)
{
	const bool labelled = !strcmp(name, "label");
	struct record_buffer *buffer;

	if (!strcmp(name, "alloc")) {
		buffer = record_add(record);
		if (!buffer)
			return tool_fail("no memory");
		*buffer = *seen;
		return 0;
	}
	/* a label is for a new buffer, which has none; it comes with loom_free, too */
	if (labelled && !seen->start)
		return 0;
	buffer = record_find(record, seen->start, labelled ? 0 : seen->bytes,
			     labelled ? "" : seen->label);
	if (!buffer)
		return 0;
	memcpy(buffer->label, seen->label, sizeof(buffer->label));
	if (!strcmp(name, "evict"))
		buffer->evicted = true;
	else if (!strcmp(name, "free"))
		record_free(record, buffer, seen->born_us);
	return 0;
}

/* A line of the trace: "task-7 [000] ..... 77.722896: loom_alloc: dev=0 client=5 region=0 ...". */
static int record_line(struct record *record, const char *line)
{
	const char *event = strstr(line, ": loom_"), *stamp = event;
	struct record_buffer seen = { 0 };
	unsigned long long job, start, bytes, lost;
	unsigned int device, region;
	char name[16];
	int fields;

	if (sscanf(line, "CPU:%*u [LOST %llu EVENTS]", &lost) == 1)
		record->lost += lost;
	if (!event)
		return 0;
	while (stamp > line && stamp[-1] != ' ')
		stamp--;
	if (!record->begin)
		record->begin = strtod(stamp, NULL);
	seen.born_us = (uint64_t)((strtod(stamp, NULL) - record->begin) * 1e6) + 1;
	if (sscanf(event, ": loom_%15[a-z]: dev=%u client=%llu", name, &device,
		   &seen.client) != 3 || device != record->device)
		return 0;
	event = strchr(event, '=');
	if (!strcmp(name, "submit") || !strcmp(name, "done"))
		return sscanf(event, "=%*u client=%*u job=%llu", &job) != 1 ? 0 :
		       record_job(record, seen.client, job, *name == 's', seen.born_us);
	fields = sscanf(event, "=%*u client=%*u region=%u start=%llx bytes=%llu label=%64[^\n]",
			&region, &start, &bytes, seen.label);
	if (fields < 1 || region != record->region)
		return 0;
	record->full += !strcmp(name, "full");
	if (fields < 3)
		return 0;
	seen.start = start;
	seen.bytes = bytes;
	return record_block(record, name, &seen);
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
		    record_find(record, blocks[i].address, blocks[i].bytes, ""))
			continue;
		buffer = record_add(record);
		if (!buffer) {
			ret = tool_fail("no memory");
			break;
		}
		*buffer = (struct record_buffer){ .start = blocks[i].address,
						  .bytes = blocks[i].bytes };
		memcpy(buffer->label, blocks[i].label, sizeof(blocks[i].label));
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

static void record_put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

static int record_save(const struct record *record, const struct tool_curves *curves)
{
	const uint64_t ceiling = record->info.bank_bytes;
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
	fprintf(out, "id,lower,upper,size,offset,client,label,idle,floor,ceiling\n");
	for (i = 0; i < record->count; i++) {
		const struct record_buffer *buffer = &record->buffers[i];
		const uint64_t upper = buffer->freed_us ? buffer->freed_us : last;

		fprintf(out, "b%zu,%llu,%llu,%llu,%llu,%llu,", i,
			(unsigned long long)buffer->born_us, (unsigned long long)upper,
			(unsigned long long)buffer->bytes, (unsigned long long)buffer->start,
			buffer->client);
		record_put_text(out, buffer->label);
		fprintf(out, ",%llu,%llu,%llu\n",
			(unsigned long long)(buffer->idle_us ? buffer->idle_us : upper),
			(unsigned long long)(ceiling - record->info.total_bytes),
			(unsigned long long)ceiling);
	}
	ret = fclose(out) ? tool_fail("no memory") : tool_save(curves->path, text, size);
	if (!ret && strcmp(curves->path, "-")) {
		printf("%zu buffers in %s, no room for %llu\n", record->count,
		       loom_region_name(record->region), (unsigned long long)record->full);
		if (record->lost)
			printf("  incomplete: the kernel has dropped %llu events\n",
			       (unsigned long long)record->lost);
		ret = tool_curves_show(curves, text, size);
	}
	free(text);
	return ret;
}

int tool_record(const struct loom_device *device, uint32_t region, double seconds,
		const struct tool_curves *curves)
{
	static const char *const events[] = {
		"loom_alloc", "loom_free", "loom_evict", "loom_label", "loom_submit", "loom_done",
		"loom_full",
	};
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
		ret = record_save(&record, curves);
	free(record.buffers);
	free(record.clients);
	return ret;
}
