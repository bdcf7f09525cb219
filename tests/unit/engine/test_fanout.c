#include "engine/fanout.h"

#include "base/buf.h"
#include "engine/commit.h"
#include "engine_rig.h"

/* Somebody who watches, and what they may do meanwhile. */
struct reader {
	struct engine_watch watch;
	struct engine_rig *rig;
	struct buf heard;     /* seqs; previews as + ~ -; the end as D or S */
	struct reader *drops; /* unwatched when the next event comes */
	const char *joins;    /* watched by spare when the next event comes */
	struct reader *spare;
};

static void
on_event(void *ctx, const struct store_event *ev)
{
	struct reader *w = ctx;

	buf_printf(&w->heard, "%lld ", (long long)ev->ev.seq);
	if (ev->position > 0)
		buf_printf(&w->heard, "@%lld ", (long long)ev->position);
	if (w->drops)
		engine_unwatch(&TAKE(w->drops)->watch);
	if (w->joins) {
		engine_watch_session(w->rig->en, str_of(w->joins), &w->spare->watch);
		w->joins = NULL;
	}
}

static void
on_preview(void *ctx, const struct engine_preview *p)
{
	struct reader *w = ctx;

	buf_printf(&w->heard, "%c" STR_FMT " ", "+~-"[p->kind], STR_ARG(p->text));
	if (w->drops)
		engine_unwatch(&TAKE(w->drops)->watch);
}

static void
on_over(void *ctx, enum engine_over why)
{
	struct reader *w = ctx;

	assert_null(w->watch.en); /* off the list already */
	buf_puts(&w->heard, why == ENGINE_OVER_DELETED ? "D" : "S");
	if (w->drops)
		engine_unwatch(&TAKE(w->drops)->watch);
}

static void
reader_init(struct reader *w, struct engine_rig *r)
{
	*w = (struct reader){ .rig = r };
	w->watch = (struct engine_watch){
		.on_event = on_event, .on_preview = on_preview, .on_over = on_over, .ctx = w
	};
	list_init(&w->watch.node);
	buf_init(&w->heard, 1 << 16);
}

static void
reader_release(struct reader *w)
{
	engine_unwatch(&w->watch);
	buf_release(&w->heard);
}

static void
heard(const char *what, struct reader *w, const char *want)
{
	check_str(what, buf_str(&w->heard), str_of(want));
	buf_clear(&w->heard);
}

enum { READERS = 3 };

struct stage {
	struct engine_rig r;
	struct reader w[READERS];
};

/* Three who watch cli:a, in this order. */
static void
stage_init(struct stage *g)
{
	engine_rig_init(&g->r, false);
	rig_open(&g->r, NULL, "cli:a");
	rig_open(&g->r, NULL, "cli:b");
	for (int i = 0; i < READERS; i++) {
		reader_init(&g->w[i], &g->r);
		engine_watch_session(g->r.en, STR("cli:a"), &g->w[i].watch);
	}
}

static void
stage_release(struct stage *g)
{
	for (int i = 0; i < READERS; i++)
		reader_release(&g->w[i]);
	engine_rig_release(&g->r);
}

static void
note(struct engine_rig *r, const char *session)
{
	rig_expect(rig_events(r,
			      (struct rig_call){
				      .id = str_of(session),
				      .body = "[{'type':'system.message','content':[{'type':"
					      "'text','text':'x'}]}]" }),
		   0, NULL);
}

static void
A4_each_event_reaches_each_watcher_once_in_order(void **state)
{
	struct stage g;

	(void)state;
	stage_init(&g);
	for (int i = 0; i < 3; i++)
		note(&g.r, "cli:a");
	note(&g.r, "cli:b");
	for (int i = 0; i < READERS; i++)
		heard("reader", &g.w[i], "2 3 4 ");
	stage_release(&g);
}

