"""What the server writes to its log, and how."""
import json
import unittest

from client import Client
from server import Server


class Log(unittest.TestCase):
    def lines(self, config):
        """What it says of a request, and of its end."""
        with Server(config) as server:
            server.start()
            client = Client(server.port, server.token())
            client.ask("GET", "/v1/sessions")
            client.close()
            self.assertEqual(server.stop(), 0, server.errors())
            return server.errors().splitlines()

    def test_L2_lines_of_the_level_and_above_are_written(self):
        lines = [json.loads(line) for line in self.lines("log: {level: debug}\n")]
        asked = [line for line in lines if line["event"] == "api.request"]
        self.assertTrue(asked, lines)
        self.assertEqual({line["level"] for line in asked}, {"debug"})

    def test_L2_a_line_for_people_is_not_json(self):
        line, = [line for line in self.lines("log: {format: text}\n") if "serve.stopping" in line]
        with self.assertRaises(ValueError):
            json.loads(line)


if __name__ == "__main__":
    unittest.main()
