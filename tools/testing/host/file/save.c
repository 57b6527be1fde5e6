// SPDX-License-Identifier: MIT
/*
 * The one way in which files are written: links, devices, pipes, modes, owners, full disks, several
 * writers. Device nodes are made in a folder of the test, so that a fault destroys none of the
 * machine's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loom_file.h"
#include "tap.h"

#define NOBODY	65534

static struct loom_error err;

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) || chmod(path, mode))
		tap_fatal("%s: %s", path, strerror(errno));
}

static bool has(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	return !strcmp(found, text);
}

static int save(const char *path, const char *text)
{
	err.text[0] = '\0';
	return loom_file_save(path, text, strlen(text), &err);
}

/* refused with @code and one line that names the file and the reason */
static bool refused(const char *path, int code)
{
	int ret = save(path, "new");

	return ret == -code && strstr(err.text, path) && strstr(err.text, strerror(code)) &&
	       !strchr(err.text, '\n');
}

static mode_t kind(const char *path)
{
	struct stat found;

	return lstat(path, &found) ? 0 : found.st_mode & S_IFMT;
}

static unsigned int count(const char *path)
{
	unsigned int found = 0;
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		found += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return found;
}

static void test_files(void)
{
	struct stat old, made;
	FILE *open_file;

	umask(027);
	tap_ok(!save("a", "one") && has("a", "one") && !stat("a", &made) &&
	       (made.st_mode & 07777) == 0640, "a new file has the mode that the umask leaves");
	umask(022);
	chmod("a", 0604);
	open_file = fopen("a", "r");
	if (!open_file || stat("a", &old))
		tap_fatal("a: %s", strerror(errno));
	tap_ok(!save("a", "two") && has("a", "two") && !stat("a", &made) &&
	       (made.st_mode & 07777) == 0604, "one that replaces another has its mode");
	tap_ok(made.st_ino != old.st_ino && fgetc(open_file) == 'o',
	       "a reader of the old file keeps its bytes");
	fclose(open_file);
	tap_ok(!save("a", "") && has("a", "") && count(".") == 1, "no bytes; nothing is left");
	unlink("a");
}

static void test_links(void)
{
	if (mkdir("d", 0755) || symlink("../b", "d/link") || symlink("d/link", "first") ||
	    symlink("nothing", "dangling") || symlink("loop", "loop"))
		tap_fatal("links: %s", strerror(errno));
	put("b", "old", 0644);
	tap_ok(!save("first", "new") && kind("first") == S_IFLNK && kind("d/link") == S_IFLNK &&
	       has("b", "new"), "two links are followed, and stay");
	unlink("b");
	tap_ok(!save("first", "made") && kind("first") == S_IFLNK && kind("b") == S_IFREG &&
	       has("b", "made"), "links to no file yet, relative to their own folders");
	tap_ok(!save("dangling", "made") && kind("dangling") == S_IFLNK && has("nothing", "made"),
	       "a dangling link");
	tap_ok(refused("loop", ELOOP), "links in a circle: %s", err.text);
	tap_ok(count(".") == 6 && count("d") == 1, "nothing is left behind");
}

static void test_refusals(void)
{
	tap_ok(refused("d", EISDIR), "%s", err.text);
	tap_ok(refused("none/", EISDIR), "%s", err.text);
	tap_ok(refused("none/x", ENOENT), "%s", err.text);
	tap_ok(refused("b/x", ENOTDIR), "%s", err.text);
	tap_ok(save("", "x") == -ENOENT, "an empty path");
}

/* A process without privileges. */
static void test_rights(void)
{
	bool root = !geteuid();

	put("mine", "old", 0444);
	if (mkdir("closed", 0755))
		tap_fatal("closed: %s", strerror(errno));
	put("closed/file", "old", 0666);
	chmod("closed", 0555);
	if (root && seteuid(NOBODY))
		tap_fatal("seteuid: %s", strerror(errno));
	tap_ok(refused("mine", EACCES), "not writable: %s", err.text);
	tap_ok(refused("closed/file", EACCES) && refused("closed/new", EACCES),
	       "the folder is not: %s", err.text);
	if (root && seteuid(0))
		tap_fatal("seteuid: %s", strerror(errno));
	tap_ok(has("mine", "old") && has("closed/file", "old") && count("closed") == 1,
	       "the old files are as they were");
	chmod("closed", 0755);
}

static void test_owner(void)
{
	struct stat made;

	if (geteuid()) {
		tap_skip("owners: only root may set them");
		return;
	}
	if (chown("b", 1234, 2345))
		tap_fatal("chown: %s", strerror(errno));
	chmod("b", 0660);
	tap_ok(!save("b", "mine") && !stat("b", &made) && made.st_uid == 1234 &&
	       made.st_gid == 2345 && (made.st_mode & 07777) == 0660, "owners are kept");
}

static void test_pipe(void)
{
	char got[8] = "";
	int fd;

	if (mkfifo("pipe", 0644))
		tap_fatal("pipe: %s", strerror(errno));
	fd = open("pipe", O_RDWR | O_NONBLOCK);
	tap_ok(!save("pipe", "through") && kind("pipe") == S_IFIFO &&
	       read(fd, got, sizeof(got)) == 7 && !memcmp(got, "through", 7),
	       "a pipe is written in place");
	close(fd);
}

