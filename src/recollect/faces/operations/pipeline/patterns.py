"""The extractor that needs no model and reads only what cannot be misread.

The rule: a pattern has to be the whole sentence, said by the person it is about, outside of quotes;
whatever else stands in it, and it is left alone. Better nothing than something wrong: the table,
`patterns.txt`, is small, and each language has its own.

The extractor that needs no model: an episode that says in JSON what is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

import orjson

from recollect.errors import RecollectError
from recollect.faces.operations.pipeline.extraction import (
    NOTHING,
    Edge,
    Extraction,
    Node,
    check_refs,
    checked_extraction,
    outside_refs,
)
from recollect.faces.operations.pipeline.ports import (
    Episode,
    Extracted,
    Extractor,
    Known,
    Refused,
    Rejected,
)
from recollect.node import dataclass

_MEMBERS = ("nodes", "edges")


class StructuredExtractor:
    """Takes the body of a `json` episode as it is; everything else says nothing to it.

    A body without `nodes` and `edges` is other JSON, and says nothing either.
    """

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return the body, checked."""
        del rejected
        given = stated(episode)
        if given is None:
            return Extracted(NOTHING)
        try:
            extraction = checked_extraction(given)
            check_refs(extraction, known.node_types(sorted(outside_refs(extraction))))
        except RecollectError as error:
            return Refused(error.message)
        return Extracted(extraction)


def stated(episode: Episode) -> dict[str, object] | None:
    """Return the JSON object of an episode that states nodes or edges itself, unchecked."""
    if episode.source != "json":
        return None
    try:
        given = orjson.loads(episode.body)
    except orjson.JSONDecodeError:
        return None
    is_stated = isinstance(given, dict) and any(one in given for one in _MEMBERS)
    return given if is_stated else None


_BIG: Final = "A-ZÀ-ÖØ-Þ"
_WORD: Final = rf"[{_BIG}][\w&'\u2019-]*(?:\.[{_BIG}a-z]+)?"
_PARTICLE: Final = "(?:de|del|la|las|los|el|of|the|van|von|der|den|am|an|y|e|and|und|&)"
_NAMES: Final = {
    "NAME": rf"(?P<object>{_WORD}(?: (?:{_PARTICLE} ){{0,2}}{_WORD}){{0,3}})",
    "MAIL": r"(?P<object>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
    "YEAR": r"(?P<year>(?:19|20)\d\d)",
}

_MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
}

_OWN_NAME: Final = (
    r"(?:[Mm]y name is|[Mm]ein Name ist|[Ii]ch heiße|[Mm]i nombre es|[Mm]e llamo) NAME"
)

_LINES: Final = {
    "works_at": "employer|company|works at|arbeitgeber|firma|empresa",
    "has_role": "role|job title|position|beruf|cargo|puesto",
    "lives_in": "city|lives in|residence|wohnort|stadt|ciudad|residencia",
    "born_in": "birthplace|born in|place of birth|geburtsort|lugar de nacimiento",
    "email": "email|e-mail|mail|correo",
    "phone": "phone|telephone|mobile|telefon|handy|teléfono",
}
"""Labels of lines that say something of who is named in the same block."""

_NAME_LABELS: Final = "name|full name|vollständiger name|nombre|nombre completo"

_BIG_WORDS: Final = (
    "Angst Armut Berlinern Eile Familien Freiheit Frieden Harmonie Haus Hause Hitze Kälte "
    "Miete Nacht Not Regen Saus Scheidung Schichten Sicherheit Sorge Stille Teilzeit Tag "
    "Trennung Ungewissheit Vollzeit Wind Wohngemeinschaft WG Home Fear Hope Monday Tuesday "
    "Wednesday Thursday Friday Saturday Sunday God Hell Heaven Jemandem Ihm Ihr Ihnen Dir "
    "Euch Casa Dios Paz Him Her Them You It "
)
"""What is written large and is neither a place nor an organisation nor a person."""

_NO_NAMES: Final = frozenset((_BIG_WORDS + " ".join(_MONTHS.values()).title()).split())

