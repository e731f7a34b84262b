"""The durable queue: items, their leases and receipts."""

from __future__ import annotations

from typing import Final

from recollect.model import BEGINNING, FOREVER

ITEM: Final = "w.number, w.item, w.state, w.attempts, w.due_at, w.payload"

PUT = """
INSERT OR IGNORE INTO work (group_id, number, item, state, attempts, due_at, payload)
SELECT :group, 1 + coalesce(max(w.number), 0), :item, :state, 0, :due_at, '{}'
FROM work AS w WHERE w.group_id = :group
"""

GIVE = """
INSERT OR IGNORE INTO receipt (group_id, receipt, position, item)
VALUES (:group, :receipt, :position, :item)
"""

OF_RECEIPT = f"""
SELECT {ITEM} FROM receipt AS r
JOIN work AS w ON w.group_id = :group AND w.item = r.item
WHERE r.group_id = :group AND r.receipt = :receipt ORDER BY r.position
"""  # noqa: S608 - only the columns above are inserted

IN_STATE = f"""
SELECT {ITEM} FROM work AS w INDEXED BY work_state
WHERE w.group_id = :group AND w.state = :state ORDER BY w.number
"""  # noqa: S608

ONE = f"SELECT {ITEM} FROM work AS w WHERE w.group_id = :group AND w.item = :item"  # noqa: S608

NEXT = f"""
SELECT {ITEM} FROM work AS w INDEXED BY work_waiting
WHERE w.group_id = :group AND w.due_at < {FOREVER} AND w.due_at <= :now AND NOT EXISTS (
  SELECT 1 FROM work AS o
  WHERE o.group_id = :group AND o.lease_until > :now AND o.owner != '' AND o.owner != :owner)
ORDER BY w.number LIMIT :most
"""  # noqa: S608

LEASE = """
UPDATE work INDEXED BY work_item SET owner = :owner, lease_until = :until
WHERE group_id = :group AND item IN (SELECT one.value FROM json_each(:items) AS one)
"""

HELD = """
SELECT w.item FROM json_each(:items) AS one CROSS JOIN work AS w ON w.item = one.value
WHERE w.group_id = :group AND w.owner = :owner AND w.owner != ''
"""

SETTLE = f"""
UPDATE work INDEXED BY work_leased SET
  state = one.value ->> 'state', attempts = one.value ->> 'attempts',
  due_at = one.value ->> 'due_at', payload = one.value ->> 'payload', lease_until = :until,
  owner = CASE WHEN one.value ->> 'due_at' = {BEGINNING} THEN owner ELSE '' END
FROM json_each(:items) AS one
WHERE group_id = :group AND item = one.value ->> 'item' AND owner = :owner AND owner != ''
RETURNING item
"""  # noqa: S608 - a number

RETURN = """
UPDATE work INDEXED BY work_leased SET owner = ''
WHERE group_id = :group AND owner = :owner AND owner != ''
  AND item IN (SELECT one.value FROM json_each(:items) AS one)
"""

HAS_LEASE = """
SELECT 1 FROM work AS w INDEXED BY work_leased WHERE w.owner = :owner AND w.owner != '' LIMIT 1
"""

RENEW = """
UPDATE work INDEXED BY work_leased SET lease_until = :until WHERE owner = :owner AND owner != ''
"""

AGAIN = """
UPDATE work SET state = :state, attempts = 0, due_at = :due_at, payload = :payload
WHERE group_id = :group AND item = :item
"""

DUE_GROUPS = f"""
SELECT g.name FROM grp AS g
WHERE EXISTS (
  SELECT 1 FROM work AS w
  WHERE w.group_id = g.group_id AND w.due_at < {FOREVER} AND w.due_at <= :now)
AND NOT EXISTS (
  SELECT 1 FROM work AS o
  WHERE o.group_id = g.group_id AND o.lease_until > :now AND o.owner != '' AND o.owner != :owner)
ORDER BY g.name
"""  # noqa: S608 - a number; the one question about all groups, of whoever works for all

COUNTS = """
SELECT w.state, count(*) FROM work AS w WHERE w.group_id = :group GROUP BY w.state
"""

FORGET = (
    "DELETE FROM work WHERE group_id = ? AND item = ?",
    "DELETE FROM receipt WHERE group_id = ? AND item = ?",
)

LOST = """
SELECT w.item FROM work AS w WHERE w.group_id = :group AND NOT EXISTS (
  SELECT 1 FROM concept AS c WHERE c.group_id = :group AND c.public_id = w.item)
UNION
SELECT r.item FROM receipt AS r WHERE r.group_id = :group AND NOT EXISTS (
  SELECT 1 FROM work AS o WHERE o.group_id = :group AND o.item = r.item)
ORDER BY 1
"""
