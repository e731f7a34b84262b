"""Documents of the index of texts: of superseded contents, proposed ones, and what they are of.

The conditions that every statement of search puts on an element's row.

The rule: the element belongs to the group, existed at the time asked about and has the type asked
for; what it said then was true at the instant asked for; a concept had one of the wanted values in
each attribute asked about; and a link says something in words, if only such links are wanted.
"""

from __future__ import annotations

from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.elements import said_then
from recollect.model import ElementKind

_GUARDS = f"""{{element}}.group_id = :group
  AND {{element}}.expired_at > :known AND {{element}}.born_at <= :known
  AND (:type::bigint IS NULL OR {{type}}) AND (:valid::bigint IS NULL OR {
    said_then("{element}", "@.valid_at <= :valid AND :valid < @.invalid_at")
})"""

_HAVING = f"""
  AND (:where::text IS NULL OR NOT EXISTS (
    SELECT 1 FROM {{members :where asked}}
    WHERE NOT EXISTS (
      SELECT 1 FROM {{elements asked.value one}}
      WHERE one.value = {{text_at ({said_then("concept", "{json @.attributes}")}) asked.key}})))
"""  # noqa: S608 - an expression

_SAYING = f"""
  AND (:says = 0 OR {{is_text ({said_then("link", "{json @.attributes}")}) fact}})"""

_MORE = {ElementKind.CONCEPT: _HAVING, ElementKind.LINK: _SAYING}

_TYPES = {
    ElementKind.CONCEPT: "concept.type = :type",
    ElementKind.LINK: """:type IN (
    link.predicate,
    (SELECT head.type FROM concept AS head WHERE head.group_id = :group AND head.id = link.subject),
    (SELECT tail.type FROM concept AS tail
      WHERE tail.group_id = :group AND tail.id = link.object))""",
}


def guarded(element: ElementKind, text: str) -> Statement:
    """Return a statement of the table `{element}`, with its guards in the place of `{guards}`."""
    guards = _GUARDS.replace("{type}", _TYPES[element]) + _MORE[element]
    return Statement(text.replace("{guards}", guards).replace("{element}", element))


LAST_PAST = Statement("SELECT coalesce(max(p.doc), 0) FROM text_past AS p")

PUT_PAST = Statement("""
INSERT INTO text_past (doc, group_id, element, until) VALUES (:number, :group, :element, :until)
""")

PAST_DOCUMENTS = Statement("""
SELECT p.doc, p.element FROM {numbers elements w} CROSS JOIN text_past AS p
WHERE p.group_id = :group AND p.element = w.value
""")

PAST_ELEMENTS = Statement("""
SELECT p.doc, p.element FROM {numbers documents w} CROSS JOIN text_past AS p
WHERE p.group_id = :group AND p.doc = w.value
""")

REMOVE_PAST = Statement("DELETE FROM text_past WHERE group_id = :group AND doc = :number")

FORGET_PAST = Statement("DELETE FROM text_past WHERE group_id = :group")

FORGET_ALL_PAST = Statement("DELETE FROM text_past")

FORGET_COUNTS = Statement("""
DELETE FROM tally WHERE group_id = :group AND kind IN (:documents, :tokens)
""")

COUNTS = Statement("""
SELECT y.kind, y.term, y.count FROM tally AS y
WHERE y.group_id = :group AND y.kind IN (:documents, :tokens)
""")

ELEMENTS = Statement("""
SELECT (SELECT count(*) FROM concept AS c WHERE c.group_id = :group)
  + (SELECT count(*) FROM link AS k WHERE k.group_id = :group)
""")

SAID = Statement("""
SELECT c.id, c.expired_at, c.name, c.public_id, c.attributes, c.metadata
FROM concept AS c {by_none} WHERE c.group_id = :group AND c.id > :after
UNION ALL
SELECT k.id, k.expired_at, t.text, NULL, k.attributes, k.metadata
FROM link AS k {by_none} CROSS JOIN term AS t
WHERE k.group_id = :group AND k.id > :after AND t.group_id = :group AND t.code = k.predicate
ORDER BY 1 {limit most}
""")

SAID_BEFORE = Statement("""
SELECT p.id, p.until, p.attributes, p.metadata FROM past AS p
WHERE p.group_id = :group AND p.id > :after AND p.id <= :last
ORDER BY p.id DESC, p.until DESC
""")

_PROPOSED = """
SELECT one.document, {shown}
FROM (
  SELECT {cell w.value 0 bigint} AS element, {cell w.value 1 bigint} AS document
  FROM {rows documents w}
) AS one CROSS JOIN {element}
WHERE {element}.id = one.element AND {guards}
  AND one.document = CASE
    WHEN {element}.changed_at <= :known THEN {element}.id
    ELSE coalesce((
      SELECT -older.doc FROM text_past AS older
      WHERE older.group_id = :group AND older.element = {element}.id AND older.until > :known
      ORDER BY older.until LIMIT 1), {element}.id) END
"""

_NAME_AND_SAID = f"concept.name, {{part_of ({said_then('concept', '@.attributes')}) :said}}"

PROPOSED = {
    kind: guarded(kind, _PROPOSED.replace("{shown}", shown))
    for kind, shown in ((ElementKind.CONCEPT, _NAME_AND_SAID), (ElementKind.LINK, "'', 0"))
}
"""Those of some pairs of an element and a document of it that stood for it then, by its kind."""
