// SPDX-License-Identifier: MIT
/*
 * DOC: Training of the demo's language model
 *
 *	train STEPS TEXT... >WEIGHTS
 *
 * A decoder of two layers that predicts the next character. It has the shape that model.py writes
 * as ONNX. Each step takes BATCH pieces of the texts, at random places, calculates the gradient of
 * the mean loss by hand and lets Adam move the weights. The random numbers have a fixed seed, and
 * sums a fixed order, so that one build makes the same weights of the same texts each time.
 *
 * WEIGHTS is a line "NAME ROWS COLUMNS" for each tensor, and its floats behind it. The loss goes to
 * stderr, in nats per character.
 *
 * Matrices are multiplied row by row, as sums of rows: compilers make vectors of that without a
 * licence to reorder sums.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS		2
#define WIDTH		64
#define HEADS		4
#define HEAD		(WIDTH / HEADS)
#define HIDDEN		(4 * WIDTH)
#define POSITIONS	128
#define CHARACTERS	96
#define BATCH		4
#define RATE		0.003f
#define MOST_TENSORS	64
#define MOST_TEXT	(1 << 22)

/**
 * struct tensor - weights
 * @name: as in the ONNX file
 * @rows: inputs, or 1
 * @columns: outputs
 * @w: row-major
 * @turned: the transpose of @w, for gradients
 * @grad: gradient of the loss
 * @mean: Adam's mean of gradients
 * @square: Adam's mean of their squares
 */
struct tensor {
	char name[32];
	int rows;
	int columns;
	float *w;
	float *turned;
	float *grad;
	float *mean;
	float *square;
};

/** struct linear - y = x * @weight + @bias; a norm has one row; the head has no @bias */
struct linear {
	struct tensor *weight;
	struct tensor *bias;
};

/** struct layer - the weights of a layer, in the order of their use */
struct layer {
	struct linear norm_1;
	struct linear in;
	struct linear out;
	struct linear norm_2;
	struct linear wide;
	struct linear narrow;
};

/** struct model - all weights; @tensors has them in the order of the file */
struct model {
	struct tensor tensors[MOST_TENSORS];
	int count;
	struct tensor *tokens;
	struct tensor *places;
	struct layer layers[LAYERS];
	struct linear norm;
	struct linear head;
};

/** struct normed - what the gradient of a norm needs: numbers before the weights, and 1 / spread */
struct normed {
	float unit[POSITIONS * WIDTH];
	float scale[POSITIONS];
};

/** struct passed - the values of a layer for one piece of text */
struct passed {
	struct normed norm_1;
	float first[POSITIONS * WIDTH];
	float qkv[POSITIONS * 3 * WIDTH];
	float seen[HEADS * POSITIONS * POSITIONS];
	float joined[POSITIONS * WIDTH];
	struct normed norm_2;
	float second[POSITIONS * WIDTH];
	float wide[POSITIONS * HIDDEN];
	float curved[POSITIONS * HIDDEN];
};

static uint64_t state = 2024;

/* SplitMix64 */
static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void *array(size_t count, size_t size)
{
	void *data = calloc(count, size);

	if (!data) {
		fprintf(stderr, "train: out of memory\n");
		exit(1);
	}
	return data;
}

static struct tensor *add(struct model *m, const char *name, int layer, const char *what, int rows,
			  int columns, float start, float spread)
{
	struct tensor *t = &m->tensors[m->count++];
	size_t n = (size_t)rows * columns, i;

	if (layer < 0)
		snprintf(t->name, sizeof(t->name), "%s%s", name, what);
	else
		snprintf(t->name, sizeof(t->name), "%s.%d%s", name, layer, what);
	t->rows = rows;
	t->columns = columns;
	t->w = array(n, sizeof(float));
	t->turned = array(n, sizeof(float));
	t->grad = array(n, sizeof(float));
	t->mean = array(n, sizeof(float));
	t->square = array(n, sizeof(float));
	for (i = 0; i < n; i++)
		t->w[i] = start + spread * ((float)(draw() >> 40) / (1 << 23) - 1);
	return t;
}

static struct linear add_linear(struct model *m, const char *name, int layer, const char *part,
				int rows, int columns)
{
	char weight[16], bias[16];

	snprintf(weight, sizeof(weight), "%s.weight", part);
	snprintf(bias, sizeof(bias), "%s.bias", part);
	return (struct linear){
		add(m, name, layer, weight, rows, columns, 0, sqrtf(3.0f / rows) / 2),
		add(m, name, layer, bias, 1, columns, 0, 0),
	};
}

static struct linear add_norm(struct model *m, const char *name, int layer)
{
	return (struct linear){
		add(m, name, layer, ".weight", 1, WIDTH, 1, 0),
		add(m, name, layer, ".bias", 1, WIDTH, 0, 0),
	};
}

