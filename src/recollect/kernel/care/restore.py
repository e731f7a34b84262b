"""Groups read back from a dump: the same ids, clocks, past and log, or nothing at all.

What follows from the rest is made anew: counts, the text index, declared indexes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import orjson

from recollect.errors import INTERNAL_ERROR, RecollectError, refused
from recollect.kernel.care.dump_format import COPYING, GROUP, TERM, DumpLine
from recollect.kernel.care.dump_lines import Read, fault, read_lines
from recollect.kernel.care.examination import examine_group
from recollect.kernel.care.recount import recount
from recollect.kernel.search.tokens import rebuild
from recollect.kernel.store.cells import SqlValue, text
from recollect.kernel.store.group import Group, create_group, load_group, make_stale
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.copies import HOLDS, STAND
from recollect.kernel.store.statements.counts import RAISE_IDS, TAKEN
from recollect.kernel.write.attribute_indexes import settle_indexes
from recollect.kernel.write.validation import set_name_keys
from recollect.model import Progress

_AT_ONCE = 2_000  # rows written together
_BYTES_AT_ONCE = 2**24  # of their lines


def restore_dump(session: Session, stream: BinaryIO, progress: Progress) -> list[str]:
    """Write the groups of a dump inside a write transaction and return their names.

    INVALID_ARGUMENT, naming the line, for a group that is not empty, for ids that are in use in the
    store, and for anything but a whole dump; the caller then rolls all of it back. Memory: some
    thousand rows, whatever the size.
    """
    restoring = _Restoring(session)
    for chunk in _chunks(read_lines(stream)):
        restoring.put(chunk)
        progress("rows", restoring.rows, restoring.rows)
    session.execute_many(RAISE_IDS, [{}])
    session.count_rows()
    for done, group in enumerate(restoring.groups, 1):
        _complete(session, group, progress)
        progress("groups", done, len(restoring.groups))
    return [group.name for group in restoring.groups]


def _complete(session: Session, group: Group, progress: Progress) -> None:
    """Check what was read of a group, by itself and against its log; make what follows."""
    for finding in examine_group(session, group, progress):
        what = "does not agree with its log" if finding.check == "log" else "does not hold together"
        raise refused(
            f'the dump of the group "{group.name}" {what}: {finding.message}',
            "dump the memory again",
        )
    set_name_keys(session, group.group_id)
    recount(session, group.group_id)
    rebuild(session, group.group_id, progress)
    settle_indexes(session)


class _Restoring:
    """The group whose lines are being read, and what came before."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._codes: dict[SqlValue, SqlValue] = {}  # of the terms of the last group
        self.groups: list[Group] = []
        self.rows = 0

    def put(self, chunk: list[Read]) -> None:
        """Write lines of one kind."""
        line = chunk[0].line
        if line is GROUP:
            for read in chunk:
                self._begin(read)
            return
        if not self.groups:
            raise fault(chunk[0].place, "it comes before the first group")
        if line is TERM:
            self._codes.update((term, code) for term, code in (one.row for one in chunk))
        if line.table in ("concept", "link"):
            self._refuse_taken(chunk)
        group_id = self.groups[-1].group_id
        rows = [(group_id, *self._coded(line, read)) for read in chunk]
        try:
            self._session.execute_many(COPYING[line].put, rows)
        except RecollectError as error:
            if error.code is not INTERNAL_ERROR:
                raise
            raise fault(
                chunk[0].place, "this line, or one soon after it, repeats an earlier line"
            ) from error
        self.rows += len(chunk)

    def _begin(self, read: Read) -> None:
        """Begin a group, which must not hold anything yet."""
        given, id_bits, number, at, chain = read.row
        session, name = self._session, text(given)
        is_new = load_group(session, name) is None
        group = create_group(session, name)
        if not is_new and session.row(HOLDS, {"group": group.group_id}) != (0,):
            raise refused(
                f'the group "{name}" is not empty, and a dump is restored into an empty one',
                "restore into a new memory",
            )
        if not is_new:
            make_stale(session, group.group_id)  # what is cached of it has other id bits
        stand = {"id_bits": id_bits, "number": number, "at": at, "chain": chain}
        session.execute_many(STAND, [stand | {"group": group.group_id}])
        restored = load_group(session, group.name)
        assert restored is not None
        self._codes = {}
        self.groups.append(restored)

    def _refuse_taken(self, chunk: list[Read]) -> None:
        """Refuse ids that other groups of the store have: they are one for all groups."""
        ids = orjson.dumps([read.row[0] for read in chunk]).decode()
        if self._session.row(TAKEN, {"ids": ids, "group": self.groups[-1].group_id}) != (0,):
            raise refused(
                "ids of the dump are in use in this store, and a dump keeps its ids",
                "dump each group by itself, with --group, and restore it into one file each",
                details={"line": chunk[0].place},
            )

    def _coded(self, line: DumpLine, read: Read) -> Iterator[SqlValue]:
        for field, cell in zip(line.fields, read.row, strict=True):
            if not field.kind.is_term:
                yield cell
            elif cell in self._codes:
                yield self._codes[cell]
            else:
                raise fault(read.place, f"{field.name} is not a term of the group")


def _chunks(lines: Iterator[Read]) -> Iterator[list[Read]]:
    """Yield the lines in runs of one kind."""
    chunk: list[Read] = []
    size = 0
    for read in lines:
        is_full = len(chunk) == _AT_ONCE or size > _BYTES_AT_ONCE
        if chunk and (is_full or read.line is not chunk[0].line):
            yield chunk
            chunk, size = [], 0
        chunk.append(read)
        size += read.size
    if chunk:
        yield chunk
