#include "tool/mcp/server.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "tool/mcp/launch.h"
#include "tool/mcp/listing.h"
#include "tool/mcp/negotiation.h"
#include "tool/mcp/stdio.h"

enum {
	BACKOFF_MS = 1000,
	BACKOFF_MS_MAX = 60 * 1000,
	RELIST_MS = 30 * 1000, /* after tools could not be listed again */
};

enum state { CLOSED, AGREEING, LISTING, READY };

struct server {
	struct server_owner *owner;
	struct host *host;
	struct arena arena; /* the declaration */
	struct tool_server declared;
	struct tool_place place;
	enum state state;
	struct str wanted_by; /* the first session that did */
	bool shared;          /* others did too */
	struct rpc *rpc;      /* NULL: closed */
	struct negotiation *negotiation;
	struct rpc_request *subscription;
	struct listing *listing;
	struct arena peer_arena;
	struct mcp_peer peer;
	bool tells_changes, hears; /* of its tools */
	struct catalog catalog;
	bool listed;            /* catalog is of this connection */
	bool stale;             /* and not as it is now */
	int64_t relist_at_ms;   /* not before, even so */
	int64_t fresh_until_ms; /* INT64_MAX: until it says so */
	struct list waiters;
	struct list holds;
	size_t users;
	struct host_task settle;    /* waiters can be told */
	struct host_timer *timer;   /* connecting: to give up; ready: idle */
	struct mcp_failure failure; /* the last one */
	unsigned failures;          /* in a row */
	int64_t retry_at_ms;
};

/* ---- words ---- */

void
server_explain(const struct server *s, const struct mcp_failure *failure, struct err *out)
{
	*out = failure->err;
	IGNORE(err_prefix(out, out->code, "MCP server " STR_FMT ": ",
			  STR_ARG(s->declared.name))); /* the code is in out */
}

/* ---- those who wait ---- */

static void
tell(struct server *s, const struct mcp_failure *failure)
{
	struct list now;

	if (list_is_empty(&s->waiters))
		return;
	now = s->waiters; /* the whole ring moves: who comes now waits for the next time */
	now.next->prev = &now;
	now.prev->next = &now;
	list_init(&s->waiters);
	while (!list_is_empty(&now)) {
		struct server_waiter *w = LIST_OWNER(now.next, struct server_waiter, node);

		list_remove(&w->node);
		w->fn(w, failure);
	}
}

static void
rest(struct server *s)
{
	if (s->state == READY && list_is_empty(&s->holds) && list_is_empty(&s->waiters))
		s->host->ops->timer_set(s->timer, s->owner->config->idle_ms);
}

/* ---- the end of a connection ---- */

static void
forget(struct server *s)
{
	s->host->ops->timer_set(s->timer, -1);
	s->state = CLOSED;
	s->listed = s->hears = false;
	s->relist_at_ms = 0;
	s->peer = (struct mcp_peer){ .pid = -1 };
	arena_reset(&s->peer_arena);
}

/* Nobody asks anything on it: the requests of a connection that ended were told. */
static void
drop(struct server *s)
{
	negotiation_free(&s->negotiation);
	listing_free(&s->listing);
	s->subscription = NULL;
	rpc_close(&s->rpc, &s->owner->closing);
	forget(s);
}

/* The peer does not know the session any more. What is carried out in it still has its connection, and
 * is judged by its own answer; whoever comes now gets another session. */
static void
leave_session(struct server *s)
{
	listing_free(&s->listing);
	rpc_cancel(&s->subscription, "the session is over");
	rpc_retire(&s->rpc, &s->owner->closing);
	forget(s);
	host_defer(s->host, &s->settle);
}

/* While connecting: it is not tried again at once, and later each time. */
static void
give_up(struct server *s, const struct mcp_failure *failure)
{
	int64_t wait_ms = BACKOFF_MS;

	s->failure = *failure;
	for (unsigned i = 0; i < s->failures && wait_ms < BACKOFF_MS_MAX; i++)
		wait_ms *= 2;
	if (wait_ms > BACKOFF_MS_MAX)
		wait_ms = BACKOFF_MS_MAX;
	s->failures++;
	s->retry_at_ms = host_now_ms(s->host) + wait_ms;
	drop(s);
	host_defer(s->host, &s->settle);
}

