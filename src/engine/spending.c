#include "engine/spending.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "base/xalloc.h"

enum { PAGE_ROWS = 500 };
static const int64_t PICO_PER_DOLLAR = INT64_C(1000000000000);

/* What somebody or some day has spent. The id stands behind it. */
struct account {
	struct str id;
	int64_t spent, reserved;
	int64_t wanted; /* by those in line: for whoever comes behind them as good as reserved */
};

struct spending {
	struct engine *en;
	struct map accounts; /* "user/<user>", "day/<date>" */
	struct list line;    /* of struct spending_wait */
	struct host_task on_change;
	struct arena cursor;
	struct str last;
	void (*loaded)(void *ctx, int rc, const struct err *err);
	void *ctx;
};

/* ---- accounts ---- */

static struct account *
account_get(struct spending *s, struct str id)
{
	struct account *a = map_find(&s->accounts, id);

	if (a)
		return a;
	a = xcalloc(1, sizeof *a + id.len);
	memcpy(a + 1, id.ptr, id.len);
	a->id = (struct str){ (const char *)(a + 1), id.len };
	map_put(&s->accounts, a->id, a);
	return a;
}

static struct account *
account_of_user(struct spending *s, struct str user)
{
	struct buf *b = &s->en->scratch;

	if (user.len == 0)
		return NULL;
	buf_clear(b);
	buf_printf(b, "user/" STR_FMT, STR_ARG(user));
	return account_get(s, buf_str(b));
}

static struct account *
account_of_day(struct spending *s)
{
	struct civil c = timestamp_to_civil(host_now_ms(s->en->host));
	struct buf *b = &s->en->scratch;

	buf_clear(b);
	buf_printf(b, "day/%04d-%02d-%02d", (int)c.year, c.month, c.day);
	return account_get(s, buf_str(b));
}

static bool
on_row(void *ctx, const struct store_row *row)
{
	struct spending *s = ctx;
	struct json_doc doc;
	struct json v;
	struct arena scratch;
	int64_t spent;

	arena_init(&scratch);
	if (json_parse(&scratch, row->record->body, &JSON_LIMITS_DEFAULT, &doc, NULL) == 0 &&
	    json_find(json_root(&doc), STR("picodollars"), &v) && json_int(v, &spent))
		account_get(s, row->record->id)->spent = spent;
	arena_release(&scratch);
	s->last = arena_str(&s->cursor, row->record->id);
	return true;
}

static void read_page(struct spending *s);

static void
on_page(void *ctx, int rc, bool more, const struct err *err)
{
	struct spending *s = ctx;

	if (rc == 0 && more) {
		read_page(s);
		return;
	}
	arena_release(&s->cursor);
	s->loaded(s->ctx, rc, err);
}

static void
read_page(struct spending *s)
{
	store_read(s->en->store,
		   &(struct store_query){ .kind = STORE_LIST_RECORDS,
					  .record_kind = RECORD_SPENT,
					  .record_id = s->last,
					  .limit = PAGE_ROWS },
		   on_row, on_page, s);
}

void
spending_load(struct spending *s, void (*done)(void *ctx, int rc, const struct err *err), void *ctx)
{
	s->loaded = done;
	s->ctx = ctx;
	arena_init(&s->cursor);
	read_page(s);
}

static void ask_line(struct host_task *task);

struct spending *
spending_new(struct engine *en)
{
	struct spending *s = xcalloc(1, sizeof *s);

	s->en = en;
	s->on_change.fn = ask_line;
	list_init(&s->on_change.node);
	list_init(&s->line);
	map_init(&s->accounts, rand_u64(&en->rand));
	return s;
}

void
spending_free(struct spending **p)
{
	struct spending *s = *p;
	size_t at = 0;
	struct str key;
	void *value;

	if (!s)
		return;
	list_remove(&s->on_change.node);
	while (map_next(&s->accounts, &at, &key, &value))
		free(value);
	map_release(&s->accounts);
	free(s);
	*p = NULL;
}

/* ---- one request ---- */

static int64_t
limit_of(int64_t setting)
{
	return setting > 0 ? setting : BUDGET_UNLIMITED;
}

