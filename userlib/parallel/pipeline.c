// SPDX-License-Identifier: MIT
/*
 * Pipeline parallel: a thread for each stage runs all items in order. The outputs of a stage wait
 * in a box until the item has left the pipeline; the number of boxes limits the items in flight.
 *
 * Between two devices the box is a shared buffer (run/link.c), and a stage is submitted when the
 * stage before has been: the device waits for the other device, and no thread waits for it.
 */
#include "parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Items in flight for each stage: one that it runs, and one that waits for it. */
#define ITEMS_PER_STAGE	2
/* &struct source.stage of the caller's arrays */
#define CALLER		UINT32_MAX

/**
 * struct source - origin of an input of a stage, or of an output of the network
 * @stage: the stage whose output it is, or CALLER
 * @index: of the output of that stage, or of the caller's arrays
 */
struct source {
	u32 stage;
	u32 index;
};

/**
 * struct link - a stage and its neighbours
 * @session: its session
 * @sources: by input
 * @boxes: by item in flight and output
 * @links: by input: link to another stage, or NULL if it is copied
 * @copied: by output: it goes to a box
 * @eager: all inputs from other stages come through links
 * @submitted: items submitted, under the lock of the crew
 * @items: items completed, under the same lock
 */
struct link {
	struct loom_session *session;
	struct source *sources;
	struct loom_array *boxes;
	struct loom_link **links;
	bool *copied;
	bool eager;
	u32 submitted;
	u32 items;
};

/**
 * struct pipeline - state shared by the threads
 * @links: by stage
 * @num_links: number of @links
 * @window: maximum number of items in flight
 * @results: by output of the network
 * @num_results: number of @results
 * @outputs: of all items
 * @shares: by stage
 */
struct pipeline {
	struct link *links;
	u32 num_links;
	u32 window;
	struct source *results;
	u32 num_results;
	struct loom_array *outputs;
	struct loom_share *shares;
};

static const struct loom_program *program_of(const struct pipeline *p, u32 stage)
{
	return p->links[stage].session->program;
}

static const struct loom_program_tensor *result_of(const struct pipeline *p, u32 result)
{
	const struct source *from = &p->results[result];

	return &program_of(p, from->stage)->outputs[from->index];
}

static struct loom_array *box_of(const struct pipeline *p, const struct source *from, u32 item)
{
	u32 n = program_of(p, from->stage)->num_outputs;

	return &p->links[from->stage].boxes[(size_t)(item % p->window) * n + from->index];
}

/*
 * Inputs of a stage may come from any stage before it, and those may be independent of each other.
 * So it does not suffice that the stage directly before has run the item, nor for the boxes of an
 * item that the last stage has.
 */
static bool may_run_locked(const struct pipeline *p, u32 stage, u32 item)
{
	u32 count = stage ? stage : p->num_links, ahead = stage ? 0 : p->window, i;
	bool eager = stage && p->links[stage].eager;

	for (i = 0; i < count; i++) {
		const struct link *other = &p->links[i];

		if ((eager ? other->submitted : other->items) + ahead <= item)
			return false;
	}
	return true;
}

/* Waits until a stage may run an item. */
static bool may_run(struct loom_crew *crew, u32 stage, u32 item)
{
	struct pipeline *p = crew->context;
	bool may;

	pthread_mutex_lock(&crew->lock);
	while (!crew->status && !may_run_locked(p, stage, item))
		pthread_cond_wait(&crew->changed, &crew->lock);
	may = !crew->status;
	pthread_mutex_unlock(&crew->lock);
	return may;
}

static int set_inputs(struct loom_crew *crew, u32 stage, u32 item)
{
	struct pipeline *p = crew->context;
	struct link *link = &p->links[stage];
	struct loom_error error = { .text = "" };
	u32 i;
	int ret = 0;

	for (i = 0; i < link->session->program->num_inputs && !ret; i++) {
		const struct source *from = &link->sources[i];

		if (from->stage == CALLER)
			ret = loom_items_set(link->session, i, &crew->batch->inputs[from->index],
					     item, !item, &error);
		else if (!link->links[i])
			ret = loom_session_set_input(link->session, i, box_of(p, from, item),
						     &error);
	}
	if (ret)
		loom_crew_fail(crew, ret, &error);
	return ret;
}

