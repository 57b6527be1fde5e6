// SPDX-License-Identifier: MIT
/* Strategies by name: of placement, and of grouping. */
#include "tool.h"

/* A list of names with a line each; @name is that of the list in JSON. */
static void list(struct json *json, const char *name, const char *(*name_of)(unsigned int),
		 const char *(*text_of)(unsigned int))
{
	unsigned int i;

	if (json)
		json_open(json, name, '[');
	for (i = 0; name_of(i); i++) {
		if (!json) {
			printf("%-16s %s\n", name_of(i), text_of(i));
			continue;
		}
		json_open(json, NULL, '{');
		json_string(json, "name", name_of(i));
		json_string(json, "text", text_of(i));
		json_close(json, '}');
	}
	if (json)
		json_close(json, ']');
}

void tool_strategies_print(bool groupings, bool as_json)
{
	struct json json;

	if (as_json)
		json_begin(&json, stdout);
	list(as_json ? &json : NULL, "strategies", loom_place_strategy_name,
	     loom_place_strategy_text);
	if (groupings && !as_json)
		printf("\ngrouping:\n");
	if (groupings)
		list(as_json ? &json : NULL, "groupings", loom_grouping_name, loom_grouping_text);
	if (as_json)
		json_end(&json);
}
