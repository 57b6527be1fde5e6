// SPDX-License-Identifier: MIT
#include "loom_version.h"

#define TEXT(x)		#x
#define DIGITS(x)	TEXT(x)

unsigned int loom_version(void)
{
	return LOOM_VERSION;
}

const char *loom_version_text(void)
{
	return DIGITS(LOOM_VERSION_MAJOR) "." DIGITS(LOOM_VERSION_MINOR) "."
	       DIGITS(LOOM_VERSION_PATCH);
}
