// SPDX-License-Identifier: MIT
/*
 * The device before it runs anything: ids, BARs and capabilities, registers, the memory and its
 * map, reset, power states; clients that say nonsense, and wrong command lines. Jobs and faults
 * are those of selftests/pci.
 */
#include "driver.h"
#include "random.h"

static struct client client;
static struct driver driver;

static void test_identity(void)
{
	u32 low, high;

	tap_ok(client_config(&client, PCI_VENDOR_ID, 4) ==
	       (LOOM_PCI_VENDOR | (u32)LOOM_PCI_DEVICE << 16), "vendor and device");
	tap_ok(client_config(&client, PCI_CLASS_REVISION, 4) >> 8 == LOOM_PCI_CLASS,
	       "class: processing accelerator");
	client_set_config(&client, PCI_BASE_ADDRESS_0, U32_MAX, 4);
	client_set_config(&client, PCI_BASE_ADDRESS_2, U32_MAX, 4);
	client_set_config(&client, PCI_BASE_ADDRESS_3, U32_MAX, 4);
	low = client_config(&client, PCI_BASE_ADDRESS_2, 4);
	high = client_config(&client, PCI_BASE_ADDRESS_3, 4);
	tap_ok(client_config(&client, PCI_BASE_ADDRESS_0, 4) == -(u32)LOOM_PCI_REGS_BYTES &&
	       (low & 0xf) == 0xc &&
	       ((u64)high << 32 | (low & ~0xfU)) == -client.bar2_bytes,
	       "BARs tell their size, that of the memory is 64 bits and prefetchable");
	tap_ok(client_config(&client, PCI_INTERRUPT_PIN, 1) == 0, "there is no INTx");
	tap_ok(client_get(&client, LOOM_PCI_ID) == LOOM_PCI_ID_VALUE &&
	       client_get(&client, LOOM_PCI_VERSION) >> 16 == LOOM_PCI_VERSION_MAJOR &&
	       client_get(&client, LOOM_PCI_FIRMWARE) == 0x01020003,
	       "identity, version, and the firmware that was asked for");
	client_set(&client, LOOM_PCI_ID, 1);
	tap_ok(client_get(&client, LOOM_PCI_ID) == LOOM_PCI_ID_VALUE, "identity stays");
}

static bool has_capability(u32 want)
{
	u32 at = client_config(&client, PCI_CAPABILITY_LIST, 1), count = 0;

	while (at && count++ < 48) {
		if (client_config(&client, at, 1) == want)
			return true;
		at = client_config(&client, at + 1, 1);
	}
	return false;
}

static void test_chip(const struct drm_loom_chip *chip)
{
	u64 end = 0;
	u32 i;

	tap_ok(has_capability(PCI_CAP_ID_MSI) && has_capability(PCI_CAP_ID_PM) &&
	       has_capability(PCI_CAP_ID_EXP) && !has_capability(PCI_CAP_ID_MSIX),
	       "MSI, power management, PCI Express; no MSI-X");
	tap_ok(client_get(&client, LOOM_PCI_CHIP_BYTES) == sizeof(driver.chip) &&
	       !memcmp(&driver.chip, chip, sizeof(*chip)), "the chip is described");
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		u64 base = client_get64(&client, LOOM_PCI_MAP_BASE(i));
		u64 pitch = client_get64(&client, LOOM_PCI_MAP_PITCH(i));

		if (pitch)
			end = max(end, base + pitch * loom_chip_banks(chip, i));
	}
	tap_ok(end == client_get64(&client, LOOM_PCI_MEMORY_BYTES) &&
	       end == client_get64(&client, LOOM_PCI_WINDOW_BYTES) && end <= client.bar2_bytes,
	       "the map ends where the memory ends, in BAR2");
}

