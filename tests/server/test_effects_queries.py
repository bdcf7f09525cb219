"""Every query parameter does what it says: each case sees what only that one can cause (tests/effects/table.txt)."""
import http.client
import json
from urllib.parse import urlencode

from asked import HOURLY, Asked, beside, name
from client import Client
from scene import each


class Lists(Asked):
    """Three rows of every list: where they are."""

    def agents(self):
        self.make("agents"), self.make("agents")
        return "/v1/agents"

    def versions(self):
        agent = self.make("agents")
        for _ in range(2):
            self.client.ask("POST", f"/v1/agents/{agent}", {"name": name()})
        return f"/v1/agents/{agent}/versions"

    def environments(self):
        self.environment(), self.environment()
        return "/v1/environments"

    def items(self):
        environment = self.environment()
        for _ in range(3):
            self.call(environment)
        self.await_that(lambda: len(self.ids(self.work(environment))) == 3, "they are queued")
        return self.work(environment)

    def lanes(self):
        for _ in range(3):
            self.resolve(self.chat())
        return "/v1/lanes"

    def schedules(self):
        for _ in range(3):
            self.make("schedules", prompt="say x", rule=HOURLY, enabled=False)
        return "/v1/schedules"

    def runs(self):
        schedule = self.make("schedules", prompt="say x", rule=HOURLY, enabled=False)
        path = f"/v1/schedules/{schedule}"
        for _ in range(3):
            self.client.ask("POST", f"{path}/run")
            self.await_that(lambda: not self.get(path)["open_run_id"], "it ends")
        return f"{path}/runs"

    def hits(self):
        word = name("zebra")
        session = self.open()
        for _ in range(3):
            self.client.post(session, f"about {word}", mode="append")
        self.await_that(lambda: len(self.ids("/v1/search", q=word)) == 3, "they are found")
        return "/v1/search", {"q": word}

    def sessions(self):
        for _ in range(3):
            self.open()
        return "/v1/sessions"

    def events(self):
        return self.path(self.appended()[0], "events")

    def events_of_thread(self):
        return self.thread(self.appended()[0], "events")

    def messages(self):
        session = self.open()
        for number in range(3):
            self.client.post(session, f"say {number}", mode="append")
        return self.path(session, "messages")

    def queue(self):
        session = self.busy()
        for number in range(3):
            self.client.post(session, f"say {number}")
        return self.path(session, "queue")

    def resources(self):
        return self.path(self.open(resources=[{"type": "github_repository", "url": f"https://example.com/{number}"}
                                              for number in range(3)]), "resources")

    def tokens(self):
        self.make("tokens", kind="worker"), self.make("tokens", kind="worker")
        return "/v1/tokens"

    def users(self):
        for _ in range(3):
            self.make("users")
        return "/v1/users"

    def workspaces(self):
        self.make("workspaces"), self.make("workspaces")
        return "/v1/workspaces"


LISTS = (  # the list, and whose words its limit and its pages are
    ("agents", "A1d", "A1d"), ("versions", "M1", "M1"), ("environments", "A1j", "A1j"), ("items", "T11", "T11"),
    ("lanes", "K7j", "K7j"), ("schedules", "H3", "H3"), ("runs", "H3n", "H3n"), ("hits", "C8", "C8f"),
    ("sessions", "A9", "A1p"), ("events", "A3f", "A3g"), ("events_of_thread", "A3", "A3"), ("messages", "M11", "M11"),
    ("queue", "Q9a", "Q9a"), ("resources", "M15a", "M15a"), ("tokens", "P3", "P3"), ("users", "P1a", "P1a"),
    ("workspaces", "M3", "M3"))


