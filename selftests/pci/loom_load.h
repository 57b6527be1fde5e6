/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_LOAD_H
#define LOOM_LOAD_H

/*
 * Clients that keep a device busy, each a process: jobs whose results are compared to the bit,
 * buffers that no job is bound to and that must keep their bytes (canaries), new buffers that must
 * be zero. Their counters are in memory that they share with the test.
 */
#include "../loom_client.h"

/* A job that has not ended by then hangs. */
#define LOOM_LOAD_HANG_NS	(90 * LOOM_SECOND_NS)
/* A client gets along if it does that many more jobs. */
#define LOOM_LOAD_ENOUGH	3
#define LOOM_LOAD_CLIENTS	8
#define LOOM_LOAD_CANARY_BYTES	65536
#define LOOM_LOAD_FRESH_BYTES	65536

struct loom_load {
	pid_t pid;
	/* @pause: has no file; @paused: does so */
	bool stop, pause, paused;
	/* jobs that ended well, with the right result; how often the node was opened, with lanes */
	uint64_t good, opened, partitions;
	/* fences with these errors */
	uint64_t canceled, timed_out, failed, gone;
	/* results, canaries, new buffers that were not as they must be; jobs that hang; signals */
	uint64_t wrong, spoilt, dirty, hung, killed;
	/* buffers that fill the memory: how many bytes, and how often one was looked at */
	uint64_t fill_bytes, looked;
	/* an errno that nobody documents, and of what */
	uint64_t odd;
	int odd_errno;
	char odd_call[16];
	int64_t slowest_ns;
};

static inline uint64_t loom_load_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* The process's own. */
struct loom_worker {
	struct loom_load *load;
	struct loom_client client;
	uint32_t plan, salt, round;
	uint32_t *in, *out, *canary, *sram;
	uint64_t sram_bytes;
	/* buffers that fill the memory */
	uint32_t fills;
	uint64_t fill_bytes;
	uint32_t *fill[16], fill_salt[16];
	/* in the SRAM, where it cannot be mapped: read and written by the device */
	uint32_t copied, copied_salt;
	uint64_t copied_bytes;
};

static inline uint32_t loom_load_word(uint32_t salt, uint32_t i)
{
	/* a finite float of either sign, so that its absolute value has other bits */
	return ((i * 2654435761u + salt * 40503u) & 0x807fffff) | 0x3f000000;
}

static inline void loom_load_unmap(uint32_t **map, uint64_t bytes)
{
	if (*map)
		munmap(*map, bytes);
	*map = NULL;
}

static inline void loom_load_close(struct loom_worker *worker)
{
	uint32_t i;

	loom_load_unmap(&worker->in, worker->client.bytes);
	loom_load_unmap(&worker->out, worker->client.bytes);
	loom_load_unmap(&worker->canary, LOOM_LOAD_CANARY_BYTES);
	loom_load_unmap(&worker->sram, worker->sram_bytes);
	for (i = 0; i < worker->fills; i++)
		loom_load_unmap(&worker->fill[i], worker->fill_bytes);
	worker->fills = 0;
	worker->copied = 0;
	loom_client_close(&worker->client);
}

static inline uint32_t *loom_load_map(struct loom_worker *worker, uint32_t handle, uint64_t bytes)
{
	void *map = loom_bo_map(worker->client.fd, handle, bytes);

	return map == MAP_FAILED ? NULL : map;
}

static inline void loom_load_put(uint32_t *map, uint64_t bytes, uint32_t salt)
{
	uint32_t i;

	for (i = 0; i < bytes / 4; i++)
		map[i] = loom_load_word(salt, i);
}

static inline int loom_load_take(struct loom_worker *worker, uint64_t bytes, uint32_t **map)
{
	uint32_t handle;
	int ret = loom_bo_create(worker->client.fd, bytes, DRM_LOOM_REGION_DRAM, &handle);

	if (ret)
		return ret;
	*map = loom_load_map(worker, handle, bytes);
	return *map ? 0 : -ENODEV;
}