static int64_t
user_limit(const struct spending *s, const struct purse *p)
{
	return p->user.len > 0 ? limit_of(s->en->config.settings.user_budget) : BUDGET_UNLIMITED;
}

bool
spending_is_limited(const struct spending *s, const struct purse *p)
{
	return p->session_limit != BUDGET_UNLIMITED || user_limit(s, p) != BUDGET_UNLIMITED ||
	       limit_of(s->en->config.settings.day_budget) != BUDGET_UNLIMITED;
}

static struct cost
ceiling_of(const struct spending *s, const struct purse *p, int64_t prompt, int64_t output)
{
	const struct engine_models *models = &s->en->config.models;
	int64_t most =
		models->ceiling ? models->ceiling(models->ctx, p->model, prompt, output) : -1;

	if (most < 0)
		return (struct cost){ .status = COST_UNKNOWN };
	return (struct cost){ .picodollars = most, .status = COST_ESTIMATED };
}

static struct budget
budget_of(const struct account *a, int64_t limit)
{
	if (!a)
		return (struct budget){ .limit = limit };
	return (struct budget){ limit, a->spent, cost_add_capped(a->reserved, a->wanted) };
}

static void
budgets_of(struct spending *s, const struct purse *p, struct budget out[BUDGET_SCOPES])
{
	out[BUDGET_SESSION] = (struct budget){ p->session_limit, p->session_spent, p->reserved };
	out[BUDGET_USER] = budget_of(account_of_user(s, p->user), user_limit(s, p));
	out[BUDGET_DAY] = budget_of(account_of_day(s), limit_of(s->en->config.settings.day_budget));
}

static const char *
whose(enum budget_scope scope)
{
	switch (scope) {
	case BUDGET_SESSION: return "this session";
	case BUDGET_USER: return "this user";
	case BUDGET_DAY:
	case BUDGET_SCOPES: break;
	}
	return "this day";
}

static double
dollars(int64_t picodollars)
{
	return (double)picodollars / (double)PICO_PER_DOLLAR;
}

enum budget_verdict
spending_check(struct spending *s, struct purse *p, int64_t prompt_tokens, int64_t output_tokens,
	       struct err *why)
{
	struct budget budgets[BUDGET_SCOPES];
	struct cost ceiling = ceiling_of(s, p, prompt_tokens, output_tokens);
	struct budget_decision d;
	const struct budget *b;

	budgets_of(s, p, budgets);
	d = budget_decide(budgets, ceiling);
	b = &budgets[d.scope];
	switch (d.verdict) {
	case BUDGET_ALLOW:
	case BUDGET_BUSY: return d.verdict;
	case BUDGET_UNPRICED:
		IGNORE(err_set(why, ERR_INVALID, /* sets the sentence */
			       "the model " STR_FMT
			       " has no price, so the budget of %s could not be kept: give it "
			       "prices in the configuration, or take the budget away",
			       STR_ARG(p->model), whose(d.scope)));
		return d.verdict;
	case BUDGET_REACHED: break;
	}
	p->reached = d.scope;
	p->reached_limit = b->limit;
	IGNORE(err_set(why, ERR_LIMIT, /* the same */
		       "the budget of %s is used up: %.4f of %.4f dollars are spent, and the next "
		       "request could cost %.4f",
		       whose(d.scope), dollars(b->spent), dollars(b->limit),
		       dollars(ceiling.picodollars)));
	return d.verdict;
}

void
spending_begin(struct spending *s, struct purse *p, int64_t prompt_tokens, int64_t output_tokens)
{
	struct cost ceiling = ceiling_of(s, p, prompt_tokens, output_tokens);
	struct account *user = account_of_user(s, p->user), *day = account_of_day(s);

	p->open = true;
	p->reserved = ceiling.picodollars;
	p->day = day;
	if (user)
		user->reserved = cost_add_capped(user->reserved, p->reserved);
	day->reserved = cost_add_capped(day->reserved, p->reserved);
}

