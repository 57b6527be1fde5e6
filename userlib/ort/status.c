// SPDX-License-Identifier: MIT
/* Conversion of the library's errors to ONNX Runtime's, and lines for its log. */
#include "ort.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

struct loom_ort loom_ort;

static OrtErrorCode code_of(int code)
{
	switch (code) {
	case -EINVAL:
		return ORT_INVALID_ARGUMENT;
	case -ENOENT:
		return ORT_NO_SUCHFILE;
	case -EOPNOTSUPP:
		return ORT_NOT_IMPLEMENTED;
	case -EBADMSG:
		return ORT_INVALID_GRAPH;
	default:
		return ORT_EP_FAIL;
	}
}

OrtStatus *loom_ort_status(int code, const struct loom_error *err)
{
	return code ? loom_ort_fail(code, "%s", err->text) : NULL;
}

OrtStatus *loom_ort_fail(int code, const char *format, ...)
{
	char text[640];
	va_list args;
	int at = snprintf(text, sizeof(text), "Loom: ");

	va_start(args, format);
	vsnprintf(text + at, sizeof(text) - (size_t)at, format, args);
	va_end(args);
	return loom_ort.api->CreateStatus(code_of(code), text);
}

OrtStatus *loom_ort_no_memory(void)
{
	return loom_ort_fail(-ENOMEM, "out of memory");
}

void loom_ort_log(const OrtLogger *logger, OrtLoggingLevel level, const char *format, ...)
{
	OrtStatus *status;
	char text[640];
	va_list args;

	if (!logger)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	status = loom_ort.api->Logger_LogMessage(logger, level, text, "loom_ep", 0, "Loom");
	/* a lost line of the log is no error */
	loom_ort.api->ReleaseStatus(status);
}