/* In each bank of the SRAM, where that can be mapped and there is room. */
static inline int loom_load_take_sram(struct loom_worker *worker)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	int ret = loom_query_region(worker->client.fd, DRM_LOOM_REGION_SRAM, &sram);

	ret = ret ?: loom_sram_take_mapped(worker->client.fd, &sram, 64, 0, &info);
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	worker->sram_bytes = info.size;
	worker->sram = loom_load_map(worker, info.handle, info.size);
	if (!worker->sram)
		return -ENODEV;
	loom_load_put(worker->sram, worker->sram_bytes, worker->salt + 2);
	return 0;
}

static inline int loom_load_fill(struct loom_worker *worker)
{
	int ret = 0;

	worker->fill_bytes = worker->load->fill_bytes / LOOM_ARRAY_SIZE(worker->fill) /
			     LOOM_PAGE * LOOM_PAGE;
	while (!ret && worker->fill_bytes && worker->fills < LOOM_ARRAY_SIZE(worker->fill)) {
		uint32_t i = worker->fills++;

		ret = loom_load_take(worker, worker->fill_bytes, &worker->fill[i]);
		worker->fill_salt[i] = worker->salt + 3 + i;
		if (!ret)
			loom_load_put(worker->fill[i], worker->fill_bytes, worker->fill_salt[i]);
	}
	return ret;
}

/* Of a device that is to keep all it has: in a broken one bits of what is copied may flip. */
static inline int loom_load_take_copied(struct loom_worker *worker)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	int ret;

	if (!worker->load->fill_bytes)
		return 0;
	ret = loom_query_region(worker->client.fd, DRM_LOOM_REGION_SRAM, &sram);
	ret = ret ?: loom_sram_take(worker->client.fd, &sram, 256, 0, 0, &info);
	if (ret)
		return ret == -ENOSPC || ret == -EDQUOT ? 0 : ret;
	worker->copied = info.handle;
	worker->copied_bytes = info.size;
	worker->copied_salt = 0;
	return 0;
}

/* It holds what it held, zeroes at first; then it holds something else. */
static inline int loom_load_look_copied(struct loom_worker *worker)
{
	uint32_t words[2048], i, spoilt = 0;
	int fd = worker->client.fd;
	int64_t ret;

	if (!worker->copied || worker->copied_bytes > sizeof(words))
		return 0;
	ret = loom_bo_read(fd, worker->copied, 0, words, worker->copied_bytes);
	if (ret < 0)
		return ret;
	for (i = 0; i < worker->copied_bytes / 4; i++)
		spoilt += words[i] != (worker->copied_salt ?
				       loom_load_word(worker->copied_salt, i) : 0);
	if (spoilt) {
		worker->load->spoilt++;
		fprintf(stderr, "# %u words of what was copied are spoilt\n", spoilt);
	}
	worker->copied_salt = worker->salt + worker->round;
	loom_load_put(words, worker->copied_bytes, worker->copied_salt);
	ret = loom_bo_write(fd, worker->copied, 0, words, worker->copied_bytes);
	return ret < 0 ? ret : 0;
}

static inline int loom_load_open(struct loom_worker *worker)
{
	uint64_t size;
	void *blob;
	int ret;

	loom_load_close(worker);
	worker->salt += 100;
	/* a user whose jobs have had the device reset twice would be refused */
	ret = loom_be_user(worker->salt);
	if (ret)
		return ret;
	ret = loom_client_open(&worker->client);
	if (ret)
		return ret;
	/* one client of two, and it every other time, owns half of the lanes if it can have them */
	if ((worker->load->opened + worker->salt) % 2 &&
	    !loom_client_take_lanes(&worker->client, worker->client.info.lanes / 2))
		worker->load->partitions++;
	blob = loom_plan_blob_unary(worker->client.info.lanes, DRM_LOOM_UNARY_ABS, &size);
	ret = loom_plan_create(worker->client.fd, blob, size, NULL, &worker->plan);
	free(blob);
	if (ret)
		return ret;
	worker->in = loom_load_map(worker, worker->client.in, worker->client.bytes);
	worker->out = loom_load_map(worker, worker->client.out, worker->client.bytes);
	if (!worker->in || !worker->out)
		return -ENODEV;
	loom_load_put(worker->in, worker->client.bytes, worker->salt);
	ret = loom_load_take(worker, LOOM_LOAD_CANARY_BYTES, &worker->canary);
	if (ret)
		return ret;
	loom_load_put(worker->canary, LOOM_LOAD_CANARY_BYTES, worker->salt + 1);
	ret = loom_load_take_sram(worker);
	ret = ret ?: loom_load_take_copied(worker);
	ret = ret ?: loom_load_fill(worker);
	if (!ret)
		worker->load->opened++;
	return ret;
}

