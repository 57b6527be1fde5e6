// SPDX-License-Identifier: MIT
#include "view.h"

#include <stdlib.h>
#include <string.h>

/* From embed.sh: what is before the title, between title and data, and behind the data. */
extern const char *const tool_view_parts[];

const char *tool_view_title(const struct tool_model *model)
{
	const char *slash = strrchr(model->path, '/');

	return slash ? slash + 1 : model->path;
}

/*
 * Bytes of the UTF-8 character at @text, of which @left may be read; 0 if it is not valid. Control
 * characters are not, except for line ends.
 */
static size_t page_char(const unsigned char *text, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code;
	size_t i, length;

	if (text[0] < 0x80)
		return (text[0] >= 0x20 && text[0] != 0x7f) || text[0] == '\n';
	length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	if (text[0] < 0xc2 || text[0] > 0xf4 || length > left)
		return 0;
	code = text[0] & (0x7f >> length);
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000) &&
	       code >= 0xa0 ? length : 0;
}

/*
 * JSON or a title as it can stand in a page, whatever is in names: without the characters that
 * could end the element that it is in. In JSON they are in strings only, and so is "\u".
 */
static void page_escape(FILE *page, const char *text, size_t size_bytes, bool json)
{
	size_t at, length;

	for (at = 0; at < size_bytes; at += length ? length : 1) {
		length = page_char((const unsigned char *)text + at, size_bytes - at);
		if (!length)
			fputs("\xef\xbf\xbd", page);
		else if (json && text[at] == '\n')
			/* a line end between members, and indentation behind it */
			length += strspn(text + at + 1, " ");
		else if (strchr("<>&", text[at]))
			fprintf(page, json ? "\\u%04x" : "&#%d;", text[at]);
		else
			fwrite(text + at, 1, length, page);
	}
}

static int page_data(const struct tool_model *models, uint32_t count, FILE *page)
{
	char *text = NULL;
	size_t size_bytes;
	struct json json;
	FILE *file = open_memstream(&text, &size_bytes);
	int ret = file ? 0 : tool_fail("no memory");
	uint32_t i;

	if (ret)
		return ret;
	json_begin(&json, file);
	json_string(&json, "loom", loom_version_text());
	json_open(&json, "plans", '[');
	for (i = 0; !ret && i < count; i++)
		ret = tool_view_data(&models[i], &json);
	json_close(&json, ']');
	json_end(&json);
	if ((ferror(file) | fclose(file)) && !ret)
		ret = tool_fail("no memory");
	if (!ret)
		page_escape(page, text, size_bytes, true);
	free(text);
	return ret;
}

static int page_write(const struct tool_model *models, uint32_t count, FILE *page)
{
	uint32_t i;
	int ret;

	fputs(tool_view_parts[0], page);
	for (i = 0; i < count; i++) {
		const char *title = tool_view_title(&models[i]);

		fputs(i ? ", " : "", page);
		page_escape(page, title, strlen(title), false);
	}
	fputs(tool_view_parts[1], page);
	ret = page_data(models, count, page);
	fputs(tool_view_parts[2], page);
	return ret;
}

int tool_view_page(const struct tool_model *models, uint32_t count, const char *path)
{
	char *text = NULL, size[TOOL_TEXT];
	size_t size_bytes;
	FILE *page = open_memstream(&text, &size_bytes);
	int ret;

	if (!page)
		return tool_fail("no memory");
	ret = page_write(models, count, page);
	if ((ferror(page) | fclose(page)) && !ret)
		ret = tool_fail("no memory");
	if (!ret)
		ret = tool_save(path, text, size_bytes);
	if (!ret && strcmp(path, "-"))
		printf("wrote      %s: %s\n", path, tool_bytes(size, size_bytes));
	free(text);
	return ret;
}
