// SPDX-License-Identifier: MIT
#include "draw.h"

#include <string.h>

/* Width of a letter, in hundredths of its height: an estimate; wide fonts exceed it a little. */
#define ASPECT		58
#define FONT_MIN	(8 * LOOM_DRAW_PX)
#define FONT_MAX	(12 * LOOM_DRAW_PX)

void loom_draw_length(FILE *out, int64_t length)
{
	const uint64_t whole = length < 0 ? -length : length;
	const unsigned int rest = whole % LOOM_DRAW_PX;

	fprintf(out, "%s%llu", length < 0 ? "-" : "", (unsigned long long)(whole / LOOM_DRAW_PX));
	if (rest)
		fprintf(out, rest % 10 ? ".%02u" : ".%u", rest % 10 ? rest : rest / 10);
}

void loom_draw_attribute(FILE *out, const char *name, int64_t length)
{
	fprintf(out, " %s=\"", name);
	loom_draw_length(out, length);
	fputc('"', out);
}

/*
 * Length of the UTF-8 character at @text, of which @left bytes may be read; 0 if it is invalid, or
 * not allowed in XML: most control characters, surrogates, U+FFFE and U+FFFF.
 */
static size_t char_length(const char *text, size_t left)
{
	const unsigned char *at = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code;
	size_t i, length;

	if (at[0] < 0x80)
		return at[0] >= 0x20 && at[0] != 0x7f;
	length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] < 0xc2 || at[0] > 0xf4 || length > left)
		return 0;
	code = at[0] & (0x7f >> length);
	for (i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    code == 0xfffe || code == 0xffff || (code >= 0x80 && code < 0xa0))
		return 0;
	return length;
}

