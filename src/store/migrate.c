#include "store/migrate.h"

int
migrate_run(const struct migrate_backend *b, const struct migration *steps, struct err *e)
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
	for (; rc == 0 && have < known; have++)
		rc = b->apply(b->db, &steps[have], e);
	return rc;
}
