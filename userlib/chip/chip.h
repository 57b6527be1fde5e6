/* SPDX-License-Identifier: MIT */
/*
 * DOC: Chips in files
 *
 * A file says what a chip is made of; this room makes the structure of it that all others
 * calculate with (&struct drm_loom_chip), and writes such files. The interface is loom_chip_file.h
 * in include/, the keys are explained in Documentation/chips.rst.
 *
 * Reading goes in three steps. The text becomes a tree of scalars, maps and lists, each with its
 * line and its path (tree.c); whatever a chip has no use for in YAML is refused here: anchors and
 * aliases, which can blow up, tags, several documents, keys that are there twice, deep nesting. The
 * tree is sorted into values, one for each figure of the structure (merge.c). If the file extends
 * another, that one was sorted in before, so that a value is simply replaced, and "none" empties it
 * again. At last the values become numbers (resolve.c, number.c). So a rate in GB/s is divided by
 * the frequency that holds in the end, whichever file it came from, and the line of each figure is
 * still known when loom_chip_check(), which judges files, devices and configfs alike, finds fault
 * with it.
 *
 * The keys are a table (field.c): reading, writing, and suggesting what a misspelt key could have
 * meant, go by it. The chips that are built in are files as well, in userlib/chips/; they
 * are compiled in as text, so that a name means the same wherever the library is.
 *
 * - embedded.h, embedded.c: the files that are compiled in
 * - names.c: names of operations, which are those of core/op
 * - field.h, field.c: the table of keys, and what is near to a misspelt one
 * - number.h, number.c: a scalar with a unit as a number
 * - tree.h, tree.c: YAML as a tree with lines
 * - values.h: the figures of a file as text, and where each of them stands
 * - merge.c: sorts a tree into values
 * - resolve.c: values to a structure, and its faults to lines
 * - load.c: files, names, and what they extend
 * - write.c: a structure as YAML
 *
 * Rejected: libyaml's document API (it resolves aliases, and keeps the first of two equal keys),
 * JSON (no comments, and every figure here wants its source beside it), a schema in a language of
 * its own (the table of keys is one).
 */
#ifndef LOOM_CHIP_INTERNAL_H
#define LOOM_CHIP_INTERNAL_H

#include "embedded.h"
#include "field.h"
#include "number.h"
#include "tree.h"
#include "values.h"

#endif /* LOOM_CHIP_INTERNAL_H */
