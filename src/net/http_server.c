#include "net/http_server.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/rand.h"
#include "base/xalloc.h"
#include "net/http_conn.h"

enum {
	BACKLOG = 511,
	REFUSED_MAX = 256, /* so many above the limit are told so; more are just closed */
	ANSWER_HEAD_MAX = 64 * 1024,
	REQUEST_BLOCK_BYTES = 4064,  /* a head, a small body and what is made of them */
	SEALED_MAX = 4 * 1024 * 1024 /* a handshake with the longest chain, or a piece of a body */
};

const struct http_limits HTTP_LIMITS_DEFAULT = {
	.header_bytes = 16 * 1024,
	.headers = 100,
	.body_bytes = 8 * 1024 * 1024,
	.stream_queue_bytes = 256 * 1024,
	.connections = 10000,
	.per_address = 1000,
	.header_ms = 30 * 1000,
	.body_ms = 30 * 1000,
	.idle_ms = 75 * 1000,
	.stall_ms = 30 * 1000,
	.linger_ms = 2 * 1000,
};

struct listener {
	union {
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	} uv;
	struct list node;
	struct http_server *server;
	bool with_tls;
};

/* The end of a turn: answers leave, pipelines go on, owners hear who is gone. */
static void
on_turn(struct loop_task *task)
{
	struct http_server *s = LIST_OWNER(task, struct http_server, turn);
	struct list due;

	s->request_count++; /* the last owner to release must not take the server away from here */
	list_init(&due);
	while (!list_is_empty(&s->due)) { /* those that come back while this runs: the next turn */
		struct list *node = s->due.next;
		list_remove(node);
		list_append(&due, node);
	}
	while (!list_is_empty(&due)) {
		struct http_conn *c = LIST_OWNER(due.next, struct http_conn, due);
		list_remove(&c->due);
		http_conn_turn(c);
	}
	while (!list_is_empty(&s->gone)) {
		struct http_request *r = LIST_OWNER(s->gone.next, struct http_request, gone_node);
		list_remove(&r->gone_node);
		if (r->owner.on_gone)
			r->owner.on_gone(r->owner.context, r->gone_why);
	}
	if (s->draining && s->conn_count == 0 && s->listener_count == 0 && s->on_drained) {
		void (*fn)(void *) = TAKE(s->on_drained);
		fn(s->drained_context);
	}
	http_server_request_freed(s);
}

struct http_server *
http_server_new(struct loop *loop, const struct http_handler *handler,
		const struct http_limits *limits)
{
	struct http_server *s = xcalloc(1, sizeof *s);
	struct rand random;

	s->loop = loop;
	s->handler = *handler;
	s->limits = *limits;
	s->parse_limits = (struct http_parse_limits){ limits->header_bytes, limits->headers };
	list_init(&s->listeners);
	list_init(&s->conns);
	list_init(&s->due);
	list_init(&s->gone);
	list_init(&s->spare);
	arena_pool_init(&s->arenas, REQUEST_BLOCK_BYTES, HTTP_SPARE_MAX);
	loop_task_init(&s->turn, on_turn);
	rand_init_os(&random);
	map_init(&s->peers, rand_u64(&random));
	memcpy(s->unix_peer.text, "unix", sizeof "unix");
	buf_init(&s->head, ANSWER_HEAD_MAX);
	buf_init(&s->sealed, SEALED_MAX);
	s->read_buf = xmalloc(HTTP_READ_BYTES);
	return s;
}

/* --- what is left --- */

static void
settle(struct http_server *s)
{
	if (s->conn_count > 0 || s->listener_count > 0)
		return;
	if (s->draining && s->on_drained)
		loop_defer(s->loop, &s->turn);
	if (!s->closing || s->request_count > 0)
		return;
	loop_task_cancel(&s->turn);
	http_request_free_spare(s);
	arena_pool_release(&s->arenas);
	map_release(&s->peers);
	buf_release(&s->head);
	buf_release(&s->sealed);
	tls_config_unref(s->tls);
	free(s->plain_buf);
	free(s->read_buf);
	free(s);
}

int
http_server_admit(struct http_server *s, struct http_peer *peer)
{
	s->conn_count++;
	peer->connections++;
	if (s->conn_count > s->limits.connections + REFUSED_MAX)
		return -1;
	if (s->conn_count > s->limits.connections)
		return 503;
	return peer != &s->unix_peer && peer->connections > s->limits.per_address ? 429 : 0;
}

struct http_peer *
http_server_peer(struct http_server *s, const char *address)
{
	struct http_peer *peer = map_find(&s->peers, str_of(address));

	if (peer)
		return peer;
	peer = xcalloc(1, sizeof *peer);
	snprintf(peer->text, sizeof peer->text, "%s", address);
	map_put(&s->peers, str_of(peer->text), peer);
	return peer;
}

void
http_server_conn_closed(struct http_server *s, struct http_peer *peer)
{
	s->conn_count--;
	if (--peer->connections == 0 && peer != &s->unix_peer) {
		map_remove(&s->peers, str_of(peer->text));
		free(peer);
	}
	settle(s);
}

void
http_server_request_freed(struct http_server *s)
{
	s->request_count--;
	settle(s);
}

unsigned
http_server_connections(const struct http_server *s)
{
	return s->conn_count;
}

/* --- listening --- */

