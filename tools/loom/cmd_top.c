// SPDX-License-Identifier: MIT
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "loom_client.h"
#include "loom_device.h"
#include "loom_report.h"
#include "loom_run.h"

/*
 * A picture is drawn into memory, then written to the terminal, cut to its size. Plain escape
 * sequences that every terminal knows; a library for that would be larger than this file.
 *
 * Rates are the difference between two samples.
 */

#define TOP_BAR		60
#define TOP_LETTERS	26
#define TOP_LABELS	3
#define TOP_MIN_MS	100
#define TOP_MAX_MS	3600000

/**
 * struct top_sample - the device at one time
 * @regions: contents of the banks
 * @clients: clients, by id
 * @num_clients: number of @clients
 */
struct top_sample {
	struct loom_report_region *regions[DRM_LOOM_REGION_COUNT];
	struct loom_client *clients;
	size_t num_clients;
};

/**
 * struct top_row - a client in the table
 * @client: as it is now
 * @letter: character of its bytes in the picture; A for the one that used the engine most
 * @busy: share of the time since the last sample in which the engine worked for it
 * @jobs: jobs that ended per second
 */
struct top_row {
	const struct loom_client *client;
	char letter;
	double busy;
	double jobs;
};

/**
 * struct top - loom top
 * @path: of the node, or NULL
 * @interval_ms: between two samples
 * @once: draw one picture and end
 * @json: as JSON
 * @target: the device
 * @nodes: all devices, for the head
 * @name: of its topology
 * @sram: how the SRAM is shared, constant
 */
struct top {
	const char *path;
	int interval_ms;
	bool once;
	bool json;
	struct loom_target *target;
	struct tool_nodes nodes;
	const char *name;
	struct drm_loom_region_info sram;
};

static atomic_bool top_stopped;

static void top_stop(int signal)
{
	(void)signal;
	top_stopped = true;
}

/* ----------------------------------------------------------------- samples */

static void top_sample_clear(struct top_sample *sample)
{
	uint32_t i;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		loom_report_region_put(sample->regions[i]);
	free(sample->clients);
	memset(sample, 0, sizeof(*sample));
}

/* 0 or -errno. */
static int top_sample_take(const struct top *top, struct top_sample *sample)
{
	size_t i, kept = 0;
	uint32_t region;
	int ret = 0;

	memset(sample, 0, sizeof(*sample));
	for (region = 0; !ret && region < DRM_LOOM_REGION_COUNT; region++)
		if (loom_device_chip(loom_target_device(top->target))->region[region].banks)
			ret = loom_report_region_get(top->target, region, 0,
						     &sample->regions[region]);
	if (!ret)
		ret = loom_client_list(loom_target_device(top->target), &sample->clients,
				       &sample->num_clients);
	if (ret) {
		top_sample_clear(sample);
		return ret;
	}
	/* this process is not shown */
	for (i = 0; i < sample->num_clients; i++)
		if (sample->clients[i].pid != getpid())
			sample->clients[kept++] = sample->clients[i];
	sample->num_clients = kept;
	return 0;
}

static const struct loom_client *top_find(const struct top_sample *sample, uint64_t id)
{
	size_t i;

	for (i = 0; i < sample->num_clients; i++)
		if (sample->clients[i].id == id)
			return &sample->clients[i];
	return NULL;
}

static int top_compare(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	if (x->busy != y->busy)
		return x->busy < y->busy ? 1 : -1;
	return (x->client->id > y->client->id) - (x->client->id < y->client->id);
}

static struct top_row *top_rows(const struct top_sample *before, const struct top_sample *now)
{
	struct top_row *rows = calloc(now->num_clients + 1, sizeof(*rows));
	double elapsed_ns;
	size_t i;

