/* cmd_session_bundle - `perdure session export|import`: a log as a file, and back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/record.h"

static int
export_to_file(struct cli_call *call, struct str path, const char *file, struct err *e)
{
	struct str part = arena_printf(&call->a, "%s.part", file);
	int fd = open(part.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return err_set(e, ERR_IO, "cannot write %s: %s", part.ptr, strerror(errno));
	rc = client_download(call->client, path, fd, e);
	if (rc == 0 && fsync(fd) != 0)
		rc = err_set(e, ERR_IO, "cannot write %s: %s", part.ptr, strerror(errno));
	close(fd);
	if (rc == 0 && rename(part.ptr, file) != 0)
		rc = err_set(e, ERR_IO, "cannot write %s: %s", file, strerror(errno));
	if (rc != 0)
		unlink(part.ptr);
	return rc;
}

int
cmd_session_export(struct cli_call *call, struct err *e)
{
	struct str path = call_path(call, "/v1/sessions/", args_word(&call->args, 0), "/export");
	const char *file = args_word(&call->args, 1);
	int rc = call_open(call, e);

	if (rc != 0)
		return rc;
	if (file)
		return export_to_file(call, path, file, e);
	fflush(stdout);
	return client_download(call->client, path, STDOUT_FILENO, e);
}

int
cmd_session_import(struct cli_call *call, struct err *e)
{
	const char *file = args_word(&call->args, 0);
	bool is_stdin = str_eq(str_of(file), STR("-"));
	struct json session;
	int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_set(e, ERR_INVALID, "cannot read %s: %s", file, strerror(errno));
	rc = call_open(call, e);
	if (rc == 0)
		rc = client_upload(call->client, STR("/v1/sessions/import"), fd, &call->a, &session,
				   e);
	if (!is_stdin)
		close(fd);
	if (rc == 0)
		record_done(call, session, "id");
	return rc;
}