_MESSAGE: Final = re.compile(r"(?P<type>\w+)\((?P<role>[^()\n]*)\): (?P<said>.*)", re.DOTALL)
_SENTENCE: Final = re.compile(r"[^.!?\n]*(?:\.(?=\w)[^.!?\n]*)*[.!?]?")
_QUOTED: Final = re.compile(
    r"```.*?(?:```|\Z)|\"[^\"]*(?:\"|\Z)|“.*?(?:”|\Z)|„.*?(?:[“”]|\Z)|«.*?(?:»|\Z)"
    r"|(?m:^[ \t]*>.*$)",
    re.DOTALL,
)
_GREETING: Final = re.compile(
    r"(?:(?:Hi|Hello|Hey|Hallo|Hola|Well|So|Also|Ok|OK|Yes|Ja|Sí)(?: there| zusammen)?[,!] )"
)
_FENCE: Final = "---"
_LABEL: Final = re.compile(r"[ \t]*(?:[-*] )?(?P<label>[^\W\d][\w -]{0,30}):[ \t]+(?P<value>\S.*)")
_LONGEST_VALUE: Final = 100


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that is stated, with the sentence or line that states it."""

    subject: str
    predicate: str
    object: str
    sentence: str
    valid_at: str | None = None  # ISO 8601, UTC

    @property
    def text(self) -> str:
        """The fact in words."""
        return f"{self.subject} {self.predicate.replace('_', ' ')} {self.object}"


class PatternExtractor:
    """Takes what stands in plain patterns, and what a `json` episode states.

    Of a message only what its speaker says of themselves, if the message names them or they do;
    of any text the lines of a block that names somebody.
    """

    def __init__(self) -> None:
        self._structured: Extractor = StructuredExtractor()

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return what is stated. Cost: no call."""
        if stated(episode) is not None or episode.source == "json":
            return self._structured.extract(episode, known, rejected)
        return Extracted(_extraction(stated_in(episode.body, episode.reference_time)))


def stated_in(body: str, reference_time: str) -> tuple[Stated, ...]:
    """Return what the body of an episode states in patterns, each fact once, in order.

    >>> [one.text for one in stated_in("user(Maria): I live in Berlin.", "2026-01-01T00:00:00Z")]
    ['Maria lives in Berlin']
    >>> stated_in("user(Maria): I wish I lived in Berlin.", "2026-01-01T00:00:00Z")
    ()
    """
    message = _MESSAGE.fullmatch(body)
    if message is None:
        found = list(_of_lines(body))
    elif message["type"] != "user":
        found = []
    else:
        said = message["said"]
        found = [*_own_statements(message["role"].strip(), said, reference_time), *_of_lines(said)]
    return tuple({(one.subject, one.predicate, one.object): one for one in found}.values())


def _own_statements(speaker: str, said: str, reference_time: str) -> Iterator[Stated]:
    """Yield what a speaker says of themselves, a whole sentence each."""
    sentences = [one for one in _sentences(said) if not one.endswith("?")]
    subject = speaker if _is_name(speaker) else _own_name(sentences)
    if not subject:
        return
    for sentence in sentences:
        plain = _GREETING.sub("", sentence, count=1).rstrip(".!")
        for language, predicate, pattern in _COMPILED:
            match = pattern.fullmatch(plain)
            if match is None or not _is_name(match["object"]):
                continue
            when = _when(match.groupdict(), language, reference_time)
            is_birth = predicate == "born_in"  # a year of birth begins nothing that ends
            yield Stated(subject, predicate, match["object"], sentence, None if is_birth else when)


def _sentences(said: str) -> Iterator[str]:
    """Yield the sentences of a text that stand outside of quotes and code."""
    plain = _QUOTED.sub(lambda found: "\0" * len(found[0]), said)
    for match in _SENTENCE.finditer(plain):
        sentence = match[0].strip()
        if sentence and "\0" not in sentence:
            yield sentence


def _own_name(sentences: list[str]) -> str:
    for sentence in sentences:
        plain = _GREETING.sub("", sentence, count=1).rstrip(".!")
        match = _OWN.fullmatch(plain)
        if match is not None and _is_name(match["object"]):
            return match["object"]
    return ""


