"""The living elements of a group, by what names them; the keys of names, of which each is one's."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement

_SHARED: Final = (
    "e.id, e.public_id, e.salt, e.attributes, e.metadata, e.valid_at, e.invalid_at, "
    "e.version, e.born_at, e.changed_at"
)
CONCEPT_COLUMNS: Final = f"{_SHARED}, e.type, e.name, e.name_key"
_LINK: Final = f"{_SHARED}, e.subject, e.predicate, e.object, e.key"

CONCEPT_BY_NAME: Final = Statement(f"""
SELECT {CONCEPT_COLUMNS} FROM {{texts wanted w}} CROSS JOIN concept AS e
WHERE e.group_id = :group AND {{equals e.name w.value}} AND e.expired_at = :living
""")  # noqa: S608 - only the columns above are inserted, here and below

CONCEPT_BY_NAME_KEY: Final = Statement(f"""
SELECT {CONCEPT_COLUMNS} FROM {{rows wanted w}} CROSS JOIN concept AS e
WHERE e.group_id = :group AND e.type = {{cell w.value 0 bigint}}
  AND {{equals e.name_key {{cell w.value 1 text}}}} AND e.expired_at = :living
""")  # noqa: S608

CONCEPT_ID_BY_NAME: Final = Statement("""
SELECT e.name, e.id FROM {texts wanted w} CROSS JOIN concept AS e
WHERE e.group_id = :group AND {equals e.name w.value} AND e.expired_at = :living AND e.type = :type
""")

CONCEPT_BY_ID: Final = Statement(f"""
SELECT {CONCEPT_COLUMNS} FROM {{numbers wanted w}} CROSS JOIN concept AS e
WHERE e.id = w.value AND e.group_id = :group AND e.expired_at = :living
""")  # noqa: S608

LINK_BY_ID: Final = Statement(f"""
SELECT {_LINK} FROM {{numbers wanted w}} CROSS JOIN link AS e
WHERE e.id = w.value AND e.group_id = :group AND e.expired_at = :living
""")  # noqa: S608

BY_PUBLIC_ID: Final = Statement(f"""
SELECT {_SHARED}, e.type, NULL, NULL, e.name, e.name_key, NULL
FROM {{texts wanted w}} CROSS JOIN concept AS e
WHERE e.group_id = :group AND {{equals e.public_id w.value}} AND e.expired_at = :living
UNION ALL
SELECT {_LINK}, NULL, e.expired_at FROM {{texts wanted w}} CROSS JOIN link AS e
WHERE e.group_id = :group AND {{equals e.public_id w.value}}
""")  # noqa: S608
"""With the closed links of those ids; a concept's columns stand where a link has such."""

LINK_BY_TRIPLE: Final = Statement(f"""
SELECT {_LINK} FROM {{rows wanted w}} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = {{cell w.value 0 bigint}}
  AND e.predicate = {{cell w.value 1 bigint}} AND e.expired_at = :living
  AND e.object = {{cell w.value 2 bigint}}
""")  # noqa: S608

LINK_BY_SUBJECT: Final = Statement(f"""
SELECT {_LINK} FROM {{rows wanted w}} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = {{cell w.value 0 bigint}}
  AND e.predicate = {{cell w.value 1 bigint}} AND e.expired_at = :living
""")  # noqa: S608

LINK_BY_END: Final = Statement(f"""
SELECT {_LINK} FROM {{numbers wanted w}} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = w.value AND e.expired_at = :living
UNION ALL
SELECT {_LINK} FROM {{numbers wanted w}} CROSS JOIN link AS e
WHERE e.group_id = :group AND e.object = w.value AND e.expired_at = :living
""")  # noqa: S608

ID_BY_TYPE: Final = Statement("""
SELECT e.id FROM concept AS e
WHERE e.group_id = :group AND e.type = :wanted AND e.expired_at = :living ORDER BY e.id
""")

ID_BY_NAME: Final = Statement("""
SELECT e.id FROM concept AS e
WHERE e.group_id = :group AND {equals e.name :wanted} AND e.expired_at = :living ORDER BY e.id
""")

NAMES: Final = Statement("""
SELECT e.name FROM concept AS e
WHERE e.group_id = :group AND e.type = :type AND e.expired_at = :living ORDER BY e.id LIMIT :most
""")

KEYED: Final = Statement("""
SELECT c.id, c.type, c.name, c.name_key, c.expired_at,
  t.text IN (SELECT w.value FROM {texts types w})
FROM concept AS c {by_none} CROSS JOIN term AS t
WHERE c.group_id = :group AND c.id > :after AND t.group_id = :group AND t.code = c.type
  AND (c.name_key IS NOT NULL OR t.text IN (SELECT v.value FROM {texts types v}))
ORDER BY c.id LIMIT :most
""")
"""Concepts that have a key or are to have one; the last column tells whether they are."""

ID_BY_NAME_KEY: Final = Statement("""
SELECT c.id FROM concept AS c
WHERE c.group_id = :group AND c.type = :type AND {equals c.name_key :key} AND c.expired_at = :living
""")

SET_NAME_KEY: Final = Statement("""
UPDATE concept SET name_key = :key WHERE group_id = :group AND id = :id AND NOT EXISTS (
  SELECT 1 FROM concept AS o
  WHERE o.group_id = :group AND o.type = :type AND {equals o.name_key :key}
    AND o.expired_at = :living)
""")
"""Give a concept the key that no other has."""

DROP_NAME_KEY: Final = Statement(
    "UPDATE concept SET name_key = NULL WHERE group_id = :group AND id = :id"
)
