// SPDX-License-Identifier: MIT
/* A set of digests has what was added and nothing else, however large it becomes. */
#include "base/seen.h"
#include "tap.h"

#include <stdlib.h>

#define COUNT	20000

static struct loom_digest digest_of(uint64_t first, uint64_t second)
{
	struct loom_digest digest = { { 0 } };

	loom_digest_add(&digest, first);
	loom_digest_add(&digest, second);
	return digest;
}

/* Numbers that differ in few bits, in either place. */
static struct loom_digest number(uint32_t i)
{
	return digest_of(i % 141, i / 141);
}

int main(void)
{
	struct loom_digest ab = digest_of(1, 2), ba = digest_of(2, 1), zeroes = digest_of(0, 0);
	uint32_t early = 0, late = 0, twice = 0, i;
	struct loom_seen seen = { 0 };
	struct loom_digest digest;

	tap_ok(ab.half[0] != ba.half[0] && ab.half[1] != ba.half[1], "the order matters");
	digest = digest_of(1, 0);
	tap_ok(zeroes.half[0] != digest.half[0] && zeroes.half[1] != digest.half[1],
	       "what differs first differs at the end");
	tap_ok(!loom_seen_has(&seen, &ab), "an empty set has nothing");
	for (i = 0; i < COUNT; i++) {
		digest = number(i);
		early += loom_seen_has(&seen, &digest);
		if (loom_seen_add(&seen, &digest))
			tap_fatal("no memory");
	}
	for (i = 0; i < COUNT; i++) {
		digest = number(i);
		late += loom_seen_has(&seen, &digest);
		if (loom_seen_add(&seen, &digest))
			tap_fatal("no memory");
	}
	for (i = COUNT; i < 2 * COUNT; i++) {
		digest = number(i);
		twice += loom_seen_has(&seen, &digest);
	}
	tap_ok(early == 0, "%u of %u are there before they are added", early, COUNT);
	tap_ok(late == COUNT && seen.count == COUNT, "%u are there then, each once", late);
	tap_ok(twice == 0, "%u of %u others are", twice, COUNT);
	loom_seen_free(&seen);
	return tap_end();
}