/* Every pair of (who hears first, who is dropped by that). */
static void
A4_callbacks_may_unwatch_anybody(void **state)
{
	(void)state;
	for (int at = 0; at < READERS; at++)
		for (int dropped = 0; dropped < READERS; dropped++) {
			struct stage g;

			stage_init(&g);
			g.w[at].drops = &g.w[dropped];
			note(&g.r, "cli:a");
			note(&g.r, "cli:a");
			for (int i = 0; i < READERS; i++) {
				bool gone = i == dropped;

				/* whoever stands behind is dropped before it hears */
				heard("reader", &g.w[i], !gone ? "2 3 " : dropped > at ? "" : "2 ");
			}
			stage_release(&g);
		}
}

static void
A4_all_may_leave_at_once(void **state)
{
	struct stage g;

	(void)state;
	stage_init(&g);
	for (int i = 0; i < READERS; i++)
		g.w[i].drops = &g.w[i];
	note(&g.r, "cli:a");
	for (int i = 0; i < READERS; i++)
		heard("reader", &g.w[i], "2 ");
	assert_null(actor_find(g.r.en, STR("cli:a")));
	note(&g.r, "cli:a");
	stage_release(&g);
}

/* Between two events of one commit the last one leaves, and with it the actor. */
static void
A4_the_last_may_leave_between_two_events(void **state)
{
	struct engine_rig r;
	struct reader one, all;

	(void)state;
	engine_rig_init(&r, false);
	rig_open(&r, NULL, "cli:a");
	reader_init(&one, &r);
	reader_init(&all, &r);
	engine_watch_session(r.en, STR("cli:a"), &one.watch);
	engine_watch_all(r.en, &all.watch);
	all.drops = &one;
	rig_expect(rig_events(&r,
			      (struct rig_call){
				      .id = STR("cli:a"),
				      .body = "[{'type':'user.message','content':[{'type':"
					      "'text','text':'wait 60'}]},{'type':'system."
					      "message','content':[{'type':'text','text':'x'}"
					      "]}]" }),
		   0, NULL);
	heard("the one", &one, "2 ");
	assert_true(str_starts(buf_str(&all.heard), STR("2 3 ")));
	reader_release(&one);
	reader_release(&all);
	engine_rig_release(&r);
}

static void
A4_who_joins_in_a_callback_hears_what_follows(void **state)
{
	struct stage g;
	struct reader late;

	(void)state;
	stage_init(&g);
	reader_init(&late, &g.r);
	g.w[1].joins = "cli:a";
	g.w[1].spare = &late;
	note(&g.r, "cli:a");
	buf_clear(&late.heard); /* whether it hears this one is nobody's promise */
	note(&g.r, "cli:a");
	heard("late", &late, "3 ");
	heard("reader", &g.w[2], "2 3 ");
	reader_release(&late);
	stage_release(&g);
}

static void
P6_a_deleted_session_ends_its_watches(void **state)
{
	struct stage g;
	struct reader all;

	(void)state;
	stage_init(&g);
	reader_init(&all, &g.r);
	engine_watch_all(g.r.en, &all.watch);
	g.w[0].drops = &g.w[2];
	rig_expect(rig_end(&g.r, engine_session_delete, (struct rig_call){ .id = STR("cli:a") }), 0,
		   NULL);
	heard("the first", &g.w[0], "2 D");
	heard("the second", &g.w[1], "2 D");
	heard("the dropped one", &g.w[2], "");
	heard("who watches all", &all, "2 ");
	assert_null(actor_find(g.r.en, STR("cli:a")));
	note(&g.r, "cli:b");
	heard("who watches all", &all, "2 ");
	reader_release(&all);
	stage_release(&g);
}

