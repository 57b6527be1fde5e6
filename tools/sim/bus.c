// SPDX-License-Identifier: MIT
#include "sim.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

/*
 * Requests of the client, message by message. Handlers must be fast, because a processor of the
 * guest waits for most answers.
 */

/* Most bytes of an access to a region, and what a client may send at a time. */
#define BUS_ACCESS	65536

static int bus_reply(struct sim *sim, const struct wire_message *ask, const void *head,
		     size_t head_bytes, const void *data, size_t data_bytes, int fd)
{
	struct protocol_header header = {
		.id = ask->header.id,
		.command = ask->header.command,
		.flags = PROTOCOL_REPLY,
	};

	if (ask->header.flags & PROTOCOL_NO_REPLY)
		return 0;
	return sim_dma_send(&sim->dma, &header, head, head_bytes, data, data_bytes, fd);
}

static int bus_refuse(struct sim *sim, const struct wire_message *ask, int error)
{
	struct protocol_header header = {
		.id = ask->header.id,
		.command = ask->header.command,
		.flags = PROTOCOL_REPLY | PROTOCOL_ERROR,
		.error = -error,
	};

	if (ask->header.flags & PROTOCOL_NO_REPLY)
		return 0;
	return sim_dma_send(&sim->dma, &header, NULL, 0, NULL, 0, -1);
}

static int bus_version(struct sim *sim, struct wire_message *ask)
{
	static const char json[] =
		"{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":65536}}";
	struct protocol_version version = { .major = 0, .minor = 0 };

	if (ask->bytes < sizeof(version) || ((struct protocol_version *)ask->data)->major)
		return bus_refuse(sim, ask, -EINVAL);
	return bus_reply(sim, ask, &version, sizeof(version), json, sizeof(json), -1);
}

static int bus_map(struct sim *sim, struct wire_message *ask)
{
	const struct protocol_map *map = (void *)ask->data;
	int ret;

	if (ask->bytes < sizeof(*map))
		return bus_refuse(sim, ask, -EINVAL);
	ret = sim_dma_map(&sim->dma, map, ask->fd_count ? ask->fds[0] : -1);
	return ret ? bus_refuse(sim, ask, ret) : bus_reply(sim, ask, NULL, 0, NULL, 0, -1);
}

static int bus_unmap(struct sim *sim, struct wire_message *ask)
{
	const struct protocol_unmap *unmap = (void *)ask->data;

	if (ask->bytes < sizeof(*unmap))
		return bus_refuse(sim, ask, -EINVAL);
	sim_dma_unmap(&sim->dma, unmap);
	return bus_reply(sim, ask, unmap, sizeof(*unmap), NULL, 0, -1);
}

static int bus_info(struct sim *sim, struct wire_message *ask)
{
	u32 info[4] = {
		sizeof(info), VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
		VFIO_PCI_NUM_REGIONS, VFIO_PCI_NUM_IRQS,
	};

	return bus_reply(sim, ask, info, sizeof(info), NULL, 0, -1);
}

static u64 bus_region_bytes(const struct sim *sim, u32 region)
{
	switch (region) {
	case LOOM_PCI_BAR_REGS:
		return LOOM_PCI_REGS_BYTES;
	case LOOM_PCI_BAR_MEMORY:
		return sim->memory.bar;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return CONFIG_BYTES;
	}
	return 0;
}

static int bus_region_info(struct sim *sim, struct wire_message *ask)
{
	struct vfio_region_info info = { .argsz = sizeof(info) };
	bool memory;

	if (ask->bytes < offsetof(struct vfio_region_info, cap_offset))
		return bus_refuse(sim, ask, -EINVAL);
	info.index = ((struct vfio_region_info *)ask->data)->index;
	if (info.index >= VFIO_PCI_NUM_REGIONS)
		return bus_refuse(sim, ask, -EINVAL);
	info.size = bus_region_bytes(sim, info.index);
	if (info.size)
		info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	memory = info.index == LOOM_PCI_BAR_MEMORY;
	if (memory)
		info.flags |= VFIO_REGION_INFO_FLAG_MMAP;
	return bus_reply(sim, ask, &info, sizeof(info), NULL, 0, memory ? sim->memory.fd : -1);
}