/* A device that is wedged or gone shows pages of zeroes. */
static inline bool loom_load_is_lost(const struct loom_worker *worker)
{
	struct drm_loom_device_info info;
	uint32_t handle;
	int ret = loom_query_device(worker->client.fd, &info);

	ret = ret ?: loom_bo_create(worker->client.fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle);
	if (!ret)
		loom_bo_close(worker->client.fd, handle);
	return ret == -ENODEV || ret == -EIO;
}

/* Return: words that are not as they were put there, nor zero if that is what is shown. */
static inline uint32_t loom_load_spoilt(struct loom_worker *worker, const uint32_t *map,
					uint64_t bytes, uint32_t salt)
{
	uint32_t i, spoilt = 0;
	bool zero = true;

	for (i = 0; map && i < bytes / 4; i++) {
		bool differs = map[i] != loom_load_word(salt, i);

		zero &= !differs || !map[i];
		spoilt += differs;
	}
	return spoilt && zero && loom_load_is_lost(worker) ? 0 : spoilt;
}

static inline void loom_load_look(struct loom_worker *worker)
{
	uint32_t dram = loom_load_spoilt(worker, worker->canary, LOOM_LOAD_CANARY_BYTES,
					 worker->salt + 1);
	uint32_t sram = loom_load_spoilt(worker, worker->sram, worker->sram_bytes,
					 worker->salt + 2);

	if (!dram && !sram)
		return;
	worker->load->spoilt++;
	fprintf(stderr, "# canaries: %u words in the DRAM and %u in the SRAM are spoilt\n", dram,
		sram);
}

/* One of those that fill the memory holds what it held; then it holds something else. */
static inline void loom_load_look_fill(struct loom_worker *worker)
{
	uint32_t i = worker->fills ? worker->round % worker->fills : 0, spoilt;

	if (!worker->fills)
		return;
	spoilt = loom_load_spoilt(worker, worker->fill[i], worker->fill_bytes,
				  worker->fill_salt[i]);
	worker->load->looked++;
	if (spoilt) {
		worker->load->spoilt++;
		fprintf(stderr, "# %u of %llu words were lost\n", spoilt,
			(unsigned long long)worker->fill_bytes / 4);
	}
	worker->fill_salt[i] += 7;
	loom_load_put(worker->fill[i], worker->fill_bytes, worker->fill_salt[i]);
}

/* A buffer that nobody has written to is zero. */
static inline int loom_load_fresh(struct loom_worker *worker)
{
	uint32_t handle, i, set = 0;
	uint32_t *map;
	int ret = loom_bo_create(worker->client.fd, LOOM_LOAD_FRESH_BYTES, DRM_LOOM_REGION_DRAM,
				 &handle);

	if (ret)
		return ret;
	map = loom_load_map(worker, handle, LOOM_LOAD_FRESH_BYTES);
	for (i = 0; map && i < LOOM_LOAD_FRESH_BYTES / 4; i++)
		set += !!map[i];
	worker->load->dirty += !!set;
	if (map) {
		/* for who gets it next */
		memset(map, 0xee, LOOM_LOAD_FRESH_BYTES);
		munmap(map, LOOM_LOAD_FRESH_BYTES);
	}
	return loom_bo_close(worker->client.fd, handle);
}

/* Waits for a fence, device or not. Return: 1, or its error; -EPROTO: it hangs. */
static inline int loom_load_wait(struct loom_worker *worker, uint32_t sync)
{
	struct pollfd fence = { .fd = loom_sync_export(worker->client.fd, sync), .events = POLLIN };
	int64_t start = loom_now_ns(), ns;
	int ret;

	if (fence.fd < 0)
		return fence.fd;
	ret = poll(&fence, 1, LOOM_LOAD_HANG_NS / LOOM_MSEC_NS);
	close(fence.fd);
	ns = loom_now_ns() - start;
	if (ns > worker->load->slowest_ns)
		worker->load->slowest_ns = ns;
	if (ret != 1) {
		worker->load->hung++;
		return -EPROTO;
	}
	return loom_sync_status(worker->client.fd, sync);
}

