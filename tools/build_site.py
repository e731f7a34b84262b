"""Make the documentation a site to browse: build/site/html.

The pages are those of the repository, README.md first. A link to what is no page becomes plain
text, a page is also there as the Markdown it was made of, for models (llms.txt names them), and
a link that leads nowhere fails the build.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
TOP = {"README.md": "index.md", "ARCHITECTURE.md": "", "AGENTS.md": "", "CHANGELOG.md": ""}
"""The pages beside docs, and their names on the site where they differ."""

FENCED = re.compile(r"(^(`{3,}|~{3,}).*?^\2$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def pages(root: Path) -> dict[Path, Path]:
    """Return where each file of the documentation stands on the site."""
    found = {root / name: Path(other or name) for name, other in TOP.items()}
    for path in sorted((root / "docs").rglob("*")):
        if path.is_file():
            found[path] = path.relative_to(root / "docs")
    return found


def laid_out(text: str, page: Path, placed: dict[Path, Path]) -> str:
    """Return a page with its links as they are on the site."""

    def link(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        name, hash_sign, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not name:
            return found[0]
        place = placed.get((page.parent / name).resolve())
        if place is None:
            return words
        here = os.path.relpath(place, placed[page].parent)
        return f"{mark}[{words}]({Path(here).as_posix()}{hash_sign}{anchor})"

    parts = FENCED.split(text)  # every third part is a block of code, with its fence after it
    return "".join(
        LINK.sub(link, part) if number % 3 == 0 else part
        for number, part in enumerate(parts)
        if number % 3 != 2
    )


def lay_out(root: Path, target: Path) -> None:
    """Write the pages as the site has them, and what says how it looks, below `target`."""
    shutil.rmtree(target, ignore_errors=True)
    placed = pages(root)
    for path, place in placed.items():
        to = target / "pages" / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            to.write_text(laid_out(path.read_text("utf-8"), path, placed), encoding="utf-8")
        else:
            shutil.copyfile(path, to)
    shutil.copyfile(root / "zensical.toml", target / "zensical.toml")


def build(root: Path, target: Path) -> int:
    """Make the site; return the exit status of what makes it."""
    lay_out(root, target)
    program = Path(sys.executable).with_name("zensical")
    made = subprocess.run([program, "build", "--strict"], cwd=target, check=False)
    for page in sorted((target / "pages").rglob("*.md")):
        shutil.copyfile(page, target / "html" / page.relative_to(target / "pages"))
    return made.returncode


class Targets(HTMLParser):
    """What a page links to and loads, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag refers to, and what it is called."""
        for name, value in attrs:
            if value and name in {"href", "src"}:
                self.targets.add(value)
                if tag != "a":
                    self.loaded.add(value)
            if value and name in {"id", "name"}:
                self.places.add(value)


def read(page: Path) -> Targets:
    """Return the targets of one page of HTML."""
    targets = Targets()
    targets.feed(page.read_text(encoding="utf-8"))
    return targets


def broken(site: Path) -> Iterator[str]:
    """Yield each link of a site that leads nowhere, or loads something from elsewhere."""
    seen = {page: read(page) for page in sorted(site.rglob("*.html"))}
    for page, found in seen.items():
        if page.name == "404.html":
            continue  # it is shown at any address
        for target in sorted(found.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in found.loaded:
                    yield f"{page.relative_to(site)}: {target} is loaded from elsewhere"
                continue
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            to = to / "index.html" if to.is_dir() else to
            name = page.relative_to(site)
            if not to.exists():
                yield f"{name}: {target} leads nowhere"
            elif parts.fragment and to in seen and parts.fragment not in seen[to].places:
                yield f"{name}: there is no {parts.fragment} in {target}"


def main() -> int:
    """Build the site and look at its links; return the exit status."""
    target = ROOT / "build" / "site"
    failed = build(ROOT, target)
    found = list(broken(target / "html"))
    print("\n".join(found) or f"Site: {(target / 'html' / 'index.html').relative_to(ROOT)}")
    return failed or bool(found)


if __name__ == "__main__":
    sys.exit(main())
