"""RDF as records: nodes become concepts, triples between them facts, literals attributes.

The rule: the id of a concept is its IRI, so that it is found again whatever it is called; names
are labels or the last parts of IRIs where these are clear, else whole IRIs. A reified triple is
a fact with what is said of it, and what a memory wrote comes back as it was. Blank nodes have names
made of what a file says of them: the same file gives the same names, and nodes of which the same is
said are told apart by their order.

Turtle and N-Triples become triples through rdflib's parsers, and literals stay text: rdflib would
run parsers of XML and HTML over some of them. Nothing of a file is interpreted, and nothing that it
names is fetched.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

import orjson
from rdflib import BNode, Graph, Literal as ParsedLiteral, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser
from rdflib.plugins.parsers.ntriples import NTGraphSink, W3CNTriplesParser, r_literal, unquote

from recollect.errors import LIMIT_EXCEEDED, RecollectError
from recollect.faces.kinds import ALL_KINDS
from recollect.integrations.exchange import rdf_terms as rdf
from recollect.integrations.exchange.rdf_terms import RdfLiteral, local_name, own_name, value_of
from recollect.integrations.exchange.records import (
    Bad,
    Bond,
    ById,
    ByName,
    End,
    Left,
    Record,
    StatementRecord,
    Thing,
    made_id,
    words,
)
from recollect.integrations.exchange.source import Source
from recollect.model import FACT, Value, normal_text
from recollect.node import dataclass, field

LARGEST_GRAPH: Final = 64 * 2**20
"""Bytes of a file of RDF, which is held in memory while it is read."""

_BASE: Final = "relative:/"
_FAULTS: Final = (
    AssertionError,
    AttributeError,
    BadSyntax,
    IndexError,
    KeyError,
    ParserError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What rdflib's parsers raise for a text that they cannot read."""

logging.getLogger("rdflib").addHandler(logging.NullHandler())  # else it writes to the terminal


@dataclass(frozen=True, slots=True)
class RdfTriple:
    """One triple; an IRI is a text, and so is a blank node, which begins with `_:`."""

    line: int
    subject: str
    predicate: str
    object: str | RdfLiteral


def turtle_triples(source: Source) -> Iterator[RdfTriple | Bad]:
    """Yield the triples of Turtle, in the order of the file, or what is wrong with it."""
    sink = _Sink()
    sink.parser = parser = SinkParser(sink, baseURI=_BASE, turtle=True)
    try:
        parser.loadBuf(_whole(source).decode())
    except BadSyntax as error:
        yield Bad(error.lines + 1, f"is not Turtle: {error._why}")
        return
    except RecursionError:
        yield Bad(parser.lines + 1, "nests too deep")
        return
    except _FAULTS:
        yield Bad(parser.lines + 1, "is not Turtle")
        return
    yield from sink.triples


def ntriples_triples(source: Source) -> Iterator[RdfTriple | Bad]:
    """Yield the triples of N-Triples, in the order of the file, and the lines that are none."""
    if source.size > LARGEST_GRAPH:
        raise _too_large(source)
    sink = _LineSink()
    parser = _LineParser(cast(NTGraphSink, sink))
    for number, line in source.lines():
        sink.line = number
        try:
            parser.parsestring(line.decode().rstrip("\r\n"))
        except _FAULTS:
            yield Bad(number, "is not N-Triples")
        yield from sink.triples
        sink.triples.clear()


def _whole(source: Source) -> bytes:
    if source.size > LARGEST_GRAPH:
        raise _too_large(source)
    return source.whole()


def _too_large(source: Source) -> RecollectError:
    return LIMIT_EXCEEDED.error(
        f"{source.name} is larger than {LARGEST_GRAPH} bytes, and RDF is read whole",
        "split it into several files",
    )


class _Sink(RDFSink):
    """Takes what the parser of Turtle finds; its literals stay text."""

    parser: SinkParser

    def __init__(self) -> None:
        super().__init__(Graph())
        self.triples: list[RdfTriple] = []

    def newLiteral(self, s: str, dt: URIRef | None, lang: str | None) -> Any:  # noqa: ANN401
        return _literal(s, dt, lang)

    def makeStatement(self, quadruple: Any, why: Any = None) -> None:  # noqa: ANN401
        del why
        _, predicate, subject, target = (self.normalise(None, one) for one in quadruple)
        start, property_ = _node(subject), _node(predicate)
        self.triples.append(RdfTriple(self.parser.lines + 1, start, property_, _term(target)))


