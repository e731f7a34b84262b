"""Answers and errors as the JSON objects of KIP's response.

Its one rule: a response holds `result` or `error`, never both; `result` is always an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from recollect.errors import Notice, RecollectError
from recollect.model import (
    Answer,
    BatchReport,
    Cell,
    Concept,
    DeleteReport,
    Description,
    Element,
    Explanation,
    Hit,
    Hits,
    Link,
    Result,
    Rows,
    Skipped,
    UpsertReport,
)

Response = dict[str, object]
"""`{"result": {...}, "warnings"?: [...]}` or `{"error": {...}}`."""

Format = Literal["rows", "columns", "objects"]
"""How the rows of FIND are laid out."""


def success(answer: Answer, form: Format) -> Response:
    """Return the response to one text: its result, or one result per statement."""
    results = [_result(one, form, is_dry_run=answer.is_dry_run) for one in answer.results]
    body = results[0] if len(results) == 1 else {"statements": results}
    return with_warnings({"result": body}, answer.notices)


def failure(error: RecollectError) -> Response:
    """Return the response that says why nothing was done."""
    return {"error": error.to_wire()}


def with_warnings(response: Response, notices: Sequence[Notice]) -> Response:
    """Return the response with its warnings beside the result, if there are any."""
    if not notices:
        return response
    return {**response, "warnings": [notice.to_wire() for notice in notices]}


def _result(result: Result, form: Format, *, is_dry_run: bool) -> Response:
    match result:
        case Rows():
            return _rows(result, form)
        case Hits():
            return {"hits": [_hit(one) for one in result.hits]}
        case Description():
            return dict(result.body)
        case Explanation():
            return explanation_object(result)
        case UpsertReport() | DeleteReport() | BatchReport():
            report = _report(result)
            return {**report, "dry_run": True} if is_dry_run else report
        case _:
            assert_never(result)


def _rows(found: Rows, form: Format) -> Response:
    columns = list(found.columns)
    rows = [[cell_object(cell) for cell in row] for row in found.rows]
    match form:
        case "rows":
            return {"columns": columns, "rows": rows}
        case "columns":
            values = [[row[at] for row in rows] for at in range(len(columns))]
            return {"columns": columns, "values": values}
        case "objects":
            return {"objects": [dict(zip(columns, row, strict=True)) for row in rows]}
        case _:
            assert_never(form)


def _report(report: UpsertReport | DeleteReport | BatchReport) -> Response:
    match report:
        case UpsertReport():
            return {
                "blocks": report.blocks,
                "upsert_concept_nodes": list(report.concepts),
                "upsert_proposition_links": list(report.links),
                "created": report.created,
                "updated": report.updated,
                "skipped": [_skipped(one) for one in report.skipped],
            }
        case DeleteReport():
            counts: Response = dict(report.counts)
            return {**counts, "note": report.note} if report.note else counts
        case BatchReport():
            return {
                "ids": list(report.ids),
                "created": report.created,
                "updated": report.updated,
                "closed": report.closed,
            }
        case _:
            assert_never(report)


def _skipped(item: Skipped) -> Response:
    return {"handle": item.handle, "predicate": item.predicate, "target": item.target}


def _hit(hit: Hit) -> Response:
    return {"kind": hit.kind.value, "_score": hit.score, **element_object(hit.element)}


def explanation_object(explanation: Explanation) -> Response:
    """Return an explanation as JSON: texts, lists of lines, and counts."""
    return {
        "tree": explanation.tree,
        "written": list(explanation.written),
        "plan": list(explanation.plan),
        "rules": list(explanation.rules),
        "counts": dict(explanation.counts),
        "sql": explanation.sql,
        "parameters": dict(explanation.parameters),
        "engine": list(explanation.engine),
        "rows": explanation.rows,
        "steps": explanation.steps,
        "scanned": explanation.scanned,
    }


def cell_object(cell: Cell) -> object:
    """Return a cell of an answer as JSON."""
    match cell:
        case Concept() | Link():
            return element_object(cell)
        case list():
            return [element_object(one) if isinstance(one, Concept | Link) else one for one in cell]
        case _:
            return cell


def element_object(element: Element) -> Response:
    """Return an element as JSON."""
    match element:
        case Concept():
            return {
                "id": element.id,
                "type": element.type,
                "name": element.name,
                "attributes": dict(element.attributes),
                "metadata": dict(element.metadata),
            }
        case Link():
            return {
                "id": element.id,
                "subject": element.subject,
                "predicate": element.predicate,
                "object": element.object,
                "attributes": dict(element.attributes),
                "metadata": dict(element.metadata),
            }
        case _:
            assert_never(element)
