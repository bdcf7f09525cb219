#include "app/serve.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/config.h"
#include "app/config_folder.h"
#include "app/log_file.h"
#include "app/memory.h"
#include "app/reexec.h"
#include "app/wire.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/loop.h"

enum { OVERRIDES_MAX = 16 };

static const char HELP[] =
	"usage: perdure serve [--config FILE] [--data DIR] [--listen ADDR:PORT]...\n\n"
	"Runs the server. Without a configuration it listens on 127.0.0.1:7340 and keeps its data\n"
	"in the state folder ($XDG_STATE_HOME/perdure, else ~/.local/state/perdure). The first\n"
	"start writes the owner's token to DIR/owner.token; `perdure chat` finds it by itself.\n\n"
	"  --config FILE       what `perdure config show` shows\n"
	"  --data DIR          the data directory instead of the configured one\n"
	"  --listen ADDR:PORT  instead of the configured ones; also [::1]:7340, unix:/path\n\n"
	"SIGTERM and SIGINT: no new work, running turns end, then it stops; a second one stops at\n"
	"once. SIGHUP: reads the configuration and owner.token again, and opens log.file anew.\n"
	"`perdure restart` lets running turns end, then begins anew in the same process; those "
	"that\n"
	"take longer go on afterwards.\n"
	"Exit codes: 0 stopped as asked, 1 refused, 2 usage or configuration, 3 the machine "
	"failed.\n";

struct serve {
	struct loop *loop;
	struct wire *wire;
	struct config *config, *next; /* next: read again, in force when nobody uses config */
	const char *config_file;
	struct config_override overrides[OVERRIDES_MAX];
	size_t override_count;
	struct loop_signal *term, *interrupt, *hangup;
	struct log_file log;
	struct reexec self;
	int stops;     /* how often it was told to stop */
	bool restarts; /* when it has drained it begins anew */
	bool over;     /* nothing is served any more */
	int rc;
	struct err err;
};

/* systemd's readiness protocol: one datagram to the socket it names. */
static void
notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len == 0 || len >= sizeof to.sun_path)
		return;
	memcpy(to.sun_path, path, len);
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* nobody to tell is nothing to fail for */
	IGNORE(sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)));
	close(fd);
}

/* ---- what happens ---- */

static void
on_ready(void *ctx)
{
	struct serve *s = ctx;
	const char *token = wire_new_token_file(s->wire);

	printf("perdure %s is ready:\n", PERDURE_VERSION);
	wire_print_addresses(s->wire);
	if (token)
		printf("The owner's token is in %s (only you can read it).\n", token);
	/* as it was called: after `make run` there is no perdure in PATH */
	printf("Talk to it: %s chat\n", program_invocation_name);
	fflush(stdout);
	notify("READY=1");
}

static void
notify_reloading(void)
{
	char state[64];

	snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%lld",
		 (long long)(clock_monotonic_ns() / 1000));
	notify(state);
}

static void
on_broken(void *ctx, int rc, const struct err *err)
{
	struct serve *s = ctx;

	s->rc = rc;
	s->err = *err;
	s->restarts = false;
	loop_stop(s->loop);
}

static void
on_drained(void *ctx)
{
	struct serve *s = ctx;

	loop_stop(s->loop);
}

static void
on_stop(void *ctx)
{
	struct serve *s = ctx;

	s->restarts = false; /* a stop is a stop, also in the middle of a restart */
	if (s->over)
		return;
	switch (s->stops++) {
	case 0:
		notify("STOPPING=1");
		log_write(LOG_INFO, "serve.stopping");
		wire_drain(s->wire, RECOVER_SHUTDOWN_TIMEOUT);
		break;
	case 1: /* what is open is continued by the next start */
		log_write(LOG_INFO, "serve.stopping_at_once");
		wire_hurry(s->wire);
		break;
	default: loop_stop(s->loop);
	}
}

static int
load_config(struct serve *s, struct config **out, struct err *e)
{
	struct config_problems problems;
	struct config_source from = { .file = s->config_file,
				      .overrides = s->overrides,
				      .override_count = s->override_count };

	return config_load_with(&from, out, &problems, e);
}

/* What would keep the next start from coming up is found while this one still serves. */
static int
may_restart(void *ctx, struct err *e)
{
	struct serve *s = ctx;
	struct config *now = NULL;

	if (reexec_check(&s->self, e) != 0)
		return ERR_CONFLICT;
	if (load_config(s, &now, e) != 0)
		return err_prefix(e, ERR_CONFLICT, "not restarted, for it would not come up: ");
	config_free(&now);
	return 0;
}

/* To a service manager it stays the same service, which reloads. */
static void
on_restart(void *ctx)
{
	struct serve *s = ctx;

	if (s->restarts || s->stops > 0)
		return;
	s->restarts = true;
	notify_reloading();
	log_write(LOG_INFO, "serve.restarting");
	wire_drain(s->wire, RECOVER_RESTART_TIMEOUT);
}

/* Whatever becomes of the rest: who rotated the file waits for the old one to be left alone. */
static void
reopen_log(struct serve *s)
{
	struct err e;

	if (log_file_use(&s->log, s->config, &e) != 0)
		log_write(LOG_ERROR, "log.kept", LOG_STR("reason", str_of(e.text)));
}

