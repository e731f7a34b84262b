"""A group's mode: open, or strict; and what in the group a strict one would refuse.

The rule: each group has its mode, which is kept in the store and carried by a dump. Turning strict
changes nothing that is stored. KIP 1.0-RC11, section 2.9.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import get_args

from recollect.errors import CONSTRAINT_VIOLATION, TYPE_MISMATCH, Hint, ToDo, nearest, refused
from recollect.kernel.schema.definitions import NOUNS, Definition, definitions, given
from recollect.kernel.search.known_terms import InventoryEntry, inventory, term_code
from recollect.kernel.store.cells import STRICT, members, text, whole
from recollect.kernel.store.group import Group, create_group, load_group, make_stale
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.declared import MAKE_OPEN, MAKE_STRICT
from recollect.kernel.store.statements.records import BY_TYPE
from recollect.kernel.write.conformance import Shortfall, demands, shortfalls
from recollect.model import LIVING, ElementKind, Misfit, Schema, SchemaMode

_AT_ONCE = 2_000  # concepts read together
_EXAMPLES = 3  # names of a misfit


def schema_of(session: Session, group: Group) -> Schema:
    """Return the mode of a group, how much it declares, and what a strict one would refuse.

    Cost: every concept of a type whose definition demands something.
    """
    declared = {kind: definitions(session, group, kind) for kind in ElementKind}
    return Schema(
        mode="strict" if group.is_strict else "open",
        concept_types=len(declared[ElementKind.CONCEPT]),
        proposition_types=len(declared[ElementKind.LINK]),
        misfits=tuple(_misfits(session, group, declared)),
    )


def set_schema_mode(session: Session, name: str, mode: SchemaMode, *, force: bool) -> None:
    """Make a group strict or open, inside a write transaction.

    KIP_2002 for a group that would not conform, unless forced: then elements that do not conform
    stay until they are written again. INVALID_ARGUMENT for any other mode. Cost: see `schema_of`.
    """
    _check_mode(mode)
    group = load_group(session, name) if mode == "open" else create_group(session, name)
    if group is None or group.is_strict == (mode == STRICT):
        return
    if mode == STRICT:
        if not force:
            _refuse_misfits(schema_of(session, group).misfits)
        session.execute_many(MAKE_STRICT, [{"group": group.group_id, "mode": STRICT}])
    else:
        session.execute_many(MAKE_OPEN, [{"group": group.group_id}])
    make_stale(session, group.group_id)  # who has the group in mind reads it again


def _check_mode(mode: str) -> None:
    modes = get_args(SchemaMode)
    if mode not in modes:
        known = nearest(str(mode), modes) or modes
        raise refused(f"{mode!r} is not a mode of a schema", f'use "{known[0]}"', known=known)


def _refuse_misfits(misfits: tuple[Misfit, ...]) -> None:
    if not misfits:
        return
    others = f", and {len(misfits) - 1} more such things" if len(misfits) > 1 else ""
    raise CONSTRAINT_VIOLATION.error(
        f"the group does not conform to its schema: {misfits[0].message}{others}",
        Hint("declare or mend it, or pass force=True", ToDo.DECLARE_OR_FORCE),
        details={"misfits": [asdict(one) for one in misfits]},
    )


def _misfits(
    session: Session, group: Group, declared: Mapping[ElementKind, Mapping[str, Definition]]
) -> Iterator[Misfit]:
    for kind, known in declared.items():
        known_names = given(session.kinds, kind) | known.keys()
        for entry in inventory(session, group, kind):
            if entry.count and entry.name not in known_names:
                yield _undeclared(kind, entry)
    for name, definition in declared[ElementKind.CONCEPT].items():
        yield from _short(session, group, name, definition)


def _undeclared(kind: ElementKind, entry: InventoryEntry) -> Misfit:
    message = f'the {NOUNS[kind]} "{entry.name}" is not declared'
    return Misfit(TYPE_MISMATCH.code, message, entry.count)


def _short(session: Session, group: Group, name: str, definition: Definition) -> Iterator[Misfit]:
    """Yield what concepts of a type fall short of, each thing once."""
    demanded = demands(definition.attributes)
    code = term_code(session, group.group_id, ElementKind.CONCEPT, name) if demanded else None
    if code is None:
        return
    found: defaultdict[tuple[str, str], list[tuple[str, Shortfall]]] = defaultdict(list)
    for concept, attributes in _concepts(session, group, code):
        for one in shortfalls(demanded, members(attributes)):
            found[one.code.code, one.attribute].append((concept, one))
    for (wire, _), fallen in found.items():
        names = tuple(concept for concept, _ in fallen)[:_EXAMPLES]
        message = f'{{type: "{name}", name: "{names[0]}"}} {fallen[0][1].message}'
        yield Misfit(wire, message, len(fallen), names)


def _concepts(session: Session, group: Group, type_: int) -> Iterator[tuple[str, str]]:
    after = -1
    while True:
        rows = session.rows(
            BY_TYPE,
            {
                "group": group.group_id,
                "type": type_,
                "living": LIVING,
                "after": after,
                "most": _AT_ONCE,
            },
        )
        for _, name, attributes in rows:
            yield text(name), text(attributes)
        if len(rows) < _AT_ONCE:
            return
        after = whole(rows[-1][0])
