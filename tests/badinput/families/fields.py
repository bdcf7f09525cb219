"""fields - bodies that are JSON, with one field of the wrong type, name or size."""
import json

from case import Case

WRONG = frozenset({400})
BY_TYPE = {
    "string": [("a number", 1), ("a fraction", -1.5), ("true", True), ("an array", []), ("an object", {}),
               ("an array of a text", ["x"])],
    "integer": [("a text", "1"), ("a fraction", 1.5), ("true", True), ("an array", []), ("an object", {}),
                ("-1", -1), ("beyond 64 bits", 99999999999999999999), ("beyond a double", float("1e308") * 10)],
    "boolean": [("a text", "true"), ("0", 0), ("1", 1), ("an array", []), ("an object", {})],
    "object": [("a text", "x"), ("a number", 1), ("true", True), ("an array", []), ("an array of one", [{}])],
    "array": [("a text", "x"), ("a number", 1), ("true", True), ("an object", {})],
    "enum": [("another word", "nonsense"), ("no word", ""), ("a number", 1), ("true", True), ("an array", []),
             ("an object", {}), ("a long word", "x" * 5000)],
    "any": [("a number", 1), ("true", True), ("an array", [])],
}
ITEMS = {
    "object": [("[number]", [1]), ("[text]", ["x"]), ("[array]", [[]]), ("[null]", [None]), ("[true]", [True])],
    "string": [("[number]", [1]), ("[object]", [{}]), ("[array]", [[]]), ("[null]", [None]), ("[true]", [True])],
}
TEXTS = [("a number in it", {"k": 1}), ("an array in it", {"k": []}), ("an object in it", {"k": {}}),
         ("true in it", {"k": True}), ("17 pairs", {f"k{i}": "v" for i in range(17)}),
         ("a key of 65", {"k" * 65: "v"}), ("a value of 513", {"k": "v" * 513})]
NAMES = ["zzz", "Name", "NAME", " name", "name ", "nam\u0435", "__proto__", "constructor", "$ref", "", "a.b", "a[0]",
         "x" * 300, "\U0001f600", "owner", "created_at", "type "]


def kind_of(field):
    if "enum" in field:
        return "enum"
    kind = field.get("type", "any")
    return next(one for one in kind if one != "null") if isinstance(kind, list) else kind


def wrong_values(field):
    kind = kind_of(field)
    yield from BY_TYPE[kind]
    if kind == "array":
        yield from ITEMS[kind_of(field["items"])]
    if "additionalProperties" in field:
        yield from TEXTS


def cases(make):
    for route in make.routes:
        if route.schema is None:
            continue
        for name, field in route.schema["properties"].items():
            for what, value in wrong_values(field):
                yield spoilt(make, route, f"{name} is {what}", {**route.body, name: value}, name)
        for name in route.schema.get("required", []):
            rest = {key: value for key, value in route.body.items() if key != name}
            yield spoilt(make, route, f"no {name}", rest, name)
            yield spoilt(make, route, f"{name} is null", {**route.body, name: None}, name)
        for name in NAMES:
            if name not in route.schema["properties"]:
                yield spoilt(make, route, f"unknown field {name[:20]!r}", {**route.body, name: "x"}, "")


def spoilt(make, route, mutation, body, says):
    text = json.dumps(body).replace("Infinity", "1e400")
    return Case(route, mutation, make.request(route, body=text.encode()), WRONG, says)
