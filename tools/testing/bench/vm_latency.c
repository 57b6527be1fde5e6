// SPDX-License-Identifier: MIT
/*
 * Measured: how long the ioctls of a client take beside another client's long job on buffers that
 * fill the DRAM, against the same ioctls on an idle device.
 *
 *	vm_latency [UNITS]	length of the other's jobs, in sums of 2^30 elements (default 500,
 *				minutes on any machine)
 *
 * The buffers that fill the DRAM are sharded ones that are mostly padding, so that a machine needs
 * no more memory than a few pages for each. The baseline is the idle device, in the same run: time
 * beside the job holds processor time that the job takes from the client, too, which on a machine
 * with as many processors as busy threads is little.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "clock.h"
#include "node.h"

#define COLUMNS		1024
#define ROUNDS		200
#define PAGE		4096

struct client {
	int fd;
	struct drm_loom_device_info info;
	struct drm_loom_region_info dram;
	uint32_t context, null, plan, in, out;
	uint64_t bytes;
};

/* ------------------------------------------------------------------ plans */

struct plan {
	struct drm_loom_plan_header header;
	struct drm_loom_plan_slot slots[2];
	struct drm_loom_plan_tensor tensors[4];
	struct drm_loom_plan_step steps[3];
	struct drm_loom_attr_reduce attr;
	/* commands, then views */
	unsigned char tail[] __attribute__((aligned(8)));
};

#define ATTR_BYTES	(offsetof(struct plan, tail) - offsetof(struct plan, attr))

static struct drm_loom_plan_tensor tensor(uint32_t region, uint32_t slot, uint64_t offset,
					  uint32_t lanes, uint32_t first, uint32_t last)
{
	uint64_t row = COLUMNS * sizeof(float);

	return (struct drm_loom_plan_tensor) {
		.region = region,
		.slot = slot,
		.offset = offset,
		.size = region == DRM_LOOM_REGION_SRAM ? row : row * lanes,
		.first_step = first,
		.last_step = last,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { lanes, COLUMNS },
		.strides = { row, sizeof(float) },
	};
}

static struct drm_loom_plan_view view(uint32_t tensor, uint32_t lanes, uint32_t repeat)
{
	return (struct drm_loom_plan_view) {
		.tensor = tensor,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = repeat ? 3 : 2,
		.dims = { lanes, COLUMNS, repeat },
		.strides = { COLUMNS * sizeof(float), sizeof(float), 0 },
	};
}

static uint32_t plan_create(const struct client *client, const void *blob, uint64_t size)
{
	struct drm_loom_reject reject = { 0 };
	struct drm_loom_plan_create create = {
		.ptr = (uintptr_t)blob,
		.size = size,
		.reject = (uintptr_t)&reject,
		.reject_size = sizeof(reject),
	};

	if (ioctl(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &create)) {
		fprintf(stderr, "rule %u, step %u, command %u\n", reject.rule, reject.step,
			reject.command);
		fail("PLAN_CREATE");
	}
	return create.plan;
}

static uint32_t plan_null(const struct client *client)
{
	struct drm_loom_plan_header header = {
		.magic = DRM_LOOM_PLAN_MAGIC,
		.version = DRM_LOOM_PLAN_VERSION,
		.size = sizeof(header),
		.lanes = client->info.lanes,
		.slots = { sizeof(header), 0, sizeof(struct drm_loom_plan_slot) },
		.tensors = { sizeof(header), 0, sizeof(struct drm_loom_plan_tensor) },
		.steps = { sizeof(header), 0, sizeof(struct drm_loom_plan_step) },
		.commands = { sizeof(header), 0, sizeof(struct drm_loom_plan_command) },
		.views = { sizeof(header), 0, sizeof(struct drm_loom_plan_view) },
		.attrs = { sizeof(header), 0, 1 },
	};

	return plan_create(client, &header, sizeof(header));
}

