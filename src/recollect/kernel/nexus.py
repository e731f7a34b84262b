"""The door of the kernel: one group of one store, read and written by text or by changes."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Literal, cast, get_args

from recollect.errors import INVALID_ARGUMENT, INVALID_SYNTAX, Notice, RecollectError, Span
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings, bind_values, literal
from recollect.kernel.plan.parameters import check_parameters
from recollect.kernel.read.cache import Cache
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.read.changes import DEFAULT_LIMIT as DEFAULT_TRANSACTIONS
from recollect.kernel.read.changes import changes_after
from recollect.kernel.read.history import lives
from recollect.kernel.read.meant import elements_meant
from recollect.kernel.read.moment import resolve_moment
from recollect.kernel.read.named import elements_named
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.read.statistics import GroupStatistics
from recollect.kernel.read.stats import stats_of
from recollect.kernel.read.why import why
from recollect.kernel.search.answer import answer, explanation
from recollect.kernel.search.search import DEFAULT_LIMIT
from recollect.kernel.store.connection import Settings
from recollect.kernel.store.group import (
    checked_name,
    create_group,
    existing_group,
    group_names,
)
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.sqlite import SqliteStore
from recollect.kernel.write.attribute_indexes import (
    add_attribute_index,
    attribute_indexes,
    take_back_index,
)
from recollect.kernel.write.audit import audit, parse_head
from recollect.kernel.write.batch import apply_changes
from recollect.kernel.write.delete import delete_concept, delete_elements, remove_keys
from recollect.kernel.write.doctor import examine
from recollect.kernel.write.dump import write_dump
from recollect.kernel.write.purge import PENDING, purge, purge_group
from recollect.kernel.write.records import Records, pinned_moment
from recollect.kernel.write.restore import restore_dump
from recollect.kernel.write.streams import readable, written_whole
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.upsert import apply_upsert
from recollect.model import (
    Answer,
    AsOf,
    AttributeIndex,
    Audit,
    Change,
    Diagnosis,
    ElementKind,
    Explanation,
    Found,
    Instant,
    Key,
    Life,
    Limits,
    LoggedTransaction,
    Progress,
    Receipt,
    Record,
    Result,
    Stats,
    Value,
    Why,
    silent,
)

Clock = Callable[[], Instant]
OnMissing = Literal["skip", "error"]
_REMEMBERED_TEXT = 8 * 2**10  # characters; longer texts are not asked twice


def system_clock() -> Instant:
    """Return the time of the machine's clock, in milliseconds."""
    return Instant(time.time_ns() // 1_000_000)


_LARGE_WRITE = 1_000  # characters of a text, or changes of a batch


class Nexus:
    """The memory of one group: a knowledge graph that remembers what it once held.

    Safe to share between threads. Every call is one transaction of the store.

    >>> nexus = Nexus.open(":memory:")
    >>> report = nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    >>> nexus.read('FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }').results[0].rows
    [('Aspirin',)]
    >>> nexus.close()
    """

    def __init__(
        self,
        store: SqliteStore,
        group: str,
        clock: Clock,
        limits: Limits,
        catalogs: Catalogs,
    ) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits
        self._catalogs = catalogs
        self.group_name = group

    @classmethod
    def open(
        cls,
        address: str | PathLike[str],
        group: str = "default",
        *,
        synchronous: Literal["full", "normal"] = "full",
        busy_seconds: float = 5.0,
        limits: Limits | None = None,
        clock: Clock = system_clock,
    ) -> Nexus:
        """Open a store: a path, `sqlite:///path` or `":memory:"`; a missing file is made.

        `synchronous="normal"` writes faster and may lose the last commits in a power cut.
        A writer waits `busy_seconds` for another one, then raises STORE_BUSY. Raises
        STORE_FOREIGN, STORE_NEWER or STORE_CORRUPT for a file it cannot use, untouched.
        """
        store = SqliteStore(address, Settings(synchronous, busy_seconds))
        nexus = cls(store, group, clock, limits or Limits(), Catalogs())
        try:
            return nexus.group(group)
        except RecollectError:
            store.close()
            raise

    def group(self, name: str) -> Nexus:
        """Return the same store bound to another group, which exists once it is written to."""
        return Nexus(self._store, checked_name(name), self._clock, self._limits, self._catalogs)

    def groups(self) -> list[str]:
        """Return the names of the groups that have been written to, in order."""
        with self._store.reading() as session:
            return list(group_names(session))

    def read(
        self,
        text: str,
        parameters: Mapping[str, Value] | None = None,
        *,
        as_of: AsOf | None = None,
        limits: Limits | None = None,
    ) -> Answer:
        """Run the queries of a text in one snapshot.

        Raises KIP_1001 for a text that writes. Cost: one statement for each FIND, one more
        for each kind of element shown.
        """
        limits = limits or self._limits
        check_parameters(parameters or {}, limits.max_depth)
        bindings = Bindings(parameters or {})
        with _quoting(text):
            script = parsed(text, limits)
            queries = _only_queries(script)
            with self._store.reading() as session:
                reader = Reader(session, self._catalog(session), limits, as_of)
                comes_again = len(text) <= _REMEMBERED_TEXT
                results = tuple(
                    [
                        answer(reader, bindings, one, (text, at) if comes_again else None)
                        for at, one in enumerate(queries)
                    ]
                )
        return Answer(results, _notices(script, bindings, reader.notices))

    def write(
        self,
        text: str | Sequence[Change],
        parameters: Mapping[str, Value] | None = None,
        *,
        dry_run: bool = False,
        on_missing: OnMissing = "skip",
        actor: str | None = None,
        request_id: str | None = None,
        limits: Limits | None = None,
        progress: Progress = silent,
    ) -> Answer:
        """Run a text, or a batch of changes, as one transaction: all of it or nothing.

        Queries in the text see what the statements before them did. `dry_run` reports the same
        and keeps nothing. `on_missing="error"` makes an absent target of SET PROPOSITIONS
        KIP_3002. `actor` and `request_id` stand in the transaction's record.
        `progress` is told how far a large UPSERT is.
        """
        limits = limits or self._limits
        check_parameters(parameters or {}, limits.max_depth)
        _check_on_missing(on_missing)
        bindings = Bindings(parameters or {})
        source = "" if _is_batch(text) else cast(str, text)
        with _quoting(source):
            progress("reading", 0, 0)
            with _uncollected(len(text)):
                script = parsed(text, limits) if isinstance(text, str) else ast.Script(())
            progress("reading", len(text), len(text))
            with self._store.writing(dry_run) as session, _uncollected(len(text)):
                catalog = self._writing_catalog(session)
                unit = Unit(session, catalog.group, catalog.terms, self._clock())
                reader = Reader(session, catalog, limits)
                results: tuple[Result, ...]
                if isinstance(text, str):
                    run = _Run(unit, reader, bindings, on_missing, progress)
                    results = tuple(run.statement(one) for one in script.statements)
                else:
                    results = (apply_changes(unit, text),)
                progress("keeping", 0, 0)
                number = unit.commit(actor, request_id)
                if number is None:
                    session.roll_back()  # nothing changed: no group, no term stays behind
        notices = _notices(script, bindings, [*reader.notices, *unit.notices])
        return Answer(results, notices, dry_run, None if dry_run else number)

    def only_reads(self, text: str) -> bool:
        """Whether no statement of the text changes the graph; raises what `read` would."""
        with _quoting(text):
            return parsed(text, self._limits).is_read_only

    def search(
        self,
        term: str,
        kind: ElementKind | Literal["concept", "link"] | None = None,
        type: str | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        as_of: AsOf | None = None,
    ) -> Answer:
        """Find the elements a plain text is about, best first: SEARCH as a call."""
        query = ast.Search(
            None if kind is None else _kind(kind),
            literal(term),
            None if type is None else literal(type),
            literal(limit),
        )
        with self._store.reading() as session:
            reader = Reader(session, self._catalog(session), self._limits, as_of)
            hits = answer(reader, Bindings({}), query)
        return Answer((hits,), tuple(reader.notices))

    def explain(
        self,
        text: str,
        parameters: Mapping[str, Value] | None = None,
        *,
        as_of: AsOf | None = None,
    ) -> Explanation:
        """Return how the one query of a text is answered: EXPLAIN as a call. It is run once."""
        with self._asked(text, parameters, as_of) as (reader, bindings, query):
            return explanation(reader, bindings, query)

    def why(
        self,
        text: str,
        row: int = 0,
        parameters: Mapping[str, Value] | None = None,
        *,
        as_of: AsOf | None = None,
    ) -> Why:
        """Return the concepts and links that a row of a FIND stands on, and who wrote them.

        Rows count from 0. INVALID_ARGUMENT for a row that the answer does not have.
        """
        with self._asked(text, parameters, as_of) as (reader, bindings, query):
            if not isinstance(query, ast.Find):
                raise _not_only(query.span, "a FIND")
            return why(reader, query, bindings, row)

    def history(self, element: str | Key, *, as_of: AsOf | None = None) -> tuple[Life, ...]:
        """Return what an element was, step by step, with who changed it; closed ones too.

        A key names every life of that type and name, oldest first; an id names one element.
        `as_of` ends the story there, or keeps the steps true then. KIP_3002 when nothing is,
        or was, called so.
        """
        with self._store.reading() as session:
            catalog = self._catalog(session)
            group, terms = catalog.group, catalog.terms
            ids = elements_named(session, group, terms, element)
            return lives(session, group, terms, ids, resolve_moment(session, group, as_of))

    def changes(
        self, since: int = 0, limit: int = DEFAULT_TRANSACTIONS
    ) -> tuple[LoggedTransaction, ...]:
        """Return the transactions of the group after number `since`, oldest first."""
        with self._store.reading() as session:
            catalog = self._catalog(session)
            return changes_after(session, catalog.group, catalog.terms, since, limit)

    def purge(
        self,
        what: str | Key | Found,
        *,
        dry_run: bool = False,
        actor: str | None = None,
        request_id: str | None = None,
    ) -> Receipt:
        """Erase an element by id, every life of a key, or what a FIND finds, for all times.

        Every link that ends in it goes too, living or closed, and theirs. The log keeps its
        digests, and the actors and request ids of its transactions. Afterwards no byte of the
        erased text is in the file. `dry_run` keeps everything. Cost: the file is rewritten.
        """
        text = what.text if isinstance(what, Found) else ""
        with _quoting(text), self._store.writing(dry_run) as session:
            catalog = self._writing_catalog(session)
            elements = elements_meant(session, catalog, self._limits, what)
            unit = Unit(session, catalog.group, catalog.terms, self._clock())
            receipt = purge(unit, elements, actor, request_id, is_dry_run=dry_run)
            if not receipt.ids:
                session.roll_back()  # nothing to erase: no group stays behind
        return self._finished(receipt) if receipt.ids else receipt

    def drop_group(self, name: str, *, dry_run: bool = False) -> Receipt:
        """Erase a whole group: its elements, its log and its name; KIP_3002 for an unknown one.

        Afterwards no byte of it is in the file. Cost: the file is rewritten.
        """
        with self._store.writing(dry_run) as session:
            receipt = purge_group(session, existing_group(session, name), is_dry_run=dry_run)
        return self._finished(receipt)

    def verify(self, head: str | None = None) -> Audit:
        """Compute the group's log again from its rows, and report the first breach.

        `head` is one an earlier audit printed: it must still be in the log. Cost: every
        content of the group, current and past.
        """
        kept = None if head is None else parse_head(head)
        with self._store.reading() as session:
            return audit(session, self._catalog(session).group, kept)

    def elements(
        self, found: Found | None = None, *, as_of: AsOf | None = None
    ) -> Iterator[Record]:
        """Yield the living elements of the group, or of what a FIND finds, with what they need.

        Concepts come before links, and every link after its ends, which come with it even when
        they are not asked for. All is read as of one moment, `as_of` or that of `found`, in
        many short snapshots. INVALID_ARGUMENT when the two name different ones.
        """
        with self._store.reading() as session:
            catalog = self._catalog(session)
            pinned = pinned_moment(session, catalog.group, _one_moment(found, as_of))
            records = Records(self._store, catalog, pinned)
            if found is None:
                return records.all()
            wanted = replace(found, as_of=pinned)
            with _quoting(found.text):
                return records.of(elements_meant(session, catalog, self._limits, wanted))

    def backup(self, path: str | PathLike[str]) -> None:
        """Copy the whole store, all groups, to a file that is not there yet, in one step.

        Others read and write meanwhile. INVALID_ARGUMENT when the file exists.
        """
        self._store.back_up(path)

    def dump(
        self,
        target: str | PathLike[str] | BinaryIO,
        *,
        all_groups: bool = False,
        progress: Progress = silent,
    ) -> int:
        """Write the group, or all, as lines of JSON with nothing lost; return how many.

        `target` is a stream, or a file that is not there yet. It is one moment of the store.
        """
        with self._store.reading() as session, written_whole(target) as stream:
            names = group_names(session) if all_groups else (self.group_name,)
            return write_dump(session, names, stream, progress)

    def restore(
        self, source: str | PathLike[str] | BinaryIO, *, progress: Progress = silent
    ) -> list[str]:
        """Read back a dump, in one transaction, and return the names of its groups.

        The groups keep their names and ids, so each must be empty here. INVALID_ARGUMENT for
        one that is not, and for a dump that is not whole or does not agree with its own log.
        """
        with readable(source) as stream, self._store.writing() as session:
            return restore_dump(session, stream, progress)

    def doctor(self, *, fix: bool = False, progress: Progress = silent) -> Diagnosis:
        """Examine the file and every group; with `fix`, rebuild what can be and optimise.

        What elements say is never touched. Cost: every row of the store, several times, under
        the write lock.
        """
        return examine(self._store, fix=fix, progress=progress)

    def add_index(self, type: str, attribute: str) -> None:
        """Index an attribute of a concept type, so that FILTER finds its values; twice is once.

        Cost: every concept of the store, the first time.
        """
        with self._store.writing() as session:
            group_id = self._writing_catalog(session).group.group_id
            add_attribute_index(session, group_id, type, attribute)

    def drop_index(self, type: str, attribute: str) -> None:
        """Take back an index of the group; INVALID_ARGUMENT when it has none such."""
        with self._store.writing() as session:
            group_id = self._writing_catalog(session).group.group_id
            take_back_index(session, group_id, type, attribute)

    def indexes(self) -> tuple[AttributeIndex, ...]:
        """Return the declared indexes of the group, in order."""
        with self._store.reading() as session:
            return attribute_indexes(session, self._catalog(session).group.group_id)

    def stats(self) -> Stats:
        """Return the counts of this group and the size of the store."""
        with self._store.reading() as session:
            return stats_of(session, self._catalog(session).group, self._store.path)

    @property
    def path(self) -> Path | None:
        """The file of the store; None in memory."""
        return self._store.path

    def close(self) -> None:
        """Close the store, for every group; closing twice is the same as once."""
        self._store.close()

    def __enter__(self) -> Nexus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _finished(self, receipt: Receipt) -> Receipt:
        """Return the receipt of a purge after its bytes have left the file, if they could."""
        if receipt.is_dry_run or self._store.finish_erasure():
            return receipt
        return replace(receipt, is_complete=False, note=PENDING + receipt.note)

    @contextmanager
    def _asked(
        self, text: str, parameters: Mapping[str, Value] | None, as_of: AsOf | None
    ) -> Iterator[tuple[Reader, Bindings, ast.Query]]:
        """Open a snapshot for the one query of a text."""
        check_parameters(parameters or {}, self._limits.max_depth)
        with _quoting(text):
            query, *others = _only_queries(parsed(text, self._limits))
            if others:
                raise _not_only(others[0].span, "one query")
            with self._store.reading() as session:
                reader = Reader(session, self._catalog(session), self._limits, as_of)
                yield reader, Bindings(parameters or {}), query

    def _writing_catalog(self, session: Session) -> Catalog:
        """Return the catalog for a write: counts it has not committed are not shared."""
        group = create_group(session, self.group_name)
        known = self._catalogs.known(session, self.group_name)
        if known is None:
            return Catalog.of(group)
        return replace(known, statistics=GroupStatistics(group))

    def _catalog(self, session: Session) -> Catalog:
        """Return the catalog of this group; a group nobody wrote to is empty."""
        return self._catalogs.of(session, self.group_name)


class _Run:
    """The statements of one text inside one write transaction."""

    def __init__(
        self,
        unit: Unit,
        reader: Reader,
        bindings: Bindings,
        on_missing: OnMissing,
        progress: Progress,
    ) -> None:
        self._unit = unit
        self._reader = reader
        self._bindings = bindings
        self._on_missing = on_missing
        self._progress = progress

    def statement(self, statement: ast.Statement) -> Result:
        """Run one statement; it sees what the ones before it did."""
        match statement:
            case ast.Upsert():
                tree = bind_values(statement, self._bindings)
                return apply_upsert(self._unit, tree, self._on_missing, self._progress)
            case ast.DeleteKeys():
                keys = [self._bindings.key(key) for key in statement.keys]
                ids = self._targets(statement)
                return remove_keys(self._unit, ids, statement.section, keys)
            case ast.DeleteLinks():
                return delete_elements(self._unit, self._targets(statement))
            case ast.DeleteConcept():
                return delete_concept(self._unit, bind_values(statement.pattern, self._bindings))
        self._unit.flush()
        return answer(self._reader, self._bindings, statement)

    def _targets(self, statement: ast.DeleteKeys | ast.DeleteLinks) -> list[int]:
        self._unit.flush()
        links_only = isinstance(statement, ast.DeleteLinks)
        return self._reader.targets(
            statement.where, statement.target, self._bindings, links_only=links_only
        )


def _check_on_missing(on_missing: str) -> None:
    """Refuse what is none of the two, whatever the caller's types say."""
    if on_missing not in get_args(OnMissing):
        raise RecollectError(
            INVALID_ARGUMENT,
            f'on_missing is {on_missing!r}, which is neither "skip" nor "error"',
            hint='pass on_missing="skip"',
        )


def _kind(kind: str) -> ast.Kind:
    try:
        return ast.Kind(kind)
    except ValueError as error:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{kind!r} is no kind of element",
            hint='pass "concept" or "link"',
        ) from error


