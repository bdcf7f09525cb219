/* api_rig - the API on a server in a thread of its own, and a client for it.
 * The engine behind it is whoever is linked: tests/unit/fake_engine, or the real one. */
#pragma once
#include "api/api.h"
#include "http_probe.h"

struct api_rig {
	struct api_config config; /* loop and engine are filled in */
	struct http_limits limits;
	bool not_ready;
	struct probe client; /* its port */
	struct rig_server *server;
};

/* What the linked engine brings, all on the server's thread. */
struct engine *rig_engine_open(struct loop *loop);
/* Called while commands may still be under way: they are answered before it returns. */
void rig_engine_close(struct engine **en);

void api_rig_init(struct api_rig *r);
void api_rig_start(struct api_rig *r);
void api_rig_stop(struct api_rig *r);
/* Does something on the server's thread, and waits until it is done. */
void api_rig_call(struct api_rig *r, void (*fn)(struct api *api, void *arg), void *arg);

struct rig_ask {
	const char *method, *target;
	const char *token;   /* NULL: none */
	const char *headers; /* further ones, each with its line end; NULL: none */
	const char *body;    /* NULL: none */
	const char *host;    /* NULL: localhost */
};
/* Good until the next call. */
struct rig_reply {
	int status;
	struct str head, body;
};
/* On a connection of its own, read to its end. */
struct rig_reply api_rig_ask(struct api_rig *r, const struct rig_ask *ask);
/* The value of a header of the reply; ptr NULL: none. */
struct str rig_header(const struct rig_reply *reply, const char *name);
/* Status and a part of the body; prints both otherwise. */
void rig_expect(const char *what, const struct rig_reply *reply, int status, const char *part);