/* Slot 1 = the sum over slot 0 read @repeat times, @rounds times over. */
static uint32_t plan_work(const struct client *client, uint32_t repeat, uint32_t rounds)
{
	uint32_t lanes = client->info.lanes, count = rounds + 2, i;
	uint64_t row = COLUMNS * sizeof(float);
	uint64_t size = sizeof(struct plan) + count * (sizeof(struct drm_loom_plan_command) +
						       2 * sizeof(struct drm_loom_plan_view));
	struct plan *plan = calloc(1, size);
	struct drm_loom_plan_command *commands;
	struct drm_loom_plan_view *views;
	uint32_t id;

	if (!plan)
		fail("calloc");
	commands = (void *)plan->tail;
	views = (void *)(commands + count);
	plan->header = (struct drm_loom_plan_header) {
		.magic = DRM_LOOM_PLAN_MAGIC,
		.version = DRM_LOOM_PLAN_VERSION,
		.size = size,
		.lanes = lanes,
		.scratch_bytes = 2 * row,
		.slots = { offsetof(struct plan, slots), 2, sizeof(plan->slots[0]) },
		.tensors = { offsetof(struct plan, tensors), 4, sizeof(plan->tensors[0]) },
		.steps = { offsetof(struct plan, steps), 3, sizeof(plan->steps[0]) },
		.commands = { offsetof(struct plan, tail), count, sizeof(commands[0]) },
		.views = { (uint64_t)((char *)views - (char *)plan), 2 * count, sizeof(views[0]) },
		.attrs = { offsetof(struct plan, attr), ATTR_BYTES, 1 },
	};
	plan->slots[0] = (struct drm_loom_plan_slot) {
		.size = row * lanes,
		.flags = DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_SPREAD,
	};
	plan->slots[1] = (struct drm_loom_plan_slot) {
		.size = row * lanes,
		.flags = DRM_LOOM_SLOT_WRITE | DRM_LOOM_SLOT_SPREAD,
	};
	plan->tensors[0] = tensor(DRM_LOOM_REGION_DRAM, 0, 0, lanes, 0, 0);
	plan->tensors[1] = tensor(DRM_LOOM_REGION_DRAM, 1, 0, lanes, 2, 2);
	plan->tensors[2] = tensor(DRM_LOOM_REGION_SRAM, 0, 0, lanes, 0, 1);
	plan->tensors[3] = tensor(DRM_LOOM_REGION_SRAM, 0, row, lanes, 1, 2);
	plan->steps[0].dma_commands = 1;
	plan->steps[1].first_command = 1;
	plan->steps[1].compute_commands = rounds;
	plan->steps[2].first_command = rounds + 1;
	plan->steps[2].dma_commands = 1;
	plan->attr.kind = DRM_LOOM_REDUCE_SUM;
	for (i = 0; i < count; i++) {
		bool load = i == 0, store = i == count - 1;

		commands[i] = (struct drm_loom_plan_command) {
			.opcode = load ? DRM_LOOM_OP_LOAD :
				  store ? DRM_LOOM_OP_STORE : DRM_LOOM_OP_REDUCE,
			.attr_size = load || store ? 0 : sizeof(plan->attr),
			.operands = 2,
			.first_view = 2 * i,
		};
		views[2 * i] = view(load ? 2 : store ? 1 : 3, lanes, load || store ? 0 : 1);
		views[2 * i + 1] = view(load ? 0 : store ? 3 : 2, lanes,
					load || store ? 0 : repeat);
	}
	id = plan_create(client, plan, size);
	free(plan);
	return id;
}

/* ---------------------------------------------------------------- buffers */

static uint32_t bo_create(const struct client *client, struct drm_loom_bo_create create)
{
	if (ioctl(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &create))
		fail("BO_CREATE");
	return create.handle;
}

static void bo_close(const struct client *client, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	if (ioctl(client->fd, DRM_IOCTL_GEM_CLOSE, &close))
		fail("GEM_CLOSE");
}

