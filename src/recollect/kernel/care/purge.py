"""Erasure: elements with everything attached to them, or a whole group, are removed for good.

Everything that could reveal the text is removed: contents, past contents, salts, names, given ids,
text documents, vectors, terms that nothing else uses, the indexes declared for those, and entries
in the queue and the kept answers. The log stays: the numbers and digests of what was done, so that
the chain still verifies, and who asked for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import replace

import orjson

from recollect.errors import INDEX_PENDING, RecollectError
from recollect.kernel.care.recount import COUNTED, recount
from recollect.kernel.read.moment import public_ids
from recollect.kernel.search.tokens import erase_texts, forget_texts
from recollect.kernel.store.cells import element_id, purge_digest, whole
from recollect.kernel.store.faults import BLOCK, OTHERS, READERS, REMAINS
from recollect.kernel.store.group import Group, delete_group
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.erasing import (
    AT_ONE,
    DELETE_ROWS,
    DELETE_TALLY,
    DELETE_TERM,
    EVERY_ELEMENT,
    EVERY_TERM,
    IS_USED,
    LINKS_AT,
    LIVING_PURGE,
    OTHER_LIVES,
    PARTS,
    PAST_CONTENTS,
    PAST_TEXTS,
    TERMS,
)
from recollect.kernel.vectors.meanings import purge_vectors, vectors_in
from recollect.kernel.work.answers import forget_answers
from recollect.kernel.work.queue import forget_work
from recollect.kernel.write.attribute_indexes import attribute_indexes, take_back_index
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier
from recollect.model import LINK_BIT, AttributeIndex, Operation, Receipt

NOTE = (
    "Out of reach are copies outside the memory: backups, dumps, exports, the history of shells, "
    "and what the file system or its page cache keeps of old blocks. Erase them by the ids."
)
_INDEX_LEFT = (
    "The index of an attribute, whose name holds that of the attribute, stays until the owner of "
    "the tables runs recollect doctor --fix, or for good where another group declares it. "
)
_LATER = {
    BLOCK: "they leave it as the block ends",
    OTHERS: "they leave it when the memory is next opened, mended or backed up undisturbed",
    READERS: "they leave it at the next purge or VACUUM after that is over",
}
_OTHERWISE = "they leave it when the memory is next opened, mended or backed up after that is over"

_TALLIES = orjson.dumps([*COUNTED]).decode()
"""Those whose term is a type or a predicate."""
_CHUNK = 5_000  # elements one statement speaks of


def purge(
    unit: Unit,
    elements: Iterable[int],
    actor: str | None,
    request_id: str | None,
    *,
    is_dry_run: bool,
) -> Receipt:
    """Erase elements and every link that ends in them, living or closed, and theirs.

    What is a part of them, such as the evidence of a claim, goes when nothing else uses it.
    It is logged as the transaction of `unit`, which is still open afterwards; the store's
    `finish_erasure` follows its end. Cost: a few statements for every five thousand elements,
    and the whole text index.
    """
    actor = None if actor is None else identifier(actor, "actor")
    request_id = None if request_id is None else identifier(request_id, "request id")
    session, group = unit.session, unit.group
    doomed = _with_parts(session, group, elements)
    receipt = _receipt(session, group, doomed, is_dry_run=is_dry_run)
    if not doomed:
        return receipt
    codes = {whole(code) for (code,) in _each(session, group, TERMS, doomed)}
    if not is_dry_run:
        session.begin_erasure()
    _erase_texts(unit, doomed)
    vectors = purge_vectors(session, group.group_id, doomed)
    receipt = replace(receipt, vectors=vectors)
    for statement in DELETE_ROWS:
        session.execute_many(statement, ((group.group_id, one) for one in doomed))
    recount(session, group.group_id)
    terms, is_left = _erase_unused(unit, codes)
    receipt = with_index_notice(receipt, is_left=is_left)
    forget_answers(session, group.group_id, receipt.ids, doomed)
    forget_work(session, group.group_id, receipt.ids)
    number = unit.record(
        [(one, Operation.PURGE, purge_digest(one)) for one in doomed], actor, request_id
    )
    if is_dry_run:
        return replace(receipt, terms=terms)
    session.clear_remains()
    return replace(receipt, terms=terms, transaction=number)


def purge_group(session: Session, group: Group, *, is_dry_run: bool) -> Receipt:
    """Erase a whole group: its elements, its log and its name."""
    parameters = {"group": group.group_id}
    doomed = [whole(one) for (one,) in session.rows(EVERY_ELEMENT, parameters)]
    terms = whole(session.rows(EVERY_TERM, parameters)[0][0])
    vectors = vectors_in(session, group.group_id)
    receipt = _receipt(session, group, doomed, is_dry_run=is_dry_run)
    receipt = replace(receipt, terms=terms, vectors=vectors)
    if is_dry_run:
        return receipt
    session.begin_erasure()
    declared = attribute_indexes(session, group.group_id)
    receipt = with_index_notice(receipt, is_left=_take_back(session, group.group_id, declared))
    forget_texts(session, group.group_id)
    delete_group(session, group.group_id)
    session.clear_remains()
    return receipt


@contextmanager
def left_indexes() -> Iterator[list[RecollectError]]:
    """Give why indexes could not be removed after the block was kept: that is no fault of it."""
    left: list[RecollectError] = []
    try:
        yield left
    except RecollectError as error:
        if error.code is not INDEX_PENDING:
            raise
        left.append(error)


def pending(receipt: Receipt, obstacle: str) -> Receipt:
    """Return the receipt of a purge whose bytes something keeps."""
    why = obstacle[0].upper() + obstacle[1:]
    if obstacle == REMAINS:
        return replace(receipt, note=f"{why}. {receipt.note}")
    place = "tables" if obstacle == READERS else "file"
    when = _LATER.get(obstacle, _OTHERWISE)
    note = f"{why}, so some bytes are still in the {place}: {when}. {receipt.note}"
    return replace(receipt, is_complete=False, note=note)


def _receipt(session: Session, group: Group, doomed: Sequence[int], *, is_dry_run: bool) -> Receipt:
    """Return the receipt, without the terms, of elements that are still there."""
    names = public_ids(session, group, doomed)
    links = sum(one & 1 == LINK_BIT for one in doomed)
    past = _total(_each(session, group, PAST_TEXTS, doomed))
    return Receipt(
        group=group.name,
        ids=tuple(dict.fromkeys(names[one] for one in doomed)),
        concepts=len(doomed) - links,
        links=links,
        past_contents=_total(_each(session, group, PAST_CONTENTS, doomed)),
        texts=len(session.texts.lengths(group.group_id, doomed)) + past,
        vectors=0,
        terms=0,
        transaction=None,
        is_dry_run=is_dry_run,
        is_complete=not is_dry_run,
        note=NOTE,
    )


def with_index_notice(receipt: Receipt, *, is_left: bool) -> Receipt:
    """Return the receipt of a purge, with what is to be said where an index is left."""
    if not is_left:
        return receipt
    return replace(receipt, is_complete=False, note=_INDEX_LEFT + receipt.note)


def _take_back(session: Session, group_id: int, declared: Iterable[AttributeIndex]) -> bool:
    """Take declarations back; return whether an index is left to the owner of the tables."""
    left = [
        take_back_index(session, group_id, one.type, one.attribute, leaves=True) for one in declared
    ]
    return any(left)


def _erase_texts(unit: Unit, elements: Sequence[int]) -> None:
    """Take elements out of the text index; their contents need not even be readable."""
    session, group = unit.session, unit.group
    living = {whole(one) for (one,) in _each(session, group, LIVING_PURGE, elements)}
    erase_texts(session, group.group_id, {one: one in living for one in elements})


def _with_parts(session: Session, group: Group, elements: Iterable[int]) -> list[int]:
    """Return elements with all links that end in them, and the parts that only they use."""
    doomed = _with_links(session, group, elements)
    kinds = [[one.type, part] for one in session.kinds for part in sorted(one.parts)]
    asked = orjson.dumps(kinds).decode()
    parts = {whole(one) for (one,) in _each(session, group, PARTS, doomed, kinds=asked)}
    gone = set(doomed)
    unused = {one for one in parts - gone if not _is_used(session, group, one, gone)}
    return sorted(gone | unused)


def _is_used(session: Session, group: Group, element: int, gone: Set[int]) -> bool:
    """Whether a link, living or closed, ends in an element that is not among those that go."""
    rows = session.each(AT_ONE, {"group": group.group_id, "element": element})
    with closing(rows):
        return any(whole(one) not in gone for (one,) in rows)


def _with_links(session: Session, group: Group, elements: Iterable[int]) -> list[int]:
    """Return elements and all links that end in them, however far away, ascending.

    Of a link that was moved under its id come the lives it had elsewhere, too.
    """
    found = set(elements)
    wave = list(found)
    while wave:
        rows = _each(session, group, LINKS_AT, wave)
        wave = list(({whole(one) for (one,) in rows} | _other_lives(session, group, wave)) - found)
        found.update(wave)
    return sorted(found)


def _other_lives(session: Session, group: Group, elements: Sequence[int]) -> set[int]:
    """Return the links that some links were moved from, or to, under their ids."""
    links = [one for one in elements if one & 1 == LINK_BIT]
    texts = public_ids(session, group, links)
    names = [(one, text, element_id(group.id_bits, text)) for one, text in texts.items()]
    found: set[int] = set()
    for start in range(0, len(names), _CHUNK):
        chunk = orjson.dumps(names[start : start + _CHUNK]).decode()
        rows = session.rows(OTHER_LIVES, {"group": group.group_id, "names": chunk})
        found.update(whole(one) for (one,) in rows)
    return found


def _erase_unused(unit: Unit, codes: Iterable[int]) -> tuple[int, bool]:
    """Erase the terms that nothing uses any more, and what is declared of them.

    Return how many, and whether an index is left to the owner of the tables.
    """
    session, group_id = unit.session, unit.group.group_id
    used = {code: session.row(IS_USED, {"group": group_id, "code": code}) for code in codes}
    unused = {unit.terms.text(code): code for code, is_used in used.items() if is_used == (0,)}
    declared = [one for one in attribute_indexes(session, group_id) if one.type in unused]
    is_left = _take_back(session, group_id, declared)
    doomed: list[Parameters] = [
        {"group": group_id, "code": code, "kinds": _TALLIES} for code in unused.values()
    ]
    session.execute_many(DELETE_TALLY, doomed)
    session.execute_many(DELETE_TERM, doomed)
    return len(unused), is_left


def _each(
    session: Session, group: Group, statement: Statement, elements: Sequence[int], **more: str
) -> Iterator[SqlRow]:
    """Yield the rows of a statement about elements, asked for a chunk of them at a time."""
    for start in range(0, len(elements), _CHUNK):
        ids = orjson.dumps(elements[start : start + _CHUNK]).decode()
        yield from session.rows(statement, {"group": group.group_id, "ids": ids, **more})


def _total(rows: Iterable[SqlRow]) -> int:
    return sum(whole(count) for (count,) in rows)
