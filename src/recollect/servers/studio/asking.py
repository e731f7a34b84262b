"""Ask: one box for plain words and for KIP.

The rule: what begins like KIP is KIP, everything else is a question. A text that only reads is run
as it is asked, and its address is the question; one that writes is tried first, and kept after that
alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import orjson

from recollect.errors import Notice, RecollectError, refused
from recollect.faces.claims import Claim
from recollect.faces.claims.records import claims_of
from recollect.kernel import Nexus, Script, parse_text
from recollect.model import (
    AsOf,
    Cell,
    Concept,
    Dated,
    Description,
    Element,
    Explanation,
    Exported,
    Hits,
    Key,
    Kinds,
    Link,
    Progress,
    PutConcept,
    Result,
    Rows,
    Value,
)
from recollect.node import dataclass, field, replace
from recollect.servers.studio.home import about_types, described
from recollect.servers.studio.shown import Shown, ends_of, line_of, name_of, shown_of
from recollect.servers.studio.steps import PageStep, Replaced, replaced_of, steps_of
from recollect.servers.studio.trying import Tried, tried
from recollect.servers.studio.visit import (
    Answered,
    Away,
    Download,
    Route,
    StudioPage,
    Visit,
    required,
)
from recollect.servers.studio.working import Working

SAVED: Final = "SavedQuestion"
"""The type of the concepts that keep a question."""

_KIP: Final = re.compile(
    r"\s*(?://[^\n]*\n\s*)*(?:FIND|SEARCH|DESCRIBE|EXPLAIN|EXPORT|UPSERT|UPDATE|DELETE|MERGE)\b"
)
_PARAMETER: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|\$([A-Za-z_]\w*)')
_GIVEN: Final = "p."  # before the name of a parameter in an address
_LIMIT: Final = 20
_MOST_ROWS: Final = 200
_MOST_EXAMPLES: Final = 3
_LARGE: Final = 20_000  # elements that take a second or more to be read for the first question


@dataclass(frozen=True, slots=True)
class Marked:
    """A text around the place that an error is about, and the text that mends it."""

    before: str
    word: str
    after: str
    mended: str | None


@dataclass(frozen=True, slots=True)
class Memory:
    """What a question recalls, with what its score is made of."""

    shown: Shown
    kind: str
    score: float
    why: tuple[tuple[str, float, str], ...]  # the shares of the score: name, points, words
    passage: str
    copies: int
    claim: Claim | None
    replaced: Replaced


@dataclass(frozen=True, slots=True)
class ShownShape:
    """One result, as it is laid out on the page."""

    kind: str  # rows, hits, object, steps, capsule or report
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    hits: tuple[tuple[float, Shown, Claim | None], ...] = ()
    value: object = None
    explained: Explanation | None = None
    steps: Sequence[PageStep] = ()
    next_cursor: str | None = None
    more: int = 0


@dataclass(frozen=True, slots=True)
class NamedCell:
    """An element in a cell."""

    id: str
    name: str
    is_element: bool = field(default=True)


def ask(visit: Visit) -> Answered:
    """Answer a question in plain words or in KIP."""
    text = visit.form.get("q") or visit.asked("q")
    if not text.strip():
        return StudioPage("ask.html", "Ask", _frame(visit, ""))
    if is_kip(text):
        return _kip(visit, text)
    return _plain(visit, text)


def is_kip(text: str) -> bool:
    """Whether a text begins like KIP.

    >>> is_kip("FIND(?x) WHERE {"), is_kip("find my keys"), is_kip("Where is Ann?")
    (True, False, False)
    """
    return _KIP.match(text) is not None


def parameters_of(text: str) -> tuple[str, ...]:
    """Return the names of the parameters of a text, in order.

    >>> parameters_of('FIND(?x) WHERE { ?x {name: $name} FILTER(?x.name != "$no") }')
    ('name',)
    """
    found = (one.group(1) for one in _PARAMETER.finditer(text))
    return tuple(dict.fromkeys(one for one in found if one))


def given_parameters(visit: Visit, text: str) -> dict[str, Value]:
    """Return the parameters that the address or the form gives: JSON where it is, else text."""
    values: dict[str, Value] = {}
    for name in parameters_of(text):
        given = visit.form.get(_GIVEN + name, visit.query.get(_GIVEN + name))
        if given is None:
            continue
        try:
            values[name] = orjson.loads(given)
        except orjson.JSONDecodeError:
            values[name] = given
    return values


def marked(text: str, told: RecollectError | Notice) -> Marked | None:
    """Return a text with the place in it that something is told of; None where it is of none."""
    span, mended = told.span, None
    if span is None:
        return None
    if told.fix is not None:
        at = told.fix.span
        mended = text[: at.start] + told.fix.text + text[at.end :]
    return Marked(text[: span.start], text[span.start : span.end] or " ", text[span.end :], mended)


def _plain(visit: Visit, text: str) -> Answered:
    """Recall what a question is about; the first one of a large memory tells how far it is."""
    nexus = visit.nexus
    shows = _frame(visit, text) | {"is_plain": True, "kinds": nexus.kinds.names()}
    stats = nexus.stats()
    if stats.concepts + stats.links < _LARGE or nexus.recall.is_prepared():
        return StudioPage("ask.html", "Ask", shows | _recalled(visit, text))

    def first(progress: Progress) -> Mapping[str, object]:
        nexus.recall.prepare(progress)
        return _recalled(visit, text)

    return StudioPage("ask.html", "Ask", shows | {"working": Working(first)}, is_told=True)


def _recalled(visit: Visit, text: str) -> dict[str, object]:
    """Return what a question recalls; what has ended is there where it is asked for."""
    cursor, kind = visit.asked("cursor") or None, visit.asked("kind")
    found = visit.nexus.recall(
        text,
        kinds=[kind] if kind else None,
        limit=_LIMIT,
        as_of=page_moment(visit),
        past=bool(visit.asked("past")),
        cursor=cursor,
    )
    near = () if found.nearest is None else (found.nearest,)
    recalled = found.memories or near
    shown = shown_of(visit.nexus, [one.element for one in recalled], visit.then)
    claims = _claims(visit, [one.element.element for one in recalled])
    memories = tuple(
        Memory(
            line,
            one.kind,
            one.score,
            tuple((name, share.points, share.words) for name, share in one.why.items()),
            one.passage,
            one.copies,
            claim := claims.get(one.element.element.id),
            replaced_of(visit, one.element, claim),
        )
        for one, line in zip(recalled, shown, strict=True)
    )
    return {
        "memories": memories,
        "is_near": not found.memories,
        "next_cursor": found.cursor,
        "notices": found.notices,
    }


def _claims(visit: Visit, elements: Iterable[Element]) -> dict[str, Claim]:
    """Return the claims among elements, by id."""
    concepts = [one for one in elements if isinstance(one, Concept) and one.type == "Claim"]
    return {one.id: one for one in claims_of(visit.nexus, concepts, visit.then)}


def _kip(visit: Visit, text: str) -> Answered:
    shows = _frame(visit, text)
    parameters = given_parameters(visit, text)
    waits = [one for one in parameters_of(text) if one not in parameters]
    try:
        if waits:
            shows |= {"waits": waits}
        elif not (script := parse_text(text, visit.nexus.limits)).is_read_only:
            shows |= {"writes": True}
        elif visit.asked("explain"):
            explained = visit.nexus.explain(text, parameters, as_of=visit.moment)
            shows |= {"shapes": (shape_of(visit, explained),), "notices": explained.notices}
        else:
            shows |= _answered(visit, text, script, parameters)
    except RecollectError as error:
        shows["error"] = error
        return StudioPage("ask.html", "Ask", shows, status=error.code.http)
    return StudioPage("ask.html", "Ask", shows)


def _answered(
    visit: Visit, text: str, script: Script, parameters: Mapping[str, Value]
) -> dict[str, object]:
    """Return what a text reads; a later page is of the moment of the first."""
    asked = paged(visit, text) if visit.asked("cursor") else script
    answer = visit.nexus.read(asked, parameters, as_of=page_moment(visit))
    shapes = tuple(shape_of(visit, one) for one in answer.results)
    return {
        "shapes": shapes,
        "notices": answer.notices,
        "can_go_on": len(shapes) == 1 and not getattr(script.statements[0], "cursor", None),
    }


def paged(visit: Visit, text: str) -> str:
    """Return a text with the cursor of the page that is asked for, if it is a later one."""
    cursor = visit.asked("cursor")
    return f"{text}\nCURSOR {orjson.dumps(cursor).decode()}" if cursor else text


def page_moment(visit: Visit) -> AsOf | None:
    """Return the moment to ask about; a cursor holds its own."""
    return None if visit.asked("cursor") else visit.moment


def _frame(visit: Visit, text: str) -> dict[str, object]:
    nexus = visit.nexus
    saved = () if text else _saved(nexus)
    types = () if text else about_types(nexus, described(nexus, "DESCRIBE CONCEPT TYPES"))
    given = {
        name: visit.form.get(_GIVEN + name, visit.query.get(_GIVEN + name, ""))
        for name in parameters_of(text)
    }
    return {
        "q": text,
        "can_go_on": False,
        "mark": partial(marked, text),
        "is_kip": is_kip(text),
        "parameters": given,
        "given": {_GIVEN + name: value for name, value in given.items()}
        | {"cursor": visit.asked("cursor")},
        "saved": saved,
        "types": types[:_MOST_EXAMPLES],
        "view": visit.asked("as", "table"),
        **dict.fromkeys(("memories", "kinds", "waits", "shapes", "notices"), ()),
        **dict.fromkeys(("is_plain", "is_near", "writes", "next_cursor", "error", "working")),
    }


def _saved(nexus: Nexus) -> tuple[tuple[str, str], ...]:
    """Return the names and texts of the questions that were saved."""
    text = "FIND(?x) WHERE { ?x {type: $type} } LIMIT 50"
    rows = nexus.read(text, {"type": SAVED}).rows
    return tuple(
        (row[0].name, str(row[0].attributes.get("text", row[0].name)))
        for row in rows
        if isinstance(row[0], Concept)
    )


def shape_of(visit: Visit, result: Result) -> ShownShape:
    """Return how a result is laid out."""
    match result:
        case Rows():
            few = result.rows[:_MOST_ROWS]
            elements = [one for row in few for cell in row for one in _elements(cell)]
            ends = ends_of(visit.nexus, elements, visit.then)
            rows = tuple(
                tuple(cell_of(cell, ends, visit.nexus.kinds) for cell in row) for row in few
            )
            more = len(result.rows) - len(few)
            return ShownShape(
                "rows", result.columns, rows, next_cursor=result.next_cursor, more=more
            )
        case Hits():
            ids = [hit.element.id for hit in result.hits]
            dated = visit.nexus.elements.look_up(ids, as_of=visit.then, closed=True)
            held = [hit for hit in result.hits if hit.element.id in dated]
            shown = shown_of(visit.nexus, [dated[hit.element.id] for hit in held], visit.then)
            claims = _claims(visit, [one.element for one in held])
            hits = tuple(
                (hit.score, one, claims.get(hit.element.id))
                for hit, one in zip(held, shown, strict=True)
            )
            return ShownShape("hits", hits=hits, next_cursor=result.next_cursor)
        case Description():
            return ShownShape("object", value=dict(result.body))
        case Explanation():
            return ShownShape("steps", explained=result, steps=steps_of(result))
        case Exported():
            return ShownShape("capsule", value=result.capsule)
        case _:
            return ShownShape("report", value=result)


def cell_of(cell: Cell, ends: Mapping[str, Dated], kinds: Kinds) -> object:
    """Return what a cell shows: an element by its name, a list, or a value."""
    if isinstance(cell, list):
        return [cell_of(one, ends, kinds) for one in cell]
    if isinstance(cell, Concept | Link):
        return NamedCell(cell.id, line_of(cell, ends, kinds))
    return cell


def _elements(cell: Cell) -> Iterator[Element]:
    for one in cell if isinstance(cell, list) else [cell]:
        if isinstance(one, Concept | Link):
            yield one


def download(visit: Visit) -> Answered:
    """Answer a KIP text with a file: CSV, JSON or a line of JSON a row."""
    text = required(visit.query, "q")
    given = given_parameters(visit, text)
    answer = visit.nexus.read(paged(visit, text), given, as_of=page_moment(visit))
    rows = next((one for one in answer.results if isinstance(one, Rows)), None)
    if rows is None:
        raise refused("the text has no rows to download", "ask with FIND")
    cells = list(_plain_rows(visit, rows))
    objects = [dict(zip(rows.columns, row, strict=True)) for row in cells]
    match visit.asked("as"):
        case "csv":
            return Download("answer.csv", "text/csv; charset=utf-8", _csv(rows.columns, cells))
        case "jsonl":
            lines = b"".join(orjson.dumps(one) + b"\n" for one in objects)
            return Download("answer.jsonl", "application/x-ndjson", lines)
        case _:
            laid = orjson.dumps(objects, option=orjson.OPT_INDENT_2)
            return Download("answer.json", "application/json", laid)


def _plain_rows(visit: Visit, rows: Rows) -> Iterator[list[object]]:
    elements = [one for row in rows.rows for cell in row for one in _elements(cell)]
    ends, kinds = ends_of(visit.nexus, elements, visit.then), visit.nexus.kinds

    def plain(cell: Cell) -> object:
        if isinstance(cell, list):
            return [plain(one) for one in cell]
        return name_of(cell, ends, kinds) if isinstance(cell, Concept | Link) else cell

    for row in rows.rows:
        yield [plain(cell) for cell in row]


def _csv(columns: Iterable[str], rows: Iterable[list[object]]) -> bytes:
    """Return rows as CSV; what a spreadsheet would run as a formula begins with a quote."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([_cell(one) for one in columns])
    writer.writerows([_cell(one) for one in row] for row in rows)
    return stream.getvalue().encode("utf-8", "replace")


