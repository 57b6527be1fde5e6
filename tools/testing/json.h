/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_JSON_H
#define LOOM_TESTS_JSON_H

/* JSON, as strict as RFC 8259 but for UTF-8 in strings. */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline const char *json_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at == '\\' && !strchr("\"\\/bfnrt", *++at))
			return NULL;
		if (!*at)
			return NULL;
	}
	return at + 1;
}

static inline const char *json_digits(const char *at)
{
	if (!isdigit((unsigned char)*at))
		return NULL;
	while (isdigit((unsigned char)*at))
		at++;
	return at;
}

static inline const char *json_number(const char *at)
{
	at += *at == '-';
	if (*at == '0' && isdigit((unsigned char)at[1]))
		return NULL;
	at = json_digits(at);
	if (at && *at == '.')
		at = json_digits(at + 1);
	if (at && (*at == 'e' || *at == 'E')) {
		at++;
		at += *at == '-' || *at == '+';
		at = json_digits(at);
	}
	return at;
}

static inline const char *json_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Behind the value at @at, or NULL. */
static inline const char *json_value(const char *at, unsigned int depth)
{
	static const char *const words[] = { "true", "false", "null" };
	const char open = *at, close = open == '{' ? '}' : ']';
	unsigned int i;

	if (!depth)
		return NULL;
	if (open == '"')
		return json_string(at);
	for (i = 0; i < 3; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	if (open != '{' && open != '[')
		return json_number(at);
	at = json_space(at + 1);
	if (*at == close)
		return at + 1;
	for (;;) {
		if (open == '{') {
			at = json_string(at);
			at = at ? json_space(at) : "";
			if (*at++ != ':')
				return NULL;
			at = json_space(at);
		}
		at = json_value(at, depth - 1);
		if (!at)
			return NULL;
		at = json_space(at);
		if (*at == close)
			return at + 1;
		if (*at != ',')
			return NULL;
		at = json_space(at + 1);
	}
}

/* Whether @text is one value, nested less than 32 deep. */
static inline bool json_valid(const char *text)
{
	const char *end = json_value(json_space(text), 32);

	return end && !*json_space(end);
}

#endif /* LOOM_TESTS_JSON_H */
