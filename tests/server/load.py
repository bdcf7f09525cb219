"""load - clients that write as fast as they can and remember what the server promised them.

Every write has a text and a key of its own. What broke off is repeated with the same key until the
server says yes or no, as a client is told to.
"""
import random
import threading
import time

from client import Client, Refused


class Write:
    refusals = (429,)  # the statuses with which it may be refused

    def __init__(self, name, session, text, is_message=False, busy=None):
        self.name, self.session, self.text = name, session, text
        self.is_message, self.busy = is_message, busy
        self.event_id = None  # of the acknowledged event
        self.refused = False

    def send(self, client):
        if not self.is_message:
            self.event_id = client.append(self.session, self.text, key=self.name)["id"]
        elif self.busy:
            self.event_id = client.post(self.session, self.text, key=self.name,
                                        busy=self.busy)["event_id"]
        else:  # the sender's own id does the same as a key
            self.event_id = client.post(self.session, self.text, message_id=self.name)["event_id"]


class Writer(threading.Thread):
    """One client; goes on from server to server."""

    def __init__(self, load, number):
        super().__init__(daemon=True)
        self.load, self.number = load, number
        self.random = random.Random(f"{load.seed}-{number}")
        self.count = 0
        self.open = None  # the write whose outcome is not known

    def next_write(self):
        self.count += 1
        session = self.random.choice(self.load.sessions)
        name = f"w{self.number}-{self.count}"
        if self.random.random() < 0.7:
            return Write(name, session, name)
        wait = self.random.choice(("", "wait 0.05\n", "wait 0.2\n"))
        busy = self.random.choice((None, None, None, "interrupt", "steer", "collect"))
        return Write(name, session, f"{wait}say {name}", True, busy)

    def run(self):
        client = None
        while not self.load.over:
            port = self.load.port
            if port == 0:
                client = None
                time.sleep(0.005)
                continue
            client = client or Client(port, self.load.token)
            if not self.open:
                self.open = self.next_write()
                self.load.writes.append(self.open)
            self.attempt(client)
            time.sleep(self.pause_s())

    def pause_s(self):
        """Between two writes."""
        return self.random.random() * 0.01

    def attempt(self, client):
        try:
            self.open.send(client)
            self.open = None
        except ConnectionError:
            time.sleep(0.005)
        except Refused as refusal:
            if refusal.status == 503:  # it stops, or cannot tell: the same again
                return
            if refusal.status not in self.open.refusals:
                self.load.problems.append(f"{self.open.text!r}: {refusal}")
            self.open.refused = True
            self.open = None


class Load:
    def __init__(self, sessions, token, seed, writers=6, kind=Writer):
        self.sessions, self.token, self.seed = sessions, token, seed
        self.port = 0  # 0: nobody listens, wait
        self.over = False
        self.writes, self.problems = [], []
        self.writers = [kind(self, number) for number in range(writers)]
        for writer in self.writers:
            writer.start()

    def is_settled(self):
        return all(writer.open is None for writer in self.writers)

    def finish(self):
        self.over = True
        for writer in self.writers:
            writer.join(30)
