"""Everybody can use every page: axe-core at WCAG 2.2 AA, in light and dark, on any screen."""

from __future__ import annotations

from importlib.resources import files

import pytest
from tests.browser.story import EPISODE

SHORT = ("/", "/ask?q=Ann", "/element?id=ann", "/claims")
LONG = (
    *SHORT,
    "/ask",
    '/ask?q=FIND(?x) WHERE { ?x {type: "Person"} }',
    '/ask?q=FIND(?x) WHERE { ?x {type: "Person"} }&explain=1',
    '/ask?q=FIND(?x) WHERE { ?x {type: "Person"} }&as=graph',
    '/ask?q=FIND(?x WHERE { ?x {type: "Person"} }',
    '/ask?q=UPSERT { CONCEPT { {type: "Person", name: $n} } }',
    "/element?id=home",
    "/element?id=green",
    "/element?id=ann&known=%231",
    "/graph?id=ann",
    "/lens/run/run-1",
    "/lens/agent/nobody",
    "/episodes",
    f"/episodes/one?id={EPISODE}",
    "/knowledge?q=mesh",
    "/brief",
    "/markup?fold=none",
    "/compare?from=%231",
    "/care",
    "/care/import",
    "/care/look?at=duplicates",
    "/care/look?at=audit",
    "/keys",
    "/growth",
    "/connected",
    "/?known=%232",
    "/types?type=Person",
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NARROWEST, WIDEST = 360, 2_560
SMALLEST = 12  # px
SMALL = f"""[...document.querySelectorAll("body *")].filter(one =>
  one.checkVisibility() && [...one.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())
  && parseFloat(getComputedStyle(one).fontSize) < {SMALLEST}).map(one => one.outerHTML.slice(0, 80))"""


@pytest.fixture(params=["light", "dark"])
def looked_at(request, chromium, studio: str):
    context = chromium.new_context(
        base_url=studio,
        color_scheme=request.param,
        bypass_csp=True,
        viewport={"width": 1200, "height": 850},
    )
    yield context.new_page()
    context.close()


def test_axe_finds_nothing(looked_at, is_long: bool):
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    for path in LONG if is_long else SHORT:
        looked_at.goto(path)
        looked_at.evaluate(axe)
        found = looked_at.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
        wrong = [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]]
        assert wrong == [], path


@pytest.mark.parametrize("width", [NARROWEST, WIDEST])
def test_no_page_scrolls_sideways_and_no_text_is_small(page, width: int, is_long: bool):
    page.set_viewport_size({"width": width, "height": 800})
    for path in LONG if is_long else SHORT:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(SMALL) == [], path


def test_reading_works_without_scripts(chromium, studio: str):
    context = chromium.new_context(base_url=studio, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Ask in plain words").fill("where does Ann work")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("link", name="Ann works at Acme").first.click()
    assert page.get_by_role("heading", name="Its two clocks").is_visible()
    context.close()
