"""flags - what each option of a command does; tests/effects ignores them one by one."""
import contextlib
import json
import socket
import subprocess
import sys
import time

from rig import case, check
from strangers import MCP_SERVER


def made(rig, *arguments):
    """What a command with --json prints."""
    return json.loads(rig.ok(*arguments, "--json"))


def ids(rig, *arguments):
    """The ids that a list prints."""
    return [line.split("\t")[0] for line in rig.ok(*arguments).splitlines()]


def agent(rig, name, **more):
    return rig.api("POST", "/v1/agents", {"name": name, **more})["id"]


def session(rig, session_id, **more):
    return rig.api("POST", "/v1/sessions", {"id": session_id, **more})["id"]


def archived(rig, path):
    rig.api("POST", f"{path}/archive", {})


ASKING = [{"type": "agent_toolset_20260401", "default_config": {"permission_policy": {"type": "always_ask"}}}]
ADDER = [{"type": "custom", "name": "add", "description": "adds", "input_schema": {"type": "object"}}]


# ---- agents ----

@case("flags of agent create and agent update")
def agents(rig):
    one = made(rig, "agent", "create", "--name", "Flags", "--model", "demo", "--system", "S", "--description", "D")
    check((one["name"], one["model_source"], one["system"], one["description"]) == ("Flags", "agent", "S", "D"), one)
    two = made(rig, "agent", "update", one["id"], "--name", "F2", "--system", "S2", "--description", "D2",
               "--version", "1")
    check((two["name"], two["system"], two["description"], two["version"]) == ("F2", "S2", "D2", 2), two)
    check(rig.run("agent", "update", one["id"], "--name", "F3", "--version", "1").returncode == 1, "a stale version")
    check(made(rig, "agent", "show", one["id"], "--version", "1")["name"] == "Flags", "an earlier version")


@case("flag agent update --model")
def agent_model(rig):
    plain = agent(rig, "Plain")
    check(made(rig, "agent", "update", plain, "--model", "demo")["model_source"] == "agent", "named")


@case("flag agent update --file")
def agent_file(rig):
    plain = agent(rig, "Filed")
    (rig.home / "update.json").write_text(json.dumps({"description": "from a file"}))
    check(made(rig, "agent", "update", plain, "--file", str(rig.home / "update.json"))["description"] == "from a file",
          "updated")


@case("flags of agent list")
def agent_list(rig):
    gone = agent(rig, "Gone")
    agent(rig, "There")
    archived(rig, f"/v1/agents/{gone}")
    check(gone not in ids(rig, "agent", "list") and gone in ids(rig, "agent", "list", "--all"), "archived ones")
    check(len(ids(rig, "agent", "list", "--limit", "1")) == 1, "as many as asked for")


@case("flags of environment list")
def environment_list(rig):
    config = {"type": "local", "working_directory": "/tmp"}
    gone, _ = (rig.api("POST", "/v1/environments", {"name": name, "config": config})["id"] for name in ("gone", "there"))
    archived(rig, f"/v1/environments/{gone}")
    check(gone not in ids(rig, "environment", "list") and gone in ids(rig, "environment", "list", "--all"), "archived")
    check(len(ids(rig, "environment", "list", "--limit", "1")) == 1, "as many as asked for")


# ---- sessions, step by step ----

@case("flags of agent session create")
def session_create(rig):
    config = {"type": "local", "working_directory": "/tmp"}
    elsewhere = rig.api("POST", "/v1/environments", {"name": "elsewhere", "config": config})["id"]
    one = rig.ok("agent", "session", "create", "--name", "main", "--environment", elsewhere, "--title", "T").strip()
    shown = made(rig, "session", "show", one)
    check((shown["environment_id"], shown["title"]) == (elsewhere, "T"), shown)


