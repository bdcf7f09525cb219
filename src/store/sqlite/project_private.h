/* project_private - shared by the parts of a projection: project.c (the session), project_input.c
 * (queue and consumption), project_call.c (tool calls), project_item.c (transcript). */
#pragma once
#include "store/sqlite/project.h"

/* The refusal: names the seq. */
int
project_refuse(const struct project_step *s, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A string member of the payload; empty: none. */
struct str project_text(const struct project_step *s, const char *name);

/* project_input.c */
int project_input_arrive(struct project_step *s, struct err *e);
/* classes: bit set of the classes that may be consumed. */
int project_input_consume(struct project_step *s, unsigned classes, struct err *e);
int project_input_edit(struct project_step *s, struct err *e);
int project_input_cancel(struct project_step *s, struct err *e);
/* A turn ends at s: passive inputs that arrived in it get their place, answers and interrupts that
 * are left count as processed. */
int project_input_turn_ended(struct project_step *s, struct err *e);

/* project_call.c */
int project_call_open(struct project_step *s, struct err *e);
int project_call_result(struct project_step *s, struct err *e);
int project_call_answer_arrives(struct project_step *s, struct err *e);
int project_call_answer_consumed(struct project_step *s, struct str answer_id, struct err *e);
int project_call_check_park(struct project_step *s, struct err *e);
int project_call_check_all_closed(struct project_step *s, struct err *e);
int project_call_forget(struct project_step *s, struct err *e);

/* A place in a transcript as its key orders it: a summary comes before what shares its place. */
struct project_place {
	int64_t at_seq, at_index, sub, seq;
};

/* project_fork.c */
struct project_inherited {
	int64_t rank; /* of the part it stands in */
	struct project_place place;
	int role; /* enum item_role; -1: it is not there */
};
int project_fork_begin(struct project_step *s, struct err *e);
/* The entry in view among what was inherited. */
int project_fork_find(struct project_step *s, struct str id, struct project_inherited *out,
		      struct err *e);
int
project_fork_rewind(struct project_step *s, const struct project_inherited *target, struct err *e);
/* What stands before kept; NULL: everything inherited. */
int
project_fork_archive(struct project_step *s, const struct project_inherited *kept, struct err *e);
int project_fork_restore(struct project_step *s, int64_t summary, struct err *e);

/* project_item.c */
int project_item_add(struct project_step *s, const struct item_row *item, struct err *e);
int project_item_rewind(struct project_step *s, struct err *e);
int project_item_compact(struct project_step *s, struct err *e);
