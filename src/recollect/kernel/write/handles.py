"""The handles of one UPSERT: each defined once, used anywhere, never by way of itself."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from recollect.errors import DUPLICATE_EXISTS, REFERENCE_ERROR, Fix, RecollectError, nearest
from recollect.kernel.lang.ast import (
    ConceptBlock,
    Handle,
    KmlEnd,
    LinkBlock,
    LinkTarget,
    Upsert,
)


def check_handles(tree: Upsert) -> None:
    """Raise the first of the faults of its handles."""
    for fault in handle_faults(tree):
        raise fault


def handle_faults(tree: Upsert) -> Iterator[RecollectError]:
    """Yield KIP_3003 for a handle defined twice, KIP_3001 for one that cannot be resolved."""
    defined: dict[str, Handle] = {}
    for block in tree.blocks:
        handle = block.handle
        if handle is None:
            continue
        if handle.name in defined:
            yield RecollectError(
                DUPLICATE_EXISTS,
                f"the handle @{handle.name} is defined twice",
                hint="give each block its own handle",
                span=handle.span,
            )
        defined[handle.name] = handle
    for used in _used(tree):
        if used.name not in defined:
            yield _undefined(used, defined)
    yield from _cycles(tree, defined)


def handles_in(end: KmlEnd) -> Iterator[Handle]:
    """Yield the handles an end names, nested ones included."""
    if isinstance(end, Handle):
        yield end
    elif isinstance(end, LinkTarget):
        yield from handles_in(end.subject)
        yield from handles_in(end.object)


def _used(tree: Upsert) -> Iterator[Handle]:
    for block in tree.blocks:
        match block:
            case LinkBlock():
                yield from handles_in(block.target)
            case ConceptBlock():
                for item in block.links:
                    yield from handles_in(item.target)


def _undefined(used: Handle, defined: dict[str, Handle]) -> RecollectError:
    known = tuple(f"@{name}" for name in nearest(used.name, defined))
    return RecollectError(
        REFERENCE_ERROR,
        f"the handle @{used.name} is not defined",
        hint=f"use {known[0]}" if known else f"add a block CONCEPT @{used.name} {{ ... }}",
        span=used.span,
        known=known,
        fix=Fix(used.span, known[0]) if known else None,
    )


def _cycles(tree: Upsert, defined: dict[str, Handle]) -> Iterator[RecollectError]:
    """Links need their ends first: a proposition cannot be part of its own end."""
    needs = {
        block.handle.name: {handle.name for handle in handles_in(block.target)}
        for block in tree.blocks
        if isinstance(block, LinkBlock) and block.handle is not None
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        ring = list(reversed(error.args[1]))
        yield RecollectError(
            REFERENCE_ERROR,
            "propositions are ends of one another: " + " -> ".join(f"@{name}" for name in ring),
            hint="let one of them name a concept instead",
            span=defined[ring[0]].span,
        )
