// SPDX-License-Identifier: MIT
/* Names of inputs and outputs on the command line: "NAME=FILE". */
#include "tool.h"

#include <string.h>

int tool_name_length(const char *typed)
{
	const char *equals = strchr(typed, '=');

	/* "./a=b" is a file, and "/a=b" */
	return equals && *typed != '.' && *typed != '/' ? equals - typed : 0;
}

size_t tool_name_add(char *text, size_t at, const char *name)
{
	int length;

	if (at >= TOOL_TEXT)
		return at;
	length = snprintf(text + at, TOOL_TEXT - at, "%s'%s'", at ? ", " : "", name);
	return at + length;
}
