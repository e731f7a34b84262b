"""A text whose statements are read one by one, each as far as it can be, and mended as it is read.

Its rule: what one edit mends is mended and read on; else the smallest part that holds the fault
is set aside. So one mistake is told once, and hides no other. The draft knows where all of it stood
before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.errors import Fix, Notice, RecollectError, Span
from recollect.kernel.lang import ast, parse
from recollect.kernel.lang.repair.mend import begins_statement
from recollect.kernel.lang.tokens import CLOSERS, END, Tokens, lex
from recollect.kernel.lang.words import CLAUSES
from recollect.node import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit in the coordinates of the draft after it."""

    start: int
    end: int  # of the new text
    removed: int  # characters


@dataclass(slots=True)
class Draft:
    """A part of a text that begins at `start`, with what is wrong in it mended or blanked."""

    text: str
    start: int = 0
    source: str = ""  # the whole text
    _edits: list[_Edit] = field(default_factory=list)

    def mend(self, fix: Fix) -> None:
        """Make an edit."""
        start, end = fix.span.start, fix.span.end
        self.text = fix.apply(self.text)
        self._edits.append(_Edit(start, start + len(fix.text), end - start))

    def blank(self, span: Span) -> str:
        """Put white space in the place of a part, and return what stood there."""
        gone = self.text[span.start : span.end]
        white = "".join("\n" if one == "\n" else " " for one in gone)
        self.text = self.text[: span.start] + white + self.text[span.end :]
        return gone

    def place(self, span: Span) -> Span:
        """Return where a part of the draft stood in the whole text."""
        start, end = span.start, span.end
        for edit in reversed(self._edits):
            start, end = _before(edit, start, is_end=False), _before(edit, end, is_end=True)
        return Span(start + self.start, max(start, end) + self.start)

    def placed(self, error: RecollectError) -> RecollectError:
        """Return an error about the draft as one about the whole text."""
        fix = error.fix
        return replace(
            error,
            source=self.source,
            span=Span(self.start, self.start) if error.span is None else self.place(error.span),
            first=None if error.first is None else self.place(error.first),
            fix=None if fix is None else Fix(self.place(fix.span), fix.text),
        )

    def noticed(self, notice: Notice) -> Notice:
        """Return a warning about the draft as one about the whole text."""
        fix = notice.fix
        return replace(
            notice,
            span=None if notice.span is None else self.place(notice.span),
            fix=None if fix is None else Fix(self.place(fix.span), fix.text),
        )


def _before(edit: _Edit, place: int, *, is_end: bool) -> int:
    """Return where a place was before an edit; what the edit put there stands for what went."""
    if place > edit.end or (place == edit.end and not is_end):
        return place - (edit.end - edit.start) + edit.removed
    if place <= edit.start:
        return place
    return edit.start + (edit.removed if is_end else 0)


MOST_FAULTS = 20
"""Faults told of one statement: one that has more is no slip."""

SIGILLED = re.compile(r"[?@]\w+")
BEGINNINGS = frozenset(
    (*CLAUSES, *["CONCEPT", "PROPOSITION", "SET", "WITH", "ORDER", "LIMIT", "OFFSET", "CURSOR"])
)


@dataclass(slots=True)
class Reading:
    """One statement, or all of a text that parses: what it says, and what is wrong with it."""

    draft: Draft
    statements: tuple[ast.Statement, ...] = ()
    errors: list[RecollectError] = field(default_factory=list)
    notices: tuple[Notice, ...] = ()
    aside: set[str] = field(default_factory=set)  # names in what was set aside: `?x`, `@h`


def readings(text: str) -> Iterator[Reading]:
    """Yield a text statement by statement, or whole if one edit makes it parse."""
    try:
        script = parse(text)
    except RecollectError as error:
        fault = error
    else:
        yield Reading(Draft(text, source=text), script.statements, notices=script.notices)
        return
    is_whole = fault.fix is not None and fault.fix.span == Span(0, len(text))
    if fault.code.category != "syntax":
        yield Reading(Draft(text, source=text), errors=[fault])
    elif is_whole:
        yield _read(Draft(text, source=text))
    else:
        for part in _parts(lex(text)):
            yield _read(Draft(text[part.start : part.end], part.start, text))


def _parts(tokens: Tokens) -> Iterator[Span]:
    """Yield the statements of a text; what stands before the first belongs to it."""
    begun = 0
    for at in range(1, len(tokens.texts) - 1):
        if begins_statement(tokens, at):
            yield Span(begun, tokens.starts[at])
            begun = tokens.starts[at]
    yield Span(begun, len(tokens.source))


def _read(draft: Draft) -> Reading:
    """Read one statement, as far as it can be."""
    reading = Reading(draft)
    told: set[tuple[str, Span | None]] = set()
    while len(reading.errors) < MOST_FAULTS:
        try:
            script = parse(draft.text)
        except RecollectError as error:
            fault = error
        else:
            reading.statements, reading.notices = script.statements, script.notices
            break
        placed = draft.placed(fault)
        if (placed.message, placed.span) in told:
            break
        told.add((placed.message, placed.span))
        reading.errors.append(placed)
        if fault.code.category != "syntax":
            break
        if fault.fix is not None:
            draft.mend(fault.fix)
            continue
        reading.aside.update(SIGILLED.findall(draft.blank(_around(draft.text, fault.span))))
        if lex(draft.text).texts[0] is END:
            break
    return reading


def _around(text: str, fault: Span | None) -> Span:
    """Return the smallest part of a text to set aside, so that what is around it can be read.

    It goes from the last clause, block or keyword that begins at the fault or before it to the
    next one, or to the bracket that closes what it stands in.
    """
    tokens = lex(text)
    texts, starts = tokens.texts, tokens.starts
    place = len(text) if fault is None else fault.start
    at = max((one for one in range(len(texts)) if starts[one] <= place), default=0)
    at = min(at, len(texts) - 2)
    first = next((one for one in range(at, 0, -1) if _begins(tokens, one)), 0)
    depth = 0
    for one in range(first, len(texts) - 1):
        if one > at and (depth <= 0 or texts[one] in BEGINNINGS) and _begins(tokens, one):
            return Span(starts[first], starts[one])
        depth += (texts[one] in CLOSERS) - (texts[one] in CLOSERS.values())
        if depth < 0 and one >= at:
            return Span(starts[first], max(starts[one], starts[first] + 1))
    return Span(starts[first], len(text))


def _begins(tokens: Tokens, at: int) -> bool:
    """Whether a clause, a block or another part may begin at a token."""
    token = tokens.texts[at]
    if token in BEGINNINGS:
        return True
    line = tokens.source.rfind("\n", 0, tokens.starts[at]) + 1
    is_first = not tokens.source[line : tokens.starts[at]].strip()
    return is_first and token[0] in "?({"
