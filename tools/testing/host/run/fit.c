// SPDX-License-Identifier: MIT
/* Whether buffers would fit, without a device: against counts by hand; lists and snapshots. */
#include "chips.h"
#include "loom_fit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loom_chip.h"
#include "tap.h"

/* 8 banks of 64 KiB SRAM, 4 of 1 MiB DRAM */
static struct drm_loom_chip chip;
static struct drm_loom_fit_list answer;
static struct loom_error err;
static char path[64];

static const char *csv(const char *text)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/loom-fit-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		perror(path);
	close(fd);
	return path;
}

/* The answer for a list, as CSV, with a snapshot or NULL. */
static int ask(const char *text, const char *snapshot)
{
	struct loom_fit_list *list;
	char held[64] = "";
	int ret;

	if (snapshot)
		snprintf(held, sizeof(held), "%s", csv(snapshot));
	ret = loom_fit_list_read(csv(text), &list, &err);
	unlink(path);
	if (!ret)
		ret = loom_fit_chip(&chip, snapshot ? held : NULL, list->buffers, list->count,
				    &answer, &err);
	if (list)
		loom_fit_list_free(list);
	if (snapshot)
		unlink(held);
	return ret;
}

static void empty_banks(void)
{
	tap_ok(!ask("name,size,region\na,512k,sram\n", NULL) &&
	       answer.flags == DRM_LOOM_FIT_NOW && !answer.error, "all of the SRAM fits");
	tap_ok(!ask("\xef\xbb\xbfname, size,region\r\n\"a, \"\"b\"\"\",512k, sram \r\n"
		    "# c,1,sram\r\n", NULL) && answer.flags == DRM_LOOM_FIT_NOW,
	       "quotes, comments and blanks are read");
	tap_ok(!ask("name,size,region\na,2M,dram\nb,256k,sram\nc,262145,sram\n", NULL) &&
	       !answer.flags && answer.failed == 2 && answer.error == ENOSPC,
	       "a byte more does not, and it is the third");
	/* 65 pages over 8 banks: 9 pages, and 8 are left */
	tap_ok(answer.short_bytes == 4096, "a page is missing");
	tap_ok(answer.no_space.reason == DRM_LOOM_NO_SPACE_EXHAUSTED,
	       "the reason is that of BO_CREATE");
	tap_ok(answer.no_space.free_bytes == 8 * 4096, "what is free is beside the second");
	tap_ok(!ask("name,size,region\na,1,sram\nb,18446744073709551615,sram\n", NULL) &&
	       answer.failed == 1 &&
	       answer.no_space.reason == DRM_LOOM_NO_SPACE_TOO_LARGE, "more than 64 bits in pages");
	tap_ok(!ask("name,size,region,banks\na,64k,sram,1\nb,448k,sram,0;2-7\n", NULL) &&
	       answer.flags == DRM_LOOM_FIT_NOW, "masks that share no bank");
	tap_ok(!ask("name,size,region,banks\na,64k,sram,1\nb,1,sram,0-1\n", NULL) &&
	       answer.failed == 1 && answer.error == ENOSPC, "masks that do");
	/* two banks of 64 KiB, of which 48 are free, and not the same */
	tap_ok(!ask("name,size,region,banks,direction\na,16k,sram,0,bottom-up\n"
		    "b,16k,sram,1,top-down\nc,96k,sram,0-1,\n", NULL) && answer.failed == 2 &&
	       answer.short_bytes == 16384 &&
	       answer.no_space.reason == DRM_LOOM_NO_SPACE_LOCKSTEP, "no room in common");
	tap_ok(!ask("name,size,region,banks,direction,addresses\na,16k,sram,0,bottom-up,one\n"
		    "b,16k,sram,1,top-down\nc,96k,sram,0-1,,per-bank\n"
		    "d,384k,sram,2-7,,per-bank\n", NULL) && answer.flags == DRM_LOOM_FIT_NOW,
	       "an address per bank needs none");
	tap_ok(!ask("name,size,region,banks,direction,addresses\na,16k,sram,0,bottom-up,\n"
		    "b,20k,sram,1,top-down,\nc,96k,sram,0-1,,per-bank\n", NULL) &&
	       answer.failed == 2 && answer.short_bytes == 4096 && answer.no_space.banks == 2 &&
	       answer.no_space.free_bytes == 44 << 10 &&
	       answer.no_space.reason == DRM_LOOM_NO_SPACE_EXHAUSTED,
	       "only the bank with the smallest hole counts");
}

