/* SPDX-License-Identifier: MIT */
#ifndef LOOM_FUZZ_PLACE_INPUTS_H
#define LOOM_FUZZ_PLACE_INPUTS_H

/*
 * main() without libFuzzer: inputs from seeds, by mutation; an input with a result of a kind that
 * was not seen before becomes a seed, too. Included by place.c alone.
 */

#include "fuzz.h"
#include "loom_core.h"
#include "place_problem.h"

static const char *const fuzz_seeds[] = {
	"id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n",
	"buffer,start,end,size,alignment,gaps,offset\r\n"
	"a,0,9,64,16,3-4 6-7@8:16,\r\nb,2,5,32,8,,128\r\nc,4,8,48,1,,\r\n",
	"id,lower,upper,size,hint,what\n\"x,\"\"y\"\"\",0,2,100,-1,z\nq,1,3,28,0,\"a\nb\"\n",
	"upper,lower,size,id\n20,5,13,0\n16,0,7,1\n9,1,22,2\n30,8,5,3\n12,4,9,4\n18,11,31,5\n"
	"25,13,3,6\n28,21,17,7\n14,7,2,8\n6,0,6,9\n29,17,12,10\n23,16,8,11\n",
	"id,lower,upper,size,gaps\na,0,30,16,4-8 12-16 20-24\nb,0,30,16,0-4 8-12 16-20@0:8\n"
	"c,5,9,8,\nd,10,14,8,11-12@2:4\ne,21,23,8,\n",
	"id,lower,upper,size,offset\na,0,4,10,0\nb,2,6,10,10\nc,5,9,10,5\nd,0,9,7,\n",
};

static const char *const fuzz_words[] = {
	",", "\n", "\r\n", "\"", "\"\"", "-", "@", ":", " ", "0", "1", "7", "64", "-1", "1-2",
	"3-4@1:2", "\t", ",,,", "\x7f", "\xff\xfe", "\xc3\xa9", "\xef\xbb\xbf",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "4611686018427387904",
	"id", "lower", "upper", "size", "end", "start", "gaps", "offset", "alignment", "hint",
};

#define FUZZ_CORPUS	512
#define FUZZ_SEEN	(1 << 16)

static struct fuzz_input fuzz_corpus[FUZZ_CORPUS];
static uint64_t fuzz_corpus_size;
static uint64_t fuzz_seen[FUZZ_SEEN];

/* Inserts a copy of a line of @from, or of about as many bytes of a binary input. */
static void fuzz_copy(const struct fuzz_input *from)
{
	uint8_t piece[64];
	size_t at, count;

	if (from->size <= 4)
		return;
	at = 4 + random_below(from->size - 4);
	while (at > 4 && from->data[at - 1] != '\n' && random_below(32))
		at--;
	for (count = 0; count < sizeof(piece) && at + count < from->size; count++) {
		piece[count] = from->data[at + count];
		if (piece[count] == '\n') {
			count++;
			break;
		}
	}
	at = 4 + random_below(fuzz_now.size - 3);
	while (at > 4 && fuzz_now.data[at - 1] != '\n' && random_below(32))
		at--;
	fuzz_splice(at, 0, piece, count);
}

/* Replaces a digit, so that numbers stay numbers. */
static void fuzz_digit(void)
{
	size_t at = 4 + random_below(fuzz_now.size - 4), tries;

	for (tries = 0; tries < fuzz_now.size; tries++) {
		if (fuzz_now.data[at] >= '0' && fuzz_now.data[at] <= '9') {
			fuzz_now.data[at] = '0' + random_below(10);
			return;
		}
		at = at + 1 < fuzz_now.size ? at + 1 : 4;
	}
}

static void fuzz_mutate(void)
{
	const char *word;
	size_t at;

	if (fuzz_now.size <= 4)
		return;
	at = 4 + random_below(fuzz_now.size - 4);
	switch (random_below(9)) {
	case 0:
		fuzz_now.data[at] ^= 1U << random_below(8);
		break;
	case 1:
		fuzz_now.data[at] = random_u64();
		break;
	case 2:
		word = fuzz_words[random_below(ARRAY_SIZE(fuzz_words))];
		fuzz_splice(at, 0, word, strlen(word));
		break;
	case 3:
		fuzz_splice(at, 1 + random_below(8), "", 0);
		break;
	case 4:
		fuzz_copy(&fuzz_corpus[random_below(fuzz_corpus_size)]);
		break;
	case 5:
		fuzz_copy(&fuzz_now);
		break;
	case 6:
		fuzz_now.data[random_below(4)] = random_u64();
		break;
	default:
		fuzz_digit();
	}
}

static void fuzz_next(void)
{
	size_t i, count;

	if (!random_below(4)) {
		/* a new binary input */
		fuzz_now.size = 4 + random_below(400);
		for (i = 0; i < fuzz_now.size; i++)
			fuzz_now.data[i] = random_u64();
		fuzz_now.data[0] |= FUZZ_BINARY;
		/* fewer bits: mostly few flags of an item at once */
		for (i = 4; i < fuzz_now.size; i++)
			if (random_below(2))
				fuzz_now.data[i] &= random_u64();
		return;
	}
	fuzz_now = fuzz_corpus[random_below(fuzz_corpus_size)];
	for (i = 1; i < 3; i++)
		fuzz_now.data[i] = random_u64();
	for (count = 1 + random_below(6); count; count--)
		fuzz_mutate();
}

/* Keeps an input whose result is of a new kind. */
static void fuzz_keep(void)
{
	const uint64_t signature = fuzz_signature | 1;
	size_t at = signature % FUZZ_SEEN;

	if (fuzz_seen[at] == signature)
		return;
	fuzz_seen[at] = signature;
	if (fuzz_corpus_size < FUZZ_CORPUS)
		fuzz_corpus[fuzz_corpus_size++] = fuzz_now;
	else
		fuzz_corpus[random_below(FUZZ_CORPUS)] = fuzz_now;
}

static void fuzz_plant(void)
{
	const char *seed;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fuzz_seeds); i++) {
		struct fuzz_input *input = &fuzz_corpus[fuzz_corpus_size++];

		seed = fuzz_seeds[i];
		memset(input->data, 0, 4);
		input->size = 4 + strlen(seed);
		memcpy(input->data + 4, seed, strlen(seed));
	}
}

int main(int argc, char **argv)
{
	static const struct fuzz_maker maker = {
		.begin = fuzz_plant,
		.make = fuzz_next,
		.after = fuzz_keep,
		.counts = { { "kinds of them kept", &fuzz_corpus_size } },
	};

	return fuzz_main(argc, argv, &maker);
}

#endif /* LOOM_FUZZ_PLACE_INPUTS_H */
