/* list - an intrusive doubly linked ring: the node lives inside its owner, so joining and leaving
 * cost no memory and a member can leave without knowing its list. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

#define LIST_OWNER(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))
/* The body may remove `at` itself. */
#define list_for_each(at, head)                                                   \
	for (struct list *at = (head)->next, *at##_next = at->next; at != (head); \
	     at = at##_next, at##_next = at->next)

/* A head, or a node that is on no list; both point to themselves. */
static inline void
list_init(struct list *n)
{
	n->prev = n->next = n;
}

static inline bool
list_is_empty(const struct list *head)
{
	return head->next == head;
}

static inline void
list_append(struct list *head, struct list *n)
{
	n->prev = head->prev;
	n->next = head;
	head->prev->next = n;
	head->prev = n;
}

/* Harmless on a node that is on no list. */
static inline void
list_remove(struct list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}
