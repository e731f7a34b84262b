"""Make the pictures of the studio in docs/pictures anew: `make pictures`."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path

from tests.browser.story import EPISODE, tell

import recollect
from recollect.servers.http.app import make_app
from recollect.servers.http.server import listen, make_server, url_of
from recollect.servers.service import at_work, make_service
from recollect.servers.studio import studio_face

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PAGES = {
    "home": "/",
    "ask": "/ask?q=where does Ann work",
    "kip": '/ask?q=FIND(?x, ?x.attributes.role) WHERE { ?x {type: "Person"} }',
    "element": "/element?id=ann",
    "fact": "/element?id=home",
    "graph": "/graph?all=1",
    "claims": "/claims",
    "episode": f"/episodes/one?id={EPISODE}",
    "compare": "/compare?from=%231",
    "care": "/care/look?at=duplicates",
}
SIZE = {"width": 1200, "height": 800}
SETTLE_MS = 900


def main() -> int:
    """Take a picture of each page; return the exit status."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("recollect: Chromium is missing: apt-get install chromium")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may be missing

    with (
        recollect.open(":memory:") as nexus,
        listen("127.0.0.1", 0) as listener,
        at_work(make_service(nexus, has_worker=False), 5) as service,
    ):
        tell(nexus, service.operations)
        server = make_server(make_app(service, makers=(studio_face,)), grace_seconds=2)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(base_url=url_of(listener), viewport=SIZE)
            for name, path in PAGES.items():
                page.goto(path)
                page.wait_for_timeout(SETTLE_MS)
                page.screenshot(path=FOLDER / f"studio-{name}.png")
            browser.close()
        server.should_exit = True
        thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
