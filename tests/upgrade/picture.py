"""picture - what a data directory holds, as its server shows it: taken when a fixture is made, compared when a
later program has opened it."""
import hashlib
import http.client
import json
from urllib.parse import quote

# Where a record shows what may change by itself, the members that may not.
RECORDS = {
    "agents": ("id", "name", "version", "model", "tools", "archived_at", "created_at"),
    "environments": ("id", "name", "config", "archived_at", "created_at"),
    "users": ("id", "name", "role", "created_at"),
    "tokens": ("id", "name", "kind", "prefix", "user_id", "environment_id", "created_at"),
    "workspaces": ("id", "name", "config", "created_at"),
    "schedules": ("id", "name", "prompt", "rule", "delivery", "missed", "created_at"),
}
ARCHIVED = {"agents": "?include_archived=true", "environments": "?include_archived=true"}
SESSION = ("id", "title", "metadata", "environment_id", "created_at", "workspace_id")
LANE = ("session_key", "session_id", "surface", "surface_id", "display_name", "origin", "suspended", "created_at")


def pages(client, path):
    """Every row of a list."""
    page = ""
    while page is not None:
        answer = client.ask("GET", path + ("&" if "?" in path else "?") + "limit=100" + (f"&page={page}" if page else ""))
        yield from answer["data"]
        page = answer.get("next_page")


def download(client, path):
    wire = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    wire.request("GET", path, headers={"Authorization": f"Bearer {client.token}"})
    answer = wire.getresponse()
    text = answer.read()
    wire.close()
    assert answer.status == 200, (answer.status, text)
    return text


def members(row, names):
    return {name: row[name] for name in names if name in row}


def stays(kind, row):
    """Revoked tokens are forgotten in time, and owner.token is replaced by whoever unpacks a fixture."""
    return kind != "tokens" or (row["revoked_at"] is None and row["kind"] != "owner")


def log_of(client, session):
    """The chain: [kind, hash] of every event."""
    lines = download(client, f"/v1/sessions/{quote(session)}/export").splitlines()
    return [[event["type"], event["hash"]] for event in map(json.loads, lines[1:])]


def transcript(client, session):
    """What was said, inherited messages included."""
    texts = [[row["role"], "".join(part.get("text", "") for part in row["content"])]
             for row in pages(client, f"/v1/sessions/{quote(session)}/messages")]
    return {"count": len(texts), "sha256": hashlib.sha256(json.dumps(texts).encode()).hexdigest()}


def take(client):
    sessions = {}
    for row in pages(client, "/v1/sessions?include_inactive=true&include_archived=true"):
        name = row["id"]
        sessions[name] = {**members(row, SESSION), "log": log_of(client, name),
                          "messages": transcript(client, name),
                          "resources": sorted(one["id"] for one in
                                              pages(client, f"/v1/sessions/{quote(name)}/resources"))}
    picture = {kind: {row["id"]: members(row, names) for row in pages(client, f"/v1/{kind}" + ARCHIVED.get(kind, ""))
                      if stays(kind, row)} for kind, names in RECORDS.items()}
    lanes = json.loads(download(client, "/v1/lanes/export"))
    picture["sessions"] = sessions
    picture["lanes"] = {key: members(lane, LANE) for key, lane in lanes.items()}
    picture["runs"] = {name: sorted(run["id"] for run in pages(client, f"/v1/schedules/{name}/runs"))
                       for name in picture["schedules"]}
    return picture


def kinds(picture):
    return {kind for session in picture["sessions"].values() for kind, _ in session["log"]}