static void make_model(struct model *m)
{
	int i;

	m->tokens = add(m, "wte", -1, "", CHARACTERS, WIDTH, 0, 0.1f);
	m->places = add(m, "wpe", -1, "", POSITIONS, WIDTH, 0, 0.1f);
	for (i = 0; i < LAYERS; i++) {
		struct layer *l = &m->layers[i];

		l->norm_1 = add_norm(m, "norm_1", i);
		l->in = add_linear(m, "attention", i, ".in", WIDTH, 3 * WIDTH);
		l->out = add_linear(m, "attended", i, "", WIDTH, WIDTH);
		l->norm_2 = add_norm(m, "norm_2", i);
		l->wide = add_linear(m, "wide", i, "", WIDTH, HIDDEN);
		l->narrow = add_linear(m, "narrow", i, "", HIDDEN, WIDTH);
	}
	m->norm = add_norm(m, "norm", -1);
	m->head.weight = add(m, "head", -1, "", WIDTH, CHARACTERS, 0, 0.1f);
}

/* y += a * x */
static inline void add_row(float *restrict y, const float *restrict x, float a, int n)
{
	int i;

	for (i = 0; i < n; i++)
		y[i] += a * x[i];
}

static void forward(const struct linear *l, const float *x, float *y)
{
	int rows = l->weight->rows, columns = l->weight->columns, t, i;

	for (t = 0; t < POSITIONS; t++, x += rows, y += columns) {
		if (l->bias)
			memcpy(y, l->bias->w, columns * sizeof(*y));
		else
			memset(y, 0, columns * sizeof(*y));
		for (i = 0; i < rows; i++)
			add_row(y, &l->weight->w[i * columns], x[i], columns);
	}
}

/* Gradients of the weights, and of @x, of which @dx is the sum so far. */
static void backward(const struct linear *l, const float *x, const float *dy, float *dx)
{
	int rows = l->weight->rows, columns = l->weight->columns, t, i;

	for (t = 0; t < POSITIONS; t++, x += rows, dx += rows, dy += columns) {
		if (l->bias)
			add_row(l->bias->grad, dy, 1, columns);
		for (i = 0; i < rows; i++)
			add_row(&l->weight->grad[i * columns], dy, x[i], columns);
		for (i = 0; i < columns; i++)
			add_row(dx, &l->weight->turned[i * rows], dy[i], rows);
	}
}

static void forward_norm(const struct linear *l, const float *x, struct normed *n, float *y)
{
	int t, i;

	for (t = 0; t < POSITIONS; t++) {
		float mean = 0, square = 0, *unit = &n->unit[t * WIDTH];

		for (i = 0; i < WIDTH; i++)
			mean += x[t * WIDTH + i] / WIDTH;
		for (i = 0; i < WIDTH; i++) {
			unit[i] = x[t * WIDTH + i] - mean;
			square += unit[i] * unit[i] / WIDTH;
		}
		n->scale[t] = 1 / sqrtf(square + 0.00001f);
		for (i = 0; i < WIDTH; i++) {
			unit[i] *= n->scale[t];
			y[t * WIDTH + i] = unit[i] * l->weight->w[i] + l->bias->w[i];
		}
	}
}

static void backward_norm(const struct linear *l, const struct normed *n, const float *dy,
			  float *dx)
{
	int t, i;

	for (t = 0; t < POSITIONS; t++, dy += WIDTH, dx += WIDTH) {
		const float *unit = &n->unit[t * WIDTH];
		float mean = 0, along = 0;

		for (i = 0; i < WIDTH; i++) {
			float d = dy[i] * l->weight->w[i];

			l->weight->grad[i] += dy[i] * unit[i];
			l->bias->grad[i] += dy[i];
			mean += d / WIDTH;
			along += d * unit[i] / WIDTH;
		}
		for (i = 0; i < WIDTH; i++)
			dx[i] += n->scale[t] * (dy[i] * l->weight->w[i] - mean - unit[i] * along);
	}
}

