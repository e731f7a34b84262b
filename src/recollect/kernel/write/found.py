"""UPDATE, MERGE and DELETE: what a WHERE found becomes changes of one batch, a change an element.

Deleting closes; what was stays readable as of before. UPDATE sets keys, each from the element's own
state, and creates nothing: a key whose computation comes to null is left as it is. Integers stay
integers; null, or anything but a number, makes a computation null, and COALESCE can replace a null
only (KIP 1.0-RC11, section 4.3). A missing key computes nothing; a warning is given only if its
spelling is close to that of a key in use. A source of MERGE that is not there has perhaps been
merged already: the target remembers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import assert_never

from recollect.errors import (
    DUPLICATE_EXISTS,
    INVALID_SYNTAX,
    INVALID_VALUE,
    NOT_FOUND,
    Fix,
    Notice,
    RecollectError,
    Span,
    is_slip,
    nearest,
)
from recollect.kernel.lang import ast
from recollect.kernel.lang.tokens import quoted
from recollect.kernel.read.moment import elements_named, identities
from recollect.kernel.store.group import Terms
from recollect.kernel.write.batch import Batch, Spans
from recollect.kernel.write.element import ConceptElement, Element, canonical
from recollect.kernel.write.identity import find_concept, matching_concepts, missing_concept
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import (
    concept_meant,
    constant,
    hidden_attributes,
    members,
    refuse_update,
)
from recollect.model import (
    BEGINNING,
    FOREVER,
    LINK_BIT,
    MERGED_FROM,
    Attributes,
    Delete,
    DeleteReport,
    Key,
    Meant,
    Merge,
    MergeReport,
    Met,
    Put,
    RemoveKeys,
    UpdateReport,
    Value,
)


def delete_elements(unit: Unit, ids: Iterable[int], note: str = "") -> DeleteReport:
    """Close the elements of those integer ids and every link that ends in them, and theirs."""
    batch = Batch(unit)
    batch.run([Delete(Met(one), if_missing="skip") for one in ids])
    return DeleteReport(_counts("deleted", batch.deleted), note)


def delete_concepts(unit: Unit, ids: Iterable[int], target: ast.Variable) -> DeleteReport:
    """Close concepts and every link that ends in them, and theirs; KIP_1001 for a link."""
    found = list(ids)
    if any(one & LINK_BIT for one in found):
        raise INVALID_SYNTAX.error(
            f"DELETE CONCEPT names ?{target.name}, which stands for links",
            f"use DELETE PROPOSITIONS ?{target.name} WHERE {{ ... }}",
            span=target.span,
        )
    return delete_elements(unit, found)


def remove_keys(
    unit: Unit, ids: Iterable[int], section: ast.Section, keys: Iterable[str]
) -> DeleteReport:
    """Remove keys from the attributes or the metadata of elements; absent keys are not an error.

    The report counts the elements that had one of them.
    """
    batch, removed, none = Batch(unit), frozenset(keys), frozenset[str]()
    parts = (removed, none) if section is ast.Section.ATTRIBUTES else (none, removed)
    batch.run([RemoveKeys(Met(one), *parts) for one in ids])
    return DeleteReport(_counts("updated", batch.tracker.updated))


def delete_concept(unit: Unit, pattern: ast.ConceptPattern) -> DeleteReport:
    """Close the one concept that matches, and its links; when not exactly one does, nothing."""
    wanted = concept_meant(pattern)
    ids = matching_concepts(unit, wanted)
    if len(ids) == 1:
        return delete_elements(unit, ids)
    return delete_elements(unit, (), f"{len(ids)} concepts match {wanted}; nothing is deleted")


def _counts(done: str, elements: Iterable[Element]) -> dict[str, int]:
    counts = {f"{done}_concepts": 0, f"{done}_propositions": 0}
    for element in elements:
        is_concept = isinstance(element, ConceptElement)
        counts[f"{done}_concepts" if is_concept else f"{done}_propositions"] += 1
    return counts


Assigned = tuple[str, Value | ast.Computed]
"""A key, and what it is set to or computed by."""


def apply_update(unit: Unit, tree: ast.Update, ids: Iterable[int]) -> UpdateReport:
    """Run an UPDATE, its placeholders replaced by literals, on the elements of some ids.

    `valid_from` and `valid_until` move the fact clock, as in an element's own block. KIP_2002
    for a reserved key, KIP_2003 for a number that cannot be stored, KIP_3004 for a protected
    definition. KIP 1.0-RC11, section 4.3.
    """
    attributes = _checked(tree.attributes, "attributes")
    metadata = _checked(tree.metadata, "metadata")
    elements = unit.directory.living(ids)
    unit.notices += unknown_keys(tree, elements)
    if any(isinstance(one, ConceptElement) for one in elements):
        unit.notices += hidden_attributes((key for key, _ in attributes), tree.target.span)
    before = [element.content for element in elements]
    batch, changes = Batch(unit), list[Put]()
    for element in elements:
        read = _reader(unit, element)
        changes.append(Put(Met(element.id), _told(attributes, read), _told(metadata, read)))
    batch.run(changes)
    described = [
        element
        for element, was in zip(elements, before, strict=True)
        if canonical(element.content.attributes) != canonical(was.attributes)
    ]
    refuse_update(unit.terms, unit.directory, described, tree.target.span)
    return UpdateReport(len(batch.tracker.updated), len(elements))


def _checked(assignments: Iterable[ast.Assignment], section: str) -> list[Assigned]:
    """Return the keys of a section with what is the same for every element."""
    checked: list[Assigned] = []
    for one in assignments:
        if isinstance(one.value, ast.Computed):
            check_term(one.value)
            members({one.key: None}, section, one.span)
            checked.append((one.key, one.value))
        else:
            value = members({one.key: constant(one.value)}, section, one.span)[one.key]
            checked.append((one.key, value))
    return checked


def _told(assignments: Iterable[Assigned], read: Read) -> Attributes:
    """Return the members that the assignments give one element."""
    told: dict[str, Value] = {}
    for key, value in assignments:
        if not isinstance(value, ast.Computed):
            told[key] = value
        elif (number := compute(value, read)) is not None:
            told[key] = number
    return told


def _reader(unit: Unit, element: Element) -> Read:
    """Return what reads the fields of an element as it stands now."""
    content = element.content

    def read(path: tuple[str, ...]) -> Value:
        match path:
            case ("attributes", key):
                return content.attributes.get(key)
            case ("metadata", "_version"):
                return unit.version(element)
            case ("metadata", "_created_at" | "_updated_at"):
                return ""  # a time, which is not a number
            case ("metadata", "_valid_at"):
                return None if content.valid_at == BEGINNING else ""
            case ("metadata", "_invalid_at"):
                return None if content.invalid_at == FOREVER else ""
            case ("metadata", key):
                return content.metadata.get(key)
            case _:
                return ""  # a text or a whole section, which is not a number either

    return read


def unknown_keys(tree: ast.Update, elements: Sequence[Element]) -> Iterator[Notice]:
    """Yield a warning for each key an UPDATE computes from that none of its elements has."""
    if not elements:
        return
    told: set[tuple[str, ...]] = set()
    for assignment in (*tree.attributes, *tree.metadata):
        if not isinstance(assignment.value, ast.Computed):
            continue
        for field in _needed(assignment.value):
            if len(field.path) == 2 and field.path not in told and field.path[1][0] != "_":
                told.add(field.path)
                yield from _unknown(field, elements)


def _needed(computed: ast.Computed) -> Iterator[ast.Field]:
    """Yield the fields without which a computation comes to null."""
    operands: tuple[ast.Term, ...] = computed.operands
    if computed.function is ast.Arithmetic.COALESCE:
        operands = operands[1:]
    for operand in operands:
        if isinstance(operand, ast.Field):
            yield operand
        elif isinstance(operand, ast.Computed):
            yield from _needed(operand)


def _unknown(field: ast.Field, elements: Sequence[Element]) -> Iterator[Notice]:
    section, key = field.path
    known: dict[str, None] = {}
    for element in elements:
        content = element.content
        members = content.attributes if section == "attributes" else content.metadata
        if key in members:
            return
        known.update(dict.fromkeys(members))
    near = nearest(key, known, limit=1)
    if not is_slip(key, near):
        return
    what = "attribute" if section == "attributes" else "metadata key"
    span = Span(field.span.end - len(key), field.span.end)
    yield Notice(
        "unknown_attribute",
        f"nothing that WHERE finds has the {what} {quoted(key)}",
        hint=f"use {near[0]}",
        span=span,
        known=near,
        fix=Fix(span, near[0]) if near[0].isidentifier() else None,
    )


_SHOWN = 10


def apply_merge(
    unit: Unit,
    tree: ast.MergeConcepts,
    terms: Terms,
    sources: Sequence[int],
    targets: Sequence[int],
) -> MergeReport:
    """Run a MERGE, its placeholders replaced by literals, on what its WHERE found.

    KIP_3002 if a variable stands for no concept, KIP_3003 if it stands for several.
    """
    if not sources or not targets:
        raise _nothing(unit, tree, terms)
    source, target = _only(unit, tree.source, sources), _only(unit, tree.target, targets)
    batch = Batch(unit)
    batch.run([Merge(Met(source.id), Met(target.id))], lambda _: Spans(tree.target.span))
    return batch.merged[0] if batch.merged else MergeReport(0, 0, 0)


def _only(unit: Unit, variable: ast.Variable, ids: Sequence[int]) -> ConceptElement:
    elements = unit.directory.living(ids[:_SHOWN])
    if len(ids) > 1:
        known = tuple(unit.public_id(element) for element in elements)
        raise DUPLICATE_EXISTS.error(
            f"?{variable.name} stands for {len(ids)} concepts, and MERGE is about one",
            f'name it by its id: ?{variable.name} {{id: "{known[0]}"}}',
            span=variable.span,
            known=known,
        )
    (element,) = elements
    if not isinstance(element, ConceptElement):
        raise INVALID_SYNTAX.error(
            f"?{variable.name} stands for a link, and MERGE is about concepts",
            f'write ?{variable.name} {{type: "...", name: "..."}}',
            span=variable.span,
        )
    return element


def _nothing(unit: Unit, tree: ast.MergeConcepts, terms: Terms) -> RecollectError:
    """Return KIP_3002 for the concept that is not there, or for a WHERE that finds no pair."""
    for variable in (tree.source, tree.target):
        pattern = _pattern(tree, variable)
        if pattern is None:
            continue
        wanted = concept_meant(pattern)
        if matching_concepts(unit, wanted):
            continue
        error = missing_concept(unit, wanted)
        into = _merged_into(unit, tree, terms, wanted) if variable is tree.source else None
        if into is not None:
            error.hint = f"go on: it was merged into {into} already"
            error.known = ()
        return error
    message = f"WHERE finds nothing for ?{tree.source.name} and ?{tree.target.name}"
    hint = "run FIND with the same WHERE, and mend it there"
    return NOT_FOUND.error(message, hint, span=tree.span)


def _pattern(tree: ast.MergeConcepts, variable: ast.Variable) -> ast.ConceptPattern | None:
    """Return what WHERE itself says of a variable."""
    for clause in tree.where:
        if isinstance(clause, ast.ConceptClause) and clause.variable == variable:
            return clause.pattern
    return None


def _merged_into(unit: Unit, tree: ast.MergeConcepts, terms: Terms, source: Meant) -> Meant | None:
    """Return the target, if it remembers that the source was merged into it."""
    pattern = _pattern(tree, tree.target)
    if pattern is None or len(matching_concepts(unit, concept_meant(pattern))) != 1:
        return None
    target = find_concept(unit, concept_meant(pattern))
    assert target is not None
    type_ = unit.terms.text(target.type)
    trail = target.content.metadata.get(MERGED_FROM)
    names = {f"{type_}:{name}" for name in _names(unit, terms, source, type_)}
    if not isinstance(trail, list) or not any(one in names for one in trail):
        return None
    return Meant(type_, target.name)


def _names(unit: Unit, terms: Terms, source: Meant, type_: str) -> list[str]:
    """Return what the source was called: by the text, or by the closed concept of its id."""
    if source.name is not None:
        return [source.name] if source.type in (None, type_) else []
    if source.id is None:
        return []
    session, group = unit.session, unit.group
    try:
        ids = elements_named(session, group, terms, source.id)
    except RecollectError as error:
        if error.code is not NOT_FOUND:
            raise
        return []
    found = identities(session, group, terms, ids).values()
    return [one.name for one in found if isinstance(one, Key)]


Number = int | float
Read = Callable[[tuple[str, ...]], Value]
"""Reads a field of one element by its path."""

_INTEGERS = range(-(2**63), 2**63)


def check_term(node: ast.Term) -> None:
    """Refuse a written operand, or the value of a placeholder, that is not a number: KIP_2003."""
    match node:
        case ast.Computed():
            for operand in node.operands:
                check_term(operand)
        case ast.Literal(value=value) if value is not None and _number(value) is None:
            raise INVALID_VALUE.error(
                "an operand is neither a number nor a field", "give a number", span=node.span
            )


def compute(node: ast.Term, read: Read) -> Number | None:
    """Return the number that a term gives for one element; None if it gives none.

    KIP_2003 for what 64 bits or a finite number cannot hold, and for bounds of CLAMP that
    leave nothing between them.
    """
    match node:
        case ast.Literal():
            return _number(node.value)
        case ast.Field():
            return _number(read(node.path))
        case ast.Computed(function=ast.Arithmetic.COALESCE):
            return _coalesced(node, read)
        case ast.Computed():
            numbers = [compute(one, read) for one in node.operands]
            known = [number for number in numbers if number is not None]
            return _computed(node, known) if len(known) == len(numbers) else None
        case ast.Parameter():
            raise AssertionError("placeholders were replaced by literals")
        case _:
            assert_never(node)


def _coalesced(node: ast.Computed, read: Read) -> Number | None:
    first, default = node.operands
    if isinstance(first, ast.Field) and read(first.path) is not None:
        return compute(first, read)  # COALESCE does not replace a value that is not a number
    found = compute(first, read)
    return compute(default, read) if found is None else found


def _computed(node: ast.Computed, numbers: list[Number]) -> Number:
    match node.function:
        case ast.Arithmetic.ADD:
            return _kept(numbers[0] + numbers[1], node)
        case ast.Arithmetic.MUL:
            return _kept(numbers[0] * numbers[1], node)
        case ast.Arithmetic.CLAMP:
            return _clamped(*numbers, node=node)
        case ast.Arithmetic.COALESCE:
            raise AssertionError("it takes null too")
        case _:
            assert_never(node.function)


def _kept(number: Number, node: ast.Computed) -> Number:
    if number in _INTEGERS if isinstance(number, int) else isfinite(number):
        return number
    raise INVALID_VALUE.error(
        f"{node.function} gives a number beyond 64 bits",
        "use CLAMP on its operands",
        span=node.span,
    )


def _clamped(number: Number, low: Number, high: Number, *, node: ast.Computed) -> Number:
    if low > high:
        raise INVALID_VALUE.error(
            f"the bounds of CLAMP are the wrong way round: {low} is above {high}",
            "write CLAMP(x, low, high)",
            span=node.span,
        )
    return min(max(number, low), high)


def _number(value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value