class Pages(Lists):
    def listed(self, what):
        """(path, filters, how many rows it has)"""
        path = getattr(self, what)()
        path, query = path if isinstance(path, tuple) else (path, {})
        whole = self.get(path, limit=100, **query)["data"]
        self.assertGreaterEqual(len(whole), 3)
        return path, query, whole

    @each([(f"{clause}_a_limit_cuts_the_list_of_{what}", what) for what, clause, _ in LISTS])
    def cut(self, what):
        path, query, whole = self.listed(what)
        page = self.get(path, limit=2, **query)
        self.assertEqual(len(page["data"]), 2)
        self.assertIsInstance(page["next_page"], str)

    @each([(f"{clause}_a_page_goes_on_in_the_list_of_{what}", what) for what, _, clause in LISTS])
    def goes_on(self, what):
        path, query, whole = self.listed(what)
        first = self.get(path, limit=2, **query)
        second = self.get(path, limit=2, page=first["next_page"], **query)
        known = lambda row: [row.get(field) for field in ("id", "version", "event_id")]
        self.assertEqual(known(second["data"][0]), known(whole[2]))

    @each((
        ("A1_the_page_of_threads_judges_its_limit", {"limit": 0}),
        ("A1_the_page_of_threads_has_no_further_one", {"page": "AAAA"}),
    ))
    def threads(self, query):
        path = self.path(self.open(), "threads")
        self.assertEqual(len(self.get(path)["data"]), 1)
        self.assert_refused(400, "GET", f"{path}?{urlencode(query)}")


WORDS = {"gt": "after", "gte": "since", "lt": "before", "lte": "until"}


class Times(Lists):
    """created_at: each bound lets a row in and, a millisecond further, keeps it out."""

    def judge(self, path, bound, instant, row):
        step = {"gt": -1, "gte": 0, "lte": 0, "lt": 1}[bound]
        out = {"gt": 0, "gte": 1, "lte": -1, "lt": 0}[bound]
        listed = lambda ms: self.ids(path, limit=100, **{f"created_at[{bound}]": beside(instant, ms)})
        self.assertIn(row, listed(step))
        self.assertNotIn(row, listed(out))

    @each([(f"A1{clause}_{kind}_made_{WORDS[bound]}", kind, bound)
           for clause, kind in (("d", "agents"), ("j", "environments")) for bound in ("gte", "lte")])
    def records(self, kind, bound):
        row = self.make(kind)
        self.judge(f"/v1/{kind}", bound, self.get(f"/v1/{kind}/{row}")["created_at"], row)

    @each([(f"A1p_sessions_made_{WORDS[bound]}", bound) for bound in WORDS])
    def sessions_by_time(self, bound):
        row = self.open()
        self.judge("/v1/sessions", bound, self.client.session(row)["created_at"], row)

    @each([(f"A3_{kind}_made_{WORDS[bound]}", kind, bound)
           for kind in ("events", "events_of_thread") for bound in WORDS])
    def events_by_time(self, kind, bound):
        path = getattr(self, kind)()
        event = self.get(path)["data"][2]
        self.judge(path, bound, event["processed_at"], event["id"])


class Records(Asked):
    @each((("A1e_archived_agents_are_included", "agents"), ("A1k_archived_environments_are_included", "environments")))
    def archived(self, kind):
        row = self.make(kind)
        self.client.ask("POST", f"/v1/{kind}/{row}/archive")
        self.assertNotIn(row, self.ids(f"/v1/{kind}", limit=100))
        self.assertIn(row, self.ids(f"/v1/{kind}", limit=100, include_archived="true"))

    def test_M1c_an_agent_as_its_version_froze_it(self):
        agent = self.make("agents", name="first")
        self.client.ask("POST", f"/v1/agents/{agent}", {"name": "second"})
        self.assertEqual(self.get(f"/v1/agents/{agent}", version=1)["name"], "first")

    def test_K7k_lanes_of_one_session(self):
        first, second = self.resolve(self.chat()), self.resolve(self.chat())
        self.assertEqual(self.ids("/v1/lanes", session_id=first["session"]["id"]), [first["lane_id"]])

    def test_K7j_lanes_that_were_active_in_these_minutes(self):
        first = self.resolve(self.chat())
        self.clock.advance(minutes=10)
        second = self.resolve(self.chat())
        self.assertEqual(self.ids("/v1/lanes", active_minutes=5), [second["lane_id"]])
        self.assertIn(first["lane_id"], self.ids("/v1/lanes", active_minutes=15))


