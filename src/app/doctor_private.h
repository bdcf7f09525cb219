/* doctor_private - the doctor's single checks. Each adds its findings to the report, changes nothing,
 * and takes a bounded time. */
#pragma once
#include <stdint.h>
#include "app/config.h"
#include "app/doctor_report.h"

/* doctor_machine.c: what is the same whatever the configuration says. */
void doctor_version(struct doctor_report *r);
void doctor_clock(struct doctor_report *r, int64_t now_ms);
/* wanted: descriptors that the configured limits can need; allowed: what this process may open. */
void doctor_descriptors(struct doctor_report *r, int64_t wanted, int64_t allowed);

/* doctor_data.c: folder, disk, lock and schema of a data directory that may not exist yet. Returns the
 * pid of the process that holds it; 0: nobody, -1: unknown. */
int64_t doctor_data(struct doctor_report *r, const char *directory);
/* One filesystem by the magic number of statfs. */
void doctor_filesystem(struct doctor_report *r, const char *path, int64_t magic);

/* doctor_keys.c: is every provider's key there? Keys themselves are never shown. */
void doctor_keys(struct doctor_report *r, const struct config *c);
/* An open file that only its owner should read; what says what it is ("tls.key"). */
void
doctor_private_mode(struct doctor_report *r, const char *check, const char *what, const char *path);

/* doctor_sandbox.c: program is bubblewrap. */
void doctor_sandbox(struct doctor_report *r, const char *program);

/* doctor_tls.c: do certificate and key fit, and for how long? Nothing without tls. */
void doctor_tls(struct doctor_report *r, const struct config *c, int64_t now_ms);

/* doctor_listen.c: is every address free, or held by a server of ours that answers? holder: as
 * doctor_data returned it. */
void doctor_listen(struct doctor_report *r, const struct config *c, int64_t holder);
