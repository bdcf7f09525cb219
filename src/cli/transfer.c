#include "cli/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int
transfer_to_file(struct cli_call *call, struct str path, const char *file, struct err *e)
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
transfer_export(struct cli_call *call, struct str path, const char *file, struct err *e)
{
	int rc = call_open(call, e);

	if (rc != 0)
		return rc;
	if (file)
		return transfer_to_file(call, path, file, e);
	fflush(stdout);
	return client_download(call->client, path, STDOUT_FILENO, e);
}

int
transfer_import(struct cli_call *call, const struct transfer_import *t, struct json *answer,
		struct err *e)
{
	bool is_stdin = str_eq(str_of(t->file), STR("-"));
	int fd = is_stdin ? STDIN_FILENO : open(t->file, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_set(e, ERR_INVALID, "cannot read %s: %s", t->file, strerror(errno));
	rc = call_open(call, e);
	if (rc == 0)
		rc = client_upload(call->client,
				   &(struct client_upload){ t->path, t->content_type, fd },
				   &call->a, answer, e);
	if (!is_stdin)
		close(fd);
	return rc;
}
