"""python_peer - somebody else's HTTP server (Python's http.server) for the tests of the client.

  python_peer.py http|https DIRECTORY

Prints its port and serves until its standard input ends. https: makes a certificate for localhost
and 127.0.0.1 in DIRECTORY first, signed by ca.pem there.
"""
import http.server
import os
import ssl
import subprocess
import sys
import threading

BIG = b"0123456789abcdef" * 65536  # 1 MiB


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/sse":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number in range(100):
                self.chunk(b"id: %d\ndata: event %d\n\n" % (number, number))
            self.chunk(b"")
        else:
            self.answer(BIG if self.path == "/big" else b"hello")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients that refuse our certificate are part of the tests


def openssl(directory, *arguments):
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def secure(directory):
    new = ("req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    openssl(directory, *new, "-subj", "/CN=test ca", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(directory, *new, "-subj", "/CN=localhost", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "server.key", "-out", "server.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, "server.pem"), os.path.join(directory, "server.key"))
    return context


def main():
    server = Server(("127.0.0.1", 0), Handler)
    if sys.argv[1] == "https":
        server.socket = secure(sys.argv[2]).wrap_socket(server.socket, server_side=True,
                                                        do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


main()
