/* whatsapp_id - which of the names WhatsApp gives one account is the one we use?
 * The same person arrives as +491701234567, 491701234567:12@s.whatsapp.net or 83729@lid. An id loses
 * its plus, device and domain; known aliases join; of all names of one account the shortest is
 * canonical, on a tie the first in byte order. Group ids lose their domain like any other id. */
#pragma once
#include <stddef.h>
#include "base/arena.h"
#include "base/str.h"

/* "these two name one account"; order does not matter. */
struct whatsapp_alias {
	struct str id, other;
};

/* The accounts known so far, as sets of names. */
struct whatsapp_aliases {
	struct str *names; /* normalised, in canonical order, each once */
	size_t *parents;   /* names[parents[i]] is the canonical name of names[i] */
	size_t count;
};

/* Without blanks, leading pluses, device (":…") and domain ("@…"). May be empty: no id at all. */
struct str whatsapp_id_normalise(struct str id);
/* Joins the pairs, both ways and transitively; pairs with an empty id say nothing. Takes
 * n log n steps. Views of the pairs' text stay in use. */
void whatsapp_aliases_init(struct whatsapp_aliases *out, struct arena *a,
			   const struct whatsapp_alias *pairs, size_t count);
/* The canonical name of an id in any of its forms. aliases may be NULL: only normalised. */
struct str whatsapp_id_canonical(const struct whatsapp_aliases *aliases, struct str id);
