#include "turn_load.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_load.h"

enum { WAIT_MS = 30000, READ_BYTES = 64 * 1024, NS_PER_MS = 1000000, AGENT_ID_MAX = 64 };

static const char MESSAGE[] = "{\"events\":[{\"type\":\"user.message\",\"content\":[{\"type\":"
			      "\"text\",\"text\":\"hello\"}]}]}";
static const char TURN_END[] = "event: session.status_idle", FIRST_WORD[] = "event: event_delta";

static void
must(bool fine, const char *what)
{
	if (!fine) {
		perror(what);
		abort();
	}
}

/* ---- sessions and streams ---- */

static void
post(const struct server_child *server, const char *path, const char *body, char answer[READ_BYTES])
{
	must(http_load_once(&(struct http_once){ server->port, server->token, "POST", path, body },
			    answer, READ_BYTES) > 0 &&
		     strncmp(answer, "HTTP/1.1 200", 12) == 0,
	     answer);
}

static void
make_agent(const struct server_child *server, const char *model, char id[AGENT_ID_MAX])
{
	static const char KEY[] = "{\"id\":\"";
	char body[128], answer[READ_BYTES];
	const char *at;

	snprintf(body, sizeof body, "{\"name\":\"bench\",\"model\":\"%s\"}", model);
	post(server, "/v1/agents", body, answer);
	at = strstr(answer, KEY);
	must(at != NULL, "an agent's id");
	at += strlen(KEY);
	snprintf(id, AGENT_ID_MAX, "%.*s", (int)strcspn(at, "\""), at);
}

void
turn_load_open(struct turn_load *l, const struct server_child *server, const char *model,
	       int sessions)
{
	static unsigned made;
	char agent[AGENT_ID_MAX], body[128], path[128], answer[READ_BYTES];

	make_agent(server, model, agent);
	l->server = server;
	l->sessions = sessions;
	for (int i = 0; i < sessions; i++) {
		struct turn_client *c = &l->clients[i];

		snprintf(l->names[i], sizeof l->names[i], "turn:%u", made++);
		snprintf(body, sizeof body, "{\"id\":\"%s\",\"agent\":\"%s\"}", l->names[i], agent);
		post(server, "/v1/sessions", body, answer);
		snprintf(path, sizeof path,
			 "/v1/sessions/%s/events/stream?event_deltas[]=agent.message", l->names[i]);
		*c = (struct turn_client){
			.post_fd = http_load_connect(server->port),
			.stream_fd = http_load_stream(server->port, server->token, path),
		};
		must(c->post_fd >= 0, "connect");
	}
}

void
turn_load_close(struct turn_load *l)
{
	for (int i = 0; i < l->sessions; i++) {
		close(l->clients[i].post_fd);
		close(l->clients[i].stream_fd);
	}
}

/* ---- turns ---- */

static void
speak(struct turn_load *l, int at)
{
	struct turn_client *c = &l->clients[at];
	char request[1024];
	int n = snprintf(request, sizeof request,
			 "POST /v1/sessions/%s/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			 "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
			 "Content-Length: %zu\r\n\r\n%s",
			 l->names[at], l->server->token, sizeof MESSAGE - 1, MESSAGE);

	c->acked_ns = 0;
	c->turns_left--;
	must(send(c->post_fd, request, (size_t)n, MSG_NOSIGNAL) == n, "send");
}

static void
on_answer(struct turn_client *c)
{
	char answer[READ_BYTES];
	ssize_t n = read(c->post_fd, answer, sizeof answer);

	must(n > 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0, "answer");
	c->acked_ns = clock_monotonic_ns();
}

