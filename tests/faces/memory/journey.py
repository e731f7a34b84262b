"""What a person does with a memory, the same through every door: remember, recall, correct, forget.

A door is anything with the methods of `Memory`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.errors import RecollectError

MARIA = [
    {"subject": "Maria", "predicate": "works_at", "object": "Siemens", "valid_at": "2019"},
    {"subject": "Maria", "predicate": "likes", "object": "green tea"},
    {"subject": "Maria", "predicate": "age", "object": 34},
]


def lines_about(door: Any, name: str, *, past: bool = False) -> list[str]:
    listed = door.list(about=name, past=past).memories
    return sorted(str(one) for one in listed if one.kind == "fact")


def walk(door: Any) -> None:
    """Go the whole way once, and look at what the memory then holds."""
    tea = _correct(door)
    _forget(door, tea)
    _learn(door)
    _meet(door)


def _meet(door: Any) -> None:
    """Tell of somebody by a first name that one person has who is known."""
    rosa = {"subject": {"type": "Person", "name": "Rosa Klein"}, "predicate": "knows"}
    (known,) = door.remember(facts=[{**rosa, "object": "Maria"}]).facts
    told = door.remember(facts=[{"subject": "Rosa", "predicate": "likes", "object": "figs"}])
    (proposed,) = told.warnings
    assert proposed.code == "first_name"
    assert '"Rosa"' in proposed.message
    assert 'name: "Rosa Klein"' in proposed.message
    again = door.remember(facts=[{"subject": "Rosa", "predicate": "likes", "object": "dates"}])
    assert again.warnings == ()
    assert known.subject == "Rosa Klein"
    for told in (door.list(about="Rosa Klein"), door.recall("What does Rosa Klein like?")):
        assert "Rosa likes figs" in [str(one) for one in told.memories]
        assert [(one.code, one.hint) for one in told.warnings] == [("first_name", proposed.hint)]
    brief = str(door.brief("Rosa Klein"))
    assert '- "Rosa" may be "Rosa Klein"' in brief and "- Rosa likes figs" in brief
    joined = door.correct(**json.loads(proposed.hint.removeprefix("correct with ")))
    assert (joined.memory.name, door.list(about="Rosa").warnings) == ("Rosa Klein", ())
    assert door.undo(joined.undo.removeprefix("undo ")).memory.name == "Rosa"
    joined = door.correct(joined.before.id, same_as="Rosa Klein")
    assert joined.memory.type == "Person"


def _correct(door: Any) -> str:
    """Tell facts, change them, and return the id of one."""
    told = door.remember(facts=MARIA)
    assert [one.text for one in told.facts] == [
        "Maria works at Siemens",
        "Maria likes green tea",
        "Maria age 34",
    ]
    assert told.facts[2].object == 34

    changed = door.remember(
        facts=[
            {"subject": "Maria", "predicate": "works_at", "object": "BMW", "valid_at": "2026-05"}
        ]
    )
    assert [one.id for one in changed.ended] == [told.facts[0].id]
    assert "Maria works at BMW (since 2026-05)" in lines_about(door, "Maria")
    assert not [one for one in lines_about(door, "Maria") if "Siemens" in one]
    assert "Maria works at Siemens (2019 to 2026-05-01)" in lines_about(door, "Maria", past=True)

    found = door.recall("Where does Maria work?")
    assert "Maria works at BMW" in [one.memory.text for one in found.memories]
    assert all(one.memory.text != "Maria works at Siemens" for one in found.memories)

    corrected = door.correct(changed.facts[0].id, object="Audi")
    assert corrected.memory.text == "Maria works at Audi"
    assert corrected.memory.valid_at == "2026-05-01T00:00:00.000Z"
    assert corrected.before.text == "Maria works at BMW"
    undone = door.undo(corrected.memory.id)
    assert undone.memory.text == "Maria works at BMW"
    assert lines_about(door, "Maria") == [
        "Maria age 34",
        "Maria likes green tea",
        "Maria works at BMW (since 2026-05)",
    ]

    return str(told.facts[1].id)


def _forget(door: Any, tea: str) -> None:
    """Forget a fact in three ways, each after the other."""
    shown = door.forget("green tea")
    assert (shown.is_dry_run, shown.undo) == (True, "")
    assert "Maria likes green tea" in lines_about(door, "Maria")
    ended = door.forget(id=tea, effect="end", at="2026-11-01")
    assert str(ended.memories[0]) == "Maria likes green tea (until 2026-11-01)"
    assert ended.undo.startswith("undo it by its id")
    assert "Maria likes green tea" not in lines_about(door, "Maria")
    door.undo(tea)
    assert "Maria likes green tea" in lines_about(door, "Maria")
    withdrawn = door.forget(id=tea)
    assert withdrawn.effect == "withdraw"
    assert withdrawn.memories[0].expired_at is not None
    assert [step.operation for step in door.why(tea).history][-1] == "close"
    door.forget(id=tea, effect="erase")
    with pytest.raises(RecollectError, match="no memory has this id"):
        door.why(tea)


def _learn(door: Any) -> None:
    """Tell a claim and a message, and ask for a brief."""
    claim = door.remember(
        "Maria prefers short answers",
        evidence=[{"kind": "user_statement", "detail": "Keep it short, please."}],
    ).claim
    assert (claim.kind, claim.status) == ("claim", "observed")
    assert claim.evidence[0]["detail"] == "Keep it short, please."
    better = door.correct(
        claim.id,
        text="Maria prefers short answers in German",
        evidence=[{"kind": "user_statement", "detail": "Auf Deutsch, bitte."}],
    )
    assert better.before.standing == ""
    assert door.why(better.memory.id).events[0]["event"] == "created"

    said = door.remember(messages=[{"role": "Maria", "content": "My sister lives in Lisbon."}])
    assert len(said.episodes) == 1
    heard = door.recall("Where does the sister live?", kinds=["episode"])
    assert [one.memory.id for one in heard.memories] == list(said.episodes)

    brief = door.brief("Maria", max_tokens=400)
    assert "- Maria works at BMW" in brief.text
    assert "(2019 to 2026-05-01)" in brief.text
    assert brief.text.encode().isascii()
    assert len(brief.text) <= 400 * 3
