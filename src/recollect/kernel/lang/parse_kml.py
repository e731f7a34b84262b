"""UPSERT, MERGE and DELETE. KIP 1.0-draft3, KML; and KIP 1.0-RC11, section 4."""

from __future__ import annotations

from recollect.errors import RecollectError
from recollect.kernel.lang.ast import (
    ConceptBlock,
    DeleteConcept,
    DeleteConcepts,
    DeleteKeys,
    DeleteLinks,
    Handle,
    KmlEnd,
    LinkBlock,
    LinkId,
    LinkTarget,
    MergeConcepts,
    Mutation,
    Section,
    SetLink,
    Size,
    Text,
    Upsert,
    ValueNode,
)
from recollect.kernel.lang.cursor import Cursor, at_parameter, text, value, variable
from recollect.kernel.lang.parse_pattern import (
    at_link_id,
    concept_pattern,
    link_id,
    plain_predicate,
)
from recollect.kernel.lang.parse_query import size, where
from recollect.kernel.lang.tokens import A_HANDLE, A_PATTERN, A_VARIABLE, is_named

BLOCKS = ("CONCEPT", "PROPOSITION")
DELETES = ("ATTRIBUTES", "METADATA", "PROPOSITIONS", "CONCEPT")


def upsert(cursor: Cursor) -> Upsert:
    """Parse UPSERT, which stands here."""
    first = cursor.at
    cursor.advance()
    cursor.open("{")
    blocks: list[ConceptBlock | LinkBlock] = []
    while cursor.token != "}":
        cursor.pulse()
        if cursor.token not in BLOCKS:
            raise _no_block(cursor)
        blocks.append(_block(cursor))
        cursor.take(",")
    cursor.close("}")
    metadata = _metadata(cursor)
    return Upsert(tuple(blocks), metadata, span=cursor.since(first))


def merge(cursor: Cursor) -> MergeConcepts:
    """Parse MERGE, which stands here."""
    first = cursor.at
    cursor.advance()
    cursor.expect("CONCEPT")
    source = variable(cursor)
    cursor.expect("INTO")
    target = variable(cursor)
    clauses = where(cursor, "MERGE")
    return MergeConcepts(source, target, clauses, span=cursor.since(first))


def delete(cursor: Cursor) -> Mutation:
    """Parse DELETE, which stands here."""
    first = cursor.at
    cursor.advance()
    match cursor.token:
        case "ATTRIBUTES":
            return _delete_keys(cursor, Section.ATTRIBUTES, first)
        case "METADATA":
            return _delete_keys(cursor, Section.METADATA, first)
        case "PROPOSITIONS":
            return _delete_links(cursor, first)
        case "CONCEPT":
            return _delete_concept(cursor, first)
        case _:
            raise cursor.unexpected(*DELETES)


def _block(cursor: Cursor) -> ConceptBlock | LinkBlock:
    return _concept_block(cursor) if cursor.token == "CONCEPT" else _link_block(cursor)


def _no_block(cursor: Cursor) -> RecollectError:
    error = cursor.unexpected("CONCEPT", "PROPOSITION", "WITH", "}")
    if cursor.token in ("{", "("):
        keyword = "CONCEPT" if cursor.token == "{" else "PROPOSITION"
        error.hint, error.fix = f"write {keyword} @handle {{ {cursor.token}...", None
    error.hint = error.hint or 'write CONCEPT @handle { {type: "...", name: "..."} }'
    return error


def _concept_block(cursor: Cursor) -> ConceptBlock:
    first = cursor.at
    cursor.advance()
    handle = _block_handle(cursor)
    cursor.open("{")
    if cursor.token != "{":
        raise _no_pattern(cursor)
    pattern = concept_pattern(cursor)
    version = _expect_version(cursor)
    attributes: ValueNode | None = None
    links: tuple[SetLink, ...] | None = None
    while cursor.take("SET"):
        what = cursor.token
        if what == "ATTRIBUTES" and attributes is None:
            attributes = _object(cursor)
        elif what == "PROPOSITIONS" and links is None:
            links = _set_links(cursor)
        else:
            raise _bad_set(cursor, "ATTRIBUTES", "PROPOSITIONS")
    cursor.close("}", "SET")
    metadata = _metadata(cursor)
    span = cursor.since(first)
    return ConceptBlock(handle, pattern, attributes, links or (), metadata, version, span=span)


def _link_block(cursor: Cursor) -> LinkBlock:
    first = cursor.at
    cursor.advance()
    handle = _block_handle(cursor)
    cursor.open("{")
    target = _link_target(cursor)
    version = _expect_version(cursor)
    attributes: ValueNode | None = None
    while cursor.take("SET"):
        if cursor.token != "ATTRIBUTES" or attributes is not None:
            raise _bad_set(cursor, "ATTRIBUTES")
        attributes = _object(cursor)
    cursor.close("}", "SET")
    metadata = _metadata(cursor)
    return LinkBlock(handle, target, attributes, metadata, version, span=cursor.since(first))


