"""Turtle and N-Triples as triples, through rdflib's parsers.

The rule: literals stay text. rdflib would run parsers of XML and HTML over some of them; here
nothing of a file is interpreted, and nothing that it names is fetched.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, Final, cast

from rdflib import BNode, Graph, Literal as ParsedLiteral, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser
from rdflib.plugins.parsers.ntriples import NTGraphSink, W3CNTriplesParser, r_literal, unquote

from recollect.errors import LIMIT_EXCEEDED, RecollectError
from recollect.integrations.exchange.rdf_terms import BLANK, RdfLiteral
from recollect.integrations.exchange.records import Bad
from recollect.integrations.exchange.source import Source
from recollect.node import dataclass

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
            return f"{BLANK}{term}"
        case str():
            return str(term)
        case _:
            raise TypeError("a literal stands where a node must")