	if (!rows)
		return NULL;
	for (i = 0; i < now->num_clients; i++) {
		const struct loom_client *client = &now->clients[i];
		const struct loom_client *old = top_find(before, client->id);

		rows[i].client = client;
		if (!old || old->engine_ns > client->engine_ns || old->seen_ns >= client->seen_ns)
			continue;
		elapsed_ns = client->seen_ns - old->seen_ns;
		rows[i].busy = (client->engine_ns - old->engine_ns) / elapsed_ns;
		rows[i].jobs = (client->jobs - old->jobs) / (elapsed_ns / 1e9);
	}
	qsort(rows, now->num_clients, sizeof(*rows), top_compare);
	for (i = 0; i < now->num_clients; i++)
		rows[i].letter = i < TOP_LETTERS ? 'A' + i : '*';
	return rows;
}

/* ----------------------------------------------------------------- picture */

/* Fills the bar with @letter up to character @end. */
static void top_bar_fill(char *bar, size_t *at, double end, char letter)
{
	while (*at < TOP_BAR && *at + 0.5 <= end)
		bar[(*at)++] = letter;
}

/*
 * Usage of a bank by client: bytes in the order of the table, not of addresses. A buffer that two
 * clients share counts for both, so the bar is clipped at the allocated bytes.
 */
static void top_print_usage(FILE *file, const struct loom_report_bank *bank, uint32_t index,
			    uint32_t region, const struct top_row *rows, size_t num_rows)
{
	uint64_t buffers = bank->allocated_bytes - bank->scratch_bytes, known = 0;
	double scale = bank->allocatable_bytes ? (double)TOP_BAR / bank->allocatable_bytes : 0;
	char bar[TOP_BAR + 1];
	size_t at = 0, i;

	for (i = 0; i < num_rows; i++) {
		known += loom_client_bank_bytes(&rows[i].client->memory[region], index);
		if (known > buffers)
			known = buffers;
		top_bar_fill(bar, &at, known * scale, rows[i].letter);
	}
	top_bar_fill(bar, &at, buffers * scale, '?');
	top_bar_fill(bar, &at, bank->allocated_bytes * scale, '=');
	memset(bar + at, ' ', TOP_BAR - at);
	bar[TOP_BAR] = '\0';
	fprintf(file, "  used [%s]\n", bar);
}

/* Map of a bank: a character is a range of addresses and shows the kind with most bytes. */
static void top_print_map(FILE *file, const struct loom_report_bank *bank)
{
	static const char signs[] = {
		[LOOM_REPORT_FREE] = ' ', [LOOM_REPORT_RESERVED] = '%',
		[LOOM_REPORT_BUFFER] = '#', [LOOM_REPORT_SCRATCH] = '=',
		[LOOM_REPORT_CONFLICT] = '!', [LOOM_REPORT_HIDDEN] = '?',
	};
	const struct loom_report_block *last = &bank->blocks[bank->num_blocks - 1];
	double end = last->address + last->size_bytes;
	double most[TOP_BAR] = { 0 };
	char bar[TOP_BAR + 1];
	size_t i, at;

	memset(bar, ' ', TOP_BAR);
	bar[TOP_BAR] = '\0';
	for (i = 0; i < bank->num_blocks; i++) {
		double low = bank->blocks[i].address / end * TOP_BAR;
		double high = low + bank->blocks[i].size_bytes / end * TOP_BAR;

		for (at = low; at < TOP_BAR && at < high; at++) {
			double part = (high < at + 1 ? high : at + 1) - (low > at ? low : at);

			if (part <= most[at])
				continue;
			most[at] = part;
			bar[at] = signs[bank->blocks[i].kind];
		}
	}
	fprintf(file, "  map  [%s]\n", bar);
}

/* Order of blocks in a bank by size; the first ones of the same size count as larger. */
static bool top_is_smaller(const struct loom_report_block *a, const struct loom_report_block *b)
{
	if (!b)
		return true;
	return a->size_bytes == b->size_bytes ? a > b : a->size_bytes < b->size_bytes;
}