class Work(Asked):
    def test_T11a_a_poll_waits_for_work(self):
        environment = self.environment()
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        self.addCleanup(wire.close)
        wire.request("GET", self.work(environment, "/poll?block_ms=25000"), headers={
            "Authorization": f"Bearer {self.server.token()}", "Anthropic-Worker-ID": "box"})
        self.await_that(lambda: self.get(self.work(environment, "/stats"))["workers_polling"] == 1, "it polls")
        session = self.call(environment)
        item = json.loads(wire.getresponse().read())
        self.assertEqual(item and item["data"]["id"], session)

    def test_T11e_a_poll_says_after_how_long_an_item_is_free_again(self):
        environment = self.environment()
        self.call(environment)
        item = self.get(self.work(environment, "/poll"), block_ms=20000)["id"]
        self.assertIsNone(self.get(self.work(environment, "/poll")))
        self.assertEqual(self.get(self.work(environment, "/poll"), reclaim_older_than_ms=0)["id"], item)

    def heartbeat(self, environment, item, **query):
        return self.work(environment, f"/{item}/heartbeat?{urlencode(query)}")

    def test_T11c_a_heartbeat_says_how_long_it_holds(self):
        environment = self.environment()
        path = self.heartbeat(environment, self.taken(environment), desired_ttl_seconds=9)
        self.assertEqual(self.client.ask("POST", path)["ttl_seconds"], 9)

    def test_T11c_a_heartbeat_that_expects_another_lost_the_lease(self):
        environment = self.environment()
        path = self.heartbeat(environment, self.taken(environment), expected_last_heartbeat="NO_HEARTBEAT")
        self.client.ask("POST", path)
        self.assert_refused(412, "POST", path)


