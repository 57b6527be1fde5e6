// SPDX-License-Identifier: MIT
/* Parsing of fdinfo, as the kernel writes it and of texts that it never writes. */
#include <string.h>

#include "loom_client.h"
#include "tap.h"

static const char text[] =
	"pos:\t0\n"
	"flags:\t02100002\n"
	"mnt_id:\t15\n"
	"ino:\t77\n"
	"drm-driver:\tloom\n"
	"drm-client-id:\t42\n"
	"drm-engine-loom:\t1234567890123 ns\n"
	"loom-jobs:\t9\n"
	"drm-total-dram:\t3 MiB\n"
	"drm-shared-dram:\t0\n"
	"drm-active-dram:\t5000 KiB\n"
	"drm-resident-dram:\t2 MiB\n"
	"loom-banks-dram:\t0-7 303104\n"
	"drm-total-sram:\t12 KiB\n"
	"drm-shared-sram:\t8 KiB\n"
	"drm-active-sram:\t0\n"
	"drm-resident-sram:\t12 KiB\n"
	"loom-banks-sram:\t0-3 4096 4-4 0 5-15 8192\n";

static void test_kernel_text(void)
{
	const struct loom_client_memory *dram, *sram;
	struct loom_client client = { .pid = 5 };

	tap_ok(loom_client_parse(text, &client), "the kernel's text");
	dram = &client.memory[DRM_LOOM_REGION_DRAM];
	sram = &client.memory[DRM_LOOM_REGION_SRAM];
	tap_ok(client.id == 42 && client.pid == 5 && client.engine_ns == 1234567890123 &&
	       client.jobs == 9, "who, and for how long");
	tap_ok(dram->total_bytes == 3 << 20 && dram->shared_bytes == 0 &&
	       dram->active_bytes == 5000 << 10 && dram->resident_bytes == 2 << 20, "units");
	tap_ok(sram->total_bytes == 12 << 10 && sram->shared_bytes == 8 << 10 &&
	       sram->active_bytes == 0 && sram->resident_bytes == 12 << 10, "the other region");
	tap_ok(dram->num_ranges == 1 && loom_client_bank_bytes(dram, 0) == 303104 &&
	       loom_client_bank_bytes(dram, 7) == 303104 && !loom_client_bank_bytes(dram, 8),
	       "all banks alike");
	tap_ok(sram->num_ranges == 3 && loom_client_bank_bytes(sram, 3) == 4096 &&
	       loom_client_bank_bytes(sram, 4) == 0 && loom_client_bank_bytes(sram, 5) == 8192 &&
	       loom_client_bank_bytes(sram, 15) == 8192, "banks that differ");
}

static void test_other_texts(void)
{
	char long_text[4096] = "drm-driver:\tloom\nloom-banks-sram:\t";
	struct loom_client client = { 0 };
	size_t i;

	tap_ok(!loom_client_parse("", &client), "nothing");
	tap_ok(!loom_client_parse("drm-driver:\tloomer\n", &client), "another driver");
	tap_ok(!loom_client_parse("xdrm-driver:\tloom\n", &client), "another key");
	memset(&client, 0xff, sizeof(client));
	tap_ok(loom_client_parse("drm-driver:\tloom\n", &client) && !client.jobs &&
	       !client.engine_ns && !client.memory[DRM_LOOM_REGION_SRAM].num_ranges,
	       "an older driver: what it does not say is zero");
	loom_client_parse("drm-driver:\tloom\nloom-banks-dram:\t0-7\nloom-jobs:\t3\n", &client);
	tap_ok(!client.memory[DRM_LOOM_REGION_DRAM].num_ranges && client.jobs == 3,
	       "a value cut short does not run into the next line");
	for (i = 0; i < 100; i++)
		sprintf(long_text + strlen(long_text), "%zu-%zu 64 ", i, i);
	tap_ok(loom_client_parse(long_text, &client) &&
	       client.memory[DRM_LOOM_REGION_SRAM].num_ranges == LOOM_CLIENT_RANGES,
	       "more ranges than there is room for");
}

int main(void)
{
	test_kernel_text();
	test_other_texts();
	return tap_end();
}