_MUTATIONS = get_args(ast.Mutation)


def _one_moment(found: Found | None, as_of: AsOf | None) -> AsOf | None:
    """Return the moment that a call names once, in either place, or twice alike."""
    of_found = None if found is None else found.as_of
    if as_of is not None and of_found is not None and as_of != of_found:
        raise RecollectError(
            INVALID_ARGUMENT,
            "as_of and the as_of of Found name different moments",
            hint="pass one of them",
        )
    return of_found if as_of is None else as_of


def _not_only(span: Span, what: str) -> RecollectError:
    """Return the error for a text that holds something else than what a call is about."""
    return RecollectError(
        INVALID_SYNTAX, f"the text is not {what}", hint=f"pass {what} by itself", span=span
    )


def _only_queries(script: ast.Script) -> tuple[ast.Query, ...]:
    """Return the statements of a text that changes nothing; KIP_1001 for one that would."""
    for statement in script.statements:
        if isinstance(statement, _MUTATIONS):
            raise RecollectError(
                INVALID_SYNTAX,
                "a read-only text changes nothing, and this statement would",
                hint="send it to execute_kip, or to Nexus.write",
                span=statement.span,
            )
    return cast("tuple[ast.Query, ...]", script.statements)


def parsed(text: str, limits: Limits) -> ast.Script:
    """Return the tree of a text; short texts that only read are remembered."""
    key = text, limits.max_length, limits.max_depth
    script = _TREES.find(key)
    if script is None:
        script = parse(text, max_length=limits.max_length, max_depth=limits.max_depth)
        if len(text) <= _REMEMBERED_TEXT and script.is_read_only:
            _TREES.keep(key, script)
    return script


