"""UPSERT: a KML tree becomes matched, created and merged elements of one transaction.

All concepts come first, then PROPOSITION blocks, then the items of SET PROPOSITIONS. Names written
inline are resolved against the final state of the statement, so the order of blocks is free and a
second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, assert_never

from recollect.kernel.lang.ast import (
    ConceptBlock,
    ConceptPattern,
    Handle,
    KmlEnd,
    LinkBlock,
    LinkId,
    LinkTarget,
    Text,
    Upsert,
)
from recollect.kernel.write.element import ConceptElement, Element, LinkElement, Tracker
from recollect.kernel.write.expectation import check_version
from recollect.kernel.write.handles import check_handles
from recollect.kernel.write.holding import also_holds_once
from recollect.kernel.write.identity import ConceptName, check_id, match_or_create
from recollect.kernel.write.linking import Ends, Item, Linking, Missing, skipped
from recollect.kernel.write.literals import (
    ConceptNames,
    members_value,
    text_value,
    version_value,
)
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.unknown_keys import hidden_attributes
from recollect.kernel.write.validation import plain_predicate
from recollect.model import Attributes, Progress, UpsertReport, silent

OnMissing = Literal["skip", "error"]
"""What becomes of an item of SET PROPOSITIONS whose target is not in the graph."""

_TOLD_EVERY = 100  # blocks


def apply_upsert(
    unit: Unit, tree: Upsert, on_missing: OnMissing = "skip", progress: Progress = silent
) -> UpsertReport:
    """Run one UPSERT whose placeholders have been replaced by literals.

    KIP_3001 for handles, KIP_3002 for ends that are not there (of an item of SET PROPOSITIONS
    only with `on_missing="error"`: else it is skipped and reported), KIP_3003 for what fits
    several elements. On an error the caller rolls the transaction back. KIP 1.0-draft3, KML.
    """
    check_handles(tree)
    return _Upserting(unit, on_missing, progress).run(tree)


class _Upserting:
    """One statement as it runs."""

    def __init__(self, unit: Unit, on_missing: OnMissing, progress: Progress) -> None:
        self._unit = unit
        self._on_missing = on_missing
        self._progress = progress
        self._handles: dict[str, Element] = {}
        self._tracker = Tracker()
        self._names = ConceptNames()

    def run(self, tree: Upsert) -> UpsertReport:
        outer = members_value(tree.metadata, "metadata")
        concepts = self._match_concepts(tree)
        items: list[Item] = []
        for index, block in enumerate(tree.blocks):
            if index % _TOLD_EVERY == 0:
                self._progress("blocks", index, len(tree.blocks))
            match block:
                case ConceptBlock():
                    items.extend(self._put_concept(block, concepts[index], outer))
                case LinkBlock():
                    items.append(_block_item(block, outer))
                case _:
                    assert_never(block)
        self._progress("blocks", len(tree.blocks), len(tree.blocks))
        self._progress("links", 0, len(items))
        linking = Linking(self._unit, self._handles, self._tracker, self._names)
        outcomes = linking.run(items)
        self._progress("links", len(items), len(items))
        left_out = [
            (item, outcome)
            for item, outcome in zip(items, outcomes, strict=True)
            if isinstance(outcome, Missing)
        ]
        if left_out and self._on_missing == "error":
            raise linking.missing(left_out[0][1].end)
        links = [outcome for outcome in outcomes if isinstance(outcome, LinkElement)]
        return UpsertReport(
            blocks=len(tree.blocks),
            concepts=self._public_ids(concepts[index] for index in sorted(concepts)),
            links=self._public_ids(links),
            created=self._tracker.created,
            updated=self._tracker.updated,
            skipped=tuple(skipped(item) for item, _ in left_out),
            also_holds=also_holds_once(self._unit, links),
        )

    def _match_concepts(self, tree: Upsert) -> dict[int, ConceptElement]:
        """Return the concept of each CONCEPT block, by the block's place.

        Blocks that may create come first, so that the others can choose among all concepts.
        """
        named = [
            (index, block.handle, self._names.of(block.pattern))
            for index, block in enumerate(tree.blocks)
            if isinstance(block, ConceptBlock)
        ]
        self._expect_concepts(tree, [wanted for *_, wanted in named])
        named.sort(key=lambda one: one[2].type is None or one[2].name is None)
        concepts: dict[int, ConceptElement] = {}
        for index, handle, wanted in named:
            concept, is_new = match_or_create(self._unit, wanted)
            self._tracker.meet(concept, is_new)
            self._check_version(tree.blocks[index], concept)
            concepts[index] = concept
            if handle is not None:
                self._handles[handle.name] = concept
        for index, _, wanted in named:  # a later block may have taken the id
            check_id(self._unit, wanted, concepts[index])
        return concepts

    def _check_version(self, block: ConceptBlock | LinkBlock, concept: ConceptElement) -> None:
        """Compare what a block expects with the concept as the statement found it."""
        if block.expect_version is not None:
            expected, span = version_value(block.expect_version), block.expect_version.span
            is_new = self._tracker.has_made(concept)
            check_version(self._unit, concept, expected, span, is_new=is_new)

    def _expect_concepts(self, tree: Upsert, blocks: Iterable[ConceptName]) -> None:
        """Look up all concepts the statement names, at once."""
        terms, keys, ids = self._unit.terms, [], []
        named = (*blocks, *map(self._names.of, _patterns(tree)))
        terms.expect(one.type for one in named if one.type is not None)
        for wanted in named:
            if wanted.id is not None:
                ids.append(wanted.id)
            if wanted.type is not None and wanted.name is not None:
                code = terms.code(wanted.type)
                if code is not None:
                    keys.append((code, wanted.name))
        self._unit.directory.expect_public_ids(ids)
        self._unit.directory.expect_concepts(keys)

    def _put_concept(
        self, block: ConceptBlock, concept: ConceptElement, outer: Attributes
    ) -> list[Item]:
        """Merge a block into its concept, and return its links."""
        attributes = members_value(block.attributes, "attributes")
        own = members_value(block.metadata, "metadata")
        metadata = {**outer, **own}
        span = None if block.attributes is None else block.attributes.span
        self._unit.notices += hidden_attributes(attributes, span)
        self._unit.put(concept, attributes, metadata, own)
        return [
            Item(
                Ends(concept, _predicate(item.predicate), item.target),
                attributes={},
                metadata=metadata
                if item.metadata is None
                else {**metadata, **members_value(item.metadata, "metadata")},
                handle=None if block.handle is None else block.handle.name,
                is_block=False,
            )
            for item in block.links
        ]

    def _public_ids(self, elements: Iterable[Element]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._unit.public_id(element) for element in elements))


def _block_item(block: LinkBlock, outer: Attributes) -> Item:
    target = block.target
    if isinstance(target, LinkTarget):
        what: Ends | LinkId = Ends(target.subject, _predicate(target.predicate), target.object)
    else:
        what = target
    return Item(
        what,
        attributes=members_value(block.attributes, "attributes"),
        metadata={**outer, **members_value(block.metadata, "metadata")},
        handle=None if block.handle is None else block.handle.name,
        is_block=True,
        expected=version_value(block.expect_version),
        span=None if block.expect_version is None else block.expect_version.span,
    )


def _predicate(node: Text) -> str:
    return plain_predicate(text_value(node, "predicate"), node.span)


def _patterns(tree: Upsert) -> Iterator[ConceptPattern]:
    """Yield the concepts that the links of a statement name inline."""
    for block in tree.blocks:
        match block:
            case LinkBlock():
                yield from _patterns_in(block.target)
            case ConceptBlock():
                for item in block.links:
                    yield from _patterns_in(item.target)
            case _:
                assert_never(block)


def _patterns_in(end: KmlEnd) -> Iterator[ConceptPattern]:
    match end:
        case ConceptPattern():
            yield end
        case LinkTarget():
            yield from _patterns_in(end.subject)
            yield from _patterns_in(end.object)
        case Handle() | LinkId():
            return
        case _:
            assert_never(end)
