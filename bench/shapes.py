"""The questions that are timed, each in KIP and in SQL by hand.

In the SQL `[x]` stands for the guards of a row of now or of the past, `[x.attributes]` for its
attributes then, and `[x of :Type]` for the concept asked about: what somebody who knows the tables
would write to be told the same, so with KIP's care for types: a text is not greater than a number,
true is not 1, and 1 is 1.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One question; `$name` and `:name` are the concept it starts from."""

    title: str
    kip: str
    sql: str
    json: tuple[int, ...] = ()  # columns of the SQL that hold JSON
    start: str = "drug"  # what is asked about
    is_local: bool = False  # a row takes the same work in a larger graph


SHAPES = (
    Shape(
        "point lookup",
        'FIND(?risk) WHERE { ?drug {type: "Drug", name: $name} ATTR(?drug, "risk_level", ?risk) }',
        "SELECT [drug.attributes] -> '$.risk_level' FROM concept drug WHERE [drug of :Drug]",
        json=(0,),
        is_local=True,
    ),
    Shape(
        "1-hop",
        'FIND(?name) WHERE { ({type: "Drug", name: $name}, "treats", ?symptom)'
        ' ATTR(?symptom, "name", ?name) }',
        """
        SELECT symptom.name FROM concept drug CROSS JOIN link treats CROSS JOIN concept symptom
        WHERE [drug of :Drug]
          AND [treats] AND treats.subject = drug.id AND treats.predicate = :treats
          AND symptom.group_id = :group AND symptom.id = treats.object
        ORDER BY symptom.id
        """,
        is_local=True,
    ),
    Shape(
        "2-hop, filter, order, limit",
        'FIND(?name, ?severity) WHERE { ({type: "Drug", name: $name}, "interacts_with", ?other)'
        ' (?other, "treats", ?symptom) ATTR(?symptom, "name", ?name)'
        ' ATTR(?symptom, "severity", ?severity) FILTER(?severity > 5) }'
        " ORDER BY ?severity DESC LIMIT 10",
        """
        SELECT symptom.name, [symptom.attributes] -> '$.severity'
        FROM concept drug CROSS JOIN link near CROSS JOIN link treats CROSS JOIN concept symptom
        WHERE [drug of :Drug]
          AND [near] AND near.subject = drug.id AND near.predicate = :interacts_with
          AND [treats] AND treats.subject = near.object AND treats.predicate = :treats
          AND symptom.group_id = :group AND symptom.id = treats.object
          AND [symptom.attributes] ->> '$.severity' > 5
          AND json_type([symptom.attributes], '$.severity') IN ('integer', 'real')
        GROUP BY symptom.id
        ORDER BY [symptom.attributes] ->> '$.severity' DESC, min(near.object), symptom.id LIMIT 10
        """,
        json=(1,),
    ),
    Shape(
        "3-hop count",
        "FIND(COUNT(DISTINCT ?symptom) AS ?count) WHERE {"
        ' ({type: "Drug", name: $name}, "interacts_with", ?other)'
        ' (?other, "interacts_with", ?third) (?third, "treats", ?symptom) }',
        """
        SELECT COUNT(DISTINCT treats.object)
        FROM concept drug CROSS JOIN link near CROSS JOIN link far CROSS JOIN link treats
        WHERE [drug of :Drug]
          AND [near] AND near.subject = drug.id AND near.predicate = :interacts_with
          AND [far] AND far.subject = near.object AND far.predicate = :interacts_with
          AND [treats] AND treats.subject = far.object AND treats.predicate = :treats
        """,
    ),
    Shape(
        "NOT",
        'FIND(?name) WHERE { ({type: "Drug", name: $name}, "treats", ?symptom)'
        ' NOT { ({type: "Drug", name: "drug 1"}, "treats", ?symptom) }'
        ' ATTR(?symptom, "name", ?name) }',
        """
        SELECT symptom.name FROM concept drug CROSS JOIN link treats CROSS JOIN concept symptom
        WHERE [drug of :Drug]
          AND [treats] AND treats.subject = drug.id AND treats.predicate = :treats
          AND symptom.group_id = :group AND symptom.id = treats.object
          AND NOT EXISTS (
            SELECT 1 FROM concept one CROSS JOIN link also
            WHERE [one] AND one.name = 'drug 1' AND +one.type = :Drug
              AND [also] AND also.subject = one.id AND also.predicate = :treats
              AND also.object = treats.object)
        ORDER BY symptom.id
        """,
        is_local=True,
    ),
    Shape(
        "OPTIONAL",
        'FIND(?name, ?class) WHERE { ({type: "Drug", name: $name}, "interacts_with", ?other)'
        ' ATTR(?other, "name", ?name)'
        ' OPTIONAL { (?other, "belongs_to_class", ?c) ATTR(?c, "name", ?class) } }',
        """
        SELECT other.name, class.name
        FROM concept drug CROSS JOIN link near CROSS JOIN concept other
        LEFT JOIN link belongs ON [belongs] AND belongs.subject = near.object
          AND belongs.predicate = :belongs_to_class
        LEFT JOIN concept class ON class.group_id = :group AND class.id = belongs.object
        WHERE [drug of :Drug]
          AND [near] AND near.subject = drug.id AND near.predicate = :interacts_with
          AND other.group_id = :group AND other.id = near.object
        ORDER BY other.id, class.id IS NULL, class.id
        """,
    ),
    Shape(
        "UNION",
        'FIND(?name) WHERE { ({type: "Drug", name: $name}, "treats", ?x) ATTR(?x, "name", ?name)'
        ' UNION { ({type: "Drug", name: $name}, "interacts_with", ?x) ATTR(?x, "name", ?name) } }',
        """
        SELECT name FROM (
          SELECT 0 AS branch, one.id AS id, one.name AS name
          FROM concept drug CROSS JOIN link treats CROSS JOIN concept one
          WHERE [drug of :Drug]
            AND [treats] AND treats.subject = drug.id AND treats.predicate = :treats
            AND one.group_id = :group AND one.id = treats.object
          UNION ALL
          SELECT 1, one.id, one.name
          FROM concept drug CROSS JOIN link near CROSS JOIN concept one
          WHERE [drug of :Drug]
            AND [near] AND near.subject = drug.id AND near.predicate = :interacts_with
            AND one.group_id = :group AND one.id = near.object)
        GROUP BY id ORDER BY min(branch), id
        """,
        is_local=True,
    ),
    Shape(
        "path {1,5}",
        'FIND(?name) WHERE { ({type: "Class", name: $name}, "is_subclass_of{1,5}", ?c)'
        ' ATTR(?c, "name", ?name) }',
        """
        WITH RECURSIVE up (id, depth) AS (
          SELECT class.id, 0 FROM concept class
          WHERE [class of :Class]
          UNION
          SELECT step.object, up.depth + 1 FROM up CROSS JOIN link step
          WHERE up.depth < 5 AND [step] AND step.subject = up.id
            AND step.predicate = :is_subclass_of)
        SELECT class.name FROM (SELECT DISTINCT up.id FROM up WHERE up.depth > 0) AS found
        CROSS JOIN concept class
        WHERE class.group_id = :group AND class.id = found.id ORDER BY class.id
        """,
        start="class",
        is_local=True,
    ),
    Shape(
        "group-by",
        'FIND(?risk, COUNT(?drug) AS ?drugs) WHERE { ?drug {type: "Drug"}'
        ' ATTR(?drug, "risk_level", ?risk) } ORDER BY ?drugs DESC',
        """
        SELECT risk, sum(drugs) FROM (
          SELECT [drug.attributes] -> '$.risk_level' AS risk, COUNT(*) AS drugs,
            min(drug.id) AS first
          FROM concept drug WHERE [drug] AND drug.type = :Drug GROUP BY risk)
        GROUP BY risk ->> '$', json_type(risk) IN ('true', 'false')
        ORDER BY 2 DESC, min(first)
        """,
        json=(0,),
    ),
    Shape(
        "reified link",
        'FIND(?name, ?year) WHERE { ?fact ({type: "Drug", name: $name}, "treats", ?symptom)'
        ' ?said (?fact, "reported_by", ?person) ATTR(?person, "name", ?name)'
        ' ATTR(?said, "year", ?year) }',
        """
        SELECT person.name, [said.attributes] -> '$.year'
        FROM concept drug CROSS JOIN link fact CROSS JOIN link said CROSS JOIN concept person
        WHERE [drug of :Drug]
          AND [fact] AND fact.subject = drug.id AND fact.predicate = :treats
          AND [said] AND said.subject = fact.id AND said.predicate = :reported_by
          AND person.group_id = :group AND person.id = said.object
        ORDER BY fact.id, fact.object, said.id
        """,
        json=(1,),
    ),
)