/* On all banks of the DRAM, @part of it, most of that padding. */
static uint32_t bo_hollow(const struct client *client, unsigned int part)
{
	uint64_t row = (uint64_t)client->dram.banks * PAGE;

	return bo_create(client, (struct drm_loom_bo_create) {
		.size = (client->bytes + row - 1) / row * row,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.page_bytes = PAGE,
		.page_columns = client->dram.banks,
		.shard_rows = (uint32_t)(client->dram.total_bytes / part / PAGE - 8),
		.shard_columns = 1,
		.grid_columns = client->dram.banks,
	});
}

static void client_open(struct client *client)
{
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_DEVICE,
		.ptr = (uintptr_t)&client->info,
		.size = sizeof(client->info),
	};
	struct drm_loom_context_create context = { .priority = DRM_LOOM_PRIORITY_NORMAL };

	client->fd = node_find();
	if (client->fd < 0)
		fail("open");
	if (ioctl(client->fd, DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY");
	query = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_REGION,
		.index = DRM_LOOM_REGION_DRAM,
		.ptr = (uintptr_t)&client->dram,
		.size = sizeof(client->dram),
	};
	if (ioctl(client->fd, DRM_IOCTL_LOOM_QUERY, &query))
		fail("QUERY");
	if (ioctl(client->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &context))
		fail("CONTEXT_CREATE");
	client->context = context.context;
	client->bytes = (uint64_t)client->info.lanes * COLUMNS * sizeof(float);
	client->null = plan_null(client);
}

static void submit(const struct client *client, uint32_t plan, uint32_t slots, uint32_t in,
		   uint32_t out)
{
	struct drm_loom_binding bindings[] = { { 0, in, 0 }, { 1, out, 0 } };
	struct drm_loom_submit args = {
		.context = client->context,
		.plan = plan,
		.bindings = { sizeof(bindings[0]), slots, (uintptr_t)bindings },
	};

	if (ioctl(client->fd, DRM_IOCTL_LOOM_SUBMIT, &args))
		fail("SUBMIT");
}

static bool busy(const struct client *client, uint32_t handle)
{
	struct drm_loom_bo_wait wait = { .handle = handle };

	if (!ioctl(client->fd, DRM_IOCTL_LOOM_BO_WAIT, &wait))
		return false;
	if (errno != ETIME)
		fail("BO_WAIT");
	return true;
}

/* ------------------------------------------------------------ operations */

enum {
	SRAM_CREATE,
	SUBMIT_EMPTY,
	SUBMIT_RESIDENT,
	DRAM_CREATE_IDLE,
	DRAM_CREATE_BUSY,
	OPERATIONS
};

static const char *const operation_name[] = {
	[SRAM_CREATE] = "BO_CREATE in the SRAM",
	[SUBMIT_EMPTY] = "SUBMIT of an empty plan",
	[SUBMIT_RESIDENT] = "SUBMIT with resident buffers",
	[DRAM_CREATE_IDLE] = "BO_CREATE, an idle buffer goes",
	[DRAM_CREATE_BUSY] = "BO_CREATE, the other's go",
};

/* The other: its buffers fill the DRAM but for a quarter and what the first client needs. */
struct hog {
	struct client client;
	uint32_t endless, bo[2];
	bool runs;
};

static void hog_run(struct hog *hog)
{
	submit(&hog->client, hog->runs ? hog->endless : hog->client.plan, 2, hog->bo[0],
	       hog->bo[1]);
}

