// SPDX-License-Identifier: MIT
/* Callbacks of a session: which nodes are claimed, and their compilation. */
#include "ort.h"
#include "partition.h"

#include "planner/planner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *ORT_API_CALL get_name(const OrtEp *ep)
{
	(void)ep;
	return LOOM_ORT_NAME;
}

static OrtStatus *fuse(const struct loom_ort_graph *graph, const uint32_t *parts, uint32_t part,
		       OrtEpGraphSupportInfo *info)
{
	const OrtNodeFusionOptions options = {
		.ort_version_supported = loom_ort.version,
		/* they are part of the program */
		.drop_constant_initializers = true,
	};
	const OrtNode **nodes = calloc((size_t)graph->num_nodes + 1, sizeof(*nodes));
	OrtStatus *status;
	size_t count = 0;
	uint32_t i;

	if (!nodes)
		return loom_ort_no_memory();
	for (i = 0; i < graph->num_nodes; i++)
		if (parts[i] == part)
			nodes[count++] = graph->nodes[i].node;
	status = loom_ort.ep->EpGraphSupportInfo_AddNodesToFuse(info, nodes, count, &options);
	free(nodes);
	return status;
}

static OrtStatus *claim(struct loom_ort_ep *ep, const struct loom_ort_graph *graph,
			OrtEpGraphSupportInfo *info)
{
	uint32_t *parts = calloc((size_t)graph->num_nodes + 1, sizeof(*parts));
	OrtStatus *status;
	uint32_t count = 0, i;
	bool contexts = false;

	if (!parts)
		return loom_ort_no_memory();
	for (i = 0; i < graph->num_nodes; i++) {
		bool ours = loom_ort_is_context(&graph->nodes[i]);

		parts[i] = ours ? count++ : LOOM_PARTITION_NONE;
		contexts = contexts || ours;
	}
	/* with EPContext nodes, the rest of the model was left to others when they were made */
	status = contexts ? NULL : loom_ort_claim(ep, graph, parts, &count);
	for (i = 0; i < count && !status; i++)
		status = fuse(graph, parts, i, info);
	free(parts);
	return status;
}

static OrtStatus *ORT_API_CALL get_capability(OrtEp *base, const OrtGraph *from,
					      OrtEpGraphSupportInfo *info)
{
	struct loom_ort_ep *ep = (struct loom_ort_ep *)base;
	const OrtNode *parent = NULL;
	struct loom_ort_graph graph;
	OrtStatus *status;

	ORT_TRY(loom_ort.api->Graph_GetParentNode(from, &parent));
	/*
	 * A branch or a body is claimed with its node, or not at all; or by itself, and then its
	 * node stays. ONNX Runtime asks for it before it asks for the node, and does not show the
	 * outer graph: an option decides.
	 */
	if (parent && !ep->options.branches)
		return NULL;
	status = loom_ort_graph_read(from, &graph);
	if (!status && graph.num_nodes)
		status = claim(ep, &graph, info);
	loom_ort_graph_clear(&graph);
	return status;
}

static void ORT_API_CALL release_infos(OrtEp *ep, OrtNodeComputeInfo **infos, size_t count)
{
	size_t i;

	(void)ep;
	for (i = 0; i < count; i++)
		loom_ort_part_destroy((struct loom_ort_part *)infos[i]);
}

static OrtStatus *ORT_API_CALL compile(OrtEp *base, const OrtGraph **graphs, const OrtNode **fused,
				       size_t count, OrtNodeComputeInfo **infos,
				       OrtNode **contexts)
{
	struct loom_ort_ep *ep = (struct loom_ort_ep *)base;
	struct loom_ort_part *part;
	OrtStatus *status = NULL;
	size_t i, made = 0;

	for (i = 0; i < count && !status; i++) {
		status = loom_ort_part_create(ep, graphs[i], fused[i], &part);
		if (status)
			break;
		infos[made++] = &part->base;
		if (ep->options.write_context && contexts)
			status = loom_ort_context_write(part, graphs[i], &contexts[i]);
	}
	if (status) {
		release_infos(base, infos, made);
		memset(infos, 0, count * sizeof(*infos));
	}
	return status;
}

/* Reports invalid options now; otherwise nothing would be claimed without an error. */
static OrtStatus *check_options(const struct loom_ort_ep *ep)
{
	const uint32_t all = ep->chip.region[DRM_LOOM_REGION_SRAM].banks;
	const struct loom_planner_options how = {
		.chip = &ep->chip,
		.objective = ep->options.objective,
		.sram_limit_bytes = ep->options.sram_bytes,
		.grouping_budget = ep->options.effort_ms,
	};
	struct loom_error err;

	if (ep->options.has_chip && loom_target_device(ep->target))
		return loom_ort_fail(-EINVAL,
				     "option chip: %s has a chip of its own, only the host has any",
				     loom_target_name(ep->target));
	if (ep->options.lanes > all)
		return loom_ort_fail(-EINVAL, "option lanes: %u, and %s has %u lanes",
				     ep->options.lanes, loom_target_name(ep->target), all);
	if (ep->options.branches && ep->options.write_context)
		return loom_ort_fail(-EINVAL,
				     "option branches: programs are not written into branches");
	/* a later loader would not know of them */
	if (ep->options.num_values && ep->options.write_context)
		return loom_ort_fail(-EINVAL,
				     "option values: programs are not written for some of them");
	return loom_ort_status(loom_planner_check(&how, &err), &err);
}

OrtStatus *loom_ort_ep_create(const char *device, const OrtSessionOptions *session,
			      const OrtLogger *logger, OrtEp **out)
{
	struct loom_ort_ep *ep = calloc(1, sizeof(*ep));
	const struct loom_ort_options *options;
	OrtStatus *status;
	struct loom_error err;

	*out = NULL;
	if (!ep)
		return loom_ort_no_memory();
	options = &ep->options;
	ep->logger = logger;
	ep->base.ort_version_supported = loom_ort.version;
	ep->base.GetName = get_name;
	ep->base.GetCapability = get_capability;
	ep->base.Compile = compile;
	ep->base.ReleaseNodeComputeInfos = release_infos;
	if (loom_ort.version >= 25)
		ep->base.CreateProfiler = loom_ort_profile_create;
	status = loom_ort_options_read(session, &ep->options);
	if (!status) {
		const char *name = options->device ? options->device : device;
		int ret = loom_target_open(name, options->has_chip ? &options->chip : NULL,
					   &ep->target, &err);

		status = loom_ort_status(ret, &err);
	}
	if (!status) {
		ep->chip = *loom_target_chip(ep->target);
		status = check_options(ep);
	}
	if (!status && options->lanes)
		ep->chip.region[DRM_LOOM_REGION_SRAM].banks = options->lanes;
	if (status) {
		loom_ort_ep_destroy(&ep->base);
		return status;
	}
	loom_ort_log(logger, ORT_LOGGING_LEVEL_INFO, "Loom: runs on %s",
		     loom_target_name(ep->target));
	*out = &ep->base;
	return NULL;
}

void loom_ort_ep_destroy(OrtEp *base)
{
	struct loom_ort_ep *ep = (struct loom_ort_ep *)base;

	if (!ep)
		return;
	loom_target_close(ep->target);
	loom_ort_options_clear(&ep->options);
	free(ep);
}
