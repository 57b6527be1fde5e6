// SPDX-License-Identifier: MIT
#include "seen.h"

#include <errno.h>
#include <stdlib.h>

/* The slot of a digest, or the free slot for it. Invariant: there is always one. */
static size_t find(const struct loom_seen *seen, const struct loom_digest *digest)
{
	size_t at = digest->half[0] & (seen->cap - 1);

	while ((seen->digests[at].half[0] || seen->digests[at].half[1]) &&
	       (seen->digests[at].half[0] != digest->half[0] ||
		seen->digests[at].half[1] != digest->half[1]))
		at = (at + 1) & (seen->cap - 1);
	return at;
}

bool loom_seen_has(const struct loom_seen *seen, const struct loom_digest *digest)
{
	const struct loom_digest *at;

	if (!seen->count)
		return false;
	at = &seen->digests[find(seen, digest)];
	return at->half[0] || at->half[1];
}

static int grow(struct loom_seen *seen)
{
	struct loom_seen larger = { .cap = seen->cap ? 2 * seen->cap : 64 };
	size_t i;

	larger.digests = calloc(larger.cap, sizeof(*larger.digests));
	if (!larger.digests)
		return -ENOMEM;
	for (i = 0; i < seen->cap; i++)
		if (seen->digests[i].half[0] || seen->digests[i].half[1])
			larger.digests[find(&larger, &seen->digests[i])] = seen->digests[i];
	larger.count = seen->count;
	free(seen->digests);
	*seen = larger;
	return 0;
}

int loom_seen_add(struct loom_seen *seen, const struct loom_digest *digest)
{
	size_t at;

	if (2 * (seen->count + 1) > seen->cap && grow(seen))
		return -ENOMEM;
	at = find(seen, digest);
	seen->count += !seen->digests[at].half[0] && !seen->digests[at].half[1];
	seen->digests[at] = *digest;
	return 0;
}

void loom_seen_free(struct loom_seen *seen)
{
	free(seen->digests);
}
