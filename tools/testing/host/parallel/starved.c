// SPDX-License-Identifier: MIT
/*
 * Batches and pipelines without memory: an allocation of a run fails, alone or with all after it.
 * The answer is an error, or the results as ever where it was not needed; nothing is kept, and the
 * sessions can run again. malloc() and the like are those of libc_memory.h.
 */
#ifdef __SANITIZE_ADDRESS__

#include "tap.h"

int main(void)
{
	tap_skip("the sanitizer has a malloc() of its own");
	return tap_end();
}

#else

#include "batch.h"
#include "libc_memory.h"

#define STAGES	2
#define ITEMS	2

/* Allocation @at fails. Return: that of the run. */
static int line_run(const struct line *line, const struct loom_batch *batch, uint32_t at,
		    struct loom_array *output)
{
	struct loom_error err;
	int ret;

	allocations = 0;
	fail_at = at;
	ret = line->sessions[1] ?
		loom_pipeline_run(line->pipeline, line->sessions, batch, output, NULL, &err) :
		loom_batch_run(line->sessions, 1, batch, output, NULL, &err);
	fail_at = UINT32_MAX;
	return ret;
}

static bool try_one(const struct line *line, const struct loom_batch *batch, uint32_t at,
		    const struct loom_array *want)
{
	struct loom_array output = { .data = NULL };
	int before = kept, ret = line_run(line, batch, at, &output);
	/* there is no thread without memory */
	bool good = ret == -ENOMEM || ret == -EAGAIN;

	if (!ret) {
		good = output.size_bytes == want->size_bytes &&
		       !memcmp(output.data, want->data, want->size_bytes);
		loom_array_clear(&output);
	}
	if (!good)
		tap_note("allocation %u fails: %s (%d)", at,
			 ret ? "another error" : "another result", ret);
	if (kept != before)
		tap_note("allocation %u fails: %d are kept", at, kept - before);
	return good && kept == before;
}

static void test_line(const struct loom_graph *graph, const struct loom_batch *batch,
		      uint32_t count)
{
	struct loom_array want, again;
	uint32_t i, most, bad = 0;
	struct loom_error err;
	struct line line;

	if (line_make(&line, graph, count, "layerwise", &err))
		tap_fatal("%s", err.text);
	/* the C library keeps what threads have for the next ones */
	if (line_run(&line, batch, UINT32_MAX, &again) ||
	    line_run(&line, batch, UINT32_MAX, &want))
		tap_fatal("it does not run");
	most = allocations;
	for (i = 0; i < 2 * most; i++) {
		goes_on = i % 2;
		bad += !try_one(&line, batch, i / 2, &want);
	}
	tap_ok(!bad, "%u stages, %u allocations: an error or the same results", count, most);
	loom_array_clear(&again);
	loom_array_clear(&want);
	line_clear(&line);
}

int main(void)
{
	struct items items = { .num_inputs = 0 };
	struct loom_batch batch = { .inputs = items.inputs, .num_items = ITEMS };
	struct test_case test;

	make_case_of(&test, 1, 14, make_chain);
	items_fill(&items, test.graph, ITEMS, false);
	batch.num_inputs = items.num_inputs;
	test_line(test.graph, &batch, 1);
	test_line(test.graph, &batch, STAGES);
	items.num_items = 0;
	items_clear(&items);
	free_case(&test);
	return tap_end();
}

#endif
