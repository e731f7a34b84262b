r"""What may come next at the prompt: keywords, names in use, variables, `\` commands.

Decide whether a text is whole, so that Enter may run it, or more is to come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from pygments.token import Comment, Punctuation, String

from recollect.errors import RecollectError
from recollect.kernel import parse
from recollect.node import dataclass
from recollect.servers.cli.ask import DESCRIPTIONS
from recollect.servers.cli.lexer import FUNCTIONS, KEYWORDS, STATEMENTS, KipLexer

_MAY_FOLLOW = (" WITH METADATA {}", " ORDER BY ?x", " LIMIT 1", " OFFSET 1", ' WITH TYPE "x"')
"""Clauses that may end a statement."""

SENDS = ";"
"""Always ends a text; it is not part of KIP."""

_OPEN, _CLOSED = "{([", "})]"
_LEXER = KipLexer(stripnl=False, ensurenl=False)


class TextState(StrEnum):
    """How far a text is."""

    EMPTY = "empty"
    PARTIAL = "partial"
    OPEN = "open"  # it parses, and another clause may follow
    WHOLE = "whole"  # nothing can follow, or no further line could mend it


def state_of(text: str) -> TextState:
    """Return whether a text is empty, needs another line, may have one, or can be run.

    >>> state_of("FIND(?x)"), state_of("FIND(?x) WHERE { ?x {id: $id} }")
    (<TextState.PARTIAL: 'partial'>, <TextState.OPEN: 'open'>)
    >>> state_of("DESCRIBE PRIMER"), state_of("FIND(?x) WHERE { ?x {id: $id} };")
    (<TextState.WHOLE: 'whole'>, <TextState.WHOLE: 'whole'>)
    """
    if not _without_comments(text).strip():
        return TextState.EMPTY
    if without_end(text) != text:
        return TextState.WHOLE
    if depth_of(text) > 0:
        return TextState.PARTIAL
    try:
        parse(text)
    except RecollectError as error:
        at_end = error.span is not None and error.span.start >= len(text.rstrip())
        return TextState.PARTIAL if at_end else TextState.WHOLE
    return TextState.OPEN if not _is_list(text) and _may_go_on(text) else TextState.WHOLE


def only_asks(text: str) -> bool:
    """Whether a text that parses changes nothing.

    >>> only_asks("FIND(?x) WHERE { ?x {id: $id} }"), only_asks("UPSERT { }")
    (True, False)
    """
    return parse(text).is_read_only


def _is_list(text: str) -> bool:
    """Whether the last line asks for a description, which seldom goes on after it."""
    return text.rstrip().rpartition("\n")[2].lstrip().startswith("DESCRIBE ")


def without_end(text: str) -> str:
    """Return the text without the semicolon that sends it, if one ends it.

    >>> without_end("DESCRIBE PRIMER;"), without_end("// not yet;")
    ('DESCRIBE PRIMER', '// not yet;')
    """
    stripped = text.rstrip()
    if not stripped.endswith(SENDS):
        return text
    *_, (kind, _) = (pair for pair in _LEXER.get_tokens(stripped) if pair[1])
    return text if kind in (Comment.Single, String.Double) else stripped[: -len(SENDS)]


def _may_go_on(text: str) -> bool:
    """Whether a text that parses would also parse with one more clause at its end."""
    return any(_parses(text + "\n" + clause) for clause in _MAY_FOLLOW)


def _parses(text: str) -> bool:
    try:
        parse(text)
    except RecollectError:
        return False
    return True


def depth_of(text: str) -> int:
    """Return how many braces, brackets and parentheses are still open."""
    depth = 0
    for kind, value in _LEXER.get_tokens(text):
        if kind is Punctuation:
            depth += (value in _OPEN) - (value in _CLOSED)
    return depth


def is_inside_string(text: str) -> bool:
    """Whether the end of a text stands inside a string that is not closed."""
    tokens = [pair for pair in _LEXER.get_tokens(text) if pair[1]]
    if not tokens or tokens[-1][0] is not String.Double:
        return False
    value = tokens[-1][1]
    return len(value) == 1 or not value.endswith('"') or value.endswith('\\"')


def _without_comments(text: str) -> str:
    return "".join(value for kind, value in _LEXER.get_tokens(text) if kind is not Comment.Single)


_TYPE_BEFORE = re.compile(r'(\btype\s*:|\bTYPE)\s*"[^"]*$')
_PREDICATE_BEFORE = re.compile(r'([,|]|PROPOSITION\s+TYPE|[({]\s*\()\s*"[^"]*$')
_DESCRIBED = re.compile(r"\\describe\s+(type|predicate)\s+(.*)$", re.DOTALL)
_WHAT = re.compile(r"\\describe\s+(\w*)$")
_WORD = re.compile(r"[?@$\\]?\w*$")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names in use in a memory."""

    types: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


class KipCompleter(Completer):
    """Completes the word before the cursor, by what the text before it asks for."""

    def __init__(self, vocabulary: Callable[[], KnownNames], commands: Iterable[str]) -> None:
        self._vocabulary = vocabulary
        self._commands = tuple(commands)

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """Yield what could replace the word before the cursor."""
        del complete_event  # the same answer however completion was asked for
        before = document.text_before_cursor
        if is_inside_string(before):
            yield from self._names(before)
            return
        if found := _DESCRIBED.match(before):
            words = self._vocabulary()
            names = words.types if found[1] == "type" else words.predicates
            yield from _matching(found[2], names, found[1])
            return
        if found := _WHAT.match(before):
            yield from _matching(found[1], DESCRIPTIONS, "description")
            return
        match = _WORD.search(before)
        word = match.group() if match else ""
        if word.startswith("\\"):
            yield from _matching(word, self._commands, "command")
        elif word[:1] in ("?", "@", "$"):
            yield from _matching(word, _written(document, word), "variable")
        elif word:
            begins = state_of(before[: -len(word)]) is TextState.EMPTY
            keywords = STATEMENTS if begins else (*KEYWORDS, *FUNCTIONS)
            yield from _matching(word, keywords, "keyword")

    def _names(self, before: str) -> Iterator[Completion]:
        """Yield the types or predicates a string that is not closed may become."""
        words = self._vocabulary()
        word = before.rpartition('"')[2]
        is_proposition = re.search(r'PROPOSITION\s+TYPE\s*"[^"]*$', before) is not None
        if _TYPE_BEFORE.search(before) and not is_proposition:
            yield from _matching(word, map(_inside_string, words.types), "type")
        elif _PREDICATE_BEFORE.search(before):
            yield from _matching(word, map(_inside_string, words.predicates), "predicate")


def _matching(word: str, candidates: Iterable[str], kind: str) -> Iterator[Completion]:
    folded = word.casefold()
    for candidate in candidates:
        if candidate.casefold().startswith(folded) and candidate != word:
            yield Completion(candidate, start_position=-len(word), display_meta=kind)


def _inside_string(name: str) -> str:
    """Return a name as it is written between the quotes of a KIP string."""
    return json.dumps(name, ensure_ascii=False)[1:-1]


def _written(document: Document, word: str) -> list[str]:
    """Return the variables, handles or placeholders of the text, but the one being typed."""
    sigil = re.escape(word[0])
    start = len(document.text_before_cursor) - len(word)
    found = re.finditer(sigil + r"\w+", document.text)
    return sorted({one.group() for one in found if one.start() != start})
