#include "sim_store.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim_node.h"
#include "sim_referee.h"
#include "sim_world.h"

struct job {
	struct list link;
	enum sim_job kind;
	int session;                   /* SIM_NONE: of none */
	const struct store_item *item; /* NULL: a read */
	store_append_fn *appended;
	struct store_query query;
	store_row_fn *row;
	store_read_fn *read;
	void *ctx;
	int64_t due_ms; /* of its effect, then of its answer */
	bool took_effect;
	struct store_result result;
	struct arena texts; /* of the result */
	bool more;
	bool zombie; /* asked by a process that lost its leases */
};

struct sim_store {
	struct store port;
	struct sim_node *node;
	struct world *w;
	struct list appends, reads; /* in the order asked for */
	bool dead;
};

static struct sim_store *
store_of(struct store *s)
{
	return (struct sim_store *)s;
}

/* ---- being asked ---- */

static enum sim_job
kind_of_item(const struct store_item *item)
{
	if (item->event_count == 0)
		return SIM_JOB_RECORD;
	switch (item->lease) {
	case STORE_LEASE_TAKE: return SIM_JOB_TAKE;
	case STORE_LEASE_BREAK: return SIM_JOB_BREAK;
	case STORE_LEASE_KEEP:
	case STORE_LEASE_RELEASE: break;
	}
	return item->events[0].turn.len > 0 ? SIM_JOB_TURN : SIM_JOB_INPUT;
}

static void
submit(struct sim_store *s, struct list *to, struct job job)
{
	struct job *kept = xmalloc(sizeof *kept);

	*kept = job;
	kept->due_ms = s->w->clock.steady_ms + sim_delay_ms(s->w);
	arena_init(&kept->texts);
	list_append(to, &kept->link);
}

static void
on_append(struct store *port, const struct store_item *item, store_append_fn *done, void *ctx)
{
	struct sim_store *s = store_of(port);

	submit(s, &s->appends,
	       (struct job){ .kind = kind_of_item(item),
			     .session = sim_session_index(item->session),
			     .item = item,
			     .appended = done,
			     .ctx = ctx });
}

static void
on_read(struct store *port, const struct store_query *q, store_row_fn *row, store_read_fn *done,
	void *ctx)
{
	struct sim_store *s = store_of(port);

	submit(s, &s->reads,
	       (struct job){ .kind = q->kind == STORE_LIST_ITEMS ? SIM_JOB_CONTEXT : SIM_JOB_READ,
			     .session = sim_session_index(q->kind == STORE_GET_RECORD ? q->record_id
										      : q->session),
			     .query = *q,
			     .row = row,
			     .read = done,
			     .ctx = ctx });
}

/* ---- effects ---- */

static void
on_appended(void *ctx, const struct store_result *result)
{
	struct job *job = ctx;

	job->result = *result;
	job->result.session = arena_str(&job->texts, result->session);
	job->result.answer = arena_str(&job->texts, result->answer);
}

static void
fail(struct job *job, int code, const char *sentence)
{
	job->result = (struct store_result){ .rc = err_set(&job->result.err, code, "%s", sentence),
					     .err = job->result.err };
}

static bool
is_of_turn(const struct job *job)
{
	return job->kind == SIM_JOB_TAKE || job->kind == SIM_JOB_BREAK || job->kind == SIM_JOB_TURN;
}

/* A holder whose fence is good writes what the log refuses: it made a mistake. A taker may only be
 * late. */
static void
judge_refusal(struct sim_store *s, const struct job *job)
{
	if (job->result.rc == ERR_CONFLICT && is_of_turn(job) && job->kind != SIM_JOB_TAKE &&
	    str_starts(str_of(job->result.err.text), STR("seq ")))
		sim_fail(s->w, SIM_CLAUSE_LOG, "the log refuses what a turn writes: %s",
			 job->result.err.text);
}