/* Where a byte of a place is in BAR2. */
static u8 *byte_of(const struct loom_pci_place *place, u64 offset)
{
	struct loom_layout layout = {
		.page_bytes = place->page_bytes,
		.page_pitch_bytes = place->page_pitch_bytes,
		.banks = place->banks,
		.page_columns = place->page_columns,
		.shard_rows = place->shard_rows,
		.shard_columns = place->shard_columns,
		.shards_across = place->shards_across,
		.grid_columns = place->grid_columns,
		.grid_rows = place->grid_rows,
		.column_major = place->flags & LOOM_PCI_PLACE_COLUMN_MAJOR,
	};
	const struct loom_pci_extent *banks = (void *)(client.ram + LANES_AT);
	const bool per_bank = place->flags & LOOM_PCI_PLACE_PER_BANK;
	u64 address;
	u32 bank;

	loom_layout_map(&layout, 0, place->offset + offset, &bank, &address);
	address += per_bank ? banks[bank].address : place->address;
	return client.bar2 + client_get64(&client, LOOM_PCI_MAP_BASE(place->region)) +
	       place->bank[bank] * client_get64(&client, LOOM_PCI_MAP_PITCH(place->region)) +
	       address;
}

static bool is_at(const struct loom_pci_place *place, const u8 *bytes)
{
	u64 at;

	for (at = 0; at < place->bytes; at += 1 + place->bytes / 97)
		if (*byte_of(place, at) != bytes[at])
			return false;
	return true;
}

static void check_copy(const struct loom_pci_place *place, const char *what)
{
	u8 *in = malloc(place->bytes), *out = malloc(place->bytes);
	struct loom_pci_record record;
	u64 i;

	for (i = 0; i < place->bytes; i++)
		in[i] = random_below(256);
	tap_ok(!driver_copy(&driver, place, in, NULL) && is_at(place, in) &&
	       !driver_copy(&driver, place, NULL, out) && !memcmp(in, out, place->bytes),
	       "%s: copied in, seen in BAR2, copied out", what);
	memset(in, 0, place->bytes);
	tap_ok(!driver_do(&driver, (struct loom_pci_descriptor){
			.kind = LOOM_PCI_KIND_CLEAR, .address = RAM_BASE + PLACES_AT }, &record) &&
	       is_at(place, in), "%s: cleared", what);
	free(in);
	free(out);
}

static void test_copies(void)
{
	const u32 dram = DRM_LOOM_REGION_DRAM, sram = DRM_LOOM_REGION_SRAM;
	struct loom_pci_extent *banks = (void *)(client.ram + LANES_AT);
	struct loom_pci_place place = driver_buffer(&driver, dram, 3000000, 4096);
	u32 i;

	check_copy(&place, "interleaved");
	place.offset = 12345;
	place.bytes = 70001;
	check_copy(&place, "a part of it");
	place = driver_buffer(&driver, dram, 5000, 24);
	check_copy(&place, "pages smaller than their pitch");
	place = driver_buffer(&driver, sram, 20000, 512);
	check_copy(&place, "in the SRAM");
	/* 8 rows of 6 pages, in shards of 4 by 3, on a grid of 2 by 2, down its columns */
	place = (struct loom_pci_place){
		.region = sram, .flags = LOOM_PCI_PLACE_COLUMN_MAJOR, .address = 32768,
		.bytes = 48 * 64, .size = 48 * 64, .page_bytes = 64, .page_pitch_bytes = 64,
		.page_columns = 6, .shard_rows = 4, .shard_columns = 3, .shards_across = 2,
		.grid_columns = 2, .grid_rows = 2, .banks = 4, .bank = { 3, 1, 0, 2 },
	};
	check_copy(&place, "sharded");
	place.address = 0;
	place.address = RAM_BASE + LANES_AT;
	for (i = 0; i < place.banks; i++)
		banks[i].address = 4096 + 1024 * i;
	place.flags |= LOOM_PCI_PLACE_PER_BANK;
	check_copy(&place, "an address for each bank");
}

static void test_bad_places(void)
{
	struct loom_pci_place good = driver_buffer(&driver, DRM_LOOM_REGION_DRAM, 65536, 4096);
	struct loom_pci_place bad[9];
	u32 i, refused = 0;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].region = DRM_LOOM_REGION_ROM;
	bad[1].region = 9;
	bad[2].address = driver.chip.region[DRM_LOOM_REGION_DRAM].bank_bytes - 100;
	bad[3].banks = 300;
	bad[4].bank[1] = 2;
	bad[5].page_bytes = 0;
	bad[6].offset = U64_MAX - 3;
	bad[7].page_pitch_bytes = 1ULL << 39;
	bad[8].page_columns = 3;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		refused += driver_copy(&driver, &bad[i], client.bar2, NULL) ==
			   LOOM_PCI_RESULT_PLACE;
	tap_ok(refused == ARRAY_SIZE(bad), "places outside of the memory are refused: %u", refused);
}

