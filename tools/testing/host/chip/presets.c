// SPDX-License-Identifier: MIT
/* The chips that are built in: as files, as names, and as the module has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_chip.h"
#include "loom_chip_file.h"
#include "tap.h"

static bool same_figures(const struct drm_loom_chip *a, const struct drm_loom_chip *b)
{
	char *texts[2] = { NULL, NULL };
	bool same = !memcmp(a, b, sizeof(*a));

	if (!same) {
		loom_chip_write(a, &texts[0]);
		loom_chip_write(b, &texts[1]);
		tap_note("the file is:\n%s\nand the module has:\n%s", texts[0], texts[1]);
		free(texts[0]);
		free(texts[1]);
	}
	return same;
}

static void test_module(void)
{
	const struct drm_loom_chip *preset;
	struct drm_loom_chip chip;
	unsigned int i;

	for (i = 0; (preset = loom_preset_get(i)); i++)
		tap_ok(!loom_chip_find(preset->name, &chip) && same_figures(&chip, preset),
		       "%s is in a file what it is in the module", preset->name);
	tap_ok(i == 7, "the module has seven");
	tap_ok(!strcmp(loom_chip_name(0), loom_preset_get(0)->name), "and the same default");
}

static void test_name(const char *name)
{
	struct drm_loom_chip chip, again;
	struct loom_error err;
	const char *text;
	char path[200];
	FILE *file;
	int ret;

	ret = loom_chip_load(name, &chip, &err);
	if (!tap_ok(!ret, "%s is read", name)) {
		text = loom_chip_text(name);
		loom_chip_parse(text, strlen(text), name, &chip, &err);
		tap_note("%s", err.text);
		return;
	}
	tap_ok(!strcmp(chip.name, name), "%s calls itself so", name);
	snprintf(path, sizeof(path), "userlib/chips/%s.yaml", name);
	file = fopen(path, "r");
	if (!file) {
		tap_skip("%s is not here", path);
		return;
	}
	fclose(file);
	tap_ok(!loom_chip_load(path, &again, &err) && !memcmp(&chip, &again, sizeof(chip)),
	       "%s is the same as a file", name);
}

/* Each figure has a comment behind it, or one above it that is about more. */
static void test_sources(const char *name)
{
	tap_ok(strstr(loom_chip_text(name), "assumed") || strstr(loom_chip_text(name), "["),
	       "%s says where its figures are from", name);
}

int main(void)
{
	struct drm_loom_chip chip;
	unsigned int i;

	test_module();
	for (i = 0; loom_chip_name(i); i++) {
		test_name(loom_chip_name(i));
		test_sources(loom_chip_name(i));
	}
	tap_ok(!loom_chip_name(i + 1), "there is none behind the last");
	tap_ok(loom_chip_find("moon", &chip) == -ENOENT && !loom_chip_text("moon"),
	       "nor one of another name");
	return tap_end();
}