void loom_draw_escape(FILE *out, const char *text, size_t size_bytes)
{
	size_t length;

	while (size_bytes) {
		length = char_length(text, size_bytes);
		if (!length)
			fputs("\xef\xbf\xbd", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else
			fwrite(text, 1, length, out);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
}

void loom_draw_json(FILE *out, const char *text, size_t size_bytes)
{
	size_t length;

	while (size_bytes) {
		length = char_length(text, size_bytes);
		if (!length)
			fputs("\xef\xbf\xbd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, 1, length, out);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
}

size_t loom_draw_count(const char *text, size_t size_bytes)
{
	size_t length, count;

	for (count = 0; size_bytes; count++) {
		length = char_length(text, size_bytes);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
	return count;
}

const char *loom_draw_skip(const char *text, size_t size_bytes, size_t count)
{
	size_t length;

	for (; size_bytes && count; count--) {
		length = char_length(text, size_bytes);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
	return text;
}

const char *loom_draw_bytes(char text[LOOM_DRAW_BYTES], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned int unit = 0, rest, digits = 3;

	while (unit < 6 && bytes >> 10 * (unit + 1))
		unit++;
	/* the remainder has at most 60 bits: times 1000 it needs more than 64 */
	rest = (__uint128_t)(bytes & ((1ULL << 10 * unit) - 1)) * 1000 >> 10 * unit;
	for (; digits && rest % 10 == 0; digits--)
		rest /= 10;
	if (!digits)
		snprintf(text, LOOM_DRAW_BYTES, "%llu %s", (unsigned long long)(bytes >> 10 * unit),
			 units[unit]);
	else
		snprintf(text, LOOM_DRAW_BYTES, "%llu.%0*u %s",
			 (unsigned long long)(bytes >> 10 * unit), (int)digits, rest, units[unit]);
	return text;
}

const char *loom_draw_address(char text[LOOM_DRAW_BYTES], uint64_t at, uint64_t step)
{
	if (!at)
		snprintf(text, LOOM_DRAW_BYTES, "0");
	else if (step % 1024)
		snprintf(text, LOOM_DRAW_BYTES, "%llu B", (unsigned long long)at);
	else
		loom_draw_bytes(text, at);
	return text;
}

uint64_t loom_draw_step(uint64_t span, unsigned int most)
{
	static const unsigned int factors[] = { 2, 5, 10 };
	uint64_t power = 1, step = 1;
	unsigned int i = 0;

	/* no overflow: step is at most 5 * 10^18, as 2^64 is less than four times that */
	while (span / step > most) {
		step = power * factors[i];
		if (++i == 3) {
			i = 0;
			power *= 10;
		}
	}
	return step;
}

uint64_t loom_draw_step_bytes(uint64_t span, unsigned int most)
{
	uint64_t step = 1024;

	if (span < 4096)
		return loom_draw_step(span, most);
	while (span / step > most)
		step *= 2;
	return step;
}

void loom_draw_open(FILE *out, int64_t width, int64_t height, const char *const *style,
		    size_t num_lines)
{
	const int w = width / LOOM_DRAW_PX, h = height / LOOM_DRAW_PX;
	size_t i;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", w, h);
	fprintf(out, " width=\"%d\" height=\"%d\">\n<style>\n", w, h);
	for (i = 0; i < num_lines; i++)
		fprintf(out, "%s\n", style[i]);
	fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
}

void loom_draw_rect(FILE *out, const char *class, const char *fill,
		    const struct loom_draw_box *box)
{
	fputs("<rect", out);
	if (*class)
		fprintf(out, " class=\"%s\"", class);
	if (fill)
		fprintf(out, " fill=\"%s\"", fill);
	loom_draw_attribute(out, "x", box->x);
	loom_draw_attribute(out, "y", box->y);
	loom_draw_attribute(out, "width", box->width);
	loom_draw_attribute(out, "height", box->height);
}

void loom_draw_text(FILE *out, const char *class, int64_t x, int64_t y, const char *text)
{
	fprintf(out, "<text class=\"%s\"", class);
	loom_draw_attribute(out, "x", x);
	loom_draw_attribute(out, "y", y);
	fputc('>', out);
	loom_draw_escape(out, text, strlen(text));
	fputs("</text>\n", out);
}

/* Number of letters of height @font that fit in @room. */
static size_t count_letters(int64_t room, int64_t font)
{
	const int64_t letters = (room - 4 * LOOM_DRAW_PX) * 100 / (font * ASPECT);

	return letters < 0 ? 0 : letters;
}

bool loom_draw_label_fit(struct loom_draw_label *label, const char *name, int64_t along,
			 int64_t across)
{
	const char *slash = strrchr(name, '/');
	size_t size = strlen(name), count = loom_draw_count(name, size), letters;

	label->font = across * 4 / 5;
	if (label->font > FONT_MAX)
		label->font = FONT_MAX;
	if (label->font < FONT_MIN)
		return false;
	letters = count_letters(along, label->font);
	label->text = name;
	label->size_bytes = size;
	label->cut = false;
	if (count <= letters)
		return true;
	if (slash && slash[1]) {
		label->text = slash + 1;
		label->size_bytes = strlen(slash + 1);
		if (loom_draw_count(label->text, label->size_bytes) <= letters)
			return true;
	}
	if (letters < 7)
		return false;
	label->cut = true;
	label->text = loom_draw_skip(name, size, count - letters + 1);
	label->size_bytes = strlen(label->text);
	return true;
}

void loom_draw_label_put(FILE *out, const struct loom_draw_label *label, const char *class,
			 int64_t x, int64_t y, bool upright)
{
	/* from the middle of a letter to its base line; renderers disagree on dominant-baseline */
	const int64_t middle = label->font * 35 / 100;

	fprintf(out, "<text class=\"%s\"", class);
	if (upright) {
		fputs(" transform=\"translate(", out);
		loom_draw_length(out, x + middle);
		fputc(' ', out);
		loom_draw_length(out, y);
		fputs(")rotate(-90)\"", out);
	} else {
		loom_draw_attribute(out, "x", x);
		loom_draw_attribute(out, "y", y + middle);
	}
	loom_draw_attribute(out, "font-size", label->font);
	fputc('>', out);
	if (label->cut)
		fputs("\xe2\x80\xa6", out);
	loom_draw_escape(out, label->text, label->size_bytes);
	fputs("</text>\n", out);
}