static void test_devices(void)
{
	char element = 1;
	struct loom_array array = {
		.dtype = DRM_LOOM_DTYPE_I8, .rank = 1, .dims = { 1 }, .data = &element,
		.size_bytes = 1,
	};
	int fd;

	if (mknod("null", S_IFCHR | 0666, makedev(1, 3)) ||
	    mknod("full", S_IFCHR | 0666, makedev(1, 7)) || symlink("null", "to-null")) {
		tap_skip("devices: no node can be made here: %s", strerror(errno));
		return;
	}
	fd = open("null", O_WRONLY);
	if (fd < 0) {
		tap_skip("devices: nodes here cannot be opened: %s", strerror(errno));
		return;
	}
	close(fd);
	tap_ok(!save("null", "x") && kind("null") == S_IFCHR, "a device is written in place");
	tap_ok(!save("to-null", "x") && kind("to-null") == S_IFLNK && kind("null") == S_IFCHR,
	       "so is one behind a link");
	tap_ok(!loom_npy_save("null", &array, &err) && !loom_raw_save("null", &array, &err) &&
	       kind("null") == S_IFCHR && loom_npy_save("full", &array, &err) == -ENOSPC &&
	       kind("full") == S_IFCHR, "and an array: %s", err.text);
	tap_ok(refused("full", ENOSPC) && kind("full") == S_IFCHR, "%s", err.text);
}

/* A file that has no name any more is reached by /proc alone. */
static void test_nameless(void)
{
	char path[64], got[8] = "";
	int fd = open("gone", O_RDWR | O_CREAT, 0600);

	unlink("gone");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	tap_ok(!save(path, "here") && pread(fd, got, sizeof(got), 0) == 4 &&
	       !memcmp(got, "here", 4) && kind("gone (deleted)") == 0,
	       "a file without a name is written in place");
	close(fd);
}

static int save_large(const char *path)
{
	static char large[1 << 20];

	return loom_file_save(path, large, sizeof(large), &err);
}

static void test_too_large(void)
{
	struct rlimit limit = { 1 << 16, RLIM_INFINITY }, old;
	unsigned int before = count(".");
	int ret;

	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	put("b", "old", 0644);
	ret = save_large("b");
	setrlimit(RLIMIT_FSIZE, &old);
	tap_ok(ret == -EFBIG && has("b", "old") && count(".") == before,
	       "a write that ends in the middle: %s", err.text);
}

static void test_full_disk(void)
{
	if (mkdir("disk", 0755) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "disk", "tmpfs", 0, "size=64k")) {
		tap_skip("full disk: no file system can be mounted: %s", strerror(errno));
		return;
	}
	put("disk/file", "old", 0644);
	tap_ok(save_large("disk/file") == -ENOSPC && strstr(err.text, "No space left on device") &&
	       has("disk/file", "old") && count("disk") == 1, "a full disk: %s", err.text);
	if (mount(NULL, "disk", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL))
		tap_fatal("remount: %s", strerror(errno));
	tap_ok(refused("disk/file", EROFS) && refused("disk/new", EROFS), "%s", err.text);
	umount2("disk", MNT_DETACH);
}

#define WRITERS		4
#define ROUNDS		50
#define WRITER_BYTES	(1 << 16)

static int writer(int letter)
{
	char *bytes = malloc(WRITER_BYTES);
	int i, ret = 0;

	memset(bytes, letter, WRITER_BYTES);
	for (i = 0; i < ROUNDS && !ret; i++)
		ret = loom_file_save("shared", bytes, WRITER_BYTES, NULL);
	free(bytes);
	return ret;
}

/* complete, and of one writer */
static bool is_whole(const char *path)
{
	static char bytes[WRITER_BYTES + 1];
	FILE *file = fopen(path, "r");
	size_t got = file ? fread(bytes, 1, sizeof(bytes), file) : 0, i;

	for (i = 1; i < got && bytes[i] == bytes[0]; i++)
		;
	if (file)
		fclose(file);
	return got == WRITER_BYTES && i == got;
}

static void test_writers(void)
{
	unsigned int before = count("."), torn = 0, failed = 0, left = WRITERS;
	struct loom_saving *first, *second, *third;
	int i, status;

	if (writer('0'))
		tap_fatal("shared: cannot be written");
	for (i = 0; i < WRITERS; i++)
		if (!fork())
			_exit(!!writer('a' + i));
	while (left) {
		torn += !is_whole("shared");
		if (waitpid(-1, &status, WNOHANG) > 0) {
			failed += !WIFEXITED(status) || WEXITSTATUS(status);
			left--;
		}
	}
	tap_ok(!torn && !failed && count(".") == before + 1,
	       "%d processes write one file: %u times torn, %u failed", WRITERS, torn, failed);
	tap_ok(!loom_file_stage("shared", "1", 1, &first, &err) &&
	       !loom_file_stage("shared", "2", 1, &second, &err) &&
	       !loom_file_stage("shared", "3", 1, &third, &err) && is_whole("shared"),
	       "staged three times, it is as it was");
	loom_file_discard(third);
	tap_ok(!loom_file_commit(second, &err) && has("shared", "2") &&
	       !loom_file_commit(first, &err) && has("shared", "1") && count(".") == before + 1,
	       "the last that is committed stays");
	loom_file_discard(NULL);
}

int main(void)
{
	char folder[] = "/tmp/loom-save-XXXXXX", command[64];

	if (!mkdtemp(folder) || chmod(folder, 0755) || chdir(folder))
		tap_fatal("%s: %s", folder, strerror(errno));
	test_files();
	test_links();
	test_refusals();
	test_owner();
	test_rights();
	test_pipe();
	test_devices();
	test_nameless();
	test_too_large();
	test_writers();
	test_full_disk();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (chdir("/") || system(command))
		tap_fatal("%s: %s", folder, strerror(errno));
	return tap_end();
}
