// SPDX-License-Identifier: MIT
/*
 * Programs that were planned before: found again, by nothing else than the same graph, chip and
 * options; not when they are damaged; and no harm where nothing can be kept.
 */
#include "cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/watch.h"
#include "chips.h"
#include "host/group/case.h"

static const struct drm_loom_chip chip = CHIP_SRAM("three-lanes", (3, 2, 3600, 32, 8));
static struct loom_planner_options how = { .chip = &chip, .grouping = "layerwise" };
static char folder[64];

/* Plans or finds. Return: 1: found, 0: planned, or -errno; @sum: of the plan */
static int obtain(const struct test_case *test, u64 *sum)
{
	const struct loom_program *program;
	struct loom_program_file *file;
	struct loom_program *planned;
	int ret = loom_program_obtain(test->graph, &how, &planned, &file, NULL);
	size_t i;

	if (ret)
		return ret;
	program = file ? loom_program_file_program(file) : planned;
	for (*sum = i = 0; i < program->plan_bytes; i++)
		*sum = *sum * 31 + ((const u8 *)program->plan)[i];
	ret = !!file;
	loom_program_destroy(planned);
	loom_program_unload(file);
	return ret;
}

/* Removes the folder. Other processes may add files meanwhile. */
static void empty(void)
{
	char command[96];
	int tries = 100;

	snprintf(command, sizeof(command), "rm -rf %s/loom 2>/dev/null", folder);
	while (system(command))
		if (!--tries)
			tap_fatal("rm");
}

static char *entry(const struct test_case *test)
{
	char name[CACHE_NAME_BYTES], *path;

	cache_name(test->graph, &how, name);
	return asprintf(&path, "%s/loom/%s", folder, name) < 0 ? NULL : path;
}

static void test_digest(void)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char text[CACHE_DIGEST_TEXT];
	u32 i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cache_digest digest;

		cache_digest_begin(&digest);
		cache_digest_add(&digest, cases[i].text, strlen(cases[i].text));
		cache_digest_end(&digest, text);
		bad += !!strcmp(text, cases[i].want);
	}
	tap_ok(!bad, "digests of FIPS 180-4");
}

static void test_hits(const struct test_case *test, const struct test_case *other)
{
	static const struct drm_loom_chip larger = CHIP_SRAM("more", (3, 2, 7200, 32, 8));
	u64 sum, again;
	bool first;

	empty();
	first = obtain(test, &sum) == 0;
	tap_ok(first && obtain(test, &again) == 1 && sum == again, "planned, then found");
	how.flags = LOOM_PLANNER_NO_OVERLAP;
	first = obtain(test, &again) == 0;
	how.flags = 0;
	how.chip = &larger;
	first &= obtain(test, &again) == 0;
	how.chip = &chip;
	tap_ok(first && obtain(other, &again) == 0,
	       "not found for other options, another chip, another graph");
	how.max_work = 1ULL << 40;
	tap_ok(obtain(test, &again) == 1, "limits do not matter");
	how.max_work = 0;
}

static void test_damage(const struct test_case *test)
{
	char *path = entry(test);
	u64 sum, again;
	int file, i, bad = 0;

	empty();
	bad += obtain(test, &sum) != 0;
	for (i = 0; i < 3; i++) {
		file = open(path, O_RDWR);
		bad += file < 0 || (i < 2 ? pwrite(file, "????", 4, i * 900) != 4 :
					    ftruncate(file, 100));
		close(file);
		bad += obtain(test, &again) != 0 || again != sum;
		bad += obtain(test, &again) != 1 || again != sum;
	}
	free(path);
	tap_ok(!bad, "a damaged entry is planned anew and replaced");
}

/* Files cannot grow, as on a full disk. */
static void test_full(const struct test_case *test)
{
	struct rlimit before, none = { 0 };
	char *path = entry(test);
	u64 sum;
	int ret;

	empty();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	none.rlim_cur = 1000;
	none.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &none);
	ret = obtain(test, &sum);
	setrlimit(RLIMIT_FSIZE, &before);
	tap_ok(!ret && access(path, F_OK) && obtain(test, &sum) == 0, "a full disk keeps nothing");
	free(path);
}

