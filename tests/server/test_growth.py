"""What is of no use any more goes with time: a start reads only what is."""
import sqlite3
import time

from client import Client, Refused
from scene import Scene

TOKENS, KEYS, ITEMS = 250, 60, 12
TOOLS = [{"type": "agent_toolset_20260401",
          "default_config": {"enabled": True, "permission_policy": {"type": "always_allow"}}}]


class Growth(Scene):
    def rows(self, sql):
        """How many rows there are in the database, seen from outside."""
        with sqlite3.connect(f"file:{self.server.data}/perdure.db?mode=ro", uri=True) as database:
            return database.execute(sql).fetchone()[0]

    def records(self, kind):
        return self.rows(f"SELECT count(*) FROM record WHERE kind='{kind}'")

    def listed(self):
        found, page = [], ""
        while page is not None:
            answer = self.client.ask("GET", "/v1/tokens?limit=100" + (f"&page={page}" if page else ""))
            found += answer["data"]
            page = answer["next_page"]
        return found

    def status_of(self, token):
        try:
            Client(self.server.port, token).ask("GET", "/v1/sessions")
        except Refused as refused:
            return refused.status
        return 200

    def test_P3_tokens_that_ended_are_forgotten_a_month_later(self):
        user = self.client.ask("POST", "/v1/users", {"name": "Kim", "role": "user"})["id"]
        made = [self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user}) for _ in range(TOKENS)]
        kept = made.pop()
        until = self.client.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user, "expires_at":
                                                       time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(
                                                           time.time() + self.clock.clock_ms / 1000 + 86400))})
        for token in made:
            self.client.ask("DELETE", f"/v1/tokens/{token['id']}")
        self.clock.advance(days=29)
        time.sleep(1)
        mine = {token["id"] for token in (*made, kept, until)}
        self.assertLessEqual(mine, {token["id"] for token in self.listed()}, "whoever asks what became of them is told")
        self.clock.advance(days=3, minutes=11)
        self.await_that(lambda: mine & {token["id"] for token in self.listed()} == {kept["id"]}, "they are gone")
        self.assertEqual(self.records("token"), self.records("token_digest"), "with their digests")
        self.assertLess(self.records("token"), 10)
        self.assertEqual([self.status_of(one["token"]) for one in (kept, until, made[0], made[-1])],
                         [200, 401, 401, 401])
        self.assert_refused(404, "DELETE", f"/v1/tokens/{made[0]['id']}")
        self.restart()
        self.assertEqual([self.status_of(one["token"]) for one in (kept, until, made[0])], [200, 401, 401])

    def test_P3_the_token_in_the_file_does_not_come_back_to_life(self):
        """Forgotten, its text would be taken for a new one at the next start."""
        text = self.client.token
        spare = self.client.ask("POST", "/v1/tokens", {"kind": "owner", "name": "spare"})["token"]
        mine = next(token["id"] for token in self.listed() if token["name"] == "owner.token"
                    and text.startswith(token["prefix"]) and token["revoked_at"] is None)
        other = self.client.ask("POST", "/v1/tokens", {"kind": "worker"})["id"]
        self.client.ask("DELETE", f"/v1/tokens/{other}")
        self.client.ask("DELETE", f"/v1/tokens/{mine}")
        self.client.token = spare
        self.clock.advance(days=40)
        self.await_that(lambda: other not in {token["id"] for token in self.listed()}, "what ended goes")
        self.kill()
        type(self).start()
        self.client.token = spare
        try:
            self.assertEqual(self.status_of(text), 401)
        finally:
            self.client.close()
            self.server.kill()
            (self.server.data / "owner.token").unlink()
            type(self).start()

    def test_A10e_keys_are_forgotten_after_a_month(self):
        self.client.open_session("cli:keys", agent="main")
        for number in range(KEYS):
            self.client.append("cli:keys", "x", key=f"k{number}")
        self.assertGreaterEqual(self.rows("SELECT count(*) FROM key"), KEYS)
        self.clock.advance(days=31)
        self.client.append("cli:keys", "time has passed")
        self.await_that(lambda: self.rows("SELECT count(*) FROM key") < KEYS, "they are gone")

    def test_T11_stopped_work_is_forgotten_after_a_week(self):
        agent = self.client.ask("POST", "/v1/agents", {"name": "W", "model": "demo", "tools": TOOLS})["id"]
        place = self.client.ask("POST", "/v1/environments", {"name": "far", "config": {"type": "self_hosted"}})["id"]
        sessions = [f"cli:work-{number}" for number in range(ITEMS)]
        for session in sessions:
            self.client.open_session(session, agent=agent, environment_id=place)
            self.client.post(session, 'tool bash {"command":"date"}')
        items = f"/v1/environments/{place}/work"
        self.await_that(lambda: len(self.client.ask("GET", f"{items}?limit=100")["data"]) == ITEMS, "items are queued")
        for session in sessions:
            self.client.ask("POST", f"/v1/sessions/{session}/events", {"events": [{"type": "user.interrupt"}]})
        self.await_that(lambda: all(item["state"] == "stopped" for item in
                                    self.client.ask("GET", f"{items}?limit=100")["data"]), "they are stopped")
        self.clock.advance(days=8)
        self.await_that(lambda: self.client.ask("GET", items)["data"] == [], "they are gone")
        self.assertEqual(self.records("work"), 0)
