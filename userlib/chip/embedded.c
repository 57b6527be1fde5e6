// SPDX-License-Identifier: MIT
#include "embedded.h"

#include <string.h>

#include "loom_chip_file.h"

const char *loom_chip_name(unsigned int index)
{
	unsigned int i;

	for (i = 0; i < index && loom_chips_embedded[i].name; i++)
		;
	return loom_chips_embedded[i].name;
}

const char *loom_chip_text(const char *name)
{
	const struct loom_chip_embedded *chip;

	for (chip = loom_chips_embedded; chip->name; chip++)
		if (!strcmp(chip->name, name))
			return chip->text;
	return NULL;
}
