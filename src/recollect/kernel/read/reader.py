"""One reader of one group: queries to answers, inside a session that somebody opened.

With it what the readers of a group share: its counts, its plans, and the seconds of a text. The
rules: counts are those of a transaction, coarse enough that plans survive most writes. A deadline
is asked between two pieces of work, none of which takes long by itself.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from hashlib import blake2b
from typing import cast

from recollect.errors import INVALID_SYNTAX, RESOURCE_EXHAUSTED, Notice, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import Statistics, coarse, owners
from recollect.kernel.plan.pipeline import plan_find, select_target
from recollect.kernel.plan.scope import place_of
from recollect.kernel.read.cells import (
    Page,
    PagePlace,
    collected,
    decode_rows,
    element_ids,
    page_moment,
    question_of,
    write_cursor,
)
from recollect.kernel.read.known_keys import KnownKeys, unknown_name
from recollect.kernel.read.moment import NOW, Moment, hydrate, refuse_different, resolve_moment
from recollect.kernel.read.prepared import (
    ABSENT,
    NEVER,
    PreparedFinds,
    Situation,
    SplitText,
    element_of,
    prepare,
)
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.filters import pattern_name
from recollect.kernel.sql.output import Compiled, Paging, Shape, matches_any, may_rest
from recollect.kernel.sql.rows import Clock as Guards
from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
    SqlValue,
)
from recollect.kernel.store.faults import overdue
from recollect.kernel.store.functions import compile_pattern
from recollect.kernel.store.group import Group, Terms, last_transaction
from recollect.kernel.store.port import Budget, Session, SqlRow
from recollect.kernel.store.sharing import Cache
from recollect.kernel.store.statements.counts import TALLIES
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import LINK_BIT, AsOf, Element, ElementKind, Instant, Limits, Rows, Value
from recollect.node import dataclass, field, replace

Clock = Callable[[], Instant]
"""Tells the time."""

Origin = str
"""A text that consists of exactly one FIND."""

PlanKey = tuple[ast.Find, int, bool, Guards, Paging | None]


class Deadline:
    """The seconds of one text, from now on; none where it may take what it needs."""

    __slots__ = ("_begun", "_seconds")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._begun = time.monotonic()

    def spent(self) -> float:
        """Return how many seconds have gone so far."""
        return time.monotonic() - self._begun

    def check(self) -> None:
        """Raise KIP_4001 where the seconds are over."""
        if self._seconds is not None and self.spent() > self._seconds:
            raise overdue(self._seconds, "send the text in parts")


_UNHURRIED = Deadline(None)


@dataclass(frozen=True, slots=True)
class Counted:
    """The statistics of one snapshot, and the group's last transaction in it."""

    number: int
    statistics: Statistics
    ends: dict[tuple[int, str, tuple[str, ...]], tuple[int, int]] = field(default_factory=dict)
    """How many links end at elements, as `Joints.counted` found it where they are many."""


