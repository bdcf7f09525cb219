"""Settings of resets that the file may give for the server, a chat type or a platform: the hour, the notice."""
import unittest

from scene import Scene, each

PLACES = (("the_server", "{}"), ("a_chat_type", "chat_types: {{dm: {}}}"), ("a_platform", "platforms: {{telegram: {}}}"))


def at(place, settings):
    return place.format(f"session_reset: {{{settings}}}" if place == "{}" else f"{{session_reset: {{{settings}}}}}") + "\n"


class Resets(Scene):
    def rolled(self, config, spoke_at, asked_at):
        """The first event of a session, and why it was opened."""
        self.reload(config)
        self.clock.set(spoke_at)
        source, _ = self.talk()
        self.clock.set(asked_at)
        after = self.resolve(source)
        return self.client.events(after["session"]["id"])[0], after["reset_reason"]

    @each([(f"L2_the_hour_of_{name}", place) for name, place in PLACES])
    def has_its_hour(self, place):
        config = at(place, "mode: daily, at_hour: 23")
        self.assertEqual(self.rolled(config, "2027-02-01T03:59:30", "2027-02-01T04:00:30")[1], None)
        self.assertEqual(self.rolled(config, "2027-02-01T22:59:30", "2027-02-01T23:00:30")[1], "daily")

    @each([(f"L2_the_notice_of_{name}", place) for name, place in PLACES])
    def may_spare_the_user(self, place):
        for notify in (True, False):
            config = at(place, f"mode: idle, idle_minutes: 60, notify: {str(notify).lower()}")
            born, reason = self.rolled(config, "2027-02-01T10:00:00", "2027-02-01T12:00:00")
            self.assertEqual(reason, "idle")
            self.assertEqual(bool(born.get("notice")), notify)


if __name__ == "__main__":
    unittest.main()
