"""Answers and errors as the JSON objects of KIP's response; elements, cells and reports in it.

The rule: a response holds `result` or `error`, never both; every field has the name that the
specification gives it, in its order. Except in the layout of the release candidates, `result` is
always an object. In that one, `format="columns"`, a result is what the statement asks for and
nothing around it, so it may be an array or a number; the cursor of the next page is beside it. KIP
1.0-RC11, section 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

from recollect.errors import Notice, RecollectError
from recollect.model import (
    AlsoHolds,
    Answer,
    BatchReport,
    Cell,
    Concept,
    DeleteReport,
    Description,
    Element,
    Ended,
    Explanation,
    Exported,
    Hit,
    Hits,
    Link,
    MergeReport,
    Report,
    Result,
    Rows,
    Skipped,
    UpdateReport,
    UpsertReport,
    instant_text,
)

Object = dict[str, object]


def report_object(report: Report) -> Object:
    """Return what a write did as JSON: counts, and ids."""
    match report:
        case UpsertReport():
            upserted: Object = {
                "blocks": report.blocks,
                "upsert_concept_nodes": list(report.concepts),
                "upsert_proposition_links": list(report.links),
                "created": report.created,
                "updated": report.updated,
                "skipped": [_skipped(one) for one in report.skipped],
            }
            return upserted | also_holds_object(report.also_holds)
        case UpdateReport():
            return {"updated": report.updated, "matched": report.matched}
        case MergeReport():
            return {
                "merged": True,
                "links_repointed": report.links_repointed,
                "links_deduplicated": report.links_deduplicated,
                "attributes_filled": report.attributes_filled,
            }
        case DeleteReport():
            counts: Object = dict(report.counts)
            return {**counts, "note": report.note} if report.note else counts
        case BatchReport():
            put: Object = {
                "ids": list(report.ids),
                "created": report.created,
                "updated": report.updated,
                "closed": report.closed,
            }
            return put | ended_object(report.ended) | also_holds_object(report.also_holds)
        case _:
            assert_never(report)


def also_holds_object(links: Sequence[AlsoHolds]) -> Object:
    """Return what goes on beside what was written as a member of its report, if anything does."""
    held = [
        {"id": one.id, "line": one.line}
        | ({} if one.since is None else {"since": instant_text(one.since)})
        | ({} if one.until is None else {"until": instant_text(one.until)})
        for one in links
    ]
    return {"also_holds": held} if held else {}


def ended_object(links: Sequence[Ended]) -> Object:
    """Return what a write has ended as a member of its report, if anything."""
    ended = [
        {"id": one.id, "line": one.line, "at": instant_text(one.at), "closed": one.is_closed}
        for one in links
    ]
    return {"ended": ended} if ended else {}


def exported_object(result: Exported) -> Object:
    """Return a capsule as JSON, with the cursor of the next one."""
    page: Object = {
        "capsule": result.capsule,
        "concepts": result.concepts,
        "propositions": result.links,
    }
    return page if result.next_cursor is None else {**page, "next_cursor": result.next_cursor}


def _skipped(item: Skipped) -> Object:
    return {"handle": item.handle, "predicate": item.predicate, "target": item.target}


def hit_object(hit: Hit) -> Object:
    """Return what a search found as JSON: the element, with its kind and score."""
    standing = {"_standing": hit.standing} if hit.standing else {}
    return {"kind": hit.kind.value, "_score": hit.score, **standing, **element_object(hit.element)}


def explanation_object(explanation: Explanation) -> Object:
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


def element_object(element: Element) -> Object:
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


def columnar(answer: Answer) -> Object:
    """Return the response to one text: one for several UPSERTs, else an array of responses.

    `blocks` counts the UPSERT statements; a dry run does not name the elements it would make.
    """
    upserts = [one for one in answer.results if isinstance(one, UpsertReport)]
    if upserts and len(upserts) == len(answer.results):
        return {"result": _upserts(upserts, is_dry_run=answer.is_dry_run)}
    responses = [_response(one, is_dry_run=answer.is_dry_run) for one in answer.results]
    return responses[0] if len(responses) == 1 else {"result": responses}


def _response(result: Result, *, is_dry_run: bool) -> Object:
    match result:
        case Rows():
            return _paged(_columns(result), result.next_cursor)
        case Hits():
            return _paged([_hit(one) for one in result.hits], result.next_cursor)
        case Description():
            return _paged(_described(result), result.body.get("next_cursor"))
        case Exported():
            page = exported_object(result)
            cursor = page.pop("next_cursor", None)
            return _paged(page, cursor)
        case Explanation():
            return {"result": explanation_object(result)}
        case UpsertReport():
            return {"result": _upserts([result], is_dry_run=is_dry_run)}
        case UpdateReport() | MergeReport() | DeleteReport() | BatchReport():
            report = report_object(result)
            return {"result": {**report, "dry_run": True} if is_dry_run else report}
        case _:
            assert_never(result)


def _paged(result: object, next_cursor: object) -> Object:
    return {"result": result} | ({} if next_cursor is None else {"next_cursor": next_cursor})


def _columns(found: Rows) -> object:
    """Return an array for each column, or the only one; of one group of all, their values."""
    columns: list[object] = [
        [cell_object(row[at]) for row in found.rows] for at in range(len(found.columns))
    ]
    if found.is_total:
        (row,) = found.rows or [(None,) * len(columns)]  # LIMIT 0 leaves none
        columns = [cell_object(cell) for cell in row]
    return columns[0] if len(columns) == 1 else columns


def _hit(hit: Hit) -> Object:
    element = element_object(hit.element)
    told = {"_score": hit.score} | ({"_standing": hit.standing} if hit.standing else {})
    return {**element, "metadata": {**hit.element.metadata, **told}}


def _described(description: Description) -> object:
    """Return names for a list of types, and the concept that defines a type for a type."""
    match description.body:
        case {"items": list() as items} if description.is_of_names:
            return [one["name"] for one in items if isinstance(one, dict)]
        case {"items": list() as items}:
            return items
        case {"domain_map": list() as domains} as primer:
            return {**primer, "total_domains": len(domains)}
        case {"definition": definition}:
            return definition
        case body:
            return dict(body)


def _upserts(reports: Sequence[UpsertReport], *, is_dry_run: bool) -> Object:
    """Return what several UPSERTs did as one report."""
    parts = [report_object(one) for one in reports]
    whole: Object = {"blocks": len(reports)}
    for name in ("upsert_concept_nodes", "upsert_proposition_links"):
        whole[name] = [] if is_dry_run else _joined(parts, name)
    whole["created"] = sum(one.created for one in reports)
    whole["updated"] = sum(one.updated for one in reports)
    whole["skipped"] = _joined(parts, "skipped")
    whole |= also_holds_object([held for one in reports for held in one.also_holds])
    return {**whole, "dry_run": True} if is_dry_run else whole


def _joined(parts: Sequence[Object], name: str) -> list[object]:
    return [item for part in parts for item in _listed(part[name])]


def _listed(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


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
