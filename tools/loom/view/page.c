// SPDX-License-Identifier: MIT
#include "view.h"

#include <stdlib.h>
#include <string.h>

/* From embed.sh: the parts before the title, between title and data, and after the data. */
extern const char *const tool_view_parts[];

/*
 * Escape JSON or a title for a page, whatever the names are: it must not contain characters that
 * could end its element. In JSON they are in strings only, and so is "\u".
 */
static void page_escape(FILE *page, const char *text, size_t size_bytes, bool json)
{
	size_t at, length;

	for (at = 0; at < size_bytes; at += length ? length : 1) {
		length = text[at] == '\n' ? 1 : tool_char_length(text + at, size_bytes - at);
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

int tool_view_page(const struct tool_model *models, uint32_t count, const char *path,
		   bool as_json)
{
	char *text = NULL, size[TOOL_TEXT];
	struct json json;
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
	if (!ret && as_json) {
		json_begin(&json, stdout);
		json_string(&json, "page", path);
		json_u64(&json, "bytes", size_bytes);
		json_end(&json);
	} else if (!ret && strcmp(path, "-")) {
		printf("wrote      %s: %s\n", path, tool_bytes(size, size_bytes));
	}
	free(text);
	return ret;
}
