"""What a plain name means: the living concepts of free kinds that are called so.

The rule: the name as it is written comes before another spelling, and that before an alias; only
the best of these classes is meant, and all of it. Types that a face owns, meta-types and kinds
whose names are ids are never meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import orjson

from recollect.kernel.read.moment import hydrate
from recollect.kernel.read.reader import Reader
from recollect.kernel.search.tokens import called, tokens
from recollect.kernel.store.cells import SqlValue, canonical_name, members, text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Partition, Session, Term
from recollect.kernel.store.statements.meant import CALLED, SAID_OF, SPELT
from recollect.model import LIVING, Concept, NamedConcept, normal_text

By = Literal["name", "spelling", "alias", "first name"]

_CLASSES: Final[tuple[By, ...]] = ("name", "spelling", "alias", "first name")
_MOST_WORDS: Final = 16  # of a name that are looked for; what they find is compared whole
_SHOWN: Final = 3  # facts that tell a concept apart
_NOW: Final = LIVING - 1


def concepts_meant(reader: Reader, name: str, type_: str | None) -> tuple[NamedConcept, ...]:
    """Return the concepts that a plain name means, in the order in which they came to be.

    Those whose first name it is come where it means no other.
    """
    session, group, moment = reader.session, reader.group, reader.moment
    known = _NOW if moment.known is None else moment.known
    found = ids_meant(session, group, name, type_, known)
    elements = hydrate(session, group, reader.terms, found, moment)
    return tuple(
        NamedConcept(concept, by, _detail(session, group, one, concept, known))
        for one, by in found.items()
        if isinstance(concept := elements.get(one), Concept)
    )


def ids_meant(
    session: Session, group: Group, name: str, type_: str | None = None, known: int = _NOW
) -> dict[int, By]:
    """Return the integer ids of the concepts that a plain name means, and how they are called so.

    They are those alive after the transaction `known`. Cost: one statement where the name is
    written so, else two more that read the concepts with all of its words.
    """
    wanted = canonical_name(name)
    parameters: dict[str, SqlValue] = {"group": group.group_id, "known": known}
    rows = session.rows(SPELT, {**parameters, "name": wanted})
    spelt = [whole(one) for one, type in rows if _fits(session, text(type), type_)]
    if spelt:
        return dict.fromkeys(spelt, "name")
    words = tokens(wanted)[:_MOST_WORDS]
    if not words:
        return {}
    parts = _parts(group, is_past=known != _NOW)
    holding = session.texts.holding(parts, [[Term(one) for one in words]])
    called_so: list[tuple[int, By]] = []
    parameters["ids"] = orjson.dumps(list(holding)).decode()
    for one, type, held, aliases in session.rows(CALLED, parameters):
        if _fits(session, text(type), type_):
            by = how_called(wanted, text(held), _texts(aliases))
            if by is not None:
                called_so.append((whole(one), by))
    ways = dict(called_so)
    return {one: ways[one] for one in best_of(called_so)}


def how_called(wanted: str, name: str, aliases: Iterable[object]) -> By | None:
    """Return how a concept of that name and those aliases is called so, if it is.

    >>> how_called("acme corp", "ACME Corp", ()), how_called("Acme", "ACME Corp", ["Acme"])
    ('spelling', 'alias')
    >>> how_called("Maria", "Maria Lopez", ()), how_called("green", "green tea", ())
    ('first name', None)
    """
    if name == wanted:
        return "name"
    key = normal_text(wanted)
    if normal_text(name) == key:
        return "spelling"
    is_alias = any(isinstance(one, str) and normal_text(one) == key for one in aliases)
    if is_alias:
        return "alias"
    first, *others = name.split() or [""]
    is_first = bool(others) and all(one[0].isupper() for one in (first, *others))
    return "first name" if is_first and normal_text(first) == key else None


def best_of(found: Iterable[tuple[int, By]]) -> list[int]:
    """Return those of the best class."""
    classes: dict[By, list[int]] = {one: [] for one in _CLASSES}
    for one, by in found:
        classes[by].append(one)
    return next((ids for ids in classes.values() if ids), [])


def _fits(session: Session, type: str, wanted: str | None) -> bool:
    return session.kinds.is_free(type) and wanted in (None, type)


def _parts(group: Group, *, is_past: bool) -> list[Partition]:
    """Return where documents stand: of the past also among the closed ones."""
    living = [True, False] if is_past else [True]
    return [Partition(group.group_id, is_link=False, is_living=one) for one in living]


def _texts(aliases: SqlValue) -> list[object]:
    """Return the aliases that a row holds: a list, or one text."""
    if not isinstance(aliases, str):
        return []
    try:
        listed = orjson.loads(aliases)
    except orjson.JSONDecodeError:
        return [aliases]
    return listed if isinstance(listed, list) else [aliases]


def _detail(session: Session, group: Group, one: int, concept: Concept, known: int) -> str:
    """Return what tells a concept apart from others of its name: what it is about, or facts."""
    line = session.kinds.of(concept.type).line(concept)
    about = line.removeprefix(f"{concept.name}: ") if line != concept.name else ""
    facts = about or "; ".join(_facts(session, group, one, known))
    return f"{concept.type}, {facts}" if facts else concept.type


def _facts(session: Session, group: Group, one: int, known: int) -> Iterator[str]:
    parameters = {"group": group.group_id, "concept": one, "known": known, "most": _SHOWN}
    for predicate, name, attributes, metadata in session.rows(SAID_OF, parameters):
        words = called(text(name), members(attributes), members(metadata))
        yield f"{text(predicate)} {words}"
