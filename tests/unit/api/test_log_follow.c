#include "api/log_follow.h"

#include <stdlib.h>

#include "base/rand.h"
#include "harness.h"

/* An engine whose every step the test takes: what is in the log, what has been told, and when a page's
 * rows and its end arrive. */
static struct world {
	int64_t log;     /* durable up to here */
	int64_t told;    /* the watch has heard up to here */
	int64_t kept;    /* events below are not there any more */
	int64_t visible; /* every nth event is the caller's; 0: all */
	struct engine_watch *watch;
	struct store_query query;
	store_row_fn *row;
	store_read_fn *done;
	void *ctx;
	bool reading, rows_given, more;
	int fail_with;
	/* the question whether the caller may still see it */
	store_read_fn *asked;
	bool asking;
	int asked_count;
	enum role role; /* of the caller by now */
	bool token_ended;
} W;

void
engine_read(struct engine *en, const struct engine_caller *caller, const struct store_query *q,
	    store_row_fn *row, store_read_fn *done, void *ctx)
{
	(void)en;
	if (q->kind == STORE_GET_SESSION) {
		assert_false(W.asking);
		assert_int_equal(caller->who.role, W.role);
		W.asked = done;
		W.asking = true;
		W.asked_count++;
		return;
	}
	assert_false(W.reading);
	W.query = *q;
	W.row = row;
	W.done = done;
	W.ctx = ctx;
	W.reading = true;
	W.rows_given = W.more = false;
}

bool
engine_renew_caller(struct engine *en, struct engine_caller *caller)
{
	(void)en;
	caller->who.role = W.role;
	return !W.token_ended;
}

void
engine_watch_session(struct engine *en, struct str session, struct engine_watch *w)
{
	(void)session;
	w->en = en;
	W.watch = w;
}

void
engine_watch_all(struct engine *en, struct engine_watch *w)
{
	w->en = en;
	W.watch = w;
}

void
engine_unwatch(struct engine_watch *w)
{
	if (W.watch == w)
		W.watch = NULL;
	w->en = NULL;
}

int64_t
engine_head(struct engine *en, struct str session)
{
	(void)en, (void)session;
	return W.told;
}

int64_t
engine_change_head(struct engine *en)
{
	(void)en;
	return W.told;
}

static struct store_event
event_at(int64_t n)
{
	struct store_event ev = { .change = n };

	ev.ev.seq = n;
	ev.ev.kind = EVENT_SYSTEM_MESSAGE;
	if (W.visible == 0 || n % W.visible == 0)
		ev.session = STR("s");
	return ev;
}

static void
give_rows(void)
{
	size_t given = 0;

	W.rows_given = true;
	for (int64_t n = W.query.after + 1; n <= W.log; n++) {
		struct store_event ev = event_at(n);

		if (n < W.kept)
			continue;
		if (given++ == W.query.limit) {
			W.more = true;
			return;
		}
		if (!W.row(W.ctx, &(struct store_row){ .event = &ev }))
			return;
	}
}

static void
end_page(void)
{
	struct err e = { .code = W.fail_with };

	W.reading = false;
	W.done(W.ctx, W.fail_with, W.more, &e);
}

static void
tell_one(void)
{
	struct store_event ev = event_at(++W.told);

	if (W.watch)
		W.watch->on_event(W.watch->ctx, &ev);
}

/* ---- a reader that notes what it gets ---- */

static struct reader {
	struct log_follow follow;
	int64_t last;   /* event that came, hidden ones and gaps counted */
	int64_t shown;  /* of them that were the caller's */
	int64_t gapped; /* events that were told to be gone */
	int page_rows;  /* in the page being read */
	int page_max;
	bool full; /* no room for live events */
	bool live, paused, over, gone;
	int rc;
	const char *wrong;
} R;

static void
note(int64_t n)
{
	if (n != R.last + 1)
		R.wrong = n <= R.last ? "twice" : "skipped";
	R.last = n;
}

static bool
on_row(struct log_follow *f, const struct store_event *ev)
{
	(void)f;
	note(f->session.len > 0 ? ev->ev.seq : ev->change);
	R.shown += ev->session.len > 0;
	return ++R.page_rows < R.page_max;
}

static void
on_gap(struct log_follow *f, int64_t from, int64_t to)
{
	(void)f;
	note(from);
	R.last = to;
	R.gapped += to - from + 1;
}