static void
on_listener_closed(uv_handle_t *uv)
{
	struct listener *l = uv->data;
	struct http_server *s = l->server;

	list_remove(&l->node);
	free(l);
	s->listener_count--;
	settle(s);
}

static void
close_listener(struct listener *l)
{
	if (!uv_is_closing((uv_handle_t *)&l->uv.stream))
		uv_close((uv_handle_t *)&l->uv.stream, on_listener_closed);
}

static void
on_connection(uv_stream_t *uv, int status)
{
	struct listener *l = uv->data;

	if (status == 0)
		http_conn_accept(l->server, uv, l->with_tls);
}

static struct listener *
listener_new(struct http_server *s, bool is_unix)
{
	struct listener *l = xcalloc(1, sizeof *l);
	int status;

	if (is_unix)
		status = uv_pipe_init(loop_uv(s->loop), &l->uv.pipe, 0);
	else
		status = uv_tcp_init(loop_uv(s->loop), &l->uv.tcp);
	if (status < 0)
		abort();
	l->server = s;
	l->uv.stream.data = l;
	list_append(&s->listeners, &l->node);
	s->listener_count++;
	return l;
}

static int
listen_error(struct listener *l, const char *where, int status, struct err *e)
{
	close_listener(l);
	return err_set(e, status == UV_EADDRINUSE ? ERR_CONFLICT : ERR_IO, "%s: %s", where,
		       uv_strerror(status));
}

static int
address_of(const char *host, int port, struct sockaddr_storage *out)
{
	if (uv_ip4_addr(host, port, (struct sockaddr_in *)out) == 0)
		return 0;
	return uv_ip6_addr(host, port, (struct sockaddr_in6 *)out);
}

static int
port_of(const uv_tcp_t *tcp)
{
	struct sockaddr_storage address = { 0 };
	int len = sizeof address;

	if (uv_tcp_getsockname(tcp, (struct sockaddr *)&address, &len) < 0)
		return 0;
	return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
						   : ((struct sockaddr_in *)&address)->sin_port);
}

static int
listen_tcp(struct listener *l, const char *host, int port, int *bound, struct err *e)
{
	struct sockaddr_storage address;
	int status;

	if (port < 0 || port > 65535 || address_of(host, port, &address) < 0) {
		close_listener(l);
		return err_set(e, ERR_INVALID, "%s:%d: not an IP address and port", host, port);
	}
	status = uv_tcp_bind(&l->uv.tcp, (const struct sockaddr *)&address,
			     address.ss_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0);
	if (status == 0)
		status = uv_listen(&l->uv.stream, BACKLOG, on_connection);
	if (status < 0) {
		char where[INET6_ADDRSTRLEN + sizeof "[]:65535"];

		snprintf(where, sizeof where, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
		return listen_error(l, where, status, e);
	}
	if (bound)
		*bound = port_of(&l->uv.tcp);
	return 0;
}

int
http_server_listen_tcp(struct http_server *s, const char *host, int port, int *bound, struct err *e)
{
	return listen_tcp(listener_new(s, false), host, port, bound, e);
}

void
http_server_use_tls(struct http_server *s, struct tls_config *config)
{
	tls_config_ref(config);
	tls_config_unref(s->tls);
	s->tls = config;
	if (!s->plain_buf)
		s->plain_buf = xmalloc(HTTP_READ_BYTES);
}

int
http_server_listen_tls(struct http_server *s, const char *host, int port, int *bound, struct err *e)
{
	struct listener *l;

	if (!s->tls)
		return err_set(e, ERR_INVALID, "%s:%d: TLS needs a certificate", host, port);
	l = listener_new(s, false);
	l->with_tls = true;
	return listen_tcp(l, host, port, bound, e);
}

/* A socket file without anybody behind it answers "connection refused". */
static void
remove_stale(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 &&
	    errno == ECONNREFUSED)
		unlink(path);
	close(fd);
}

int
http_server_listen_unix(struct http_server *s, const char *path, struct err *e)
{
	struct listener *l;
	mode_t umask_before;
	int status;

	if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
		return err_set(e, ERR_INVALID, "%s: too long for a socket's path", path);
	remove_stale(path);
	l = listener_new(s, true);
	umask_before = umask(0177); /* never open to others, not even between bind and chmod */
	status = uv_pipe_bind(&l->uv.pipe, path);
	umask(umask_before);
	if (status == 0)
		status = uv_listen(&l->uv.stream, BACKLOG, on_connection);
	return status < 0 ? listen_error(l, path, status, e) : 0;
}

/* --- the end --- */

static void
stop_accepting(struct http_server *s)
{
	list_for_each (at, &s->listeners)
		close_listener(LIST_OWNER(at, struct listener, node));
}

void
http_server_drain(struct http_server *s, void (*fn)(void *context), void *context)
{
	s->draining = true;
	s->on_drained = fn;
	s->drained_context = context;
	stop_accepting(s);
	list_for_each (at, &s->conns)
		http_conn_drain(LIST_OWNER(at, struct http_conn, node));
	settle(s);
}

void
http_server_free(struct http_server **out)
{
	struct http_server *s = *out;

	*out = NULL;
	if (!s)
		return;
	s->on_drained = NULL;
	stop_accepting(s);
	list_for_each (at, &s->conns)
		http_conn_abort(LIST_OWNER(at, struct http_conn, node), HTTP_GONE_SHUTDOWN);
	s->closing = true;
	settle(s);
}
