"""The conditions that every statement of search puts on an element's row.

The rule: the element belongs to the group, existed at the time asked about and has the type asked
for; what it said then was true at the instant asked for; a concept had one of the wanted values in
each attribute asked about; and a link says something in words, if only such links are wanted. What
was said then is in the row if the row was written by then, else in `*_past`.
"""

from __future__ import annotations

from typing import Literal

from recollect.kernel.store.statement import Statement

_GUARDS = """{element}.group_id = :group
  AND {element}.expired_at > :known AND {element}.born_at <= :known
  AND (:type::bigint IS NULL OR {type})
  AND (:valid::bigint IS NULL OR CASE
    WHEN {element}.changed_at <= :known
    THEN {element}.valid_at <= :valid AND :valid < {element}.invalid_at
    ELSE EXISTS (
      SELECT 1 FROM {element}_past AS past
      WHERE past.group_id = :group AND past.id = {element}.id
        AND past.until > :known AND past.changed_at <= :known
        AND past.valid_at <= :valid AND :valid < past.invalid_at) END)"""

_HAVING = """
  AND (:where::text IS NULL OR NOT EXISTS (
    SELECT 1 FROM {members :where asked}
    WHERE NOT EXISTS (
      SELECT 1 FROM {elements asked.value one}
      WHERE one.value = {text_at (CASE
        WHEN concept.changed_at <= :known THEN {json concept.attributes}
        ELSE (
          SELECT {json past.attributes} FROM concept_past AS past
          WHERE past.group_id = :group AND past.id = concept.id
            AND past.until > :known AND past.changed_at <= :known) END) asked.key})))"""

_SAYING = """
  AND (:says = 0 OR {is_text (CASE
    WHEN link.changed_at <= :known THEN {json link.attributes}
    ELSE (
      SELECT {json past.attributes} FROM link_past AS past
      WHERE past.group_id = :group AND past.id = link.id
        AND past.until > :known AND past.changed_at <= :known) END) fact})"""

_MORE = {"concept": _HAVING, "link": _SAYING}

_TYPES = {
    "concept": "concept.type = :type",
    "link": """:type IN (
    link.predicate,
    (SELECT head.type FROM concept AS head WHERE head.group_id = :group AND head.id = link.subject),
    (SELECT tail.type FROM concept AS tail
      WHERE tail.group_id = :group AND tail.id = link.object))""",
}


def guarded(element: Literal["concept", "link"], text: str) -> Statement:
    """Return a statement with the guards of its table `element` in the place of `{guards}`."""
    guards = _GUARDS.replace("{element}", element).replace("{type}", _TYPES[element])
    return Statement(text.replace("{guards}", guards + _MORE[element]))
