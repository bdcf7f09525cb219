"""/undo reset: the conversation that a reset replaced comes back."""
from urllib.parse import quote

from scene import Scene


class UndoReset(Scene):
    def test_R3j_R4a_R4r_M7f_M7h_undo_reset_brings_the_lanes_session_back(self):
        source, first = self.talk()
        old = first["session"]["id"]
        new = self.command(old, "/new")["data"]["session_id"]
        self.client.post(new, "say in between", mode="wait")
        self.assertEqual(self.resolve(source)["session"]["id"], new)
        undone = self.command(new, "/undo reset")
        self.assertEqual(undone["command"], "undo")
        self.assertEqual(undone["data"], {"session_id": old, "previous_session_id": new})
        self.assertEqual(self.resolve(source)["session"]["id"], old)
        self.assertEqual(self.client.session(old)["lifecycle"], "active")
        self.assertEqual(self.client.session(new)["lifecycle"], "archived")
        self.assertIn("hello", self.said(old))
        self.assertIn("in between", self.said(new))

    def test_R3j_undo_reset_works_without_a_lane(self):
        self.client.open_session("web:undo")
        new = self.command("web:undo", "/new")["data"]["session_id"]
        self.assertEqual(self.command(new, "/undo reset")["data"]["session_id"], "web:undo")
        self.assertEqual(self.client.session("web:undo")["lifecycle"], "active")
        self.assertEqual(self.client.post("web:undo", "say still here", mode="wait")["text"], "still here")

    def test_R3_a_session_that_replaced_none_has_nothing_to_undo(self):
        self.client.open_session("web:first")
        error = self.assert_refused(409, "POST", "/v1/sessions/web:first/commands", {"text": "/undo reset"})
        self.assertIn("nothing to undo", error["message"])

    def test_L3_undo_takes_a_number_or_reset_not_both(self):
        self.client.open_session("web:both")
        error = self.assert_refused(400, "POST", "/v1/sessions/web:both/commands", {"text": "/undo 2 reset"})
        self.assertIn("/undo [N | reset]", error["message"])

    def test_R3_a_repeated_undo_reset_is_answered_once(self):
        self.client.open_session("web:repeat")
        new = self.command("web:repeat", "/new")["data"]["session_id"]
        path = f"/v1/sessions/{quote(new)}/commands"
        first = self.client.ask("POST", path, {"text": "/undo reset"}, key="undo-once")
        again = self.client.ask("POST", path, {"text": "/undo reset"}, key="undo-once")
        self.assertEqual(first["data"], again["data"])
        self.assertEqual(self.client.headers.get("idempotency-replayed"), "true")
