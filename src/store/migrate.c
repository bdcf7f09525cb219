#include "store/migrate.h"

/* How many of the steps the database has. */
static int
migrate_count(const struct migrate_backend *b, const struct migration *steps, int64_t *out,
	      struct err *e)
{
	int64_t have, known = 0;
	int rc = b->version(b->db, &have, e);

	if (rc != 0)
		return rc;
	while (steps[known].version != 0)
		known++;
	if (have > known)
		return err_set(e, ERR_CONFLICT,
			       "the database has schema %lld, this program knows %lld: "
			       "run the newer program that wrote it",
			       (long long)have, (long long)known);
	*out = have;
	return 0;
}

int
migrate_check(const struct migrate_backend *b, const struct migration *steps, struct err *e)
{
	int64_t have;

	return migrate_count(b, steps, &have, e);
}

int
migrate_run(const struct migrate_backend *b, const struct migration *steps, struct err *e)
{
	int64_t have;
	int rc = migrate_count(b, steps, &have, e);

	for (; rc == 0 && steps[have].version != 0; have++)
		rc = b->apply(b->db, &steps[have], e);
	return rc;
}
