"""The one edit that mends a text, found by trying.

Its rule: an edit is offered only after it was made and the text was parsed again. What a parser
proposes is tried first, and kept if the text then parses, or fails only further on because it
holds another mistake; else the usual slips are tried, and one is offered if its statement parses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.diagnose import OPEN_STRING
from recollect.kernel.lang.repair.idioms import idiom_at
from recollect.kernel.lang.repair.slips import edits
from recollect.kernel.lang.tokens import END, Tokens
from recollect.kernel.lang.words import KEYWORDS, STATEMENTS, form_of
from recollect.node import dataclass

Attempt = Callable[[str], int | None]
"""Parses a text; returns the character it fails at, or None if it parses."""

MOST_TRIED = 150_000
"""Characters parsed again in search of an edit: about a tenth of a second."""

GENERAL = ("use ", "write ", "begin with ", "add WHERE { ... }")
"""How a hint begins that shows a form, and gives way to the very edit."""

WORTH_IT = 12
"""Characters further that a text must be understood after an edit, where it holds another fault."""

MOST_VERIFIED = 500_000
"""Characters of a statement whose proposed edit is tried; in a longer one it is taken on trust."""


@dataclass(frozen=True, slots=True)
class TextFault:
    """Where a text fails: the token, the one its statement begins with, what could have stood."""

    at: int
    statement: int
    expected: tuple[str, ...]
    is_settled: bool
    """Whether what the parser says is all that helps, so that no edit is looked for."""


def explained(
    error: RecollectError, tokens: Tokens, fault: TextFault, attempt: Attempt
) -> RecollectError:
    """Return what is told of a fault: of its idiom if it is one, else the error with its edit.

    An idiom whose edit leaves a fault gives way to an edit that leaves none. Every error that
    comes back has a hint. Cost: at most `MOST_TRIED` characters parsed again, and one statement.
    """
    if error.code.category == "syntax":
        told = idiom_at(tokens, fault.at, fault.statement, fault.expected)
        if told is not None and told.fix is None:
            return told
        end = _next_statement(tokens, fault.at)
        part = Span(tokens.starts[fault.statement] if fault.at else 0, end)
        trial = _Trial(tokens.source, part, attempt)
        if told is not None and trial.is_mended(told):
            return told
        if not fault.is_settled:
            _mend(error, tokens, fault, trial)
        if told is not None and not trial.is_mended(error):
            return _verified(told, tokens, attempt)
        if told is not None and _begins_alike(told.fix, error.fix):
            told.hint, told.fix = error.hint, error.fix
            return told
    if not error.hint:
        error.hint = f"write {_form_at(tokens.texts, fault.at - 1)}"
    return error


def _begins_alike(whole: Fix | None, begun: Fix | None) -> bool:
    """Whether an edit does the beginning of another one: the text has the rest of it already."""
    if whole is None or begun is None or whole.span.start != begun.span.start:
        return False
    return bool(begun.text) and whole.text.startswith(begun.text)


def _form_at(texts: Sequence[str], at: int) -> str:
    """Return the form of the construct that token `at` stands in: of the last keyword up to it."""
    for place in range(at, -1, -1):
        if texts[place] in KEYWORDS:
            return form_of(texts[place], texts[place - 1] if place else "")
    return ""


def _mend(error: RecollectError, tokens: Tokens, fault: TextFault, trial: _Trial) -> None:
    """Give an error the edit that mends its text, or take a proposed one away that does not."""
    at, proposed = fault.at, error.fix
    if trial.size > (MOST_TRIED if proposed is None else MOST_VERIFIED):
        return
    before = trial.end - tokens.starts[at]
    reached = before if proposed is None else trial.left_after(proposed)
    if reached == 0:
        return
    found: Fix | None = None
    for fix in edits(tokens, at, _token_at(tokens, error.span), fault.expected):
        if trial.is_over:
            break
        if proposed is None and not _is_about(error, fix, tokens.source):
            continue
        left = trial.left_after(fix)
        if left == 0:
            found = fix
            break
        if proposed is None and not error.hint and left < reached - WORTH_IT:
            found, reached = fix, left
    if found is not None:
        error.fix = found
        if proposed is not None or not error.hint or error.hint.startswith(GENERAL):
            error.hint = _hint(tokens.source, found)
    elif proposed is not None and reached >= before:
        error.fix = None


def _verified(error: RecollectError, tokens: Tokens, attempt: Attempt) -> RecollectError:
    """Return an error whose edit was tried: it goes if the text fails as early with it."""
    fix, source = error.fix, tokens.source
    if fix is not None and len(source) <= MOST_VERIFIED:
        edited = source[: fix.span.start] + fix.text + source[fix.span.end :]
        failed = attempt(edited)
        if failed is not None and failed < fix.span.start + len(fix.text):
            error.fix = None
    return error


def _is_about(error: RecollectError, fix: Fix, source: str) -> bool:
    """Whether an error may ask for an edit: for a quote only where one lacks or is too many."""
    is_quote = '"' in (fix.text, source[fix.span.start : fix.span.end])
    if not is_quote or error.message == OPEN_STRING:
        return True
    place = fix.span.start
    line_end = source.find("\n", place)
    line = source[source.rfind("\n", 0, place) + 1 : None if line_end < 0 else line_end]
    return not error.hint and line.count('"') % 2 == 1


class _Trial:
    """One statement of a text, parsed again and again."""

    def __init__(self, source: str, part: Span, attempt: Attempt) -> None:
        self._source = source
        self._part = part
        self._attempt = attempt
        self._left = MOST_TRIED
        self._tried: dict[Fix, int] = {}
        self.end, self.size = part.end, part.end - part.start

    def is_mended(self, error: RecollectError) -> bool:
        """Whether the statement was parsed with the edit of an error, and is the language."""
        fix = error.fix
        if fix is None or fix.span.start < self._part.start or self.size > MOST_VERIFIED:
            return False
        return self.left_after(fix) == 0

    @property
    def is_over(self) -> bool:
        return self._left <= 0

    def left_after(self, fix: Fix) -> int:
        """Return how many characters of the statement are not parsed after an edit.

        None are if it parses, all of them if it fails at its end: then nothing is gained.
        """
        whole = self._part.end - self._part.start
        if not (self._part.start <= fix.span.start and fix.span.end <= self._part.end):
            return 0 if fix.span.start <= self._part.start else whole
        if fix not in self._tried:
            self._left -= whole
            edited = self._edited(fix)
            failed = self._attempt(edited)
            left = 0 if failed is None else len(edited) - failed
            self._tried[fix] = left if failed is None or edited[failed:].strip() else whole
        return self._tried[fix]

    def _edited(self, fix: Fix) -> str:
        before = self._source[self._part.start : fix.span.start]
        return before + fix.text + self._source[fix.span.end : self._part.end]


def _next_statement(tokens: Tokens, at: int) -> int:
    """Return the character where the statement after token `at` begins, or the end."""
    far = tokens.starts[at] + MOST_VERIFIED
    for place in range(at + 1, len(tokens.texts) - 1):
        if tokens.starts[place] > far:
            break
        if begins_statement(tokens, place):
            return tokens.starts[place]
    return len(tokens.source)


def begins_statement(tokens: Tokens, at: int) -> bool:
    """Whether a token looks like the beginning of a statement, whatever stands before it."""
    texts = tokens.texts
    if texts[at] not in STATEMENTS or (at and texts[at - 1] == "EXPLAIN"):
        return False
    if texts[at + 1] in (":", ",", ")", "}", "]", END):
        return False
    source, start = tokens.source, tokens.starts[at]
    return at == 0 or texts[at - 1] in (";", "}", "DETACH") or "\n" in _gap(source, start)


def _gap(source: str, start: int) -> str:
    """Return the white space right before a place."""
    before = source[max(0, start - 80) : start]
    return before[len(before.rstrip()) :]


def _token_at(tokens: Tokens, span: Span | None) -> int:
    """Return the token that a place begins with."""
    place = 0 if span is None else span.start
    low, high = 0, len(tokens.starts) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if tokens.starts[middle] <= place:
            low = middle
        else:
            high = middle - 1
    return low


def _hint(source: str, fix: Fix) -> str:
    """Return the edit in words."""
    replaced = source[fix.span.start : fix.span.end]
    if not fix.text:
        return f"remove `{replaced}`" if len(replaced) <= 60 else "remove it"
    if replaced:
        return f"use {fix.text}" if len(fix.text) <= 60 else "use what `fix` holds"
    line = source.count("\n", 0, fix.span.start) + 1
    return f"add `{fix.text.strip()}` {_beside(source, fix.span.start, line)}"


def _beside(source: str, place: int, line: int) -> str:
    before = source[:place].rstrip()
    word = before[-20:].split()[-1] if before.split() else ""
    return (
        f"after `{word}`" if word and "\n" not in source[len(before) : place] else f"in line {line}"
    )


__all__ = ["Attempt", "TextFault", "begins_statement", "explained"]
