/* SPDX-License-Identifier: MIT */
/*
 * Names inside of a branch. A tensor of a branch is local to it, and two branches may have tensors
 * of the same name: so each gets a unique name in the source form.
 */
#ifndef LOOM_ONNX_RENAMING_H
#define LOOM_ONNX_RENAMING_H

#include "base/names.h"

/**
 * struct loom_renaming - the names of a branch
 * @table: name in the branch to name in the source form
 * @number: of the branch in the model, from 1
 * @outer: the enclosing branch, or NULL
 */
struct loom_renaming {
	struct loom_names table;
	uint32_t number;
	const struct loom_renaming *outer;
};

/**
 * loom_renaming_define() - define a tensor of a branch
 * @names: of the branch
 * @name: in the branch; it hides the same name of enclosing branches
 *
 * Return: 0 or -ENOMEM.
 */
int loom_renaming_define(struct loom_renaming *names, const char *name);
/** loom_renaming_find() - the name of @name in the source form; NULL: outermost */
const char *loom_renaming_find(const struct loom_renaming *names, const char *name);

#endif /* LOOM_ONNX_RENAMING_H */
