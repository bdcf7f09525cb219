/* schedule_end - a run has ended: what the agent said is delivered, then the run's record and the
 * schedule say so. The delivery has a key of its own, so that a kill between the two delivers once.
 * What cannot be delivered is a dead letter, and the run shows it. */
#include "core/event_make.h"
#include "core/reply_filter.h"
#include "engine/ingress.h"
#include "engine/schedule_private.h"

enum { RUNS_KEPT = 100, RUNS_READ = RUNS_KEPT + 100 };

struct ending {
	struct schedule_look *look;
	struct schedule_run run; /* that ended; the state has none any more */
	struct buf filtered;
	struct str text; /* to be delivered */
	/* the session that it goes to */
	bool exists;
	enum lifecycle lifecycle;
	/* history */
	size_t seen;
	struct str old[RUNS_READ];
	size_t old_count;
};

/* ---- the end is written ---- */

static void
on_ended(void *ctx, const struct commit_result *result)
{
	struct ending *g = ctx;
	struct schedule_look *l = g->look;

	buf_release(&g->filtered);
	if (result->store->rc == 0)
		schedule_arm(l->part, l->state.next_ms);
	schedule_look_end(l, result->store->rc, &result->store->err);
}

static bool
on_old_row(void *ctx, const struct store_row *row)
{
	struct ending *g = ctx;

	if (++g->seen > RUNS_KEPT)
		g->old[g->old_count++] = arena_str(&g->look->arena, row->record->id);
	return g->old_count < RUNS_READ;
}

static void
on_history(void *ctx, int rc, bool more, const struct err *err)
{
	struct ending *g = ctx;
	struct schedule_look *l = g->look;
	struct commit *c = commit_new(l->en, STR(""));

	(void)rc, (void)more, (void)err; /* then the history is a little longer */
	schedule_state_end(&l->state, l->report.outcome, host_now_ms(l->en->host));
	l->report.run = &g->run;
	l->report.ended_ms = l->state.ended_ms;
	schedule_look_put(l, c);
	schedule_look_report(l, c, &l->report);
	for (size_t i = 0; i < g->old_count; i++)
		if (!str_eq(g->old[i], g->run.id))
			commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SCHEDULE_RUN,
								       .id = g->old[i] },
							   .if_version = STORE_VERSION_ANY,
							   .remove = true });
	commit_submit(c, on_ended, g);
}

static void
write_end(struct ending *g)
{
	store_read(g->look->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_SCHEDULE_RUN,
					  .record_owner = g->look->id,
					  .descending = true,
					  .limit = RUNS_READ },
		   on_old_row, on_history, g);
}

static void
dead_letter(struct ending *g, struct str why)
{
	g->look->report.letter = SCHEDULE_LETTER_DEAD;
	g->look->report.letter_error = arena_str(&g->look->arena, why);
	write_end(g);
}

/* ---- delivery to a session ---- */

static void
on_delivered(void *ctx, const struct commit_result *result)
{
	struct ending *g = ctx;
	const struct store_result *r = result->store;

	if (r->rc == ERR_UNAVAILABLE) { /* repeated with its key, when the store works again */
		buf_release(&g->filtered);
		schedule_look_end(g->look, r->rc, &r->err);
		return;
	}
	if (r->rc < 0) {
		dead_letter(g, str_of(r->err.text));
		return;
	}
	g->look->report.letter = SCHEDULE_LETTER_DELIVERED;
	write_end(g);
}

static void
append_letter(struct ending *g, struct commit *c)
{
	struct input_meta meta = { .class = INPUT_PASSIVE };
	struct arena *a = commit_arena(c);
	struct buf payload;
	struct jw w;

	buf_init(&payload, STORE_PAYLOAD_MAX);
	jw_init(&w, &payload);
	jw_object(&w);
	jw_field_str(&w, "type", STR("system.message"));
	jw_field_array(&w, "content");
	jw_object(&w);
	jw_field_str(&w, "type", STR("text"));
	jw_field_str(&w, "text",
		     arena_printf(a, "Result of the schedule " STR_FMT ":\n\n" STR_FMT,
				  STR_ARG(g->look->def.name), STR_ARG(g->text)));
	jw_end_object(&w);
	jw_end_array(&w);
	jw_end_object(&w);
	commit_append(c, &(struct commit_event){ .kind = EVENT_SYSTEM_MESSAGE,
						 .author = AUTHOR_SYSTEM,
						 .meta = ingress_meta(g->look->en, a, &meta),
						 .payload = buf_str(&payload) });
	buf_release(&payload);
}

