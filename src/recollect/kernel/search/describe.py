"""DESCRIBE: what is in the memory, by name and count, for a reader who has not seen it.

The rule: every count is of what is alive now, of one group. Names and their counts come from
`tally`; what a type or predicate looks like is read from its newest elements, and says so
where those are not all. KIP 1.0-draft3, section META.
"""

from __future__ import annotations

from typing import assert_never

from recollect.errors import INVALID_VALUE, NOT_FOUND, Notice, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.plan.names import canonical_name
from recollect.kernel.search.domains import domains
from recollect.kernel.search.known_terms import (
    living_count,
    living_terms,
    nearest_terms,
    term_code,
)
from recollect.kernel.search.portrait import portrait_of_predicate, portrait_of_type
from recollect.kernel.search.primer import primer
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Session
from recollect.model import Description, ElementKind, Value

MOST_LISTED = 1_000
"""Names in one list, most used first; `omitted` counts the others."""


OF_NOW = Notice(
    "as_of_ignored",
    "DESCRIBE speaks of now, whatever as_of says",
    hint="ask FIND or SEARCH about another time",
)
"""What to know of a DESCRIBE that was asked about another time."""


def describe(session: Session, group: Group, node: ast.Describe, syntax_card: str) -> Description:
    """Answer one DESCRIBE whose parameters are replaced by literals.

    A list is `{"items": [{"name", "count", ...}]}`, most used first, ties by name; one type,
    one predicate and PRIMER are objects. A name nothing alive bears is KIP_3002 with the
    nearest names in use. `syntax_card` is the reminder of the language that PRIMER carries.
    """
    match node:
        case ast.DescribePrimer():
            return Description(primer(session, group.group_id, syntax_card))
        case ast.DescribeDomains():
            items: list[Value] = [
                {"name": one.name, "count": one.count, "kind": one.kind}
                for one in domains(session, group.group_id)
            ]
            return Description({"items": items})
        case ast.DescribeConceptTypes():
            return _listed(session, group, ElementKind.CONCEPT)
        case ast.DescribePropositionTypes():
            return _listed(session, group, ElementKind.LINK)
        case ast.DescribeConceptType(type=wanted):
            name, code, count = _known(session, group, ElementKind.CONCEPT, wanted)
            portrait = portrait_of_type(session, group.group_id, code, count)
            return Description({"name": name, "count": count, **portrait})
        case ast.DescribePropositionType(predicate=wanted):
            name, code, count = _known(session, group, ElementKind.LINK, wanted)
            portrait = portrait_of_predicate(session, group.group_id, code, count)
            return Description({"name": name, "count": count, **portrait})
        case _:
            assert_never(node)


def _listed(session: Session, group: Group, kind: ElementKind) -> Description:
    names = living_terms(session, group.group_id, kind)
    items: list[Value] = [{"name": name, "count": count} for name, count in names[:MOST_LISTED]]
    omitted = len(names) - len(items)
    return Description({"items": items} | ({"omitted": omitted} if omitted else {}))


def _known(
    session: Session, group: Group, kind: ElementKind, wanted: ast.Text
) -> tuple[str, int, int]:
    """Return the name asked for, its code and its count of now; KIP_3002 when it has none."""
    what = "concept type" if kind is ElementKind.CONCEPT else "predicate"
    name = _text(wanted, what)
    code = term_code(session, group.group_id, kind, name)
    count = 0 if code is None else living_count(session, group.group_id, kind, code)
    if code is None or not count:
        near = nearest_terms(session, group.group_id, (kind,), name)
        lists = "CONCEPT TYPES" if kind is ElementKind.CONCEPT else "PROPOSITION TYPES"
        raise RecollectError(
            NOT_FOUND,
            f'no {what} "{name}" is in the memory',
            hint=f'use "{near[0]}"' if near else f"DESCRIBE {lists}",
            span=wanted.span,
            known=near,
        )
    return name, code, count


def _text(wanted: ast.Text, what: str) -> str:
    if isinstance(wanted, ast.Literal) and isinstance(wanted.value, str):
        return canonical_name(wanted.value, wanted.span)
    raise RecollectError(
        INVALID_VALUE, f"the {what} is not a string", hint="give it as a string", span=wanted.span
    )
