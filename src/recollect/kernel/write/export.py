"""EXPORT: what a WHERE finds, as a capsule, in pages that can be imported one after another.

Concepts come before links and links after their ends, so a page stands only on those before
it. KIP 1.0-RC11, section 5.3.
"""

from __future__ import annotations

from bisect import bisect_right

from recollect.kernel.lang import ast, print_text
from recollect.kernel.plan.bind import Bindings, bind_values
from recollect.kernel.read.pages import Page, PagePlace, question_of, write_cursor
from recollect.kernel.read.reader import Reader
from recollect.kernel.store.group import last_transaction
from recollect.kernel.write.capsule import Capsule
from recollect.kernel.write.records import RecordReader
from recollect.model import LINK_BIT, Exported


def export(reader: Reader, bindings: Bindings, query: ast.Export) -> Exported:
    """Return a page of the capsule. KIP_4002 for more elements than an answer has rows."""
    find = ast.Find((query.target,), query.where, limit=query.limit, cursor=query.cursor)
    page = Page.of(find, bindings)
    with reader.at_page(page):
        ids = sorted(reader.named(query.where, query.target, bindings, "EXPORT"), key=_order)
        question = _question(reader, bindings, query)
        start = _start(page, question, ids)
        chosen = ids[start:] if page.limit is None else ids[start : start + page.limit]
        capsule = _capsule(reader, chosen)
        cursor = None
        if chosen and start + len(chosen) < len(ids) and not reader.session.is_writing:
            cursor = write_cursor(question, _place(reader, start + len(chosen), chosen[-1]))
    return Exported(capsule.text(), capsule.concepts, capsule.links, cursor)


def _order(element: int) -> tuple[int, int]:
    return element & LINK_BIT, element


def _question(reader: Reader, bindings: Bindings, query: ast.Export) -> str:
    asked = bind_values(ast.Export(query.target, query.where), bindings)
    return question_of(reader.group, "EXPORT", print_text(asked))


def _start(page: Page, question: str, ids: list[int]) -> int:
    """Return where a page begins: after the last element of the page before it."""
    if page.cursor is None:
        return 0
    match page.cursor.place(question).after:
        case (int() as last,):
            return bisect_right(ids, _order(last), key=_order)
        case _:
            return page.offset


def _place(reader: Reader, position: int, last: int) -> PagePlace:
    known = reader.moment.known
    if known is None:
        known = last_transaction(reader.session, reader.group.group_id)
    return PagePlace(known, reader.moment.valid, position, (last,))


def _capsule(reader: Reader, ids: list[int]) -> Capsule:
    capsule = Capsule(reader.session.kinds, with_ids=False)
    records = RecordReader(reader.session, reader.group, reader.terms, reader.moment).read(ids)
    for one in ids:
        if one in records:
            capsule.add(records[one])
    reader.notices.extend(capsule.left_out())
    return capsule