/* Has the stream said the word in what came now? A word in two pieces counts with the second. */
static bool
hears(struct turn_client *c, const char *word)
{
	char text[sizeof c->tail + READ_BYTES];
	size_t len = strlen(word);
	ssize_t n;
	bool found;

	memcpy(text, c->tail, c->tail_len);
	n = read(c->stream_fd, text + c->tail_len, READ_BYTES);
	must(n > 0, "stream");
	n += (ssize_t)c->tail_len;
	found = memmem(text, (size_t)n, word, len) != NULL;
	c->tail_len = found ? 0 : (size_t)n < len ? (size_t)n : len - 1;
	memcpy(c->tail, text + n - c->tail_len, c->tail_len);
	return found;
}

/* Both sockets of each client, the post's first. */
static size_t
await(struct turn_load *l, struct pollfd *waits, int timeout_ms)
{
	size_t count = 2 * (size_t)l->sessions;

	for (int i = 0; i < l->sessions; i++) {
		waits[2 * i] = (struct pollfd){ l->clients[i].post_fd, POLLIN, 0 };
		waits[2 * i + 1] = (struct pollfd){ l->clients[i].stream_fd, POLLIN, 0 };
	}
	must(poll(waits, count, timeout_ms) >= 0, "poll");
	return count;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void
turn_load_run(struct turn_load *l, int turns, double *took_ms)
{
	struct pollfd waits[2 * TURN_LOAD_SESSIONS_MAX];
	int total = turns * l->sessions, ended = 0;
	int64_t begun_ns = clock_monotonic_ns();

	for (int i = 0; i < l->sessions; i++) {
		l->clients[i].turns_left = turns;
		speak(l, i);
	}
	while (ended < total) {
		size_t count = await(l, waits, WAIT_MS);

		must(clock_monotonic_ns() - begun_ns < (int64_t)WAIT_MS * 10 * NS_PER_MS,
		     "turns that end");
		for (size_t i = 0; i < count; i++) {
			struct turn_client *c = &l->clients[i / 2];

			if (!waits[i].revents)
				continue;
			if (i % 2 == 0) {
				on_answer(c);
			} else if (hears(c, TURN_END)) {
				must(c->acked_ns != 0, "an answer before the turn's end");
				took_ms[ended++] =
					(double)(clock_monotonic_ns() - c->acked_ns) / NS_PER_MS;
				if (c->turns_left > 0)
					speak(l, (int)(i / 2));
			}
		}
	}
	qsort(took_ms, (size_t)total, sizeof *took_ms, by_size);
}

void
turn_load_start(struct turn_load *l)
{
	struct pollfd waits[2 * TURN_LOAD_SESSIONS_MAX];
	int64_t begun_ns = clock_monotonic_ns();
	int heard = 0, answered = 0;

	for (int i = 0; i < l->sessions; i++) {
		l->clients[i].turns_left = 1;
		speak(l, i);
	}
	while (heard < l->sessions || answered < l->sessions) {
		size_t count = await(l, waits, WAIT_MS);

		must(clock_monotonic_ns() - begun_ns < (int64_t)WAIT_MS * NS_PER_MS, "first words");
		for (size_t i = 0; i < count; i++) {
			struct turn_client *c = &l->clients[i / 2];

			if (!waits[i].revents)
				continue;
			if (i % 2 == 0) {
				on_answer(c);
				answered++;
			} else if (hears(c, FIRST_WORD) && c->turns_left == 0) {
				c->turns_left = -1;
				heard++;
			}
		}
	}
}

int
turn_load_listen(struct turn_load *l, int ms)
{
	struct pollfd waits[2 * TURN_LOAD_SESSIONS_MAX];
	int64_t until_ns = clock_monotonic_ns() + (int64_t)ms * NS_PER_MS, left_ns;
	int ended = 0;

	while ((left_ns = until_ns - clock_monotonic_ns()) > 0) {
		size_t count = await(l, waits, (int)(left_ns / NS_PER_MS) + 1);

		for (size_t i = 1; i < count; i += 2)
			if (waits[i].revents)
				ended += hears(&l->clients[i / 2], TURN_END);
	}
	return ended;
}
