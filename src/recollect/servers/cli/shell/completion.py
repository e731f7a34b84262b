r"""What may come next at the prompt: keywords, names in use, variables, `\` commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from recollect.node import dataclass
from recollect.servers.cli.ask import DESCRIPTIONS
from recollect.servers.cli.lexer import FUNCTIONS, KEYWORDS, STATEMENTS
from recollect.servers.cli.shell.whole import TextState, is_inside_string, state_of

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
