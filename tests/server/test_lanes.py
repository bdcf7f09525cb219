"""Conversations that many ask for at once, and lanes over a restart."""
import threading
import unittest

from client import Client
from server import Server

CONNECTIONS = 32
CALLS = 256
DM = {"source": {"platform": "telegram", "chat_id": "4711", "user_id": "77"}}


def resolve_all(server, bodies):
    """Every body, as many at once as there are connections; the answers."""
    answers, lock, waiting = [], threading.Lock(), list(bodies)
    begin = threading.Barrier(CONNECTIONS)

    def work():
        client = Client(server.port, server.token())
        begin.wait()
        while True:
            with lock:
                if not waiting:
                    break
                body = waiting.pop()
            answer = client.ask("POST", "/v1/sessions/resolve", body)
            with lock:
                answers.append(answer)
        client.close()

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


class Lanes(unittest.TestCase):
    def assert_one_session(self, answers):
        self.assertEqual(len(answers), CALLS)
        self.assertEqual(len({answer["session"]["id"] for answer in answers}), 1)
        self.assertEqual(sum(answer["is_new"] for answer in answers), 1)

    def test_A8g_A8h_A8i_A8k_of_256_resolves_at_once_one_makes_the_session(self):
        with Server() as server:
            server.start()
            self.assert_one_session(resolve_all(server, [DM] * CALLS))
            self.assertEqual(len(Client(server.port, server.token()).ask("GET", "/v1/sessions")["data"]), 1)
            self.assertEqual(server.stop(), 0)

    def test_A8k_the_same_of_composite_keys(self):
        key = {"key": {"surface": "chat", "surface_id": "tab", "agent_id": "main"}}
        with Server() as server:
            server.start()
            self.assert_one_session(resolve_all(server, [key] * CALLS))
            self.assertEqual(server.stop(), 0)

    def test_K6e_K7e_A8j_A8p_M7h_a_lane_that_is_due_is_reset_once(self):
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            first = client.ask("POST", "/v1/sessions/resolve", DM)
            client.ask("POST", f"/v1/lanes/{first['lane_id']}/suspend")
            answers = resolve_all(server, [DM] * CALLS)
            self.assert_one_session(answers)
            self.assertNotEqual(answers[0]["session"]["id"], first["session"]["id"])
            self.assertEqual([a["reset_reason"] for a in answers if a["is_new"]], ["suspended"])
            self.assertEqual(client.session(first["session"]["id"])["lifecycle"], "archived")
            self.assertEqual(server.stop(), 0)

    def test_K5z_lanes_and_their_flags_survive_a_kill(self):
        with Server() as server:
            server.start()
            client = Client(server.port, server.token())
            lane = client.ask("POST", "/v1/sessions/resolve", DM)
            path = f"/v1/lanes/{lane['lane_id']}"
            client.ask("POST", f"{path}/resume_pending", {"reason": "restart_timeout"})
            before = client.ask("GET", path)
            server.kill()
            server.start()
            client = Client(server.port, server.token())
            after = client.ask("GET", path)
            self.assertEqual(after, before)
            self.assertEqual(client.ask("POST", "/v1/sessions/resolve", DM)["session"]["id"], lane["session"]["id"])
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
