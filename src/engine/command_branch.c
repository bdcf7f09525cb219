/* command_branch - /branch: a session that goes on from an event of another one's log. Nothing is
 * copied: session.forked names the log and the seq, and the store reads through it. */
#include "core/event_make.h"
#include "engine/access.h"
#include "engine/command_title.h"
#include "engine/session_birth.h"

struct branching {
	struct str id;
	int64_t at_seq;
	struct str extra; /* the parent's session_extra; empty: none */
};

/* Ids of channels and terminals keep what they begin with: their tokens know them by that. */
static struct str
make_id(struct command *c)
{
	return session_birth_id(c->en, &c->arena, session_id_namespace(c->session));
}

static void
append_beginning(struct command *c, struct commit *commit, int64_t at_seq, struct str title)
{
	const struct store_session *p = &c->row;
	struct buf payload;

	session_birth_append(commit,
			     &(struct make_created){
				     .agent_id = p->agent_id,
				     .agent_version = p->agent_version,
				     .environment_id = p->environment_id,
				     .source = p->source,
				     .group = p->group,
				     .workspace_id = p->workspace_id,
				     .parent_session_id = c->session,
				     .title = title,
				     .metadata = p->metadata,
			     },
			     NULL);
	buf_init(&payload, STORE_INLINE_MAX);
	event_make_forked(&payload, c->session, at_seq);
	commit_append_made(commit, EVENT_SESSION_FORKED, STR(""), &payload);
}

static void
put_records(struct command *c, struct commit *commit, const struct branching *b)
{
	session_birth_join(commit, b->id, c->caller.who.user_id, ACCESS_PARTICIPANT);
	if (b->extra.len > 0)
		commit_put(commit, &(struct store_put){ .record = { .kind = RECORD_SESSION_EXTRA,
								    .id = b->id,
								    .owner = b->id,
								    .body = b->extra },
							.if_version = STORE_VERSION_ABSENT });
}

static void
branch_off(struct command *c, const struct title_search *found)
{
	struct branching *b = c->state;
	struct str title = { 0 };
	struct commit *commit;
	struct jw w;

	b->id = make_id(c);
	if (found)
		title = title_lineage_next(&found->lineage, &c->arena);
	commit = commit_new(c->en, b->id);
	commit_require(commit)->absent = true;
	append_beginning(c, commit, b->at_seq, title);
	put_records(c, commit, b);
	if (found)
		command_title_put(commit, found, b->id);
	buf_clear(&c->data);
	jw_init(&w, &c->data);
	jw_object(&w);
	jw_field_str(&w, "session_id", b->id);
	jw_field_str(&w, "parent_session_id", c->session);
	jw_field_int(&w, "at_seq", b->at_seq);
	if (title.len > 0)
		jw_field_str(&w, "title", title);
	else
		jw_field_null(&w, "title");
	jw_end_object(&w);
	command_submit(c, commit,
		       arena_printf(&c->arena, "branched at seq %lld: " STR_FMT,
				    (long long)b->at_seq, STR_ARG(b->id)));
}

static void
on_title(struct command *c, int rc, const struct err *err, const struct title_search *found)
{
	if (rc != 0)
		command_fail(c, rc, err);
	else
		branch_off(c, found);
}

static void
name_it(struct command *c)
{
	if (c->row.row.title.len > 0)
		command_title_search(c, c->row.row.title, true, on_title);
	else
		branch_off(c, NULL);
}

static bool
on_extra_row(void *ctx, const struct store_row *row)
{
	struct command *c = ctx;
	struct branching *b = c->state;

	b->extra = arena_str(&c->arena, row->record->body);
	return false;
}

static void
on_extra(void *ctx, int rc, bool more, const struct err *err)
{
	struct command *c = ctx;

	(void)more;
	if (rc != 0) {
		command_fail(c, rc, err);
		return;
	}
	c->again = name_it; /* another one of that name was made meanwhile */
	name_it(c);
}

void
command_branch_off(struct command *c)
{
	struct branching *b = ARENA_NEW(&c->arena, struct branching);
	int64_t head = c->row.row.head_seq;
	struct err e;

	b->at_seq = c->line.count > 0 ? c->line.count : head;
	c->state = b;
	if (b->at_seq > head) {
		command_fail(c,
			     err_set(&e, ERR_INVALID, "/branch: the log ends at seq %lld",
				     (long long)head),
			     &e);
		return;
	}
	store_read(c->en->store,
		   &(struct store_query){ .kind = STORE_GET_RECORD,
					  .record_kind = RECORD_SESSION_EXTRA,
					  .record_id = c->session,
					  .limit = 1 },
		   on_extra_row, on_extra, c);
}
