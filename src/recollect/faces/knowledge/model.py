"""The values of the knowledge base: profiles, pieces, nodes, edges, documents and what is found.

The rule: a value that exists is valid. Ids and types are NFC text of 1 to 256 printable
characters, tags are normalised, properties are a JSON object of their own, instants are in UTC;
anything else is INVALID_ARGUMENT, told by the field. Secrets are not looked for here: the
knowledge base does that for what it stores.
"""

from __future__ import annotations

import math
import re
import unicodedata
import uuid
from collections.abc import ItemsView, KeysView, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, Self, TypeVar, cast

import orjson

from recollect.errors import LIMIT_EXCEEDED, RecollectError, nearest, refused
from recollect.node import dataclass, field, replace

GLOBAL: Final = "global"
"""The id under which the metadata shared by all entities stands."""

MOST_TEXT: Final = 10_000
"""Characters of a content or an embedding text."""

MOST_ID: Final = 256
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN_ID: Final = re.compile(f"[!-~]{{1,{MOST_ID}}}")
MOST_TAGS: Final = 64
MOST_TAG: Final = 64
MOST_PROPERTIES: Final = 16 * 1024
"""Bytes of the JSON of properties."""

MOST_LEVELS: Final = 62
"""Objects and lists in each other in properties, which are themselves the first."""

_NO_EDGE: Final = "{}|"  # the operators of paths in KIP

Json = Mapping[str, Any]
KindT = TypeVar("KindT")
StampedT = TypeVar("StampedT", "EntityMetadata", "KnowledgePiece")


_MOST_TOLD: Final = 60


class KnowledgeType(StrEnum):
    """What a piece of knowledge is; read in any case, written in lower case.

    >>> KnowledgeType("PROCEDURE"), str(KnowledgeType.Fact)
    (<KnowledgeType.Procedure: 'procedure'>, 'fact')
    """

    Fact = "fact"
    Instruction = "instruction"
    Preference = "preference"
    Procedure = "procedure"
    Note = "note"
    Episodic = "episodic"

    @classmethod
    def _missing_(cls, value: object) -> KnowledgeType:
        lower = value.strip().lower() if isinstance(value, str) else None
        for one in cls:
            if one.value == lower:
                return one
        known = [one.value for one in cls]
        shown = _named(value) if isinstance(value, str) else type(value).__name__
        raise refused(
            f'knowledge_type "{shown}" is not known',
            f"use one of {', '.join(known)}",
            known=tuple(nearest(lower or "", known) or known),
        )


def _named(given: str) -> str:
    """Return a name to tell whole, so that a secret in it is seen; no long one."""
    return given if len(given) <= _MOST_TOLD else f"a name of {len(given)} characters"


def now() -> datetime:
    """Return the present instant in UTC, to the millisecond."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1_000 * 1_000)


def _fields(kind: type) -> Mapping[str, object]:
    """Return the fields of a class by name, in their order: `fields` makes a list each time."""
    return cast("Mapping[str, object]", vars(kind)["__dataclass_fields__"])


def _members(kind: type, given: object) -> dict[str, Any]:
    """Return what a dict of JSON says of a value; what is no field of it is refused."""
    said, known = checked_object(kind.__name__, given), _fields(kind)
    for name in said:
        if name not in known:
            raise refused(
                f"{_named(str(name))} is not a field of {kind.__name__}",
                f"leave out {_named(str(name))}",
                known=tuple(nearest(str(name), known)),
            )
    return {**said}


class _Value:
    """What all values can do: become a dict of JSON, and come from one."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the value as a dict of JSON."""
        return {one: _as_json(getattr(self, one)) for one in _fields(type(self))}

    @classmethod
    def checked_before(cls, **fields: Any) -> Self:  # noqa: ANN401
        """Return the value of all of its fields, which are those of a value that existed."""
        value = object.__new__(cls)
        _put(value, fields)
        return value

    @classmethod
    def from_dict(cls, given: Json) -> Self:
        """Return the value that a dict of JSON says; fields it does not know are refused."""
        said = _members(cls, given)
        try:
            return cls(**said)
        except TypeError as error:
            told = next(name for name in _fields(cls) if name not in said)
            raise refused(f"{told} is missing in {cls.__name__}", f"give {told}") from error


