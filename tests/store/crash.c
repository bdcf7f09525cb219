/* crash CHILD - kills a store under load, at a random moment or at a named failpoint, opens what it
 * left, and compares it with the journal of what was acknowledged. PERDURE_CYCLES says how often. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "await.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/rand.h"
#include "core/event_make.h"
#include "crash_load.h"
#include "harness.h"
#include "scratch.h"
#include "store/sqlite/sqlite.h"
#include "verify.h"

extern char **environ;

static const char *const POINTS[] = {
#include "failpoints.inc"
};

enum {
	CYCLES_USUAL = 60,
	CYCLES_PER_STORE = 8, /* then a new one: the first steps of a store are crashed too */
	ACKS_AT_POINT = 400,  /* then it closes, so that the points of a close are passed */
	ACKS_MANY = 1000000,
	KILL_AFTER_MS_MAX = 120,
	POINT_PASS_MAX = 25,
	PATIENCE_MS = 20 * 1000,
	JOURNAL_MAX = 256 * 1024 * 1024,
	REPEATS = 20,
};

struct ack {
	struct str session, hash, name; /* name "-": no key */
	int64_t first, head;
};

struct crash {
	const char *child;
	struct scratch dir;
	char store[SCRATCH_PATH_MAX], journal[SCRATCH_PATH_MAX];
	struct rand rand;
	int64_t cycle, cycles_here;
	uint64_t hits[ARRAY_LEN(POINTS)], tries[ARRAY_LEN(POINTS)];
	uint64_t missed[ARRAY_LEN(POINTS)]; /* 0, or a passing that never came */
	uint64_t killed, acked, repeated, problems;
};

/* What the journal says. */
struct told {
	struct arena arena;
	VEC(struct ack) acks;
	VEC(struct str) sent;
	struct map acked_names; /* name → struct ack, as an index + 1 */
};

static void
start_over(struct crash *c)
{
	scratch_clear(&c->dir);
	snprintf(c->store, sizeof c->store, "%s/data", c->dir.path);
	snprintf(c->journal, sizeof c->journal, "%s/journal", c->dir.path);
	if (mkdir(c->store, 0700) != 0)
		abort();
	c->cycles_here = 0;
}

static pid_t
start_child(struct crash *c, int64_t acks)
{
	char cycle[32], count[32];
	char *argv[] = { (char *)(uintptr_t)c->child, c->store, c->journal, cycle, count, NULL };
	pid_t pid;

	snprintf(cycle, sizeof cycle, "%lld", (long long)c->cycle);
	snprintf(count, sizeof count, "%lld", (long long)acks);
	if (posix_spawn(&pid, c->child, NULL, NULL, argv, environ) != 0)
		fail_msg("%s does not start", c->child);
	return pid;
}

/* Waits for the child to end by itself; kills one that never does. Returns its wait status. */
static int
wait_child(pid_t pid, int64_t patience_ms, bool *timed_out)
{
	int64_t deadline_ns = clock_monotonic_ns() + patience_ms * 1000000;
	int status;

	*timed_out = false;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_monotonic_ns() > deadline_ns) {
			*timed_out = true;
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return status;
		}
		usleep(500);
	}
	return status;
}

static void
kill_at_random(struct crash *c)
{
	pid_t pid = start_child(c, ACKS_MANY);
	bool killed;
	int status = wait_child(pid, (int64_t)rand_below(&c->rand, KILL_AFTER_MS_MAX) + 1, &killed);

	if (!killed)
		fail_msg("the load ended by itself with status %x: see %s", status, c->journal);
	c->killed++;
}

/* A point that was not reached is tried on a new store from then on, at an earlier passing: at its
 * first until that has been hit. */
static uint64_t
choose_pass(struct crash *c, size_t point)
{
	uint64_t below = c->missed[point] ? c->missed[point] : POINT_PASS_MAX + 1;

	if (below <= 2 || (c->missed[point] && c->hits[point] == 0))
		return 1;
	return 1 + rand_below(&c->rand, below - 1);
}

