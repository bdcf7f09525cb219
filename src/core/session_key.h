/* session_key - which conversation lane does a message belong to, and who shares it?
 *
 *   agent:<agent>:<platform>:<chat_type>[:<chat_id>][:<thread_id>][:<participant>]
 *
 * One decision gives both the key and shared, so that they cannot disagree:
 *   dm       always private. chat id, else the participant in its place; then the thread.
 *   thread   (any other chat type with a thread id) shared unless thread_per_user.
 *   room     (any other chat type without one) isolated if group_per_user.
 *   Isolation needs a participant id, user_id_alt before user_id; without one a room is shared.
 * Ids stay raw and empty parts are left out. WhatsApp ids are canonical first (core/whatsapp_id).
 *
 * Raw ids may contain ':', and a thread 7 and a user 7 of one group read alike, so two lanes can
 * share a text. The fixed segments cannot be forged (source_segment_valid), so this stays within
 * one agent, platform and chat type; session_key_identity tells such lanes apart. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/sha256.h"
#include "base/str.h"
#include "core/source.h"
#include "core/whatsapp_id.h"

struct session_key_policy {
	struct str agent_id; /* empty: main; else source_segment_valid */
	bool group_per_user, thread_per_user;
	const struct whatsapp_aliases *aliases; /* NULL: none known */
};
/* Agent main, groups per user, threads shared, no aliases. */
extern const struct session_key_policy SESSION_KEY_POLICY_DEFAULT;

struct session_key {
	struct str text;
	bool shared;  /* several people speak in it; also the session's type: group, else direct */
	bool in_room; /* not a dm: the mention rule of route_policy applies, isolated or not */
	/* What the text is made of. peer is the chat, or the participant of a dm without one. */
	struct str agent_id, platform;
	enum source_chat_type chat_type;
	struct str peer, thread_id, participant; /* participant only when it isolates */
};

/* Total: cannot fail. Text is made in a; the parts may be views of the source. */
struct session_key
session_key_decide(const struct source *s, const struct session_key_policy *p, struct arena *a);
/* Equal exactly when the parts are: what a store may hold unique where the text is ambiguous. */
struct sha256 session_key_identity(const struct session_key *k);

/* A key taken apart again; views of the text. Where one id ends and the next begins the raw text
 * does not say, so they stay together. */
struct session_key_parts {
	struct str agent_id, platform;
	enum source_chat_type chat_type;
	struct str ids; /* empty when nothing identified the conversation */
};
bool session_key_parse(struct str text, struct session_key_parts *out);

/* New aliases moved the lane of this source: its row goes from one key to the other, so that the
 * conversation is carried over and not split. */
struct session_key_move {
	bool needed;
	struct session_key from, to;
};
/* p holds the old aliases. */
struct session_key_move
session_key_move_decide(const struct source *s, const struct session_key_policy *p,
			const struct whatsapp_aliases *now, struct arena *a);