static void
on_page(struct log_follow *f)
{
	(void)f;
	R.paused = true;
	R.page_rows = 0;
}

static void
on_live(struct log_follow *f)
{
	(void)f;
	R.live = true;
}

static bool
on_event(struct log_follow *f, const struct store_event *ev)
{
	(void)f;
	if (R.full) {
		R.paused = true;
		return false;
	}
	note(ev->ev.seq);
	R.shown += ev->session.len > 0;
	return true;
}

static bool
on_preview(struct log_follow *f, const struct engine_preview *p)
{
	(void)f, (void)p;
	R.paused |= R.full;
	return !R.full;
}

static void
on_over(struct log_follow *f, int rc, const struct err *err)
{
	(void)f, (void)err;
	R.over = true;
	R.rc = rc;
}

static const struct log_follow_ops OPS = {
	.row = on_row,
	.gap = on_gap,
	.page = on_page,
	.live = on_live,
	.event = on_event,
	.preview = on_preview,
	.over = on_over,
};

static void
begin(struct str session, bool owner, int64_t log)
{
	struct engine_caller caller = { .who = { .kind = owner ? TOKEN_OWNER : TOKEN_USER,
						 .user_id = STR("u") } };

	W = (struct world){ .log = log };
	R = (struct reader){ .page_max = 1000 };
	log_follow_init(&R.follow, NULL, &caller, session, &OPS);
}

static void
go_on(void)
{
	R.paused = false;
	log_follow_next(&R.follow);
}

static void
read_page(void)
{
	give_rows();
	end_page();
	go_on();
}

/* ---- cases ---- */

static void
A4_an_event_told_during_the_page_is_not_lost(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	log_follow_start(&R.follow, 0);
	give_rows(); /* sees 3 */
	W.log = 4;
	tell_one(), tell_one(), tell_one(), tell_one();
	end_page();
	go_on();
	assert_false(R.live);
	read_page();
	assert_true(R.live);
	assert_int_equal(R.last, 4);
	assert_null(R.wrong);
}

static void
A4_an_event_told_while_the_client_takes_the_page_is_not_lost(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	W.told = 3;
	log_follow_start(&R.follow, 0);
	give_rows();
	end_page();
	W.log = 4;
	tell_one();
	go_on();
	assert_false(R.live);
	read_page();
	assert_true(R.live);
	assert_int_equal(R.last, 4);
}

static void
A4_an_event_that_the_page_had_is_not_told_again(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	log_follow_start(&R.follow, 0);
	W.log = 4;
	read_page(); /* sees 4, told of nothing */
	assert_true(R.live);
	tell_one(), tell_one(), tell_one(), tell_one();
	W.log = 5;
	tell_one();
	assert_int_equal(R.last, 5);
	assert_null(R.wrong);
}

static void
A4_what_is_not_kept_is_a_gap(void **state)
{
	(void)state;
	begin(STR("s"), true, 10);
	W.kept = 6;
	log_follow_start(&R.follow, 2);
	R.last = 2;
	read_page();
	assert_null(R.wrong);
	assert_int_equal(R.gapped, 3);
	assert_int_equal(R.last, 10);
	begin(STR("s"), true, 10);
	W.kept = 11; /* nothing is left at all */
	W.told = 10;
	log_follow_start(&R.follow, 2);
	R.last = 2;
	read_page();
	assert_true(R.live);
	assert_int_equal(R.gapped, 8);
	assert_int_equal(R.follow.cursor, 10);
}

static void
A5_a_narrowed_reader_reads_again_when_told(void **state)
{
	(void)state;
	begin(STR(""), false, 6);
	W.visible = 2;
	log_follow_start(&R.follow, 0);
	read_page();
	assert_true(R.live);
	W.told = 6;
	W.log = 8;
	tell_one(); /* asks for a page */
	assert_true(W.reading);
	tell_one(); /* told while it is read */
	read_page();
	assert_true(W.reading);
	read_page();
	assert_int_equal(R.shown, 4);
	assert_int_equal(R.last, 8);
	assert_null(R.wrong);
}

static void
a_page_that_fails_ends_it(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	log_follow_start(&R.follow, 0);
	W.fail_with = ERR_NOT_FOUND;
	end_page();
	assert_true(R.over);
	assert_int_equal(R.rc, ERR_NOT_FOUND);
	assert_null(W.watch);
}

