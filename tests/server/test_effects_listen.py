"""Where the server listens, keeps its data, and whom it answers: what the file says without an option."""
import http.client
import socket
import unittest

from server import Server


class Listen(unittest.TestCase):
    def get(self, server, **headers):
        """Status and body of the answer to a request with these headers."""
        wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        wire.putrequest("GET", "/v1/sessions", skip_host="Host" in headers)
        for name, value in {"Authorization": f"Bearer {server.token()}", **headers}.items():
            wire.putheader(name, value)
        wire.endheaders()
        answer = wire.getresponse()
        text = answer.read().decode()
        wire.close()
        return answer.status, text

    def test_L2_listen_in_the_file_names_every_address(self):
        with Server() as server:
            path = server.folder / "s"
            server.configure(f"listen: [127.0.0.1:0, 'unix:{path}']\n")
            server.arguments = lambda: ["serve", "--config", server.config, "--data", server.data]
            server.start()
            self.assertIn(f"unix:{path}", server.greeting)
            with socket.socket(socket.AF_UNIX) as wire:
                wire.connect(str(path))
                wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertTrue(wire.recv(1000).startswith(b"HTTP/1.1 200 "))
            self.assertEqual(self.get(server)[0], 200)
            self.assertEqual(server.stop(), 0, server.errors())

    def test_L2_data_in_the_file_is_where_everything_lies(self):
        with Server() as server:
            server.data = server.folder / "elsewhere"
            server.configure("data: elsewhere\n")  # beside the file
            server.arguments = lambda: ["serve", "--config", server.config, "--listen", "127.0.0.1:0"]
            server.start({"XDG_STATE_HOME": str(server.folder / "state")})
            self.assertEqual(self.get(server)[0], 200)
            self.assertTrue((server.data / "perdure.db").exists())
            self.assertFalse((server.folder / "state").exists())
            self.assertEqual(server.stop(), 0, server.errors())

    def test_L2_a_listed_host_is_answered_and_no_other(self):
        with Server("hosts: [agents.example]\n") as server:
            server.start()
            self.assertEqual(self.get(server, Host="agents.example")[0], 200)
            status, said = self.get(server, Host="other.example")
            self.assertEqual(status, 421)
            self.assertIn("hosts", said)
            self.assertEqual(server.stop(), 0, server.errors())

    def test_L2_pages_of_a_listed_origin_may_call_and_no_others(self):
        with Server("origins: ['https://page.example']\n") as server:
            server.start()
            self.assertEqual(self.get(server, Origin="https://page.example")[0], 200)
            status, said = self.get(server, Origin="https://other.example")
            self.assertEqual(status, 403)
            self.assertIn("origins", said)
            self.assertEqual(server.stop(), 0, server.errors())


if __name__ == "__main__":
    unittest.main()
