"""The child of the crash test of purges: writes a secret, says so, purges it, says so, and again."""

from __future__ import annotations

import itertools
import sys

import recollect
from recollect.model import Key, PutConcept, PutLink


def secret(number: int) -> str:
    """A word that spells the number in letters that nothing else spells anything in."""
    return "W" + "".join("QXZJ"[number >> shift & 3] for shift in range(14, -1, -2)) + "W"


def say(what: str, number: int) -> None:
    sys.stdout.write(f"{what} {number}\n")
    sys.stdout.flush()


def main(path: str, first: int) -> None:
    with recollect.open(path) as nexus:
        for number in itertools.count(first):
            word = secret(number)
            key, kept = Key("Secret", word), Key("Step", f"step {number}")
            nexus.write(
                [
                    PutConcept("Step", kept.name, {"number": number}),
                    PutConcept("Secret", word, {"number": number, "text": f"{word} " * 300}),
                    PutLink(kept, "reveals", key, {"as": word}),
                ]
            )
            nexus.write([PutConcept("Secret", word, {"text": word})])
            say("wrote", number)
            nexus.purge(key)
            say("purged", number)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
