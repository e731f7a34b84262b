"""One browser for all journeys: Debian's Chromium, with a studio over a memory of its own.

What a page complains of in its console, and any request that leaves its origin, fails the test.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec

import pytest
from tests.browser.story import tell
from tests.serving import Stage, stage

import recollect
from recollect.kernel import Nexus
from recollect.servers.http.app import FACES, make_app
from recollect.servers.http.front import front_face
from recollect.servers.service import at_work, make_service
from recollect.servers.studio import studio_face

__all__ = ["stage"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MAKERS = (*(one for one in FACES if one is not front_face), studio_face)


def pytest_sessionstart() -> None:
    if CHROMIUM is None:
        pytest.exit("recollect: Chromium is missing: apt-get install chromium", 1)
    if find_spec("playwright") is None:
        pytest.exit(
            "recollect: Playwright is missing: pip install playwright axe-playwright-python", 1
        )


@dataclass
class Seen:
    """What a browser did that nobody asked for."""

    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may be missing

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        yield nexus


@pytest.fixture
def studio(stage: Stage, nexus: Nexus) -> Iterator[str]:
    """Where the pages of a memory with a story are."""
    with at_work(make_service(nexus, has_worker=False), 5) as service:
        tell(nexus, service.operations)
        stage.app = make_app(service, makers=MAKERS)
        yield stage.url


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def context(chromium, studio: str, seen: Seen):
    context = chromium.new_context(base_url=studio, viewport={"width": 1200, "height": 850})
    context.set_default_timeout(15_000)

    def asked(request) -> None:
        if not re.match(f"{re.escape(studio)}/|blob:|data:", request.url):
            seen.foreign.append(request.url)
        if "/studio/events" in request.url:
            seen.streams.append(request.url)

    context.on("request", asked)
    yield context
    context.close()
    assert (seen.complaints, seen.foreign) == ([], [])


@pytest.fixture
def new_page(context, seen: Seen) -> Callable[[], object]:
    def made():
        page = context.new_page()
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (seen.complaints.append("dialog"), dialog.dismiss()))
        page.on(
            "console",
            lambda said: (
                seen.complaints.append(said.text)
                if said.type == "error" and "status of 4" not in said.text
                else None
            ),
        )
        return page

    return made


@pytest.fixture
def page(new_page):
    return new_page()