/* Those who wait get the tools as they were. */
static void
go_on_with_known_tools(struct server *s)
{
	listing_free(&s->listing);
	s->stale = true;
	s->relist_at_ms = host_now_ms(s->host) + RELIST_MS;
	s->state = READY;
	s->host->ops->timer_set(s->timer, -1);
	host_defer(s->host, &s->settle);
}

/* Once its tools are known, nothing that a listing learns is worth more than the calls that are on
 * their way: each of them is judged by its own answer. */
static void
fail(struct server *s, const struct mcp_failure *failure)
{
	bool in_use = !list_is_empty(&s->holds);

	if (!s->listed || (failure->kind == MCP_FAIL_AUTH && !in_use)) {
		give_up(s, failure);
	} else if (failure->kind == MCP_FAIL_SESSION) {
		leave_session(s);
	} else if (failure->kind == MCP_FAIL_GONE && !in_use) {
		drop(s); /* it may only have been restarted */
		host_defer(s->host, &s->settle);
	} else {
		go_on_with_known_tools(s);
	}
}

static void
on_closed(void *ctx, const struct mcp_failure *failure)
{
	struct server *s = ctx;

	if (s->state != READY) {
		give_up(s, failure);
		return;
	}
	drop(s); /* the next one who wants it connects again */
	host_defer(s->host, &s->settle);
}

static void
on_timer(void *ctx)
{
	struct server *s = ctx;
	struct mcp_failure late = { .kind = MCP_FAIL_TIMEOUT };

	if (s->state == READY) {
		drop(s); /* idle */
		return;
	}
	err_set(&late.err, ERR_TIMEOUT, "it did not get ready within %lld ms",
		(long long)s->owner->config->connect_ms);
	fail(s, &late);
}

/* ---- its tools ---- */

static void
on_listed(void *ctx, const struct listing_result *result, const struct mcp_failure *failure)
{
	struct server *s = ctx;

	s->listing = NULL;
	if (failure) {
		fail(s, failure);
		return;
	}
	/* However soon the peer says that its list is old: it is what they waited for. */
	list_for_each (at, &s->waiters)
		LIST_OWNER(at, struct server_waiter, node)->fresh = false;
	catalog_release(&s->catalog);
	s->catalog = result->catalog;
	s->listed = true;
	s->fresh_until_ms = result->ttl_ms < 0 ? INT64_MAX : host_now_ms(s->host) + result->ttl_ms;
	s->state = READY;
	s->failures = 0;
	s->host->ops->timer_set(s->timer, -1);
	host_defer(s->host, &s->settle);
}

static void
list_tools(struct server *s)
{
	s->state = LISTING;
	s->stale = false; /* what changes from now on may be missing in the list */
	s->host->ops->timer_set(s->timer, s->owner->config->connect_ms);
	s->listing = listing_new(
		&(struct listing_terms){ s->rpc, s->declared.name, s->declared.url.len > 0 },
		on_listed, s);
}

/* ---- what it tells by itself ---- */

bool
server_accepts_defaults(const struct server *s)
{
	return s->owner->identity.accepts_defaults;
}

/* The tools may have changed since. Who wants them next asks, and listens again. */
static void
on_deaf(void *ctx)
{
	struct server *s = ctx;

	s->hears = false;
	s->stale = true;
}

static void
on_subscription_over(void *ctx, const struct rpc_answer *answer)
{
	struct server *s = ctx;

	(void)answer;
	s->subscription = NULL;
	on_deaf(s);
}