static void limits(void)
{
	const uint64_t align = chip.region[DRM_LOOM_REGION_SRAM].align_bytes;

	chip.region[DRM_LOOM_REGION_SRAM].floor_bytes = 48 << 10;
	tap_ok(!ask("name,size,region\na,64k,sram\n", NULL) && answer.flags == DRM_LOOM_FIT_NOW,
	       "half of the pool above the floor is the share of a file");
	tap_ok(!ask("name,size,region\na,64k,sram\nb,1,sram\n", NULL) && answer.failed == 1 &&
	       answer.error == EDQUOT && answer.short_bytes == 4096, "and a page more is EDQUOT");
	/* banks that do not compute have no floor, and buffers on all banks are on them, too */
	chip.storage_banks = 2;
	tap_ok(!ask("name,size,region,banks\na,64k,sram,8-9\n", NULL) &&
	       answer.flags == DRM_LOOM_FIT_NOW, "half of the storage banks");
	tap_ok(!ask("name,size,region,banks\na,64k,sram,8-9\nb,1,sram,9\n", NULL) &&
	       answer.failed == 1 && answer.error == EDQUOT, "and not more");
	tap_ok(!ask("name,size,region\na,80k,sram\nb,1,sram\n", NULL) && answer.failed == 1 &&
	       answer.no_space.banks == 0 && answer.error == EDQUOT, "ten banks have more room");
	tap_ok(!ask("name,size,region,banks,addresses\na,64k,sram,7-8,per-bank\n", NULL) &&
	       answer.error == EDQUOT && answer.short_bytes == 24 << 10,
	       "each bank has its own share: 8 KiB, 32 KiB");
	tap_ok(!ask("name,size,region,banks,addresses\na,16k,sram,7-8,per-bank\n"
		    "b,24k,sram,8,per-bank\n", NULL) && answer.flags == DRM_LOOM_FIT_NOW,
	       "and what is left of it");
	tap_ok(ask("name,size,region,banks\na,1,sram,10\n", NULL) == -EINVAL, "no eleventh");
	chip.storage_banks = 0;
	chip.region[DRM_LOOM_REGION_SRAM].floor_bytes = 0;
	/* pages of 4 KiB, padded to the alignment that a DRAM may have */
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = 8192;
	tap_ok(!ask("name,size,region,page_bytes\na,256k,sram,4096\n", NULL) && !answer.error &&
	       !ask("name,size,region,page_bytes\na,262145,sram,4096\n", NULL) &&
	       answer.error == ENOSPC && answer.short_bytes == 8192, "an alignment above the page");
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes = align;
}

#define HEADER	"pid,plan,region,bank,address,size_bytes,allocated,kind,label\n"

static void snapshots(void)
{
	/* the first report is full, and another one has come since */
	static const char now[] = HEADER
		"1,0,sram,0,0x0,65536,Y,buffer\n"
		"2,0,dram,0,0x0,64,Y,reserved\n"
		"2,0,dram,0,0x40,1048448,Y,buffer\n"
		"2,0,sram,0,0x0,4096,Y,scratch\n"
		"2,0,sram,0,0x1000,28672,N,free\n"
		"2,0,sram,0,0x8000,32768,Y,buffer,\"a, b\"\n"
		"2,0,sram,1,0x0,65536,N,free,\n";

	tap_ok(!ask("name,size,region,banks\na,28k,sram,0\nb,64k,sram,1\n", now) &&
	       answer.flags == DRM_LOOM_FIT_NOW, "beside the blocks of the last report");
	tap_ok(!ask("name,size,region,banks\na,32k,sram,0\n", now) && answer.error == ENOSPC &&
	       answer.short_bytes == 4096, "and not beside more");
	tap_ok(!ask("name,size,region,banks\na,1M,dram,0\n", now) && answer.error == ENOSPC,
	       "reserved bytes stay reserved");
	tap_ok(!ask("name,size,region,banks\na,512k,dram,0\n", now) &&
	       answer.flags == (DRM_LOOM_FIT_NOW | DRM_LOOM_FIT_EVICTS), "DRAM with evictions");
	tap_ok(ask("name,size\na,1\n", HEADER "1,0,sram,0,0x8000,32769,Y,buffer\n") == -EINVAL &&
	       strstr(err.text, ":2: the block overlaps another, or is not in the banks"),
	       "a block beyond its bank: %s", err.text);
	tap_ok(ask("name,size\na,1\n", "name,size\n") == -EINVAL &&
	       strstr(err.text, "not the columns"), "another file: %s", err.text);
}

static void wrong_lists(void)
{
	static const struct {
		const char *text, *fault;
	} cases[] = {
		{ "", ":1: no line with column names" },
		{ "name,size\na,x\n", ":2: size is 'x', which is not a number" },
		{ "name,size\na,-1\n", ":2: size is '-1'" },
		{ "name,size,colour\na,1,red\n", ":2: no column is called 'colour'" },
		{ "name,size,addresses\na,1,two\n", ":2: no addresses is called 'two'" },
		{ "name,size,region\n\na,1,tape\n", ":3: no region is called 'tape'" },
		{ "name,size\na,1,2\n", ":2: 3 columns, and the first line has 2" },
		{ "size\n1\n", ":2: the buffer has no name" },
		{ "name,size,banks\na,1,256\n", ":2: a bank is '256'" },
		{ "name,size,region\na,1,rom\n", "buffer 0: " },
		{ "name,size,banks\na,1,9\n", "buffer 0: " },
	};
	struct loom_fit_list *list;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(ask(cases[i].text, NULL) == -EINVAL && strstr(err.text, cases[i].fault),
		       "refused: %s", err.text);
	tap_ok(loom_fit_list_read("/nonexistent", &list, &err) == -ENOENT && !list,
	       "a file that is not there: %s", err.text);
}

int main(void)
{
	chip = chip_of(4, 1 << 20, 8, 1 << 16);
	chip.region[DRM_LOOM_REGION_DRAM].reserved_bytes = 64;
	empty_banks();
	limits();
	snapshots();
	wrong_lists();
	return tap_end();
}
