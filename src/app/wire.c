#include "app/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "app/certificate.h"
#include "app/clean_marker.h"
#include "app/hook_exec.h"
#include "app/host_loop.h"
#include "app/mcp_tools.h"
#include "app/memory.h"
#include "app/mirror.h"
#include "app/models.h"
#include "app/owner_token.h"
#include "app/policies.h"
#include "app/runtime_files.h"
#include "app/session_folder.h"
#include "app/zones.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "engine/engine.h"
#include "net/http_server.h"
#include "store/sqlite/sqlite.h"
#include "tool/local/local.h"

enum {
	PATH_BYTES = 4096,
	HEALTH_MS = 1000,
	LAST_WORDS_MS = 5000, /* for clients to finish what they send, once the engine is at rest */
};

struct address {
	char text[PATH_BYTES];
};

struct wire {
	struct loop *loop;
	const struct config *config;
	struct wire_events events;
	struct host *host;
	struct loop_wake *stored; /* the store has answers */
	struct loop_timer *pulse; /* is the store still writing? */
	struct loop_timer *last_words;
	struct memory memory;
	struct store *store;
	struct loop_task flush; /* what this turn appended leaves together */
	struct models *models;
	struct policies *policies;
	struct toolset *tools;
	struct mcp_tools *servers;
	struct runtime_files *files;
	struct zones *zones;
	struct hook_exec *hooks;
	struct mirror *mirror; /* NULL: not wanted, or not yet */
	struct engine *engine;
	struct api *api;
	struct http_server *server;
	char owner_token[TOKEN_TEXT_LEN + 1], token_file[PATH_BYTES];
	char data[PATH_BYTES]; /* the directory from the root on: tools see it from elsewhere */
	bool token_is_new, broken, started, draining, hurried, engine_drained, over;
	bool token_again;           /* owner.token was to be read while it started */
	bool was_clean, ends_clean; /* the end of the last process, and of this one */
	enum recover_reason drain_why;
	VEC(struct address) addresses;
};

/* ---- the store ---- */

static void
on_wakeup(void *ctx) /* any thread */
{
	struct wire *w = ctx;

	loop_wake_send(w->stored);
}

static void
on_later(void *ctx)
{
	struct wire *w = ctx;

	loop_defer(w->loop, &w->flush);
}

static void
flush(struct loop_task *task)
{
	struct wire *w = LIST_OWNER(task, struct wire, flush);

	store_flush(w->store);
}

static void
on_grown(void *ctx, struct str session, int64_t head_seq)
{
	struct wire *w = ctx;

	if (w->engine)
		engine_on_grown(w->engine, session, head_seq);
}

static void
on_stored(void *ctx)
{
	struct wire *w = ctx;

	store_dispatch(w->store);
}

static void
break_down(struct wire *w, int rc, const struct err *err)
{
	if (w->broken)
		return;
	w->broken = true;
	w->events.on_broken(w->events.ctx, rc, err);
}

/* A store that stopped writing does not come back: better to end and be started again than to
 * refuse every message. */
static void
on_pulse(void *ctx)
{
	struct wire *w = ctx;
	struct err e;
	int rc = store_health(w->store, &e);

	if (rc != 0) {
		break_down(w, rc, &e);
		return;
	}
	memory_give_back(&w->memory);
	loop_timer_set(w->pulse, HEALTH_MS);
}

static int
make_directory(const char *path, struct err *e)
{
	char part[PATH_BYTES];
	size_t len = strlen(path);

	if (len == 0 || len >= sizeof part)
		return err_set(e, ERR_INVALID, "data: the directory's name is empty or too long");
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			return err_set(e, errno == ENOSPC ? ERR_NO_SPACE : ERR_IO,
				       "cannot make the data directory %s: %s", part,
				       strerror(errno));
	}
	return 0;
}

static int
find_directory(struct wire *w, const char *directory, struct err *e)
{
	char *whole = realpath(directory, NULL);
	int rc = 0;

	if (!whole || snprintf(w->data, sizeof w->data, "%s", whole) >= (int)sizeof w->data)
		rc = err_set(e, ERR_IO, "cannot use the data directory %s: %s", directory,
			     strerror(whole ? ENAMETOOLONG : errno));
	free(whole);
	return rc;
}

