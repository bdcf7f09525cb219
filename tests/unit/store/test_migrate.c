#include "store/migrate.h"

#include "harness.h"

/* A backend that only writes down what it is told. */
struct fake {
	int64_t version;
	int64_t refuse_at; /* this step fails; 0: none */
	size_t applied;
};

static int
version(void *db, int64_t *out, struct err *e)
{
	const struct fake *f = db;

	if (f->version < 0)
		return err_set(e, ERR_IO, "unreadable");
	*out = f->version;
	return 0;
}

static int
apply(void *db, const struct migration *step, struct err *e)
{
	struct fake *f = db;

	if (step->version == f->refuse_at)
		return err_set(e, ERR_NO_SPACE, "%s", step->name);
	assert_int_equal(step->version, f->version + 1);
	f->version = step->version;
	f->applied++;
	return 0;
}

static const struct migration STEPS[] = {
	{ 1, "0001_a.sql", "a" },
	{ 2, "0002_b.sql", "b" },
	{ 3, "0003_c.sql", "c" },
	{ 0, NULL, NULL },
};

static const struct row {
	const char *name;
	struct fake before;
	int want;
	int64_t version;
	size_t applied;
	const char *says;
} ROWS[] = {
	{ "S1 an empty database takes every step", { 0, 0, 0 }, 0, 3, 3, "" },
	{ "S1 an older one takes the missing steps", { 2, 0, 0 }, 0, 3, 1, "" },
	{ "S1 a current one takes none", { 3, 0, 0 }, 0, 3, 0, "" },
	{ "S1 a newer one is refused and left alone",
	  { 4, 0, 0 },
	  ERR_CONFLICT,
	  4,
	  0,
	  "schema 4, this program knows 3" },
	{ "S1 a step that fails ends it", { 0, 2, 0 }, ERR_NO_SPACE, 1, 1, "0002_b.sql" },
	{ "S1 an unreadable one is not touched", { -1, 0, 0 }, ERR_IO, -1, 0, "unreadable" },
};

static void
check_row(void **state)
{
	const struct row *r = *state;
	struct fake f = r->before;
	const struct migrate_backend b = { &f, version, apply };
	struct err e = { 0 };

	assert_int_equal(migrate_run(&b, STEPS, &e), r->want);
	assert_int_equal(f.version, r->version);
	assert_int_equal(f.applied, r->applied);
	assert_true(str_contains(str_of(e.text), str_of(r->says)));
}

static void
S1_a_reader_takes_no_step(void **state)
{
	struct fake f = { 2, 0, 0 };
	const struct migrate_backend b = { &f, version, NULL };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(migrate_check(&b, STEPS, &e), 0);
	f.version = 4;
	assert_int_equal(migrate_check(&b, STEPS, &e), ERR_CONFLICT);
	assert_true(str_contains(str_of(e.text), STR("schema 4, this program knows 3")));
}

static void
S1_the_embedded_steps_are_numbered(void **state)
{
	int64_t count = 0;

	(void)state;
	for (; MIGRATE_SQLITE[count].version != 0; count++)
		assert_int_equal(MIGRATE_SQLITE[count].version, count + 1);
	assert_true(count > 0);
	assert_true(str_contains(str_of(MIGRATE_SQLITE[0].sql), STR("CREATE TABLE event")));
}

int
main(void)
{
	struct suite s = { 0 };

	SUITE_ROWS(&s, ROWS, check_row);
	SUITE_TEST(&s, S1_a_reader_takes_no_step);
	SUITE_TEST(&s, S1_the_embedded_steps_are_numbered);
	return suite_run(&s, "migrate");
}