class Sessions(Asked):
    """What the list of sessions is narrowed by: of two sessions that differ in one point, one is listed."""

    def judge(self, wanted, other, **query):
        listed = self.ids("/v1/sessions", limit=200, **query)
        self.assertIn(wanted, listed)
        self.assertNotIn(other, listed)

    @each((
        ("A9a_by_kind", {"kind": "web"}, {"kind": "api"}, {"kind": "web"}),
        ("A9b_by_platform", {"kind": "api", "platform": "kiosk"}, {"kind": "api"}, {"platform": "kiosk"}),
        ("A9c_by_interactive", {"kind": "web", "interactive": False}, {"kind": "web"}, {"interactive": "false"}),
    ))
    def by_source(self, wanted, other, query):
        self.judge(self.open(source=wanted), self.open(source=other), **query)

    def test_A9d_by_channel(self):
        wanted = self.open(id=f"kiosk:{name()}")
        self.judge(wanted, self.open(), channel="kiosk:")

    def test_A9e_by_metadata(self):
        self.judge(self.open(metadata={"team": "blue"}), self.open(metadata={"team": "red"}), **{"metadata.team": "blue"})

    def test_A9f_by_status(self):
        self.judge(self.busy(), self.open(), **{"statuses[]": "running"})

    def test_A9g_by_agent(self):
        agent = self.make("agents")
        self.judge(self.open(agent=agent), self.open(), agent_id=agent)

    def test_A9g_by_version_of_the_agent(self):
        agent = self.make("agents")
        first = self.open(agent=agent)
        self.client.ask("POST", f"/v1/agents/{agent}", {"name": name()})
        self.judge(first, self.open(agent=agent), agent_id=agent, agent_version=1)

    def test_A9h_by_workspace(self):
        workspace = self.make("workspaces")
        self.judge(self.open(workspace_id=workspace), self.open(), workspace_id=workspace)

    def test_A9i_by_participant(self):
        user = self.make("users")
        token = self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user})["token"]
        theirs = Client(self.server.port, token)
        self.addCleanup(theirs.close)
        wanted = theirs.ask("POST", "/v1/sessions", {"agent": "main"})["id"]
        self.judge(wanted, self.open(), participant=user)

    def test_A9j_by_minutes_of_activity(self):
        other = self.open()
        self.clock.advance(minutes=10)
        self.judge(self.open(), other, active_minutes=5)

    def test_A9k_by_text(self):
        word = name("zebra")
        self.judge(self.open(title=f"A {word} crosses"), self.open(title="Nobody crosses"), text=word)

    @each((("A9_by_deployment", "deployment_id"), ("A9_by_memory_store", "memory_store_id")))
    def by_what_none_has(self, parameter):
        self.open()
        self.assertEqual(self.ids("/v1/sessions", **{parameter: "none"}), [])

    def test_A9_in_this_order(self):
        first, second = self.open(), self.open()
        listed = self.ids("/v1/sessions", limit=200, order="asc")
        self.assertLess(listed.index(first), listed.index(second))

    def test_A9s_with_archived_ones(self):
        session = self.open()
        self.client.ask("POST", self.path(session, "archive"))
        self.assertNotIn(session, self.ids("/v1/sessions", limit=200))
        self.assertIn(session, self.ids("/v1/sessions", limit=200, include_archived="true"))

    def test_A9p_with_their_number(self):
        agent = self.make("agents")
        self.open(agent=agent), self.open(agent=agent)
        self.assertEqual(self.get("/v1/sessions", agent_id=agent, include_total="true", limit=1).get("total"), 2)

    def test_A9o_with_inactive_ones(self):
        session = self.open()
        self.client.post(session, "say hello", mode="wait")
        self.clock.advance(days=4)
        self.await_that(lambda: self.clock.advance(hours=1) or self.client.session(session)["lifecycle"] == "inactive",
                        "it is put to rest")
        self.assertNotIn(session, self.ids("/v1/sessions", limit=200))
        self.assertIn(session, self.ids("/v1/sessions", limit=200, include_inactive="true"))

    # ---- search ----

    def spoken(self, word, **body):
        """A session in which a person and the agent say it."""
        session = self.open(**body)
        self.client.post(session, f"say {word}", mode="wait")
        return session

    def found(self, word, count, **query):
        """The hits, as soon as there are so many without the filter."""
        self.await_that(lambda: len(self.ids("/v1/search", q=word)) == count, "they are found")
        return self.get("/v1/search", q=word, **query)["data"]

    def test_C8a_search_by_words(self):
        word, session = name("zebra"), self.open()
        self.client.post(session, "something else", mode="append")
        wanted = self.client.post(session, f"about {word}", mode="append")["event_id"]
        self.assertEqual([one["id"] for one in self.found(word, 1)], [wanted])

    @each((("C8_search_in_a_session", "session_id"), ("C8_search_with_an_agent", "agent_id"),
           ("C8_search_in_a_workspace", "workspace_id")))
    def search(self, parameter):
        word = name("zebra")
        agent, workspace = self.make("agents", model="demo"), self.make("workspaces")
        wanted = self.spoken(word, agent=agent, workspace_id=workspace)
        self.spoken(word)
        value = {"session_id": wanted, "agent_id": agent, "workspace_id": workspace}[parameter]
        self.assertEqual({one["session_id"] for one in self.found(word, 4, **{parameter: value})}, {wanted})

    def test_C8_search_by_types(self):
        word = name("zebra")
        self.spoken(word)
        self.assertEqual([one["type"] for one in self.found(word, 2, **{"types[]": "agent.message"})], ["agent.message"])


