#include "core/session_key.h"

#include "base/buf.h"

const struct session_key_policy SESSION_KEY_POLICY_DEFAULT = { .group_per_user = true };

static struct str
either(struct str first, struct str second)
{
	return first.len > 0 ? first : second;
}

static struct str
stable_id(const struct source *s, const struct session_key_policy *p, struct str id)
{
	if (str_eq(s->platform, STR("whatsapp")))
		return whatsapp_id_canonical(p->aliases, id);
	return id;
}

static struct str
key_text(const struct session_key *k, struct arena *a)
{
	const struct str ids[] = { k->peer, k->thread_id, k->participant };
	struct buf text;
	struct str kept;

	buf_init(&text, SIZE_MAX);
	buf_puts(&text, "agent:");
	buf_put_str(&text, k->agent_id);
	buf_putc(&text, ':');
	buf_put_str(&text, k->platform);
	buf_printf(&text, ":%s", source_chat_type_name(k->chat_type));
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		if (ids[i].len > 0) {
			buf_putc(&text, ':');
			buf_put_str(&text, ids[i]);
		}
	}
	kept = arena_str(a, buf_str(&text));
	buf_release(&text);
	return kept;
}

struct session_key
session_key_decide(const struct source *s, const struct session_key_policy *p, struct arena *a)
{
	struct str chat_id = stable_id(s, p, s->chat_id);
	struct str participant =
		either(stable_id(s, p, s->user_id_alt), stable_id(s, p, s->user_id));
	struct session_key k = {
		.in_room = s->chat_type != SOURCE_DM,
		.agent_id = either(p->agent_id, STR("main")),
		.platform = s->platform,
		.chat_type = s->chat_type,
		.peer = chat_id,
		.thread_id = s->thread_id,
	};

	if (!k.in_room) {
		k.peer = either(chat_id, participant);
	} else {
		bool per_user = s->thread_id.len > 0 ? p->thread_per_user : p->group_per_user;

		k.shared = !per_user || participant.len == 0;
		if (!k.shared)
			k.participant = participant;
	}
	k.text = key_text(&k, a);
	return k;
}

struct sha256
session_key_identity(const struct session_key *k)
{
	const struct str parts[] = {
		k->agent_id, k->platform,  str_of(source_chat_type_name(k->chat_type)),
		k->peer,     k->thread_id, k->participant,
	};
	struct buf all;
	struct sha256 digest;

	buf_init(&all, SIZE_MAX);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_printf(&all, "%zu:", parts[i].len); /* no part can forge a border */
		buf_put_str(&all, parts[i]);
	}
	digest = sha256_of(buf_str(&all));
	buf_release(&all);
	return digest;
}

bool
session_key_parse(struct str text, struct session_key_parts *out)
{
	struct session_key_parts parts;
	struct str head, rest, type;
	bool has_ids;

	if (!str_cut(text, ':', &head, &rest) || !str_eq(head, STR("agent")))
		return false;
	if (!str_cut(rest, ':', &parts.agent_id, &rest) || !source_segment_valid(parts.agent_id))
		return false;
	if (!str_cut(rest, ':', &parts.platform, &rest) || !source_segment_valid(parts.platform))
		return false;
	has_ids = str_cut(rest, ':', &type, &parts.ids);
	if (!source_chat_type_parse(type, &parts.chat_type) || (has_ids && parts.ids.len == 0))
		return false;
	*out = parts;
	return true;
}

struct session_key_move
session_key_move_decide(const struct source *s, const struct session_key_policy *p,
			const struct whatsapp_aliases *now, struct arena *a)
{
	struct session_key_policy next = *p;
	struct session_key_move move;

	next.aliases = now;
	move.from = session_key_decide(s, p, a);
	move.to = session_key_decide(s, &next, a);
	move.needed = !str_eq(move.from.text, move.to.text);
	return move;
}
