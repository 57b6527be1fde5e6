// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/* Bytes of a payload that are about one unit of work. */
#define LOOM_NATIVE_WORK_BYTES	64

int loom_native_check_format(struct loom_verify *verify)
{
	const struct drm_loom_plan_header_native *header = (const void *)verify->header;
	const struct drm_loom_format *format = &header->format;
	u32 i, count = verify->native ? verify->native->count : 0;

	if (verify->header->version != DRM_LOOM_PLAN_VERSION_NATIVE)
		return 0;
	for (i = 0; i < count; i++) {
		const struct drm_loom_format *known = &verify->native->formats[i];

		if (known->id == format->id && known->version == format->version) {
			verify->format = known;
			return 0;
		}
	}
	return loom_reject(verify, DRM_LOOM_RULE_FORMAT);
}

int loom_native_decode(struct loom_verify *verify)
{
	const struct drm_loom_plan_command *raw = &verify->commands[verify->command];
	const struct drm_loom_attr_native *attr = verify->plan->commands[verify->command].attr;

	if (raw->first_view < verify->native_views)
		return loom_reject(verify, DRM_LOOM_RULE_OPERANDS);
	if (raw->attr_offset < verify->native_attrs ||
	    raw->attr_size - sizeof(*attr) != attr->payload_bytes)
		return loom_reject(verify, DRM_LOOM_RULE_ATTR);
	/* in the tables, so no sum overflows */
	verify->native_views = raw->first_view + raw->operands;
	verify->native_attrs = raw->attr_offset + raw->attr_size;
	return 0;
}

int loom_native_check_payload(struct loom_verify *verify)
{
	struct loom_command *command = &verify->plan->commands[verify->command];
	const struct drm_loom_attr_native *attr = command->attr;
	struct loom_payload payload = {
		.command = command,
		.format = verify->format,
		.bytes = attr + 1,
		.size = attr->payload_bytes,
		.lanes = verify->plan->lanes,
	};
	int ret = loom_verify_work(verify, payload.size / LOOM_NATIVE_WORK_BYTES);

	if (ret)
		return ret;
	ret = verify->native->check(&payload);
	if (ret == -EBADMSG) {
		loom_reject(verify, DRM_LOOM_RULE_PAYLOAD);
		verify->reject->valid |= DRM_LOOM_REJECT_PAYLOAD;
		verify->reject->reason = payload.reason;
		verify->reject->payload_at = payload.at;
	}
	command->zero = payload.zero & ((1U << command->outputs) - 1);
	return ret;
}
