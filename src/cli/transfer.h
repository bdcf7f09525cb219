/* transfer - a file of the user's on its way from the server, or to it, as large as it may be. */
#pragma once
#include "cli/call.h"

/* What the server has at path into a file, which appears only when it is whole. file NULL: onto stdout. */
NODISCARD int
transfer_export(struct cli_call *call, struct str path, const char *file, struct err *e);
/* A file ("-": stdin) as the body for path; *answer lives in the call's arena. */
struct transfer_import {
	struct str path, content_type;
	const char *file;
};
NODISCARD int transfer_import(struct cli_call *call, const struct transfer_import *t,
			      struct json *answer, struct err *e);
