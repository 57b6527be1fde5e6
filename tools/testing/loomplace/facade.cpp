// SPDX-License-Identifier: MIT
/* The interface for C++. Built and run by `make check` in userlib/loomplace. TAP. */
#include <loomplace.hpp>
#include <cstdio>

static unsigned int count, failed;

static void ok(bool good, const char *what)
{
	failed += !good;
	std::printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, what);
}

int main()
{
	const std::vector<loomplace::item> items{ { 4, 0, 2 }, { 2, 0, 4 }, { 3, 2, 4, 2 } };
	loomplace::placer placer;
	auto placed = placer.place(items);

	ok(placed.height == 6 && placed.proved && placed.offsets.size() == 3, "items are placed");
	ok(placer.place(items, 7).height <= 7 && placer.place({}).height == 0, "within a capacity");
	auto grown = items;
	grown[2].size = 4;
	placed.offsets = { 0, 4, 0 };
	placed = placer.update(grown, placed.offsets, 6);
	ok(placed.moved == 0 && placed.offsets[1] == 4 && placed.height == 6, "nothing need move");
	try {
		placer.place(items, 5);
		ok(false, "a capacity that falls short");
	} catch (const loomplace::error &error) {
		ok(error.code == ENOSPC && error.missing == 1 && error.what()[0],
		   "a capacity that falls short");
	}
	try {
		placer.update(items, {}, 6);
		ok(false, "offsets that are missing");
	} catch (const std::invalid_argument &) {
		ok(true, "offsets that are missing");
	}
	std::printf("1..%u\n", count);
	return !!failed;
}
