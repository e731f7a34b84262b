"""Fail when the written parts of the repository do not hold together.

Links between documents must resolve, changelog fragments must have a form that the release
can use, the lock must hold nothing but pins, and no file may name a place on one machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE_BY_TOOLS = {"__pycache__", "build", "dist", "node_modules"}
CONFIGURATION = {".ci", ".editorconfig", ".gitignore", ".importlinter", ".pre-commit-config.yaml"}

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
PATH = re.compile(r"`(\w+/[\w/.-]*\w)`")
FRAGMENT = re.compile(r"\+[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md")
PIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9a-z.]*( ; [a-z_]+ [^:/]+)?")
MACHINE_PATH = re.compile(r"(?<![\w.:/])/(root|home|Users|work)/\w")


def files(root: Path) -> Iterator[Path]:
    """Yield the files a person wrote, in order."""
    for path in sorted(root.iterdir()):
        if path.name in MADE_BY_TOOLS:
            continue
        if path.name.startswith(".") and path.name not in CONFIGURATION:
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def anchors(text: str) -> set[str]:
    """Return the link targets that the headings of a Markdown text make."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.replace(" ", "-"))
    return found


def broken_links(path: Path) -> Iterator[str]:
    """Yield each link of one document that leads to no file or heading of the repository."""
    text = path.read_text(encoding="utf-8")
    for target in LINK.findall(FENCE.sub("", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        linked = (path.parent / name).resolve() if name else path
        if not linked.exists():
            yield f"link to {target}: there is no such file"
        elif anchor and anchor not in anchors(linked.read_text(encoding="utf-8")):
            yield f"link to {target}: there is no such heading"


def lost_paths(path: Path) -> Iterator[str]:
    """Yield each file or folder that the page of the architecture names and that is not there."""
    for name in PATH.findall(path.read_text(encoding="utf-8")):
        roots = (path.parent, path.parent / "src" / "recollect")
        if not any((root / name).exists() for root in roots):
            yield f"{name} is not there"


def bad_fragment(path: Path) -> Iterator[str]:
    """Yield what is wrong with one changelog fragment."""
    if not FRAGMENT.fullmatch(path.name):
        yield "name it +what-changed.added.md (or changed, fixed, removed)"
    text = path.read_text(encoding="utf-8").strip()
    if not text.endswith("."):
        yield "write whole sentences: it does not end in a full stop"


def bad_pins(path: Path) -> Iterator[str]:
    """Yield each line of the lock that is more than a name, a version and a marker."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not PIN.fullmatch(line):
            yield f"line {number} is not a pin: {line}"


def machine_paths(path: Path) -> Iterator[str]:
    """Yield each line that names a place on somebody's machine."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return  # not a text
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            yield f"line {number} names a path of one machine: {line.strip()}"


def problems(root: Path) -> Iterator[str]:
    """Yield one line for each thing that does not hold."""
    for path in files(root):
        checks = [machine_paths]
        if path.suffix == ".md":
            checks.append(broken_links)
        if path == root / "ARCHITECTURE.md":
            checks.append(lost_paths)
        if path.parent == root / "changelog.d" and path.name != "README.md":
            checks.append(bad_fragment)
        if path == root / "requirements.lock":
            checks.append(bad_pins)
        for check in checks:
            for problem in check(path):
                yield f"{path.relative_to(root)}: {problem}"


def main() -> int:
    """Print what does not hold; return the exit status."""
    found = list(problems(ROOT))
    print("\n".join(found) or "Docs: links, changelog, lock and paths hold")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
