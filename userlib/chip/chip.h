/* SPDX-License-Identifier: MIT */
/*
 * DOC: Chips in files
 *
 * Reads descriptions of chips to the structure that all cost models use (&struct drm_loom_chip),
 * and writes them. The interface is loom_chip_file.h in include/, the keys are explained in
 * Documentation/chips.rst.
 *
 * Reading has three steps. The text is parsed to a tree of scalars, maps and lists, each with its
 * line and its path (tree.c). Features of YAML that a description does not need are refused:
 * anchors and aliases, which can expand exponentially, tags, several documents, duplicate keys,
 * deep nesting. The tree is sorted into values, one for each field of the structure (merge.c). If
 * the file extends another, that one was sorted in before, so that a value is simply replaced, and
 * "none" restores the default. Finally the values become numbers (resolve.c, number.c). So a rate
 * in GB/s is divided by the final frequency, from whichever file, and the line of each field is
 * still known when loom_chip_check(), which checks files, devices and configfs alike, finds a
 * fault.
 *
 * The keys are a table (field.c), which drives reading, writing, and suggestions for misspelt keys.
 * Built-in chips are files as well, in userlib/chips/; they are compiled in as text, so that a name
 * does not depend on the installation.
 *
 * - embedded.h, embedded.c: the files that are compiled in
 * - names.c: names of operations, which are those of core/op
 * - field.h, field.c: the table of keys, and suggestions for a misspelt one
 * - number.h, number.c: a scalar with a unit as a number
 * - tree.h, tree.c: YAML as a tree with lines
 * - values.h: the values of a file as text, and the position of each
 * - merge.c: sorts a tree into values
 * - resolve.c: values to a structure, and its faults to lines
 * - load.c: files, names, and the files they extend
 * - write.c: a structure as YAML
 *
 * Rejected: libyaml's document API (it resolves aliases, and keeps the first of two equal keys),
 * JSON (no comments, and every value here needs its source next to it), a schema language (the
 * table of keys suffices).
 */
#ifndef LOOM_CHIP_INTERNAL_H
#define LOOM_CHIP_INTERNAL_H

#include "embedded.h"
#include "field.h"
#include "number.h"
#include "tree.h"
#include "values.h"

#endif /* LOOM_CHIP_INTERNAL_H */