@dataclass(slots=True)
class EntityMetadata(_Value):
    """The profile of an entity: its type and its properties.

    >>> alice = EntityMetadata("user:alice", "user", {"team": "aero"})
    >>> alice.set("site", "Bern"); alice.get("site"), sorted(alice.keys())
    ('Bern', ['site', 'team'])
    """

    entity_id: str
    entity_type: str
    properties: dict[str, Any] = field(default_factory=dict)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        self.entity_id = checked_id("entity_id", self.entity_id)
        self.entity_type = checked_id("entity_type", self.entity_type)
        self.properties = checked_properties("properties", self.properties)
        self.created_at = _checked_instant("created_at", self.created_at)
        self.updated_at = _checked_instant("updated_at", self.updated_at)

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401
        """Return a property."""
        return self.properties.get(key, default)

    def set(self, key: str, value: object) -> None:
        """Set a property, and `updated_at`."""
        self.properties = checked_properties("properties", {**self.properties, key: value})
        self.updated_at = now()

    def keys(self) -> KeysView[str]:
        """Return the names of the properties."""
        return self.properties.keys()

    def items(self) -> ItemsView[str, Any]:
        """Return the properties."""
        return self.properties.items()


@dataclass(frozen=True, slots=True)
class KnowledgePiece(_Value):
    """One searchable piece of knowledge; without an entity it is global.

    >>> piece = KnowledgePiece("Check the mesh first.", tags=[" Mesh", "mesh", ""])
    >>> piece.knowledge_type.value, piece.info_type, piece.tags
    ('fact', 'context', ['mesh'])
    """

    content: str
    piece_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    knowledge_type: KnowledgeType = KnowledgeType.Fact
    info_type: str = "context"
    tags: list[str] = field(default_factory=list)
    entity_id: str | None = None
    source: str | None = None
    embedding_text: str | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        checked = {
            "content": checked_text("content", self.content),
            "piece_id": checked_id("piece_id", self.piece_id),
            "knowledge_type": KnowledgeType(self.knowledge_type),
            "info_type": checked_id("info_type", self.info_type),
            "tags": checked_tags(self.tags),
            "entity_id": _if_given(checked_id, "entity_id", self.entity_id),
            "source": _if_given(_checked_length, "source", self.source),
            "embedding_text": _if_given(_checked_length, "embedding_text", self.embedding_text),
            "created_at": _checked_instant("created_at", self.created_at),
            "updated_at": _checked_instant("updated_at", self.updated_at),
        }
        _put(self, checked)


@dataclass(frozen=True, slots=True)
class GraphNode(_Value):
    """A node of the entity graph.

    >>> GraphNode("technique:les", "technique", "LES").to_dict()["node_type"]
    'technique'
    """

    node_id: str
    node_type: str
    label: str = ""
    properties: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        checked = {
            "node_id": checked_id("node_id", self.node_id),
            "node_type": checked_id("node_type", self.node_type),
            "label": _checked_length("label", self.label),
            "properties": checked_properties("properties", self.properties),
        }
        _put(self, checked)


