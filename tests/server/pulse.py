"""pulse - somebody else who asks all the time, in a process of their own: how long did the slowest answer take?"""
import http.client
import subprocess
import sys
import threading
import time

GAP_S = 0.005


class Pulse:
    """with Pulse(server) as pulse: …; then pulse.slowest_s"""

    def __init__(self, server):
        self.server, self.slowest_s, self.process = server, None, None

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-B", __file__, str(self.server.port)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()
        return self

    def __exit__(self, *failure):
        self.slowest_s = float(self.process.communicate("over\n")[0])


def beat(port):
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
    wire, slowest_s = http.client.HTTPConnection("127.0.0.1", port, timeout=120), 0.0
    print("begun", flush=True)
    while not over.wait(GAP_S):
        since = time.monotonic()
        wire.request("GET", "/healthz")
        wire.getresponse().read()
        slowest_s = max(slowest_s, time.monotonic() - since)
    print(slowest_s)


if __name__ == "__main__":
    beat(int(sys.argv[1]))
