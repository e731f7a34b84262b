"""DELETE: which elements a WHERE means, and what goes with them.

The target is the variable that is named, else the only clause that matches an element, else
the only one with a variable; anything else is refused rather than guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.reference.evaluate import Evaluator, unbound
from tests.reference.facts import moved
from tests.reference.find import solutions
from tests.reference.graph import Graph, Link
from tests.reference.mentions import Kind, kinds, name_targets
from tests.reference.patterns import Patterns
from tests.reference.update import found_by
from tests.reference.values import Parameters, resolve

from recollect.errors import CONSTRAINT_VIOLATION, INVALID_SYNTAX, RecollectError
from recollect.kernel.lang import ast
from recollect.model import Value

Counts = dict[str, int]
Match = ast.ConceptClause | ast.LinkClause

UNNAMED = ast.Variable("the target")


def delete(
    graph: Graph,
    statement: ast.DeleteKeys | ast.DeleteLinks | ast.DeleteConcept | ast.DeleteConcepts,
    parameters: Parameters,
) -> tuple[Graph, Counts]:
    """Return the graph afterwards and the counts of the report."""
    after = graph.copy()
    match statement:
        case ast.DeleteKeys():
            return after, _delete_keys(after, statement, parameters)
        case ast.DeleteLinks():
            found = _targets(after, statement, parameters)
            if any(one.id in found for one in after.concepts):
                raise RecollectError(
                    INVALID_SYNTAX, "the target of DELETE PROPOSITIONS is a concept"
                )
            _, links = after.remove(found)
            return after, {"deleted_propositions": links}
        case ast.DeleteConcepts():
            found = found_by(after, statement.where, statement.target, parameters)
            if any(one.id in found for one in after.links):
                raise RecollectError(INVALID_SYNTAX, "the target of DELETE CONCEPT is a link")
            concepts, links = after.remove(found)
            return after, {"deleted_concepts": concepts, "deleted_propositions": links}
        case ast.DeleteConcept():
            matching = Patterns(after, parameters).concepts(statement.pattern)
            gone = after.remove([matching[0].id]) if len(matching) == 1 else (0, 0)
            return after, {"deleted_concepts": gone[0], "deleted_propositions": gone[1]}


def _delete_keys(graph: Graph, statement: ast.DeleteKeys, parameters: Parameters) -> Counts:
    counts = {"updated_concepts": 0, "updated_propositions": 0}
    keys = [str(resolve(one, parameters)) for one in statement.keys]
    if statement.section is ast.Section.METADATA and any(one.startswith("_") for one in keys):
        raise RecollectError(CONSTRAINT_VIOLATION, "the key is reserved")
    for id in _targets(graph, statement, parameters):
        element = graph.element(id)
        held: dict[str, Value] = element.attributes
        if statement.section is ast.Section.METADATA:
            held = element.metadata
        present = [str(key) for key in keys if key in held]
        for key in present:
            del held[key]
        if statement.section is ast.Section.METADATA:
            element.valid = moved(element.valid, dict.fromkeys(present))
        if present:
            is_link = isinstance(element, Link)
            counts["updated_propositions" if is_link else "updated_concepts"] += 1
    return counts


def _targets(
    graph: Graph, statement: ast.DeleteKeys | ast.DeleteLinks, parameters: Parameters
) -> list[int]:
    """Return the elements the statement is about, each once."""
    where = name_targets(statement.where)
    if statement.target is not None:
        name = statement.target.name
    else:
        where, name = _target(where, only_links=isinstance(statement, ast.DeleteLinks))
    scope, rows = solutions(where, Evaluator(graph, parameters))
    if name not in scope:
        raise unbound([name])
    if kinds(where)[name] is Kind.VALUE:
        raise RecollectError(INVALID_SYNTAX, f"?{name} is a value, which nothing is deleted from")
    return [one for one in dict.fromkeys(row[name] for row in rows) if isinstance(one, int)]


def _target(where: Sequence[ast.Clause], only_links: bool) -> tuple[tuple[ast.Clause, ...], str]:
    """Return the clauses with the target named, and its name."""
    matches: list[Match] = [
        one
        for one in where
        if isinstance(one, ast.LinkClause)
        or (isinstance(one, ast.ConceptClause) and not only_links)
    ]
    if len(matches) != 1:
        matches = [one for one in matches if one.variable and " " not in one.variable.name]
    if len(matches) != 1:
        raise RecollectError(INVALID_SYNTAX, "the target is not clear: name one clause")
    target = matches[0].variable or UNNAMED
    named = (replace(one, variable=target) if one is matches[0] else one for one in where)
    return tuple(named), target.name
