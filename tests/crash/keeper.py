"""The child of the crash test: says that it begins, then restores, imports or migrates."""

from __future__ import annotations

import sys
from pathlib import Path

import recollect
from recollect.faces.kip import import_capsules, read_capsules


def main(work: str, source: str, target: str) -> None:
    with recollect.open(target) as nexus:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        if work == "restore":
            nexus.restore(source)
        elif work == "backup":
            nexus.backup(source)
        elif work == "index":
            nexus.add_index("Step", "number")
        else:
            with Path(source).open(encoding="utf-8") as stream:
                for _ in import_capsules(nexus, read_capsules(stream)):
                    pass
        sys.stdout.write("done\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
