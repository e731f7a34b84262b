"""What the editor of KIP asks while somebody types: what is wrong, what may come, what words mean.

The rule: all of it comes from the kernel, as the language server's answers do; places are counted
as a browser counts them, in units of UTF-16.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

from recollect.kernel import Wanted, check, meaning_of, place_at
from recollect.servers.studio.home import described
from recollect.servers.studio.visit import Answered, Download, Route, Visit

_WORD: Final = re.compile(r"[A-Z_]+")
_LONGEST: Final = 200_000  # characters of a text that is looked at while it is typed
_MOST_OPTIONS: Final = 60
_NAMES: Final = {
    Wanted.TYPE: "DESCRIBE CONCEPT TYPES",
    Wanted.PREDICATE: "DESCRIBE PROPOSITION TYPES",
}


def diagnostics(visit: Visit) -> Answered:
    """Return what is wrong with a text, with the edits that mend it."""
    text = visit.form.get("text", "")[:_LONGEST]
    found = []
    for one in check(text) if text.strip() else ():
        told: dict[str, object] = {
            **_placed(text, one.span.start, one.span.end),
            "severity": one.severity.value,
            "message": one.message,
            "hint": one.hint,
        }
        if one.fix is not None:
            place = _placed(text, one.fix.span.start, one.fix.span.end)
            told["fix"] = {**place, "text": one.fix.text}
        found.append(told)
    return _answer({"diagnostics": found})


def completion(visit: Visit) -> Answered:
    """Return what may stand at a place: words of the language, names of the memory."""
    text = visit.form.get("text", "")[:_LONGEST]
    at = offset(text, _place(visit))
    place = place_at(text, at)
    wanted = _NAMES.get(place.wanted)
    known = () if wanted is None else described(visit.nexus, wanted)
    options = [(one, "keyword") for one in place.words]
    options += [(str(one["name"]), "text") for one in known]
    told = [{"label": one, "type": kind} for one, kind in options if one.startswith(place.begun)]
    begun = units(text, at - len(place.begun))
    return _answer({"from": begun, "options": told[:_MOST_OPTIONS]})


def meaning(visit: Visit) -> Answered:
    """Return what the keyword at a place means."""
    text = visit.form.get("text", "")[:_LONGEST]
    at = offset(text, _place(visit))
    words = list(_WORD.finditer(text))
    for number, word in enumerate(words):
        if word.start() <= at <= word.end():
            found = meaning_of(word.group(), words[number - 1].group() if number else "")
            if found is not None:
                place = _placed(text, word.start(), word.end())
                return _answer({**place, "form": found.form, "text": found.text})
    return _answer({})


def units(text: str, at: int) -> int:
    """Return a place in a text as a browser counts it.

    >>> units("a😀b", 2)
    3
    """
    return len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


def offset(text: str, at: int) -> int:
    """Return the place in a text that a browser counts as `at`.

    >>> offset("a😀b", 3)
    2
    """
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * at]
    return len(raw.decode("utf-16-le", "ignore"))


def _place(visit: Visit) -> int:
    given = visit.form.get("at", "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0


def _placed(text: str, start: int, end: int) -> dict[str, int]:
    return {"from": units(text, start), "to": units(text, end)}


def _answer(members: dict[str, object]) -> Download:
    return Download("answer.json", "application/json", orjson.dumps(members), is_attached=False)


ROUTES: Final = (
    Route("/ask/diagnostics", diagnostics, "POST"),
    Route("/ask/completion", completion, "POST"),
    Route("/ask/meaning", meaning, "POST"),
)
