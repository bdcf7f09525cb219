/* bare_http - what serving costs without a server: epoll and llhttp that echo a body, and a loop of
 * send(2). The baselines of bench_http. */
#pragma once
#include <stddef.h>

/* Serves one listening socket until stop_fd becomes readable. */
void bare_http_serve(int listen_fd, int stop_fd);
/* Sends the same bytes to every socket. */
void bare_http_send_all(const int *fds, size_t count, const char *ptr, size_t len);
