"""The types and predicates that a memory lists, all of them.

The rule: DESCRIBE answers a page at a time, and every page is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from recollect.kernel import Nexus
from recollect.model import Description, Value

_PAGE: Final = "DESCRIBE {} LIMIT 1000"
_NEXT: Final = "DESCRIBE {} LIMIT 1000 CURSOR $cursor"


def listed(
    nexus: Nexus, what: Literal["CONCEPT TYPES", "PROPOSITION TYPES"]
) -> Iterator[tuple[str, int]]:
    """Yield each name with how many living elements have it, in the order of DESCRIBE.

    What is declared and not in use is there with a count of 0. Cost: a read for each thousand.
    """
    text, parameters = _PAGE.format(what), dict[str, Value]()
    while True:
        (page,) = nexus.read(text, parameters).results
        assert isinstance(page, Description)
        items, cursor = page.body["items"], page.body.get("next_cursor")
        assert isinstance(items, list)
        for one in items:
            assert isinstance(one, dict)
            count = one["count"]
            assert isinstance(count, int)
            yield str(one["name"]), count
        if cursor is None:
            return
        text, parameters = _NEXT.format(what), {"cursor": cursor}
