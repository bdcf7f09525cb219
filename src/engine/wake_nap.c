/* wake_nap - sessions that are looked at again by themselves: a burst that may still grow, a message
 * that is not due yet, a store that did not answer. In memory only: a start looks at all of them. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/wake_private.h"

struct nap {
	struct wake *wake;
	struct str session; /* behind the struct */
	struct host_timer *timer;
	int64_t due_ms;
	int64_t fence;
};

static void
nap_free(struct nap *n)
{
	n->wake->en->host->ops->timer_free(n->timer);
	free(n);
}

static void
on_due(void *ctx)
{
	struct nap *n = ctx;
	struct engine *en = n->wake->en;

	n->due_ms = 0;
	if (n->fence != 0) { /* the look that follows takes it */
		wake_session(en, n->session);
		return;
	}
	map_remove(&n->wake->naps, n->session);
	wake_session(en, n->session);
	nap_free(n);
}

void
wake_nap(struct wake *w, struct str session, int64_t delay_ms, int64_t fence)
{
	struct nap *n = map_find(&w->naps, session);
	int64_t due_ms = host_now_ms(w->en->host) + delay_ms;

	if (!n) {
		n = xcalloc(1, sizeof *n + session.len);
		memcpy(n + 1, session.ptr, session.len);
		n->wake = w;
		n->session = (struct str){ (const char *)(n + 1), session.len };
		n->timer = w->en->host->ops->timer_new(w->en->host, on_due, n);
		map_put(&w->naps, n->session, n);
	}
	if (fence != 0)
		n->fence = fence;
	if (n->due_ms != 0 && n->due_ms <= due_ms)
		return;
	n->due_ms = due_ms;
	w->en->host->ops->timer_set(n->timer, delay_ms);
}

int64_t
wake_nap_take_fence(struct wake *w, struct str session)
{
	struct nap *n = map_find(&w->naps, session);
	int64_t fence = n ? n->fence : 0;

	if (fence != 0) {
		map_remove(&w->naps, session);
		nap_free(n);
	}
	return fence;
}

void
wake_nap_free_all(struct wake *w)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(&w->naps, &at, &key, &value))
		nap_free(value);
	map_release(&w->naps);
	map_init(&w->naps, 0);
}
