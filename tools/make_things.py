"""Make the list of things by their kinds, which recall reads: `python tools/make_things.py`.

It needs WordNet 3.0 and two lists of common words, as Debian's packages `wordnet-base`, `wamerican`
and `wbritish` install them. It takes a few seconds.

How it works. A line of `things.txt` beside this file says how people ask for a kind in three
languages, and which meanings of WordNet are its roots, a word with the number of its meaning; `*`
takes what is named below it, too, as the countries. All nouns below the roots are of that kind
which are common words, and which mean that as a rule: in half of the texts at least that WordNet
counted, or, where it counted none, in their first meaning.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TARGET = (
    Path(__file__).parents[1] / "src" / "recollect" / "kernel" / "recall" / "lists" / "things.txt"
)
WORDNET = Path("/usr/share/wordnet")
COMMON = [Path("/usr/share/dict") / f"{one}-english" for one in ("american", "british")]
KINDS: Final = Path(__file__).with_name("things.txt")


@dataclass
class Nouns:
    """The nouns of WordNet."""

    words: dict[str, list[str]] = field(default_factory=dict)  # of each meaning
    kinds: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # below each
    named: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    meanings: dict[str, list[str]] = field(default_factory=dict)  # of each word, the first first
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)  # of a word's n-th meaning

    def below(self, root: str) -> set[str]:
        """Return a meaning, as `animal.1`, and all that are below it."""
        word, number = root.removesuffix("*").rsplit(".", 1)
        found, left = set[str](), [self.meanings[word][int(number) - 1]]
        while left:
            if (one := left.pop()) not in found:
                found.add(one)
                left += self.kinds[one] + (self.named[one] if root.endswith("*") else [])
        return found

    def means(self, word: str, those: set[str]) -> bool:
        """Whether a word means one of those as a rule."""
        counts = [self.counts[word, at + 1] for at in range(len(self.meanings[word]))]
        its = [
            count for one, count in zip(self.meanings[word], counts, strict=True) if one in those
        ]
        return 2 * sum(its) >= sum(counts) if any(counts) else self.meanings[word][0] in those


def nouns() -> Nouns:
    """Return them as they are installed."""
    found = Nouns()
    for line in (WORDNET / "data.noun").read_text("utf-8").splitlines():
        if line.startswith("  "):
            continue  # the licence
        fields = line.split("|", 1)[0].split()
        many = int(fields[3], 16)
        found.words[fields[0]] = fields[4 : 4 + 2 * many : 2]
        pointers = fields[5 + 2 * many :]
        for sign, meaning, part in zip(*(pointers[at::4] for at in range(3)), strict=False):
            if part == "n" and sign in {"@", "@i"}:
                (found.kinds if sign == "@" else found.named)[meaning].append(fields[0])
    for line in (WORDNET / "index.noun").read_text("utf-8").splitlines():
        if not line.startswith("  "):
            word, _, senses, *others = line.split()
            found.meanings[word] = others[-int(senses) :]
    for line in (WORDNET / "cntlist.rev").read_text("utf-8").splitlines():
        key, number, count = line.split()
        word, kind = key.split("%")
        if kind.startswith("1:"):  # a noun
            found.counts[word, int(number)] += int(count)
    return found


def main() -> None:
    """Make the file."""
    known, lines = nouns(), []
    common = {word.lower() for one in COMMON for word in one.read_text("utf-8").split()}
    for line in KINDS.read_text("utf-8").splitlines():
        asked, roots = line.split(" : ")
        those = set().union(*map(known.below, roots.split()))
        words = {word.lower() for one in those for word in known.words[one]}
        plain = {one for one in words & common if re.fullmatch("[a-z]{3,}", one)}
        of_kind = sorted(one for one in plain - {*asked.split()} if known.means(one, those))
        english, others = asked.split(" | ", 1)
        lines.append(f"{english} > {' '.join(of_kind)} | {others}")
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")
    print(len({word for line in lines for word in line.split()}), "words of", len(lines), "kinds")


if __name__ == "__main__":
    main()
