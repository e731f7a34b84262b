"""The statements of one text, run one after another in one write transaction.

The rule: each sees what the ones before it did, queries too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, bind_values
from recollect.kernel.read.reader import Reader
from recollect.kernel.schema.definitions import refuse_undeclared
from recollect.kernel.write.conformance import refuse_nonconforming
from recollect.kernel.write.found import (
    apply_merge,
    apply_update,
    delete_concept,
    delete_concepts,
    delete_elements,
    remove_keys,
)
from recollect.kernel.write.identity import tell_namesakes
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.upsert import OnMissing, apply_upsert
from recollect.kernel.write.validation import refuse_protected, removable_key
from recollect.model import Progress, Result


class StatementRun:
    """The statements of one text inside one write transaction."""

    def __init__(
        self,
        unit: Unit,
        reader: Reader,
        bindings: Bindings,
        answered: Callable[[Reader, Bindings, ast.Query], Result],
        on_missing: OnMissing,
        progress: Progress,
    ) -> None:
        """`answered` tells what a query of the text finds."""
        self._unit = unit
        self._reader = reader
        self._bindings = bindings
        self._answered = answered
        self._on_missing = on_missing
        self._progress = progress

    def statement(self, statement: ast.Statement) -> Result:
        """Run one statement; it sees what the ones before it did.

        KIP_2001 in a strict group for a type or predicate that is not declared; an UPSERT may
        declare what it uses.
        """
        if isinstance(statement, ast.Query):
            self._unit.flush()
            return self._answered(self._reader, self._bindings, statement)
        declares = isinstance(statement, ast.Upsert)
        if self._unit.group.is_strict and not declares:
            self._refuse_undeclared(statement)
        result = self._result(statement)
        if self._unit.group.is_strict and declares:
            self._refuse_undeclared(statement)
        return result

    def _result(self, statement: ast.Mutation) -> Result:
        match statement:
            case ast.Upsert():
                tree = bind_values(statement, self._bindings)
                return apply_upsert(self._unit, tree, self._on_missing, self._progress)
            case ast.DeleteKeys():
                keys = [
                    removable_key(self._bindings.key(key), statement.section, key.span)
                    for key in statement.keys
                ]
                ids = self._targets(statement)
                return remove_keys(self._unit, ids, statement.section, keys)
            case ast.DeleteLinks():
                return delete_elements(self._unit, self._targets(statement))
            case ast.DeleteConcept():
                return delete_concept(self._unit, bind_values(statement.pattern, self._bindings))
            case ast.DeleteConcepts():
                ids = self._named(statement, statement.target, "DELETE CONCEPT")
                return delete_concepts(self._unit, ids, statement.target)
            case ast.Update():
                return self._update(statement)
            case ast.MergeConcepts():
                sources = self._named(statement, statement.source, "MERGE")
                targets = self._named(statement, statement.target, "MERGE")
                merge = bind_values(statement, self._bindings)
                return apply_merge(self._unit, merge, self._reader.terms, sources, targets)
            case _:
                assert_never(statement)

    def _refuse_undeclared(self, statement: ast.Mutation) -> None:
        self._unit.flush()
        refuse_undeclared(self._unit.session, self._unit.group, statement, self._bindings)

    def _update(self, statement: ast.Update) -> Result:
        limit = statement.limit
        most = None if limit is None else self._bindings.whole(limit, "LIMIT")
        ids = self._named(statement, statement.target, "UPDATE", most)
        return apply_update(self._unit, bind_values(statement, self._bindings), ids)

    def _named(
        self,
        statement: ast.Update | ast.MergeConcepts | ast.DeleteConcepts,
        variable: ast.Variable,
        words: str,
        limit: int | None = None,
    ) -> list[int]:
        self._unit.flush()
        return self._reader.named(statement.where, variable, self._bindings, words, limit)

    def _targets(self, statement: ast.DeleteKeys | ast.DeleteLinks) -> list[int]:
        self._unit.flush()
        links_only = isinstance(statement, ast.DeleteLinks)
        return self._reader.targets(
            statement.where, statement.target, self._bindings, links_only=links_only
        )


def refuse_disorder(unit: Unit, script: ast.Script) -> None:
    """Refuse what the whole transaction would do to protected concepts, or to a strict schema.

    What it makes beside others of the same name is told. `script` is the text that wrote; an empty
    one for a batch of changes.
    """
    unit.flush()
    refuse_protected(unit.terms, unit.directory, unit.changed(), script)
    if unit.group.is_strict:
        refuse_nonconforming(unit, unit.changed(), script)
    tell_namesakes(unit)
