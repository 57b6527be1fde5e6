/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_WIRE_H
#define LOOM_SIM_WIRE_H

/* Messages of vfio-user over a UNIX socket, with file descriptors. */

#include <stddef.h>

#include "protocol.h"

#define WIRE_FDS		16
/* WIRE_DATA: limit of the bytes after a header */
#define WIRE_DATA		(2U << 20)
/* WIRE_PIECE: limit of a transfer in one message */
#define WIRE_PIECE		65536

/**
 * struct wire_message - a message that was received
 * @header: of it
 * @data: the payload, header.size - sizeof(header) bytes; owned, reused
 * @room: bytes at @data
 * @bytes: bytes in @data
 * @fds: its file descriptors, owned by the receiver
 * @fd_count: number of them
 */
struct wire_message {
	struct protocol_header header;
	uint8_t *data;
	size_t room;
	size_t bytes;
	int fds[WIRE_FDS];
	unsigned int fd_count;
};

/**
 * wire_receive() - wait for a message
 * @socket: from where
 * @message: out; zeroed before the first, @data is freed by the caller in the end
 *
 * Return: 0; -EPIPE at the end of the connection; -EPROTO for what is no message; or the errno of
 * the socket.
 */
int wire_receive(int socket, struct wire_message *message);

/**
 * wire_send() - send a message; not from two threads at a time
 * @socket: to where
 * @header: its size is set here
 * @head: first bytes behind it
 * @head_bytes: how many
 * @data: bytes behind those
 * @data_bytes: how many
 * @fd: to be sent along, or -1
 *
 * Return: 0 or -errno.
 */
int wire_send(int socket, struct protocol_header *header, const void *head, size_t head_bytes,
	      const void *data, size_t data_bytes, int fd);

/** wire_close_fds() - close the descriptors of a message that nobody has taken */
void wire_close_fds(struct wire_message *message);

/** wire_listen() - a listening socket at @path, or -errno */
int wire_listen(const char *path);

#endif /* LOOM_SIM_WIRE_H */