static void test_no_folder(const struct test_case *test)
{
	u64 sum;
	u32 bad = 0;

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	bad += obtain(test, &sum) != 0 || obtain(test, &sum) != 0;
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/proc/none", 1);
	bad += obtain(test, &sum) != 0 || obtain(test, &sum) != 0 || !access("relative", F_OK);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	bad += obtain(test, &sum) != 0 || obtain(test, &sum) != 0;
	setenv("XDG_CACHE_HOME", folder, 1);
	tap_ok(!bad, "without a folder, it is planned each time");
}

static void test_processes(const struct test_case *test)
{
	int i, k, status, bad = 0;
	u64 sum, own;

	empty();
	how.flags = LOOM_PLANNER_GIVEN_ORDER;
	if (obtain(test, &sum))
		tap_fatal("no plan");
	empty();
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		for (k = 0; k < 8; k++) {
			if (i == 3)
				empty();
			bad |= obtain(test, &own) < 0 || own != sum;
		}
		_exit(bad);
	}
	for (i = 0; i < 4; i++)
		bad |= wait(&status) < 0 || status;
	how.flags = 0;
	tap_ok(!bad, "four processes at once, one of which removes the folder");
}

/* Neither a folder nor an entry that others can write to, or have made, is believed. */
static void test_owners(const struct test_case *test)
{
	char *path = entry(test), room[80], other[80];
	bool root = !geteuid();
	u64 sum;
	u32 bad = 0;

	snprintf(room, sizeof(room), "%s/loom", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	empty();
	bad += obtain(test, &sum) != 0 || obtain(test, &sum) != 1;
	bad += chmod(path, 0620) || obtain(test, &sum) != 0 || obtain(test, &sum) != 1;
	bad += root && (chown(path, 1, 1) || obtain(test, &sum) != 0 || obtain(test, &sum) != 1);
	bad += rename(path, other) || symlink(other, path) || obtain(test, &sum) != 0 ||
	       obtain(test, &sum) != 1 || unlink(path) || mkfifo(path, 0600) ||
	       obtain(test, &sum) != 0 || obtain(test, &sum) != 1 || unlink(other);
	tap_ok(!bad, "an entry of others, a link and a pipe are replaced");
	bad += chmod(room, 0770) || obtain(test, &sum) != 0 || chmod(room, 0700);
	bad += root && (chown(room, 1, 1) || obtain(test, &sum) != 0 || chown(room, 0, 0));
	bad += rename(room, other) || symlink(other, room) || obtain(test, &sum) != 0 ||
	       unlink(room) || rename(other, room) || obtain(test, &sum) != 1;
	tap_ok(!bad, "a folder of others is not used");
	free(path);
}

/* A file that a graph maps: after it changes, nothing is stored or found by the graph's key. */
static void test_changed(struct test_case *test)
{
	char path[80];
	const void *bytes;
	size_t size_bytes;
	u32 bad = 0;
	u64 sum;
	int file;

	empty();
	snprintf(path, sizeof(path), "%s/model", folder);
	file = open(path, O_CREAT | O_RDWR, 0600);
	bad += file < 0 || write(file, "1", 1) != 1 ||
	       loom_pool_map(test->graph->pool, file, &bytes, &size_bytes);
	bad += obtain(test, &sum) != 0 || obtain(test, &sum) != 1;
	empty();
	/* times have the resolution of the kernel's tick */
	usleep(20000);
	bad += pwrite(file, "2", 1, 0) != 1 || obtain(test, &sum) != 0 || obtain(test, &sum) != 0;
	unlink(path);
	bad += obtain(test, &sum) != 0;
	close(file);
	tap_ok(!bad, "nothing is kept of a graph whose file has changed");
}

/**
 * struct caller - who stops a call
 * @after: so many calls of the callback go on
 * @stages: bits of the stages that were seen
 */
struct caller {
	u32 after;
	u32 stages;
};

static int stop(void *data, const struct loom_progress *progress)
{
	struct caller *caller = data;

	caller->stages |= 1U << progress->stage;
	return caller->after-- ? LOOM_PROGRESS_GO_ON : LOOM_PROGRESS_STOP;
}

/* Stops a call at each moment until one ends; Returns the stages seen. */
static u32 stop_at_all(const struct test_case *test, bool found)
{
	struct caller caller;
	u32 i, bad = 0, seen = 0;
	u64 sum;
	int ret = -ECANCELED;

	for (i = 0; ret && i < 1U << 16; i += 1 + i / 4) {
		struct loom_watch watch = { .progress = stop, .data = &caller, .eager = true };

		if (!found)
			empty();
		caller = (struct caller){ .after = i };
		loom_watch_begin(&watch);
		ret = obtain(test, &sum);
		bad += ret >= 0 && ret != found;
		ret = loom_watch_end(&watch, 0, NULL);
		bad += ret && ret != -ECANCELED;
		seen |= caller.stages;
	}
	return bad || ret ? 0 : seen;
}

static void test_stop(const struct test_case *test)
{
	u64 sum;
	u32 planned, bad = 0, i;

	planned = stop_at_all(test, false);
	tap_ok(planned & 1U << LOOM_STAGE_READ && planned & 1U << LOOM_STAGE_EMIT,
	       "stopped while it is hashed, planned and stored: %x", planned);
	tap_ok(stop_at_all(test, true) == 1U << LOOM_STAGE_READ, "stopped while it is loaded");
	how.max_work = 1;
	bad += obtain(test, &sum) != -ETIME;
	how.max_work = 0;
	/* where the plan itself has room, the entry costs no more than itself */
	for (i = 1; i < 64; i++) {
		struct loom_program *program;
		int ret;

		empty();
		how.max_memory_bytes = i * 20000;
		ret = loom_program_create(test->graph, &how, &program, NULL);
		loom_program_destroy(program);
		bad += obtain(test, &sum) != ret;
	}
	how.max_memory_bytes = 0;
	tap_ok(!bad, "limits hold for the cache, and cost no plan");
}

static int finish(void *data, const struct loom_progress *progress)
{
	(void)data;
	(void)progress;
	return LOOM_PROGRESS_FINISH;
}

static void test_finish(const struct test_case *test)
{
	u64 sum;

	empty();
	how.progress = finish;
	how.grouping = NULL;
	tap_ok(obtain(test, &sum) == 0 && obtain(test, &sum) == 0,
	       "a plan that was finished early is not kept");
	how.progress = NULL;
	how.grouping = "layerwise";
}

/* Bytes between fields are the caller's. */
static void test_padding(const struct test_case *test)
{
	struct loom_planner_options given = how;
	char name[2][CACHE_NAME_BYTES], *gap = (char *)(&given.max_recompute_permille + 1);

	memset(gap, 0x55, (char *)&given.max_bytes - gap);
	given.progress = finish;
	given.max_work = 1;
	cache_name(test->graph, &how, name[0]);
	cache_name(test->graph, &given, name[1]);
	tap_ok(!strcmp(name[0], name[1]), "padding, callback and limits are not in the key");
}

/* Large entries without bytes, the second of which was used later. */
static void test_cap(const struct test_case *test)
{
	char path[2][128];
	u32 i, bad = 0;
	u64 sum;

	empty();
	close(cache_open());
	for (i = 0; i < 2; i++) {
		const struct timespec used[2] = { { .tv_sec = i }, { .tv_sec = i } };
		int file;

		snprintf(path[i], sizeof(path[i]), "%s/loom/%u.loom", folder, i);
		file = open(path[i], O_CREAT | O_WRONLY, 0600);
		bad += file < 0 || ftruncate(file, 700 << 20) || futimens(file, used);
		close(file);
	}
	bad += obtain(test, &sum) != 0;
	tap_ok(!bad && access(path[0], F_OK) && !access(path[1], F_OK) && obtain(test, &sum) == 1,
	       "past the cap, the entry used longest ago goes");
}

int main(void)
{
	struct test_case test, other;

	snprintf(folder, sizeof(folder), "/tmp/loom-cache-XXXXXX");
	if (!mkdtemp(folder))
		tap_fatal("no folder");
	setenv("XDG_CACHE_HOME", folder, 1);
	make_weights();
	make_case(&test, 23);
	make_case(&other, 7919 + 23);
	test_digest();
	test_hits(&test, &other);
	test_damage(&test);
	test_full(&test);
	test_processes(&test);
	test_finish(&test);
	test_owners(&test);
	test_padding(&test);
	test_stop(&test);
	test_cap(&test);
	test_no_folder(&test);
	test_changed(&test);
	empty();
	rmdir(folder);
	free_case(&test);
	free_case(&other);
	return tap_end();
}
