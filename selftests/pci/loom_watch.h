/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_WATCH_H
#define LOOM_WATCH_H

/*
 * Output of the kernel during a test: its log, line by line, and uevents.
 */
#include <linux/netlink.h>
#include <sys/socket.h>

#include "../loom_node.h"

struct loom_watch {
	int log, events;
	/* lines that say "wedged", uevents that do, resets, refused accesses of a device */
	uint32_t wedged, wedged_events, resets, refused;
	/* signs of trouble, and the first of them */
	uint32_t trouble;
	char first[256];
};

static inline int loom_watch_open(struct loom_watch *watch)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int room = 1 << 20;

	*watch = (struct loom_watch) {
		.log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC),
		.events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
				 NETLINK_KOBJECT_UEVENT),
	};
	if (watch->log < 0 || watch->events < 0 || lseek(watch->log, 0, SEEK_END) < 0)
		return -errno;
	setsockopt(watch->events, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	return bind(watch->events, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

static inline void loom_watch_close(struct loom_watch *watch)
{
	close(watch->log);
	close(watch->events);
}

/* As tools/vm/dmesg-check has it, which looks at all of the log in the end. */
static inline bool loom_watch_is_trouble(const char *line)
{
	static const char *const signs[] = {
		"WARNING: ", "BUG: ", "Call Trace:", "KASAN", "UBSAN", "Oops",
		"blocked for more than", "possible circular", "suspicious RCU",
		"ODEBUG:", "DMA-API:", "soft lockup", "refcount_t",
		"list_del corruption", "list_add corruption",
	};
	uint32_t i;

	for (i = 0; i < LOOM_ARRAY_SIZE(signs); i++)
		if (strstr(line, signs[i]))
			return true;
	return false;
}

static inline void loom_watch_line(struct loom_watch *watch, const char *line)
{
	watch->wedged += !!strstr(line, "wedged: ");
	watch->resets += !!strstr(line, "] reset, epoch ");
	watch->refused += strstr(line, "DMAR: ") && strstr(line, "fault addr");
	if (!loom_watch_is_trouble(line))
		return;
	if (!watch->trouble++)
		snprintf(watch->first, sizeof(watch->first), "%s", line);
}

/* Reads all that there is. */
static inline void loom_watch_look(struct loom_watch *watch)
{
	char text[8192];
	ssize_t got;

	/* EPIPE: lines were lost, and the next read goes on behind them */
	while ((got = read(watch->log, text, sizeof(text) - 1)) > 0 || errno == EPIPE) {
		if (got <= 0)
			continue;
		text[got] = 0;
		if (strchr(text, ';'))
			loom_watch_line(watch, strchr(text, ';') + 1);
	}
	while ((got = recv(watch->events, text, sizeof(text), MSG_DONTWAIT)) > 0)
		watch->wedged_events += !!memmem(text, got, "WEDGED=", 7);
}

#endif /* LOOM_WATCH_H */
