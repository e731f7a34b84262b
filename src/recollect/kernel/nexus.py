"""The door of the kernel: one group of one store, read and written by text or by changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Literal, cast, get_args

from recollect.errors import RecollectError
from recollect.kernel.care.audit import audit, parse_head
from recollect.kernel.care.doctor import examine, opened_sound
from recollect.kernel.care.dump import readable, write_dump, written_whole
from recollect.kernel.care.purge import left_indexes, pending, purge, purge_group, with_index_notice
from recollect.kernel.care.restore import restore_dump
from recollect.kernel.care.vectors import Vectors
from recollect.kernel.lang.ast import Explain, Export, Find, Query, Script, Search
from recollect.kernel.parts import Declared, Elements
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.catalogs import Catalogs, OpenGroup, answer_prepared
from recollect.kernel.read.history import (
    DEFAULT_LIMIT as DEFAULT_TRANSACTIONS,
    changes_after,
    lives,
)
from recollect.kernel.read.joints import Joints
from recollect.kernel.read.known_keys import stats_of
from recollect.kernel.read.meant import elements_meant
from recollect.kernel.read.moment import elements_named
from recollect.kernel.read.reader import Deadline, Origin, Reader
from recollect.kernel.read.resting import resting
from recollect.kernel.read.texts import (
    AskedQuery,
    check_one_of,
    limits_of,
    not_only,
    notices_of,
    only_queries,
    parsed,
    quoting,
    search_query,
    source_of,
)
from recollect.kernel.read.why import why
from recollect.kernel.recall.recollection import Recall
from recollect.kernel.schema.definitions import refuse_undeclared
from recollect.kernel.search.concepts import Concepts
from recollect.kernel.search.describe import describe
from recollect.kernel.search.explain import explain
from recollect.kernel.search.grounding import hits
from recollect.kernel.search.modes import KEYWORD, MODES
from recollect.kernel.search.search import DEFAULT_LIMIT
from recollect.kernel.store.address import named_file
from recollect.kernel.store.cells import check_parameters
from recollect.kernel.store.group import checked_name, existing_group, group_names, last_instant
from recollect.kernel.store.opening import open_store
from recollect.kernel.store.settings import COMPARE_EVERY, StoreSettings
from recollect.kernel.store.sharing import has_open, opened, uncollected
from recollect.kernel.vectors.embedder import Embedder
from recollect.kernel.vectors.meanings import Meanings, Preparation
from recollect.kernel.work.answers import Answers
from recollect.kernel.work.queue import Queue
from recollect.kernel.write.attribute_indexes import add_attribute_index, drop_index, index_kinds
from recollect.kernel.write.batch import apply_changes, decide_changes, known_changes
from recollect.kernel.write.capsule import export
from recollect.kernel.write.conformance import set_schema_mode
from recollect.kernel.write.run import StatementRun, refuse_disorder
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import refuse_owned
from recollect.model import (
    Answer,
    AsOf,
    Audit,
    Change,
    Decision,
    Diagnosis,
    ElementKind,
    Explanation,
    Found,
    Instant,
    Key,
    Kind,
    Kinds,
    Life,
    Limits,
    LoggedTransaction,
    Progress,
    Receipt,
    Result,
    Schema,
    SchemaMode,
    Stats,
    Value,
    Why,
    silent,
)
from recollect.node import dataclass, replace

Clock = Callable[[], Instant]
OnMissing = Literal["skip", "error"]


def system_clock() -> Instant:
    """Return the time of the machine's clock, in milliseconds."""
    return Instant(time.time_ns() // 1_000_000)


@dataclass(frozen=True, slots=True)
class _Write:
    """What one call of `write` asks for."""

    text: str | Script | Sequence[Change] | Decision
    dry_run: bool
    on_missing: OnMissing
    actor: str | None
    request_id: str | None
    limits: Limits
    progress: Progress
    preparation: Preparation | None


class Nexus:
    """The memory of one group: a knowledge graph that remembers what it once held.

    Safe to share between threads. Every call is one transaction of the store.

    >>> nexus = Nexus.open(":memory:")
    >>> report = nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    >>> nexus.read('FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }').results[0].rows
    [('Aspirin',)]
    >>> nexus.close()
    """

    def __init__(self, group: OpenGroup) -> None:
        self._group = group
        self._store = group.store
        self.limits = group.limits
        self.group_name = group.name
        self.kinds = group.store.kinds  # what is special about some types, as it was opened
        self.elements = Elements(group)
        self.concepts = Concepts(group)
        self.joints = Joints(group)
        self.declared = Declared(group)
        self.vectors = Vectors(group)
        self.recall = Recall(group)
        self.queue = Queue(group.store, group.name)
        self.answers = Answers(group.store, group.name)

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
        embedder: Embedder | None = None,
        search_mode: str = KEYWORD,
        is_checked: bool = True,
        check: Literal["quick"] | None = None,
        compare_every: int = COMPARE_EVERY,
        kinds: Iterable[Kind] = (),
    ) -> Nexus:
        """Open a store: a path, a server or `":memory:"`; a missing file is made.

        `synchronous="normal"` writes faster and may lose the last commits in a power cut.
        A writer waits `busy_seconds` for another one, then raises STORE_BUSY. With an
        `embedder` what is written gets vectors, and SEARCH compares as `search_mode` says where
        it does not say itself. Raises STORE_FOREIGN, STORE_NEWER or STORE_CORRUPT for a file it
        cannot use, untouched. Without `is_checked` it opens one with broken pages, for `doctor`;
        `check="quick"` also compares the newest changes with the log, and raises STORE_CORRUPT.
        One in `compare_every` of the elements that are read is compared with its digest in the
        log: all with 1, none with 0; a difference is STORE_CORRUPT.
        `kinds` tells what is special about some types: `recollect.open` gives those of all faces.
        """
        check_one_of(search_mode, MODES, "search_mode")
        name, limits = checked_name(group), limits_of(limits, Limits())
        meanings = None if embedder is None else Meanings(embedder, search_mode)
        settings = StoreSettings(
            synchronous, busy_seconds, is_checked, compare_every, Kinds(tuple(kinds))
        )
        store = opened_sound(open_store(address, settings), check)
        index_kinds(store)
        return cls(OpenGroup(store, name, Catalogs(meanings, clock), limits, clock))

    def group(self, name: str, *, request_id: str | None = None) -> Nexus:
        """Return the same store bound to another group, which exists once it is written to.

        `request_id` stands in the record of each transaction there that names none.
        """
        return Nexus(replace(self._group, name=checked_name(name), request_id=request_id))

    def groups(self, *, every: bool = False) -> list[str]:
        """Return the names of the groups that have been written to, in order.

        Behind the wall of a server it is this one alone; with `every`, STORE_UNAVAILABLE there.
        """
        if every:
            self._store.refuse_wall("the list")
        with self._store.reading() as session:
            session.stay_in(self.group_name)
            return list(group_names(session))

    def read(
        self,
        text: str | Script,
        parameters: Mapping[str, Value] | None = None,
        *,
        as_of: AsOf | None = None,
        limits: Limits | None = None,
    ) -> Answer:
        """Run the queries of a text, or of its tree, in one snapshot.

        Raises KIP_1001 for a text that writes. Cost: one statement for each FIND, one more
        for each kind of element shown.
        """
        limits = limits_of(limits, self.limits)
        values = parameters or {}
        check_parameters(values, limits.max_depth)
        source = source_of(text)
        if (prepared := self._prepared_answer(source, values, as_of, limits)) is not None:
            return prepared
        bindings = Bindings(values)
        with quoting(source):
            deadline = Deadline(limits.max_seconds)
            script = parsed(text, limits, deadline)
            queries = only_queries(script)
            with self._store.reading() as session:
                state = self._group.catalogs.state(session, self.group_name)
                reader = Reader(session, state.catalog, limits, as_of, state.counted, deadline)
                is_whole = len(queries) == 1 and not script.notices
                origin = source if is_whole and not state.catalog.group.is_strict else None
                results = tuple([answered(reader, bindings, one, origin) for one in queries])
        return Answer(results, notices_of(script, bindings, reader.notices))

    def _prepared_answer(
        self, text: str, values: Mapping[str, Value], as_of: AsOf | None, limits: Limits
    ) -> Answer | None:
        """Return the answer to a text that was asked before, if it can be had without its tree."""
        state = self._group.catalogs.known_state(self.group_name)
        if state is None or not isinstance(text, str):
            return None
        session = self._store.reader()
        if session is None or session is not state.session:
            return None
        session.stay_in(self.group_name)
        return answer_prepared(session, state, text, values, as_of, limits)

    def write(
        self,
        text: str | Script | Sequence[Change] | Decision,
        parameters: Mapping[str, Value] | None = None,
        *,
        dry_run: bool = False,
        on_missing: OnMissing = "skip",
        actor: str | None = None,
        request_id: str | None = None,
        limits: Limits | None = None,
        progress: Progress = silent,
    ) -> Answer:
        """Run a text, its tree, or a batch of changes, as one transaction: all of it or nothing.

        Queries in the text see what the statements before them did. A `Decision` makes its
        changes inside the transaction, of what it finds there. `dry_run` reports the same and
        keeps nothing. `on_missing="error"` makes an absent target of SET PROPOSITIONS KIP_3002.
        `actor` and `request_id` stand in the transaction's record. `progress` is told how far a
        large UPSERT is.
        """
        limits = limits_of(limits, self.limits)
        check_parameters(parameters or {}, limits.max_depth)
        check_one_of(on_missing, get_args(OnMissing), "on_missing")
        changes = known_changes(text)
        source = source_of(cast("str | Script", text)) if changes is None else ""
        is_embedded = not dry_run and self._group.catalogs.meanings is not None
        preparation = self.vectors.preparation(changes or ()) if is_embedded else None
        request_id = request_id or self._group.request_id
        run = _Write(text, dry_run, on_missing, actor, request_id, limits, progress, preparation)
        made = text if isinstance(text, Decision) else source if changes is None else changes
        with quoting(source), uncollected(len(made)):
            # What is built in there is gone before the collector looks again.
            while (answer := self._written(run, Bindings(parameters or {}))) is None:
                assert preparation is not None
                preparation.make()
            return answer

    def _written(self, run: _Write, bindings: Bindings) -> Answer | None:
        """Run what was checked to be a text or a batch; None when it waits for vectors."""
        text, progress = run.text, run.progress
        progress("reading", 0, 0)
        script = parsed(text, run.limits) if isinstance(text, str | Script) else Script(())
        progress("reading", len(script.source), len(script.source))
        with self._store.writing(run.dry_run, self.group_name) as session:
            catalog, last = self._group.for_writing(session)
            unit = Unit(
                session,
                catalog.group,
                catalog.terms,
                last,
                self._group.time(session),
                run.preparation,
            )
            reader = Reader(session, catalog, run.limits)
            results: tuple[Result, ...]
            if isinstance(text, str | Script):
                statements = StatementRun(
                    unit, reader, bindings, answered, run.on_missing, progress
                )
                results = tuple(statements.statement(one) for one in script.statements)
                refuse_owned(session.kinds, unit.changed(), unit.terms, unit.directory)
            else:
                results = (apply_changes(unit, decide_changes(unit, text)),)
            progress("keeping", 0, 0)
            refuse_disorder(unit, script)
            number = unit.commit(run.actor, run.request_id)
            if number is None:
                session.roll_back()  # nothing changed: no group, no term stays behind
        if unit.is_waiting:
            return None
        made = () if run.preparation is None else run.preparation.notices
        notices = notices_of(script, bindings, [*reader.notices, *unit.notices, *made])
        return Answer(results, notices, run.dry_run, None if run.dry_run else number)

    def transaction(self, *, dry_run: bool = False) -> AbstractContextManager[None]:
        """Let the calls of this thread be one transaction of the store: all of them or nothing.

        What they read is what they have written. A call that fails undoes itself, and the
        block too unless its error is caught inside; `dry_run` undoes it at the end. Others wait
        to write until then. The bytes of a purge inside leave the file as the outermost block ends.
        """
        return opened(self._store, self._store.together(dry_run, self.group_name))

    def snapshot(self) -> AbstractContextManager[None]:
        """Let what the calls of this thread read be one state of the store, as of the first.

        A write inside it is INVALID_ARGUMENT, except a dry run. A file keeps what others write
        meanwhile beside it, so a snapshot should be short.
        """
        return opened(self._store, self._store.reading(), only_reads=True)

    @property
    def is_in_block(self) -> bool:
        """Whether this task and thread are inside a block of `transaction` or `snapshot`."""
        return has_open(self._store) and self._store.is_inside()

    def search(
        self,
        term: str,
        kind: ElementKind | Literal["concept", "link"] | None = None,
        type: str | None = None,
        limit: int = DEFAULT_LIMIT,
        *,
        mode: str | None = None,
        threshold: float | None = None,
        cursor: str | None = None,
        as_of: AsOf | None = None,
    ) -> Answer:
        """Find the elements a plain text is about, best first: SEARCH as a call.

        `threshold` leaves out what scores less; `cursor` is `next_cursor` of an earlier answer
        to the same question.
        """
        query = search_query(term, kind, type, limit, (mode, threshold, cursor))
        with self._group.reader(as_of) as reader:
            return Answer((answered(reader, Bindings({}), query),), tuple(reader.notices))

    def explain(
        self, text: str, parameters: Mapping[str, Value] | None = None, *, as_of: AsOf | None = None
    ) -> Explanation:
        """Return how the one query of a text is answered: EXPLAIN as a call. It is run once."""
        with self._asked(text, parameters, as_of) as asked:
            if isinstance(asked.query, Export):
                raise not_only(asked.query.span, "a FIND, SEARCH or DESCRIBE")
            run = partial(answer, asked.reader, asked.bindings)
            found = explain(asked.reader, asked.bindings, asked.query, run)
            return replace(found, notices=asked.notices())

    def why(
        self,
        text: str,
        row: int | None = 0,
        parameters: Mapping[str, Value] | None = None,
        *,
        as_of: AsOf | None = None,
    ) -> Why:
        """Return the concepts and links that a row of a FIND stands on, and who wrote them.

        Rows count from 0. With None, what all rows of the page stand on, the first 1,000 of them:
        at most 2,000 elements. INVALID_ARGUMENT for a row that the answer does not have.
        """
        with self._asked(text, parameters, as_of) as asked:
            if not isinstance(asked.query, Find):
                raise not_only(asked.query.span, "a FIND")
            found = why(asked.reader, asked.query, asked.bindings, row)
            return replace(found, notices=asked.notices())

    def history(self, element: str | Key, *, as_of: AsOf | None = None) -> tuple[Life, ...]:
        """Return what an element was, step by step, with who changed it; closed ones too.

        A key names every life of that type and name, oldest first; an id those that had it.
        `as_of` ends the story there, or keeps the steps true then. KIP_3002 when nothing is,
        or was, called so.
        """
        with self._group.reader(as_of) as one:
            ids = elements_named(one.session, one.group, one.terms, element)
            return lives(one.session, one.group, one.terms, ids, one.moment)

    def changes(
        self, since: int = 0, limit: int = DEFAULT_TRANSACTIONS, *, most: int | None = None
    ) -> tuple[LoggedTransaction, ...]:
        """Return the transactions of the group after number `since`, oldest first.

        With `most` only so many changes of each are there, those of the oldest elements.
        """
        with self._group.reader() as one:
            return changes_after(one.session, one.group, one.terms, since, limit, most)

    def purge(
        self,
        what: str | tuple[str, ...] | Key | Found | Callable[[], tuple[str, ...]],
        *,
        dry_run: bool = False,
        actor: str | None = None,
        request_id: str | None = None,
    ) -> Receipt:
        """Erase elements by id, every life of a key, or what a FIND finds, for all times.

        A callable is asked for the ids in the same transaction: nobody else writes until its end.

        INVALID_ARGUMENT for an id that was given to another element after the first was deleted.
        Every link that ends in it goes too, living or closed, and theirs. The log keeps its
        digests, and the actors and request ids of its transactions. Afterwards no byte of the
        erased text is in the file. `dry_run` keeps everything. Cost: the file is rewritten.
        """
        text = what.text if isinstance(what, Found) else ""
        block = self.transaction(dry_run=dry_run) if callable(what) else nullcontext()
        with (
            left_indexes() as left,
            quoting(text),
            block,
            self._store.writing(dry_run, self.group_name) as session,
        ):
            catalog, last = self._group.for_writing(session)
            named = what() if callable(what) else what
            elements = elements_meant(session, catalog, self.limits, named, in_all_lives=True)
            unit = Unit(session, catalog.group, catalog.terms, last, self._group.time(session))
            request_id = request_id or self._group.request_id
            receipt = purge(unit, elements, actor, request_id, is_dry_run=dry_run)
            if not receipt.ids:
                session.roll_back()  # nothing to erase: no group stays behind
        return self._finished(receipt, left) if receipt.ids else receipt

    def drop_group(self, name: str, *, dry_run: bool = False) -> Receipt:
        """Erase a whole group: its elements, its log and its name; KIP_3002 for an unknown one.

        Afterwards no byte of it is in the file. Cost: the file is rewritten.
        """
        with left_indexes() as left, self._store.writing(dry_run, checked_name(name)) as session:
            receipt = purge_group(session, existing_group(session, name), is_dry_run=dry_run)
        return self._finished(receipt, left)

    def rewrite(self) -> str | None:
        """Make the file, or a server's tables, anew without what was removed; say what prevents it.

        It is for a server: the purge of a file does it. Nobody reads the tables meanwhile. Cost:
        all of the store.
        """
        return self._store.finish_erasure(is_whole=True)

    def verify(self, head: str | None = None, *, progress: Progress = silent) -> Audit:
        """Compute the group's log again from its rows, and report the first breach.

        `head` is one an earlier audit printed: it must still be in the log. Cost: every
        content of the group, current and past.
        """
        kept = None if head is None else parse_head(head)
        with self._store.reading() as session:
            return audit(session, self._group.catalog(session).group, kept, progress)

    def backup(self, path: str | PathLike[str], *, progress: Progress = silent) -> None:
        """Copy the whole store, all groups, to a file that is not there yet, as it is now.

        Others read and write meanwhile. INVALID_ARGUMENT when the file exists, and inside
        `transaction`.
        """
        self._store.back_up(named_file(path), progress)

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
        if all_groups:
            self._store.refuse_wall("the dump")
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

        What elements say is never touched. INVALID_ARGUMENT for `fix` inside `transaction`. Cost:
        every row of the store, several times, under the write lock.
        """
        return examine(self._store, fix=fix, progress=progress)

    def add_index(self, type: str, attribute: str, *, progress: Progress = silent) -> None:
        """Index an attribute of a concept type, so that FILTER finds its values; twice is once.

        Cost: every concept of the store, the first time.
        """
        with self._store.writing() as session:
            catalog, _ = self._group.for_writing(session)
            add_attribute_index(session, catalog.group.group_id, type, attribute, progress)

    def drop_index(self, type: str, attribute: str) -> None:
        """Take back an index of the group; INVALID_ARGUMENT when it has none such.

        Afterwards the attribute's name is in no index of the file. Cost: the file is rewritten.
        """
        dropped: list[bool] = []
        try:
            with self._store.writing() as session:
                catalog, _ = self._group.for_writing(session)
                drop_index(session, catalog.group.group_id, type, attribute)
                session.on_commit(lambda: dropped.append(True))
        finally:  # also where the index itself cannot go yet
            if dropped:
                self._group.catalogs.forget()
                self._store.finish_erasure()

    def set_schema(self, mode: SchemaMode, *, force: bool = False) -> Schema:
        """Make the group "strict", so that it takes only what it declares, or "open" again.

        KIP_2002 when something in it does not conform, unless `force`: then that may stay as it
        is until it is written again. It is for good, and for every process.
        """
        with self._store.writing(group=self.group_name) as session:
            set_schema_mode(session, self.group_name, mode, force=force)
        return self.declared.schema()

    def now(self) -> Instant:
        """Return the time of this memory: the clock, or the last transaction if later."""
        with self._store.reading() as session:
            return max(
                self._group.clock(),
                last_instant(session, self._group.catalog(session).group.group_id),
            )

    def stats(self, marks: int = 0) -> Stats:
        """Return the counts of this group and the size of the store.

        With `marks`, at most 1,000, also how many elements had been made at the end of so many
        stretches of its log, of equal length, but for those that made none. Cost: its whole log.
        """
        with self._store.reading() as session:
            return stats_of(self._store, session, self._group.catalog(session).group, marks)

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

    def _finished(self, receipt: Receipt, left: Sequence[RecollectError]) -> Receipt:
        """Return the receipt of a purge after its bytes have left the file, if they could."""
        receipt = with_index_notice(receipt, is_left=bool(left))
        self._group.catalogs.forget()
        obstacle = None if receipt.is_dry_run else self._store.finish_erasure()
        return receipt if obstacle is None else pending(receipt, obstacle)

    @contextmanager
    def _asked(
        self, text: str, parameters: Mapping[str, Value] | None, as_of: AsOf | None
    ) -> Iterator[AskedQuery]:
        """Open a snapshot for the one query of a text."""
        check_parameters(parameters or {}, self.limits.max_depth)
        with quoting(text):
            deadline = Deadline(self.limits.max_seconds)
            script = parsed(text, self.limits, deadline)
            query, *others = only_queries(script)
            if others:
                raise not_only(others[0].span, "one query")
            with self._store.reading() as session:
                reader = Reader(
                    session, self._group.catalog(session), self.limits, as_of, None, deadline
                )
                bindings = Bindings(parameters or {})
                if reader.group.is_strict:
                    refuse_undeclared(session, reader.group, query, bindings, reader.moment.known)
                yield AskedQuery(script, query, bindings, reader)


def answered(
    reader: Reader, bindings: Bindings, query: Query, origin: Origin | None = None
) -> Result:
    """Return the result of a query; `origin` is its text, if that holds nothing else.

    KIP_2001 for a type or predicate that a strict group has not declared.
    """
    reader.deadline.check()
    if reader.group.is_strict:
        refuse_undeclared(reader.session, reader.group, query, bindings, reader.moment.known)
    return answer(reader, bindings, query, origin)


def answer(
    reader: Reader, bindings: Bindings, query: Query, origin: Origin | None = None
) -> Result:
    """Return the result of a query, of which the caller has refused what is not declared.

    Outside of a write a warning names the rows that rest on what is not true now.
    """
    match query:
        case Find():
            rows = reader.find(query, bindings, origin)
            if rows.rows and reader.may_rest(query, bindings):
                reader.notices += resting(reader, query, bindings)
            return rows
        case Search():
            return hits(reader, bindings, query)
        case Export():
            return export(reader, bindings, query)
        case Explain():
            return explain(reader, bindings, query, partial(answer, reader, bindings))
        case _:
            return describe(reader, bindings, query)
