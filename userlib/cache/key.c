// SPDX-License-Identifier: MIT
/* All that a program depends on: a field that is missing here gives a graph the wrong program. */
#include "cache.h"

#include "base/watch.h"
#include "graph/graph.h"
#include "loom_version.h"

#include <elf.h>
#include <link.h>
#include <string.h>

typedef ElfW(Phdr) elf_part;

static void add_u64(struct cache_digest *digest, uint64_t number)
{
	cache_digest_add(digest, &number, sizeof(number));
}

static void add_data(struct cache_digest *digest, const char *bytes, size_t size_bytes)
{
	size_t part;

	for (; size_bytes && !loom_watch_is_over(); bytes += part, size_bytes -= part) {
		part = size_bytes < CACHE_STEP_BYTES ? size_bytes : CACHE_STEP_BYTES;
		cache_digest_add(digest, bytes, part);
		loom_watch_spend(part / 8);
	}
}

/* With its end, so that two texts are not one. */
static void add_text(struct cache_digest *digest, const char *text)
{
	cache_digest_add(digest, text ? text : "", text ? strlen(text) + 1 : 1);
	add_u64(digest, !text);
}

/* The notes of an object in memory, if this function is in it: its build ID is one of them. */
static int add_build(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t here = (uintptr_t)add_text;
	bool ours = false;
	unsigned int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const elf_part *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		ours |= part->p_type == PT_LOAD && here >= start && here - start < part->p_memsz;
	}
	for (i = 0; ours && i < info->dlpi_phnum; i++) {
		const elf_part *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_NOTE)
			cache_digest_add(data, (void *)(info->dlpi_addr + part->p_vaddr),
					 part->p_memsz);
	}
	return ours;
}

static void add_value(struct cache_digest *digest, const struct loom_value *value)
{
	add_text(digest, value->name);
	add_u64(digest, value->id);
	add_u64(digest, value->dtype);
	add_u64(digest, value->rank);
	cache_digest_add(digest, value->dims, value->rank * sizeof(*value->dims));
	add_u64(digest, value->open_dims);
	add_u64(digest, value->scope);
	add_u64(digest, (uint64_t)value->made_up | (uint64_t)value->is_input << 1 |
			(uint64_t)value->is_output << 2 | (uint64_t)!value->data << 3);
	if (value->data)
		add_data(digest, value->data, value->size_bytes);
	loom_watch_spend(10);
}

static void add_node(struct cache_digest *digest, const struct loom_node *node)
{
	const char *attrs = (const char *)&node->conv;
	uint32_t i;

	add_text(digest, node->name);
	add_text(digest, node->source_op);
	add_u64(digest, node->op);
	add_u64(digest, node->source);
	add_u64(digest, node->output->id);
	add_u64(digest, node->num_inputs);
	for (i = 0; i < node->num_inputs; i++)
		add_u64(digest, node->inputs[i] ? node->inputs[i]->id : UINT64_MAX);
	cache_digest_add(digest, &node->act, sizeof(node->act));
	/* all attributes: there are no pointers in them */
	cache_digest_add(digest, attrs, (const char *)(node + 1) - attrs);
	loom_watch_spend(10);
}

static void add_graph(struct cache_digest *digest, const struct loom_graph *graph)
{
	uint32_t i;

	add_text(digest, graph->name);
	add_u64(digest, graph->num_values);
	for (i = 0; i < graph->num_values; i++)
		add_value(digest, graph->values[i]);
	add_u64(digest, graph->num_nodes);
	for (i = 0; i < graph->num_nodes; i++)
		add_node(digest, graph->nodes[i]);
	add_u64(digest, graph->num_inputs);
	for (i = 0; i < graph->num_inputs; i++)
		add_u64(digest, graph->inputs[i]->id);
	add_u64(digest, graph->num_outputs);
	for (i = 0; i < graph->num_outputs; i++)
		add_u64(digest, graph->outputs[i]->id);
	add_u64(digest, graph->num_states);
	for (i = 0; i < graph->num_states; i++) {
		add_u64(digest, graph->states[i].output);
		add_u64(digest, graph->states[i].input);
		add_text(digest, graph->states[i].name);
		add_u64(digest, graph->states[i].places);
		add_u64(digest, graph->states[i].axis);
	}
}

/* Threads, callback and limits change no program. */
static void add_options(struct cache_digest *digest, const struct loom_planner_options *options)
{
	/* field by field, because bytes between them are not defined */
	const uint64_t numbers[] = {
		options->sram_limit_bytes, options->grouping_budget, options->objective,
		options->effort, options->max_recompute_permille, options->max_bytes,
		options->max_cycles, options->flags, options->num_observe,
	};
	uint32_t i;

	_Static_assert(sizeof(void *) != 8 || sizeof(*options) == 128, "add a new option");
	cache_digest_add(digest, numbers, sizeof(numbers));
	cache_digest_add(digest, options->chip, sizeof(*options->chip));
	add_text(digest, options->placer);
	add_text(digest, options->grouping);
	for (i = 0; i < options->num_observe; i++)
		add_text(digest, options->observe[i]);
}

void cache_name(const struct loom_graph *graph, const struct loom_planner_options *options,
		char *name)
{
	struct cache_digest digest;

	cache_digest_begin(&digest);
	add_u64(&digest, LOOM_VERSION);
	dl_iterate_phdr(add_build, &digest);
	add_options(&digest, options);
	add_graph(&digest, graph);
	cache_digest_end(&digest, name);
	strcat(name, ".loom");
}
