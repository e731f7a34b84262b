"""What the tests of messages share."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang import parse


@pytest.fixture(scope="session")
def refusal():
    """Return the function that shows how a text is refused, and its mending if there is one."""

    def shown(text):
        with pytest.raises(RecollectError) as refused:
            parse(text)
        error = refused.value
        if error.fix is None:
            return str(error)
        span = error.fix.span
        return f"{error}\n  mended: {text[: span.start]}{error.fix.text}{text[span.end :]}"

    return shown
