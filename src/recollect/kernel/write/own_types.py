"""The concept types that have a rule of their own: who writes them, and whose names are one.

The rule: KML reads them as any other, and a text that would write what it may not is refused as
a whole: such a concept, or a link from it that its call keeps too, which no fact is either. A
batch of changes is how the call that owns a type writes it; a restore is exempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from recollect.errors import IMMUTABLE_TARGET
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Interning
from recollect.kernel.store.port import Parameters, Session, SqlValue
from recollect.kernel.store.statements.living import (
    DROP_NAME_KEY,
    ID_BY_NAME_KEY,
    KEYED,
    SET_NAME_KEY,
)
from recollect.kernel.vectors.embedder import concept_meaning
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.model import LIVING, Attributes, Kinds, normal_text

_AT_ONCE = 2_000  # concepts read together


def meaning_of(kinds: Kinds, type: str, name: str, attributes: Attributes) -> str | None:
    r"""Return the text that is embedded of a concept, if it says something in words.

    Those that calls write have ids for names; so have those of other types that say something
    elsewhere.

    >>> from recollect.model import Kind, Kinds
    >>> claim = Kind("Claim", call="write_claim", text="text", more="detail")
    >>> kinds = Kinds((claim, Kind("Evidence", call="write_claim")))
    >>> meaning_of(kinds, "Drug", "Aspirin", {}), meaning_of(kinds, "Evidence", "7f0b", {})
    ('Aspirin', None)
    >>> meaning_of(kinds, "Claim", "7f0b", {"text": "payments uses sagas", "detail": "so says Ann"})
    'payments uses sagas\nso says Ann'
    """
    kind = kinds.get(type)
    if kind is None:
        return concept_meaning(name, attributes)
    told = [attributes.get(one) for one in (kind.text, kind.more) if one]
    match [one for one in told if isinstance(one, str) and one.strip()]:
        case [said, *more]:
            return concept_meaning(said, {"summary": "\n".join(more)})
        case _:
            return None if kind.is_owned else concept_meaning(name, attributes)


def name_key(kinds: Kinds, type: str, name: str) -> str | None:
    """Return what a concept's name must not share with another; None where names are free.

    >>> from recollect.model import Kind, Kinds
    >>> kinds = Kinds((Kind("Entity", has_unique_names=True),))
    >>> name_key(kinds, "Entity", "ACME  Corp"), name_key(kinds, "Drug", "Aspirin")
    ('acme corp', None)
    """
    return normal_text(name) if type in kinds.unique else None


def set_name_keys(session: Session, group_id: int) -> None:
    """Give the living concepts of a group their keys, after their rows were written as they are."""
    for rows in _named(session, group_id):
        lacking: list[Parameters] = [
            {"group": group_id, "id": one, "type": type_, "key": key, "living": LIVING}
            for one, type_, key, had, is_living in rows
            if key is not None and had is None and is_living
        ]
        session.execute_many(SET_NAME_KEY, lacking)


def wrong_name_keys(session: Session, group_id: int) -> list[int]:
    """Return the concepts whose key is not that of their name, or that lack one they may have."""
    wrong = []
    for rows in _named(session, group_id):
        for one, type_, key, had, is_living in rows:
            if had is None and is_living:
                asked = {"group": group_id, "type": type_, "key": key, "living": LIVING}
                is_wrong = session.row(ID_BY_NAME_KEY, asked) is None
            else:
                is_wrong = had is not None and had != key
            if is_wrong:
                wrong.append(one)
    return wrong


def mend_name_keys(session: Session, group_id: int) -> None:
    """Put the keys of a group's concepts right."""
    wrong = wrong_name_keys(session, group_id)
    session.execute_many(DROP_NAME_KEY, [{"group": group_id, "id": one} for one in wrong])
    if wrong:
        set_name_keys(session, group_id)


def _named(
    session: Session, group_id: int
) -> Iterator[list[tuple[int, int, str | None, SqlValue, bool]]]:
    """Yield the concepts that have a key or are to have one, some at a time.

    Of each the id, the type, the key it is to have, the one it has, and whether it is living.
    """
    types = orjson.dumps(sorted(session.kinds.unique)).decode()
    asked: dict[str, SqlValue] = {"group": group_id, "types": types, "most": _AT_ONCE, "after": -1}
    while rows := session.rows(KEYED, asked):
        yield [
            (
                whole(one),
                whole(type_),
                normal_text(text(name)) if is_keyed else None,
                had,
                ends == LIVING,
            )
            for one, type_, name, had, ends, is_keyed in rows
        ]
        asked["after"] = rows[-1][0]


def refuse_owned(
    kinds: Kinds, changed: Iterable[Element], terms: Interning, directory: Directory
) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    for element in changed:
        if isinstance(element, LinkElement):
            predicate = terms.text(element.predicate)
            is_owned = predicate in kinds.own_links
            if is_owned or any(terms.code(type_) is not None for type_ in kinds.link_owners):
                subject = directory.by_id(element.subject)
                _refuse_from(kinds, subject, predicate, terms, "is not written by KML")
        elif isinstance(element, ConceptElement):
            kind = kinds.get(terms.text(element.type))
            if kind is not None and kind.is_owned:
                raise IMMUTABLE_TARGET.error(
                    f'{{type: "{kind.type}", name: "{element.name}"}} is not written by KML',
                    f"call {kind.call}",
                )


def refuse_owned_fact(kinds: Kinds, subject: Element, predicate: str, terms: Interning) -> None:
    """Raise KIP_3004 for a fact that would be a link of a call, in any spelling."""
    _refuse_from(kinds, subject, normal_text(predicate), terms, "is not told as a fact")


def _refuse_from(
    kinds: Kinds, subject: Element | None, predicate: str, terms: Interning, fault: str
) -> None:
    if not isinstance(subject, ConceptElement):
        return
    kind = kinds.get(terms.text(subject.type))
    if kind is not None and kind.owns(predicate):
        raise IMMUTABLE_TARGET.error(
            f'"{predicate}" from {{type: "{kind.type}", name: "{subject.name}"}} {fault}',
            f"call {kind.call}",
        )