def _cell(value: object) -> object:
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def why(visit: Visit) -> Answered:
    """Show what a row of an answer stands on."""
    text = required(visit.query, "q")
    row = visit.number("row", 0, 10**6)
    given = given_parameters(visit, text)
    found = visit.nexus.why(paged(visit, text), row, given, as_of=page_moment(visit))
    ids = [one.element.id for one in found.grounds]
    dated = visit.nexus.elements.look_up(ids, as_of=visit.then, closed=True)
    grounds = [one for one in found.grounds if one.element.id in dated]
    shown = shown_of(visit.nexus, [dated[one.element.id] for one in grounds], visit.then)
    shows = {"why": found, "grounds": tuple(zip(grounds, shown, strict=True)), "q": text}
    shows["back"] = replace(visit, path="/ask").again(row="")
    return StudioPage("why.html", "Why", shows)


def write(visit: Visit) -> Answered:
    """Try a text that writes and show what it does; run it when that was seen."""
    text = required(visit.form, "q")
    parameters = given_parameters(visit, text)
    shows = _frame(visit, text)
    is_kept = visit.form.get("step") == "apply"
    try:
        if is_kept:
            answer = visit.nexus.write(text, parameters, actor=visit.actor)
            shows |= {"written": answer.transaction, "notices": answer.notices}
            shows |= {"shapes": tuple(shape_of(visit, one) for one in answer.results)}
        else:
            done: Tried = tried(visit, lambda nexus: nexus.write(text, parameters))
            shows |= {"tried": done, "writes": True}
    except RecollectError as error:
        shows["error"] = error
        return StudioPage("ask.html", "Ask", shows, status=error.code.http)
    return StudioPage("ask.html", "Ask", shows)