static inline int loom_load_odd(struct loom_worker *worker, const char *call, int ret)
{
	if (ret && ret != -ENODEV && ret != -EIO && ret != -ECANCELED) {
		worker->load->odd_errno = ret;
		snprintf(worker->load->odd_call, sizeof(worker->load->odd_call), "%s", call);
		worker->load->odd++;
	}
	return ret;
}

/* A job whose result is compared. Return: 0; -errno: of a call, or of the fence. */
static inline int loom_load_job(struct loom_worker *worker)
{
	uint32_t sync = loom_sync_create(worker->client.fd, 0), i, wrong = 0;
	int ret;

	if (!sync)
		return -ENODEV;
	memset(worker->out, 0xff, worker->client.bytes);
	ret = loom_load_odd(worker, "submit",
			    loom_client_run(&worker->client, worker->plan, 2, sync));
	if (!ret)
		ret = loom_load_wait(worker, sync);
	loom_sync_destroy(worker->client.fd, sync);
	worker->load->canceled += ret == -ECANCELED;
	worker->load->timed_out += ret == -ETIME;
	worker->load->failed += ret == -EIO;
	worker->load->gone += ret == -ENODEV;
	if (ret != 1)
		return ret ?: -EPROTO;
	for (i = 0; i < worker->client.bytes / 4; i++)
		wrong += worker->out[i] != (loom_load_word(worker->salt, i) & 0x7fffffff);
	if (wrong && loom_load_is_lost(worker))
		return -ENODEV;
	if (!wrong) {
		worker->load->good++;
		return 0;
	}
	worker->load->wrong++;
	fprintf(stderr, "# %u of %llu words are wrong\n", wrong,
		(unsigned long long)worker->client.bytes / 4);
	return -EBADE;
}

static inline int loom_load_work(struct loom_worker *worker)
{
	int ret = loom_load_job(worker);

	if (ret && ret != -EBADE)
		return ret;
	if (worker->round % 4 == 0)
		loom_load_look_fill(worker);
	if (worker->round % 2 == 0)
		ret = loom_load_odd(worker, "copy", loom_load_look_copied(worker));
	if (worker->round % 8 == 0)
		loom_load_look(worker);
	if (worker->round % 16 == 0 && !ret)
		ret = loom_load_odd(worker, "fresh", loom_load_fresh(worker));
	worker->round++;
	return ret == -EBADE ? 0 : ret;
}

static inline void loom_load_run(struct loom_load *load, uint32_t number)
{
	struct loom_worker worker = {
		.load = load, .client.fd = -1, .salt = number * 1000003 + 1, .round = 1,
	};
	bool again = false;
	int ret;

	while (!__atomic_load_n(&load->stop, __ATOMIC_RELAXED)) {
		bool pause = __atomic_load_n(&load->pause, __ATOMIC_RELAXED);

		if (pause)
			loom_load_close(&worker);
		__atomic_store_n(&load->paused, pause, __ATOMIC_RELAXED);
		ret = -ENODEV;
		if (!pause && worker.client.fd < 0)
			ret = loom_load_odd(&worker, "open", loom_load_open(&worker));
		else if (!pause)
			ret = loom_load_work(&worker);
		if (!ret) {
			again = false;
			continue;
		}
		loom_load_look(&worker);
		/* the first -ECANCELED may be due to others, a second one is due to this context */
		again = ret == -ECANCELED && !again;
		if (again)
			continue;
		loom_load_close(&worker);
		usleep(20000);
	}
	loom_load_close(&worker);
	_exit(0);
}

/* ----------------------------------------------------------------- the test's side */

