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
    Row("agent_rules_dropped", "an agent's approval rules are not asked", "src/engine/approval.c",
        "add_agent_rules(j, agent->run.approval_rules, APPROVAL_AGENT);", "",
        "server", "T8_agent_deny_vetoes_the_block"),
    Row("latest_rules_dropped", "a deny of a later version does not bite", "src/engine/approval.c",
        "add_agent_rules(j, agent->latest_rules, APPROVAL_AGENT_LATEST);", "",
        "server", "T8_a_deny_of_a_later_version"),
    Row("operator_is_a_person", "an operator's deny is no more than a person's", "src/engine/approval.c",
        "add_rules(j, j->en->config.settings.rules, APPROVAL_OPERATOR);",
        "add_rules(j, j->en->config.settings.rules, APPROVAL_SESSION);",
        "server", "T8_always_does_not_override"),
    Row("veto_comes_late", "who allows a call overrules a deny that came meanwhile", "src/core/turn_machine.c",
        "turn_machine_veto(m, answers, in->answer_count, a);", "",
        "server", "T8_a_deny_that_comes_while"),
)