/* Sessions enough that the map of them has several places to lose one at. */
static void
H5_the_end_is_told_to_all_whatever_they_do(void **state)
{
	enum { MANY = 40 };
	struct engine_rig r;
	struct reader w[MANY], all;
	size_t told = 0;

	(void)state;
	engine_rig_init(&r, false);
	reader_init(&all, &r);
	engine_watch_all(r.en, &all.watch);
	for (int i = 0; i < MANY; i++) {
		reader_init(&w[i], &r);
		engine_watch_session(r.en, arena_printf(&r.arena, "cli:%d", i), &w[i].watch);
	}
	for (int i = 0; i < MANY; i += 2) /* half of them take somebody else along */
		w[i].drops = &w[i + 1];
	engine_rig_drain(&r, r.en);
	for (int i = 0; i < MANY; i++) {
		assert_null(w[i].watch.en);
		told += w[i].heard.len > 0;
	}
	assert_in_range(told, MANY / 2, MANY);
	heard("who watches all", &all, "S");
	for (int i = 0; i < MANY; i++)
		reader_release(&w[i]);
	reader_release(&all);
	engine_rig_release(&r);
}

static void
A4_previews_reach_who_is_there_and_who_comes_later(void **state)
{
	struct stage g;
	struct reader late;
	struct actor *actor;

	(void)state;
	stage_init(&g);
	reader_init(&late, &g.r);
	actor = actor_get(g.r.en, STR("cli:a"));
	fanout_preview_start(actor, STR("e1"), EVENT_AGENT_MESSAGE);
	fanout_preview_delta(actor, STR("e1"), STR("hel"));
	engine_watch_session(g.r.en, STR("cli:a"), &late.watch);
	engine_preview_so_far(&late.watch);
	g.w[0].drops = &g.w[0];
	fanout_preview_delta(actor, STR("e1"), STR("lo"));
	fanout_preview_end(actor, STR("e1"));
	fanout_preview_delta(actor, STR("e1"), STR("too late"));
	engine_preview_so_far(&late.watch);
	heard("the first left", &g.w[0], "+ ~hel ~lo ");
	heard("the second", &g.w[1], "+ ~hel ~lo - ");
	heard("the late one", &late, "+hel ~lo - ");
	reader_release(&late);
	stage_release(&g);
}

/* ---- the join protocol of engine.h, under any interleaving ---- */

/* A reader that watches first, reads pages behind its cursor, and goes live when a page ends at the
 * head or above: the protocol word for word. */
struct follower {
	struct engine_watch watch;
	struct engine_rig *rig;
	int64_t cursor, page_last;
	bool watching, reading, live;
	bool broken; /* a gap or a double */
};

static void
take(struct follower *f, int64_t seq)
{
	f->broken |= seq != f->cursor + 1;
	f->cursor = seq;
}

static void
on_followed(void *ctx, const struct store_event *ev)
{
	struct follower *f = ctx;

	if (f->live && ev->ev.seq > f->cursor)
		take(f, ev->ev.seq);
}

static bool
on_page_row(void *ctx, const struct store_row *row)
{
	take(ctx, row->event->ev.seq);
	return true;
}

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct follower *f = ctx;

	(void)err;
	f->broken |= rc != 0;
	f->reading = false;
	f->live = !more && f->cursor >= engine_head(f->rig->en, STR("cli:a"));
}

static void
follower_step(struct follower *f)
{
	if (!f->watching) {
		f->watch = (struct engine_watch){ .on_event = on_followed, .ctx = f };
		list_init(&f->watch.node);
		engine_watch_session(f->rig->en, STR("cli:a"), &f->watch);
		f->watching = true;
	} else if (!f->reading && !f->live) {
		f->reading = true;
		engine_read(f->rig->en, &f->rig->owner,
			    &(struct store_query){ .kind = STORE_LIST_EVENTS,
						   .session = STR("cli:a"),
						   .after = f->cursor,
						   .limit = 3 },
			    on_page_row, on_page, f);
	}
}

static void
step_host(struct engine_rig *r)
{
	if (!list_is_empty(&r->host.tasks)) {
		struct host_task *task = LIST_OWNER(r->host.tasks.next, struct host_task, node);

		list_remove(&task->node);
		task->fn(task);
	} else {
		store_dispatch(r->store);
	}
}

