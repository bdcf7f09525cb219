/* raw_append - what the disk itself allows: append a record to a file and fdatasync, again and again. */
#pragma once

struct raw_append {
	int fd;
};

/* The file is made in the directory; it grows with every sample. */
void raw_append_init(struct raw_append *r, const char *directory);
void raw_append_release(struct raw_append *r);
/* Records per second, each of 600 bytes and synced alone. */
double raw_append_per_second(struct raw_append *r);
/* The same, by how long one of them takes: the median. */
double raw_append_p50_ms(struct raw_append *r);
