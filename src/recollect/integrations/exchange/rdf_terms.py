"""RDF's terms and the values of a memory: which is which, and back.

The rule: a name of a memory's own has an IRI under `urn:recollect:`, and what came from RDF keeps
its IRIs, languages and datatypes in metadata, so that it can be written as it was read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

import orjson

from recollect.model import Value

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

TYPE: Final = f"{RDF}type"
STATEMENT: Final = f"{RDF}Statement"
SUBJECT: Final = f"{RDF}subject"
PREDICATE: Final = f"{RDF}predicate"
OBJECT: Final = f"{RDF}object"
JSON: Final = f"{RDF}JSON"
LABEL: Final = f"{RDFS}label"

LABELS: Final = (
    LABEL,
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://xmlns.com/foaf/0.1/name",
    "https://schema.org/name",
    "http://schema.org/name",
)
"""The properties that say what a thing is called, the best first."""

TERM: Final = "urn:recollect:term:"
ELEMENT: Final = "urn:recollect:element:"
METADATA: Final = "urn:recollect:metadata:"
KEY: Final = "urn:recollect:key"

IRI: Final = "rdf:iri"
"""Metadata of a link: the IRI of its predicate."""

TYPES: Final = "rdf:types"
"""Metadata of a concept that came from RDF, whose id is an IRI: the IRIs of its classes."""

MARKS: Final = "rdf:value:"
"""Metadata that begins so: the IRI, the languages and the datatypes of an attribute."""

BLANK: Final = "_:"
"""What the id of a blank node begins with."""

_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class RdfLiteral:
    """A literal: its text, and its language or the IRI of its datatype."""

    text: str
    language: str = ""
    datatype: str = ""  # none for plain text

    @property
    def mark(self) -> str:
        """How the text is marked: `@en`, `^^IRI`, or nothing."""
        if self.language:
            return f"@{self.language}"
        return f"^^{self.datatype}" if self.datatype else ""


def value_of(literal: RdfLiteral) -> tuple[Value, str]:
    """Return a literal as a value, and the mark that a value alone would lose.

    >>> number = RdfLiteral("2", datatype=XSD + "integer")
    >>> value_of(number), value_of(RdfLiteral("chat", "fr"))
    ((2, ''), ('chat', '@fr'))
    """
    text = literal.text
    match literal.datatype:
        case "" if not literal.language:
            return text, ""
        case datatype if datatype == JSON:
            value = _json(text)
            if isinstance(value, dict | list) or text == "null":
                return value, ""
        case datatype if datatype == f"{XSD}string":
            return text, ""
        case datatype if datatype in (f"{XSD}integer", f"{XSD}double", f"{XSD}boolean"):
            value = _json(text.lower() if datatype == f"{XSD}double" else text)
            if not isinstance(value, dict | list | None) and literal_of(value) == literal:
                return value, ""
    return text, literal.mark


def literal_of(value: Value, mark: str = "") -> RdfLiteral:
    """Return a value as a literal; what RDF has no datatype for is JSON.

    >>> literal_of(True).text, literal_of([1]).datatype == JSON
    ('true', True)
    """
    match value:
        case str() if mark.startswith("@"):
            return RdfLiteral(value, language=mark[1:])
        case str():
            return RdfLiteral(value, datatype=mark.removeprefix("^^"))
        case bool():
            return RdfLiteral("true" if value else "false", datatype=f"{XSD}boolean")
        case int():
            return RdfLiteral(str(value), datatype=f"{XSD}integer")
        case float():
            return RdfLiteral(repr(value), datatype=f"{XSD}double")
        case _:
            return RdfLiteral(orjson.dumps(value).decode(), datatype=JSON)


def local_name(iri: str) -> str:
    """Return the last part of an IRI that says something.

    >>> local_name("http://example.org/people#Ann%20Lee"), local_name("http://example.org/")
    ('Ann Lee', 'example.org')
    """
    rest = iri.rstrip("#/:")
    cut = max(rest.rfind(sign) for sign in "#/:")
    return unquote(rest[cut + 1 :]) or iri


def own_name(iri: str, space: str) -> str | None:
    """Return the name that a memory made an IRI of, or None for an IRI of another."""
    return unquote(iri[len(space) :]) or None if iri.startswith(space) else None


def own_iri(name: str, space: str) -> str:
    """Return the IRI of a name of a memory's own."""
    return space + quote(name, safe="")


def _json(text: str) -> Value:
    try:
        value: Value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if isinstance(value, int) and not _LEAST <= value <= _MOST:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value
