"""A process that loads a tree of Knowing Markup and prints the megabytes that this took."""

from __future__ import annotations

import sys
from pathlib import Path

import recollect
from bench.markup_graph import tree_text
from recollect.faces.markup import Markup


def main(folder: str, nodes: int) -> None:
    """Load so many nodes, once the program is warm, then print."""
    text = tree_text(nodes)
    with recollect.open(Path(folder) / f"of-{nodes}.db") as nexus:
        markup = Markup(nexus)
        markup.load(tree_text(10).replace("space", "warm").replace("ID: ", "ID: w"))
        before = _peak()
        markup.load(text)
        print(_peak() - before)


def _peak() -> float:
    """Return the most that this program took; `ru_maxrss` goes on from who started it."""
    told = Path("/proc/self/status").read_text(encoding="ascii")
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