static void
book(struct account *a, int64_t reserved, int64_t cost)
{
	if (!a)
		return;
	a->reserved -= a->reserved > reserved ? reserved : a->reserved;
	a->spent = cost_add_capped(a->spent, cost);
}

/* Something has changed for those who wait. */
static void
look_at_line(struct spending *s)
{
	if (!list_is_empty(&s->line))
		host_defer(s->en->host, &s->on_change);
}

void
spending_end(struct spending *s, struct purse *p, int64_t cost_picodollars)
{
	int64_t cost = cost_picodollars > 0 ? cost_picodollars : 0;

	if (!p->open && cost == 0)
		return;
	book(account_of_user(s, p->user), p->reserved, cost);
	book(p->day ? p->day : account_of_day(s), p->reserved, cost);
	p->session_spent = cost_add_capped(p->session_spent, cost);
	p->open = false;
	p->reserved = 0;
	p->unsaved |= cost > 0;
	look_at_line(s);
}

/* ---- in line ---- */

static void
want(struct account *a, int64_t picodollars)
{
	if (a)
		a->wanted = cost_add_capped(a->wanted, picodollars);
}

static void
want_no_longer(struct account *a, int64_t picodollars)
{
	if (a)
		a->wanted -= a->wanted > picodollars ? picodollars : a->wanted;
}

void
spending_wait(struct spending *s, struct spending_wait *w, const struct purse *p,
	      int64_t prompt_tokens, int64_t output_tokens)
{
	w->ceiling = ceiling_of(s, p, prompt_tokens, output_tokens).picodollars;
	w->user = account_of_user(s, p->user);
	w->day = account_of_day(s);
	want(w->user, w->ceiling);
	want(w->day, w->ceiling);
	list_append(&s->line, &w->node);
}

static void
step_out(struct spending_wait *w)
{
	list_remove(&w->node);
	want_no_longer(w->user, w->ceiling);
	want_no_longer(w->day, w->ceiling);
	w->ceiling = 0;
}

void
spending_leave(struct spending *s, struct spending_wait *w)
{
	if (list_is_empty(&w->node))
		return;
	step_out(w);
	look_at_line(s);
}

/* Everybody steps out and is asked once, in order. Whoever is told to wait again stands behind those who
 * were before, and the first of them waits for real requests alone: all of those come to an end. */
static void
ask_line(struct host_task *task)
{
	struct spending *s = LIST_OWNER(task, struct spending, on_change);
	struct list asked;

	list_init(&asked);
	list_for_each (at, &s->line) {
		step_out(LIST_OWNER(at, struct spending_wait, node));
		list_append(&asked, at);
	}
	while (!list_is_empty(&asked)) {
		struct spending_wait *w = LIST_OWNER(asked.next, struct spending_wait, node);

		list_remove(&w->node);
		w->again(w);
	}
}

/* ---- records ---- */

static void
put_account(const struct account *a, struct commit *c)
{
	if (a)
		commit_put(c, &(struct store_put){
				      .record = { .kind = RECORD_SPENT,
						  .id = a->id,
						  .body = arena_printf(commit_arena(c),
								       "{\"picodollars\":%lld}",
								       (long long)a->spent) },
				      .if_version = STORE_VERSION_ANY });
}

void
spending_put(struct spending *s, struct purse *p, struct commit *c)
{
	if (!p->unsaved)
		return;
	p->unsaved = false;
	put_account(account_of_user(s, p->user), c);
	put_account(p->day ? p->day : account_of_day(s), c);
}

bool
spending_costs(const struct spending *s, struct str model)
{
	return ceiling_of(s, &(struct purse){ .model = model }, 1, 1).picodollars > 0;
}

void
spending_put_user(struct spending *s, const struct purse *p, struct str session, struct commit *c)
{
	if (p->user.len == 0 || !spending_costs(s, p->model))
		return;
	commit_put(c, &(struct store_put){ .record = { .kind = RECORD_SPENDER,
						       .id = session,
						       .owner = p->user,
						       .body = STR("{}") },
					   .if_version = STORE_VERSION_ANY });
}

void
spending_reload(struct spending *s)
{
	look_at_line(s);
}
