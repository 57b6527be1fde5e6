/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_XML_H
#define LOOM_TESTS_XML_H

/* XML, as far as a picture needs it. */

#include <stdbool.h>
#include <string.h>

static inline const char *xml_name(const char *at, char name[16])
{
	size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:");

	if (!length || length > 15)
		return NULL;
	memcpy(name, at, length);
	name[length] = '\0';
	return at + length;
}

/* Attributes up to the end of a tag; @closed says that it ends in "/>". */
static inline const char *xml_attributes(const char *at, bool *closed)
{
	char name[16];

	for (;;) {
		at += strspn(at, " ");
		if (*at == '>' || !strncmp(at, "/>", 2)) {
			*closed = *at == '/';
			return at + 1 + *closed;
		}
		at = xml_name(at, name);
		if (!at || strncmp(at, "=\"", 2))
			return NULL;
		at += 2 + strcspn(at + 2, "\"<&");
		if (*at++ != '"')
			return NULL;
	}
}

static inline bool xml_entity(const char *at)
{
	return !strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) ||
	       !strncmp(at, "&quot;", 6);
}

/* Whether @at is one element in which all that is opened is closed; @count of them are @wanted. */
static inline bool xml_valid(const char *at, const char *wanted, unsigned int *count)
{
	char open[16][16], name[16];
	unsigned int depth = 0;
	bool closed;

	*count = 0;
	do {
		at += strcspn(at, "<&");
		if (*at == '&') {
			if (!xml_entity(at++))
				return false;
			continue;
		}
		if (*at++ != '<')
			return false;
		if (*at == '/') {
			at = xml_name(at + 1, name);
			if (!at || *at++ != '>' || strcmp(open[--depth], name))
				return false;
			continue;
		}
		at = xml_name(at, name);
		if (!at || depth == 16)
			return false;
		*count += !strcmp(name, wanted);
		at = xml_attributes(at, &closed);
		if (!at)
			return false;
		if (!closed)
			memcpy(open[depth++], name, sizeof(name));
	} while (depth);
	return !strcmp(at, "\n");
}

#endif /* LOOM_TESTS_XML_H */