/* The token comes after the lock: of two first starts at once only one makes it. */
static int
open_store(struct wire *w, struct err *e)
{
	const char *directory = w->config->data.ptr;
	char incarnation[64];
	int rc = make_directory(directory, e);

	if (rc == 0)
		rc = find_directory(w, directory, e);
	if (rc != 0)
		return rc;
	snprintf(w->token_file, sizeof w->token_file, "%s/owner.token", directory);
	snprintf(incarnation, sizeof incarnation, "%d-%lld", (int)getpid(),
		 (long long)clock_monotonic_ns());
	rc = store_sqlite_open(&w->store,
			       &(struct store_sqlite_config){ .directory = directory,
							      .incarnation = str_of(incarnation) },
			       (struct store_owner){ on_wakeup, on_grown, w, on_later }, e);
	if (rc != 0 && rc != ERR_CONFLICT) /* the lock's sentence is whole */
		return err_prefix(e, rc, "cannot open the data directory %s: ", directory);
	if (rc == 0)
		rc = owner_token_load(directory, w->owner_token, &w->token_is_new, e);
	if (rc == 0)
		rc = clean_marker_take(directory, &w->was_clean, e);
	if (rc == 0 && store_change_head(w->store) == 0)
		w->was_clean = true; /* nothing was ever written: nobody was cut short */
	return rc;
}

/* ---- the surfaces ---- */

/* Its files may have changed although its paths have not. */
static int
use_certificate(struct wire *w, const struct config *config, struct err *e)
{
	struct tls_config *tls = NULL;
	int rc = certificate_load(config, clock_now_ms(), &tls, e);

	if (rc != 0 || !tls)
		return rc;
	http_server_use_tls(w->server, tls);
	tls_config_unref(tls);
	return 0;
}

static int
cannot_listen(const struct config_listen *at, int rc, struct err *e)
{
	char where[PATH_BYTES];

	if (rc != ERR_CONFLICT)
		return err_prefix(e, rc, "cannot listen: ");
	if (at->path.len > 0)
		snprintf(where, sizeof where, "unix:%s", at->path.ptr);
	else
		snprintf(where, sizeof where, strchr(at->host.ptr, ':') ? "[%s]:%d" : "%s:%d",
			 at->host.ptr, at->port);
	return err_set(e, rc,
		       "cannot listen on %s: another program does. Stop it, or choose another "
		       "address with --listen",
		       where);
}

static int
listen_at(struct wire *w, const struct config_listen *at, struct err *e)
{
	bool tls = w->config->tls.certificate.len > 0;
	struct address *shown;
	int port = 0;
	int rc;

	if (at->path.len > 0)
		rc = http_server_listen_unix(w->server, at->path.ptr, e);
	else if (tls)
		rc = http_server_listen_tls(w->server, at->host.ptr, at->port, &port, e);
	else
		rc = http_server_listen_tcp(w->server, at->host.ptr, at->port, &port, e);
	if (rc != 0)
		return cannot_listen(at, rc, e);
	shown = vec_push(&w->addresses);
	if (at->path.len > 0)
		snprintf(shown->text, sizeof shown->text, "unix:%s", at->path.ptr);
	else
		snprintf(shown->text, sizeof shown->text,
			 strchr(at->host.ptr, ':') ? "%s://[%s]:%d" : "%s://%s:%d",
			 tls ? "https" : "http", at->host.ptr, port);
	return 0;
}

static int
open_surfaces(struct wire *w, struct err *e)
{
	struct http_handler handler;
	int rc;

	w->api = api_new(&(struct api_config){
		.loop = w->loop,
		.engine = w->engine,
		.hosts = w->config->hosts,
		.origins = w->config->origins,
		.body_bytes = w->config->limits.body_bytes,
		.version = PERDURE_VERSION,
	});
	handler = api_handler(w->api);
	w->server = http_server_new(w->loop, &handler, &w->config->limits);
	api_set_server(w->api, w->server);
	rc = use_certificate(w, w->config, e);
	for (size_t i = 0; rc == 0 && i < w->config->listen.len; i++)
		rc = listen_at(w, &w->config->listen.ptr[i], e);
	return rc;
}

static int
open_mirror(struct wire *w, struct err *e)
{
	return w->config->mirror ? mirror_new(&w->mirror,
					      &(struct mirror_config){ .loop = w->loop,
								       .store = w->store,
								       .engine = w->engine,
								       .data = str_of(w->data) },
					      e)
				 : 0;
}

static void
on_token_used(void *ctx, int rc, const struct err *err)
{
	(void)ctx;
	if (rc != 0)
		log_write(LOG_ERROR, "serve.owner_token_kept",
			  LOG_STR("reason", str_of(err->text)));
}

void
wire_reload_token(struct wire *w)
{
	char secret[TOKEN_TEXT_LEN + 1];
	struct err e;
	bool made;

	if (!w->started || w->draining) {
		w->token_again = !w->draining; /* what is being loaded is the file as it was */
		return;
	}
	if (owner_token_load(w->config->data.ptr, secret, &made, &e) != 0) {
		log_write(LOG_ERROR, "serve.owner_token_kept", LOG_STR("reason", str_of(e.text)));
		return;
	}
	if (made)
		log_write(LOG_INFO, "serve.owner_token_made",
			  LOG_STR("file", str_of(w->token_file)));
	engine_use_owner_token(w->engine, str_of(secret), on_token_used, w);
	explicit_bzero(secret, sizeof secret);
}

