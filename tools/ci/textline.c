// SPDX-License-Identifier: MIT
/*
 * Draw a line of type into a PNG: the picture that the demo and the end-to-end
 * tests have read back.
 *
 *	textline [-f FONT] [-h HEIGHT] [-w WIDTH] OUT.png TEXT
 *
 * Black on white, grey, with a margin of a sixth of the height. The width follows
 * from the text, rounded up to eight pixels, unless a wider one is asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include <png.h>

#define MAX_WIDTH 8192

/* One code point of UTF-8; a byte that begins none stands for itself. */
static unsigned int utf8_next(const unsigned char **p)
{
	unsigned int c = *(*p)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (more)
		c &= 0x3f >> more;
	while (more-- && (**p & 0xc0) == 0x80)
		c = c << 6 | (*(*p)++ & 0x3f);
	return c;
}

/* Draws into @pixels (grey, @width by @height), or only measures if it is NULL. */
static int line_draw(FT_Face face, const char *text, int x, int baseline,
		     unsigned char *pixels, int width, int height)
{
	const unsigned char *p = (const unsigned char *)text;
	FT_UInt last = 0;

	while (*p) {
		FT_UInt glyph = FT_Get_Char_Index(face, utf8_next(&p));
		FT_GlyphSlot slot = face->glyph;
		FT_Vector kern = { 0, 0 };

		if (!glyph)
			fprintf(stderr, "textline: the font lacks a character of the text\n");
		if (last)
			FT_Get_Kerning(face, last, glyph, FT_KERNING_DEFAULT, &kern);
		if (FT_Load_Glyph(face, glyph, FT_LOAD_RENDER))
			return -1;
		x += kern.x >> 6;
		for (unsigned int r = 0; pixels && r < slot->bitmap.rows; r++) {
			for (unsigned int c = 0; c < slot->bitmap.width; c++) {
				int px = x + slot->bitmap_left + (int)c;
				int py = baseline - slot->bitmap_top + (int)r;
				unsigned char ink = slot->bitmap.buffer[r * slot->bitmap.pitch + c];

				if (px < 0 || px >= width || py < 0 || py >= height)
					continue;
				if (pixels[py * width + px] > 255 - ink)
					pixels[py * width + px] = 255 - ink;
			}
		}
		x += slot->advance.x >> 6;
		last = glyph;
	}
	return x;
}

int main(int argc, char **argv)
{
	const char *font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
	int height = 48, width = 0, opt, margin, end, baseline;
	unsigned char *pixels;
	FT_Library library;
	png_image png;
	FT_Face face;

	while ((opt = getopt(argc, argv, "f:h:w:")) != -1) {
		if (opt == 'f')
			font = optarg;
		else if (opt == 'h')
			height = atoi(optarg);
		else if (opt == 'w')
			width = atoi(optarg);
		else
			return 2;
	}
	if (argc - optind != 2 || height < 8 || height > 1024 || width < 0) {
		fprintf(stderr, "usage: textline [-f FONT] [-h HEIGHT] [-w WIDTH] OUT.png TEXT\n");
		return 2;
	}
	if (FT_Init_FreeType(&library) || FT_New_Face(library, font, 0, &face)) {
		fprintf(stderr, "textline: cannot open font %s\n", font);
		return 1;
	}
	margin = height / 6;
	FT_Set_Pixel_Sizes(face, 0, height - 2 * margin);
	/* the capitals, not the whole em, sit in the middle */
	baseline = height - margin - height / 8;

	end = line_draw(face, argv[optind + 1], margin, baseline, NULL, 0, 0);
	if (end < 0 || end + margin > MAX_WIDTH) {
		fprintf(stderr, "textline: the text does not fit a line of %d pixels\n", MAX_WIDTH);
		return 1;
	}
	end = (end + margin + 7) & ~7;
	if (end > width)
		width = end;
	pixels = malloc((size_t)width * height);
	if (!pixels)
		return 1;
	memset(pixels, 255, (size_t)width * height);
	line_draw(face, argv[optind + 1], margin, baseline, pixels, width, height);

	memset(&png, 0, sizeof(png));
	png.version = PNG_IMAGE_VERSION;
	png.width = width;
	png.height = height;
	png.format = PNG_FORMAT_GRAY;
	if (!png_image_write_to_file(&png, argv[optind], 0, pixels, 0, NULL)) {
		fprintf(stderr, "textline: %s: %s\n", argv[optind], png.message);
		return 1;
	}
	free(pixels);
	FT_Done_Face(face);
	FT_Done_FreeType(library);
	return 0;
}
