"""routes - what can be asked, read from the server's own description, with a good request for each."""
import json
import re

BODIES = {  # by the name of the schema; a good body for each
    "AgentCreate": {"name": "N", "model": "demo", "system": "s", "metadata": {"k": "v"}},
    "AgentChat": {"message": "say x", "agentId": "main", "surface": "chat", "surfaceId": "1"},
    "AgentReset": {"agentId": "main", "surface": "chat", "surfaceId": "1"},
    "AgentUpdate": {"name": "N2"},
    "EnvironmentCreate": {"name": "E", "config": {"type": "self_hosted"}, "metadata": {"k": "v"}},
    "EnvironmentUpdate": {"name": "E2"},
    "WorkStop": {"force": False},
    "WorkUpdate": {"metadata": {"k": "v"}},
    "WorkspaceCreate": {"name": "W", "config": {"session_reset": {"mode": "none"}}},
    "WorkspaceUpdate": {"config": {"session_reset": {"mode": "none", "at_hour": 4}}},
    "UserCreate": {"name": "U"},
    "UserUpdate": {"name": "U2"},
    "TokenCreate": {"kind": "owner", "name": "t"},
    "SessionCreate": {"agent": "main", "environment_id": "local-default", "title": "T"},
    "LaneMarkResume": {"reason": "restart_timeout"},
    "LaneReset": {"display_name": "d"},
    "LaneRewind": {"turns": 1},
    "LaneSwitch": {"session_id": "sesn_none"},
    "LaneUpdate": {"display_name": "d"},
    "Lanes": {},
    "LanesMarkRecent": {"max_age_seconds": 1},
    "LanesPrune": {"max_age_days": 36500},
    "SessionResolve": {"key": {"surface": "chat", "surface_id": "1"}},
    "SessionUpdate": {"title": "T2"},
    "ScheduleCreate": {"name": "S", "prompt": "say x", "rule": {"type": "every", "every_ms": 9999999},
                       "metadata": {"k": "v"}},
    "ScheduleUpdate": {"name": "S2"},
    "EventSend": {"events": [{"type": "system.message", "content": [{"type": "text", "text": "x"}]}]},
    "MessagePost": {"text": "x", "mode": "append"},
    "QueueEdit": {"text": "x"},
    "Command": {"text": "/help"},
    "ResourceAdd": {"type": "github_repository", "url": "https://example.com/a/b"},
    "ResourceUpdate": {"authorization_token": "t"},
}


class Route:
    """One method on one path; .target is the path with ids of things that exist."""

    def __init__(self, method, path, operation, schemas, ids):
        self.method, self.path = method, path
        self.name = f"{method} {path}"
        self.is_open = operation.get("security") == []
        self.params = [one for one in operation["parameters"] if one["in"] == "query"]
        self.mutates = method != "GET"
        self.streams = path.endswith("/stream")
        content = operation.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        self.schema = schemas.get(schema)
        self.body = BODIES[schema] if schema else None
        self.needs_body = bool(schema) and operation["requestBody"]["required"]
        self.takes_bundle = bool(content) and not schema
        self.path_ids = re.findall(r"\{(\w+)\}", path)
        self.ids = ids
        self.target = self.with_ids({})

    def with_ids(self, changed):
        return re.sub(r"\{(\w+)\}", lambda match: changed.get(match[1], self.ids[match[1]]), self.path)

    def good_body(self):
        return None if self.body is None else json.dumps(self.body).encode()

    def takes_json(self):
        """Also where nothing has to be said: what is sent must be an object."""
        return self.mutates and self.method == "POST" and not self.takes_bundle


def make_work(server, environment):
    """An item of its queue, held by a worker: a session waits for its tool."""
    agent = server.ask("POST", "/v1/agents", {"name": "Worked", "model": "demo", "tools": [
        {"type": "custom", "name": "deploy", "description": "d", "input_schema": {"type": "object"}}]})
    session = server.ask("POST", "/v1/sessions", {"agent": agent["id"], "environment_id": environment})
    server.ask("POST", f"/v1/sessions/{session['id']}/messages", {"text": "tool deploy {}", "mode": "wait"})
    work = server.ask("GET", f"/v1/environments/{environment}/work/poll?block_ms=10000")
    server.ask("POST", f"/v1/environments/{environment}/work/{work['id']}/ack")
    return work


def make_things(server):
    """Something of every kind, so that a request can fail only by what is wrong in it."""
    agent = server.ask("POST", "/v1/agents", {"name": "Target", "model": "demo"})
    environment = server.ask("POST", "/v1/environments", {"name": "Target"})
    user = server.ask("POST", "/v1/users", {"name": "Target"})
    token = server.ask("POST", "/v1/tokens", {"kind": "user", "user_id": user["id"]})
    session = server.ask("POST", "/v1/sessions", {
        "agent": agent["id"], "environment_id": "local-default",
        "resources": [{"type": "github_repository", "url": "https://example.com/a/b"}]})
    schedule = server.ask("POST", "/v1/schedules", BODIES["ScheduleCreate"])
    message = server.ask("POST", f"/v1/sessions/{session['id']}/messages", {"text": "x", "mode": "append"})
    lane = server.ask("POST", "/v1/sessions/resolve", {"key": {"surface": "chat", "surface_id": "target"}})
    work = make_work(server, environment["id"])
    threads = server.ask("GET", f"/v1/sessions/{session['id']}/threads")["data"]
    return {"agent_id": agent["id"], "environment_id": environment["id"], "work_id": work["id"], "user_id": user["id"],
            "token_id": token["id"], "session_id": session["id"], "schedule_id": schedule["id"],
            "lane_id": lane["lane_id"], "workspace_id": "main",
            "resource_id": session["resources"][0]["id"],
            "thread_id": threads[0]["id"] if threads else "sthr_none",
            "message_id": message["message_id"], "event_id": "sevt_none"}


def read_routes(server, ids):
    description = server.ask("GET", "/v1/openapi.json")
    schemas = description["components"]["schemas"]
    return [Route(method.upper(), path, operation, schemas, ids)
            for path, methods in description["paths"].items()
            for method, operation in methods.items()]
