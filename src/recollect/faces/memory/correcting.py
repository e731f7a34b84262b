"""Memories put right: what is said anew stands, and what is left out stays as it was.

The rule: a correction is one write. The past keeps what was believed before, which says what stands
in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.errors import Notice, refused, said_anew, undo_of
from recollect.faces.claims import Actor
from recollect.faces.knowledge import KnowledgeBase, NexusKnowledgePieceStore
from recollect.faces.memory.lives import ended_by
from recollect.faces.memory.model import (
    Corrected,
    Holding,
    MemoryRecord,
    inferred_place,
    records_named,
    records_of,
)
from recollect.faces.memory.naming import concept_called, element_named
from recollect.faces.memory.told import NEVER, ToldFact, changes_of, read_fact
from recollect.faces.memory.undoing import begun, carried, guessed, over
from recollect.faces.operations.records import INFERRED
from recollect.kernel import Nexus, asked_instant
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    AlsoHolds,
    BatchReport,
    Change,
    Dated,
    Ended,
    EndFact,
    Instant,
    Link,
    Merge,
    PutConcept,
    PutFact,
    bound_text,
)

_KEEPING: Final = frozenset({"invalid_at", "source", "confidence"})
"""What can be said anew of a fact without its being another one."""


def correct_fact(
    nexus: Nexus, before: MemoryRecord, said: Mapping[str, Any], actor: Actor
) -> Corrected:
    """Put another fact in the place of one, or tell it once more with what is said anew."""
    if said.keys() & {"attributes", "same_as"}:
        raise refused(
            "a fact has no attributes to correct, and is the same as no other",
            "say its object, text, valid_at, invalid_at, source or confidence",
        )
    dated = element_named(nexus, before.id)
    link = dated.element
    assert isinstance(link, Link)
    told = {"subject": {"id": link.subject}, "predicate": link.predicate}
    told["object"] = {"id": link.object}
    kept: dict[str, object] = {"valid_at": begun(dated), "invalid_at": over(dated)}
    kept |= {"source": before.source, "confidence": before.confidence}
    kept |= {} if "object" in said else {"text": before.text}
    is_open = said.get("invalid_at") == NEVER
    fact = read_fact({**told, **kept, **said} | ({"invalid_at": None} if is_open else {}), "fact")
    made, puts = changes_of(nexus, [fact])
    if said.keys() <= _KEEPING:  # the same fact, told once more
        opened = [EndFact(link.id, FOREVER)] if is_open else []
        return written(nexus, [*opened, *made, *puts], before, actor)
    own, spoken = link.attributes.get(FACT), link.predicate.replace("_", " ")
    is_own = isinstance(own, str) and own != f"{before.subject} {spoken} {before.object}"
    old = str(own) if fact.text is None and is_own else None
    text = fact.text if old is None else _with_another(nexus, old, before, fact, puts[0])
    gone = {FACT, INFERRED} if inferred_place(link) else {FACT}
    others = {key: one for key, one in link.attributes.items() if key not in gone}
    metadata = {**carried(link.metadata), **puts[0].metadata}
    put = replace(puts[0], text=text, attributes=others, metadata=metadata)
    put = replace(put, replaces=link.id, is_correction=True)
    if "valid_at" not in said:
        put = replace(put, guessed_at=guessed(link.metadata, dated.valid_at))
    moved = _ends_moved(nexus, dated, asked_instant(fact.valid_at or ""))
    done = written(nexus, [*made, put, *moved], before, actor, len(made))
    if old is None or text is not None:
        return done
    message = f'"{old}" is left out, since it may tell still of "{before.object}"'
    notice = Notice("text_left_out", message, said_anew(done.memory.id, "text", old))
    return replace(done, warnings=(*done.warnings, notice))


def _with_another(
    nexus: Nexus, sentence: str, before: MemoryRecord, fact: ToldFact, put: PutFact
) -> str | None:
    """Return a sentence with the object of a fact in place of the old one.

    None where it does not hold the old one once, word for word, or the name of the subject does.
    """
    new = fact.object.name or str(fact.object.value)
    if isinstance(put.object, str):  # an id, of which the name is said
        new = records_of(nexus, [element_named(nexus, put.object)])[0].text
    if new == str(before.object):
        return sentence
    name = re.compile(rf"(?<![\w.,/:-]){re.escape(str(before.object))}(?!\w|[.,/:-]\w)")
    is_sure = len(name.findall(sentence)) == 1 and not name.search(before.subject or "")
    return name.sub(lambda _: new, sentence) if is_sure else None


def _ends_moved(nexus: Nexus, dated: Dated, new: Instant | None) -> Iterator[EndFact]:
    """Yield what lets each fact end where its successor begins now, if that is what ended it."""
    if dated.valid_at is None or new is None or dated.valid_at == new:
        return
    for one in ended_by(nexus, dated):
        if new > (one.valid_at or BEGINNING):
            yield EndFact(one.element.id, new)


def correct_concept(
    nexus: Nexus, before: MemoryRecord, said: Mapping[str, Any], actor: Actor
) -> Corrected:
    """Say other attributes of a concept, or which other one it is."""
    if said.keys() == {"same_as"}:
        other = concept_called(nexus, str(said["same_as"]))
        if other.id == before.id:
            raise refused(f"{other.name} is that already", "say which other one it is")
        done = written(nexus, [Merge(before.id, other.id)], before, actor)
        return replace(done, undo=undo_of(before.id))
    attributes = said.get("attributes")
    if said.keys() != {"attributes"} or not isinstance(attributes, Mapping):
        raise refused(
            "a concept is corrected by its attributes, or by what it is the same as",
            'pass attributes={"role": "director"}',
        )
    assert before.type is not None and before.name is not None
    put = PutConcept(before.type, before.name, dict(attributes))
    return written(nexus, [put], before, actor)


def correct_piece(
    nexus: Nexus, before: MemoryRecord, said: Mapping[str, Any], actor: Actor
) -> Corrected:
    """Give a piece another text; the record says that the actor writes it."""
    if said.keys() != {"text"}:
        raise refused("a piece is corrected by another text", "say its text")
    pieces = NexusKnowledgePieceStore(nexus, actor.actor_id)
    with KnowledgeBase(nexus=nexus, piece_store=pieces) as kb:
        piece = kb.get_piece(before.name or "")
        assert piece is not None
        kb.update_piece(replace(piece, content=said["text"]))
    (memory,) = records_named(nexus, [before.id])
    return Corrected(memory, before, "correct it with what it said before")


CORRECTING: Final = {"fact": correct_fact, "concept": correct_concept, "piece": correct_piece}
"""How each kind is put right; a claim is superseded by another."""


def written(
    nexus: Nexus, changes: Sequence[Change], before: MemoryRecord, actor: Actor, at: int = -1
) -> Corrected:
    """Write a correction, in which the change at a place, the last, puts what stands then."""
    done = nexus.write(changes, actor=actor.actor_id)
    report = done.only(BatchReport)
    (memory,) = records_named(nexus, [report.ids[at]])
    undo = "nothing was changed" if done.transaction is None else undo_of(memory.id)
    held = beside(nexus, report.also_holds)
    return Corrected(memory, before, undo, held, done.transaction, done.notices)


def beside(nexus: Nexus, found: Sequence[Ended | AlsoHolds]) -> tuple[Holding, ...]:
    """Return what a write ended, or what goes on beside it, in the words of a memory."""
    records = {one.id: one for one in records_named(nexus, [one.id for one in found])}
    told = [(one, records[one.id].text, records[one.id].invalid_at) for one in found]
    return tuple(
        Holding(one.id, line, until=until)
        if isinstance(one, Ended)
        else Holding(one.id, line, bound_text(one.since), until, one.hint)
        for one, line, until in told
    )
