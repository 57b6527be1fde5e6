/* SPDX-License-Identifier: MIT */
/*
 * DOC: Base
 *
 * The lowest layer of the library: every other folder may use it, and it must use nothing but libc
 * and core's header. It knows no graph, no plan and no device.
 *
 *	port.c		the functions that core (drivers/accel/loom/core) needs, from libc;
 *			the module has its own version
 *	pool.c		memory that is freed all at once, with a budget
 *	names.c		a hash table from names to pointers, in a pool
 *	error.c		the text of struct loom_error
 *	chip_fault.c	the same for an invalid chip
 *	dtype.c		element types: size, name, range, half floats; names of memories
 *	element.c	an element of a tensor as a number
 *	array.c		shapes, and struct loom_array
 *	random.h	pseudorandom numbers
 *	figures.c	minimum, maximum and mean of an array; random arrays
 *	version.c	loom_version()
 *	thread.c	threads whose stack has room for the engine
 *
 * A function belongs here if at least two folders that do not depend on each other need it. Element
 * types and shapes are here, not in graph/, because arrays in files and pictures of plans need them
 * without a graph.
 *
 * A pool is usually called an arena. In this project, the arena is the DRAM area that holds a
 * plan's neurons.
 *
 * Rejected: an error type with a code, a file and a line. Callers decide by the errno that every
 * function returns; the text is for people and must not be parsed. Rejected as well: wrappers
 * around malloc(). Where memory is freed one by one, libc's own names are clearer.
 *
 * This header includes the whole folder. Files that need one part include that part.
 */
#ifndef LOOM_BASE_H
#define LOOM_BASE_H

#include "array.h"
#include "dtype.h"
#include "element.h"
#include "error.h"
#include "names.h"
#include "pool.h"
#include "random.h"

#endif /* LOOM_BASE_H */