static int get_outputs(struct loom_crew *crew, u32 stage, u32 item)
{
	struct pipeline *p = crew->context;
	const struct link *link = &p->links[stage];
	struct source from = { .stage = stage };
	struct loom_error error;
	u32 i;
	int ret = 0;

	for (; from.index < link->session->program->num_outputs && !ret; from.index++) {
		struct loom_array *box = box_of(p, &from, item);

		if (!link->copied[from.index])
			continue;
		loom_array_clear(box);
		ret = loom_session_get_output(link->session, from.index, box, &error);
	}
	if (ret) {
		loom_crew_fail(crew, ret, &error);
		return ret;
	}
	for (i = 0; i < p->num_results; i++)
		if (p->results[i].stage == stage)
			loom_items_put(box_of(p, &p->results[i], item), &p->outputs[i], item);
	return 0;
}

/* A run submitted before its inputs were ready is not charged for the time it waited. */
static int run_item(struct loom_crew *crew, u32 stage, u32 item)
{
	struct pipeline *p = crew->context;
	struct link *link = &p->links[stage];
	struct loom_share *share = &p->shares[stage];
	int64_t begin = loom_run_now_ns();
	int ret = loom_crew_submit(crew, link->session, item);

	if (ret)
		return ret;
	pthread_mutex_lock(&crew->lock);
	link->submitted++;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	ret = loom_crew_finish(crew, link->session);
	share->busy_ns += stage && link->eager ? (int64_t)link->session->counters.busy_ns :
						 loom_run_now_ns() - begin;
	share->items++;
	return ret;
}

static void run_stage(struct loom_crew *crew, u32 stage)
{
	struct pipeline *p = crew->context;
	u32 item;

	for (item = 0; item < crew->batch->num_items; item++) {
		if (!may_run(crew, stage, item) || set_inputs(crew, stage, item) ||
		    run_item(crew, stage, item) || get_outputs(crew, stage, item))
			return;
		pthread_mutex_lock(&crew->lock);
		p->links[stage].items++;
		crew->done += stage == p->num_links - 1;
		pthread_cond_broadcast(&crew->changed);
		pthread_mutex_unlock(&crew->lock);
	}
}

/* Finds the output of that name of one of the first @num_stages stages. */
static bool find_made(const struct pipeline *p, u32 num_stages, const char *name,
		      struct source *from)
{
	u32 i;

	for (from->stage = 0; from->stage < num_stages; from->stage++) {
		const struct loom_program *program = program_of(p, from->stage);

		for (i = 0; i < program->num_outputs; i++) {
			from->index = i;
			if (!strcmp(program->outputs[i].name, name))
				return true;
		}
	}
	return false;
}

static bool find_given(const struct loom_graph *graph, const char *name, struct source *from)
{
	struct loom_tensor_info info;

	from->stage = CALLER;
	for (from->index = 0; !loom_graph_input(graph, from->index, &info); from->index++)
		if (!strcmp(info.name, name))
			return true;
	return false;
}

static int find_sources(struct pipeline *p, const struct loom_graph *graph, u32 stage,
			const struct loom_batch *batch, struct loom_error *err)
{
	const struct loom_program *program = program_of(p, stage);
	u32 i;
	int ret = 0;

	for (i = 0; i < program->num_inputs && !ret; i++) {
		const struct loom_program_tensor *input = &program->inputs[i];
		struct source *from = &p->links[stage].sources[i];

		/* names of the network's own inputs differ from those of all computed values */
		if (find_given(graph, input->name, from))
			ret = loom_items_check(input, &batch->inputs[from->index],
					       batch->num_items, err);
		else if (!find_made(p, stage, input->name, from))
			ret = loom_error_set(err, -EINVAL,
					     "stage %u takes '%s', which no earlier one gives",
					     stage, input->name);
	}
	return ret;
}

static int connect(struct pipeline *p, const struct loom_graph *graph,
		   const struct loom_batch *batch, struct loom_error *err)
{
	struct loom_tensor_info info;
	u32 i;
	int ret = 0;

	if (batch->num_inputs != loom_graph_num_inputs(graph))
		return loom_error_set(err, -EINVAL, "the network takes %u inputs, not %u",
				      loom_graph_num_inputs(graph), batch->num_inputs);
	for (i = 0; i < p->num_links && !ret; i++)
		ret = find_sources(p, graph, i, batch, err);
	for (i = 0; i < p->num_results && !ret; i++) {
		loom_graph_output(graph, i, &info);
		if (!find_made(p, p->num_links, info.name, &p->results[i]))
			ret = loom_error_set(err, -EINVAL, "no stage gives output '%s'",
					     info.name);
	}
	return ret;
}

/* Creates links where possible, and marks the outputs that must be copied. */
static void link_stage(struct pipeline *p, u32 stage)
{
	struct link *link = &p->links[stage];
	const struct loom_program *program = program_of(p, stage);
	u32 i;

	link->eager = true;
	for (i = 0; i < program->num_inputs; i++) {
		const struct source *from = &link->sources[i];

		if (from->stage == CALLER)
			continue;
		if (!loom_link_create(p->links[from->stage].session, from->index, link->session, i,
				      p->window, &link->links[i])) {
			p->shares[stage].linked_bytes += program->inputs[i].size_bytes;
			continue;
		}
		p->links[from->stage].copied[from->index] = true;
		link->eager = false;
	}
}

