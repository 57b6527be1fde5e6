/* SPDX-License-Identifier: MIT */
/*
 * Membership rules of groups, shared by an exact group (model.c) and an estimate (estimate.c). Each
 * does its own accounting for an operation that joins.
 */
#ifndef LOOM_GROUP_MEMBER_H
#define LOOM_GROUP_MEMBER_H

#include "group/model/list.h"

/**
 * struct loom_group_known - strips of a value in a group
 * @known: there are strips; else the other fields are undefined
 * @inside: its operations make it; else it is loaded
 * @partial: they make only a part of it, so it is stored, and not read in the group
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
 * Operands that the group makes take precedence over those that it loads.
 *
 * Return: false if the operation cannot be in the group: it reads a value of the group other than
 * strip by strip.
 */
bool loom_group_member_cut(const struct loom_group_op *op, const struct loom_group_known *known,
			   bool sliced, u32 first_axis, s8 *cut);

/**
 * loom_group_member_strip() - whether an operand from outside is loaded in shared strips
 * @op: the operation
 * @index: of the operand, which must not be a constant
 * @known: of its value
 * @cut: from loom_group_member_cut()
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
 * A value that the group loads must not be written in it, and a value that is partly outside has
 * one writer in it.
 *
 * Return: true if it may.
 */
static inline bool loom_group_member_writes(const struct loom_group_known *known, s8 axis,
					    bool partial)
{
	return !known->known || (known->inside && known->axis == axis && !partial);
}

#endif