_TREES: Cache[tuple[str, int, int], ast.Script] = Cache(1024)


@contextmanager
def _uncollected(size: int) -> Iterator[None]:
    """Pause the cycle collector while a large write builds its many values, none in a cycle.

    Measured: a third of the time of a batch of 20,000 links, half of parsing a large capsule.
    """
    if size < _LARGE_WRITE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _is_batch(text: object) -> bool:
    return isinstance(text, Sequence) and not isinstance(text, str | bytes | bytearray)


@contextmanager
def _quoting(text: str) -> Iterator[None]:
    """Give every error from inside the text its span points into; refuse what is no text."""
    if not isinstance(text, str):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the text is a {type(text).__name__}, not a string",
            hint="pass KIP as a str",
        )
    try:
        yield
    except RecollectError as error:
        error.at(text)
        raise


def _notices(script: ast.Script, bindings: Bindings, found: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return what to know about an answer: of parameters only where some were passed."""
    in_strings = [
        Notice(one.code, one.message, f"write {one.hint} without quotes", one.span)
        for one in script.notices
        if one.hint.removeprefix("$") in bindings.values
    ]
    unused = [
        Notice(
            "unused_parameter",
            f"parameter {name} is not used",
            hint=f"name it {name[1:]}" if name[:1] in ("$", ":") else f"write ${name}",
        )
        for name in bindings.values
        if name not in bindings.used
    ]
    return tuple(dict.fromkeys([*in_strings, *found, *unused]))
