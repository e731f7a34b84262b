"""What a group declares: definitions, indexes of attributes, and that it declares all it uses."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

_DEFINITION: Final = """
SELECT c.name, c.id, c.public_id, c.attributes, c.metadata FROM concept AS c
WHERE c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
"""

DEFINITIONS: Final = Statement(f"""
{_DEFINITION} AND c.expired_at > :known AND c.born_at <= :known ORDER BY c.name
""")

DEFINITION: Final = Statement(
    f"{_DEFINITION} AND {{equals c.name :name}} AND c.expired_at = :living"
)

DEFINED: Final = Statement("""
SELECT DISTINCT c.name FROM {texts names w} CROSS JOIN concept AS c
WHERE {equals c.name w.value} AND c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
  AND c.expired_at > :known AND c.born_at <= :known
""")

FLAGGED: Final = Statement("""
SELECT c.name FROM concept AS c
WHERE c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
  AND c.expired_at = :living AND {json c.attributes} -> :attribute = 'true'
""")
"""The definitions whose attribute is `true`."""

INDEXES: Final = Statement("""
SELECT a.type, a.attribute FROM attribute_index AS a
WHERE a.group_id = :group ORDER BY a.type, a.attribute
""")

INDEXED: Final = Statement(
    "SELECT DISTINCT a.attribute FROM attribute_index AS a ORDER BY a.attribute"
)

ADD_INDEX: Final = Statement("""
INSERT INTO attribute_index (group_id, type, attribute) VALUES (:group, :type, :attribute)
ON CONFLICT DO NOTHING
""")

REMOVE_INDEX: Final = Statement("""
DELETE FROM attribute_index WHERE group_id = :group AND type = :type AND attribute = :attribute
""")

CONCEPTS: Final = Statement("SELECT count(*) FROM concept")
"""Of every group: an index holds those of all."""

MAKE_STRICT: Final = Statement("INSERT INTO schema_mode (group_id, mode) VALUES (:group, :mode)")

MAKE_OPEN: Final = Statement("DELETE FROM schema_mode WHERE group_id = :group")
