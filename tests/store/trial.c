#include "trial.h"

#include "await.h"

static const int64_t FIRST_MS = INT64_C(1800000000000);
static const int64_t NEVER_MS = INT64_C(9000000000000); /* no clock of a test machine gets there */

void
trial_init(struct trial *t)
{
	*t = (struct trial){ .now_ms = FIRST_MS };
	arena_init(&t->arena);
}

void
trial_release(struct trial *t)
{
	vec_release(&t->items);
	arena_release(&t->arena);
}

struct trial_item *
trial_item(struct trial *t, struct str session)
{
	struct trial_item *it = ARENA_NEW(&t->arena, struct trial_item);

	it->trial = t;
	it->item.session = arena_str(&t->arena, session);
	it->item.events = it->events;
	it->item.puts = &it->put;
	it->item.keys = &it->key;
	return it;
}

struct event *
trial_event(struct trial_item *it, enum event_kind kind, struct str id, struct str payload)
{
	struct arena *a = &it->trial->arena;
	struct event *ev = &it->events[it->item.event_count++];

	*ev = (struct event){
		.id = arena_str(a, id),
		.kind = kind,
		.author = event_usual_author(kind),
		.created_at_ms = it->trial->now_ms++,
		.payload = arena_str(a, payload),
	};
	return ev;
}

void
trial_key(struct trial_item *it, struct str name)
{
	struct str first = it->item.event_count > 0 ? it->events[0].payload : name;

	it->key = (struct store_key){
		.kind = STORE_KEY_IDEMPOTENCY,
		.scope = STR("user_1 POST /v1/sessions"),
		.name = arena_str(&it->trial->arena, name),
		.request = sha256_of(first),
		.answer =
			arena_printf(&it->trial->arena, "{\"key\":\"" STR_FMT "\"}", STR_ARG(name)),
		.expires_at_ms = NEVER_MS,
	};
	it->item.key_count = 1;
}

static void
on_done(void *ctx, const struct store_result *result)
{
	struct trial_item *it = ctx;

	it->result = *result;
	it->result.session = it->result.answer = (struct str){ 0 };
	it->answered = true;
	it->trial->waiting--;
}

void
trial_send(struct trial_item *it)
{
	struct trial *t = it->trial;

	*vec_push(&t->items) = it;
	t->waiting++;
	store_append(t->store, &it->item, on_done, it);
}

bool
trial_settle(struct trial *t)
{
	bool all = true;

	for (size_t i = t->items.len - t->waiting; i < t->items.len; i++)
		all = all && await_flag(t->store, &t->items.ptr[i]->answered);
	return all;
}

bool
trial_do(struct trial_item *it)
{
	trial_send(it);
	return trial_settle(it->trial);
}

static bool
same_event(const struct event *a, const struct event *b)
{
	return str_eq(a->id, b->id) && a->kind == b->kind && a->author == b->author &&
	       a->created_at_ms == b->created_at_ms && str_eq(a->turn, b->turn) &&
	       str_eq(a->meta, b->meta) && str_eq(a->payload, b->payload);
}

/* How many of its events are there as they were sent, one behind the other from first_seq on. */
static size_t
events_there(const struct trial_item *it, struct verify *v, int64_t first_seq)
{
	size_t there = 0;

	for (size_t i = 0; i < it->item.event_count; i++) {
		const struct verify_event *e =
			verify_at(v, it->item.session, first_seq + (int64_t)i);
		there += e && same_event(&e->ev, &it->events[i]);
	}
	return there;
}

static int64_t
seq_of(const struct trial_item *it, const struct verify *v)
{
	const struct verify_event *e =
		it->item.event_count > 0 ? verify_find(v, it->events[0].id) : NULL;

	return e && str_eq(e->session, it->item.session) ? e->ev.seq : 0;
}

static void
check_acknowledged(const struct trial_item *it, struct verify *v)
{
	const struct verify_event *head = verify_at(v, it->item.session, it->result.head_seq);

	if (it->item.event_count == 0)
		return;
	if (events_there(it, v, it->result.first_seq) != it->item.event_count)
		verify_problem(v, "LOST: acknowledged " STR_FMT " of " STR_FMT,
			       STR_ARG(it->events[0].id), STR_ARG(it->item.session));
	else if (!head || memcmp(&head->hash, &it->result.head_hash, sizeof head->hash) != 0)
		verify_problem(v, "the hash of " STR_FMT " is not the one acknowledged",
			       STR_ARG(it->events[0].id));
}

static void
check_unacknowledged(const struct trial_item *it, struct verify *v)
{
	bool may_be_there = !it->answered || it->result.rc == ERR_UNAVAILABLE;
	int64_t seq = seq_of(it, v);
	size_t there = seq ? events_there(it, v, seq) : 0;

	for (size_t i = 0; seq == 0 && i < it->item.event_count; i++)
		there += verify_find(v, it->events[i].id) != NULL;
	if (there > 0 && there < it->item.event_count)
		verify_problem(v, "HALF: " STR_FMT " of " STR_FMT, STR_ARG(it->events[0].id),
			       STR_ARG(it->item.session));
	else if (there > 0 && !may_be_there)
		verify_problem(v, "TRACE: " STR_FMT " was refused (%s: %s) but is there",
			       STR_ARG(it->events[0].id), err_name(it->result.rc),
			       it->result.err.text);
}

