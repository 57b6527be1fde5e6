// SPDX-License-Identifier: MIT
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>

/*
 * Predicted against measured times as SVG, both on the same logarithmic axis: a point on the
 * diagonal is predicted exactly. The band is a factor of BAND. Hollow points are those of the
 * description before. A point has its row as a title, which viewers show under the pointer.
 */

#define SIDE	420
#define LEFT	70
#define TOP	40
#define BAND	1.25

/**
 * struct chart - the picture
 * @out: its stream
 * @low: power of ten where the axes begin
 * @high: power of ten where they end
 */
struct chart {
	FILE *out;
	int low;
	int high;
};

/* Pixels from the begin of an axis, rounded so that all processors write the same. */
static int along(const struct chart *c, double us)
{
	double at = (log10(us) - c->low) / (c->high - c->low);

	return (int)lround(fmin(fmax(at, 0), 1) * SIDE);
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			fprintf(out, "&#%d;", *text);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
}

static void put_axes(const struct chart *c)
{
	int band = along(c, BAND * pow(10, c->low)), decade;

	fprintf(c->out, "<polygon fill=\"#e8f0e8\" points=\"%d,%d %d,%d %d,%d ", LEFT,
		TOP + SIDE, LEFT, TOP + SIDE - band, LEFT + SIDE - band, TOP);
	fprintf(c->out, "%d,%d %d,%d %d,%d\"/>\n", LEFT + SIDE, TOP, LEFT + SIDE, TOP + band,
		LEFT + band, TOP + SIDE);
	fprintf(c->out, "<path d=\"M%d %dL%d %d\" stroke=\"#888\"/>\n", LEFT, TOP + SIDE,
		LEFT + SIDE, TOP);
	for (decade = c->low; decade <= c->high; decade++) {
		int at = along(c, pow(10, decade));

		fprintf(c->out, "<path d=\"M%d %dH%dM%d %dV%d\" stroke=\"#ccc\"/>\n", LEFT,
			TOP + SIDE - at, LEFT + SIDE, LEFT + at, TOP, TOP + SIDE);
		fprintf(c->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%g</text>\n",
			LEFT - 6, TOP + SIDE - at + 4, pow(10, decade));
		fprintf(c->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
			LEFT + at, TOP + SIDE + 18, pow(10, decade));
	}
	fprintf(c->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured us</text>\n",
		LEFT + SIDE / 2, TOP + SIDE + 38);
	fprintf(c->out, "<text x=\"16\" y=\"%d\" text-anchor=\"middle\"", TOP + SIDE / 2);
	fprintf(c->out, " transform=\"rotate(-90 16 %d)\">predicted us</text>\n", TOP + SIDE / 2);
}

static void put_point(const struct chart *c, const struct calibrate_table *table, uint32_t row,
		      double us, bool before)
{
	double measured = table->times[row].measured_us;
	char name[TOOL_TEXT];

	fprintf(c->out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" %s><title>",
		LEFT + along(c, measured), TOP + SIDE - along(c, us),
		before ? "fill=\"none\" stroke=\"#999\"" : "fill=\"#1f5fbf\"");
	put_escaped(c->out, calibrate_row_name(table, row, name));
	fprintf(c->out, "%s: measured %.1f us, predicted %.1f</title></circle>\n",
		before ? ", as described" : "", measured, us);
}

int calibrate_chart_save(const struct calibrate_table *table, const char *title,
			 const char *path)
{
	double low = INFINITY, high = 0;
	struct chart c = { 0 };
	size_t size_bytes;
	char *text;
	uint32_t i;
	int ret;

	for (i = 0; i < table->num_rows; i++) {
		const struct loom_measurement *time = &table->times[i];
		double before = table->rows[i].before_us;

		low = fmin(low, fmin(time->measured_us, fmin(time->planned_us, before)));
		high = fmax(high, fmax(time->measured_us, fmax(time->planned_us, before)));
	}
	c.low = (int)floor(log10(low));
	c.high = (int)floor(log10(high)) + 1;
	c.out = open_memstream(&text, &size_bytes);
	if (!c.out)
		return tool_fail("no memory");
	fprintf(c.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"",
		LEFT + SIDE + 30, TOP + SIDE + 50);
	fprintf(c.out, " font-family=\"sans-serif\" font-size=\"12\">\n");
	fprintf(c.out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	fprintf(c.out, "<text x=\"%d\" y=\"24\" font-size=\"14\">", LEFT);
	put_escaped(c.out, title);
	fprintf(c.out, "</text>\n");
	put_axes(&c);
	for (i = 0; i < 2 * table->num_rows; i++)
		put_point(&c, table, i / 2, i % 2 ? table->times[i / 2].planned_us :
			  table->rows[i / 2].before_us, !(i % 2));
	fprintf(c.out, "</svg>\n");
	if (fclose(c.out))
		return tool_fail("no memory");
	ret = tool_save(path, text, size_bytes);
	free(text);
	return ret;
}
