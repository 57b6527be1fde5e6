// SPDX-License-Identifier: MIT
/*
 * Measured, on a device with memory of its own: bytes per second of its memory through a mapping,
 * of copies (BO_READ, BO_WRITE), of buffers that go to system memory and come back by its DMA
 * engine, and of jobs on a buffer that is in system memory because others share it; and jobs per
 * second with some in flight.
 *
 * Baselines, in the same run: memory of the processor's, and one job in flight. On a device without
 * memory of its own there are only the jobs.
 */
#include <sys/mman.h>

#include "client.h"

#define BYTES		(16ULL << 20)
#define ROUNDS		9
#define MOST_FLIGHT	8
#define SPAN_NS		2000000000ULL

static double mib_per_s(uint64_t *samples, uint64_t bytes)
{
	/* us */
	double median = client_percentile(samples, ROUNDS, 50);

	return median > 0 ? (double)bytes / 1048576 / (median / 1e6) : 0;
}

static void *map_handle(const struct client *client, uint32_t handle, uint64_t bytes)
{
	struct drm_loom_bo_info info = { .handle = handle };
	void *map;

	if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_INFO, &info))
		fail("BO_INFO");
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, client->fd,
		   (off_t)info.mmap_offset);
	if (map == MAP_FAILED)
		fail("mmap");
	return map;
}

/* ---------------------------------------------------------------- mappings */

static void touch_all(const char *what, unsigned char *at, unsigned char *other)
{
	uint64_t write[ROUNDS], read[ROUNDS];

	memset(at, 1, BYTES);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();

		memcpy(at, other, BYTES);
		write[i] = now_ns() - start;
		start = now_ns();
		memcpy(other, at, BYTES);
		read[i] = now_ns() - start;
	}
	printf("%-46s %9.0f %9.0f\n", what, mib_per_s(write, BYTES), mib_per_s(read, BYTES));
}

static uint64_t copy_ns(const struct client *client, unsigned long request, uint32_t handle,
			void *bytes)
{
	struct drm_loom_bo_copy copy = {
		.handle = handle, .size = BYTES, .ptr = (uintptr_t)bytes,
	};
	uint64_t start = now_ns();

	if (ioctl(client->fd, request, &copy) || copy.size != BYTES)
		fail("copying");
	return now_ns() - start;
}

static void copy_all(const char *what, const struct client *client, uint32_t handle, void *other)
{
	uint64_t write[ROUNDS], read[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		write[i] = copy_ns(client, DRM_IOCTL_LOOM_BO_WRITE, handle, other);
		read[i] = copy_ns(client, DRM_IOCTL_LOOM_BO_READ, handle, other);
	}
	printf("%-46s %9.0f %9.0f\n", what, mib_per_s(write, BYTES), mib_per_s(read, BYTES));
}

static void measure_mappings(const struct client *client, uint32_t map_bytes)
{
	unsigned char *other = malloc(BYTES), *host = malloc(BYTES);
	uint32_t handle;
	void *map;

	if (!other || !host)
		fail("malloc");
	memset(other, 2, BYTES);
	printf("%-46s %9s %9s\n", "MiB/s of 16 MiB, by the processor", "write", "read");
	touch_all("memory of the processor's", host, other);
	handle = client_bo(client, (struct drm_loom_bo_create){
		.size = BYTES, .page_bytes = map_bytes,
	});
	map = map_handle(client, handle, BYTES);
	touch_all("the device's memory, mapped", map, other);
	munmap(map, BYTES);
	copy_all("BO_WRITE, BO_READ", client, handle, other);
	client_bo_close(client, handle);
	free(host);
	free(other);
}

/* ------------------------------------------------------------------- moves */

/* A job that binds the buffer: it is where the device wants it when this returns. */
static uint64_t run_job(const struct client *client, uint32_t plan, uint32_t in, uint32_t out)
{
	uint64_t start = now_ns();

	client_submit(client, plan, 2, in, out);
	client_busy(client, in, 60000000000ULL);
	return now_ns() - start;
}

