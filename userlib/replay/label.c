// SPDX-License-Identifier: MIT
/* Components of labels: keys of places, sums, attributes. See replay.h. */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const uint64_t *replay_keys(struct replay *r, uint64_t count)
{
	uint64_t *grown;
	uint32_t i;

	if (count <= r->num_keys)
		return r->keys;
	grown = realloc(r->keys, count * sizeof(*grown));
	if (!grown) {
		replay_stop(r, -ENOMEM);
		return NULL;
	}
	for (i = r->num_keys; i < count; i++)
		grown[i] = replay_mix(i + 0x632be59bd9b4e019ULL) | 1;
	r->keys = grown;
	r->num_keys = (uint32_t)count;
	return grown;
}

uint64_t *replay_sums(struct replay *r, uint32_t which, uint64_t count)
{
	if (count > 4 * REPLAY_ELEMENTS) {
		replay_stop(r, -E2BIG);
		return NULL;
	}
	if (count > r->cap_sums[which]) {
		free(r->sums[which]);
		r->cap_sums[which] = 0;
		r->sums[which] = malloc(count * sizeof(*r->sums[which]));
		if (!r->sums[which]) {
			replay_stop(r, -ENOMEM);
			return NULL;
		}
		r->cap_sums[which] = (uint32_t)count;
	}
	memset(r->sums[which], 0, count * sizeof(*r->sums[which]));
	return r->sums[which];
}

uint64_t replay_attr_label(const struct replay *r, const void *attr, size_t bytes)
{
	uint64_t label = 4, word;
	uint32_t i;

	label = replay_join(label, r->opcode);
	for (i = 0; i < r->num_operands; i++)
		label = replay_join(label, r->operands[i].view->dtype);
	for (; bytes; bytes -= bytes < 8 ? bytes : 8) {
		word = 0;
		memcpy(&word, attr, bytes < 8 ? bytes : 8);
		attr = (const uint8_t *)attr + (bytes < 8 ? bytes : 8);
		label = replay_join(label, word);
	}
	return label;
}