static void link_stages(struct pipeline *p)
{
	u32 i;

	for (i = 0; i < p->num_results; i++)
		p->links[p->results[i].stage].copied[p->results[i].index] = true;
	for (i = 0; i < p->num_links; i++)
		link_stage(p, i);
}

static void tear_down(struct pipeline *p)
{
	u32 i, k;

	for (i = 0; p->links && i < p->num_links; i++)
		for (k = 0; p->links[i].links && k < program_of(p, i)->num_inputs; k++)
			loom_link_destroy(p->links[i].links[k]);

	for (i = 0; p->links && i < p->num_links; i++) {
		u32 n = program_of(p, i)->num_outputs;

		for (k = 0; p->links[i].boxes && k < n * p->window; k++)
			loom_array_clear(&p->links[i].boxes[k]);
		free(p->links[i].boxes);
		free(p->links[i].links);
		free(p->links[i].copied);
		free(p->links[i].sources);
	}
	free(p->links);
	free(p->results);
	free(p->shares);
}

static int set_up(struct pipeline *p, struct loom_session *const *sessions)
{
	u32 i;

	p->links = calloc(p->num_links, sizeof(*p->links));
	p->results = calloc((size_t)p->num_results + 1, sizeof(*p->results));
	p->shares = calloc(p->num_links, sizeof(*p->shares));
	/* tear_down() reads the session of each link */
	for (i = 0; p->links && i < p->num_links; i++)
		p->links[i].session = sessions[i];
	if (!p->links || !p->results || !p->shares)
		return -ENOMEM;
	for (i = 0; i < p->num_links; i++) {
		const struct loom_program *program = sessions[i]->program;

		p->links[i].sources = calloc((size_t)program->num_inputs + 1,
					     sizeof(*p->links[i].sources));
		p->links[i].boxes = calloc((size_t)program->num_outputs * p->window + 1,
					   sizeof(*p->links[i].boxes));
		p->links[i].links = calloc((size_t)program->num_inputs + 1,
					   sizeof(*p->links[i].links));
		p->links[i].copied = calloc((size_t)program->num_outputs + 1,
					    sizeof(*p->links[i].copied));
		if (!p->links[i].sources || !p->links[i].boxes || !p->links[i].links ||
		    !p->links[i].copied)
			return -ENOMEM;
	}
	return 0;
}

static int run(struct pipeline *p, const struct loom_batch *batch, struct loom_error *err)
{
	struct loom_crew crew = { .batch = batch, .work = run_stage, .context = p };
	u32 i;
	int ret = 0;

	memset(p->outputs, 0, p->num_results * sizeof(*p->outputs));
	for (i = 0; i < p->num_results && !ret; i++)
		ret = loom_items_alloc(result_of(p, i), batch->num_items, &p->outputs[i]);
	if (ret)
		loom_error_set(err, ret, "no memory for %u items", batch->num_items);
	else
		ret = loom_crew_run(&crew, p->num_links, err);
	for (i = 0; i < p->num_results && ret; i++)
		loom_array_clear(&p->outputs[i]);
	return ret;
}

int loom_pipeline_run(const struct loom_pipeline *pipeline, struct loom_session *const *sessions,
		      const struct loom_batch *batch, struct loom_array *outputs,
		      struct loom_share *shares, struct loom_error *err)
{
	struct pipeline p = {
		.num_links = pipeline->num_stages,
		.window = pipeline->num_stages * ITEMS_PER_STAGE,
		.num_results = loom_graph_num_outputs(pipeline->graph),
		.outputs = outputs,
	};
	u32 i;
	int ret;

	if (!batch->num_items)
		return loom_error_set(err, -EINVAL, "a batch takes an item at least");
	for (i = 0; i < p.num_links; i++)
		if (!sessions[i] || sessions[i]->program != pipeline->stages[i].program)
			return loom_error_set(err, -EINVAL, "session %u is not of stage %u", i, i);
	ret = set_up(&p, sessions);
	if (ret)
		loom_error_set(err, ret, "no memory");
	else
		ret = connect(&p, pipeline->graph, batch, err);
	if (!ret) {
		link_stages(&p);
		ret = run(&p, batch, err);
	}
	if (!ret && shares)
		memcpy(shares, p.shares, p.num_links * sizeof(*shares));
	tear_down(&p);
	return ret;
}