static void
judge_outcome(struct sim_store *s, const struct job *job)
{
	if (!is_of_turn(job) || job->result.rc == 0)
		return;
	sim_referee_doubt(s->w, job->session);
	if (str_starts(str_of(job->result.err.text), STR("fence ")))
		sim_saw(s->w, SIM_SCENE_FENCED);
}

static void
carry_out(struct sim_store *s, struct job *job)
{
	store_append(s->w->truth, job->item, on_appended, job);
	while (store_dispatch(s->w->truth) > 0)
		;
	if (job->result.rc == 0)
		sim_referee_commit(s->w, s->node, job->item, &job->result);
	else if (job->result.rc < 0)
		judge_refusal(s, job);
	s->port.change_head = store_change_head(s->w->truth);
}

static enum sim_fault
failing(const struct job *job)
{
	return is_of_turn(job) ? SIM_COMMIT_FAILS : SIM_INPUT_FAILS;
}

static void
effect_append(struct sim_store *s, struct job *job)
{
	const struct sim_rules *rules = &s->w->rules;
	bool ours = is_of_turn(job) || job->kind == SIM_JOB_INPUT;

	if (s->node->is_zombie && job->kind == SIM_JOB_TAKE) {
		fail(job, sim_chance(s->w, 500) ? ERR_CONFLICT : ERR_UNAVAILABLE,
		     "another process holds the leases now");
	} else if (sim_chance(s->w, rules->append_fails)) {
		if (ours)
			sim_hit(s->w, job->session, failing(job));
		fail(job, sim_chance(s->w, 500) ? ERR_NO_SPACE : ERR_IO, "the disk is full");
	} else if (sim_chance(s->w, rules->append_unknown)) {
		if (is_of_turn(job))
			sim_hit(s->w, job->session, SIM_COMMIT_UNKNOWN);
		if (sim_chance(s->w, 700))
			carry_out(s, job);
		fail(job, ERR_UNAVAILABLE, "nobody knows whether it was stored");
	} else {
		if (sim_chance(s->w, rules->append_late)) {
			if (is_of_turn(job))
				sim_hit(s->w, job->session, SIM_COMMIT_LATE);
			job->due_ms += (int64_t)sim_below(s->w, 5000);
		}
		carry_out(s, job);
	}
	judge_outcome(s, job);
}

static void
on_read_done(void *ctx, int rc, bool more, const struct err *err)
{
	struct job *job = ctx;

	job->result.rc = rc;
	job->result.err = *err;
	job->more = more;
}

static bool
on_read_row(void *ctx, const struct store_row *row)
{
	struct job *job = ctx;
	struct store_session session;

	if (!row->session || !job->zombie)
		return job->row(job->ctx, row);
	session = *row->session; /* the leases are the younger process's */
	session.lease_own = false;
	return job->row(job->ctx, &(struct store_row){ .session = &session });
}

static void
effect_read(struct sim_store *s, struct job *job)
{
	if (sim_chance(s->w, s->w->rules.read_fails)) {
		sim_hit(s->w, job->session, SIM_READ_FAILS);
		fail(job, ERR_IO, "the disk cannot be read");
		return;
	}
	job->zombie = s->node->is_zombie;
	store_read(s->w->truth, &job->query, on_read_row, on_read_done, job);
	while (store_dispatch(s->w->truth) > 0)
		;
}

static void
take_effect(struct sim_store *s, struct job *job)
{
	job->took_effect = true;
	if (sim_chance(s->w, 300)) /* else its answer may come at once */
		job->due_ms = s->w->clock.steady_ms + sim_delay_ms(s->w);
	if (s->dead)
		fail(job, ERR_UNAVAILABLE, "the process is dead");
	else if (job->item)
		effect_append(s, job);
	else
		effect_read(s, job);
	sim_trace(s->w, "store %s: job %d of session %d takes effect: %s", s->node->name,
		  (int)job->kind, job->session, job->result.rc == 0 ? "ok" : job->result.err.text);
}

