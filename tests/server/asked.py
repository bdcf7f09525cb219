"""asked - makes what a request needs and reads what came of it, for cases that look at one input each."""
import itertools
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode

from client import Client
from scene import Scene

NAMES = itertools.count(1)
CUSTOM = {"type": "custom", "name": "deploy", "description": "d", "input_schema": {"type": "object"}}
HOURLY = {"type": "every", "every_ms": 3600000}
NOW = "now"  # a field stands in the body that makes the record
LATER = "later"  # or in one that changes it


def beside(instant, ms):
    """The instant so many milliseconds later."""
    moved = datetime.fromisoformat(instant.replace("Z", "+00:00")) + timedelta(milliseconds=ms)
    return moved.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moved.microsecond // 1000:03}Z"


def name(prefix="thing"):
    return f"{prefix}{next(NAMES)}"


class Asked(Scene):
    def get(self, path, **query):
        return self.client.ask("GET", f"{path}?{urlencode(query, doseq=True)}" if query else path)

    def ids(self, path, **query):
        return [one["id"] for one in self.get(path, **query)["data"]]

    def make(self, kind, /, **body):
        return self.client.ask("POST", f"/v1/{kind}", {"name": name(), **body})["id"]

    def open(self, **body):
        return self.client.ask("POST", "/v1/sessions", {"agent": "main", **body})["id"]

    def path(self, session, rest):
        return f"/v1/sessions/{quote(session)}/{rest}"

    def thread(self, session, rest):
        """The same of its main thread."""
        return self.path(session, f"threads/{self.get(self.path(session, 'threads'))['data'][0]['id']}/{rest}")

    def appended(self, count=3):
        """A session with so many notes; their events."""
        session = self.open()
        return session, [self.client.append(session, f"note {number}") for number in range(count)]

    def busy(self, **body):
        """A session whose turn takes its time."""
        session = self.open(**body)
        self.client.post(session, "wait 60")
        self.addCleanup(self.command, session, "/stop")
        self.await_activity(session, "running")
        return session

    # ---- what a queue of work holds ----

    def environment(self):
        return self.make("environments", config={"type": "self_hosted"})

    def call(self, environment):
        """A call that waits for a worker there; its session."""
        session = self.open(agent=self.make("agents", model="demo", tools=[CUSTOM]), environment_id=environment)
        self.client.post(session, "tool deploy {}")
        self.addCleanup(self.command, session, "/stop")
        return session

    def work(self, environment, rest=""):
        return f"/v1/environments/{environment}/work{rest}"

    def taken(self, environment):
        """An item that a worker has acknowledged."""
        self.call(environment)
        item = self.get(self.work(environment, "/poll"), block_ms=20000)["id"]
        self.client.ask("POST", self.work(environment, f"/{item}/ack"))
        return item


class Made(Asked):
    def post(self, path, body=None):
        return self.client.ask("POST", path, body)

    def record(self, kind, when, needs, **fields):
        """Where one is that has these fields, from the start or since a change."""
        if when == NOW:
            return f"/v1/{kind}/{self.make(kind, **{**needs, **fields})}"
        path = f"/v1/{kind}/{self.make(kind, **needs)}"
        self.post(path, fields)
        return path

    def assert_shows(self, path, **fields):
        shown = self.get(path)
        self.assertEqual({field: shown[field] for field in fields}, fields)

    def user(self, **body):
        """One more person: (id, client with a token of theirs)."""
        user = self.make("users", **body)
        return user, self.holder(kind="user", user_id=user)

    def holder(self, **body):
        """Who has the token that is made with this body."""
        client = Client(self.server.port, self.post("/v1/tokens", body)["token"])
        self.addCleanup(client.close)
        return client

    def kinds(self, session):
        return [one["type"] for one in self.client.events(session)]


def twice(*rows):
    """Each row for a record that is made and for one that is changed."""
    return [(f"{title}_{when}", when, *rest) for title, *rest in rows for when in (NOW, LATER)]