def _expect_version(cursor: Cursor) -> Size | None:
    if not cursor.take("EXPECT"):
        return None
    cursor.expect("VERSION")
    return size(cursor, "EXPECT VERSION")


def _no_pattern(cursor: Cursor) -> RecollectError:
    error = cursor.unexpected("{")
    if not cursor.at_end and error.fix is None:
        error.message = "a CONCEPT block begins with a pattern in braces of its own"
        error.hint = 'write CONCEPT @handle { {type: "...", name: "..."} ... }'
    return error


def _block_handle(cursor: Cursor) -> Handle | None:
    if cursor.token == "{":
        return None
    if not (is_named(cursor.token, "@") or is_named(cursor.token, "?")):
        raise cursor.unexpected(A_HANDLE, "{")
    return _handle(cursor)


def _handle(cursor: Cursor) -> Handle:
    return Handle(cursor.token[1:], span=cursor.step())


def _bad_set(cursor: Cursor, *expected: str) -> RecollectError:
    if cursor.token in expected:
        return cursor.error(
            f"SET {cursor.token} is given twice", hint=f"keep one SET {cursor.token}"
        )
    return cursor.unexpected(*expected)


def _metadata(cursor: Cursor) -> ValueNode | None:
    if not cursor.take("WITH"):
        return None
    if cursor.token != "METADATA":
        raise cursor.unexpected("METADATA")
    return _object(cursor)


def _object(cursor: Cursor) -> ValueNode:
    """Parse the object after the keyword that stands here, or the placeholder for it."""
    cursor.advance()
    if cursor.token != "{" and not at_parameter(cursor):
        raise cursor.unexpected("{", "a placeholder")
    outside = cursor.begin_value()
    members = value(cursor)
    cursor.end_value(outside)
    return members


def _set_links(cursor: Cursor) -> tuple[SetLink, ...]:
    cursor.advance()
    cursor.open("{")
    links: list[SetLink] = []
    while cursor.token != "}":
        links.append(_set_link(cursor))
        cursor.take(",")
    cursor.close("}")
    return tuple(links)


def _set_link(cursor: Cursor) -> SetLink:
    first = cursor.at
    if cursor.token != "(":
        raise cursor.unexpected("(", "}")
    cursor.open("(")
    predicate = plain_predicate(cursor)
    cursor.expect(",")
    target = _end(cursor)
    cursor.take(",")
    cursor.close(")")
    metadata = _metadata(cursor)
    return SetLink(predicate, target, metadata, span=cursor.since(first))


def _link_target(cursor: Cursor) -> LinkTarget | LinkId:
    first = cursor.at
    cursor.open("(")
    if at_link_id(cursor):
        return link_id(cursor, first)
    subject = _end(cursor)
    cursor.expect(",")
    predicate = plain_predicate(cursor)
    cursor.expect(",")
    object_ = _end(cursor)
    cursor.take(",")
    cursor.close(")")
    return LinkTarget(subject, predicate, object_, span=cursor.since(first))


def _end(cursor: Cursor) -> KmlEnd:
    token = cursor.token
    if token == "{":
        return concept_pattern(cursor)
    if token == "(":
        return _link_target(cursor)
    if is_named(token, "@") or is_named(token, "?"):
        return _handle(cursor)
    raise cursor.unexpected(A_HANDLE, A_PATTERN)


def _delete_keys(cursor: Cursor, section: Section, first: int) -> DeleteKeys:
    statement = f"DELETE {cursor.token}"
    cursor.advance()
    opening = cursor.at
    cursor.open("{")
    keys: list[Text] = []
    while cursor.token != "}":
        keys.append(text(cursor, "}"))
        cursor.take(",")
    cursor.close("}")
    if not keys:
        raise cursor.error(
            f"{statement} names no key", span=cursor.since(opening), hint='write {"key"}'
        )
    if cursor.token.upper() == "FROM" != cursor.token:
        raise cursor.unexpected("FROM")
    target = variable(cursor) if cursor.take("FROM") else None
    clauses = where(cursor, statement)
    return DeleteKeys(section, tuple(keys), target, clauses, span=cursor.since(first))


def _delete_links(cursor: Cursor, first: int) -> DeleteLinks:
    cursor.advance()
    target = variable(cursor) if is_named(cursor.token, "?") else None
    clauses = where(cursor, "DELETE PROPOSITIONS")
    return DeleteLinks(target, clauses, span=cursor.since(first))


def _delete_concept(cursor: Cursor, first: int) -> DeleteConcept | DeleteConcepts:
    cursor.advance()
    if is_named(cursor.token, "?"):
        target = variable(cursor)
        _detach(cursor)
        clauses = where(cursor, "DELETE CONCEPT")
        return DeleteConcepts(target, clauses, span=cursor.since(first))
    if cursor.token != "{":
        raise cursor.unexpected("{", A_VARIABLE)
    pattern = concept_pattern(cursor)
    _detach(cursor)
    return DeleteConcept(pattern, span=cursor.since(first))


def _detach(cursor: Cursor) -> None:
    if cursor.token != "DETACH":
        raise cursor.unexpected("DETACH")
    cursor.advance()
