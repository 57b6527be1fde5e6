/* SPDX-License-Identifier: MIT */
/**
 * DOC: Versions
 *
 * Which version of libloom a program was built with, and which one it runs with.
 *
 * The second number is raised when a program must be changed or built again, until there is a
 * version 1; the third when it has not.
 */
#ifndef LOOM_VERSION_H
#define LOOM_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOM_VERSION_MAJOR - of the headers
 */
#define LOOM_VERSION_MAJOR	0
/**
 * define LOOM_VERSION_MINOR - of the headers
 */
#define LOOM_VERSION_MINOR	3
/**
 * define LOOM_VERSION_PATCH - of the headers
 */
#define LOOM_VERSION_PATCH	0
/**
 * LOOM_VERSION_NUMBER() - a version as a number that grows, for #if
 * @major: first number
 * @minor: second number, below 1000
 * @patch: third number, below 1000
 */
#define LOOM_VERSION_NUMBER(major, minor, patch) \
	((major) * 1000000 + (minor) * 1000 + (patch))
/**
 * define LOOM_VERSION - that of the headers
 */
#define LOOM_VERSION \
	LOOM_VERSION_NUMBER(LOOM_VERSION_MAJOR, LOOM_VERSION_MINOR, LOOM_VERSION_PATCH)

/**
 * loom_version() - the version of the library that a program runs with
 *
 * May be called from any thread, at any time.
 *
 * Return: as LOOM_VERSION, which may differ, as that is of the headers it was built with.
 */
unsigned int loom_version(void);

/**
 * loom_version_text() - loom_version() as text
 *
 * Return: "0.3.0"; the string is the library's.
 */
const char *loom_version_text(void);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_VERSION_H */
