// SPDX-License-Identifier: MIT
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void wire_take_fds(struct wire_message *message, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t i, count;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (message->fd_count < WIRE_FDS)
				message->fds[message->fd_count++] = fd;
			else
				close(fd);
		}
	}
}

/* File descriptors come with the first byte of a message. */
static int wire_receive_header(int socket, struct wire_message *message)
{
	size_t got = 0;

	while (got < sizeof(message->header)) {
		union {
			char bytes[CMSG_SPACE(WIRE_FDS * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = {
			.iov_base = (char *)&message->header + got,
			.iov_len = sizeof(message->header) - got,
		};
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = &control, .msg_controllen = sizeof(control),
		};
		ssize_t bytes = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return bytes ? -errno : -EPIPE;
		wire_take_fds(message, &msg);
		got += bytes;
	}
	return 0;
}

int wire_receive(int socket, struct wire_message *message)
{
	size_t got = 0;
	int ret;

	message->fd_count = 0;
	message->bytes = 0;
	ret = wire_receive_header(socket, message);
	if (ret)
		return ret;
	if (message->header.size < sizeof(message->header) ||
	    message->header.size > sizeof(message->header) + WIRE_DATA)
		return -EPROTO;
	message->bytes = message->header.size - sizeof(message->header);
	if (message->room < message->bytes) {
		free(message->data);
		message->room = message->bytes;
		message->data = malloc(message->room);
		if (!message->data) {
			message->room = 0;
			return -ENOMEM;
		}
	}
	while (got < message->bytes) {
		ssize_t bytes = recv(socket, message->data + got, message->bytes - got, 0);

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return bytes ? -errno : -EPIPE;
		got += bytes;
	}
	return 0;
}

int wire_send(int socket, struct protocol_header *header, const void *head, size_t head_bytes,
	      const void *data, size_t data_bytes, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec iov[3] = {
		{ .iov_base = header, .iov_len = sizeof(*header) },
		{ .iov_base = (void *)head, .iov_len = head_bytes },
		{ .iov_base = (void *)data, .iov_len = data_bytes },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
	size_t left = sizeof(*header) + head_bytes + data_bytes;

	header->size = left;
	if (fd >= 0) {
		struct cmsghdr *c;

		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	while (left) {
		ssize_t sent = sendmsg(socket, &msg, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return -errno;
		left -= sent;
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
		for (; msg.msg_iovlen && (size_t)sent >= msg.msg_iov->iov_len; msg.msg_iovlen--)
			sent -= (msg.msg_iov++)->iov_len;
		if (!msg.msg_iovlen)
			break;
		msg.msg_iov->iov_base = (char *)msg.msg_iov->iov_base + sent;
		msg.msg_iov->iov_len -= sent;
	}
	return 0;
}

void wire_close_fds(struct wire_message *message)
{
	unsigned int i;

	for (i = 0; i < message->fd_count; i++)
		if (message->fds[i] >= 0)
			close(message->fds[i]);
	message->fd_count = 0;
}

int wire_listen(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat old;
	int fd, ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* remove the stale socket of an earlier process, but no other file or device */
	if (!lstat(path, &old) && S_ISSOCK(old.st_mode))
		unlink(path);
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 4))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}
