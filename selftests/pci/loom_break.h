/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BREAK_H
#define LOOM_BREAK_H

/* Set-up and end of tests of a device that is told to break. */
#include "loom_load.h"
#include "loom_watch.h"

#define CLIENTS			2
#define LOOM_BREAK_TIMEOUT	"/sys/module/loom/parameters/job_timeout_ms"

/* Of a device that is bound anew, whose jobs may not take long. Return: 0 or -errno. */
static inline int loom_break_begin(struct loom_watch *watch, struct loom_load **loads)
{
	int ret = loom_write_file(LOOM_BREAK_TIMEOUT, "4000") ?: loom_unbind() ?: loom_bind() ?:
		  loom_watch_open(watch);

	if (ret)
		return ret;
	*loads = loom_load_start(CLIENTS, 0);
	return *loads ? 0 : -ENOMEM;
}

static inline void loom_break_end(struct loom_watch *watch)
{
	loom_watch_close(watch);
	loom_write_file(LOOM_BREAK_TIMEOUT, "300000");
}

#endif /* LOOM_BREAK_H */
