// SPDX-License-Identifier: MIT
/* The page of operators in the documentation names those of the table, and no others. */
#include "loom_core.h"
#include "onnx/onnx.h"
#include "tap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE	"Documentation/operators.rst"
#define DOMAIN	"com.microsoft."

static char page[1 << 16];

static bool is_on_page(const char *name)
{
	char quoted[100];

	if (!strncmp(name, DOMAIN, strlen(DOMAIN)))
		name += strlen(DOMAIN);
	snprintf(quoted, sizeof(quoted), "``%s``", name);
	return strstr(page, quoted);
}

/* Whether it is an operator of either domain, or nothing that looks like one. */
static bool is_in_table(const char *name)
{
	char other[100];

	if (!isupper(name[0]) || strpbrk(name, "/. "))
		return true;
	snprintf(other, sizeof(other), DOMAIN "%s", name);
	return loom_importer_find(name) || loom_importer_find(other);
}

int main(void)
{
	const struct loom_importer *importer;
	FILE *file = fopen(PAGE, "r");
	char *at = page, *end;
	uint32_t i;

	if (!file || !fread(page, 1, sizeof(page) - 1, file))
		tap_fatal(PAGE " cannot be read");
	fclose(file);
	for (i = 0; (importer = loom_importer_get(i)); i++)
		if (!is_on_page(importer->op_type))
			tap_ok(false, PAGE " does not name %s", importer->op_type);
	tap_ok(i > 150, "all %u operators are on the page", i);
	while ((at = strstr(at, "``"))) {
		at += 2;
		end = strstr(at, "``");
		if (!end)
			break;
		*end = 0;
		if (!is_in_table(at))
			tap_ok(false, "the page names %s, which is not in the table", at);
		at = end + 2;
	}
	tap_ok(true, "and no others");
	return tap_end();
}
