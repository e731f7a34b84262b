"""A memory as RDF: Turtle, and N-Triples, which is Turtle without abbreviations.

The rule: a link is a triple, and where something is said of it, or it is an end itself, a reified
statement too. What came from RDF has its own IRIs; everything else is under `urn:recollect:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from recollect.integrations.exchange import rdf_terms as rdf
from recollect.integrations.exchange.lines import written_metadata
from recollect.integrations.exchange.rdf_terms import RdfLiteral, literal_of, local_name, own_iri
from recollect.model import Attributes, ConceptRecord, Dated, LinkRecord, Record, Value
from recollect.node import dataclass, field

Said = tuple[str, str | RdfLiteral]
"""A predicate and an object."""

PREFIXES: Final = {
    "rdf": rdf.RDF,
    "rdfs": rdf.RDFS,
    "xsd": rdf.XSD,
    "element": rdf.ELEMENT,
    "term": rdf.TERM,
    "metadata": rdf.METADATA,
}

_FOREIGN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|^`\\\ud800-\udfff]*")
_LABELLED: Final = re.compile(r"_:[A-Za-z0-9]+")
_SHORT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")
_ESCAPED: Final = re.compile(r"[\x00-\x1f\"\\\x7f]")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(slots=True)
class RdfWriter:
    """Writes elements in the order in which they stand on one another."""

    is_turtle: bool
    _described: set[str] = field(default_factory=set)  # bare links that are spoken of

    def head(self) -> bytes:
        """Return what the text begins with: the abbreviations of Turtle."""
        prefixes = PREFIXES if self.is_turtle else {}
        return "".join(f"@prefix {key}: <{iri}> .\n" for key, iri in prefixes.items()).encode()

    def element(self, record: Record, dated: Dated) -> bytes:
        """Return an element as text."""
        del dated
        return "".join(self._text(*block) for block in self._blocks(record)).encode()

    def tail(self) -> bytes:
        """Return the end of the text: nothing."""
        return b""

    def _blocks(self, record: Record) -> Iterator[tuple[str, Sequence[Said]]]:
        match record:
            case ConceptRecord():
                yield _iri(record), list(_concept(record))
            case LinkRecord():
                for end in (record.subject, record.object):
                    if isinstance(end, LinkRecord) and self._is_undescribed(end):
                        self._described.add(end.link.id)
                        yield _iri(end), list(_statement(end))
                yield _iri(record.subject), [(_predicate(record), _iri(record.object))]
                if not _is_bare(record):
                    yield _iri(record), list(_statement(record))
            case _:
                assert_never(record)

    def _is_undescribed(self, link: LinkRecord) -> bool:
        return _is_bare(link) and link.link.id not in self._described

    def _text(self, subject: str, said: Sequence[Said]) -> str:
        if not said:
            return ""
        start, term = self._node(subject), self._term
        if self.is_turtle:
            pairs = " ;\n    ".join(f"{self._node(one)} {term(what)}" for one, what in said)
            return f"\n{start} {pairs} .\n"
        return "".join(f"{start} {self._node(one)} {term(what)} .\n" for one, what in said)

    def _term(self, term: str | RdfLiteral) -> str:
        if isinstance(term, str):
            return self._node(term)
        quoted = f'"{_ESCAPED.sub(_escape, term.text)}"'
        if term.language:
            return f"{quoted}@{term.language}"
        return f"{quoted}^^{self._node(term.datatype)}" if term.datatype else quoted

    def _node(self, iri: str) -> str:
        if iri.startswith(rdf.BLANK):
            return iri
        if self.is_turtle:
            for prefix, space in PREFIXES.items():
                rest = iri.removeprefix(space)
                if rest != iri and _SHORT.fullmatch(rest):
                    return f"{prefix}:{rest}"
        return f"<{iri}>"


def _iri(record: Record) -> str:
    """Return the IRI or the blank node of an element."""
    match record:
        case ConceptRecord(concept):
            is_known = _FOREIGN.fullmatch(concept.id) or _LABELLED.fullmatch(concept.id)
            if (
                rdf.TYPES in concept.metadata
                and is_known
                and not concept.id.startswith(rdf.ELEMENT)
            ):
                return concept.id
            return own_iri(concept.id, rdf.ELEMENT)
        case LinkRecord(link):
            return own_iri(link.id, rdf.ELEMENT)
        case _:
            assert_never(record)


def _concept(record: ConceptRecord) -> Iterator[Said]:
    concept, iri = record.concept, _iri(record)
    types = concept.metadata.get(rdf.TYPES)
    classes = [one for one in types if _is_iri(one)] if isinstance(types, list) else None
    if classes is None:
        classes = [own_iri(concept.type, rdf.TERM)]
    yield from ((rdf.TYPE, str(one)) for one in classes)
    said = list(_member_literals(concept.attributes, concept.metadata))
    labels = {
        what.text for one, what in said if one in rdf.LABELS and isinstance(what, RdfLiteral)
    } | {iri, local_name(iri)}
    if concept.name not in labels or iri.startswith(rdf.ELEMENT):
        yield rdf.LABEL, RdfLiteral(concept.name)
    yield from said


def _statement(record: LinkRecord) -> Iterator[Said]:
    yield rdf.TYPE, rdf.STATEMENT
    yield rdf.SUBJECT, _iri(record.subject)
    yield rdf.PREDICATE, _predicate(record)
    yield rdf.OBJECT, _iri(record.object)
    if record.key:
        yield rdf.KEY, RdfLiteral(record.key)
    yield from _member_literals(record.link.attributes, record.link.metadata)


def _predicate(record: LinkRecord) -> str:
    iri = record.link.metadata.get(rdf.IRI)
    return str(iri) if _is_iri(iri) else own_iri(record.link.predicate, rdf.TERM)


def _is_bare(record: LinkRecord) -> bool:
    """Whether nothing is said of a link but that it is."""
    return not (record.key or record.link.attributes or written_metadata(record.link.metadata))


def _member_literals(attributes: Attributes, metadata: Attributes) -> Iterator[Said]:
    for key, value in attributes.items():
        marked = metadata.get(rdf.MARKS + key)
        marked = marked if isinstance(marked, dict) else {}
        iri, marks = marked.get("iri"), marked.get("marks")
        predicate = str(iri) if _is_iri(iri) else own_iri(key, rdf.TERM)
        for literal in _literals(value, marks):
            yield predicate, literal
    for key, value in written_metadata(metadata).items():
        if key not in (rdf.IRI, rdf.TYPES) and not key.startswith(rdf.MARKS):
            yield own_iri(key, rdf.METADATA), literal_of(value)


def _literals(value: Value, marks: Value) -> Iterator[RdfLiteral]:
    match value, marks:
        case list() as values, list() as several if len(values) == len(several) > 1:
            for one, mark in zip(values, several, strict=True):
                yield literal_of(one, str(mark))
        case _, [str() as mark]:
            yield literal_of(value, mark)
        case _:
            yield literal_of(value)


def _is_iri(iri: Value) -> bool:
    return isinstance(iri, str) and _FOREIGN.fullmatch(iri) is not None


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    return _ESCAPES.get(sign) or f"\\u{ord(sign):04X}"