/* Clients that are to run; @count of them. */
static inline struct loom_load *loom_load_start(uint32_t count, uint64_t fill_bytes)
{
	struct loom_load *loads = mmap(NULL, count * sizeof(*loads), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t i;

	if (loads == MAP_FAILED)
		return NULL;
	for (i = 0; i < count; i++) {
		pid_t pid;

		loads[i].fill_bytes = fill_bytes;
		/* the memory is shared, so its counts are seen here */
		pid = loom_fork();
		if (!pid)
			loom_load_run(&loads[i], i);
		loads[i].pid = pid;
	}
	return loads;
}

/* Has a signal ended one? */
static inline bool loom_load_is_alive(struct loom_load *load)
{
	int status;

	if (load->pid <= 0 || !waitpid(load->pid, &status, WNOHANG))
		return load->pid > 0;
	fprintf(stderr, "# a client has ended: status %#x\n", status);
	load->killed++;
	load->pid = 0;
	return false;
}

static inline void loom_load_stop(struct loom_load *loads, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		__atomic_store_n(&loads[i].stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < count; i++) {
		int64_t end = loom_now_ns() + 2 * LOOM_LOAD_HANG_NS;

		while (loads[i].pid > 0 && !waitpid(loads[i].pid, NULL, WNOHANG)) {
			if (loom_now_ns() > end) {
				kill(loads[i].pid, SIGKILL);
				loads[i].hung++;
				break;
			}
			usleep(10000);
		}
	}
}

static inline void loom_load_print(const struct loom_load *load)
{
	ksft_print_msg("a client: %lu good, %lu opened, %lu with lanes\n", load->good,
		       load->opened, load->partitions);
	ksft_print_msg("  %lu cancelled, %lu timed out, %lu failed, %lu gone\n", load->canceled,
		       load->timed_out, load->failed, load->gone);
	ksft_print_msg("  %lu wrong, %lu canaries spoilt, %lu not zero, %lu hung, %lu killed\n",
		       load->wrong, load->spoilt, load->dirty, load->hung, load->killed);
	ksft_print_msg("  %lu odd (%s: %d); %lu looked at, slowest %lld ms\n", load->odd,
		       load->odd_call, load->odd_errno, load->looked,
		       load->slowest_ns / LOOM_MSEC_NS);
}

/* Stops them, and prints what has come of each. */
static inline void loom_load_end(struct loom_load *loads, uint32_t count)
{
	uint32_t i;

	loom_load_stop(loads, count);
	for (i = 0; i < count; i++)
		loom_load_print(&loads[i]);
}

/* Sums over @count clients of what may happen to them. */
static inline struct loom_load loom_load_sum(const struct loom_load *loads, uint32_t count)
{
	struct loom_load all = {};
	uint32_t i;

	for (i = 0; i < count; i++) {
		all.canceled += loads[i].canceled;
		all.timed_out += loads[i].timed_out;
		all.failed += loads[i].failed;
		all.gone += loads[i].gone;
		all.wrong += loads[i].wrong;
	}
	return all;
}

static inline void loom_load_note(const struct loom_load *loads, uint32_t count, uint64_t *good)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		good[i] = loads[i].good;
}

/* Each has done so much more than in @good. */
static inline bool loom_load_go_on(const struct loom_load *loads, uint32_t count,
				   const uint64_t *good, uint32_t more)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (loads[i].good < good[i] + more)
			return false;
	return true;
}

static inline bool loom_load_all_alive(struct loom_load *loads, uint32_t count)
{
	bool alive = true;
	uint32_t i;

	for (i = 0; i < count; i++)
		alive &= loom_load_is_alive(&loads[i]);
	return alive;
}

/* Waits until each has gone on. Return: false if one does not. */
static inline bool loom_load_goes_on(struct loom_load *loads, uint32_t count)
{
	int64_t end = loom_now_ns() + LOOM_LOAD_HANG_NS;
	uint64_t good[LOOM_LOAD_CLIENTS];

	loom_load_note(loads, count, good);
	while (!loom_load_go_on(loads, count, good, LOOM_LOAD_ENOUGH)) {
		if (loom_now_ns() > end || !loom_load_all_alive(loads, count))
			return false;
		usleep(10000);
	}
	return true;
}

/* Whether the device is as if nobody had used it. */
static inline bool loom_load_left_nothing(void)
{
	struct drm_loom_region_info region;
	struct drm_loom_device_info device;
	int64_t end = loom_soon();
	int fd = loom_open();
	uint32_t i;
	bool left;

	if (fd < 0)
		return false;
	do {
		left = loom_query_device(fd, &device) || device.bo_bytes;
		for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
			left |= loom_query_region(fd, i, &region) || region.blocks ||
				region.scratch_bytes;
	} while (left && loom_now_ns() < end && !usleep(10000));
	close(fd);
	return !left;
}

static inline uint64_t loom_load_bad(const struct loom_load *load)
{
	return load->wrong + load->spoilt + load->dirty + load->hung + load->killed + load->odd;
}

#endif /* LOOM_LOAD_H */
