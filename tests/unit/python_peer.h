/* python_peer - runs python_peer.py, a server that we did not write, plain or with TLS. */
#pragma once
#include <sys/types.h>

struct python_peer {
	int port;
	char directory[64];
	char ca_file[96]; /* what a client has to trust */
	pid_t pid;
	int stdin_fd;
};

/* kind: "http" or "https". */
void python_peer_start(struct python_peer *p, const char *kind);
void python_peer_stop(struct python_peer *p);
