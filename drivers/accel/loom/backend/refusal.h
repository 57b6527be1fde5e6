/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REFUSAL_H
#define LOOM_REFUSAL_H

#include <linux/errno.h>

/**
 * loom_backend_errno() - errno for a client, from that of a back end
 * @ret: 0 or -errno of the back end
 *
 * Some values have a meaning for the caller in the core: evict, try again, read the reject record
 * of a plan. A back end must not cause these, so they become -EIO.
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
