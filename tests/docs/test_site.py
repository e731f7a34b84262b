"""The site is made of all pages, every link on it leads somewhere, and llms.txt tells the truth."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_site import ROOT, broken, build, laid_out, pages

LLMS = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
LISTED = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): \w", LLMS, re.MULTILINE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, which is made without a complaint."""
    target = tmp_path_factory.mktemp("site")
    assert build(ROOT, target) == 0
    return target / "html"


def test_every_link_on_the_site_leads_somewhere(site: Path) -> None:
    assert list(broken(site)) == []


def test_the_site_has_every_page_as_html_and_as_markdown(site: Path) -> None:
    for place in pages(ROOT).values():
        if place.suffix != ".md":
            assert (site / place).is_file()
            continue
        is_first = place.stem in {"README", "index"}
        assert (
            site / (place.parent if is_first else place.with_suffix("")) / "index.html"
        ).is_file()
        assert (site / place).is_file()


def test_what_llms_txt_names_is_there(site: Path) -> None:
    assert (site / "llms.txt").read_text(encoding="utf-8") == LLMS
    assert len(LISTED) > 20
    assert [one for one in LISTED if not (site / one).is_file()] == []


def test_llms_txt_has_the_form_that_its_readers_expect() -> None:
    assert re.match(r"# \w+\n\n> .+\n\n", LLMS)
    items = [line for line in LLMS.split("\n## ", 1)[1].splitlines() if line.startswith("- ")]
    assert len(items) == len(LISTED)


def test_kip_has_its_colours(site: Path) -> None:
    page = (site / "kip" / "finding" / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="k\w*">FIND</span>', page)


def in_navigation(part: object) -> Iterator[str]:
    match part:
        case str():
            yield part
        case list():
            for one in part:
                yield from in_navigation(one)
        case dict():
            for one in part.values():
                yield from in_navigation(one)


def test_every_page_is_in_the_navigation_once() -> None:
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    named = list(in_navigation(settings["project"]["nav"]))
    there = [place.as_posix() for place in pages(ROOT).values() if place.suffix == ".md"]
    assert sorted(named) == sorted(there)


def test_a_link_to_what_is_no_page_becomes_plain_text() -> None:
    placed = pages(ROOT)
    page = ROOT / "docs" / "kip" / "README.md"
    text = "[a](../cli.md#recollect-fmt) [b](../../Makefile) ![c](../pictures/graph.svg) [d](https://e.f)\n"
    code = "```text\n[b](../../Makefile)\n```\n"
    shown = "[a](../cli.md#recollect-fmt) b ![c](../pictures/graph.svg) [d](https://e.f)\n"
    assert laid_out(text + code + text, page, placed) == shown + code + shown
    assert laid_out("[a](docs/cli.md)", ROOT / "README.md", placed) == "[a](cli.md)"


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="b/">', "index.html: b/ leads nowhere"),
        ('<a href="#b">', "index.html: there is no b in #b"),
        ('<img src="b.svg">', "index.html: b.svg leads nowhere"),
        (
            '<script src="https://e.f/g.js">',
            "index.html: https://e.f/g.js is loaded from elsewhere",
        ),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, html: str, problem: str) -> None:
    (tmp_path / "index.html").write_text(html)
    assert list(broken(tmp_path)) == [problem]
