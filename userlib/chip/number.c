// SPDX-License-Identifier: MIT
#include "number.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

/* Relation of a unit to time: none, a rate per second, or a time. */
enum number_time {
	NUMBER_PLAIN,
	NUMBER_PER_SECOND,
	NUMBER_TIME,
};

/*
 * Suffixes and their values: the stored value is the number times @times over @over. The first
 * entry of a kind is the number without suffix.
 */
static const struct number_suffix {
	enum loom_chip_unit unit;
	const char *text;
	u64 times;
	u64 over;
	enum number_time time;
} suffixes[] = {
	{ LOOM_CHIP_UNIT_COUNT, "", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "B", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "k", 1 << 10, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "K", 1 << 10, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "M", 1 << 20, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "G", 1 << 30, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "T", 1ULL << 40, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "KiB", 1 << 10, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "MiB", 1 << 20, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "GiB", 1 << 30, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_BYTES, "TiB", 1ULL << 40, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_FREQUENCY, "", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_FREQUENCY, "Hz", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_FREQUENCY, "kHz", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_FREQUENCY, "MHz", 1000000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_FREQUENCY, "GHz", 1000000000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_CYCLES, "", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_CYCLES, "cycles", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_CYCLES, "ns", 1, 1000000000, NUMBER_TIME },
	{ LOOM_CHIP_UNIT_CYCLES, "us", 1, 1000000, NUMBER_TIME },
	{ LOOM_CHIP_UNIT_RATE, "", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_RATE, "B/cycle", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_RATE, "MB/s", 1000000000, 1, NUMBER_PER_SECOND },
	{ LOOM_CHIP_UNIT_RATE, "GB/s", 1000000000000, 1, NUMBER_PER_SECOND },
	{ LOOM_CHIP_UNIT_RATE, "TB/s", 1000000000000000, 1, NUMBER_PER_SECOND },
	{ LOOM_CHIP_UNIT_OPS, "", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_ENERGY, "", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_ENERGY, "fJ", 1, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_ENERGY, "pJ", 1000, 1, NUMBER_PLAIN },
	{ LOOM_CHIP_UNIT_ENERGY, "nJ", 1000000, 1, NUMBER_PLAIN },
};

/* limit on digits, so that no product exceeds 128 bits */
#define NUMBER_MAX_DIGITS	18

const char *loom_chip_show(char shown[LOOM_CHIP_SHOWN], const char *text)
{
	size_t i, length = strlen(text), room = LOOM_CHIP_SHOWN - 1;
	bool is_cut = length > room;

	if (is_cut) {
		length = room - 3;
		/* must not cut a UTF-8 character */
		while (length && ((u8)text[length] & 0xc0) == 0x80)
			length--;
	}
	for (i = 0; i < length; i++)
		shown[i] = (u8)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	memcpy(shown + i, is_cut ? "..." : "", is_cut ? 4 : 1);
	return shown;
}

static int __attribute__((format(printf, 2, 3)))
number_fault(char fault[LOOM_CHIP_FAULT], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fault, LOOM_CHIP_FAULT, format, args);
	va_end(args);
	return -EINVAL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Parses digits with at most one point and moves @text behind them. Returns false without digits,
 * or with too many.
 */
static bool number_digits(const char **text, u64 *mantissa, unsigned int *decimals)
{
	const char *at = *text;
	unsigned int digits = 0;
	bool has_point = false;

	*mantissa = 0;
	*decimals = 0;
	for (; is_digit(*at) || (*at == '.' && !has_point); at++) {
		if (*at == '.') {
			has_point = true;
			/* neither "5." nor ".5" */
			if (at == *text || !is_digit(at[1]))
				return false;
			continue;
		}
		*mantissa = *mantissa * 10 + (*at - '0');
		*decimals += has_point;
		digits += *mantissa != 0;
		if (digits > NUMBER_MAX_DIGITS || *decimals > NUMBER_MAX_DIGITS)
			return false;
	}
	if (at == *text)
		return false;
	*text = at;
	return true;
}

