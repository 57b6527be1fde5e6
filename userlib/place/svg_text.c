// SPDX-License-Identifier: MIT
#include "svg.h"

#include <string.h>

/* A letter is about this wide, in hundredths of its height; wide fonts are a little more. */
#define LOOM_SVG_ASPECT		58
#define LOOM_SVG_FONT_MIN	(8 * LOOM_SVG_PX)
#define LOOM_SVG_FONT_MAX	(12 * LOOM_SVG_PX)

/* Lengths, numbers and names as a picture has them. */

void loom_svg_length(FILE *out, int64_t length)
{
	const uint64_t whole = length < 0 ? -length : length;
	const unsigned int rest = whole % LOOM_SVG_PX;

	fprintf(out, "%s%llu", length < 0 ? "-" : "", (unsigned long long)(whole / LOOM_SVG_PX));
	if (rest)
		fprintf(out, rest % 10 ? ".%02u" : ".%u", rest % 10 ? rest : rest / 10);
}

void loom_svg_attribute(FILE *out, const char *name, int64_t length)
{
	fprintf(out, " %s=\"", name);
	loom_svg_length(out, length);
	fputc('"', out);
}

/*
 * Length of the character at @text, of which @left bytes are there; 0 for what is none, or none
 * that XML may have: most control characters, halves of pairs, and the last two of the plane.
 */
static size_t loom_svg_char(const char *text, size_t left)
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

void loom_svg_escape(FILE *out, const char *text, size_t size_bytes)
{
	size_t length;

	while (size_bytes) {
		length = loom_svg_char(text, size_bytes);
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

size_t loom_svg_count(const char *text, size_t size_bytes)
{
	size_t length, count;

	for (count = 0; size_bytes; count++) {
		length = loom_svg_char(text, size_bytes);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
	return count;
}

const char *loom_svg_skip(const char *text, size_t size_bytes, size_t count)
{
	size_t length;

	for (; size_bytes && count; count--) {
		length = loom_svg_char(text, size_bytes);
		length = length ? length : 1;
		text += length;
		size_bytes -= length;
	}
	return text;
}

const char *loom_svg_bytes(char text[LOOM_SVG_BYTES], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned int unit = 0, rest, digits = 3;

	while (unit < 6 && bytes >> 10 * (unit + 1))
		unit++;
	/* the remainder has at most 60 bits, so its thousandfold fits in 128 */
	rest = (__uint128_t)(bytes & ((1ULL << 10 * unit) - 1)) * 1000 >> 10 * unit;
	for (; digits && rest % 10 == 0; digits--)
		rest /= 10;
	if (!digits)
		snprintf(text, LOOM_SVG_BYTES, "%llu %s", (unsigned long long)(bytes >> 10 * unit),
			 units[unit]);
	else
		snprintf(text, LOOM_SVG_BYTES, "%llu.%0*u %s",
			 (unsigned long long)(bytes >> 10 * unit), (int)digits, rest, units[unit]);
	return text;
}

uint64_t loom_svg_step(uint64_t span, unsigned int most)
{
	static const unsigned int factors[] = { 2, 5, 10 };
	uint64_t power = 1, step = 1;
	unsigned int i = 0;

	/* ends at 5 times ten to the 18th at the latest: 2^64 is less than four of those */
	while (span / step > most) {
		step = power * factors[i];
		if (++i == 3) {
			i = 0;
			power *= 10;
		}
	}
	return step;
}

uint64_t loom_svg_step_bytes(uint64_t span, unsigned int most)
{
	uint64_t step = 1024;

	if (span < 4096)
		return loom_svg_step(span, most);
	while (span / step > most)
		step *= 2;
	return step;
}

/* How many letters of height @font fit in @room. */
static size_t loom_svg_letters(int64_t room, int64_t font)
{
	const int64_t letters = (room - 4 * LOOM_SVG_PX) * 100 / (font * LOOM_SVG_ASPECT);

	return letters < 0 ? 0 : letters;
}

bool loom_svg_label_fit(struct loom_svg_label *label, const char *name, int64_t along,
			int64_t across)
{
	const char *slash = strrchr(name, '/');
	size_t size = strlen(name), count = loom_svg_count(name, size), letters;

	label->font = across * 4 / 5;
	if (label->font > LOOM_SVG_FONT_MAX)
		label->font = LOOM_SVG_FONT_MAX;
	if (label->font < LOOM_SVG_FONT_MIN)
		return false;
	letters = loom_svg_letters(along, label->font);
	label->text = name;
	label->size_bytes = size;
	label->cut = false;
	if (count <= letters)
		return true;
	if (slash && slash[1]) {
		label->text = slash + 1;
		label->size_bytes = strlen(slash + 1);
		if (loom_svg_count(label->text, label->size_bytes) <= letters)
			return true;
	}
	if (letters < 7)
		return false;
	label->cut = true;
	label->text = loom_svg_skip(name, size, count - letters + 1);
	label->size_bytes = strlen(label->text);
	return true;
}

void loom_svg_label_put(FILE *out, const struct loom_svg_label *label, const char *class, int64_t x,
			int64_t y, bool upright)
{
	/* half the height of a letter, which renderers do not agree on how to find */
	const int64_t middle = label->font * 35 / 100;

	fprintf(out, "<text class=\"%s\"", class);
	if (upright) {
		fputs(" transform=\"translate(", out);
		loom_svg_length(out, x + middle);
		fputc(' ', out);
		loom_svg_length(out, y);
		fputs(")rotate(-90)\"", out);
	} else {
		loom_svg_attribute(out, "x", x);
		loom_svg_attribute(out, "y", y + middle);
	}
	loom_svg_attribute(out, "font-size", label->font);
	fputc('>', out);
	if (label->cut)
		fputs("\xe2\x80\xa6", out);
	loom_svg_escape(out, label->text, label->size_bytes);
	fputs("</text>\n", out);
}