static void
on_started(void *ctx, int rc, const struct err *err)
{
	struct wire *w = ctx;
	struct err e;

	if (rc != 0) {
		break_down(w, rc, err);
		return;
	}
	if (w->draining)
		return;
	rc = open_mirror(w, &e);
	if (rc != 0) {
		break_down(w, rc, &e);
		return;
	}
	w->started = true;
	api_set_ready(w->api, true);
	loop_timer_set(w->pulse, HEALTH_MS);
	w->events.on_ready(w->events.ctx);
	if (w->token_again)
		wire_reload_token(w);
}

/* ---- life ---- */

static int
session_work(void *ctx, struct str agent, struct str session, struct arena *a, struct str *out,
	     struct err *e)
{
	const struct wire *w = ctx;

	return session_folder_make(&(struct session_folder){ .data = str_of(w->data),
							     .agent = agent,
							     .session = session,
							     .part = STR("workspace") },
				   a, out, e);
}

static struct local_bounds
bounds_of(const struct config *config)
{
	return (struct local_bounds){ .processes = (size_t)config->tools.processes,
				      .workspace_bytes = config->tools.workspace_bytes };
}

static void
session_remove(void *ctx, struct str agent, struct str session,
	       void (*done)(void *ctx, int rc, const struct err *err), void *done_ctx)
{
	const struct wire *w = ctx;

	runtime_files_remove(w->files, agent, session, done, done_ctx);
}

/* Calls and hooks run in our own program: by its path, for it is shown to what runs in a sandbox. */
static void
open_helpers(struct wire *w)
{
	char program[PATH_BYTES];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 8);

	snprintf(program + (len > 0 ? len : 0), 8, "%s", len > 0 ? "" : "perdure");
	w->hooks = hook_exec_new(w->loop, w->config, program);
	w->tools = local_tools_new(&(struct local_config){
		.loop = w->loop,
		.host = w->host,
		.program = program,
		.data_directory = w->data,
		.bounds = bounds_of(w->config),
	});
	w->servers = mcp_tools_open(w->host, w->loop, program, w->data);
}

/* All said, or nobody listens any more. */
static void
on_over(void *ctx)
{
	struct wire *w = ctx;

	if (w->over)
		return;
	w->over = true;
	w->events.on_drained(w->events.ctx);
}

static bool
platforms_differ(const struct config *config)
{
	for (size_t i = 0; i < config->platforms.len; i++)
		if (config->platforms.ptr[i].busy != config->queue.busy)
			return true;
	return false;
}

static struct engine_settings
settings_of(const struct config *config)
{
	static const int64_t PICO_PER_MICRO = 1000000, DAY_MS = 24 * 3600 * 1000;

	return (struct engine_settings){
		.default_model = config->model_said ? config->model : (struct str){ 0 },
		.queue_depth = config->queue.depth,
		.quiet_ms = config->queue.quiet_ms,
		.busy = config->queue.busy,
		.busy_by_platform = platforms_differ(config),
		.rules = { config->approvals.rules.ptr, config->approvals.rules.len },
		.approvals = {
			.unattended = config->approvals.unattended_denies ? APPROVAL_DENY
									  : APPROVAL_ALLOW,
			.expire_after_ms = config->approvals.expire_after_s * 1000,
			.expired = config->approvals.expired_denies ? APPROVAL_DENY
								    : APPROVAL_ALLOW,
		},
		.user_budget = config->budgets.user * PICO_PER_MICRO,
		.day_budget = config->budgets.day * PICO_PER_MICRO,
		.group_per_user = config->group_sessions_per_user,
		.thread_per_user = config->thread_sessions_per_user,
		.deleted_ms = config->retention.deleted_days * DAY_MS,
		.lane_max_age_days = config->session_store_max_age_days,
		/* no time at all is the shortest one: 0 would be the usual */
		.fresh_ms = config->agent.gateway_auto_continue_freshness_s * 1000 + 1,
		.turn_timeout_ms = config->agent.gateway_timeout_s * 1000,
		.drain_ms = config->agent.drain_timeout_s * 1000,
	};
}

