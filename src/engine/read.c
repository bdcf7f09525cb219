/* read - one page of the store, narrowed to what the caller may see. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/access.h"
#include "engine/admission.h"
#include "engine/workspace.h"

/* A page whose standing is being asked, or whose rows are being sifted. */
struct page {
	struct engine *en;
	struct engine_caller caller;
	struct store_query query;
	store_row_fn *row;
	store_read_fn *done;
	void *ctx;
	struct host_task task; /* answers without a read */
	int rc;
	struct err err;
	struct arena arena;
	struct map mine;        /* sessions the caller takes part in, of a page of changes */
	struct str_list hidden; /* agents that do not admit the caller */
	struct str last;
	char last_agent[STORE_ID_MAX]; /* of a list that leaves some out: how far it was read */
	bool cut;                      /* … and nobody wants more of it */
};

static void
page_end(struct page *p, int rc, bool more, const struct err *err)
{
	p->done(p->ctx, rc, more, err);
	map_release(&p->mine);
	arena_release(&p->arena);
	free(p);
}

static void
page_end_task(struct host_task *task)
{
	struct page *p = LIST_OWNER(task, struct page, task);

	page_end(p, p->rc, false, &p->err);
}

/* Nothing, or a refusal, but not inside the call that asked. */
static void
page_end_later(struct page *p, int rc)
{
	p->rc = rc;
	list_init(&p->task.node);
	p->task.fn = page_end_task;
	host_defer(p->en->host, &p->task);
}

static bool
pass_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	return p->row(p->ctx, row);
}

static void
pass_done(void *ctx, int rc, bool more, const struct err *err)
{
	page_end(ctx, rc, more, err);
}

static void
on_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
	    bool takes_part)
{
	struct page *p = ctx;

	(void)session, (void)takes_part;
	if (rc != 0)
		page_end(p, rc, false, err);
	else
		store_read(p->en->store, &p->query, pass_row, pass_done, p);
}

/* ---- changes of all sessions, for somebody who sees only some ---- */

static bool
is_hidden(const struct page *p, struct str agent)
{
	for (size_t i = 0; i < p->hidden.len; i++)
		if (str_eq(p->hidden.ptr[i], agent))
			return true;
	return false;
}

/* Of what is not the caller's only the change number is handed on, so that a cursor moves. */
static bool
sift_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;
	struct store_event hidden = { .change = row->event->change };
	struct str session = row->event->session;
	bool own = p->caller.who.kind == TOKEN_CHANNEL ? principal_owns_id(&p->caller.who, session)
						       : map_find(&p->mine, session) != NULL;

	if (own && !is_hidden(p, row->event->agent))
		return p->row(p->ctx, row);
	return p->row(p->ctx, &(struct store_row){ .event = &hidden });
}

static bool
on_participation_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;
	struct str session, user;
	size_t slash = row->record->id.len;

	while (slash > 0 && row->record->id.ptr[slash - 1] != '/')
		slash--;
	if (slash == 0)
		return true;
	p->last = arena_str(&p->arena, row->record->id);
	session = str_slice(p->last, 0, slash - 1);
	user = str_slice(p->last, slash, p->last.len);
	if (str_eq(user, p->caller.who.user_id))
		map_put(&p->mine, session, p);
	return true;
}

static void read_participation(struct page *p);

static void
on_participation(void *ctx, int rc, bool more, const struct err *err)
{
	struct page *p = ctx;

	if (rc != 0)
		page_end(p, rc, false, err);
	else if (more)
		read_participation(p);
	else
		store_read(p->en->store, &p->query, sift_row, pass_done, p);
}

static void
read_participation(struct page *p)
{
	store_read(p->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_PARTICIPANT,
					  .record_owner = p->caller.who.user_id,
					  .record_id = p->last,
					  .limit = STORE_PAGE_ROWS_MAX },
		   on_participation_row, on_participation, p);
}

/* ---- records of a session ---- */

static bool
is_of_session(struct str kind)
{
	return str_eq(kind, RECORD_RESOURCE) || str_eq(kind, RECORD_WAKE) ||
	       str_eq(kind, RECORD_PARTICIPANT) || str_eq(kind, RECORD_SESSION_EXTRA);
}

/* The lane that is in a session now goes with it; all lanes are the operator's to see. */
static bool
is_lane_of_session(const struct store_query *q)
{
	return str_eq(q->record_kind, RECORD_LANE) && q->session.len > 0;
}

