/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_SIM_CLIENT_H
#define LOOM_TESTS_SIM_CLIENT_H

/*
 * Plays QEMU for loom-sim: starts it, connects, negotiates, has memory that the device may reach,
 * and an interrupt. The memory is given as a file, or kept private; then the device has to ask for
 * each access, and is refused beyond its end, and in a hole in its middle.
 */

#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loom_core.h"
#include "pci/regs.h"
#include "sim/wire.h"
#include "tap.h"

/* Where the memory is on the bus: not at zero, and above what fits in 32 bits. */
#define RAM_BASE	0x100000000ULL
#define RAM_BYTES	(96ULL << 20)
/* Nothing is at RAM_BASE + HOLE. */
#define HOLE		(95ULL << 20)
#define HOLE_BYTES	65536

/**
 * struct client - a client of the device
 * @folder: of the sockets
 * @server: the process of loom-sim
 * @socket: the connection, or -1
 * @shared: the memory is given as a file
 * @ram: the memory
 * @ram_fd: its file
 * @irq: eventfd of the interrupt
 * @bar2: the device's memory
 * @bar2_bytes: of it
 * @id: of the last message
 * @message: the last message that was received
 */
struct client {
	char folder[32];
	pid_t server;
	int socket;
	bool shared;
	u8 *ram;
	int ram_fd;
	int irq;
	u8 *bar2;
	u64 bar2_bytes;
	u16 id;
	struct wire_message message;
};

static inline u64 client_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* build/host/sim/NAME tests build/loom-sim, and build/asan/host/sim/NAME build/asan/loom-sim. */
static inline const char *client_binary(void)
{
	static char path[512];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *end;

	if (length < 0)
		tap_fatal("who am I?");
	path[length] = 0;
	end = strstr(path, "/host/sim/");
	if (!end || end + 32 > path + sizeof(path))
		tap_fatal("%s is in no build folder", path);
	memcpy(end, "/loom-sim", sizeof("/loom-sim"));
	return path;
}

static inline void client_path(const struct client *client, const char *name, char *path,
			       size_t size)
{
	snprintf(path, size, "%s/%s", client->folder, name);
}

static inline int client_dial(const struct client *client, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), tries;

	client_path(client, name, address.sun_path, sizeof(address.sun_path));
	/* it may not listen yet */
	for (tries = 0; tries < 1000; tries++) {
		if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
			return fd;
		usleep(10000);
	}
	tap_fatal("%s: nobody listens", address.sun_path);
	return -1;
}

/* -------------------------------------------------------------- the memory */

static inline bool client_may(u64 address, u64 bytes)
{
	u64 at = address - RAM_BASE;

	if (address < RAM_BASE || at > RAM_BYTES || bytes > RAM_BYTES - at)
		return false;
	return at + bytes <= HOLE || at >= HOLE + HOLE_BYTES;
}

/* The device asks for bytes of the memory. */
static inline void client_serve(struct client *client)
{
	const struct wire_message *ask = &client->message;
	struct protocol_dma dma;
	struct protocol_header header = {
		.id = ask->header.id,
		.command = ask->header.command,
		.flags = PROTOCOL_REPLY,
	};
	bool write = ask->header.command == PROTOCOL_DMA_WRITE;
	u8 *at;

	memcpy(&dma, ask->data, sizeof(dma));
	if (!client_may(dma.address, dma.count)) {
		header.flags |= PROTOCOL_ERROR;
		header.error = EFAULT;
		wire_send(client->socket, &header, NULL, 0, NULL, 0, -1);
		return;
	}
	at = client->ram + (dma.address - RAM_BASE);
	if (write)
		memcpy(at, ask->data + sizeof(dma), dma.count);
	wire_send(client->socket, &header, &dma, sizeof(dma), at, write ? 0 : dma.count, -1);
}

/* Takes a message: 1 if it was an answer, 0 if it was served, -errno at the end. */
static inline int client_take(struct client *client)
{
	int ret = wire_receive(client->socket, &client->message);

	if (ret)
		return ret;
	if ((client->message.header.flags & PROTOCOL_TYPE) == PROTOCOL_REPLY)
		return 1;
	client_serve(client);
	return 0;
}

/* ---------------------------------------------------------------- messages */

