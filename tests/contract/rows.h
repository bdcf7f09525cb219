/* rows - one page of a read, copied. */
#pragma once
#include "base/arena.h"
#include "base/vec.h"
#include "store/store.h"

struct rig;

struct rows {
	int rc;
	bool more, done;
	size_t stop_after; /* 0: take all */
	struct err err;
	struct arena arena; /* of the copies: rows come on another thread */
	VEC(struct store_session) sessions;
	VEC(struct store_event) events;
	VEC(struct input_row) inputs;
	VEC(struct call_row) calls;
	VEC(struct store_item_row) items;
	VEC(struct store_record) records;
	VEC(struct store_key) keys;
	struct rig *rig;
	bool inside_call;
};
/* A store_row_fn; ctx is the struct rows. */
bool rows_take(void *ctx, const struct store_row *row);
void rows_release(struct rows *rows);
struct event rows_keep_event(struct arena *a, const struct event *ev);