@case("flags of agent session send, wake, interrupt and status")
def session_send(rig):
    session(rig, "cli:flags-send")
    check(rig.ok("agent", "session", "send", "--session", "cli:flags-send", "--message", "say sent", "--wait").strip()
          == "sent", "waited for")
    check("end_turn" in rig.ok("agent", "session", "status", "--session", "cli:flags-send"), "status")
    check(rig.ok("agent", "wake", "--session", "cli:flags-send").strip() == "idle", "woken")
    rig.ok("agent", "session", "interrupt", "--session", "cli:flags-send")
    lines = rig.ok("agent", "session", "events", "--session", "cli:flags-send", "--limit", "1").splitlines()
    check(len(lines) == 1 and "user.interrupt" in lines[0], lines)


def asked(rig, name, command):
    """A session whose call waits: its id and the call's."""
    session(rig, name, agent=agent(rig, name, tools=ASKING))
    line = "tool bash " + json.dumps({"command": command})
    rig.ok("agent", "session", "send", "--session", name, "--message", line)
    rig.until(lambda: made(rig, "session", "show", name)["activity"] == "requires_action")
    return made(rig, "session", "show", name)["stop_reason"]["event_ids"][0]


def confirmation(rig, name):
    events = made(rig, "session", "events", name, "--limit", "0")["data"]
    return [one for one in events if one["type"] == "user.tool_confirmation"][-1]


@case("flags of agent session confirm-tool that allow")
def confirm(rig):
    call = asked(rig, "cli:flags-allow", "echo hi")
    check(rig.run("agent", "session", "confirm-tool", "--session", "cli:flags-allow", "--request", "sevt_none",
                  "--allowed", "true").returncode == 1, "another call")
    rig.ok("agent", "session", "confirm-tool", "--session", "cli:flags-allow", "--request", call, "--allowed", "true",
           "--always")
    said = confirmation(rig, "cli:flags-allow")
    check((said["result"], said.get("scope")) == ("allow", "always"), said)


@case("flag agent session confirm-tool --note")
def deny(rig):
    asked(rig, "cli:flags-deny", "echo hi")
    rig.ok("agent", "session", "confirm-tool", "--session", "cli:flags-deny", "--allowed", "false", "--note", "not now")
    said = confirmation(rig, "cli:flags-deny")
    check((said["result"], said.get("deny_message")) == ("deny", "not now"), said)


@case("flags of agent session custom-tool-result")
def result(rig):
    session(rig, "cli:flags-add", agent=agent(rig, "Adds", tools=ADDER))
    rig.ok("agent", "session", "send", "--session", "cli:flags-add", "--message", "tool add {}")
    rig.until(lambda: made(rig, "session", "show", "cli:flags-add")["activity"] == "requires_action")
    call = made(rig, "session", "show", "cli:flags-add")["stop_reason"]["event_ids"][0]
    check(rig.run("agent", "session", "custom-tool-result", "--session", "cli:flags-add", "--request", "sevt_none",
                  "--output", "x").returncode == 1, "another call")
    rig.ok("agent", "session", "custom-tool-result", "--session", "cli:flags-add", "--request", call, "--output", "it broke",
           "--error")
    events = made(rig, "session", "events", "cli:flags-add", "--limit", "0")["data"]
    given = [one for one in events if one["type"] == "user.custom_tool_result"][0]
    check(given["is_error"] is True and given["content"][0]["text"] == "it broke", given)


# ---- sessions ----

@case("flags of session list")
def session_list(rig):
    mine = agent(rig, "Lister")
    session(rig, "cli:flags-a", agent=mine, title="apples")
    session(rig, "web:flags-b", agent=mine, title="pears")
    session(rig, "web:flags-c")
    of_mine = ("session", "list", "--agent", mine)
    check(sorted(ids(rig, *of_mine)) == ["cli:flags-a", "web:flags-b"], "of the agent")
    check(ids(rig, *of_mine, "--text", "apples") == ["cli:flags-a"], "by title")
    check(ids(rig, *of_mine, "--prefix", "web:") == ["web:flags-b"], "by prefix")
    check(len(ids(rig, *of_mine, "--limit", "1")) == 1, "as many as asked for")
    check(ids(rig, *of_mine, "--status", "running") == [], "by status")
    archived(rig, "/v1/sessions/cli:flags-a")
    check(ids(rig, *of_mine) == ["web:flags-b"] and len(ids(rig, *of_mine, "--all")) == 2, "archived ones")


