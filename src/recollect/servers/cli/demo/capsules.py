"""What the demo says in KIP: the texts of the files beside, and capsules written from tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files

from recollect.model import Value
from recollect.node import dataclass, field

_BEGINS = "//// "  # before the title of a text


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question, or a lesson, in words and in KIP."""

    title: str
    text: str


def told(name: str) -> list[DemoQuestion]:
    """Return the texts of a file beside this one, in order; each begins with a line of its title.

    >>> [one.title for one in told("correction")]
    ['What are the side effects of Cognizine?', 'Correction: a larger trial']
    """
    text = files("recollect.servers.cli.demo").joinpath(f"{name}.kip").read_text("utf-8")
    parts = (one.partition("\n") for one in text.split(_BEGINS)[1:])
    return [DemoQuestion(title, said.strip("\n")) for title, _, said in parts]


@dataclass(frozen=True, slots=True)
class DemoTarget:
    """The concept a link ends in."""

    predicate: str
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class DemoEntry:
    """One row of a table: a concept, and the links from it to concepts of earlier entries."""

    type: str
    name: str
    source: str
    attributes: dict[str, Value]
    links: tuple[DemoTarget, ...] = field(default=())


def capsule(entries: Iterable[DemoEntry], source: str) -> str:
    """Return one UPSERT that holds the entries, each with its links.

    >>> fields = {"alpha_2": "FR"}
    >>> print(capsule([DemoEntry("Country", "France", "ISO 3166-1", fields)], "ISO 3166-1"))
    UPSERT {
      CONCEPT @c0 { {type: "Country", name: "France"} SET ATTRIBUTES {"alpha_2": "FR"} }
    }
    WITH METADATA { source: "ISO 3166-1" }
    """
    blocks = "\n".join(_block(number, entry) for number, entry in enumerate(entries))
    return f"UPSERT {{\n{blocks}\n}}\nWITH METADATA {{ source: {_json(source)} }}"


def _block(number: int, entry: DemoEntry) -> str:
    parts = [_pattern(entry.type, entry.name), f"SET ATTRIBUTES {_json(entry.attributes)}"]
    if entry.links:
        links = " ".join(
            f"({_json(link.predicate)}, {_pattern(link.type, link.name)})" for link in entry.links
        )
        parts.append(f"SET PROPOSITIONS {{ {links} }}")
    return f"  CONCEPT @c{number} {{ {' '.join(parts)} }}"


def _pattern(kind: str, name: str) -> str:
    return f"{{type: {_json(kind)}, name: {_json(name)}}}"


def _json(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)