class _LineSink:
    """Takes what the parser of N-Triples finds."""

    def __init__(self) -> None:
        self.triples: list[RdfTriple] = []
        self.line = 0

    def triple(self, subject: Any, predicate: Any, target: Any) -> None:  # noqa: ANN401
        self.triples.append(RdfTriple(self.line, _node(subject), _node(predicate), _term(target)))


class _LineParser(W3CNTriplesParser):
    """Reads N-Triples; its literals stay text."""

    __slots__ = ()

    def literal(self) -> Any:  # noqa: ANN401 - what rdflib's parser hands to its sink
        if not self.peek('"'):
            return False
        text, language, datatype = self.eat(r_literal).groups()
        return _literal(unquote(text), unquote(datatype) if datatype else None, language)


def _literal(text: str, datatype: str | None, language: str | None) -> RdfLiteral:
    return RdfLiteral(text, (language or "").lower(), "" if datatype is None else str(datatype))


def _term(term: object) -> str | RdfLiteral:
    match term:
        case RdfLiteral():
            return term
        case ParsedLiteral():
            return _literal(str(term), term.datatype, term.language)
        case _:
            return _node(term)


def _node(term: object) -> str:
    match term:
        case BNode():
            return f"{rdf.BLANK}{term}"
        case str():
            return str(term)
        case _:
            raise TypeError("a literal stands where a node must")


_ROUNDS: Final = 32  # of looking one step further; each costs every triple of a blank node
_DIGITS: Final = 32


def blank_names(triples: Sequence[RdfTriple]) -> Mapping[str, str]:
    """Return the name of each blank node, `_:` and a hash. Cost: up to 32 times the triples."""
    about = [one for one in triples if _is_blank(one.subject) or _is_blank(one.object)]
    nodes = [end for one in about for end in (one.subject, one.object) if _is_blank(end)]
    colours = {str(node): "" for node in nodes}
    classes = 1
    for _ in range(_ROUNDS if colours else 0):
        colours = _finer(about, colours)
        found = len(set(colours.values()))
        if found == classes:
            break
        classes = found
    met: Counter[str] = Counter()
    names: dict[str, str] = {}
    for node, colour in colours.items():
        met[colour] += 1
        names[node] = rdf.BLANK + _hash([colour, met[colour]])
    return names


def _finer(triples: Sequence[RdfTriple], colours: Mapping[str, str]) -> dict[str, str]:
    """Return colours that also tell what stands around a node, in either direction."""
    around: dict[str, list[str]] = defaultdict(list)
    for one in triples:
        start = colours.get(one.subject, one.subject)
        match one.object:
            case RdfLiteral(text, language, datatype):
                end = _hash([text, language, datatype])
            case node:
                end = colours.get(node, node)
                if node in colours:
                    around[node].append(_hash(["from", start, one.predicate]))
        if one.subject in colours:
            around[one.subject].append(_hash(["to", one.predicate, end]))
    return {node: _hash([colour, *sorted(around[node])]) for node, colour in colours.items()}


def _is_blank(end: str | RdfLiteral) -> bool:
    return isinstance(end, str) and end.startswith(rdf.BLANK)


def _hash(parts: Sequence[str | int]) -> str:
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:_DIGITS]


_FIELDS: Final = frozenset({"id", "type", "name"})
_LEFT: Final = "an episode or a part of a claim, which RDF does not carry back"
_CYCLE: Final = "a reified triple that stands on itself"
_PARTS: Final = (rdf.SUBJECT, rdf.PREDICATE, rdf.OBJECT)


def read_turtle(source: Source, type_: str) -> Iterator[Record]:
    """Yield what Turtle says; `type_` is that of things without a class."""
    return _read(turtle_triples(source), type_)


def read_ntriples(source: Source, type_: str) -> Iterator[Record]:
    """Yield what N-Triples say; `type_` is that of things without a class."""
    return _read(ntriples_triples(source), type_)


def _read(found: Iterable[RdfTriple | Bad], type_: str) -> Iterator[Record]:
    triples: list[RdfTriple] = []
    for one in found:
        if isinstance(one, Bad):
            yield one
        else:
            triples.append(one)
    yield from _RdfGraph.of(triples, type_).records()


@dataclass(frozen=True, slots=True)
class _Link:
    """A triple between nodes, and the node that speaks of it, if one does."""

    line: int
    subject: str
    predicate: str
    object: str
    about: str | None = None