static int bus_irq_info(struct sim *sim, struct wire_message *ask)
{
	struct vfio_irq_info info = { .argsz = sizeof(info) };

	if (ask->bytes < sizeof(info))
		return bus_refuse(sim, ask, -EINVAL);
	info.index = ((struct vfio_irq_info *)ask->data)->index;
	if (info.index >= VFIO_PCI_NUM_IRQS)
		return bus_refuse(sim, ask, -EINVAL);
	if (info.index == VFIO_PCI_MSI_IRQ_INDEX) {
		info.count = LOOM_PCI_VECTORS;
		info.flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
	}
	return bus_reply(sim, ask, &info, sizeof(info), NULL, 0, -1);
}

static int bus_set_irqs(struct sim *sim, struct wire_message *ask)
{
	const struct vfio_irq_set *set = (void *)ask->data;
	u32 vectors;

	if (ask->bytes < sizeof(*set) || set->index >= VFIO_PCI_NUM_IRQS)
		return bus_refuse(sim, ask, -EINVAL);
	vectors = set->index == VFIO_PCI_MSI_IRQ_INDEX ? LOOM_PCI_VECTORS : 0;
	if (set->start > vectors || set->count > vectors - set->start)
		return bus_refuse(sim, ask, -EINVAL);
	if (vectors && set->flags & VFIO_IRQ_SET_ACTION_TRIGGER) {
		if (set->flags & VFIO_IRQ_SET_DATA_EVENTFD && set->count) {
			sim_irq_set_fd(&sim->records, ask->fd_count ? ask->fds[0] : -1);
			if (ask->fd_count)
				ask->fds[0] = -1;
		} else if (set->flags & VFIO_IRQ_SET_DATA_NONE && !set->count) {
			sim_irq_set_fd(&sim->records, -1);
		}
	}
	return bus_reply(sim, ask, NULL, 0, NULL, 0, -1);
}

/* ------------------------------------------------------------------ regions */

static void bus_config_event(struct sim *sim, enum config_event event)
{
	switch (event) {
	case CONFIG_NOTHING:
		break;
	case CONFIG_FUNCTION_RESET:
		sim_say(sim, "function reset");
		sim_function_reset(sim, false);
		sim_config_init(&sim->config, sim->memory.bar);
		break;
	case CONFIG_POWER_OFF:
		sim_say(sim, "off");
		sim_function_reset(sim, true);
		break;
	case CONFIG_POWER_ON:
		sim_say(sim, "on");
		sim_memory_lose(&sim->memory);
		sim_function_reset(sim, false);
		break;
	}
	atomic_store(&sim->dma.master, sim_config_is_master(&sim->config));
}

/* Registers are words; an access of eight bytes is two. */
static void bus_read_registers(struct sim *sim, u64 offset, u8 *out, u32 count)
{
	u32 word = 0, i;

	for (i = 0; i < count; i++) {
		u32 at = offset + i;

		if (!i || !(at & 3))
			word = sim_fuzz_register(&sim->faults, sim_register_read(sim, at & ~3U));
		out[i] = word >> 8 * (at & 3);
	}
}

static void bus_write_registers(struct sim *sim, u64 offset, const u8 *bytes, u32 count)
{
	u32 word, i;

	/* narrower writes, and those between two registers, have no effect */
	if (offset & 3 || count & 3)
		return;
	for (i = 0; i < count; i += 4) {
		memcpy(&word, bytes + i, sizeof(word));
		sim_register_write(sim, offset + i, word);
	}
}