static float dot(const float *a, const float *b)
{
	float sum = 0;
	int i;

	for (i = 0; i < HEAD; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The weights of positions up to @t, and the sum of their values. */
static void attend(struct passed *p, int head, int t)
{
	const float *q = &p->qkv[t * 3 * WIDTH + head * HEAD];
	float *seen = &p->seen[(head * POSITIONS + t) * POSITIONS], most = -INFINITY, sum = 0;
	float *y = &p->joined[t * WIDTH + head * HEAD];
	int i;

	for (i = 0; i <= t; i++) {
		seen[i] = dot(q, &p->qkv[(i * 3 + 1) * WIDTH + head * HEAD]) / sqrtf(HEAD);
		most = fmaxf(most, seen[i]);
	}
	for (i = 0; i <= t; i++) {
		seen[i] = expf(seen[i] - most);
		sum += seen[i];
	}
	memset(y, 0, HEAD * sizeof(*y));
	for (i = 0; i <= t; i++) {
		seen[i] /= sum;
		add_row(y, &p->qkv[(i * 3 + 2) * WIDTH + head * HEAD], seen[i], HEAD);
	}
}

static void backward_attend(const struct passed *p, int head, int t, const float *dy, float *dqkv)
{
	const float *seen = &p->seen[(head * POSITIONS + t) * POSITIONS];
	int at = head * HEAD, q = t * 3 * WIDTH + at, i;
	float dseen[POSITIONS], along = 0;

	for (i = 0; i <= t; i++) {
		int v = (i * 3 + 2) * WIDTH + at;

		dseen[i] = dot(dy, &p->qkv[v]);
		along += dseen[i] * seen[i];
		add_row(&dqkv[v], dy, seen[i], HEAD);
	}
	for (i = 0; i <= t; i++) {
		float d = seen[i] * (dseen[i] - along) / sqrtf(HEAD);
		int k = (i * 3 + 1) * WIDTH + at;

		add_row(&dqkv[q], &p->qkv[k], d, HEAD);
		add_row(&dqkv[k], &p->qkv[q], d, HEAD);
	}
}

static float gelu(float x)
{
	return x * (1 + erff(x * sqrtf(0.5f))) / 2;
}

static float gelu_slope(float x)
{
	return (1 + erff(x * sqrtf(0.5f))) / 2 + x * expf(-x * x / 2) * 0.39894228f;
}

/* @x becomes the result of the layer. */
static void forward_layer(const struct layer *l, struct passed *p, float *x)
{
	static float y[POSITIONS * WIDTH];
	int i, t;

	forward_norm(&l->norm_1, x, &p->norm_1, p->first);
	forward(&l->in, p->first, p->qkv);
	for (i = 0; i < HEADS; i++)
		for (t = 0; t < POSITIONS; t++)
			attend(p, i, t);
	forward(&l->out, p->joined, y);
	add_row(x, y, 1, POSITIONS * WIDTH);
	forward_norm(&l->norm_2, x, &p->norm_2, p->second);
	forward(&l->wide, p->second, p->wide);
	for (i = 0; i < POSITIONS * HIDDEN; i++)
		p->curved[i] = gelu(p->wide[i]);
	forward(&l->narrow, p->curved, y);
	add_row(x, y, 1, POSITIONS * WIDTH);
}

/* @dx, of the result, becomes that of the operand. */
static void backward_layer(const struct layer *l, const struct passed *p, float *dx)
{
	static float wide[POSITIONS * HIDDEN], dqkv[POSITIONS * 3 * WIDTH], dy[POSITIONS * WIDTH];
	int i, t;

	memset(wide, 0, sizeof(wide));
	backward(&l->narrow, p->curved, dx, wide);
	for (i = 0; i < POSITIONS * HIDDEN; i++)
		wide[i] *= gelu_slope(p->wide[i]);
	memset(dy, 0, sizeof(dy));
	backward(&l->wide, p->second, wide, dy);
	backward_norm(&l->norm_2, &p->norm_2, dy, dx);
	memset(dy, 0, sizeof(dy));
	backward(&l->out, p->joined, dx, dy);
	memset(dqkv, 0, sizeof(dqkv));
	for (i = 0; i < HEADS; i++)
		for (t = 0; t < POSITIONS; t++)
			backward_attend(p, i, t, &dy[t * WIDTH + i * HEAD], dqkv);
	memset(dy, 0, sizeof(dy));
	backward(&l->in, p->first, dqkv, dy);
	backward_norm(&l->norm_1, &p->norm_1, dy, dx);
}

/* Turns logits into the gradient of the loss; returns the loss. */
static double lose(float *logits, int wanted)
{
	float most = -INFINITY, sum = 0, loss;
	int i;

	for (i = 0; i < CHARACTERS; i++)
		most = fmaxf(most, logits[i]);
	for (i = 0; i < CHARACTERS; i++)
		sum += expf(logits[i] - most);
	loss = logf(sum) + most - logits[wanted];
	for (i = 0; i < CHARACTERS; i++)
		logits[i] = (expf(logits[i] - most) / sum - (i == wanted)) / (POSITIONS * BATCH);
	return (double)loss / POSITIONS;
}

/* Adds the gradient of a piece of text, whose next character comes behind it. */
static double learn(struct model *m, const uint8_t *text)
{
	static float x[POSITIONS * WIDTH], dx[POSITIONS * WIDTH], last[POSITIONS * WIDTH];
	static float logits[POSITIONS * CHARACTERS], dlast[POSITIONS * WIDTH];
	static struct passed passed[LAYERS];
	static struct normed norm;
	double loss = 0;
	int t, i;

	for (t = 0; t < POSITIONS; t++)
		for (i = 0; i < WIDTH; i++)
			x[t * WIDTH + i] = m->tokens->w[text[t] * WIDTH + i] +
					   m->places->w[t * WIDTH + i];
	for (i = 0; i < LAYERS; i++)
		forward_layer(&m->layers[i], &passed[i], x);
	forward_norm(&m->norm, x, &norm, last);
	forward(&m->head, last, logits);
	for (t = 0; t < POSITIONS; t++)
		loss += lose(&logits[t * CHARACTERS], text[t + 1]);
	memset(dlast, 0, sizeof(dlast));
	backward(&m->head, last, logits, dlast);
	memset(dx, 0, sizeof(dx));
	backward_norm(&m->norm, &norm, dlast, dx);
	for (i = LAYERS; i-- > 0;)
		backward_layer(&m->layers[i], &passed[i], dx);
	for (t = 0; t < POSITIONS; t++) {
		add_row(&m->tokens->grad[text[t] * WIDTH], &dx[t * WIDTH], 1, WIDTH);
		add_row(&m->places->grad[t * WIDTH], &dx[t * WIDTH], 1, WIDTH);
	}
	return loss;
}

static void turn(struct tensor *t)
{
	int r, c;

	for (r = 0; r < t->rows; r++)
		for (c = 0; c < t->columns; c++)
			t->turned[c * t->rows + r] = t->w[r * t->columns + c];
}

/* A step of Adam, with a rate that falls to a tenth at the end. */
static void move(struct model *m, int step, int steps)
{
	float rate = RATE * (1 - 0.9f * (float)step / (float)steps) * fminf(1, (step + 1) / 50.0f);
	float fix_1 = 1 - powf(0.9f, step + 1), fix_2 = 1 - powf(0.99f, step + 1);
	int i, k;

	for (i = 0; i < m->count; i++) {
		struct tensor *t = &m->tensors[i];

		for (k = 0; k < t->rows * t->columns; k++) {
			float g = t->grad[k];

			t->mean[k] += (g - t->mean[k]) * 0.1f;
			t->square[k] += (g * g - t->square[k]) * 0.01f;
			t->w[k] -= rate * (t->mean[k] / fix_1) /
				   (sqrtf(t->square[k] / fix_2) + 0.00000001f);
			t->grad[k] = 0;
		}
		turn(t);
	}
}

/* Printable ASCII from 0 on, then the end of a line; others become spaces. */
static uint8_t token_of(int c)
{
	if (c == '\n')
		return CHARACTERS - 1;
	return c > ' ' && c < 127 ? c - ' ' : 0;
}

/* Returns how many characters there are. */
static size_t read_text(char **paths, uint8_t *text)
{
	size_t count = 0;

	for (; *paths; paths++) {
		FILE *file = fopen(*paths, "r");
		int c;

		if (!file) {
			fprintf(stderr, "train: %s: cannot be read\n", *paths);
			exit(1);
		}
		while (count < MOST_TEXT && (c = getc(file)) != EOF)
			text[count++] = token_of(c);
		fclose(file);
	}
	return count;
}

static void write_model(const struct model *m)
{
	int i;

	for (i = 0; i < m->count; i++) {
		const struct tensor *t = &m->tensors[i];
		size_t n = (size_t)t->rows * t->columns;

		printf("%s %d %d\n", t->name, t->rows, t->columns);
		if (fwrite(t->w, sizeof(*t->w), n, stdout) != n)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	struct model *m = array(1, sizeof(*m));
	uint8_t *text = array(MOST_TEXT, 1);
	int steps = argc > 2 ? atoi(argv[1]) : 0, step, i;
	size_t count;

	if (steps < 1) {
		fprintf(stderr, "usage: train STEPS TEXT... >WEIGHTS\n");
		return 2;
	}
	count = read_text(&argv[2], text);
	if (count <= POSITIONS + 1) {
		fprintf(stderr, "train: %zu characters are too few\n", count);
		return 1;
	}
	make_model(m);
	for (i = 0; i < m->count; i++)
		turn(&m->tensors[i]);
	for (step = 0; step < steps; step++) {
		double loss = 0;

		for (i = 0; i < BATCH; i++)
			loss += learn(m, &text[draw() % (count - POSITIONS - 1)]) / BATCH;
		move(m, step, steps);
		if (step % 100 == 0 || step + 1 == steps)
			fprintf(stderr, "step %d of %d: loss %.3f\n", step, steps, loss);
	}
	write_model(m);
	return fflush(stdout) ? 1 : 0;
}
