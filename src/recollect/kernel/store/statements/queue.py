"""The durable queue: items, their leases and receipts."""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.statement import Statement
from recollect.model import BEGINNING, FOREVER

ITEM: Final = "w.number, w.item, w.state, w.attempts, w.due_at, w.payload"

PUT: Final = Statement("""
INSERT INTO work (group_id, number, item, state, attempts, due_at, payload)
SELECT :group, 1 + coalesce(max(w.number), 0), :item, :state, 0, :due_at, '{}'
FROM work AS w WHERE w.group_id = :group
ON CONFLICT DO NOTHING
""")

GIVE: Final = Statement("""
INSERT INTO receipt (group_id, receipt, position, item)
VALUES (:group, :receipt, :position, :item)
ON CONFLICT DO NOTHING
""")

OF_RECEIPT: Final = Statement(f"""
SELECT {ITEM} FROM receipt AS r
JOIN work AS w ON w.group_id = :group AND w.item = r.item
WHERE r.group_id = :group AND r.receipt = :receipt ORDER BY r.position
""")  # noqa: S608 - only the columns above are inserted

IN_STATE: Final = Statement(f"""
SELECT {ITEM} FROM work AS w {{by work_state}}
WHERE w.group_id = :group AND w.state = :state ORDER BY w.number
""")  # noqa: S608

ONE: Final = Statement(f"SELECT {ITEM} FROM work AS w WHERE w.group_id = :group AND w.item = :item")  # noqa: S608

NEXT: Final = Statement(f"""
SELECT {ITEM} FROM work AS w {{by work_waiting}}
WHERE w.group_id = :group AND w.due_at < {FOREVER} AND w.due_at <= :now AND NOT EXISTS (
  SELECT 1 FROM work AS o
  WHERE o.group_id = :group AND o.lease_until > :now AND o.owner != '' AND o.owner != :owner)
ORDER BY w.number LIMIT :most
""")  # noqa: S608

LEASE: Final = Statement("""
UPDATE work {by work_item} SET owner = :owner, lease_until = :until
WHERE group_id = :group AND item IN (SELECT one.value FROM {texts items one})
""")

HELD: Final = Statement("""
SELECT w.item FROM {texts items one} CROSS JOIN work AS w
WHERE w.item = one.value AND w.group_id = :group AND w.owner = :owner AND w.owner != ''
""")

SETTLE: Final = Statement(f"""
UPDATE work {{by work_leased}} SET
  state = {{cell one.value 'state' text}}, attempts = {{cell one.value 'attempts' bigint}},
  due_at = {{cell one.value 'due_at' bigint}}, payload = {{cell one.value 'payload' text}},
  lease_until = :until,
  owner = CASE WHEN {{cell one.value 'due_at' bigint}} = {BEGINNING} THEN owner ELSE '' END
FROM {{rows items one}}
WHERE group_id = :group AND item = {{cell one.value 'item' text}} AND owner = :owner AND owner != ''
RETURNING item
""")  # noqa: S608 - a number

RETURN: Final = Statement("""
UPDATE work {by work_leased} SET owner = ''
WHERE group_id = :group AND owner = :owner AND owner != ''
  AND item IN (SELECT one.value FROM {texts items one})
""")

RENEW: Final = Statement("""
UPDATE work {by work_leased} SET lease_until = :until
WHERE group_id = :group AND owner = :owner AND owner != ''
""")

AGAIN: Final = Statement("""
UPDATE work SET state = :state, attempts = 0, due_at = :due_at, payload = :payload
WHERE group_id = :group AND item = :item
""")

DUE_GROUPS: Final = Statement(f"""
SELECT g.name FROM grp AS g
WHERE EXISTS (
  SELECT 1 FROM work AS w
  WHERE w.group_id = g.group_id AND w.due_at < {FOREVER} AND w.due_at <= :now)
AND NOT EXISTS (
  SELECT 1 FROM work AS o
  WHERE o.group_id = g.group_id AND o.lease_until > :now AND o.owner != '' AND o.owner != :owner)
ORDER BY g.name
""")  # noqa: S608 - a number; the one question about all groups, of whoever works for all

COUNTS: Final = Statement("""
SELECT w.state, count(*) FROM work AS w WHERE w.group_id = :group GROUP BY w.state
""")

FORGET: Final = (
    Statement("DELETE FROM work WHERE group_id = :group AND item = :item"),
    Statement("DELETE FROM receipt WHERE group_id = :group AND item = :item"),
)

LOST: Final = Statement("""
SELECT w.item FROM work AS w WHERE w.group_id = :group AND NOT EXISTS (
  SELECT 1 FROM concept AS c WHERE c.group_id = :group AND {equals c.public_id w.item})
UNION
SELECT r.item FROM receipt AS r WHERE r.group_id = :group AND NOT EXISTS (
  SELECT 1 FROM work AS o WHERE o.group_id = :group AND o.item = r.item)
ORDER BY 1
""")