def save(visit: Visit) -> Answered:
    """Keep a question under a name, as a concept that KIP may change."""
    text, name = required(visit.form, "q"), required(visit.form, "name")
    visit.nexus.write([PutConcept(SAVED, name, {"text": text})], actor=visit.actor)
    return Away(visit.to("/ask", q=text))


def of_type(visit: Visit) -> Answered:
    """List the concepts of a type, the newest last, a page at a time."""
    kind = required(visit.query, "type")
    cursor = visit.asked("cursor")
    text = "FIND(?x) WHERE { ?x {type: $type} } LIMIT 50"
    given: dict[str, Value] = {"type": kind}
    if cursor:
        text, given["cursor"] = f"{text} CURSOR $cursor", cursor
    rows = visit.nexus.read(text, given, as_of=page_moment(visit)).only(Rows)
    ids = [row[0].id for row in rows.rows if isinstance(row[0], Concept)]
    dated = visit.nexus.elements.look_up(ids, as_of=visit.then, closed=True)
    lines = shown_of(visit.nexus, [dated[one] for one in ids if one in dated], visit.then)
    types = described(visit.nexus, "DESCRIBE CONCEPT TYPES")
    about = next((one for one in types if one.get("name") == kind), {})
    shows = {"kind": kind, "lines": lines, "next_cursor": rows.next_cursor, "about": about}
    return StudioPage("types.html", kind, shows)


def key_page(visit: Visit) -> Answered:
    """Lead to the concept of a type and a name."""
    key = Key(required(visit.query, "type"), required(visit.query, "name"))
    lives = visit.nexus.history(key)
    return Away(visit.element(lives[-1].id))


ROUTES: Final = (
    Route("/ask", ask),
    Route("/ask", ask, "POST"),
    Route("/ask/write", write, "POST", writes=True),
    Route("/ask/save", save, "POST", writes=True),
    Route("/ask/download", download),
    Route("/ask/why", why),
    Route("/types", of_type),
    Route("/concept", key_page),
)