/* The largest buffers with a label. */
static void top_print_labels(FILE *file, const struct loom_report_bank *bank)
{
	const struct loom_report_block *most, *last = NULL;
	char text[TOOL_TEXT];
	unsigned int line;
	size_t i;

	for (line = 0; line < TOP_LABELS; line++, last = most) {
		for (most = NULL, i = 0; i < bank->num_blocks; i++) {
			const struct loom_report_block *block = &bank->blocks[i];

			if (block->label[0] && top_is_smaller(block, last) &&
			    (!most || top_is_smaller(most, block)))
				most = block;
		}
		if (!most)
			break;
		fprintf(file, "  %10s  %s\n", tool_bytes(text, most->size_bytes), most->label);
	}
}

/* Whether two banks look the same in the picture. */
static bool top_banks_alike(const struct loom_report_region *region, uint32_t id, uint32_t a,
			    uint32_t b, const struct top_row *rows, size_t num_rows)
{
	const struct loom_report_bank *x = &region->banks[a], *y = &region->banks[b];
	size_t i;

	if (x->num_blocks != y->num_blocks)
		return false;
	for (i = 0; x->blocks != y->blocks && i < x->num_blocks; i++)
		if (x->blocks[i].address != y->blocks[i].address ||
		    x->blocks[i].kind != y->blocks[i].kind)
			return false;
	for (i = 0; i < num_rows; i++)
		if (loom_client_bank_bytes(&rows[i].client->memory[id], a) !=
		    loom_client_bank_bytes(&rows[i].client->memory[id], b))
			return false;
	return true;
}

static void top_print_region(FILE *file, const struct loom_report_region *region, uint32_t id,
			     const struct top_row *rows, size_t num_rows)
{
	char a[TOOL_TEXT], b[TOOL_TEXT], c[TOOL_TEXT], d[TOOL_TEXT];
	unsigned int fragmentation;
	uint32_t first, next;

	for (first = 0; first < region->num_banks; first = next) {
		const struct loom_report_bank *bank = &region->banks[first];

		for (next = first + 1; next < region->num_banks; next++)
			if (!top_banks_alike(region, id, first, next, rows, num_rows))
				break;
		fragmentation = loom_report_fragmentation(bank);
		fprintf(file, "%s bank", region->name);
		if (next > first + 1)
			fprintf(file, "s %u-%u, each", first, next - 1);
		else
			fprintf(file, " %u", first);
		fprintf(file, ": %s of %s, %s free, largest %s, fragmentation %u.%03u\n",
			tool_bytes(a, bank->allocated_bytes),
			tool_bytes(b, bank->allocatable_bytes), tool_bytes(c, bank->free_bytes),
			tool_bytes(d, bank->largest_free_bytes), fragmentation / 1000,
			fragmentation % 1000);
		top_print_usage(file, bank, first, id, rows, num_rows);
		top_print_map(file, bank);
		top_print_labels(file, bank);
	}
	if (tool_report_rounded(region))
		fprintf(file, "  " TOOL_ROUNDED);
}

/* Bytes of a client in the bank where it has most. */
static uint64_t top_most(const struct loom_client_memory *memory)
{
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < memory->num_ranges; i++)
		if (memory->ranges[i].bytes > most)
			most = memory->ranges[i].bytes;
	return most;
}

static void top_print_row(FILE *file, const struct top_row *row)
{
	const struct loom_client *client = row->client;
	const struct loom_client_memory *dram = &client->memory[DRM_LOOM_REGION_DRAM];
	const struct loom_client_memory *sram = &client->memory[DRM_LOOM_REGION_SRAM];
	char a[TOOL_TEXT], b[TOOL_TEXT], c[TOOL_TEXT], d[TOOL_TEXT], e[TOOL_TEXT];
	const char *at;

	fprintf(file, "%c %7d %5.1f %7.1f %10s %10s %10s %10s %10s  ", row->letter,
		(int)client->pid, 100 * row->busy, row->jobs,
		tool_bytes(a, dram->total_bytes),
		tool_bytes(b, dram->total_bytes - min(dram->resident_bytes, dram->total_bytes)),
		tool_bytes(c, top_most(dram)), tool_bytes(d, sram->total_bytes),
		tool_bytes(e, top_most(sram)));
	/* a process may have a newline in its name; all else is filtered (stream.c) */
	for (at = client->command; *at; at++)
		fputc(*at == '\n' ? '?' : *at, file);
	fputc('\n', file);
}