static void
A4_the_rest_is_read_before_a_deleted_log_ends(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	R.page_max = 2;
	log_follow_start(&R.follow, 0);
	W.watch->on_over(W.watch->ctx, ENGINE_OVER_DELETED);
	read_page();
	assert_false(R.over);
	read_page();
	assert_true(R.over);
	assert_int_equal(R.last, 3);
}

static void
on_gone(struct log_follow *f)
{
	(void)f;
	R.gone = true;
}

static void
stopping_waits_for_the_page(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	log_follow_start(&R.follow, 0);
	give_rows();
	log_follow_stop(&R.follow, on_gone);
	assert_false(R.gone);
	assert_null(W.watch);
	end_page();
	assert_true(R.gone);
	assert_false(R.paused);
	begin(STR("s"), true, 3);
	log_follow_start_live(&R.follow, 3);
	log_follow_stop(&R.follow, on_gone);
	assert_true(R.gone);
}

/* ---- rights ---- */

static void
change_rights(void)
{
	W.watch->on_rights(W.watch->ctx);
}

static void
answer_asked(int rc)
{
	struct err e = { .code = rc };

	W.asking = false;
	W.asked(&R.follow, rc, false, &e);
}

static void
P3_who_may_not_see_it_any_more_is_told_so(void **state)
{
	(void)state;
	begin(STR("s"), false, 3);
	log_follow_start_live(&R.follow, 3);
	R.last = 3;
	change_rights();
	change_rights(); /* while the first question is open: one more follows, whatever comes */
	change_rights();
	answer_asked(0);
	assert_int_equal(W.asked_count, 2);
	assert_false(R.over);
	answer_asked(ERR_NOT_FOUND);
	assert_true(R.over);
	assert_int_equal(R.rc, ERR_NOT_FOUND);
	assert_null(W.watch);
}

static void
P3_a_page_that_is_being_read_is_dropped(void **state)
{
	(void)state;
	begin(STR("s"), false, 3);
	log_follow_start(&R.follow, 0);
	give_rows();
	change_rights();
	answer_asked(ERR_NOT_FOUND);
	assert_false(R.over); /* the reader is busy */
	end_page();
	assert_true(R.over);
	assert_int_equal(R.rc, ERR_NOT_FOUND);
	assert_false(R.paused); /* nothing of it was handed out */
}

static void
P3_stopping_waits_for_the_question(void **state)
{
	(void)state;
	begin(STR("s"), false, 3);
	log_follow_start_live(&R.follow, 3);
	change_rights();
	log_follow_stop(&R.follow, on_gone);
	assert_false(R.gone);
	answer_asked(ERR_NOT_FOUND);
	assert_true(R.gone);
	assert_false(R.over);
	for (int first = 0; first < 2; first++) { /* both are open, and end in either order */
		begin(STR("s"), false, 3);
		log_follow_start(&R.follow, 0);
		change_rights();
		log_follow_stop(&R.follow, on_gone);
		if (first == 0)
			answer_asked(0);
		else
			end_page();
		assert_false(R.gone);
		if (first == 0)
			end_page();
		else
			answer_asked(0);
		assert_true(R.gone);
	}
}

static void
P3_a_reader_of_all_is_narrowed_at_once(void **state)
{
	(void)state;
	begin(STR(""), false, 0);
	R.follow.caller.who.role = W.role = ROLE_OWNER;
	log_follow_start_live(&R.follow, 0);
	change_rights();
	assert_false(R.follow.narrowed);
	W.role = ROLE_USER;
	change_rights();
	assert_true(R.follow.narrowed);
	assert_int_equal(W.asked_count, 0);
	W.visible = 2;
	W.log = 2;
	tell_one(), tell_one(); /* read, not handed on */
	assert_int_equal(R.shown, 0);
	read_page();
	read_page();
	assert_int_equal(R.shown, 1);
	assert_null(R.wrong);
}

/* Streams of an ended token are ended elsewhere. */
static void
P3_an_ended_token_is_not_asked_about(void **state)
{
	(void)state;
	begin(STR("s"), false, 3);
	log_follow_start_live(&R.follow, 3);
	W.token_ended = true;
	change_rights();
	assert_int_equal(W.asked_count, 0);
	assert_false(R.over);
}

