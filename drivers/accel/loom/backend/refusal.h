/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REFUSAL_H
#define LOOM_REFUSAL_H

#include <linux/errno.h>

/**
 * loom_backend_errno() - what a client is told that a back end has refused something
 * @ret: as the back end has it: 0 or -errno
 *
 * Some have a meaning for who has called it: make room, try again, look into the record of a
 * refused plan. From a back end they do not.
 *
 * Return: 0 or -errno.
 */
static inline int loom_backend_errno(int ret)
{
	switch (ret) {
	case -EAGAIN:
	case -EBADMSG:
	case -EBUSY:
	case -EDEADLK:
	case -ENOSPC:
		return -EIO;
	}
	return ret;
}

#endif /* LOOM_REFUSAL_H */