static void
hear_of_changes(struct server *s)
{
	struct rpc_ask ask = { .method = STR("subscriptions/listen"),
			       .params = STR("{\"notifications\":{\"toolsListChanged\":true}}") };

	if (s->hears)
		return;
	if (!rpc_mode(s->rpc)->stateless && (s->tells_changes || server_accepts_defaults(s)))
		rpc_listen(s->rpc);
	else if (rpc_mode(s->rpc)->stateless && s->tells_changes)
		s->subscription = rpc_ask(s->rpc, &ask, on_subscription_over, s);
	s->hears = true;
}

static void
on_notification(void *ctx, struct str method, struct json params)
{
	struct server *s = ctx;

	(void)params;
	if (str_eq(method, STR("notifications/tools/list_changed")))
		s->stale = true;
}

/* ---- connecting ---- */

static void
on_agreed(void *ctx, const struct agreement *agreement, const struct mcp_failure *failure)
{
	struct server *s = ctx;

	s->negotiation = NULL;
	if (failure) {
		give_up(s, failure);
		return;
	}
	s->peer.protocol = agreement->mode.version;
	s->peer.name = arena_str(&s->peer_arena, agreement->name);
	s->peer.version = arena_str(&s->peer_arena, agreement->version);
	s->tells_changes = agreement->tells_changes;
	hear_of_changes(s);
	list_tools(s);
}

static void
connect_to(struct server *s)
{
	static const struct rpc_events EVENTS = { on_notification, on_closed, on_deaf };
	const struct mcp_config *config = s->owner->config;
	struct mcp_failure failure = { .kind = MCP_FAIL_LOCAL };
	struct transport *transport;

	if (launch_transport(config, &s->declared, &s->place, &transport, &failure.err) != 0) {
		give_up(s, &failure);
		return;
	}
	s->state = AGREEING;
	s->peer.pid = s->declared.url.len == 0 ? stdio_pid(transport) : -1;
	s->rpc = rpc_new(s->host, transport, &s->owner->identity, &EVENTS, s);
	s->host->ops->timer_set(s->timer, config->connect_ms);
	s->negotiation =
		negotiation_new(&(struct negotiation_terms){ s->host, s->rpc, &s->owner->identity,
							     config->protocol },
				on_agreed, s);
}

static bool
is_fresh(const struct server *s)
{
	int64_t now_ms = host_now_ms(s->host);

	return (!s->stale && now_ms < s->fresh_until_ms) || now_ms < s->relist_at_ms;
}

static bool
wants_fresh(const struct server *s)
{
	list_for_each (at, &s->waiters)
		if (LIST_OWNER(at, struct server_waiter, node)->fresh)
			return true;
	return false;
}

/* The waiters can go on, or something has to be done for them first. */
static void
on_settle(struct host_task *task)
{
	struct server *s = LIST_OWNER(task, struct server, settle);

	if (list_is_empty(&s->waiters)) {
		rest(s);
		return;
	}
	switch (s->state) {
	case CLOSED:
		if (s->failures > 0 && host_now_ms(s->host) < s->retry_at_ms)
			tell(s, &s->failure);
		else
			connect_to(s);
		break;
	case AGREEING:
	case LISTING: break;
	case READY:
		if (wants_fresh(s) && !is_fresh(s)) {
			hear_of_changes(s);
			list_tools(s);
			break;
		}
		tell(s, NULL);
		rest(s);
		break;
	}
}

/* ---- for others ---- */

void
server_await(struct server *s, struct server_waiter *w)
{
	list_append(&s->waiters, &w->node);
	if (s->state == READY)
		s->host->ops->timer_set(s->timer, -1);
	host_defer(s->host, &s->settle);
}

struct str
server_name(const struct server *s)
{
	return s->declared.name;
}

void
server_use(struct server *s)
{
	s->users++;
}

void
server_leave(struct server *s)
{
	s->users--;
}

bool
server_is_unused(const struct server *s)
{
	return s->state == CLOSED && s->users == 0;
}

const struct catalog *
server_catalog(const struct server *s)
{
	return &s->catalog;
}

struct rpc *
server_rpc(const struct server *s)
{
	return s->rpc;
}