static const struct number_suffix *number_find_suffix(const char *text, enum loom_chip_unit unit)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].unit == unit && !strcmp(suffixes[i].text, text))
			return &suffixes[i];
	return NULL;
}

static int number_no_suffix(const char *suffix, enum loom_chip_unit unit,
			    char fault[LOOM_CHIP_FAULT])
{
	char shown[LOOM_CHIP_SHOWN], known[80] = "";
	size_t i, used;

	loom_chip_show(shown, suffix);
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (suffixes[i].unit != unit || !suffixes[i].text[0])
			continue;
		used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "",
			 suffixes[i].text);
	}
	if (!known[0])
		return number_fault(fault, "takes a number without a unit, not '%s'", shown);
	return number_fault(fault, "unknown unit '%s', known are %s", shown, known);
}

/* Rounds the remainder of a division. */
static bool number_round(enum loom_chip_unit unit, enum number_time time,
			 u128 dividend, u128 divisor,
			 u128 *result)
{
	u128 rest = dividend % divisor;

	*result = dividend / divisor;
	if (!rest)
		return true;
	switch (unit) {
	case LOOM_CHIP_UNIT_RATE:
	case LOOM_CHIP_UNIT_OPS:
	case LOOM_CHIP_UNIT_ENERGY:
		/* to the nearest, but a nonzero value must not become 0 */
		*result += rest >= divisor - rest;
		return *result;
	case LOOM_CHIP_UNIT_CYCLES:
		/* cycles are rounded up */
		*result += 1;
		return time == NUMBER_TIME;
	default:
		return false;
	}
}

static int number_scale(u64 mantissa, unsigned int decimals, const struct number_suffix *suffix,
			u64 frequency_hz, u64 *value, const char *shown,
			char fault[LOOM_CHIP_FAULT])
{
	u128 dividend = mantissa, divisor = suffix->over, result;
	bool overflow;

	overflow = __builtin_mul_overflow(dividend, suffix->times, &dividend);
	while (decimals--)
		overflow |= __builtin_mul_overflow(divisor, 10, &divisor);
	if (suffix->time == NUMBER_PER_SECOND)
		overflow |= __builtin_mul_overflow(divisor, frequency_hz, &divisor);
	if (suffix->time == NUMBER_TIME)
		overflow |= __builtin_mul_overflow(dividend, frequency_hz, &dividend);
	if (overflow)
		return number_fault(fault, "'%s' has too many digits", shown);
	if (!number_round(suffix->unit, suffix->time, dividend, divisor, &result))
		return number_fault(fault, result || suffix->unit < LOOM_CHIP_UNIT_RATE ?
				    "'%s' is not a whole number" : "'%s' is less than a thousandth",
				    shown);
	*value = result;
	if (*value != result)
		return number_fault(fault, "'%s' is too large", shown);
	return 0;
}

int loom_chip_number(const char *text, enum loom_chip_unit unit, u64 frequency_hz, u64 *value,
		     char fault[LOOM_CHIP_FAULT])
{
	const struct number_suffix *suffix;
	char shown[LOOM_CHIP_SHOWN];
	const char *at = text;
	unsigned int decimals;
	u64 mantissa;

	loom_chip_show(shown, text);
	if (text[0] == '-' && (is_digit(text[1]) || text[1] == '.'))
		return number_fault(fault, "'%s' is negative", shown);
	if (!is_digit(text[0]))
		return number_fault(fault, "'%s' is not a number", shown);
	if (!number_digits(&at, &mantissa, &decimals))
		return number_fault(fault, "'%s' is not a number of up to %d digits", shown,
				    NUMBER_MAX_DIGITS);
	at += strspn(at, " ");
	suffix = number_find_suffix(at, unit);
	if (!suffix)
		return number_no_suffix(at, unit, fault);
	return number_scale(mantissa, decimals, suffix, frequency_hz, value, shown, fault);
}