@dataclass(frozen=True, slots=True)
class GraphEdge(_Value):
    """An edge of the entity graph; it is known by its ends, its type and its `piece_id`.

    >>> GraphEdge("user:alice", "technique:les", "USES", {"piece_id": "p1"}).piece_id
    'p1'
    """

    source_id: str
    target_id: str
    edge_type: str
    properties: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        kind = checked_id("edge_type", self.edge_type)
        if any(one in kind for one in _NO_EDGE):
            raise refused(f"edge_type holds one of {_NO_EDGE}", "use letters and _")
        properties = checked_properties("properties", self.properties)
        if any(not key or key[0] == "_" for key in properties):  # which a link keeps for itself
            raise refused("a key of properties is empty or begins with _", "use letters")
        if properties.get("piece_id") is not None:
            checked_id("properties.piece_id", properties["piece_id"])
        checked = {
            "source_id": checked_id("source_id", self.source_id),
            "target_id": checked_id("target_id", self.target_id),
            "edge_type": kind,
            "properties": properties,
        }
        _put(self, checked)

    @property
    def piece_id(self) -> str | None:
        """The id of the piece that it points to, if it does."""
        found = self.properties.get("piece_id")
        return None if found is None else unicodedata.normalize("NFC", found)

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What tells it from others: source, target, type and piece."""
        return self.source_id, self.target_id, self.edge_type, self.piece_id or ""


@dataclass(frozen=True, slots=True)
class Document(_Value):
    """What a retrieval service holds: a text, and what its filters compare."""

    doc_id: str
    content: str
    metadata: dict[str, Any] = field(default_factory=dict, hash=False)
    embedding_text: str | None = None
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        checked = {
            "doc_id": checked_id("doc_id", self.doc_id),
            "content": checked_text("content", self.content),
            "metadata": _json_object("metadata", self.metadata),
            "embedding_text": _if_given(_checked_searched, "embedding_text", self.embedding_text),
            "created_at": _checked_instant("created_at", self.created_at),
            "updated_at": _checked_instant("updated_at", self.updated_at),
        }
        _put(self, checked)


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What a question found: profiles, pieces with their scores, and relations of the entity."""

    metadata: EntityMetadata | None = None
    global_metadata: EntityMetadata | None = None
    pieces: list[tuple[KnowledgePiece, float]] = field(default_factory=list)
    graph_context: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict of JSON: pieces as [piece, score]."""
        return {
            "metadata": None if self.metadata is None else self.metadata.to_dict(),
            "global_metadata": (
                None if self.global_metadata is None else self.global_metadata.to_dict()
            ),
            "pieces": [[piece.to_dict(), score] for piece, score in self.pieces],
            "graph_context": [_as_json(entry) for entry in self.graph_context],
        }

    @classmethod
    def from_dict(cls, given: Json) -> RetrievalResult:
        """Return the result that a dict of JSON says."""
        said = _members(cls, given)
        own, shared = said.get("metadata"), said.get("global_metadata")
        return cls(
            None if own is None else EntityMetadata.from_dict(own),
            None if shared is None else EntityMetadata.from_dict(shared),
            [_scored(one) for one in checked_list("pieces", said.get("pieces", []))],
            [_entry(one) for one in checked_list("graph_context", said.get("graph_context", []))],
        )


def checked_as(kind: type[KindT], value: object) -> KindT:
    """Return a value of a kind, or refuse it."""
    if not isinstance(value, kind):
        named = f"a {type(value).__name__} is no {kind.__name__}"
        raise refused(named, f"give a {kind.__name__}")
    return value


def is_same(one: StampedT, other: StampedT) -> bool:
    """Whether two values say the same, whenever each was made."""
    return replace(one, created_at=other.created_at, updated_at=other.updated_at) == other


def checked_id(name: str, value: object) -> str:
    """Return an id or a type as it is stored: in NFC, with nothing unprintable in it."""
    if type(value) is str and _PLAIN_ID.fullmatch(value):
        return value  # as nearly all are
    if not isinstance(value, str):
        raise refused(f"{name} is not a string", f"give {name} as a string")
    text = value if value.isascii() else unicodedata.normalize("NFC", value)
    if not text or text.isspace():
        raise refused(f"{name} is blank", f"give {name} a text")
    if len(text) > MOST_ID:
        raise _too_large(f"{name} is longer than {MOST_ID} characters")
    _refuse_unprintable(name, text)
    return text


def checked_text(name: str, value: object) -> str:
    """Return a text that says something, of at most `MOST_TEXT` characters."""
    text = _checked_length(name, value)
    if not text.strip():
        raise refused(f"{name} is blank", f"give {name} a text")
    return text


def checked_object(name: str, given: object) -> Json:
    """Return an object of JSON."""
    if not isinstance(given, Mapping):
        raise refused(f"{name} is not an object", f"give {name} as an object")
    return given


def checked_list(name: str, given: object) -> Sequence[Any]:
    """Return a list; a text is none, though it is a sequence."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise refused(f"{name} is not a list", f'give {name} as a list such as ["a", "b"]')
    return given


def checked_tags(given: object) -> list[str]:
    """Return tags stripped and lower-cased, without blanks and repeats, in their order."""
    found: dict[str, None] = {}
    for one in checked_list("tags", given):
        if not isinstance(one, str):
            raise refused("tags holds what is not a string", "give tags as strings")
        tag = (one if one.isascii() else unicodedata.normalize("NFC", one)).strip().lower()
        _refuse_unprintable("tags", tag)
        if len(tag) > MOST_TAG:
            raise _too_large(f"a tag is longer than {MOST_TAG} characters")
        if tag:
            found[tag] = None
    if len(found) > MOST_TAGS:
        raise _too_large(f"there are more than {MOST_TAGS} tags")
    return list(found)


