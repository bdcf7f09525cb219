/* stream_hub - what all open streams share: the frames, the first words, and the question whether
 * their tokens are still good. One timer asks for all of them; it rests while nobody listens. */
#pragma once
#include "api/event_frames.h"
#include "base/list.h"
#include "engine/engine.h"
#include "net/loop.h"

enum { STREAM_HUB_CHECK_MS = 500 }; /* a dead token's streams close within a second */

struct stream_hub;

/* Lives in the stream. */
struct stream_member {
	struct list node;
	const struct engine_caller *caller;
	void (*on_dead)(struct stream_member *m); /* its token ended; it has left the hub */
};

struct stream_hub *stream_hub_new(struct loop *loop, struct engine *en);
/* Those that are left are not asked about any more. */
void stream_hub_free(struct stream_hub **hub);

void stream_hub_join(struct stream_hub *hub, struct stream_member *m);
/* Harmless when it has left. */
void stream_hub_leave(struct stream_member *m);
struct event_frames *stream_hub_frames(struct stream_hub *hub);
/* "retry: 500", what every stream begins with. */
struct net_bytes *stream_hub_hello(struct stream_hub *hub);