class Logs(Asked):
    """A log, and the same log as that of the main thread."""

    def logs(self, what, rest="events"):
        session, notes = self.appended(5)
        return session, [one["seq"] for one in notes], (self.thread if what == "thread" else self.path)(session, rest)

    @each([(f"{clause}_{word}_in_the_log_of_a_{what}", what, word, places)
           for what in ("session", "thread")
           for clause, word, places in (("A3c", "after", (3, 4)), ("A3d", "before", (None, 0, 1)))])
    def bounds(self, what, word, places):
        session, seqs, path = self.logs(what)
        listed = [one["seq"] for one in self.get(path, **{word: seqs[2]})["data"]]
        self.assertEqual(listed, [1 if place is None else seqs[place] for place in places])

    @each([(f"A3k_around_in_the_log_of_a_{what}", what) for what in ("session", "thread")])
    def around(self, what):
        session, seqs, path = self.logs(what)
        listed = [one["seq"] for one in self.get(path, around=seqs[3], limit=3)["data"]]
        self.assertEqual(listed, seqs[2:5])

    @each([(f"A3b_order_of_the_log_of_a_{what}", what) for what in ("session", "thread")])
    def order(self, what):
        session, seqs, path = self.logs(what)
        self.assertEqual([one["seq"] for one in self.get(path, order="desc")["data"]], [*reversed(seqs), 1])

    @each([(f"A3a_types_in_the_log_of_a_{what}", what) for what in ("session", "thread")])
    def types(self, what):
        session, seqs, path = self.logs(what)
        self.assertEqual([one["seq"] for one in self.get(path, **{"types[]": "session.created"})["data"]], [1])

    def test_M11_order_of_the_transcript(self):
        session = self.open()
        said = [self.client.post(session, f"say {number}", mode="append")["event_id"] for number in range(3)]
        self.assertEqual(self.ids(self.path(session, "messages"), order="desc"), said[::-1])

    def test_M7_threads_by_status(self):
        session = self.open()
        self.assertEqual(self.get(self.path(session, "threads"), **{"statuses[]": "running"})["data"], [])
        self.assertEqual(len(self.get(self.path(session, "threads"), **{"statuses[]": "idle"})["data"]), 1)

    # ---- streams; what comes live afterwards shows at once that something else did not come ----

    @each([(f"A4d_a_stream_of_a_{what}_goes_on_after_a_seq", what, rest)
           for what, rest in (("session", "events/stream"), ("thread", "stream"))])
    def stream_after(self, what, rest):
        session, seqs, path = self.logs(what, rest)
        with self.client.follow(f"{path}?after={seqs[1]}") as stream:
            self.client.append(session, "later")
            self.assertEqual(stream.event()["seq"], seqs[2])

    @each([(f"A4i_a_stream_of_a_{what}_has_deltas_when_asked", what, rest)
           for what, rest in (("session", "events/stream"), ("thread", "stream"))])
    def deltas(self, what, rest):
        session, _, path = self.logs(what, rest)
        self.judge_deltas(session, f"{path}?event_deltas[]=agent.message")

    def judge_deltas(self, session, path):
        with self.client.follow(path) as stream:
            self.client.post(session, "say a text that comes in pieces")
            kinds = []
            while not kinds or kinds[-1] != "agent.message":
                kinds.append(stream.event()["type"])
        self.assertIn("event_delta", kinds)

    def test_A5_the_stream_of_all_has_deltas_when_asked(self):
        self.judge_deltas(self.open(), "/v1/events/stream?event_deltas[]=agent.message")

    def own(self, stream, session):
        """The next frame of the session: (its cursor, the event)."""
        while True:
            frame = stream.frame()
            if f'"{session}"' in frame.get("data", ""):
                return int(frame["id"]), frame

    def test_A5c_the_stream_of_all_goes_on_after_a_cursor(self):
        session = self.open()
        with self.client.follow("/v1/events/stream") as stream:
            for text in ("first", "second"):
                self.client.append(session, text)
            cursor, first = self.own(stream, session)
            self.assertIn("first", first["data"])
        with self.client.follow(f"/v1/events/stream?after={cursor}") as stream:
            self.client.append(session, "third")
            self.assertIn("second", self.own(stream, session)[1]["data"])

    @each((("A5_types_of_the_stream_of_all_live", False), ("A5_types_of_the_stream_of_all_replayed", True)))
    def types_of_all(self, replayed):
        session = self.open()
        path = "/v1/events/stream?types[]=user.message"
        if replayed:
            with self.client.follow("/v1/events/stream") as stream:
                self.client.append(session, "the cursor")
                path += f"&after={self.own(stream, session)[0]}"
            self.client.append(session, "not this one")
            self.client.post(session, "this one", mode="append")
        with self.client.follow(path) as stream:
            if not replayed:
                self.client.append(session, "not this one")
                self.client.post(session, "this one", mode="append")
            self.assertIn("this one", self.own(stream, session)[1]["data"].replace("not this one", ""))
