"""A brief tells of no more than there is, and of all that is new."""

from __future__ import annotations

import recollect
from recollect import Memory

SAID = [{"kind": "user_statement", "detail": "said"}]
SERVES = {"subject": "$self", "predicate": "serves", "object": "Ann"}
TEA = {"subject": "Ann", "predicate": "likes", "object": "tea"}


def test_nothing_more_is_promised_where_all_that_holds_is_told() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        Memory(memory.nexus.group("decoy")).remember(facts=[{**TEA, "object": "the decoy"}])
        memory.remember(facts=[SERVES, TEA])
        text = memory.brief().text
        assert "Ann likes tea" in text
        assert "more, as a list shows" not in text


def test_what_is_new_has_claims_and_what_was_said_beside_facts() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember("Ann sails on Sundays", evidence=SAID)
        since = memory.brief().at
        memory.remember(
            "Ann is allergic to nuts",
            facts=[TEA],
            evidence=SAID,
            messages=[{"role": "Ann", "content": "The ferry was late."}],
        )
        _, _, new = memory.brief(since=since).text.partition("What is new since")
        section = new.partition(":\n")[2].partition(":\n")[0]
        for told in ("Ann is allergic to nuts", "Ann likes tea", "The ferry was late."):
            assert told in section
        assert "sails" not in section


def test_whom_the_agent_serves_is_told_once_and_values_are_no_known_things() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        dog = {"subject": "Biscuit", "predicate": "breed", "object": "dachshund"}
        memory.nexus.write(
            'UPSERT { CONCEPT { {type: "Entity", name: "oak"} SET ATTRIBUTES {age: 9} } }'
        )
        memory.remember(
            facts=[
                {**SERVES, "object": {"type": "Person", "name": "Ann"}},
                {**TEA, "predicate": "has_pet", "object": "Biscuit"},
                dog,
            ]
        )
        for topic in (None, "Ann"):
            text = memory.brief(topic).text
            assert "- you serve Ann" in text
            assert "$self" not in text
        known = memory.brief().text.partition("What is known of:\n")[2].partition("\nWhat")[0]
        assert known.splitlines() == ["- Entity: Biscuit, oak", "- Person: Ann"]
