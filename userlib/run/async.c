// SPDX-License-Identifier: MIT
/* Asynchronous runs: submit, poll or wait. */
#include "run.h"

#include <errno.h>

static int is_running(const struct loom_session *session, struct loom_error *err)
{
	if (!session)
		return loom_error_set(err, -EINVAL, "no session");
	if (session->submitted)
		return 0;
	return loom_error_set(err, -EINVAL,
			      "no run is under way: loom_session_submit() begins one");
}

int loom_session_submit(struct loom_session *session, struct loom_error *err)
{
	int ret = loom_session_begin(session, 0, err);

	if (!ret && session->target->ops->start)
		ret = session->target->ops->start(session, err);
	if (!ret)
		session->submitted = true;
	return ret;
}

int loom_session_wait(struct loom_session *session, int64_t deadline_ns, struct loom_error *err)
{
	int ret = is_running(session, err);

	if (ret)
		return ret;
	ret = session->target->ops->wait(session, deadline_ns);
	if (ret == -ETIME)
		return loom_error_set(err, ret, "the run has not ended at the deadline");
	session->submitted = false;
	/* it has ended, or cannot be waited for; loom_session_finish() returns the reason */
	return loom_session_finish(session, NULL, NULL, err);
}

int loom_session_fd(struct loom_session *session, int *fd, struct loom_error *err)
{
	int ret = is_running(session, err);

	*fd = -1;
	if (ret)
		return ret;
	ret = session->target->ops->fd(session, fd);
	return ret ? loom_error_set(err, ret, "no descriptor to poll: %s", strerror(-ret)) : 0;
}