/* Asks, and waits for the answer, which is in @client->message. 0 or -errno. */
static inline int client_call_fd(struct client *client, u32 command, const void *head,
				 size_t head_bytes, const void *data, size_t data_bytes, int fd)
{
	struct protocol_header header = { .id = ++client->id, .command = command };
	int ret = wire_send(client->socket, &header, head, head_bytes, data, data_bytes, fd);

	while (!ret) {
		ret = client_take(client);
		if (ret == 1)
			break;
	}
	if (ret < 0)
		return ret;
	if (client->message.header.id != header.id || client->message.header.command != command)
		return -EPROTO;
	if (client->message.header.flags & PROTOCOL_ERROR)
		return -(int)client->message.header.error;
	return 0;
}

static inline int client_call(struct client *client, u32 command, const void *head, size_t bytes)
{
	return client_call_fd(client, command, head, bytes, NULL, 0, -1);
}

static inline int client_read(struct client *client, u32 region, u64 offset, void *out, u32 count)
{
	struct protocol_access access = { .offset = offset, .region = region, .count = count };
	int ret = client_call(client, PROTOCOL_REGION_READ, &access, sizeof(access));

	if (ret)
		return ret;
	if (client->message.bytes != sizeof(access) + count)
		return -EPROTO;
	memcpy(out, client->message.data + sizeof(access), count);
	return 0;
}

static inline int client_write(struct client *client, u32 region, u64 offset, const void *data,
			       u32 count)
{
	struct protocol_access access = { .offset = offset, .region = region, .count = count };

	return client_call_fd(client, PROTOCOL_REGION_WRITE, &access, sizeof(access), data, count,
			      -1);
}

/* A register; all ones if the device is gone. */
static inline u32 client_get(struct client *client, u32 offset)
{
	u32 value;

	return client_read(client, LOOM_PCI_BAR_REGS, offset, &value, 4) ? U32_MAX : value;
}

static inline u64 client_get64(struct client *client, u32 offset)
{
	return client_get(client, offset) | (u64)client_get(client, offset + 4) << 32;
}

static inline void client_set(struct client *client, u32 offset, u32 value)
{
	client_write(client, LOOM_PCI_BAR_REGS, offset, &value, 4);
}

static inline void client_set64(struct client *client, u32 offset, u64 value)
{
	client_set(client, offset, value);
	client_set(client, offset + 4, value >> 32);
}

static inline u32 client_config(struct client *client, u32 offset, u32 count)
{
	u32 value = 0;

	return client_read(client, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, count) ?
		       U32_MAX : value;
}

static inline void client_set_config(struct client *client, u32 offset, u32 value, u32 count)
{
	client_write(client, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, count);
}

/* Serves the device until its interrupt comes: how many, 0 after @ms, -1 if it is gone. */
static inline int client_wait_irq(struct client *client, u64 ms)
{
	u64 end = client_now_ms() + ms, count;

	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = client->socket, .events = POLLIN },
			{ .fd = client->irq, .events = POLLIN },
		};
		u64 now = client_now_ms();

		if (poll(fds, 2, now < end ? end - now : 0) <= 0)
			return 0;
		if (fds[0].revents && client_take(client))
			return -1;
		if (fds[1].revents && read(client->irq, &count, sizeof(count)) == sizeof(count))
			return count;
	}
}

/* ------------------------------------------------------------------- life */

static inline void client_map(struct client *client, u64 at, u64 bytes)
{
	struct protocol_map map = {
		.argsz = sizeof(map), .flags = PROTOCOL_MAP_READ | PROTOCOL_MAP_WRITE,
		.offset = at, .address = RAM_BASE + at, .size = bytes,
	};

	if (client_call_fd(client, PROTOCOL_DMA_MAP, &map, sizeof(map), NULL, 0,
			   client->shared ? client->ram_fd : -1))
		tap_fatal("DMA_MAP failed");
}

static inline void client_map_bar2(struct client *client)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = LOOM_PCI_BAR_MEMORY };

	if (client_call(client, PROTOCOL_GET_REGION_INFO, &info, sizeof(info)) ||
	    client->message.fd_count != 1)
		tap_fatal("no file for BAR2");
	memcpy(&info, client->message.data, sizeof(info));
	client->bar2_bytes = info.size;
	client->bar2 = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			    client->message.fds[0], 0);
	wire_close_fds(&client->message);
	if (client->bar2 == MAP_FAILED)
		tap_fatal("BAR2 cannot be mapped");
}