static bool bus_access_ok(const struct sim *sim, const struct wire_message *ask)
{
	const struct protocol_access *access = (void *)ask->data;
	u64 size;

	if (ask->bytes < sizeof(*access))
		return false;
	size = bus_region_bytes(sim, access->region);
	return access->offset <= size && access->count <= size - access->offset &&
	       access->count <= BUS_ACCESS &&
	       (ask->header.command == PROTOCOL_REGION_READ ||
		ask->bytes - sizeof(*access) >= access->count);
}

static int bus_read(struct sim *sim, struct wire_message *ask)
{
	struct protocol_access access;
	u8 bytes[BUS_ACCESS];

	if (!bus_access_ok(sim, ask))
		return bus_refuse(sim, ask, -EINVAL);
	memcpy(&access, ask->data, sizeof(access));
	if (access.region == LOOM_PCI_BAR_REGS)
		bus_read_registers(sim, access.offset, bytes, access.count);
	else if (access.region == LOOM_PCI_BAR_MEMORY)
		memcpy(bytes, sim->memory.bytes + access.offset, access.count);
	else
		memcpy(bytes, sim->config.bytes + access.offset, access.count);
	return bus_reply(sim, ask, &access, sizeof(access), bytes, access.count, -1);
}

static int bus_write(struct sim *sim, struct wire_message *ask)
{
	struct protocol_access access;
	const u8 *bytes;

	if (!bus_access_ok(sim, ask))
		return bus_refuse(sim, ask, -EINVAL);
	memcpy(&access, ask->data, sizeof(access));
	bytes = ask->data + sizeof(access);
	if (access.region == LOOM_PCI_BAR_REGS)
		bus_write_registers(sim, access.offset, bytes, access.count);
	else if (access.region == LOOM_PCI_BAR_MEMORY)
		memcpy(sim->memory.bytes + access.offset, bytes, access.count);
	else if (access.count)
		bus_config_event(sim, sim_config_write(&sim->config, access.offset, bytes,
						       access.count));
	return bus_reply(sim, ask, &access, sizeof(access), NULL, 0, -1);
}

static int bus_reset(struct sim *sim, struct wire_message *ask)
{
	bus_config_event(sim, CONFIG_FUNCTION_RESET);
	return bus_reply(sim, ask, NULL, 0, NULL, 0, -1);
}

static int (*const bus_commands[])(struct sim *sim, struct wire_message *ask) = {
	[PROTOCOL_VERSION] = bus_version,
	[PROTOCOL_DMA_MAP] = bus_map,
	[PROTOCOL_DMA_UNMAP] = bus_unmap,
	[PROTOCOL_GET_INFO] = bus_info,
	[PROTOCOL_GET_REGION_INFO] = bus_region_info,
	[PROTOCOL_GET_IRQ_INFO] = bus_irq_info,
	[PROTOCOL_SET_IRQS] = bus_set_irqs,
	[PROTOCOL_REGION_READ] = bus_read,
	[PROTOCOL_REGION_WRITE] = bus_write,
	[PROTOCOL_RESET] = bus_reset,
};

static int bus_dispatch(struct sim *sim, struct wire_message *message)
{
	u32 command = message->header.command;

	if ((message->header.flags & PROTOCOL_TYPE) == PROTOCOL_REPLY) {
		sim_dma_answer(&sim->dma, message);
		return 0;
	}
	if (command >= ARRAY_SIZE(bus_commands) || !bus_commands[command])
		return bus_refuse(sim, message, -EOPNOTSUPP);
	return bus_commands[command](sim, message);
}

void sim_bus(struct sim *sim)
{
	struct wire_message message = { 0 };
	int ret;

	do {
		ret = wire_receive(sim->dma.socket, &message);
		if (!ret)
			ret = bus_dispatch(sim, &message);
		wire_close_fds(&message);
	} while (!ret);
	sim_dma_close(&sim->dma);
	free(message.data);
	sim_say(sim, "the connection has ended: %d", ret);
}
