"""order - what the queue promises, read from a log: who runs next, and who shares a turn.

A model of the queue that is fed with the log. modes: {event id: busy mode} of every trigger. What waits
in the log before a turn begins, or before steers enter it, is what they were chosen from.
"""
from verify import is_terminal


class Queue:
    def __init__(self, modes):
        self.modes = modes
        self.pending, self.open_turn = [], None
        self.fates = {}  # {event id: "run", "shared", "steered" or "cancelled"}
        self.choices = 0
        self.problems = []

    def complain(self, event, what):
        self.problems.append(f"{event['type']} at {event['seq']}: {what}")

    def settle(self, event, names, fate):
        for name in names:
            if name not in self.pending:
                self.complain(event, f"{name} does not wait, it was {self.fates.get(name)}")
                continue
            self.pending.remove(name)
            self.fates[name] = fate

    def next_of(self, pending):
        """What the next turn begins with: an interrupt passes the others by, neighbours that collect
        go together."""
        for one in pending:
            if self.modes[one] == "interrupt":
                return [one]
        count = 1
        while count < len(pending) and {self.modes[one] for one in pending[:count + 1]} == {"collect"}:
            count += 1
        return pending[:count]

    def judge(self, event, choose):
        """Is what it consumes what choose takes of the queue?"""
        names = event["consumes"]
        self.choices += 1
        if names != choose(self.pending):
            self.complain(event, f"{self.told(names)} of {self.told(self.pending)}")

    def begin(self, event):
        names = event["consumes"]
        if event["turn_id"] == self.open_turn:  # goes on
            if names:
                self.complain(event, "a turn that goes on takes no triggers")
            return
        if self.open_turn:
            self.complain(event, f"{self.open_turn} is still open")
        self.open_turn = event["turn_id"]
        self.judge(event, self.next_of)
        self.settle(event, names, "run" if len(names) == 1 else "shared")

    def steer(self, event):
        if event["turn_id"] != self.open_turn:
            self.complain(event, "its turn is not open")
        self.judge(event, lambda pending: [one for one in pending if self.modes[one] == "steer"])
        self.settle(event, event["consumes"], "steered")

    def cancel(self, event):
        self.settle(event, list(self.pending) if event.get("all") else event["ids"], "cancelled")

    def told(self, names):
        return [f"{self.modes.get(name)} {name[-6:]}" for name in names]

    def feed(self, event):
        kind = event["type"]
        if event["id"] in self.modes:
            self.pending.append(event["id"])
        elif kind == "session.status_running":
            self.begin(event)
        elif kind == "session.input_consumed":
            self.steer(event)
        elif kind == "session.input_cancelled":
            self.cancel(event)
        elif is_terminal(event):
            self.open_turn = None
