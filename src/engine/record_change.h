/* record_change - one command that changes records: may the caller? is it a repeat? then what it needs
 * is read, decided by the core, committed, answered. Decided again when somebody was quicker. */
#pragma once
#include "engine/commit.h"

struct record_change;

/* A record to be read before the decision. */
struct record_read {
	struct str kind, id;
	bool found;
	struct json body; /* parsed */
	int64_t version;  /* of the record; 0: not found */
};

struct record_plan {
	enum access_verb verb;
	/* Checks what needs no other record, sets ch->id of a new one, names what is to be read. */
	int (*prepare)(struct record_change *ch, struct err *e);
	/* May look further, and then calls record_change_go_on; NULL: nothing more to see. */
	void (*look)(struct record_change *ch);
	/* Fills the commit and sets ch->version; nothing is written when it stays empty. */
	int (*decide)(struct record_change *ch, struct commit *c, struct err *e);
	/* Written: before the answer, not on a replay. May be NULL. */
	void (*written)(struct record_change *ch);
};

/* What a coordinator names, an agent's environments, and the agent itself. */
enum { RECORD_READS_MAX = 24 + 32 };

struct record_change {
	struct engine *en;
	const struct record_plan *plan;
	struct engine_call call;
	struct arena arena; /* lives as long as the change */
	struct json body;   /* of the request; absent: none */
	struct str id;
	int64_t version;
	struct str secret; /* wiped after the answer */
	void *own;         /* the plan's */
	struct record_read reads[RECORD_READS_MAX];
	size_t read_count, read_at;
	bool fills; /* decide has put something into the commit */
	int tries;
};

/* call->caller NULL: the engine itself asks, and nobody's right is needed. */
void record_change_start(struct engine *en, const struct record_plan *plan,
			 const struct engine_call *call, struct str id, struct json body);
/* The look is over: rc 0, or why not. */
void record_change_go_on(struct record_change *ch, int rc, const struct err *err);

/* For prepare. */
void record_change_read(struct record_change *ch, struct str kind, struct str id);
/* For decide: puts a record of the change's arena; if_version as store_put says. */
void record_change_put(struct record_change *ch, struct commit *c, const struct store_record *r,
		       int64_t if_version);
