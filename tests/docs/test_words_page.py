"""docs/kip/words.md is the table that an editor shows."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.kernel import meaning_of
from recollect.kernel.lang.tokens import KEYWORDS

PAGE = Path(__file__).parents[2] / "docs" / "kip" / "words.md"
ROW = re.compile(r"^\| `(\w+)` \| `(.+)` \| (.+) \|$", re.MULTILINE)


def test_the_page_has_every_keyword_with_its_form_and_meaning() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert [word for word, *_ in rows] == sorted(KEYWORDS)
    for word, form, text in rows:
        meaning = meaning_of(word)
        assert meaning is not None
        assert (form, text) == (meaning.form, meaning.text)