void
server_describe(const struct server *s, struct mcp_peer *out)
{
	*out = s->peer;
}

void
server_hold(struct server *s, struct list *hold)
{
	list_append(&s->holds, hold);
	if (s->state == READY)
		s->host->ops->timer_set(s->timer, -1);
}

void
server_release(struct server *s, struct list *hold)
{
	list_remove(hold);
	rest(s);
}

void
server_session_over(struct server *s, const struct rpc *rpc)
{
	if (s->rpc == rpc)
		leave_session(s);
}

void
server_tools_changed(struct server *s)
{
	s->stale = true;
	s->relist_at_ms = 0; /* the call would fail again without */
}

/* ---- life ---- */

static bool
same_place(const struct tool_place *a, const struct tool_place *b)
{
	return str_eq(a->directory, b->directory) && a->sandboxed == b->sandboxed &&
	       a->access == b->access && a->network == b->network;
}

bool
server_is(const struct server *s, const struct tool_server *declared,
	  const struct tool_place *place)
{
	const struct tool_server *own = &s->declared;

	if (!str_eq(own->name, declared->name) || !str_eq(own->url, declared->url) ||
	    own->foreign != declared->foreign)
		return false;
	if (own->url.len > 0)
		return true; /* it does not matter from where it is asked */
	if (!str_eq(own->command, declared->command) ||
	    own->argument_count != declared->argument_count)
		return false;
	for (size_t i = 0; i < own->argument_count; i++)
		if (!str_eq(own->arguments[i], declared->arguments[i]))
			return false;
	return same_place(&s->place, place);
}

static void
copy_declaration(struct server *s, const struct tool_server *declared,
		 const struct tool_place *place)
{
	struct str *arguments = ARENA_ARRAY(&s->arena, declared->argument_count, struct str);

	for (size_t i = 0; i < declared->argument_count; i++)
		arguments[i] = arena_str(&s->arena, declared->arguments[i]);
	s->declared = (struct tool_server){ arena_str(&s->arena, declared->name),
					    arena_str(&s->arena, declared->url),
					    arena_str(&s->arena, declared->command),
					    arguments,
					    declared->argument_count,
					    declared->foreign };
	s->place = *place;
	s->place.session = STR(""); /* it is nobody's alone */
	s->place.directory = arena_str(&s->arena, place->directory);
	s->wanted_by = arena_str(&s->arena, place->session);
}

void
server_wanted_by(struct server *s, struct str session)
{
	s->shared = s->shared || !str_eq(s->wanted_by, session);
}

/* Over HTTP it does not matter from where it is asked: whoever comes next is served as well. */
void
server_end_session(struct server *s, struct str session)
{
	if (s->declared.url.len == 0 && !s->shared && str_eq(s->wanted_by, session) &&
	    s->state == READY && s->users == 0 && list_is_empty(&s->holds) &&
	    list_is_empty(&s->waiters))
		drop(s);
}

struct server *
server_new(struct server_owner *owner, const struct tool_server *declared,
	   const struct tool_place *place)
{
	struct server *s = xcalloc(1, sizeof *s);

	s->owner = owner;
	s->host = owner->config->host;
	arena_init(&s->arena);
	arena_init(&s->peer_arena);
	copy_declaration(s, declared, place);
	s->peer.pid = -1;
	list_init(&s->waiters);
	list_init(&s->holds);
	s->settle.fn = on_settle;
	list_init(&s->settle.node);
	s->timer = s->host->ops->timer_new(s->host, on_timer, s);
	return s;
}

void
server_free(struct server **server)
{
	struct server *s = TAKE(*server);

	if (!s)
		return;
	while (!list_is_empty(&s->waiters))
		list_remove(s->waiters.next);
	while (!list_is_empty(&s->holds))
		list_remove(s->holds.next);
	drop(s);
	catalog_release(&s->catalog);
	list_remove(&s->settle.node);
	s->host->ops->timer_free(s->timer);
	arena_release(&s->arena);
	arena_release(&s->peer_arena);
	free(s);
}
