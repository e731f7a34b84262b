"""A group of a store as the writing tests use it: texts and changes in, rows out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from recollect.errors import Notice
from recollect.kernel.lang import ast, parse
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.store.group import Terms, create_group
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.write.batch import apply_changes
from recollect.kernel.write.found import delete_concept
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.upsert import OnMissing, apply_upsert
from recollect.model import LIVING, Change, DeleteReport, Instant, Result, UpsertReport


@dataclass(frozen=True)
class Written:
    """What one transaction answered."""

    reports: tuple[Result, ...]
    number: int | None
    notices: tuple[Notice, ...]

    @property
    def upsert(self) -> UpsertReport:
        (report,) = self.reports
        assert isinstance(report, UpsertReport)
        return report

    @property
    def delete(self) -> DeleteReport:
        (report,) = self.reports
        assert isinstance(report, DeleteReport)
        return report


class Memory:
    """One group of a store."""

    def __init__(self, store: SqliteStore, name: str = "default") -> None:
        self.store = store
        with store.writing() as session:
            self.group = create_group(session, name)
        self.terms = Terms(self.group.group_id)

    def write(
        self,
        *statements: str | Sequence[Change],
        now: int = 0,
        actor: str | None = None,
        request_id: str | None = None,
        is_dry_run: bool = False,
        on_missing: OnMissing = "skip",
    ) -> Written:
        """Run the statements in one transaction, flushing after each as a text with FIND does."""
        reports: list[Result] = []
        with self.store.writing(is_dry_run) as session:
            _, last = Catalogs().for_writing(session, self.group.name)
            unit = Unit(session, self.group, self.terms, last, Instant(now))
            for statement in statements:
                if not isinstance(statement, str):
                    reports.append(apply_changes(unit, statement))
                else:
                    trees = parse(statement).statements
                    reports.extend(_run(unit, tree, on_missing) for tree in trees)
                unit.flush()
            number = unit.commit(actor, request_id)
        return Written(tuple(reports), number, tuple(unit.notices))

    def rows(self, sql: str) -> list[SqlRow]:
        """Read with `:group` and `:living` bound."""
        with self.store.reading() as session:
            values = {"group": self.group.group_id, "living": LIVING}
            return session.rows(sql, {key: values[key] for key in values if f":{key}" in sql})

    def everything(self) -> dict[str, list[SqlRow]]:
        """Return all rows of all tables, the text index by what it finds."""
        tables = "counter grp tx change term concept link past tally text_past"
        found = {table: self.rows(f"SELECT * FROM {table}") for table in tables.split()}
        found["text_index"] = self.rows("SELECT rowid FROM text_index")
        return found

    def concepts(self) -> dict[str, tuple[object, object]]:
        """Return attributes and metadata of the living concepts, by "type name"."""
        sql = """
            SELECT t.text || ' ' || c.name, c.attributes, c.metadata
            FROM concept c JOIN term t ON t.group_id = c.group_id AND t.code = c.type
            WHERE c.group_id = :group AND c.expired_at = :living ORDER BY c.id
        """
        return {
            str(name): (orjson.loads(str(attributes)), orjson.loads(str(metadata)))
            for name, attributes, metadata in self.rows(sql)
        }

    def links(self) -> list[tuple[str, dict[str, object], dict[str, object]]]:
        """Return the living links as "subject predicate object", attributes and metadata."""
        sql = """
            SELECT l.id, l.subject, t.text, l.object, l.attributes, l.metadata
            FROM link l JOIN term t ON t.group_id = l.group_id AND t.code = l.predicate
            WHERE l.group_id = :group ORDER BY l.id
        """
        names = dict(self.rows("SELECT id, name FROM concept WHERE group_id = :group"))
        rows = self.rows(sql)
        living = {one for (one,) in self.rows("SELECT id FROM link WHERE expired_at = :living")}
        texts: dict[object, str] = {}
        for one, subject, predicate, target, *_ in rows:
            ends = [str(names.get(end) or f"({texts.get(end)})") for end in (subject, target)]
            texts[one] = f"{ends[0]} {predicate} {ends[1]}"
        return [
            (texts[one], orjson.loads(str(attributes)), orjson.loads(str(metadata)))
            for one, _, _, _, attributes, metadata in rows
            if one in living
        ]

    def tally(self) -> dict[tuple[str, str], int]:
        """Return the counts that are not zero, by kind and term."""
        sql = """
            SELECT y.kind, t.text, y.count
            FROM tally y JOIN term t ON t.group_id = y.group_id AND t.code = y.term
            WHERE y.group_id = :group AND y.count != 0
              AND y.kind IN ('concept', 'link', 'keyed', 'link_subjects', 'link_objects')
        """
        return {(str(kind), str(term)): int(str(count)) for kind, term, count in self.rows(sql)}


def _run(unit: Unit, tree: ast.Statement, on_missing: OnMissing) -> Result:
    if isinstance(tree, ast.Upsert):
        return apply_upsert(unit, tree, on_missing)
    assert isinstance(tree, ast.DeleteConcept)
    return delete_concept(unit, tree.pattern)
