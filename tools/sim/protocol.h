/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_PROTOCOL_H
#define LOOM_SIM_PROTOCOL_H

/*
 * vfio-user, as in QEMU's docs/interop/vfio-user.rst: the protocol between a PCI device in another
 * process and its client. Numbers are in the order of the machine. Names of regions and interrupts,
 * their flags and structures are those of linux/vfio.h.
 */

#include <stdint.h>

enum protocol_command {
	PROTOCOL_VERSION = 1,
	PROTOCOL_DMA_MAP = 2,
	PROTOCOL_DMA_UNMAP = 3,
	PROTOCOL_GET_INFO = 4,
	PROTOCOL_GET_REGION_INFO = 5,
	PROTOCOL_GET_REGION_IO_FDS = 6,
	PROTOCOL_GET_IRQ_INFO = 7,
	PROTOCOL_SET_IRQS = 8,
	PROTOCOL_REGION_READ = 9,
	PROTOCOL_REGION_WRITE = 10,
	PROTOCOL_DMA_READ = 11,
	PROTOCOL_DMA_WRITE = 12,
	PROTOCOL_RESET = 13,
};

/**
 * struct protocol_header - the first bytes of a message
 * @id: chosen by the requester, repeated in the reply
 * @command: an &enum protocol_command
 * @size: of the whole message
 * @flags: PROTOCOL_REPLY or zero, with PROTOCOL_NO_REPLY, PROTOCOL_ERROR
 * @error: with PROTOCOL_ERROR: an errno
 */
struct protocol_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;
	uint32_t flags;
	uint32_t error;
};

#define PROTOCOL_TYPE		0xf
#define PROTOCOL_REPLY		0x1
#define PROTOCOL_NO_REPLY	0x10
#define PROTOCOL_ERROR		0x20

/* PROTOCOL_MAP_READ, PROTOCOL_MAP_WRITE: flags of DMA_MAP */
#define PROTOCOL_MAP_READ	0x1
#define PROTOCOL_MAP_WRITE	0x2
/* PROTOCOL_UNMAP_ALL: flag of DMA_UNMAP */
#define PROTOCOL_UNMAP_ALL	0x2

/**
 * struct protocol_version - VERSION; JSON follows, with a NUL
 * @major: zero
 * @minor: one at most
 */
struct protocol_version {
	uint16_t major;
	uint16_t minor;
};

/**
 * struct protocol_map - DMA_MAP; with a file descriptor if the device may map it
 * @argsz: size of this
 * @flags: PROTOCOL_MAP_*
 * @offset: in the file
 * @address: on the bus
 * @size: bytes
 */
struct protocol_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t size;
};

/**
 * struct protocol_unmap - DMA_UNMAP
 * @argsz: size of this
 * @flags: PROTOCOL_UNMAP_ALL or zero
 * @address: on the bus
 * @size: bytes
 */
struct protocol_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t address;
	uint64_t size;
};

/**
 * struct protocol_access - REGION_READ, REGION_WRITE; the bytes follow where there are any
 * @offset: in the region
 * @region: index
 * @count: bytes
 */
struct protocol_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

/**
 * struct protocol_dma - DMA_READ, DMA_WRITE; the bytes follow where there are any
 * @address: on the bus
 * @count: bytes
 */
struct protocol_dma {
	uint64_t address;
	uint64_t count;
};

#endif /* LOOM_SIM_PROTOCOL_H */
