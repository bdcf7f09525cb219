"""queries - limits, cursors, words and times that are none, and names that nobody knows."""
from case import Case

WRONG = frozenset({400})
LIMITS = ["0", "-1", "100000", "99999999999999999999", "1.5", "1e1", "0x10", "abc", "", "+1", "%201", "1%20", "NaN",
          "null", "true", "1,2", "01%00"]
CURSORS = ["x", "AAAA", "====", "%00", "-1", "0", "null", "a" * 5000, "%f0%9f%98%80", "%ff%fe", "../..", "'--",
           "eyJhIjoxfQ==", "c2Vzbl8x", "%0a"]
BY_TYPE = {
    "integer": ["abc", "-1", "1.5", "", "99999999999999999999", "0x1", "1e3", "%00", "true"],
    "boolean": ["maybe", "2", "", "TRUE%00", "yesno", "[]", "-1"],
    "date-time": ["yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01", "", "1",
                  "2026-01-01T25:00:00Z", "2026-01-01T00:00:00", "%00", "9999999-01-01T00:00:00Z"],
}
WORDS = {"order": ["up", "", "ASC", "asc%00", "desc,asc"], "statuses[]": ["nonsense", "", "idle,running", "IDLE"],
         "types[]": ["nonsense", "", "user.message,agent.message", "user.%00"],
         "event_deltas[]": ["nonsense", "", "user.message", "agent.message,agent.thinking"]}
ZERO_IS_GOOD = {"after"}
UNKNOWN = ["zzz", "Limit", "limit%20", "pages", "__proto__", "a%00b", "%f0%9f%98%80", "metadata", "created_at"]
SPOILT = [("a bad escape in a value", "zzz=%zz"), ("a cut escape", "zzz=%"), ("a bad escape in a name", "%zz=1"),
          ("bytes that are no UTF-8", "zzz=%ff%fe"), ("NUL", "zzz=%00"), ("a name alone", "zzz"), ("no name", "=1"),
          ("9000 bytes", "zzz=" + "x" * 9000), ("500 parameters", "&".join(f"z{i}=1" for i in range(500)))]
SINGLE = ("limit", "page", "order", "after", "before", "agent_id", "include_archived")


def values(param):
    name, schema = param["name"], param["schema"]
    if name == "limit":
        return LIMITS
    if name == "page":
        return CURSORS
    if name in WORDS:
        return WORDS[name]
    kind = schema.get("format") or schema.get("type")
    return [value for value in BY_TYPE.get(kind, ()) if not (name in ZERO_IS_GOOD and value == "0")]


def cases(make):
    for route in make.routes:
        known = {param["name"] for param in route.params}
        for param in route.params:
            escaped = param["name"].replace("[", "%5B").replace("]", "%5D")
            for value in values(param):
                yield wrong(make, route, f"{param['name']}={value[:30]}", f"{escaped}={value}")
            if param["name"] in SINGLE and param["name"] in known:
                yield wrong(make, route, f"{param['name']} twice", f"{escaped}=1&{escaped}=2")
        for name in UNKNOWN:
            if name not in known:
                yield wrong(make, route, f"unknown {name}", f"{name}=1")
        for name, query in SPOILT:
            yield wrong(make, route, name, query)


def wrong(make, route, mutation, query):
    # a path that holds a query is a path too long only beyond the head's limit
    return Case(route, f"query: {mutation}", make.request(route, f"{route.target}?{query}", route.good_body()),
                WRONG | {414} if len(query) > 8000 else WRONG)