/* A record that is written again and again: the last one acknowledged, or one sent after it. */
struct record_check {
	const struct trial *t;
	struct verify *v;
	struct str kind, id;
	bool there, good;
};

static bool
is_put_of(const struct trial_item *it, const struct record_check *c)
{
	return it->item.put_count == 1 && str_eq(it->put.record.kind, c->kind) &&
	       str_eq(it->put.record.id, c->id);
}

static bool
on_record(void *ctx, const struct store_row *row)
{
	struct record_check *c = ctx;
	bool later = true;

	c->there = true;
	for (size_t i = c->t->items.len; i-- > 0 && later;) {
		const struct trial_item *it = c->t->items.ptr[i];
		if (!is_put_of(it, c))
			continue;
		c->good = c->good || str_eq(row->record->body, it->put.record.body);
		later = !(it->answered && it->result.rc == 0);
	}
	return true;
}

static void
check_record(const struct trial *t, size_t first, struct store *s, struct verify *v)
{
	const struct trial_item *it = t->items.ptr[first];
	struct record_check c = { t, v, it->put.record.kind, it->put.record.id, false, false };
	struct store_query q = { .kind = STORE_GET_RECORD,
				 .record_kind = c.kind,
				 .record_id = c.id };
	bool more, any_acked = false;
	struct err e;

	for (size_t i = first; i < t->items.len; i++) {
		it = t->items.ptr[i];
		any_acked = any_acked || (is_put_of(it, &c) && it->answered && it->result.rc == 0);
	}
	if (await_read(s, &q, on_record, &c, &more, &e) != 0)
		verify_problem(v, "a record cannot be read: %s", e.text);
	else if (any_acked ? !c.good : c.there && !c.good)
		verify_problem(v, "LOST: record " STR_FMT " is not what was acknowledged",
			       STR_ARG(c.id));
}

static void
check_records(const struct trial *t, struct store *s, struct verify *v)
{
	for (size_t i = 0; i < t->items.len; i++)
		if (t->items.ptr[i]->item.put_count > 0) {
			check_record(t, i, s, v); /* the trials know one record only */
			return;
		}
}

void
trial_check(const struct trial *t, struct store *s, struct verify *v)
{
	size_t sent = 0, there = v->events.count;

	for (size_t i = 0; i < t->items.len; i++) {
		const struct trial_item *it = t->items.ptr[i];
		for (size_t k = 0; k < it->item.event_count; k++)
			sent += verify_find(v, it->events[k].id) != NULL;
		if (it->answered && it->result.rc == 0)
			check_acknowledged(it, v);
		else
			check_unacknowledged(it, v);
	}
	if (sent != there)
		verify_problem(v, "%zu events are there, %zu of them were sent", there, sent);
	check_records(t, s, v);
}

static void
repeat(const struct trial_item *it, struct store *s, struct verify *v)
{
	struct str name = it->key.name;
	int64_t seq = seq_of(it, v);
	struct store_result r = await_append(s, &it->item);
	bool was_acked = it->answered && it->result.rc == 0;

	if (seq > 0 && r.rc != STORE_REPLAYED)
		verify_problem(v, "key " STR_FMT ": a repeat gives %d (%s), not a replay",
			       STR_ARG(name), r.rc, r.err.text);
	else if (seq > 0 &&
		 (r.first_seq != seq || (was_acked && r.head_seq != it->result.head_seq)))
		verify_problem(v, "key " STR_FMT ": the replay names another place", STR_ARG(name));
	else if (seq == 0 && r.rc == STORE_REPLAYED)
		verify_problem(v, "key " STR_FMT ": the key is there, its item is not",
			       STR_ARG(name));
}

static void
repeat_otherwise(const struct trial_item *it, struct store *s, struct verify *v)
{
	struct store_item other = it->item;
	struct store_key key = it->key;
	struct store_result r;

	key.request = sha256_of(STR("another request"));
	other.keys = &key;
	r = await_append(s, &other);
	if (r.rc != ERR_MISMATCH)
		verify_problem(v, "key " STR_FMT ": another request gives %d", STR_ARG(key.name),
			       r.rc);
}

void
trial_repeat(struct trial *t, struct store *s, struct verify *v)
{
	for (size_t i = 0; i < t->items.len; i++) {
		const struct trial_item *it = t->items.ptr[i];
		if (it->item.key_count == 0)
			continue;
		repeat(it, s, v);
		if (seq_of(it, v) > 0)
			repeat_otherwise(it, s, v);
	}
}