static void
kill_at_point(struct crash *c, size_t point)
{
	uint64_t pass = choose_pass(c, point);
	char spec[128];
	bool timed_out;
	pid_t pid;
	int status;

	if (c->missed[point])
		start_over(c);
	snprintf(spec, sizeof spec, "%s=%llu:crash", POINTS[point], (unsigned long long)pass);
	setenv("PERDURE_FAILPOINTS", spec, 1);
	pid = start_child(c, ACKS_AT_POINT);
	unsetenv("PERDURE_FAILPOINTS");
	status = wait_child(pid, PATIENCE_MS, &timed_out);
	c->tries[point]++;
	if (timed_out)
		fail_msg("%s: the load hangs", spec);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		c->hits[point]++;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: status %x: see %s", spec, status, c->journal);
	else
		c->missed[point] = pass;
}

static void
note_ack(struct told *t, struct str rest, struct verify *v)
{
	struct str first, head;
	struct ack a;

	str_cut(rest, ' ', &a.session, &rest);
	str_cut(rest, ' ', &first, &rest);
	str_cut(rest, ' ', &head, &rest);
	str_cut(rest, ' ', &a.hash, &a.name);
	if (!str_to_int(first, &a.first) || !str_to_int(head, &a.head) || a.name.len == 0) {
		verify_problem(v, "the journal has a broken line");
		return;
	}
	*vec_push(&t->acks) = a;
	map_put(&t->acked_names, a.name, (void *)(uintptr_t)t->acks.len);
}

static void
read_journal(const struct crash *c, struct told *t, struct verify *v)
{
	struct str text, line;
	struct err e;
	int rc;

	*t = (struct told){ 0 };
	arena_init(&t->arena);
	map_init(&t->acked_names, 3);
	rc = file_read(c->journal, JOURNAL_MAX, &t->arena, &text, &e);
	if (rc == ERR_NOT_FOUND)
		return; /* killed before it began */
	if (rc != 0)
		fail_msg("%s", e.text);
	while (text.len > 0) {
		str_cut(text, '\n', &line, &text);
		if (str_starts(line, STR("S ")))
			*vec_push(&t->sent) = str_slice(line, 2, line.len);
		else if (str_starts(line, STR("A ")))
			note_ack(t, str_slice(line, 2, line.len), v);
		else
			verify_problem(v, "the load was refused: " STR_FMT, STR_ARG(line));
	}
}

static void
forget(struct told *t)
{
	vec_release(&t->acks);
	vec_release(&t->sent);
	map_release(&t->acked_names);
	arena_release(&t->arena);
}

static const struct ack *
find_ack(const struct told *t, struct str name)
{
	size_t at = (size_t)(uintptr_t)map_find(&t->acked_names, name);

	return at ? &t->acks.ptr[at - 1] : NULL;
}

/* The chain covers every byte: an equal hash at that place is the item as it was acknowledged. */
static void
check_acks(const struct told *t, struct verify *v)
{
	for (size_t i = 0; i < t->acks.len; i++) {
		const struct ack *a = &t->acks.ptr[i];
		const struct verify_event *first = verify_at(v, a->session, a->first);
		const struct verify_event *head = verify_at(v, a->session, a->head);
		char hash[SHA256_HEX + 1] = "";
		if (head)
			sha256_hex(&head->hash, SHA256_BYTES, hash);
		if (!first || !str_eq(str_of(hash), a->hash))
			verify_problem(v, "LOST: acknowledged %lld..%lld of " STR_FMT,
				       (long long)a->first, (long long)a->head,
				       STR_ARG(a->session));
		else if (!str_eq(a->name, STR("-")) && !str_eq(first->ev.id, a->name))
			verify_problem(v, STR_FMT " is not where it was acknowledged",
				       STR_ARG(a->name));
	}
}

