// SPDX-License-Identifier: MIT
#include "tool.h"

#include <unistd.h>

#define TOOL_PROGRESS_QUIET_NS	1000000000

void tool_progress_begin(struct tool_progress *progress, const char *what, bool always)
{
	*progress = (struct tool_progress){
		.what = what,
		.start_ns = tool_now_ns(),
		.visible = always || isatty(STDERR_FILENO),
	};
}

int tool_progress_tick(void *arg, uint64_t done, uint64_t total)
{
	struct tool_progress *progress = arg;
	int64_t took_ns = tool_now_ns() - progress->start_ns;

	if (took_ns < TOOL_PROGRESS_QUIET_NS || !progress->visible)
		return 0;
	if (total)
		fprintf(stderr, "\r%s: %3.0f %%, %.0f s ", progress->what, 100.0 * done / total,
			took_ns / 1e9);
	else
		fprintf(stderr, "\r%s: %.0f s ", progress->what, took_ns / 1e9);
	fflush(stderr);
	progress->shown = true;
	return 0;
}

void tool_progress_end(struct tool_progress *progress)
{
	/* Back to the start, erase to the end of the line. */
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
