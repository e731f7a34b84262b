"""Compare Cytoscape.js with sigma.js on 2,000 nodes and 4,000 links, for ADR 0014.

It needs npm, Chromium and Playwright. It prints, of each library: its size compressed, the time
from the data to the first picture by the layout that the studio uses for so many nodes and by 50
turns of forces, the time of a frame while the picture is moved and zoomed, and what is left without
WebGL.
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Error, sync_playwright

PACKAGES = (
    "cytoscape@3.35.0",
    "sigma@3.0.3",
    "graphology@0.26.0",
    "graphology-layout-forceatlas2@0.10.1",
    "esbuild@0.28.2",
)
ENTRIES = {
    "cytoscape": 'import cytoscape from "cytoscape"; window.cytoscape = cytoscape',
    "sigma": (
        'import Sigma from "sigma"; import Graph from "graphology";'
        ' import forces from "graphology-layout-forceatlas2";'
        " Object.assign(window, {Sigma, Graph, forces})"
    ),
}
DRAWING = Path(__file__).parent / "studio" / "canvases.js"
PAGE = '<!doctype html><div id="picture" style="width:1200px;height:600px"></div>'
TURNS = {"plain": 3, "forces": 1}


def run(*command: str, folder: Path) -> None:
    """Run a command in a folder."""
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def packed(folder: Path, name: str) -> Path:
    """Return a library as one file, as small as it gets."""
    (folder / f"{name}.entry.js").write_text(ENTRIES[name], encoding="utf-8")
    options = ("--bundle", "--minify", "--format=iife", "--legal-comments=none")
    run(
        "node_modules/.bin/esbuild",
        f"{name}.entry.js",
        *options,
        f"--outfile={name}.js",
        folder=folder,
    )
    return folder / f"{name}.js"


def measured(chromium: str, script: Path, layout: str, *flags: str) -> str:
    """Return the medians of some turns in words, or why there is no picture."""
    firsts, frames = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", *flags]
        )
        for _ in range(TURNS[layout]):
            page = browser.new_page(viewport={"width": 1200, "height": 800})
            page.set_default_timeout(0)
            page.set_content(PAGE)
            page.add_script_tag(path=script)
            page.add_script_tag(path=DRAWING)
            try:
                found = page.evaluate(
                    "([name, layout]) => pictures[name](layout)", [script.stem, layout]
                )
            except Error as error:
                return f"no picture: {str(error).splitlines()[0][:90]}"
            firsts.append(found["first"])
            frames += found["took"]
            page.close()
        browser.close()
    slow = statistics.quantiles(frames, n=20)[-1]
    return (
        f"first picture {statistics.median(firsts):,.0f} ms,"
        f" a frame {statistics.median(frames):.0f} ms, p95 {slow:.0f} ms"
    )


def main() -> int:
    """Print the comparison; return the exit status."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("recollect: Chromium is missing: apt-get install chromium")
    with TemporaryDirectory() as made:
        folder = Path(made)
        run("npm", "install", "--silent", "--no-save", *PACKAGES, folder=folder)
        for name in ENTRIES:
            script = packed(folder, name)
            print(f"{name}: {len(gzip.compress(script.read_bytes(), 9)):,} bytes compressed")
            for layout in ("plain", "forces"):
                print(f"  {layout}: {measured(chromium, script, layout)}", flush=True)
            without = measured(chromium, script, "plain", "--disable-gpu", "--disable-3d-apis")
            print(f"  without WebGL: {without}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
