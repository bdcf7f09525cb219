"""heavy - requests that the limits allow and that cost as much to handle as a body of that size can."""
import json

from abuse import load_routes


def fill(size, make):
    """As many of make(i) as a list of about that many bytes has."""
    one = len(json.dumps(make(123456))) + 2
    return [make(i) for i in range(max(1, size // one))]


def keys(size, make=lambda i: "v"):
    one = len(json.dumps({"k123456": make(123456)}))
    return {f"k{i}": make(i) for i in range(max(1, size // one))}


def deep(size):
    """Sixty levels, as wide as there is room."""
    value = keys(size)
    for _ in range(56):
        value = {"a": value}
    return value


def event(i):
    return {"type": "system.message", "content": [{"type": "text", "text": f"x{i}"}]}


def result(i):
    return {"type": "user.custom_tool_result", "custom_tool_use_id": f"sevt_{i}", "content": []}


LISTS = {  # by the name of a field: what its elements look like
    "tools": [lambda i: {"type": "custom", "name": f"t{i}", "description": "d", "input_schema": {"type": "object"}},
              lambda i: {"type": "mcp_toolset", "mcp_server_name": f"s{i}"},
              lambda i: {"type": "agent_toolset_20260401", "configs": [{"name": "bash", "enabled": True}]}],
    "mcp_servers": [lambda i: {"type": "url", "name": f"s{i}", "url": f"https://a.example/{i}"}],
    "initial_events": [event, lambda i: {"type": "user.message", "content": [{"type": "text", "text": "x"}]}],
    "events": [event, result, lambda i: {"type": "user.interrupt"},
               lambda i: {"type": "user.tool_confirmation", "tool_use_id": f"t{i}", "result": "allow"}],
    "resources": [lambda i: {"type": "file", "file_id": f"file_{i}", "mount_path": f"/a/{i}"}],
    "attachments": [lambda i: {"type": "image", "url": f"https://a.example/{i}.png"}],
    "vault_ids": [lambda i: f"vlt_{i}"],
    "skills": [lambda i: {"type": "custom", "skill_id": f"s{i}"}],
}


def objects(name, size):
    yield "keys", lambda: keys(size)
    yield "keys of null", lambda: keys(size, lambda i: None)
    yield "keys of objects", lambda: keys(size, lambda i: {"a": 1})
    yield "levels", lambda: deep(size)
    if name == "agent":
        for field in ("tools", "mcp_servers"):
            for number, make in enumerate(LISTS[field]):
                yield f"{field} {number}", lambda field=field, make=make: {field: fill(size, make)}
    if name == "config":
        yield "rules", lambda: {"approval_rules": fill(size, lambda i: {"tool": f"t{i}", "decision": "deny"})}
        yield "resets", lambda: {"session_reset": {"mode": "none", "by_type": keys(size, lambda i: {"mode": "none"})}}
        yield "packages", lambda: {"type": "cloud", "packages": {"pip": fill(size, lambda i: f"p{i}")}}
        yield "hosts", lambda: {"type": "cloud", "networking": {"type": "limited", "allowed_hosts": fill(
            size, lambda i: f"h{i}.example")}}
    if name == "execution_identity":
        yield "rules", lambda: {"approval_rules": fill(size, lambda i: {"tool": f"t{i}", "decision": "deny"})}
    if name == "rule":
        yield "cron", lambda: {"type": "cron", "expression": "0," * (size // 2) + "0 0 * * *", "time_zone": "UTC"}
    if name == "multiagent":
        yield "agents", lambda: {"type": "coordinator", "agents": fill(size, lambda i: f"agent_{i}")}
    if name in ("source", "key", "sender"):
        yield "long", lambda: {"platform": "telegram", "chat_id": "x" * size, "user_id": "y", "surface": "chat",
                               "surface_id": "z"}


def texts(size):
    yield "letters", lambda: "x" * size
    yield "escapes", lambda: "\u0001" * (size // 6)
    yield "marks", lambda: "\u4e2d\u0301" * (size // 12)
    yield "mentions", lambda: "@a " * (size // 3)
    yield "slashes", lambda: "/" * size
    yield "lines", lambda: "say x\n" * (size // 7)


def kind_of(field):
    kind = field.get("type", "any")
    return next(one for one in kind if one != "null") if isinstance(kind, list) else kind


def values(name, field, size):
    kind = kind_of(field)
    if kind == "string" and "enum" not in field:
        yield from texts(size)
    if kind == "array":
        for number, make in enumerate(LISTS.get(name, ())):
            yield f"list {number}", lambda make=make: fill(size, make)
        yield "empty objects", lambda: fill(size, lambda i: {})
        yield "one wide object", lambda: [keys(size)]
        yield "texts", lambda: fill(size, lambda i: f"x{i}")
    if kind in ("object", "any"):
        yield from objects(name, size)


def lanes(size):
    return {f"agent:main:telegram:dm:{i}": {
        "session_id": f"s{i}", "session_key": f"agent:main:telegram:dm:{i}", "updated_at": "2026-01-01T00:00:00Z"}
        for i in range(size // 150)}


def bodies(client, size):
    """(route, what is heavy, what makes its body) for every field of every route."""
    routes = load_routes()
    for route in routes.read_routes(client, routes.make_things(client)):
        if route.path == "/v1/server/restart" or not route.takes_json():
            continue
        good = route.body or {}
        yield route, "unknown keys", lambda good=good: {**good, **keys(size)}
        if route.path == "/v1/lanes/import":
            yield route, "lanes", lambda: lanes(size)
        for name, field in (route.schema or {"properties": {}})["properties"].items():
            for what, make in values(name, field, size):
                yield route, f"{name}: {what}", lambda good=good, name=name, make=make: {**good, name: make()}


def queries(client):
    """(route, what is heavy, its target)"""
    routes = load_routes()
    for route in routes.read_routes(client, routes.make_things(client)):
        if route.method != "GET" or route.streams or route.path == "/v1/ws":
            continue
        for param in route.params:
            name = param["name"].replace("*", "k")
            many = "&".join(f"{name}={i}" for i in range(14000 // (len(name) + 8)))
            yield route, f"{name}: many", f"{route.target}?{many}"
            yield route, f"{name}: long", f"{route.target}?{name}={'a*' * 6000}"
            yield route, f"{name}: words", f"{route.target}?{name}={'a+' * 6000}"
            yield route, f"{name}: quotes", f"{route.target}?{name}={'%22a%22+OR+' * 1000}"
