/* SPDX-License-Identifier: MIT */
/*
 * Names inside of a branch. A tensor of a branch is seen in that branch only, and two branches may
 * have tensors of the same name: so in the source form each has a name of its own.
 */
#ifndef LOOM_ONNX_RENAMING_H
#define LOOM_ONNX_RENAMING_H

#include "base/names.h"

/**
 * struct loom_renaming - the names of a branch
 * @table: what is called so in the branch, to its name in the source form
 * @number: of the branch in the model, from 1
 * @outer: the branch around it, or NULL
 */
struct loom_renaming {
	struct loom_names table;
	uint32_t number;
	const struct loom_renaming *outer;
};

/**
 * loom_renaming_define() - a branch has a tensor of that name
 * @names: of the branch
 * @name: in the branch; what is called so further out is not seen there
 *
 * Return: 0 or -ENOMEM.
 */
int loom_renaming_define(struct loom_renaming *names, const char *name);
/** loom_renaming_find() - the name in the source form of what is called @name; NULL: outermost */
const char *loom_renaming_find(const struct loom_renaming *names, const char *name);

#endif /* LOOM_ONNX_RENAMING_H */