def checked_properties(name: str, given: object) -> dict[str, Any]:
    """Return a copy of a JSON object of at most `MOST_PROPERTIES` bytes."""
    if given == {} and type(given) is dict:
        return {}
    copied = _json_object(name, given)
    if len(orjson.dumps(copied)) > MOST_PROPERTIES:
        raise _too_large(f"{name} takes more than {MOST_PROPERTIES} bytes of JSON")
    return copied


def _json_object(name: str, given: object) -> dict[str, Any]:
    return cast("dict[str, Any]", _json_copy(name, checked_object(name, given), MOST_LEVELS))


def _json_copy(name: str, value: object, levels: int) -> object:
    """Return a copy of JSON that every store can hold, of so many levels at most."""
    match value:
        case None | bool():
            return value
        case str():
            return _checked_characters(name, value)
        case int() if -(2**63) <= value < 2**63:
            return value
        case int():
            raise refused(f"{name} holds a whole number beyond 64 bits", "give it as a text")
        case float() if math.isfinite(value):
            return value
        case Mapping() | list() | tuple() if not levels:
            raise _too_large(f"{name} nests deeper than {MOST_LEVELS} levels")
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise refused(f"{name} has a key that is not a string", "name keys by strings")
            return {
                _checked_characters(name, key): _json_copy(name, one, levels - 1)
                for key, one in value.items()
            }
        case list() | tuple():
            return [_json_copy(name, one, levels - 1) for one in value]
        case _:
            raise refused(f"{name} holds a {type(value).__name__}", "give what JSON can say")


def _checked_searched(name: str, value: object) -> str:
    """Return what a document is found by: an embedding text with tags, each the longest."""
    return _checked_length(name, value, MOST_TEXT + MOST_TAGS * (MOST_TAG + 1))


def _checked_length(name: str, value: object, most: int = MOST_TEXT) -> str:
    if not isinstance(value, str):
        raise refused(f"{name} is not a string", f"give {name} as a string")
    if len(value) > most:
        raise _too_large(f"{name} is longer than {most} characters")
    return _checked_characters(name, value)


def _checked_characters(name: str, text: str) -> str:
    if "\0" in text or not (text.isascii() or _SURROGATE.search(text) is None):
        raise refused(f"{name} holds what is no character", f"give {name} as plain text")
    return text


def _refuse_unprintable(name: str, text: str) -> None:
    if text.isprintable():
        return
    if any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in text):
        raise refused(f"{name} holds a control character", f"give {name} as printable text")


def _checked_instant(name: str, value: object) -> datetime:
    moment = value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError as error:
            raise refused(f"{name} is not an ISO 8601 instant", "use 2026-11-20T00:00Z") from error
    if not isinstance(moment, datetime):
        raise refused(f"{name} is not an instant", "use 2026-11-20T00:00Z")
    if moment.tzinfo is UTC:
        return moment
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _if_given(check: Any, name: str, value: object) -> str | None:  # noqa: ANN401
    return None if value is None else cast("str", check(name, value))


def _put(value: object, checked: Mapping[str, object]) -> None:
    for name, one in checked.items():
        object.__setattr__(value, name, one)


def _as_json(value: object) -> Any:  # noqa: ANN401
    match value:
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case StrEnum():
            return value.value
        case KnowledgePiece():
            return value.to_dict()
        case dict() | list():
            return _plain_copy(value)
        case _:
            return value


def _plain_copy(value: dict[Any, Any] | list[Any]) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _as_json(one) for key, one in value.items()}
    return [_as_json(one) for one in value]


def _scored(given: object) -> tuple[KnowledgePiece, float]:
    match given:
        case [piece, int() | float() as score]:
            return KnowledgePiece.from_dict(cast("Json", piece)), float(score)
        case _:
            raise refused("pieces holds what is not [piece, score]", "give each piece its score")


def _entry(given: object) -> dict[str, Any]:
    entry = checked_object("an entry of graph_context", given)
    piece = entry.get("piece")
    return {**entry, "piece": None if piece is None else KnowledgePiece.from_dict(piece)}


def _too_large(message: str) -> RecollectError:
    return LIMIT_EXCEEDED.error(message, "make it shorter")