/* Return: ns that the ioctl takes. */
static uint64_t measure(struct client *client, struct hog *hog, int operation, uint32_t *last)
{
	struct drm_loom_bo_create sram = { .size = PAGE, .region = DRM_LOOM_REGION_SRAM };
	uint64_t start = now_ns(), took;
	uint32_t handle;

	switch (operation) {
	case SRAM_CREATE:
		handle = bo_create(client, sram);
		took = now_ns() - start;
		bo_close(client, handle);
		return took;
	case SUBMIT_EMPTY:
		submit(client, client->null, 0, 0, 0);
		return now_ns() - start;
	case SUBMIT_RESIDENT:
		submit(client, client->plan, 2, client->in, client->out);
		return now_ns() - start;
	case DRAM_CREATE_IDLE:
		handle = bo_hollow(client, 4);
		took = now_ns() - start;
		if (*last)
			bo_close(client, *last);
		*last = handle;
		return took;
	default:
		/* its buffers come back, which evicts ours */
		hog_run(hog);
		start = now_ns();
		handle = bo_hollow(client, 2);
		took = now_ns() - start;
		bo_close(client, handle);
		return took;
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct figures {
	double median_us, high_us;
};

static struct figures run(struct client *client, struct hog *hog, int operation)
{
	static uint64_t samples[ROUNDS];
	uint32_t last = 0;

	for (int i = 0; i < ROUNDS; i++) {
		samples[i] = measure(client, hog, operation, &last);
		/* on an idle device a job of before is not measured along */
		while (!hog->runs && operation != DRAM_CREATE_BUSY && busy(client, client->out))
			usleep(100);
		if (!hog->runs)
			usleep(500);
	}
	if (last)
		bo_close(client, last);
	qsort(samples, ROUNDS, sizeof(samples[0]), compare);
	return (struct figures) { (double)samples[ROUNDS / 2] / 1000,
				  (double)samples[ROUNDS * 99 / 100] / 1000 };
}

int main(int argc, char **argv)
{
	uint32_t units = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500;
	struct figures idle[OPERATIONS], beside[OPERATIONS];
	struct drm_loom_bo_create small;
	struct client client;
	struct hog hog = { 0 };
	int probe = node_find();
	int operation;

	if (probe < 0) {
		printf("vm_latency: no loom device here, nothing measured\n");
		return 0;
	}
	close(probe);
	client_open(&client);
	client_open(&hog.client);
	small = (struct drm_loom_bo_create) { .size = client.bytes };
	client.in = bo_create(&client, small);
	client.out = bo_create(&client, small);
	client.plan = plan_work(&client, 1, 1);
	hog.client.plan = plan_work(&hog.client, 1, 1);
	hog.endless = plan_work(&hog.client, 65536, units);
	for (int i = 0; i < 2; i++)
		hog.bo[i] = bo_hollow(&hog.client, 3);
	submit(&client, client.plan, 2, client.in, client.out);

	for (operation = 0; operation < OPERATIONS; operation++)
		idle[operation] = run(&client, &hog, operation);
	while (busy(&hog.client, hog.bo[1]) || busy(&client, client.out))
		usleep(1000);
	hog.runs = true;
	submit(&client, client.plan, 2, client.in, client.out);
	hog_run(&hog);
	for (operation = 0; operation < OPERATIONS; operation++)
		beside[operation] = run(&client, &hog, operation);
	printf("the other's job %s\n", busy(&hog.client, hog.bo[1]) ?
	       "ran all the time" : "HAS ENDED: these are not figures, ask for more units");

	printf("%-32s %19s %19s %15s\n", "us, of 200 rounds", "idle", "beside", "ratio");
	printf("%-32s %9s %9s %9s %9s %7s %7s\n", "", "median", "99 %", "median", "99 %", "median",
	       "99 %");
	for (operation = 0; operation < OPERATIONS; operation++)
		printf("%-32s %9.1f %9.1f %9.1f %9.1f %7.2f %7.2f\n", operation_name[operation],
		       idle[operation].median_us, idle[operation].high_us,
		       beside[operation].median_us, beside[operation].high_us,
		       beside[operation].median_us / idle[operation].median_us,
		       beside[operation].high_us / idle[operation].high_us);
	close(hog.client.fd);
	close(client.fd);
	return 0;
}