static void test_bad_descriptors(void)
{
	struct loom_pci_descriptor bad[] = {
		{ .kind = LOOM_PCI_KIND_END },
		{ .kind = LOOM_PCI_KIND_NOP, .plan = 1 },
		{ .kind = LOOM_PCI_KIND_NOP, .sum = 1 },
		{ .kind = LOOM_PCI_KIND_NOP, .queue = U32_MAX },
		{ .kind = LOOM_PCI_KIND_NOP, .priority = 9 },
		{ .kind = LOOM_PCI_KIND_CLEAR, .address = RAM_BASE + 4 },
	};
	struct loom_pci_record record;
	u32 i, refused = 0;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		refused += driver_do(&driver, bad[i], &record) == LOOM_PCI_RESULT_INVALID;
	tap_ok(refused == ARRAY_SIZE(bad), "descriptors that cannot be are refused: %u", refused);
	tap_ok(driver_do(&driver, (struct loom_pci_descriptor){
			.kind = LOOM_PCI_KIND_NOP, .epoch = driver.epoch - 1 }, &record) ==
	       LOOM_PCI_RESULT_EPOCH, "one of another epoch is refused");
	tap_ok(driver_do(&driver, (struct loom_pci_descriptor){
			.kind = LOOM_PCI_KIND_CLEAR, .address = RAM_BASE + HOLE }, &record) ==
	       LOOM_PCI_RESULT_DMA, "one that names memory in a hole is refused");
	tap_ok(driver_do(&driver, (struct loom_pci_descriptor){
			.kind = LOOM_PCI_KIND_JOB, .plan = 3 }, &record) ==
	       LOOM_PCI_RESULT_PLAN, "a job without its plan is refused");
	memset(client.ram + DATA_AT, 0x5a, 4096);
	tap_ok(driver_do(&driver, (struct loom_pci_descriptor){
			.kind = LOOM_PCI_KIND_PLAN, .bytes = 4096,
			.scatter = RAM_BASE + EXTENTS_AT,
			.count = driver_put_extents(&driver, 4096, 4096) }, &record) ==
	       LOOM_PCI_RESULT_PLAN, "bytes that are no plan are refused");
}

/* More than the rings have entries, wrapped around, some at a time. */
static void test_rings(void)
{
	struct loom_pci_record record;
	u32 round, i, answered = 0;
	u64 sum = 0, want = 0;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < ENTRIES - 5; i++)
			want += driver_put(&driver, (struct loom_pci_descriptor){
				.kind = LOOM_PCI_KIND_NOP, .queue = i % 7 });
		driver_ring(&driver);
		for (i = 0; i < ENTRIES - 5 && driver_wait(&driver, &record, PATIENCE_MS); i++) {
			answered += !record.result;
			sum += record.sequence;
		}
	}
	tap_ok(answered == 10 * (ENTRIES - 5) && sum == want,
	       "%u descriptors go through rings of %u", answered, ENTRIES);
	driver.submitted += ENTRIES + 1;
	driver_ring(&driver);
	while (client_get(&client, LOOM_PCI_STATUS) == LOOM_PCI_STATUS_READY)
		usleep(1000);
	tap_ok(client_get(&client, LOOM_PCI_STATUS) == LOOM_PCI_STATUS_FAULT &&
	       client_get(&client, LOOM_PCI_FAULT) == LOOM_PCI_FAULT_DOORBELL,
	       "a doorbell beyond the ring stops it");
	tap_ok(driver_reset(&driver, 8) && !driver_nop(&driver), "a reset helps");
	client_set(&client, LOOM_PCI_ENTRIES, 24);
	client_set(&client, LOOM_PCI_RESET, 9);
	while (!client_get(&client, LOOM_PCI_STATUS))
		usleep(1000);
	tap_ok(client_get(&client, LOOM_PCI_FAULT) == LOOM_PCI_FAULT_RINGS,
	       "rings that cannot be stop it");
	tap_ok(driver_reset(&driver, 10) && !driver_nop(&driver), "a reset helps");
}

