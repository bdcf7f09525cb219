"""silence - cases about answers that are meant for nobody."""
import json

from approval import leave
from rig import case, check


@case("P5a P5b chat shows nothing of a silence marker")
def silence(rig):
    with rig.terminal("chat", "--new", columns=120) as t:
        t.expect("> ")
        t.type("say <NO_REPLY>\r")
        t.expect("\n> ")
        t.type("say loud <NO_REPLY>\r")
        t.expect("<NO_REPLY>\r\n")
        t.expect("loud\r\n")
        leave(t)
        check("<NO_REPLY>" not in t.seen.replace("say <NO_REPLY>", "").replace("say loud <NO_REPLY>", ""), repr(t.seen))
    done = rig.run("chat", "--new", "-m", "say <NO_REPLY>")
    check((done.returncode, done.stdout) == (0, ""), done)
    done = rig.run("chat", "--new", "-m", "say  two <EMPTY_RESPONSE>", "--json")
    check(json.loads(done.stdout)["text"] == "two", done)
