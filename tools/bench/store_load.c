#include "store_load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/rand.h"
#include "base/xalloc.h"
#include "core/event_make.h"
#include "store/sqlite/sqlite.h"

enum { PAYLOADS = 64, SAMPLE_MS = 500, NAME_MAX_BYTES = 48 };
static const int64_t NEVER_MS = INT64_C(9000000000000);

/* One item on its way, and all that it points to. */
struct caller {
	struct store_load *load;
	struct store_item item;
	struct event event;
	struct store_key key;
	char session[NAME_MAX_BYTES], id[NAME_MAX_BYTES];
};

struct store_load {
	struct store *store;
	struct caller callers[LOAD_CALLERS_MAX];
	char payloads[PAYLOADS][LOAD_PAYLOAD_BYTES + 1];
	struct rand rand;
	int64_t made, acked, limit; /* limit: no more than so many are made */
	int64_t until_ns;           /* nor any after this; 0: no such end */
	int on_their_way;
	bool again; /* an answer sends the next */
};

static void
refuse(const struct err *e)
{
	fprintf(stderr, "store_load: %s\n", e->text);
	abort();
}

/* Words as people use them, so that the search index has something to do. */
static void
make_payloads(struct store_load *l)
{
	static const char HEAD[] =
		"{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"";
	static const char TAIL[] = "\"}]}";
	struct buf text;

	buf_init(&text, 4096);
	for (int i = 0; i < PAYLOADS; i++) {
		buf_clear(&text);
		buf_puts(&text, HEAD);
		while (text.len < LOAD_PAYLOAD_BYTES - sizeof TAIL - 8)
			buf_printf(&text, "w%llx ", (unsigned long long)rand_below(&l->rand, 5000));
		while (text.len < LOAD_PAYLOAD_BYTES - sizeof TAIL + 1)
			buf_putc(&text, '.');
		buf_puts(&text, TAIL);
		memcpy(l->payloads[i], text.ptr, LOAD_PAYLOAD_BYTES);
	}
	buf_release(&text);
}

static void
fill(struct caller *c)
{
	struct store_load *l = c->load;
	int64_t n = l->made++;
	struct str payload = { l->payloads[n % PAYLOADS], LOAD_PAYLOAD_BYTES };
	int session = (int)(n * 7919 % LOAD_SESSIONS);

	snprintf(c->session, sizeof c->session, "sesn_%032d", session);
	snprintf(c->id, sizeof c->id, "evt_%032lld", (long long)n);
	c->event = (struct event){ .id = str_of(c->id),
				   .kind = EVENT_USER_MESSAGE,
				   .author = AUTHOR_USER,
				   .created_at_ms = clock_now_ms(),
				   .meta = STR("{\"class\":\"trigger\"}"),
				   .payload = payload };
	c->key = (struct store_key){ .kind = STORE_KEY_IDEMPOTENCY,
				     .scope = STR("user_1 POST /v1/sessions/events"),
				     .name = c->event.id,
				     .expires_at_ms = NEVER_MS };
	memcpy(c->key.request.bytes, &n, sizeof n);
	c->item = (struct store_item){ .session = str_of(c->session),
				       .require.lifecycles = 1u << LIFECYCLE_ACTIVE,
				       .events = &c->event,
				       .event_count = 1,
				       .keys = &c->key,
				       .key_count = 1 };
}

static void on_done(void *ctx, const struct store_result *r);

static void
send_next(struct caller *c)
{
	fill(c);
	c->load->on_their_way++;
	store_append(c->load->store, &c->item, on_done, c);
}

static bool
goes_on(const struct store_load *l)
{
	return l->made < l->limit && (l->until_ns == 0 || clock_monotonic_ns() < l->until_ns);
}

static void
on_done(void *ctx, const struct store_result *r)
{
	struct caller *c = ctx;

	if (r->rc != 0)
		refuse(&r->err);
	c->load->on_their_way--;
	c->load->acked++;
	if (c->load->again && goes_on(c->load))
		send_next(c);
}

static void
settle(struct store_load *l)
{
	while (l->on_their_way > 0) {
		store_wait(l->store, 1000);
		store_dispatch(l->store);
	}
}

static void
send_all(struct store_load *l, int callers)
{
	for (int i = 0; i < callers && l->made < l->limit; i++)
		send_next(&l->callers[i]);
	settle(l);
}

static double
sample(struct store_load *l, int callers, bool bursts)
{
	int64_t start_ns = clock_monotonic_ns(), from = l->acked;

	l->limit = INT64_MAX;
	l->until_ns = start_ns + (int64_t)SAMPLE_MS * 1000000;
	l->again = !bursts;
	do
		send_all(l, callers);
	while (bursts && goes_on(l));
	return (double)(l->acked - from) * 1e9 / (double)(clock_monotonic_ns() - start_ns);
}

double
store_load_per_second(struct store_load *l, int callers)
{
	return sample(l, callers, false);
}

double
store_load_bursts_per_second(struct store_load *l, int burst)
{
	return sample(l, burst, true);
}

void
store_load_send(struct store_load *l, int64_t messages)
{
	l->limit = l->made + messages;
	l->until_ns = 0;
	l->again = true;
	send_all(l, LOAD_CALLERS_MAX);
}

int64_t
store_load_sent(const struct store_load *l)
{
	return l->made;
}

struct store *
store_load_store(struct store_load *l)
{
	return l->store;
}

static void
on_created(void *ctx, const struct store_result *r)
{
	if (r->rc != 0)
		refuse(&r->err);
	((struct store_load *)ctx)->on_their_way--;
}

static void
create_sessions(struct store_load *l)
{
	struct make_created m = { .agent_id = STR("main"),
				  .agent_version = 1,
				  .environment_id = STR("local-default"),
				  .workspace_id = STR("main"),
				  .source = STR("{\"kind\":\"api\"}") };
	struct buf payload;

	buf_init(&payload, 4096);
	event_make_created(&payload, &m);
	for (int i = 0; i < LOAD_SESSIONS; i++) {
		struct caller *c = &l->callers[i % LOAD_CALLERS_MAX];
		snprintf(c->session, sizeof c->session, "sesn_%032d", i);
		snprintf(c->id, sizeof c->id, "evt_created%025d", i);
		c->event = (struct event){ .id = str_of(c->id),
					   .kind = EVENT_SESSION_CREATED,
					   .author = AUTHOR_SYSTEM,
					   .created_at_ms = clock_now_ms(),
					   .payload = buf_str(&payload) };
		c->item = (struct store_item){ .session = str_of(c->session),
					       .require.absent = true,
					       .events = &c->event,
					       .event_count = 1 };
		l->on_their_way++;
		store_append(l->store, &c->item, on_created, l);
		if (i % LOAD_CALLERS_MAX == LOAD_CALLERS_MAX - 1)
			settle(l);
	}
	settle(l);
	buf_release(&payload);
}

struct store_load *
store_load_new(const char *directory)
{
	struct store_sqlite_config config = { .directory = directory, .incarnation = STR("bench") };
	struct store_load *l = xcalloc(1, sizeof *l);
	struct err e;

	rand_init_seed(&l->rand, 1);
	make_payloads(l);
	for (size_t i = 0; i < ARRAY_LEN(l->callers); i++)
		l->callers[i].load = l;
	if (store_sqlite_open(&l->store, &config, (struct store_owner){ 0 }, &e) != 0)
		refuse(&e);
	create_sessions(l);
	return l;
}

void
store_load_free(struct store_load **p)
{
	struct store_load *l = TAKE(*p);

	if (!l)
		return;
	store_free(&l->store);
	free(l);
}
