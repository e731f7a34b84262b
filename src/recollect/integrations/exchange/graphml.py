"""A memory as GraphML, for the tools that draw and count: Gephi, yEd, networkx.

The rule: a link is an edge, and one that another link ends in is a node of the kind `link` too,
which its edges meet. XML has no signs for most control characters: where people read they become
their pictures, and attributes and metadata are JSON, which escapes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, assert_never
from xml.sax.saxutils import escape, quoteattr

from recollect.integrations.exchange.lines import clocks, written_metadata
from recollect.model import FACT, Attributes, ConceptRecord, Dated, LinkRecord, Record
from recollect.node import dataclass, field

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
)
_GRAPH: Final = '<graph id="memory" edgedefault="directed">\n'
_TAIL: Final = "</graph>\n</graphml>\n"
_BOTH: Final = ("kind", "label", "attributes", "metadata", "created_at", "valid_at", "invalid_at")
_KEYS: Final = {
    "node": (*_BOTH, "type", "name", "link"),
    "edge": (*_BOTH, "predicate", "fact", "key"),
}
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES: Final = {"\r": "&#13;"}  # else it is read as a line feed
_REPLACED: Final = "\ufffd"
_FIRST_PICTURE: Final = 0x2400


@dataclass(slots=True)
class GraphmlWriter:
    """Writes elements in the order in which they stand on one another."""

    _spoken_of: set[str] = field(default_factory=set)  # links that are nodes too

    def head(self) -> bytes:
        """Return the beginning of the document, with the names of all that is said."""
        keys = [
            f'<key id="{domain}-{name}" for="{domain}" attr.name="{name}" attr.type="string"/>\n'
            for domain, names in _KEYS.items()
            for name in names
        ]
        return (_HEAD + "".join(keys) + _GRAPH).encode()

    def element(self, record: Record, dated: Dated) -> bytes:
        """Return an element as a node or an edge."""
        return "".join(self._parts(record, dated)).encode()

    def tail(self) -> bytes:
        """Return the end of the document."""
        return _TAIL.encode()

    def _parts(self, record: Record, dated: Dated) -> Iterator[str]:
        match record:
            case ConceptRecord(concept):
                said = {"kind": "concept", "label": concept.name}
                said |= {"type": concept.type, "name": concept.name}
                said |= _content(concept.attributes, concept.metadata, dated)
                yield _node(concept.id, said)
            case LinkRecord(link):
                for end in (record.subject, record.object):
                    if isinstance(end, LinkRecord) and end.link.id not in self._spoken_of:
                        self._spoken_of.add(end.link.id)
                        one = end.link
                        yield _node(
                            _id(end), {"kind": "link", "label": one.predicate, "link": one.id}
                        )
                fact = link.attributes.get(FACT)
                said = {"kind": "link", "label": link.predicate, "predicate": link.predicate}
                said |= {"fact": fact} if isinstance(fact, str) else {}
                said |= {"key": json.dumps(record.key)} if record.key else {}
                said |= _content(link.attributes, link.metadata, dated)
                ends = {"source": _id(record.subject), "target": _id(record.object)}
                yield _tag("edge", {"id": link.id, **ends}, said)
            case _:
                assert_never(record)


def _id(record: Record) -> str:
    """Return the id of the node that an end of a link is."""
    match record:
        case ConceptRecord(concept):
            return concept.id
        case LinkRecord(link):
            return f"link:{link.id}"
        case _:
            assert_never(record)


def _content(attributes: Attributes, metadata: Attributes, dated: Dated) -> dict[str, str]:
    said = {"attributes": attributes, "metadata": written_metadata(metadata)}
    spelled = {key: json.dumps(one, ensure_ascii=True) for key, one in said.items() if one}
    return {**spelled, **clocks(dated)}


def _node(id: str, said: Mapping[str, str]) -> str:
    return _tag("node", {"id": id}, said)


def _tag(name: str, members: Mapping[str, str], said: Mapping[str, str]) -> str:
    spelled = "".join(f" {key}={quoteattr(_xml(one))}" for key, one in members.items())
    inner = "".join(
        f'<data key="{name}-{key}">{escape(_xml(one), _ENTITIES)}</data>'
        for key, one in said.items()
    )
    return f"<{name}{spelled}>{inner}</{name}>\n"


def _xml(text: str) -> str:
    """Return a text with pictures for what XML cannot hold."""
    return _NO_XML.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_FIRST_PICTURE + code) if code < 0x20 else _REPLACED