static inline void client_set_irq(struct client *client, int fd)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set) + 4,
		.flags = VFIO_IRQ_SET_ACTION_TRIGGER |
			 (fd < 0 ? VFIO_IRQ_SET_DATA_NONE : VFIO_IRQ_SET_DATA_EVENTFD),
		.index = VFIO_PCI_MSI_IRQ_INDEX,
		.count = fd >= 0,
	};

	if (client_call_fd(client, PROTOCOL_SET_IRQS, &set, sizeof(set), NULL, 0, fd))
		tap_fatal("SET_IRQS failed");
}

/* Says hello and gives memory and interrupt, as QEMU does. */
static inline void client_connect(struct client *client)
{
	struct protocol_version version = { .minor = 1 };
	static const char json[] = "{\"capabilities\":{\"max_msg_fds\":8}}";

	client->socket = client_dial(client, "device");
	if (client_call_fd(client, PROTOCOL_VERSION, &version, sizeof(version), json,
			   sizeof(json), -1))
		tap_fatal("VERSION failed");
	client_map(client, 0, HOLE);
	client_map(client, HOLE + HOLE_BYTES, RAM_BYTES - HOLE - HOLE_BYTES);
	client_map_bar2(client);
	client_set_irq(client, client->irq);
	client_set_config(client, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
}

static inline void client_disconnect(struct client *client)
{
	close(client->socket);
	client->socket = -1;
	munmap(client->bar2, client->bar2_bytes);
}

/* @options: of loom-sim, beside its sockets; NULL at the end */
static inline void client_start(struct client *client, bool shared, const char *const *options)
{
	char device[64], control[64];
	const char *argv[24] = { client_binary(), "--socket", device, "--control", control };
	u32 i;

	*client = (struct client){ .folder = "/tmp/loom-sim.XXXXXX", .shared = shared };
	if (!mkdtemp(client->folder))
		tap_fatal("no folder");
	client_path(client, "device", device, sizeof(device));
	client_path(client, "control", control, sizeof(control));
	for (i = 0; options[i]; i++)
		argv[5 + i] = options[i];
	client->ram_fd = memfd_create("ram", MFD_CLOEXEC);
	if (client->ram_fd < 0 || ftruncate(client->ram_fd, RAM_BYTES))
		tap_fatal("no memory");
	client->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, client->ram_fd, 0);
	if (client->ram == MAP_FAILED)
		tap_fatal("no memory");
	client->irq = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	client->server = fork();
	if (!client->server) {
		/* a test that ends early leaves nobody behind */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	client_connect(client);
}

/* Ends loom-sim; its exit status. */
static inline int client_stop(struct client *client)
{
	int status = -1;

	if (client->socket >= 0)
		client_disconnect(client);
	kill(client->server, SIGTERM);
	waitpid(client->server, &status, 0);
	munmap(client->ram, RAM_BYTES);
	close(client->ram_fd);
	close(client->irq);
	free(client->message.data);
	rmdir(client->folder);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Says a line on the control socket; the last line of the answer is in @answer. */
static inline bool client_control(struct client *client, const char *line, char *answer,
				  size_t size)
{
	int fd = client_dial(client, "control");
	size_t at = 0;
	char *last;

	dprintf(fd, "%s\n", line);
	while (at + 1 < size) {
		struct pollfd fds[2] = {
			{ .fd = fd, .events = POLLIN },
			{ .fd = client->socket, .events = POLLIN },
		};
		ssize_t got;

		/* the line may make the device access memory by messages, if it is not shared */
		if (poll(fds, client->shared ? 1 : 2, 60000) <= 0)
			break;
		if (fds[1].revents && client_take(client) < 0)
			break;
		if (!fds[0].revents)
			continue;
		got = read(fd, answer + at, size - 1 - at);
		if (got <= 0)
			break;
		at += got;
		answer[at] = 0;
		last = at > 1 ? memrchr(answer, '\n', at - 1) : NULL;
		last = last ? last + 1 : answer;
		if (answer[at - 1] == '\n' &&
		    (!strncmp(last, "ok", 2) || !strncmp(last, "error", 5)))
			break;
	}
	close(fd);
	answer[at] = 0;
	return at >= 3 && !strcmp(answer + at - 3, "ok\n");
}

#endif /* LOOM_TESTS_SIM_CLIENT_H */