static void
answer(struct job *job)
{
	list_remove(&job->link);
	if (job->item)
		job->appended(job->ctx, &job->result);
	else
		job->read(job->ctx, job->result.rc, job->more, &job->result.err);
	arena_release(&job->texts);
	free(job);
}

/* ---- what happens next ---- */

/* Appends take effect in order and are answered in order; reads overtake each other. */
struct next {
	struct job *ready[16];
	size_t count;
	int64_t due_ms;
};

static void
consider(const struct sim_store *s, struct next *n, struct job *job)
{
	if (job->due_ms < n->due_ms)
		n->due_ms = job->due_ms;
	if ((s->dead || job->due_ms <= s->w->clock.steady_ms) && n->count < ARRAY_LEN(n->ready))
		n->ready[n->count++] = job;
}

static struct next
look_ahead(const struct sim_store *s)
{
	struct next n = { .due_ms = INT64_MAX };
	bool first = true;

	list_for_each (at, (struct list *)&s->appends) {
		struct job *job = LIST_OWNER(at, struct job, link);

		if (!job->took_effect || first)
			consider(s, &n, job);
		first = false;
		if (!job->took_effect)
			break;
	}
	list_for_each (at, (struct list *)&s->reads)
		consider(s, &n, LIST_OWNER(at, struct job, link));
	return n;
}

int64_t
sim_store_due_ms(const struct sim_store *s)
{
	if (s->port.refused)
		return s->w->clock.steady_ms;
	return look_ahead(s).due_ms;
}

void
sim_store_run(struct sim_store *s)
{
	struct next n;
	struct job *job;

	if (s->port.refused) { /* the engine asked for nonsense: told by store.c itself */
		store_dispatch(&s->port);
		return;
	}
	n = look_ahead(s);
	if (n.count == 0)
		return;
	job = n.ready[sim_below(s->w, n.count)];
	if (job->took_effect)
		answer(job);
	else
		take_effect(s, job);
}

bool
sim_store_has(const struct sim_store *s, int session, enum sim_job kind)
{
	const struct list *lists[] = { &s->appends, &s->reads };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		list_for_each (at, (struct list *)lists[i]) {
			const struct job *job = LIST_OWNER(at, struct job, link);

			if (job->session == session && job->kind == kind)
				return true;
		}
	return false;
}

/* ---- life ---- */

static size_t
on_dispatch(struct store *port)
{
	(void)port; /* the world says when */
	return 0;
}

static bool
on_wait(struct store *port, int timeout_ms)
{
	(void)port, (void)timeout_ms;
	return false;
}

static int
on_health(struct store *port, struct err *e)
{
	(void)port, (void)e;
	return 0;
}

static void
on_free(struct store *port)
{
	(void)port;
}

struct sim_store *
sim_store_new(struct sim_node *node)
{
	static const struct store_ops OPS = {
		.append = on_append,
		.read = on_read,
		.dispatch = on_dispatch,
		.wait = on_wait,
		.health = on_health,
		.free = on_free,
	};
	struct sim_store *s = xcalloc(1, sizeof *s);

	s->port.ops = &OPS;
	s->node = node;
	s->w = node->w;
	s->port.change_head = store_change_head(s->w->truth);
	list_init(&s->appends);
	list_init(&s->reads);
	return s;
}

void
sim_store_free(struct sim_store **s)
{
	free(*s);
	*s = NULL;
}

struct store *
sim_store_port(struct sim_store *s)
{
	return &s->port;
}

void
sim_store_die(struct sim_store *s)
{
	s->dead = true;
	list_for_each (at, &s->appends) {
		struct job *job = LIST_OWNER(at, struct job, link);

		job->took_effect = true; /* or never will */
		fail(job, ERR_UNAVAILABLE, "the process is dead");
	}
	list_for_each (at, &s->reads) {
		struct job *job = LIST_OWNER(at, struct job, link);

		job->took_effect = true;
		fail(job, ERR_UNAVAILABLE, "the process is dead");
	}
}
