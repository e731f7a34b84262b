"""The part of the demo that needs no KIP: facts about one woman, told, corrected and forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.faces.memory import Memory, Remembered
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class DemoCall:
    """One call of the memory, as it is written in Python, with what it answered."""

    title: str
    command: str
    lines: tuple[str, ...]
    answer: Mapping[str, Any]


def calls(memory: Memory) -> Iterator[DemoCall]:
    """Remember, recall, correct and forget, one after the other."""
    first = _fact("works_at", "Siemens", valid_at="2019")
    address = _fact("lives_at", "Rosenweg 5, Munich")
    told = memory.remember(facts=[first, address])
    yield _told("Told without KIP: Maria's work and address", f"facts={[first, address]}", told)
    newer = _fact("works_at", "BMW", valid_at="2024-05")
    told = memory.remember(facts=[newer])
    yield _told("Told later: the newer fact ends the older", f"facts={[newer]}", told)
    question = "Where does Maria work?"
    found = memory.recall(question, kinds=["fact"], limit=1)
    yield DemoCall(
        question, f'memory.recall("{question}")', tuple(map(str, found.memories)), found.to_dict()
    )
    right = memory.correct(told.facts[0].id, object="Audi")
    yield DemoCall(
        "That was wrong: it was Audi all along",
        'memory.correct(id, object="Audi")',
        (f"before: {right.before.text}", f"now:    {right.memory}"),
        right.to_dict(),
    )
    home = memory.list(about="Maria").memories
    identifier = next(one.id for one in home if one.predicate == "lives_at")
    gone = memory.forget(id=identifier)
    yield DemoCall(
        "Forget my address",
        "memory.forget(id=id)",
        (*map(str, gone.memories), gone.undo),
        gone.to_dict(),
    )
    brief = memory.brief("Maria")
    yield DemoCall(
        "What do you know about Maria?",
        'memory.brief("Maria")',
        tuple(brief.text.splitlines()),
        brief.to_dict(),
    )


def _fact(predicate: str, target: str, **more: str) -> dict[str, str]:
    return {"subject": "Maria", "predicate": predicate, "object": target, **more}


def _told(title: str, given: str, told: Remembered) -> DemoCall:
    ended = (f"ended: {one.line}, until {(one.until or '')[:10]}" for one in told.ended)
    command = f"memory.remember({given})".replace("}, {", "},\n    {").replace("[{", "[\n    {")
    return DemoCall(title, command, (*map(str, told.facts), *ended), told.to_dict())
