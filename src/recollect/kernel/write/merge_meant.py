"""Which two concepts a MERGE means, and why it finds none.

A source that is not there has perhaps been merged already: the target remembers it.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import DUPLICATE_EXISTS, INVALID_SYNTAX, NOT_FOUND, RecollectError
from recollect.kernel.lang.ast import ConceptClause, ConceptPattern, Merge, Variable
from recollect.kernel.read.named import elements_named, identities
from recollect.kernel.store.terms import Terms
from recollect.kernel.write.element import ConceptElement
from recollect.kernel.write.identity import (
    ConceptName,
    find_concept,
    matching_concepts,
    missing_concept,
)
from recollect.kernel.write.literals import concept_name
from recollect.kernel.write.merge_concepts import merge_concepts
from recollect.kernel.write.unit import Unit
from recollect.model import MERGED_FROM, Key, MergeReport

_SHOWN = 10


def apply_merge(
    unit: Unit, tree: Merge, terms: Terms, sources: Sequence[int], targets: Sequence[int]
) -> MergeReport:
    """Run a MERGE, its placeholders replaced by literals, on what its WHERE found.

    KIP_3002 if a variable stands for no concept, KIP_3003 if it stands for several.
    """
    if not sources or not targets:
        raise _nothing(unit, tree, terms)
    source = _only(unit, tree.source, sources)
    return merge_concepts(unit, source, _only(unit, tree.target, targets), tree.target.span)


def _only(unit: Unit, variable: Variable, ids: Sequence[int]) -> ConceptElement:
    elements = unit.directory.living(ids[:_SHOWN])
    if len(ids) > 1:
        known = tuple(unit.public_id(element) for element in elements)
        raise RecollectError(
            DUPLICATE_EXISTS,
            f"?{variable.name} stands for {len(ids)} concepts, and MERGE is about one",
            hint=f'name it by its id: ?{variable.name} {{id: "{known[0]}"}}',
            span=variable.span,
            known=known,
        )
    (element,) = elements
    if not isinstance(element, ConceptElement):
        raise RecollectError(
            INVALID_SYNTAX,
            f"?{variable.name} stands for a link, and MERGE is about concepts",
            hint=f'write ?{variable.name} {{type: "...", name: "..."}}',
            span=variable.span,
        )
    return element


def _nothing(unit: Unit, tree: Merge, terms: Terms) -> RecollectError:
    """Return KIP_3002 for the concept that is not there, or for a WHERE that finds no pair."""
    for variable in (tree.source, tree.target):
        pattern = _pattern(tree, variable)
        if pattern is None:
            continue
        wanted = concept_name(pattern)
        if matching_concepts(unit, wanted):
            continue
        error = missing_concept(unit, wanted)
        into = _merged_into(unit, tree, terms, wanted) if variable is tree.source else None
        if into is not None:
            error.hint = f"go on: it was merged into {into} already"
            error.known = ()
        return error
    return RecollectError(
        NOT_FOUND,
        f"WHERE finds nothing for ?{tree.source.name} and ?{tree.target.name}",
        hint="run FIND with the same WHERE, and mend it there",
        span=tree.span,
    )


def _pattern(tree: Merge, variable: Variable) -> ConceptPattern | None:
    """Return what WHERE itself says of a variable."""
    for clause in tree.where:
        if isinstance(clause, ConceptClause) and clause.variable == variable:
            return clause.pattern
    return None


def _merged_into(unit: Unit, tree: Merge, terms: Terms, source: ConceptName) -> ConceptName | None:
    """Return the target, if it remembers that the source was merged into it."""
    pattern = _pattern(tree, tree.target)
    if pattern is None or len(matching_concepts(unit, concept_name(pattern))) != 1:
        return None
    target = find_concept(unit, concept_name(pattern))
    assert target is not None
    type_ = unit.terms.text(target.type)
    trail = target.content.metadata.get(MERGED_FROM)
    names = {f"{type_}:{name}" for name in _names(unit, terms, source, type_)}
    if not isinstance(trail, list) or not any(one in names for one in trail):
        return None
    return ConceptName(type_, target.name)


def _names(unit: Unit, terms: Terms, source: ConceptName, type_: str) -> list[str]:
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