@case("flags of session events and session tail")
def session_events(rig):
    session(rig, "cli:flags-log")
    rig.ok("agent", "session", "send", "--session", "cli:flags-log", "--message", "say x", "--wait")
    kinds = [one["type"] for one in made(rig, "session", "events", "cli:flags-log", "--type", "user.message")["data"]]
    check(kinds == ["user.message"], kinds)
    check(len(made(rig, "session", "events", "cli:flags-log", "--limit", "2")["data"]) == 2, "as many as asked for")
    for arguments, first in ((("--after", "2", "--limit", "0"), 3), (("--limit", "1"), None)):
        with rig.background("session", "tail", "cli:flags-log", *arguments, "--json") as tail:
            shown = json.loads(tail.stdout.readline())["seq"]
        head = made(rig, "session", "show", "cli:flags-log")["head_seq"]
        check(shown == (first or head), (arguments, shown, head))


@case("flag session delete --yes")
def session_delete(rig):
    session(rig, "cli:flags-gone")
    rig.ok("session", "delete", "cli:flags-gone", "--yes")
    check("cli:flags-gone" not in ids(rig, "session", "list", "--all"), "deleted")


@case("flags of chat")
def chat(rig):
    other = agent(rig, "Chatty")
    check(rig.ok("chat", "--session", "cli:flags-chat", "--agent", other, "--message", "say hi").strip() == "hi", "said")
    check(made(rig, "session", "show", "cli:flags-chat")["agent"]["id"] == other, "by that agent")
    rig.ok("chat", "--message", "say one")
    before = len(ids(rig, "session", "list", "--prefix", "cli:", "--all", "--limit", "0"))
    rig.ok("chat", "--new", "--message", "say two")
    check(len(ids(rig, "session", "list", "--prefix", "cli:", "--all", "--limit", "0")) == before + 1, "a new one")
    check("behind" in rig.ok("chat", "--new", "--message", "look:", "--stdin", stdin="behind it"), "text of stdin")


# ---- lanes ----

@case("flags of lanes")
def lanes(rig):
    source = {"platform": "irc", "chat_id": "flags"}
    lane = rig.api("POST", "/v1/sessions/resolve", {"source": source})["lane_id"]
    rig.api("POST", "/v1/sessions/resolve", {"source": {**source, "chat_id": "flags2"}})
    check(len(ids(rig, "lane", "list", "--limit", "1")) == 1, "as many as asked for")
    rig.ok("lane", "update", lane, "--busy", "steer", "--name", "N1")
    shown = made(rig, "lane", "show", lane)
    check((shown["busy"], shown["display_name"]) == ("steer", "N1"), shown)
    rig.ok("lane", "reset", lane, "--name", "N2")
    check(made(rig, "lane", "show", lane)["display_name"] == "N2", "renamed by a reset")
    rig.ok("lane", "resume", lane, "--reason", "shutdown_timeout")
    check(made(rig, "lane", "show", lane)["resume_reason"] == "shutdown_timeout", "marked")
    rig.ok("lane", "resume", lane, "--clear")
    check(made(rig, "lane", "show", lane)["resume_pending"] is False, "cleared")
    check(rig.ok("lane", "prune", "--days", "1").strip() != "", "pruned")
    check(rig.run("lane", "prune", "--days", "-1").returncode != 0, "days that are none")


# ---- schedules ----

RULES = (("--cron", "0 9 * * 1", "cron"), ("--at", "2199-01-01T00:00:00Z", "at"), ("--every", "2h", "every"))


