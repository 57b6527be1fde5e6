// SPDX-License-Identifier: MIT
#include "view.h"

#include <stdlib.h>
#include <string.h>

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_add(struct tool_names *names, const char *name)
{
	if (name)
		names->names[names->count++] = name;
}

int tool_names_make(struct tool_names *names, const struct loom_program *program)
{
	size_t most = program->num_labels + 2ULL * program->num_nodes + program->num_neurons + 1;
	uint32_t i, count = 0;

	*names = (struct tool_names){ .names = calloc(most, sizeof(*names->names)) };
	if (!names->names)
		return tool_fail("no memory");
	for (i = 0; i < program->num_labels; i++)
		names_add(names, program->labels[i].name);
	for (i = 0; i < program->num_neurons; i++)
		names_add(names, program->neurons[i].name);
	for (i = 0; i < program->num_nodes; i++) {
		names_add(names, program->nodes[i].name);
		names_add(names, program->nodes[i].op);
	}
	qsort(names->names, names->count, sizeof(*names->names), names_compare);
	for (i = 0; i < names->count; i++)
		if (!count || strcmp(names->names[i], names->names[count - 1]))
			names->names[count++] = names->names[i];
	names->count = count;
	return 0;
}

uint32_t tool_names_find(const struct tool_names *names, const char *name)
{
	const char **at;

	if (!name)
		return 0;
	at = bsearch(&name, names->names, names->count, sizeof(*names->names), names_compare);
	return at ? at - names->names + 1 : 0;
}

void tool_names_clear(struct tool_names *names)
{
	free(names->names);
}
