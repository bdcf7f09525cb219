/* cmd_import - `perdure import --mirror DIR`: sessions from the files that a server wrote beside its
 * database. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/mirror_bundle.h"
#include "cli/record.h"

static int
import_one(struct cli_call *call, struct str folder, struct err *e)
{
	struct json session;
	struct arena a;
	int fd = memfd_create("perdure-import", MFD_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_set(e, ERR_IO, "cannot make room for a bundle: %s", strerror(errno));
	arena_init(&a);
	rc = mirror_bundle_write(folder, fd, &a, e);
	if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
		rc = err_set(e, ERR_IO, "cannot read the bundle: %s", strerror(errno));
	if (rc == 0) {
		rc = client_upload(call->client,
				   &(struct client_upload){ STR("/v1/sessions/import"),
							    STR("application/x-ndjson"), fd },
				   &a, &session, e);
		if (rc != 0)
			rc = err_prefix(e, rc, STR_FMT ": ", STR_ARG(folder));
	}
	if (rc == 0)
		record_done(call, session, "id");
	arena_release(&a);
	close(fd);
	return rc;
}

int
cmd_import(struct cli_call *call, struct err *e)
{
	struct str_list folders;
	int rc = mirror_bundle_find(str_of(args_value(&call->args, "--mirror")), &call->a, &folders,
				    e);

	if (rc == 0)
		rc = call_open(call, e);
	for (size_t i = 0; rc == 0 && i < folders.len; i++)
		rc = import_one(call, folders.ptr[i], e);
	return rc;
}