def _of_lines(said: str) -> Iterator[Stated]:
    """Yield what blocks of labelled lines say of who is named in them."""
    block: dict[str, str] = {}
    for line in [*_QUOTED.sub("", said).splitlines(), ""]:
        label = None if line.strip() == _FENCE else _LABEL.fullmatch(line)
        if label is not None:
            block.setdefault(label["label"].strip().casefold(), line.strip())
            continue
        yield from _of_block(block)
        block = {}


def _of_block(block: dict[str, str]) -> Iterator[Stated]:
    named = next((block[one] for one in _NAME_LABELS.split("|") if one in block), None)
    subject = "" if named is None else _value(named)
    if not _PERSON.fullmatch(subject) or not _is_name(subject):
        return
    for predicate, labels in _LINES.items():
        for label in labels.split("|"):
            value = _value(block[label]) if label in block else ""
            if value and _fits(predicate, value):
                yield Stated(subject, predicate, value, block[label])


def _fits(predicate: str, value: str) -> bool:
    """Whether a value can be what its label says: a place and a firm are written large."""
    if predicate == "email":
        return _MAIL.fullmatch(value) is not None
    if predicate == "phone":
        return re.fullmatch(r"\+?[\d ()/.-]{5,25}", value) is not None
    if predicate == "has_role":
        return re.fullmatch(r"[^\W\d][\w &/'\u2019-]{1,60}", value) is not None
    return _ONE.fullmatch(value) is not None and _is_name(value)


def _value(line: str) -> str:
    value = line.partition(":")[2].strip().strip("'\"").strip()
    return value if len(value) <= _LONGEST_VALUE else ""


def _is_name(text: str) -> bool:
    return bool(text) and text.split()[0] not in _NO_NAMES and text.casefold() != "user"


def _when(parts: dict[str, str | None], language: str, reference_time: str) -> str | None:
    """Return when something began; a month without a year is the last one before it was said."""
    year, month = parts.get("year"), parts.get("month") or parts.get("only")
    if month is None:
        return None if year is None else f"{year}-01-01T00:00:00Z"
    number = _MONTHS[language].split().index(month) + 1
    if year is None:
        said_year, said_month = int(reference_time[:4]), int(reference_time[5:7])
        year = str(said_year if number <= said_month else said_year - 1)
    return f"{year}-{number:02}-01T00:00:00Z"


def _compiled(pattern: str, language: str) -> re.Pattern[str]:
    """Return a row of the table as an expression; a language's months stand for themselves."""
    months, of = _MONTHS[language].replace(" ", "|"), "(?: de | )" if language == "es" else " "
    when = rf"(?:(?P<month>{months}){of})?YEAR|(?P<only>{months})"
    written = pattern.replace("WHEN ", f"(?:{when}) ").replace("WHEN", f"(?:{when})")
    for name, spelled in _NAMES.items():
        written = written.replace(name, spelled)
    return re.compile(written)


def _extraction(found: tuple[Stated, ...]) -> Extraction:
    """Return facts as an extraction: a node for each name."""
    names = list(dict.fromkeys(end for one in found for end in (one.subject, one.object)))
    nodes = [Node(tmp_ref=name, name=name) for name in names]
    edges = []
    for one in found:
        edge = Edge(
            name=one.predicate,
            fact=one.text,
            source_ref=one.subject,
            target_ref=one.object,
            quote=one.sentence,
        )
        if one.valid_at is not None:
            edge["valid_at"] = one.valid_at
        edges.append(edge)
    return {"nodes": nodes, "edges": edges}


def _read_patterns() -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Yield what a whole sentence says of its speaker: language, predicate, and how it is said."""
    place = files("recollect.faces.operations.pipeline").joinpath("patterns.txt")
    for row in place.read_text("utf-8").splitlines():
        language, predicate, pattern = row.split(" ", 2)
        yield language, predicate, _compiled(pattern, language)


_COMPILED: Final = tuple(_read_patterns())
_OWN: Final = _compiled(_OWN_NAME, "en")
_MAIL: Final = re.compile(_NAMES["MAIL"])
_ONE: Final = re.compile(_NAMES["NAME"])
_PERSON: Final = re.compile(rf"{_WORD}(?: (?:{_PARTICLE} ){{0,2}}{_WORD}){{1,3}}|{_WORD}")
