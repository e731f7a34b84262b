"""One reader of one group: queries to answers, inside a session that somebody opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import orjson

from recollect.errors import (
    INVALID_SYNTAX,
    RESOURCE_EXHAUSTED,
    Notice,
    RecollectError,
    Span,
    nearest,
)
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.plan.lift import Given, Lifting
from recollect.kernel.plan.pipeline import plan_find, select_target
from recollect.kernel.plan.scope import place_of
from recollect.kernel.plan.statistics import Statistics
from recollect.kernel.read.cache import Cache
from recollect.kernel.read.cells import collected, decode_rows, element_ids
from recollect.kernel.read.hydrate import hydrate
from recollect.kernel.read.known_keys import KnownKeys
from recollect.kernel.read.moment import resolve_moment
from recollect.kernel.read.statistics import GroupStatistics
from recollect.kernel.sql.clock import Clock
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.output import Compiled, Shape
from recollect.kernel.sql.sqlite import SQLITE
from recollect.kernel.store.functions import compile_pattern
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import element_id
from recollect.kernel.store.protocol import Budget, Session, SqlRow, SqlValue
from recollect.kernel.store.terms import Terms
from recollect.model import LINK_BIT, AsOf, Element, Limits, Rows, Value

_ABSENT = -1  # the code of a term, or the id of an element, that is not there
Origin = tuple[str, int]
"""Where a FIND stands: a text that is likely to come again, and its place among the statements."""

PlanKey = tuple[ast.Find, int, bool, Clock]
TextKey = tuple[Origin, int, bool, Clock]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A FIND of a known text, compiled: what is left is to fill in the request's values."""

    compiled: Compiled
    constants: dict[str, Value]
    given: tuple[Given, ...]
    patterns: tuple[ast.Parameter, ...]

    def values(self, bindings: Bindings) -> dict[str, Value]:
        """Return the values of the shape; a LookupError where another shape is called for."""
        values = self.constants.copy()
        for one in self.given:
            values[one.slot] = one.value(bindings.values)
        bindings.used.update(one.placeholder for one in self.given)
        _check_patterns(self.patterns, values)
        return values


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the readers of one group share: its terms, its counts and its plans."""

    group: Group
    terms: Terms
    statistics: GroupStatistics
    plans: Cache[PlanKey, Compiled]
    texts: Cache[TextKey, Prepared]
    keys: KnownKeys

    @classmethod
    def of(cls, group: Group) -> Catalog:
        """Return an empty catalog of the group."""
        terms = Terms(group.group_id)
        statistics, keys = GroupStatistics(group), KnownKeys(group, terms)
        return cls(group, terms, statistics, Cache(1024), Cache(1024), keys)


class Reader:
    """Runs queries in one session, at one moment, within limits that are for all of them."""

    def __init__(
        self,
        session: Session,
        catalog: Catalog,
        limits: Limits,
        as_of: AsOf | None = None,
    ) -> None:
        self.session = session
        self.session.allow(Budget(limits.max_steps, limits.max_seconds))
        self.group = catalog.group
        self.terms = catalog.terms
        self._catalog = catalog
        self.limits = limits
        self.moment = resolve_moment(session, catalog.group, as_of)
        self.notices: list[Notice] = list(self.moment.notices)

    def find(self, find: ast.Find, bindings: Bindings, origin: Origin | None = None) -> Rows:
        """Return the rows of a FIND. Cost: one statement, and one for each kind of element."""
        limit, offset = page(find, bindings)
        compiled, rows = self._run(find, bindings, limit, offset, origin)
        elements = self.elements(element_ids(rows, compiled.outputs))
        answer = Rows(compiled.names, decode_rows(rows, compiled.outputs, elements))
        if self._is_doubtful(compiled, rows):
            self.notices += self._catalog.keys.unknown(self.session, find, bindings, answer)
        return answer

    def _is_doubtful(self, compiled: Compiled, rows: Sequence[SqlRow]) -> bool:
        """Whether a key is read of which no value is shown, so that it may be a slip."""
        if self.moment.clock.has_known or self.session.is_writing:
            return False
        shown = compiled.names if rows and None not in rows[0] else ()
        return not compiled.reads.issubset(shown)

    def targets(
        self,
        where: Iterable[ast.Clause],
        target: ast.Variable | None,
        bindings: Bindings,
        *,
        links_only: bool,
    ) -> list[int]:
        """Return the integer ids of the elements a DELETE means, in order."""
        find = select_target(where, target, links_only=links_only)
        hint = "name more of the pattern, and delete in parts"
        compiled, rows = self._run(find, bindings, None, 0, hint=hint)
        if compiled.outputs[0].shape is not Shape.ELEMENT:
            raise RecollectError(
                INVALID_SYNTAX,
                "DELETE names a variable that holds values",
                hint="name the concept or link they are read from",
                span=find.columns[0].span,
            )
        ids = sorted(element_ids(rows, compiled.outputs))
        if links_only and any(one & 1 != LINK_BIT for one in ids):
            raise RecollectError(
                INVALID_SYNTAX,
                "DELETE PROPOSITIONS names a variable that is bound to concepts",
                hint="name the link: DELETE PROPOSITIONS WHERE { ?link (?s, ?p, ?o) }",
                span=find.columns[0].span,
            )
        return ids

    def found(self, find: ast.Find, bindings: Bindings) -> list[int]:
        """Return the integer ids of the elements a FIND answers with; KIP_1001 for values."""
        limit, offset = page(find, bindings)
        compiled, rows = self._run(find, bindings, limit, offset)
        for column, output in zip(find.columns, compiled.outputs, strict=True):
            if output.shape not in (Shape.ELEMENT, Shape.ELEMENTS) or output.reduces:
                raise RecollectError(
                    INVALID_SYNTAX,
                    f"the column {column.name} holds values, not elements",
                    hint="name variables of concepts and links in FIND",
                    span=column.span,
                )
        return sorted(element_ids(rows, compiled.outputs))

    def elements(self, ids: Iterable[int]) -> dict[int, Element]:
        """Return elements whole, by integer id."""
        return hydrate(self.session, self.group, self.terms, ids, self.moment)

    def statistics(self) -> Statistics:
        """Return the counts that plans are made by."""
        return self._catalog.statistics.current(self.session)

    def compile(
        self, find: ast.Find, bindings: Bindings, origin: Origin | None = None
    ) -> tuple[Compiled, dict[str, SqlValue]]:
        """Return the SQL of a FIND and the values of its parameters, but for the page."""
        statistics = self.statistics()
        clock = self.moment.clock
        if origin is None:
            compiled, lifting = self._compile(find, bindings, statistics)
            return compiled, self.parameters(compiled, lifting.values, find)
        key = (origin, statistics.epoch, statistics.is_certain, clock)
        prepared = self._catalog.texts.find(key)
        if prepared is not None:
            try:
                values = prepared.values(bindings)
            except LookupError:  # the slow way names what is wrong, or finds another shape
                pass
            else:
                return prepared.compiled, self.parameters(prepared.compiled, values, find)
        compiled, lifting = self._compile(find, bindings, statistics)
        if not lifting.is_shaped:
            known = Prepared(
                compiled, dict(lifting.values), tuple(lifting.given), tuple(lifting.patterns)
            )
            self._catalog.texts.keep(key, known)
        return compiled, self.parameters(compiled, lifting.values, find)

    def _compile(
        self, find: ast.Find, bindings: Bindings, statistics: Statistics
    ) -> tuple[Compiled, Lifting]:
        lifting = Lifting(bindings)
        shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
        clock = self.moment.clock
        compiled = self._catalog.plans.get(
            (shape, statistics.epoch, statistics.is_certain, clock),
            lambda: compile_plan(plan_find(shape, statistics), statistics, clock, SQLITE),
        )
        _check_patterns(lifting.patterns, lifting.values)
        return compiled, lifting

    def _run(
        self,
        find: ast.Find,
        bindings: Bindings,
        limit: int | None,
        offset: int,
        origin: Origin | None = None,
        hint: str = "",
    ) -> tuple[Compiled, list[SqlRow]]:
        compiled, parameters = self.compile(find, bindings, origin)
        return compiled, self.run(compiled, parameters, limit, offset, hint)

    def run(
        self,
        compiled: Compiled,
        parameters: dict[str, SqlValue],
        limit: int | None,
        offset: int,
        hint: str = "",
    ) -> list[SqlRow]:
        """Run a compiled FIND within the limits; KIP_4002 for more rows than they allow."""
        most = self.limits.max_rows
        parameters["limit"] = most + 1 if limit is None else min(limit, most + 1)
        parameters["offset"] = offset
        rows = self.session.rows(compiled.sql, parameters)
        if len(rows) > most or collected(rows, compiled.outputs) > most:
            raise RecollectError(
                RESOURCE_EXHAUSTED,
                f"the answer has more than {most} rows, or collects more values than that",
                hint=hint or f"write LIMIT {most}, or aggregate",
                details={"rows": most},
            )
        return rows

    def parameters(
        self, compiled: Compiled, values: dict[str, Value], find: ast.Find
    ) -> dict[str, SqlValue]:
        """Return the parameters of a compiled FIND, but for the page."""
        group = self.group
        parameters: dict[str, SqlValue] = {
            "group": group.group_id,
            "id_bits": group.id_bits,
            **self.moment.parameters,
        }
        for name, value in values.items():
            parameters[name] = cast(SqlValue, value)
            if name.startswith("id"):
                found = element_id(group.id_bits, str(value))
                parameters[f"{name}_element"] = _ABSENT if found is None else found
        for name, text in compiled.terms.items():
            code = self.terms.code(self.session, text)
            parameters[name] = _ABSENT if code is None else code
            if code is None:
                is_predicate = name in compiled.predicates
                span = place_of(find.where, text)
                self.notices.append(self._unknown(text, span, is_predicate=is_predicate))
        return parameters

    def _unknown(self, text: str, span: Span | None, *, is_predicate: bool) -> Notice:
        """Return the warning for a type or predicate that nothing in the group has."""
        statistics = self._catalog.statistics.current(self.session)
        known = statistics.links if is_predicate else statistics.concepts
        what = "predicate" if is_predicate else "concept type"
        near = nearest(text, known, limit=3)
        shown = " or ".join(orjson.dumps(name).decode() for name in near)
        describe = "PROPOSITION" if is_predicate else "CONCEPT"
        return Notice(
            f"unknown_{'predicate' if is_predicate else 'type'}",
            f"no {what} is named {orjson.dumps(text).decode()}",
            hint=f"use {shown}" if near else f"run DESCRIBE {describe} TYPES",
            span=span,
        )


def page(find: ast.Find, bindings: Bindings) -> tuple[int | None, int]:
    """Return the LIMIT, if there is one, and the OFFSET of a FIND."""
    limit = None if find.limit is None else bindings.whole(find.limit, "LIMIT")
    return limit, 0 if find.offset is None else bindings.whole(find.offset, "OFFSET")


def _check_patterns(patterns: Iterable[ast.Parameter], values: Mapping[str, Value]) -> None:
    """Refuse a regular expression that is not one before anything runs: KIP_1001."""
    for pattern in patterns:
        text = values[pattern.name]
        if isinstance(text, str) and pattern.name.startswith("string"):
            compile_pattern(text, pattern.span)