/* Whose standing was asked is whose records are shown, whatever else the query names. */
static bool
pass_own_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;
	const struct store_record *r = row->record;
	struct str session = p->query.session;
	bool own;

	if (str_eq(p->query.record_kind, RECORD_RESOURCE) ||
	    str_eq(p->query.record_kind, RECORD_WAKE) || str_eq(p->query.record_kind, RECORD_LANE))
		own = str_eq(r->owner, session);
	else if (str_eq(p->query.record_kind, RECORD_PARTICIPANT))
		own = r->id.len > session.len && str_starts(r->id, session) &&
		      r->id.ptr[session.len] == '/';
	else
		own = str_eq(r->id, session);
	return own ? p->row(p->ctx, row) : true;
}

static void
on_record_standing(void *ctx, int rc, const struct err *err, const struct store_session *session,
		   bool takes_part)
{
	struct page *p = ctx;

	(void)session, (void)takes_part;
	if (rc != 0)
		page_end(p, rc, false, err);
	else
		store_read(p->en->store, &p->query, pass_own_row, pass_done, p);
}

/* ---- work items ---- */

/* Of the environment that was asked for, whichever item the query names. */
static bool
pass_owned_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;

	return str_eq(row->record->owner, p->query.record_owner) ? p->row(p->ctx, row) : true;
}

static void
read_work(struct page *p)
{
	const struct store_query *q = &p->query;
	bool single = q->kind == STORE_GET_RECORD;
	int rc = access_check_work(&p->caller, q->record_owner,
				   single ? q->record_id : (struct str){ 0 }, &p->err);

	if (rc != 0)
		page_end_later(p, rc);
	else
		store_read(p->en->store, q, pass_owned_row, pass_done, p);
}

/* ---- agents ---- */

/* Those that do not admit the caller are passed over. */
static bool
pass_agent_row(void *ctx, const struct store_row *row)
{
	struct page *p = ctx;
	struct str id = row->record->id;

	memcpy(p->last_agent, id.ptr, id.len);
	p->query.record_id = (struct str){ p->last_agent, id.len };
	if (is_hidden(p, id))
		return true;
	p->cut = !p->row(p->ctx, row);
	return !p->cut;
}

static void
on_agents(void *ctx, int rc, bool more, const struct err *err)
{
	struct page *p = ctx;

	/* how many were passed over is nobody's business: such a page is not a short one */
	if (rc == 0 && more && !p->cut)
		store_read(p->en->store, &p->query, pass_agent_row, on_agents, p);
	else
		page_end(p, rc, more, err);
}

/* The agent that a query is about; empty: all of them. */
static struct str
agent_of(const struct store_query *q)
{
	size_t slash = q->record_id.len;

	if (str_eq(q->record_kind, RECORD_AGENT))
		return q->kind == STORE_GET_RECORD ? q->record_id : (struct str){ 0 };
	if (q->kind != STORE_GET_RECORD)
		return q->record_owner;
	while (slash > 0 && q->record_id.ptr[slash - 1] != '/')
		slash--;
	return str_slice(q->record_id, 0, slash > 0 ? slash - 1 : 0);
}

static void
read_agents(struct page *p)
{
	const struct store_query *q = &p->query;
	struct str agent = agent_of(q);
	int rc = 0;

	if (agent.len == 0 && q->kind == STORE_LIST_RECORDS)
		rc = access_check_now(&p->caller, ACCESS_AGENT_READ, &p->err);
	p->hidden = admission_hidden(p->en, &p->caller, &p->arena);
	if (rc != 0)
		page_end_later(p, rc);
	else if (agent.len > 0 && !admission_admits(p->en, &p->caller, agent))
		page_end_later(p, 0); /* as if there were none */
	else if (agent.len == 0 && p->hidden.len > 0 &&
		 str_eq(q->record_kind, RECORD_AGENT_VERSION))
		page_end_later(p, err_set(&p->err, ERR_NOT_FOUND, "there is no such list"));
	else if (agent.len == 0 && p->hidden.len > 0)
		store_read(p->en->store, q, pass_agent_row, on_agents, p);
	else
		store_read(p->en->store, q, pass_row, pass_done, p);
}

/* ---- what is asked of whom ---- */