class GroupStatistics:
    """The statistics of one group; they keep their epoch while the coarse counts stand."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._last = Counted(-1, Statistics())

    def as_of(self, session: Session, number: int) -> Counted:
        """Return the statistics as of the last transaction; inside a write they promise nothing."""
        last = self._last
        if number != last.number:
            last = self._last = Counted(number, self._load(session))  # at once, for other threads
        return Counted(number, last.statistics.uncertain()) if session.is_writing else last

    def _load(self, session: Session) -> Statistics:
        found: dict[str, dict[str, int]] = defaultdict(dict)
        parameters: dict[str, SqlValue] = {
            "group": self._group.group_id,
            "concepts": TALLY_CONCEPTS,
            "links": TALLY_LINKS,
            "keyed": TALLY_KEYED,
            "link_subjects": TALLY_LINK_SUBJECTS,
            "link_objects": TALLY_LINK_OBJECTS,
            "bounded_concepts": TALLY_BOUNDED_CONCEPTS,
            "bounded_links": TALLY_BOUNDED_LINKS,
        }
        for kind, term, count in session.rows(TALLIES, parameters):
            found[str(kind)][str(term)] = coarse(int(str(count)))
        return Statistics(
            concepts=found[TALLY_CONCEPTS],
            links=found[TALLY_LINKS],
            keyed=frozenset(found[TALLY_KEYED]),
            link_subjects=frozenset(found[TALLY_LINK_SUBJECTS]),
            link_objects=frozenset(found[TALLY_LINK_OBJECTS]),
            bounded_types=frozenset(found[TALLY_BOUNDED_CONCEPTS]),
            bounded_links=frozenset(found[TALLY_BOUNDED_LINKS]),
        ).counted()


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the readers of one group share: its terms, its counts and its plans."""

    group: Group
    terms: Terms
    statistics: GroupStatistics
    plans: Cache[PlanKey, Compiled]
    prepared: PreparedFinds
    keys: KnownKeys
    meanings: Meanings | None = None  # where an embedder is configured
    clock: Clock | None = None  # None: inside a write, whose rows are not what stays

    @classmethod
    def of(
        cls, group: Group, meanings: Meanings | None = None, clock: Clock | None = None
    ) -> Catalog:
        """Return an empty catalog of the group."""
        terms = Terms(group.group_id)
        statistics, keys = GroupStatistics(group), KnownKeys(group, terms)
        return cls(group, terms, statistics, Cache(1024), PreparedFinds(), keys, meanings, clock)

    def apart(self) -> Catalog:
        """Return a copy with counts of its own, which include what a write has not committed."""
        return Catalog(  # `replace` takes several times as long, in every write
            group=self.group,
            terms=self.terms,
            statistics=GroupStatistics(self.group),
            plans=self.plans,
            prepared=self.prepared,
            keys=self.keys,
            meanings=self.meanings,
        )


