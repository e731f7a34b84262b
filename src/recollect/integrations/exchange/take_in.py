"""A file taken in: checked as a whole, then written in one transaction, or refused.

The rule: nothing is written before every line was read, and nothing stays of a run that fails,
is cancelled or is dry. Memory: some thousand records, whatever the size of a file of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Final, TypedDict, Unpack

from recollect.errors import CANCELLED, Hint, RecollectError, ToDo, refused
from recollect.faces.kip.capsules import import_capsules, read_capsules
from recollect.faces.kip.maintenance import both_hold
from recollect.integrations.exchange.formats import KIP, WHOLE, Reader, format_of, reader_of
from recollect.integrations.exchange.records import (
    DEFAULT_TYPE,
    Account,
    Bad,
    Bond,
    Left,
    Mapped,
    Mapper,
    Record,
    StatementRecord,
    Thing,
)
from recollect.integrations.exchange.report import ImportReport, ImportTally
from recollect.integrations.exchange.source import Source
from recollect.kernel import Nexus
from recollect.model import BatchReport, Progress, silent
from recollect.node import dataclass, replace

Cancelled = Callable[[], bool]
"""Whether the caller has taken the call back."""

_AT_ONCE: Final = 1_000  # records written together
_MOST_BAD: Final = 10  # lines that an error names
_NOT_OF_THE_FILE: Final = frozenset({"storage", "embedding", "bug"})
"""Categories of errors that no line of a file is to blame for."""


def never() -> bool:
    """Tell that nobody takes the call back."""
    return False


class TakingIn(TypedDict, total=False):
    """How a file is taken in, for whom, and who is told of it."""

    type: str
    skip_bad: bool
    actor: str | None
    request_id: str | None
    progress: Progress
    cancelled: Cancelled


def take_in(
    nexus: Nexus,
    path: str | PathLike[str] | int,
    *,
    format: str = "auto",
    source: str | None = None,
    dry_run: bool = False,
    name: str | None = None,
    **how: Unpack[TakingIn],
) -> ImportReport:
    """Read a file into a group, all of it or nothing, and return what it did.

    `format` is one of FORMATS, or "auto"; `source` what the records are said to come from, else
    the name of the file; `type` that of things which the file gives none. `skip_bad` leaves out
    what cannot be read, unless that is everything. `path` may be the descriptor of a file that is
    open, which stays so. `name` is what the file is called in errors. INVALID_ARGUMENT names the
    lines that cannot be read, CANCELLED tells that `cancelled()` was true. Taken in again, a file
    changes nothing.
    """
    opened = path if isinstance(path, int) else Path(path)
    file = Source.of(opened, name or str(opened))
    chosen = format_of(file, format)
    told_source = source or Path(file.name).name
    reader = None if chosen == KIP else reader_of(chosen)
    run = _Run(nexus, file, **how)
    if run.type in nexus.kinds.owned:
        told = f'the type "{run.type}" is only written by calls of its own'
        raise refused(told, "use another, such as Entity")
    if reader is not None and chosen in WHOLE:
        reader = run.read_once(reader)
    if reader is not None:
        run.check(reader)
    began = nexus.now()
    with nexus.transaction(dry_run=dry_run):
        tally = ImportTally.of(nexus)
        if reader is None:
            run.capsules(tally)
        else:
            run.write(reader, Mapper(nexus, told_source), tally)
        if tally.refused is not None and tally.is_useless:
            raise _nothing_of(file, tally.refused)
        tally.read_log(nexus)
        tally.notices += both_hold(nexus, began)
        run.refuse_cancelled()
    return ImportReport(
        path=file.name,
        format=chosen,
        source=told_source,
        is_dry_run=dry_run,
        records=tally.records,
        concepts=tally.concepts(),
        links=tally.links(),
        skipped=tally.skipped(),
        warnings=tally.warnings(),
    )


@dataclass(slots=True)
class _Run:
    """One file on its way into one group."""

    nexus: Nexus
    file: Source
    type: str = DEFAULT_TYPE
    skip_bad: bool = False
    actor: str | None = None
    request_id: str | None = None
    progress: Progress = silent
    cancelled: Cancelled = never

    def read_once(self, reader: Reader) -> Reader:
        """Return a reader of what a file says that is held in memory anyway."""
        records = [one for chunk in self._chunks(reader, "reading") for one in chunk]
        return lambda *_: iter(records)

    def check(self, reader: Reader) -> None:
        """Read all of the file; INVALID_ARGUMENT for lines that cannot be read."""
        bad: list[Bad] = []
        for chunk in self._chunks(reader, "checking"):
            bad += [one for one in chunk if isinstance(one, Bad)]
            if len(bad) > _MOST_BAD:
                break
        if bad and not self.skip_bad:
            raise self._refused(bad)

    def write(self, reader: Reader, mapper: Mapper, tally: ImportTally) -> None:
        """Write the concepts of the file, then its links, which may stand before them."""
        for step, are_concepts in (("concepts", True), ("links", False)):
            for chunk in self._chunks(reader, step):
                wanted = [one for one in chunk if _is_concept(one) is are_concepts]
                for one in wanted:
                    if isinstance(one, Bad) and not self.skip_bad:
                        raise self._refused([one])  # the file has changed since it was checked
                    tally.meet(one)
                self._put(wanted, mapper, tally)

    def capsules(self, tally: ImportTally) -> None:
        """Run the capsules of a KIP text."""
        lines = 0
        for text in read_capsules(self._text_lines()):
            with self._named(lines):
                for _ in import_capsules(
                    self.nexus,
                    [text],
                    actor=self.actor,
                    request_id=self.request_id,
                    notices=tally.notices,
                ):
                    tally.records += 1
            lines += text.count("\n")
            self.progress("capsules", self.file.done, self.file.size)
            self.refuse_cancelled()

    def refuse_cancelled(self) -> None:
        """Raise CANCELLED once the caller has taken the call back."""
        if self.cancelled():
            raise CANCELLED.error(
                "the import was cancelled, and nothing of it is kept", "run it again"
            )

    @contextmanager
    def _named(self, lines: int) -> Iterator[None]:
        """Let an error of a capsule name the file, and its place among the lines of that.

        `lines` of the file stand before the capsule; an error reads them again.
        """
        try:
            yield
        except RecollectError as error:
            if error.code.category in _NOT_OF_THE_FILE:
                raise
            if error.span is not None:
                error = error.after("".join(islice(self._text_lines(), lines)))
            raise replace(error, message=f"{self.file.name}: {error.message}") from error

    def _text_lines(self) -> Iterator[str]:
        for number, line in self.file.lines():
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise self._refused([Bad(number, "is not UTF-8")]) from error

    def _chunks(self, reader: Reader, step: str) -> Iterator[list[Record]]:
        records = iter(reader(self.file, self.type))
        self.progress(step, 0, self.file.size)
        while chunk := list(islice(records, _AT_ONCE)):
            self.refuse_cancelled()
            self.progress(step, self.file.done, self.file.size)
            yield chunk
        self.progress(step, self.file.size, self.file.size)

    def _put(self, records: Sequence[Record], mapper: Mapper, tally: ImportTally) -> None:
        """Write records as one batch, or one by one where something in it is refused."""
        try:
            mapped = mapper.mapped(records)
            self._write(mapped, mapper, tally)
        except RecollectError as error:
            if error.code.category in _NOT_OF_THE_FILE:
                raise
            mapped = [self._put_one(one, mapper, tally) for one in records]
        for one in mapped:
            if one.reason:
                tally.skip(one.record, one.reason)

    def _put_one(self, record: Record, mapper: Mapper, tally: ImportTally) -> Mapped:
        try:
            (mapped,) = mapper.mapped([record])
            self._write([mapped], mapper, tally)
        except RecollectError as error:
            if not self.skip_bad:
                raise self._refused([Bad(record.line, error.message)]) from error
            return Mapped(Bad(record.line, error.message), reason=error.message)
        return mapped

    def _write(self, mapped: Sequence[Mapped], mapper: Mapper, tally: ImportTally) -> None:
        changes = [change for one in mapped for change in one.changes]
        if not changes:
            return
        answer = self.nexus.write(changes, actor=self.actor, request_id=self.request_id)
        tally.notices += answer.notices
        report = answer.only(BatchReport)
        ids = iter(report.ids)
        for one in mapped:
            made = list(islice(ids, len(one.changes)))
            if isinstance(one.record, Thing | StatementRecord | Bond) and made and one.record.id:
                mapper.call(one.record.id, made[-1])

    def _refused(self, bad: Sequence[Bad]) -> RecollectError:
        first, *others = bad
        more = ""
        if others:
            lines = ", ".join(str(one.line) for one in others[: _MOST_BAD - 1])
            more = f"; nor can lines {lines}" if len(others) > 1 else f"; nor can line {lines}"
        return refused(
            f"{self.file.name}: line {first.line} cannot be imported: {first.reason}{more}",
            Hint("mend it, or pass skip_bad=True to leave it out", ToDo.MEND_OR_SKIP),
            details={
                "lines": [{"line": one.line, "reason": one.reason} for one in bad[:_MOST_BAD]]
            },
        )


def _nothing_of(file: Source, first: Bad) -> RecollectError:
    return refused(
        f"nothing in {file.name} can be imported; line {first.line}: {first.reason}",
        "mend it, or name the format it is in",
        details={"lines": [{"line": first.line, "reason": first.reason}]},
    )


def _is_concept(record: Record) -> bool:
    return isinstance(record, Thing | Account | Left | Bad)