static void
A4_a_reader_that_joins_has_no_gap_and_no_double(void **state)
{
	enum { FOLLOWERS = 4, STEPS = 120, WRITES_MAX = 40 };

	for (uint64_t seed = 0; seed < suite_seeds(*state ? 4 : 400); seed++) {
		struct engine_rig r;
		struct follower f[FOLLOWERS] = { 0 };
		struct rig_answer answers[WRITES_MAX] = { 0 };
		struct engine_call calls[WRITES_MAX];
		size_t written = 0;
		struct rand rand;
		struct json events;
		int64_t head;

		engine_rig_init(&r, *state != NULL);
		rand_init_seed(&rand, seed);
		rig_open(&r, NULL, "cli:a");
		events = engine_rig_json(&r, "[{'type':'system.message','content':[{'type':'text',"
					     "'text':'x'}]}]");
		for (int i = 0; i < FOLLOWERS; i++)
			f[i].rig = &r;
		for (int i = 0; i < STEPS; i++) {
			uint64_t what = rand_below(&rand, 10);

			if (what < 3 && written < WRITES_MAX) {
				answers[written].rig = &r;
				calls[written] = (struct engine_call){ .caller = &r.owner,
								       .done = rig_answered,
								       .ctx = &answers[written] };
				engine_send(r.en, &calls[written], STR("cli:a"), events);
				written++;
			} else if (what < 6) {
				follower_step(&f[rand_below(&rand, FOLLOWERS)]);
			} else if (what == 6) { /* somebody leaves, and comes back with a cursor */
				struct follower *one = &f[rand_below(&rand, FOLLOWERS)];

				if (one->watching && !one->reading) {
					engine_unwatch(&one->watch);
					one->watching = one->live = false;
				}
			} else {
				step_host(&r);
			}
		}
		for (size_t i = 0; i < written; i++)
			engine_rig_await(&r, &answers[i].done);
		for (int i = 0; i < FOLLOWERS; i++)
			for (int tries = 0; tries < 100 && !f[i].live; tries++) {
				follower_step(&f[i]);
				virtual_host_settle(&r.host);
			}
		head = engine_rig_session(&r, "cli:a")->row.head_seq;
		for (int i = 0; i < FOLLOWERS; i++) {
			if (f[i].broken || f[i].cursor != head)
				fail_msg("seed %llu: reader %d is at %lld of %lld%s",
					 (unsigned long long)seed, i, (long long)f[i].cursor,
					 (long long)head, f[i].broken ? ", with a gap" : "");
			engine_unwatch(&f[i].watch);
		}
		engine_rig_release(&r);
	}
}

static void
Q3_who_watches_hears_where_a_message_waits(void **state)
{
	static const char *const TEXTS[] = { "wait 600", "say b", "say c" };
	struct stage g;

	(void)state;
	stage_init(&g);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++)
		rig_expect(rig_say(&g.r, &(struct engine_message){ .text = str_of(TEXTS[i]) },
				   (struct rig_call){ .id = STR("cli:a") }),
			   0, NULL);
	heard("a turn, and two that wait", &g.w[0], "2 3 4 5 @1 6 @2 ");
	stage_release(&g);
}

int
main(void)
{
	struct suite s = { 0 };
	static const int SQLITE = 1;

	SUITE_TEST(&s, A4_each_event_reaches_each_watcher_once_in_order);
	SUITE_TEST(&s, A4_callbacks_may_unwatch_anybody);
	SUITE_TEST(&s, A4_all_may_leave_at_once);
	SUITE_TEST(&s, A4_the_last_may_leave_between_two_events);
	SUITE_TEST(&s, A4_who_joins_in_a_callback_hears_what_follows);
	SUITE_TEST(&s, P6_a_deleted_session_ends_its_watches);
	SUITE_TEST(&s, H5_the_end_is_told_to_all_whatever_they_do);
	SUITE_TEST(&s, A4_previews_reach_who_is_there_and_who_comes_later);
	SUITE_TEST(&s, A4_a_reader_that_joins_has_no_gap_and_no_double);
	suite_add(&s, "A4 a reader that joins in sqlite",
		  A4_a_reader_that_joins_has_no_gap_and_no_double, &SQLITE);
	SUITE_TEST(&s, Q3_who_watches_hears_where_a_message_waits);
	return suite_run(&s, "engine/fanout");
}