/* Registers are as after power on, and nothing comes any more. */
static bool is_fresh(void)
{
	return !client_get(&client, LOOM_PCI_EPOCH) && !client_get(&client, LOOM_PCI_STATUS) &&
	       !client_get(&client, LOOM_PCI_IRQ_ENABLE) &&
	       !client_get64(&client, LOOM_PCI_SUBMIT_BASE);
}

static void test_function_reset(void)
{
	u32 at = client_config(&client, PCI_CAPABILITY_LIST, 1);

	while (client_config(&client, at, 1) != PCI_CAP_ID_EXP)
		at = client_config(&client, at + 1, 1);
	client.bar2[100] = 42;
	client_set_config(&client, at + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	tap_ok(is_fresh() && client.bar2[100] == 42 && !client_config(&client, PCI_COMMAND, 2),
	       "a function level reset clears the registers, the memory stays");
	client_set_config(&client, PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	driver_ask_reset(&driver, 11);
	driver_wait_reset(&driver, PATIENCE_MS);
	driver_submit(&driver, (struct loom_pci_descriptor){ .kind = LOOM_PCI_KIND_NOP });
	while (client_get(&client, LOOM_PCI_STATUS) == LOOM_PCI_STATUS_READY)
		usleep(1000);
	tap_ok(client_get(&client, LOOM_PCI_FAULT) == LOOM_PCI_FAULT_DMA,
	       "without bus mastering it reaches nothing");
	client_set_config(&client, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	tap_ok(driver_reset(&driver, 12) && !driver_nop(&driver), "and with it, it works");
	tap_ok(!client_call(&client, PROTOCOL_RESET, NULL, 0) && is_fresh(),
	       "the client's reset does the same");
}

static void test_power(void)
{
	u32 at = client_config(&client, PCI_CAPABILITY_LIST, 1), beat;

	client_set_config(&client, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	driver_reset(&driver, 13);
	client_set(&client, LOOM_PCI_POWER, LOOM_PCI_POWER_RETAIN);
	beat = client_get(&client, LOOM_PCI_HEARTBEAT);
	usleep(20000);
	tap_ok(client_get(&client, LOOM_PCI_POWER) == LOOM_PCI_POWER_RETAIN &&
	       client_get(&client, LOOM_PCI_HEARTBEAT) == beat &&
	       !client_get64(&client, LOOM_PCI_CLOCK_HZ), "asleep its heart stands still");
	client_set(&client, LOOM_PCI_POWER, LOOM_PCI_POWER_RUN);
	usleep(20000);
	tap_ok(client_get(&client, LOOM_PCI_HEARTBEAT) > beat && !driver_nop(&driver),
	       "awake it goes on where it was");
	tap_ok(client_get(&client, LOOM_PCI_TEMPERATURE) >= 30000 &&
	       client_get(&client, LOOM_PCI_TEMPERATURE) < 100000 &&
	       client_get(&client, LOOM_PCI_POWER_UW) > 0 &&
	       client_get64(&client, LOOM_PCI_CLOCK_HZ) == driver.chip.frequency_hz,
	       "temperature, power and clock are those of a card");
	while (client_config(&client, at, 1) != PCI_CAP_ID_PM)
		at = client_config(&client, at + 1, 1);
	client_set_config(&client, at + PCI_PM_CTRL, 3, 2);
	tap_ok(client_get(&client, LOOM_PCI_ID) == U32_MAX, "off its registers read all ones");
	client_set_config(&client, at + PCI_PM_CTRL, 0, 2);
	tap_ok(is_fresh() && client.bar2[100] != 42, "on again, all is forgotten");
	tap_ok(driver_reset(&driver, 14) && !driver_nop(&driver), "and it works");
}

/* Messages of random numbers within the protocol: each is answered, and the device lives. */
static void test_nonsense(void)
{
	u32 i, odd = 0;

	for (i = 0; i < 3000 && !odd; i++) {
		u64 words[6];
		u32 k, command = 1 + random_below(15), bytes = random_below(sizeof(words) + 1);
		int ret;

		/* ranges without a file would be asked of us, where they may not be */
		if (command == PROTOCOL_DMA_MAP || command == PROTOCOL_DMA_UNMAP)
			continue;
		for (k = 0; k < ARRAY_SIZE(words); k++)
			words[k] = random_below(2) ? random_below(16) : random_u64();
		ret = client_call(&client, command, words, bytes);
		odd += ret == -EPIPE || ret == -EPROTO;
		wire_close_fds(&client.message);
	}
	tap_ok(!odd, "nonsense is refused, message by message");
	client_set_irq(&client, client.irq);
	client_call(&client, PROTOCOL_RESET, NULL, 0);
	client_set_config(&client, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	tap_ok(driver_reset(&driver, 15) && !driver_nop(&driver), "and it works");
}

static int run_with(const char *const *argv)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(126);
		execv(client_binary(), (char *const *)argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_usage(void)
{
	static const char *const wrong[][5] = {
		{ "loom-sim" },
		{ "loom-sim", "--socket" },
		{ "loom-sim", "--socket", "/tmp/x", "extra" },
		{ "loom-sim", "--nonsense" },
		{ "loom-sim", "--chip", "moon" },
		{ "loom-sim", "--pace", "0" },
		{ "loom-sim", "--window", "3M" },
		{ "loom-sim", "--firmware", "1.2" },
		{ "loom-sim", "--fault", "rain" },
		{ "loom-sim", "--fault", "irq-lost=3" },
		{ "loom-sim", "--fault", "irq-late=soon" },
		{ "loom-sim", "--fault", "irq-late never" },
	};
	char answer[400];
	u32 i, refused = 0;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		refused += run_with(wrong[i]) == 2;
	tap_ok(refused == ARRAY_SIZE(wrong), "a wrong command line is status 2: %u", refused);
	tap_ok(!client_control(&client, "fault rain", answer, sizeof(answer)) &&
	       !strncmp(answer, "error: ", 7) && strstr(answer, "rain"),
	       "a fault that nobody knows is an error");
	tap_ok(!client_control(&client, "dance", answer, sizeof(answer)) && strstr(answer, "dance"),
	       "a command that nobody knows is an error");
	tap_ok(client_control(&client, "state", answer, sizeof(answer)) &&
	       strstr(answer, "epoch 15\n"), "its state is told");
}

/*
 * The registers of a chip with banks that only store, and the DRAM's alignment in the SRAM; on
 * memory that the device has to ask for.
 */
static void test_storage(void)
{
	static const char text[] = "name: cores\nextends: tiny\nstorage_banks: 3\n"
				   "memory: {sram: {align: 64}}\n";
	char path[] = "/tmp/loom-registers-XXXXXX.yaml";
	const char *const options[] = { "--chip", path, NULL };
	struct drm_loom_chip chip = *loom_preset_find("tiny");
	int fd = mkstemps(path, 5);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) != sizeof(text) - 1)
		tap_fatal("no file for the chip");
	close(fd);
	memset(chip.name, 0, sizeof(chip.name));
	snprintf(chip.name, sizeof(chip.name), "cores");
	chip.storage_banks = 3;
	chip.region[DRM_LOOM_REGION_SRAM].align_bytes =
		chip.region[DRM_LOOM_REGION_DRAM].align_bytes;
	client_start(&client, false, options);
	driver_probe(&driver, &client);
	test_chip(&chip);
	tap_ok(driver_reset(&driver, 7), "an epoch");
	test_copies();
	tap_ok(!client_stop(&client), "it ends well, with banks that only store");
	unlink(path);
}

int main(void)
{
	static const char *const options[] = {
		"--chip", "tiny", "--firmware", "1.2.3", NULL
	};

	random_state = 5;
	client_start(&client, true, options);
	driver_probe(&driver, &client);
	test_identity();
	test_chip(loom_preset_find("tiny"));
	tap_ok(driver_reset(&driver, 7) && !driver_nop(&driver), "an epoch, and something to do");
	test_copies();
	test_bad_places();
	test_bad_descriptors();
	test_rings();
	test_function_reset();
	test_power();
	test_nonsense();
	test_usage();
	tap_ok(!client_stop(&client), "it ends well");
	test_storage();
	return tap_end();
}