/* The verb that lets somebody read records of a kind; false: none does. */
static bool
record_verb(struct str kind, enum access_verb *out)
{
	static const struct {
		struct str kind;
		enum access_verb verb;
	} VERBS[] = {
		{ RECORD_ENVIRONMENT, ACCESS_ENVIRONMENT_READ },
		{ RECORD_LANE, ACCESS_SERVER },
		{ RECORD_WORKSPACE, ACCESS_SERVER },
		{ RECORD_USER, ACCESS_USERS },
		{ RECORD_TOKEN, ACCESS_TOKENS },
		{ RECORD_SCHEDULE, ACCESS_SERVER },
		{ RECORD_SCHEDULE_RUN, ACCESS_SERVER },
	};

	for (size_t i = 0; i < ARRAY_LEN(VERBS); i++)
		if (str_eq(VERBS[i].kind, kind)) {
			*out = VERBS[i].verb;
			return true;
		}
	return false;
}

static void
read_records(struct page *p)
{
	enum access_verb verb;
	int rc;

	if (is_of_session(p->query.record_kind) || is_lane_of_session(&p->query)) {
		access_check(p->en, &p->caller, ACCESS_SESSION_READ, p->query.session,
			     on_record_standing, p);
		return;
	}
	if (str_eq(p->query.record_kind, RECORD_WORK)) {
		read_work(p);
		return;
	}
	if (str_eq(p->query.record_kind, RECORD_AGENT) ||
	    str_eq(p->query.record_kind, RECORD_AGENT_VERSION)) {
		read_agents(p);
		return;
	}
	if (!record_verb(p->query.record_kind, &verb)) {
		page_end_later(p, err_set(&p->err, ERR_NOT_FOUND, "there is no such list"));
		return;
	}
	rc = verb == ACCESS_ENVIRONMENT_READ
		     ? access_check_environment(&p->caller, verb, p->query.record_id, &p->err)
		     : access_check_now(&p->caller, verb, &p->err);
	if (rc != 0)
		page_end_later(p, rc);
	else
		store_read(p->en->store, &p->query, pass_row, pass_done, p);
}

/* Narrows a list of sessions; false: nothing can be the caller's. */
static bool
narrow(struct page *p)
{
	struct store_session_filter *f = &p->query.filter;
	const struct principal *who = &p->caller.who;

	if (principal_is_owner(who))
		return true;
	p->hidden = f->without_agents = admission_hidden(p->en, &p->caller, &p->arena);
	if (who->kind == TOKEN_CHANNEL) {
		if (f->id_prefix.len == 0)
			f->id_prefix =
				arena_printf(&p->arena, STR_FMT ":", STR_ARG(who->namespace));
		return who->namespace.len > 0 && principal_owns_id(who, f->id_prefix);
	}
	if (who->user_id.len == 0 ||
	    (f->participant.len > 0 && !str_eq(f->participant, who->user_id)))
		return false;
	f->participant = who->user_id;
	return true;
}

static void
read_list(struct page *p)
{
	struct str workspace = p->query.filter.workspace_id;

	if (workspace.len > 0 && workspaces_check(p->en->workspaces, workspace, &p->err) != 0)
		page_end_later(p, ERR_NOT_FOUND);
	else if (!narrow(p))
		page_end_later(p, 0);
	else if (p->query.kind != STORE_LIST_CHANGES || principal_is_owner(&p->caller.who))
		store_read(p->en->store, &p->query, pass_row, pass_done, p);
	else if (p->caller.who.kind == TOKEN_CHANNEL)
		store_read(p->en->store, &p->query, sift_row, pass_done, p);
	else
		read_participation(p);
}

void
engine_read(struct engine *en, const struct engine_caller *caller, const struct store_query *q,
	    store_row_fn *row, store_read_fn *done, void *ctx)
{
	struct page *p = xcalloc(1, sizeof *p);

	*p = (struct page){
		.en = en, .caller = *caller, .query = *q, .row = row, .done = done, .ctx = ctx
	};
	arena_init(&p->arena);
	map_init(&p->mine, rand_u64(&en->rand));
	switch (q->kind) {
	case STORE_GET_SESSION:
	case STORE_LIST_EVENTS:
	case STORE_LIST_PENDING:
	case STORE_LIST_QUEUE:
	case STORE_LIST_CALLS:
	case STORE_LIST_ITEMS:
		access_check(en, caller, ACCESS_SESSION_READ, q->session, on_standing, p);
		return;
	case STORE_LIST_SESSIONS:
	case STORE_LIST_CHANGES: read_list(p); return;
	case STORE_SEARCH:
		if (q->session.len > 0)
			access_check(en, caller, ACCESS_SESSION_READ, q->session, on_standing, p);
		else
			read_list(p);
		return;
	case STORE_GET_RECORD:
	case STORE_LIST_RECORDS: read_records(p); return;
	case STORE_FIND_KEY: break;
	}
	page_end_later(p, err_set(&p->err, ERR_NOT_FOUND, "there is no such list"));
}
