"""Text that wants to be more than text, wherever a memory holds any."""

from __future__ import annotations

import html
import re

import pytest
from tests.servers.studio.conftest import Visitor
from tests.servers.studio.hostile import (
    BATCHES,
    MARK,
    OBEYED,
    PAGES,
    SCRIPTS,
    TEXTS,
    acted_on,
    fill,
)

from recollect.kernel import Nexus
from recollect.model import PutConcept
from recollect.servers.service import ServedMemory
from recollect.servers.studio.rendering import visible

LARGE = f"{MARK}<b>" + "y" * 1_000_000
LEAST_WAYS = 4  # of eleven: some want a line, or no control character
LARGEST_PAGE = 2_000_000  # bytes
FIELDS = re.compile(r' value="[^"]*"|(?s:<textarea.*?</textarea>)')


def test_there_are_five_hundred_of_them():
    assert len(set(TEXTS)) == len(TEXTS) >= 500


@pytest.mark.parametrize("number", range(len(BATCHES)))
def test_no_stored_text_becomes_markup_script_style_or_a_target(
    visitor: Visitor, nexus: Nexus, service: ServedMemory, number: int
):
    texts = BATCHES[number]
    assert min(fill(nexus, service.operations, texts)) >= LEAST_WAYS
    own = [f"/element?id=thing{at}" for at in range(len(texts))]
    for path in (*PAGES, *own, "/element?id=c0", "/element?id=1", "/episodes/one?id=e0"):
        answer = visitor.http.get(path)
        assert answer.status_code in (200, 404), path
        assert acted_on(answer.text) == [], path
        assert len(answer.text) < LARGEST_PAGE, path
        shown = FIELDS.sub("", answer.text)
        assert OBEYED.search(shown.replace("\r\n", "\n")) is None, path
        if path in own and answer.status_code == 200:
            text = texts[own.index(path)]
            assert html.escape(visible(text[:40]), quote=False) in unquoted(answer.text), path


def unquoted(page: str) -> str:
    """Return a page with the quotes of its texts as they are."""
    return page.replace("&#34;", '"').replace("&#39;", "'")


def test_a_large_text_makes_no_large_page(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Thing", "big", {"description": LARGE, "list": [LARGE]}, id="hub")])
    for path in PAGES:
        answer = visitor.http.get(path)
        assert answer.status_code in (200, 404) and len(answer.text) < 200_000, path


@pytest.mark.parametrize("text", SCRIPTS)
def test_what_is_asked_is_shown_as_it_was_asked(visitor: Visitor, text: str):
    for path in ("/ask", "/compare", "/types", "/element", "/graph", "/markup", "/claims"):
        more = {"from": text, "about": text, "root": text, "fold": text, "clock": text}
        answer = visitor.get(path, q=text, id=text, type=text, known="", **more)
        if "text/html" in answer.headers["content-type"]:
            assert acted_on(answer.text) == [], path
        assert "set-cookie" not in answer.headers or MARK not in answer.headers["set-cookie"]
