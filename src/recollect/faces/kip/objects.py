"""The parts of an answer as JSON: elements, cells, reports.

Its one rule: every field has the name that the specification gives it, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from recollect.model import (
    AlsoHolds,
    BatchReport,
    Cell,
    Concept,
    DeleteReport,
    Element,
    Ended,
    Explanation,
    Exported,
    Hit,
    Link,
    MergeReport,
    Report,
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
