"""What the tests of Knowing Markup ask again and again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.errors import RecollectError
from recollect.faces.markup import Applied, Markup


def fault(call: Callable[[], object]) -> RecollectError:
    """Return the error that a call raises."""
    with pytest.raises(RecollectError) as caught:
        call()
    return caught.value


def code(call: Callable[[], object]) -> str:
    """Return the code of the error that a call raises."""
    return fault(call).code.code


def lines(applied: Applied) -> list[str]:
    """Return the changes as lines to approve."""
    return [str(one) for one in applied.changes]


def notices(applied: Applied) -> list[str]:
    """Return the codes of the notices."""
    return [one.code for one in applied.notices]


def places(markup: Markup, id: str) -> set[tuple[str, str | None, str]]:
    """Return where a node stands."""
    return {(one.space, one.parent, one.predicate) for one in markup.places(id)}


def refused(markup: Markup, text: str, **more: object) -> str:
    """Return the code with which a change is refused; nothing is changed by it."""
    before = markup.render(show_deleted=True)
    found = code(lambda: markup.apply(text, **more))  # type: ignore[arg-type]
    assert markup.render(show_deleted=True) == before
    return found
