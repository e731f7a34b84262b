"""Verifies a store's change log from its rows alone, without the code that wrote it."""

from __future__ import annotations

import hashlib
import json

from recollect.kernel.store.port import SqlRow, Store

CONCEPTS = """
SELECT c.id, c.salt, c.attributes, c.metadata, c.valid_at, c.invalid_at, c.changed_at,
       c.expired_at, c.id, t.text, c.name, c.public_id
FROM concept c JOIN term t ON t.group_id = c.group_id AND t.code = c.type WHERE c.group_id = ?
"""
LINKS = """
SELECT l.id, l.salt, l.attributes, l.metadata, l.valid_at, l.invalid_at, l.changed_at,
       l.expired_at, l.id, l.subject, t.text, l.object, l.key, l.public_id
FROM link l JOIN term t ON t.group_id = l.group_id AND t.code = l.predicate WHERE l.group_id = ?
"""
PAST = "group_id, id, until, attributes, metadata, valid_at, invalid_at, version, changed_at"


def verify(store: Store, group: int) -> int:
    """Return how many transactions the log has, after checking every digest and chain hash."""
    with store.reading() as session:
        elements = {row[0]: row for row in session.rows(CONCEPTS, (group,))}
        elements |= {row[0]: row for row in session.rows(LINKS, (group,))}
        pasts = session.rows(f"SELECT {PAST} FROM past WHERE group_id = ?", (group,))
        sql = "SELECT tx, element, operation, digest FROM change WHERE group_id = ? ORDER BY 1, 2"
        changes = session.rows(sql, (group,))
        sql = "SELECT number, at, last_id, actor, request, chain FROM tx WHERE group_id = ? ORDER BY 1"
        transactions = session.rows(sql, (group,))
        id_bits = session.rows("SELECT id_bits FROM grp WHERE group_id = ?", (group,))
        standing = session.row("SELECT number, at, chain FROM grp WHERE group_id = ?", (group,))
    purged = {element: tx for tx, element, operation, _ in changes if operation == "purge"}
    past = {(row[1], row[8]): row[3:7] for row in pasts}  # by element and who had written it
    chain, numbers, instants = bytes(32), [], [0]
    for number, at, last_id, actor, request, written in transactions:
        logged = []
        for tx, element, operation, digest in changes:
            if tx == number:
                logged.append(_json([element, operation, digest.hex()]))
                if operation == "purge":
                    assert digest == hashlib.sha256(_json(["purge", element]).encode()).digest()
                    assert element not in elements
                elif element not in elements:
                    assert purged[element] > tx, (tx, element)
                else:
                    row = elements[element]
                    assert digest == _digest(row, _content(row, past, tx, operation)), (tx, element)
        assert logged, "a transaction without a change"
        fields = _json([id_bits[0][0].hex(), number, at, last_id, actor, request, len(logged)])
        chain = hashlib.sha256(chain + (fields + "".join(logged)).encode()).digest()
        assert written == chain, f"the chain breaks at {number}"
        numbers.append(number)
        instants.append(at)
    assert numbers == list(range(1, len(numbers) + 1))
    assert instants == sorted(set(instants)), "time does not strictly rise"
    if transactions:
        assert standing == (numbers[-1], instants[-1], chain)
    return len(numbers)


def _content(
    row: SqlRow, past: dict[tuple[object, object], SqlRow], number: object, operation: object
) -> SqlRow:
    if operation == "close":
        assert row[7] == number
        return row[2:6]
    return row[2:6] if row[6] == number else past[row[0], number]


def _digest(row: SqlRow, content: SqlRow) -> bytes:
    attributes, metadata, valid_at, invalid_at = content
    body = [*row[8:], json.loads(str(attributes)), json.loads(str(metadata)), valid_at, invalid_at]
    assert isinstance(row[1], bytes)
    return hashlib.sha256(row[1] + _json(body).encode()).digest()


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
