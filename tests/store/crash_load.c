#include "crash_load.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "core/event_make.h"

enum { TEXT_BYTES = 500, LINE_MAX_BYTES = 1024 };
static const int64_t MADE_MS = INT64_C(1800000000000), NEVER_MS = INT64_C(9000000000000);

struct str
load_session(struct arena *a, int n)
{
	return arena_printf(a, "c%d", n);
}

void
load_event(struct load_item *it, struct arena *a, enum event_kind kind, struct str id,
	   struct str turn, struct str payload)
{
	it->events[it->item.event_count++] = (struct event){
		.id = arena_str(a, id),
		.kind = kind,
		.author = event_usual_author(kind),
		.created_at_ms = MADE_MS,
		.turn = turn,
		.payload = arena_str(a, payload),
	};
	it->item.events = it->events;
}

/* Its time is over with the message itself: the store has keys to forget while it is killed. */
static void
add_brief_key(struct load_item *it)
{
	it->keys[1] = it->keys[0];
	it->keys[1].kind = STORE_KEY_DEDUPE;
	it->keys[1].expires_at_ms = MADE_MS;
	it->item.key_count = 2;
}

void
load_message(struct load_item *it, struct arena *a, struct str name)
{
	struct str rest;
	struct buf text;

	*it = (struct load_item){ 0 };
	str_cut(name, '.', &it->item.session, &rest);
	it->item.session = arena_str(a, it->item.session);
	buf_init(&text, 4096);
	buf_puts(&text, "{\"type\":\"user.message\",\"content\":[{\"type\":\"text\",\"text\":\"");
	while (text.len < TEXT_BYTES)
		buf_printf(&text, STR_FMT " at %zu. ", STR_ARG(name), text.len);
	buf_puts(&text, "\"}]}");
	load_event(it, a, EVENT_USER_MESSAGE, name, (struct str){ 0 }, buf_str(&text));
	it->events[0].meta = STR("{\"class\":\"trigger\"}");
	it->keys[0] = (struct store_key){ .kind = STORE_KEY_IDEMPOTENCY,
					  .scope = STR("user_1 POST /v1/sessions/events"),
					  .name = it->events[0].id,
					  .request = sha256_of(buf_str(&text)),
					  .expires_at_ms = NEVER_MS };
	it->item.keys = it->keys;
	it->item.key_count = 1;
	if (name.ptr[name.len - 1] % 2 == 0)
		add_brief_key(it);
	buf_release(&text);
}

void
load_created(struct load_item *it, struct arena *a, struct str session)
{
	struct make_created m = { .agent_id = STR("main"),
				  .agent_version = 1,
				  .environment_id = STR("local-default"),
				  .source = STR("{\"kind\":\"api\"}") };
	struct buf out;

	*it = (struct load_item){ .item.session = session, .item.require.absent = true };
	buf_init(&out, 4096);
	event_make_created(&out, &m);
	load_event(it, a, EVENT_SESSION_CREATED,
		   arena_printf(a, STR_FMT ".created", STR_ARG(session)), (struct str){ 0 },
		   buf_str(&out));
	buf_release(&out);
}

static void
journal(int fd, const char *line, int len)
{
	if (len < 0 || len >= LINE_MAX_BYTES || write(fd, line, (size_t)len) != len)
		abort();
}

void
load_journal_sent(int fd, struct str name)
{
	char line[LINE_MAX_BYTES];

	journal(fd, line, snprintf(line, sizeof line, "S " STR_FMT "\n", STR_ARG(name)));
}

void
load_journal_acked(int fd, struct str session, const struct store_result *r, struct str name)
{
	char line[LINE_MAX_BYTES], hash[SHA256_HEX + 1];

	sha256_hex(&r->head_hash, SHA256_BYTES, hash);
	journal(fd, line,
		snprintf(line, sizeof line, "A " STR_FMT " %lld %lld %s " STR_FMT "\n",
			 STR_ARG(session), (long long)r->first_seq, (long long)r->head_seq, hash,
			 STR_ARG(name.len > 0 ? name : STR("-"))));
}

void
load_journal_error(int fd, const struct err *e)
{
	char line[LINE_MAX_BYTES];

	journal(fd, line, snprintf(line, sizeof line, "E %s: %s\n", err_name(e->code), e->text));
}