@case("flags of schedule create and schedule update")
def schedules(rig):
    other = agent(rig, "Timer")
    session(rig, "cli:flags-to")
    one = made(rig, "schedule", "create", "--name", "N", "--prompt", "P", "--agent", other, "--every", "3h", "--missed",
               "skip", "--timeout", "5m", "--to", "session:cli:flags-to")
    check((one["name"], one["prompt"], one["agent_id"], one["timeout_ms"]) == ("N", "P", other, 300000), one)
    check(one["missed"]["type"] == "skip" and one["delivery"]["session_id"] == "cli:flags-to", one)
    two = made(rig, "schedule", "update", one["id"], "--name", "N2", "--prompt", "P2", "--missed", "all:3", "--timeout",
               "6m", "--to", "silent")
    check((two["name"], two["prompt"], two["timeout_ms"], two["missed"]["type"], two["delivery"]["type"])
          == ("N2", "P2", 360000, "all", "silent"), two)
    for flag, value, kind in RULES:
        check(made(rig, "schedule", "create", "--name", kind, "--prompt", "p", flag, value)["rule"]["type"] == kind, kind)
        check(made(rig, "schedule", "update", one["id"], flag, value)["rule"]["type"] == kind, kind)
    zoned = made(rig, "schedule", "create", "--name", "z", "--prompt", "p", "--cron", "0 9 * * *", "--zone", "Europe/Berlin")
    check("Europe/Berlin" in json.dumps(zoned["rule"]), zoned)
    zoned = made(rig, "schedule", "update", zoned["id"], "--cron", "0 9 * * *", "--zone", "Asia/Tokyo")
    check("Asia/Tokyo" in json.dumps(zoned["rule"]), zoned)
    (rig.home / "schedule.json").write_text(json.dumps({"name": "F", "prompt": "p", "rule": one["rule"]}))
    filed = made(rig, "schedule", "create", "--file", str(rig.home / "schedule.json"))
    check(filed["name"] == "F", filed)
    (rig.home / "schedule.json").write_text(json.dumps({"name": "F2"}))
    check(made(rig, "schedule", "update", filed["id"], "--file", str(rig.home / "schedule.json"))["name"] == "F2", "file")


@case("flags of schedule list, runs and delete")
def schedule_lists(rig):
    names = [made(rig, "schedule", "create", "--name", f"L{n}", "--prompt", "say x", "--every", "9h")["id"] for n in (1, 2)]
    check(len(ids(rig, "schedule", "list", "--limit", "1")) == 1, "as many as asked for")
    for _ in range(2):
        rig.ok("schedule", "run", names[0])
        rig.until(lambda: "running" not in rig.ok("schedule", "runs", names[0]) and "pending" not in rig.ok("schedule", "runs", names[0]))
    check(len(rig.ok("schedule", "runs", names[0], "--limit", "1").splitlines()) == 1, "as many as asked for")
    rig.ok("schedule", "delete", names[1], "--yes")
    check(names[1] not in ids(rig, "schedule", "list", "--limit", "0"), "deleted")


# ---- people ----

@case("flags of users and tokens")
def people(rig):
    made(rig, "user", "create", "--name", "Another")
    user = made(rig, "user", "create", "--name", "Guest", "--role", "guest")
    check((user["name"], user["role"]) == ("Guest", "guest"), user)
    check(len(ids(rig, "user", "list", "--limit", "1")) == 1, "as many as asked for")
    one = made(rig, "token", "create", "--kind", "user", "--user", user["id"], "--name", "laptop", "--expires",
               "2199-01-01T00:00:00Z")
    listed = {row["id"]: row for row in made(rig, "token", "list", "--limit", "0")["data"]}[one["id"]]
    check((listed["kind"], listed["user_id"], listed["name"], listed["expires_at"])
          == ("user", user["id"], "laptop", "2199-01-01T00:00:00Z"), listed)
    channel = made(rig, "token", "create", "--kind", "channel", "--namespace", "irc")
    worker = made(rig, "token", "create", "--kind", "environment", "--environment", "local-default")
    listed = {row["id"]: row for row in made(rig, "token", "list", "--limit", "0")["data"]}
    check(listed[channel["id"]]["namespace"] == "irc", listed)
    check(listed[worker["id"]]["environment_id"] == "local-default", listed)
    check(len(ids(rig, "token", "list", "--limit", "1")) == 1, "as many as asked for")


# ---- options of every command ----

