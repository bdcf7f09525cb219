"""wiring - faults of one line between a decision and its caller, and the front-door case that notices each.

The parts are tested by themselves; these are the seams. A row whose line is not found exactly once has gone stale
and fails tools/run_mutants.
"""
from collections import namedtuple

Row = namedtuple("Row", "name what file line fault suite case")

ROWS = (
    Row("every_message_triggers", "every group message triggers", "src/engine/ingress.c",
        "a->facts.routed = route_policy_decide(&route).trigger;",
        "a->facts.routed = route_policy_decide(&route).trigger || true;",
        "server", "P4"),
)
