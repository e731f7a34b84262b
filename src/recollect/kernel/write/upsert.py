"""UPSERT: a KML tree becomes changes of one batch, those that others depend on first.

What a concept is comes first, then the links, each after those it is about. Names written inline
mean what they mean in the final state of the statement, so the order of blocks is free and a
second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Literal, assert_never

from recollect.errors import DUPLICATE_EXISTS, REFERENCE_ERROR, Fix, RecollectError, nearest
from recollect.kernel.lang import ast
from recollect.kernel.write.batch import Batch, Spans
from recollect.kernel.write.beside import also_holds_once
from recollect.kernel.write.element import Element, LinkElement
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import (
    concept_meant,
    hidden_attributes,
    members_value,
    plain_predicate,
    text_value,
    version_value,
)
from recollect.model import (
    LINK_BIT,
    IfMissing,
    Local,
    Meant,
    Progress,
    Put,
    PutLink,
    Reference,
    Said,
    Skipped,
    UpsertReport,
    Value,
    silent,
)
from recollect.node import node

OnMissing = Literal["skip", "error"]
"""What becomes of an item of SET PROPOSITIONS whose target is not in the graph."""


def apply_upsert(
    unit: Unit, tree: ast.Upsert, on_missing: OnMissing = "skip", progress: Progress = silent
) -> UpsertReport:
    """Run one UPSERT whose placeholders have been replaced by literals.

    KIP_3001 for handles, KIP_3002 for ends that are not there (of an item of SET PROPOSITIONS
    only with `on_missing="error"`: else it is skipped and reported), KIP_3003 for what fits
    several elements. On an error the caller rolls the transaction back. KIP 1.0-draft3, KML.
    """
    # How a tree becomes changes: a CONCEPT block is a `Put` of what it means, an item and a
    # PROPOSITION block a `PutLink` found by its triple, or a `Put` where it is named by its id.
    # Handles are those of the batch. Concepts come in the order of the text; where a block chooses
    # among others, those that it may mean are made ahead of it. Links come in that order too if
    # all that they are about is there by then, and else all of them by depth, which orders them by
    # what depends on what, however the text names them. An error of a change points to the node
    # that the change was lowered from.
    for fault in handle_faults(tree):
        raise fault
    batch, lowering = Batch(unit), _Lowering(unit, tree, on_missing)
    links = sorted(lowering.links, key=lambda one: isinstance(one.node, ast.SetLink))
    if not _are_ready(links, batch, {one.change.handle for one in links}):
        depths = _Depths(unit, tree)
        links.sort(key=lambda one: one.depth(depths))
    ahead, first = len(lowering.ahead), len(lowering.ahead) + len(lowering.concepts)

    def tell(_: str, done: int, all_of: int) -> None:
        if done > first:
            progress("links", done - first, all_of - first)
        else:
            progress("blocks", done, first)

    steps = [*lowering.ahead, *lowering.concepts, *links]
    touched = batch.run([one.change for one in steps], lambda at: _spans(steps[at].node), tell)
    put = sorted(zip(links, touched[first:], strict=True), key=lambda one: one[0].rank)
    made = [element for _, element in put if isinstance(element, LinkElement)]
    return UpsertReport(
        blocks=len(tree.blocks),
        concepts=_public_ids(unit, touched[ahead:first]),
        links=_public_ids(unit, made),
        created=batch.tracker.created,
        updated=len(batch.tracker.updated),
        skipped=tuple(link.skipped() for link, element in put if element is None),
        also_holds=also_holds_once(unit, made),
    )


@node(frozen=True, slots=True)
class _Lowered:
    """A block or an item of SET PROPOSITIONS, and the change that it is lowered to."""

    rank: int  # among its like, in the order of the text
    node: ast.ConceptBlock | ast.LinkBlock | ast.SetLink
    change: Put | PutLink
    handle: str | None = None  # of the block whose item it is

    def depth(self, depths: _Depths) -> int:
        """Return how deep a link is."""
        what = self.node.target if isinstance(self.node, ast.LinkBlock) else self.node
        assert not isinstance(what, ast.ConceptBlock)
        return depths.of(what)

    def skipped(self) -> Skipped:
        """Return the report of an item that was left out."""
        assert isinstance(self.node, ast.SetLink)
        predicate = text_value(self.node.predicate, "predicate")
        return Skipped(self.handle, predicate, _shown(self.node.target))


def _are_ready(links: Sequence[_Lowered], batch: Batch, waiting: set[str | None]) -> bool:
    """Whether each link is about what is there before it; `waiting` has the handles of all."""
    if nested := [one.change for one in links if _is_nested(one.change)]:
        batch.references.expect(nested)
    for one in links:
        if isinstance(one.change, PutLink):
            for end in (one.change.subject, one.change.object):
                if isinstance(end, Local) and end.handle in waiting:
                    return False
                if isinstance(end, Said) and not (_is_plain(end) and batch.references.find(end)):
                    return False
        waiting.discard(one.change.handle)
    return True


def _is_nested(change: Put | PutLink) -> bool:
    """Whether a link is about one that is named by its triple."""
    return isinstance(change, PutLink) and any(
        isinstance(end, Said) for end in (change.subject, change.object)
    )


def _is_plain(link: Said) -> bool:
    """Whether a link is named without handles."""
    return all(
        _is_plain(end) if isinstance(end, Said) else not isinstance(end, Local)
        for end in (link.subject, link.object)
    )


class _Lowering:
    """The changes that one tree stands for."""

    def __init__(self, unit: Unit, tree: ast.Upsert, on_missing: OnMissing) -> None:
        self._unit = unit
        self._if_missing: IfMissing = "raise" if on_missing == "error" else "skip"
        self._outer = members_value(tree.metadata, "metadata")
        self._chooses = False  # a block so far means what others perhaps make
        self.ahead: list[_Lowered] = []  # what makes concepts for those blocks to choose among
        self.concepts: list[_Lowered] = []
        self.links: list[_Lowered] = []
        for block in tree.blocks:
            match block:
                case ast.ConceptBlock():
                    self._add_concept(block)
                case ast.LinkBlock():
                    self._add_link(block)
                case _:
                    assert_never(block)

    def _add_concept(self, block: ast.ConceptBlock) -> None:
        """Lower a block to a change of its concept, and to its links."""
        meant = concept_meant(block.pattern)
        is_whole = meant.type is not None and meant.name is not None
        self._chooses = self._chooses or not is_whole
        rank, own_handle = len(self.concepts), _handle(block)
        name = own_handle or f" {rank}"  # no handle of a text holds a space
        element: Reference = meant
        handle: str | None = name
        if self._chooses and is_whole:
            self.ahead.append(_Lowered(rank, block, Put(meant, handle=name)))
            element, handle = Local(name), None
        attributes = members_value(block.attributes, "attributes")
        own = members_value(block.metadata, "metadata")
        metadata = {**self._outer, **own}
        span = None if block.attributes is None else block.attributes.span
        self._unit.notices += hidden_attributes(attributes, span)
        expected = version_value(block.expect_version)
        put = Put(element, attributes, metadata, handle, own, expected)
        self.concepts.append(_Lowered(rank, block, put))
        for item in block.links:
            own = members_value(item.metadata, "metadata")
            link = PutLink(
                Local(name),
                _predicate(item.predicate),
                _reference(item.target),
                {},
                {**metadata, **own} if own else metadata,
                key=None,
                if_missing=self._if_missing,
            )
            self.links.append(_Lowered(len(self.links), item, link, own_handle))

    def _add_link(self, block: ast.LinkBlock) -> None:
        """Lower a block to a change of its link."""
        target = block.target
        attributes = members_value(block.attributes, "attributes")
        metadata = {**self._outer, **members_value(block.metadata, "metadata")}
        expected, handle = version_value(block.expect_version), _handle(block)
        change: Put | PutLink
        if isinstance(target, ast.LinkId):
            change = Put(_reference(target), attributes, metadata, handle, None, expected)
        else:
            change = PutLink(
                _reference(target.subject),
                _predicate(target.predicate),
                _reference(target.object),
                attributes,
                metadata,
                key=None,
                handle=handle,
                expect_version=expected,
            )
        self.links.append(_Lowered(len(self.links), block, change))


class _Depths:
    """How deep the links of a statement are: about concepts 1, about such links 2, and so on.

    However a text names a link, its depth is the same. So a link is made after those it is about
    if the shallow come first, and what is said of one link in several places stays in order.
    """

    def __init__(self, unit: Unit, tree: ast.Upsert) -> None:
        self._unit = unit
        self._of_handles: dict[str, int] = {}
        self._blocks = _by_handle(tree)
        needs = _needs(self._blocks)
        for name in TopologicalSorter(needs).static_order() if needs else ():
            self._of_handles[name] = self.of(self._blocks[name].target)

    def of(self, what: ast.KmlEnd | ast.SetLink) -> int:
        """Return how deep a link or an end is; a concept is not."""
        match what:
            case ast.ConceptPattern():
                return 0
            case ast.Handle():
                block, depth = self._blocks.get(what.name), self._of_handles.get(what.name)
                return 0 if block is None else depth or self.of(block.target)
            case ast.LinkTarget():
                return 1 + max(self.of(what.subject), self.of(what.object))
            case ast.SetLink():
                return 1 + self.of(what.target)
            case ast.LinkId():
                return self._of_link(text_value(what.id, "id"))
            case _:
                assert_never(what)

    def _of_link(self, id_: str) -> int:
        """Return how deep a link is that the memory holds. Cost: a statement for each depth."""
        found = self._unit.directory.by_public_id(id_)
        depth, wave = 0, [] if found is None else [found]
        while links := [one for one in wave if isinstance(one, LinkElement)]:
            depth += 1
            ends = dict.fromkeys(end for one in links for end in (one.subject, one.object))
            wave = self._unit.directory.living(end for end in ends if end & LINK_BIT)
        return depth


def _by_handle(tree: ast.Upsert) -> dict[str, ast.LinkBlock]:
    """Return the PROPOSITION blocks by their handles."""
    return {
        block.handle.name: block
        for block in tree.blocks
        if isinstance(block, ast.LinkBlock) and block.handle is not None
    }


def _needs(blocks: Mapping[str, ast.LinkBlock]) -> dict[str, set[str]]:
    """Return the handles of the links that blocks are about, by their own; some have none."""
    named = {
        name: {one.name for one in _handles_in(block.target) if one.name in blocks}
        for name, block in blocks.items()
    }
    return {name: handles for name, handles in named.items() if handles}


def handle_faults(tree: ast.Upsert) -> Iterator[RecollectError]:
    """Yield KIP_3003 for a handle defined twice, KIP_3001 for one that cannot be resolved."""
    defined: dict[str, ast.Handle] = {}
    for block in tree.blocks:
        handle = block.handle
        if handle is None:
            continue
        if handle.name in defined:
            yield DUPLICATE_EXISTS.error(
                f"the handle @{handle.name} is defined twice",
                "give each block its own handle",
                span=handle.span,
            )
        defined[handle.name] = handle
    for used in _used(tree):
        if used.name not in defined:
            yield _undefined(used, defined)
    # Links need their ends first: a proposition cannot be part of its own end.
    try:
        TopologicalSorter(_needs(_by_handle(tree))).prepare()
    except CycleError as error:
        ring = list(reversed(error.args[1]))
        yield REFERENCE_ERROR.error(
            "propositions are ends of one another: " + " -> ".join(f"@{name}" for name in ring),
            "let one of them name a concept instead",
            span=defined[ring[0]].span,
        )


def _used(tree: ast.Upsert) -> Iterator[ast.Handle]:
    for block in tree.blocks:
        match block:
            case ast.LinkBlock():
                yield from _handles_in(block.target)
            case ast.ConceptBlock():
                for item in block.links:
                    yield from _handles_in(item.target)


def _handles_in(end: ast.KmlEnd) -> Iterator[ast.Handle]:
    """Yield the handles an end names, nested ones included."""
    if isinstance(end, ast.Handle):
        yield end
    elif isinstance(end, ast.LinkTarget):
        yield from _handles_in(end.subject)
        yield from _handles_in(end.object)


def _undefined(used: ast.Handle, defined: Mapping[str, ast.Handle]) -> RecollectError:
    known = tuple(f"@{name}" for name in nearest(used.name, defined))
    return REFERENCE_ERROR.error(
        f"the handle @{used.name} is not defined",
        f"use {known[0]}" if known else f"add a block CONCEPT @{used.name} {{ ... }}",
        span=used.span,
        known=known,
        fix=Fix(used.span, known[0]) if known else None,
    )


def _reference(end: ast.KmlEnd) -> Reference:
    match end:
        case ast.Handle():
            return Local(end.name)
        case ast.ConceptPattern():
            return concept_meant(end)
        case ast.LinkTarget():
            ends = _reference(end.subject), _reference(end.object)
            return Said(ends[0], _predicate(end.predicate), ends[1], end.span)
        case ast.LinkId():
            return Meant(id=text_value(end.id, "id"), is_link=True, span=end.span)
        case _:
            assert_never(end)


def _handle(block: ast.ConceptBlock | ast.LinkBlock) -> str | None:
    return None if block.handle is None else block.handle.name


def _predicate(node: ast.Text) -> str:
    return plain_predicate(text_value(node, "predicate"), node.span)


def _spans(said: ast.ConceptBlock | ast.LinkBlock | ast.SetLink) -> Spans:
    """Return where an error about what a node stands for points."""
    match said:
        case ast.SetLink():
            return Spans(said.target.span)
        case ast.LinkBlock(target=ast.LinkTarget() as target):
            what: ast.Node = target.object
        case ast.LinkBlock():
            what = said.target
        case ast.ConceptBlock():
            what = said.pattern
        case _:
            assert_never(said)
    version = said.expect_version
    return Spans(what.span, None if version is None else version.span)


def _public_ids(unit: Unit, elements: Iterable[Element | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.public_id(one) for one in elements if one is not None))


def _shown(end: ast.KmlEnd) -> Value:
    match end:
        case ast.Handle():
            return f"@{end.name}"
        case ast.ConceptPattern():
            meant = concept_meant(end)
            parts = (("type", meant.type), ("name", meant.name), ("id", meant.id))
            return {key: part for key, part in parts if part is not None}
        case ast.LinkTarget():
            predicate = text_value(end.predicate, "predicate")
            return [_shown(end.subject), predicate, _shown(end.object)]
        case ast.LinkId():
            return f'(id: "{text_value(end.id, "id")}")'
        case _:
            assert_never(end)
