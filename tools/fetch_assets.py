"""Fetch the pinned files of other people that the studio's pages load, and pack its editor.

`tools/fetch_assets.py` writes `src/recollect/servers/studio/assets` anew and its manifest; it needs
npm and node, which nobody who uses Recollect does. What it makes is kept in the repository.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "src/recollect/servers/studio/assets"
EDITOR = ROOT / "tools/studio/editor.js"
BUNDLED = {
    "@codemirror/autocomplete": "6.20.4",
    "@codemirror/commands": "6.11.1",
    "@codemirror/language": "6.13.1",
    "@codemirror/lint": "6.9.8",
    "@codemirror/state": "6.7.6",
    "@codemirror/view": "6.43.15",
    "@lezer/highlight": "1.2.5",
}
ESBUILD = "0.28.2"


@dataclass(frozen=True)
class Pinned:
    """A file of a package, as it is published."""

    name: str
    package: str
    version: str
    path: str
    license: str


PINNED = (
    Pinned("htmx.min.js", "htmx.org", "4.0.1", "dist/htmx.min.js", "0BSD"),
    Pinned("hx-sse.min.js", "htmx.org", "4.0.1", "dist/ext/hx-sse.min.js", "0BSD"),
    Pinned("cytoscape.min.js", "cytoscape", "3.35.0", "dist/cytoscape.min.js", "MIT"),
)


def fetched(one: Pinned, folder: Path) -> bytes:
    """Return a file of a package of the registry."""
    packed = run("npm", "pack", "--silent", f"{one.package}@{one.version}", folder=folder).strip()
    with tarfile.open(folder / packed) as archive:
        member = archive.extractfile(f"package/{one.path}")
        assert member is not None
        return member.read()


def bundled(folder: Path) -> bytes:
    """Return the editor: what `studio/editor.js` takes of CodeMirror, in one file."""
    wanted = [f"{name}@{version}" for name, version in BUNDLED.items()]
    run("npm", "install", "--silent", "--no-save", f"esbuild@{ESBUILD}", *wanted, folder=folder)
    shutil.copy(EDITOR, folder / "editor.js")
    options = ("--bundle", "--minify", "--format=iife", "--legal-comments=none", "--charset=utf8")
    run("node_modules/.bin/esbuild", "editor.js", *options, "--outfile=out.js", folder=folder)
    return (folder / "out.js").read_bytes()


def run(*command: str, folder: Path) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
    return done.stdout


def entry(content: bytes, package: str, version: str, license: str) -> dict[str, object]:
    """Return what the manifest says of a file."""
    return {
        "package": package,
        "version": version,
        "license": license,
        "sha256": hashlib.sha256(content).hexdigest(),
        "compressed_bytes": len(gzip.compress(content, 9, mtime=0)),
    }


def main() -> int:
    """Write the files and their manifest; return the exit status."""
    manifest = {}
    with TemporaryDirectory() as made:
        folder = Path(made)
        for one in PINNED:
            content = fetched(one, folder)
            (ASSETS / one.name).write_bytes(content)
            manifest[one.name] = entry(content, one.package, one.version, one.license)
        content = bundled(folder)
        (ASSETS / "editor.min.js").write_bytes(content)
        versions = " ".join(f"{name}@{version}" for name, version in BUNDLED.items())
        manifest["editor.min.js"] = entry(content, "codemirror", versions, "MIT")
    (ASSETS / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print("\n".join(f"{name}: {one['compressed_bytes']}" for name, one in manifest.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