@dataclass(slots=True)
class _RdfGraph:
    """The triples of one file by their subjects."""

    type: str
    said: dict[str, list[RdfTriple]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[str, int] = field(default_factory=dict)  # where a node is met first
    plain: dict[tuple[str, str, str], int] = field(default_factory=dict)  # triples between nodes
    reified: dict[str, _Link] = field(default_factory=dict)  # by the node that speaks of it
    terms: dict[str, str] = field(default_factory=dict)  # names of predicates and classes by IRI
    named: dict[str, ByName] = field(default_factory=dict)  # things by node
    labels: dict[str, str] = field(default_factory=dict)  # their names, if they were clear

    @classmethod
    def of(cls, triples: Sequence[RdfTriple], type_: str) -> _RdfGraph:
        """Return the graph, its blank nodes named and its names settled."""
        graph, names = cls(type_), blank_names(triples)
        for one in triples:
            target = one.object
            if isinstance(target, str):
                target = names.get(target, target)
            subject = names.get(one.subject, one.subject)
            graph.said[subject].append(RdfTriple(one.line, subject, one.predicate, target))
        graph._find_reified()
        graph._find_things()
        graph._name_terms()
        graph._name_things()
        return graph

    def records(self) -> Iterator[Record]:
        """Yield the things, then the links, each after those that it ends in."""
        for node in self.named:
            yield self._thing(node)
        described = {(one.subject, one.predicate, one.object) for one in self.reified.values()}
        in_order = self._in_order()
        yield from (Left(self.reified[node].line, _CYCLE) for node in self._cyclic(in_order))
        links = [
            _Link(line, *triple) for triple, line in self.plain.items() if triple not in described
        ]
        yield from (self._record(link) for link in in_order)
        yield from (self._record(link) for link in links)

    def _find_reified(self) -> None:
        for node, triples in self.said.items():
            parts = {one.predicate: one for one in triples if one.predicate in _PARTS}
            is_statement = any(
                one.predicate == rdf.TYPE and one.object == rdf.STATEMENT for one in triples
            )
            match is_statement, *(parts[one].object for one in _PARTS if one in parts):
                case True, str() as start, str() as predicate, str() as end:
                    self.reified[node] = _Link(triples[0].line, start, predicate, end, node)

    def _find_things(self) -> None:
        for node, triples in self.said.items():
            if node not in self.reified:
                self.lines.setdefault(node, triples[0].line)
            for one in triples:
                if node in self.reified and one.predicate in {*_PARTS, rdf.TYPE}:
                    if one.predicate in (rdf.SUBJECT, rdf.OBJECT) and isinstance(one.object, str):
                        self._meet(one.object, one.line)
                    continue
                if isinstance(one.object, str) and one.predicate != rdf.TYPE:
                    self._meet(one.object, one.line)
                    self.plain.setdefault((node, one.predicate, one.object), one.line)

    def _meet(self, node: str, line: int) -> None:
        if node not in self.reified:
            self.lines.setdefault(node, line)

    def _name_terms(self) -> None:
        """Call predicates and classes by the last parts of their IRIs, where these are clear."""
        used = {one.predicate: None for triples in self.said.values() for one in triples}
        used = {iri: None for iri in used if iri != rdf.KEY and not iri.startswith(rdf.METADATA)}
        used |= {link.predicate: None for link in self.reified.values()}
        for node in self.lines:
            used |= dict.fromkeys(self._classes(node))
        short = {iri: own_name(iri, rdf.TERM) or local_name(iri) for iri in used}
        clear = Counter(short.values())
        for iri, name in short.items():
            is_clear = clear[name] == 1 and name not in _FIELDS and not name.startswith("_")
            is_own = iri.startswith(rdf.TERM)
            self.terms[iri] = name if is_own or (is_clear and name not in ALL_KINDS.owned) else iri

    def _name_things(self) -> None:
        met: Counter[tuple[str, str]] = Counter()
        types: dict[str, str] = {}
        for node in self.lines:
            classes = self._classes(node)
            types[node] = self.terms[classes[0]] if classes else self.type
            self.labels[node] = self._label(node)
            met[types[node], normal_text(self.labels[node])] += 1
        for node, name in self.labels.items():
            is_clear = met[types[node], normal_text(name)] == 1 or _is_own(node)
            self.named[node] = ByName(types[node], name if is_clear else node)

    def _classes(self, node: str) -> list[str]:
        return sorted(
            one.object
            for one in self.said.get(node, ())
            if one.predicate == rdf.TYPE and isinstance(one.object, str)
        )

    def _label(self, node: str) -> str:
        for wanted in rdf.LABELS:
            found = [
                one.object
                for one in self.said.get(node, ())
                if one.predicate == wanted and isinstance(one.object, RdfLiteral)
            ]
            texts = [one for one in found if (one.text if _is_own(node) else one.text.strip())]
            if texts:
                return min(texts, key=_preference).text
        return node if node.startswith(rdf.BLANK) else local_name(node)

    def _thing(self, node: str) -> Record:
        named, classes = self.named[node], self._classes(node)
        if named.type in ALL_KINDS.owned:
            return Left(self.lines[node], _LEFT)
        attributes, metadata = self._literals_of(node)
        if not _is_own(node) or any(not one.startswith(rdf.TERM) for one in classes):
            metadata[rdf.TYPES] = [*classes]
        return Thing(
            self.lines[node],
            named.type,
            named.name,
            attributes,
            metadata,
            _id(node),
            otherwise=None if _is_own(node) else node,
            is_exact=_is_own(node),
        )

    def _literals_of(self, node: str) -> tuple[dict[str, Value], dict[str, Value]]:
        """Return the literals of a node as attributes and metadata."""
        attributes: dict[str, Value] = {}
        metadata: dict[str, Value] = {}
        values: dict[str, list[RdfLiteral]] = defaultdict(list)
        for one in self.said.get(node, ()):
            is_name = one.predicate == rdf.LABEL and _is_own(node) and node not in self.reified
            if isinstance(one.object, RdfLiteral) and one.predicate != rdf.KEY and not is_name:
                values[one.predicate].append(one.object)
        for iri, literals in sorted(values.items()):
            found = [value_of(one) for one in sorted(set(literals))]
            key = own_name(iri, rdf.METADATA)
            if key is not None:
                metadata[key] = found[0][0]
                continue
            value: Value = [one for one, _ in found] if len(found) > 1 else found[0][0]
            marks: list[Value] = [mark for _, mark in found]
            key = self.terms.get(iri, iri)
            attributes[key] = value
            if not iri.startswith(rdf.TERM) or any(marks) or len(found) > 1:
                said: dict[str, Value] = {"iri": iri}
                if len(found) > 1 or any(marks):
                    said["marks"] = marks
                metadata[rdf.MARKS + key] = said
        return attributes, metadata

    def _record(self, link: _Link) -> Record:
        start, end = self._end(link.subject), self._end(link.object)
        predicate = self.terms.get(link.predicate, link.predicate)
        is_own = link.predicate.startswith(rdf.TERM)
        attributes, metadata = ({}, {}) if link.about is None else self._literals_of(link.about)
        about = link.about
        if not is_own:
            metadata[rdf.IRI] = link.predicate
        if (about is None and is_own) or (about is not None and about.startswith(rdf.ELEMENT)):
            identifier = None if about is None else _id(about)
            key = "" if about is None else self._key(about)
            return Bond(link.line, start, predicate, end, identifier, attributes, metadata, key)
        attributes.pop(FACT, None)
        identifier = self._link_id(link)
        said = words(self._called(link.subject), predicate, self._called(link.object))
        return StatementRecord(
            link.line, start, predicate, end, said, identifier, attributes, metadata
        )

    def _link_id(self, link: _Link) -> str:
        if link.about is not None:
            return link.about
        return made_id("rdf", link.subject, link.predicate, link.object)

    def _end(self, node: str) -> End:
        if node in self.reified:
            return ById(_id(node))
        named = self.named[node]
        return ById(_id(node)) if named.type not in ALL_KINDS.owned else named

    def _called(self, node: str) -> str:
        link = self.reified.get(node)
        if link is None:
            return self.labels[node]
        return words(local_name(link.subject), local_name(link.predicate), local_name(link.object))

    def _key(self, node: str) -> str:
        keys = [
            one.object.text
            for one in self.said[node]
            if one.predicate == rdf.KEY and isinstance(one.object, RdfLiteral)
        ]
        return keys[0] if keys else ""

    def _cyclic(self, in_order: Sequence[_Link]) -> list[str]:
        """Return the nodes of the triples that are in no order."""
        known = {link.about for link in in_order}
        return [node for node in self.reified if node not in known]

    def _in_order(self) -> list[_Link]:
        """Return the triples that are spoken of, each after those that it ends in."""
        waiting, in_order = dict(self.reified), list[_Link]()
        while waiting:
            ready = {
                node: link
                for node, link in waiting.items()
                if not {link.subject, link.object} & waiting.keys()
            }
            if not ready:
                break  # they stand on one another
            for node, link in ready.items():
                in_order.append(link)
                del waiting[node]
        return in_order


def _is_own(node: str) -> bool:
    return node.startswith(rdf.ELEMENT)


def _id(node: str) -> str:
    """Return the id that a node has in a memory."""
    return own_name(node, rdf.ELEMENT) or node


def _preference(literal: RdfLiteral) -> tuple[bool, bool, RdfLiteral]:
    language = literal.language
    return bool(language), not language.startswith("en"), literal
