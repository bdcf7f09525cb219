/* ingress - what clients send: checked, classified once, committed, acknowledged; then the session is
 * woken. Commands of engine.h: engine_send, engine_post. */
#pragma once
#include "engine/commit.h"

enum { INGRESS_EVENTS_MAX = 500, INGRESS_INITIAL_MAX = 50 };

/* One client event, ready for a commit. */
struct ingress_input {
	enum event_kind kind;
	enum input_class class;
	struct str id, meta, payload;
	/* of an answer */
	struct str call;    /* the event it answers */
	bool allow, always; /* of a confirmation */
	struct str rules; /* of one for good: body of the record (engine/allow_always); or empty */
};
struct ingress_batch {
	struct ingress_input *inputs;
	size_t count;
	bool has_trigger;
	bool wakes; /* something in it makes the engine look at the session */
};

struct ingress_facts {
	struct str sender; /* who, as collect compares it */
	enum busy_mode busy;
	bool routed; /* route_policy said: run a turn */
	bool append_only;
	struct str group; /* initial_events share a turn; empty: none */
};
/* From the API's array of events; errors name the path. Texts stay in the document or in a. */
NODISCARD int ingress_read(struct engine *en, struct arena *a, struct json events,
			   const struct ingress_facts *f, struct ingress_batch *out, struct err *e);
/* What the sender must be allowed to do: who executes tools may send results and nothing else, who only posts
 * neither interrupts nor approves. */
enum access_verb ingress_verb(struct json events);
/* The same from a message of the API's; with busy interrupt a user.interrupt stands before it. */
NODISCARD int
ingress_read_message(struct engine *en, struct arena *a, const struct engine_message *m,
		     const struct ingress_facts *f, struct ingress_batch *out, struct err *e);
/* What can be said before the session is known; names the sender's channel in *caller. */
NODISCARD int ingress_check_message(const struct engine_message *m, struct engine_caller *caller,
				    struct arena *a, struct err *e);
/* The text of an input's meta. */
struct str ingress_meta(struct engine *en, struct arena *a, const struct input_meta *meta);
/* Adds a system.message of the server's own, which stands where it is and wakes nobody. */
void ingress_append_note(struct engine *en, struct commit *c, struct str text);
/* Adds the batch's events to c; its texts must stay until done. */
void ingress_append(struct commit *c, const struct ingress_batch *batch);