/* All devices by path, back end and topology; the one that is shown is in front. */
static void top_print_nodes(FILE *file, const struct top *top)
{
	size_t i;

	for (i = 0; i < top->nodes.count; i++) {
		const struct tool_node *node = &top->nodes.nodes[i];
		bool shown = !strcmp(loom_device_path(node->device), loom_target_name(top->target));

		fprintf(file, "%c %s  %s (%s)\n", shown ? '*' : ' ',
			loom_device_path(node->device), node->backend,
			loom_device_info(node->device)->name);
	}
	fputc('\n', file);
}

static void top_print(FILE *file, const struct top *top, const struct top_sample *now,
		      const struct top_row *rows)
{
	double busy = 0, jobs = 0;
	struct tm local;
	time_t seconds;
	char clock[16], a[TOOL_TEXT], b[TOOL_TEXT];
	uint32_t region;
	size_t i;

	seconds = time(NULL);
	localtime_r(&seconds, &local);
	strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	for (i = 0; i < now->num_clients; i++) {
		busy += rows[i].busy;
		jobs += rows[i].jobs;
	}
	fprintf(file, "loom top  %s  %s (%s): %zu client%s, engine %.1f %%, %.1f jobs/s\n\n",
		clock, loom_target_name(top->target), top->name, now->num_clients,
		now->num_clients == 1 ? "" : "s", 100 * busy, jobs);
	top_print_nodes(file, top);
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++)
		if (now->regions[region])
			top_print_region(file, now->regions[region], region, rows,
					 now->num_clients);
	if (top->sram.scratch_floor_bytes)
		fprintf(file, "\nof each SRAM bank: the lowest %s for scratch; %s for a client\n",
			tool_bytes(a, top->sram.scratch_floor_bytes),
			tool_bytes(b, top->sram.share_bytes));
	fprintf(file, "\n  %7s %5s %7s %10s %10s %10s %10s %10s  %s\n", "PID", "%ENG", "JOBS/S",
		"DRAM", "EVICTED", "PER BANK", "SRAM", "PER BANK", "COMMAND");
	for (i = 0; i < now->num_clients; i++)
		top_print_row(file, &rows[i]);
}

static void top_json_memory(const struct loom_client *client, struct json *json)
{
	const struct loom_client_memory *memory;
	uint32_t region, i;

	json_open(json, "memory", '{');
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		memory = &client->memory[region];
		json_open(json, loom_region_name(region), '{');
		json_u64(json, "total_bytes", memory->total_bytes);
		json_u64(json, "shared_bytes", memory->shared_bytes);
		json_u64(json, "resident_bytes", memory->resident_bytes);
		json_u64(json, "active_bytes", memory->active_bytes);
		json_open(json, "banks", '[');
		for (i = 0; i < memory->num_ranges; i++) {
			json_open(json, NULL, '{');
			json_u64(json, "first", memory->ranges[i].first);
			json_u64(json, "last", memory->ranges[i].last);
			json_u64(json, "bytes", memory->ranges[i].bytes);
			json_close(json, '}');
		}
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void top_json_row(const struct top_row *row, struct json *json)
{
	const struct loom_client *client = row->client;
	char command[sizeof(client->command)];
	size_t i;

	for (i = 0; client->command[i]; i++)
		command[i] = isprint((unsigned char)client->command[i]) ? client->command[i] : '?';
	command[i] = '\0';
	json_open(json, NULL, '{');
	json_u64(json, "id", client->id);
	json_u64(json, "pid", client->pid);
	json_string(json, "command", command);
	json_double(json, "busy", row->busy);
	json_double(json, "jobs_per_second", row->jobs);
	json_u64(json, "jobs", client->jobs);
	json_u64(json, "engine_ns", client->engine_ns);
	top_json_memory(client, json);
	json_close(json, '}');
}

static void top_print_json(FILE *file, const struct top *top, const struct top_sample *now,
			   const struct top_row *rows)
{
	struct json json;
	uint32_t region;
	size_t i;

	json_begin(&json, file);
	json_string(&json, "device", loom_target_name(top->target));
	json_string(&json, "topology", top->name);
	json_u64(&json, "scratch_floor_bytes", top->sram.scratch_floor_bytes);
	json_u64(&json, "share_bytes", top->sram.share_bytes);
	json_open(&json, "regions", '[');
	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++)
		if (now->regions[region])
			tool_report_json(now->regions[region], &json);
	json_close(&json, ']');
	json_open(&json, "clients", '[');
	for (i = 0; i < now->num_clients; i++)
		top_json_row(&rows[i], &json);
	json_close(&json, ']');
	tool_nodes_json(&top->nodes, &json);
	json_end(&json);
}