@case("options of every command that talks to a server")
def everywhere(rig):
    elsewhere = {"server": False}
    check(rig.run("session", "list", "--server", rig.url, env=elsewhere).returncode == 0, "the server that is named")
    check(rig.run("session", "list", "--server", "http://127.0.0.1:1").returncode == 3, "and no other")
    check(rig.run("session", "list", "--data", str(rig.home)).returncode == 1, "a folder without a token")
    (rig.home / "bad.token").write_text("pdr_" + "0" * 64)
    check(rig.run("session", "list", "--token-file", str(rig.home / "bad.token")).returncode == 1, "a token that is none")
    done = rig.run("session", "list", "--verbose")
    check(done.returncode == 0 and rig.url in done.stderr, done)
    for command in (("session", "list"), ("agent", "list"), ("agent", "show", "main"), ("environment", "list"),
                    ("environment", "show", "local-default"), ("schedule", "list"), ("user", "list"), ("token", "list"),
                    ("lane", "list")):
        json.loads(rig.ok(*command, "--json"))


# ---- what works without a server ----

MODEL = "model: demo\nqueue: {depth: 7}\n"
SILENT = "import sys\nfor line in sys.stdin: pass\n"


@contextlib.contextmanager
def serving(rig, *arguments):
    """A second server: the folder it runs in, and what it says at the start."""
    home = rig.home / f"second-{len(list(rig.home.iterdir()))}"
    home.mkdir()
    env = {**rig.env(server=False), "XDG_STATE_HOME": str(home / "state")}
    server = subprocess.Popen([rig.program, "serve", *arguments], cwd=home, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = ""
        for line in server.stdout:
            said += line
            if "Talk to it" in line:
                break
        yield home, said
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@case("flags of serve")
def serve(rig):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with serving(rig, "--data", "there", "--listen", f"127.0.0.1:{port}") as (home, said):
        check(f"127.0.0.1:{port}" in said and (home / "there/owner.token").exists(), said)
    (rig.home / "wrong.yaml").write_text("queue: {depth: none}\n")
    with serving(rig, "--config", str(rig.home / "wrong.yaml"), "--data", "there", "--listen", "127.0.0.1:0") as (_, said):
        check("wrong.yaml" in said and "queue.depth" in said, said)


@case("flags of config")
def config(rig):
    file = rig.home / "own.yaml"
    file.write_text(MODEL)
    shown = {one["key"]: one["value"] for one in made(rig, "config", "show", "--config", str(file))["settings"]}
    check(shown["queue.depth"] == 7, shown)
    plain = rig.run("config", "show", "--defaults", env={"PERDURE_CONFIG": str(file)})
    check(plain.returncode == 0 and "own.yaml" not in plain.stdout, plain)
    check("own.yaml" in rig.run("config", "show", env={"PERDURE_CONFIG": str(file)}).stdout, "told where it comes from")


@case("flags of check")
def checks(rig):
    check(rig.run("check", "--data", str(rig.home / "nothing")).returncode != 0, "a folder without data")
    with serving(rig, "--data", "there", "--listen", "127.0.0.1:0") as (home, _):
        pass
    check(made(rig, "check", "--data", str(home / "there"))["ok"] is True, "a sound one, as JSON")


@case("flags of doctor")
def doctor(rig):
    (rig.home / "wrong.yaml").write_text("queue: {depth: none}\n")
    said = rig.run("doctor", "--config", str(rig.home / "wrong.yaml"), "--data", str(rig.home / "ward"), "--json").stdout
    found = json.loads(said)
    check("queue.depth" in said and str(rig.home / "ward") in said and found, said)


@case("flags of mcp probe")
def probe(rig):
    server = rig.home / "flags_server.py"
    server.write_text(MCP_SERVER)
    json.loads(rig.ok("mcp", "probe", "--json", "--", sys.executable, str(server)))
    check(rig.run("mcp", "probe", "--protocol", "2026-07-28", "--", sys.executable, str(server)).returncode != 0,
          "a version that it does not speak")
    server.write_text(SILENT)
    began = time.monotonic()
    check(rig.run("mcp", "probe", "--timeout", "1", "--", sys.executable, str(server)).returncode == 1, "silent")
    check(time.monotonic() - began < 15, "given up in time")
