// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>

int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject)
{
	char text[sizeof(err->text)];

	loom_reject_print(text, sizeof(text), reject);
	return loom_error_set(err, -EBADMSG, "%s", text);
}
