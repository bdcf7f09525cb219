/* source - where a message came from: the descriptor every inbound message carries.
 * It is a record, not a decision: the lane it leads to is session_key's question, whether it wakes
 * the agent is route_policy's. An absent text is empty; JSON null and "" both read as absent. */
#pragma once
#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/str.h"
#include "core/principal.h"

enum source_chat_type { SOURCE_DM, SOURCE_GROUP, SOURCE_CHANNEL, SOURCE_THREAD };

struct source {
	struct str platform; /* telegram, discord, …, local; never empty */
	struct str chat_id, chat_name;
	enum source_chat_type chat_type; /* absent reads as dm */
	struct str user_id, user_name;
	struct str thread_id;      /* forum topic, Discord or Slack thread */
	struct str chat_topic;     /* the channel's own description */
	struct str user_id_alt;    /* stable where user_id is not (Signal UUID, Feishu union id) */
	struct str chat_id_alt;    /* Signal's internal group id */
	bool is_bot;               /* the author is a bot or a webhook */
	struct str guild_id;       /* Discord guild, Slack workspace, Matrix server */
	struct str parent_chat_id; /* the channel, when chat_id is a thread */
	struct str message_id;     /* the triggering message: what a reply quotes */
	bool role_authorized;      /* let in by a platform role, not by name */
};

/* "dm", "group", "channel", "thread". */
const char *source_chat_type_name(enum source_chat_type type);
bool source_chat_type_parse(struct str word, enum source_chat_type *out);
/* May stand as one segment of a session key (platforms, agent ids): 1 to 64 of [A-Za-z0-9._-].
 * Without ':' a key's fixed segments can always be told from the ids behind them. */
bool source_segment_valid(struct str word);

/* A platform of chats, whose messages a channel carries, whether one is configured or not. */
bool source_is_chat_platform(struct str platform);

/* Reads the descriptor; unknown fields are refused. Text stays in the document or in a. */
NODISCARD int source_decode(struct json v, struct arena *a, struct source *out, struct err *e);
/* All 15 fields, absent ones as null: decoding the result gives an equal source. */
void source_encode(const struct source *s, struct jw *out);

/* For people: "DM with Alice", "group: My Group, thread: 12345"; ids stand in for missing names.
 * The text is not quoted: what goes to a model goes through context_text. */
void source_describe(const struct source *s, struct buf *out);

/* The words a message may claim because of who wrote it, before any routing. */
enum source_admission {
	SOURCE_DROP,  /* our own message come back: not even stored */
	SOURCE_STORE, /* part of the conversation, never wakes the agent */
	SOURCE_ACCEPT /* route_policy decides */
};
/* is_own: written by the account the agent speaks through. Bots wake the agent only where
 * allow_bots says so, else two bots could talk to each other for ever. */
enum source_admission source_admit(const struct source *s, bool is_own, bool allow_bots);
/* The role that counts for this one message: a platform role makes a stranger or guest a user
 * while it lasts, so the result must not be stored. */
enum role source_role(const struct source *s, enum role known);