/* A picture of the time from @before to @now; text from malloc, or NULL. */
static char *top_draw(const struct top *top, const struct top_sample *before,
		      const struct top_sample *now)
{
	struct top_row *rows = top_rows(before, now);
	char *text = NULL;
	size_t size;
	FILE *file;

	file = rows ? open_memstream(&text, &size) : NULL;
	if (file) {
		if (top->json)
			top_print_json(file, top, now, rows);
		else
			top_print(file, top, now, rows);
		if (fclose(file)) {
			free(text);
			text = NULL;
		}
	}
	free(rows);
	return text;
}

/* ---------------------------------------------------------------- terminal */

static void top_control(const char *sequence)
{
	tool_stream_raw(stdout, sequence, strlen(sequence));
}

/* Writes as many lines, and as much of each, as the terminal has room for. */
static void top_show(const char *text)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	unsigned int line;
	size_t length;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	top_control("\033[H");
	for (line = 1; *text && line < size.ws_row; line++) {
		length = strcspn(text, "\n");
		printf("%.*s", (int)(length < size.ws_col ? length : size.ws_col), text);
		top_control("\033[K\n");
		text += length;
		text += *text == '\n';
	}
	top_control("\033[J");
}

/* Waits for the time of the next sample. Return: false to end. */
static bool top_wait(const struct top *top, bool keys)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t end = tool_now_ns() + top->interval_ms * 1000000LL;
	int64_t left;
	char key;

	while (!top_stopped && (left = (end - tool_now_ns()) / 1000000) > 0) {
		if (poll(&input, keys, left) <= 0)
			continue;
		if (read(STDIN_FILENO, &key, 1) == 1)
			return key != 'q' && key != 'Q';
		/* standard input was closed */
		keys = false;
	}
	return !top_stopped;
}

/* Draws what happened from @before to @now, and hands it to @show. Return: 0 or -ENOMEM. */
static int top_picture(const struct top *top, const struct top_sample *before,
		       const struct top_sample *now, void (*show)(const char *text))
{
	char *text = top_draw(top, before, now);

	if (!text)
		return -ENOMEM;
	show(text);
	free(text);
	return 0;
}

static void top_put(const char *text)
{
	fputs(text, stdout);
}

static int top_once(const struct top *top)
{
	struct top_sample before, now;
	int ret;

	ret = top_sample_take(top, &before);
	if (ret)
		return ret;
	top_wait(top, false);
	ret = top_sample_take(top, &now);
	if (!ret) {
		ret = top_picture(top, &before, &now, top_put);
		top_sample_clear(&now);
	}
	top_sample_clear(&before);
	return ret;
}