/* Nobody invented a message. */
static void
check_sent(struct told *t, struct verify *v)
{
	struct map sent;

	map_init(&sent, 4);
	for (size_t i = 0; i < t->sent.len; i++)
		map_put(&sent, t->sent.ptr[i], t);
	for (size_t i = 0; i < v->all.len; i++)
		for (size_t k = 0; k < v->all.ptr[i]->log.len; k++) {
			const struct event *ev = &v->all.ptr[i]->log.ptr[k]->ev;
			if (ev->kind == EVENT_USER_MESSAGE && !map_find(&sent, ev->id))
				verify_problem(v, "nobody sent " STR_FMT, STR_ARG(ev->id));
		}
	map_release(&sent);
}

/* As a client does that never heard back: the same key again. What was acknowledged, or is there
 * although it was not, is replayed; the rest is appended, and acknowledged here. */
static void
repeat_one(struct crash *c, struct store *s, struct verify *v, const struct ack *ack,
	   struct str name)
{
	const struct verify_event *there = verify_find(v, name);
	struct load_item it;
	struct store_result r;
	int journal;

	load_message(&it, &v->arena, name);
	r = await_append(s, &it.item);
	c->repeated++;
	if (r.rc != (there ? STORE_REPLAYED : 0))
		verify_problem(v, STR_FMT ": a repeat gives %d (%s)", STR_ARG(name), r.rc,
			       r.err.text);
	else if (there && r.first_seq != there->ev.seq)
		verify_problem(v, STR_FMT ": a replay names another place", STR_ARG(name));
	if (r.rc != 0 || ack)
		return;
	journal = open(c->journal, O_APPEND | O_WRONLY | O_CLOEXEC);
	load_journal_acked(journal, it.item.session, &r, name);
	close(journal);
}

static void
repeat_some(struct crash *c, struct store *s, struct told *t, struct verify *v)
{
	for (size_t i = 0; i < t->sent.len; i++) {
		const struct ack *ack = find_ack(t, t->sent.ptr[i]);
		if (!ack || i + REPEATS > t->sent.len)
			repeat_one(c, s, v, ack, t->sent.ptr[i]);
	}
}

/* What recovery will do at a start: close the calls, end the turn, and here the queue too. */
static void
close_turn(struct crash *c, struct store *s, struct verify *v, struct verify_session *session)
{
	const struct session_row *row = replay_session(session->replay);
	struct load_item it = { .item.session = session->id, .item.lease = STORE_LEASE_BREAK };
	size_t count;
	const struct call_row *calls = replay_calls(session->replay, &count);
	struct store_result r;
	struct buf out;
	int journal;

	if (row->turn.len == 0)
		return;
	buf_init(&out, 4096);
	for (size_t i = 0; i < count; i++) {
		if (calls[i].closed_seq != 0)
			continue;
		event_make_tool_result(&out, false, calls[i].id, OUTCOME_INTERRUPTED,
				       STR("The process ended."));
		load_event(&it, &v->arena, EVENT_AGENT_TOOL_RESULT,
			   arena_printf(&v->arena, STR_FMT ".closed", STR_ARG(calls[i].id)),
			   row->turn, buf_str(&out));
		buf_clear(&out);
	}
	event_make_idle(&out, row->turn, STOP_INTERRUPTED, (struct str_list){ 0 },
			(struct str_list){ 0 });
	load_event(&it, &v->arena, EVENT_STATUS_IDLE,
		   arena_printf(&v->arena, STR_FMT ".ended", STR_ARG(row->turn)), row->turn,
		   buf_str(&out));
	buf_release(&out);
	r = await_append(s, &it.item);
	if (r.rc != 0) {
		verify_problem(v, STR_FMT ": its turn cannot be ended: %s", STR_ARG(session->id),
			       r.err.text);
		return;
	}
	journal = open(c->journal, O_APPEND | O_WRONLY | O_CLOEXEC);
	load_journal_acked(journal, session->id, &r, (struct str){ 0 });
	close(journal);
}