class Reader:
    """Runs queries in one session, at one moment, within limits that are for all of them."""

    def __init__(
        self,
        session: Session,
        catalog: Catalog,
        limits: Limits,
        as_of: AsOf | Moment | None = None,
        counted: Counted | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """`counted` are the statistics of the snapshot, where they are known already.

        Of the `deadline` the seconds that are gone count; without one only what is read counts.
        """
        self.session = session
        self.limits = limits
        self.deadline = deadline or _UNHURRIED
        self._allow(0.0 if deadline is None else deadline.spent())
        self.group = catalog.group
        self.terms = catalog.terms
        self.meanings = catalog.meanings
        self.clock = catalog.clock
        self._catalog = catalog
        self._counted = counted
        if as_of is None:
            as_of = NOW
        elif not isinstance(as_of, Moment):
            as_of = resolve_moment(session, catalog.group, as_of)
        self.moment = as_of
        self.notices: list[Notice] = list(self.moment.notices)

    def find(self, find: ast.Find, bindings: Bindings, origin: Origin | None = None) -> Rows:
        """Return the rows of a FIND. Cost: one statement, and one for each kind of element."""
        page = Page.of(find, bindings)
        with self.at_page(page):
            compiled, lifting, page = self._prepared(find, bindings, page)
            parameters = self.parameters(compiled, lifting.values, find)
            known = parameters.copy()
            rows, has_more = self._rows(compiled, parameters, page)
            answer = self.shown(compiled, lifting.values, page, rows, has_more=has_more)
            if rows and _shows_values(compiled) and self.session.sampling.takes_query():
                self._compare_owners(find, bindings, page)
            doubtless = NEVER
            if self.is_doubtful(compiled, rows):
                self.warn_of_keys(find, bindings, answer)
                doubtless = self._doubtless(find, bindings, compiled)
            split = self._split_to_keep(origin, compiled, known)
            if split is not None:
                prepared = prepare(split, find, compiled, lifting, known, doubtless)
                if prepared is not None:
                    self._catalog.prepared.keep(split, self._situation(), prepared)
        return answer

    def run_prepared(self, text: SplitText, values: Mapping[str, Value]) -> Rows | None:
        """Return the rows of a text that was asked before; None where only its tree can tell."""
        prepared = self._catalog.prepared.find(text, self._situation())
        if prepared is None or self._may_rest(prepared.compiled, is_open=prepared.is_open):
            return None  # only the tree tells on what its rows rest
        if _shows_values(prepared.compiled):
            if self.session.sampling.is_query_due():
                return None  # only the tree tells what its values are read from
            self.session.sampling.takes_query()
        parameters = prepared.bound(text.strings, values, self.group.id_bits)
        if parameters is None:
            return None
        parameters.update(self.moment.parameters)
        page = prepared.asked_page(values)
        rows, has_more = self._rows(prepared.compiled, parameters, page)
        if self.is_doubtful(prepared.compiled, rows) and prepared.doubtless != self.number():
            return None
        lifted = {slot: cast(Value, parameters[slot]) for slot in prepared.slots}
        return self.shown(prepared.compiled, lifted, page, rows, has_more=has_more)

    def may_rest(self, find: ast.Find, bindings: Bindings) -> bool:
        """Whether rows can rest on what is not true now, as far as the counts tell; in no write."""
        statistics = self.statistics()
        is_bounded = bool(statistics.bounded_types or statistics.bounded_links)
        if self.clock is None or not is_bounded:
            return False
        page = Page.of(find, bindings)
        with self.at_page(page):
            compiled, _ = self._compile(find, bindings, page.paging)
            return self._may_rest(compiled, is_open=matches_any(find.where))

    def _may_rest(self, compiled: Compiled, *, is_open: bool) -> bool:
        if self.moment.clock.has_valid:
            return False
        return may_rest(compiled, self.statistics(), is_open=is_open)

    def _compare_owners(self, find: ast.Find, bindings: Bindings, page: Page) -> None:
        """Compare the elements that a page's values are read from; aggregates are read from many.

        Cost: the statement again. What exceeds the limits a second time is not compared.
        """
        told = len(self.notices)
        self._allow()
        try:
            ids = self._owners(find, bindings, page)
            is_past = self.moment.clock.has_known
            refuse_different(self.session, self.group, ids, is_past=is_past)
        except RecollectError as error:
            if error.code.category != "limit":
                raise
        finally:
            del self.notices[told:]
            self._allow()

    def _owners(self, find: ast.Find, bindings: Bindings, page: Page) -> list[int]:
        """Return the elements that the values of a page are read from, in order."""
        statistics, lifting = self.statistics(), Lifting(bindings)
        shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
        plan = plan_find(shape, statistics)
        if plan.is_grouped or self.session.is_writing:
            return []
        whole = replace(plan, columns=(*plan.columns, *owners(plan)))
        compiled = compile_plan(whole, statistics, self.moment.clock, self.session.dialect)
        parameters = self.parameters(compiled, lifting.values, find)
        page = page if page.after is None else page.counted()
        most = self.limits.max_rows
        limit = most if page.limit is None else min(page.limit, most)
        rows = self.run(compiled, parameters, Page(limit, page.offset))
        start = sum(one.shape.width for one in compiled.outputs[: len(plan.columns)])
        return sorted({one for row in rows for one in row[start:] if isinstance(one, int)})

    def _allow(self, spent: float = 0.0) -> None:
        """Let what is read from here on cost as much as the limits say, but for what is spent."""
        self.session.allow(Budget(self.limits.max_steps, self.limits.max_seconds, spent))

    def warn_of_keys(self, find: ast.Find, bindings: Bindings, answer: Rows) -> None:
        """Note the keys that a FIND reads, shows no value of, and that nothing has."""
        self.notices += self._catalog.keys.unknown(self.session, find, bindings, answer)

    def shown(
        self,
        compiled: Compiled,
        values: Mapping[str, Value],
        page: Page,
        rows: list[SqlRow],
        *,
        has_more: bool,
    ) -> Rows:
        """Return the rows as an answer; more than those of the page have a cursor behind them."""
        ids = element_ids(rows, compiled.outputs)
        elements = self.elements(ids) if ids else {}
        shown = decode_rows(rows, compiled.outputs, elements)
        cursor = self._next(compiled, values, page, rows) if has_more else None
        return Rows(compiled.names, shown, cursor, compiled.is_total)

    def _situation(self) -> Situation:
        """Return what a compiled text depends on besides itself."""
        clock = self.moment.clock
        return self.statistics().epoch, clock.has_known, clock.has_valid, self.limits.max_depth

    def _split_to_keep(
        self, text: str | None, compiled: Compiled, parameters: Mapping[str, SqlValue]
    ) -> SplitText | None:
        """Return a text cut into strings and the rest, if it is worth remembering.

        Queries of a strict group or of a write are planned each time, and so are those with a name
        that nothing has.
        """
        if text is None or self.group.is_strict or self.session.is_writing:
            return None
        if any(parameters[name] == ABSENT for name in compiled.terms):
            return None
        return SplitText.of(text)

    def _doubtless(self, find: ast.Find, bindings: Bindings, compiled: Compiled) -> int:
        """Return the transaction as of which every key that a FIND reads is known to exist."""
        nothing = Rows(compiled.names, [])
        if any(self._catalog.keys.unknown(self.session, find, bindings, nothing)):
            return NEVER
        return self.number()

    @contextmanager
    def at_page(self, page: Page) -> Iterator[None]:
        """Read at the moment of a page's cursor, if it has one, instead of the request's."""
        asked = self.moment
        if page.cursor is not None:
            self.moment = page_moment(self.session, self.group, asked, page.cursor)
        try:
            yield
        finally:
            self.moment = asked

    def _question(self, compiled: Compiled, values: Mapping[str, Value]) -> str:
        return question_of(self.group, compiled.question(), list(values.values()))

    def _next(
        self, compiled: Compiled, values: Mapping[str, Value], page: Page, rows: Sequence[SqlRow]
    ) -> str | None:
        """Return the cursor behind a page; what a write has not committed has none."""
        if not rows or self.session.is_writing:
            return None
        known = self.moment.known
        if known is None:
            known = self.number()
        keys = tuple(rows[-1][at] for at in compiled.keys)
        position = page.offset + len(rows)
        place = PagePlace(known, self.moment.valid, position, keys, compiled.layout)
        return write_cursor(self._question(compiled, values), place)

    def is_doubtful(self, compiled: Compiled, rows: Sequence[SqlRow]) -> bool:
        """Whether a key is read for which no value is shown, so that it may be a slip."""
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
        ids = sorted(self._elements_of(find, bindings, "DELETE"))
        if links_only and any(one & 1 != LINK_BIT for one in ids):
            raise INVALID_SYNTAX.error(
                "DELETE PROPOSITIONS names a variable that is bound to concepts",
                "name the link: DELETE PROPOSITIONS WHERE { ?link (?s, ?p, ?o) }",
                span=find.columns[0].span,
            )
        return ids

    def named(
        self,
        where: Iterable[ast.Clause],
        target: ast.Variable,
        bindings: Bindings,
        statement: str,
        limit: int | None = None,
    ) -> list[int]:
        """Return the elements that a variable of a statement stands for, at most `limit` of them.

        Each comes once, in the order in which FIND answers with them.
        """
        find = select_target(where, target, links_only=False)
        return self._elements_of(find, bindings, statement, limit)

    def _elements_of(
        self, find: ast.Find, bindings: Bindings, statement: str, limit: int | None = None
    ) -> list[int]:
        most = None if limit is None else limit + 1  # one may be null
        hint = f"name more of the pattern, and {statement} in parts"
        compiled, rows = self._run(find, bindings, Page(most, 0), hint)
        if compiled.outputs[0].shape is not Shape.ELEMENT:
            raise INVALID_SYNTAX.error(
                f"{statement} names a variable that holds values",
                "name the concept or link they are read from",
                span=find.columns[0].span,
            )
        return [cast(int, one) for one, *_ in rows if one is not None][:limit]

    def find_ids(self, find: ast.Find, bindings: Bindings) -> list[int]:
        """Return the integer ids of the elements a FIND answers with; KIP_1001 for values."""
        page = Page.of(find, bindings)
        if page.cursor is not None:
            raise INVALID_SYNTAX.error(
                "CURSOR is used in a FIND that selects what to work on",
                "leave CURSOR out: everything it finds is selected",
                span=page.cursor.span,
            )
        compiled, rows = self._run(find, bindings, page)
        for column, output in zip(find.columns, compiled.outputs, strict=True):
            if output.shape not in (Shape.ELEMENT, Shape.ELEMENTS) or output.reduces:
                raise INVALID_SYNTAX.error(
                    f"the column {column.name} holds values, not elements",
                    "name variables of concepts and links in FIND",
                    span=column.span,
                )
        return sorted(element_ids(rows, compiled.outputs))

    def elements(self, ids: Iterable[int]) -> dict[int, Element]:
        """Return elements whole, by integer id."""
        return hydrate(self.session, self.group, self.terms, ids, self.moment)

    def statistics(self) -> Statistics:
        """Return the counts that plans are made by."""
        return self.counted.statistics

    @property
    def counted(self) -> Counted:
        """The statistics with the group's last transaction, which they are of."""
        if self._counted is None:
            last = last_transaction(self.session, self.group.group_id)
            return self._catalog.statistics.as_of(self.session, last)
        return self._counted

    def statistics_of(self, number: int) -> Statistics:
        """Return the counts as of the group's last transaction, whose number is known."""
        if self._counted is None:
            return self._catalog.statistics.as_of(self.session, number).statistics
        return self._counted.statistics

    def number(self) -> int:
        """Return the group's last transaction."""
        if self._counted is None:
            return last_transaction(self.session, self.group.group_id)
        return self._counted.number

    def compile(
        self, find: ast.Find, bindings: Bindings, page: Page
    ) -> tuple[Compiled, dict[str, SqlValue], Page]:
        """Return the SQL of a FIND, the values of its parameters, and the page to run it for."""
        compiled, lifting, page = self._prepared(find, bindings, page)
        return compiled, self.parameters(compiled, lifting.values, find), page

    def counted_page(self, find: ast.Find, bindings: Bindings, page: Page) -> Page:
        """Return a page by the count of the rows before it; KIP_1001 as `compile` has it."""
        return page if page.cursor is None else self._prepared(find, bindings, page)[2].counted()

    def _prepared(
        self, find: ast.Find, bindings: Bindings, page: Page
    ) -> tuple[Compiled, Lifting, Page]:
        """Return the SQL of a page, what was lifted out of it, and the page.

        KIP_1001 for a cursor of another query. Keys that this SQL does not order by are left: the
        counts that it was made by have changed since.
        """
        compiled, lifting = self._compile(find, bindings, page.paging)
        if page.cursor is not None:
            place = page.cursor.place(self._question(compiled, lifting.values))
            page = replace(page, after=None if page.after is None else place)
        if page.after is None or page.after.fits(compiled.layout, len(compiled.keys)):
            return compiled, lifting, page
        page = page.counted()
        return *self._compile(find, bindings, page.paging), page

    def _compile(
        self, find: ast.Find, bindings: Bindings, paging: Paging | None
    ) -> tuple[Compiled, Lifting]:
        """Return the SQL of a FIND, and what was lifted out of it."""
        statistics = self.statistics()
        lifting = Lifting(bindings)
        shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
        clock, dialect = self.moment.clock, self.session.dialect

        def make() -> Compiled:
            plan = plan_find(shape, statistics)
            compiled = compile_plan(plan, statistics, clock, dialect, paging)
            if paging is None:
                return compiled
            return replace(compiled, question=cache(partial(_digest, shape)))

        key = (shape, statistics.epoch, statistics.is_certain, clock, paging)
        compiled = self._catalog.plans.get(key, make)
        check_patterns(lifting.patterns, lifting.values, self.deadline)
        return compiled, lifting

    def _run(
        self, find: ast.Find, bindings: Bindings, page: Page, hint: str = ""
    ) -> tuple[Compiled, list[SqlRow]]:
        compiled, parameters, page = self.compile(find, bindings, page)
        return compiled, self.run(compiled, parameters, page, hint)

    def run(
        self, compiled: Compiled, parameters: dict[str, SqlValue], page: Page, hint: str = ""
    ) -> list[SqlRow]:
        """Run a compiled FIND within the limits; KIP_4002 for more rows than they allow."""
        return self._rows(compiled, parameters, page, hint)[0]

    def _rows(
        self, compiled: Compiled, parameters: dict[str, SqlValue], page: Page, hint: str = ""
    ) -> tuple[list[SqlRow], bool]:
        """Return the rows of a page, and whether there are more after them."""
        most, limit = self.limits.max_rows, page.limit
        parameters["limit"] = 1 + (most if limit is None else min(limit, most))
        parameters["offset"] = page.offset if page.after is None else 0
        if page.after is not None:
            parameters |= {f"after{at}": key for at, key in enumerate(page.after.after)}
        rows = self.session.rows(compiled.sql, parameters)
        has_more = limit is not None and len(rows) > limit
        if has_more:
            rows = rows[:limit]
        if len(rows) > most or collected(rows, compiled.outputs) > most:
            raise RESOURCE_EXHAUSTED.error(
                f"the answer has more than {most} rows, or collects more values than that",
                hint or f"write LIMIT {most}, or aggregate",
                details={"rows": most},
            )
        return rows, has_more

    def parameters(
        self, compiled: Compiled, values: dict[str, Value], find: ast.Find
    ) -> dict[str, SqlValue]:
        """Return the parameters of a compiled FIND, except those of the page."""
        group = self.group
        parameters: dict[str, SqlValue] = {
            "group": group.group_id,
            "id_bits": self.session.dialect.id_bits(group.id_bits),
            **self.moment.parameters,
        }
        for name, value in values.items():
            parameters[name] = cast(SqlValue, value)
            if name.startswith("id"):
                parameters[f"{name}_element"] = element_of(group.id_bits, str(value))
        for name in compiled.patterns:
            assert self.session.dialect.pattern is not None
            own = self.session.dialect.pattern(str(values[name]))
            parameters[pattern_name(name)] = own
        for name, text in compiled.terms.items():
            code = self.terms.code(self.session, text)
            parameters[name] = ABSENT if code is None else code
            if code is None:
                is_predicate = name in compiled.predicates
                span = place_of(find.where, text)
                statistics = self.statistics()
                used = statistics.links if is_predicate else statistics.concepts
                kind = ElementKind.LINK if is_predicate else ElementKind.CONCEPT
                self.notices += unknown_name(self.session, group, kind, text, used, span)
        return parameters


def _shows_values(compiled: Compiled) -> bool:
    """Whether an answer has columns of values, which are read from elements it does not show."""
    return any(one.shape in (Shape.TEXT, Shape.PLAIN, Shape.JSON) for one in compiled.outputs)


def _digest(shape: ast.Find) -> str:
    """Return what distinguishes a shape from others, which excludes spans and spellings."""
    text = repr(shape).encode("utf-8", "backslashreplace")
    return blake2b(text, digest_size=16).hexdigest()


def check_patterns(
    patterns: Iterable[ast.Parameter], values: Mapping[str, Value], deadline: Deadline
) -> None:
    """Refuse a regular expression that is not one before anything runs: KIP_1001."""
    for pattern in patterns:
        deadline.check()
        text = values[pattern.name]
        if isinstance(text, str) and pattern.name.startswith("string"):
            compile_pattern(text, pattern.span)