static int top_loop(const struct top *top, bool keys)
{
	struct top_sample before, now;
	int ret;

	ret = top_sample_take(top, &before);
	if (ret)
		return ret;
	/* a short interval for the first picture, so that it comes soon */
	poll(NULL, 0, TOP_MIN_MS);
	do {
		ret = top_sample_take(top, &now);
		if (ret)
			break;
		ret = top_picture(top, &before, &now, top_show);
		top_sample_clear(&before);
		before = now;
	} while (!ret && top_wait(top, keys));
	top_sample_clear(&before);
	return ret;
}

/* Alternate screen, no cursor, single keys; all is restored at the end. */
static int top_terminal(const struct top *top)
{
	bool keys = isatty(STDIN_FILENO);
	struct termios saved, raw;
	int ret;

	keys = keys && !tcgetattr(STDIN_FILENO, &saved);
	if (keys) {
		raw = saved;
		raw.c_lflag &= ~(ICANON | ECHO);
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	top_control("\033[?1049h\033[?25l");
	ret = top_loop(top, keys);
	top_control("\033[?25h\033[?1049l");
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	return ret;
}

static int top_set_interval(struct top *top, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !(seconds * 1000 >= TOP_MIN_MS && seconds * 1000 <= TOP_MAX_MS))
		return tool_usage(&tool_top, "--interval takes seconds from 0.1 to 3600, not '%s'",
				  text);
	top->interval_ms = seconds * 1000;
	return 0;
}

static int top_parse(int argc, char **argv, struct top *top)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "interval", required_argument, NULL, 'i' },
		{ "once", no_argument, NULL, '1' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_getopt(&tool_top, argc, argv, "", longs)) != -1) {
		switch (option) {
		case 'd':
			top->path = optarg;
			break;
		case 'i':
			ret = top_set_interval(top, optarg);
			break;
		case '1':
			top->once = true;
			break;
		case 'j':
			top->once = true;
			top->json = true;
			break;
		default:
			return tool_bad_option(&tool_top, argv);
		}
	}
	if (!ret && optind < argc)
		return tool_usage(&tool_top, "takes no argument '%s'", argv[optind]);
	return ret;
}

static int top_run(int argc, char **argv)
{
	const struct sigaction stop = { .sa_handler = top_stop };
	struct top top = { .interval_ms = 1000 };
	struct loom_error err;
	int ret;

	ret = top_parse(argc, argv, &top);
	if (ret)
		return ret;
	if (loom_target_open(top.path ? top.path : "device", NULL, &top.target, &err))
		return tool_fail("%s", err.text);
	if (!loom_target_device(top.target)) {
		loom_target_close(top.target);
		return tool_usage(&tool_top, "--device takes the path of a node");
	}
	top.name = loom_device_info(loom_target_device(top.target))->name;
	if (loom_device_region(loom_target_device(top.target), DRM_LOOM_REGION_SRAM, &top.sram))
		memset(&top.sram, 0, sizeof(top.sram));
	if (tool_nodes_open(NULL, &top.nodes)) {
		loom_target_close(top.target);
		return TOOL_FAILED;
	}
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	ret = top.once || !isatty(STDOUT_FILENO) ? top_once(&top) : top_terminal(&top);
	if (ret)
		ret = tool_fail("%s: %s", loom_target_name(top.target), strerror(-ret));
	tool_nodes_close(&top.nodes);
	loom_target_close(top.target);
	return ret;
}

const struct tool_command tool_top = {
	.name = "top",
	.usage = "[--interval SECONDS] [--once] [--json] [--device PATH]",
	.text = "show memory and engine time of each process, live",
	.help = "  --interval SECONDS   time between two samples (default 1)\n"
		"  --once               print one sample; the default if output is not a terminal\n"
		"  --json               print one sample as JSON\n"
		"  --device PATH        show this node instead of the first one\n"
		"\nThe key q ends it, any other key updates at once. Only root sees other users' processes.\n"
		"In the bars, letters are the processes of the table, ? is memory of others,\n"
		"= scratch, # a buffer, % reserved bytes. Below are the largest buffers with a label.\n",
	.examples =
		"  loom top\n"
		"  loom top --once --json\n",
	.run = top_run,
};