_NOW = "({0}.group_id = :group AND {0}.expired_at = :living)"
_PAST = "({0}.group_id = :group AND {0}.expired_at > :known AND {0}.id <= :last_id)"
_CONTENT = """(CASE WHEN {0}.changed_at <= :known THEN {0}.attributes ELSE (
  SELECT old.attributes FROM past AS old
  WHERE old.group_id = :group AND old.id = {0}.id AND old.until > :known
  ORDER BY old.until LIMIT 1) END)"""
_NAMED = re.compile(r"\[(\w+) of (:\w+)\]")  # the plus keeps the engine on the index by name
_GUARD = re.compile(r"\[(\w+)\]")
_ATTRIBUTES = re.compile(r"\[(\w+)\.attributes\]")


def sql_of(shape: Shape, *, is_past: bool) -> str:
    """Return the SQL of a shape for now or for the past."""

    def attributes(found: re.Match[str]) -> str:
        return _CONTENT.format(found[1]) if is_past else f"{found[1]}.attributes"

    guard = _PAST if is_past else _NOW
    sql = _NAMED.sub(r"[\1] AND \1.name = :name AND +\1.type = \2", shape.sql)
    sql = _GUARD.sub(lambda found: guard.format(found[1]), sql)
    return _ATTRIBUTES.sub(attributes, sql)
