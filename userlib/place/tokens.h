/* SPDX-License-Identifier: MIT */
/* Storages that items use in turn: common parts of token strategies. See DOC: Storage tokens. */
#ifndef LOOM_PLACE_TOKENS_H
#define LOOM_PLACE_TOKENS_H

#include "strategy.h"

/**
 * struct loom_token - a storage
 * @storage_class: of its items
 * @size_bytes: of the largest item so far
 * @width: images: the largest width so far, else 0
 * @height: images: likewise
 * @elem_bytes: images: size of an element
 * @align_bytes: common alignment of its items
 */
struct loom_token {
	uint32_t storage_class;
	uint64_t size_bytes;
	uint64_t width;
	uint64_t height;
	uint64_t elem_bytes;
	uint64_t align_bytes;
};

/**
 * struct loom_tokens - state of a run
 * @task: the problem
 * @images: images have two dimensions; else they are handled as bytes
 * @tokens: all tokens
 * @num_tokens: number of @tokens
 * @free: tokens that no item has, by size, ties in the order in which they were released
 * @num_free: number of @free
 * @token_of: by item: its token, or LOOM_PLACE_NONE
 * @apart: pairs that must not share a token
 * @refused: by token: number of the last item, plus 1, that must not use it
 */
struct loom_tokens {
	const struct loom_place_task *task;
	bool images;
	struct loom_token *tokens;
	uint32_t num_tokens;
	uint32_t *free;
	uint32_t num_free;
	uint32_t *token_of;
	struct loom_place_apart apart;
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
