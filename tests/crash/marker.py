"""The child of the crash test of Knowing Markup: changes a memory, and says so after each change.

Each change creates a branch of three nodes and takes away the one of the change before.
"""

from __future__ import annotations

import itertools
import sys

import recollect
from recollect.faces.markup import Markup

BRANCH = """- ID: new-1 [created]
  Label: Step {number}
  - ID: new-2 [created]
    Label: Below {number}
    - ID: new-3 [created]
      Label: Deep {number}
"""


def main(path: str, first: int) -> None:
    with recollect.open(path) as nexus:
        markup = Markup(nexus)
        for number in itertools.count(first):
            last = "" if number == 0 else f"- ID: {3 * number - 2} [deleted]\n"
            markup.apply(last + BRANCH.format(number=number))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
