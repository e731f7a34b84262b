"""The point in both times that a request asks about, from its JSON form.

Its one rule: text is ISO 8601, a reduced form means the start of the period, no zone means UTC;
`now` is the present on either clock.
"""

from __future__ import annotations

import json
import re

from recollect.errors import INVALID_VALUE, RecollectError, ask_at
from recollect.faces.kip.arguments import refuse_unknown, require_object, require_text
from recollect.kernel import asked_instant
from recollect.model import AsOf, Instant

_LIKE = 'write it like "2024-01-31" or "2024-01-31T09:30:00Z"'
NOW = "now"
_WHOLE = re.compile("[0-9]{1,18}")


def read_as_of(value: object) -> AsOf | None:
    """Return the point in time `value` names: an `AsOf`, `{"valid"?, "known"?}`, or None.

    `valid` is an instant as text; `known` is an instant as text, or a transaction number.

    >>> read_as_of({"valid": "1970-01-02"})
    AsOf(valid=86400000, known=None, transaction=None)
    """
    if value is None or isinstance(value, AsOf):
        return value
    if isinstance(value, str):
        raise RecollectError(
            INVALID_VALUE,
            "as_of is a string, which does not say which of the two times it means",
            hint=f'pass {{"known": {json.dumps(value, ensure_ascii=False)}}} as as_of',
        )
    members = require_object("as_of", value)
    refuse_unknown("as_of", members, ("valid", "known"))
    valid, known = members.get("valid"), members.get("known")
    valid_at = None if valid is None else _instant("as_of.valid", valid)
    if known is None or known == NOW:  # whatever has been written by then
        return AsOf(valid=valid_at)
    if isinstance(known, int) and not isinstance(known, bool):
        return AsOf(valid=valid_at, transaction=_transaction(known))
    return AsOf(valid=valid_at, known=_instant("as_of.known", known, _hint_for_known(known)))


def _transaction(number: int) -> int:
    if 0 <= number < 2**63:
        return number
    raise RecollectError(
        INVALID_VALUE,
        f"as_of.known is {number}, which is not a transaction number",
        hint="pass a whole number from 0",
    )


def _hint_for_known(value: object) -> str:
    """Return what to write in place of a text, which may be the number of a transaction."""
    if isinstance(value, str) and _WHOLE.fullmatch(value) is not None:
        return ask_at(int(value))
    return _LIKE


def _instant(name: str, value: object, hint: str = _LIKE) -> Instant:
    text = require_text(name, value)
    instant = asked_instant(text)
    if instant is None:
        raise RecollectError(
            INVALID_VALUE, f"{name} is {text!r}, which is not an ISO 8601 date or time", hint=hint
        )
    return instant
