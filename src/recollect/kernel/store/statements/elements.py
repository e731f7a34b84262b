"""Elements by id, name and key, and what was asked of them at another time."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement, of_both


def said_then(element: str, said: str) -> str:
    """Return an expression over what a row said at `:known`, which stands for `@` in `said`.

    That is what the row says, if it was written by then, else the first that was superseded since.
    """
    now, before = (said.replace("@", row) for row in (element, "past"))
    return f"""CASE WHEN {element}.changed_at <= :known THEN {now} ELSE (
  SELECT {before} FROM past
  WHERE past.group_id = :group AND past.id = {element}.id AND past.until > :known
  ORDER BY past.until LIMIT 1) END"""  # noqa: S608 - names and expressions of our own


STATE = Statement("SELECT e.begun, g.number FROM erasure AS e LEFT JOIN grp AS g ON g.name = :name")

LAST = Statement(
    """
SELECT e.begun, c.last_n, g.number, g.at, g.chain FROM erasure AS e CROSS JOIN counter AS c
LEFT JOIN grp AS g ON g.name = :name
"""
)

_SAID = """
SELECT e.id, e.public_id, e.salt, c.digest,
  {said}.attributes, {said}.metadata, {said}.valid_at, {said}.invalid_at, {identity}
FROM {{numbers ids w}} CROSS JOIN {table} AS e{past}
LEFT JOIN term AS t ON t.group_id = :group AND t.code = e.{term}
LEFT JOIN change AS c ON c.group_id = :group AND c.tx = {said}.changed_at AND c.element = e.id
WHERE e.id = w.value AND e.group_id = :group{of_past}
"""
_IDENTITIES = {"concept": "t.text, e.name, e.public_id"} | {
    "link": "e.subject, t.text, e.object, e.key, e.public_id"
}
_TERMS = {"concept": "type", "link": "predicate"}

CURRENT = {
    table: Statement(
        _SAID.format(
            said="e", table=table, identity=identity, term=_TERMS[table], past="", of_past=""
        )
    )
    for table, identity in _IDENTITIES.items()
}
"""What elements of a table say now, with the digest that was logged of it."""

PAST = {
    table: Statement(
        _SAID.format(
            said="p",
            table=table,
            identity=identity,
            term=_TERMS[table],
            past=" CROSS JOIN past AS p",
            of_past=" AND p.group_id = :group AND p.id = e.id",
        )
    )
    for table, identity in _IDENTITIES.items()
}
"""What they said before, likewise."""

KEYS = Statement(
    """
SELECT c.id, c.type, c.name FROM {numbers ids w} CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group AND c.born_at <= :known
  AND (:closed = 1 OR c.expired_at > :known)
"""
)

DECLARED = Statement(
    """
SELECT concept.name FROM concept
WHERE concept.group_id = :group AND concept.type = (
    SELECT term.code FROM term WHERE term.group_id = :group AND {equals term.text :meta})
  AND concept.expired_at = :living
ORDER BY concept.name = :first DESC, concept.name LIMIT :limit
"""
)

BY_KEY = Statement(
    """
SELECT e.id FROM concept AS e
WHERE e.group_id = :group AND e.type = :type AND {equals e.name :name} ORDER BY e.id
"""
)

BY_ID = of_both(
    """
SELECT w.value, e.id FROM {texts ids w} CROSS JOIN {element} AS e
WHERE e.group_id = :group AND {equals e.public_id w.value} AND e.born_at <= :known
""",
    "{both} UNION ALL "
    + of_both("""
SELECT w.key, e.id FROM {pairs computed w} CROSS JOIN {element} AS e
WHERE e.group_id = :group AND e.id = w.value AND e.public_id IS NULL AND e.born_at <= :known
""").text
    + " ORDER BY 2",
)

PURGED = Statement(
    """
SELECT max(c.tx) FROM change AS c
WHERE c.group_id = :group AND c.element = :element AND c.operation = 'purge'
"""
)

GIVEN_IDS = of_both("""
SELECT e.id, e.public_id FROM {numbers ids w} CROSS JOIN {element} AS e
WHERE e.id = w.value AND e.group_id = :group AND e.public_id IS NOT NULL
""")

MEANT_KEYS = Statement(
    """
SELECT c.id, c.type, c.name FROM {numbers ids w} CROSS JOIN concept AS c
WHERE c.id = w.value AND c.group_id = :group
"""
)

TRIPLES = Statement(
    """
SELECT k.id, k.subject, k.predicate, k.object FROM {numbers ids w} CROSS JOIN link AS k
WHERE k.id = w.value AND k.group_id = :group
"""
)

AT_NUMBER = Statement(
    "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = :group AND t.number = :number"
)

AT_INSTANT = Statement(
    "SELECT t.number, t.last_id FROM tx AS t WHERE t.group_id = :group AND t.at <= :at"
    " ORDER BY t.at DESC LIMIT 1"
)

OUT_OF_TIME = of_both(
    f"""
  SELECT e.id, {said_then("e", "@.valid_at")} AS valid_at,
    {said_then("e", "@.invalid_at")} AS invalid_at
  FROM {{numbers ids w}} CROSS JOIN {{element}} AS e WHERE e.id = w.value AND e.group_id = :group
""",  # noqa: S608 - expressions
    """
SELECT b.id, b.valid_at, b.invalid_at FROM ({both}) AS b
WHERE b.valid_at > :at OR b.invalid_at <= :at
""",
)
