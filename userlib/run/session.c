// SPDX-License-Identifier: MIT
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_plan.h"
#include "host_memory.h"
#include "report.h"
#include "graph/value.h"

/**
 * DOC: Running programs
 *
 * One runtime over two targets. A target loads a plan and gives each of its slots
 * a linear piece of this process's memory: on the host from malloc(), on the device
 * by mapping a buffer. Everything else (weights, inputs, outputs, what was
 * observed) is copying to and from those pieces and is written once, here.
 *
 * The host target is not a second implementation of anything: it gives the very same
 * bytes to the very same verifier and engine that the module has.
 *
 * Rejected: an asynchronous interface. Whoever wants several jobs in flight uses
 * loom_context_submit() and syncobjs; this layer is for one network at a time.
 */

int loom_run_fail(struct loom_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return code;
}

int loom_run_reject(struct loom_error *err, const struct drm_loom_reject *reject)
{
	char where[256] = "";
	size_t at = 0;

	static const struct {
		uint32_t bit;
		const char *name;
		size_t offset;
	} fields[] = {
		{ DRM_LOOM_REJECT_STEP, "step", offsetof(struct drm_loom_reject, step) },
		{ DRM_LOOM_REJECT_COMMAND, "command", offsetof(struct drm_loom_reject, command) },
		{ DRM_LOOM_REJECT_OPERAND, "operand", offsetof(struct drm_loom_reject, operand) },
		{ DRM_LOOM_REJECT_SLOT, "slot", offsetof(struct drm_loom_reject, slot) },
		{ DRM_LOOM_REJECT_TENSOR, "tensor", offsetof(struct drm_loom_reject, tensor) },
		{ DRM_LOOM_REJECT_OTHER, "other tensor", offsetof(struct drm_loom_reject, other) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (reject->valid & fields[i].bit)
			at += snprintf(where + at, sizeof(where) - at, ", %s %u", fields[i].name,
				       *(const uint32_t *)((const char *)reject +
							   fields[i].offset));
	if (reject->valid & DRM_LOOM_REJECT_RANGE)
		snprintf(where + at, sizeof(where) - at, ", bytes 0x%llx to 0x%llx",
			 (unsigned long long)reject->start, (unsigned long long)reject->end);
	return loom_run_fail(err, -EBADMSG, "the plan was refused by rule %u (%s: %s)%s",
			     reject->rule, loom_rule_name(reject->rule),
			     loom_rule_text(reject->rule), where);
}

static int loom_target_open_device(struct loom_target *target, const char *path,
				   struct loom_error *err)
{
	int ret = loom_device_open(path, &target->device);

	if (ret == -ENODEV)
		return loom_run_fail(err, ret, "%s", path ? "no Loom device node at that path" :
				     "no Loom device: is the module loaded?");
	if (ret)
		return loom_run_fail(err, ret, "%s: %s", path ? path : "/dev/accel",
				     strerror(-ret));
	target->ops = &loom_soft_ops;
	target->name = loom_device_path(target->device);
	target->topology = loom_device_topology(target->device);
	return 0;
}

int loom_target_open(const char *name, const struct loom_topology *topology,
		     struct loom_target **out, struct loom_error *err)
{
	bool automatic = !strcmp(name, "auto");
	struct loom_target *target;
	int ret = 0;

	*out = NULL;
	target = calloc(1, sizeof(*target));
	if (!target)
		return loom_run_fail(err, -ENOMEM, "no memory");
	target->ops = &loom_host_ops;
	target->name = "host";
	target->topology = topology ? topology : loom_topology_get(0);
	if (automatic || !strcmp(name, "soft") || !strcmp(name, "device"))
		ret = loom_target_open_device(target, NULL, err);
	else if (strchr(name, '/'))
		ret = loom_target_open_device(target, name, err);
	else if (strcmp(name, "host"))
		ret = loom_run_fail(err, -EINVAL, "there is no device '%s'", name);
	/* A node that is there but cannot be opened is an error: say so instead of being slow. */
	if (ret && !(automatic && ret == -ENODEV))
		goto fail;
	if (!target->device) {
		ret = loom_host_memory_create(target->topology, &target->memory);
		if (ret) {
			loom_run_fail(err, ret, "no memory");
			goto fail;
		}
	}
	*out = target;
	return 0;

fail:
	free(target);
	return ret;
}

void loom_target_close(struct loom_target *target)
{
	if (!target)
		return;
	loom_host_memory_destroy(target->memory);
	loom_device_close(target->device);
	free(target);
}

const char *loom_target_name(const struct loom_target *target)
{
	return target->name;
}

const struct loom_topology *loom_target_topology(const struct loom_target *target)
{
	return target->topology;
}

struct loom_device *loom_target_device(const struct loom_target *target)
{
	return target->device;
}

/* Where @tensor lies, or NULL: a planner's mistake must not become a wild write. */
static uint8_t *loom_session_tensor(const struct loom_session *session,
				    const struct loom_program_tensor *tensor)
{
	const struct loom_program *program = session->program;
	uint64_t end;

	if (tensor->slot >= program->num_slots ||
	    check_add_overflow(tensor->offset, tensor->size_bytes, &end) ||
	    end > program->slots[tensor->slot].size_bytes)
		return NULL;
	return session->slots[tensor->slot] + tensor->offset;
}

static int loom_session_upload_weights(struct loom_session *session)
{
	const struct loom_program *program = session->program;
	uint8_t *to;
	uint32_t i;

	for (i = 0; i < program->num_weights; i++) {
		if (!program->weights[i].size_bytes)
			continue;
		to = loom_session_tensor(session, &program->weights[i]);
		if (!to)
			return -EINVAL;
		memcpy(to, program->weights[i].data, program->weights[i].size_bytes);
	}
	return 0;
}

int loom_session_create(struct loom_target *target, const struct loom_program *program,
			struct loom_session **out, struct loom_error *err)
{
	struct loom_session *session;
	int ret;

	*out = NULL;
	session = calloc(1, sizeof(*session));
	if (!session)
		return loom_run_fail(err, -ENOMEM, "no memory");
	session->target = target;
	session->program = program;
	session->slots = calloc(program->num_slots + 1, sizeof(*session->slots));
	session->input_set = calloc(program->num_inputs + 1, sizeof(*session->input_set));
	if (!session->slots || !session->input_set) {
		ret = loom_run_fail(err, -ENOMEM, "no memory");
		goto fail;
	}
	ret = target->ops->load(session, err);
	if (ret)
		goto fail;
	ret = loom_session_upload_weights(session);
	if (ret) {
		loom_run_fail(err, ret, "the program's weights lie outside of their slot");
		goto fail;
	}
	ret = loom_report_plan(target, program->stats.scratch_bytes, err);
	if (ret)
		goto fail;
	*out = session;
	return 0;

fail:
	loom_session_destroy(session);
	return ret;
}

void loom_session_destroy(struct loom_session *session)
{
	if (!session)
		return;
	session->target->ops->unload(session);
	free(session->input_set);
	free(session->slots);
	free(session);
}

int loom_session_set_input(struct loom_session *session, uint32_t index,
			   const struct loom_array *array, struct loom_error *err)
{
	const struct loom_program_tensor *input;
	char wants[LOOM_DIMS_TEXT], has[LOOM_DIMS_TEXT];
	uint8_t *to;

	if (index >= session->program->num_inputs)
		return loom_run_fail(err, -ENOENT, "there is no input %u", index);
	input = &session->program->inputs[index];
	if (array->dtype != input->dtype)
		return loom_run_fail(err, -EINVAL, "input '%s' takes %s elements, not %s",
				     input->name, loom_dtype_name(input->dtype),
				     loom_dtype_name(array->dtype));
	if (array->rank != input->rank ||
	    memcmp(array->dims, input->dims, input->rank * sizeof(*input->dims)) ||
	    array->size_bytes != input->size_bytes)
		return loom_run_fail(err, -EINVAL, "input '%s' takes %s elements, not %s",
				     input->name,
				     loom_dims_print(wants, sizeof(wants), input->rank,
						     input->dims),
				     loom_dims_print(has, sizeof(has), array->rank, array->dims));
	if (input->size_bytes) {
		to = loom_session_tensor(session, input);
		if (!to)
			return loom_run_fail(err, -EINVAL, "input '%s' lies outside of its slot",
					     input->name);
		memcpy(to, array->data, array->size_bytes);
	}
	session->input_set[index] = true;
	return 0;
}

int loom_session_run(struct loom_session *session, loom_progress_fn progress, void *arg,
		     struct loom_error *err)
{
	uint32_t i;

	for (i = 0; i < session->program->num_inputs; i++)
		if (!session->input_set[i])
			return loom_run_fail(err, -ENODATA, "input '%s' was not given",
					     session->program->inputs[i].name);
	memset(&session->counters, 0, sizeof(session->counters));
	return session->target->ops->run(session, progress, arg, err);
}

static int loom_session_get(const struct loom_session *session,
			    const struct loom_program_tensor *tensor, struct loom_array *array)
{
	const uint8_t *from = NULL;

	memset(array, 0, sizeof(*array));
	if (tensor->size_bytes) {
		from = loom_session_tensor(session, tensor);
		if (!from)
			return -EINVAL;
	}
	array->name = strdup(tensor->name);
	array->data = malloc(tensor->size_bytes ? tensor->size_bytes : 1);
	if (!array->name || !array->data) {
		loom_array_clear(array);
		return -ENOMEM;
	}
	if (from)
		memcpy(array->data, from, tensor->size_bytes);
	array->dtype = tensor->dtype;
	array->rank = tensor->rank;
	memcpy(array->dims, tensor->dims, sizeof(array->dims));
	array->size_bytes = tensor->size_bytes;
	return 0;
}

int loom_session_get_output(const struct loom_session *session, uint32_t index,
			    struct loom_array *array)
{
	if (index >= session->program->num_outputs)
		return -ENOENT;
	return loom_session_get(session, &session->program->outputs[index], array);
}

int loom_session_get_observed(const struct loom_session *session, uint32_t index,
			      struct loom_array *array)
{
	if (index >= session->program->num_observed)
		return -ENOENT;
	return loom_session_get(session, &session->program->observed[index], array);
}

void loom_session_counters(const struct loom_session *session, struct drm_loom_counters *counters)
{
	*counters = session->counters;
}