int
wire_open(struct wire **out, struct loop *loop, const struct config *config,
	  const struct wire_events *events, struct err *e)
{
	struct wire *w = xcalloc(1, sizeof *w);
	int rc;

	w->loop = loop;
	w->config = config;
	w->events = *events;
	w->host = host_loop_new(loop);
	w->stored = loop_wake_new(loop, on_stored, w);
	w->pulse = loop_timer_new(loop, on_pulse, w);
	w->last_words = loop_timer_new(loop, on_over, w);
	loop_task_init(&w->flush, flush);
	umask(077); /* what it writes is its owner's alone, also what SQLite makes */
	rc = open_store(w, e);
	if (rc == 0)
		rc = runtime_files_new(&w->files, loop, str_of(w->data), e);
	if (rc == 0) {
		w->models = models_new(w->host, loop, config);
		w->zones = zones_new();
		w->policies = policies_new(config, zones_port(w->zones));
		open_helpers(w);
		w->engine = engine_new(&(struct engine_config){
			.store = w->store,
			.host = w->host,
			.models = models_lookup(w->models),
			.tools = w->tools,
			.servers = mcp_tools_set(w->servers),
			.folders = { session_work, w, session_remove },
			.files = runtime_files_port(w->files),
			.policies = policies_port(w->policies),
			.zones = zones_port(w->zones),
			.hooks = hook_exec_port(w->hooks),
			.process = { events->may_restart, events->on_restart, events->ctx },
			.owner_token = str_of(w->owner_token),
			.settings = settings_of(config),
			.clean = w->was_clean,
		});
		rc = open_surfaces(w, e);
	}
	if (rc != 0) {
		wire_close(&w);
		return rc;
	}
	engine_start(w->engine, on_started, w);
	*out = w;
	return 0;
}

void
wire_print_addresses(const struct wire *w)
{
	for (size_t i = 0; i < w->addresses.len; i++)
		printf("  %s\n", w->addresses.ptr[i].text);
}

const char *
wire_new_token_file(const struct wire *w)
{
	return w->token_is_new ? w->token_file : NULL;
}

int
wire_reload(struct wire *w, const struct config *config, struct err *e)
{
	struct engine_settings settings;
	struct local_bounds bounds = bounds_of(config);
	int rc = use_certificate(w, config, e);

	if (rc != 0)
		return rc;
	w->config = config;
	api_set_lists(w->api, config->hosts, config->origins);
	models_reload(w->models, config);
	policies_reload(w->policies, config);
	hook_exec_reload(w->hooks, config);
	local_tools_reload(w->tools, &bounds);
	settings = settings_of(config);
	engine_reload(w->engine, &settings);
	return 0;
}

/* Readers see the last turn end before their streams do. */
static void
on_engine_drained(void *ctx)
{
	struct wire *w = ctx;

	w->engine_drained = true;
	/* whoever never came to run anything leaves things as they were */
	w->ends_clean =
		(w->started || w->was_clean) && !w->broken && engine_stats(w->engine).put_off == 0;
	if (w->hurried) {
		on_over(w);
		return;
	}
	loop_timer_set(w->last_words, LAST_WORDS_MS);
	http_server_drain(w->server, on_over, w);
}

void
wire_hurry(struct wire *w)
{
	w->hurried = true;
	if (w->engine_drained)
		on_over(w);
	else
		engine_drain(w->engine, 0, w->drain_why, on_engine_drained, w);
}

void
wire_drain(struct wire *w, enum recover_reason why)
{
	w->draining = true;
	w->drain_why = why;
	api_set_ready(w->api, false);
	if (!w->engine_drained)
		engine_drain(w->engine, w->config->agent.drain_timeout_s * 1000, why,
			     on_engine_drained, w);
}

/* While the directory is still ours. */
static void
leave_marker(struct wire *w)
{
	struct err e;

	if (w->store && w->ends_clean && clean_marker_leave(w->data, &e) != 0)
		log_write(LOG_WARN, "serve.no_clean_marker", LOG_STR("reason", str_of(e.text)));
}

void
wire_close(struct wire **wire)
{
	struct wire *w = *wire;

	if (!w)
		return;
	loop_timer_free(&w->pulse); /* what follows still turns the loop, without a store */
	loop_timer_free(&w->last_words);
	http_server_free(&w->server);
	if (w->loop)
		loop_settle(w->loop);
	mirror_free(&w->mirror);
	leave_marker(w);
	hook_exec_stop(w->hooks); /* whoever waits for one goes on without */
	store_free(&w->store);    /* its last answers still go to the engine */
	loop_task_cancel(&w->flush);
	loop_wake_free(&w->stored); /* nothing is heard of it any more */
	engine_free(&w->engine);
	hook_exec_free(&w->hooks);
	runtime_files_free(&w->files);
	api_free(&w->api);
	models_free(&w->models);
	policies_free(&w->policies);
	zones_free(&w->zones);
	mcp_tools_close(&w->servers);
	if (w->tools)
		w->tools->ops->free(w->tools);
	if (w->loop)
		loop_settle(
			w->loop); /* connections to providers and MCP servers, helpers of tools */
	host_loop_free(&w->host);
	vec_release(&w->addresses);
	free(w);
	*wire = NULL;
}
