"""Answers and errors as the JSON objects of KIP's response.

Its one rule: a response holds `result` or `error`, never both; except in the layout of the release
candidates, `result` is always an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from recollect.errors import Notice, RecollectError
from recollect.faces.kip.columnar import columnar
from recollect.faces.kip.objects import (
    cell_object,
    explanation_object,
    exported_object,
    hit_object,
    report_object,
)
from recollect.model import (
    Answer,
    BatchReport,
    DeleteReport,
    Description,
    Explanation,
    Exported,
    Hits,
    MergeReport,
    Result,
    Rows,
    UpdateReport,
    UpsertReport,
)

Response = dict[str, object]
"""`{"result": {...}, "warnings"?: [...]}` or `{"error": {...}}`."""

Format = Literal["rows", "columns", "objects"]
"""How answers are laid out: rows of FIND as arrays or as objects, or all as RC11 has them."""


def success(answer: Answer, form: Format) -> Response:
    """Return the response to one text: its result, or one result per statement."""
    if form == "columns":
        return with_warnings(columnar(answer), answer.notices)
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
            hits = [hit_object(one) for one in result.hits]
            return _page({"hits": hits}, result.next_cursor)
        case Description():
            return dict(result.body)
        case Explanation():
            return explanation_object(result)
        case Exported():
            return exported_object(result)
        case UpsertReport() | UpdateReport() | MergeReport() | DeleteReport() | BatchReport():
            report = report_object(result)
            return {**report, "dry_run": True} if is_dry_run else report
        case _:
            assert_never(result)


def _rows(found: Rows, form: Format) -> Response:
    columns = list(found.columns)
    rows = [[cell_object(cell) for cell in row] for row in found.rows]
    if form == "objects":
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        return _page({"objects": objects}, found.next_cursor)
    return _page({"columns": columns, "rows": rows}, found.next_cursor)


def _page(body: Response, next_cursor: str | None) -> Response:
    return body if next_cursor is None else {**body, "next_cursor": next_cursor}
