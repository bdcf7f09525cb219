#include "api/login_log.h"

/* FNV-1a. */
static uint32_t
hash_of(struct str text)
{
	uint32_t hash = UINT32_C(2166136261);

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.ptr[i]) * UINT32_C(16777619);
	return hash;
}

bool
login_log_admit(struct login_log *l, struct str address, int64_t now_ms, unsigned *unlogged)
{
	uint32_t hash = hash_of(address);
	struct login_slot *slot = &l->slots[hash % LOGIN_LOG_SLOTS];

	/* also when the clock was set back */
	if (slot->since_ms == 0 || now_ms < slot->since_ms ||
	    now_ms >= slot->since_ms + LOGIN_LOG_WINDOW_MS) {
		slot->since_ms = now_ms;
		slot->address = hash;
		slot->lines = 0;
	}
	if (slot->address != hash || slot->lines == LOGIN_LOG_LINES) {
		slot->unlogged++;
		return false;
	}
	slot->lines++;
	*unlogged = slot->unlogged;
	slot->unlogged = 0;
	return true;
}
