/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PORT_H
#define LOOM_PORT_H

/*
 * Ports of the virtual machine (tools/vm/run) that break or pull a device that is a model
 * (tools/sim): loom-sim-0 is the model's control socket, qmp the emulator's monitor.
 */
#include "../loom_node.h"

#define LOOM_PORT_MS	60000
#define LOOM_PORT_BYTES	4096

/* Return: a file, or -errno; -ENODEV: there is no such port. */
static inline int loom_port_open(const char *name)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	int found = -ENODEV;

	if (!dir)
		return found;
	while (found < 0 && (entry = readdir(dir))) {
		char path[300], text[64];

		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", entry->d_name);
		if (loom_read_file(path, text, sizeof(text)))
			continue;
		text[strcspn(text, "\n")] = 0;
		if (strcmp(text, name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		found = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (found < 0)
			found = -errno;
	}
	closedir(dir);
	return found;
}

static inline int loom_port_write(int fd, const char *text)
{
	int64_t end = loom_now_ns() + LOOM_PORT_MS * LOOM_MSEC_NS;
	size_t left = strlen(text);

	while (left && loom_now_ns() < end) {
		ssize_t done = write(fd, text, left);

		if (done > 0) {
			text += done;
			left -= done;
		} else {
			/* the other side is about to connect again */
			usleep(10000);
		}
	}
	return left ? -ETIMEDOUT : 0;
}

/* A line without its end. Return: 0 or -ETIMEDOUT. */
static inline int loom_port_read(int fd, char *line, size_t size, int64_t end)
{
	size_t count = 0;
	char byte;

	do {
		byte = 0;
		if (read(fd, &byte, 1) != 1)
			usleep(1000);
		else if (byte != '\r' && byte != '\n' && count < size - 1)
			line[count++] = byte;
	} while (byte != '\n' && loom_now_ns() < end);
	line[count] = 0;
	return byte == '\n' ? 0 : -ETIMEDOUT;
}

/*
 * A command to the model. @answer: its lines but for the last, which says how it went; or NULL.
 * Return: 0; -EINVAL; -ETIMEDOUT.
 */
static inline int loom_port_tell(int fd, const char *command, char *answer, size_t size)
{
	int64_t end = loom_now_ns() + LOOM_PORT_MS * LOOM_MSEC_NS;
	char line[LOOM_PORT_BYTES];
	int ret;

	/* discard answers of a model that has died */
	while (read(fd, line, sizeof(line)) > 0)
		;
	snprintf(line, sizeof(line), "%s\n", command);
	ret = loom_port_write(fd, line);
	if (answer)
		*answer = 0;
	while (!ret) {
		ret = loom_port_read(fd, line, sizeof(line), end);
		if (ret || !strcmp(line, "ok"))
			break;
		if (!strncmp(line, "error", 5))
			ret = -EINVAL;
		if (answer)
			snprintf(answer + strlen(answer), size - strlen(answer), "%s\n", line);
	}
	return ret;
}

/* How often a fault was due. */
static inline uint64_t loom_port_done(int fd, const char *fault)
{
	char answer[LOOM_PORT_BYTES], want[64], *at;
	unsigned long long done = 0;

	snprintf(want, sizeof(want), "%s done %%llu", fault);
	if (loom_port_tell(fd, "show", answer, sizeof(answer)))
		return 0;
	for (at = answer; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, want, &done) == 1)
			return done;
	return 0;
}

/*
 * The line in @path to the emulator. Return: 0 when it was done, and @event, if that is not NULL,
 * has happened; -EIO: refused; -errno.
 */
static inline int loom_port_qmp(int fd, const char *path, const char *event)
{
	int64_t end = loom_now_ns() + LOOM_PORT_MS * LOOM_MSEC_NS;
	bool answered = false, happened = !event;
	char line[LOOM_PORT_BYTES];
	int ret;

	/* once for each connection; the second time is an error, which does not matter */
	ret = loom_port_write(fd, "{\"execute\":\"qmp_capabilities\"}\n");
	do {
		ret = ret ?: loom_port_read(fd, line, sizeof(line), end);
	} while (!ret && !strstr(line, "\"return\"") && !strstr(line, "\"error\""));
	ret = ret ?: loom_read_file(path, line, sizeof(line));
	ret = ret ?: loom_port_write(fd, line);
	while (!ret && !(answered && happened)) {
		ret = loom_port_read(fd, line, sizeof(line), end);
		if (ret)
			break;
		if (strstr(line, "\"error\"")) {
			fprintf(stderr, "# %s\n", line);
			ret = -EIO;
		}
		answered |= !!strstr(line, "\"return\"");
		happened |= event && strstr(line, event);
	}
	return ret;
}

/* A new device in place of one that is gone. */
static inline int loom_port_replace(int qmp)
{
	int ret = loom_port_qmp(qmp, "/run/vm/sim-0.del", "DEVICE_DELETED");
	int64_t end = loom_soon();

	ret = ret ?: loom_port_qmp(qmp, "/run/vm/sim-0.add", NULL);
	while (!ret) {
		int fd = loom_open();

		if (fd >= 0) {
			close(fd);
			break;
		}
		if (loom_now_ns() > end)
			ret = -ETIMEDOUT;
		usleep(20000);
	}
	return ret;
}

#endif /* LOOM_PORT_H */
