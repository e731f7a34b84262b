"""Elements by their ids with both clocks, living or closed, and the links at many of them at once.

The rule: an id means its latest life that had begun by the moment asked about. Links come in the
order of their birth, with their keys and what is at their other ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal, cast, get_args

import orjson

from recollect.errors import refused
from recollect.kernel.read.catalogs import OpenGroup
from recollect.kernel.read.moment import (
    NOW,
    Moment,
    compare,
    latest_by_id,
    shown_concept,
    shown_link,
)
from recollect.kernel.read.reader import Reader
from recollect.kernel.sql.hydration import dated_sql, joints_sql
from recollect.kernel.store.cells import SqlValue, members, public_id, text, whole
from recollect.kernel.store.port import Parameters, SqlRow
from recollect.kernel.store.statements.elements import KEYS
from recollect.kernel.store.statements.listing import AFTER, BEFORE, COUNTED, LINE, NAMED, ONWARD
from recollect.model import (
    BEGINNING,
    FOREVER,
    LINK_BIT,
    LIVING,
    AsOf,
    Attributes,
    Concept,
    Dated,
    ElementKind,
    Instant,
    Joint,
    Key,
    Link,
    NamedStep,
)
from recollect.node import dataclass

_KINDS = ((ElementKind.CONCEPT, 0, shown_concept), (ElementKind.LINK, LINK_BIT, shown_link))
_CLOCK_COLUMNS = 5  # the last ones of `dated_sql`


def dated_elements(reader: Reader, ids: Collection[str], *, closed: bool) -> dict[str, Dated]:
    """Return elements by public id as they stood at the reader's moment, if they were there.

    Closed ones are there too with `closed`. Cost: a statement for the ids, and one for each
    kind of element.
    """
    named = latest_by_id(reader.session, reader.group, ids, reader.moment)
    found = dated_by_number(reader, named.values(), closed=closed)
    return {text: found[one] for text, one in named.items() if one in found}


def dated_by_number(reader: Reader, ids: Collection[int], *, closed: bool) -> dict[int, Dated]:
    """Return the same by integer id, each of the life that it names."""
    session, group, terms, moment = reader.session, reader.group, reader.terms, reader.moment
    compare(session, group, [*ids], is_past=moment.clock.has_known)
    found: dict[int, Dated] = {}
    for kind, bit, shown in _KINDS:
        wanted = [one for one in set(ids) if one & LINK_BIT == bit]
        if not wanted:
            continue
        parameters: Parameters = {
            "group": group.group_id,
            "ids": orjson.dumps(wanted).decode(),
            **moment.parameters,
        }
        for row in session.rows(dated_sql(kind, moment.clock, session.dialect), parameters):
            clocks = _clocks(row, moment, closed=closed)
            if clocks is not None:
                element = shown(session, group, terms, row[:-_CLOCK_COLUMNS])
                found[whole(row[0])] = Dated(element, *clocks)
    return found


def keys_of(reader: Reader, ids: Collection[str], *, closed: bool) -> dict[str, Key]:
    """Return the types and names of concepts by public id, of those that were there.

    Closed ones are there too with `closed`. Cost: two statements, whatever their number.
    """
    session = reader.session
    named = latest_by_id(session, reader.group, ids, reader.moment)
    parameters: Parameters = {
        "group": reader.group.group_id,
        "ids": orjson.dumps([*named.values()]).decode(),
        "known": _known(reader.moment),
        "closed": closed,
    }
    found = {
        whole(one): Key(reader.terms.text(session, whole(code)), str(name))
        for one, code, name in session.rows(KEYS, parameters)
    }
    return {text: found[one] for text, one in named.items() if one in found}


def _known(moment: Moment) -> int:
    return LIVING - 1 if moment.known is None else moment.known


def _clocks(
    row: SqlRow, moment: Moment, *, closed: bool
) -> tuple[Instant | None, Instant | None, Instant, Instant | None] | None:
    """Return both clocks of a row; None where it was closed, or not true at the moment."""
    start, end, expired_at = map(whole, row[-_CLOCK_COLUMNS:-2])
    is_alive = expired_at == LIVING or expired_at > _known(moment)
    if not is_alive and not closed:
        return None
    if moment.valid is not None and not start <= moment.valid < end:
        return None
    return (
        None if start == BEGINNING else Instant(start),
        None if end == FOREVER else Instant(end),
        Instant(whole(row[-2])),
        None if is_alive else Instant(whole(row[-1])),
    )


_MANY = 1_000  # links that are not counted again while nothing is written

End = Literal["subject", "object"]


@dataclass(frozen=True, slots=True)
class Joints:
    """The links of a group by what is at their ends, each with its key and its other end."""

    _group: OpenGroup

    def at(
        self,
        ids: Collection[str],
        end: End = "subject",
        predicates: Collection[str] | None = None,
        *,
        as_of: AsOf | None = None,
        closed: bool = False,
    ) -> list[Joint]:
        """Return the links that begin (with `end="object"`: that end) at elements, by their ids.

        Each comes with its key and what is at its other end, in the order of birth; of some
        `predicates` where they are given. With `closed` closed links come too. Cost: two
        statements, whatever the number of ids.
        """
        with self._group.reader(as_of) as reader:
            return joints_at(reader, ids, end, predicates, closed=closed)

    def objects(
        self, ids: Collection[str], predicates: Collection[str], *, as_of: AsOf | None = None
    ) -> dict[tuple[str, str], list[Concept]]:
        """Return the concepts that links of some predicates lead to, by subject's id and key.

        They are in the order of the links' birth. Cost: as `at`, and half of the work, since
        nothing is made of the links themselves.
        """
        with self._group.reader(as_of) as reader:
            found: dict[tuple[str, str], list[Concept]] = {}
            for row, near in _rows_at(reader, ids, "subject", predicates, closed=False):
                concept = _far(reader, row)
                if concept is not None:
                    found.setdefault((near, text(row[4])), []).append(concept)
            return found

    def counted(
        self, ids: Collection[str], predicates: Collection[str], key: str
    ) -> dict[str, tuple[int, int]]:
        """Return how many living links of some predicates end at elements, and how many of a key.

        Cost: two statements, and a step in an index for each link; where they are many, what was
        counted stands until the next transaction.
        """
        with self._group.reader() as reader:
            session, ends = reader.session, reader.counted.ends
            named = {one: id for id, one in latest_by_id(session, reader.group, ids).items()}
            kept = {id: ends.get((one, key, tuple(predicates))) for one, id in named.items()}
            found = {id: counts for id, counts in kept.items() if counts is not None}
            codes = [reader.terms.code(session, one) for one in predicates]
            parameters: Parameters = {
                "group": reader.group.group_id,
                "ids": orjson.dumps([one for one, id in named.items() if id not in found]).decode(),
                "predicates": orjson.dumps([one for one in codes if one is not None]).decode(),
                "key": key,
                "living": LIVING,
            }
            for near, all_of, own in session.rows(COUNTED, parameters):
                one, counts = whole(near), (whole(all_of), whole(own))
                found[named[one]] = counts
                if counts[0] > _MANY:
                    ends[one, key, tuple(predicates)] = counts
            return found

    def line(self, id: str, key: str, start: int, most: int) -> list[Joint]:
        """Return the living links of a key that end at an element, from one on, at most so many.

        They come in the order of their attribute `order`, and of birth; those without one last.
        """
        with self._group.reader() as reader:
            return _line_at(reader, id, key, most, start)

    def beside(
        self, id: str, key: str, order: float, most: int, *, before: bool = False
    ) -> list[Joint]:
        """Return those of `line` whose `order` is as large or larger, nearest first.

        With `before` as small or smaller. Cost: three statements, and `most` steps in an index.
        """
        with self._group.reader() as reader:
            return _line_at(reader, id, key, most, (order, before))

    def hops(
        self, start: Key, depth: int, having: str, most: int, predicate: str | None = None
    ) -> list[list[NamedStep]]:
        """Return the living links between concepts of a type, breadth first from one of them.

        Only concepts that have the attribute `having` are walked to, and never the first; each
        list is of one more link, in no order. `predicate` keeps links of one. It ends with the
        list that makes `most` or more. Cost: a statement a list, which reads of links an index
        alone.
        """
        with self._group.reader() as reader:
            session = reader.session
            parameters: dict[str, SqlValue] = {
                "group": reader.group.group_id,
                "names": orjson.dumps([start.name]).decode(),
                "type": reader.terms.code(session, start.type),
                "living": LIVING,
            }
            level = [whole(one[0]) for one in session.rows(NAMED, parameters)]
            names, first = dict.fromkeys(level, start.name), set(level)
            only = None if predicate is None else reader.terms.code(session, predicate)
            said: dict[str, Attributes] = {}  # many say the same
            hops: list[list[NamedStep]] = []
            while level and len(hops) < depth and sum(map(len, hops)) < most:
                given = {**parameters, "ids": orjson.dumps(level).decode()}
                rows = cast(
                    "list[tuple[int, int, str, int, str, str]]", session.rows(ONWARD, given)
                )
                said |= {one: members(one) for one in {row[5] for row in rows} - said.keys()}
                met = [row for row in rows if having in said[row[5]] and row[3] not in first]
                if predicate is not None:
                    met = [row for row in met if row[1] == only]
                kinds = {one: reader.terms.text(session, one) for one in {row[1] for row in met}}
                hops.append(
                    [
                        (names[near], kinds[kind], key, far, said[told])
                        for near, kind, key, _, far, told in met
                    ]
                )
                beyond = {row[3]: row[4] for row in met}
                level = [one for one in beyond if one not in names]
                names |= beyond
            return hops


def joints_at(
    reader: Reader,
    ids: Collection[str],
    end: End,
    predicates: Collection[str] | None,
    *,
    closed: bool,
) -> list[Joint]:
    """Return the links that begin (`subject`) or end (`object`) in elements named by public id.

    `predicates` keeps those of some; with `closed` those that were closed by then come too.
    Cost: two statements, whatever the number of ids.
    """
    if end not in get_args(End):
        raise refused(
            f"end is {end!r:.40}, which is no end of a link", 'pass end="subject" or end="object"'
        )
    rows = _rows_at(reader, ids, end, predicates, closed=closed)
    return [*_joints(reader, rows, end, _known(reader.moment))]


def _rows_at(
    reader: Reader,
    ids: Collection[str],
    end: End,
    predicates: Collection[str] | None,
    *,
    closed: bool,
) -> list[tuple[SqlRow, str]]:
    """Return rows of `joints_sql`, each with the id of the element that it was asked for."""
    session, group, moment = reader.session, reader.group, reader.moment
    named = {one: id for id, one in latest_by_id(session, group, ids, moment).items()}
    if not named:
        return []
    known = _known(moment)
    parameters: dict[str, SqlValue] = {
        **moment.parameters,
        "group": group.group_id,
        "ids": orjson.dumps([*named]).decode(),
        "known": known,
        "after": -1 if closed else known,
    }
    if predicates is not None:
        codes = reader.terms.codes(session, predicates)
        parameters["predicates"] = orjson.dumps([*codes.values()]).decode()
    sql = joints_sql(end, moment.clock, session.dialect, is_every=predicates is None)
    return [(row, named[whole(row[0])]) for row in session.rows(sql, parameters)]


def _line_at(
    reader: Reader, id: str, key: str, most: int, begin: int | tuple[float, bool] = 0
) -> list[Joint]:
    """Return living links of a key that end at an element, in the order of their `order`.

    Those that say none come last, those of one order by age. They begin after so many, or at an
    order; with it, whether they go back from there. Cost: three statements, which read the links
    left out and `most` more.
    """
    session, group = reader.session, reader.group
    near = latest_by_id(session, group, [id]).get(id)
    if near is None:
        return []
    parameters: dict[str, SqlValue] = {"group": group.group_id, "id": near, "living": LIVING}
    line: dict[str, SqlValue] = {**parameters, "key": key, "most": most}
    match begin:
        case (order, goes_back):
            statement = BEFORE if goes_back else AFTER
            line["order"] = order
        case start:
            statement = LINE
            line["start"] = start
    ids = [whole(one) for (one,) in session.rows(statement, line)]
    known: dict[str, SqlValue] = {
        "known": LIVING - 1,
        "after": LIVING - 1,
        "ids": orjson.dumps(ids).decode(),
    }
    sql = joints_sql("id", NOW.clock, session.dialect, is_every=True)
    rows = {whole(row[0]): row for row in session.rows(sql, {**parameters, **known})}
    return [*_joints(reader, ((rows[one], id) for one in ids), "object", LIVING - 1)]


def _joints(
    reader: Reader, rows: Iterable[tuple[SqlRow, str]], end: End, known: int
) -> Iterator[Joint]:
    """Yield the joint of each row of `joints_sql`; its near end is named beside it."""
    session, term, bits = reader.session, reader.terms.text, reader.group.id_bits
    for row, near in rows:
        _, id, given, predicate, key, expired_at, attributes, metadata, far, far_given, *_ = row
        concept = _far(reader, row)
        if concept is not None:
            far_id = concept.id
        else:
            far_id = public_id(bits, whole(far)) if far_given is None else text(far_given)
        subject, target = (near, far_id) if end == "subject" else (far_id, near)
        link = Link(
            public_id(bits, whole(id)) if given is None else text(given),
            subject,
            term(session, whole(predicate)),
            target,
            members(attributes),
            members(metadata),
        )
        yield Joint(link, text(key), concept, whole(expired_at) > known)


def _far(reader: Reader, row: SqlRow) -> Concept | None:
    """Return the concept at the far end of a row of `joints_sql`, None where a link is there."""
    far, given, kind, name, attributes, metadata = row[-6:]
    if kind is None:
        return None
    return Concept(
        public_id(reader.group.id_bits, whole(far)) if given is None else text(given),
        reader.terms.text(reader.session, whole(kind)),
        text(name),
        members(attributes),
        members(metadata),
    )