/* The log first, which can be taken back; from the certificate on nothing fails. */
static int
take_over(struct serve *s, struct config *now, struct err *e)
{
	int rc = log_file_use(&s->log, now, e);

	if (rc == 0 && (rc = wire_reload(s->wire, now, e)) != 0)
		reopen_log(s);
	if (rc != 0)
		return rc;
	config_free(&s->next); /* the one before the one now in force */
	s->next = s->config;
	s->config = now;
	return 0;
}

/* A configuration that cannot be taken over whole is not taken over at all. */
static int
reload(struct serve *s, struct config_changes *changes, struct arena *a, struct err *e)
{
	struct config *now = NULL;
	int rc = load_config(s, &now, e);

	if (rc == 0 && !config_reloadable(s->config, now, a, changes)) {
		for (size_t i = 0; i < changes->len; i++)
			if (changes->ptr[i].needs_restart)
				log_write(LOG_WARN, "serve.reload_needs_restart",
					  LOG_STR("key", changes->ptr[i].path));
		rc = err_set(e, ERR_CONFLICT, "some changes need a restart; see `perdure restart`");
	}
	if (rc == 0)
		rc = take_over(s, now, e);
	if (rc != 0)
		config_free(&now);
	return rc;
}

static void
on_reload(void *ctx)
{
	struct serve *s = ctx;
	struct config_changes changes;
	struct arena a;
	struct err e;

	if (s->over)
		return;
	notify_reloading();
	arena_init(&a);
	reopen_log(s);
	wire_reload_token(s->wire);
	if (reload(s, &changes, &a, &e) == 0)
		log_write(LOG_INFO, "serve.reloaded", LOG_INT("changes", (int64_t)changes.len));
	else
		log_write(LOG_ERROR, "serve.reload_refused", LOG_STR("reason", str_of(e.text)));
	arena_release(&a);
	notify("READY=1");
}

/* ---- the command ---- */

static int
take_option(struct serve *s, const char *name, const char *value, struct err *e)
{
	static const struct {
		const char *option, *key;
	} KEYS[] = { { "--data", "data" }, { "--listen", "listen" } };
	const char *key = strcmp(name, "--config") == 0 ? name : NULL;

	for (size_t i = 0; i < ARRAY_LEN(KEYS); i++)
		if (strcmp(name, KEYS[i].option) == 0)
			key = KEYS[i].key;
	if (!key)
		return err_set(e, ERR_USAGE, "serve has no option %s; see perdure serve --help",
			       name);
	if (!value)
		return err_set(e, ERR_USAGE, "%s needs a value", name);
	if (key == name) {
		s->config_file = value;
		return 0;
	}
	if (s->override_count == OVERRIDES_MAX)
		return err_set(e, ERR_USAGE, "at most %d addresses can be given", OVERRIDES_MAX);
	s->overrides[s->override_count++] = (struct config_override){ key, value };
	return 0;
}

static void
stop_listening(struct serve *s)
{
	loop_signal_free(&s->term);
	loop_signal_free(&s->interrupt);
	loop_signal_free(&s->hangup);
}

/* Up to here a signal was heard by the loop, which clears s->restarts; from here on it ends the process. What
 * came in between is looked at. A hangup asks for what happens anyway: it is ignored until the next
 * start hears it. */
static void
stop_listening_to_restart(struct serve *s)
{
	sigset_t stops, before;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGINT);
	pthread_sigmask(SIG_BLOCK, &stops, &before);
	loop_settle(s->loop);
	stop_listening(s);
	sigaction(SIGHUP, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int
run(struct serve *s, struct err *e)
{
	const struct wire_events events = { .on_ready = on_ready,
					    .on_broken = on_broken,
					    .on_drained = on_drained,
					    .may_restart = may_restart,
					    .on_restart = on_restart,
					    .ctx = s };
	int rc;

	s->loop = loop_new();
	rc = wire_open(&s->wire, s->loop, s->config, &events, e);
	if (rc == 0) {
		s->term = loop_signal_new(s->loop, SIGTERM, on_stop, s);
		s->interrupt = loop_signal_new(s->loop, SIGINT, on_stop, s);
		s->hangup = loop_signal_new(s->loop, SIGHUP, on_reload, s);
		loop_run(s->loop);
		rc = s->rc;
		if (rc != 0)
			*e = s->err;
	}
	s->over = true;
	if (!s->restarts)
		stop_listening(s);
	wire_close(&s->wire);
	if (s->restarts)
		stop_listening_to_restart(s);
	stop_listening(s); /* a stop that came while it closed */
	loop_free(&s->loop);
	return rc;
}

int
serve_run(int argc, char **argv, struct err *e)
{
	struct serve s = { 0 };
	struct arena a;
	int rc = 0;

	for (int i = 1; rc == 0 && i < argc; i += 2) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			fputs(HELP, stdout);
			return 0;
		}
		rc = take_option(&s, argv[i], argv[i + 1], e);
	}
	if (rc != 0)
		return rc;
	memory_init();
	reexec_init(&s.self, program_invocation_name);
	arena_init(&a);
	s.config_file = config_folder_find_file(s.config_file, &a);
	rc = load_config(&s, &s.config, e);
	log_file_init(&s.log);
	if (rc == 0)
		rc = log_file_use(&s.log, s.config, e);
	if (rc == 0)
		rc = run(&s, e);
	log_file_release(&s.log);
	config_free(&s.next);
	config_free(&s.config);
	arena_release(&a);
	if (rc == 0 && s.restarts)
		rc = reexec_go(&s.self, argv, e);
	return rc;
}
