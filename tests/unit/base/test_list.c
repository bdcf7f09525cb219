#include "base/list.h"
#include "harness.h"

struct owner {
	int number;
	struct list node;
};

static int
digits(const struct list *head)
{
	int value = 0;

	list_for_each (at, head)
		value = value * 10 + LIST_OWNER(at, struct owner, node)->number;
	return value;
}

static void
keeps_the_order_of_joining(void **state)
{
	struct list head;
	struct owner a = { .number = 1 }, b = { .number = 2 }, c = { .number = 3 };

	(void)state;
	list_init(&head);
	assert_true(list_is_empty(&head));
	list_append(&head, &a.node);
	list_append(&head, &b.node);
	list_append(&head, &c.node);
	assert_false(list_is_empty(&head));
	assert_int_equal(digits(&head), 123);
	list_remove(&b.node);
	assert_int_equal(digits(&head), 13);
	list_remove(&b.node); /* harmless the second time */
	list_append(&head, &b.node);
	assert_int_equal(digits(&head), 132);
	list_remove(&a.node);
	list_remove(&b.node);
	list_remove(&c.node);
	assert_true(list_is_empty(&head));
}

static void
members_may_leave_while_walked(void **state)
{
	struct list head;
	struct owner owners[5];

	(void)state;
	list_init(&head);
	for (int i = 0; i < 5; i++) {
		owners[i].number = i + 1;
		list_append(&head, &owners[i].node);
	}
	list_for_each (at, &head)
		if (LIST_OWNER(at, struct owner, node)->number % 2 == 0)
			list_remove(at);
	assert_int_equal(digits(&head), 135);
	list_for_each (at, &head)
		list_remove(at);
	assert_true(list_is_empty(&head));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_TEST(&s, keeps_the_order_of_joining);
	SUITE_TEST(&s, members_may_leave_while_walked);
	return suite_run(&s, "list");
}