static void
open_and_compare(struct crash *c)
{
	char incarnation[32];
	struct store_sqlite_config config = { .directory = c->store };
	struct store *s = NULL;
	struct verify v;
	struct told t;
	struct err e;

	snprintf(incarnation, sizeof incarnation, "driver-%lld", (long long)c->cycle);
	config.incarnation = str_of(incarnation);
	verify_init(&v);
	read_journal(c, &t, &v);
	if (store_sqlite_open(&s, &config, (struct store_owner){ 0 }, &e) != 0)
		fail_msg("cycle %lld: does not open: %s", (long long)c->cycle, e.text);
	verify_store(&v, s);
	check_acks(&t, &v);
	check_sent(&t, &v);
	repeat_some(c, s, &t, &v);
	for (size_t i = 0; i < v.all.len; i++)
		close_turn(c, s, &v, v.all.ptr[i]);
	store_free(&s);
	c->acked = c->acked + t.acks.len;
	c->problems += v.problem_count;
	if (v.problem_count > 0)
		printf("cycle %lld:\n" STR_FMT, (long long)c->cycle, STR_ARG(buf_str(&v.problems)));
	forget(&t);
	verify_release(&v);
}

static size_t
next_point(const struct crash *c)
{
	size_t least = 0;

	for (size_t i = 1; i < ARRAY_LEN(POINTS); i++)
		if (c->tries[i] < c->tries[least])
			least = i;
	return least;
}

static bool
all_hit(const struct crash *c)
{
	for (size_t i = 0; i < ARRAY_LEN(POINTS); i++)
		if (c->hits[i] == 0)
			return false;
	return true;
}

static void
print_table(const struct crash *c)
{
	printf("%lld cycles: %llu killed at random, %llu items found as acknowledged, "
	       "%llu keyed repeats, %llu problems\n",
	       (long long)c->cycle, (unsigned long long)c->killed, (unsigned long long)c->acked,
	       (unsigned long long)c->repeated, (unsigned long long)c->problems);
	for (size_t i = 0; i < ARRAY_LEN(POINTS); i++)
		printf("  failpoint %-28s hit %llu of %llu\n", POINTS[i],
		       (unsigned long long)c->hits[i], (unsigned long long)c->tries[i]);
}

static void
test_crash(void **state)
{
	struct crash *c = *state;
	int64_t cycles = CYCLES_USUAL;

	str_to_int(str_of(getenv("PERDURE_CYCLES")), &cycles);
	while (c->problems == 0 && (c->cycle < cycles || (!all_hit(c) && c->cycle < cycles * 2))) {
		if (c->cycles_here++ == CYCLES_PER_STORE)
			start_over(c);
		c->cycle++;
		if (c->cycle % 2)
			kill_at_point(c, next_point(c));
		else
			kill_at_random(c);
		open_and_compare(c);
	}
	print_table(c);
	assert_int_equal(c->problems, 0);
	assert_true(all_hit(c));
}

int
main(int argc, char **argv)
{
	struct crash c = { 0 };
	struct suite s = { 0 };
	int64_t seed = clock_monotonic_ns();
	int failed;

	if (argc != 2)
		return 2;
	c.child = argv[1];
	str_to_int(str_of(getenv("PERDURE_SEED")), &seed);
	printf("PERDURE_SEED=%lld\n", (long long)seed);
	rand_init_seed(&c.rand, (uint64_t)seed);
	scratch_init(&c.dir, "crash");
	start_over(&c);
	suite_add(&s, "S1 Q1 A10 kill -9 under load and at every failpoint: 0 lost, 0 doubled",
		  test_crash, &c);
	failed = suite_run(&s, "store/crash");
	if (failed == 0)
		scratch_release(&c.dir);
	else
		printf("what it left is in %s\n", c.dir.path);
	return failed;
}
