"""Concepts of a type by their attributes, their names and their links."""

from __future__ import annotations

from recollect.kernel.store.port import Dialect, JsonPart
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.declared import index_name, quoted
from recollect.node import dataclass

INDEXES = Statement(
    """
SELECT a.attribute FROM attribute_index AS a
WHERE a.group_id IN (:group, :every) AND a.type = :name
"""
)

NAMED = Statement(
    """
SELECT c.id, c.public_id, c.type, c.name, c.attributes, c.metadata
FROM {texts names w} CROSS JOIN concept AS c
WHERE c.group_id = :group AND {equals c.name w.value} AND c.expired_at = :living AND c.type = :type
"""
)

ONWARD = Statement(
    """
SELECT k.subject, k.predicate, k.key, far.id, far.name, far.attributes
FROM {numbers ids w} CROSS JOIN link AS k CROSS JOIN concept AS far
WHERE k.group_id = :group AND k.subject = w.value AND k.expired_at = :living
  AND far.group_id = :group AND far.id = k.object AND far.expired_at = :living
  AND far.type = :type
"""
)

IS_LIVING = Statement(
    """
SELECT 1 FROM concept AS c
WHERE c.group_id = :group AND c.id = :after AND c.type = :type AND c.expired_at = :living
"""
)

IS_AMONG = "c.id = w.value"
OF_TYPE = "c.group_id = :group AND c.type = :type AND c.expired_at = :living"


@dataclass(frozen=True, slots=True)
class Listing:
    """The statements of one question about the concepts of a type, in the words of an engine.

    A condition is SQL about the concept `c`; attributes are named in it as their indexes name
    them. `through` is the attribute whose index finds few.
    """

    dialect: Dialect
    is_among: bool  # whether they are looked for among the ids `:among`

    def of_type(self) -> str:
        """Return the condition that every concept meets."""
        return OF_TYPE + f" AND {IS_AMONG}" * self.is_among

    def having(self, attribute: str, values: str) -> str:
        """Return the condition that an attribute is one of the bound `values`."""
        value, items = self._value("c", attribute), self.dialect.word("rows", values, "one")
        return f"{value} IS NOT NULL AND {self.dialect.word('among', value, items)}"

    def beyond(self, attribute: str) -> str:
        """Return the condition that a concept stands after the one with the id `:after`."""
        place = (
            f"SELECT {self._ordered('a', attribute)}, a.id FROM concept AS a"  # noqa: S608
            " WHERE a.group_id = :group AND a.id = :after"
        )
        return f" AND ({self._ordered('c', attribute)}, c.id) < ({place})"

    def ids(self, through: str | None, conditions: str) -> str:
        """Return the SELECT of the ids of all that fit."""
        return f"SELECT c.id AS id FROM {self._source(through)} WHERE {conditions}"  # noqa: S608

    def page(self, through: str | None, conditions: str, by: str, *, is_walked: bool) -> str:
        """Return the SELECT of the first of them by an attribute, whose index is walked or not."""
        value = self._ordered("c", by)
        if is_walked:
            through, conditions = by, f"{conditions} AND {self._value('c', by)} IS NOT NULL"
        else:  # in no index: taken out of each document once
            value = self.dialect.word("unindexed", value)
        last = "" if is_walked else " NULLS LAST"
        return (
            f"SELECT id, value FROM (SELECT c.id AS id, {value} AS value"  # noqa: S608
            f" FROM {self._source(through)} WHERE {conditions}"
            f" ORDER BY value DESC{last}, id DESC LIMIT :limit) AS page WHERE value IS NOT NULL"
        )

    def newest(self, pages: list[str]) -> str:
        """Return the SELECT of the first ids of several pages."""
        united = " UNION ".join(pages)
        return (
            f"SELECT id FROM ({united}) AS united"  # noqa: S608
            " ORDER BY value DESC, id DESC LIMIT :limit"
        )

    def count(self, selects: list[str]) -> str:
        """Return the SELECT of how many ids there are in several selects."""
        return f"SELECT COUNT(*) FROM ({' UNION '.join(selects)}) AS united"  # noqa: S608

    def peek(self, attribute: str, condition: str) -> str:
        """Return the SELECT of how many of the type meet a condition, as far as they are few."""
        return (
            f"SELECT COUNT(*) FROM (SELECT 1 FROM {self._source(attribute)}"  # noqa: S608
            f" WHERE {OF_TYPE} AND {condition} LIMIT :few) AS found"
        )

    def _source(self, attribute: str | None) -> str:
        """Return the table, through the index of an attribute."""
        source = "concept AS c"
        if self.is_among:
            source = f"{self.dialect.word('numbers', 'among', 'w')} CROSS JOIN {source}"
        if attribute is None:
            return source
        return f"{source} {self.dialect.word('by', quoted(index_name(attribute, self.dialect)))}"

    def _value(self, table: str, attribute: str) -> str:
        """Return an attribute's value as its index spells it."""
        document = self.dialect.word("json", f"{table}.attributes")
        return self.dialect.render_json(JsonPart.VALUE, document, attribute)

    def _ordered(self, table: str, attribute: str) -> str:
        """Return an attribute's value as what texts are ordered by."""
        return self.dialect.word("in_order", self._value(table, attribute))


COUNTED = Statement("""
SELECT w.value,
  (SELECT count(*) FROM link AS k
   WHERE k.group_id = :group AND k.object = w.value AND k.expired_at = :living
     AND k.predicate IN (SELECT p.value FROM {numbers predicates p})),
  (SELECT count(*) FROM link AS l
   WHERE l.group_id = :group AND l.object = w.value AND l.expired_at = :living
     AND {equals l.key :key::text} AND l.key <> '')
FROM {numbers ids w}
""")
"""How many living links of some predicates end at each element, and how many of a key."""

_LINE = """
SELECT l.id FROM link AS l
WHERE l.group_id = :group AND l.object = :id::bigint AND l.expired_at = :living
  AND {equals l.key :key::text} AND l.key <> ''
"""
_PLACE = "{in_line {json l.attributes}}"

LINE = Statement(f"{_LINE}ORDER BY {_PLACE}, l.id {{limit most}} OFFSET :start::bigint")
"""The links of one key that end at an element, by their attribute `order`, then by age."""

AFTER = Statement(f"{_LINE}AND {_PLACE} >= :order::float8 ORDER BY {_PLACE}, l.id {{limit most}}")
"""Those of them from a place on."""

BEFORE = Statement(
    f"{_LINE}AND {_PLACE} <= :order::float8 ORDER BY {_PLACE} DESC, l.id DESC {{limit most}}"
)
"""Those of them up to a place, the nearest first."""
