"""A process that reads and writes a graph and prints its own memory, in megabytes.

The rule: what is mapped from the file is the page cache's, and not counted.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import recollect
from bench.shapes import SHAPES
from recollect.model import PutConcept

_STATUS = Path("/proc/self/status")


def main(path: str) -> None:
    """Use the graph for a while, then print."""
    with recollect.open(path, synchronous="normal") as nexus:
        for shape in SHAPES:
            for at in range(50 if "$name" in shape.kip else 2):
                name = {"name": f"{shape.start} {at * 7}"} if "$name" in shape.kip else {}
                nexus.read(shape.kip, name)
        nexus.write([PutConcept("Note", f"memory {at}", {"at": at}) for at in range(10_000)])
        print(_megabytes())


def _megabytes() -> float:
    """Return the process's own memory; where the system does not tell it, all it ever held."""
    if _STATUS.exists():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(lines["RssAnon"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1])
