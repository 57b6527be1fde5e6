// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>

int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject)
{
	char text[sizeof(err->text)];

	loom_reject_print(text, sizeof(text), reject);
	return loom_error_set(err, -EBADMSG, "%s", text);
}

int loom_session_reject(const struct loom_session *session, const struct drm_loom_reject *reject,
			struct loom_error *err)
{
	const struct drm_loom_plan_header *header = session->program->plan;
	const struct drm_loom_chip *chip = session->target->chip;
	char text[sizeof(err->text)];

	if (reject->rule != DRM_LOOM_RULE_TOPOLOGY)
		return loom_run_reject(err, reject);
	loom_reject_print(text, sizeof(text), reject);
	return loom_error_set(err, -EBADMSG, "%s: it is for %u lanes, and chip '%.*s' has %u", text,
			      header->lanes, (int)sizeof(chip->name), chip->name,
			      chip->region[DRM_LOOM_REGION_SRAM].banks);
}
