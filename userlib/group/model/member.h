/* SPDX-License-Identifier: MIT */
/*
 * Who may join a group: the rules that an exact group (model.c) and an estimate (estimate.c) share.
 * What they count of an operation that joins is their own.
 */
#ifndef LOOM_GROUP_MEMBER_H
#define LOOM_GROUP_MEMBER_H

#include "group/model/list.h"

/**
 * struct loom_group_known - what a group has of a value in strips
 * @known: it has some of it; else the rest is not set
 * @inside: its operations make it; else it is loaded
 * @partial: they make only a part of it, so that it is stored, and not read in the group
 * @axis: axis that is cut, or -1
 */
struct loom_group_known {
	bool known;
	bool inside;
	bool partial;
	s8 axis;
};

/**
 * loom_group_member_cut() - the axis of an operation's result that is cut
 * @op: the operation
 * @known: by operand: of its value
 * @sliced: the group is cut into slices
 * @first_axis: axis of the first result of the group that is cut
 * @cut: [out] the axis; -1 if the group is not sliced
 *
 * Operands that the group makes decide before those that it loads.
 *
 * Return: false if the operation cannot be in the group: it reads a value of the group otherwise
 * than strip by strip.
 */
bool loom_group_member_cut(const struct loom_group_op *op, const struct loom_group_known *known,
			   bool sliced, u32 first_axis, s8 *cut);

/**
 * loom_group_member_strip() - whether an operand from outside is loaded in strips that are shared
 * @op: the operation
 * @index: of the operand, which is no constant
 * @known: of its value
 * @cut: as loom_group_member_cut() found it
 * @axis: [out] axis of the operand that follows @cut
 * @follows: [out] there is one, so that each slice reads another part of it
 *
 * Return: true if it is.
 */
bool loom_group_member_strip(const struct loom_group_op *op, u32 index,
			     const struct loom_group_known *known, s8 cut, u32 *axis,
			     bool *follows);

/**
 * loom_group_member_writes() - whether an operation may write its result in the group
 * @known: of the result's value
 * @axis: axis of the value that is cut, or -1
 * @partial: operations before the group have written a part of it
 *
 * What the group loads it does not write, and a value that is half outside has one writer in it.
 *
 * Return: true if it may.
 */
static inline bool loom_group_member_writes(const struct loom_group_known *known, s8 axis,
					    bool partial)
{
	return !known->known || (known->inside && known->axis == axis && !partial);
}

#endif
