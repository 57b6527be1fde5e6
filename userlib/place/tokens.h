/* SPDX-License-Identifier: MIT */
/* Storages that items use in turn: common parts of token strategies. See DOC: Storage tokens. */
#ifndef LOOM_PLACE_TOKENS_H
#define LOOM_PLACE_TOKENS_H

#include "strategy.h"

/* A storage. */
struct loom_token {
	uint32_t storage_class;		/* of its items */
	uint64_t size_bytes;		/* of the largest item so far */
	uint64_t width;			/* images: the largest width so far, else 0 */
	uint64_t height;		/* images: likewise */
	uint64_t elem_bytes;		/* images: size of an element */
	uint64_t align_bytes;		/* common alignment of its items */
};

/* State of a run. */
struct loom_tokens {
	const struct loom_place_task *task;	/* the problem */
	/* images have two dimensions; else they are handled as bytes */
	bool images;
	struct loom_token *tokens;		/* all tokens */
	uint32_t num_tokens;			/* number of @tokens */
	/* tokens that no item has, by size, ties in the order in which they were released */
	uint32_t *free;
	uint32_t num_free;			/* number of @free */
	uint32_t *token_of;			/* by item: its token, or LOOM_PLACE_NONE */
	struct loom_place_apart apart;		/* pairs that must not share a token */
	/* by token: number of the last item, plus 1, that must not use it */
	uint32_t *refused;
};

/**
 * typedef loom_tokens_request - choose a free token
 *
 * @tokens: the state
 * @item: the item; it must not get a token that &loom_tokens.refused excludes for it
 *
 * Return: index in &loom_tokens.free, or LOOM_PLACE_NONE: make a new one.
 */
typedef uint32_t (*loom_tokens_request)(const struct loom_tokens *tokens, uint32_t item);

/** loom_tokens_find() - a &loom_tokens_request: the rule of one dimension */
uint32_t loom_tokens_find(const struct loom_tokens *tokens, uint32_t item);
/** loom_tokens_allows() - says whether @item may have free token @at: class, kind, pairs */
bool loom_tokens_allows(const struct loom_tokens *tokens, uint32_t at, uint32_t item);
/** loom_tokens_run() - the whole strategy, with @request's rule. 0, -ERANGE or -ENOMEM */
int loom_tokens_run(const struct loom_place_task *task, struct loom_place_answer *answer,
		    loom_tokens_request request, bool images);

#endif /* LOOM_PLACE_TOKENS_H */
