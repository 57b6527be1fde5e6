/* SPDX-License-Identifier: GPL-2.0 */
/* A device that does nothing: its files and faults, and a client with a job in each queue. */
#ifndef LOOM_TEMPLATE_H
#define LOOM_TEMPLATE_H

#include "../loom_selftest.h"

#define TIMEOUT		"/sys/module/loom/parameters/job_timeout_ms"
#define PARAMETERS	"/sys/module/loom_template/parameters/"
#define FAULT		PARAMETERS "fault"
#define DRIVER		"/sys/bus/platform/drivers/loom-template/"
#define NAME		"loom-template"
#define ASLEEP		"/sys/module/loom_sleep/parameters/asleep"
#define DEVICE		"/sys/bus/platform/devices/" NAME "/"
#define NODES		DEVICE "accel"
#define DUMPS		"/sys/class/devcoredump/"

/* enum nothing_fault */
#define HANGS		"1"
#define SLOW		"2"
#define LIES		"3"
#define TWICE		"4"
#define OLD		"5"
#define GARBAGE		"6"
#define DIES		"7"
#define MUTE		"8"
#define PASSED		"9"
#define EARLY		"10"
#define DAWDLES		"11"
#define SHY		"12"
#define SLEEPS_ON	"13"
#define BUSY		"14"
#define FAILS		"15"
#define CONFESSES	"16"
#define SPILLS		"17"
#define STALLS		"18"

/* another device */
#define BYSTANDER	"template-bystander"

/* more than the device takes */
#define CONTEXTS	12

/* Return: a file, or -errno. */
static int template_open(void)
{
	return loom_open_in(NODES);
}

static int template_unbind(void)
{
	return loom_write_file(DRIVER "unbind", NAME);
}

static int template_bind(void)
{
	return loom_write_file(DRIVER "bind", NAME);
}

FIXTURE(template)
{
	struct loom_client client;
	uint32_t contexts[CONTEXTS], syncs[CONTEXTS];
	uint32_t plan;
	char timeout[16];
	long misused;
};

/* A counter of the device, or -1. */
static long counted(const char *what)
{
	char path[100], text[32] = "";

	snprintf(path, sizeof(path), PARAMETERS "%s", what);
	return loom_read_file(path, text, sizeof(text)) ? -1 : atol(text);
}

static int template_clients(struct _test_data_template *self)
{
	uint32_t i;
	int ret = loom_client_open_fd(&self->client, template_open());

	if (ret)
		return ret;
	self->plan = loom_client_plan_copy(&self->client);
	if (!self->plan)
		return -ENOMEM;
	for (i = 0; !ret && i < CONTEXTS; i++) {
		self->syncs[i] = loom_sync_create(self->client.fd, 0);
		ret = loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL,
					  &self->contexts[i]);
	}
	return ret;
}

FIXTURE_SETUP(template)
{
	int fd = template_open();

	self->client.fd = -1;
	if (fd < 0)
		SKIP(return, "no device that does nothing (loom_template.ko)");
	close(fd);
	if (access(DRIVER "unbind", W_OK) ||
	    loom_read_file(TIMEOUT, self->timeout, sizeof(self->timeout)))
		SKIP(return, "not the right to bind it anew");
	ASSERT_EQ(0, loom_write_file(TIMEOUT, "800"));
	ASSERT_EQ(0, template_unbind());
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
	self->misused = counted("misused");
}

FIXTURE_TEARDOWN(template)
{
	loom_client_close(&self->client);
	config_remove(BYSTANDER);
	/* nothing was asked of it while it was off */
	EXPECT_EQ(self->misused, counted("misused"));
	if (self->timeout[0])
		loom_write_file(TIMEOUT, self->timeout);
}

static int run(struct _test_data_template *self, uint32_t index)
{
	self->client.context = self->contexts[index];
	return loom_client_run(&self->client, self->plan, 2, self->syncs[index]);
}

/* Return: 1: ended without error, -errno: ended with that error, or has not ended soon. */
static int end_of(struct _test_data_template *self, uint32_t index)
{
	int ret = loom_sync_wait(self->client.fd, self->syncs[index], loom_soon());

	return ret ?: loom_sync_status(self->client.fd, self->syncs[index]);
}

/* A job may have the engine for so long. Return: 0 or -errno. */
static int bind_anew(struct _test_data_template *self, const char *timeout_ms)
{
	loom_client_close(&self->client);
	return loom_write_file(TIMEOUT, timeout_ms) ?: template_unbind() ?: template_bind() ?:
	       template_clients(self);
}

/* The device is broken, and is all right when it was bound anew. Return: 0 or -errno. */
static int is_wedged_until_bound_anew(struct _test_data_template *self)
{
	int ret = run(self, CONTEXTS - 1);

	if (ret != -EIO)
		return ret ?: -EEXIST;
	loom_client_close(&self->client);
	ret = template_unbind() ?: template_bind() ?: template_clients(self) ?: run(self, 0);
	if (ret)
		return ret;
	ret = end_of(self, 0);
	return ret == 1 ? 0 : ret ?: -ETIME;
}

static bool has_own_memory(const struct loom_client *client)
{
	struct drm_loom_region_info dram;

	return !loom_query_region(client->fd, DRM_LOOM_REGION_DRAM, &dram) &&
	       dram.flags & DRM_LOOM_REGION_OWN;
}

#endif /* LOOM_TEMPLATE_H */