static void
deliver(struct ending *g)
{
	struct schedule_look *l = g->look;
	struct commit *c = commit_new(l->en, l->def.delivery.session_id);
	struct str name = arena_printf(&l->arena, STR_FMT "/delivery", STR_ARG(g->run.id));
	struct buf payload;

	commit_require(c)->lifecycles = 1u << g->lifecycle;
	if (g->lifecycle == LIFECYCLE_INACTIVE) {
		buf_init(&payload, STORE_INLINE_MAX);
		event_make_lifecycle(&payload, LIFECYCLE_ACTIVE, STR("schedule"));
		commit_append_made(c, EVENT_SESSION_UPDATED, STR(""), &payload);
	}
	append_letter(g, c);
	commit_key(c, &(struct store_key){ .kind = STORE_KEY_DEDUPE,
					   .scope = STR("schedule"),
					   .name = name,
					   .request = sha256_of(name) });
	commit_submit(c, on_delivered, g);
}

static bool
on_target_row(void *ctx, const struct store_row *row)
{
	struct ending *g = ctx;

	g->exists = !row->session->row.deleted;
	g->lifecycle = row->session->row.state.lifecycle;
	return false;
}

static void
on_target(void *ctx, int rc, bool more, const struct err *err)
{
	struct ending *g = ctx;
	struct schedule_look *l = g->look;

	(void)more;
	if (rc != 0) {
		buf_release(&g->filtered);
		schedule_look_end(l, rc, err);
	} else if (!g->exists) {
		dead_letter(g, arena_printf(&l->arena, "there is no session " STR_FMT,
					    STR_ARG(l->def.delivery.session_id)));
	} else if (g->lifecycle != LIFECYCLE_ACTIVE && g->lifecycle != LIFECYCLE_INACTIVE) {
		dead_letter(g, arena_printf(&l->arena, "the session " STR_FMT " is %s",
					    STR_ARG(l->def.delivery.session_id),
					    lifecycle_name(g->lifecycle)));
	} else {
		deliver(g);
	}
}

/* ---- whom does it concern? ---- */

static void
send(struct ending *g)
{
	struct schedule_look *l = g->look;
	const struct schedule_delivery *to = &l->def.delivery;

	switch (to->kind) {
	case SCHEDULE_DELIVER_SILENT: write_end(g); return;
	case SCHEDULE_DELIVER_SESSION:
		store_read(l->en->store,
			   &(struct store_query){ .kind = STORE_GET_SESSION,
						  .session = to->session_id,
						  .limit = 1 },
			   on_target_row, on_target, g);
		return;
	case SCHEDULE_DELIVER_ORIGIN:
	case SCHEDULE_DELIVER_HOME:
	case SCHEDULE_DELIVER_TARGET:
		dead_letter(g, arena_printf(&l->arena,
					    "no channel of platform " STR_FMT " is connected",
					    STR_ARG(to->platform)));
		return;
	}
}

static struct ending *
ending_new(struct schedule_look *l)
{
	struct ending *g = ARENA_NEW(&l->arena, struct ending);

	g->look = l;
	g->run = l->state.run;
	buf_init(&g->filtered, STORE_PAYLOAD_MAX);
	l->report = (struct schedule_report){ 0 };
	return g;
}

void
schedule_end(struct schedule_look *l)
{
	struct ending *g = ending_new(l);
	const struct schedule_fate *f = &l->fate;
	struct schedule_report *r = &l->report;
	struct reply reply;

	if (f->cancelled) {
		r->outcome = g->run.stopping ? SCHEDULE_RUN_TIMED_OUT : SCHEDULE_RUN_CANCELLED;
		r->error = g->run.stopping ? STR("it had to wait longer than its timeout")
					   : STR("it was taken back before it began");
	} else {
		r->outcome = schedule_outcome_of(f->stop, f->by_person, &g->run);
		r->stop_reason = str_of(stop_kind_name(f->stop));
		r->error = f->error;
	}
	r->turn_id = f->turn;
	if (r->outcome == SCHEDULE_RUN_TIMED_OUT && r->error.len == 0)
		r->error = STR("it ran longer than its timeout");
	reply = reply_filter_strip(buf_str(&f->said), &g->filtered);
	g->text = reply.text;
	if (r->outcome == SCHEDULE_RUN_COMPLETED && reply.deliver)
		send(g);
	else
		write_end(g);
}

void
schedule_end_unfired(struct schedule_look *l, const struct err *why)
{
	struct ending *g = ending_new(l);

	if (!l->plan.manual)
		g->run = (struct schedule_run){ .id = engine_make_id(l->en, &l->arena, "srun") };
	g->run.slot_ms = l->plan.slot_ms;
	g->run.fired_ms = host_now_ms(l->en->host);
	l->state.decided_ms = l->plan.decided_ms;
	l->report.outcome = SCHEDULE_RUN_FAILED;
	l->report.error = arena_str(&l->arena, str_of(why->text));
	write_end(g);
}
