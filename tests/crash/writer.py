"""The child of the crash test: writes capsule after capsule, and says so after each."""

from __future__ import annotations

import itertools
import sys

import recollect

CAPSULE = """
UPSERT {
    CONCEPT @step { {type: "Step", name: $name} SET ATTRIBUTES { number: $number } }
    CONCEPT @note { {type: "Note", name: $name} SET PROPOSITIONS { ("about", @step) } }
    CONCEPT @last { {type: "Marker", name: "last"} SET ATTRIBUTES { number: $number } }
    PROPOSITION @link { (@last, "reached", @step) }
    PROPOSITION { (@note, "tells", @link) }
}
"""


def main(path: str, first: int) -> None:
    with recollect.open(path) as nexus:
        for number in itertools.count(first):
            nexus.write(CAPSULE, {"name": f"step {number}", "number": number}, actor="writer")
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
