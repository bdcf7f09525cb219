"""Rooms with several people: who is heard, and who is answered."""
import itertools
import unittest

from scene import Scene, each

ROOMS = itertools.count(9000)
BOB = {"channel": "telegram", "channel_user_id": "7", "display_name": "Bob"}
SHARED = "group_sessions_per_user: false\nthread_sessions_per_user: false\n"
ISOLATED = "group_sessions_per_user: true\nthread_sessions_per_user: true\n"


def rooms():
    for kind in ("group", "channel", "thread"):
        for name, config in (("shared", SHARED), ("isolated", ISOLATED)):
            yield f"{name}_{kind}", config, kind


class GroupRouting(Scene):
    def room(self, config, chat_type):
        """A conversation of that kind; its session."""
        self.reload(config)
        source = {"platform": "telegram", "chat_type": chat_type, "chat_id": f"-{next(ROOMS)}", "user_id": "7"}
        if chat_type == "thread":
            source["thread_id"] = "5"
        session = self.resolve(source)["session"]
        self.assertEqual(session["session_type"], "group" if config == SHARED else "direct")
        return session["id"]

    def post(self, session, text, triggers, **more):
        answer = self.client.post(session, text, mode="wait", **more)
        self.assertEqual(answer["triggered"], triggers, (text, answer))
        return answer

    @each([(f"P4b_P4c_{'K3m' if room[0] == SHARED else 'K3n'}_stranger_in_a_{name}_is_answered_when_mentioned", *room)
           for name, *room in rooms()])
    def is_answered_when_mentioned(self, config, chat_type):
        session = self.room(config, chat_type)
        self.post(session, "say one", False, sender=BOB)
        self.post(session, "say two", False, sender=BOB, mentioned=False)
        log = self.client.events(session)
        self.assertEqual([one["type"] for one in log if one["type"].startswith(("session.status", "agent"))], [])
        self.assertEqual(sum(one["type"] == "user.message" for one in log), 2)  # stored all the same
        self.assertIn("three", self.post(session, "say three", True, sender=BOB, mentioned=True)["text"])
        self.assertEqual(len(self.said(session)), 1)

    @each([(f"P4a_owner_in_a_{name}_is_always_answered", *room) for name, *room in rooms()])
    def is_always_answered(self, config, chat_type):
        session = self.room(config, chat_type)
        self.assertIn("one", self.post(session, "say one", True)["text"])
        self.assertIn("two", self.post(session, "say two", True, mentioned=False)["text"])

    def test_P4e_in_a_private_chat_everybody_is_answered(self):
        session = self.resolve(self.chat())["session"]["id"]
        self.post(session, "say one", True, sender=BOB)


if __name__ == "__main__":
    unittest.main()