static void
A16_what_had_no_room_comes_again(void **state)
{
	(void)state;
	begin(STR("s"), true, 3);
	W.told = 3;
	log_follow_start_live(&R.follow, 3);
	R.last = 3;
	R.full = true;
	W.log = 5;
	tell_one(), tell_one();
	assert_int_equal(R.last, 3);
	assert_false(W.reading); /* not before the reader says so */
	R.full = false;
	go_on();
	read_page();
	assert_true(R.live);
	assert_int_equal(R.last, 5);
	W.log = 6;
	tell_one();
	assert_int_equal(R.last, 6);
	assert_null(R.wrong);
}

static void
A16_a_preview_without_room_is_begun_again(void **state)
{
	struct engine_preview p = { .kind = PREVIEW_DELTA };

	(void)state;
	begin(STR("s"), true, 3);
	W.told = 3;
	log_follow_start_live(&R.follow, 3);
	R.full = true;
	W.watch->on_preview(W.watch->ctx, &p);
	assert_int_equal(R.follow.state, LOG_FOLLOW_PAUSED);
	R.full = R.live = false;
	go_on();
	read_page();
	assert_true(R.live); /* where the text so far is asked for */
}

/* Every order in which appends, tellings, rows, ends of pages and a slow client can happen. */
static void
A4_no_order_of_things_skips_or_doubles(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= suite_seeds(20000); seed++) {
		struct rand dice;
		bool all;

		rand_init_seed(&dice, seed);
		all = rand_below(&dice, 2);
		begin(all ? STR("") : STR("s"), rand_below(&dice, 4) > 0,
		      1 + (int64_t)rand_below(&dice, 6));
		W.visible = R.follow.narrowed ? 1 + (int64_t)rand_below(&dice, 3) : 0;
		W.told = (int64_t)rand_below(&dice, (uint64_t)W.log + 1);
		R.page_max = 1 + (int)rand_below(&dice, 4);
		R.last = (int64_t)rand_below(&dice, (uint64_t)W.log + 1);
		log_follow_start(&R.follow, R.last);
		for (int i = 0; i < 40; i++) {
			uint64_t what = rand_below(&dice, 6);

			if (what == 0)
				W.log++;
			else if (what == 1 && W.told < W.log)
				tell_one();
			else if (what == 2 && W.reading && !W.rows_given)
				give_rows();
			else if (what == 3 && W.reading && W.rows_given)
				end_page();
			else if (what == 4 && R.paused)
				go_on();
			else if (what == 5)
				R.full = !R.full;
		}
		R.full = false;
		while (W.told < W.log)
			tell_one();
		while (W.reading || R.paused) {
			if (W.reading && !W.rows_given)
				give_rows();
			if (W.reading)
				end_page();
			go_on();
		}
		if (R.wrong || R.last != W.log || !R.live)
			fail_msg("seed %llu: %s, %lld of %lld", (unsigned long long)seed,
				 R.wrong ? R.wrong : "not at the end", (long long)R.last,
				 (long long)W.log);
	}
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, A4_an_event_told_during_the_page_is_not_lost);
	SUITE_TEST(&s, A4_an_event_told_while_the_client_takes_the_page_is_not_lost);
	SUITE_TEST(&s, A4_an_event_that_the_page_had_is_not_told_again);
	SUITE_TEST(&s, A4_what_is_not_kept_is_a_gap);
	SUITE_TEST(&s, A5_a_narrowed_reader_reads_again_when_told);
	SUITE_TEST(&s, a_page_that_fails_ends_it);
	SUITE_TEST(&s, A4_the_rest_is_read_before_a_deleted_log_ends);
	SUITE_TEST(&s, stopping_waits_for_the_page);
	SUITE_TEST(&s, P3_who_may_not_see_it_any_more_is_told_so);
	SUITE_TEST(&s, P3_a_page_that_is_being_read_is_dropped);
	SUITE_TEST(&s, P3_stopping_waits_for_the_question);
	SUITE_TEST(&s, P3_a_reader_of_all_is_narrowed_at_once);
	SUITE_TEST(&s, P3_an_ended_token_is_not_asked_about);
	SUITE_TEST(&s, A16_what_had_no_room_comes_again);
	SUITE_TEST(&s, A16_a_preview_without_room_is_begun_again);
	SUITE_TEST(&s, A4_no_order_of_things_skips_or_doubles);
	return suite_run(&s, "api/log_follow");
}