/* Pages smaller than the processor's: an access to one moves all of the buffer. */
static void measure_moves(const struct client *client, uint32_t map_bytes)
{
	struct drm_loom_bo_create odd = { .size = BYTES, .page_bytes = map_bytes / 2 };
	uint64_t clear[ROUNDS], out[ROUNDS], in[ROUNDS], job[ROUNDS];
	uint32_t plan = client_plan_sum(client, 1, 1), other = client_bo_plain(client), handle;
	unsigned char *map;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t start = now_ns();

		handle = client_bo(client, odd);
		/* behind the zeroing */
		clear[i] = now_ns() - start + run_job(client, plan, handle, other);
		job[i] = run_job(client, plan, handle, other);
		clear[i] = clear[i] > job[i] ? clear[i] - job[i] : 0;
		map = map_handle(client, handle, BYTES);
		start = now_ns();
		memset(map, 1, 64);
		out[i] = now_ns() - start;
		in[i] = run_job(client, plan, handle, other);
		in[i] = in[i] > job[i] ? in[i] - job[i] : 0;
		munmap(map, BYTES);
		client_bo_close(client, handle);
	}
	printf("\n%-46s %9s\n", "MiB/s of 16 MiB, by the device", "");
	printf("%-46s %9.0f\n", "a new buffer is zeroed", mib_per_s(clear, BYTES));
	printf("%-46s %9.0f\n", "a buffer goes to system memory", mib_per_s(out, BYTES));
	printf("%-46s %9.0f\n", "it comes back", mib_per_s(in, BYTES));
	client_bo_close(client, other);
}

/* -------------------------------------------------------------------- jobs */

/* A job of each of @flight contexts all the time. Return: jobs per second. */
static double jobs_per_s(const struct client *client, uint32_t plan, uint32_t flight)
{
	struct client queues[MOST_FLIGHT];
	uint32_t in[MOST_FLIGHT], out[MOST_FLIGHT], i;
	uint64_t start, jobs = 0;

	for (i = 0; i < flight; i++) {
		struct drm_loom_context_create context = { .priority = DRM_LOOM_PRIORITY_NORMAL };

		queues[i] = *client;
		if (ioctl(client->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &context))
			fail("CONTEXT_CREATE");
		queues[i].context = context.context;
		in[i] = client_bo_plain(client);
		out[i] = client_bo_plain(client);
		client_submit(&queues[i], plan, 2, in[i], out[i]);
	}
	start = now_ns();
	while (now_ns() - start < SPAN_NS)
		for (i = 0; i < flight; i++, jobs++) {
			client_busy(client, out[i], 60000000000ULL);
			client_submit(&queues[i], plan, 2, in[i], out[i]);
		}
	for (i = 0; i < flight; i++) {
		struct drm_loom_context_destroy context = { .context = queues[i].context };

		client_busy(client, out[i], 60000000000ULL);
		client_bo_close(client, in[i]);
		client_bo_close(client, out[i]);
		if (ioctl(client->fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &context))
			fail("CONTEXT_DESTROY");
	}
	return (double)jobs / ((double)(now_ns() - start) / 1e9);
}

static void measure_jobs(const struct client *client)
{
	static const uint32_t rounds[2] = { 1, 8 };
	static const uint32_t flights[3] = { 1, 2, MOST_FLIGHT };

	printf("\n%-46s %9s %9s %9s\n", "jobs/s, so many in flight", "1", "2", "8");
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t plan = client_plan_sum(client, 1, rounds[i]);

		printf("%-34s %11u", "sums of a row in each lane", rounds[i]);
		for (uint32_t k = 0; k < 3; k++)
			printf(" %9.0f", jobs_per_s(client, plan, flights[k]));
		printf("\n");
	}
}

int main(void)
{
	struct drm_loom_region_info dram;
	struct client client;

	if (!client_open(&client)) {
		printf("vm_bus: no loom device here, nothing measured\n");
		return 0;
	}
	dram = node_region(client.fd, DRM_LOOM_REGION_DRAM);
	if (dram.flags & DRM_LOOM_REGION_OWN && dram.map_bytes) {
		measure_mappings(&client, (uint32_t)dram.map_bytes);
		measure_moves(&client, (uint32_t)dram.map_bytes);
	}
	measure_jobs(&client);
	close(client.fd);
	return 0;
}
