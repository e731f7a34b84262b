"""The questions that are timed, in SQL by hand for a server.

What somebody who knows the tables there would write to be told the same: joins in the order in
which they are read, names found as the index has them, and the planner left to itself.
"""

from __future__ import annotations

import re
from typing import Final

_BY_NAME: Final = """left({0}.name, 500) = :name AND {0}.name = :name AND {0}.type = {1}
  AND {0}.group_id = :group AND {0}.expired_at = :living"""
_NOW: Final = "{0}.group_id = :group AND {0}.expired_at = :living"

_SHAPES: Final = {
    "point lookup": """
        SELECT drug.attributes_value -> 'risk_level' FROM concept drug WHERE [drug of :Drug]""",
    "1-hop": """
        SELECT symptom.name FROM concept drug
        JOIN link treats ON [treats] AND treats.subject = drug.id AND treats.predicate = :treats
        JOIN concept symptom ON symptom.group_id = :group AND symptom.id = treats.object
        WHERE [drug of :Drug] ORDER BY symptom.id""",
    "2-hop, filter, order, limit": """
        SELECT symptom.name, symptom.attributes_value -> 'severity'
        FROM concept drug
        JOIN link near ON [near] AND near.subject = drug.id AND near.predicate = :interacts_with
        JOIN link treats ON [treats] AND treats.subject = near.object AND treats.predicate = :treats
        JOIN concept symptom ON symptom.group_id = :group AND symptom.id = treats.object
        WHERE [drug of :Drug]
          AND jsonb_typeof(symptom.attributes_value -> 'severity') = 'number'
          AND symptom.attributes_value -> 'severity' > '5'
        GROUP BY symptom.group_id, symptom.id
        ORDER BY symptom.attributes_value -> 'severity' DESC, min(near.object), symptom.id
        LIMIT 10""",
    "3-hop count": """
        SELECT COUNT(DISTINCT treats.object) FROM concept drug
        JOIN link near ON [near] AND near.subject = drug.id AND near.predicate = :interacts_with
        JOIN link far ON [far] AND far.subject = near.object AND far.predicate = :interacts_with
        JOIN link treats ON [treats] AND treats.subject = far.object AND treats.predicate = :treats
        WHERE [drug of :Drug]""",
    "NOT": """
        SELECT symptom.name FROM concept drug
        JOIN link treats ON [treats] AND treats.subject = drug.id AND treats.predicate = :treats
        JOIN concept symptom ON symptom.group_id = :group AND symptom.id = treats.object
        WHERE [drug of :Drug] AND NOT EXISTS (
          SELECT 1 FROM concept one
          JOIN link also ON [also] AND also.subject = one.id AND also.predicate = :treats
          WHERE left(one.name, 500) = 'drug 1' AND one.name = 'drug 1' AND one.type = :Drug
            AND [one] AND also.object = treats.object)
        ORDER BY symptom.id""",
    "OPTIONAL": """
        SELECT other.name, class.name FROM concept drug
        JOIN link near ON [near] AND near.subject = drug.id AND near.predicate = :interacts_with
        JOIN concept other ON other.group_id = :group AND other.id = near.object
        LEFT JOIN link belongs ON [belongs] AND belongs.subject = near.object
          AND belongs.predicate = :belongs_to_class
        LEFT JOIN concept class ON class.group_id = :group AND class.id = belongs.object
        WHERE [drug of :Drug] ORDER BY other.id, class.id NULLS LAST""",
    "UNION": """
        SELECT name FROM (
          SELECT 0 AS branch, one.id AS id, one.name AS name FROM concept drug
          JOIN link treats ON [treats] AND treats.subject = drug.id AND treats.predicate = :treats
          JOIN concept one ON one.group_id = :group AND one.id = treats.object
          WHERE [drug of :Drug]
          UNION ALL
          SELECT 1, one.id, one.name FROM concept drug
          JOIN link near ON [near] AND near.subject = drug.id AND near.predicate = :interacts_with
          JOIN concept one ON one.group_id = :group AND one.id = near.object
          WHERE [drug of :Drug]) AS found
        GROUP BY id, name ORDER BY min(branch), id""",
    "path {1,5}": """
        WITH RECURSIVE up (id, depth) AS (
          SELECT class.id, 0 FROM concept class WHERE [class of :Class]
          UNION
          SELECT step.object, up.depth + 1 FROM up
          JOIN link step ON [step] AND step.subject = up.id AND step.predicate = :is_subclass_of
          WHERE up.depth < 5)
        SELECT class.name FROM (SELECT DISTINCT up.id FROM up WHERE up.depth > 0) AS found
        JOIN concept class ON class.group_id = :group AND class.id = found.id ORDER BY class.id""",
    "group-by": """
        SELECT drug.attributes_value -> 'risk_level', COUNT(*)
        FROM concept drug WHERE [drug] AND drug.type = :Drug
        GROUP BY 1 ORDER BY 2 DESC, min(drug.id)""",
    "reified link": """
        SELECT person.name, said.attributes_value -> 'year' FROM concept drug
        JOIN link fact ON [fact] AND fact.subject = drug.id AND fact.predicate = :treats
        JOIN link said ON [said] AND said.subject = fact.id AND said.predicate = :reported_by
        JOIN concept person ON person.group_id = :group AND person.id = said.object
        WHERE [drug of :Drug] ORDER BY fact.id, fact.object, said.id""",
}


def served_sql(title: str) -> str:
    """Return the SQL of a shape, with `:name` for what is bound."""
    sql = re.sub(
        r"\[(\w+) of (:\w+)\]", lambda found: _BY_NAME.format(*found.groups()), _SHAPES[title]
    )
    return re.sub(r"\[(\w+)\]", lambda found: _NOW.format(found[1]), sql)
